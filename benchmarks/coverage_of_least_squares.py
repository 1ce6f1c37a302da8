"""How often the sets of least squares hold the coefficients of the population, through the library's own noise.

`python -m benchmarks.coverage_of_least_squares [TABLES]` draws so many tables for each line, asks `ols` of each, and
counts: a set of .95 is to hold in .935 or more, also where noise is most of what is seen and where it is unbounded.
Half widths are medians of bounded sets, in half-ranges of the columns.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

import pandas_dp as pdp

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Line:
    """A population, what is asked of it, and which coefficient is looked at."""

    name: str
    n: int
    rho: float
    drawn: Callable[[np.random.Generator, int], tuple[pd.DataFrame, dict[str, float]]]
    formula: str
    said: float  # by simulation with continuous noise
    derived: bool = False


def box(p: int, shape: str = "uniform") -> Callable[[np.random.Generator, int], tuple[pd.DataFrame, dict[str, float]]]:
    """Numbers in [-1, 1] with spread .35 and slopes .5, -.3, .2, .1; the response within its bounds."""
    slopes = [0.5, -0.3, 0.2, 0.1][:p]

    def drawn(rng: np.random.Generator, n: int) -> tuple[pd.DataFrame, dict[str, float]]:
        x = numbers(rng, (n, p), shape)
        y = x @ slopes + errors(rng, n, shape)
        columns = {f"x{j + 1}": x[:, j] for j in range(p)}
        return pd.DataFrame({**columns, "y": y}), {f"x{j + 1}": slope for j, slope in enumerate(slopes)}

    return drawn


def numbers(rng: np.random.Generator, size: tuple[int, int], shape: str) -> Array:
    if shape == "skewed":
        return np.minimum(-1 + rng.exponential(0.05, size), 1.0)  # lazy bounds: a spread of .05 in a range of 2
    return rng.uniform(-0.35 * np.sqrt(3), 0.35 * np.sqrt(3), size)


def errors(rng: np.random.Generator, n: int, shape: str) -> Array:
    if shape == "heavy":
        return np.clip(0.05 * rng.standard_t(2, n), -0.4, 0.4)
    if shape == "exponential":
        return np.minimum(0.1 * (rng.exponential(1, n) - 1), 0.5)
    return np.clip(rng.normal(0, 0.2, n), -0.6, 0.6)


def groups(shares: list[float]) -> Callable[[np.random.Generator, int], tuple[pd.DataFrame, dict[str, float]]]:
    """A number and a categorical, whose means differ."""
    labels = [f"g{at}" for at in range(len(shares))]

    def drawn(rng: np.random.Generator, n: int) -> tuple[pd.DataFrame, dict[str, float]]:
        g = rng.choice(len(shares), n, p=shares)
        x = rng.uniform(-0.6, 0.6, n) + 0.2 * (g == 1)
        y = 0.4 * x + 0.15 * (g == 1) - 0.1 * (g == 2) + np.clip(rng.normal(0, 0.2, n), -0.5, 0.5)
        truth = {"x": 0.4, "C(g)[T.g1]": 0.15, **({"C(g)[T.g2]": -0.1} if len(shares) > 2 else {})}
        return pd.DataFrame({"x": x, "g": np.array(labels)[g], "y": y}), truth

    return drawn


EVEN = [1 / 3, 1 / 3, 1 / 3]
LINES = [
    Line("1 slope", 200, 0.5, box(1), "y ~ x1", 0.949),
    Line("1 slope", 200, 0.05, box(1), "y ~ x1", 0.957),
    Line("1 slope", 1000, 0.05, box(1), "y ~ x1", 0.945),
    Line("1 slope", 5000, 0.05, box(1), "y ~ x1", 0.953),
    Line("4 slopes", 500, 0.5, box(4), "y ~ x1 + x2 + x3 + x4", 0.959),
    Line("4 slopes", 2000, 0.5, box(4), "y ~ x1 + x2 + x3 + x4", 0.953),
    Line("4 slopes", 20000, 0.05, box(4), "y ~ x1 + x2 + x3 + x4", 0.955),
    Line("4 slopes, filtered", 2000, 0.5, box(4), "y ~ x1 + x2 + x3 + x4", 0.953, True),
    Line("3 levels", 1500, 0.1, groups(EVEN), "y ~ x + C(g)", 0.95),
    Line("3 levels, filtered", 1500, 0.1, groups(EVEN), "y ~ x + C(g)", 0.95, True),
    Line("3 % level", 500, 0.1, groups([0.97, 0.03]), "y ~ x + C(g)", 0.95),
    Line("3 % level", 2000, 0.5, groups([0.97, 0.03]), "y ~ x + C(g)", 0.96),
    Line("skewed, lazy bounds", 1000, 0.1, box(1, "skewed"), "y ~ x1", 0.977),
    Line("skewed, lazy bounds", 1000, 0.5, box(1, "skewed"), "y ~ x1", 0.964),
    Line("t2 errors", 100, 0.5, box(1, "heavy"), "y ~ x1", 0.954),
    Line("exponential errors", 100, 0.5, box(1, "exponential"), "y ~ x1", 0.941),
]


def looked_at(line: Line, tables: int, seed: int) -> dict[str, float]:
    """Coverage of sets one by one and of all slopes together, the share of unbounded ones, half widths."""
    rng = np.random.default_rng(seed)
    held, unbounded, widths, together = [], [], [], []
    session = pdp.Session(rho=1e9)
    for _ in range(tables):
        frame, truth = line.drawn(rng, line.n)
        bounds = {name: (-1.0, 1.0) for name in frame.columns if name != "g"}
        sorts = {"categories": {"g": sorted({f"g{at}" for at in range(3 if "C(g)[T.g2]" in truth else 2)})}}
        table = session.protect(frame)
        table = table[table["y"] > -2] if line.derived else table
        fit = table.dp.ols(line.formula, stages=1, bounds=bounds, rho=line.rho, **(sorts if "g" in frame else {}))
        rows = pd.DataFrame(fit).loc[list(truth)]
        values = np.array(list(truth.values()))
        held.append((rows["lower"] <= values) & (values <= rows["upper"]))
        endless = np.isinf(rows["upper"])
        unbounded.append(endless)
        widths.append(np.where(endless, np.nan, (rows["upper"] - rows["lower"]) / 2))
        together.append(fit.dp.wald_test(truth).pvalue > 0.05)
    with np.errstate(all="ignore"):
        return {
            "least": float(np.mean(held, axis=0).min()),
            "mean": float(np.mean(held)),
            "together": float(np.mean(together)),
            "unbounded": float(np.mean(unbounded)),
            "width": float(np.nanmedian(widths)) if not np.all(unbounded) else float("nan"),
        }


def main(tables: int) -> None:
    print(f"{'':22}{'n':>7}{'rho':>6} |   least    mean   joint unbounded half width | expected")
    for at, line in enumerate(LINES):
        many = tables if line.n < 10_000 else max(tables // 4, 1)
        found = looked_at(line, many, at)
        shown = (f"{found[name]:7.3f}" for name in ("least", "mean", "together", "unbounded"))
        print(f"{line.name:22}{line.n:7}{line.rho:6} |", *shown, f"{found['width']:11.4f} | {line.said:8.3f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 400)
