"""Keys of people with many rows: what each counts, the law of what is shown, and the questions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pandera.pandas as pa
import pytest

import pandas_dp as pdp
from pandas_dp import errors
from pandas_dp.audit import zero_noise
from pandas_dp.core.budget.cost import Concentrated
from pandas_dp.core.engine.rows import RowsOfPeople
from pandas_dp.core.label.layout import Released
from pandas_dp.core.neighbours import Relation
from pandas_dp.keys import measure as measurement_found
from pandas_dp.keys.measure import Occurred, Occurring
from pandas_dp.keys.run import Showing, showing_for
from pandas_dp.views.titles import title_of
from tests.refusals import refused

from .laws import TEXTS, hockey_stick, shown, weights_of
from .test_reading import ODD

Rows = tuple[Any, ...]
POSSIBLE: list[Rows] = [rows for size in range(3) for rows in product(["a", "b", None], repeat=size)]


def seen(people: list[Rows], most: int, without: tuple[str, ...] = ()) -> Occurred:
    """Of people with these rows, whose rows alternate in the table."""
    order = sorted((at, person) for person, rows in enumerate(people) for at in range(len(rows)))
    data = pd.Series([people[person][at] for at, person in order], dtype=object, name="k")
    whose = np.array([person for _, person in order], np.int32)
    return RowsOfPeople(data, whose, len(people)).found("keys.fold:Occurs", Occurring("k", TEXTS, without, most))


def test_a_person_shares_herself_out_over_her_different_keys() -> None:
    found = weights_of(seen([("a", "a", "b"), ("a",), ("c", None, "c"), ()], 5))
    half = measurement_found.FINE
    assert found == {"a": half + int(half / 2**0.5), "b": int(half / 2**0.5), "c": half}


def test_the_first_keys_in_her_own_order_count() -> None:
    assert weights_of(seen([("c", "a", "b"), (None, "b", "a")], 1)) == {"c": 1, "b": 1}
    assert set(weights_of(seen([("c", "c", "a", "b")], 2))) == {"c", "a"}
    assert weights_of(seen([("c", "a", "b")], 1, ("c",))) == {"a": 1}


def test_rows_of_others_change_nothing_of_hers() -> None:
    alone = weights_of(seen([("c", "a", "b")], 2))
    beside = weights_of(seen([("c", "a", "b"), ("z",) * 5], 2))
    assert beside.pop("z") == measurement_found.FINE
    assert beside == alone


def test_odd_values_are_no_keys_of_hers() -> None:
    assert weights_of(seen([(*ODD, "a")], 1)) == {"a": 1}


def neighbours(relation: str) -> Iterator[tuple[list[Rows], list[Rows]]]:
    """Two people, of whom the first has other rows, or none at all."""
    others = [()] if relation == "add_remove" else POSSIBLE
    for first, second in product(POSSIBLE, POSSIBLE):
        for other in others:
            if first != other:
                yield [first, second], [other, second]


@pytest.mark.parametrize("most", [1, 2])
@pytest.mark.parametrize("relation", ["replace", "add_remove"])
def test_the_law_of_what_is_shown_keeps_the_price_on_all_neighbours(
    relation: str, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(measurement_found, "FINE", 3)
    cost = Concentrated(Fraction(2), Fraction(1, 50))
    adjacency = Relation(relation).adjacency(whole=False)
    showing = showing_for("auto", cost, adjacency, Occurring("k", TEXTS, (), most))
    known = {tuple(map(repr, pair)): pair for pair in neighbours(relation)}
    tables = {repr(table): seen(table, most) for pair in known.values() for table in pair}
    pairs = {
        (repr(sorted(weights_of(tables[repr(one)]).items())), repr(sorted(weights_of(tables[repr(other)]).items()))): (
            tables[repr(one)],
            tables[repr(other)],
        )
        for one, other in known.values()
    }
    laws: dict[int, Any] = {}

    def law(table: Occurred, made: Showing) -> Any:
        if id(table) not in laws:
            laws[id(table)] = shown(made, table, ["a", "b"])
        return laws[id(table)]

    for leak in (1e-2, 1e-3):
        epsilon = cost.concentrated().epsilon_at(leak)
        found = max(
            max(
                hockey_stick(law(a, showing), law(b, showing), epsilon),
                hockey_stick(law(b, showing), law(a, showing), epsilon),
            )
            for a, b in pairs.values()
        )
        assert 0 < found <= float(cost.delta) + leak + 1e-9


# -- questions


SCHEMA = pa.DataFrameSchema({"drug": pa.Column(str), "ward": pa.Column(str, pa.Check.isin(["x", "y"]))})
RHO: dict[str, Any] = {"rho": 0.3, "delta": 1e-6}


def visits() -> pd.DataFrame:
    people = np.repeat(np.arange(600), 3)
    drugs = np.where(np.arange(1800) % 3 == 0, "aspirin", np.where(people % 2, "codeine", "ibuprofen"))
    drugs[:2] = "rare"
    return pd.DataFrame({"id": people, "drug": drugs, "ward": ["x", "y"] * 900})


def opened(**more: Any) -> pdp.Session:
    return pdp.Session(**{"rho": 100, "delta": 1e-3, "schema": SCHEMA, "unit": "id", **more})


@pytest.mark.parametrize("neighbours", ["replace", "add_remove"])
def test_keys_of_people_are_found_and_then_counted(neighbours: str) -> None:
    with opened(neighbours=neighbours) as session, zero_noise():
        frame = session.protect(visits())
        found = frame.dp.find_categories("drug", max_keys=20, **RHO)
        assert sorted(found.index) == ["aspirin", "codeine", "ibuprofen"]
        assert found["weight"].sum() == pytest.approx(600 * 2**0.5, rel=0.01)
        assert found.dp.confint().notna().all(axis=None)
        label = found.attrs["dp"]
        assert (label["max_keys"], label["count"], label["keys"], label["unit"]) == (20, "people", "found", "id")
        by = {"drug": found, "ward": ["x", "y"]}
        table = frame.dp.crosstab("drug", "ward", categories=by, count="people", max_cells=6, rho=1)
        assert list(table.index) == list(found.index)
        more = frame.dp.find_categories("drug", max_keys=20, without=found, **RHO)
        assert len(more) == 0
    assert "; a person counts by 20 different keys at most; " in found.dp.guarantee


def test_one_key_a_person_counts_people() -> None:
    with opened(epsilon=10, rho=None) as session, zero_noise():
        frame = session.protect(visits())
        found = frame["drug"].dp.value_counts(categories="unknown", count="people", max_keys=1, epsilon=1, delta=1e-5)
    assert found["people_by_first_key"].to_dict() == {"aspirin": 599}  # the first visit of each but one
    assert "; a person counts by their first key alone; " in found.dp.guarantee
    assert "In brackets: 95 % intervals for the people in the data, each by their first key." in repr(found)
    assert title_of(Released.of(found)) == "Number of people by their first drug"


@pytest.mark.parametrize("neighbours", ["replace", "add_remove"])
def test_of_one_key_a_person_all_others_are_the_people_left(neighbours: str) -> None:
    data = visits()
    data.loc[data["id"] >= 500, "drug"] = None  # whose rows have no key
    with opened(epsilon=10, rho=None, neighbours=neighbours) as session, zero_noise():
        frame, how = session.protect(data), {"count": "people", "max_keys": 1, "epsilon": 1, "delta": 1e-5}
        found = frame["drug"].dp.value_counts(categories="unknown", other=True, **how)
        inside = frame[frame["ward"] == "x"]["drug"].dp.value_counts(categories="unknown", other=True, **how)
    assert found["people_by_first_key"].to_dict() == {"aspirin": 499, "other": 101}
    assert inside["people_by_first_key"].sum() == 600  # everybody has a visit there


def test_people_with_one_row_are_asked_as_ever() -> None:
    with opened() as session, zero_noise():
        frame = session.protect(visits())
        last = frame.groupby("id")["drug"].last()
        found = last.dp.value_counts(categories="unknown", **RHO)
    assert found["count"].to_dict() == {"codeine": 300, "ibuprofen": 300}


REFUSED: dict[str, Any] = {
    "how many keys": lambda f: f.dp.find_categories("drug", **RHO),
    "rows": lambda f: f["drug"].dp.value_counts(categories="unknown", **RHO),
    "several": lambda f: f["drug"].dp.value_counts(categories="unknown", max_keys=2, count="people", **RHO),
    "a bound of rows": lambda f: f.dp.find_categories("drug", max_keys=2, max_rows=3, **RHO),
    "other": lambda f: f.dp.find_categories("drug", max_keys=2, other=True, **RHO),
    "frequent": lambda f: f["drug"].dp.top_values(3, categories="unknown", **RHO),
    "frequent rows": lambda f: f["drug"].dp.top_values(3, categories="unknown", max_rows=2, **RHO),
    "frequent at rho": lambda f: f["drug"].dp.top_values(3, categories="unknown", max_keys=2, **RHO),
    "frequent declared": lambda f: f["ward"].dp.top_values(1, max_keys=2, rho=0.3),
    "frequent rows declared": lambda f: f["ward"].dp.top_values(1, max_rows=2, rho=0.3),
    "one row": lambda f: f.groupby("id").first().dp.find_categories("drug", max_keys=2, **RHO),
    "truncated": lambda f: f.dp.find_categories("drug", max_keys=2, mechanism="truncated-laplace", **RHO),
}


@pytest.mark.parametrize("name", REFUSED)
def test_is_refused_before_anything_is_paid(name: str) -> None:
    with opened() as session:
        frame = session.protect(visits())
        with refused((errors.UnsupportedArgument, errors.CostNotOffered), name):
            REFUSED[name](frame)
        assert len(session.ledger) == 0


def test_epsilon_with_delta_finds_keys_of_people_too() -> None:
    with opened(epsilon=5, rho=None, delta=1e-4) as session:
        frame = session.protect(visits())
        found = frame.dp.find_categories("drug", max_keys=5, epsilon=2, delta=1e-5)
        label = found.attrs["dp"]
        assert label["mechanism"] == "gaussian"
        assert label["rho"] > 0
        assert session.ledger["delta"].item() == 5e-6  # the leak; the other half is what rho leads to


@pytest.mark.parametrize("neighbours", ["replace", "add_remove"])
def test_a_plan_whose_noise_spends_more_than_its_price_is_stopped(
    neighbours: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    make = showing_for

    def cheaper(*arguments: Any, **more: Any) -> Showing:
        showing = make(*arguments, **more)
        return replace(showing, price=Concentrated(showing.price.as_rho.rho * Fraction(999, 1000), Fraction(1, 10**6)))

    monkeypatch.setattr("pandas_dp.keys.run.showing_for", cheaper)
    with opened(neighbours=neighbours) as session:
        frame = session.protect(visits())
        with pytest.raises(RuntimeError, match="spends"):
            frame.dp.find_categories("drug", max_keys=5, **RHO)
        assert len(session.ledger) == 0
