"""How rows were made, as a text: read again it is the same; without its constants it tells none; and it stays short."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp.language import reader, wording
from pandas_dp.language.arithmetic import joined
from pandas_dp.language.column import LazyColumn
from pandas_dp.language.forms import PUBLIC
from pandas_dp.language.graph import Constant, Node, Program
from pandas_dp.language.known import Known
from pandas_dp.language.reader import NODES, read_again
from pandas_dp.language.table import LazyTable
from pandas_dp.language.texts import Said
from pandas_dp.language.wording import LONGEST, Wording

from .cases import CASES
from .expressions import expressions
from .neighbours import ANY, KINDS
from .rows import lazy, stored

DECLARED = {"any": ANY, "declared": KINDS}


def said(table: LazyTable, made: LazyColumn | LazyTable) -> Wording:
    source = dict(table.items())
    if isinstance(made, LazyColumn):
        return Wording(lambda: source, made.rows.conditions, {"z": made})
    return Wording(lambda: source, made._rows.conditions, dict(made.items()))


def assert_same(table: LazyTable, words: Wording) -> None:
    """What is read again is the same nodes, of which there is one each."""
    text = words.text()
    read = read_again(dict(table.items()), text)
    for name, column in words.made.items():
        found = table._any().value(read[name])
        assert stored(column) in (found.node, found.read()), text
    if words.conditions:
        found = table._any().value(read[None])
        assert found.read() is joined("and", words.conditions, nothing=True), text


@pytest.fixture
def unlimited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wording, "LONGEST", 10**6)
    monkeypatch.setattr(reader, "LONGEST", 10**6)


@pytest.mark.usefixtures("unlimited")
@pytest.mark.parametrize("kinds", DECLARED)
def test_each_way_of_writing_rows_is_read_again(kinds: str) -> None:
    table, many = lazy(DECLARED[kinds]), 0
    for ways in CASES.values():
        for way in ways:
            try:
                made = (way[0] if isinstance(way, tuple) else way)(table.copy())
            except pdp.PrivacyError:
                continue
            if isinstance(made, LazyColumn | LazyTable):
                many += 1
                assert_same(table, said(table, made))
    assert many > 450


@pytest.mark.usefixtures("unlimited")
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("kinds", DECLARED)
def test_any_expression_is_read_again(kinds: str, seed: int) -> None:
    table = lazy(DECLARED[kinds])
    for made in expressions(seed, table, 50):
        assert_same(table, said(table, made))


def test_each_kind_of_node_has_a_name() -> None:
    nodes = {each for each in every_node_class() if not each.__name__.startswith("_")}
    assert nodes - NODES.keys() == set()
    assert len({*NODES.values()}) == len(NODES)


def every_node_class() -> set[type[Node]]:
    found, waiting = set[type[Node]](), [Node]
    while waiting:
        for each in waiting.pop().__subclasses__():
            waiting.append(each)
            if each.__module__.startswith("pandas_dp.") and "of" in vars(each):
                found.add(each)
    return found


# -- as people write it


def table(known: Mapping[Any, Known] | None = None) -> LazyTable:
    return lazy({"x": "number", "y": "number", "k": "any", "t": "time", "a b": "any"}, known)


TEXTS = {
    "x > 0 and k in ('a', 'b')": lambda d: (d.x > 0) & d.k.isin(["a", "b"]),
    "where(x > 2, log(x), 0)": lambda d: np.where(d.x > 2, np.log(d.x), 0),
    "(x + y) * 2 - -1": lambda d: (d.x + d.y) * 2 - -1,
    "x - (y - 1)": lambda d: d.x - (d.y - 1),
    "(x ** 2) ** y": lambda d: (d.x**2) ** d.y,
    "-(x + 1)": lambda d: -(d.x + 1),
    "not (x > 0 or k == 'a')": lambda d: ~((d.x > 0) | (d.k == "a")),
    "k != 'a' and (x > 1) == (y > 1)": lambda d: (d.k != "a") & ((d.x > 1) == (d.y > 1)),
    "x.fillna(0)": lambda d: d.x.fillna(0),
    "k.fillna('?')": lambda d: d.k.fillna("?"),
    "k.str.lower().str.startswith('ri')": lambda d: d.k.str.lower().str.startswith("ri"),
    "t.dt.year == 2026": lambda d: d.t.dt.year == 2026,
    "t - time('2026-05-01T00:00:00') > span('3 days 00:00:00')": lambda d: (d.t - pd.Timestamp("2026-05-01")) > "3D",
    "`a b` + k": lambda d: d["a b"] + d.k,
    "k.map({'a': 1, 'b': 2.5})": lambda d: d.k.map({"a": 1, "b": 2.5}),
    "x.cut((0, 5, 9), labels=('low', 'high'))": lambda d: d.x.cut([0, 5, 9], labels=["low", "high"]),
    "x.isna() or y >= inf": lambda d: d.x.isna() | (d.y >= np.inf),
}


@pytest.mark.parametrize("text", TEXTS)
def test_it_is_written_as_people_write_it(text: str) -> None:
    made = TEXTS[text](table())
    assert said(table(), made).text() == f"z: {text}"
    assert_same(table(), Wording(lambda: dict((made.rows._source and {}) or {}), (), {}))


def test_rows_come_first_and_columns_that_were_asked() -> None:
    d = table()
    made = d[d.x > 0][d.k == "a"].assign(z=d.x * 2, w=d.y + 1)
    words = Wording(lambda: dict(d.items()), made._rows.conditions, {name: made[name] for name in ("z", "w")})
    assert words.text() == "rows: x > 0 and k == 'a'\nz: x * 2\nw: y + 1"
    assert words.text(["w", "x"]) == "rows: x > 0 and k == 'a'\nw: y + 1"


@pytest.mark.parametrize("name", ["rows", "t1", "nan", "in", "a b", "it's", 3, ("a", 1), "a: b", "x`", ""])
def test_columns_of_any_name_are_read_again(name: Any) -> None:
    d = lazy({name: "any", "x": "number"})
    made = d[d[name] > 1].assign(x=d.x + d[name]).rename(columns={"x": name, name: "x"})
    assert_same(d, said(d, made))


# -- graphs


def doubled(many: int) -> LazyColumn:
    made = table().x
    for place in range(many):
        made = np.where(made > 50 + place, made - 1, made)
    return made


def test_what_is_used_again_has_a_name() -> None:
    text = said(table(), doubled(2)).text()
    assert text == "t1 = where(x > 50, x - 1, x)\nz: where(t1 > 51, t1 - 1, t1)"


@pytest.mark.usefixtures("unlimited")
def test_its_length_grows_with_the_nodes_and_not_with_the_paths() -> None:
    lengths = [len(said(table(), doubled(many)).text()) for many in (10, 20, 40)]
    assert lengths[2] - lengths[1] < 2.5 * (lengths[1] - lengths[0])
    assert_same(table(), said(table(), doubled(60)))


@pytest.mark.usefixtures("unlimited")
def test_a_deep_chain_is_read_again() -> None:
    made = table().x
    for _ in range(300):
        made = abs(made + 1)
    assert_same(table(), said(table(), made))


def test_a_text_has_an_end() -> None:
    text = said(table(), doubled(200)).text()
    assert len(text) == LONGEST
    assert re.search(r"… \(\d+ operations\)$", text)
    assert len(said(table(), table().x.isin(range(10**5))).text()) == LONGEST


# -- masked


def test_constants_are_numbered_and_nothing_is_told_of_them() -> None:
    d = table({"x": Known((0.0, 100.0)), "k": Known(labels=("a", "b"), are_categories=True)})
    made = d[(d.x > 13.5) & (d.y < -13.5) & d.k.isin(["a", "b"]) & (d.x <= 100)]
    made = made.assign(z=made.x - 13.5 + 7, w=made.k.isin(["a", "xq"]), n=made.k.map({"a": 3, "c": 4}) * -1)
    words = Wording(lambda: dict(d.items()), made._rows.conditions, {name: made[name] for name in ("z", "w", "n")})
    assert words.text(masked=True).splitlines() == [
        "rows: x > #1 and y < -#1 and k in ('a', 'b') and x <= 100",
        "z: x - #1 + #2",
        "w: k in 2 values",
        "n: k.map(2 values) * -1",
    ]


def test_times_and_texts_are_masked() -> None:
    d = table()
    made = d.assign(z=d.t - pd.Timestamp("2026-05-01"), w=d.k.str.replace("xq", "zw") + "tail", v=d.k == "xq")
    words = Wording(lambda: dict(d.items()), (), {name: made[name] for name in ("z", "w", "v")})
    assert words.text(masked=True).splitlines() == [
        "z: t - #1",
        "w: k.str.replace('…', '…') + '…'",
        "v: k == '…'",
    ]


def constants(nodes: Sequence[Node]) -> set[Any]:
    """Everything in facts that is no name of the language."""
    found, waiting = (
        set(),
        [
            getattr(node, name)
            for node in Program.of(nodes).nodes
            for name in node.facts[1:]
            if name not in (*PUBLIC, "column")
        ],
    )
    while waiting:
        each = waiting.pop()
        waiting += list(each) if isinstance(each, tuple) else []
        found |= {each} if isinstance(each, str | float | int) and not isinstance(each, bool) else set()
    return found


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("kinds", DECLARED)
def test_masked_text_holds_no_constant(kinds: str, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wording, "LONGEST", 10**6)
    d = lazy(DECLARED[kinds])
    for made in expressions(seed, d, 40):
        words = said(d, made)
        text = words.text(masked=True)
        literals = re.findall(r"'[^']*'", text)
        of_language = {*re.findall(r"(?:kind|how|change|trial|count|field|period|comparison|operator)='([^']*)'", text)}
        sorts = {"number", "text", "time", "span", "…", *of_language}
        assert {each[1:-1] for each in literals} <= sorts, text
        shown = re.findall(r"(?<![\w#.])\d[\d.e+]*(?![\w ]*values?)", text)
        assert {*map(float, shown)} <= {0.0, 1.0}, text


def test_the_property_fails_where_a_constant_is_shown() -> None:
    d = table()
    assert constants([stored(d.x + 13.5), stored(d.k == "xq")]) == {13.5, "xq"}
    assert isinstance(stored(d.x + 13.5).inner[1], Constant)
    assert isinstance(stored(d.k == "xq").inner[1], Said)


# -- in labels


@pytest.fixture
def asked() -> Any:
    with pdp.Session(epsilon=1e6) as session:
        yield session.scan(pd.DataFrame({"x": [1.0, 2.0, 30.0] * 50, "k": ["a", "b", "c"] * 50}))


ASK = {"bounds": (0, 9), "epsilon": 1}


def test_a_label_has_the_text_of_what_was_asked(asked: Any) -> None:
    some = asked[asked.x > 1.5].assign(z=asked.x - 13.482917, w=asked.x * 77)
    label = some["z"].dp.mean(**ASK).attrs["dp"]
    assert (label["rows"], label["made"]) == ("followed", "rows: x > 1.5\nz: x - 13.482917")
    assert some[["z", "w"]].dp.mean(bounds={"z": (0, 9), "w": (0, 9)}, epsilon=1).attrs["dp"]["made"].count("\n") == 2
    assert some.dp.groupby("k", categories=["a"])["z"].mean(**ASK).attrs["dp"]["made"] == label["made"]
    assert asked["x"].dp.mean(**ASK).attrs["dp"]["made"] is None
    assert some["z"].dp.made == label["made"]
    assert some.dp.made == f"{label['made']}\nw: x * 77"


def test_what_people_were_made_of_is_said_before_what_was_made_of_them() -> None:
    with pdp.Session(epsilon=9, unit="id") as session:
        visits = session.scan(pd.DataFrame({"id": [1, 1, 2, 3], "cost": [1.0, 20.0, 30.0, 4.0]}))
        people = visits[visits.cost > 3.5].dp.per_person(cost="sum", n="size")
        rich = people[people["n"] > 1]["cost"].dp.mean(bounds=(0, 9), epsilon=1).attrs["dp"]
        assert rich["made"] == "rows: cost > 3.5\npeople: cost = sum(cost), n = size()\nrows: n > 1"
        visits._rows._source.shows("values")
        rich = people[people["n"] > 1]["cost"].dp.mean(bounds=(0, 9), epsilon=1).attrs["dp"]
        assert (rich["rows"], rich["made"].splitlines()[0]) == ("followed", "rows: cost > #1")


def test_after_something_was_read_a_label_and_a_ledger_have_no_constants(asked: Any) -> None:
    some = asked[asked.x > 1.5].assign(z=asked.x - 13.482917)
    some._rows._source.shows("shown")
    label = some["z"].dp.mean(**ASK).attrs["dp"]
    assert (label["read"], label["made"]) == ("shown", "rows: x > #1\nz: x - #2")
    entries = [entry.facts["made"] for entry in some._rows._source.core.ledger.entries()]
    assert entries == [label["made"]]
    assert "13.482917" in some["z"].dp.made
