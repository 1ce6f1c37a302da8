"""Counts of a population: the chance to hold is added up over all that can be released."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom, poisson

import pandas_dp as pdp
from pandas_dp import errors
from pandas_dp.core.evidence.noise import Noise
from pandas_dp.core.evidence.populations import counts_of_population
from pandas_dp.core.noise.gaussian import DiscreteGaussian
from pandas_dp.core.noise.laplace import DiscreteLaplace
from tests.refusals import refused

NOISES = {
    "none": None,
    "next to none": Noise(DiscreteLaplace(Fraction(1, 5000))),
    "laplace 1": Noise(DiscreteLaplace(Fraction(1))),
    "laplace 14": Noise(DiscreteLaplace(Fraction(14))),
    "gaussian 1": Noise(DiscreteGaussian(Fraction(1))),
    "gaussian 3": Noise(DiscreteGaussian(Fraction(9))),
    "gaussian 20": Noise(DiscreteGaussian(Fraction(400))),
}
MEANS = (0.02, 0.1, 0.17, 0.19, 0.5, 1, 2, 5, 36, 150, 280, 299.5, 299.98)


@pytest.mark.parametrize("noise", NOISES.values(), ids=NOISES)
@pytest.mark.parametrize("rows", [300, 20_000, np.inf])
def test_an_interval_for_the_population_holds_its_mean(rows: float, noise: Noise | None) -> None:
    for mean in [m if rows != 20_000 or m < 150 else 20_000 * m / 300 for m in MEANS]:
        law: Any = poisson(mean) if np.isinf(rows) else binom(int(rows), mean / rows)
        counts = np.arange(int(law.ppf(1e-9)), int(law.ppf(1 - 1e-9)) + 1)
        reach = 0 if noise is None else int(noise.half_width(1 - 1e-9))
        off = np.arange(-reach, reach + 1)
        chances = np.convolve(law.pmf(counts), [1.0] if noise is None else np.asarray(noise.law.pmf(off), dtype=float))
        seen = np.arange(counts[0] - reach, counts[-1] + reach + 1)
        low, high = counts_of_population(seen, noise, 0.95, rows)
        assert chances[(low <= mean) & (mean <= high)].sum() >= 0.95
        assert (low <= high).all()


KEYS = {"k": list("abc"), "j": ["x", "y"]}
SHARES = np.array([0.5, 0.2, 0.15, 0.1, 0.04, 0.01])


def released(session: pdp.Session, seed: int, rows: int = 300, **how: Any) -> pdp.Release:
    cells = np.random.default_rng(seed).choice(6, rows, p=SHARES)
    data = pd.DataFrame({"k": np.array(KEYS["k"])[cells // 2], "j": np.array(KEYS["j"])[cells % 2]})
    return session.protect(data).dp.crosstab("k", "j", categories=KEYS, **how)


def held(table: Any, truth: np.ndarray) -> np.ndarray:
    ends = table.dp.confint(target="population").to_numpy()
    return (ends[:, ::2] <= truth) & (truth <= ends[:, 1::2])


@pytest.mark.slow
@pytest.mark.parametrize("rows", [300, 20_000])
@pytest.mark.parametrize("margins", [False, "planned"])
@pytest.mark.parametrize("how", [{"epsilon": 0.3}, {"rho": 0.05}, {"epsilon": 10**4}], ids=str)
def test_counts_and_shares_of_a_crosstab_hold_those_of_the_population(
    how: dict[str, Any], margins: Any, rows: int
) -> None:
    cost = dict.fromkeys(["rho" if "rho" in how else "epsilon"], 10**9)
    session, truth = pdp.Session(**cost), SHARES.reshape(3, 2)
    if margins:
        truth = np.block([[truth, truth.sum(axis=1)[:, None]], [truth.sum(axis=0), truth.sum()]])
    counts, shares = [], []
    for seed in range(250):
        table = released(session, seed, rows, margins=margins, **how)
        counts.append(held(table, rows * truth))
        shares.append(held(table.dp.shares(), truth))
    assert np.mean(counts, axis=0).min() > 0.95 - 5 * np.sqrt(0.05 * 0.95 / 250)
    assert np.mean(shares, axis=0).min() > 0.95 - 5 * np.sqrt(0.05 * 0.95 / 250)
    assert min(np.mean(counts), np.mean(shares)) > 0.94


def test_the_population_is_wider_than_the_sample_and_all_together_wider_than_each() -> None:
    table = released(pdp.Session(epsilon=100), 0, epsilon=1)
    for each in (table, table.dp.shares()):
        one, other, both = (
            each.dp.confint(target=target, simultaneous=joint).diff(axis=1).to_numpy()[:, 1::2]
            for target, joint in (("sample", False), ("population", False), ("population", True))
        )
        assert (one <= other).all()
        assert (other <= both).all()


def test_without_noise_the_interval_is_that_of_a_binomial_count() -> None:
    table = released(pdp.Session(epsilon=10**9), 1, 20_000, epsilon=10**6)
    ends = table.dp.confint(target="population").to_numpy()[0, :2] / 20_000
    share = table.iloc[0, 0] / 20_000
    wald = share + 1.96 * np.sqrt(share * (1 - share) / 20_000) * np.array([-1, 1])
    assert ends == pytest.approx(wald, abs=2e-4)


def test_where_the_number_of_rows_is_private_a_cell_that_holds_most_of_them_is_less_certain() -> None:
    some = released(pdp.Session(epsilon=100), 2, epsilon=5)
    hidden = released(pdp.Session(epsilon=100, neighbours="add_remove"), 2, epsilon=5)
    wide = [each.dp.confint(target="population").to_numpy()[0, :2] for each in (some, hidden)]
    assert np.diff(wide[1])[0] > 1.2 * np.diff(wide[0])[0]


def test_rows_of_people_are_no_draws_of_their_own() -> None:
    rows = pd.DataFrame({"id": [1, 1, 2, 3], "k": ["a", "b", "a", "c"]})
    people: Any = pdp.Session(epsilon=10, unit="id").protect(rows)
    table = people["k"].dp.value_counts(categories=KEYS["k"], epsilon=1, max_rows=2)
    with refused(errors.NotConcluded):
        table.dp.confint(target="population")


def test_cells_that_cannot_be_are_none_of_the_population() -> None:
    table = released(pdp.Session(epsilon=100), 3, epsilon=5, structural_zeros={"k": "a", "j": "y"}, margins="planned")
    assert table.dp.confint(target="population").to_numpy()[0, 2:4].tolist() == [0, 0]
