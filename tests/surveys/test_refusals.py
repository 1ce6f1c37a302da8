"""What is refused of surveys: from declarations and arguments alone, at no cost."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp import errors
from pandas_dp.audit import zero_noise
from tests.refusals import refused

W, Y = {"w": (0, 10)}, {"y": (0, 100), "w": (0, 10)}
QUESTIONS: dict[str, tuple[type[Exception], Callable[[Any], Any]]] = {
    "no bounds": (errors.NoBounds, lambda p: p["y"].dp.mean(weights="w", bounds=(0, 100))),
    "negative": (errors.BadBounds, lambda p: p["y"].dp.mean(weights="w", bounds={**Y, "w": (-1, 10)})),
    "replicates": (errors.UnsupportedArgument, lambda p: p["y"].dp.mean(weights=["w1", "w2"], bounds=Y)),
    "repweights": (errors.UnsupportedArgument, lambda p: p["y"].dp.mean(repweights=["w1"], bounds=Y)),
    "amplification": (errors.UnsupportedArgument, lambda p: p["y"].dp.mean(sampling_rate=0.1, bounds=Y)),
    "no such column": (errors.UnknownColumn, lambda p: p["y"].dp.mean(weights="v", bounds={"y": (0, 1), "v": (0, 1)})),
    "an array": (errors.NotFollowed, lambda p: p["y"].dp.mean(weights=p["w"].to_numpy(), bounds=Y)),
    "another table": (errors.NotProtected, lambda p: p["y"].dp.mean(weights=pd.Series([1.0], name="w"), bounds=Y)),
    "not weighted": (errors.UnsupportedArgument, lambda p: p["y"].dp.median(weights="w", bounds=Y)),
    "not weighted in agg": (
        errors.UnsupportedArgument,
        lambda p: p["y"].dp.agg(["std"], weights="w", bounds=Y),
    ),
    "bootstrap": (errors.UnsupportedArgument, lambda p: p["y"].dp.mean(weights="w", bounds=Y, bootstrap=50)),
    "margins": (
        errors.UnsupportedArgument,
        lambda p: p.dp.crosstab(
            "stratum", "domain", margins="planned", weights="w", bounds=W, categories={"stratum": ["n"], "domain": [1]}
        ),
    ),
    "perturbed": (
        errors.UnknownMechanism,
        lambda p: p["y"].dp.mean(weights="w", bounds=Y, mechanism="truncated-laplace", epsilon=1),
    ),
}
DESIGNS: dict[str, dict[str, Any]] = {
    "nothing": {},
    "replicates": {"weights": ["w1", "w2"]},
    "twice": {"weights": "w", "strata": "w"},
    "no column": {"weights": 0.5},
    "a fraction": {"weights": "w", "fpc": 0.1},
    "no number": {"weights": "w", "fpc": "many"},
    "fpc without strata": {"weights": "w", "fpc": {"n": 10}},
    "fpc of no stratum": {"weights": "w", "strata": "stratum", "fpc": 100},
    "fpc too small": {"strata": {"stratum": {"n": 6, "s": 6}}, "fpc": {"n": 5, "s": 100}},
    "fpc of strata without sizes": {"weights": "w", "strata": "stratum", "fpc": {"n": 60, "s": 60}},
    "fpc of others": {"strata": {"stratum": {"n": 6, "s": 6}}, "fpc": {"n": 60}},
    "sizes": {"strata": {"stratum": {"n": 0}}},
    "two columns of strata": {"strata": {"stratum": {"n": 1}, "domain": {1: 2}}},
    "lonely": {"weights": "w", "lonely": "fail"},
    "total": {"weights": "w", "total_weight": -1},
    "total of nothing": {"strata": "stratum", "total_weight": 100},
}
PROTECTING: dict[str, tuple[type[Exception], dict[str, Any], dict[str, Any]]] = {
    "no design": (errors.BadArgument, {}, {"design": "w"}),
    "unknown column": (errors.UnknownColumn, {}, {"design": pdp.Design(weights="weight")}),
    "sizes of others": (errors.BadArgument, {}, {"design": pdp.Design(strata={"stratum": {"n": 4, "s": 4}})}),
    "fpc below": (errors.BadArgument, {}, {"design": pdp.Design(weights="w", fpc=11)}),
    "fpc of a private number": (
        errors.UnsupportedArgument,
        {"neighbours": "add_remove"},
        {"design": pdp.Design(weights="w", fpc=100)},
    ),
}


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_question_is_refused_and_nothing_is_paid(name: str, sample: pd.DataFrame) -> None:
    error, ask = QUESTIONS[name]
    with pdp.Session(epsilon=1) as session:
        people = session.protect(sample)
        with refused(error, name):
            ask(people)
        assert len(session.ledger) == 0


@pytest.mark.parametrize("name", DESIGNS)
def test_a_design_is_refused(name: str) -> None:
    with refused(errors.UnsupportedArgument, name):
        pdp.Design(**DESIGNS[name])


@pytest.mark.parametrize("name", PROTECTING)
def test_a_table_is_not_protected_with_it(name: str, sample: pd.DataFrame) -> None:
    error, terms, how = PROTECTING[name]
    with pdp.Session(epsilon=1, **terms) as session, refused(error, name):
        session.protect(sample, **how)


def test_under_a_design_what_is_not_weighted_is_refused_until_the_rows_are_asked_for(sample: pd.DataFrame) -> None:
    with pdp.Session(epsilon=10) as session:
        people = session.protect(sample, design=pdp.Design(weights="w"))
        with refused(errors.UnsupportedArgument):
            people["y"].dp.median(bounds=(0, 100))
        assert len(session.ledger) == 0
        assert people["y"].dp.median(bounds=(0, 100), weights=None, epsilon=1).columns[0] == "median"


def test_a_stratum_of_one_needs_a_word(sample: pd.DataFrame) -> None:
    sizes = {"stratum": {"n": 1, "s": 11}}
    with pdp.Session(epsilon=10) as session:
        people = session.protect(sample, design=pdp.Design(strata=sizes))
        with refused(errors.UnsupportedArgument):
            people["y"].dp.mean(bounds=(0, 100))
    for lonely in ("adjust", "certainty"):
        with pdp.Session(epsilon=10) as session:
            people = session.protect(sample, design=pdp.Design(strata=sizes, lonely=lonely))
            assert people["y"].dp.mean(bounds=(0, 100)).shape == (1, 4)


WEIGHTS: dict[str, tuple[type[errors.PrivacyError], Callable[[Any, Any], Any]]] = {
    "of what is not followed": (errors.NotFollowed, lambda people, other: people["w"].rank()),
    "of another table": (errors.NotProtected, lambda people, other: other["w"]),
    "of a plain frame": (errors.NotProtected, lambda people, other: pd.DataFrame(people)["w"]),
}


@pytest.mark.parametrize("name", WEIGHTS)
def test_weights_that_are_not_beside_the_rows_are_refused(name: str, sample: pd.DataFrame) -> None:
    error, weights = WEIGHTS[name]
    with pdp.Session(epsilon=1) as session:
        people, other = session.protect(sample), session.protect(sample)
        with refused(error):
            people["y"].dp.mean(weights=weights(people, other), bounds=Y)
        assert session.share_used == 0


@pytest.mark.parametrize("weights", ["w", None])
def test_rows_that_were_vouched_for_have_no_weights_but_their_own(weights: str | None, sample: pd.DataFrame) -> None:
    with pdp.Session(epsilon=10) as session:
        people = session.protect(sample, design=None if weights else pdp.Design(weights="w"))
        said = {"weights": weights} if weights else {}
        rows = session.vouch(people[["y"]].sort_values("y").head(9), because="the first are chosen by size")
        with refused(errors.NotFollowed):
            rows["y"].dp.mean(bounds=Y, **said)
        assert session.share_used == 0
        own = session.vouch(people[["y", "w"]].head(9), because="the first were asked first")
        assert own.dp.mean(bounds=Y, weights="w", epsilon=1).shape == (1, 4)


def test_weights_of_fewer_rows_are_missing_in_the_others(sample: pd.DataFrame) -> None:
    with pdp.Session(epsilon=10) as session, zero_noise():
        people = session.protect(sample)
        south = people[people["stratum"] == "s"]
        found = [
            rows["y"].dp.mean(weights=weights["w"], bounds=Y, epsilon=1)["mean"].item()
            for rows, weights in ((people, south), (south, south), (south, people))
        ]
    assert found == pytest.approx([found[1]] * 3, abs=0.01)


def test_rows_of_people_are_not_weighed_but_people_are(sample: pd.DataFrame) -> None:
    with pdp.Session(epsilon=10, unit="who") as session:
        visits = session.protect(sample.assign(who=[1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6]))
        with refused(errors.UnsupportedArgument):
            visits["y"].dp.mean(weights="w", bounds=Y, max_rows=2)
        people = visits.groupby("who").agg(y=("y", "sum"), w=("w", "first"))
        assert people[["y", "w"]].dp.mean(weights="w", bounds=Y, epsilon=1).shape == (1, 4)
        assert people["y"].dp.mean(weights=people["w"], bounds=Y, epsilon=1).shape == (1, 4)


def test_weighted_counts_are_not_tested_for_independence(sample: pd.DataFrame) -> None:
    declared = {"stratum": ["n", "s", "w"], "domain": [0, 1]}
    with pdp.Session(epsilon=10) as session:
        people = session.protect(sample)
        table = people.dp.crosstab("stratum", "domain", weights="w", bounds=W, categories=declared)
        with refused(errors.NotConcluded):
            table.dp.independence_test()
