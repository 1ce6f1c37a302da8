"""Visits of people, and what is declared of them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pandera.pandas as pa


class Visits(pa.DataFrameModel):
    """Visits of people: a column of each kind."""

    pid: int
    x: float = pa.Field(ge=0, le=100, nullable=True)
    n: int = pa.Field(ge=0, le=20)
    k: str = pa.Field(isin=["a", "b", "c"])
    t: pd.Timestamp = pa.Field(ge=pd.Timestamp("2024-01-01"), le=pd.Timestamp("2024-03-31"))
    s: str


def visits(rows: int = 40, seed: int = 0) -> pd.DataFrame:
    r = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "pid": r.integers(0, 9, rows),
            "x": np.where(r.random(rows) < 0.2, np.nan, r.uniform(0, 100, rows)),
            "n": r.integers(0, 21, rows),
            "k": r.choice(["a", "b", "c"], rows),
            "t": pd.Timestamp("2024-01-01") + pd.to_timedelta(r.integers(0, 5, rows), "D"),
            "s": r.choice(["p", "p q"], rows),
        }
    )
