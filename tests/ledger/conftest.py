"""Terms of each kind of cap."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pandas_dp.cost import Cost, parse
from pandas_dp.ledger import Terms

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
