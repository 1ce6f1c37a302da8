"""How long a regression of a released moment matrix takes: `python -m benchmarks.fits`.

A matrix of 20 columns, of which five regressors are taken: the fit itself with its sets and p values, and what a user
waits for, which also reads the label and writes the release. Least of many runs, in milliseconds.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import pandas as pd

import pandas_dp as pdp
from pandas_dp.models.ask import design_of, formula_of
from pandas_dp.models.conclude import gram_of
from pandas_dp.models.evidence import Fit

RUNS = 30


def least(run: Callable[[], object]) -> float:
    found = []
    for _ in range(RUNS):
        begun = time.process_time()
        run()
        found.append(time.process_time() - begun)
    return 1000 * min(found)


def main() -> None:
    rng = np.random.default_rng(0)
    names = [f"x{j}" for j in range(19)]
    frame = pd.DataFrame(rng.uniform(-1, 1, (20_000, 19)), columns=names)
    frame["y"] = frame[names[:5]].sum(axis=1) / 10 + rng.uniform(-0.3, 0.3, len(frame))
    bounds = dict.fromkeys(frame.columns, (-1, 1))
    sums = pdp.Session(rho=10).protect(frame).dp.moments(list(frame.columns), bounds=bounds, rho=1)
    _, gram = gram_of(sums)
    gram.matrices()
    formula = formula_of("ols", "y", names[:5])
    design = design_of(formula, gram.columns, "ols")
    print(f"a fit of 5 regressors: {least(lambda: Fit(gram, design).measures(0.95, 'population')):.1f} ms")
    print(f"as a release: {least(lambda: sums.dp.ols('y', names[:5])):.1f} ms")
    every = design_of(formula_of("ols", "y", names), gram.columns, "ols")
    print(f"a fit of 19 regressors: {least(lambda: Fit(gram, every).measures(0.95, 'population')):.1f} ms")


if __name__ == "__main__":
    main()
