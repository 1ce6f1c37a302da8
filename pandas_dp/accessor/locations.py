"""Where the middle of a column is, whatever its tails."""

from __future__ import annotations

from abc import ABC, abstractmethod
from fractions import Fraction
from typing import Any, Unpack

import pandas as pd

from ..errors import wrong_value
from ..reading import is_number
from ..release import Layout, Release
from ..session import Asked
from ..statistics import HuberLocation, TrimmedMean
from ..statistics.quantiles import share
from .asking import Asking
from .keywords import Keywords, with_keywords_named

LEAST_PROPORTION, MOST_PROPORTION = Fraction(1, 1000), Fraction(9, 20)


@with_keywords_named
class LocationQuestions(ABC):
    """Questions about the middle of a column that values far out hardly move."""

    _series: pd.Series

    @abstractmethod
    def _asking(self, statistic: str, keywords: Keywords, **takes: Any) -> Asking: ...

    @abstractmethod
    def _title(self, otherwise: str) -> Any: ...

    def location(self, **keywords: Unpack[Keywords]) -> Release:
        """Huber's location: the middle that values far out pull no more than those one and a half scales away.

        The scale is released first, from quartiles, so the bounds of the column may be as wide as one likes: they cost
        next to nothing. It needs `rho=`, or `epsilon=` with `delta=`. The label says what is estimated, at which scale
        (docs/looks.md).

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(rho=1e9)  # so much that there is no noise to see
        >>> people = session.protect(pd.DataFrame({"wage": [9, 10, 10, 11, 12, 400] * 200}))
        >>> people["wage"].dp.location(rho=1e6, bounds=(0, 10_000))["location"].round(1).item()
        10.8
        """
        asking = self._asking("location", keywords)
        return self._placed(asking, HuberLocation(asking.number(self._series.name)))

    def trimmed_mean(self, proportion: float = 0.1, **keywords: Unpack[Keywords]) -> Release:
        """The mean without a `proportion` of the values at either end, as `scipy.stats.trim_mean` has it.

        Two quantiles are released first, and values are clamped to them; errors of the quantiles enter by their square
        only. It needs `rho=`, or `epsilon=` with `delta=`.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(rho=1e9)  # so much that there is no noise to see
        >>> people = session.protect(pd.DataFrame({"wage": [9, 10, 10, 11, 12, 400] * 200}))
        >>> release = people["wage"].dp.trimmed_mean(0.2, rho=1e6, bounds=(0, 10_000))
        >>> release["trimmed_mean"].round(1).item()
        10.7
        >>> release.dp.metadata["estimand"]
        'mean without 0.2 of the values at either end, told from values clamped to 10 and 12, released quantiles'
        """
        asking = self._asking("trimmed_mean", keywords)
        cut = share(proportion) if is_number(proportion) and 0 <= proportion <= 1 else Fraction(0)
        if not LEAST_PROPORTION <= cut <= MOST_PROPORTION:
            raise wrong_value("proportion", "be a number from 0.001 to 0.45", proportion)
        return self._placed(asking, TrimmedMean(asking.number(self._series.name), cut))

    def _placed(self, asking: Asking, estimator: HuberLocation | TrimmedMean) -> Release:
        layout = Layout(pd.Index([self._title(estimator.statistic)]), None, "measures")
        return asking.release([Asked(self._series.name, estimator)], layout)
