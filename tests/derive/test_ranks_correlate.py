"""Spearman's correlation is Pearson's of ranks, which the refusal of `method=` names."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import pandas_dp as pdp


def test_the_correlation_of_released_ranks_is_spearmans() -> None:
    r = np.random.default_rng(1)
    rows = pd.DataFrame({"age": r.uniform(18, 90, 2000)}).assign(
        income=lambda d: np.exp(d["age"] / 20) + r.normal(size=2000)
    )
    bounds = {"age": (18, 90), "income": (-10, 110)}
    people = pdp.Session(rho=1e9).protect(rows)
    ranked = people.dp.rank(["age", "income"], rho=1e6, bounds=bounds)
    found = ranked.dp.corr(rho=1e6).loc["age", "income"]
    assert found == pytest.approx(rows.corr(method="spearman").loc["age", "income"], abs=0.02)
