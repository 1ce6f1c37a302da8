"""Contract 4: whether a mask keeps every row must not show; copies of a row cannot add up; lost ids are refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp.audit import seeded_noise, zero_noise
from pandas_dp.core.protect.mark import is_whole
from pandas_dp.errors import NotProtected

from .questions import QUESTIONS, normal, open_session
from .test_silence import seen

Cut = Callable[[pd.DataFrame], pd.DataFrame]


def one_false(frame: pd.DataFrame) -> np.ndarray[Any, Any]:
    return np.arange(len(frame)) != 4


CUTS: dict[str, Cut] = {
    "all-true mask": lambda f: f[np.ones(len(f), dtype=bool)],
    "one-false mask": lambda f: f[one_false(f)],
    "all-true series": lambda f: f[f["x"] > -1],
    "one-false series": lambda f: f[pd.Series(one_false(f), index=f.index)],
    "loc": lambda f: f.loc[f["x"] >= 0],
    "loc all": lambda f: f.loc[:],
    "iloc all": lambda f: f.iloc[:],
    "slice": lambda f: f[:],
    "dropna": lambda f: f.dropna(),
    "query": lambda f: f.query("x >= 0"),
    "query none": lambda f: f.query("x > 100"),
    "sort_values": lambda f: f.sort_values("x"),
    "sort_index": lambda f: f.sort_index(),
    "head": lambda f: f.head(len(f)),
    "tail": lambda f: f.tail(3),
    "copy": lambda f: f.copy(),
    "shallow copy": lambda f: f.copy(deep=False),
    "assign": lambda f: f.assign(x=f["x"]),
    "drop_duplicates": lambda f: f.drop_duplicates(),
    "where": lambda f: f.where(f["x"] >= 0),
    "fillna": lambda f: f.fillna(0),
    "astype": lambda f: f.astype({"x": "float64"}),
    "filter": lambda f: f.filter(items=list(f.columns)),
    "sample": lambda f: f.sample(frac=1.0, replace=True, random_state=1),
    "concat": lambda f: pd.concat([f, f]),
    "reindex": lambda f: f.reindex(f.index),
    "rename": lambda f: f.rename(columns={}),
    "transform": lambda f: f.transform(lambda column: column),
    "DataFrame": lambda f: pd.DataFrame(f),
    "empty": lambda f: f.iloc[:0],
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
        prices = session.ledger.iloc[before:][["epsilon", "delta", "rho", "rows", "mechanism"]]
        found[cut]["price"] = prices.to_dict("records")
    expected = found["one-false mask"]
    assert expected["label"]["rows"] == "derived"
    assert expected["label"]["size"] is None
    assert {cut: each for cut, each in found.items() if each != expected} == {}


@pytest.mark.parametrize("cut", CUTS)
def test_what_pandas_makes_of_a_whole_frame_is_derived(cut: str, frame: pd.DataFrame) -> None:
    assert is_whole(frame)
    assert not is_whole(CUTS[cut](frame))
    assert not is_whole(CUTS[cut](frame)["x"])
    assert is_whole(frame), "asking a cut changed the frame itself"


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


def _new_column(f: pd.DataFrame) -> None:
    f["new"] = 1


def _set_index(f: pd.DataFrame) -> None:
    f.index = pd.Index(range(100, 100 + len(f)), name=f.index.name)


def _drop_rows(f: pd.DataFrame) -> None:
    f.drop(index=f.index[:1], inplace=True)


def _drop_column(f: pd.DataFrame) -> None:
    del f["text"]


def _sort(f: pd.DataFrame) -> None:
    f.sort_values("x", inplace=True)


def _query(f: pd.DataFrame) -> None:
    f.query("x >= 0", inplace=True)


def _masked(f: pd.DataFrame) -> None:
    f[f["x"] < 0] = 0


def _update(f: pd.DataFrame) -> None:
    f.update(pd.DataFrame({"x": [3]}, index=f.index[:1]))


def _insert(f: pd.DataFrame) -> None:
    f.insert(0, "new", 1)


@pytest.mark.filterwarnings("ignore:The inplace keyword:DeprecationWarning")
@pytest.mark.parametrize(
    "change",
    [
        _set_loc,
        _set_iloc,
        _set_column,
        _new_column,
        _set_index,
        _drop_rows,
        _drop_column,
        _sort,
        _query,
        _masked,
        _update,
        _insert,
    ],
    ids=lambda change: change.__name__,
)
def test_a_whole_frame_that_was_changed_in_place_is_derived(
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


@pytest.mark.parametrize(
    "copied",
    [
        lambda f: pd.concat([f, f]),
        lambda f: pd.concat([f] * 50),
        lambda f: f.loc[f.index.repeat(3)],
        lambda f: f.take(list(range(len(f))) * 2),
        lambda f: pd.concat([f, f.assign(x=20)]),
    ],
    ids=["concat", "fifty times", "repeat", "take", "other values"],
)
@pytest.mark.parametrize("neighbours", ["replace", "add_remove"])
def test_copies_of_a_row_count_once(copied: Cut, neighbours: str) -> None:
    session = open_session(neighbours=neighbours)
    frame = session.protect(normal())
    with zero_noise():
        for name in ("Series.sum", "Series.histogram", "DataFrame.crosstab", "groupby.size", "Series.median"):
            once, many = QUESTIONS[name](frame.copy()), QUESTIONS[name](copied(frame))
            pd.testing.assert_frame_equal(pd.DataFrame(once), pd.DataFrame(many))
    session.close()


def test_rows_resampled_with_replacement_count_once_each(frame: pd.DataFrame) -> None:
    sampled = frame.sample(n=40, replace=True, random_state=3)
    with zero_noise():
        assert sampled["x"].dp.count(epsilon=1)["count"].item() == sampled.index.nunique()
        assert sampled["x"].dp.sum(epsilon=1)["sum"].item() == sampled.groupby(level=0)["x"].first().sum()


@pytest.mark.parametrize("neighbours", ["replace", "add_remove"])
def test_rows_of_unknown_ids_are_not_counted(neighbours: str) -> None:
    session = open_session(neighbours=neighbours)
    frame = session.protect(normal())
    strangers = frame.set_axis(pd.Index(range(-50, -50 + len(frame)), name=frame.index.name))
    with zero_noise():
        both = pd.concat([frame, strangers])
        assert both["x"].dp.count(epsilon=1)["count"].item() == len(frame)
        assert strangers["x"].dp.sum(epsilon=1)["sum"].item() == 0
    session.close()


@pytest.mark.parametrize(
    "lost",
    [
        lambda f: f.reset_index(),
        lambda f: f.reset_index(drop=True),
        lambda f: f.merge(pd.DataFrame({"k": ["a", "b", "c"], "more": [1, 2, 3]}), on="k"),
        lambda f: f.set_index("k"),
        lambda f: f.set_index("k", append=True),
        lambda f: f.rename_axis("row"),
        lambda f: f.rename_axis(None),
        lambda f: f.groupby("k")[["x"]].sum(),
        lambda f: pd.concat([f, f], ignore_index=True),
        lambda f: pd.DataFrame({"x": f["x"].to_numpy()}),
    ],
    ids=[
        "reset_index", "drop", "merge", "set_index", "append", "renamed", "no name", "groupby", "ignore_index", "numpy"
    ],
)  # fmt: skip
def test_a_table_that_lost_the_row_ids_is_refused_before_paying(
    lost: Cut, session: pdp.Session, frame: pd.DataFrame
) -> None:
    with session, pytest.raises(NotProtected):
        lost(frame).dp.sum(epsilon=1, bounds=(0, 20))
    assert session.share_used == 0


@pytest.mark.parametrize("how", ["two of one session", "two sessions"])
def test_rows_of_two_protected_frames_do_not_mix(how: str, session: pdp.Session, frame: pd.DataFrame) -> None:
    other = session if how == "two of one session" else open_session()
    second = other.protect(normal(seed=9))
    with session:
        for mixed in (pd.concat([frame, second]), pd.concat([second, frame])):
            with pytest.raises(NotProtected):
                mixed["x"].dp.sum(epsilon=1)
    assert session.share_used == other.share_used == 0
    other.close()


@pytest.mark.parametrize("name", ["Series.mean", "Series.median", "DataFrame.crosstab", "groupby.mean"])
def test_one_row_more_or_less_in_a_mask_changes_the_answer_by_its_noise_only(name: str, frame: pd.DataFrame) -> None:
    """With one seed, both paths draw alike: the mask is all that differs."""
    with seeded_noise(5):
        kept = QUESTIONS[name](frame[np.ones(len(frame), dtype=bool)])
    with seeded_noise(5):
        cut = QUESTIONS[name](frame.copy())
    pd.testing.assert_frame_equal(pd.DataFrame(kept), pd.DataFrame(cut))


REPEATED: dict[str, Callable[[pd.DataFrame], pd.DataFrame]] = {
    "explode": lambda f: f.explode("tags"),
    "concat": lambda f: pd.concat([f, f[f["x"] > 2]]),
    "loc": lambda f: f.loc[[0, 1, 1, 2, 3, 3, 3]],
    "repeat": lambda f: f.loc[f.index.repeat(3)],
    "reindex": lambda f: f.reindex(f.index.append(f.index[:2])),
    "a sample with replacement": lambda f: pd.concat([f, f.sample(9, replace=True, random_state=1)]),
    "a join": lambda f: f.join(pd.DataFrame({"w": range(8)}, index=pd.Index([1, 2] * 4, name="j")), on="j"),
    "take": lambda f: f.take([0, 0, 1, 2, 3, 3]),
}


@pytest.mark.parametrize("neighbours", ["replace", "add_remove"])
@pytest.mark.parametrize("how", REPEATED)
def test_rows_that_were_repeated_count_once_and_the_release_says_so(how: str, neighbours: str) -> None:
    data = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0], "j": [1, 2, 1, 2], "tags": [[1, 2], [3], [], [4, 5, 6]]})
    with pdp.Session(epsilon=100, neighbours=neighbours) as session:
        frame = session.protect(data)
        if neighbours == "add_remove" and how == "loc":
            repeated = frame.loc[frame.index[[0, 1, 1, 2, 3, 3, 3]]]
        else:
            repeated = REPEATED[how](frame)
        assert repeated.index.has_duplicates, "else this tries nothing"
        with zero_noise():
            found = repeated["x"].dp.sum(bounds=(0, 4), epsilon=1)
        once = repeated["x"][~repeated.index.duplicated()].sum()
    assert found["sum"].item() == pytest.approx(once, abs=0.01)
    assert "each row once" in found.dp.guarantee
