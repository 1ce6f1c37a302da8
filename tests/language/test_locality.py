"""Each row by itself: whatever another row holds, and however columns are stored, a row's value has the same bits."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pandas_dp import pandas as ours
from pandas_dp.core.engine.fold import Plain
from pandas_dp.language.arithmetic import OPERATORS, UFUNCS
from pandas_dp.language.categories import CategoryMethods
from pandas_dp.language.clock import BELOW_SECOND, FIELDS, SPANS, TimeMethods, WeekMethods
from pandas_dp.language.column import LazyColumn
from pandas_dp.language.graph import Node, SomeRows
from pandas_dp.language.grouped import GroupedColumn, GroupedTable
from pandas_dp.language.located import Located, Placed
from pandas_dp.language.numpy_functions import FUNCTIONS
from pandas_dp.language.spelling import TextMethods
from pandas_dp.language.table import LazyTable

from .by_person import BY_PERSON
from .cases import CASES, DECLARED
from .neighbours import ANY, KINDS, STORAGES, as_objects, extreme, neighbours, plain
from .rows import Held, Made, lazy, run

ASKED = "dp rows name kind node zone known number condition text time read made value column texts times"
"""What is no way of making rows: questions, and what the house says of a column."""
OPERATORS_OF_PYTHON = (
    "neg pos abs invert and rand or ror xor rxor divmod getitem setitem delitem contains iter matmul add radd sub rsub "
    "mul rmul truediv rtruediv floordiv rfloordiv mod rmod pow rpow eq ne lt le gt ge"
)
COMPARED = [f"__{name}__" for name in ("eq", "ne", "lt", "le", "gt", "ge")]


def names_of(title: str, one: Any) -> set[str]:
    """What a class offers by pandas' names."""
    own = {name for name in dir(one) if getattr(one, name) is not getattr(object, name, None)}
    public = {name for name in own if not name.startswith("_")} - {*ASKED.split()}
    return {f"{title}.{name}" for name in public | {f"__{name}__" for name in OPERATORS_OF_PYTHON.split()} & own}


def offered() -> set[str]:
    found = names_of("column", LazyColumn) - {"column.__iter__", "column.__setitem__"}  # which show and change rows
    found |= names_of("table", LazyTable) - {"table.map"}  # which hands over rows
    found |= (names_of("grouped", GroupedTable) | names_of("grouped", GroupedColumn)) - {
        "grouped.filter",
        "grouped.__iter__",
    }
    found |= names_of("str", TextMethods) | names_of("week", WeekMethods) | names_of("cat", CategoryMethods)
    found |= {f"pd.{name}" for name in vars(ours) if callable(getattr(pd, name, None)) and not name.startswith("_")}
    found |= names_of("loc", Located) | names_of("iloc", Placed) - {"iloc.__setitem__"}  # which would find rows
    found |= names_of("dt", TimeMethods) | {f"dt.{name}" for name in [*FIELDS, *BELOW_SECOND, *SPANS, "time"]}
    return {
        name
        for name in found | {f"np.{name}" for name in FUNCTIONS}
        if name.partition(".")[2] not in COMPARED or name.startswith(("column", "table"))
    }


def ufuncs() -> set[str]:
    """numpy's functions that have a meaning here, by the name that they call themselves."""
    found = {name for name in vars(np) if isinstance(getattr(np, name), np.ufunc)}
    return {
        f"ufunc.{getattr(np, n).__name__}"
        for n in found
        if UFUNCS.get(getattr(np, n).__name__, getattr(np, n).__name__) in OPERATORS
    }


def test_every_name_of_the_language_has_a_case() -> None:
    titles = ("texts", "times", "np.abs of a table", "statistics of a person", "tables of people")
    cases = {name for name in {**CASES, **DECLARED, **BY_PERSON} if name not in titles}
    assert {name for name in cases if not name.startswith("ufunc.")} == offered()
    assert {name for name in cases if name.startswith("ufunc.")} == ufuncs()


@cache
def nodes(declared: bool) -> tuple[list[str], list[Node]]:
    """All that the cases make of a lazy table, each by the name of its case."""
    table = lazy(KINDS if declared else ANY)
    cases = {**CASES, **DECLARED} if declared else CASES
    if declared:
        cases = {name: [*CASES.get(name, []), *DECLARED.get(name, [])] for name in cases}
    titles, found = [], []
    for name, ways in cases.items():
        for place, way in enumerate(ways):
            made = Made.of((way[0] if isinstance(way, tuple) else way)(table))
            for node in made.wanted:
                titles.append(f"{name} {place}")
                found.append(node)
    return titles, found


@cache
def whole(declared: bool) -> list[list[Any]]:
    return run(nodes(declared)[1], Held(plain()))


NEIGHBOURS = neighbours(plain())


@pytest.mark.parametrize("declared", [False, True], ids=["any", "declared"])
@pytest.mark.parametrize("neighbour", NEIGHBOURS)
def test_a_row_has_the_same_bits_beside_any_other(neighbour: str, declared: bool) -> None:
    frame, same = NEIGHBOURS[neighbour]
    places = same if len(frame) == len(plain()) else list(range(len(same)))
    titles, wanted = nodes(declared)
    differ = []
    for title, once, now in zip(titles, whole(declared), run(wanted, Held(frame)), strict=True):
        differ += [
            (title, row, once[row], now[at]) for row, at in zip(same, places, strict=True) if once[row] != now[at]
        ]
    assert not differ, f"{len(differ)}: {differ[:10]}"


@pytest.mark.parametrize("declared", [False, True], ids=["any", "declared"])
@pytest.mark.parametrize("stored", sorted(set(STORAGES) - {"bytes", "UTC", "whole numbers as floats", "nullable"}))
def test_extreme_values_are_the_same_however_they_are_stored(stored: str, declared: bool) -> None:
    titles, wanted = nodes(declared)
    once = run(wanted, Held(as_objects(extreme())))
    found = run(wanted, Held(STORAGES[stored](extreme())))
    assert not [title for title, *both in zip(titles, once, found, strict=True) if both[0] != both[1]]


def test_numbers_that_do_not_stand_side_by_side_are_the_same() -> None:
    rows = Held(plain())
    for name in "xy":
        rows.columns[name] = Plain(np.repeat(plain()[name].to_numpy(), 3)[::3])
    titles, wanted = nodes(False)
    pairs = zip(titles, whole(False), run(wanted, rows), strict=True)
    assert not [title for title, once, now in pairs if once != now]


@pytest.mark.parametrize("size", [1, 3, 7, 16])
def test_blocks_of_any_size_have_the_same_bits(size: int) -> None:
    frame = plain()
    titles, wanted = nodes(False)
    rows, found = Held(frame), [list[Any]() for _ in wanted]
    for start in range(0, len(frame), size):
        part = run(wanted, SomeRows(rows, slice(start, min(start + size, len(frame)))))
        for whole_, block in zip(found, part, strict=True):
            whole_ += block
    differ = [title for title, once, now in zip(titles, whole(False), found, strict=True) if once != now]
    assert not differ
