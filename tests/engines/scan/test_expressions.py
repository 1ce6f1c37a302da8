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
from pandas_dp.engines.expressions import (
    CHANGES,
    FIELDS,
    OPERATORS,
    TRIALS,
    Among,
    Applied,
    Changed,
    ColumnNode,
    Constant,
    FieldOf,
    LengthOf,
    Missing,
    Says,
    SecondsOf,
    TextOf,
    TimeComparison,
    TimeOf,
)
from pandas_dp.engines.scan.row_steps import NewColumns, as_frame, column_made
from pandas_dp.engines.scan.sources import batch_of, kind_of
from pandas_dp.engines.scan.table import Fact
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
    values, _ = NewColumns({"again": ColumnNode("id")}).on(batch).column("again").block(slice(0, 2))
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


def leaves() -> dict[str, Any]:
    """Each expression that can be written, of a column x and constants that make trouble."""
    x, text, time, span = ColumnNode("x"), TextOf("x"), TimeOf("x"), TimeOf("x", "m")
    found: dict[str, Any] = {"number": x, "missing": Missing("x"), "text": text, "time": time, "span": span}
    for name, each in OPERATORS.items():
        if name.endswith("_of_person"):
            continue
        takes = each.takes or ("number", "number")
        for constant in (0.0, -1.5, np.inf, np.nan):
            number = {"number": Constant(constant), "condition": Missing("x")}
            first = {"number": x, "condition": Applied("<", (x, Constant(constant)))}
            inner = [first[sort] if at == 0 else number[sort] for at, sort in enumerate(takes)]
            found[f"{name} {constant}"] = Applied(name, tuple(inner))
    found |= {f"among {value!r}": Among("x", (value,)) for value in (1, "a", pd.Timestamp(0), True)}
    found |= {name: Changed(name, text) for name in CHANGES} | {"len": LengthOf(text)}
    found |= {name: Says(name, text, ("", "a")) for name in TRIALS} | {
        "changed": Says("is", Changed("upper", text), ("A",))
    }
    found |= {name: FieldOf(time, name) for name in FIELDS} | {"seconds": SecondsOf(span)}
    for how in ("<", "<=", ">", ">=", "==", "!="):
        for at in (0, 1, 2**63, -(2**63), 2**90, -(2**90)):
            found |= {
                f"time {how} {at}": TimeComparison(time, how, at),
                f"span {how} {at}": TimeComparison(span, how, at),
            }
    return found


@pytest.mark.parametrize("values", VALUES)
def test_no_expression_raises_on_any_value_of_any_type(values: str) -> None:
    column = pa.chunked_array([VALUES[values]])
    for name, node in leaves().items():
        batch = batch_of(pa.table({"x": column}))
        made = column_made(node, batch)
        found, _ = made.block(slice(0, made.size))
        assert len(found) == len(column), name


@pytest.mark.parametrize("values", VALUES)
def test_each_value_is_read_by_itself(values: str) -> None:
    """In whatever company, and in whatever chunk."""
    column = pa.chunked_array([VALUES[values]])
    for name, node in leaves().items():
        if name in ("text", "lower", "upper", "strip"):
            node = Says("is", node, ("a", ""))
        together = column_made(node, batch_of(pa.table({"x": column})))
        whole, _ = together.block(slice(0, together.size))
        for place in range(len(column)):
            alone = column_made(node, batch_of(pa.table({"x": column.slice(place, 1)})))
            found, _ = alone.block(slice(0, 1))
            if together.levels is None:  # else places of dictionaries
                np.testing.assert_array_equal(found, whole[place : place + 1], err_msg=name)


@pytest.mark.parametrize("values", VALUES)
def test_a_function_of_rows_gets_dtypes_that_follow_from_types_alone(values: str) -> None:
    kind = kind_of(VALUES[values].type)
    if kind == "other":
        return
    column = pa.chunked_array([VALUES[values]])
    frames = [as_frame(batch_of(pa.table({"x": piece})), {"x": kind}) for piece in (column, column[:1], column[:0])]
    assert len({str(frame["x"].dtype) for frame in frames}) == 1


def test_integers_of_any_width_are_the_same_numbers() -> None:
    for kind in (pa.int8(), pa.uint8(), pa.int64(), pa.uint64(), pa.float32(), pa.decimal128(20, 2)):
        batch = batch_of(pa.table({"x": pa.array([100, 101, None], pa.int8()).cast(kind)}))
        node = Applied("*", (Applied("+", (ColumnNode("x"), ColumnNode("x"))), Constant(100.0)))
        assert str(node.of(batch).tolist()) == "[20000.0, 20200.0, nan]"


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
        assert TimeComparison(TimeOf("x"), how, at).of(batch).tolist() == want


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
    with refused(pdp.errors.UnsupportedArgument):
        _ = farms["sown"].dt.hour


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
    "text in order": lambda t: t["crop"] < "z",
    "no condition": lambda t: t[t["size"]],
    "and a number": lambda t: (t["size"] > 2) & 3,
    "no time": lambda t: t["sown"] > "yesterday or so",
    "zone": lambda t: t["sown"] > pd.Timestamp("2024-01-01", tz="UTC"),
    "number in time": lambda t: t["wait"] > timedelta,
    "str of numbers": lambda t: t["size"].str,
    "dt of numbers": lambda t: t["size"].dt,
    "pattern": lambda t: t["crop"].str.contains("r.*"),
    "no text": lambda t: t["crop"].str.startswith(3),
    "isin text": lambda t: t["crop"].isin("rice"),
    "inclusive": lambda t: t["size"].between(1, 2, inclusive="yes"),
    "ufunc": lambda t: np.cumsum(t["size"]),
    "other ufunc": lambda t: np.hypot(t["size"], t["goats"]),
    "assigned number": lambda t: t.assign(y=3),
    "series": lambda t: t["size"] + pd.Series([1.0]),
    "array": lambda t: t[np.array([True])],
    "slice": lambda t: t[1:3],
    "unknown": lambda t: t["acres"],
    "unknown of several": lambda t: t[["size", "acres"]],
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_no_expression_is_refused(case: str, scanned: Any) -> None:
    with refused((pdp.errors.UnsupportedArgument, pdp.errors.NotProtected, pdp.errors.UnknownColumn)):
        REFUSED[case](scanned)


def test_what_a_made_column_is_made_of_is_read_only_where_it_is_needed() -> None:
    asked: list[Any] = []
    batch = batch_of(pa.table({"x": [1.0], "y": [2.0]}))
    batch._read = lambda name, read=batch._read: asked.append(name) or read(name)
    made = NewColumns({"double": Applied("*", (ColumnNode("x"), Constant(2.0)))}).on(batch)
    made.column("y")
    assert asked == ["y"]
    assert made.column("double").block(slice(0, 1))[0].tolist() == [2.0]
    assert asked == ["y", "x"]


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
        told.append(FieldOf(TimeOf("t"), field).of(rows)[:3].tolist())
    assert told[0] == told[1]
    assert not np.isnan(told[0]).any()
