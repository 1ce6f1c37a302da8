"""Contract 5 again, for columns that are stored in odd ways: two tables that differ in one row are both answered.

A value that a storage type can hold, and that reading stumbles over, would show by an exception after the charge.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp import errors
from pandas_dp.audit import zero_noise
from pandas_dp.core.engine.cells import ROOM, CellNumbers, Places
from pandas_dp.core.engine.fold import column_of
from pandas_dp.core.measure.cells import Cells, Key
from pandas_dp.core.schema.values import Categories
from tests.refusals import refused

pa = pytest.importorskip("pyarrow")

Ask = Callable[[pd.DataFrame], pd.DataFrame]
QUESTIONS: dict[str, Ask] = {
    "value_counts": lambda d: d["k"].dp.value_counts(categories=["x", "y"], epsilon=1),
    "nunique": lambda d: d["k"].dp.nunique(categories=["x", "y"], epsilon=1),
    "crosstab": lambda d: d.dp.crosstab("k", "j", categories={"k": ["x", "y"], "j": ["x"]}, epsilon=1),
    "planned": lambda d: d.dp.crosstab("k", "j", categories={"k": ["x"], "j": ["x"]}, margins="planned", epsilon=1),
    "count": lambda d: d["k"].dp.count(epsilon=1),
    "mean": lambda d: d["k"].dp.mean(bounds=(0, 1), epsilon=1),
    "median": lambda d: d["k"].dp.median(bounds=(0, 1), epsilon=1),
    "histogram": lambda d: d["k"].dp.histogram([0, 0.5, 1], bounds=(0, 1), epsilon=1),
}


def texts(second: bytes, kind: Any = None) -> Any:
    """An Arrow array of "x" and these bytes, UTF-8 or not."""
    kind = kind or pa.large_string()
    ends = np.array([0, 1, 1 + len(second)], "i4" if kind == pa.string() else "i8")
    buffers = [None, pa.py_buffer(ends.tobytes()), pa.py_buffer(b"x" + second)]
    return pa.Array.from_buffers(kind, 2, buffers)


def arrow(*chunks: Any) -> pd.Series:
    return pd.Series(pd.arrays.ArrowExtensionArray(pa.chunked_array(chunks)))


def one_more(second: str) -> pd.Series:
    """A dictionary in two chunks, which together have 127 values or one more than int8 can count."""
    kind = pa.dictionary(pa.int8(), pa.string())
    first = pa.array([f"c{i}" for i in range(64)]).dictionary_encode().cast(kind)
    return arrow(first, pa.array([*(f"c{i}" for i in range(64, 127)), second]).dictionary_encode().cast(kind))


def dictionary(*values: str | None) -> Any:
    return pa.DictionaryArray.from_arrays(pa.array(range(len(values)), pa.int8()), pa.array(values, pa.string()))


PAIRS = {
    "no UTF-8 in str": lambda odd: pd.Series(
        pd.array(arrow(texts(b"\xff" if odd else b"y")).array, dtype=pd.StringDtype("pyarrow", na_value=np.nan))
    ),
    "no UTF-8 in string": lambda odd: arrow(texts(b"\xff" if odd else b"y", pa.string())),
    "no UTF-8 in a dictionary": lambda odd: arrow(
        pa.DictionaryArray.from_arrays(pa.array([0, 1], pa.int32()), texts(b"\xff" if odd else b"y"))
    ),
    "a value too many for int8": lambda odd: one_more("x" if odd else "c126"),
    "nothing within a dictionary": lambda odd: arrow(dictionary("x", "y"), dictionary("y", None if odd else "x")),
    "lists in dictionaries": lambda odd: arrow(
        *[pa.DictionaryArray.from_arrays(pa.array([0]), pa.array([[1, 2] if odd else [1]])) for _ in range(2)]
    ),
    "half a surrogate": lambda odd: pd.Series(["x", "\udcff" if odd else "y"], dtype=object),
}


PANDAS_CANNOT_FILTER = {"a value too many for int8", "nothing within a dictionary"}


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("storage", PAIRS)
def test_both_of_two_tables_that_differ_in_one_row_are_answered(storage: str, question: str) -> None:
    for odd in (False, True):
        column = PAIRS[storage](odd)
        session = pdp.Session(epsilon=10)
        protected = session.protect(pd.DataFrame({"k": column, "j": "x"}))
        QUESTIONS[question](protected)
        if storage not in PANDAS_CANNOT_FILTER:
            QUESTIONS[question](protected[protected["j"] == "none"])  # a dictionary keeps the words of rows that went
        assert session.share_used >= 0.1


def test_text_is_read_chunk_by_chunk() -> None:
    """Chunks put together would overflow 32-bit offsets at 2 GB."""
    column = column_of(arrow(pa.array(["x", "y"]), pa.array(["y", None, "x"])))
    rows = slice(1, 5)
    assert column.find(rows, ["y", "x"]).tolist() == [0, 0, -1, 1]  # type: ignore[attr-defined]
    _, missing = column.block(rows)
    assert missing is not None
    assert missing.tolist() == [False, False, True, False]
    assert column.block(slice(5, 5))[0].tolist() == []


def test_levels_of_all_chunks_count_on() -> None:
    with zero_noise():
        session = pdp.Session(epsilon=10)
        column = arrow(dictionary("y", "x"), dictionary("x", "z", "y"), dictionary("x"))
        found = session.protect(pd.DataFrame({"k": column}))["k"].dp.value_counts(categories=["x", "y"], epsilon=1)
    assert found["count"].tolist() == [3, 2]


@pytest.mark.parametrize("varying", [3, 4])
def test_raw_cells_are_never_many_more_than_declared_ones(varying: int) -> None:
    """Sixteen keys of two declared categories, of which only some vary in the data: 2^3 or 2^4 levels."""
    table = pd.DataFrame([["a"] * 16, ["b"] * varying + ["a"] * (16 - varying)]).astype("category")
    cells = Cells(tuple(Key(name, Categories(("a", "b"))) for name in table.columns))
    numbers = CellNumbers(cells, lambda key: Places(column_of(table[key.column]), key))
    assert numbers.size <= max(ROOM, 4 * cells.size) + 1
    raw = numbers.block(slice(0, 2), np.empty(2, numbers.dtype))
    sums = numbers.settle(np.bincount(raw, minlength=numbers.size)[:, None])
    assert np.flatnonzero(sums[:, 0]).tolist() == [0, int("1" * varying + "0" * (16 - varying), 2)]


@pytest.mark.parametrize("dtype", ["category", "str", object])
def test_rows_in_no_cell_of_many_keys_are_left_out(dtype: Any) -> None:
    rows = [["a"] * 10, ["b"] * 10, ["a"] * 9 + ["c"], ["a"] * 9 + [None]]
    keys = [f"k{i}" for i in range(10)]
    session = pdp.Session(epsilon=10)
    frame = session.protect(pd.DataFrame(rows, columns=keys).astype(dtype))
    with zero_noise():
        found = frame.dp.value_counts(keys, categories={key: ["a", "b"] for key in keys}, epsilon=1)
        others = frame.dp.value_counts(keys, categories={key: ["a", "b"] for key in keys}, other=True, epsilon=1)
    assert found["count"].to_numpy().nonzero()[0].tolist() == [0, 2**10 - 1]
    assert others["count"].sum() == 4


def test_more_keys_than_a_table_can_have_are_refused() -> None:
    keys = [f"k{i}" for i in range(40)]
    session = pdp.Session(epsilon=10)
    frame = session.protect(pd.DataFrame({key: ["a"] for key in keys}))
    with refused(errors.UnsupportedArgument):
        frame.dp.value_counts(keys, categories={key: ["a"] for key in keys}, epsilon=1)
    assert session.share_used == 0


def test_what_fails_after_the_charge_says_nothing_of_the_data(monkeypatch: pytest.MonkeyPatch) -> None:
    def stumble(*_: Any) -> None:
        raise UnicodeDecodeError("utf-8", b"secret", 0, 1, "secret")

    session = pdp.Session(epsilon=10)
    frame = session.protect(pd.DataFrame({"k": ["x"]}))
    monkeypatch.setattr("pandas_dp.core.engine.rows.PandasRows.fold", stumble)
    with pytest.raises(errors.AnswerLost) as caught:
        frame["k"].dp.value_counts(categories=["x"], epsilon=1)
    assert "secret" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__
    assert session.share_used > 0


@pytest.mark.parametrize(
    "values",
    [
        [1, 2, None],
        [[1], [], None],
        [{"a": 1}, {"a": None}, None],
    ],
    ids=["times", "lists", "structs"],
)
def test_what_is_not_read_is_there_all_the_same(values: list[Any]) -> None:
    """Counted where it is not null; no number, and in no category."""
    kind = pa.time64("us") if isinstance(values[0], int) else None
    column = arrow(pa.array(values, kind))
    session = pdp.Session(epsilon=10)
    with zero_noise():
        frame = session.protect(pd.DataFrame({"k": column}))
        assert frame["k"].dp.count(epsilon=1)["count"].item() == 2
        assert frame["k"].dp.value_counts(categories=["x"], epsilon=1)["count"].item() == 0


def test_runs_and_dictionaries_within_dictionaries_are_read_through() -> None:
    runs = pa.RunEndEncodedArray.from_arrays(pa.array([2, 5], pa.int32()), pa.array([10, 20]))
    inner = pa.array(["x", "y"]).dictionary_encode()
    nested = pa.DictionaryArray.from_arrays(pa.array([0, 1, 1, None, 0], pa.int8()), inner)
    session = pdp.Session(epsilon=10)
    with zero_noise():
        frame = session.protect(pd.DataFrame({"n": arrow(runs), "k": arrow(nested)}))
        assert frame["n"].dp.sum(bounds=(0, 100), epsilon=1)["sum"].item() == 80
        assert frame["k"].dp.value_counts(categories=["x", "y"], epsilon=1)["count"].tolist() == [2, 2]
        assert frame["k"].dp.count(epsilon=1)["count"].item() == 4


def test_a_lost_answer_carries_no_other_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def stumble(*_: Any) -> None:
        raise ValueError("row 17 holds 424242")

    monkeypatch.setattr("pandas_dp.core.engine.rows.PandasRows.fold", stumble)
    for keeper in (False, True):
        session = pdp.Session(epsilon=10, custodian=keeper)
        with pytest.raises(errors.AnswerLost) as caught:
            session.protect(pd.DataFrame({"k": ["x"]}))["k"].dp.value_counts(categories=["x"], epsilon=1)
        assert caught.value.__context__ is None
        assert (caught.value.__cause__ is None) is not keeper
