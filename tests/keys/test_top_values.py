"""The most frequent keys: the exact law of their order on neighbours, and the question."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pandera.pandas as pa
import pytest

import pandas_dp as pdp
from pandas_dp import errors
from pandas_dp.audit import zero_noise
from pandas_dp.core.budget.cost import Approximate, Concentrated, Pure
from pandas_dp.core.neighbours import Relation
from pandas_dp.core.noise.choice import GRID, Picking, picking_for
from tests.refusals import refused

from .laws import hockey_stick

GOLDEN = json.loads(Path(__file__).with_name("golden.json").read_text("utf-8"))
KEYS, MOST = 3, 4  # of the tables: keys, and rows of each
RELATIONS = ["replace", "add_remove"]


def law(picking: Picking, counts: tuple[int, ...]) -> dict[tuple[int, ...], float]:
    """The probability of every order that can come out; without a stop all keys are there, else those that occur."""
    rate, found = float(picking.rate), {}
    weights = {key: math.exp(rate * n) for key, n in enumerate(counts) if n or picking.stop is None}
    stop = 0.0 if picking.stop is None else math.exp(rate * picking.stop / GRID)

    def follow(picked: tuple[int, ...], p: float) -> None:
        left = {key: weight for key, weight in weights.items() if key not in picked}
        if len(picked) == picking.picks or not left:
            found[picked] = found.get(picked, 0.0) + p
            return
        total = sum(left.values()) + stop
        if stop:
            found[picked] = found.get(picked, 0.0) + p * stop / total
        for key, weight in left.items():
            follow((*picked, key), p * weight / total)

    follow((), 1.0)
    return found


def neighbours(relation: str) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    found = []
    for counts in product(range(MOST), repeat=KEYS):
        more = [tuple(n + (at == key) for at, n in enumerate(counts)) for key in range(KEYS)]
        found += [(counts, each) for each in more]
        if relation == "replace":
            found += [(one, other) for one in more for other in more if one != other]
    return found


def farthest(picking: Picking, relation: str, epsilon: float) -> float:
    pairs = [(law(picking, one), law(picking, other)) for one, other in neighbours(relation)]
    return max(max(hockey_stick(a, b, epsilon), hockey_stick(b, a, epsilon)) for a, b in pairs)


@pytest.mark.parametrize("picks", [1, 2, 3])
@pytest.mark.parametrize("relation", RELATIONS)
def test_of_declared_keys_the_loss_is_at_most_epsilon(relation: str, picks: int) -> None:
    adjacency = Relation(relation).adjacency(whole=False)
    picking = picking_for("auto", Pure(Fraction(1)), adjacency, picks, False)
    assert farthest(picking, relation, 1.0) < 1e-12
    assert picks > 1 or farthest(picking, relation, 0.75) > 1e-6  # not much less would do


@pytest.mark.parametrize("picks", [1, 2])
@pytest.mark.parametrize("relation", RELATIONS)
def test_of_declared_keys_divergences_are_at_most_rho(relation: str, picks: int) -> None:
    adjacency = Relation(relation).adjacency(whole=False)
    picking = picking_for("auto", Concentrated(Fraction(1, 5)), adjacency, picks, False)
    for one, other in neighbours(relation):
        p, q = law(picking, one), law(picking, other)
        for order in (1.1, 2.0, 8.0):
            for a, b in ((p, q), (q, p)):
                total = sum(x**order * b[outcome] ** (1 - order) for outcome, x in a.items())
                assert math.log(total) / (order - 1) <= order * 0.2 + 1e-9


@pytest.mark.parametrize("picks", [1, 2, 3])
@pytest.mark.parametrize("relation", RELATIONS)
def test_of_unknown_keys_no_neighbours_are_farther_apart_than_the_price(relation: str, picks: int) -> None:
    adjacency = Relation(relation).adjacency(whole=False)
    cost = Approximate(Fraction(1), Fraction(1, 20))
    picking = picking_for("auto", cost, adjacency, picks, True)
    found = farthest(picking, relation, 1.0)
    assert 1e-4 < found <= 0.05
    if relation == "add_remove":
        lower = Picking(picks, picking.rate, cost, picking.stop - 2 * GRID)  # type: ignore[operator]
        assert farthest(lower, relation, 1.0) > 0.05


def test_reference_value_of_one_key() -> None:
    """Its delta is delta/(1 + delta)."""
    cost = Approximate(Fraction(1, 2), Fraction(1, 20))
    picking = picking_for("auto", cost, Relation("add_remove").adjacency(whole=False), 1, True)
    found = hockey_stick(law(picking, (1, 0, 0)), law(picking, (0, 0, 0)), 0.5)
    assert found == pytest.approx(GOLDEN["topk.items3.k1.kbar1.Delta1"], rel=1e-5)


def test_the_sampler_has_that_law() -> None:
    """4,000 draws; the chance to be so far off in one of the outcomes by luck is below 1e-6."""
    picking = picking_for(
        "auto", Approximate(Fraction(2), Fraction(1, 5)), Relation("add_remove").adjacency(False), 2, True
    )
    counts = np.array([3, 2, 1])
    drawn: dict[tuple[int, ...], int] = {}
    for _ in range(4_000):
        outcome = tuple(picking.pick(counts))
        drawn[outcome] = drawn.get(outcome, 0) + 1
    for outcome, p in law(picking, (3, 2, 1)).items():
        assert abs(drawn.get(outcome, 0) - 4_000 * p) < 5.5 * math.sqrt(4_000 * p * (1 - p)) + 3


SCHEMA = pa.DataFrameSchema({"drug": pa.Column(str), "sex": pa.Column(str, pa.Check.isin(["f", "m", "x"]))})


def table() -> pd.DataFrame:
    drugs = ["a"] * 500 + ["b"] * 400 + ["c"] * 99 + [None]
    return pd.DataFrame({"drug": drugs, "sex": ["m"] * 600 + ["f"] * 400})


def session(**more: Any) -> pdp.Session:
    return pdp.Session(**{"epsilon": 100, "delta": 1e-3, "schema": SCHEMA, **more})


@pytest.mark.parametrize("neighbours", RELATIONS)
def test_the_most_frequent_come_in_order_and_go_on_as_categories(neighbours: str) -> None:
    with session(neighbours=neighbours) as opened, zero_noise():
        frame = opened.protect(table())
        declared = frame["sex"].dp.top_values(2, epsilon=1)
        found = frame["drug"].dp.top_values(2, categories="unknown", epsilon=1, delta=1e-6)
        counts = frame["drug"].dp.value_counts(categories=found, epsilon=1)
    assert list(declared.index) == ["m", "f"]
    assert list(found.index) == list(counts.index) == ["a", "b"]
    assert found["rank"].tolist() == [1, 2]
    assert found.attrs["dp"]["keys"] == "found"


def test_of_many_rows_the_order_is_certain() -> None:
    with session() as opened:
        found = opened.protect(table())["drug"].dp.top_values(2, categories="unknown", epsilon=20, delta=1e-6)
    assert list(found.index) == ["a", "b"]  # but with probability e^-400


def test_nothing_may_come_out() -> None:
    with session() as opened:
        data = pd.DataFrame({"drug": pd.Series([None] * 9, dtype=object)})
        found = opened.protect(data)["drug"].dp.top_values(3, categories="unknown", epsilon=1, delta=1e-6)
    assert len(found) == 0
    assert found.index.dtype == pd.Index([""]).dtype


REFUSED: dict[str, Any] = {
    "no delta": lambda f: f["drug"].dp.top_values(2, categories="unknown", epsilon=1),
    "too many": lambda f: f["sex"].dp.top_values(4, epsilon=1),
    "none": lambda f: f["sex"].dp.top_values(0, epsilon=1),
    "undeclared": lambda f: f["drug"].dp.top_values(2, epsilon=1),
    "laplace": lambda f: f["sex"].dp.top_values(2, mechanism="laplace", epsilon=1),
    "intervals": lambda f: f["sex"].dp.top_values(2, epsilon=1).dp.confint(),
}


@pytest.mark.parametrize("name", REFUSED)
def test_is_refused(name: str) -> None:
    with session() as opened, refused(errors.PrivacyError, name):
        REFUSED[name](opened.protect(table()))


@pytest.mark.parametrize("drugs", [["a"] * 9, [None] * 9, [{}, [1], 3, b"\xff", "\ud800"] * 9])
def test_price_and_label_are_the_same_whatever_the_rows_hold(drugs: list[Any]) -> None:
    said = []
    for values in (drugs, ["a", "b"]):
        with session(name="one") as opened:
            frame = opened.protect(pd.DataFrame({"drug": pd.Series(values, dtype=object)}))
            found = frame["drug"].dp.top_values(2, categories="unknown", epsilon=1, delta=1e-6)
            own = {"id", "entry", "frame", "digest", "size"}
            label = {name: fact for name, fact in found.attrs["dp"].items() if name not in own}
            said.append((label, str(found.index.dtype), opened.ledger[["epsilon", "delta"]].to_numpy().tolist()))
    assert said[0] == said[1]


def of_people(relation: str, most: int) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """One person comes or goes with several keys, or has others: each adds one to every key of hers."""
    sets = [held for held in product((0, 1), repeat=KEYS) if sum(held) <= most]
    found = []
    for counts in product(range(3), repeat=KEYS):
        more = [tuple(n + one for n, one in zip(counts, held, strict=True)) for held in sets]
        found += [(counts, each) for each in more]
        if relation == "replace":
            found += [(one, other) for one in more for other in more if one != other]
    return found


@pytest.mark.parametrize("picks", [1, 3])
@pytest.mark.parametrize("relation", RELATIONS)
def test_a_person_of_many_keys_moves_an_order_no_farther(relation: str, picks: int) -> None:
    adjacency = Relation(relation).adjacency(whole=False)
    declared = picking_for("auto", Pure(Fraction(1)), adjacency, picks, False)
    cost = Approximate(Fraction(1), Fraction(1, 20))
    found = picking_for("auto", cost, adjacency, picks, True, 2)
    laws = {picking: {} for picking in (declared, found)}  # type: ignore[var-annotated]
    worst = {}
    for picking, most in ((declared, KEYS), (found, 2)):
        known = laws[picking]
        distances = [
            hockey_stick(known.setdefault(a, law(picking, a)), known.setdefault(b, law(picking, b)), 1.0)
            for one, other in of_people(relation, most)
            for a, b in ((one, other), (other, one))
        ]
        worst[picking] = max(distances)
    assert worst[declared] < 1e-12
    assert 1e-4 < worst[found] <= 0.05
    if relation == "add_remove":
        nearer = picking_for("auto", cost, adjacency, picks, True, 1)
        assert max(hockey_stick(law(nearer, b), law(nearer, a), 1.0) for a, b in of_people(relation, 2)) > 0.05


def test_where_people_have_many_rows_each_counts_once_in_every_value_of_theirs() -> None:
    rows = [(p, key) for p in range(400) for key in ("a", "a", "a", "b")[: 4 if p < 150 else 0]]
    rows += [(p, "b") for p in range(150, 400)] + [(p, "c") for p in range(60)]
    visits = pd.DataFrame(rows, columns=["person", "drug"]).assign(sex="m")
    with session(unit="person") as opened, zero_noise():
        frame = opened.protect(visits)
        declared = frame["drug"].dp.top_values(2, categories=["a", "b", "c"], epsilon=20)
        found = frame["drug"].dp.top_values(2, categories="unknown", max_keys=3, epsilon=20, delta=1e-6)
        first = frame["drug"].dp.top_values(1, categories="unknown", max_keys=1, epsilon=20, delta=1e-6)
    assert list(declared.index) == list(found.index) == ["b", "a"]  # "a" has more rows
    assert list(first.index) == ["b"]
    assert declared.attrs["dp"]["count"] == found.attrs["dp"]["count"] == "people"
    assert found.attrs["dp"]["max_keys"] == 3
