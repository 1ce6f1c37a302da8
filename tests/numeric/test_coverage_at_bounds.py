"""Yes/no columns: all values lie at the ends of their range, so a variance may be the largest that there can be.

4,000 tables each, with real noise: a share that is 0.95 in truth falls below 0.9345 with a chance below 1e-5.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from pandas_dp.core.budget.cost import Concentrated, Cost, Pure
from pandas_dp.core.evidence.noise import critical
from pandas_dp.core.measure.cells import Variable
from pandas_dp.core.schema.values import Interval
from pandas_dp.numeric.evidence_moments import MomentSums
from pandas_dp.numeric.evidence_spreads import Spreads
from pandas_dp.numeric.statistic_means import in_units

from .test_coverage import LUCK, TABLES, answered

YES = Variable("x", Interval(Fraction(0), Fraction(1), "integer"))
COSTS: dict[str, Cost] = {"laplace": Pure(Fraction(1, 2)), "gaussian": Concentrated(Fraction(1, 20))}


def yes_no(rows: np.ndarray, frame: str, cost: Cost) -> MomentSums:
    """Tables of noughts and ones, one a row, as that kind of frame would get their sums."""
    codes = np.rint((rows - float(YES.grid.centre)) / float(YES.grid.code_step))
    exact = np.column_stack([np.full(len(rows), rows.shape[1]), codes.sum(axis=1), (codes**2).sum(axis=1)])
    return in_units(*answered(exact, rows.shape[1], frame, cost, YES))


def halves(n: int) -> np.ndarray:
    return np.tile(np.arange(n) % 2, (TABLES, 1)).astype(float)


@pytest.mark.parametrize("ddof", [0, 1])
@pytest.mark.parametrize("noise", COSTS)
@pytest.mark.parametrize("frame", ["derived", "grouped"])
@pytest.mark.parametrize("n", [10, 30, 100])
def test_the_largest_variance_there_can_be_lies_in_its_interval(n: int, frame: str, noise: str, ddof: int) -> None:
    """Fails by luck with a chance below 1e-5. Half of the rows at either end: the cap is the truth."""
    rows = halves(n)
    low, high = Spreads(yes_no(rows, frame, COSTS[noise]), False, ddof).interval(0.95, "sample")
    truth = rows.var(axis=1, ddof=ddof)
    assert ((low <= truth + 1e-9) & (truth <= high + 1e-9)).mean() >= 0.95 - LUCK


@pytest.mark.parametrize("noise", COSTS)
@pytest.mark.parametrize("n", [10, 30, 100])
def test_it_is_hardly_longer_than_what_sums_within_reach_allow(n: int, noise: str) -> None:
    """Compared with half a million sums within reach of each answer, none with more than its rows allow.

    Within reach means that each noise by itself has the level, for which one of few steps needs whole ones.
    """
    sums = yes_no(halves(n)[:60], "derived", COSTS[noise])
    assert sums.count is not None
    low, high = Spreads(sums, False).interval(0.95, "sample")
    away = np.random.default_rng(1).normal(size=(3, 500_000))
    away /= np.linalg.norm(away, axis=0)
    sensitivity = [max(float(critical(0.95, sums.noises)) * noise.sd, noise.half_width(0.95)) for noise in sums.noises]
    away *= np.array(sensitivity)[:, None]
    found, needed = 0.0, 0.0
    beside = sums.variance != sums.unclipped_variance  # from there the interval reaches on, see the proof
    for at in np.flatnonzero((sums.count > 1) & ~beside):
        count, total, rest = sums.count[at], sums.total[at], sums.squares[at]
        rows = count + away[0]
        square = sums.half**2 * rows - rest + away[2]
        with np.errstate(divide="ignore", invalid="ignore"):
            spread = (square - (total + away[1]) ** 2 / rows) / (rows - 1)
        allowed = np.clip(spread, 0, sums.half**2 * rows / (rows - 1))[rows >= 2]
        found, needed = found + high[at] - low[at], needed + np.ptp(allowed)
    assert found <= 1.3 * needed


@pytest.mark.parametrize("cost", [Concentrated(Fraction(1, 2)), Concentrated(Fraction(4)), Pure(Fraction(8))])
@pytest.mark.parametrize("frame", ["whole", "derived"])
@pytest.mark.parametrize("n", [100, 500, 2000])
def test_a_populations_variance_of_rare_events_lies_in_its_interval(n: int, frame: str, cost: Cost) -> None:
    """One row in a hundred. Fails by luck with a chance below 1e-5."""
    rows = (np.random.default_rng(n).random((TABLES, n)) < 0.01).astype(float)
    low, high = Spreads(yes_no(rows, frame, cost), False).interval(0.95, "population")
    assert ((low <= 0.0099) & (high >= 0.0099)).mean() >= 0.95 - LUCK
