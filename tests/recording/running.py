"""How a program is run, on a table and on its neighbours: tables that differ from it in one row."""

from __future__ import annotations

import ast
import collections
import warnings
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute
import scipy.special
import scipy.stats

MODULES = """
    array collections copy datetime decimal fractions functools heapq io itertools json math operator pickle re
    statistics sys
"""
NAMES: dict[str, Any] = {name: import_module(name) for name in MODULES.split()} | {
    "np": np,
    "pa": pa,
    "pd": pd,
    "scipy": scipy,
}
ROWS = (0, 7, 59)
"""Those that differ, one at a time."""


def table() -> pd.DataFrame:
    """Sixty rows; `x`, `k` and `t` have missing values, and as many rows are of "a" as of "b", of 3 as of 4."""
    rng = np.random.default_rng(8)
    labels = rng.permutation(["a"] * 16 + ["b"] * 19 + ["ab", "ba"] * 10).tolist()
    for row in (0, 5, 7, 22, 59):
        labels.insert(row, None if row in (5, 22) else "a")
    hours = np.sort(rng.integers(0, 60 * 24, 60))
    return pd.DataFrame(
        {
            "y": [5.0, *rng.normal(1, 1, 59).round(5)],
            "x": np.where(np.isin(np.arange(60), [1, 6, 10, 20]), np.nan, rng.normal(0, 2, 60).round(2)),
            "k": pd.Series(labels, dtype=object),
            "c": pd.Categorical(rng.choice(["lo", "hi"], 60), ["lo", "hi"]),
            "t": (pd.Timestamp("2020-01-01") + pd.to_timedelta(pd.Series(hours), unit="h")).mask(hours % 29 == 0),
            "n": [3, *rng.permutation([3] * 11 + [4] * 12 + [*range(9)] * 4)],
            "b": rng.random(60) < 0.5,
        }
    )


@cache
def neighbours(row: int) -> dict[str, pd.DataFrame]:
    """The table with another row in place of one, and without it."""
    others: dict[str, list[Any]] = {
        "huge": [999.0, 98.0, "new", "lo", pd.Timestamp("2035-05-05"), 99, True],
        "small": [-99.0, -98.0, "A", "hi", pd.Timestamp("1999-03-31"), -5, False],
        "missing": [np.nan, np.nan, None, None, pd.NaT, np.nan, False],
        "another": [table().at[3, "y"], 0.25, "b", "lo", pd.Timestamp("2020-01-05"), 4, True],
    }
    found = {"gone": table().drop(index=row)}
    for name, values in others.items():
        rows = [values if at == row else each for at, each in enumerate(table().to_numpy(dtype=object).tolist())]
        found[name] = pd.DataFrame(dict(zip(table().columns, map(list, zip(*rows, strict=True)), strict=True)))
        found[name]["k"] = found[name]["k"].astype(object)
        found[name]["c"] = pd.Categorical(found[name]["c"], ["lo", "hi"])
    return found


def run(program: str, d: pd.DataFrame, raw: pd.DataFrame) -> Any:
    """What the last statement of a program gives."""
    *first, last = ast.parse(program).body
    assert isinstance(last, ast.Expr), program
    names = NAMES | {"d": d, "raw": raw}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile(ast.Module(first, []), "a program", "exec"), names)
        return eval(compile(ast.Expression(last.value), "a program", "eval"), names)


def _said(value: Any) -> str:
    """A value, whatever its storage."""
    if value is None or value is pd.NA or value is pd.NaT or value != value:
        return "missing"
    return repr(float(value)) if isinstance(value, bool | int | float | np.generic) else str(value)


def _rows(found: Any) -> list[tuple[str, ...]]:
    columns = found.to_frame() if isinstance(found, pd.Series) else pd.DataFrame(found)
    return [tuple(map(_said, row)) for row in columns.to_numpy(dtype=object).tolist()]


def others_of(found: Any, row: int) -> Any:
    """What a program gave, but of the row that differs."""
    if isinstance(found, np.ndarray):
        return _rows(np.delete(found, row) if len(found) == len(table()) else found)
    kept = found if isinstance(found.index, pd.MultiIndex) else found.drop(index=row, errors="ignore")
    return [*map(str, [*getattr(kept, "columns", ()), *kept.index]), _rows(kept)]


def changes(program: str, row: int, other: pd.DataFrame) -> int:
    """How many rows of what a program gives another row of the table adds or takes."""
    counts = [collections.Counter(_rows(run(program, each.copy(), each.copy()))) for each in (table(), other)]
    return max((counts[0] - counts[1]).total(), (counts[1] - counts[0]).total())


def shows_mixing(program: str) -> tuple[int, str] | None:
    """The first neighbour on which pandas gives other rows other values, or raises."""
    for row in ROWS:
        ours = others_of(run(program, table(), table()), row)
        for name, other in neighbours(row).items():
            try:
                if others_of(run(program, other.copy(), other.copy()), row) != ours:
                    return row, name
            except Exception:  # noqa: BLE001 - that pandas raises there tells of the row as well
                return row, name
    return None
