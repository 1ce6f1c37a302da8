"""Terms of each kind of cap, and a database server where there is one."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from itertools import count

import pytest

from pandas_dp.core.budget.cost import Cost, parse
from pandas_dp.core.budget.periods import Terms
from pandas_dp.core.budget.postgres import create_ledger

from .server import NEEDED, Server, programs

CAPS = [{"epsilon": 3}, {"rho": 0.5}, {"epsilon": 3, "delta": 1e-6}]


@pytest.fixture
def terms_for() -> Callable[..., Terms]:
    def make(**keywords: float) -> Terms:
        cap = parse(**keywords)
        assert isinstance(cap, Cost)
        return Terms(cap=cap, neighbours="replace", models=("dp", "idp"))

    return make


@pytest.fixture(params=CAPS, ids=lambda cap: "-".join(cap))
def terms(request: pytest.FixtureRequest, terms_for: Callable[..., Terms]) -> Terms:
    return terms_for(**request.param)


_names = count()


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """One for all tests of this process, with the tables for ledgers in it."""
    found = programs()
    if found is None:
        assert not os.environ.get(NEEDED), "no PostgreSQL server is installed, and this run needs one"
        pytest.skip("no PostgreSQL server is installed (Debian: postgresql)")
    made = Server.make(found)
    try:
        create_ledger(made.address())
        yield made
    finally:
        made.remove()


@pytest.fixture
def address(server: Server) -> str:
    """Of a ledger that nobody has opened."""
    return server.address(f"survey {next(_names)}")
