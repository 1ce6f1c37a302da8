"""Writes into protected tables: what is asked afterwards is what pandas shows, or is refused before paying."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp import errors
from pandas_dp.audit import zero_noise
from pandas_dp.core.protect.mark import copies_on_write, is_whole

Act = Callable[[Any], Any]
pytestmark = pytest.mark.filterwarnings("ignore:The inplace keyword")


def people() -> pd.DataFrame:
    return pd.DataFrame(
        {"x": [1.0, None, 3.0, 4.0, 5.0] * 20, "y": [3.0, 1.0, 2.0, 5.0, 4.0] * 20, "k": list("ababa") * 20}
    )


def asked(data: Any) -> float:
    with zero_noise():
        data = data["x"] if data.ndim == 2 else data
        return float(data.dp.sum(bounds=(-100, 100), epsilon=1)["sum"].item())


def shown(data: Any) -> float:
    real = data._dp_real()
    return float((real["x"] if real.ndim == 2 else real).sum())


def read_of(session: pdp.Session) -> str:
    return str(session._core.tables.read)


def write(name: str, *given: Any, **options: Any) -> Act:
    return lambda data: getattr(data, name)(*given, **options, inplace=True)


FOLLOWED: dict[str, Act] = {
    "an attribute": lambda d: setattr(d, "x", d.y * 2),
    "a key": lambda d: d.__setitem__("x", d["y"] * 2),
    "a function": lambda d: d.__setitem__("x", lambda frame: frame["y"] + 1),
    "several": lambda d: d.__setitem__(["x", "y"], d[["y", "x"]]),
    "a condition": lambda d: d[["x", "y"]].__setitem__(d[["x", "y"]] > 2, 0.0),
    "loc": lambda d: d.loc.__setitem__((d["x"] > 2, "x"), 0.0),
    "loc, no row": lambda d: d.loc.__setitem__((d["x"] > 99, "x"), 0.0),
    "loc, all": lambda d: d.loc.__setitem__((slice(None), "x"), 90.0),
    "insert": lambda d: d.insert(0, "new", d["x"] * 2),
    "pop": lambda d: d.pop("y"),
    "del": lambda d: d.__delitem__("y"),
    "names": lambda d: setattr(d, "columns", ["y", "x", "k"]),
    "name of the rows": lambda d: setattr(d.index, "name", "person"),
    "an operator": lambda d: d.__setitem__("x", operator.iadd(d["x"], 1)),
    "clip": lambda d: d.__setitem__("x", d["x"].clip(2, 3)),
    "drop": write("drop", columns="y"),
    "dropna": write("dropna"),
    "eval": write("eval", "x = x + y"),
    "fillna": write("fillna", {"x": 7.0}),
    "query": write("query", "x > 2"),
    "rename": write("rename", columns={"y": "x", "x": "y"}),
    "rename_axis": write("rename_axis", "person"),
    "replace": write("replace", {1.0: 7.0}),
    "reset_index": write("reset_index", drop=True),
    "set_index": write("set_index", "k"),
    "sort_index": write("sort_index"),
    "sort_values": write("sort_values", "x"),
    "truth of numpy's": lambda d: d.dropna(inplace=np.True_),
    "where": lambda d: d.where(d["y"] > 2, inplace=True),
}
NOT_FOLLOWED: dict[str, Act] = {
    "at": lambda d: d.at.__setitem__((0, "x"), 0.0),
    "bfill": write("bfill"),
    "drop_duplicates": write("drop_duplicates"),
    "ffill": write("ffill"),
    "iat": lambda d: d.iat.__setitem__((0, 0), 0.0),
    "iloc": lambda d: d.iloc.__setitem__((slice(None), 0), 90.0),
    "interpolate": lambda d: d.__setitem__("x", d["x"].interpolate()),
    "isetitem": lambda d: d.isetitem(0, range(100)),
    "a list": lambda d: d.__setitem__("x", [1.0] * 100),
    "a row": lambda d: d.loc.__setitem__(1000, [1.0, 2.0, "a"]),
    "ranks": lambda d: d.__setitem__("x", d["x"].rank()),
    "update": lambda d: d.update(d[["y"]].set_axis(["x"], axis=1)),
    "what was read": lambda d: d.__setitem__("x", d["x"] - d["x"].mean()),
}
OF_COLUMNS: dict[str, Act] = {
    "a condition": lambda x: x.__setitem__(x > 2, 0.0),
    "loc": lambda x: x.loc.__setitem__(x > 2, 0.0),
    "clip": write("clip", 2, 3),
    "dropna": write("dropna"),
    "fillna": write("fillna", 7.0),
    "mask": lambda x: x.mask(x > 2, 0.0, inplace=True),
    "name": lambda x: setattr(x, "name", "new"),
    "rename": write("rename", "new"),
    "replace": write("replace", 1.0, 7.0),
    "reset_index": write("reset_index", drop=True),
    "sort_values": write("sort_values"),
    "where": lambda x: x.where(x > 2, 0.0, inplace=True),
    "operator": lambda x: operator.imul(x, 2),
}


@pytest.mark.parametrize("name", FOLLOWED)
def test_what_was_written_into_a_table_is_asked(name: str) -> None:
    session = pdp.Session(epsilon=100)
    frame, honest = session.protect(people()), session.protect(people())
    FOLLOWED[name](frame)
    assert read_of(session) == "nothing"
    assert asked(frame) == shown(frame)
    assert is_whole(honest)
    assert asked(honest) == 260


@pytest.mark.parametrize("name", OF_COLUMNS)
def test_what_was_written_into_a_column_is_asked(name: str) -> None:
    session = pdp.Session(epsilon=100)
    frame = session.protect(people())
    column = frame["x"]
    OF_COLUMNS[name](column)
    assert read_of(session) == "nothing"
    assert asked(column) == shown(column)
    assert asked(frame) == 260  # the table has its own


@pytest.mark.parametrize("name", NOT_FOLLOWED)
def test_what_was_written_from_other_rows_is_refused_before_paying(name: str) -> None:
    with pdp.Session(epsilon=100) as session:
        frame = session.protect(people())
        taken = frame["x"]
        NOT_FOLLOWED[name](frame)
        with pytest.raises(errors.NotFollowed, match="was not made row by row"):
            asked(frame)
        assert session.share_used == 0
        assert asked(taken) == 260


def test_a_column_that_is_not_followed_leaves_the_others_as_they_are() -> None:
    frame = pdp.Session(epsilon=100).protect(people())
    frame["number"] = np.arange(100)
    frame["rank"] = frame["x"].rank()
    assert asked(frame) == 260
    for name in ("number", "rank"):
        with pytest.raises(errors.NotFollowed, match="was not made row by row"):
            frame[name].dp.sum(bounds=(0, 9), epsilon=1)


def test_what_pandas_makes_an_attribute_is_no_column() -> None:
    frame = pdp.Session(epsilon=100).protect(people())
    with pytest.warns(UserWarning, match="Pandas doesn't allow columns to be created"):
        frame.new = frame["x"] * 2
    assert "new" not in frame
    assert is_whole(frame)


@pytest.mark.parametrize("dtype", ["float64", "Int64", "category", "str", "M8[ns]"])
def test_an_array_that_was_taken_out_may_be_written_into(dtype: str) -> None:
    data = pd.DataFrame({"x": pd.Series([1, 2] * 50).astype(dtype)})
    frame = pdp.Session(epsilon=100).protect(data)
    before = frame["x"].tolist()
    frame["x"].array[:] = frame["x"].array[1]
    assert frame["x"].tolist() == before == frame._dp_asked()["x"].tolist()


# -- writes that pandas refuses

UNFIT: dict[str, Act] = {
    "fillna": lambda d: d.fillna({"k": "unknown"}, inplace=True),
    "where": lambda d: d.where(d.notna(), 0.5, inplace=True),
    "mask": lambda d: d.mask(d.isna(), 0.5, inplace=True),
    "insert": lambda d: d.insert(0, "new", [1] * int(d["n"].notna().sum())),
    "fillna of a column": lambda d: d["k"].fillna("unknown", inplace=True),
    "operator": lambda d: operator.iadd(d["n"], "text"),
}


@pytest.mark.parametrize("name", UNFIT)
def test_a_write_that_raises_leaves_the_object_as_it_was_and_has_read(name: str) -> None:
    """Whether it is raised is decided by one row."""
    kinds = {"k": pd.CategoricalDtype(["a", "b"]), "n": "Int64"}
    session = pdp.Session(epsilon=1)
    frame = session.protect(pd.DataFrame([("a", 1), (None, None)], columns=["k", "n"]).astype(kinds))
    before = frame._dp_real().copy()
    with pytest.raises((TypeError, ValueError)):
        UNFIT[name](frame)
    assert is_whole(frame)
    pd.testing.assert_frame_equal(frame._dp_real(), before)
    assert read_of(session) == "values"


@pytest.mark.parametrize(
    "act", [lambda d: d["nope"], lambda d: d.pop("nope"), lambda d: d.drop(columns="nope", inplace=True)]
)
def test_a_column_that_is_not_there_tells_nothing_of_rows(act: Act) -> None:
    session = pdp.Session(epsilon=1)
    frame = session.protect(people())
    with pytest.raises(KeyError):
        act(frame)
    assert read_of(session) == "nothing"
    with pytest.raises(KeyError):
        act(frame.pivot_table(index="y", columns="k", values="x"))
    assert read_of(session) == "values"


# -- without copy-on-write, as in pandas 2 where nothing is said


@pytest.fixture
def no_copies(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pd, "__version__", "2.2.3")
    monkeypatch.setattr(pd, "get_option", {"mode.copy_on_write": "warn"}.get)


@pytest.mark.usefixtures("no_copies")
def test_protect_names_the_line_to_write() -> None:
    session = pdp.Session(epsilon=1)
    with pytest.raises(pdp.errors.NotProtected) as caught:
        session.protect(pd.DataFrame({"x": [1.0]}))
    assert str(caught.value) == (
        "a protected table needs copy-on-write, which pandas 2.2.3 has switched off; write "
        "pd.options.mode.copy_on_write = True below `import pandas as pd`."
    )


def test_a_table_is_not_asked_where_the_option_is_switched_off_later(request: pytest.FixtureRequest) -> None:
    """What is written into an array of numpy could have reached the rows."""
    with pdp.Session(epsilon=1) as session:
        frame = session.protect(people())
        request.getfixturevalue("no_copies")
        for data in (frame, frame["x"], frame[frame["x"] > 2]):
            with pytest.raises(errors.NotProtected, match="needs copy-on-write"):
                asked(data)
        assert session.share_used == 0


@pytest.mark.parametrize(("version", "option", "copies"), [("3.0.1", False, True), ("2.3.3", True, True)])
def test_pandas_copies_on_write_from_version_3_or_where_told(
    version: str, option: Any, copies: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pd, "__version__", version)
    monkeypatch.setattr(pd, "get_option", {"mode.copy_on_write": option}.get)
    assert copies_on_write() is copies


# -- ranks beyond what numbers of numpy hold


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
