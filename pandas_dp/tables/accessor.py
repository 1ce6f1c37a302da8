"""`.dp` of a release that tells runs of bins: counts between any two values, for nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ..core.arguments import a_number
from ..core.conclude.results import Conclusion
from ..core.door.hints import with_arguments_named
from ..core.door.released import ReleaseAccessor
from ..core.label.layout import Released
from ..errors import NotConcluded, wrong_value
from .evidence import Tables


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
        confidence = a_number("confidence", confidence, 0, 1)
        released = Released.of(self._frame)
        evidence, bins = released.evidence[0], released.frame.index
        if not (isinstance(evidence, Tables) and evidence.shows_runs and isinstance(bins, pd.IntervalIndex)):
            raise NotConcluded(
                "between is for a histogram with ranges=True; of marginals with ranges= take .dp.margin(keys, "
                "where={key: slice(first, last)})."
            )
        first, last = _place(bins, left, "left"), _place(bins, right, "right")
        if last < first:
            raise wrong_value("right", "be no less than left", right)
        found = evidence.part((), {0: range(first, last + 1)})
        low, high = found.interval(confidence, "sample")
        error = found.std_error("sample")
        run = pd.Interval(bins[first].left, bins[last].right, closed="left")
        numbers = {"count": found.estimate, "std_error": error, "lower": low, "upper": high}
        return Conclusion(numbers, index=pd.IntervalIndex([run], name=bins.name))


def _place(bins: pd.IntervalIndex, end: Any, name: str) -> int:
    """The bin that holds a value; the last also holds its right edge."""
    inside = f"be a value from {bins[0].left} to {bins[-1].right}"
    try:
        held = np.flatnonzero((bins.left <= end) & (end < bins.right))
        at_end = bool(end == bins[-1].right)
    except (TypeError, ValueError):
        raise wrong_value(name, inside, end) from None
    if at_end:
        return len(bins) - 1
    if len(held) != 1:
        raise wrong_value(name, inside, end)
    return int(held[0])
