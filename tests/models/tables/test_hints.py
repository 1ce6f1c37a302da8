"""What a regression of a table says beside its numbers."""

from __future__ import annotations

import numpy as np
import pandas as pd

import pandas_dp as pdp


def fitted(people: int, rho: float) -> pd.DataFrame:
    r = np.random.default_rng(2)
    rows = pd.DataFrame({"k": r.integers(0, 12, people), "y": np.minimum(r.poisson(0.3, people), 8)})
    said = {"k": list(range(12)), "y": list(range(9))}
    return pdp.Session(rho=10**9).protect(rows).dp.crosstab("k", "y", categories=said, rho=rho).dp.poisson("y", ["k"])


def test_a_poisson_regression_that_fits_nowhere_says_so() -> None:
    """Each of the tables has more than an even chance."""
    assert any("no coefficients fit this table" in str(fitted(100, 0.01).dp.check()) for _ in range(40))
    assert "no coefficients fit" not in str(fitted(20_000, 10**6).dp.check())
