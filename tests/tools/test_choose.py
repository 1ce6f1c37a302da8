"""`choose`: the best of public candidates, by permute-and-flip in epsilon, by the exponential mechanism in rho."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pandera.pandas as pa
import pytest
from scipy.stats import chi2

import pandas_dp as pdp
from pandas_dp import errors
from pandas_dp.audit import WORLDS, Case, plan_of, universe, zero_noise
from pandas_dp.audit.noise import flipped
from pandas_dp.core.budget.cost import Concentrated, Pure
from pandas_dp.core.measure.cells import Variable
from pandas_dp.core.neighbours import Adjacency
from pandas_dp.core.noise.choice import Lottery, PermuteAndFlip
from pandas_dp.core.schema.values import Interval
from pandas_dp.tools.measure import Contest
from pandas_dp.tools.statistic import ChosenName
from tests.refusals import refused

GOLDEN = json.loads((Path(__file__).parent / "golden.json").read_text("utf-8"))
SWAP, COMES, BOTH = Adjacency(True, False), Adjacency(False, True), Adjacency(True, True)


def contest(*ends: tuple[int, int, bool]) -> Contest:
    ranges = [Interval(Fraction(low), Fraction(high), "integer", nullable) for low, high, nullable in ends]
    return Contest(tuple(Variable(place, each) for place, each in enumerate(ranges)))


def lottery(utilities: np.ndarray) -> np.ndarray:
    weights = np.exp(utilities - utilities.max())
    return weights / weights.sum()


@pytest.mark.parametrize("known", GOLDEN["regret"], ids=lambda each: f"{each['k']} candidates, {each['gap']} apart")
def test_permute_and_flip_lacks_less_to_the_best_than_the_exponential_mechanism(known: dict[str, float]) -> None:
    utilities = np.array([0.0] + [-known["gap"]] * (int(known["k"]) - 1))
    lacks = {name: -(law(utilities / 2) * utilities).sum() for name, law in (("pf", flipped), ("em", lottery))}
    assert lacks["pf"] == pytest.approx(known["pf"], rel=1e-9)
    assert lacks["em"] == pytest.approx(known["em"], rel=1e-9)
    assert lacks["pf"] < lacks["em"]


@pytest.mark.parametrize("known", GOLDEN["regret at rho=.02"], ids=lambda each: f"{each['k']}, {each['gap']} apart")
def test_at_the_price_of_a_rho_the_exponential_mechanism_lacks_less(known: dict[str, float]) -> None:
    """By permute-and-flip a rho buys the epsilon whose square is twice as much, and half of the rate."""
    gaps = np.array([0.0] + [-known["gap"]] * (int(known["k"]) - 1))
    assert -(lottery(gaps * 0.2) * gaps).sum() == pytest.approx(known["em"], rel=1e-9)
    assert -(flipped(gaps * 0.1) * gaps).sum() == pytest.approx(known["pf"], rel=1e-9)
    assert known["em"] < known["pf"]


def test_permute_and_flip_is_never_worse_than_the_exponential_mechanism() -> None:
    r = np.random.default_rng(1)
    for many in (2, 3, 5, 7):
        for _ in range(100):
            utilities = r.exponential(3, many) * r.integers(0, 2, many)
            assert (flipped(utilities) * utilities).sum() >= (lottery(utilities) * utilities).sum() - 1e-12


@pytest.mark.slow
@pytest.mark.parametrize("how", [PermuteAndFlip(), Lottery()], ids=["permute-and-flip", "exponential"])
def test_candidates_are_picked_as_often_as_the_law_says(how: Any) -> None:
    """By chance one of them fails in 5 of 10^6 runs; at twice the rate, or without the order, always."""
    utilities, rate, many = [7, 3, 7, 0, 5], Fraction(1, 3), 20_000
    law = flipped if isinstance(how, PermuteAndFlip) else lottery
    expected = many * law(np.array(utilities) * float(rate))
    picked = np.bincount([how.pick(utilities, rate) for _ in range(many)], minlength=5)
    assert ((picked - expected) ** 2 / expected).sum() < chi2.isf(2e-6, 4)


def test_totals_far_beyond_floats_are_told_apart() -> None:
    assert {PermuteAndFlip().pick([10**40, 10**40 + 1000], Fraction(1)) for _ in range(50)} == {1}


def test_the_reach_is_half_the_range_of_what_a_row_does() -> None:
    """From the intervals alone; tests/contracts/test_farthest_neighbours.py enumerates that it is kept and attained."""
    assert [contest((0, 10, False), (0, 10, False)).sensitivity(1, m) for m in (SWAP, COMES, BOTH)] == [10, 5, 10]
    assert [contest((4, 10, False), (4, 10, False)).sensitivity(1, m) for m in (SWAP, COMES, BOTH)] == [6, 3, 6]
    assert [contest((4, 10, True), (4, 10, True)).sensitivity(1, m) for m in (SWAP, COMES, BOTH)] == [10, 5, 10]
    assert contest((4, 10, True), (4, 10, False)).sensitivity(1, SWAP) == 8
    assert contest((-3, 10, False), (-3, 10, False)).sensitivity(2, COMES) == Fraction(13, 2) ** 2


@pytest.mark.parametrize("world", WORLDS, ids=str)
def test_the_rate_is_what_the_cost_buys(world: Any) -> None:
    variables = tuple(Variable(name, Interval(Fraction(0), Fraction(4), "integer")) for name in "xyz")
    case = Case("three", ChosenName(tuple("xyz"), variables), universe({name: [0.0] for name in "xyz"}))
    half = 2 if not world.swaps else 4
    (pure,) = plan_of(case, world, Pure(Fraction(1))).steps
    (rho,) = plan_of(case, world, Concentrated(Fraction(1, 2))).steps
    assert (pure.mechanism_name, pure.rate) == ("permute-and-flip", Fraction(1, 2 * half))  # type: ignore[attr-defined]
    assert rho.mechanism_name == "exponential"
    assert float(rho.rate) == pytest.approx(1 / half, rel=1e-8)  # type: ignore[attr-defined]


class Shops(pa.DataFrameModel):
    north: int = pa.Field(ge=0, le=20)
    south: int = pa.Field(ge=0, le=20, nullable=True)
    far: float = pa.Field(ge=0, le=20)
    wide: int = pa.Field(ge=0, le=50)
    open: bool
    when: pd.Timestamp = pa.Field(ge=pd.Timestamp("2020-01-01"), le=pd.Timestamp("2024-12-31"))


def shops(session: pdp.Session, rows: int = 400) -> Any:
    r = np.random.default_rng(3)
    columns = {
        "north": r.integers(0, 9, rows),
        "south": pd.array(np.where(r.random(rows) < 0.2, None, r.integers(5, 21, rows)), dtype="Int64"),
        "far": r.random(rows) * 3,
        "wide": r.integers(0, 4, rows),
        "open": r.random(rows) < 0.5,
        "when": pd.Timestamp("2021-01-01"),
    }
    return session.protect(pd.DataFrame(columns))


AMONG = {"the north": "north", "the south": "south", "far off": "far"}


@pytest.mark.parametrize("cost", [{"epsilon": 1}, {"rho": 0.1}, {"epsilon": 1, "delta": 1e-7}], ids=str)
@pytest.mark.parametrize("way", ["whole", "derived", "add_remove"])
def test_the_name_of_the_greatest_total_is_one_cell(cost: dict[str, float], way: str) -> None:
    terms = {"neighbours": "add_remove"} if way == "add_remove" else {}
    session = pdp.Session(epsilon=5, delta=1e-6, schema=Shops, **terms)  # type: ignore[arg-type]
    frame = shops(session)
    frame = frame[frame["far"] >= 0] if way == "derived" else frame
    release = frame.dp.choose(AMONG, **cost)  # the others weigh less than e^-25
    assert release.shape == (1, 1)
    assert release["name"].item() == "the south"
    assert release.dp.metadata["evidence"][0]["among"] == list(AMONG)
    assert session.ledger["statistic"].tolist() == ["choose"]


def test_columns_of_other_ranges_and_conditions_are_compared_in_the_bounds_that_are_given() -> None:
    frame = shops(pdp.Session(epsilon=10**9, schema=Shops))
    with zero_noise():
        of_four = {"wide": "wide", "north": "north", "open": "open"}
        assert frame.dp.choose(of_four, bounds=(0, 50), epsilon=1)["name"].item() == "north"
        assert frame.assign(big=frame["wide"] < 4).dp.choose(
            {"open": "open", "big": "big"}, bounds=(0, 1), epsilon=1
        )["name"].item() == "big"  # fmt: skip


def test_what_was_released_is_a_name_and_has_no_interval() -> None:
    release = shops(pdp.Session(epsilon=10, schema=Shops)).dp.choose(AMONG, epsilon=1)
    assert "the south" in repr(release)
    assert "permute-and-flip" in release.dp.guarantee
    for name, conclude in {
        "confint": lambda: release.dp.confint(),
        "test": lambda: release.dp.test(3),
        "combine": lambda: pdp.combine([release, release]),
        "shares": lambda: release.dp.shares(),
    }.items():
        with pytest.raises(errors.PrivacyError):
            conclude()
        assert name


def test_a_plan_says_what_it_costs() -> None:
    session = pdp.Session(epsilon=10, delta=1e-6, schema=Shops)
    frame = shops(session)
    plan = session.plan(lambda: frame.dp.choose(AMONG, epsilon=1), lambda: frame.dp.choose(AMONG, rho=0.1))
    assert plan["mechanism"].tolist() == ["permute-and-flip", "exponential"]
    assert plan["half_width"].isna().all()
    assert session.share_used == 0


ODD: dict[str, Callable[[Any], Any]] = {
    "a list": lambda f: f.dp.choose(["north", "far"]),
    "one": lambda f: f.dp.choose({"a": "north"}),
    "twice": lambda f: f.dp.choose({"a": "north", "b": "north"}),
    "numbered": lambda f: f.dp.choose({1: "north", 2: "far"}),
    "a column": lambda f: f.dp.choose({"a": f["north"], "b": f["far"]}),
    "lists": lambda f: f.dp.choose({"a": ["north"], "b": "far"}),
    "unknown": lambda f: f.dp.choose({"a": "north", "b": "nort"}),
    "ranges": lambda f: f.dp.choose({"a": "north", "b": "wide"}),
    "undeclared": lambda f: f.assign(z=1).dp.choose({"a": "north", "b": "z"}),
    "times": lambda f: f.dp.choose({"a": "when", "b": "north"}),
    "model": lambda f: f.dp.choose(AMONG, model="idp"),
    "width": lambda f: f.dp.choose(AMONG, width=2),
    "mechanism": lambda f: f.dp.choose(AMONG, mechanism="laplace"),
    "flip in rho": lambda f: f.dp.choose(AMONG, mechanism="permute-and-flip", rho=0.1),
    "bootstrap": lambda f: f.dp.choose(AMONG, bootstrap=5),
    "weights": lambda f: f.dp.choose(AMONG, weights="far"),
    "categories": lambda f: f.dp.choose(AMONG, categories=[1]),
    "numeric_only": lambda f: f.dp.choose(AMONG, numeric_only=True),
    "positional": lambda f: f.dp.choose(AMONG, 1),
}


@pytest.mark.parametrize("name", ODD)
def test_what_does_not_belong_to_it_is_refused_and_nothing_is_paid(name: str) -> None:
    session = pdp.Session(epsilon=1, delta=1e-6, schema=Shops, models=["dp", "idp"])
    frame = shops(session)
    with refused(errors.PrivacyError, name):
        ODD[name](frame)
    assert session.share_used == 0


def test_rows_of_people_are_refused_and_people_are_asked() -> None:
    with pdp.Session(epsilon=100, unit="who") as session:
        visits = session.protect(pd.DataFrame({"who": [1, 1, 2, 3] * 50, "a": 1.0, "b": [0.0, 3.0, 9.0, 4.0] * 50}))
        with refused(errors.UnsupportedArgument):
            visits.dp.choose({"a": "a", "b": "b"}, bounds=(0, 10), epsilon=1)
        people = visits.dp.per_person(a="max", b="max")
        assert people.dp.choose({"a": "a", "b": "b"}, bounds=(0, 10), epsilon=50)["name"].item() in ("a", "b")
