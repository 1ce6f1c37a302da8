"""Noise of few steps: intervals of means and variances of the rows at hand, from the exact law of the noise.

4,000 tables each, with real noise: a share that is 0.95 in truth falls below 0.9345 with a chance below 1e-5.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from pandas_dp.core.budget.cost import Concentrated, Cost, Pure
from pandas_dp.core.evidence.noise import Noise, critical
from pandas_dp.core.noise.gaussian import DiscreteGaussian
from pandas_dp.core.noise.laplace import DiscreteLaplace
from pandas_dp.numeric.evidence_means import Means
from pandas_dp.numeric.evidence_moments import CELLS, PLAIN_MARGIN, WIDTHS, MomentSums, margin, ratio_noise
from pandas_dp.numeric.evidence_spreads import Spreads

from .test_coverage import LUCK, TABLES, coverage
from .test_coverage_at_bounds import yes_no

COSTS: dict[str, Cost] = {
    "rho 1": Concentrated(Fraction(1)),
    "rho 4": Concentrated(Fraction(4)),
    "rho 10": Concentrated(Fraction(10)),
    "epsilon 2": Pure(Fraction(2)),
    "epsilon 8": Pure(Fraction(8)),
}
SHARES = [(10, 0.5), (10, 0.3), (50, 0.1), (50, 0.5), (500, 0.3)]


def rows(n: int, share: float) -> np.ndarray:
    """Always the same: for the rows at hand only the noise is random."""
    return np.tile(np.arange(n) < n * share, (TABLES, 1)).astype(float)


def points(noise: Noise) -> tuple[np.ndarray, np.ndarray]:
    k = np.arange(-noise.law.half_width(1 - 1e-9) - 1, noise.law.half_width(1 - 1e-9) + 2)
    return k * noise.step, noise.law.pmf(k)


def needed(slopes: Any, noises: list[Noise], level: float) -> float:
    """The exact half width of a weighted sum, all its values told apart."""
    off: Any = np.zeros(1)
    chance: Any = np.ones(1)
    for slope, noise in zip(slopes, noises, strict=True):
        at, mass = points(noise)
        off, chance = np.add.outer(off, slope * at).ravel(), np.outer(chance, mass).ravel()
    order = np.argsort(np.abs(off))
    return float(np.abs(off)[order][np.searchsorted(np.cumsum(chance[order]), level)])


@pytest.mark.parametrize("cost", COSTS)
@pytest.mark.parametrize("frame", ["derived", "grouped"])
@pytest.mark.parametrize(("n", "share"), SHARES)
def test_a_mean_of_few_values_lies_in_its_interval(n: int, share: float, frame: str, cost: str) -> None:
    """Fails by luck with a chance below 1e-5."""
    data = rows(n, share)
    assert coverage(Means(yes_no(data, frame, COSTS[cost])), "sample", data.mean(axis=1)) >= 0.95 - LUCK


@pytest.mark.parametrize("cost", COSTS)
@pytest.mark.parametrize("frame", ["whole", "derived", "grouped"])
@pytest.mark.parametrize(("n", "share"), SHARES)
def test_a_variance_of_few_values_lies_in_its_interval(n: int, share: float, frame: str, cost: str) -> None:
    """Fails by luck with a chance below 1e-5."""
    data = rows(n, share)
    low, high = Spreads(yes_no(data, frame, COSTS[cost]), False).interval(0.95, "sample")
    truth = data.var(axis=1, ddof=1)
    assert ((low - 1e-9 <= truth) & (truth <= high + 1e-9)).mean() >= 0.95 - LUCK


@pytest.mark.parametrize("cost", COSTS)
@pytest.mark.parametrize(("n", "share"), SHARES)
def test_the_interval_of_a_mean_is_hardly_longer_than_the_law_needs(n: int, share: float, cost: str) -> None:
    """Compared with all means that a test by the exact law keeps, of 1,000 in the range."""
    sums = yes_no(rows(n, share)[:50], "grouped", COSTS[cost])
    assert sums.count is not None
    assert sums.count_noise is not None
    middles = np.linspace(-sums.half, sums.half, 1001)
    widths = np.array([needed((1, -m), [sums.total_noise, sums.count_noise], 0.95) for m in middles])
    kept = np.abs(sums.total[:, None] - middles * sums.count[:, None]) <= widths + 1e-9
    low, high = Means(sums).interval(0.95, "sample")
    told = (sums.count > 1) & kept.any(axis=1) & (np.abs(sums.mean) <= sums.half)
    length = np.array([np.ptp(middles[each]) for each in kept[told]])
    assert (high - low)[told].sum() <= 1.3 * (length + 2 * sums.half / 1000).sum()


@pytest.mark.parametrize("cost", COSTS)
@pytest.mark.parametrize("frame", ["whole", "grouped"])
def test_the_interval_of_a_variance_is_hardly_longer_than_the_law_needs(frame: str, cost: str) -> None:
    """Of many rows, whose variance is as good as linear in its noises."""
    n, share = 5_000, 0.3
    sums = yes_no(rows(n, share)[:50], frame, COSTS[cost])
    low, high = Spreads(sums, False).interval(0.95, "sample")
    mean = share - 0.5
    slopes = [1, 2 * mean, sums.half**2 + mean**2 - share * (1 - share)][: len(sums.noises)]
    noises = [sums.squares_noise, sums.total_noise, *([sums.count_noise] if sums.count_noise else [])]
    if np.prod([len(points(noise)[0]) for noise in noises]) > 1e7:
        slopes, noises = slopes[1:], noises[1:]  # then it needs more than without the squares
    assert (high - low).mean() <= 1.3 * 2 * needed(slopes, noises, 0.95) / (n - 1) + 2e-3 / n


@pytest.mark.parametrize(
    ("count", "total"),
    [
        (Noise(DiscreteGaussian(Fraction(1, 7))), Noise(DiscreteGaussian(Fraction(1, 7)), 0.5)),
        (Noise(DiscreteLaplace(Fraction(3, 2))), Noise(DiscreteLaplace(Fraction(2)), 0.5)),
        (Noise(DiscreteGaussian(Fraction(1, 2))), Noise(DiscreteGaussian(Fraction(9 * 10**4)), 0.01)),
    ],
)
def test_no_mean_has_more_noise_beyond_a_width_than_is_said(count: Noise, total: Noise) -> None:
    law = ratio_noise(count, total, 0.5)
    assert law is not None
    (rows_off, one), (sums_off, two) = points(count), points(total)
    draw = np.random.default_rng(1)
    for cell in draw.integers(0, CELLS, 12):
        mean = draw.uniform(law.edges[cell], law.edges[cell + 1])
        off = np.abs(np.subtract.outer(sums_off, mean * rows_off))
        chance = np.outer(two, one)
        sd = np.hypot(total.sd, law.edges[cell] * count.sd)
        for place in (0, 4, 16, 31, 40, 60):
            beyond = chance[off > WIDTHS[place] * sd].sum()
            assert beyond <= law.beyond[cell, place] + 1e-9
    spread = law.critical(0.95)
    assert spread.shape == (1, CELLS)


@pytest.mark.parametrize("law", [DiscreteGaussian, DiscreteLaplace])
def test_half_a_step_is_margin_enough_where_steps_are_many(law: Any) -> None:
    for size in np.geomspace(2, 500, 60):
        noise = Noise(law(Fraction(size).limit_denominator(1000)))
        if margin((noise,)) > PLAIN_MARGIN:
            continue
        for level in (0.5, 0.8, 0.9, 0.95, 0.99, 0.999):
            within = np.floor((float(critical(level, (noise,))) + margin((noise,))) * noise.sd)
            assert 1 - 2 * noise.law.sf(within) >= level


def test_a_smooth_total_makes_up_for_a_count_of_few_steps() -> None:
    """No longer than by the normal law, up to 5 in 200."""
    count, total = Noise(DiscreteGaussian(Fraction(1, 2))), Noise(DiscreteGaussian(Fraction(10**8)), 1e-4)
    sums = MomentSums(0.5, 0.5, np.array([10.0]), np.array([1.0]), total, total, None, np.array([60.0]), count)
    low, high = Means(sums).ends(0.95, "sample")
    sd = np.hypot(total.sd, 10 / 60 * count.sd) / 60
    assert (high - low).item() == pytest.approx(2 * 1.96 * sd, rel=0.025)
