"""Statements as people write them: which there are, and what each gives."""

from __future__ import annotations

import ast
import datetime as dt
import functools
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from pandas_dp import pandas as ours
from pandas_dp.language.column import LazyColumn
from pandas_dp.language.table import LazyTable

from ..rows import Held, Made, lazy
from .tables import TABLES, kind_of

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Statement:
    """`sort` says what it means: "row" where each row's values are made of that row, "function" where they are made so
    by a function of the analyst's, "mixing" where they depend on other rows."""

    table: str
    sort: str
    source: str
    text: str


def statements(half: str, *sorts: str) -> list[Statement]:
    return [each for each in _read(half) if not sorts or each.sort in sorts]


def _read(half: str) -> Iterator[Statement]:
    table = ""
    for line in (HERE / f"{half}.txt").read_text("utf-8").splitlines():
        if line.startswith("# "):
            table = line.removeprefix("# ")
        else:
            yield Statement(table, *line.split(" :: ", 2))


def given(text: str, table: Any, pandas: Any) -> Any:
    """What its last line gives, or the table that it changes."""
    names: dict[str, Any] = {"df": table, "pd": pandas, "np": np, "re": re, "dt": dt, "functools": functools}
    tree = ast.parse(text)
    last = tree.body[-1]
    if isinstance(last, ast.Expr):
        tree.body.pop()
        exec(compile(tree, "a statement", "exec"), names)
        found = eval(compile(ast.Expression(last.value), "a statement", "eval"), names)
        return names["df"] if found is None else found
    exec(compile(tree, "a statement", "exec"), names)
    target = last.targets[0] if isinstance(last, ast.Assign) else None
    return names[target.id] if isinstance(target, ast.Name) else names["df"]


def of_pandas(statement: Statement) -> dict[Any, list[Any]]:
    """The values that pandas gives; of texts as objects and whole numbers as floats, where its own dtypes forbid it."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        frame = TABLES[statement.table]()
        try:
            found = given(statement.text, frame, pd)
        except TypeError:
            plain = {"str": object, "int64": float}
            frame = TABLES[statement.table]()
            frame = frame.astype({name: plain.get(str(frame[name].dtype), frame[name].dtype) for name in frame})
            found = given(statement.text, frame, pd)
    if "sort_values" not in statement.text and isinstance(found, pd.DataFrame | pd.Series):
        found = found.sort_index()
    if isinstance(found, pd.DataFrame):
        return {name: found[name].tolist() for name in found}
    return {None: (found if isinstance(found, pd.Series) else pd.Series(found)).tolist()}


def of_ours(statement: Statement, declared: bool = True) -> dict[Any, list[Any]]:
    """The values that a lazy table gives."""
    frame = TABLES[statement.table]()
    kinds = {name: kind_of(frame[name]) if declared else "any" for name in frame}
    found = given(statement.text, lazy(kinds), ours)
    if not isinstance(found, LazyColumn | LazyTable):
        raise TypeError(f"{type(found).__name__} is neither a column nor a table.")
    return Made.of(found).on(Held(frame))
