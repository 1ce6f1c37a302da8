"""Functions of the analyst are called once for each row that is shown, with its values, and what they give is kept."""

from __future__ import annotations

import math
import pathlib
import pickle
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pandera.pandas as pa
import pytest

import pandas_dp as pdp
from pandas_dp.errors import NotFollowed, PrivacyError
from pandas_dp.language.calls import values_given
from pandas_dp.language.evaluation import column_of_node
from pandas_dp.language.given import functions_of
from pandas_dp.language.graph import Kind, SomeRows
from pandas_dp.language.known import Fact
from pandas_dp.language.table import LazyTable
from pandas_dp.language.values import objects_of

from .neighbours import KINDS, STORAGES, as_objects, extreme, neighbours, plain
from .rows import exact

SURE = {"epsilon": 1e6}
SCHEMA = pa.DataFrameSchema(
    {"p": pa.Column(float), "q": pa.Column(int), "f": pa.Column(bool), "t": pa.Column("M8[ns]")}
)


def shown(frame: pd.DataFrame, kinds: Mapping[Any, Kind] | None = None, **opening: Any) -> LazyTable:
    """A table of a session whose rows its program is shown; of columns of these kinds."""
    source = pdp.Session(epsilon=1e9, **opening).scan(frame)._rows._source
    table = source.scanned.source
    of = type("Shown", (type(table),), {"shows_rows": True})
    facts = source.facts if kinds is None else {name: Fact(kind) for name, kind in kinds.items()}
    shows = replace(source.scanned, source=of(table._frame, table.whose))
    return replace(source, scanned=shows, facts=facts).table()


def values(found: Any) -> list[Any]:
    return values_given(found)


FRAME = pd.DataFrame(
    {
        "x": [1.5, 2.0, np.nan, -3.0],
        "n": [1, 2, 3, 2**60],
        "k": ["a", "b", None, "ab"],
        "t": np.array(["2021-05-01T00", "1999-01-01T10", "NaT", "2300-01-01T00"], "M8[s]"),
        "b": [True, False, True, True],
    }
)


def kind(value: Any) -> str:
    return "missing" if value != value else f"{type(value).__name__} {value}"


def test_what_a_function_gets() -> None:
    table = shown(FRAME)
    assert values(table["x"].map(kind)) == ["float 1.5", "int 2", "missing", "int -3"]
    assert values(table["n"].map(kind)) == ["int 1", "int 2", "int 3", f"float {2.0**60}"]
    assert values(table["k"].map(kind)) == ["str a", "str b", "missing", "str ab"]
    times = [
        "Timestamp 2021-05-01 00:00:00",
        "Timestamp 1999-01-01 10:00:00",
        "missing",
        "Timestamp 2300-01-01 00:00:00",
    ]
    assert values(table["t"].map(kind)) == times
    assert values((table["x"] > 1).map(kind)) == ["bool True", "bool True", "bool False", "bool False"]
    assert values((table["t"] - pd.Timestamp("2021-05-01")).map(kind))[0] == "Timedelta 0 days 00:00:00"


def test_what_is_declared_is_what_a_function_gets() -> None:
    frame = pd.DataFrame({"p": [1.0, 2.5], "q": [1, 2], "f": [True, False], "t": pd.to_datetime(["2021-05-01"] * 2)})
    table = shown(frame, schema=SCHEMA)
    assert values(table["p"].map(str)) == ["1.0", "2.5"]
    assert values(table["q"].map("class {}".format)) == ["class 1", "class 2"]
    assert values(table["f"].map(str)) == ["True", "False"]
    assert values(table["t"].map(lambda t: t.year)) == [2021, 2021]


def test_times_of_a_zone_are_its_clocks() -> None:
    zoned = pd.to_datetime(["2021-05-01 22:00"]).tz_localize("UTC").tz_convert("Asia/Tokyo")
    schema = pa.DataFrameSchema({"t": pa.Column(pd.DatetimeTZDtype("ns", "Asia/Tokyo"))})
    frame = pd.DataFrame({"t": zoned})
    assert values(shown(frame, schema=schema)["t"].map(lambda t: t.hour)) == [7]
    assert values(shown(frame)["t"].map(lambda t: t.hour)) == [22]


