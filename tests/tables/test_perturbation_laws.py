"""Perturbations of counts: what they cost, by adding up exact probabilities, and what the paper's tables say."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest

from pandas_dp import datasets
from pandas_dp.audit import WORLDS, plan_of
from pandas_dp.core.budget.cost import Approximate, Pure
from pandas_dp.core.neighbours import Relation
from pandas_dp.core.noise.bounded import TruncatedGaussian, TruncatedLaplaceLaw
from pandas_dp.core.noise.bounded_counts import AdditiveUtility, MaximumEntropy, TruncatedLaplace, TruncatedNormal
from pandas_dp.core.noise.hellinger import Hellinger, HellingerLaw
from pandas_dp.core.noise.laplace import DiscreteLaplace
from pandas_dp.core.noise.perturbation import Moved
from pandas_dp.errors import CostNotOffered, UnsupportedArgument
from tests.contracts.cases import cases
from tests.refusals import refused

GOLDEN: dict[str, Any] = json.loads((Path(__file__).parent / "golden.json").read_text("utf-8"))
TABLE_1 = datasets.load_uk_census().to_numpy()
ONE = (Moved(1, Fraction(1)),)


def agrees(key: str, found: Any) -> None:
    entry = GOLDEN[key]
    value, error = np.asarray(entry["value"], dtype=float), entry["tolerance"]
    assert np.all(np.abs(np.asarray(found, dtype=float) - value) <= error * np.maximum(1, np.abs(value))), (key, found)


def laplace(epsilon: float, m: int) -> TruncatedLaplaceLaw:
    return TruncatedLaplaceLaw(1 / Fraction(str(epsilon)), m)


def printed_normal(epsilon: float, m: int) -> TruncatedGaussian:
    """As the paper has it, with 2m + 1; the library divides by 2m − 1."""
    return TruncatedGaussian((2 * m + 1) / (2 * Fraction(str(epsilon))), m)


# -- what is paid


def hockey_stick(here: np.ndarray, there: np.ndarray, epsilon: float) -> float:
    return float(np.maximum(here - np.exp(epsilon) * there, 0).sum())


def joint(law: Any, shifts: tuple[int, ...], m: int) -> np.ndarray:
    """The joint probabilities of counts that were 0 and are moved by the shifts, over all that can come out."""
    at = np.arange(-m - 1, m + 2)
    table = np.ones(())
    for shift in shifts:
        table = np.multiply.outer(table, law.pmf(at - shift))
    return table


MADE = {
    "laplace": TruncatedLaplace(m=4),
    "normal": TruncatedNormal(m=4),
    "utility": AdditiveUtility(lambda k: [0, 1, 3, 4, 4.5][k], m=4),
    "utility that turns": AdditiveUtility(lambda k: [0, 2, 1, 3, 2.5][k], m=4),
    "entropy": MaximumEntropy(m=4, variance=2.5),
}


@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("epsilon", [Fraction(1, 2), Fraction(2)], ids=str)
@pytest.mark.parametrize("name", MADE)
def test_the_price_is_the_exact_one_for_overlapping_cells(name: str, epsilon: Fraction, d: int) -> None:
    """Every way to move d counts by one: nothing beyond delta at epsilon, and all of it somewhere."""
    fitted = MADE[name].fit([Moved(d, Fraction(1))], Pure(epsilon), name != "entropy")
    (law,) = fitted.laws
    price = fitted.price
    assert isinstance(price, Approximate)
    here = joint(law, (0,) * d, 4)
    told = [hockey_stick(here, joint(law, s, 4), float(price.epsilon)) for s in product((-1, 0, 1), repeat=d)]
    assert max(told) == pytest.approx(float(price.delta), rel=1e-9)
    assert max(told) <= float(price.delta) * (1 + 1e-9)
    end = float(law.pmf(4))
    assert float(price.delta) == pytest.approx(1 - (1 - end) ** d, rel=1e-12)
    inside = [
        np.log(here[both]) - np.log(there[both])
        for s in product((-1, 1), repeat=d)
        for there in [joint(law, s, 4)]
        for both in [(here > 0) & (there > 0)]
    ]
    assert max(float(np.abs(ratio).max()) for ratio in inside) == pytest.approx(float(price.epsilon), rel=1e-9)


@pytest.mark.parametrize("world", WORLDS, ids=str)
def test_a_table_pays_for_two_cells_under_replace_and_for_one_where_rows_come_and_go(world: Any) -> None:
    (case,) = (case for case in cases() if case.name == "Count size, two cells")
    cells = 2 if world.relation is Relation.REPLACE else 1
    for made in MADE.values():
        plan = plan_of(case, world, Pure(Fraction(3)), made)  # type: ignore[arg-type]
        (law,) = plan.steps[0].laws
        here = joint(law, (0,) * cells, 4)
        moved = [
            hockey_stick(here, joint(law, s, 4), float(plan.price.at_infinity)) for s in product((-1, 1), repeat=cells)
        ]
        assert max(moved) == pytest.approx(float(plan.price.aside), rel=1e-9)
        assert plan.asked is plan.price


def test_tables_that_share_an_epsilon_share_the_ends_too() -> None:
    """The joint delta is that of all counts together, below the sum of the tables' own."""
    tables = [Moved(1, Fraction(1, 3)), Moved(2, Fraction(2, 3))]
    fitted = TruncatedLaplace(m=3).fit(tables, Pure(Fraction(3)), True)
    first, second = (float(law.pmf(3)) for law in fitted.laws)
    assert float(fitted.price.aside) == pytest.approx(1 - (1 - first) * (1 - second) ** 2, rel=1e-12)
    assert [law.scale for law in fitted.laws] == [1, 1]  # type: ignore[attr-defined]


