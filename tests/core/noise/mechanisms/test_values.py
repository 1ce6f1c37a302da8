"""Mechanisms are frozen values, known by name as soon as their file is there."""

from __future__ import annotations

import dataclasses
from dataclasses import FrozenInstanceError, dataclass
from fractions import Fraction
from typing import ClassVar

import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp import errors
from pandas_dp.core.budget.cost import Approximate, Concentrated, Cost, Pure
from pandas_dp.core.noise import mechanism
from pandas_dp.core.noise.laplace import DiscreteLaplace, Laplace
from pandas_dp.core.noise.mechanism import Additive, Law
from pandas_dp.core.noise.mechanisms import ADDITIVE, COUNTING, MADE, additive_for, price_for
from pandas_dp.core.noise.perturbation import Perturbation

COST = {name: {"epsilon": 1} if each.spends(Pure(Fraction(1))) else {"rho": 1} for name, each in ADDITIVE.items()}


@pytest.fixture
def ages() -> pd.Series:
    return pdp.Session(epsilon=100, delta=1e-6).protect(pd.DataFrame({"age": [31, 54, 47, 18] * 25}))["age"]


@pytest.mark.parametrize("name", ADDITIVE)
def test_a_value_is_the_same_as_its_name(name: str, ages: pd.Series) -> None:
    by_name, by_value = (
        ages.dp.sum(bounds=(0, 100), mechanism=each, **COST[name]).attrs["dp"] for each in (name, ADDITIVE[name])
    )
    for fact in ("mechanism", "noise", "epsilon", "rho"):
        assert by_name[fact] == by_value[fact]


def test_parameters_are_fields_of_the_mechanism(ages: pd.Series) -> None:
    made = pdp.mechanisms.AveragedLaplace(draws=9)
    one, two = (
        ages.dp.sum(bounds=(0, 100), epsilon=1, **how)
        for how in ({"mechanism": made}, {"mechanism": "averaged-laplace", "draws": 9})
    )
    assert one.attrs["dp"]["noise"] == two.attrs["dp"]["noise"]
    assert one.attrs["dp"]["noise"][0][0]["law"]["draws"] == "9"
    with pytest.raises(errors.UnsupportedArgument, match="draws must be an odd number from 3 to 99, not 4"):
        pdp.mechanisms.AveragedLaplace(4)


@pytest.mark.parametrize("kind", [*Additive.known.values(), *Perturbation.known.values()], ids=lambda kind: kind.name)
def test_every_mechanism_is_frozen_and_offered_by_its_name(kind: type) -> None:
    assert dataclasses.is_dataclass(kind)
    with pytest.raises(dataclasses.FrozenInstanceError):
        object.__new__(kind).anything = 1
    assert kind.__name__ in dir(pdp.mechanisms)
    assert getattr(pdp.mechanisms, kind.__name__) is kind
    assert (kind.name in {**ADDITIVE, **COUNTING}) != (kind in MADE)  # type: ignore[attr-defined]


def test_no_law_has_the_name_of_a_mechanism() -> None:
    offered = {kind.__name__ for kind in (*Additive.known.values(), *Perturbation.known.values())}
    assert {"Laplace", "Gaussian"} <= offered
    assert not offered & {kind.__name__ for kind in Law.known.values()}


def test_a_file_is_all_that_a_law_and_a_mechanism_need(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Law, "known", dict(Law.known))
    monkeypatch.setattr(Additive, "known", dict(Additive.known))

    @dataclass(frozen=True)
    class Twice(DiscreteLaplace):
        distribution: ClassVar[str] = "twice"

    @dataclass(frozen=True)
    class Doubled(Laplace):
        name: ClassVar[str] = "doubled"

    assert Additive.known["doubled"] is Doubled
    assert mechanism.law_from_json({"distribution": "twice", "scale": "3"}) == Twice(Fraction(3))
    with pytest.raises(FrozenInstanceError):
        Doubled().name = "other"  # type: ignore[misc]


@pytest.mark.parametrize(
    ("name", "asked", "charged"),
    [
        ("auto", Approximate(Fraction(1), Fraction(1, 10**6)), "rho"),
        ("gaussian", Approximate(Fraction(1), Fraction(1, 10**6)), "rho"),
        ("averaged-laplace", Approximate(Fraction(1), Fraction(1, 10**6)), "epsilon"),
        ("laplace", Pure(Fraction(1)), "epsilon"),
    ],
)
def test_a_mechanism_says_what_it_charges(name: str, asked: Cost, charged: str) -> None:
    price = price_for(name, asked)
    assert isinstance(price, Concentrated if charged == "rho" else Pure)
    assert name == "auto" or price == ADDITIVE[name].price(asked) == price_for(ADDITIVE[name], asked)


def test_auto_takes_the_mechanism_of_the_currency() -> None:
    assert additive_for("auto", Pure(Fraction(1))).name == "laplace"
    assert additive_for("auto", Concentrated(Fraction(1))).name == "gaussian"


@pytest.mark.parametrize("name", ADDITIVE)
def test_what_is_spent_is_what_was_paid(name: str) -> None:
    cost: Cost = Concentrated(Fraction(1, 3)) if name == "gaussian" else Pure(Fraction(1, 3))
    each = ADDITIVE[name]
    law = each.law(Fraction(2), Fraction(7), cost)
    paid = cost.rho if isinstance(cost, Concentrated) else cost.at_infinity
    assert each.spent((law,), (Fraction(2),), Fraction(7)) == paid
    assert each.spent((law,), (Fraction(2),), Fraction(21)) > paid  # a sensitivity that was told too small is found out
