"""`width=` buys an interval of at most that width, at the least cost in three digits, in each kind of session."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from decimal import Decimal
from typing import Any

import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp import errors
from tests.refusals import refused

CAPS: list[dict[str, Any]] = [{"epsilon": 100}, {"rho": 100}, {"epsilon": 100, "delta": 1e-6}]
ASKS: dict[str, Callable[..., pdp.Release]] = {
    "mean": lambda p, **cost: p["age"].dp.mean(**cost),
    "sum": lambda p, **cost: p["age"].dp.sum(**cost),
    "means": lambda p, **cost: p[["age", "income"]].dp.mean(**cost),
    "table": lambda p, **cost: p.dp.crosstab("sex", "region", **cost),
    "margins": lambda p, **cost: p.dp.crosstab("sex", "region", margins=True, **cost),
    "derived count": lambda p, **cost: p[p["age"] > 10]["age"].dp.count(**cost),
    "nunique": lambda p, **cost: p["age"].dp.nunique(bounds=(0, 100_000), **cost),
}
WIDTHS = {"mean": 3, "sum": 900, "means": 9_000, "table": 11, "margins": 40, "derived count": 9, "nunique": 5}


def widest(release: pdp.Release, level: float = 0.95) -> float:
    """Of the intervals for the rows at hand; all are far from zero, where counts are cut off."""
    ends = release.dp.confint(level, target="sample")
    low, high = (
        ends.xs(end, axis=1, level=-1) if ends.columns.nlevels > 1 else ends[[end]] for end in ("lower", "upper")
    )
    return float((high.to_numpy() - low.to_numpy()).max())


def people_of(table: Callable[..., pd.DataFrame], schema: Any, **cap: float) -> pd.DataFrame:
    return pdp.Session(schema=schema, **cap).activate().protect(table(4_000))


def cost_of(release: pdp.Release) -> tuple[str, float]:
    label = release.attrs["dp"]
    return ("rho", label["rho"]) if label["rho"] else ("epsilon", label["epsilon"])


@pytest.mark.parametrize("cap", CAPS, ids=str)
@pytest.mark.parametrize("name", ASKS)
def test_the_widest_interval_is_as_wide_as_asked_and_one_step_less_would_be_wider(
    name: str, cap: dict[str, float], table: Any, schema: Any
) -> None:
    people, requested = people_of(table, schema, **cap), WIDTHS[name]
    release = ASKS[name](people, width=requested)
    assert widest(release) <= requested * (1 + 1e-9)
    currency, paid = cost_of(release)
    less = float(Decimal(repr(paid)) - Decimal(1).scaleb(Decimal(repr(paid)).adjusted() - 2))
    assert widest(ASKS[name](people, **{currency: less})) > requested * (1 - 1e-9)


@pytest.mark.parametrize("cap", CAPS, ids=str)
def test_the_cost_has_three_digits(cap: dict[str, float], table: Any, schema: Any) -> None:
    _, paid = cost_of(people_of(table, schema, **cap)["age"].dp.mean(width=3))
    assert len(Decimal(repr(paid)).normalize().as_tuple().digits) <= 3


def test_the_cost_is_what_the_ledger_is_charged(table: Any, schema: Any) -> None:
    session = pdp.Session(epsilon=100, schema=schema)
    release = session.protect(table())["age"].dp.mean(width=3)
    assert session.ledger["epsilon"].item() == release.attrs["dp"]["epsilon"]


def test_the_cost_does_not_depend_on_the_data(table: Any, schema: Any) -> None:
    costs = {
        cost_of(pdp.Session(epsilon=100, schema=schema).activate().protect(table(seed=seed))["age"].dp.mean(width=3))
        for seed in range(3)
    }
    assert len(costs) == 1


def test_more_confidence_costs_more(table: Any, schema: Any) -> None:
    people = people_of(table, schema, epsilon=100)
    sure, surer = (people["age"].dp.mean(width=3, confidence=c) for c in (0.9, 0.99))
    assert cost_of(sure)[1] < cost_of(surer)[1]
    assert widest(surer, 0.99) <= 3


@pytest.mark.parametrize(("width", "currency"), [(3, "rho"), (0.3, "epsilon")])
def test_with_a_delta_the_currency_is_the_one_that_takes_less_of_the_cap(
    width: float, currency: str, table: Any, schema: Any
) -> None:
    used = {}
    for other, cost in [("epsilon", {"epsilon": 100}), ("rho", {"rho": 100})]:
        price = cost_of(people_of(table, schema, **cost)["age"].dp.mean(width=width))[1]
        session = pdp.Session(epsilon=1, delta=1e-6, schema=schema)
        with suppress(errors.BudgetExceeded):
            session.protect(table(4_000))["age"].dp.mean(**{other: price})
        used[other] = session.share_used or float("inf")  # refused: more than the cap
    assert min(used, key=used.__getitem__) == currency
    assert cost_of(people_of(table, schema, epsilon=1, delta=1e-6)["age"].dp.mean(width=width))[0] == currency


@pytest.mark.parametrize("width", [3, 3.0])
def test_any_positive_number_is_a_width(width: float, table: Any, schema: Any) -> None:
    people_of(table, schema, epsilon=100)["age"].dp.mean(width=width)


def test_a_width_that_costs_more_than_is_left_is_refused(table: Any, schema: Any) -> None:
    with refused(pdp.PrivacyError):
        people_of(table, schema, epsilon=1)["age"].dp.mean(width=0.01)
