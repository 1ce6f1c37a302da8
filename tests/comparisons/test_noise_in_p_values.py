"""P values and ends that allow for the noise: of paths, of life tables."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from scipy.special import kolmogorov

import pandas_dp as pdp
from pandas_dp.comparisons.evidence_groups import Path
from pandas_dp.comparisons.measure import PARTS_OF_ROW, TopOfPath
from pandas_dp.core.evidence.noise import Noise
from pandas_dp.core.measure.cells import Key, Variable
from pandas_dp.core.neighbours import Adjacency
from pandas_dp.core.noise.gaussian import DiscreteGaussian
from pandas_dp.core.noise.laplace import DiscreteLaplace
from pandas_dp.core.schema.values import Categories, Interval
from pandas_dp.survival.evidence import Exits, log_rank

GROUP = Key("k", Categories(("a", "b")))


def path_of(top: float, second: float, size: int, sd: int = 10, sd_of_second: int = 1) -> Path:
    noises = (Noise(DiscreteGaussian(Fraction(each**2))) for each in (sd, sd_of_second))
    return Path("ks_test", top, second, *noises, size)


@pytest.mark.parametrize("share", [0.5, 0.1])
def test_a_path_has_the_p_value_of_chance_and_noise_together(share: float) -> None:
    size, sd = 400, 10
    path = path_of(30.0, share * size, size, sd)
    drawn = 30 - np.random.default_rng(0).normal(0, sd, 200_000)
    root = np.sqrt(size * share * (1 - share))
    chance = np.where(drawn > 0, kolmogorov(np.maximum(drawn / root, 1e-9)), 1.0)
    assert path._p == pytest.approx(chance.mean(), rel=0.02)
    assert path._p > 3 * kolmogorov(30 / root)


@pytest.mark.parametrize("share", [0.08, 0.15, 0.3])
@pytest.mark.parametrize("law", [DiscreteGaussian, DiscreteLaplace])
def test_unequal_groups_of_one_distribution_are_found_different_in_five_of_a_hundred(law: type, share: float) -> None:
    """Of 2,000 tables of 500 rows at rho 1/2, or epsilon 1: .045 with a standard deviation of .0046."""
    rng, rows, many = np.random.default_rng(7), 500, 2000
    parts = (5 / 6, 1 / 6)
    laws = [law(Fraction(1 / part)) for part in parts]  # of variance 1/(2 rho), or scale 1/epsilon
    second = rng.random((many, rows)) < share
    sizes = second.sum(axis=1)
    away = np.abs(np.cumsum(second, axis=1) - np.outer(sizes, np.arange(1, rows + 1)) / rows).max(axis=1)
    normal = law is DiscreteGaussian
    noise = [rng.normal(0, each.sd, many) if normal else rng.laplace(0, float(each.scale), many) for each in laws]
    noises = [Noise(each) for each in laws]
    found = [
        Path("ks_test", t, n, *noises, rows)._p < 0.05 for t, n in zip(away + noise[0], sizes + noise[1], strict=True)
    ]
    assert 0.035 - 0.01 < np.mean(found) < 0.06 + 0.01


@pytest.mark.parametrize("share", [0.08, 0.15, 0.3])
@pytest.mark.parametrize("law", [DiscreteGaussian, DiscreteLaplace])
def test_the_level_holds_where_values_are_missing_and_both_sizes_are_private(law: type, share: float) -> None:
    """Of 2,000 tables of 500 rows with a third missing, at rho 1/2 or epsilon 1: .049 with a deviation of .0048."""
    rng, rows, many = np.random.default_rng(8), 500, 2000
    measurement = TopOfPath(Variable("x", Interval(Fraction(0), Fraction(1), "float", nullable=True)), GROUP)
    norm, normal = (2, True) if law is DiscreteGaussian else (1, False)
    weights = measurement.weights(norm, Adjacency(True, True))  # type: ignore[arg-type]
    laws = [law(measurement.sensitivity(norm, Adjacency(True, True)) * each**norm) for each in weights]  # type: ignore[arg-type]
    noises = [Noise(each, 1 / PARTS_OF_ROW) for each in laws]
    present = rng.random((many, rows)) < 2 / 3
    second = present & (rng.random((many, rows)) < share)
    n, n1 = present.sum(axis=1), second.sum(axis=1)
    away = np.abs(np.cumsum(second, axis=1) - (n1 / n)[:, None] * np.cumsum(present, axis=1)).max(axis=1)
    drawn = [rng.normal(0, e.sd, many) if normal else rng.laplace(0, e.sd / np.sqrt(2), many) for e in noises]
    told = zip(away + drawn[0], n1 * (n - n1) / n + drawn[1], strict=True)
    assert 0.035 - 0.01 < np.mean([Path("ks_test", *each, *noises)._p < 0.05 for each in told]) < 0.06 + 0.01


def test_an_interval_of_a_distance_holds_it_where_the_sizes_are_private() -> None:
    """Of 400 answers with a distance of .5; each misses with a chance below .05."""
    rng, noises = np.random.default_rng(4), [Noise(DiscreteGaussian(Fraction(each**2))) for each in (2, 4)]
    for worth in (36.0, 250.0):
        told = zip(rng.normal(0.5 * worth, 2, 400), rng.normal(worth, 4, 400), strict=True)
        ends = [Path("ks_test", *each, *noises).interval(0.95, "sample") for each in told]
        assert np.mean([low[0] <= 0.5 <= high[0] for low, high in ends]) > 0.9


@pytest.mark.parametrize("worth", [-20.0, 3.0])
def test_a_distance_of_groups_that_cannot_be_told_from_none_is_not_told(worth: float) -> None:
    path = Path("ks_test", 2.0, worth, *[Noise(DiscreteGaussian(Fraction(each**2))) for each in (2, 4)])
    assert np.isnan(path.estimate).all()
    assert np.isnan(path.std_error("sample")).all()
    (low,), (high,) = path.interval(0.95, "sample")
    assert (low, high) == (0.0, 1.0)
    assert 0 <= path._p <= 1


def test_an_interval_of_a_distance_holds_it_where_a_group_is_small() -> None:
    """Of 400 answers of 40 rows of 1,000 with a distance of .5; each misses with a chance below .05."""
    rng, size = np.random.default_rng(3), 1000
    for second in (40, 500):
        top = 0.5 * second * (size - second) / size
        paths = [path_of(top + rng.normal(0, 2), second + rng.normal(0, 4), size, 2, 4) for _ in range(400)]
        held = [low[0] <= 0.5 <= high[0] for low, high in (each.interval(0.95, "sample") for each in paths)]
        assert np.mean(held) > 0.9
        assert path_of(top, second, size, 2, 4).estimate[0] == pytest.approx(0.5)


def test_a_group_that_is_lost_in_the_noise_leaves_every_distance_possible() -> None:
    path = path_of(3.0, -2.0, 1000, 2, 5)
    (low,), (high,) = path.interval(0.95, "sample")
    assert (low, high) == (0.0, 1.0)
    assert 0 <= path.estimate[0] <= 1
    assert 0 <= path._p <= 1


def test_ends_of_survival_know_that_few_are_left() -> None:
    """By chance alone they are those of Wilson for as many people as Greenwood's variance says."""
    cells = np.array([[[60.0, 40], [60, 30], [5, 5]]])
    exits = Exits(cells, 3, 1e-12)
    low, high = exits.ends(1.96)
    survival, variance = np.exp(exits.log_survival), exits.chance
    people = (1 - survival) / (survival * variance)
    middle = (survival + 1.96**2 / (2 * people)) / (1 + 1.96**2 / people)
    half = 1.96 * np.sqrt(survival * (1 - survival) / people + (1.96 / (2 * people)) ** 2) / (1 + 1.96**2 / people)
    np.testing.assert_allclose(low, middle - half, atol=1e-9)
    np.testing.assert_allclose(high, middle + half, atol=1e-9)
    assert people[0, 2] < 40 < people[0, 0]


