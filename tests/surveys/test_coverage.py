"""Intervals of surveys hold the truth as often as they say. benchmarks/surveys.py has the tight figures."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pandera.pandas as pa
import pytest

import pandas_dp as pdp

SAMPLES = 400
LEAST = 0.885  # at a coverage of .94 and more, fewer hold with a chance below 1e-5 each
SCHEMA = pa.DataFrameSchema(
    {
        "w": pa.Column(float, pa.Check.in_range(1, 4)),
        "y": pa.Column(float, pa.Check.in_range(0, 100)),
        "x": pa.Column(float, pa.Check.in_range(0, 10)),
        "h": pa.Column(int, pa.Check.isin([0, 1, 2, 3, 4])),
    }
)
DESIGNS: dict[str, Any] = {"weights": {}, "strata": {"strata": {"h": dict.fromkeys(range(5), 200)}}}
QUESTIONS: dict[str, Any] = {
    "mean": lambda p: p["y"].dp.mean(rho=0.2),
    "domain": lambda p: p[p["x"] > 3]["y"].dp.mean(rho=0.2),
    "ratio": lambda p: p.dp.ratio("y", "x", rho=0.2),
}


def sample(r: np.random.Generator, size: int) -> pd.DataFrame:
    """Five strata of equal size; heavy rows have large values, so that unweighted means are far off."""
    stratum, w = np.arange(size) % 5, r.uniform(1, 4, size)
    y = np.clip(np.exp(r.normal(3.2 + 0.15 * w + 0.05 * stratum, 0.4)), 0, 100)
    return pd.DataFrame({"w": w, "y": y, "x": np.clip(y / 20 + r.uniform(0, 2, size), 0, 10), "h": stratum})


def truth(name: str) -> float:
    large = sample(np.random.default_rng(9), 2_000_000)
    inside = large[large["x"] > 3] if name == "domain" else large
    below = inside["w"] * (inside["x"] if name == "ratio" else 1)
    return float((inside["w"] * inside["y"]).sum() / below.sum())


@pytest.mark.slow
@pytest.mark.parametrize(("design", "name"), [("weights", name) for name in QUESTIONS] + [("strata", "mean")])
def test_intervals_hold_the_population(design: str, name: str) -> None:
    r, held = np.random.default_rng(11), 0
    true = truth(name)
    for _ in range(SAMPLES):
        with pdp.Session(rho=10, schema=SCHEMA) as session:
            people = session.protect(sample(r, 1_000), design=pdp.Design(weights="w", **DESIGNS[design]))
            low, high = QUESTIONS[name](people).iloc[0, [2, 3]]
            held += low <= true <= high
    assert held / SAMPLES >= LEAST
