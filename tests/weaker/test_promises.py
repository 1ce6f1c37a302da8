"""A promise brings its words, its options and its scale; nothing else in the house has to know it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from inspect import cleandoc
from typing import Any, ClassVar

import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp import errors
from pandas_dp.audit import WORLDS, public_of, seeded_noise
from pandas_dp.core import promise_registry
from pandas_dp.core.door.keywords import Keywords
from pandas_dp.core.measure.cells import Norm
from pandas_dp.core.measure.measurement import Measurement
from pandas_dp.core.promise import Differential, Option
from pandas_dp.core.promise_registry import promise_named
from pandas_dp.weaker.bdp import BootstrapDP
from pandas_dp.weaker.exact import Column, ExactFacts, Final
from pandas_dp.weaker.idp import Individual
from pandas_dp.weaker.promise import Asked, Surroundings, Weaker
from pandas_dp.weaker.statistics import estimate_of, finals_of
from tests.contracts.cases import cases

PROMISES, OPTIONS = promise_registry.every_promise(), promise_registry.every_option()  # without those below


@dataclass(frozen=True)
class Families(Differential):
    """Of a public scale: a family of so many rows is hidden together."""

    size: int = 2
    name: ClassVar[str] = "family"
    title: ClassVar[str] = "families are hidden"
    keeps: ClassVar[str] = "families hidden"
    together: ClassVar[str] = "hides families"
    options: ClassVar[tuple[Option, ...]] = (Option("size", 2, int, adjacency="{} rows of a family replaced"),)

    def sensitivity(self, measurement: Measurement, norm: Norm, adjacency: Any) -> Fraction:
        return self.size**norm * measurement.sensitivity(norm, adjacency)


@dataclass(frozen=True)
class Steady(Weaker):
    """Of a private scale: one that is the number of rows of a cell."""

    loud: bool = False
    name: ClassVar[str] = "steady"
    title: ClassVar[str] = "steady, which is weaker"
    keeps: ClassVar[str] = "steadiness"
    together: ClassVar[str] = "is steady"
    options: ClassVar[tuple[Option, ...]] = (*Weaker.options, Option("loud", False, bool, said="LOUD"))

    def check(self, cost: Any, mechanism: str) -> None: ...

    def asks(self, final: Final, public: Any, mechanism: str) -> tuple[Asked, ...]:
        return ((final, None),)

    def sensitivities(self, final: Final, facts: ExactFacts, around: Surroundings, norm: Norm) -> Column:
        return facts.rows * 1


@pytest.fixture
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(promise_registry.PUBLIC, "family", Families())
    for promise in (Families(), Steady()):
        monkeypatch.setitem(PROMISES, promise.name, promise)
        for option in promise.options:
            monkeypatch.setitem(OPTIONS, option.name, option)


def people(session: pdp.Session) -> pd.DataFrame:
    return session.protect(pd.DataFrame({"age": [31, 54, 47, 18] * 250}))


@pytest.mark.usefixtures("registered")
def test_a_further_promise_with_a_public_scale_is_its_class_and_its_registration() -> None:
    with pdp.Session(epsilon=10, models=["family"], custodian=True) as session:
        keywords: dict[str, Any] = {"epsilon": 1, "bounds": (0, 100)}
        half = {}
        for size in (1, 2, 4):
            release = people(session)["age"].dp.sum(model="family", size=size, **keywords)
            half[size] = (release.dp.confint()["upper"] - release.dp.confint()["lower"]).item()
            assert release.attrs["dp"]["model"] == "family"
            assert f"{size} rows of a family replaced" in release.dp.guarantee or size == 2
        assert half[4] == pytest.approx(4 * half[1], rel=0.01)
        assert session.promise.startswith("Everything released so far keeps families hidden, when one row is replaced")
        table = pdp.custodian.promises(people(session)["age"], "sum", draws=20, **keywords)
        assert table.index.get_level_values("model").tolist() == ["dp", "family"]


@pytest.mark.usefixtures("registered")
def test_a_further_promise_with_a_private_scale_is_its_class_and_its_registration() -> None:
    with pdp.Session(epsilon=10, models=["idp", "steady"], custodian=True) as session, seeded_noise(1):
        ages = people(session)["age"]
        release = ages.dp.max(model="steady", loud=True, nth=2, epsilon=1, bounds=(0, 100))
        assert release.attrs["dp"]["options"] == {"loud": True}
        assert release.attrs["dp"]["noise"] is None
        assert release.dp.guarantee.startswith(
            "steady, which is weaker: epsilon=1; one row replaced; laplace noise; LOUD"
        )
        ages.dp.mean(model="idp", epsilon=1, bounds=(0, 100))
        assert "under both weaker promises together, is steady, within" in session.promise
        with pytest.raises(
            errors.UnsupportedArgument, match=r"^loud= is for model='steady', not 'idp'; leave it out\.$"
        ):
            ages.dp.mean(model="idp", loud=True, epsilon=1, bounds=(0, 100))
        with pytest.raises(errors.UnsupportedArgument, match="neighbours='replace', or without 'steady'"):
            pdp.Session(epsilon=1, models=["steady"], neighbours="add_remove")


def test_every_option_is_a_keyword_that_type_checkers_know() -> None:
    assert set(OPTIONS) <= Keywords.__annotations__.keys()
    assert all(f"\n{name} : " in cleandoc(Keywords.__doc__ or "") for name in OPTIONS)


@pytest.mark.parametrize("name", PROMISES)
def test_a_promise_has_words_for_every_place_that_names_it(name: str) -> None:
    promise = PROMISES[name]
    assert promise.title
    assert promise.keeps
    assert promise.together or name == "dp"
    assert promise.to_json() == {}
    assert promise.adjacency({}) is None


def test_options_change_a_promise_and_nothing_else_does() -> None:
    assert promise_named("idp", {"group": 3}) == Individual(group=3) != Individual()
    assert Individual(group=3, floor=0).to_json() == {"group": 3, "floor": 0}
    rows = pd.DataFrame({"x": [1]})
    given = BootstrapDP(cells="public", scale="iii", further_rows=rows)
    assert given.to_json() == {"cells": "public", "scale": "iii", "further_rows": True}
    assert given.rows is rows
    assert BootstrapDP().rows is None
    assert Individual().adjacency({"group": 3}) == "3 rows replaced together"


def test_a_statistic_is_offered_in_numbers_that_can_be_told_or_refused() -> None:
    """Over all that there are: none falls between."""
    offered, refused = set(), set()
    for case in cases():
        statistic = case.estimator
        told = estimate_of.dispatch(type(statistic)) is not estimate_of.dispatch(object)
        try:
            finals_of(statistic, public_of(WORLDS[0], 3))
        except errors.UnsupportedArgument as refusal:
            if "could exceed 2**63" not in str(refusal):
                refused.add(type(statistic).__name__)
            continue
        assert told
        offered.add(type(statistic).__name__)
    assert offered == {"Count", "Margins", "Mean", "MeanBeside", "Quantile", "QuantileRange", "Share", "Spread", "Sum"}
    assert offered.isdisjoint(refused)
    assert refused >= {"TableOfMargins", "PairTable", "NumberOfValues"}


def test_what_is_told_by_several_sums_is_planned_like_anything_else() -> None:
    with pdp.Session(epsilon=10, models=["bdp"]) as session:
        frame = people(session).assign(half=1)
        keywords: dict[str, Any] = {"model": "bdp", "epsilon": 1, "bounds": (0, 100)}
        plan = session.plan(lambda: frame["age"].dp.agg(["mean", "std", "var", "count"], **keywords))
        assert plan["statistic"].tolist() == ["mean", "std", "var", "count"]
        assert plan["half_width"].isna().all()
        assert session.share_used == 0
