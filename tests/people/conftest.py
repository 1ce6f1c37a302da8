"""Patients and their visits, and sessions that hide a patient with all visits."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import pandera.pandas as pa
import pytest

import pandas_dp as pdp
from pandas_dp.core.protect import session_lookup


class Patients(pa.DataFrameModel):
    """One row a person."""

    person_id: int
    sex: str = pa.Field(isin=["f", "m"])
    age: int = pa.Field(ge=0, le=100)


class Visits(pa.DataFrameModel):
    """Any number of rows a person."""

    person_id: int
    ward: str = pa.Field(isin=["a", "b", "c"])
    cost: float = pa.Field(ge=0, le=1_000)
    day: int = pa.Field(ge=0, le=364, nullable=True)


@pytest.fixture
def no_other_sessions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sessions that other tests left open, of the same unit, answer for nothing here."""
    monkeypatch.setattr(session_lookup, "_open", {})


@pytest.fixture
def patients() -> pd.DataFrame:
    rng = np.random.default_rng(4)
    ids = rng.choice(10**6, 300, replace=False)
    return pd.DataFrame({"person_id": ids, "sex": rng.choice(["f", "m"], 300), "age": rng.integers(18, 90, 300)})


@pytest.fixture
def visits(patients: pd.DataFrame) -> pd.DataFrame:
    """Of most patients, in mixed order; some have very many."""
    rng = np.random.default_rng(5)
    many = np.minimum(rng.zipf(1.8, 300), 60) * (rng.random(300) < 0.8)
    ids = rng.permutation(np.repeat(patients["person_id"].to_numpy(), many))
    rows = len(ids)
    return pd.DataFrame(
        {
            "person_id": ids,
            "ward": rng.choice(["a", "b", "c"], rows),
            "cost": rng.exponential(120, rows).round(2),
            "day": rng.integers(0, 365, rows),
        }
    )


@pytest.fixture
def open_session(no_other_sessions: None) -> Iterator[Callable[..., pdp.Session]]:
    """Sessions that end with the test: an index that is named as the unit belongs to the only one that is open."""
    opened: list[pdp.Session] = []

    def open_one(**how: Any) -> pdp.Session:
        opened.append(pdp.Session(**{"epsilon": 10**6, "schema": [Patients, Visits], "unit": "person_id", **how}))
        return opened[-1]

    yield open_one
    for session in opened:
        session.close()


@pytest.fixture
def session(open_session: Callable[..., pdp.Session]) -> pdp.Session:
    return open_session()
