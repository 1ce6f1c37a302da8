"""A logit of five regressors over a million rows beside an unprotected fit by statsmodels, which has to be installed.

`python -m benchmarks.stages` prints the least CPU time of nine interleaved rounds of each.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

import pandas_dp as pdp

ROWS, ROUNDS = 10**6, 9
NAMES = list("abcde")


def least_times(rounds: int = ROUNDS) -> tuple[float, float]:
    """Seconds of a private logit, and of statsmodels'."""
    import statsmodels.api as sm

    r = np.random.default_rng(0)
    x = np.clip(r.normal(0, 0.4, (ROWS, 5)), -1, 1)
    y = r.random(ROWS) < 1 / (1 + np.exp(0.3 - x @ [0.8, -0.5, 0.3, 0.6, -0.4]))
    people = pdp.Session(rho=10**6).protect(pd.DataFrame(x, columns=NAMES).assign(y=y))
    bounds = {**dict.fromkeys(NAMES, (-1, 1)), "y": (0, 1)}
    with_constant, plain = sm.add_constant(x), y.astype(float)
    both = [
        lambda: people.dp.logit("y", NAMES, bounds=bounds, rho=1),
        lambda: sm.Logit(plain, with_constant).fit(disp=0),
    ]
    found = [[_seconds(ask) for ask in both] for _ in range(rounds)]
    private, plain_time = np.min(found, axis=0).tolist()
    return private, plain_time


def _seconds(ask: Callable[[], Any]) -> float:
    start = time.process_time()
    ask()
    return time.process_time() - start


if __name__ == "__main__":
    private, plain = least_times()
    print(f"private {private:.3f} s, statsmodels {plain:.3f} s, ratio {private / plain:.2f}")