@pytest.mark.parametrize("made", [TruncatedLaplace(), TruncatedNormal()], ids=["laplace", "normal"])
def test_a_given_delta_buys_the_least_range(made: Any) -> None:
    cost = Approximate(Fraction(1, 2), Fraction(1, 1000))
    fitted = made.fit(ONE, cost, True)
    (law,) = fitted.laws
    assert fitted.price.delta <= cost.delta
    assert made.law(cost.epsilon, law.m - 1).most_at_the_end > cost.delta
    with refused(CostNotOffered):
        type(made)(law.m - 1).fit(ONE, cost, True)


@pytest.mark.parametrize(
    "epsilon", [Fraction(1, 10**9), Fraction(10**9), Fraction(10**100)], ids=["least", "much", "most"]
)
def test_extreme_costs_are_priced_and_drawn_without_delay(epsilon: Fraction) -> None:
    for made in (TruncatedLaplace(m=9), TruncatedNormal(m=9), MADE["utility"], Hellinger()):
        fitted = made.fit(ONE, Pure(epsilon), True)
        assert 0 <= fitted.price.aside < 1
        noisy = made.add_noise(np.array([[3], [0]], dtype=object), fitted.laws)
        assert noisy.shape == (2, 1)
        for level in (0.5, 0.95) if isinstance(made, TruncatedLaplace) else ():
            assert 0 <= fitted.laws[0].half_width(level) <= 9


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 1.5])
def test_hellinger_noise_is_pure_and_nearly_tight(epsilon: float) -> None:
    fitted = Hellinger().fit(ONE, Pure(Fraction(str(epsilon))), True)
    (law,) = fitted.laws
    assert isinstance(law, HellingerLaw)
    b = np.arange(4000)
    logs = [np.log(law.released(a, b)) for a in range(60)]
    farthest = max(float(np.abs(x - y).max()) for x, y in pairwise(logs))
    assert farthest <= epsilon
    key = f"003.hellinger.actual_eps.eps{epsilon}"
    if key in GOLDEN:
        agrees(key, farthest)


# -- the paper's numbers


