"""What lazy tables mean is what pandas means, on frames of pandas' own plain dtypes; the exceptions are listed."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pandas_dp.core.engine.values import instant, is_missing, number, span

from .cases import CASES, DECLARED, Way, Ways
from .neighbours import ANY, KINDS, plain
from .rows import Held, Made, lazy

EXCEPTIONS = {
    "column.clip 4": "ends that cross: the upper one holds, as in numpy; pandas takes the lower one",
    **dict.fromkeys(
        ["str.upper 0", "str.title 0", "str.capitalize 0", "str.swapcase 0"],
        "letters become what Python makes of them; Arrow, which pandas asks, has a capital sharp s",
    ),
}
"""Ways whose values are others than pandas', and what they are."""
UNDECLARED = {"column.astype 4": "true is 1 where nobody declared a condition"}


def shown(made: Any, index: pd.Index[Any]) -> dict[Any, list[Any]]:
    """The values of each column that pandas made."""
    if isinstance(made, pd.DataFrame):
        return {name: made[name].tolist() for name in made}
    return {None: (made if isinstance(made, pd.Series) else pd.Series(made, index=index)).tolist()}


def alike(one: Any, other: Any) -> bool:
    """Numbers up to rounding, times as instants, all else as texts."""
    if is_missing(one) or is_missing(other):
        return is_missing(one) and is_missing(other)
    for read in (instant, span):
        if read(one) is not None or read(other) is not None:
            return read(one) == read(other)
    left, right = number(one), number(other)
    if left is not None and right is not None:
        return math.isclose(left, right, rel_tol=1e-12, abs_tol=1e-12) or left == right
    return str(one) == str(other)


def differences(ours: dict[Any, list[Any]], theirs: dict[Any, list[Any]]) -> list[Any]:
    if list(ours) != list(theirs):
        return [("columns", list(ours), list(theirs))]
    found: list[Any] = []
    for name, values in ours.items():
        if len(values) != len(theirs[name]):
            found.append((name, len(values), len(theirs[name])))
        else:
            found += [(name, *both) for both in zip(values, theirs[name], strict=True) if not alike(*both)]
    return found


def each(cases: dict[str, Ways]) -> Iterator[tuple[str, Way, Way]]:
    for name, ways in cases.items():
        for place, way in enumerate(ways):
            yield f"{name} {place}", *(way if isinstance(way, tuple) else (way, way))


@pytest.mark.parametrize("declared", [False, True], ids=["any", "declared"])
def test_values_are_those_of_pandas(declared: bool) -> None:
    frame = plain()
    rows, table = Held(frame), lazy(KINDS if declared else ANY)
    wrong = {}
    for title, ours, theirs in each(CASES | DECLARED if declared else CASES):
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            expected = shown(theirs(frame), frame.index)
        made = ours(table)
        found = differences(Made.of(made).on(rows), expected)
        if bool(found) != (title in (EXCEPTIONS if declared else EXCEPTIONS | UNDECLARED)):
            wrong[title] = found
    assert not wrong, "\n".join(f"{title}: {len(found)} {found[:3]}" for title, found in wrong.items())


def test_undeclared_values_are_written_as_pandas_writes_them() -> None:
    frame = pd.DataFrame(
        {
            "t": pd.to_datetime(["2020-01-31 10:00:00", "2021-02-28 01:02:03", None]),
            "w": pd.to_timedelta([-1, 86_400 * 10**9 + 5_000_000, None]),
            "o": pd.Series([7, 1, "x"], dtype=object),
        }
    )
    for kinds in (dict.fromkeys(frame, "any"), {"t": "time", "w": "span", "o": "any"}):
        table = lazy(kinds)
        for name in frame:
            found = Made.of(table[name].astype(str)).on(Held(frame))[None]
            wanted = [None if each is pd.NaT else str(each) for each in frame[name]]
            assert found == wanted, name


def test_many_keys_of_many_labels_find_their_row_alone() -> None:
    rng = np.random.default_rng(0)
    public = pd.DataFrame({name: rng.permutation(9_000) for name in "abcde"}).assign(v=np.arange(9_000.0))
    frame = public.drop(columns="v").assign(e=lambda d: d["e"].where(d.index % 2 == 0, d["e"].to_numpy()[::-1]))
    table = lazy(dict.fromkeys(frame, "number"))
    found = Made.of(table.merge(public, on=list("abcde"), how="left")["v"]).on(Held(frame))[None]
    expected = frame.merge(public, on=list("abcde"), how="left")["v"]
    assert pd.Series(found, dtype=float).equals(expected)
    assert expected.isna().sum() == 4_500


def test_times_that_nobody_declared_are_compared_with_times_however_these_are_written() -> None:
    frame = pd.DataFrame({"t": pd.to_datetime(["2020-01-31", "2021-02-28"]), "w": pd.to_timedelta(["-7h", "1h"])})
    table = lazy(dict.fromkeys(frame, "any"))
    assert Made.of(table["t"] > "Jan 5, 2021").on(Held(frame))[None] == [False, True]
    assert Made.of(table["w"] < "-5h").on(Held(frame))[None] == [True, False]
