"""Reference values of the paper on frequency tables, under their names in golden.json. Its errors: docs/errata.md."""

from __future__ import annotations

import json
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import minimize

import pandas_dp as pdp
from pandas_dp.core.noise.bounded import TruncatedGaussian, TruncatedLaplaceLaw
from pandas_dp.core.noise.laplace import DiscreteLaplace
from pandas_dp.tables.tests import conclude_likelihood
from pandas_dp.tables.tests.conclude_likelihood import independence_tests
from pandas_dp.tables.tests.conclude_posterior import Binomial, Masses

GOLDEN: dict[str, Any] = json.loads((Path(__file__).parent / "golden.json").read_text("utf-8"))
SIMULATED = [key for key in GOLDEN if key.startswith("003.T3.eps")]
TABLES, THEIRS = 1000, 4000  # ours, and those behind the golden values
ERRORS = 5.5  # standard errors of the difference: 4 in 10^8 for each of fifty numbers


def cut_laplace(epsilon: str, m: int) -> TruncatedLaplaceLaw:
    return TruncatedLaplaceLaw(1 / Fraction(epsilon), m)


def means(rng: np.random.Generator, several: int, coefficient: float, mean: float = 1.0) -> np.ndarray:
    """Section 6.1; errata TAB-10 read log mu for mu and 0.3 for 0.7."""
    rows, columns = rng.uniform(-0.5, 0.5, (several, 10, 1)), rng.uniform(-0.5, 0.5, (several, 1, 10))
    return np.asarray(mean * np.exp(4 + rows + columns + coefficient * rng.uniform(-0.5, 0.5, (several, 10, 10))))


@cache
def results_of(epsilon: str, m: int, kind: str, test: str) -> conclude_likelihood.Tested:
    rng, law = np.random.default_rng(51), cut_laplace(epsilon, m)
    counts = rng.poisson(means(rng, TABLES, 0.3 if kind == "dep" else 0.0)).astype(float)
    noisy = counts + Masses(law).draw(rng, counts.shape)
    if test == "orig":
        return independence_tests(counts, law, likelihood="naive")
    return independence_tests(noisy, law, likelihood="naive") if test == "naive" else independence_tests(
        noisy, law, bootstrap=False
    )  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("key", SIMULATED)
def test_table_3_is_reproduced(key: str) -> None:
    epsilon, m, (kind, test, measure) = key[10:13], int(key[15:].split(".")[0]), key.split(".")[-3:]
    found = results_of(epsilon, m, kind, test)
    numbers = {"pct": 100.0 * (found.pvalue < 0.05), "mean": found.statistic, "mean_p": found.pvalue}[measure]
    spread = numbers.std()
    if measure == "pct":  # of the golden share, which none of ours may show
        share = np.clip(GOLDEN[key]["value"] / 100, 1 / THEIRS, 1 - 1 / THEIRS)
        spread = 100 * np.sqrt(share * (1 - share))
    assert abs(numbers.mean() - GOLDEN[key]["value"]) < ERRORS * spread * np.sqrt(1 / TABLES + 1 / THEIRS)


@pytest.mark.parametrize("coefficient", GOLDEN["003.T3.coef_vs_mean_stat"]["value"])
def test_the_coefficient_of_the_paper_is_0_3(coefficient: str) -> None:
    rng = np.random.default_rng(52)
    counts = rng.poisson(means(rng, TABLES, float(coefficient))).astype(float)
    found = independence_tests(counts, cut_laplace("0.5", 7), likelihood="naive")
    requested = GOLDEN["003.T3.coef_vs_mean_stat"]["value"][coefficient]
    assert abs(found.statistic.mean() - requested) < ERRORS * found.statistic.std() * np.sqrt(1 / TABLES + 1 / 1000)


def test_with_the_coefficient_as_printed_the_power_is_one() -> None:
    rng = np.random.default_rng(53)
    counts = rng.poisson(means(rng, 300, 0.7)).astype(float)
    found = independence_tests(counts, cut_laplace("0.5", 7), likelihood="naive")
    assert 100 * (found.pvalue < 0.05).mean() == GOLDEN["003.T3.dep.coef0.7.orig_power"]["value"]


@pytest.mark.slow
def test_cells_of_400_leave_the_naive_test_too_large_a_level() -> None:
    rng, law = np.random.default_rng(54), cut_laplace("0.1", 10)
    mean = means(rng, TABLES, 0.0, 400 / GOLDEN["003.s61.mean_cell"]["value"])
    noisy = rng.poisson(mean) + Masses(law).draw(rng, mean.shape)
    for name, method in (("lr", {"bootstrap": False}), ("naive", {"likelihood": "naive"})):
        requested = GOLDEN[f"003.s61.mean400.{name}_level"]["value"]
        share = (independence_tests(noisy, law, **method).pvalue < 0.05).mean()  # type: ignore[arg-type]
        assert abs(share - requested) < ERRORS * np.sqrt(requested * (1 - requested) * (1 / TABLES + 1 / THEIRS))


def test_numbers_of_section_6_1() -> None:
    assert GOLDEN["003.s61.mean_cell"]["value"] == pytest.approx(np.exp(4) * (np.sinh(0.5) / 0.5) ** 2)
    assert GOLDEN["003.s61.df"]["value"] == results_of("0.5", 7, "indep", "orig").df
    variance = cut_laplace("0.1", 10).variance
    assert variance == pytest.approx(GOLDEN["003.s61.noise_var.eps0.1.m10"]["value"], rel=1e-9)


