"""What looks at the rows of a person: at those alone, to the bit, and with pandas' meaning."""

from __future__ import annotations

import warnings
from collections.abc import Hashable
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pandas_dp.core.engine.values import is_missing
from pandas_dp.core.schema.declared import UNDECLARED
from pandas_dp.language.column import LazyColumn
from pandas_dp.language.gathered import GatheredRows
from pandas_dp.language.graph import Node
from pandas_dp.language.table import LazyTable

from .by_person import BY_PERSON, UNIT, visits
from .neighbours import ANY, KINDS, as_objects, neighbours
from .rows import Held, Made, lazy, run
from .test_meaning import differences, each, shown
from .test_wording import assert_same, said, unlimited

__all__ = ["unlimited"]  # a fixture

EXCEPTIONS: dict[str, str] = {}
"""Ways whose values are others than pandas', and what they are."""


class Source:
    """Rows of people, of which nothing is declared."""

    unit: Hashable = UNIT

    def said_of(self, column: LazyColumn) -> Any:
        return UNDECLARED


def table(declared: bool) -> LazyTable:
    kinds = KINDS if declared else ANY
    return lazy({UNIT: "number" if declared else "any", **kinds}, source=Source())


def gathered(frame: pd.DataFrame, seed: int = 0) -> GatheredRows:
    """Whose numbers are anything."""
    codes, people = pd.factorize(frame[UNIT])
    return GatheredRows(Held(frame), np.random.default_rng(seed).permutation(len(people))[codes])


def named(found: Any) -> Any:
    """With what rows are named by as columns."""
    levels = found._rows.levels if isinstance(found, LazyTable) else found.rows.levels
    if isinstance(found, LazyColumn):
        found = LazyTable(found.rows, {"value": found})
    return found._with({**{("level", at): each for at, each in enumerate(levels.values())}, **found._columns})


def as_shown(found: Any, index: pd.Index[Any]) -> dict[Any, list[Any]]:
    """What pandas made, with the names of people as columns."""
    frame = found.to_frame("value") if isinstance(found, pd.Series) else pd.DataFrame(found)
    if frame.index.nlevels > 1 or frame.index.name is not None:
        frame = frame.reset_index(names=[("level", at) for at in range(frame.index.nlevels)])
    return shown(frame, index)


def in_order(found: dict[Any, list[Any]]) -> dict[Any, list[Any]]:
    """People by what they are called, which nobody is shown."""
    keys = [name for name in found if isinstance(name, tuple) and name[0] == "level"] or [
        name for name in found if name == UNIT
    ]
    rows = range(len(next(iter(found.values()), [])))
    there = [*keys, *found] if keys else []
    order = sorted(
        rows, key=lambda row: ["\0" if is_missing(found[key][row]) else str(found[key][row]) for key in there]
    )
    return {name: [values[row] for row in order] for name, values in found.items()}


@pytest.mark.parametrize("declared", [False, True], ids=["any", "declared"])
def test_values_are_those_of_pandas(declared: bool) -> None:
    frame = visits()
    rows, lazy_table, wrong = gathered(frame), table(declared), {}
    for title, ours, theirs in each(BY_PERSON):
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            expected = in_order(as_shown(theirs(frame), frame.index))
        found = differences(in_order(Made.of(named(ours(lazy_table))).on(rows)), expected)
        if bool(found) != (title in EXCEPTIONS):
            wrong[title] = found
    assert not wrong, "\n".join(f"{title}: {len(found)} {found[:3]}" for title, found in wrong.items())


@cache
def nodes(declared: bool) -> tuple[list[str], list[Node]]:
    titles, found = [], []
    for title, ours, _ in each(BY_PERSON):
        for node in Made.of(named(ours(table(declared)))).wanted:
            titles.append(title)
            found.append(node)
    return titles, found


@cache
def whole(declared: bool) -> list[list[Any]]:
    return run(nodes(declared)[1], gathered(visits()))


def of_others() -> dict[str, tuple[pd.DataFrame, list[int]]]:
    """Tables in which rows of some people are others, and the places in the first table of those that are not."""
    frame = visits()
    found: dict[str, tuple[pd.DataFrame, list[int]]] = {}
    for name, (other, same) in neighbours(frame.drop(columns=[UNIT])).items():
        there = same if len(other) < len(frame) else range(len(frame))
        changed = {*frame[UNIT]} - {*frame[UNIT][same]} | {*frame[UNIT].drop(index=same)}
        other.insert(0, UNIT, frame[UNIT].to_numpy()[list(there)])
        found[name] = other, [row if row in same and frame[UNIT][row] not in changed else -1 for row in there]
    rng = np.random.default_rng(1)
    more = pd.concat([frame, frame.assign(**{UNIT: 77}), frame.assign(**{UNIT: 78, "y": 1e300})], ignore_index=True)
    mixed = rng.permutation(len(more))
    mixed[np.isin(mixed, range(len(frame)))] = np.arange(len(frame))  # whose order is as it was
    found["more people between them"] = more.iloc[mixed].reset_index(drop=True), [r if r < 60 else -1 for r in mixed]
    found["one person alone"] = frame[frame[UNIT] == 3].reset_index(drop=True), [*frame.index[frame[UNIT] == 3]]
    found["objects"] = as_objects(frame), [*range(len(frame))]
    return found


OTHERS = of_others()


@pytest.mark.parametrize("declared", [False, True], ids=["any", "declared"])
@pytest.mark.parametrize("other", OTHERS)
def test_what_a_person_has_is_made_of_their_rows_alone(other: str, declared: bool) -> None:
    frame, places = OTHERS[other]
    titles, wanted = nodes(declared)
    assert len({*places} - {-1}) >= 1 or "all but one" in other
    differ = []
    for title, once, now in zip(titles, whole(declared), run(wanted, gathered(frame, seed=5)), strict=True):
        differ += [
            (title, row, once[row], now[at]) for at, row in enumerate(places) if row >= 0 and once[row] != now[at]
        ]
    assert not differ, f"{len(differ)}: {differ[:10]}"


@pytest.mark.usefixtures("unlimited")
@pytest.mark.parametrize("declared", [False, True], ids=["any", "declared"])
def test_what_was_made_of_people_is_said_and_read_again(declared: bool) -> None:
    for _, ours, _ in each(BY_PERSON):
        lazy_table = table(declared)
        assert_same(lazy_table, said(lazy_table, ours(lazy_table.copy())))
    words = said(lazy_table, lazy_table.y - lazy_table.groupby(UNIT)["y"].transform("mean"))
    assert words.text() == "z: y - of_person(y, True, how='mean')"
