"""A table of people, its schema, and its moment matrix by numpy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pandera.pandas as pa

import pandas_dp as pdp

Floats = np.ndarray[Any, np.dtype[np.float64]]
SCHEMA = pa.DataFrameSchema(
    {
        "age": pa.Column(int, pa.Check.in_range(18, 66)),
        "wage": pa.Column(float, pa.Check.in_range(0, 80)),
        "school": pa.Column(int, pa.Check.in_range(0, 22)),
        "bonus": pa.Column(float, pa.Check.in_range(-10, 30), nullable=True),
        "region": pa.Column(str, pa.Check.isin(["n", "e", "s"])),
        "sex": pa.Column(str, pa.Check.isin(["f", "m"])),
        "union": pa.Column(bool),
        "rooms": pa.Column(int, pa.Check.isin([1, 2, 3])),
    }
)
SURE = 1e13  # of rho, so much that noise is nothing


def people(size: int = 1000, seed: int = 1) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    school = rng.integers(6, 20, size)
    return pd.DataFrame(
        {
            "age": rng.integers(18, 67, size),
            "wage": (2 * school + rng.normal(0, 8, size)).clip(0, 80),
            "school": school,
            "bonus": np.where(rng.random(size) < 0.1, np.nan, rng.normal(5, 5, size).clip(-10, 30)),
            "region": rng.choice(["n", "e", "s"], size),
            "sex": rng.choice(["f", "m"], size),
            "union": rng.random(size) < 0.3,
            "rooms": rng.integers(1, 4, size),
        }
    )


def protected(data: pd.DataFrame, rho: float = 1e15, **terms: Any) -> pd.DataFrame:
    return pdp.Session(rho=rho, schema=SCHEMA, **terms).protect(data)


def matrix(data: pd.DataFrame, *columns: Any) -> pd.DataFrame:
    """By numpy: of columns by their names, of a level as (column, level), of a product of two as a set of names."""
    made: dict[str, Floats] = {"Intercept": np.ones(len(data))}
    for column in columns:
        name, values = _made(data, column)
        made[name] = values
    wide = np.column_stack(list(made.values()))
    return pd.DataFrame(wide.T @ wide, index=list(made), columns=list(made))


def _made(data: pd.DataFrame, column: Any) -> tuple[str, Floats]:
    if isinstance(column, str):
        return column, data[column].to_numpy(float)
    if isinstance(column, list):
        parts = [_made(data, each) for each in column]
        return ":".join(name for name, _ in parts), np.prod([values for _, values in parts], axis=0)
    name, level = column
    return f"C({name})[{level}]", (data[name] == level).to_numpy(float)
