"""Moment matrices beside X.T @ X of the same float64 array, CPU time in one run: python benchmarks/moments.py [rows]

The aim: 20 columns take at most twice X.T @ X and the sums of the 20 columns. BLAS runs in one thread, as waiting
threads count as CPU time.
"""

from __future__ import annotations

import os

os.environ["OPENBLAS_NUM_THREADS"] = os.environ["MKL_NUM_THREADS"] = "1"  # read when numpy is imported

import sys
from collections.abc import Callable
from fractions import Fraction
from time import process_time

import numpy as np
import pandas as pd

from pandas_dp.core.engine.rows import PandasRows
from pandas_dp.core.measure.cells import Cells, Key, Variable
from pandas_dp.core.schema.values import Categories, Interval
from pandas_dp.models.measure import Gram, Levels, LinearBasis, Number, Term
from pandas_dp.numeric.measure import Totals

COLUMNS, ROUNDS = 20, 3
LETTERS = tuple("abcdefghij")


def best(work: Callable[[], object]) -> float:
    found = []
    for _ in range(ROUNDS):
        start = process_time()
        work()
        found.append(process_time() - start)
    return min(found)


def main(rows: int) -> None:
    rng = np.random.default_rng(0)
    wide = rng.random((rows, COLUMNS)) * 80
    data = pd.DataFrame(wide, columns=[f"x{at}" for at in range(COLUMNS)], copy=False)
    variables = [Variable(name, Interval(Fraction(0), Fraction(80))) for name in data.columns]
    numbers: tuple[Term, ...] = tuple(map(Number, variables))
    key = Key("k", Categories(LETTERS))
    product = best(lambda: wide.T @ wide)
    sums = best(lambda: [PandasRows(data, None).fold(Totals(each)) for each in variables])
    aim = 2 * product + sums
    print(f"{rows:,} rows, {COLUMNS} columns: X.T @ X {product:.3g} s, sums {sums:.3g} s")
    data["k"] = pd.Categorical.from_codes(rng.integers(0, len(LETTERS), rows).astype(np.int8), list(LETTERS))
    measurements = {
        "numbers": Gram(numbers),
        "and ten levels": Gram((*numbers, Levels(key)), counted=True),
        "and six knots": Gram((*numbers[1:], LinearBasis(variables[0], (0, 16, 32, 48, 64, 80)))),
        "in ten groups": Gram(numbers, counted=True, cells=Cells((key,))),
    }
    for name, measurement in measurements.items():
        took = best(lambda measurement=measurement: PandasRows(data, None).fold(measurement))  # type: ignore[misc]
        print(f"{name}: {took:.3g} s, {took / aim:.2f} of 2 X.T @ X + sums")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000)
