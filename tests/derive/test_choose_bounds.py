"""Ends of a range: which are found, how they are given on, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pandera.pandas as pa
import pytest
from scipy.stats import chi2

import pandas_dp as pdp
from pandas_dp import errors
from pandas_dp.audit import Case, World, plan_of, public_of, universe
from pandas_dp.core.budget.cost import Concentrated
from pandas_dp.core.engine.rows import PandasRows
from pandas_dp.core.measure.measurement import Noisy
from pandas_dp.core.neighbours import Relation
from pandas_dp.core.noise.mechanisms import CHOICE
from pandas_dp.core.schema.bounds import preferred
from pandas_dp.numeric.measure_location import Candidates
from pandas_dp.numeric.statistic_location import ChosenBound
from tests.refusals import refused

Array = np.ndarray[Any, Any]
WHOLE = World(Relation.REPLACE, whole=True)


def protected(**columns: Any) -> Any:
    return pdp.Session(epsilon=10**9).protect(pd.DataFrame(columns))


def test_candidates_are_ten_round_numbers_to_each_power_of_ten() -> None:
    found = preferred(Fraction(9, 1000), Fraction(200))
    assert [found[0], *found[1:3]] == [Fraction(9, 1000), Fraction(1, 100), Fraction(125, 10_000)]
    assert found[-2:] == (160, 200)
    assert len(found) == 1 + 4 * 10 + 4
    assert list(found) == sorted(set(found))
    assert preferred(Fraction(3), Fraction(7, 2)) == (3, Fraction(16, 5), Fraction(7, 2))


@pytest.mark.parametrize("end", ["lower", "upper"])
def test_utilities_are_ranks_of_values_moved_outward_to_a_candidate(end: Any) -> None:
    """Told again from the definition, row by row."""
    points, values = (-2.0, 0.0, 1.0, 4.0), [-7.0, -2.0, -1.0, 0.0, 0.0, 1.0, 1.5, 4.0, 9.0, np.nan, np.inf]
    asked = Candidates("x", points, (1, 1, 1, 1), end, 4, Fraction(1))
    sign = 1 if end == "upper" else -1
    grid = sorted(sign * c for c in points)
    moved = [next((c for c in grid if c >= sign * x), grid[-1]) for x in values if x == x]
    requested = len(moved) - min(Fraction(1), Fraction(len(moved), 8))
    expected = []
    for place, c in enumerate(grid):
        through = sum(x <= c for x in moved)
        before = sum(x <= grid[place - 1] for x in moved) if place else 0
        expected.append(-8 * max(Fraction(0), requested - through, before - requested))
    found = asked.utilities(PandasRows(pd.DataFrame({"x": values}), None).fold(asked.counts))
    assert found == expected[::sign]


def test_a_candidate_is_picked_as_often_as_its_prior_and_its_utility_say() -> None:
    """By chance it fails in one of 10^6 runs; without the prior, or at twice the rate, always."""
    asked, rate = Candidates("x", (1.0, 2.0, 4.0, 8.0), (64, 8, 4, 1), "upper", 4, Fraction(2)), Fraction(1, 2)
    counts, many = np.array([[4], [10], [3], [1]], dtype=object), 20_000
    weights = np.array(asked.prior) * np.exp(float(rate) * np.array(asked.utilities(counts)) / asked.unit)
    expected = many * weights / weights.sum()
    assert expected.min() > 50
    picked = np.bincount([CHOICE.pick(asked, rate, counts) for _ in range(many)], minlength=4)
    assert ((picked - expected) ** 2 / expected).sum() < chi2.isf(1e-6, 3)


def test_an_upper_bound_leaves_few_values_above_it() -> None:
    """Other candidates weigh e^-25 of this one together; what is far out and alone does not draw it there."""
    most = np.concatenate([np.zeros(500), np.linspace(1, 450, 500)])
    release = protected(x=most)["x"].dp.choose_bound(among=(1, 10**8), epsilon=100)
    assert (release.index.tolist(), release.columns.tolist()) == (["x"], ["bound"])
    assert release["bound"].item() == 500
    people = protected(x=[*most, 10**7])
    assert 400 <= people["x"].dp.choose_bound(among=(1, 10**8), epsilon=4)["bound"].item() < 10**5


def test_both_ends_hold_nearly_all_values_of_either_sign() -> None:
    people = protected(x=np.linspace(-37, 70, 3000), y=np.linspace(40, 70, 3000), z=-np.linspace(40, 70, 3000))
    wide = {name: people[name].dp.choose_bounds(among=(1, 10**6), epsilon=2000).iloc[0].tolist() for name in "xyz"}
    assert wide["x"] == [-40, 80]
    assert wide["y"] == [40, 80]
    assert wide["z"] == [-80, -40]


def test_what_was_chosen_is_given_on_as_bounds() -> None:
    people = protected(x=[100.0] * 500, y=[-3.0, 5.0] * 250)
    bound = people["x"].dp.choose_bound(among=(1, 1000), epsilon=100)
    ends = people["y"].dp.choose_bounds(among=(1, 1000), epsilon=2000)
    assert bound["bound"].item() == 100
    assert ends.iloc[0].tolist() == [-3.2, 5]
    assert people["x"].dp.mean(bounds=bound, epsilon=10**6)["mean"].item() == pytest.approx(100, abs=0.1)
    both = people.dp.mean(bounds={"x": bound, "y": ends}, epsilon=10**6)
    assert both["mean"].tolist() == pytest.approx([100, 1], abs=0.1)
    with refused(errors.BadBounds):
        people["x"].dp.mean(bounds=both, epsilon=1)


def test_ends_that_meet_or_cross_are_made_a_range() -> None:
    parts = [ChosenBound("x", Fraction(1), Fraction(2), end, ("lower", "upper")) for end in ("lower", "upper")]  # type: ignore[arg-type]
    public = public_of(WHOLE, 3)

    def ends(*places: int) -> list[float]:
        told = tuple(Noisy(np.array([[place]])) for place in places)
        return [float(part.conclude(told, public).estimate[0]) for part in parts]

    last = len(parts[0].candidates) - 1
    assert ends(0, last) == [-2, 2]
    assert ends(5, 3) == ends(3, 5) == [-1, 1]
    assert ends(4, 4) == [0, 1]
    assert ends(last, last) == [1.6, 2]


@pytest.mark.parametrize(
    "values",
    [[], [np.nan] * 20, [np.inf] * 20, [-np.inf] * 20, [7.0] * 20, ["a"] * 20, [None] * 20, [10**400] * 20],
    ids=["empty", "missing", "infinite", "below all", "constant", "texts", "none", "beyond floats"],
)
def test_any_column_gets_an_answer_among_the_candidates(values: list[Any]) -> None:
    people = protected(x=pd.Series(values, dtype=object))
    bound = people["x"].dp.choose_bound(among=(1, 100), epsilon=1)["bound"].item()
    assert Fraction(bound).limit_denominator(100) in ChosenBound("x", Fraction(1), Fraction(100)).candidates
    low, high = people["x"].dp.choose_bounds(among=(1, 100), rho=None, epsilon=1).iloc[0]
    assert low < high


def test_where_all_values_are_beyond_the_candidates_the_last_one_is_the_bound() -> None:
    people = protected(x=[1e9] * 1000)
    assert people["x"].dp.choose_bound(among=(1, 100), epsilon=10)["bound"].item() == 100


def test_it_is_charged_like_any_release_and_can_be_planned() -> None:
    session = pdp.Session(epsilon=2)
    people = session.protect(pd.DataFrame({"x": [1.0, 2.0] * 50}))
    plan = session.plan(lambda: people["x"].dp.choose_bounds(among=(1, 100), epsilon=0.5))
    assert plan["half_width"].isna().all()
    release = people["x"].dp.choose_bounds(among=(1, 100), epsilon=0.5)
    assert session.share_used == 0.25
    assert session.ledger["statistic"].tolist() == ["choose_bounds"]
    with refused(errors.NotConcluded):
        release.dp.confint()


WRONG: list[Any] = [5, (1,), (0, 10), (-1, 10), (10, 1), (1, 1), ("1", "10"), (1, np.inf), (1, 10**16), None, {1: 2}]


@pytest.mark.parametrize("among", WRONG, ids=[f"case {place}" for place in range(len(WRONG))])
def test_candidates_that_are_no_two_rising_positive_numbers_are_refused(among: Any) -> None:
    people = protected(x=[1.0, 2.0])
    with refused(errors.BadArgument, "two numbers"):
        people["x"].dp.choose_bound(among=among)
    assert people["x"].dp is not None


class Visits(pa.DataFrameModel):
    cost: float
    ward: str
    wait: pd.Timedelta


ODD: dict[str, Callable[[Any], Any]] = {
    "bounds": lambda f: f["cost"].dp.choose_bound(among=(1, 10), bounds=(0, 5)),
    "categories": lambda f: f["cost"].dp.choose_bound(among=(1, 10), categories=[1]),
    "texts": lambda f: f["ward"].dp.choose_bounds(among=(1, 10)),
    "times": lambda f: f["wait"].dp.choose_bound(among=(1, 10)),
    "width": lambda f: f["cost"].dp.choose_bound(among=(1, 10), width=5),
    "mechanism": lambda f: f["cost"].dp.choose_bound(among=(1, 10), mechanism="laplace"),
    "bootstrap": lambda f: f["cost"].dp.choose_bound(among=(1, 10), bootstrap=5),
    "weaker": lambda f: f["cost"].dp.choose_bound(among=(1, 10), model="idp"),
}


@pytest.mark.parametrize("name", ODD)
def test_what_does_not_belong_to_it_is_refused_and_nothing_is_paid(name: str) -> None:
    session = pdp.Session(epsilon=1, schema=Visits, models=["dp", "idp"])
    visits = session.protect(pd.DataFrame({"cost": [1.0], "ward": ["a"], "wait": [pd.Timedelta("1h")]}))
    with refused(errors.PrivacyError, name):
        ODD[name](visits)
    assert session.share_used == 0


def test_a_derived_column_that_keeps_the_name_of_a_text_is_asked_for_its_numbers() -> None:
    session = pdp.Session(epsilon=1000, schema=Visits)
    visits = session.protect(pd.DataFrame({"cost": 1.0, "ward": ["abcd"] * 500, "wait": pd.Timedelta("1h")}))
    assert visits["ward"].str.len().dp.choose_bound(among=(1, 100), epsilon=100)["bound"].item() == 4


# -- how good it is: expected errors over all choices, told from the plan's own rate and prior

TABLES, AMONG = 20, (Fraction(100), Fraction(102_400))


def visits_of(r: np.random.Generator, people: int) -> Array:
    rows = 1 + r.poisson(3, people)
    return np.add.reduceat(r.lognormal(5, 1, rows.sum()), np.concatenate([[0], np.cumsum(rows)[:-1]]))


LAWS: dict[str, tuple[Callable[[np.random.Generator, int], Array], float]] = {
    "visits": (visits_of, 1.6),
    "Pareto(2)": (lambda r, n: 200 * (1 + r.pareto(2, n)), 1.9),
    "uniform": (lambda r, n: r.uniform(0, 2000, n), 1.6),
    "95 % zeros": (lambda r, n: np.where(r.random(n) < 0.05, r.lognormal(6, 1, n), 0.0), 4.3),
}


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("rho", [Fraction(1, 10), Fraction(1, 2)], ids=str)
def test_totals_with_a_chosen_bound_are_nearly_as_good_as_with_the_best_in_hindsight(law: str, rho: Fraction) -> None:
    """At 1,000 people. Tables have a seed, and choices are averaged by their probabilities: nothing is left to luck."""
    draw, most = LAWS[law]
    r = np.random.default_rng(7)
    found, best = 0.0, np.zeros(1)
    for _ in range(TABLES):
        x = draw(r, 1000)
        law_of_choice, points = choice_of(x, rho / 5)
        clamped = np.maximum(x[:, None] - points, 0).sum(axis=0)
        found += float(law_of_choice @ (clamped**2 + points**2 / (2 * float(rho) * 4 / 5)))
        best = best + clamped**2 + points**2 / (2 * float(rho))
    assert np.sqrt(found / best.min()) < most


def choice_of(x: Array, rho: Fraction) -> tuple[Array, Array]:
    """The probability of each candidate, and the candidates."""
    case = Case("bound", ChosenBound("x", *AMONG), universe({"x": [1.0]}))
    (step,) = plan_of(case, WHOLE, Concentrated(rho)).steps
    measurement: Any = step.measurement
    utilities = np.array(
        measurement.utilities(PandasRows(pd.DataFrame({"x": x}), None).fold(measurement.counts)), dtype=float
    )
    logs = np.log(np.array(measurement.prior, dtype=float)) + float(step.rate) * utilities / measurement.unit  # type: ignore[attr-defined]
    weights = np.exp(logs - logs.max())
    return weights / weights.sum(), np.array(measurement.points)
