"""What is a key: by the declared kind, value by value, whatever else the column holds and however it is stored."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from pandas_dp.core.engine.row_ids import KnownIds
from pandas_dp.core.engine.rows import PandasRows
from pandas_dp.keys.measure import Occurring
from pandas_dp.keys.schema import Unknown

from ..engines.parts import Split
from .laws import TEXTS, seen, weights_of


class Loud:
    """Raises whatever is done to it."""

    def __eq__(self, other: object) -> bool:
        raise RuntimeError

    def __hash__(self) -> int:
        raise RuntimeError


class Meta(type):
    def __eq__(cls, other: object) -> bool:
        raise RuntimeError

    def __hash__(cls) -> int:
        raise RuntimeError


class Louder(metaclass=Meta):
    pass


class Text(str):
    def __hash__(self) -> int:
        raise RuntimeError

    def __eq__(self, other: object) -> bool:
        raise RuntimeError


class Asked(Decimal):
    """Raises when it is asked whether it is a number, as Arrow asks."""

    def is_nan(self) -> bool:
        raise RuntimeError


BYTES: list[Any] = [bytearray(b"a"), memoryview(b"ab")[::-1]]
ODD: list[Any] = [None, np.nan, pd.NA, pd.NaT, "", "\ud800", [1], {}, Loud(), Louder(), object(), 3, 2.5, b"\xff"]
ODD += [*BYTES, Asked(1)]


def counts(data: pd.Series[Any], key: Unknown = TEXTS, known: KnownIds | None = None) -> dict[Any, int]:
    return weights_of(PandasRows(data.rename("k"), known).found("keys.fold:Occurs", Occurring("k", key)))


def test_texts_are_keys_and_nothing_else_is() -> None:
    values = ["a", "b", "a", b"a", Text("a"), np.str_("b"), *ODD]
    assert counts(pd.Series(values, dtype=object)) == {"a": 4, "b": 2}


@pytest.mark.parametrize("odd", range(len(ODD)))
def test_one_odd_value_among_texts_changes_no_other(odd: int) -> None:
    assert weights_of(seen(["a", "a", "b", ODD[odd]])) == {"a": 2, "b": 1}


STORED = {
    "objects": lambda v: pd.Series(v, dtype=object),
    "str": lambda v: pd.Series(v, dtype="str"),
    "python strings": lambda v: pd.Series(v, dtype=pd.StringDtype("python")),
    "arrow strings": lambda v: pd.Series(v, dtype=pd.ArrowDtype(pa.string())),
    "large": lambda v: pd.Series(v, dtype=pd.ArrowDtype(pa.large_string())),
    "categories": lambda v: pd.Series(v, dtype=pd.CategoricalDtype(["z", "b", "a", "never"])),
    "dictionary": lambda v: pd.Series(v, dtype=pd.ArrowDtype(pa.dictionary(pa.int8(), pa.string()))),
    "bytes": lambda v: pd.Series([None if x is None else x.encode() for x in v], dtype=object),
    "chunks": lambda v: pd.Series(
        pd.arrays.ArrowExtensionArray(pa.chunked_array([pa.array(v[:2], pa.string()), pa.array(v[2:], pa.string())]))
    ),
}


@pytest.mark.parametrize("way", STORED)
def test_it_does_not_matter_how_texts_are_stored(way: str) -> None:
    values = ["b", "a", None, "a", "b", "a"]
    assert counts(STORED[way](values)) == {"a": 3, "b": 2}


def test_a_key_that_no_counted_row_has_is_none() -> None:
    """Not a category without rows, and not a value of rows that do not count."""
    data = pd.Series(["a", "b", "a", "c"], index=[0, 7, 0, 1], dtype="str")
    assert counts(data, known=KnownIds(3)) == {"a": 1, "c": 1}
    assert counts(data.astype("category"), known=KnownIds(3)) == {"a": 1, "c": 1}
    assert counts(data.astype(object), known=KnownIds(3)) == {"a": 1, "c": 1}


def test_texts_that_are_not_utf8_are_no_keys() -> None:
    broken = pa.Array.from_buffers(
        pa.string(), 2, [None, pa.py_buffer(np.array([0, 2, 4], np.int32)), pa.py_buffer(b"ok\xff\xfe")]
    )
    assert counts(pd.Series(pd.arrays.ArrowExtensionArray(pa.chunked_array([broken])))) == {"ok": 1}


@pytest.mark.parametrize("odd", range(len(ODD)))
@pytest.mark.parametrize("value", BYTES)
def test_no_other_value_decides_whether_bytes_of_another_type_are_a_key(value: Any, odd: int) -> None:
    assert weights_of(seen([value, value, "b", ODD[odd]])) == {"b": 1}


def test_spelling_makes_texts_alike() -> None:
    values = pd.Series(["Flu", "flu", "FLU", "e\u0301", "\u00e9", "\u00c9"], dtype=object)
    assert counts(values) == {"Flu": 1, "flu": 1, "FLU": 1, "e\u0301": 1, "\u00e9": 1, "\u00c9": 1}
    assert counts(values, Unknown("string", spelling="NFC")) == {"Flu": 1, "flu": 1, "FLU": 1, "\u00e9": 2, "\u00c9": 1}
    assert counts(values, Unknown("string", spelling="casefold")) == {"flu": 3, "\u00e9": 3}


@pytest.mark.parametrize("dtype", [object, "int64", "float64", "Int64", "int8", "uint64", "int64[pyarrow]"])
def test_whole_numbers_are_one_key_however_they_are_written(dtype: Any) -> None:
    assert counts(pd.Series([1, 1, 2, 100], dtype=dtype), Unknown("integer")) == {1: 2, 2: 1, 100: 1}


def test_whole_numbers_among_others() -> None:
    values = [1, 1.0, True, Decimal(1), np.int8(1), "1", 1.5, 2**63, -(2**63), np.inf, np.nan, 10**400, Loud()]
    assert counts(pd.Series(values, dtype=object), Unknown("integer")) == {1: 5, -(2**63): 1}
    found = counts(pd.Series(values, dtype=object), Unknown("integer"))
    assert {type(key) for key in found} == {int}


def test_true_and_false() -> None:
    values = [True, 1, 1.0, False, 0, 2, "True", None, np.True_]
    assert counts(pd.Series(values, dtype=object), Unknown("bool")) == {True: 4, False: 2}
    assert {type(key) for key in counts(pd.Series(values, dtype=object), Unknown("bool"))} == {bool}
    assert counts(pd.Series([True, False, True]), Unknown("bool")) == {True: 2, False: 1}
    assert counts(pd.Series([True, None, True], dtype="boolean"), Unknown("bool")) == {True: 2}


DAY = 86_400 * 10**9


def test_points_in_time() -> None:
    values = [
        dt.date(1970, 1, 2),
        dt.datetime(1970, 1, 2),
        pd.Timestamp(DAY),
        np.datetime64("1970-01-02"),
        "1970-01-02",
    ]
    values += [pd.NaT, 5, dt.date(9999, 1, 1), pd.Timestamp("1970-01-02 01:00", tz="Europe/Berlin")]
    assert counts(pd.Series(values, dtype=object), Unknown("date")) == {DAY: 5}
    assert counts(pd.Series(pd.to_datetime(["1970-01-02", None, "1970-01-02"])), Unknown("date")) == {DAY: 2}
    zoned = pd.Series(pd.to_datetime(["1970-01-02 01:00"]).tz_localize("Europe/Berlin"))
    assert counts(zoned, Unknown("date")) == {DAY: 1}


def test_engines_that_cut_the_rows_find_the_same() -> None:
    rng = np.random.default_rng(5)
    values = pd.Series(rng.integers(0, 50, 4000).astype(str), dtype="str", name="k")
    measurement = Occurring("k", TEXTS, ("7",))
    kinds = (PandasRows, type("InParts", (PandasRows,), {"engine": Split}))
    one, other = (kind(values, None).found("keys.fold:Occurs", measurement) for kind in kinds)
    assert weights_of(one) == weights_of(other) == values[values != "7"].value_counts().to_dict()
    assert one.rows == other.rows == 4000


def test_many_categories_in_few_bits() -> None:
    """Codes of one byte count up to 127."""
    names = [f"k{i}" for i in range(127)]
    assert counts(pd.Series(names * 2, dtype=pd.CategoricalDtype(names))) == dict.fromkeys(names, 2)


def test_levels_that_are_one_text_are_one_key() -> None:
    """Each chunk of an Arrow column has a dictionary of its own."""
    chunks = [pa.array(words).dictionary_encode() for words in (["a", "b", "a"], ["b", None, "c", ""])]
    series = pd.Series(pd.arrays.ArrowExtensionArray(pa.chunked_array(chunks)), name="k")
    assert counts(series) == {"a": 2, "b": 2, "c": 1}
    levels = pd.Series(pd.Categorical(["a", "b", "a", None, ""], ["unused", "b", "a", ""]), name="k")
    assert counts(levels) == {"a": 2, "b": 1}


def test_whole_numbers_of_every_width_are_read_as_their_values_are() -> None:
    for dtype in ("int8", "uint8", "int64", "uint64"):
        assert counts(pd.Series([1, 2, 1], dtype=dtype), Unknown("integer")) == {1: 2, 2: 1}
    wide = pd.Series([2**63 - 1, 2**63, 2**64 - 1, 0], dtype="uint64", name="k")
    assert counts(wide, Unknown("integer")) == {2**63 - 1: 1, 0: 1}
