"""Each public name of pandas is in one class, and what it gives is of that class; under each version of pandas."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any, get_args

import numpy as np
import pandas as pd
import pytest

from pandas_dp.core.door.frame import FrameAccessor
from pandas_dp.core.door.series import SeriesAccessor
from pandas_dp.language.refusals import words
from pandas_dp.recording.names import COUNTED, FACTS, RELEASED, VALUES, Kind, class_of, reason_of

TIMES = pd.date_range("2020-01-01", periods=4, freq="7h")
FRAME = pd.DataFrame({"x": [1.0, 2.0, 4.0, 8.0], "n": [1, 2, 3, 3]})
OTHER = pd.DataFrame({"x": [7.0, 0.0, 0.5], "n": [3, 3, 0]}, index=[5, 6, 9])
INDEXES = [FRAME.index, TIMES, TIMES.tz_localize("UTC"), TIMES.to_period("h")]
OBJECTS: dict[Kind, list[Any]] = {
    "table": [FRAME.set_axis(index) for index in INDEXES],
    "column": [FRAME["x"].set_axis(index) for index in INDEXES],
    "text": [pd.Series(["ab", "ba"]).str, pd.Series([b"a", b"b"]).str],
    "time": [TIMES.to_series().dt, TIMES.to_series().diff().dt, TIMES.to_period("D").to_series().dt],
    "category": [pd.Series(["a", "b", "a"], dtype="category").cat],
    "groups": [FRAME.set_axis(TIMES).groupby("n"), FRAME.groupby("n")["x"], FRAME.set_axis(TIMES).resample("D")],
    "window": [FRAME.rolling(2), FRAME["x"].expanding(), FRAME.ewm(2)],
}
ARGUMENTS: list[tuple[Any, ...]] = [
    *[(each,) for each in ("x", 2, 0, "b", "mean", "D", "s", "UTC", "utf-8", "NFC", "(a)", "09:00", FRAME, FRAME["x"])],
    *[(), ([0],), ([0, 2],), ([0, 1, 2, 3],), ({97: 98},), (max,), (0, 1), (0, [1, 2, 3, 4]), ("a", 1), (2, "x")],
    *[("09:00", "17:00"), (FRAME["x"], max), (FRAME, np.maximum), ("x", "n"), (0, 1, False)],
]
OTHERS = words(
    "pivot pivot_table droplevel reorder_levels swaplevel swapaxes unstack stack sparse struct list from_arrow "
    "from_dict from_records"
)
"""What takes other tables than these, and what stands on a class and takes anything: they give tables."""


def public(kind: Kind) -> list[str]:
    return sorted({name for each in OBJECTS[kind] for name in dir(type(each)) if not name.startswith("_")})


def of_class(kind: Kind, wanted: str) -> list[str]:
    return [name for name in public(kind) if class_of(name, kind) == wanted]


def results(of: Any, name: str) -> Iterator[Any]:
    """What a name gives with whatever arguments it takes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = getattr(of, name)
        except Exception:  # noqa: BLE001 - whatever it does not take
            return
        if not callable(found) or isinstance(found, type):
            yield found
            return
        for given in ARGUMENTS:
            try:
                yield found(*given)
            except Exception:  # noqa: BLE001 - whatever it does not take
                continue


def is_bare(found: Any) -> bool:
    """Whether it is no table or column of pandas, nor what waits to become one, as a groupby."""
    if isinstance(found, tuple):
        return any(map(is_bare, found))
    return not (found is None or isinstance(found, (pd.DataFrame, pd.Series)) or "agg" in dir(found))


@pytest.mark.parametrize("kind", get_args(Kind))
def test_no_name_is_written_in_two_classes(kind: Kind) -> None:
    values = VALUES[kind] | (COUNTED if kind in ("table", "column") else set())
    assert values & FACTS[kind] == set()


@pytest.mark.parametrize("kind", get_args(Kind))
def test_a_name_by_which_something_bare_leaves_is_not_taken_for_one_that_makes_tables(kind: Kind) -> None:
    bare, tried = {}, set()
    of_others = {*pd.DataFrame._accessors, *pd.Series._accessors} - {"str", "dt", "cat"}  # which imports register
    names = [name for name in of_class(kind, "mixing") if name not in of_others]
    for name in names:
        for of in OBJECTS[kind]:
            for found in results(of, name):
                tried.add(name)
                if is_bare(found):
                    bare[name] = found
    assert bare == {}
    assert {*names} - tried - OTHERS == set()


@pytest.mark.parametrize("kind", ["table", "column"])
def test_a_fact_is_the_same_whatever_the_rows(kind: Kind) -> None:
    one, other = (FRAME, OTHER) if kind == "table" else (FRAME["x"], OTHER["x"])
    for name in {*of_class(kind, "fact"), *(FACTS[kind] - {"__iter__", "__contains__"})} - {"dp"}:
        (found,), (again,) = results(one, name), results(other, name)
        assert np.all(found == again), name
    if kind == "table":
        assert ([*one], "x" in one) == ([*other], "x" in other)


@pytest.mark.parametrize(
    "name", ["columns", "index", "dtypes", "shape", "empty", "values", "to_string", "to_csv", "to_frobnicate"]
)
def test_what_is_said_of_rows_is_a_value(name: str) -> None:
    assert class_of(name, "table") == ("fact" if name == "columns" else "values")


@pytest.mark.parametrize("kind", ["table", "column"])
@pytest.mark.parametrize("name", ["__len__", "__bool__", "__array__", "__arrow_c_stream__", "__reduce_ex__", "__int__"])
def test_a_protocol_by_which_rows_leave_is_a_value(kind: Kind, name: str) -> None:
    assert class_of(name, kind) == "values"


@pytest.mark.parametrize("kind", ["table", "column"])
@pytest.mark.parametrize("name", ["__repr__", "_repr_html_", "info", "plot", "hist", "__format__"])
def test_what_is_for_eyes_is_shown(kind: Kind, name: str) -> None:
    assert class_of(name, kind) == "shown"


@pytest.mark.parametrize("name", ["__iadd__", "__radd__", "__eq__", "__copy__", "product", "assign", "__setitem__"])
def test_a_name_for_what_the_language_has_under_another_is_followed(name: str) -> None:
    assert class_of(name, "table") == "followed"


def test_a_name_that_pandas_adds_is_not_followed() -> None:
    assert class_of("frobnicate", "table") == "mixing"
    assert class_of("__frobnicate__", "column") == "values"


@pytest.mark.parametrize("name", sorted(RELEASED))
def test_what_a_reason_says_to_ask_can_be_asked(name: str) -> None:
    assert f"df.dp.{name}(" in reason_of(name)
    assert hasattr(FrameAccessor, name) or hasattr(SeriesAccessor, name)


@pytest.mark.parametrize("kind", get_args(Kind))
def test_every_reason_is_a_sentence_with_a_way_out(kind: Kind) -> None:
    for name in of_class(kind, "mixing") + of_class(kind, "values"):
        said = reason_of(name, kind)
        assert said.endswith(".")
        assert "; " in said
