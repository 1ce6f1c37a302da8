"""Conditions and columns of scanned tables: as pandas' own on the same rows, and silent on any row."""

from __future__ import annotations

import operator
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.dataset as datasets
import pytest

import pandas_dp as pdp
from pandas_dp.core.engine.fold import Batch, column_of
from pandas_dp.engines.scan.row_steps import as_frame, batch_of_frame
from pandas_dp.engines.scan.sources import batch_of, kind_of
from pandas_dp.language.arithmetic import OPERATORS, AmongNumbers, LookedUp, PlaceBetween, RoundedTo, applied, as_number
from pandas_dp.language.evaluation import Selected, column_of_node
from pandas_dp.language.graph import Node, Program, constant, source_column
from pandas_dp.language.known import Fact
from pandas_dp.language.texts import CHANGES, COUNTS, TRIALS, Changed, Counted, Says, among_texts, as_text
from pandas_dp.language.times import BELOW_SECOND, FIELDS, ComparedWith, CountOf, FieldOf, Floored, Local, as_time
from pandas_dp.language.values import combined, compared, missing
from tests.refusals import refused

CONDITIONS: dict[str, Callable[[Any], Any]] = {
    "greater": lambda t: t["size"] > 3,
    "at most": lambda t: t["goats"] <= 30,
    "unequal": lambda t: t["gap"] != 1.5,
    "columns": lambda t: t["size"] * 10 < t["goats"],
    "and": lambda t: (t["size"] > 3) & (t["goats"] < 30),
    "or not": lambda t: (t["size"] > 3) | ~(t["goats"] < 30),
    "between": lambda t: t["goats"].between(10, 20),
    "left": lambda t: t["goats"].between(10, 20, inclusive="left"),
    "isin": lambda t: t["goats"].isin([1, 2, 3, 77]),
    "none": lambda t: t["goats"].isin([]),
    "texts in": lambda t: t["crop"].isin(["rice", "öats"]),
    "is": lambda t: t["crop"] == "Rye",
    "is not": lambda t: t["crop"] != "Rye",
    "lower": lambda t: t["crop"].str.lower() == "rye",
    "starts": lambda t: t["crop"].str.startswith(("R", "ö")),
    "ends": lambda t: t["crop"].str.endswith("e"),
    "contains": lambda t: t["note"].str.contains("e 1", regex=False),
    "long": lambda t: t["note"].str.len() > 6,
    "missing": lambda t: t["gap"].isna(),
    "there": lambda t: t["gap"].notna(),
    "owned": lambda t: t["owned"],
    "not owned": lambda t: ~t["owned"],
    "before": lambda t: t["sown"] < "2024-09-01",
    "since": lambda t: t["sown"] >= pd.Timestamp("2025-01-01 12:00"),
    "month": lambda t: t["sown"].dt.month.isin([3, 4]),
    "weekend": lambda t: t["sown"].dt.day_of_week >= 5,
    "hour": lambda t: t["sown"].dt.hour == 7,
    "wait": lambda t: t["wait"] > "6h",
    "seconds": lambda t: t["wait"].dt.total_seconds() > 3600,
    "arithmetic": lambda t: (t["goats"] - 2) / (t["size"] + 1) > 4,
    "reversed": lambda t: 2 * t["goats"] - 1 > 50,
    "right": lambda t: 1 - t["size"] / 8 > 1 / t["goats"],
    "whole": lambda t: t["goats"] // 7 == 3,
    "rest": lambda t: t["goats"] % 7 == 3,
    "power": lambda t: t["size"] ** 2 > 9,
    "log": lambda t: np.log1p(t["goats"]) > 3,
    "root": lambda t: np.sqrt(t["size"]) > 2,
    "negative": lambda t: -t["size"] < -4,
    "abs": lambda t: (t["size"] - 4).abs() < 1,
    "clip": lambda t: t["size"].clip(2, 5) == 5,
    "fill": lambda t: t["gap"].fillna(7.5) > 7,
    "texts in order": lambda t: t["crop"] < "rj",
    "pattern": lambda t: t["crop"].str.contains("[rR].e"),
    "hypotenuse": lambda t: np.hypot(t["size"], t["goats"]) > 20,
    "choice": lambda t: np.where(t["owned"], t["size"], t["gap"]) > 3,
    "constant": lambda t: t.assign(y=3)["y"] > t["size"],
    "text of two": lambda t: (t["crop"] + t["note"]).str.len() > 10,
    "rounded": lambda t: t["sown"].dt.floor("D") == t["sown"].dt.round("D"),
    "since then": lambda t: t["sown"] - pd.Timestamp("2024-01-01") > t["wait"] * 100,
    "exclusive": lambda t: t["owned"] ^ (t["size"] > 3),
}


