"""What can be made of a released table of counts: shares, counts that are possible, rounded or withheld ones."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping

import pandas as pd

from ...core.door.hints import with_arguments_named
from ...core.label.release import Release
from ...core.reading import a_flag, a_number, whole_number
from ...errors import UnsupportedArgument
from ...numeric.conclude import shares
from ...surveys.conclude import calibrate
from .conclude_adjusted import nonnegative, rounded_to, suppressed


@with_arguments_named
class Adjustments(ABC):
    """Each is a release of its own, at no cost."""

    @property
    @abstractmethod
    def _frame(self) -> pd.DataFrame:
        """The released table."""

    def shares(self, of: str = "all") -> Release:
        """The cells of a table of counts over the total of all, of their row ("index") or of their column ("columns").

        What `normalize=` of a question shows. Its `confint` allows for the noise of the cell and of the total, at half
        the risk each.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(epsilon=10)
        >>> people = session.protect(pd.DataFrame({"sex": ["f", "m"] * 500}))
        >>> counts = people["sex"].dp.value_counts(categories=["f", "m"], epsilon=5)
        >>> counts.dp.shares().round(1)["proportion"].tolist()
        [0.5, 0.5]
        """
        return shares(self._frame, of)

    def calibrate(self, totals: Mapping[Hashable, Mapping[Hashable, float]]) -> Release:
        """A table of counts or of sums that adds up to public totals, with smaller errors.

        Of one key this is post-stratification, of several the linear calibration of a survey; it costs nothing, as only
        released numbers and public ones enter. A number that the noise has pushed below zero may stay there.

        Parameters
        ----------
        totals : mapping from key to a mapping from each of its categories to its public total

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(epsilon=10)
        >>> people = session.protect(pd.DataFrame({"sex": ["f", "m"] * 500, "vote": ["yes", "no"] * 500}))
        >>> table = people.dp.crosstab("sex", "vote", epsilon=1,
        ...                            categories={"sex": ["f", "m"], "vote": ["yes", "no"]})
        >>> known = table.dp.calibrate({"sex": {"f": 500, "m": 500}})
        >>> known.sum(axis=1).round(6).to_dict()
        {'f': 500.0, 'm': 500.0}
        """
        return calibrate(self._frame, totals)

    def nonnegative(self, integer: bool = False) -> Release:
        """A table of counts without negative numbers that still adds up, the nearest to the release.

        The total and margins stay as they are where they are not negative: what is small is adjusted to what is large.
        With `integer` also whole numbers; in a crosstab each is the one below or above. Single cells gain a bias by
        it, and intervals are those of the release that it was made from.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(epsilon=10)
        >>> people = session.protect(pd.DataFrame({"sex": ["f", "m"] * 5, "vote": ["yes", "no"] * 5}))
        >>> table = people.dp.crosstab("sex", "vote", epsilon=0.1, margins="planned",
        ...                            categories={"sex": ["f", "m"], "vote": ["yes", "no"]})
        >>> bool((table.dp.nonnegative(integer=True) >= 0).all(axis=None))
        True
        """
        a_flag("integer", integer)
        return nonnegative(self._frame, integer)

    def round_to(self, base: int, *, additive: bool = False) -> Release:
        """Counts as multiples of a base; the intervals of its label allow for the rounding.

        Parameters
        ----------
        base : int
        additive : bool
            False: each number becomes the nearest multiple. True: a multiple near it, so that cells still add up to
            their margins, and to the total rounded (controlled rounding). In a crosstab no number moves by the base
            or more.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(epsilon=10)
        >>> people = session.protect(pd.DataFrame({"sex": ["f", "m"] * 500, "vote": ["yes", "no"] * 500}))
        >>> table = people.dp.crosstab("sex", "vote", epsilon=1, margins=True,
        ...                            categories={"sex": ["f", "m"], "vote": ["yes", "no"]})
        >>> fives = table.dp.round_to(5, additive=True)
        >>> bool((fives[["yes", "no"]].sum(axis=1) == fives["All"]).all())
        True
        """
        base, additive = whole_number("base", base, 1, 10**9), a_flag("additive", additive)
        return rounded_to(self._frame, base, additive)

    def suppress(self, below: float | None = None, sparse: float | None = None) -> Release:
        """Counts with released numbers below a limit withheld as NaN, and all of a table whose mean cell is below one.

        Where margins are shown, suppressed cells can be recovered from them by subtraction. That harms nobody's
        privacy, which the noise protects; it only means that suppression hides less than it seems to.

        Parameters
        ----------
        below : float, optional
            The least number to show.
        sparse : float, optional
            The least mean of the cells, as released, of a table to show.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(epsilon=1e6)  # so much that there is no noise to see
        >>> people = session.protect(pd.DataFrame({"sex": ["f"] * 990 + ["m"] * 10}))
        >>> counts = people["sex"].dp.value_counts(categories=["f", "m"], epsilon=1000)
        >>> counts.dp.suppress(below=30)["count"].tolist()
        [990.0, nan]
        """
        limits = {"below": below, "sparse": sparse}
        for name, limit in limits.items():
            if limit is not None:
                a_number(name, limit, -1e9, 1e9)
        if below is None and sparse is None:
            raise UnsupportedArgument("suppress needs below= or sparse=.")
        return suppressed(self._frame, below, sparse)
