"""A table of wages, whole and filtered, and what is declared of it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

import pandas_dp as pdp

REGIONS = ["n", "e", "s", "w"]
BOUNDS = {"school": (0, 20), "age": (18, 66), "wage": (0, 120), "union": (0, 1)}
MUCH = 1e10  # of rho: no noise to see


def wages(rows: int = 1500, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "school": rng.integers(4, 20, rows),
            "age": rng.integers(18, 67, rows),
            "region": rng.choice(REGIONS, rows),
            "union": (rng.random(rows) < 0.3).astype(int),
        }
    )
    of_region = frame["region"].map({"n": 0.0, "e": 2.0, "s": -1.0, "w": 4.0})
    of_union = frame["union"] * (3 + 0.2 * frame["school"])
    frame["wage"] = 5 + 2 * frame["school"] + 0.3 * frame["age"] + of_region + of_union + rng.normal(0, 4, rows)
    return frame


def declared(*columns: str, region: bool = True) -> dict[str, Any]:
    """What a question is told of these columns."""
    sorts = {"categories": {"region": REGIONS}} if region else {}
    return {"bounds": {column: BOUNDS[column] for column in columns}, **sorts}


def protected(frame: pd.DataFrame, rho: float = 1e12) -> pd.DataFrame:
    return pdp.Session(rho=rho).protect(frame)


def by_hand(frame: pd.DataFrame, *columns: Any) -> np.ndarray:
    """Least squares of the wage without privacy, on these columns."""
    return np.linalg.lstsq(
        np.column_stack([np.asarray(each, dtype=float) for each in columns]), frame["wage"], rcond=None
    )[0]