@pytest.mark.parametrize("key", [key for key in GOLDEN if key.startswith("003.T2.")])
def test_table_2_reproduces(key: str) -> None:
    _, _, kind, *numbers = key.split(".")
    epsilon, m, original = float(".".join(numbers[:2])[3:]), int(numbers[2][1:]), int(numbers[3].strip("orig>="))
    law = laplace(epsilon, m) if kind == "Laplace" else printed_normal(epsilon, m)
    at = np.arange(-m, m + 1)
    off = np.abs(np.maximum(original + at, 0) - original)
    agrees(key, [law.pmf(at)[off <= r].sum() for r in range(5)])


@pytest.mark.parametrize("key", [key for key in GOLDEN if key.startswith(("003.laplace.delta", "003.exact_delta"))])
def test_deltas_of_the_text_reproduce(key: str) -> None:
    epsilon, m = _numbers(key)
    fitted = TruncatedLaplace(m=m).fit(ONE, Pure(Fraction(str(epsilon))), True)
    agrees(key, float(fitted.price.aside))
    a = mpmath.exp(-mpmath.mpf(str(epsilon)))
    truth = a**m / (1 + 2 * mpmath.fsum(a**k for k in range(1, m + 1)))
    charged = mpmath.mpf(fitted.price.aside.numerator) / fitted.price.aside.denominator
    assert truth <= charged <= truth * (1 + mpmath.mpf("1e-14"))


@pytest.mark.parametrize("key", [key for key in GOLDEN if key.startswith("003.T1")])
def test_expected_losses_and_bias_of_table_1_reproduce(key: str) -> None:
    _, _, what, kind, *numbers = key.split(".")
    epsilon, m = _numbers("." + ".".join(numbers))
    law = laplace(epsilon, m) if kind == "laplace" else printed_normal(epsilon, m)
    at = np.arange(-m, m + 1)
    if what == "expected_l1":
        cut = sum((np.abs(np.maximum(a + at, 0) - a) * law.pmf(at)).sum() for a in TABLE_1.ravel())
        agrees(key, [TABLE_1.size * (np.abs(at) * law.pmf(at)).sum(), cut])
    else:
        agrees(key, sum((np.maximum(a + at, 0) * law.pmf(at)).sum() - a for a in TABLE_1.ravel()))


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 3])
def test_pairs_of_deltas_reproduce(epsilon: float) -> None:
    m = {0.1: 8, 0.5: 10, 3: 14}[epsilon]
    found = [float(law.most_at_the_end) for law in (laplace(epsilon, 7), printed_normal(epsilon, m))]
    agrees(f"003.s562.delta_pair.eps{epsilon}", found)


def test_the_normal_law_is_calibrated_to_what_both_neighbours_can_give() -> None:
    fitted = TruncatedNormal(m=10).fit(ONE, Pure(Fraction(1)), True)
    (law,) = fitted.laws
    agrees("003.normal.tight.delta.eps1.m10", float(fitted.price.aside))
    agrees("003.normal.tight.var_ratio", law.variance / printed_normal(1, 10).variance)
    agrees("003.normal.delta.eps1.5.m12", float(printed_normal(1.5, 12).most_at_the_end))
    agrees("003.normal.D.eps1.5.m12", 1 / printed_normal(1.5, 12).pmf(0))


def test_the_normal_law_has_the_largest_entropy_for_its_variance() -> None:
    law = printed_normal(1, 10)
    masses = law.pmf(np.arange(-10, 11))
    agrees("003.maxent.entropy.eps1.m10", float(-(masses * np.log(masses)).sum()))
    made = MaximumEntropy(m=10, variance=law.variance)
    (found,) = made.fit(ONE, Pure(Fraction(1)), False).laws
    assert np.abs(found.pmf(np.arange(-10, 11)) - masses).max() < 1e-9
    assert found.variance >= law.variance * (1 - 1e-12)


@pytest.mark.parametrize("d", [3, 7])
def test_overlapping_cells_cost_more_than_one_end(d: int) -> None:
    fitted = TruncatedLaplace(m=7).fit([Moved(d, Fraction(1))], Pure(Fraction(1, 2)), True)
    agrees(f"003.overlap.true_delta.d{d}.eps0.5.m7", float(fitted.price.aside))


