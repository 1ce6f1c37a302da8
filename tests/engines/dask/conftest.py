"""Farms in partitions of Dask, and the same farms in memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import dask
import dask.dataframe as dd
import pandas as pd
import pytest

import pandas_dp as pdp
from tests.engines.scan.conftest import GENEROUS, Farms, farms


@pytest.fixture(autouse=True)
def _one_after_another() -> Iterator[None]:
    with dask.config.set(scheduler="synchronous"):
        yield


@pytest.fixture
def table() -> pd.DataFrame:
    return farms()


@pytest.fixture
def session() -> Iterator[pdp.Session]:
    """Answers are as good as exact."""
    opened = pdp.Session(schema=Farms, name="generous", **GENEROUS)
    yield opened
    opened.close()


@pytest.fixture
def plain(table: pd.DataFrame) -> Any:
    """In parts of different sizes, not protected."""
    return dd.concat([dd.from_pandas(table[:500], npartitions=3), dd.from_pandas(table[500:], npartitions=2)])


@pytest.fixture
def ddf(session: pdp.Session, plain: Any) -> Any:
    return session.protect(plain)


@pytest.fixture
def whole(table: pd.DataFrame) -> Iterator[pd.DataFrame]:
    """The same farms as a protected frame, of a session of its own."""
    opened = pdp.Session(schema=Farms, name="in memory", **GENEROUS)
    yield opened.protect(table)
    opened.close()
