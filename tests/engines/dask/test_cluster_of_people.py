"""People on a cluster of two processes: rows are moved, workers are killed, and no id is said anywhere."""

from __future__ import annotations

import os
import signal
from functools import partial
from pathlib import Path
from typing import Any

import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from distributed import Client, LocalCluster

import pandas_dp as pdp
from tests.people.conftest import no_other_sessions
from tests.refusals import refused

from .test_cluster import (
    PATIENT,
    WAIT,
    _nothing_of_a_cluster_is_left_for_other_tests,
    cluster,
    draws,
    kill_who_says_so,
    workers,
)
from .test_cluster import pytestmark as of_clusters
from .test_cluster import read as read_or_wait

__all__ = ["_nothing_of_a_cluster_is_left_for_other_tests", "cluster", "draws", "no_other_sessions", "workers"]

pytestmark = [*of_clusters, pytest.mark.usefixtures("no_other_sessions")]
SECRET = "id-7770125"


def visits(seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    ids = np.array([f"id-{each}" for each in range(30)] + [SECRET], object)
    return pd.DataFrame({"person": ids[rng.integers(0, 31, 40)], "cost": rng.integers(0, 100, 40).astype(float)})


def read(seed: int, stops: str) -> pd.DataFrame:
    read_or_wait(seed, stops)
    return visits(seed)


def rows(path: Path) -> Any:
    meta = visits(0)[:0].astype({"person": "string"})
    return dd.from_map(partial(read, stops=str(path)), range(8), meta=meta)


def opened() -> pdp.Session:
    return pdp.Session(epsilon=10**6, unit="person")


def said_by(cluster: Client) -> str:
    said = [*cluster.get_worker_logs().values(), cluster.get_scheduler_logs(), cluster.get_events()]
    said += [cluster.run_on_scheduler(lambda dask_scheduler: [repr(each) for each in dask_scheduler.transition_log])]
    said += [cluster.run_on_scheduler(lambda dask_scheduler: [*map(repr, dask_scheduler.tasks.values())])]
    return repr(said)


def test_a_worker_that_is_killed_while_rows_move_or_later_changes_nothing(
    cluster: Client, tmp_path: Path, draws: list[int]
) -> None:
    path = tmp_path / "stops"
    whole = pd.concat([visits(seed) for seed in range(8)])
    sums = whole.groupby("person")["cost"].sum()
    with opened() as session:
        killer = kill_who_says_so(path)
        ddf = session.protect(rows(path))
        killer.join()
        assert path.exists()
        assert len(session.ledger) == 0
        found = ddf["cost"].dp.sum(per_person=(0, 700))
        assert found["sum"].item() == pytest.approx(sums.clip(0, 700).sum(), abs=0.1)
        os.kill(min(cluster.run(os.getpid).values()), signal.SIGKILL)  # with the parts that it holds
        people = ddf[ddf["cost"] > 50].dp.per_person(n="size")
        exact = whole[whole["cost"] > 50].groupby("person").size().sum()
        assert people["n"].dp.sum(bounds=(0, 100))["sum"].item() == pytest.approx(exact, abs=0.1)
        assert (len(session.ledger), len(draws)) == (2, 2)
    said = said_by(cluster)
    assert SECRET not in said
    assert "person" not in said


def test_rows_of_a_cluster_that_is_closed_are_refused_before_anything_is_paid() -> None:
    with (
        dask.config.set(PATIENT),
        LocalCluster(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=":0") as made,
        opened() as session,
    ):
        with Client(made, timeout=WAIT) as client, dask.config.set(scheduler=client):
            ddf = session.protect(dd.from_pandas(visits(1), npartitions=3))
            assert ddf["person"].dp.nunique() is not None
        with refused(pdp.errors.NotProtected):
            ddf["person"].dp.nunique()
        assert len(session.ledger) == 1
