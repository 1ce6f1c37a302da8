"""What is written beside rows runs no code of anybody else's there, and tells nobody of them."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from pandas_dp import Session
from pandas_dp.core.session.session_core import core_for
from pandas_dp.errors import NoBounds, NotFollowed, UnsupportedArgument
from pandas_dp.language.table import LazyTable

from .rows import Held, Made, lazy

TABLE = pd.DataFrame(
    {
        "k": ["Smith", "Jones", "Smith"],
        "x": [1.0, 2.0, 3.0],
        "t": pd.to_datetime(["2020-01-31", "2021-02-28", "1999-09-09"]),
    }
)
heard: list[Any] = []


class Listening(str):
    """A text that is told of every text that it meets."""

    def __eq__(self, other: object) -> bool:
        heard.append(other)
        return str.__eq__(self, other)

    def __lt__(self, other: Any) -> bool:
        heard.append(other)
        return str.__lt__(self, other)

    __gt__ = __lt__

    def __hash__(self) -> int:
        heard.append("hashed")
        return hash("Smith")

    def __str__(self) -> str:
        return self

    def __repr__(self) -> str:
        heard.append("shown")
        return "'?'"

    def __len__(self) -> int:
        heard.append("measured")
        return str.__len__(self)

    def __format__(self, form: str) -> str:
        heard.append("written")
        return "?"


class ListeningNumber(int):
    __array_ufunc__ = None

    def __rmul__(self, other: Any) -> Any:
        heard.append(other)
        return other * int(self) if isinstance(other, str) else self

    def __radd__(self, other: Any) -> Any:
        heard.append(other)
        return other


class Place:
    def __index__(self) -> int:
        heard.append("asked")
        return 1

    def __bool__(self) -> bool:
        heard.append("asked")
        return True


class Compared:
    """Beside an array of rows it is asked first."""

    __array_ufunc__ = None

    def __mul__(self, other: Any) -> Any:
        heard.append(other)
        return self

    __add__ = __gt__ = __lt__ = __mul__


class Days(timedelta):
    @property
    def days(self) -> Any:
        return Compared()


TOLD: dict[str, Callable[[LazyTable], Any]] = {
    "==": lambda t: t["k"] == Listening("a"),
    "<": lambda t: t["k"] < Listening("a"),
    "isin": lambda t: t["k"].isin([Listening("a")]),
    "map": lambda t: t["k"].map({Listening("Smith"): 1}),
    "texts of map": lambda t: t["k"].map({"Smith": Listening("a")}) + "b",
    "fillna": lambda t: t["k"].fillna(Listening("a")) + "b",
    "merge": lambda t: t.merge(pd.DataFrame({"k": [Listening("Smith")], "y": [1]}), on="k")["y"],
    "replace": lambda t: t["k"].str.replace(Listening("a"), "b", regex=False),
    "pattern": lambda t: t["k"].str.contains(Listening("a")),
    "repeat": lambda t: t["k"].str.repeat(ListeningNumber(1)),
    "cat": lambda t: t["k"].str.cat(t["k"], sep=Listening("-")),
    "to_datetime": lambda t: t["k"].to_datetime(Listening("%Y")),
    "strftime": lambda t: t["t"].dt.strftime(Listening("%Y")),
    "offset": lambda t: t["t"] + pd.DateOffset(months=ListeningNumber(1)),
}
REFUSED: dict[str, Callable[[LazyTable], Any]] = {
    "slice": lambda t: t["k"].str.slice(Place()),
    "find": lambda t: t["k"].str.find("i", Place()),
    "cut": lambda t: t["x"].cut([0, 2, 9], right=Place()),
    "timedelta": lambda t: t["t"] - pd.Timestamp(0) < Days(1),
    "format": lambda t: t["k"].to_datetime(5),
    "parts": lambda t: t["k"].str.split("i", n=10**30).str.len(),
    "months": lambda t: t["t"] + pd.DateOffset(months=10**30),
}


@pytest.mark.parametrize("how", TOLD)
def test_constants_are_told_nothing_of_rows(how: str) -> None:
    made = Made.of(TOLD[how](lazy(dict.fromkeys(TABLE, "any"))))
    heard.clear()
    made.on(Held(TABLE))
    assert heard == []


@pytest.mark.parametrize("how", REFUSED)
def test_what_is_no_plain_fact_is_refused_when_it_is_written(how: str) -> None:
    with pytest.raises((NotFollowed, UnsupportedArgument)):
        REFUSED[how](lazy(dict.fromkeys(TABLE, "any")))


def test_no_public_name_leads_from_a_column_to_its_rows() -> None:
    column = Session(epsilon=1).scan(TABLE)["x"]
    assert not {name for name in dir(column.rows) if not name.startswith("_")} & {"source", "read"}


@pytest.mark.parametrize("sign", [np.signbit, lambda x: np.copysign(1.0, x)])
@pytest.mark.parametrize("joined", [np.add, np.multiply, np.fmin, np.fmax])
def test_which_nan_it_is_shows_nothing_of_where_it_stands(sign: Any, joined: Any) -> None:
    table = lazy({"x": "number", "y": "number"})
    made = Made.of(sign(joined(table["x"], table["y"])))
    for rows in (31, 37, 64):
        frame = pd.DataFrame({"x": np.full(rows, -np.nan), "y": np.full(rows, np.nan)})
        assert len(set(map(str, made.on(Held(frame))[None]))) == 1


@pytest.mark.parametrize("last", ["z", None])
def test_a_choice_of_texts_of_arrow_is_the_text(last: str | None) -> None:
    table = lazy({"x": "any", "y": "any"})
    frame = pd.DataFrame({"x": pd.Series(["a", "b", last], dtype="str"), "y": pd.Series(["c"] * 3, dtype="str")})
    assert Made.of(table["x"].where(table["x"] != "b", table["y"])).on(Held(frame))[None][:2] == ["a", "c"]


@pytest.mark.parametrize("seconds", [0, 1, 10**7])
def test_lengths_beyond_all_floats_are_infinite(seconds: int) -> None:
    table = lazy({"w": "span"})
    frame = pd.DataFrame({"w": pd.to_timedelta([0, seconds], "s")})
    for made in ((table["w"] * 1e300) / pd.Timedelta(1), (table["w"] * 1e300 * 1e300).dt.total_seconds()):
        found = Made.of(made).on(Held(frame))[None]
        assert found[0] == 0
        assert found[1] >= 1e300 or not seconds


def test_replacing_by_a_pattern_as_python_does_and_never_exhausts_a_machine() -> None:
    table = lazy({"k": "text"})
    long = "ab" * 20_000
    frame = pd.DataFrame({"k": [long, "xaby", "", "a"]})
    for pattern, other, many in (("(a)(b)?", r"<\1\2>", -1), ("", "-", -1), ("b*", r"\g<0>.", 3), ("a", "", 1)):
        found = Made.of(table["k"].str.replace(pattern, other, n=many, regex=True)).on(Held(frame))[None]
        assert found == [re.sub(pattern, other, each, count=max(many, 0)) for each in frame["k"]]
    grown = table["k"]
    for _ in range(40):
        grown = grown.str.replace("(?s)(.+)", r"\1\1", regex=True)
    assert Made.of(grown).on(Held(frame))[None] == [None, None, "", None]


@pytest.mark.parametrize("kind", [pa.string_view(), pa.binary_view()])
@pytest.mark.parametrize("kept", [4, 6])
def test_types_that_arrow_cannot_pick_from_are_picked_from(kind: Any, kept: int) -> None:
    values = ["a", "b"] * 5 if kind == pa.string_view() else [b"a", b"b"] * 5
    column = pd.Series(pd.arrays.ArrowExtensionArray(pa.chunked_array([pa.array(values, kind)])))
    rows = Session(epsilon=1e9).scan(pd.DataFrame({"k": column, "x": np.arange(10.0)}))
    found = rows[rows["x"] < kept]["k"].dp.value_counts(categories=["a", "b"], epsilon=1e6)["count"].tolist()
    assert found == [kept // 2, kept // 2]


def test_what_a_question_holds_leads_to_no_rows() -> None:
    column = Session(epsilon=1).scan(TABLE)["x"]
    asked = column.dp._series
    scanned = core_for(asked).subject(asked).scanned
    for each in (scanned, scanned.source):
        assert not {"frame", "held"} & {name for name in dir(each) if not name.startswith("_")}


def test_a_refusal_holds_no_question() -> None:
    column = Session(epsilon=1).scan(TABLE)["x"]
    with pytest.raises(NoBounds) as refused:
        column.dp.mean()
    assert not [entry for entry in refused.traceback if "asking" in entry.locals]
