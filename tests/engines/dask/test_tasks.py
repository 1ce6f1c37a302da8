"""The graph of a pass: tasks that show nothing, change nothing that they were given, and say no word of what fails."""

from __future__ import annotations

import logging
import pickle
import re
from functools import partial
from typing import Any
from unittest import mock

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pandas_dp as pdp
from pandas_dp.core.engine.fold import Part, fold_of
from pandas_dp.core.engine.rows import silence
from pandas_dp.engines.dask.collection import Partition, read_some
from pandas_dp.engines.dask.tasks import A_THREAD, LostError, Sealed, Tasks, done
from pandas_dp.engines.scan.scan import NumberOfRows, Pass, Scanned, merged
from pandas_dp.numeric.measure import Counts
from tests.engines.scan.conftest import GENEROUS, Farms, farms

from .conftest import dask, dd

SECRET = 7.771253e-20  # which no time and no size in a log can look like


def pieces(sizes: list[int]) -> list[Partition]:
    from dask._task_spec import DataNode

    return [Partition({"x": DataNode("x", pd.DataFrame({"x": np.zeros(size)}))}, "x", ()) for size in sizes]


def graph_of(folds: list[Any], partitions: list[Partition], says_why: bool = False) -> tuple[Tasks, str]:
    """A pass of one table, and the key of its end."""
    passes = [Pass(Scanned(None, NumberOfRows()), folds)]  # type: ignore[arg-type]
    tasks = Tasks(says_why, {})
    level = tasks.reading(partitions, lambda some, keys: partial(read_some, passes, some, keys))
    return tasks, tasks.merged(partial(merged, passes), level)


@given(st.lists(st.integers(0, 5), min_size=1, max_size=40), st.integers(1, 9))
def test_every_partition_goes_into_the_root_once(sizes: list[int], threads: int) -> None:
    fold = fold_of(Counts())
    with mock.patch.object(dask.system, "CPU_COUNT", threads), dask.config.set(scheduler="synchronous"):
        tasks, root = graph_of([fold], pieces(sizes))
        (partials, rows), _ = tasks.found(root)
    assert rows == sum(sizes) == fold.finish(partials[0][0]).item()
    given_on = [key for task in tasks.graph.values() for key in task.dependencies]
    assert len(set(given_on)) == len(given_on), "a partial is merged once"
    assert set(given_on) == set(tasks.graph) - {root}
    assert sum(not task.dependencies for task in tasks.graph.values()) <= A_THREAD * threads


def test_keys_are_random_and_say_nothing() -> None:
    graphs = [graph_of([], pieces([1, 1, 1]))[0].graph for _ in range(2)]
    assert all(re.fullmatch("dp-[0-9a-f]{16}", key) for graph in graphs for key in graph)
    assert not set(graphs[0]) & set(graphs[1])


def test_no_text_of_a_task_holds_rows_or_questions() -> None:
    secret = pd.DataFrame({"x": [SECRET]})
    graph = graph_of([fold_of(Counts())], [Partition({"x": secret}, "x", ())])[0].graph
    texts = [repr(graph), *map(str, graph.values()), *(repr(task.args) for task in graph.values())]
    texts += [repr(each) for each in (Sealed(([[np.array([SECRET])]], 1)), Sealed(LostError(SECRET)), Sealed(secret))]
    assert not [text for text in texts if str(SECRET) in text or "Counts" in text]


def test_a_task_begins_anew_where_it_fails_and_counts_nothing_twice() -> None:
    class Stumbles:
        worth_two = 0.0

        def __init__(self) -> None:
            self.merges = 0

        def read(self, part: Part) -> Any:
            return np.array([part.rows])

        def merge(self, one: Any, other: Any) -> Any:
            self.merges += 1
            if self.merges in (2, 5):
                raise OSError(str(SECRET))
            return one + other

    fold = Stumbles()
    tasks, root = graph_of([fold], pieces([1] * 9))
    (partials, rows), _ = tasks.found(root)
    assert (rows, partials[0][0].tolist()) == (9, [9])
    assert fold.merges > 8