def test_the_excess_of_a_log_rank_test_varies_by_noise_as_it_says() -> None:
    cells = np.array([[[60.0, 40], [60, 30], [40, 5]], [[50, 50], [70, 30], [45, 10]]])
    rng = np.random.default_rng(3)
    sd = 3.0
    found = [log_rank(Exits(cells + rng.normal(0, sd, cells.shape), 3, sd**2)).excess[0] for _ in range(8000)]
    with_noise, without = (log_rank(Exits(cells, 3, variance)).variance[0, 0] for variance in (sd**2, 1e-12))
    assert np.var(found) == pytest.approx(with_noise - without, rel=0.1)  # six standard errors


@pytest.mark.parametrize(("sd", "told"), [(3.9, True), (4.1, False)])
def test_who_is_at_risk_has_to_stand_out_by_two_standard_deviations(sd: float, told: bool) -> None:
    """Eight leave in the last bin, with an event: one cell of noise."""
    exits = Exits(np.array([[[0.0, 500], [0, 8]]]), 2, sd**2, censoring="start")
    assert exits.at_risk[0].tolist() == [508, 8]
    assert exits.is_determined[0].tolist() == [True, told]


def test_a_band_for_the_rows_in_the_data_holds_the_noise_of_all_points() -> None:
    rows = pd.DataFrame({"left": np.arange(2000) % 12, "event": np.arange(2000) % 3 > 0})
    bounds = {"left": (0, 12)}
    life = pdp.Session(rho=10).protect(rows).dp.survival("left", "event", bins=6, bounds=bounds, rho=0.05)
    each, joint = (life.dp.curve(wide, target="sample") for wide in (False, True))
    assert (joint["upper"] - joint["lower"]).iloc[2] > 1.05 * (each["upper"] - each["lower"]).iloc[2]
