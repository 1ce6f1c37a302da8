"""People whom the tests of sessions, questions and releases ask about, and sessions to ask in."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Generator, Iterator
from contextlib import nullcontext
from typing import Any

import numpy as np
import pandas as pd
import pandera.pandas as pa
import pytest
from hypothesis import HealthCheck, settings

import pandas_dp as pdp
from pandas_dp.core.engine.rows import PandasRows
from pandas_dp.core.protect import session_lookup

from . import refusals, same_each_run
from .engines.parts import ENGINES

if pd.__version__.startswith("2."):
    pd.set_option("mode.copy_on_write", True)  # as `protect` asks for; from pandas 3 there is nothing else

settings.register_profile(  # the same examples in every run, and none too slow where the machine is
    "fixed", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("fixed")

GENEROUS = {"epsilon": 10**13, "delta": 1e-6, "per_query": 0.001}  # noise moves no digit that a test looks at


COMPLETE = {"dp": {"complete": True}}  # of a column with a value in every row, of which everyone knows it


class People(pa.DataFrameModel):
    """What anyone may know of a person."""

    sex: str = pa.Field(isin=["f", "m"])
    region: str = pa.Field(isin=["north", "south", "west"])
    age: int = pa.Field(ge=0, le=100, metadata=COMPLETE)
    income: float = pa.Field(ge=0, le=500_000, metadata=COMPLETE)
    member: bool = pa.Field(metadata=COMPLETE)
    born: pd.Timestamp = pa.Field(ge=pd.Timestamp("1900-01-01"), le=pd.Timestamp("2020-12-31"), metadata=COMPLETE)
    wait: pd.Timedelta = pa.Field(ge=pd.Timedelta(0), le=pd.Timedelta("24h"), metadata=COMPLETE)
    visits: pd.Int64Dtype = pa.Field(ge=0, le=50, nullable=True)
    note: str
    free: float


ENGINE = os.environ.get("PANDAS_DP_ENGINE")


@pytest.fixture(autouse=ENGINE in ENGINES)
def rows_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every test again with rows in parts: PANDAS_DP_ENGINE=split; scan, as Arrow's batches; dask, as its tasks."""
    monkeypatch.setattr(PandasRows, "engine", ENGINES[str(ENGINE)])


@pytest.fixture
def schema() -> type[pa.DataFrameModel]:
    return People


@pytest.fixture
def table() -> Callable[..., pd.DataFrame]:
    """People, as many as asked for; other seeds are other people."""

    def make(rows: int = 401, seed: int = 0) -> pd.DataFrame:
        r = np.random.default_rng(seed)
        return pd.DataFrame(
            {
                "sex": r.choice(["f", "m"], rows),
                "region": r.choice(["north", "south", "west"], rows),
                "age": r.integers(0, 101, rows),
                "income": r.integers(0, 500_000, rows) * 1.0,
                "member": r.random(rows) < 0.3,
                "born": pd.Timestamp("1950-01-01") + pd.to_timedelta(r.integers(0, 20_000, rows), "D"),
                "wait": pd.to_timedelta(r.integers(0, 1_440, rows), "min"),
                "visits": pd.array(r.integers(0, 51, rows), dtype="Int64"),
                "note": [f"note {number}" for number in r.integers(0, 1_000, rows)],
                "free": r.normal(size=rows),
            }
        )

    return make


@pytest.fixture
def session() -> Iterator[pdp.Session]:
    """A session in which answers are as good as exact."""
    opened = pdp.Session(schema=People, name="generous", **GENEROUS)
    yield opened
    opened.close()


@pytest.fixture
def people(session: pdp.Session, table: Callable[..., pd.DataFrame]) -> pd.DataFrame:
    return session.protect(table())


@pytest.fixture(autouse=True)
def _no_session_stays_active() -> Iterator[None]:
    yield
    session_lookup._activated.clear()
    session_lookup._entered.set(())


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, Any, Any]:
    """What a test draws is the same in every run."""
    is_off = same_each_run.IS_OFF or item.get_closest_marker("new_noise")
    with nullcontext() if is_off else same_each_run.drawn_from(item.nodeid):
        return (yield)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Generator[None, Any, Any]:
    """Nor does what a file of tests draws while it is imported."""
    of_file = isinstance(collector, pytest.Module) and not same_each_run.IS_OFF
    with same_each_run.drawn_from(collector.nodeid) if of_file else nullcontext():
        return (yield)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_fixture_setup(fixturedef: Any) -> Generator[None, Any, Any]:
    """What tests share does not depend on which of them comes first."""
    shared = fixturedef.scope != "function" and not same_each_run.IS_OFF
    name = f"{fixturedef.baseid}::{fixturedef.argname}"
    with same_each_run.drawn_from(name) if shared else nullcontext():
        return (yield)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Write the sentences that this run has seen, if it was asked to (`make refusals`)."""
    if not refusals.REWRITING:
        return
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["refusals"] = refusals.seen
    else:
        option = session.config.option
        is_part = option.keyword or option.markexpr or any("::" in each for each in session.config.args)
        refusals.rewrite(bool(is_part or session.testsfailed))


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """What a worker has seen."""
    if refusals.REWRITING:
        refusals.seen.update(getattr(node, "workeroutput", {}).get("refusals", {}))


MANY = 24  # cases of a function; of more the quick tests take one in four
EVERY = dict.fromkeys(
    ("test_silence", "test_farthest_neighbours", "test_probabilities", "test_one_odd_value", "test_smooth"), 8
)
EVERY |= dict.fromkeys(("test_private_scales", "test_private_silence", "test_arguments_that_hold_data"), 8)
EVERY |= {"test_extremes": 8, "test_paid_and_answered": 16, "test_refusals": 1}  # however many there are
EVERY |= dict.fromkeys(("test_accountants", "test_spending", "test_privacy", "test_bad_input", "test_clusters"), 4)
EVERY |= dict.fromkeys(("test_adjusted", "test_margins", "test_shares", "test_possible_ends", "test_decided"), 4)
EVERY |= dict.fromkeys(("test_free_squares", "test_swings", "test_contrast", "test_noisy_tables"), 4)
EVERY |= dict.fromkeys(("test_rows_near_rank", "test_rounded", "test_per_person", "test_measured_bins"), 4)
EVERY |= dict.fromkeys(("test_intervals", "test_coverage_at_bounds", "test_synthesis", "test_synthesize"), 4)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Of what runs over many cases the quick tests take some; `further` are the others.

    Names alone decide which: the same in every run, in whatever order and folder the tests are.
    """
    cases: dict[tuple[str, str], list[pytest.Item]] = {}
    for item in items:
        if hasattr(item, "callspec"):
            cases.setdefault((item.path.stem, item.name.split("[")[0]), []).append(item)
    for (file, _), each in cases.items():
        every = EVERY.get(file, 4 if len(each) > MANY else 1)
        each.sort(key=lambda item: hashlib.sha256(f"{item.path.stem}::{item.name}".encode()).digest())
        for item in each[-(-len(each) // every) :]:
            item.add_marker("further")
