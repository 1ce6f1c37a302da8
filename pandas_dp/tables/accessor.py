"""`.dp` of a release that tells runs of bins: counts between any two values, for nothing."""

from __future__ import annotations

from typing import Any

import pandas as pd

from ..core.door.hints import with_arguments_named
from ..core.door.released import ReleaseAccessor
from .conclude import count_between


@with_arguments_named
class RunsAccessor(ReleaseAccessor):
    """What follows from a release that tells runs of bins, for nothing."""

    own = ("between",)

    def between(self, left: Any, right: Any, *, confidence: float = 0.95) -> pd.DataFrame:
        """How many rows are in the bins from the one that holds `left` to the one that holds `right`.

        Parameters
        ----------
        left, right
            Values within the bins. Both bins count in full, as with a slice of `.loc`; the answer names the run.
        confidence : float
            Of the interval.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> people = pdp.Session(rho=1e9).protect(pd.DataFrame({"age": [31, 54, 47, 18] * 250}))
        >>> ages = people["age"].dp.histogram(20, ranges=True, rho=1e8, bounds=(0, 100))
        >>> ages.dp.between(30, 49)["count"].round().tolist()
        [500.0]
        """
        return count_between(self._frame, left, right, confidence)
