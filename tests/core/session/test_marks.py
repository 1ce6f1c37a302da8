"""What takes the mark of a whole frame away: everything that writes in place, whether or not it changes a value."""

from __future__ import annotations

import contextlib
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp.core.protect.mark import copies_on_write, is_whole

IN_ORDER, OUT_OF_ORDER = [1.0, 2.0, 3.0], [3.0, 1.0, 2.0]


def write_loc(data: Any) -> None:
    data.loc[data.index < 0] = 0.0


def write_at(data: Any) -> None:
    data.at[data.index[0], *([] if data.ndim == 1 else ["x"])] = 1.0


WRITES: dict[str, Callable[[Any], Any]] = {
    "loc, no row": write_loc,
    "at": write_at,
    "sort_values": lambda data: data.sort_values(*([] if data.ndim == 1 else ["x"]), inplace=True),
    "sort_index": lambda data: data.sort_index(inplace=True),
    "dropna": lambda data: data.dropna(inplace=True),
    "fillna": lambda data: data.fillna(0.0, inplace=True),
    "drop_duplicates": lambda data: data.drop_duplicates(inplace=True),
    "mask": lambda data: data.mask(data > 10, 0.0, inplace=True),
    "replace": lambda data: data.replace({9.0: 1.0}, inplace=True),
    "clip": lambda data: data.clip(0, 10, inplace=True),
    "ffill": lambda data: data.ffill(inplace=True),
    "update": lambda data: data.update(data.iloc[:0]),
    "pop": lambda data: data.pop("x" if data.ndim == 2 else data.index[0]),
    "del": lambda data: data.__delitem__("x" if data.ndim == 2 else data.index[0]),
}


@pytest.mark.filterwarnings("ignore:The inplace keyword")
@pytest.mark.parametrize("values", [IN_ORDER, OUT_OF_ORDER], ids=["in order", "out of order"])
@pytest.mark.parametrize("kind", ["frame", "series"])
@pytest.mark.parametrize("name", WRITES)
def test_a_write_in_place_takes_the_mark_whatever_the_values(name: str, kind: str, values: list[float]) -> None:
    with pdp.Session(epsilon=1) as session:
        data = session.protect(pd.DataFrame({"x": values, "y": values}))
        data = data["x"] if kind == "series" else data
        assert is_whole(data)
        WRITES[name](data)
        assert not is_whole(data)


@pytest.mark.parametrize("true", [True, np.True_])
def test_a_list_of_truths_is_a_mask_also_where_columns_are_called_zero_and_one(true: Any) -> None:
    with pdp.Session(epsilon=1) as session:
        frame = session.protect(pd.DataFrame([[1, 2, 3]] * 4, columns=pd.Index([0, 1, "y"], dtype=object)))
        assert not is_whole(frame[[true] * 4])
        assert is_whole(frame[[0, 1]])


@pytest.mark.parametrize("rows", [922, 923, 2768])
def test_a_third_is_a_third_however_many_rows_there_are(rows: int) -> None:
    """1/3 as a decimal of sixteen digits times a rank is beyond int64 from some number of rows on."""
    with pdp.Session(epsilon=10**6) as session:
        frame = session.protect(pd.DataFrame({"x": np.linspace(0, 50, rows)}))
        answer = frame["x"].dp.quantile(1 / 3, epsilon=10, bounds=(0, 100))["quantile"].item()
    assert answer == pytest.approx(50 / 3, abs=1)  # ten ranks in 900 off; e^-50 by luck


def test_a_median_beyond_int64_is_answered_after_paying() -> None:
    with pdp.Session(epsilon=100) as session:
        frame = session.protect(pd.DataFrame({"x": np.full(50, 2**64 - 1, dtype=np.uint64)}))
        assert len(frame["x"].dp.median(epsilon=1, bounds=(0, 2**64 - 1))) == 1


# -- writes that pandas refuses because of a row

UNFIT: dict[str, tuple[str | None, Callable[[Any], Any]]] = {
    "fillna": (None, lambda frame: frame.fillna({"k": "unknown"}, inplace=True)),
    "where": (None, lambda frame: frame.where(frame.notna(), 0.5, inplace=True)),
    "mask": (None, lambda frame: frame.mask(frame.isna(), 0.5, inplace=True)),
    "in a place, as numpy's": (None, lambda frame: frame.mask(frame.isna(), 0.5, np.True_)),
    "insert": (None, lambda frame: frame.insert(0, "new", [1] * int(frame["n"].notna().sum()))),
    "fillna of a column": ("k", lambda column: column.fillna("unknown", inplace=True)),
    "operator on a column": ("n", lambda column: operator.iadd(column, "text")),
}


@pytest.mark.parametrize("write", UNFIT)
def test_a_write_that_pandas_refuses_for_one_row_takes_the_mark_away_as_well(write: str) -> None:
    """Whether it is refused is read from the rows, so the path must be the same."""
    name, act = UNFIT[write]
    kinds = {"k": pd.CategoricalDtype(["a", "b"]), "n": "Int64"}
    for last in (("b", 2), (None, None), ("b", 0)):
        frame = pdp.Session(epsilon=1).protect(pd.DataFrame([("a", 1), last], columns=["k", "n"]).astype(kinds))
        target = frame if name is None else frame[name]
        assert is_whole(target)
        with contextlib.suppress(TypeError, ValueError, ZeroDivisionError):
            act(target)
        assert not is_whole(target)


# -- without copy-on-write, as in pandas 2 where nothing is said


@pytest.fixture
def no_copies(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pd, "__version__", "2.2.3")
    monkeypatch.setattr(pd, "get_option", {"mode.copy_on_write": "warn"}.get)


@pytest.mark.usefixtures("no_copies")
@pytest.mark.parametrize("given", [pd.DataFrame({"x": [1.0]}), "files.parquet"], ids=["frame", "files"])
def test_protect_and_scan_name_the_line_to_write(given: object) -> None:
    session = pdp.Session(epsilon=1)
    with pytest.raises(pdp.errors.NotProtected) as caught:
        (session.scan if isinstance(given, str) else session.protect)(given)
    assert str(caught.value) == (
        "a protected table needs copy-on-write, which pandas 2.2.3 has switched off; write "
        "pd.options.mode.copy_on_write = True below `import pandas as pd`."
    )


def test_a_frame_is_derived_where_the_option_is_switched_off_later(request: pytest.FixtureRequest) -> None:
    with pdp.Session(epsilon=1) as session:
        frame = session.protect(pd.DataFrame({"x": [1.0] * 50}))
        assert is_whole(frame)
        request.getfixturevalue("no_copies")
        assert not is_whole(frame)
        label = frame["x"].dp.sum(bounds=(0, 1), epsilon=0.5).attrs["dp"]
        assert (label["rows"], label["size"]) == ("derived", None)


@pytest.mark.parametrize(("version", "option", "copies"), [("3.0.1", False, True), ("2.3.3", True, True)])
def test_pandas_copies_on_write_from_version_3_or_where_told(
    version: str, option: Any, copies: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pd, "__version__", version)
    monkeypatch.setattr(pd, "get_option", {"mode.copy_on_write": option}.get)
    assert copies_on_write() is copies
