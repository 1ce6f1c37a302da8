"""Farms in files, and the same farms in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest
from pandera.pandas import DataFrameModel, Field

import pandas_dp as pdp
from tests.conftest import COMPLETE

CROPS = ["rice", "Rye", "öats"]
GENEROUS = {"epsilon": 10**13, "delta": 1e-6, "per_query": 0.001}  # noise moves no digit that a test looks at


class Farms(DataFrameModel):
    """What anyone may know of a farm."""

    size: float = Field(ge=0, le=8, metadata=COMPLETE)
    goats: int = Field(ge=0, le=100, metadata=COMPLETE)
    crop: str = Field(isin=CROPS)
    owned: bool = Field(metadata=COMPLETE)
    sown: pd.Timestamp = Field(ge=pd.Timestamp("2020-01-01"), le=pd.Timestamp("2030-12-31"), metadata=COMPLETE)
    wait: pd.Timedelta = Field(ge=pd.Timedelta(0), le=pd.Timedelta("24h"), metadata=COMPLETE)
    gap: float = Field(ge=0, le=8)
    note: str


def farms(rows: int = 900, seed: int = 0) -> pd.DataFrame:
    """Made up."""
    r = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "size": r.integers(0, 1000, rows) / 128,
            "goats": r.integers(0, 101, rows),
            "crop": r.choice(CROPS, rows),
            "owned": r.random(rows) < 0.3,
            "sown": pd.Timestamp("2024-01-01") + pd.to_timedelta(r.integers(0, 1_000_000, rows), "min"),
            "wait": pd.to_timedelta(r.integers(0, 1_440, rows), "min"),
            "gap": np.where(r.random(rows) < 0.2, np.nan, r.integers(0, 1000, rows) / 128),
            "note": [f"note {number}" for number in r.integers(0, 50, rows)],
        }
    )


@pytest.fixture
def table() -> pd.DataFrame:
    return farms()


@pytest.fixture
def folder(tmp_path: Path, table: pd.DataFrame) -> Path:
    """Three files of two row groups and more."""
    for number, rows in enumerate((slice(0, 300), slice(300, 301), slice(301, None))):
        made = pa.Table.from_pandas(table[rows], preserve_index=False)
        parquet.write_table(made, tmp_path / f"part{number}.parquet", row_group_size=200)
    return tmp_path


@pytest.fixture
def session() -> Iterator[pdp.Session]:
    """Answers are as good as exact."""
    opened = pdp.Session(schema=Farms, name="generous", **GENEROUS)
    yield opened
    opened.close()


@pytest.fixture
def scanned(session: pdp.Session, folder: Path) -> Any:
    return session.scan(str(folder / "*.parquet"))


@pytest.fixture
def whole(table: pd.DataFrame) -> Iterator[pd.DataFrame]:
    """The same farms as a protected frame, of a session of its own."""
    opened = pdp.Session(schema=Farms, name="in memory", **GENEROUS)
    yield opened.protect(table)
    opened.close()


@pytest.fixture
def written(tmp_path: Path) -> Callable[..., Path]:
    """Writes tables as Parquet files of one folder."""

    def write(**tables: pa.Table) -> Path:
        for name, each in tables.items():
            parquet.write_table(each, tmp_path / f"{name}.parquet")
        return tmp_path

    return write
