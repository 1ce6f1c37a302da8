"""The cap of a session, what fits which session, and what a question without a cost spends."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp import errors
from tests.refusals import refused

PURE = {"epsilon": 2}
APPROXIMATE = {"epsilon": 2, "delta": 1e-6}
RHO = {"rho": 0.5}


def people(session: pdp.Session) -> pd.DataFrame:
    return session.protect(pd.DataFrame({"age": [31, 54, 47, 18] * 25}))


def ask(session: pdp.Session, **cost: float) -> pdp.Release:
    return people(session)["age"].dp.sum(bounds=(0, 100), **cost)


@pytest.mark.parametrize(
    ("cap", "left"),
    [(PURE, "epsilon=2"), (RHO, "rho=0.5"), ({"epsilon": 2, "delta": 0}, "epsilon=2")],
)
def test_a_new_session_has_its_whole_cap_left(cap: dict[str, float], left: str) -> None:
    session = pdp.Session(**cap)
    assert str(session.left) == left
    assert session.share_used == 0


def test_a_new_session_with_a_delta_has_its_epsilon_left_for_pure_questions() -> None:
    assert str(pdp.Session(**APPROXIMATE).left) == "epsilon=2"


@pytest.mark.parametrize(
    "cap",
    [
        {},
        {"epsilon": 1, "rho": 1},
        {"delta": 1e-6},
        {"epsilon": True},
        {"epsilon": 1, "delta": 1e-6, "aside": 1},
        {"epsilon": 1, "delta": 1e-6, "aside": 0},
        {"epsilon": float("inf")},
        {"rho": float("nan")},
        {"rho": 0},
        {"epsilon": 1, "delta": 1},
        {"epsilon": 1, "per_query": 2},
        {"epsilon": 1, "per_query": 0},
    ],
)
def test_a_cap_that_is_none_is_refused(
    cap: dict[str, float],
) -> None:
    with refused(errors.BadCost, str(cap)):
        pdp.Session(**cap)


@pytest.mark.parametrize(
    ("argument", "error"),
    [
        ({"models": ["dp", "bdp"], "neighbours": "add_remove"}, errors.UnsupportedArgument),
        ({"models": "safe"}, errors.UnknownModel),
        ({"models": None}, errors.UnsupportedArgument),
        ({"unit": ["buyer", "seller"]}, errors.UnsupportedArgument),
        ({"unit": ""}, errors.UnsupportedArgument),
        ({"unit": "person_id", "models": ["dp", "idp"]}, errors.UnsupportedArgument),
        ({"neighbours": "swap"}, errors.UnsupportedArgument),
        ({"name": 3}, errors.UnsupportedArgument),
    ],
)
def test_an_opening_that_cannot_be_kept_is_refused_by_name(
    argument: dict[str, object],
    error: type[Exception],
) -> None:
    with refused(error, str(argument)):
        pdp.Session(epsilon=1, **argument)


def test_dp_is_always_among_the_models() -> None:
    assert pdp.Session(epsilon=1, models=[]).models == ("dp",)


@pytest.mark.parametrize("cap", [PURE, APPROXIMATE, RHO])
def test_epsilon_fits_every_session(cap: dict[str, float]) -> None:
    assert ask(pdp.Session(**cap), epsilon=0.1).attrs["dp"]["epsilon"] == 0.1


@pytest.mark.parametrize("cap", [APPROXIMATE, RHO])
def test_rho_fits_rho_sessions_and_those_with_a_delta(cap: dict[str, float]) -> None:
    label = ask(pdp.Session(**cap), rho=0.001).attrs["dp"]
    assert (label["rho"], label["epsilon"], label["delta"]) == (0.001, None, None)


def test_epsilon_with_delta_is_paid_as_the_rho_of_a_gaussian() -> None:
    session = pdp.Session(**APPROXIMATE)
    label = ask(session, epsilon=1, delta=1e-7).attrs["dp"]
    assert label["mechanism"] == "gaussian"
    assert (label["epsilon"], label["delta"]) == (1.0, 1e-7)
    assert session.ledger["rho"].tolist() == [label["rho"]]
    assert session.ledger["epsilon"].isna().all()


def test_epsilon_in_a_rho_session_costs_half_its_square() -> None:
    session = pdp.Session(rho=0.5)
    ask(session, epsilon=0.6)
    assert str(session.left) == "rho=0.32"


@pytest.mark.parametrize(
    ("cap", "spent"),
    [
        (PURE, {"epsilon": 0.2, "delta": 0.0, "rho": None}),
        (APPROXIMATE, {"epsilon": 0.2, "delta": 0.0, "rho": None}),
        (RHO, {"epsilon": None, "delta": None, "rho": 0.05}),
    ],
)
def test_a_question_without_a_cost_spends_a_tenth_of_the_cap(
    cap: dict[str, float], spent: dict[str, float | None]
) -> None:
    label = ask(pdp.Session(**cap)).attrs["dp"]
    assert {name: label[name] for name in spent} == spent


def test_the_share_of_a_question_is_what_per_query_says() -> None:
    assert ask(pdp.Session(epsilon=2, per_query=0.25)).attrs["dp"]["epsilon"] == 0.5


def test_what_an_epsilon_alone_does_not_buy_spends_a_share_of_the_delta_too() -> None:
    data = people(pdp.Session(**APPROXIMATE))
    label = data["age"].dp.location(bounds=(0, 100)).attrs["dp"]
    assert (label["epsilon"], label["delta"]) == (0.2, APPROXIMATE["delta"] / 10)
    with pytest.raises(errors.CostNotOffered):
        people(pdp.Session(**PURE))["age"].dp.location(bounds=(0, 100))


def test_ten_tenths_fit_and_the_eleventh_does_not() -> None:
    session = pdp.Session(epsilon=1)
    data = people(session)
    for _ in range(10):
        data["age"].dp.sum(bounds=(0, 100))
    with refused(errors.BudgetExceeded):
        data["age"].dp.sum(bounds=(0, 100))
    assert session.share_used == 1.0


@pytest.mark.parametrize(
    ("cap", "costs"), [(3, [3 * 0.2, 3 * 0.8]), (1, [0.1 + 0.2, 0.7]), (0.3, [0.1, 0.2]), (0.1 + 0.2, [0.3])]
)
@pytest.mark.parametrize("currency", ["epsilon", "rho"])
def test_costs_that_were_computed_add_up_as_they_read(cap: float, costs: list[float], currency: str) -> None:
    session = pdp.Session(**{currency: cap})
    data = people(session)
    for cost in costs:
        label = data["age"].dp.sum(bounds=(0, 100), **{currency: cost}).attrs["dp"]
        assert label[currency] == float(f"{cost:.12g}")  # what is read is what is charged
    assert session.share_used == 1.0


def test_the_rest_can_be_asked_for_as_it_is() -> None:
    for cap, currency in (({"epsilon": 1}, "epsilon"), ({"rho": 1}, "rho"), ({"epsilon": 1, "delta": 1e-6}, "epsilon")):
        session = pdp.Session(**cap)
        data = people(session)
        data["age"].dp.sum(bounds=(0, 100), **{currency: Fraction(1, 3)})
        data["age"].dp.sum(bounds=(0, 100), **{currency: session.left})
        assert session.share_used == 1.0
    with refused(errors.BadCost):
        data["age"].dp.sum(bounds=(0, 100), rho=session.left)


def test_a_refusal_names_the_rest_as_it_is_to_be_typed() -> None:
    session = pdp.Session(epsilon=1)
    data = people(session)
    data["age"].dp.sum(bounds=(0, 100), epsilon=Fraction(1, 3))
    with refused(errors.BudgetExceeded):
        data["age"].dp.sum(bounds=(0, 100), epsilon=0.7)
    data["age"].dp.sum(bounds=(0, 100), epsilon=0.666666666666)


def test_what_is_left_can_be_spent_to_the_last_bit() -> None:
    session = pdp.Session(epsilon=1)
    ask(session, epsilon=0.3)
    ask(session, epsilon=0.7)
    assert str(session.left) == "epsilon=0"


def test_a_public_count_costs_nothing_and_stands_in_the_ledger(table: Any, schema: Any) -> None:
    session = pdp.Session(epsilon=1, schema=schema)
    release = session.protect(table())["age"].dp.count(epsilon=0.5)
    assert release["count"].item() == 401
    assert session.ledger[["statistic", "epsilon"]].values.tolist() == [["count", 0.0]]
    assert release.dp.guarantee == (
        "differentially private: public, free of charge; one row replaced; "
        "a gap in age, declared complete, counts as a value."
    )


def test_a_refused_epsilon_and_delta_says_what_it_is_paid_as():
    with pdp.Session(epsilon=1, delta=1e-6) as session:
        frame = session.protect(pd.DataFrame({"x": [1.0, 2.0]}))
        with refused(errors.BudgetExceeded) as refusal:
            frame["x"].dp.mean(bounds=(0, 1), epsilon=2, delta=1e-6)
    assert refusal.value.left > 0
    assert not len(session.ledger)


@pytest.mark.parametrize("name", ["cap", "relation", "models", "domain", "custodian", "name", "id", "closed"])
def test_what_a_session_was_opened_with_cannot_be_set_afterwards(name: str) -> None:
    session = pdp.Session(epsilon=1)
    with refused(AttributeError, name):
        setattr(session, name, getattr(session, name))


def test_a_plan_is_of_one_session() -> None:
    mine, other = pdp.Session(epsilon=1), pdp.Session(epsilon=100)
    table = other.protect(pd.DataFrame({"sex": ["f", "m"]}))
    with refused(errors.UnsupportedArgument):
        mine.plan(lambda: table["sex"].dp.value_counts(categories=["f", "m"], epsilon=50))
    assert other.share_used == 0


def test_a_ledger_in_memory_is_one_that_is_not_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with refused(errors.UnsupportedArgument):
        pdp.Session(epsilon=1, ledger=":memory:")
    assert not list(tmp_path.iterdir())