def test_it_is_called_when_it_is_written_and_what_it_gave_is_kept() -> None:
    by = {"by": 2}
    table = shown(FRAME)
    found = table["x"].map(lambda v: v * by["by"])
    by["by"] = 3
    assert values(found) == [3.0, 4, None, -6]
    assert values(found) == [3.0, 4, None, -6]


def test_it_is_called_once_for_each_row(tmp_path: pathlib.Path) -> None:
    table, folder = shown(FRAME), str(tmp_path)
    found = table[table["n"] < 3]["n"].map(lambda v: pathlib.Path(folder, str(v)).mkdir() or v)  # type: ignore[func-returns-value]
    assert round(found.dp.mean(bounds=(0, 9), **SURE)["mean"].item(), 2) == 1.5
    assert values(found) == [1, 2]  # a folder is made once
    assert sorted(each.name for each in tmp_path.iterdir()) == ["1", "2"]


def test_what_it_raises_is_missing_and_so_is_what_is_no_value() -> None:
    table = shown(FRAME)
    assert values(table["k"].map(len)) == [1, 1, None, 2]
    assert values(table["x"].map(lambda v: 1 / (v - 2))) == [-2.0, None, None, -0.2]
    assert values(table["x"].map(lambda v: [v])) == [None] * 4
    assert values(table["x"].map(lambda v: SystemExit if v == 2 else exit(1))) == [None] * 4
    assert values(table["k"].map(lambda v: str(v), na_action="ignore")) == ["a", "b", None, "ab"]
    given = [np.float32(0.5), np.int8(3), np.bool_(True), pd.NA]
    table_of = {1.5: given[0], 2: given[1], -3: given[2]}
    assert values(table["x"].map(lambda v: table_of[v])) == [0.5, 3, None, True]
    assert [type(each) for each in values(table["x"].map(lambda v: table_of[v]))] == [float, int, type(None), bool]


def test_what_it_gives_is_read_as_what_each_is() -> None:
    table = shown(FRAME)
    mixed = {1.5: "a", 2: 7, -3: pd.Timestamp("2020-01-01", tz="Asia/Tokyo")}
    made = table["x"].map(lambda v: mixed.get(v))
    assert values(made) == ["a", 7, None, pd.Timestamp("2019-12-31 15:00")]
    assert values(made + 1) == [None, 8.0, None, None] or math.isnan(values(made + 1)[0])
    assert values(made.str.upper()) == ["A", None, None, None]
    assert values(made.dt.year)[3] == 2019
    assert values(made.isna()) == [False, False, True, False]
    assert values(made == "a") == [True, False, False, False]


def test_arguments_are_handed_on() -> None:
    table = shown(FRAME)
    assert values(table["x"].apply(lambda v, a, b=1: v * a + b, args=(2,), b=3)) == [6.0, 7, None, -3]
    assert values(table["x"].apply(round, args=(0,))) == [2, 2, None, -3]
    assert values(table["k"].apply(lambda v, end: v + end, end="!")) == ["a!", "b!", None, "ab!"]


def test_functions_of_functions() -> None:
    table = shown(FRAME)
    twice = (table["x"] * 2).map(lambda v: v + 1)
    assert values(twice.map(lambda v: v * 10)) == [40, 50, None, -50]
    names = functions_of([twice.map(len).node, table["k"].map(str.upper).node])
    assert len(names) == 3
    assert "str.upper" in names


def test_only_rows_that_are_there_are_called_and_shown() -> None:
    table = shown(FRAME)
    big = table[table["x"] > 0]
    made = big["x"].map(lambda v: v * 2)
    assert values(made) == [3.0, 4]
    rest = big.assign(z=made)
    assert values(rest[rest["k"] == "b"]["z"]) == [4]
    table["z"] = made
    assert values(table["z"]) == [3.0, 4, None, None] or values(table["z"].isna()) == [False, False, True, True]


# -- rows


def test_a_function_of_rows() -> None:
    table = shown(FRAME)
    assert values(table.apply(lambda r: r["x"] * 2 + r.n if r.k == "a" else r.name, axis=1)) == [4.0, None, None, None]
    assert values(table[["x", "n"]].apply(lambda r: r.max(), axis=1))[:2] == [1.5, 2]
    assert values(table[["x", "n"]].apply(lambda r, by: r.n * by, axis=1, by=2))[:3] == [2, 4, 6]


