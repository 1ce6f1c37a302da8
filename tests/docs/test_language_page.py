"""The page of what is done row by row names all that the language has, and nothing that it lacks."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pandas_dp import pandas as ours
from pandas_dp.language.arithmetic import OPERATORS, UFUNCS
from pandas_dp.language.categories import CategoryMethods
from pandas_dp.language.clock import TimeMethods
from pandas_dp.language.column import LazyColumn
from pandas_dp.language.grouped import GroupedColumn, GroupedTable
from pandas_dp.language.numpy_functions import FUNCTIONS
from pandas_dp.language.reader import FUNCTIONS as OF_QUERY
from pandas_dp.language.refusals import LISTED, REMEDIES, SHOWN, STATISTICS
from pandas_dp.language.spelling import TextMethods
from pandas_dp.language.table import LazyTable

PAGE = Path(__file__).parents[2] / LISTED
INSIDE = {"rows", "kind", "node", "zone", "known", "number", "condition", "text", "time", "read", "made", "value"}
"""Of a column what the language's own files use."""


def names(heading: str, first_cells: bool = True) -> set[str]:
    """What is written as code in the tables of a chapter: in their first cells, or anywhere in it."""
    chapter = PAGE.read_text("utf-8").split(f"\n## {heading}\n")[1].split("\n## ")[0]
    lines = [line.split("|")[1] for line in chapter.split("\n") if line.startswith("|")] if first_cells else [chapter]
    code = " ".join(part for line in lines for part in re.findall(r"`([^`]+)`", line))
    return set(re.findall(r"[A-Za-z_]\w*", code))


def public(of: Any) -> set[str]:
    return {name for name in dir(of) if not name.startswith("_")}


class Timed:
    """A column of times, of which nothing is asked."""

    zone = name = None


HAVE: dict[str, tuple[set[str], set[str]]] = {
    "Columns": ((public(LazyColumn) | {"name"}) - INSIDE, {"condition", "divmod", "dict"}),
    "Texts": (public(TextMethods), {"str", "expand", "True", "n"}),
    "Times": (public(TimeMethods(Timed())), {"week"}),
    "Categories": (public(CategoryMethods), set()),
    "People": (
        (public(GroupedTable) | public(GroupedColumn)) - {"filter"},
        {"groupby", "unit", "dict"},
    ),
    "Functions of pandas": (
        {name for name in vars(ours) if callable(getattr(pd, name, None)) and not name.startswith("_")},
        {"format", "unit", "axis", "c"},
    ),
    "Tables": (
        public(LazyTable),
        {"name", "names", "condition", "loc", "farms", "y", "del", "axis", "how", "left", "inner"},
    ),
    "Functions of numpy": (
        {name for name in {*OPERATORS, *UFUNCS, *FUNCTIONS} if hasattr(np, name) and not hasattr(np, f"{name}_")}
        - {"min", "max", "abs", "and", "or", "not"},
        {"np", "abs"},
    ),
}
"""Of each chapter what the classes have, and the other words that stand there as code."""


@pytest.mark.parametrize("chapter", HAVE)
def test_the_page_names_all_that_is_done_row_by_row(chapter: str) -> None:
    assert HAVE[chapter][0] - names(chapter) == set()


@pytest.mark.parametrize("chapter", HAVE)
def test_the_page_names_nothing_that_is_not_done(chapter: str) -> None:
    has, words = HAVE[chapter]
    assert names(chapter) - has - words == set()


def test_the_page_names_the_functions_of_expressions_as_texts() -> None:
    assert OF_QUERY - names("Tables", first_cells=False) == set()


def test_the_page_names_what_is_never_done() -> None:
    assert {*REMEDIES, *SHOWN, *STATISTICS} - names("What is never done") == set()