def binomial(law: Any, m: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Chances of all released numbers under p = 0.5, and their statistics against 0.5 and 0.7."""
    x, counts = np.arange(-m, 81.0 + m), np.arange(81)
    chance = np.array([(stats.binom.pmf(counts, 80, 0.5) * law.pmf(each - counts)).sum() for each in x])
    half, other = (np.array([Binomial(80, p, law).statistic(each) for each in x]) for p in (0.5, 0.7))
    return chance, half, other


@pytest.mark.parametrize("m", [5, 10])
def test_section_6_2_has_these_exact_sizes_and_powers(m: int) -> None:
    chance, half, other = binomial(cut_laplace("0.5", m), m)

    def is_golden(name: str, value: float) -> None:
        requested = GOLDEN.get(f"003.s62.m{m}.{name}")
        assert requested is None or value == pytest.approx(requested["value"], abs=max(requested["tolerance"], 1e-7))

    atom = float(half[np.abs(half - {5: 3.36, 10: 3.82}[m]).argmin()])
    order = np.argsort(half)
    exact = float(half[order][np.searchsorted(np.cumsum(chance[order]), 0.95 - 1e-12)])
    chi = stats.chi2.ppf(0.95, 1)
    is_golden("atom_near_paper_c", atom)
    is_golden("crit_exact", exact)
    is_golden("size_gt_atom", chance[half > atom + 1e-6].sum())
    is_golden("size_ge_atom", chance[half > atom - 1e-6].sum())
    is_golden("size_at_chi2", chance[half > chi].sum())
    is_golden("power_gt_atom", chance[other > atom + 1e-6].sum())
    is_golden("power_at_chi2", chance[other > chi].sum())
    is_golden("power_at_exact_c", chance[other > exact + 1e-6].sum())


def test_section_6_2_without_noise() -> None:
    chance, half, other = binomial(DiscreteLaplace(Fraction(1, 100)), 0)
    assert chance[half > stats.chi2.ppf(0.95, 1)].sum() == pytest.approx(
        GOLDEN["003.s62.nonoise.size_at_chi2"]["value"], abs=1e-8
    )
    order = np.argsort(half)
    exact = half[order][np.searchsorted(np.cumsum(chance[order]), 0.95 - 1e-12)]
    assert chance[other > exact + 1e-6].sum() == pytest.approx(
        GOLDEN["003.s62.nonoise.power_at_exact_c"]["value"], abs=1e-8
    )


def test_what_section_5_says_of_numbers_within_three_and_four() -> None:
    near = cut_laplace("1.5", 7).pmf(np.arange(-3, 4)).sum()
    assert near == pytest.approx(GOLDEN["003.T2.text_within3"]["value"], abs=1e-9)
    assert (pdp.datasets.load_uk_census().to_numpy() == 0).sum() == GOLDEN["003.T1.zeros"]["value"]
    gaps = []
    for epsilon, m, low in (
        ("1.5", 12, -12),
        ("0.5", 10, -4),
    ):  # a count of 4, negatives made 0; and of 5 or more
        normal = TruncatedGaussian(Fraction(2 * m + 1) / (2 * Fraction(epsilon)), m)
        laws = (normal, cut_laplace(epsilon, 7))
        within = [round(float(law.pmf(np.arange(low, 5)).sum()), 2) for law in laws]
        gaps.append(1 - within[0] / within[1])
    assert gaps == pytest.approx(GOLDEN["003.T2.text_relative_gap_within4"]["value"], abs=0.01)


def test_atoms_that_are_small_can_add_up_to_a_large_delta() -> None:
    """TAB-1: of two cells of which one differs, each impossible table has a small chance, all of them together p(m)."""
    law, requested = cut_laplace("0.01", 1), GOLDEN["003.thm42.counterexample"]["value"]
    end = float(law.pmf(1))
    atoms = end * law.pmf(np.arange(-1, 2))
    assert atoms.max() == pytest.approx(requested["hypothesis_delta"])
    assert atoms.sum() == pytest.approx(requested["true_delta"])
    assert float(law.most_at_the_end) == pytest.approx(requested["true_delta"])


def test_no_law_of_this_variance_has_more_entropy_than_the_normal_one() -> None:
    """TAB-9: exactly, not about."""
    k = np.arange(-10, 11)
    normal = TruncatedGaussian(Fraction(21, 2), 10).pmf(k)
    constraints = [
        {"type": "eq", "fun": lambda p: p.sum() - 1},
        {"type": "eq", "fun": lambda p: (k**2 * p).sum() - (k**2 * normal).sum()},
    ]
    found = minimize(
        lambda p: float((p * np.log(np.maximum(p, 1e-300))).sum()), np.full(21, 1 / 21), bounds=[(1e-12, 1)] * 21,
        constraints=constraints, method="SLSQP", options={"ftol": 1e-15, "maxiter": 1000},
    )  # fmt: skip
    gap = -found.fun - float(-(normal * np.log(normal)).sum())
    assert gap == pytest.approx(GOLDEN["003.maxent.numeric_minus_closed"]["value"], abs=1e-7)
