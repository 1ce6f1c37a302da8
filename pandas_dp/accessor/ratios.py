"""`ratio`: the total of one column over that of another, of a table or in each cell of a grouping."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any, Unpack

import pandas as pd

from ..release import Layout, Release, cell_labels
from ..session import Asked
from ..statistics import Ratio, Survey
from ..tally import Cells
from .asking import Asking
from .keywords import Keywords, with_keywords_named


@with_keywords_named
class AsksRatios:
    """One question of two columns."""

    _keys: list[Hashable] = []  # noqa: RUF012 - of a table there are none

    if TYPE_CHECKING:

        def _asking(self, statistic: str, keywords: Keywords, columns: Sequence[Hashable]) -> Asking: ...

    def ratio(self, y: Hashable, x: Hashable, **keywords: Unpack[Keywords]) -> Release:
        """The sum of one column over that of another, weighted where there are weights, with the error of the sample.

        Parameters
        ----------
        y, x : columns
            Of numbers, with declared bounds. Rows that lack either do not count.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(rho=1e9)  # so much that there is no noise to see
        >>> homes = session.protect(pd.DataFrame({"rent": [600, 900, 500] * 400, "rooms": [2, 3, 3] * 400}))
        >>> bounds = {"rent": (0, 2000), "rooms": (0, 10)}
        >>> homes.dp.ratio("rent", "rooms", bounds=bounds, rho=1e6)["ratio"].round(1).to_dict()
        {'rent / rooms': 250.0}
        """
        asking = self._asking("ratio", keywords, [y, x])
        cells = asking.cells(self._keys) if self._keys else Cells()
        part: Any = Ratio(asking.number(y).for_sums, asking.number(x).for_sums, asking.survey or Survey(), cells)
        rows = cell_labels(cells) if cells.keys else pd.Index([f"{y} / {x}"])
        return asking.release([Asked(f"{y} / {x}", part)], Layout(rows, None, "measures"))
