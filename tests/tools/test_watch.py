"""`session.watch`: answers of an alarm are as private as was paid for, and its state is there once."""

from __future__ import annotations

import copy
import multiprocessing
import os
import pickle
import threading
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2

import pandas_dp as pdp
from pandas_dp import errors
from pandas_dp.audit import zero_noise
from pandas_dp.core.noise.choice import AboveThreshold
from pandas_dp.core.session.planning import planning
from pandas_dp.tools.run_watch import Watch
from tests.refusals import refused

EPSILON = Fraction(6, 5)
Z = np.arange(-300, 301)  # beyond, noise of these scales has no mass that a float holds beside 1
COUNTS = range(-12, 13)  # relative to the number that is watched for
Asked = tuple[int, bool, int]  # a count, its answer, and how many such questions follow each other


def noise_of(scale: Fraction) -> np.ndarray:
    a = np.exp(-1 / float(scale))
    return np.asarray((1 - a) / (1 + a) * a ** np.abs(Z))


def at_least(scale: Fraction, k: np.ndarray) -> np.ndarray:
    a = np.exp(-1 / float(scale))
    return np.where(k >= 1, a ** np.maximum(k, 0) / (1 + a), 1 - a ** np.maximum(1 - k, 0) / (1 + a))


class Exact:
    """The probability of a sequence of answers, over the noise on the threshold and on each question."""

    def __init__(self, threshold: Fraction, question: Fraction) -> None:
        self.threshold = noise_of(threshold)
        self.yes = {q: at_least(question, 1.0 + Z - q) for q in range(-14, 15)}

    def __call__(self, asked: list[Asked]) -> float:
        mass = self.threshold.copy()
        for count, answer, times in asked:
            mass *= (self.yes[count] if answer else 1 - self.yes[count]) ** times
        return float(mass.sum())

    def farthest(self, hits: int, one_way: bool) -> float:
        """The largest log-ratio over noes of one count followed by all yeses of another, one person moving either."""
        found = 0.0
        for no, yes, many in product(COUNTS, COUNTS, (1, 300)):
            here = self([(no, False, many), (yes, True, hits)])
            for first, then in product((-1, 0, 1), (-1, 0, 1)):
                if here > 1e-250 and not (one_way and first * then < 0):
                    there = self([(no + first, False, many), (yes + then, True, hits)])
                    found = max(found, abs(float(np.log(here / there))) if there > 1e-250 else 0.0)
        return found


@pytest.mark.parametrize("one_way", [False, True], ids=["replace", "add_remove"])
@pytest.mark.parametrize("hits", [1, 2])
def test_answers_tell_neighbours_apart_by_what_was_paid_and_no_more(hits: int, one_way: bool) -> None:
    how = AboveThreshold(EPSILON, hits, one_way)
    assert how.spent <= EPSILON
    loss = Exact(how.threshold.scale, how.question.scale).farthest(hits, one_way)
    assert float(EPSILON) * 0.99 < loss <= float(EPSILON) * (1 + 1e-9)


def test_noise_that_does_not_grow_with_the_hits_would_reveal_more() -> None:
    how = AboveThreshold(EPSILON, 2, False)
    assert Exact(how.threshold.scale, how.question.scale / 2).farthest(2, False) > 1.566


def test_noise_for_counts_that_move_one_way_would_reveal_more_where_they_move_both_ways() -> None:
    how = AboveThreshold(EPSILON, 1, True)
    assert Exact(how.threshold.scale, how.question.scale).farthest(1, False) > 1.75


@pytest.mark.slow
@pytest.mark.parametrize("one_way", [False, True], ids=["replace", "add_remove"])
@pytest.mark.parametrize("hits", [1, 2])
def test_no_sequence_of_four_questions_reveals_more(hits: int, one_way: bool) -> None:
    how = AboveThreshold(EPSILON, hits, one_way)
    chance = Exact(how.threshold.scale, how.question.scale)
    for answers in (each for each in product((False, True), repeat=4) if each[-1] and sum(each) == hits):
        for counts in product((-3, 0, 3), repeat=4):
            here = chance([(q, a, 1) for q, a in zip(counts, answers, strict=True)])
            for moved in product((-1, 0, 1), repeat=4):
                if not (one_way and {-1, 1} <= set(moved)):
                    there = chance([(q + m, a, 1) for q, m, a in zip(counts, moved, answers, strict=True)])
                    assert abs(np.log(here / there)) <= float(EPSILON) * (1 + 1e-9)


