"""`importance=` of `agg` and `describe`: how a cost is divided among what is asked together."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pandas as pd
import pandera.pandas as pa
import pytest

import pandas_dp as pdp
from pandas_dp import errors
from pandas_dp.audit import audit
from tests.refusals import refused

BOUNDS = {"x": (0, 10), "y": (0, 10)}
KEYS = {"k": ["a", "b"]}
SCHEMA = pa.DataFrameSchema({name: pa.Column(int, pa.Check.in_range(0, 10)) for name in BOUNDS})


@pytest.fixture
def session() -> pdp.Session:
    return pdp.Session(rho=1000, models=["dp", "idp"])


@pytest.fixture
def people(session: pdp.Session) -> Any:
    rows = {"x": [1.0, 2.0] * 500, "y": [3.0, 4.0] * 500, "k": ["a", "b"] * 500}
    return session.protect(pd.DataFrame(rows))


def variances(release: Any) -> list[float]:
    """Of the last number of each measurement with noise: a sum, or a sum of squares."""
    return [variance(runs[-1]["law"]) for runs in release.dp.metadata["noise"] if runs]


def variance(law: dict[str, str]) -> float:
    return float(Fraction(law["variance"])) if "variance" in law else 2 * float(Fraction(law["scale"])) ** 2


@pytest.mark.parametrize("cost", [{"rho": 0.1}, {"epsilon": 0.01}])
def test_noise_has_a_variance_that_is_less_by_importance(people: Any, cost: dict[str, float]) -> None:
    ask = people[["x", "y"]].dp.agg
    x, y = variances(ask("mean", importance={"x": 4}, bounds=BOUNDS, **cost))
    assert y / x == pytest.approx(4, rel=0.02)
    equal = variances(ask("mean", bounds=BOUNDS, **cost))
    assert equal[0] == equal[1] == variances(ask("mean", importance={"x": 3, "y": 3}, bounds=BOUNDS, **cost))[0]
    assert x < equal[0] < y


def test_a_statistic_and_a_pair_of_both_may_be_named(people: Any) -> None:
    ask = people[["x", "y"]].dp.agg
    mean_x, sum_x, mean_y, sum_y = variances(ask(["mean", "sum"], importance={("x", "sum"): 5}, bounds=BOUNDS, rho=0.1))
    assert mean_x == pytest.approx(mean_y)
    assert sum_y / sum_x == pytest.approx(5, rel=0.01)
    both = variances(ask(["mean", "sum"], importance={"x": 2, "mean": 3}, bounds=BOUNDS, rho=0.1))
    assert both[2] / both[0] == pytest.approx(2, rel=0.01)
    assert sum_x / mean_x != pytest.approx(both[1] / both[0])


def test_what_is_told_from_one_tally_has_the_greatest_importance_of_it(people: Any) -> None:
    named = people["x"].dp.agg(["mean", "std", "sum"], importance={"std": 4}, bounds=(0, 10), rho=0.1)
    plain = people["x"].dp.agg(["mean", "std", "sum"], bounds=(0, 10), rho=0.1)
    assert variances(named)[0] < variances(plain)[0]
    assert variances(named)[1] > variances(plain)[1]


def test_groups_and_describe_take_it(people: Any) -> None:
    grouped = people.dp.groupby("k", categories=KEYS)[["x", "y"]]
    x, y = variances(grouped.agg("mean", importance={"x": 4}, bounds=BOUNDS, rho=0.1))
    assert y / x == pytest.approx(4, rel=0.01)
    one = (0, 10)
    for ask, bounds in ((people["x"].dp.describe, one), (people[["x"]].dp.describe, one), (grouped.describe, BOUNDS)):
        less = ask(importance={"mean": 9}, bounds=bounds, rho=0.1)
        assert sum(variances(less)) < sum(variances(ask(bounds=bounds, rho=0.1)))


@pytest.mark.parametrize("cost", [{"rho": 0.5}, {"epsilon": 1}])
def test_all_of_the_price_is_used_and_no_more(cost: dict[str, float]) -> None:
    def ask(table: Any) -> Any:
        return table.dp.agg(["mean", "sum"], importance={"x": 7, "mean": 0.3}, **cost)

    found = audit(ask, SCHEMA, **cost, runs=0)
    assert found.passed
    assert found.exact is not None
    assert 0.5 < found.exact <= 1 + 1e-9


@pytest.mark.parametrize(
    ("case", "importance", "how"),
    [
        ("a number", 4, {}),
        ("another name", {"z": 2}, {}),
        ("nothing", {"x": 0}, {}),
        ("too much", {"x": 1000}, {}),
        ("a text", {"x": "much"}, {}),
        ("a weaker promise", {"x": 2}, {"model": "idp"}),
    ],
)
def test_what_is_no_importance_is_refused_before_paying(
    session: pdp.Session, people: Any, case: str, importance: Any, how: Any
) -> None:
    with refused(errors.PrivacyError, case):
        people[["x", "y"]].dp.agg("mean", importance=importance, bounds=BOUNDS, rho=0.1, **how)
    assert len(session.ledger) == 0