def test_a_function_that_gives_a_series_makes_columns() -> None:
    table = shown(FRAME)
    made = table.apply(lambda r: pd.Series({"double": r.x * 2, "first": str(r.k)[0]}), axis=1)
    assert list(made) == ["double", "first"]
    assert values(made["double"]) == [3.0, 4, None, -6]
    assert values(made["first"]) == ["a", "b", "n", "a"]
    no_nan = table.apply(lambda r: pd.Series({"length": len(r.k)}), axis=1)
    assert values(no_nan["length"]) == [1, 1, None, 2]


def test_what_is_no_row_of_the_columns_is_missing() -> None:
    table = shown(FRAME)

    def f(row: Any) -> Any:
        if row.n == 1:
            return pd.Series([1.0], index=pd.Index([["a"]], dtype=object))
        return {2: np.array(3), 3: pd.Series({"b": 1})}.get(row.n, pd.Series({"a": 2, "b": "x"}))

    made = table.apply(f, axis=1)
    assert list(made) == ["a", "b"]
    assert values(made["a"]) == [None, None, None, 2]
    assert values(made["b"]) == [None, None, 1, "x"]
    assert list(table.apply(lambda r: [[1, 2], [3]], axis=1, result_type="expand")) == [0, 1]
    assert list(table.apply(lambda r: [], axis=1, result_type="expand")) == []
    with pytest.raises(NotFollowed, match="different names"):
        table.apply(lambda r: pd.Series([1, 2], index=["a", "a"]), axis=1)


def test_a_list_that_is_expanded_makes_columns() -> None:
    table = shown(FRAME)
    table[["p", "q"]] = table.apply(lambda r: (r.x, r.n), axis=1, result_type="expand")
    assert values(table["q"])[:3] == [1, 2, 3]
    with pytest.raises(NotFollowed, match="a row without values"):
        table.apply(lambda r: [r.k[5]], axis=1, result_type="expand")


@pytest.mark.parametrize("way", [lambda d: d.apply(abs, axis=1, raw=True), lambda d: d.x.transform(lambda s: s)])
def test_what_hands_over_more_than_a_row_is_refused(way: Callable[[Any], Any]) -> None:
    with pytest.raises(NotFollowed):
        way(shown(FRAME))


def test_a_table_of_values_is_mapped_value_by_value() -> None:
    made = shown(FRAME)[["x", "n"]].map(lambda v: v + 1)
    assert values(made["x"])[:2] == [2.5, 3]


def test_state_is_refused_before_any_row_is_seen() -> None:
    codes: dict[Any, int] = {}
    table = shown(FRAME)
    with pytest.raises(NotFollowed, match="this function keeps state: codes;"):
        table["k"].map(lambda v: codes.setdefault(v, len(codes)))
    with pytest.raises(NotFollowed, match="given to map uses a protected table"):
        table["x"].map(lambda v: table)
    with pytest.raises(NotFollowed, match="given to apply uses a protected table"):
        table.apply(lambda r, other: 1, axis=1, args=(table["x"],))


def test_tables_that_are_not_shown_hand_no_row_to_a_function() -> None:
    table = pdp.Session(epsilon=1).scan(FRAME)
    for way in (lambda: table["x"].map(abs), lambda: table["x"].apply(abs), lambda: table.apply(lambda r: 1, axis=1)):
        with pytest.raises(NotFollowed):
            way()
    with pytest.raises(NotFollowed, match="shows no rows"):
        values(table["x"])


# -- each row by itself


WAYS: dict[str, Callable[[LazyTable], Any]] = {
    "what it gets": lambda d: d.map(lambda v: f"{type(v).__name__} {v!r}"),
    "of sums": lambda d: (d[["x", "y", "n"]] * 2 + 1).map(repr),
    "of conditions": lambda d: (d[["x", "y", "n"]] > 1).map(repr),
    "of texts": lambda d: d[["k", "s", "m"]].apply(lambda c: c.str.upper()).map(repr),
    "of times": lambda d: d[["t", "u"]].map(lambda t: (t.year, t.unit, t.value) and f"{t.year} {t.unit} {t.value}"),
    "of rows": lambda d: d.apply(lambda r: repr([*r]), axis=1).to_frame("z"),
    "numbers": lambda d: d[["x", "n"]].map(lambda v: v / 3),
    "of a cut": lambda d: d.assign(z=d[d["y"] > 0]["x"].map(repr))[["z"]],
}


