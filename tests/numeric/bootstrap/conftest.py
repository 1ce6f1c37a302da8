"""A table of numbers whose sampling error is known."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
import pandera.pandas as pa
import pytest

import pandas_dp as pdp
from tests.conftest import COMPLETE

SCHEMA = pa.DataFrameSchema(
    {
        "age": pa.Column(float, pa.Check.in_range(0, 100), metadata=COMPLETE),
        "children": pa.Column(int, pa.Check.in_range(0, 12), metadata=COMPLETE),
        "member": pa.Column(bool, metadata=COMPLETE),
        "sex": pa.Column(str, pa.Check.isin(["f", "m"])),
        "gap": pa.Column(float, pa.Check.in_range(0, 1)),
    }
)


@pytest.fixture
def protect() -> Callable[..., pd.DataFrame]:
    def made(rows: int = 500, **cap: float) -> pd.DataFrame:
        r = np.random.default_rng(rows)
        table = pd.DataFrame(
            {
                "age": r.gamma(4, 9, rows).clip(0, 100),
                "children": r.poisson(1.7, rows),
                "member": r.random(rows) < 0.3,
                "sex": r.choice(["f", "m"], rows),
                "gap": np.where(r.random(rows) < 0.1, np.nan, r.random(rows)),
            }
        )
        return pdp.Session(schema=SCHEMA, **(cap or {"epsilon": 1e7, "delta": 1e-3})).protect(table)

    return made
