"""The staircase: its law, that it keeps epsilon exactly, its sampler over every bit stream, and where it is taken."""

from __future__ import annotations

import sys
from fractions import Fraction

import mpmath
import numpy as np
import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp import errors
from pandas_dp.core.noise.laplace import DiscreteLaplace
from pandas_dp.core.noise.mechanism import law_from_json
from pandas_dp.core.noise.samplers import bits
from pandas_dp.core.noise.samplers.bits import Uniform
from pandas_dp.core.noise.samplers.bounded import is_late, staircase
from pandas_dp.core.noise.samplers.discrete import settled
from pandas_dp.core.noise.staircase import StaircaseLaw, narrowest

from .streams import LUCK, chi_square_luck, exact, masses

sampler = sys.modules["pandas_dp.core.noise.samplers.bounded"]  # the package shows the function of that name

LAWS = [
    StaircaseLaw(Fraction(1, 2), 5, 2),
    StaircaseLaw(Fraction(3), 10, 3),
    StaircaseLaw(Fraction(6), 1, 1),
    StaircaseLaw(Fraction(4), 7, 7),
    StaircaseLaw(Fraction(1, 3), 3, 1),
]


def weights(law: StaircaseLaw, sensitivity: int) -> tuple[np.ndarray, np.ndarray]:
    k = np.arange(-sensitivity, sensitivity + 1)
    steps = np.array([0 if abs(x) < law.first else 1 + (abs(x) - law.first) // law.width for x in k.tolist()])
    mass = np.exp(-float(law.epsilon) * steps)
    return k, mass / mass.sum()


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_the_law_is_that_of_its_steps(law: StaircaseLaw) -> None:
    k, mass = weights(law, int(100 * law.width / law.epsilon) + 5 * law.width)
    np.testing.assert_allclose(law.pmf(k), mass, rtol=1e-11)
    assert law.variance == pytest.approx((mass * k.astype(float) ** 2).sum(), rel=1e-11)
    for x in range(5 * law.width):
        assert law.sf(x) == pytest.approx(mass[k > x].sum(), rel=1e-11)
        assert law.cdf(-x) == pytest.approx(mass[k <= -x].sum(), rel=1e-11)
    for angle in (0.0, 0.01, 1.0, np.pi, 7.0):
        assert law.cf(angle) == pytest.approx((mass * np.cos(angle * k)).sum(), abs=1e-11)
    for share in (0.1, 0.9):
        rate = share * float(law.epsilon) / law.width
        found = law.log_moment(np.array([rate])).item()
        assert found == pytest.approx(float(np.log((mass * np.exp(rate * k)).sum())), rel=1e-4)
    for level in (0.5, 0.9, 0.95, 0.999):
        half = law.half_width(level)
        assert mass[np.abs(k) <= half].sum() >= level - 1e-12
        assert half == 0 or mass[np.abs(k) < half].sum() < level
    assert law_from_json(law.to_json()) == law
    assert law.log_moment(np.array([float(law.epsilon) / law.width])).item() == np.inf


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_no_shift_within_its_width_tells_more_than_epsilon(law: StaircaseLaw) -> None:
    """Exactly: the logarithm of the ratio is epsilon times a difference of steps, a whole number."""
    steps = {k: 0 if abs(k) < law.first else 1 + (abs(k) - law.first) // law.width for k in range(-99, 100)}
    for k, step in steps.items():
        others = [steps[k + d] for d in range(-law.width, law.width + 1) if k + d in steps]
        assert max(abs(step - other) for other in others) <= 1
    assert any(abs(steps[k] - steps[k + law.width + 1]) == 2 for k in range(50))


def test_widths_beyond_floats_have_exact_quantiles() -> None:
    law = narrowest(Fraction(5), 2**70)
    half, level = law.half_width(Fraction(95, 100)), mpmath.mpf("0.05") / 2
    b = mpmath.exp(-5)
    whole = 2 * (law.first + law.width * b / (1 - b)) - 1

    def beyond(k: int) -> mpmath.mpf:
        assert k + 1 < law.first + law.width
        past = k + 1 - law.first
        rest = -past + law.width * b / (1 - b) if past < 0 else b * (law.width - past + law.width * b / (1 - b))
        return rest / whole

    assert beyond(half) <= level < beyond(half - 1)


@pytest.mark.parametrize("ratio", [Fraction(0), Fraction(1, 3), Fraction(40), Fraction(10**9)], ids=str)
def test_the_odds_of_a_late_number_are_exact(ratio: Fraction) -> None:
    found, _, still_open = masses(lambda: is_late(Fraction(3), ratio, 8), 2)
    odds = exact(ratio) * mpmath.exp(-3)
    true = odds / (1 + odds)
    assert still_open <= Fraction(1, 4000)
    assert exact(found.get(True, Fraction(0))) <= true <= exact(found.get(True, Fraction(0)) + still_open)


def test_the_step_is_geometric() -> None:
    """floor(E/epsilon), over all streams of two bytes."""
    scale = Fraction(2, 3)
    found, _, still_open = masses(lambda: settled(scale, Uniform(bits.integer(8), 8), 8, symmetric=False), 2)
    b = mpmath.exp(-1 / exact(scale))
    assert still_open < Fraction(1, 50)
    for j, seen in found.items():
        assert exact(seen) <= (1 - b) * b**j <= exact(seen + still_open)


@pytest.mark.slow
@pytest.mark.parametrize(("late", "places"), [(False, [0, 1]), (True, [2, 3, 4])])
@pytest.mark.parametrize("step", [0, 3])
def test_in_its_part_of_a_step_a_number_is_uniform_and_its_sign_fair(
    late: bool, places: list[int], step: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Over all streams of two bytes; those in which a number is drawn anew stay open."""
    monkeypatch.setattr(sampler, "settled", lambda *_, **__: step)
    monkeypatch.setattr(sampler, "is_late", lambda *_: late)
    monkeypatch.setattr(sampler.bits, "integer", lambda width, real=bits.integer: 0 if width == 8 else real(width))
    found, _, _ = masses(lambda: int(staircase(Fraction(3, 2), 5, 2, 1, word=8)[0]), 2)
    requested = {sign * (5 * step + i) for i in places for sign in (1, -1)}
    assert set(found) == requested
    masses_once = {k: Fraction(1, 2 * 2 ** (len(places) - 1).bit_length()) for k in requested}
    assert {k: mass for k, mass in found.items() if k} == {k: mass for k, mass in masses_once.items() if k}
    if 0 in requested:
        assert found[0] == Fraction(1, 4)  # with a plus


@pytest.mark.slow
def test_many_draws_follow_the_law() -> None:
    law = StaircaseLaw(Fraction(3, 2), 9, 4)
    k, mass = weights(law, 300)
    drawn = staircase(law.epsilon, law.width, law.first, 20_000).astype(int)
    assert chi_square_luck(np.bincount(drawn + 300, minlength=len(k)), mass) > LUCK


def people(epsilon: float) -> pd.DataFrame:
    return pdp.Session(epsilon=epsilon).protect(pd.DataFrame({"x": range(100), "y": 1, "k": ["a", "b"] * 50}))


@pytest.mark.parametrize(("epsilon", "gain"), [(3, 1.2), (4, 1.38), (5, 1.6)])
def test_a_single_sum_takes_it_from_epsilon_3(epsilon: int, gain: float) -> None:
    release = people(100)["x"].dp.sum(bounds=(0, 1000), epsilon=epsilon)
    assert release.attrs["dp"]["mechanism"] == "staircase"
    law = law_from_json(release.attrs["dp"]["noise"][0][0]["law"])
    assert isinstance(law, StaircaseLaw)
    plain = DiscreteLaplace(Fraction(law.width, epsilon))
    assert plain.sd / law.sd >= gain
    assert plain.half_width(0.95) > 0.999 * law.half_width(0.95)  # as wide at 3, narrower beyond
    low, high = release.dp.confint(0.95).iloc[0]
    assert high - low == pytest.approx(2 * law.half_width(0.95) * 1000 / law.width)


@pytest.mark.parametrize(
    "ask",
    [
        lambda f: f["x"].dp.sum(bounds=(0, 1000), epsilon=2.9),
        lambda f: f["x"].dp.sum(bounds=(0, 1000), epsilon=5, mechanism="laplace"),
        lambda f: f["x"].dp.nunique(bounds=(0, 1), epsilon=5),
        lambda f: f["x"].dp.mean(bounds=(0, 1000), epsilon=5),
        lambda f: f.dp.groupby("k")["x"].sum(bounds=(0, 1000), categories=["a", "b"], epsilon=5),
        lambda f: f[["x", "y"]].dp.sum(bounds=(0, 1000), epsilon=5),  # each has its half
    ],
)
def test_anything_else_keeps_laplace_noise(ask: object) -> None:
    assert ask(people(100)).attrs["dp"]["mechanism"] == "laplace"  # type: ignore[operator]


def test_it_can_be_asked_for_by_name_for_one_number_alone() -> None:
    table = people(100)
    named = table["x"].dp.sum(bounds=(0, 1000), epsilon=1, mechanism="staircase")
    assert named.attrs["dp"]["mechanism"] == "staircase"
    for ask in (
        lambda: table["x"].dp.mean(bounds=(0, 1000), epsilon=5, mechanism="staircase"),
        lambda: table["k"].dp.value_counts(categories=["a", "b"], epsilon=5, mechanism="staircase"),
    ):
        with pytest.raises(errors.UnknownMechanism, match="'staircase' adds noise to one number"):
            ask()
    with pytest.raises(errors.CostNotOffered, match="'staircase' cannot spend"):
        pdp.Session(rho=1).protect(pd.DataFrame({"x": [1.0]}))["x"].dp.sum(bounds=(0, 1), mechanism="staircase")
