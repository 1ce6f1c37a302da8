"""Expressions are graphs that stay small, are one object where they are made alike, and never raise over rows."""

from __future__ import annotations

import copy
import gc
import pickle
import threading
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp.core.engine.fold import Column
from pandas_dp.language.arithmetic import LookedUp, applied
from pandas_dp.language.column import LazyColumn
from pandas_dp.language.graph import MISSING, Kind, Node, Program, always, constant, source_column
from pandas_dp.language.table import LazyTable
from pandas_dp.language.texts import Changed, Said
from pandas_dp.language.times import Moment

from .expressions import expressions
from .neighbours import ANY, KINDS, neighbours, plain
from .rows import Held, Made, lazy, run, stored

NEIGHBOURS = neighbours(plain())
SOME = [name for name in NEIGHBOURS if "row" in name][::6]


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("declared", [False, True], ids=["any", "declared"])
def test_nothing_raises_over_rows_and_each_row_is_by_itself(seed: int, declared: bool) -> None:
    nodes = [stored(each) for each in expressions(seed, lazy(KINDS if declared else ANY), 60)]
    whole = run(nodes, Held(plain()))
    assert run(nodes, Held(plain().iloc[:0])) == [[] for _ in nodes]
    for frame, same in (NEIGHBOURS[name] for name in SOME):
        places = same if len(frame) == len(plain()) else list(range(len(same)))
        for once, now in zip(whole, run(nodes, Held(frame)), strict=True):
            assert [once[row] for row in same] == [now[row] for row in places]


# -- growth


def bands(table: LazyTable, many: int) -> LazyTable:
    made = table.copy()
    for place in range(many):
        made.loc[(made.x > place) & (made.x <= place + 1), "x"] = place
    return made


def choices(table: LazyTable, many: int) -> LazyColumn:
    x = table["x"]
    for _ in range(many):
        x = np.where(x > 50, x - 1, x)
    return x


def filled(table: LazyTable, many: int) -> LazyColumn:
    x = table["x"]
    for _ in range(many):
        x = x.fillna(x * 2).clip(lower=x - 1)
    return x


def sums(table: LazyTable, many: int) -> LazyColumn:
    x = table["x"]
    for _ in range(many):
        x = x + 1
    return x


def joined_texts(table: LazyTable, many: int) -> LazyColumn:
    k = table["k"]
    for _ in range(many):
        k = k + k
    return k


def cut(table: LazyTable, many: int) -> LazyTable:
    for place in range(many):
        table = table[table["x"] * table["y"] > place]
    return table


def kept(table: LazyTable, many: int) -> LazyColumn:
    x, y = table["x"], table["y"]
    for place in range(many):
        x = x.where(y > place, x.mask(y < place))
    return x


GROWING: list[Callable[[LazyTable, int], Any]] = [bands, choices, filled, sums, joined_texts, cut, kept]


class Counting:
    """Counts how often a column is asked for."""

    def __init__(self, rows: Held) -> None:
        self.rows, self.asked = rows, 0

    def __len__(self) -> int:
        return len(self.rows)

    def column(self, name: Any) -> Column:
        self.asked += 1
        return self.rows.column(name)


@pytest.mark.parametrize("declared", [False, True], ids=["any", "declared"])
@pytest.mark.parametrize("grown", GROWING, ids=lambda grown: grown.__name__)
def test_a_chain_has_as_many_nodes_as_links(grown: Callable[..., Any], declared: bool) -> None:
    table = lazy(KINDS if declared else ANY)
    one, two, many = (len(Program.of(Made.of(grown(table, links)).wanted).nodes) for links in (1, 2, 60))
    link = two - one
    assert many <= one + 59 * link
    assert link <= 60


