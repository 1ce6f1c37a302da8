"""How often the interval of a mean over blocks holds the value of the population, and its error: 10,000 rows, the
functions of the table in docs/tools.md, through the library's own noise.

    python -m benchmarks.coverage_of_blocks [--runs 300]

Where it holds less than 95 %, the function is biased on so few rows as a block has.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

import pandas_dp as pdp

ROWS = 10_000
Values = dict[str, np.ndarray[Any, Any]]


def correlated(r: np.random.Generator) -> Values:
    x = r.normal(size=ROWS)
    return {"x": x, "y": 0.5 * x + 0.75**0.5 * r.normal(size=ROWS)}


def exponential(r: np.random.Generator) -> Values:
    return {"x": r.exponential(0.5, ROWS)}


def heavy(r: np.random.Generator) -> Values:
    return {"x": r.standard_t(3, ROWS)}


def correlation(rows: pd.DataFrame) -> float:
    return float(np.corrcoef(rows["x"], rows["y"])[0, 1])


def rate(rows: pd.DataFrame) -> float:
    return float(1 / rows["x"].to_numpy().mean())


def corrected(rows: pd.DataFrame) -> float:
    return (1 - 1 / len(rows)) * rate(rows)


def ninth(rows: pd.DataFrame) -> float:
    return float(np.quantile(rows["x"], 0.9))


Case = tuple[Callable[[np.random.Generator], Values], Callable[[pd.DataFrame], float], float, tuple[float, float]]
CASES: list[Case] = [
    (correlated, correlation, 0.5, (-1, 1)),
    (exponential, rate, 2.0, (0.1, 10)),
    (exponential, corrected, 2.0, (0.1, 10)),
    (heavy, ninth, 1.6377, (0, 5)),
]
SIZES = ((200, 0.5), (200, 0.05), (1000, 0.05))


def main() -> None:
    reading = argparse.ArgumentParser()
    reading.add_argument("--runs", type=int, default=300)
    runs, r = reading.parse_args().runs, np.random.default_rng(1)
    print(f"{'':<14}{'k':>6}{'rho':>8}{'bias':>9}{'rmse':>9}{'held':>8}")
    for draw, f, truth, bounds in CASES:
        for k, rho in SIZES:
            errors, held = [], 0
            for _ in range(runs):
                with pdp.Session(rho=1) as session:
                    frame = session.protect(pd.DataFrame(draw(r)))
                    blocks = frame.dp.blocks(k, bounds=(-100, 100))
                    one = blocks.apply(f, bounds=bounds, isolate=False).mean(rho=rho)
                errors.append(one["mean"].item() - truth)
                held += bool(one["lower"].item() <= truth <= one["upper"].item())
            bias, rmse = np.mean(errors), np.sqrt(np.mean(np.square(errors)))
            print(f"{f.__name__:<14}{k:>6}{rho:>8}{bias:>9.4f}{rmse:>9.4f}{held / runs:>8.3f}", flush=True)


if __name__ == "__main__":
    main()