def made(frame: pd.DataFrame, kinds: Mapping[Any, Kind] | None = None) -> dict[Any, list[Any]]:
    table = shown(frame, kinds)
    return {
        (way, name): [each.hex() if isinstance(each, float) else each for each in values(column)]
        for way, make in WAYS.items()
        for name, column in make(table).items()
    }


@cache
def alone(declared: bool) -> dict[Any, list[Any]]:
    return made(plain(), KINDS if declared else None)


NEIGHBOURS = neighbours(plain())


@pytest.mark.parametrize("declared", [False, True], ids=["any", "declared"])
@pytest.mark.parametrize("neighbour", NEIGHBOURS)
def test_a_row_has_the_same_values_beside_any_other(neighbour: str, declared: bool) -> None:
    frame, same = NEIGHBOURS[neighbour]
    places = same if len(frame) == len(plain()) else range(len(same))
    found = made(frame, KINDS if declared else None)
    for name, once in alone(declared).items():
        assert [found[name][at] for at in places] == [once[row] for row in same], name


@pytest.mark.parametrize("stored", sorted(set(STORAGES) - {"bytes", "UTC", "whole numbers as floats", "nullable"}))
def test_extreme_values_are_the_same_however_they_are_stored(stored: str) -> None:
    assert made(as_objects(extreme())) == made(STORAGES[stored](extreme()))


def test_cut_rows_and_blocks_have_the_same_bits() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=80_000), "g": rng.random(80_000)})
    table = shown(frame)
    table["z"] = table["x"].map(lambda v: v * 3 if v > 0 else "low")
    few, many = table[table["g"] < 0.2], table[table["g"] < 0.8]
    whole = exact(column_of_node(table["z"].node, table._rows._read._held))
    for cut, kept in ((few, frame["g"] < 0.2), (many, frame["g"] < 0.8)):
        assert values(cut["z"]) == [v for v, k in zip(values(table["z"]), kept, strict=True) if k]
        held = cut._rows._read._held
        found = exact(column_of_node(cut["z"].node, held))
        there = [v for v, k in zip(whole, kept, strict=True) if k]
        assert found == there if held.kept is None else found == whole
    part = SomeRows(table._rows._read._held, slice(70_000, 70_100))
    assert objects_of(part.column(table["z"].node.column)).tolist() == values(table["z"])[70_000:70_100]  # type: ignore[attr-defined]


# -- questions


def test_questions_are_answered_from_what_it_gave() -> None:
    frame = pd.DataFrame({"x": [1.0, 2.0, 3.0, 6.0] * 250, "k": ["a", "b"] * 500})
    table = shown(frame)
    doubled = table["x"].map(lambda v: v * 2)
    assert round(doubled.dp.mean(bounds=(0, 20), **SURE)["mean"].item(), 2) == 6.0
    cut = table[table["x"] > 2].assign(z=lambda d: d["x"].map(lambda v: v if v > 3 else None))
    assert round(cut["z"].dp.mean(bounds=(0, 20), **SURE)["mean"].item(), 2) == 6.0
    counted = table.assign(c=table["k"].map(str.upper)).dp.value_counts("c", categories={"c": ["A", "B"]}, **SURE)
    assert counted["count"].round().tolist() == [500, 500]


def test_functions_are_named_with_the_answer() -> None:
    table = shown(FRAME)
    made = table[table["k"].map(len) > 0]["x"].map(lambda v: v)
    origin = table._rows._source.making(made.rows, {"x": made})
    assert len(origin.functions) == 2
    assert "len" in origin.functions


def test_what_was_given_is_never_pickled() -> None:
    node = shown(FRAME)["x"].map(lambda v: v).node
    with pytest.raises(PrivacyError, match="in the session"):
        pickle.dumps(node)
    assert "1.5" not in repr(node)
