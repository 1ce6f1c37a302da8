"""McNemar's test behind noise: levels summed exactly, not sampled."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import pandas_dp as pdp
from pandas_dp.core.noise.gaussian import DiscreteGaussian
from pandas_dp.core.noise.laplace import DiscreteLaplace
from pandas_dp.core.noise.mechanism import Law
from pandas_dp.tables.tests.accessor_risks import chance_of_few

YES = [False, True]


def _levels(law: Law, expected: list[float]) -> dict[float, float]:
    """How often a true hypothesis is rejected at 5 %, by how many pairs change on average, half of them there."""
    sensitivity, most = law.half_width(1 - 1e-5), int(max(expected) + 5 * max(expected) ** 0.5 + 5)
    seen, true = np.arange(-sensitivity, most + sensitivity + 1), np.arange(most + 1)
    masses = np.asarray(law.pmf(seen[:, None] - true))
    one = {mean: masses @ stats.poisson.pmf(true, mean / 2) for mean in expected}
    level = dict.fromkeys(expected, 0.0)
    for at, there in enumerate(seen):
        for other, back in enumerate(seen[:at]):  # the same the other way round
            if chance_of_few(int(there), int(back), law) < 0.05:
                level = {mean: found + 2 * one[mean][at] * one[mean][other] for mean, found in level.items()}
    return level


@pytest.mark.slow
@pytest.mark.parametrize(
    "law", [DiscreteGaussian(Fraction(1, 2)), DiscreteGaussian(Fraction(2)), DiscreteLaplace(Fraction(1))]
)
def test_few_pairs_that_change_are_rejected_as_often_as_said(law: Law) -> None:
    """By the normal law .06 to .13 were, where noise has a variance of ½ or 2."""
    found = _levels(law, [0.5, 1.0, 2.0, 5.0, 10.0])
    assert max(found.values()) <= 0.05


@pytest.mark.parametrize(("there", "back"), [(10, 2), (3, 3), (0, 7), (40, 22)])
def test_with_hardly_any_noise_it_is_the_binomial_test_with_half_of_ties(there: int, back: int) -> None:
    table = stats.binom(there + back, 0.5)
    least = min(there, back)
    requested = min(2 * table.cdf(least) - table.pmf(least), 1.0) if there != back else 1 - table.pmf(least) / 2
    assert chance_of_few(there, back, DiscreteGaussian(Fraction(1, 1000))) == pytest.approx(requested, rel=1e-6)


def test_the_direction_does_not_matter_and_counts_below_zero_are_no_matter() -> None:
    law = DiscreteLaplace(Fraction(3))
    assert chance_of_few(-4, 9, law) == pytest.approx(chance_of_few(9, -4, law), rel=1e-9)
    assert 0 < chance_of_few(-4, 9, law) < chance_of_few(-4, -2, law) <= 1


@pytest.mark.parametrize("pairs", [40, 4000])
def test_many_pairs_are_compared_by_the_normal_law_and_few_by_that_of_their_number(pairs: int) -> None:
    rows = pd.DataFrame({"before": [False, True] * (pairs // 2), "after": [True] * pairs})
    rows.loc[: pairs // 4, "after"] = False
    both = pdp.Session(rho=1e3).protect(rows).dp.crosstab(*rows, categories=dict.fromkeys(rows, YES), rho=10)
    assert ("binomial law" in both.dp.mcnemar_test().procedure) == (pairs == 40)