@pytest.mark.parametrize("name", CONDITIONS)
def test_a_condition_keeps_the_rows_that_pandas_keeps(name: str, scanned: Any, table: pd.DataFrame) -> None:
    condition = CONDITIONS[name]
    kept = scanned[condition(scanned)].dp.groupby("crop").size()["size"]
    want = table[condition(table)]["crop"].value_counts()
    assert kept.to_dict() == {crop: want.get(crop, 0) for crop in kept.index}
    assert round(condition(scanned).dp.share()["share"].item(), 6) == round(condition(table).mean(), 6)


COLUMNS: dict[str, tuple[Callable[[Any], Any], tuple[float, float]]] = {
    "scaled": (lambda t: t["size"] * 2 + 1, (0, 20)),
    "ratio": (lambda t: t["goats"] / (t["size"] + 1), (0, 100)),
    "length": (lambda t: t["note"].str.len(), (0, 10)),
    "year": (lambda t: t["sown"].dt.year, (2000, 2030)),
    "day": (lambda t: t["sown"].dt.day, (0, 31)),
    "day of the year": (lambda t: t["sown"].dt.day_of_year, (0, 366)),
    "quarter": (lambda t: t["sown"].dt.quarter, (0, 4)),
    "minute": (lambda t: t["sown"].dt.minute, (0, 60)),
    "second": (lambda t: t["sown"].dt.second, (0, 60)),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_a_column_has_the_mean_of_pandas(name: str, scanned: Any, table: pd.DataFrame) -> None:
    column, bounds = COLUMNS[name]
    found = column(scanned).dp.mean(bounds=bounds)["mean"].item()
    assert found == pytest.approx(column(table).mean(), abs=1e-4 * bounds[1])


def test_assigned_columns_are_asked_like_any(scanned: Any, table: pd.DataFrame) -> None:
    made = scanned.assign(double=scanned["size"] * 2, big=scanned["size"] > 4, kind=scanned["crop"].str.lower())
    assert made.columns.tolist() == [*table.columns, "double", "big", "kind"]
    found = made[made["big"]].dp.groupby("kind", categories=["rice", "rye", "öats"])["double"].mean(bounds=(0, 16))
    want = table[table["size"] > 4].groupby(table["crop"].str.lower())["size"].mean() * 2
    assert found.iloc[:, 0].round(3).to_dict() == want.round(3).to_dict()


def test_a_column_alone_keeps_every_digit() -> None:
    batch = batch_of(pa.table({"id": [2**60, 2**60 + 1]}))
    values, _ = Selected(None, {"again": source_column("id")}).on(batch).column("again").block(slice(0, 2))
    assert values.tolist() == [2**60, 2**60 + 1]


FAR = [2**63 - 1, -(2**63) + 1, -(2**63), 0, 1, -1, None]
BLOB = pa.array([b"\xff\xfe", b"ok", None], pa.binary())
VALUES: dict[str, Any] = {
    **{str(t): pa.array([0, 1, None, t.bit_width], t) for t in (pa.int8(), pa.int16(), pa.uint8(), pa.uint16())},
    "int64": pa.array(FAR, pa.int64()),
    "uint64": pa.array([2**64 - 1, 0, None], pa.uint64()),
    "float": pa.array([1e308, -1e308, 0.0, -0.0, np.nan, np.inf, -np.inf, 5e-324, None]),
    "float16": pa.array(np.array([1, np.inf, np.nan], np.float16)),
    "float32": pa.array([1e38, np.inf, None], pa.float32()),
    "bool": pa.array([True, False, None]),
    "decimal": pa.array([Decimal("1e30"), Decimal("-0.1"), None], pa.decimal128(38, 5)),
    "text": pa.array(["", "a", "ß", "İ", "\x00", "a" * 10_000, None]),
    "large": pa.array(["", "a", None], pa.large_string()),
    "broken": pa.Array.from_buffers(pa.string(), 3, [None, *BLOB.fill_null(b"\xc3").buffers()[1:]]),
    "levels": pa.array(["a", None, "b", "a"]).dictionary_encode(),
    "numbers in levels": pa.array([1.5, None, 1.5]).dictionary_encode(),
    "binary": BLOB,
    **{f"instant {unit}": pa.array(FAR, pa.timestamp(unit)) for unit in ("s", "ms", "us", "ns")},
    "zoned": pa.array(FAR, pa.timestamp("us", "Asia/Jakarta")),
    **{f"span {unit}": pa.array(FAR, pa.duration(unit)) for unit in ("s", "ms", "us", "ns")},
    "date32": pa.array([2**31 - 1, -(2**31), 0, None], pa.int32()).cast(pa.date32()),
    "date64": pa.array([86_400_000, 0, None], pa.date64()),
    "time": pa.array([0, None], pa.time64("ns")),
    "list": pa.array([[1], None]),
    "struct": pa.array([{"a": 1}, None]),
    "null": pa.nulls(3),
    "nothing": pa.array([], pa.float64()),
}


GIVEN: dict[str, tuple[Any, ...]] = {
    **dict.fromkeys(("strip", "lstrip", "rstrip"), (None,)),
    "zfill": (3,),
    "removeprefix": ("a",),
    "removesuffix": ("a",),
    "slice": (0, 2, None),
    "get": (1,),
    "replace": ("a", "bb", -1, 0, False),
    "part": (" ", -1, False, 0),
    "extract": ("(a)", 0, 1),
    "pad": (4, "both", " "),
    "partition": ("a", False, 0),
    "repeat": (2,),
    "is": (("", "a"),),
    **dict.fromkeys(("startswith", "endswith", "contains"), (("", "a"),)),
    **dict.fromkeys(("search", "match", "fullmatch", "count"), ("a+", 0)),
    "find": ("a", 0, None),
    "rfind": ("a", 0, None),
    "parts": (" ", -1),
}
"""Public arguments of what is done with texts."""


def leaves() -> dict[str, Node]:
    """Each expression that can be written, of a column x and constants that make trouble."""
    source = source_column("x")
    x, text, time, span = as_number(source), as_text(source), as_time(source, "time"), as_time(source, "span")
    lost = missing(source)
    found: dict[str, Node] = {"source": source, "number": x, "missing": lost, "text": text, "time": time, "span": span}
    for name, each in OPERATORS.items():
        for value in (0.0, -1.5, np.inf, np.nan):
            beside = {"number": constant(value), "condition": lost}
            first = {"number": x, "condition": applied("<", x, constant(value))}
            takes = each.takes or ("number", "number")
            inner = [first[kind] if at == 0 else beside[kind] for at, kind in enumerate(takes)]  # type: ignore[index]
            found[f"{name} {value}"] = applied(name, *inner)
    for name in ("+", "-", "*", "/"):
        made = combined(name, source, source)
        assert made is not None
        found[f"{name} of any"] = made
    found |= {f"{name} of any": compared(name, source, source) for name in ("==", "!=", "<", "<=", ">", ">=")}
    found |= {name: Changed((text,), name, GIVEN.get(name, ())) for name in CHANGES}
    found |= {name: Counted((text,), name, GIVEN.get(name, ())) for name in COUNTS}
    found |= {name: Says((text,), name, GIVEN.get(name, ())) for name in TRIALS}
    found |= {"among texts": among_texts(text, ("a", "")), "among numbers": AmongNumbers((x,), (-1.0, 1.0))}
    found |= {"looked up": LookedUp((x,), (0.0, 1.0), (5.0, np.nan)), "cut": PlaceBetween((x,), (0.0, 1.0, np.inf))}
    found |= {"digits": RoundedTo((x,), -2), "zone": Local((time,), "time", "Asia/Jakarta")}
    found |= {name: FieldOf((time,), name) for name in (*FIELDS, *BELOW_SECOND)}
    found |= {"seconds": CountOf((span,), 10**9), "days": CountOf((span,), 86_400 * 10**9, True)}
    for how in ("floor", "ceil", "round"):
        found[how] = Floored((time,), "time", 3_600 * 10**9, how)
    for how in ("<", "<=", ">", ">=", "==", "!="):
        for at in (0, 1, 2**63, -(2**63), 2**90, -(2**90)):
            found[f"time {how} {at}"] = ComparedWith((time,), how, at)
            found[f"span {how} {at}"] = ComparedWith((span,), how, at)
    return found


LEAVES = leaves()


def values_of(node: Node, column: pa.ChunkedArray) -> list[Any]:
    return said_by(node, batch_of(pa.table({"x": column})))


def said_by(node: Node, batch: Batch) -> list[Any]:
    """What it is on each row, times in nanoseconds, texts as texts: whatever holds them."""
    if node.kind in ("text", "time", "span"):
        ((first, second, *more),) = Program.of([node]).run(batch)
        if node.kind == "text":
            return [None if code < 0 else second[code] for code in first.tolist()]
        return [None if lost else ticks * second for ticks, lost in zip(first.tolist(), more[0], strict=True)]
    made = column_of_node(node, batch)
    found, gone = made.block(slice(0, made.size))
    if node.kind == "any":
        if made.levels is not None:
            return (found >= 0).tolist()
        lost = np.zeros(len(batch), bool) if gone is None else gone
        return [None if each else value for value, each in zip(found.tolist(), lost, strict=True)]
    return found.tolist()


@pytest.mark.parametrize("values", VALUES)
def test_no_expression_raises_on_any_value_of_any_type(values: str) -> None:
    column = pa.chunked_array([VALUES[values]])
    for name, node in LEAVES.items():
        made = column_of_node(node, batch_of(pa.table({"x": column})))
        found, _ = made.block(slice(0, made.size))
        assert len(found) == len(column), name


@pytest.mark.parametrize("values", VALUES)
def test_each_value_is_read_by_itself(values: str) -> None:
    """In whatever company, and in whatever chunk."""
    column = pa.chunked_array([VALUES[values]])
    for name, node in LEAVES.items():
        if name in ("source", *(f"{how} of any" for how in "+-*/")):
            continue  # as they are stored; of the sorts that there may be some hold no row
        whole = values_of(node, column)
        alone = [values_of(node, column.slice(place, 1))[0] for place in range(len(column))]
        assert list(map(repr, whole)) == list(map(repr, alone)), name


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("letter", ["M", "m"])
def test_a_time_is_the_same_whatever_stores_it(letter: str, unit: str) -> None:
    """As objects, beside a text or alone, and in the dtype of its own unit."""
    ticks = np.array([0, -1, 2**40, 2**57, -(2**57), 2**63 - 1, -(2**63) + 1, 10**15 + 7], np.int64)
    plain = pd.Series(ticks.view(f"{letter}8[{unit}]"))
    stored = [plain, pd.Series(list(plain.to_numpy()), dtype=object), pd.Series([*plain.to_numpy(), "a"], dtype=object)]
    for name, node in LEAVES.items():
        if name == "source" or node.kind == "any":
            continue
        batches = [batch_of_frame(pd.DataFrame({"x": each})) for each in stored]
        told = [repr(said_by(node, each)[: len(plain)]) for each in batches]
        assert told[1:] == told[:1] * 2, name


@pytest.mark.parametrize("values", VALUES)
def test_a_function_of_rows_gets_dtypes_that_follow_from_types_alone(values: str) -> None:
    kind = kind_of(VALUES[values].type)
    if kind == "any":
        return
    column = pa.chunked_array([VALUES[values]])
    frames = [as_frame(batch_of(pa.table({"x": piece})), {"x": kind}) for piece in (column, column[:1], column[:0])]
    assert len({str(frame["x"].dtype) for frame in frames}) == 1


def test_integers_of_any_width_are_the_same_numbers() -> None:
    for kind in (pa.int8(), pa.uint8(), pa.int64(), pa.uint64(), pa.float32(), pa.decimal128(20, 2)):
        batch = batch_of(pa.table({"x": pa.array([100, 101, None], pa.int8()).cast(kind)}))
        x = source_column("x")
        (found,) = Program.of([applied("*", applied("+", x, x), constant(100.0))]).run(batch)
        assert str(found.tolist()) == "[20000.0, 20200.0, nan]"


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("how", ["<", "<=", ">", ">=", "==", "!="])
def test_times_of_any_unit_compare_exactly(unit: str, how: str) -> None:
    per = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}[unit]
    ticks = [-2, -1, 0, 1, 2, None]
    batch = batch_of(pa.table({"x": pa.array(ticks, pa.timestamp(unit))}))
    compare = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq}
    for at in (0, per, per - 1, per + 1, -per, -per - 1, 5 * 10**9):
        want = [
            how == "!=" if tick is None else (tick * per != at if how == "!=" else compare[how](tick * per, at))
            for tick in ticks
        ]
        (found,) = Program.of([ComparedWith((as_time(source_column("x"), "time"),), how, at)]).run(batch)
        assert found.tolist() == want


