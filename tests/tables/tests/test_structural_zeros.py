"""Tests on tables in which some cells cannot be, or which were fitted to margins."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import pandas_dp as pdp
from pandas_dp import errors
from pandas_dp.core.noise.laplace import DiscreteLaplace
from pandas_dp.tables.tests.conclude_likelihood import freedom, freedom_within, independence, model_tests, simulate
from pandas_dp.tables.tests.conclude_posterior import Masses
from tests.refusals import refused

BARELY = DiscreteLaplace(Fraction(1, 100))
OFF_DIAGONAL = ~np.eye(4, dtype=bool)
KEYS = {"a": [*"uvwx"], "b": [*"uvwx"]}


def quasi(rng: np.random.Generator, possible: np.ndarray, several: int) -> np.ndarray:
    """Means of tables whose keys are independent where both can be."""
    rows, columns = rng.uniform(2, 9, (several, len(possible), 1)), rng.uniform(2, 9, (several, 1, possible.shape[1]))
    return rows * columns * possible


@pytest.mark.parametrize(
    ("possible", "df"),
    [
        (OFF_DIAGONAL, (4 - 1) ** 2 - 4),  # Goodman (1968): (r − 1)² − r
        (np.kron(np.eye(2), np.ones((2, 3))) > 0, 2 * (1 * 2)),  # two tables that share nothing
        (np.tri(4, dtype=bool), 3),  # a triangle: 10 cells, 4 + 4 − 1 parameters
        (np.array([[True, True], [True, False]]), 0),
        (np.ones((3, 5), dtype=bool), 2 * 4),
    ],
)
def test_degrees_of_freedom_of_quasi_independence(possible: np.ndarray, df: int) -> None:
    assert freedom_within(possible, independence(2)) == df


def test_without_zeros_both_ways_to_count_freedom_agree() -> None:
    margins = ((0, 1), (1, 2), (0, 2))
    assert freedom_within(np.ones((3, 4, 2), bool), margins) == freedom((3, 4, 2), margins)


def test_without_noise_quasi_independence_is_fitted_as_by_proportional_fitting() -> None:
    rng = np.random.default_rng(41)
    counts = rng.poisson(30, (4, 4)) * OFF_DIAGONAL * 1.0
    expected = OFF_DIAGONAL * 1.0
    for _ in range(2000):
        expected *= counts.sum(axis=1, keepdims=True) / expected.sum(axis=1, keepdims=True)
        expected *= counts.sum(axis=0) / expected.sum(axis=0)
    requested = 2 * (counts[OFF_DIAGONAL] * np.log(counts[OFF_DIAGONAL] / expected[OFF_DIAGONAL])).sum()
    for likelihood in ("noisy", "naive"):
        found = model_tests(
            counts[np.newaxis], BARELY, independence(2), likelihood=likelihood, bootstrap=False, possible=OFF_DIAGONAL
        )
        assert found.statistic[0] == pytest.approx(requested, rel=1e-6)
        assert found.expected[0] == pytest.approx(expected, abs=1e-5)
        assert found.pvalue[0] == pytest.approx(stats.chi2.sf(requested, 5), rel=1e-5)


@pytest.mark.parametrize("possible", [OFF_DIAGONAL, np.tri(5, dtype=bool)], ids=["off the diagonal", "triangle"])
def test_chi_square_has_its_level_where_noise_is_small(possible: np.ndarray) -> None:
    """4,000 tables: the share has a standard error of 0.0035; 4.5 of them either way fail by luck 7 in 10^6 times, and
    0.012 are allowed for the counts being few. With the freedom of a full table the level would be below 0.01."""
    law, rng = DiscreteLaplace(Fraction(1, 2)), np.random.default_rng(42)
    means = quasi(rng, possible, 4000)
    tables = simulate(means, Masses(law), rng) * possible
    found = model_tests(tables, law, independence(2), bootstrap=False, possible=possible)
    assert abs((found.pvalue < 0.05).mean() - 0.05) < 4.5 * 0.0035 + 0.012


@pytest.mark.slow
def test_the_bootstrap_has_its_level_around_structural_zeros() -> None:
    """2,000 tables behind Laplace noise as large as the chance: the share has a standard error of 0.005.

    The p value is the largest of three simulated ones, so few replicates would leave it well below its level.
    """
    law, rng = DiscreteLaplace(Fraction(5)), np.random.default_rng(43)
    tables = simulate(quasi(rng, OFF_DIAGONAL, 2000), Masses(law), rng) * OFF_DIAGONAL
    found = model_tests(tables, law, independence(2), bootstrap=True, replicates=99, rng=rng, possible=OFF_DIAGONAL)
    assert abs((found.pvalue <= 0.05).mean() - 0.05) < 4.5 * 0.005


def people(rows: int, same: bool) -> pd.DataFrame:
    """Pairs of different letters, independent apart from that."""
    rng = np.random.default_rng(44)
    pairs = rng.choice([*"uvwx"], (3 * rows, 2), p=[0.4, 0.3, 0.2, 0.1])
    pairs = pairs if same else pairs[pairs[:, 0] != pairs[:, 1]]
    return pd.DataFrame(pairs[:rows], columns=["a", "b"])


def ask(frame: pd.DataFrame, how: str, **more: Any) -> pdp.Release:
    protected = pdp.Session(epsilon=100).protect(frame)
    if how == "marginals":
        return protected.dp.marginals([["a"], ["a", "b"], []], epsilon=20, categories=KEYS, **more)
    if how == "several":
        return protected.dp.marginals([["a"], ["a", "b"], []], epsilon=20, categories=KEYS, consistent=False, **more)
    margins: Any = "planned" if how == "planned" else False
    return protected.dp.crosstab("a", "b", epsilon=20, categories=KEYS, margins=margins, **more)


DIAGONAL = [{"a": letter, "b": letter} for letter in "uvwx"]


@pytest.mark.parametrize("how", ["plain", "planned", "marginals", "several"])
def test_tables_with_structural_zeros_are_tested_for_quasi_independence(how: str) -> None:
    """The pairs are fixed, and the noise at epsilon 20 is next to none; a test of full independence sees the empty
    diagonal at once."""
    frame = people(5000, same=False)
    found = ask(frame, how, structural_zeros=DIAGONAL).dp.independence_test(pvalue="asymptotic")
    assert found.df == 5
    assert "where both can be" in found.hypothesis
    assert found.pvalue > 1e-4
    assert found.expected.shape == (4, 4) if how in ("plain", "planned") else (16, 1)
    assert np.diag(found.expected.to_numpy().reshape(4, 4)).tolist() == [0, 0, 0, 0]
    assert ask(frame, how).dp.independence_test(pvalue="asymptotic").pvalue < 1e-10


@pytest.mark.parametrize("how", ["planned", "marginals"])
def test_a_table_fitted_to_margins_is_tested_by_its_cells_as_they_were_measured(how: str) -> None:
    release = ask(people(5000, same=True), how)
    cells = np.array(release.attrs["dp"]["evidence"][0]["interior"]).reshape(4, 4)
    assert np.array_equal(cells, np.rint(cells))
    found = release.dp.independence_test(pvalue="asymptotic")
    requested = stats.chi2_contingency(cells, lambda_="log-likelihood", correction=False)
    assert found.df == 9
    assert found.statistic == pytest.approx(requested.statistic, abs=0.5)
    if how == "planned":
        assert found.expected.index.tolist() == [*"uvwx"]
        v = release.dp.cramers_v(replicates=99)
        assert v.lower <= v.estimate <= v.upper


def test_a_category_in_which_nothing_can_be_is_no_part_of_the_model() -> None:
    """Without it the test is the same; also of a margin of two keys."""
    rng = np.random.default_rng(45)
    counts = rng.poisson(30, (1, 3, 2, 4)).astype(float)
    possible = np.ones((3, 2, 4), dtype=bool)
    possible[2, 1] = False
    counts[0][~possible] = 0
    found = model_tests(counts, BARELY, ((0, 1), (2,)), bootstrap=False, possible=possible)
    flat = counts.reshape(6, 4)[:5]
    requested = stats.chi2_contingency(flat, lambda_="log-likelihood", correction=False)
    assert found.df == requested.dof
    assert found.statistic[0] == pytest.approx(requested.statistic, rel=1e-6)
    assert model_tests(counts, BARELY, ((0, 1), (2,)), replicates=19, rng=rng, possible=possible).pvalue[0] > 0


def test_goodness_of_fit_wants_no_probability_for_structural_zeros() -> None:
    release = ask(people(5000, same=False), "plain", structural_zeros=DIAGONAL)
    even = OFF_DIAGONAL / 12
    assert release.dp.goodness_of_fit(even, pvalue="asymptotic").df == 11
    with refused(errors.BadArgument):
        release.dp.goodness_of_fit(np.full((4, 4), 1 / 16))


def test_what_has_no_meaning_around_structural_zeros_is_refused() -> None:
    release = ask(people(500, same=False), "plain", structural_zeros=DIAGONAL)
    with refused(errors.NotConcluded, "no meaning where some combinations cannot be"):
        release.dp.cramers_v()
    corner = [{"a": first, "b": second} for first in "uvw" for second in "uvw"]
    with refused(errors.NotConcluded, "fits every table"):
        ask(people(500, same=False), "plain", structural_zeros=corner).dp.independence_test()


def test_a_table_too_large_for_its_label_is_not_tested() -> None:
    many = {"a": list(range(101)), "b": list(range(100))}
    frame = pdp.Session(epsilon=10).protect(pd.DataFrame({"a": [1, 2], "b": [3, 4]}))
    release = frame.dp.crosstab("a", "b", epsilon=1, categories=many, margins="planned")
    assert release.attrs["dp"]["evidence"][0]["interior"] is None
    with refused(errors.NotConcluded):
        release.dp.independence_test()
