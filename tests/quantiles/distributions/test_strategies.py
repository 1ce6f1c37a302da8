"""What is measured of bins: how far one row moves it, and how well prefixes are told."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

from pandas_dp.tables.planning.prefixes import Prefixes, best_blocks, loss_of

SIZES = (2, 3, 5, 16, 41, 100)


def distances(of: Prefixes, norm: int) -> tuple[Fraction, Fraction]:
    """The farthest that two rows are apart, and that one is from nothing, by going through all of them."""
    weights = of.weights
    lines = [[Fraction(int(entry)) / weight for entry, weight in zip(row, weights, strict=True)] for row in of.matrix.T]
    alone = max(sum(abs(entry) ** norm for entry in line) for line in lines)
    apart = max(
        sum(abs(a - b) ** norm for a, b in zip(one, other, strict=True)) for one, other in product(lines, lines)
    )
    return Fraction(apart), Fraction(alone)


@pytest.mark.parametrize("total", [False, True])
@pytest.mark.parametrize("way", ["optimum", "blocks"])
@pytest.mark.parametrize("bins", SIZES[:4])
def test_no_row_moves_what_is_measured_farther_than_is_said(bins: int, way: Any, total: bool) -> None:
    strategy = Prefixes(bins, way, total)
    for norm in (1, 2):
        (apart, alone), said = distances(strategy, norm), strategy.adjacency(norm)  # type: ignore[arg-type]
        assert apart <= said[0]
        assert alone == said[1]
        if (way == "optimum") == (norm == 2):  # the norm that it is for
            assert apart == said[0]


@pytest.mark.parametrize(("way", "norm"), [("optimum", 2), ("blocks", 1)])
@pytest.mark.parametrize("bins", SIZES[2:])
def test_the_number_of_all_rows_costs_nothing_where_rows_are_swapped(bins: int, way: Any, norm: Any) -> None:
    with_total, without = Prefixes(bins, way, True), Prefixes(bins, way)
    assert max(with_total.adjacency(norm)) == with_total.adjacency(norm)[0] == without.adjacency(norm)[0]


@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize("way", ["optimum", "blocks"])
@pytest.mark.parametrize("bins", SIZES)
def test_prefixes_are_those_of_the_counts_where_there_is_no_noise(bins: int, way: Any, known: bool) -> None:
    counts = np.random.default_rng(bins).integers(0, 1000, bins)
    strategy = Prefixes(bins, way, not known)
    variances = np.array([float(weight) ** 2 for weight in strategy.weights])
    found, covariance = strategy.prefixes(
        (strategy.matrix @ counts).astype(float), variances, int(counts.sum()) if known else None
    )
    np.testing.assert_allclose(found, np.cumsum(counts), rtol=1e-9, atol=1e-6)
    assert (covariance[-1, -1] < 1e-9) == known


@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize("way", ["optimum", "blocks"])
def test_the_covariance_of_prefixes_is_that_of_the_noise_in_them(way: Any, known: bool) -> None:
    """50,000 draws: an entry is off by more than 5 of its standard errors less than once in a million."""
    strategy = Prefixes(16, way, not known)
    sd = np.array([float(weight) for weight in strategy.weights])
    noise = np.random.default_rng(5).normal(size=(50_000, len(sd))) * sd
    by, covariance = strategy.solution(sd**2, known)
    counts = noise @ by.T
    if known:
        counts += strategy.ones(sd**2) * -counts.sum(axis=1, keepdims=True)
    prefixes = np.cumsum(counts, axis=1)
    own = np.maximum(np.diag(covariance), 0.0)
    spread = np.sqrt(np.outer(own, own) + covariance**2)
    assert (np.abs(prefixes.T @ prefixes / 50_000 - covariance) <= 5 * spread / np.sqrt(50_000) + 1e-9).all()


# Mean variances of prefixes at rho = 1/2, where neighbours differ in one swapped row, of the best strategy known; the
# last place under "optimum" is 1024 times an entry of 1, and rounds are few.
BEST = {16: 2.15, 64: 3.69, 256: 5.62}


@pytest.mark.parametrize("bins", BEST)
def test_prefixes_are_told_as_well_as_they_can_be(bins: int) -> None:
    strategy = Prefixes(bins, "optimum", True)
    variances = np.full(len(strategy.weights), float(max(strategy.adjacency(2))) / 2)
    _, covariance = strategy.solution(variances, False)
    assert np.diag(covariance).mean() <= 1.03 * BEST[bins]


# Mean variances of a wanted run at epsilon = 1, of the best levels that a search of all pairs and many triples found:
# where rows come and go, and where they are swapped and their number is free.
LEVELS: Any = [
    (32, "prefix", 22.88, 45.33),
    (64, "prefix", 33.60, 76.27),
    (128, "prefix", 48.80, 112.41),
    (256, "prefix", 68.63, 162.11),
    (1024, "prefix", 116.97, 319.89),
    (64, "all", 35.70, 88.00),
    (100, "all", 46.35, 126.54),
    (1024, "all", 152.81, 461.12),
]


@pytest.mark.parametrize(("bins", "runs", "alone", "swapped"), LEVELS)
def test_levels_are_those_that_tell_runs_best(bins: int, runs: Any, alone: float, swapped: float) -> None:
    for total, least in ((False, alone), (True, swapped)):
        found = loss_of(best_blocks(bins, runs, total), bins, runs, total)
        assert found <= 1.015 * least


@pytest.mark.parametrize("total", [False, True])
@pytest.mark.parametrize("runs", ["prefix", "all"])
@pytest.mark.parametrize("bins", [7, 50, 64])
def test_what_levels_lose_is_the_variance_of_least_squares(bins: int, runs: Any, total: bool) -> None:
    levels = ((1, Fraction(1, 2)), (6, Fraction(1, 4)), (6 if bins < 12 else 12, Fraction(1, 4)))
    strategy = Prefixes(bins, "blocks", total, levels)
    farthest = float(strategy.adjacency(1)[0 if total else 1])
    variances = np.array([2 * (farthest * float(weight)) ** 2 for weight in strategy.weights])
    covariance = strategy.solution(variances, False)[1]
    of_ends = np.pad(covariance, (1, 0))  # of the rows before each bin, and of all
    own = np.diag(of_ends)
    each = own[:, None] + own[None, :] - 2 * of_ends
    mean = np.diag(covariance).mean() if runs == "prefix" else each[np.triu_indices(bins + 1, 1)].mean()
    assert loss_of(levels, bins, runs, total) == pytest.approx(mean)


def test_prefixes_under_epsilon_are_told_by_the_blocks_planned_for_them() -> None:
    for free, known in ((False, False), (True, False), (False, True)):
        strategy = Prefixes.planned(200, 1, free, known)
        assert strategy.blocks == best_blocks(200, "prefix", free or known)
        assert len(strategy.blocks) > 1


def test_a_strategy_that_a_label_names_stays_what_it_is() -> None:
    """Labels hold its fields alone, so what they stand for is kept."""
    matrix = Prefixes(4, "optimum", True).matrix
    np.testing.assert_allclose(matrix, FOUR, atol=1)  # eigenvectors are rounded otherwise elsewhere
    assert Prefixes.from_json(Prefixes(4, "blocks", True).to_json()) == Prefixes(4, "blocks", True)


@pytest.mark.parametrize(("bins", "lengths"), [(40, [1]), (64, [1, 8]), (256, [1, 16]), (700, [1, 32])])
def test_a_label_that_names_no_blocks_means_those_that_stood_for_its_bins(bins: int, lengths: list[int]) -> None:
    read = Prefixes.from_json({"bins": bins, "way": "blocks", "total": False})
    assert [length for length, _ in read.blocks] == lengths
    assert sum(share for _, share in read.blocks) == 1
    assert len(read.matrix) == sum(-(-bins // length) for length in lengths)


FOUR = [[991, 290, 148, 64], [290, 973, 226, 87], [148, 226, 994, 173], [64, 87, 173, 1024], [854] * 4]
