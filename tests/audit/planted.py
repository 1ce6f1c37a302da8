"""Questions with a bug each, as people write them, and questions without one."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pandera.pandas as pa

import pandas_dp as pdp

Question = Callable[[Any], Any]
R = np.random.default_rng(1)


class Schema(pa.DataFrameModel):
    """Few values, so that sums are small."""

    x: int = pa.Field(ge=0, le=10)
    k: str = pa.Field(isin=["a", "b"])


def laplace(scale: float) -> int:
    """In whole numbers: the difference of two geometric ones."""
    return int(R.geometric(-math.expm1(-1 / scale)) - R.geometric(-math.expm1(-1 / scale)))


def clamped(table: pd.DataFrame) -> int:
    values = pd.to_numeric(pd.Series(list(table["x"]), dtype=object), errors="coerce").fillna(5).clip(0, 10)
    return int(values.sum())


def of_a(table: pd.DataFrame) -> int:
    return int((pd.Series(list(table["k"]), dtype=object) == "a").sum())


def unclamped(table: pd.DataFrame) -> int:
    values = pd.to_numeric(pd.Series(list(table["x"]), dtype=object), errors="coerce").fillna(5)
    return int(values.sum()) + laplace(10)


def above_threshold_by_one(table: pd.DataFrame) -> bool:
    """Whether a key is shown: above 1 + log(1 / (2 delta)) with epsilon 1 and delta .1, but for the 1."""
    count = of_a(table)
    return count > 0 and count + laplace(1) > math.log(1 / 0.2)


def branching(table: pd.DataFrame) -> Any:
    released = table["x"].dp.sum(epsilon=1)
    return (released, "there is an a") if of_a(table) else (released,)


def telling(table: pd.DataFrame) -> int:
    if of_a(table):
        raise ValueError(f"row {table.index[0]} says a")
    return laplace(1)


def warning(table: pd.DataFrame) -> int:
    if table["x"].isna().any():
        warnings.warn("values are missing", stacklevel=1)
    return laplace(1)


def printing(table: pd.DataFrame) -> int:
    print(len(set(table["k"])), "keys")
    return laplace(1)


def by_keys_that_occur(table: pd.DataFrame) -> pd.Series:
    counts = pd.Series(list(table["k"]), dtype=object).value_counts().sort_index()
    return counts + [laplace(1) for _ in counts]


def with_dtype(table: pd.DataFrame) -> pd.DataFrame:
    released = pd.DataFrame(table["x"].dp.sum(epsilon=1))
    return released.astype({"sum": "object" if table["x"].isna().any() else "float64"})


def priced_by_rows(table: pd.DataFrame) -> Any:
    return table["k"].dp.value_counts(epsilon=1 if of_a(table) else 0.5)


def noise_of_a_seed(table: pd.DataFrame) -> int:
    return of_a(table) + int(np.random.default_rng(0).geometric(0.5))


def asked_elsewhere(table: pd.DataFrame) -> Any:
    with pdp.Session(epsilon=5, schema=Schema) as other:
        rows = pd.DataFrame(table).reset_index(drop=True)
        second = other.protect(rows)["k"].dp.value_counts(epsilon=5)
    return table["k"].dp.value_counts(epsilon=1), second


VISIBLE: dict[str, Question] = {
    "a branch of the rows": branching,
    "an error with a value": telling,
    "a warning about rows": warning,
    "a word about rows": printing,
    "keys that occur": by_keys_that_occur,
    "a dtype of the rows": with_dtype,
    "a price of the rows": priced_by_rows,
}
SAMPLED: dict[str, tuple[Question, dict[str, float]]] = {
    "wrong sensitivity": (lambda t: clamped(t) + laplace(2.5), {"epsilon": 1}),
    "a quarter of the noise": (lambda t: of_a(t) + laplace(0.25), {"epsilon": 1}),
    "no clamping": (unclamped, {"epsilon": 1}),
    "a threshold less by one": (above_threshold_by_one, {"epsilon": 1, "delta": 0.1}),
    "noise in floats": (lambda t: float(of_a(t)) + R.laplace(0, 1), {"epsilon": 1}),
    "noise of a seed": (noise_of_a_seed, {"epsilon": 1}),
    "no noise": (of_a, {"rho": 0.5}),
    "Gaussian noise too narrow": (lambda t: of_a(t) + round(R.normal(0, 0.25)), {"rho": 0.5}),
    "asked in another session": (asked_elsewhere, {"epsilon": 1}),
}
CLEAN: dict[str, tuple[Question, dict[str, float]]] = {
    "a sum": (lambda t: clamped(t) + laplace(10), {"epsilon": 1}),
    "a count": (lambda t: of_a(t) + laplace(1), {"epsilon": 1}),
    "a count and its rounding": (lambda t: round(of_a(t) + laplace(1), -1), {"epsilon": 1}),
    "nothing of the rows": (lambda t: 1, {"epsilon": 0.1}),
    "of the library": (lambda t: t["x"].dp.mean(epsilon=1), {"epsilon": 1}),
    "of the library, rho": (lambda t: t.dp.groupby("k")["x"].sum(rho=0.5), {"rho": 0.5}),
    "of the library, filtered": (lambda t: t[t["k"] == "a"]["x"].dp.median(epsilon=1), {"epsilon": 1}),
}
