"""Contract 4: whether a mask keeps every row must not show; what is not made row by row is refused before paying."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp.audit import seeded_noise
from pandas_dp.core.protect.mark import is_whole
from pandas_dp.errors import NotFollowed, PrivacyError

from .questions import QUESTIONS, normal, open_session
from .test_silence import seen

Cut = Callable[[pd.DataFrame], pd.DataFrame]


CUTS: dict[str, Cut] = {
    "one-false series": lambda f: f[f["x"] > 1],
    "all-true series": lambda f: f[f["x"] > -1],
    "loc": lambda f: f.loc[f["x"] >= 0],
    "dropna": lambda f: f.dropna(),
    "query": lambda f: f.query("x >= 0"),
    "query none": lambda f: f.query("x > 100"),
    "sorted": lambda f: f[f["x"] > -1].sort_values("x"),
    "copied": lambda f: f[f["x"] > -1].copy(),
    "renamed": lambda f: f[f["x"] > -1].rename(columns={}),
    "numbered anew": lambda f: f[f["x"] > -1].reset_index(drop=True),
    "named otherwise": lambda f: f[f["x"] > -1].rename_axis("row"),
    "in two": lambda f: pd.concat([f[f["x"] > 1], f[~(f["x"] > 1)]]),
    "dropped": lambda f: f.drop(f[f["x"] > 3].index),
}
ALL: dict[str, Cut] = {
    "itself": lambda f: f,
    "copy": lambda f: f.copy(),
    "shallow copy": lambda f: f.copy(deep=False),
    "all": lambda f: f.loc[:],
    "sort_values": lambda f: f.sort_values("x"),
    "columns": lambda f: f.filter(items=list(f.columns)),
    "rename": lambda f: f.rename(columns={}),
    "assign": lambda f: f.assign(x=f["x"]),
}
OTHERS: dict[str, Cut] = {
    "an array": lambda f: f[np.ones(len(f), dtype=bool)],
    "a series of one": lambda f: f[pd.Series(np.ones(len(f), dtype=bool), index=f.index)],
    "slice": lambda f: f[:4],
    "iloc": lambda f: f.iloc[:3],
    "head": lambda f: f.head(len(f)),
    "tail": lambda f: f.tail(3),
    "drop_duplicates": lambda f: f.drop_duplicates(),
    "sample": lambda f: f.sample(frac=1.0, replace=True, random_state=1),
    "concat": lambda f: pd.concat([f, f]),
    "concat of some": lambda f: pd.concat([f, f[f["x"] > 2]]),
    "reindex": lambda f: f.reindex(f.index),
    "repeat": lambda f: f.loc[f.index.repeat(3)],
    "take": lambda f: f.take([0, 0, 1]),
    "explode": lambda f: f.explode("text"),
    "groupby": lambda f: f.groupby("k")[["x"]].sum(),
    "DataFrame": lambda f: pd.DataFrame(f),
    "numpy": lambda f: pd.DataFrame({"x": f["x"].to_numpy()}),
    "a join that repeats": lambda f: f.join(
        pd.DataFrame({"w": range(8)}, index=pd.Index([1, 2] * 4, name="j")), on="j"
    ),
}


@pytest.fixture
def session() -> Iterator[pdp.Session]:
    opened = open_session(delta=1e-6)
    yield opened
    opened.close()


@pytest.fixture
def frame(session: pdp.Session) -> pd.DataFrame:
    return session.protect(normal())


@pytest.mark.parametrize("name", ["Series.count public", "Series.mean", "DataFrame.describe", "DataFrame.crosstab"])
def test_every_way_to_cut_a_frame_has_one_path_one_label_and_one_price(
    name: str, session: pdp.Session, frame: pd.DataFrame
) -> None:
    found = {}
    for cut, make in CUTS.items():
        before = len(session.ledger)
        found[cut] = seen(QUESTIONS[name](make(frame)))
        found[cut]["label"].pop("made")
        prices = session.ledger.iloc[before:][["epsilon", "delta", "rho", "rows", "mechanism"]]
        found[cut]["price"] = prices.to_dict("records")
    expected = found["one-false series"]
    assert expected["label"]["rows"] == "followed"
    assert expected["label"]["size"] is None
    assert {cut: each for cut, each in found.items() if each != expected} == {}


@pytest.mark.parametrize("cut", CUTS)
def test_what_was_cut_from_a_whole_frame_is_not_whole(cut: str, frame: pd.DataFrame) -> None:
    assert is_whole(frame)
    assert not is_whole(CUTS[cut](frame))
    assert not is_whole(CUTS[cut](frame)["x"])
    assert is_whole(frame), "asking a cut changed the frame itself"


@pytest.mark.parametrize("way", ALL)
def test_all_rows_are_all_rows(way: str, frame: pd.DataFrame) -> None:
    assert is_whole(ALL[way](frame))
    assert is_whole(ALL[way](frame)["x"])


@pytest.mark.parametrize("way", OTHERS)
def test_what_is_not_made_row_by_row_is_refused_before_paying(
    way: str, session: pdp.Session, frame: pd.DataFrame
) -> None:
    with session, pytest.raises(PrivacyError):
        OTHERS[way](frame)["x"].dp.sum(epsilon=1, bounds=(0, 20))
    assert session.share_used == 0


@pytest.mark.parametrize(
    "take",
    [
        lambda f: f,
        lambda f: f["x"],
        lambda f: f.x,
        lambda f: f[["x", "y"]],
        lambda f: f[["x", "y"]]["y"],
        lambda f: f[list(f.columns)],
    ],
    ids=["frame", "column", "attribute", "columns", "column of columns", "all columns"],
)
def test_columns_taken_by_name_are_whole(take: Callable[[pd.DataFrame], Any], frame: pd.DataFrame) -> None:
    assert is_whole(take(frame))


def _set_loc(f: pd.DataFrame) -> None:
    f.loc[0, "x"] = 5


def _set_iloc(f: pd.DataFrame) -> None:
    f.iloc[0, 0] = 5


def _set_column(f: pd.DataFrame) -> None:
    f["x"] = f["x"] + 1


def _drop_rows(f: pd.DataFrame) -> None:
    f.drop(index=f.index[:1], inplace=True)


def _query(f: pd.DataFrame) -> None:
    f.query("x >= 0", inplace=True)


def _masked(f: pd.DataFrame) -> None:
    f[f["x"] < 0] = 0


def _update(f: pd.DataFrame) -> None:
    f.update(pd.DataFrame({"x": [3]}, index=f.index[:1]))


@pytest.mark.filterwarnings("ignore:The inplace keyword:DeprecationWarning")
@pytest.mark.parametrize(
    "change",
    [
        _set_loc,
        _set_iloc,
        _set_column,
        _drop_rows,
        _query,
        _masked,
        _update,
    ],
    ids=lambda change: change.__name__,
)
def test_a_whole_frame_that_was_changed_in_place_is_whole_no_more(
    change: Callable[[pd.DataFrame], None], frame: pd.DataFrame
) -> None:
    taken = frame["y"]
    change(frame)
    assert not is_whole(frame)
    assert not is_whole(frame["x"])
    assert is_whole(taken), "a column that was taken before holds what it held"


def _write_where(f: pd.DataFrame, over: int) -> None:
    f[f["x"] > over] = 0


def _write_list(f: pd.DataFrame, over: int) -> None:
    f[list(f["x"] > over)] = 0


def _write_loc(f: pd.DataFrame, over: int) -> None:
    f.loc[f["x"] > over, "x"] = 0


def _write_rows(f: pd.DataFrame, over: int) -> None:
    f.loc[f["x"] > over] = 0


def _write_labels(f: pd.DataFrame, over: int) -> None:
    f.loc[f.index[f["x"] > over], ["x", "odd"]] = 0


def _write_iloc(f: pd.DataFrame, over: int) -> None:
    f.iloc[np.flatnonzero(f["x"] > over), 0] = 0


def _write_update(f: pd.DataFrame, over: int) -> None:
    f.update(f.loc[f["x"] > over, ["x"]])


def _write_mask(f: pd.DataFrame, over: int) -> None:
    f.mask(f["x"] > over, 0, inplace=True)


def _write_replace(f: pd.DataFrame, over: int) -> None:
    f.replace({"x": {f["x"].iloc[0] if over < 0 else -5: 0}}, inplace=True)


def _write_drop(f: pd.DataFrame, over: int) -> None:
    f.drop(index=f.index[f["x"] > over], inplace=True)


def _write_column(f: pd.DataFrame, over: int) -> None:
    f["x"] = f["x"].where(f["x"] <= over, 0)


WRITES = [
    _write_where,
    _write_list,
    _write_loc,
    _write_rows,
    _write_labels,
    _write_iloc,
    _write_update,
    _write_mask,
    _write_replace,
    _write_drop,
    _write_column,
]


@pytest.mark.filterwarnings("ignore:The inplace keyword:DeprecationWarning")
@pytest.mark.parametrize("over", [-1, 1000], ids=["every row", "no row"])
@pytest.mark.parametrize("second", ["float64", "int64"])  # pandas writes to one block and to several in other ways
@pytest.mark.parametrize("write", WRITES, ids=lambda write: write.__name__)
def test_whether_a_write_in_place_met_any_row_does_not_show(
    write: Callable[[pd.DataFrame, int], None], second: str, over: int, session: pdp.Session
) -> None:
    """pandas leaves a frame as it is where a mask matches nothing; it is derived all the same."""
    frame = session.protect(pd.DataFrame({"x": [1.0, 2.0, 3.0], "odd": pd.Series([0, 1, 2], dtype=second)}))
    write(frame, over)
    assert not is_whole(frame)
    assert not is_whole(frame["x"])


@pytest.mark.parametrize("over", [-1, 1000], ids=["every row", "no row"])
@pytest.mark.parametrize("by", ["mask", "list", "loc", "iloc"])
def test_nor_does_it_in_a_column(by: str, over: int, session: pdp.Session) -> None:
    frame = session.protect(pd.DataFrame({"x": [1.0, 2.0, 3.0]}))
    column = frame["x"]
    mask = frame["x"] > over
    if by == "mask":
        column[mask] = 0
    elif by == "list":
        column[list(mask)] = 0
    elif by == "loc":
        column.loc[mask] = 0
    else:
        column.iloc[np.flatnonzero(mask)] = 0
    assert not is_whole(column)
    assert is_whole(frame)


def test_a_column_that_was_changed_in_place_is_derived(frame: pd.DataFrame) -> None:
    column = frame["x"]
    column.iloc[0] = 7
    assert not is_whole(column)
    assert is_whole(frame["x"])


@pytest.mark.parametrize("how", ["two of one session", "two sessions"])
def test_rows_of_two_protected_frames_do_not_mix(how: str, session: pdp.Session, frame: pd.DataFrame) -> None:
    other = session if how == "two of one session" else open_session()
    second = other.protect(normal(seed=9))
    with session:
        for mixed in (pd.concat([frame, second]), pd.concat([second, frame])):
            with pytest.raises(NotFollowed):
                mixed["x"].dp.sum(epsilon=1)
    assert session.share_used == other.share_used == 0
    other.close()


@pytest.mark.parametrize("name", ["Series.mean", "Series.median", "DataFrame.crosstab", "groupby.mean"])
def test_a_mask_that_keeps_every_row_is_one_that_may_not(name: str, frame: pd.DataFrame) -> None:
    """With one seed all draw alike: what the mask is made of is all that differs."""
    found = []
    for cut in ("all-true series", "in two", "sorted"):
        with seeded_noise(5):
            found.append(pd.DataFrame(QUESTIONS[name](CUTS[cut](frame))))
    pd.testing.assert_frame_equal(found[0], found[1])
    pd.testing.assert_frame_equal(found[0], found[2])