@pytest.mark.parametrize("declared", [False, True], ids=["any", "declared"])
def test_each_node_is_evaluated_once(declared: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    made = Made.of(bands(lazy(KINDS if declared else ANY), 60)).wanted
    rows, called = Counting(Held(plain())), [0]
    for kind in {type(node) for node in Program.of(made).nodes}:
        monkeypatch.setattr(kind, "of", _counted(kind.of, called))
    Program.of(made).run(rows)
    assert called == [len(Program.of(made).nodes)]
    assert rows.asked == len(KINDS)


def _counted(of: Callable[..., Any], called: list[int]) -> Callable[..., Any]:
    def counted(self: Node, rows: Any, *given: Any) -> Any:
        called[0] += 1
        return of(self, rows, *given)

    return counted


def test_a_long_chain_is_evaluated_and_pickled() -> None:
    node = sums(lazy(KINDS), 2_000).read()
    assert len(Program.of([node]).nodes) == 2_003
    again = pickle.loads(pickle.dumps(node))
    assert again is node
    (found,) = Program.of([again]).run(Held(plain()))
    np.testing.assert_array_equal(found, plain().x.to_numpy() + 2_000, strict=False)


def test_a_long_chain_of_choices_is_read_as_numbers_and_a_long_chain_of_cuts_is_read() -> None:
    chain = kept(lazy(ANY), 600)
    assert len(Program.of([(chain + 1).node]).nodes) < 6_000
    table = pdp.Session(epsilon=1).scan(pd.DataFrame({"x": [1.0, 2.0], "y": [3.0, 4.0]}))
    scanned = table._rows._source.asked(cut(table, 600))._dp_origin.scanned
    assert scanned.rows([]) is not None


def test_texts_that_would_fill_a_machine_are_missing() -> None:
    """60 doublings of a character are more than any memory holds."""
    rows, table = Held(pd.DataFrame({"k": ["a", "", None]})), lazy({"k": "text"})
    assert run([joined_texts(table, 60).node], rows) == [[None, ("text", ""), None]]
    assert run([joined_texts(table, 3).node], rows) == [[("text", "a" * 8), ("text", ""), None]]
    grown = table["k"]
    for _ in range(20):
        grown = grown.str.repeat(100).str.replace("a", "aaaaaaaa").str.replace("b|$", r"\g<0>b", regex=True)
    assert run([grown.node], rows) == [[None, None, None]]


def test_a_long_chain_is_let_go_without_a_deep_call() -> None:
    node: Node = source_column("x")
    for _ in range(50_000):
        node = applied("neg", node)
    last = weakref.ref(node)
    del node
    gc.collect()
    assert last() is None


ALIVE: list[weakref.ref[Any]] = []


@dataclass(frozen=True, eq=False)
class Noted(Node):
    """Makes something of what there was, and notes how many are held by then."""

    place: int
    kind: ClassVar[Kind] = "number"

    def of(self, rows: Any, *given: Any) -> Any:
        found = np.zeros(len(rows))
        ALIVE.append(weakref.ref(found))
        assert sum(each() is not None for each in ALIVE) <= 3
        return found


def test_what_nobody_needs_is_let_go_while_others_are_made() -> None:
    ALIVE.clear()
    node: Node = source_column("x")
    for place in range(50):
        node = Noted((node, node), place)
    Program.of([node]).run(Held(plain()))
    assert len(ALIVE) == 50


# -- nodes made alike are one


def alike() -> list[Callable[[], Node]]:
    x = source_column("x")
    return [
        lambda: source_column("x"),
        lambda: constant(1.5),
        lambda: constant(float("nan")),
        lambda: constant(-0.0),
        lambda: applied("+", x, constant(1)),
        lambda: LookedUp((constant(1),), (1.0, 2.0), (3.0, float("nan"))),
        lambda: Changed((Said((), "a"),), "replace", ("a", "b", -1, 0, False)),
        lambda: Moment((), "time", 5),
    ]


@pytest.mark.parametrize("make", alike())
def test_nodes_made_alike_are_one_object(make: Callable[[], Node]) -> None:
    assert make() is make()
    assert pickle.loads(pickle.dumps(make())) is make()
    assert copy.deepcopy(make()) is make()


def test_what_python_takes_for_equal_is_told_apart() -> None:
    assert constant(0.0) is not constant(-0.0)
    assert source_column(1) is not source_column(True)
    assert source_column(1) is not source_column(1.0)
    assert source_column("1") is not source_column(1)
    assert Said((), None) is not Said((), "None")
    assert Moment((), "time", 1) is not Moment((), "span", 1)
    assert always(True) is not always(False)
    assert LookedUp((MISSING,), (0.0,), (1.0,)) is not LookedUp((MISSING,), (-0.0,), (1.0,))


def test_there_is_one_missing_number() -> None:
    negative_nan = np.array(0xFFF8_0000_0000_0001, np.uint64).view(np.float64).item()
    assert constant(negative_nan) is MISSING
    assert constant(np.float64("nan")) is MISSING
    assert applied("-", constant(float("inf")), constant(float("inf"))) is MISSING


def test_numbers_of_numpy_are_those_of_python() -> None:
    assert constant(np.float64(2)) is constant(2)
    assert constant(np.int8(2)) is constant(2)
    assert constant(np.bool_(True)) is constant(1)


def test_threads_make_one_object() -> None:
    found: list[list[Node]] = []
    together = threading.Barrier(8)

    def make() -> None:
        together.wait()
        node: Node = source_column("x")
        found.append([node := applied("+", applied("*", node, constant(place)), constant(1)) for place in range(300)])

    threads = [threading.Thread(target=make) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8
    assert all(one is other for each in found for one, other in zip(each, found[0], strict=True))


def test_nodes_that_nobody_holds_are_forgotten() -> None:
    def count() -> int:
        gc.collect()
        return len(type(Node).known)  # type: ignore[attr-defined]

    before = count()
    held = bands(lazy(dict.fromkeys(("x", "never seen before"), "any")), 20)
    assert count() > before
    del held
    assert count() <= before


def test_a_block_is_as_any_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """Conditions and columns are made in blocks of 2**16 rows."""
    frame = pd.concat([plain(200)] * 400, ignore_index=True)
    made = lazy(KINDS)
    found = Made.of(made[(made.x > 0) | (made.k == "a")][["x", "k", "t"]]).on(Held(frame))
    once = Made.of(made[(made.x > 0) | (made.k == "a")][["x", "k", "t"]]).on(Held(plain(200)))
    for name, values in found.items():
        assert list(map(str, values)) == list(map(str, once[name])) * 400
