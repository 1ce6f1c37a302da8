"""The law of folds, for all that questions run: read(A + B) = merge(read(A), read(B)), in any order, with empty parts,
and no partial is changed; and each engine answers as one pass over all rows in memory does.

Some forty questions stand for all: together they run every kind of fold there is, which a test holds to.
"""

from __future__ import annotations

import importlib
import inspect
import pickle
import pkgutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from random import Random
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pandas_dp.audit import zero_noise
from pandas_dp.core import engine
from pandas_dp.core.engine.fold import Fold, Part, fold_of
from pandas_dp.core.engine.rows import InMemory, PandasRows
from pandas_dp.core.lazy_import import modules_of
from pandas_dp.keys.measure import Occurred
from pandas_dp.numeric.fold_bootstrap import EveryCode
from tests.contracts.questions import QUESTIONS, TABLES, Ask, normal, open_session
from tests.contracts.test_farthest_neighbours import MEASUREMENTS
from tests.same_each_run import chosen

from ...engines.parts import ENGINES, by_people, sent
from .test_folds import plain

STRANGE: dict[str, Any] = {"epsilon": 1, "model": "idp"}
TEXTS: dict[str, Any] = {"categories": "unknown", "epsilon": 1, "delta": 1e-7}
OF_ROWS: dict[str, Ask] = {
    **{
        name: QUESTIONS[name]
        for name in (
            *("Series.count of text", "Series.sum huge", "Series.mean nullable", "Series.share", "Series.cdf nullable"),
            *("Series.std of times", "Series.median huge", "Series.max smooth", "Series.iqr", "Series.nunique"),
            *("Series.mean in chosen bounds, nullable", "Series.choose_bounds nullable", "Series.location nullable"),
            *("Series.trimmed_mean", "Series.describe public", "Series.histogram nullable", "Series.value_counts"),
            *("Series.mean weighted, laplace", "Series.share weighted", "Series.histogram of blocks"),
            *("DataFrame.crosstab other", "DataFrame.marginals by effects", "DataFrame.marginals of runs"),
            *("DataFrame.marginals of means", "DataFrame.naive_bayes", "DataFrame.kmeans", "DataFrame.distance"),
            *("DataFrame.choose", "DataFrame.ratio weighted", "DataFrame.cov nullable", "DataFrame.logit"),
            *("DataFrame.poisson", "DataFrame.ols of two stages", "DataFrame.moments of hats", "DataFrame.t_test"),
            *("DataFrame.rank_test of several", "DataFrame.survival", "DataFrame.gaps", "DataFrame.gam_classifier"),
            *("groupby.median", "groupby.nunique", "groupby.agg named", "groupby.ols pooled", "groupby.ratio"),
        )
    },
    "Series.max of strangers": lambda f: f["y"].dp.max(nth=2, **STRANGE),
    "Series.iqr of strangers": lambda f: f["x"].dp.iqr(group=3, **STRANGE),
    "Series.describe of strangers": lambda f: f["z"].dp.describe(**STRANGE),
    "DataFrame.ks_test": lambda f: f.dp.ks_test("x", by="flag", rho=1),
    "Series.value_counts unknown": lambda f: f["text"].dp.value_counts(**TEXTS),
    "Series.mean of half samples": lambda f: f["x"].dp.mean(bootstrap=4, resample="half-sample", epsilon=1, delta=1e-7),
    "Series.std of replicates": lambda f: f["x"].dp.std(bootstrap=4, resample="multinomial", epsilon=1, delta=1e-7),
}
OF_PEOPLE: dict[str, Ask] = {
    "count": lambda f: f["y"].dp.count(max_rows=2, epsilon=1),
    "means": lambda f: f.dp.groupby("k")["x"].mean(max_rows=2, rho=1),
    "median": lambda f: f.dp.groupby("k")["x"].median(max_rows=2, rho=1),
    "quantiles": lambda f: f["x"].dp.quantile([0.2, 0.5], max_rows=2, rho=1),
    "counts of people": lambda f: f["k"].dp.value_counts(count="people", max_cells=2, rho=1),
    "different values": lambda f: f["k"].dp.nunique(max_values=2, epsilon=1),
    "sums of people": lambda f: f["x"].dp.sum(per_person=(0, 30), epsilon=1),
    "sums of people in groups": lambda f: f.dp.groupby("k")["x"].sum(per_person=(0, 30), max_cells=2, rho=1),
    "moments": lambda f: f.dp.moments(["x", "z"], max_rows=2, rho=1),
    "logit": lambda f: f.dp.logit("flag", ["z"], max_rows=2, rho=1),
}


@contextmanager
def rows_read_by(engine: Any) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(PandasRows, "engine", engine)
        yield