@pytest.mark.parametrize("kind", [ValueError, MemoryError, SystemExit, RecursionError])
def test_what_fails_for_good_is_lost_without_a_word(kind: type[BaseException]) -> None:
    class Fails:
        worth_two = 0.0

        def read(self, part: Part) -> Any:
            raise kind(f"cannot convert {SECRET}")

    for says_why in (False, True):
        tasks, root = graph_of([Fails()], pieces([1, 1]), says_why)
        with pytest.raises(LostError) as caught:
            tasks.found(root)
        assert (str(SECRET) in str(caught.value)) is says_why
        assert caught.value.__context__ is None
    assert isinstance(done(False, Sealed(max), Sealed(([], 1)), Sealed(LostError())).open(), LostError)


def test_functions_that_were_typed_here_travel() -> None:
    sealed = pickle.loads(pickle.dumps(Sealed(lambda x: x + 1)))
    assert sealed.open()(1) == 2
    assert pickle.loads(pickle.dumps(sealed)).open()(1) == 2


def fails_of_a_value(rows: pd.DataFrame) -> pd.DataFrame:
    if (rows["size"] == SECRET).any():
        raise ValueError(f"cannot convert {SECRET}")
    return rows


def test_a_value_that_raises_loses_the_answer_and_is_named_nowhere(
    caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    table = pd.DataFrame({"size": [1.0, SECRET, 3.0, 4.0]})
    with pdp.Session(schema=Farms, **GENEROUS) as session, caplog.at_level(logging.DEBUG):
        ddf = session.protect(dd.from_pandas(table, npartitions=2))
        for scheduler in ("synchronous", "threads"):
            with dask.config.set(scheduler=scheduler), pytest.raises(pdp.errors.AnswerLost) as caught:
                ddf.map(fails_of_a_value)["size"].dp.mean(bounds=(0, 8))
            assert caught.value.__cause__ is caught.value.__context__ is None
        assert len(session.ledger) == 2, "the charge stands"
        assert ddf["size"].dp.count()["count"].item() == 4
    assert str(SECRET) not in caplog.text
    assert str(SECRET) not in "".join(capfd.readouterr())


def test_a_custodian_is_shown_why() -> None:
    with pdp.Session(schema=Farms, custodian=True, **GENEROUS) as session:
        ddf = session.protect(dd.from_pandas(pd.DataFrame({"size": [1.0, SECRET]}), npartitions=2))
        with pytest.raises(pdp.errors.AnswerLost) as caught:
            ddf.map(fails_of_a_value)["size"].dp.mean(bounds=(0, 8))
        assert str(SECRET) in str(caught.value.__cause__)


def test_rows_that_cannot_be_counted_are_refused_without_a_word() -> None:
    def read(_: int) -> pd.DataFrame:
        raise ValueError(f"cannot read {SECRET}")

    rows = dd.from_map(read, [0, 1], meta=farms(1)[:0])
    with pdp.Session(epsilon=1) as session:
        with pytest.raises(pdp.errors.NotProtected) as caught:
            session.protect(rows)
        assert caught.value.__cause__ is caught.value.__context__ is None
        assert str(SECRET) not in str(caught.value)
        assert not session._core.has_protected
    with pdp.Session(epsilon=1, custodian=True) as session:
        with pytest.raises(pdp.errors.NotProtected) as caught:
            session.protect(rows)
        assert str(SECRET) in str(caught.value.__cause__)


def test_other_rows_in_a_later_pass_lose_the_answer_and_the_collection() -> None:
    many = [50]
    rows = dd.from_map(lambda seed: farms(many[0], seed), [0, 1], meta=farms(1)[:0])
    with pdp.Session(schema=Farms, neighbours="add_remove", **GENEROUS) as session:
        ddf = session.protect(rows)
        ddf["size"].dp.mean()
        many[0] = 49
        with pytest.raises(pdp.errors.AnswerLost):
            ddf["size"].dp.mean()
        with pytest.raises(pdp.errors.NotProtected):
            ddf["size"].dp.mean()


def test_warnings_are_silent_in_every_thread() -> None:
    import threading
    import warnings

    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")

        def work() -> None:
            for _ in range(50):
                with silence():
                    warnings.warn(str(SECRET), stacklevel=1)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        warnings.warn("heard", stacklevel=1)
    assert [str(each.message) for each in seen] == ["heard"]


def test_no_more_tasks_than_partitions() -> None:
    assert len(graph_of([], pieces([1]))[0].graph) == 1