@pytest.mark.parametrize(("epsilon", "cells"), [(0.5, 100), (1.5, 132)])
def test_in_many_cells_some_noise_is_extreme(epsilon: float, cells: int) -> None:
    agrees(f"003.extreme_event.eps{epsilon}.m7.K{cells}", 1 - (1 - 2 * laplace(epsilon, 7).pmf(7)) ** cells)


@pytest.mark.parametrize("key", [key for key in GOLDEN if key.startswith("003.loss.") and "clamped" not in key])
def test_losses_reproduce(key: str) -> None:
    if "untruncated" in key:
        law: Any = DiscreteLaplace(1 / Fraction(key.split("eps")[1]))
        at = np.arange(-400, 401)
        agrees(key, (np.abs(at) * law.pmf(at)).sum())
        return
    epsilon, m = _numbers(key)
    at = np.arange(-m, m + 1)
    law, power = (laplace(epsilon, m), 1) if "laplace" in key else (printed_normal(epsilon, m), 2)
    agrees(key, (np.abs(at) ** power * law.pmf(at)).sum())


@pytest.mark.parametrize("original", [1, 2])
def test_cutting_negatives_off_lowers_the_loss(original: int) -> None:
    at = np.arange(-7, 8)
    off = np.abs(np.maximum(original + at, 0) - original)
    agrees(f"003.loss.laplace.clamped.eps0.5.m7.orig{original}", (off * laplace(0.5, 7).pmf(at)).sum())


@pytest.mark.parametrize("key", [key for key in GOLDEN if key.startswith(("003.hellinger.E_abs", "003.hellinger.P_"))])
def test_hellinger_noise_reproduces(key: str) -> None:
    epsilon, a = float(key.split("eps")[1].split(".orig")[0]), int(key.split("orig")[1])
    law = HellingerLaw(Fraction(str(epsilon)) / 2)
    b = np.arange(int((np.sqrt(a) + 60 / epsilon) ** 2 + 40_000))
    masses = law.released(a, b)
    off = np.abs(b - a)
    agrees(key, (off * masses).sum() if "E_abs" in key else masses[off <= 4].sum())


def test_constants_reproduce() -> None:
    for key in [key for key in GOLDEN if key.startswith("003.laplace.C")]:
        if "Cinf" in key:
            agrees(key, 1 / DiscreteLaplace(1 / Fraction(key.split("eps")[1])).pmf(0))
        else:
            agrees(key, 1 / laplace(*_numbers(key)).pmf(0))
    agrees("003.s61.noise_var.eps0.1.m10", laplace(0.1, 10).variance)


def _numbers(key: str) -> tuple[float, int]:
    epsilon, m = key.split("eps")[1].split(".m")
    return float(epsilon), int(m)


# -- refusals


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: TruncatedLaplace(0), "m of TruncatedLaplace must be a whole number from 1 to 10,000, not 0."),
        (lambda: TruncatedNormal(2.5), "m of TruncatedNormal must be a whole number from 1 to 10,000, not 2.5."),  # type: ignore[arg-type]
        (lambda: MaximumEntropy(3, 4), "the variance of noise within ±3 must lie between 0 and 4"),
        (lambda: MaximumEntropy(3, 0), "must lie between 0 and 4"),
        (lambda: AdditiveUtility(lambda k: 1, 5), "the loss is the same everywhere"),
        (lambda: AdditiveUtility(lambda k: float("nan"), 5), "the loss of 0 must be a finite number, not nan."),
        (lambda: AdditiveUtility(lambda k: "much", 5), "the loss of 0 must be a finite number, not 'much'."),
        (lambda: AdditiveUtility(3, 5), "needs a loss function"),  # type: ignore[arg-type]
    ],
)
def test_parameters_that_make_no_law_are_refused(make: Any, says: str) -> None:
    with refused(UnsupportedArgument, says):
        make()
