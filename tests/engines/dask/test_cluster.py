"""On a cluster of two processes: workers are killed, values make functions raise, and nothing is said or paid twice."""

from __future__ import annotations

import gc
import os
import signal
import threading
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import dask
import dask.dataframe as dd
import pandas as pd
import pytest
from distributed import Client, LocalCluster

import pandas_dp as pdp
from pandas_dp.core.plan import run
from pandas_dp.engines.dask import tasks
from tests.engines.scan.conftest import GENEROUS, Farms, farms
from tests.engines.scan.test_same_answers import numbers

from .test_tasks import SECRET, fails_of_a_value

pytestmark = [  # what a cluster leaves open as it ends says nothing of the answers
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning"),
]
PARTS = 8
PATIENT = {  # a busy machine takes its time
    "distributed.scheduler.allowed-failures": 1,
    "distributed.scheduler.worker-ttl": None,
    "distributed.worker.memory.pause": False,
    "distributed.worker.memory.spill": False,
    "distributed.worker.memory.target": False,
    "distributed.worker.memory.terminate": False,
}
WAIT = 300.0  # seconds at most


@pytest.fixture(autouse=True)
def _nothing_of_a_cluster_is_left_for_other_tests() -> Iterator[None]:
    yield
    gc.collect()


@pytest.fixture
def workers() -> Iterator[Client]:
    with (
        dask.config.set(PATIENT),
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs=False) as made,
        Client(made, timeout=WAIT) as client,
    ):
        client.wait_for_workers(2, timeout=WAIT)
        yield client


@pytest.fixture
def cluster(workers: Client) -> Iterator[Client]:
    with dask.config.set(scheduler="dask.distributed"):  # with a client in its place workers could not start anew
        yield workers


@pytest.fixture
def draws(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """An entry for each noisy answer that this process draws."""
    drawn, add_noise = list[int](), run.add_noise

    def counted(*given: Any) -> Any:
        drawn.append(1)
        return add_noise(*given)

    monkeypatch.setattr(run, "add_noise", counted)
    return drawn


def read(seed: int, stops: str) -> pd.DataFrame:
    """A partition; the first that reads the fifth says who it is, and waits to be killed."""
    if seed == 5 and not os.path.exists(stops):
        Path(stops).write_text(str(os.getpid()))
        time.sleep(WAIT)
    return farms(40, seed)


def rows(path: Path) -> Any:
    return dd.from_map(partial(read, stops=str(path)), range(PARTS), meta=farms(1)[:0])


def all_rows() -> pd.DataFrame:
    return pd.concat([farms(40, seed) for seed in range(PARTS)], ignore_index=True)


def kill_who_says_so(path: Path) -> threading.Thread:
    def work() -> None:
        deadline = time.monotonic() + WAIT
        while (not path.exists() or not path.read_text()) and time.monotonic() < deadline:
            time.sleep(0.05)
        time.sleep(0.5)  # others are done, and hold their partials
        os.kill(int(path.read_text()), signal.SIGKILL)

    made = threading.Thread(target=work)
    made.start()
    return made


def test_a_worker_that_is_killed_changes_nothing(cluster: Client, tmp_path: Path, draws: list[int]) -> None:
    path = tmp_path / "stops"
    with pdp.Session(schema=Farms, **GENEROUS) as session, pdp.Session(schema=Farms, **GENEROUS) as other:
        ddf = session.protect(rows(path), rows=40 * PARTS)
        killer = kill_who_says_so(path)
        found = ddf.dp.groupby("crop")["goats"].sum()
        killer.join()
        assert path.exists()
        assert len(session.ledger) == 1
        assert len(draws) == 1
        want = other.protect(all_rows()).dp.groupby("crop")["goats"].sum()
        assert numbers(found) == numbers(want)
        big = ddf[ddf["size"] > 2]
        assert numbers(big["goats"].dp.sum()) == numbers(other.protect(all_rows().query("size > 2"))["goats"].dp.sum())


def dies(rows: pd.DataFrame) -> pd.DataFrame:
    if len(rows):
        os.kill(os.getpid(), signal.SIGKILL)
    return rows


def test_workers_that_die_of_a_row_lose_the_answer_and_the_charge_stands(cluster: Client, draws: list[int]) -> None:
    with pdp.Session(schema=Farms, **GENEROUS) as session:
        ddf = session.protect(dd.from_pandas(farms(4), npartitions=1))
        with pytest.raises(pdp.errors.AnswerLost) as caught:
            ddf.map(dies)["size"].dp.mean(bounds=(0, 8))
        assert caught.value.__cause__ is caught.value.__context__ is None
        assert (len(session.ledger), len(draws)) == (1, 0)
        assert ddf["size"].dp.count()["count"].item() == 4, "others came in their place"


def test_where_no_worker_is_left_the_answer_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    with (
        dask.config.set(PATIENT),
        LocalCluster(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=":0") as made,
        Client(made, timeout=WAIT) as client,
        dask.config.set(scheduler=client),
        pdp.Session(schema=Farms, **GENEROUS) as session,
    ):
        ddf = session.protect(dd.from_pandas(farms(4), npartitions=2))
        assert ddf["size"].dp.mean() is not None
        monkeypatch.setattr(tasks, "PATIENCE", 1.0)
        made.scale(0)
        while client.nthreads():
            time.sleep(0.05)
        with pytest.raises(pdp.errors.AnswerLost) as caught:
            ddf["size"].dp.mean()
        assert caught.value.__cause__ is None
        assert len(session.ledger) == 2


def test_a_value_that_raises_is_named_by_nobody(cluster: Client) -> None:
    table = pd.DataFrame({"size": [1.0, SECRET, 3.0, 4.0]})
    with pdp.Session(schema=Farms, **GENEROUS) as session:
        ddf = session.protect(dd.from_pandas(table, npartitions=2))
        with pytest.raises(pdp.errors.AnswerLost):
            ddf.map(fails_of_a_value)["size"].dp.mean(bounds=(0, 8))
        assert ddf["size"].dp.sum() is not None
    said = [*cluster.get_worker_logs().values(), cluster.get_scheduler_logs(), cluster.get_events()]
    said += [cluster.run_on_scheduler(lambda dask_scheduler: [repr(each) for each in dask_scheduler.transition_log])]
    said += [cluster.run_on_scheduler(lambda dask_scheduler: [*map(repr, dask_scheduler.tasks.values())])]
    assert str(SECRET) not in repr(said)
    assert "fails_of_a_value" not in repr(said)
    with pytest.raises(ValueError, match=str(SECRET)):
        dd.from_pandas(table, npartitions=2).map_partitions(fails_of_a_value, meta=table[:0]).compute()
    assert str(SECRET) in repr(cluster.get_worker_logs()), "Dask itself would say it"


def test_what_was_persisted_is_read_where_it_is(cluster: Client) -> None:
    with pdp.Session(schema=Farms, **GENEROUS) as session:
        held = dd.from_pandas(farms(), npartitions=5).persist()
        ddf = session.protect(held)
        assert ddf["goats"].dp.sum()["sum"].round().item() == farms()["goats"].sum()
        assert ddf[ddf["size"] > 2]["goats"].dp.sum()["sum"].round().item() == farms().query("size > 2")["goats"].sum()
