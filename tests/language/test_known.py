"""What is known of a made column holds of each of its values, where declarations hold of what it is made of."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import numpy as np
import pandas as pd
import pandera.pandas as pa
import pytest

import pandas_dp as pdp
from pandas_dp.core.engine.values import label
from pandas_dp.language.column import LazyColumn
from pandas_dp.language.graph import Kind, Program
from pandas_dp.language.known import NOTHING, Known
from pandas_dp.language.table import LazyTable
from pandas_dp.language.values import as_column

from .cases import CASES, DECLARED
from .expressions import expressions
from .neighbours import KINDS
from .rows import Held, exact, lazy, stored

ROWS = 400
KNOWN = {
    "x": Known((-3.75, 2.5)),
    "y": Known((0.5, 1.5)),
    "n": Known((0.0, 4.0), (0, 1, 2, 3, 4)),
    "b": Known((0.0, 1.0), (False, True)),
    "k": Known(labels=("a", "b", "Ab c", " d")),
    "m": Known(labels=("1.5", "7", "no")),
    "c": Known(labels=("v", "u", "w"), ordered=True),
}


def declared(rows: int = ROWS) -> pd.DataFrame:
    """Columns that are as they were declared, with missing values and with values at the ends."""
    rng = np.random.default_rng(5)

    def some(name: str, *also: Any) -> Any:
        return rng.choice(np.array([*(KNOWN[name].labels or ()), *also], dtype=object), rows)

    times = pd.Series(rng.integers(-(2**60), 2**60, rows)).astype("M8[ns]")
    return pd.DataFrame(
        {
            "x": np.where(rng.random(rows) < 0.2, np.nan, rng.choice([-3.75, 2.5, 0.0, -0.0, 0.1, 1.9, -1.0], rows)),
            "y": np.where(rng.random(rows) < 0.2, np.nan, rng.uniform(0.5, 1.5, rows)),
            "n": some("n").astype(float),
            "b": rng.random(rows) < 0.5,
            "k": some("k", None),
            "s": rng.choice(np.array(["2020-01-31", "x", None], dtype=object), rows),
            "m": some("m", None),
            "t": times,
            "u": times.sample(frac=1, random_state=1).to_numpy(),
            "w": pd.Series(rng.integers(-(2**50), 2**50, rows)).astype("m8[ns]"),
            "c": some("c", None),
        }
    )


FRAME = declared()


def outside(columns: list[LazyColumn]) -> list[Any]:
    """Values that what is known of their column rules out."""
    nodes = [stored(each) for each in columns]
    found: list[Any] = []
    for place, (column, made) in enumerate(zip(columns, Program.of(nodes).run(Held(FRAME)), strict=True)):
        values = {each for each in exact(as_column(nodes[place].kind, made, ROWS)) if each is not None}
        if column.known.bounds is not None:
            low, high = column.known.bounds
            room = 1e-9 * max(abs(low), abs(high))
            found += [(place, column.known, v) for v in values if not low - room <= float(v[1]) <= high + room]
        if column.known.labels is not None:
            allowed = {label(each) for each in column.known.labels}
            found += [(place, column.known, v) for v in values if v[1] not in allowed]
    return found


def columns_of(made: LazyColumn | LazyTable) -> list[LazyColumn]:
    return [made] if isinstance(made, LazyColumn) else list(dict(made.items()).values())


@pytest.mark.parametrize("kinds", [KINDS, dict.fromkeys(KINDS, "any")], ids=["declared", "any"])
def test_each_way_of_writing_keeps_what_is_known(kinds: dict[str, Kind]) -> None:
    table = lazy(kinds, KNOWN)
    wrong = []
    for name, ways in (CASES | DECLARED if kinds is KINDS else CASES).items():
        for place, way in enumerate(ways):
            columns = columns_of((way[0] if isinstance(way, tuple) else way)(table))
            wrong += [(name, place, each) for each in outside(columns)]
    assert not wrong


@pytest.mark.parametrize("seed", range(100, 140))
@pytest.mark.parametrize("kinds", [KINDS, dict.fromkeys(KINDS, "any")], ids=["declared", "any"])
def test_expressions_at_random_keep_what_is_known(kinds: dict[str, Kind], seed: int) -> None:
    assert not outside(expressions(seed, lazy(kinds, KNOWN), 80))


BOUNDED: dict[str, tuple[Callable[[Any], Any], tuple[float, float]]] = {
    "+": (lambda d: d.x + d.y, (-3.25, 4.0)),
    "-": (lambda d: d.x - d.y, (-5.25, 2.0)),
    "*": (lambda d: d.x * d.y, (-5.625, 3.75)),
    "/": (lambda d: d.x / d.y, (-7.5, 5.0)),
    "2 * x - 1": (lambda d: 2 * d.x - 1, (-8.5, 4.0)),
    "an even power": (lambda d: d.x**2, (0.0, 14.0625)),
    "np.square": (lambda d: np.square(d.x), (0.0, 14.0625)),
    "an odd power": (lambda d: d.y**3, (0.125, 3.375)),
    "a power that is a column": (lambda d: d.y**d.x, (0.5**2.5, 0.5**-3.75)),
    "a root": (lambda d: d.y**0.5, (0.5**0.5, 1.5**0.5)),
    "log": (lambda d: np.log(d.y), (float(np.log(0.5)), float(np.log(1.5)))),
    "neg": (lambda d: -d.x, (-2.5, 3.75)),
    "abs": (lambda d: abs(d.x), (0.0, 3.75)),
    "abs of what is positive": (lambda d: abs(d.y), (0.5, 1.5)),
    "clip": (lambda d: d.x.clip(0, 9), (0.0, 2.5)),
    "clip by a column, which may be missing": (lambda d: d.x.clip(lower=d.y), (-3.75, 2.5)),
    "fillna": (lambda d: d.x.fillna(7), (-3.75, 7.0)),
    "where": (lambda d: d.x.where(d.b), (-3.75, 2.5)),
    "where, else": (lambda d: d.x.where(d.b, 5), (-3.75, 5.0)),
    "np.where": (lambda d: np.where(d.x > 1, 1, 0), (0.0, 1.0)),
    "astype(int)": (lambda d: d.y.astype(int), (0.0, 1.0)),
    "a condition": (lambda d: (d.x > 1) * 3, (0.0, 3.0)),
    "month": (lambda d: d.t.dt.month, (1.0, 12.0)),
    "map": (lambda d: d.k.map({"a": 3, "b": -1}), (-1.0, 3.0)),
}
LABELLED: dict[str, tuple[Callable[[Any], Any], tuple[Any, ...]]] = {
    "comparison": (lambda d: d.x > 1, (False, True)),
    "cut": (lambda d: d.x.cut([-4, 0, 4], labels=["lo", "hi"]), ("lo", "hi")),
    "map": (lambda d: d.k.map({"a": "A", "b": "B"}), ("A", "B")),
    "np.where": (lambda d: np.where(d.x > 1, "hi", "lo"), ("hi", "lo")),
    "where": (lambda d: d.k.where(d.b), ("a", "b", "Ab c", " d")),
    "where, else": (lambda d: d.k.where(d.b, "other"), ("a", "b", "Ab c", " d", "other")),
    "upper": (lambda d: d.k.str.upper(), ("A", "B", "AB C", " D")),
    "astype": (lambda d: d.k.astype(pd.CategoricalDtype(["b", "a"])), ("b", "a")),
    "astype(int)": (lambda d: d.n.astype(int), (0, 1, 2, 3, 4)),
    "quarter": (lambda d: d.t.dt.quarter, (1, 2, 3, 4)),
}
UNKNOWN: dict[str, Callable[[Any], Any]] = {
    "numbers that texts say": lambda d: d.m.astype(float),
    "divided by what may be 0": lambda d: d.y / d.x,
    "replaced at will": lambda d: d.s.str.replace("x", "y"),
    "log of what may be 0": lambda d: np.log(d.x),
    "root of what may be below 0": lambda d: d.x**0.5,
}


@pytest.mark.parametrize("way", BOUNDED)
def test_bounds_follow(way: str) -> None:
    made, bounds = BOUNDED[way]
    assert made(lazy(KINDS, KNOWN)).known.bounds == bounds


@pytest.mark.parametrize("way", LABELLED)
def test_labels_follow(way: str) -> None:
    made, labels = LABELLED[way]
    assert made(lazy(KINDS, KNOWN)).known.labels == labels


@pytest.mark.parametrize("way", UNKNOWN)
def test_nothing_is_known_where_nothing_follows(way: str) -> None:
    assert UNKNOWN[way](lazy(KINDS, KNOWN)).known == NOTHING


def test_what_was_declared_is_of_the_column_and_not_of_its_name() -> None:
    table = lazy(KINDS, KNOWN).assign(x=lambda d: d.s.str.len())
    assert table.x.known == NOTHING


BY_LABELS = {
    "condition": (lambda d: d.x > 1, True),
    "month": (lambda d: d.t.dt.month, True),
    "day": (lambda d: d.t.dt.day_name(), True),
    "schema": (lambda d: d.k, True),
    "schema, renamed": (lambda d: d.k.where(d.x > 1), True),
    "categories": (lambda d: d.s.astype(pd.CategoricalDtype(["u", "0new"])), False),
    "dict": (lambda d: d.s.map({"u": "U", "0new": "N"}), False),
    "cut": (lambda d: d.x.cut([0, 13.5, 99], labels=["low", "high"]), False),
    "choice": (lambda d: np.where(d.x > 1, "u", "0new"), False),
    "beside the schema": (lambda d: d.k.where(d.x > 1, "0new"), False),
    "spelled": (lambda d: d.k.str.replace("a", "0new"), False),
}


@pytest.mark.parametrize("name", BY_LABELS)
def test_labels_that_a_program_wrote_are_known_only_where_it_read_nothing(name: str) -> None:
    made, stays = BY_LABELS[name]
    frame = pd.DataFrame({"x": [1.0, 2.0], "k": ["a", "b"], "s": ["u", "v"], "t": pd.to_datetime(["2026-01-01"] * 2)})
    schema = pa.DataFrameSchema({"k": pa.Column(str, pa.Check.isin(["a", "b"]))})
    with pdp.Session(epsilon=10, schema=schema) as session:
        d = session.scan(frame)
        counted = d.assign(z=made(d)).dp.groupby("z").size
        assert len(counted(epsilon=1)) > 1
        d._rows._source.shows("values")
        with pytest.raises(pdp.errors.NoCategories, match="categories=") if not stays else nullcontext():
            d.assign(z=made(d)).dp.groupby("z").size(epsilon=1)
        assert session.share_used == pytest.approx(0.2 if stays else 0.1)