def test_times_of_pythons_own_are_read_where_a_function_made_objects(scanned: Any, table: pd.DataFrame) -> None:
    made = scanned.map(lambda rows: rows.assign(day=rows["sown"].dt.date.astype(object)))
    late = made[made["day"].isin([])]
    assert late.dp.groupby("crop").size()["size"].sum() == 0


@pytest.mark.parametrize(
    "time",
    [date(2024, 9, 1), datetime(2024, 9, 1), np.datetime64("2024-09-01"), "2024-09-01", pd.Timestamp("2024-09-01")],
)
def test_a_point_in_time_is_written_as_pandas_takes_it(time: Any, scanned: Any, table: pd.DataFrame) -> None:
    share = (scanned["sown"] < time).dp.share()["share"].item()
    assert share == pytest.approx((table["sown"] < pd.Timestamp(time)).mean())


def test_a_time_with_a_zone_is_compared_with_local_times(session: pdp.Session) -> None:
    times = pa.array(
        [datetime(2026, 1, 1, hour, tzinfo=UTC) for hour in range(24)] * 10, pa.timestamp("us", "Asia/Jakarta")
    )
    farms = session.scan(datasets.dataset(pa.table({"sown": times})))
    assert (farms["sown"] < "2026-01-01 19:00").dp.share()["share"].item() == pytest.approx(0.5)
    assert (farms["sown"].dt.hour < 7).dp.share()["share"].item() == pytest.approx(7 / 24)  # of clocks in Jakarta