def table_of(people: bool, rows: int = 40) -> pd.DataFrame:
    return normal(rows).assign(who=np.arange(rows) // 2) if people else normal(rows)


def exact(name: str, people: bool, engine: Any) -> pd.DataFrame:
    """What is released without noise, of half of the questions about a cut of the table."""
    session = open_session(delta=1e-6, **({"unit": "who"} if people else {"models": ["dp", "idp"]}))
    frame = session.protect(table_of(people))
    if chosen([False, True], name) == [True]:
        frame = frame[frame["x"] > 3]
        frame = frame if people else session.vouch(pd.concat([frame, frame]), because="each row counts once")
    with rows_read_by(engine), zero_noise():
        found = (OF_PEOPLE if people else OF_ROWS)[name](frame)
    session.close()
    return pd.DataFrame(found)


def run_by(name: str, people: bool, reads_anew: bool = False) -> list[Fold[Any, Any]]:
    """The folds that a question runs."""
    found: dict[Any, None] = {}

    class Seen(InMemory):
        def run(self, folds: Sequence[Fold[Any, Any]]) -> list[Any]:
            found.update(dict.fromkeys(folds))
            return super().run(folds)

    Seen.reads_anew = reads_anew
    exact(name, people, Seen)
    return list(found)


ASKED = [pytest.param(name, people, id=name) for people in (False, True) for name in (OF_PEOPLE if people else OF_ROWS)]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("name", "people"), ASKED)
def test_each_engine_answers_as_one_pass_in_memory(name: str, people: bool, engine: str) -> None:
    of_sample = "half" in name or "replicates" in name  # each engine draws samples of its own
    found, want = exact(name, people, ENGINES[engine]), exact(name, people, InMemory)
    if of_sample:
        found, want = found.iloc[:0], want.iloc[:0]
    pd.testing.assert_frame_equal(found, want, check_exact=True)


def keeps_the_law(fold: Fold[Any, Any], whole: Part, random: Random) -> None:
    """Merged by some tree, of partials that travelled, cannot be written to and stay as they were."""
    if whole.person is not None:
        parts = by_people(whole, random.randint(2, 4))
    else:
        parts = whole.cut(*sorted(random.randint(0, whole.rows) for _ in range(random.randint(1, 4))))
    partials = [sent(fold.read(part)) for part in parts]
    while len(partials) > 1:
        one, other = (partials.pop(random.randrange(len(partials))) for _ in range(2))
        before = pickle.dumps((one, other))
        partials.append(sent(fold.merge(one, other)))
        assert pickle.dumps((one, other)) == before
    assert told(fold.finish(partials[0]), fold) == told(fold.finish(fold.read(whole)), fold), fold


def told(found: Any, fold: Fold[Any, Any]) -> Any:
    """To be compared; codes and keys are found in no order."""
    if isinstance(found, Occurred):
        keys = map(str, found.named(np.arange(len(found.keys))))
        return sorted(zip(keys, found.weights.tolist(), strict=True)), found.rows
    return sorted(plain(found)) if isinstance(fold, EveryCode) else plain(found)


@pytest.mark.parametrize(("name", "people"), ASKED)
def test_folds_of_a_question_find_alike_whatever_the_cut_order_and_tree(name: str, people: bool) -> None:
    folds = run_by(name, people)

    @settings(max_examples=10)
    @given(
        st.sampled_from(["normal", "gaps", "arrow", "mixed 0", "categorical"]),
        st.lists(st.integers(0, 11), max_size=10),
        st.integers(0, 10**6),
    )
    def law(table: str, places: list[int], seed: int) -> None:
        random, rows = Random(seed), TABLES[table]().assign(who=0).iloc[places]
        owner = np.array([random.randrange(-1, 4) for _ in places], np.int32)
        kept = random.choice([None, owner >= 0])
        for fold in folds:
            keeps_the_law(fold, Part.of_people(rows, owner, 4) if people else Part.whole(rows, kept), random)

    law()


@pytest.mark.parametrize(
    "kind",
    sorted(
        {type(measurement) for measurement in MEASUREMENTS if hasattr(measurement, "fold")},
        key=lambda kind: kind.__name__,
    ),
)
def test_folds_of_each_kind_of_tally_find_alike(kind: type) -> None:
    """Of the rows with which the contracts try it."""
    random = Random(kind.__name__)
    asked = sorted((measurement for measurement in MEASUREMENTS if type(measurement) is kind), key=repr)
    for measurement in random.sample(asked, min(len(asked), 4)):
        rows = MEASUREMENTS[measurement][0].universe.rows
        for size in (0, 3, 20):
            drawn = rows.iloc[[random.randrange(len(rows)) for _ in range(size)]]
            keeps_the_law(fold_of(measurement), Part.whole(drawn, None), random)


def modules_in(package: ModuleType) -> Iterator[ModuleType]:
    return (
        importlib.import_module(f"{package.__name__}.{each.name}") for each in pkgutil.iter_modules(package.__path__)
    )


def test_these_questions_run_every_kind_of_fold_there_is() -> None:
    offered = {
        each
        for module in (*modules_of("fold"), *modules_in(engine))
        for _, each in inspect.getmembers(module, inspect.isclass)
        if each.__module__ == module.__name__
        and all(hasattr(each, act) for act in ("read", "merge", "finish"))
        and not getattr(each, "_is_protocol", False)
    }
    run = {
        type(fold)
        for people, names in ((False, OF_ROWS), (True, OF_PEOPLE))
        for name in names
        for anew in (False, True)
        for fold in run_by(name, people, anew)
    }
    assert offered == run
