"""Rows go together by their numbers, as pandas aligns them; what was numbered anew, or has fewer rows, is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from pandas_dp import pandas as ours
from pandas_dp.errors import NotFollowed, UnsupportedArgument
from pandas_dp.language.table import LazyTable

from .neighbours import KINDS, plain
from .rows import Held, Made, lazy
from .test_meaning import differences, shown

REFUSED: dict[str, Callable[[LazyTable], Any]] = {
    "sorted and numbered": lambda d: d.sort_values("y").reset_index(drop=True).y - d.y,
    "sorted, ignore_index": lambda d: d.y - d.sort_values("y", ignore_index=True).y,
    "sort_index, ignore_index": lambda d: d.y - d.sort_values("y").sort_index(ignore_index=True).y,
    "a sorted column, numbered": lambda d: d.y - d.y.sort_values().reset_index(drop=True),
    "a sorted column, ignore_index": lambda d: d.y - d.y.sort_values(ignore_index=True),
    "a column, sort_index": lambda d: d.y - d.y.sort_values().sort_index(ignore_index=True),
    "cut and numbered": lambda d: d[d.x > 0].reset_index(drop=True).y - d[d.x > 0].y,
    "cut and numbered twice": lambda d: d[d.x > 0].reset_index(drop=True).y - d[d.x > 0].reset_index(drop=True).y,
    "a mask numbered anew": lambda d: d[d[d.x > 0].reset_index(drop=True).y > 0],
    "a mask of a numbered table": lambda d: d[d.x > 0].reset_index(drop=True)[d.y > 0],
    "named by a column": lambda d: d.set_index("k").y - d.y,
    "of a cut": lambda d: d.x + d[d.x > 0].y,
    "of two cuts": lambda d: d[d.y > 0].x + d[d.x > 0].y,
    "of later cuts": lambda d: d[d.y > 0].x + d[d.y > 0][d.x > 0].y,
    "where by a cut": lambda d: d.x.where(d[d.x > 0].y > 0),
    "another cut's column, set by loc": lambda d: _set(d, d.x > 0, d[d.y > 0].set_index("k").y),
    "a mask with fewer rows": lambda d: d[d[d.x > 0].y > 0],
    "a column by a mask with fewer rows": lambda d: d.x[d[d.x > 0].y > 0],
    "loc by a mask with fewer rows": lambda d: d.loc[d[d.x > 0].y > 0, "x"],
    "a mask of another cut": lambda d: d[d.x > 0][d[d.y > 0].n > 2],
    "a mask of a later cut": lambda d: d[d.x > 0][d[d.x > 0][d.y > 0].n > 2],
    "set by a mask with fewer rows": lambda d: d.copy().loc.__setitem__((d[d.x > 0].y > 0, "x"), 0),
    "cat": lambda d: d.k.str.cat(d[d.x > 0].s),
    "np.where": lambda d: np.where(d.x > 0, d.y, d[d.y > 0].y),
    "another table": lambda d: d.x + lazy(KINDS).x,
    "a mask of another table": lambda d: d[lazy(KINDS).x > 0],
}


def _set(d: Any, mask: Any, value: Any) -> Any:
    made = d.copy()
    made.loc[mask, "x"] = value
    return made


OVERLAPPING: dict[str, Callable[[LazyTable], Any]] = {
    "of two columns": lambda d: ours.concat([d[d.x > 0], d[d.y > 0]]),
    "of one end": lambda d: ours.concat([d[d.x >= 0], d[d.x <= 0]]),
    "twice": lambda d: ours.concat([d, d]),
    "a whole table": lambda d: ours.concat([d, d[d.x > 0]]),
    "lists with one text in both": lambda d: ours.concat([d[d.k.isin(["a", "b"])], d[d.k == "a"]]),
    "zeros": lambda d: ours.concat([d[d.x == 0.0], d[d.x == -0.0]]),
    "all but one, of three": lambda d: ours.concat([d[d.n == 1], d[d.n == 2], d[d.n < 2]]),
}


@pytest.mark.parametrize("way", OVERLAPPING)
def test_cuts_that_may_share_a_row_are_not_put_one_behind_the_other(way: str) -> None:
    with pytest.raises(NotFollowed, match="may hold a row twice"):
        OVERLAPPING[way](lazy(KINDS))


TAKEN: dict[str, Callable[[Any], Any]] = {
    "a cut's column, set": lambda d: d.assign(z=d[d.x > 0].y),
    "a cut's column, set by loc": lambda d: _set(d, d.y > 0, d.loc[d.y > 0, "n"] * 2.0),
    "another cut's column, set by loc": lambda d: _set(d, d.y > 0, d.loc[d.n > 2, "n"] * 2.0),
    "a column of all rows, set in a cut": lambda d: d[d.y > 0].assign(z=d.x),
    "numbered where it stands": lambda d: d.reset_index(drop=True).x - d.y,
    "a mask of the rows they were cut from": lambda d: d[d.x > 0][d.y > 0],
    "a column by one": lambda d: d[d.x > 0].x[d.y > 0],
    "a mask of two cuts before": lambda d: d[d.x > 0][d.n > 2][d.y > 0],
    "loc": lambda d: d[d.x > 0].loc[d.y > 0, "n"],
    "its own mask": lambda d: (lambda e: e[e.n > 2])(d[d.x > 0]),
    "cut twice alike": lambda d: d[d.x > 0].x + d[d.x > 0].y,
    "cut, then numbered, by itself": lambda d: (lambda e: e.x - e.y)(d[d.x > 0].reset_index(drop=True)),
    "numbered, then cut by itself": lambda d: (lambda e: e[e.n > 2].x)(d[d.x > 0].reset_index(drop=True)),
    "named, by itself": lambda d: (lambda e: e.x - e.y)(d.set_index("n")),
    "sorted, beside what is not": lambda d: d.sort_values("n").sort_index().x - d.y,
    "sorted after it was cut": lambda d: d[d.x > 0].sort_values("n").sort_index(),
}


@pytest.mark.parametrize("way", REFUSED)
def test_rows_that_do_not_go_together_are_refused(way: str) -> None:
    with pytest.raises(NotFollowed, match="do not go together"):
        REFUSED[way](lazy(KINDS))


@pytest.mark.parametrize("way", TAKEN)
@pytest.mark.filterwarnings("ignore:Boolean Series key will be reindexed")
def test_rows_that_go_together_are_those_of_pandas(way: str) -> None:
    frame = plain()
    found = Made.of(TAKEN[way](lazy(KINDS))).on(Held(frame))
    assert not differences(found, shown(TAKEN[way](frame), frame.index))


def test_a_table_numbered_anew_does_not_go_with_itself_before() -> None:
    """pandas shows differences of rows by their new numbers; no expression has them."""
    frame = plain()
    sorted_ = frame.sort_values("y").reset_index(drop=True)
    assert (sorted_.y - frame.y).abs().sum() > 0
    d = lazy(KINDS)
    with pytest.raises(NotFollowed, match="numbered anew"):
        REFUSED["sorted and numbered"](d)


@pytest.mark.parametrize(
    "make",
    [
        lambda d: d[["x", "x"]],
        lambda d: ours.concat([d.x, d.x * 2], axis=1),
        lambda d: ours.concat([d[["x", "y"]], d[["y"]]], axis=1),
    ],
)
def test_no_column_is_lost_under_the_name_of_another(make: Callable[[LazyTable], Any]) -> None:
    with pytest.raises(UnsupportedArgument, match="one name"):
        make(lazy(KINDS))
