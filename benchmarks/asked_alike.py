"""The questions that libraries are asked alike: one made table, the true answers, and how errors and times are told."""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd

EPSILON = 1.0
TOP = 200_000
REGIONS, JOBS = list("abcdef"), list("uvwxyz")
QUANTILES = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]
BINS = np.linspace(0, TOP, 41)
QUESTIONS = ("mean", "median", "nine quantiles", "histogram", "crosstab", "regression")

Answers = np.ndarray[Any, np.dtype[np.float64]]
Asked = dict[str, Callable[[], Answers]]


def table(rows: int) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    school = rng.integers(6, 21, rows).astype(float)
    income = np.minimum(np.rint(np.exp(rng.normal(9.3 + 0.08 * school, 0.6, rows))), TOP)
    keys = {"region": np.array(REGIONS)[rng.integers(0, 6, rows)], "job": np.array(JOBS)[rng.integers(0, 6, rows)]}
    return pd.DataFrame({"school": school, "income": income, **keys})


def truth(data: pd.DataFrame) -> dict[str, Answers]:
    x = np.column_stack([np.ones(len(data)), data["school"]])
    found = {
        "mean": [data["income"].mean()],
        "median": [data["income"].median()],
        "nine quantiles": data["income"].quantile(QUANTILES),
        "histogram": np.histogram(data["income"], BINS)[0],
        "crosstab": pd.crosstab(data["region"], data["job"]).to_numpy().ravel(),
        "regression": np.linalg.lstsq(x, data["income"], rcond=None)[0][1:],
    }
    return {name: np.asarray(values, float) for name, values in found.items()}


def compare(makers: Sequence[Callable[[pd.DataFrame], Any]], rows: int, repetitions: int) -> None:
    """Ask each library everything it offers, and print root mean square errors and milliseconds of CPU."""
    warnings.simplefilter("ignore")
    data = table(rows)
    true = truth(data)
    found: dict[tuple[str, str], tuple[float, float]] = {}
    sides = [maker(data) for maker in makers]
    for side in sides:
        for question, ask in side.asked().items():
            answers, start = [], time.process_time()
            for _ in range(repetitions):
                answers.append(ask())
            spent = (time.process_time() - start) / repetitions
            error = np.sqrt(np.mean((np.array(answers) - true[question]) ** 2))
            found[question, side.name] = error, spent
    print(
        f"{rows:,} rows, epsilon 1 a question, {repetitions} answers each: error (root mean square), CPU of the process"
    )
    for question in QUESTIONS:
        for side in sides:
            error, spent = found.get((question, side.name), (np.nan, np.nan))
            told = "not offered" if np.isnan(error) else f"{error:12,.4g} {1e3 * spent:9.2f} ms"
            print(f"{question:16} {side.name:22} {told}")


def sizes(usual: tuple[int, int]) -> tuple[int, int]:
    """ROWS and REPETITIONS of the command line."""
    given = [int(float(text)) for text in sys.argv[1:]]
    rows, repetitions = [*given, *usual[len(given) :]]
    return rows, repetitions