@pytest.mark.parametrize("epsilon", [Fraction(1, 10), Fraction(3, 10), Fraction(7)], ids=str)
@pytest.mark.parametrize("hits", [1, 3, 1000])
@pytest.mark.parametrize("one_way", [False, True])
def test_its_laws_spend_the_price_and_hardly_less(epsilon: Fraction, hits: int, one_way: bool) -> None:
    how = AboveThreshold(epsilon, hits, one_way)
    assert 0.999 * epsilon <= how.spent <= epsilon


@pytest.mark.slow
def test_it_answers_as_often_as_the_laws_say() -> None:
    """By chance it fails once in 10^6 runs; with fresh noise on the threshold for every question, always."""
    session, many = pdp.Session(epsilon=1), 8000
    how, counts = AboveThreshold(EPSILON, 1, False), (-2, 1, 3)
    patterns = [(True,), (False, True), (False, False, True), (False, False, False)]
    chance = Exact(how.threshold.scale, how.question.scale)
    found = dict.fromkeys(patterns, 0)
    for _ in range(many):
        bell, said = Watch(session._core, 0, how, "test"), []
        for count in counts:
            said.append(bell._is_above(count))
            if said[-1]:
                break
        found[tuple(said)] += 1
    expected = [many * chance([(q, a, 1) for q, a in zip(counts, each, strict=False)]) for each in patterns]
    assert sum(expected) == pytest.approx(many)
    off = sum((found[each] - requested) ** 2 / requested for each, requested in zip(patterns, expected, strict=True))
    assert off < chi2.isf(1e-6, 3)


@pytest.fixture
def session() -> Iterator[pdp.Session]:
    with pdp.Session(epsilon=1000) as opened:
        yield opened


def people(session: pdp.Session, rows: int = 1000) -> Any:
    return session.protect(pd.DataFrame({"age": np.arange(rows) % 100}))


def test_it_says_yes_as_often_as_was_paid_for_and_costs_no_more(session: pdp.Session) -> None:
    frame = people(session)
    with session.watch(above=400, epsilon=200, hits=2) as bell:
        found = [bell.ask(frame[frame["age"] >= age]) for age in (90, 80, 20, 70, 70, 70, 0)]
        assert found == [False, False, True, False, False, False, True]
        assert bell.left == 0
        with refused(errors.BudgetExceeded):
            bell.ask(frame[frame["age"] > 3])
    assert session.share_used == 0.2
    assert session.ledger[["statistic", "mechanism", "epsilon"]].to_numpy().tolist() == [
        ["watch", "above-threshold", 200.0]
    ]
    assert "epsilon=200 in all" in session.promise


def test_more_than_the_number_is_meant(session: pdp.Session) -> None:
    frame = people(session)
    with zero_noise(), session.watch(above=500, epsilon=1, hits=3) as bell:
        assert [bell.ask(frame[frame["age"] >= age]) for age in (51, 50, 49)] == [False, False, True]


def test_a_series_and_columns_of_a_table_are_counted_by_their_rows(session: pdp.Session) -> None:
    frame = people(session)
    old = frame[frame["age"] > 60]
    with zero_noise(), session.watch(above=300, epsilon=1, hits=3) as bell:
        parts = pd.concat([old[old["age"] > 70], old[~(old["age"] > 70)]])
        assert [bell.ask(each) for each in (old["age"], old[["age"]], parts)] == [True, True, True]


@pytest.mark.parametrize("cap", [{"rho": 1}, {"epsilon": 3, "delta": 1e-6}, {"epsilon": 3}], ids=str)
def test_every_cap_pays_for_it(cap: dict[str, float]) -> None:
    with pdp.Session(**cap, neighbours="add_remove") as session:  # type: ignore[arg-type]
        frame = people(session)
        with session.watch(above=10, epsilon=1) as bell:
            assert bell.ask(frame)  # whose size is private here
        assert 0 < session.share_used < 1


def test_what_does_not_fit_is_not_opened(session: pdp.Session) -> None:
    with refused(errors.BudgetExceeded):
        session.watch(above=10, epsilon=1001)
    assert session.share_used == 0


def test_it_shows_what_is_left_and_no_noise(session: pdp.Session) -> None:
    bell = session.watch(above=1500, epsilon=3, hits=4)
    assert repr(bell) == "<watch for more than 1,500 rows, epsilon=3: 4 of 4 yeses left>"
    bell.close()
    assert repr(bell).endswith("closed>")
    frame = people(session)
    with refused(errors.SessionClosed):
        bell.ask(frame[frame["age"] > 3])


@pytest.mark.parametrize("how", [copy.copy, copy.deepcopy, pickle.dumps], ids=["copy", "deepcopy", "pickle"])
def test_its_state_is_there_once(session: pdp.Session, how: Callable[[Any], Any]) -> None:
    bell = session.watch(above=500, epsilon=3)
    with refused(errors.UnsupportedArgument, "copied"):
        how(bell)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a system that forks")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded")
