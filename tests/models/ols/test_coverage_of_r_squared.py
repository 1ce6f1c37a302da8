"""Intervals of R² hold the population's, where noise is most of what is seen."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp.audit import seeded_noise

BOUNDS = {"a": (-1, 1), "b": (-1, 1), "y": (-2, 2)}


def _rows(r: np.random.Generator, n: int) -> pd.DataFrame:
    x = np.clip(r.normal(0, 0.4, (n, 2)), -1, 1)
    return pd.DataFrame(x, columns=["a", "b"]).assign(y=x @ [0.3, 0.1] + 0.2 * r.normal(size=n))


@pytest.mark.slow
def test_an_interval_of_r_squared_holds_it_under_wide_noise() -> None:
    """400 releases; where the noise of the total enters at its released share alone, .91 hold."""
    r = np.random.default_rng(5)
    truth = 1 - 0.04 / _rows(r, 400_000)["y"].var()
    session, held = pdp.Session(rho=1e6), []
    with seeded_noise(5):
        for _ in range(400):
            found = (
                session.protect(_rows(r, 1000)).dp.ols("y", ["a", "b"], stages=1, bounds=BOUNDS, rho=0.1).dp.r_squared()
            )
            held.append(found.lower <= truth <= found.upper)
    assert np.mean(held) >= 0.95
