"""Which grid point a curve of released numbers gives for a rank."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from ..domain import Interval
from ..margins import Curve
from ..tally import Variable

ROUNDING = 1e-6  # of a row, by floats
MARKED = 4  # standard deviations, and times as many rows as beside it: a bin of one value that many rows have
NARROW = 64  # times in the range: nought counts as round in a bin that is narrower
HOURS = tuple(Fraction(n * 10**9) for n in (86_400, 3_600, 60, 1))  # in nanoseconds


def step_at(curve: Curve, q: float, variable: Variable) -> int:
    """The step at which the rising curve reaches q of all rows, as if rows lay evenly in their bins.

    Where a bin holds far more rows than noise and its neighbours account for, many of them seem to have one value: it
    is taken to be the roundest in the bin.
    """
    rising = curve.rising()
    wanted = max(q * rising[-1] - ROUNDING, 0.0)
    at = int(np.searchsorted(rising, wanted, side="left"))
    before, start = (rising[at - 1], int(curve.ends[at - 1]) + 1) if at else (0.0, 0)
    end = int(curve.ends[at])
    inside = (wanted - before) / max(rising[at] - before, 1e-300)
    step = start + int(np.clip(np.floor(inside * (end - start + 1)), 0, end - start))
    return _roundest(variable.interval, start, end, step) if _is_marked(curve, at) else step


def _is_marked(curve: Curve, at: int) -> bool:
    counts, own = np.diff(curve.below, prepend=0.0), np.diag(curve.covariance)
    between = curve.covariance[at, at - 1] if at else 0.0
    noise = float(np.sqrt(max(own[at] + (own[at - 1] if at else 0.0) - 2 * between, 0.0)))
    widths = np.diff(curve.ends, prepend=-1).astype(float)
    beside = [place for place in (at - 1, at + 1) if 0 <= place < len(counts)]
    most = max((counts[place] / widths[place] for place in beside), default=0.0) * widths[at]
    return bool(widths[at] > 1 and counts[at] > MARKED * max(noise, most))


def _roundest(interval: Interval, start: int, end: int, step: int) -> int:
    """The step nearest to the one given among those of fewest digits, or of the longest hours."""
    grid = interval.grid
    narrow = (end - start) * NARROW <= grid.high - grid.low
    low, high, near = (grid.step * (grid.low + each) for each in (start, end, step))
    for unit in _units(interval):
        first, last = (low / unit).__ceil__(), (high / unit).__floor__()
        if first <= last and (narrow or (first, last) != (0, 0)):
            value = min(max(round(near / unit), first), last) * unit
            return min(max(round(value / grid.step) - grid.low, start), end)
    return step


def _units(interval: Interval) -> tuple[Fraction, ...]:
    if interval.kind in ("datetime", "timedelta"):
        return HOURS
    places = len(str(int(max(abs(interval.lower), abs(interval.upper))))) + 1
    least = Fraction(10) ** -12
    return tuple(unit for unit in (Fraction(10) ** (places - each) for each in range(32)) if unit >= least)