def test_a_process_that_was_forked_off_cannot_ask_it(session: pdp.Session) -> None:
    frame = people(session)
    old = frame[frame["age"] > 60]
    with session.watch(above=500, epsilon=3) as bell:
        context = multiprocessing.get_context("fork")
        told = context.Queue()

        def ask() -> None:
            try:
                told.put(bell.ask(old))
            except errors.PrivacyError as error:
                told.put(str(error))

        child = context.Process(target=ask)
        child.start()
        answer = told.get(timeout=300)
        child.join()
        assert "another process" in answer
        assert not bell.ask(old)


def test_threads_that_ask_together_get_no_more_yeses(session: pdp.Session) -> None:
    frame = people(session)
    old, found = frame[frame["age"] > 3], []
    with session.watch(above=10, epsilon=200, hits=5) as bell:

        def ask() -> None:
            for _ in range(5):
                try:
                    found.append(bell.ask(old))
                except errors.BudgetExceeded:
                    found.append(False)

        threads = [threading.Thread(target=ask) for _ in range(4)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
    assert sum(found) == 5
    assert len(found) == 20


def test_people_are_counted_and_rows_of_people_are_not() -> None:
    with pdp.Session(epsilon=1000, unit="watched") as session:
        visits = session.protect(pd.DataFrame({"watched": np.arange(300) % 60, "cost": 1.0}))
        with zero_noise(), session.watch(above=59, epsilon=1) as bell:
            with refused(errors.UnsupportedArgument):
                bell.ask(visits[visits["cost"] > 0])
            assert bell.ask(visits.groupby("watched").size())


def elsewhere() -> Any:
    return people(pdp.Session(epsilon=1))


ODD: dict[str, Callable[[Any, Any], Any]] = {
    "whole": lambda bell, frame: bell.ask(frame),
    "another session": lambda bell, frame: bell.ask(elsewhere()[["age"]].query("age > 3")),
    "unprotected": lambda bell, frame: bell.ask(pd.DataFrame({"age": [1, 2]})),
    "a number": lambda bell, frame: bell.ask(501),
    "released": lambda bell, frame: bell.ask(frame["age"].dp.sum(bounds=(0, 100), epsilon=1)),
    "planned": lambda bell, frame: planned(bell, frame),
}


def planned(bell: Any, frame: Any) -> Any:
    with planning():
        return bell.ask(frame[frame["age"] > 3])


@pytest.mark.parametrize("name", ODD)
def test_what_it_cannot_be_asked_is_refused_and_it_goes_on(session: pdp.Session, name: str) -> None:
    frame = people(session)
    with session.watch(above=500, epsilon=100) as bell:
        with refused(errors.PrivacyError, name):
            ODD[name](bell, frame)
        assert bell.ask(frame[frame["age"] > 3])


def test_a_table_that_nobody_protected_is_refused() -> None:
    bell = pdp.Session(epsilon=10).activate().watch(above=500, epsilon=1)
    with refused(errors.NotProtected):
        bell.ask(pd.DataFrame({"age": [1, 2]}))
    bell._core.close()


WRONG: dict[str, dict[str, Any]] = {
    "no cost": {"above": 5},
    "fraction": {"above": 5.5, "epsilon": 1},
    "negative": {"above": -5, "epsilon": 1},
    "no hits": {"above": 5, "epsilon": 1, "hits": 0},
    "nothing": {"above": 5, "epsilon": 0},
}


@pytest.mark.parametrize("name", WRONG)
def test_a_watch_that_cannot_be_is_refused_and_nothing_is_paid(session: pdp.Session, name: str) -> None:
    with refused(errors.PrivacyError, f"opened: {name}"):
        session.watch(**WRONG[name])
    assert session.share_used == 0


def test_it_is_paid_in_epsilon_and_counts_hits(session: pdp.Session) -> None:
    for odd in ({"rho": 1}, {"epsilon": 1, "count": 2}):
        with pytest.raises((TypeError, errors.BadCost)):
            session.watch(500, **odd)  # type: ignore[arg-type]
    assert session.watch(500, epsilon=1, hits=2).left == 2


def test_it_is_not_planned(session: pdp.Session) -> None:
    with refused(errors.UnsupportedArgument):
        session.plan(lambda: session.watch(above=5, epsilon=1))
    assert session.share_used == 0


@pytest.mark.parametrize("rows", [0, 1])
def test_tables_of_no_row_and_of_one_are_answered(session: pdp.Session, rows: int) -> None:
    frame = people(session, rows)
    with zero_noise(), session.watch(above=0, epsilon=1) as bell:
        assert bell.ask(frame[frame["age"] >= 0]) == bool(rows)