def test_made_columns_hide_those_of_the_same_name(scanned: Any, table: pd.DataFrame) -> None:
    twice = scanned.assign(size=scanned["size"] / 2)
    twice = twice.assign(size=twice["size"] / 2)
    assert twice["size"].dp.sum()["sum"].item() == pytest.approx(table["size"].sum() / 4, abs=0.1)


REFUSED: dict[str, Callable[[Any], object]] = {
    "bool": lambda t: t[t["size"] > 2 and t["goats"] < 3],
    "chained": lambda t: t[1 < t["size"] < 2],
    "foreign": lambda t: t[t["size"] > 2][t[t["goats"] > 1]["size"] > 3],
    "added to foreign": lambda t: t["size"] + t[t["size"] > 2]["size"],
    "after map": lambda t: t[t.map(lambda rows: rows)["size"] > 2],
    "texts added": lambda t: t["crop"] + 1,
    "number with text": lambda t: t["size"] > "3",
    "text with number": lambda t: t["crop"] == 3,
    "no condition": lambda t: t[t["size"]],
    "and a number": lambda t: (t["size"] > 2) & 3,
    "no time": lambda t: t["sown"] > "yesterday or so",
    "zone": lambda t: t["sown"] > pd.Timestamp("2024-01-01", tz="UTC"),
    "number in time": lambda t: t["wait"] > timedelta,
    "str of numbers": lambda t: t["size"].str,
    "dt of numbers": lambda t: t["size"].dt,
    "no text": lambda t: t["crop"].str.startswith(3),
    "isin text": lambda t: t["crop"].isin("rice"),
    "inclusive": lambda t: t["size"].between(1, 2, inclusive="yes"),
    "ufunc": lambda t: np.cumsum(t["size"]),
    "reduced": lambda t: np.add.reduce(t["size"]),
    "pattern that is none": lambda t: t["crop"].str.contains("("),
    "series": lambda t: t["size"] + pd.Series([1.0]),
    "array": lambda t: t[np.array([True])],
    "slice": lambda t: t[1:3],
    "unknown": lambda t: t["acres"],
    "unknown of several": lambda t: t[["size", "acres"]],
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_no_expression_is_refused(case: str, scanned: Any) -> None:
    with refused((pdp.errors.NotFollowed, pdp.errors.UnsupportedArgument, pdp.errors.UnknownColumn)):
        REFUSED[case](scanned)


def test_what_a_made_column_is_made_of_is_read_only_where_it_is_needed() -> None:
    asked: list[Any] = []
    batch = batch_of(pa.table({"x": [1.0], "y": [2.0]}))
    batch._read = lambda name, read=batch._read: asked.append(name) or read(name)
    made = Selected(None, {"double": applied("*", source_column("x"), constant(2.0))}).on(batch)
    made.column("y")
    assert asked == ["y"]
    assert made.column("double").block(slice(0, 1))[0].tolist() == [2.0]
    assert set(asked) == {"y", "x"}


def test_what_is_known_of_a_column_follows_from_its_type() -> None:
    assert {name: Fact(kind_of(each.type)).kind for name, each in VALUES.items() if name in ("levels", "date32")} == {
        "levels": "text",
        "date32": "time",
    }


@pytest.mark.parametrize("field", FIELDS)
def test_a_field_of_a_far_time_is_the_same_beside_what_is_no_time(field: str) -> None:
    """Beyond what 64 bits of nanoseconds hold: one text made these times missing."""
    times = [datetime(9999, 12, 31, 23, 59, 59), datetime(1, 1, 2, 3, 4, 5), datetime(2024, 2, 29, 12)]
    told = []
    for hers in (None, "a"):
        column = column_of(pd.Series([*times, hers], dtype=object if hers else "datetime64[us]"))
        rows = Batch(4, lambda name, column=column: column)
        (found,) = Program.of([FieldOf((as_time(source_column("t"), "time"),), field)]).run(rows)
        told.append(found[:3].tolist())
    assert told[0] == told[1]
    assert not np.isnan(told[0]).any()
