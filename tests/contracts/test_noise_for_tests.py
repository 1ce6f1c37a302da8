"""Seeded and silent noise are for tests: labels say so, contexts end it, and no other thread hears of it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp.audit import exact_release, seeded_noise, zero_noise
from pandas_dp.core.label.layout import Layout
from pandas_dp.core.measure.cells import Variable
from pandas_dp.core.plan.plan import Asked, Question, Request
from pandas_dp.core.schema.schema import Domain
from pandas_dp.numeric.statistic_means import Mean

from .questions import QUESTIONS, normal, open_session


@pytest.fixture
def frame() -> Iterator[pd.DataFrame]:
    session = open_session(delta=1e-6)
    yield session.protect(normal())
    session.close()


@pytest.mark.parametrize("name", QUESTIONS)
def test_one_seed_gives_one_answer_and_says_that_it_is_insecure(name: str, frame: pd.DataFrame) -> None:
    def ask(seed: int) -> pd.DataFrame:
        with seeded_noise(seed):
            return QUESTIONS[name](frame)

    first, second = ask(1), ask(1)
    pd.testing.assert_frame_equal(pd.DataFrame(first), pd.DataFrame(second))
    assert first.attrs["dp"]["insecure"] is True
    assert "INSECURE" in first.dp.guarantee


def test_other_seeds_give_other_answers(frame: pd.DataFrame) -> None:
    def ask(seed: int) -> float:
        with seeded_noise(seed):
            return float(frame["x"].dp.sum(epsilon=0.01)["sum"].item())

    assert len({ask(seed) for seed in range(8)}) > 4  # by chance, once in 10^8 runs at the least


@pytest.mark.parametrize("context", [lambda: seeded_noise(1), zero_noise], ids=["seeded", "zero"])
def test_noise_is_secure_again_when_the_context_ends_even_by_an_error(context: Any, frame: pd.DataFrame) -> None:
    with pytest.raises(KeyError), context():
        raise KeyError
    assert frame["x"].dp.sum(epsilon=1).attrs["dp"]["insecure"] is False


@pytest.mark.parametrize("context", [lambda: seeded_noise(1), zero_noise], ids=["seeded", "zero"])
def test_another_thread_draws_from_the_operating_system(context: Any, frame: pd.DataFrame) -> None:
    found: list[pd.DataFrame] = []
    with context():
        thread = threading.Thread(target=lambda: found.append(frame["x"].dp.sum(epsilon=1e-6)))
        thread.start()
        thread.join()
    assert found[0].attrs["dp"]["insecure"] is False
    assert found[0]["sum"].item() != normal()["x"].sum()  # equal by chance once in 10^7 runs


def test_no_noise_is_charged_all_the_same(frame: pd.DataFrame) -> None:
    session = open_session(epsilon=1)
    people = session.protect(normal())
    with zero_noise():
        people["x"].dp.sum(epsilon=1)
        with pytest.raises(pdp.PrivacyError):
            people["x"].dp.sum(epsilon=1)
    session.close()


def test_an_exact_release_costs_nothing_and_is_labelled(frame: pd.DataFrame) -> None:
    session = open_session()
    people = session.protect(normal())
    variable = Variable("x", Domain.read(session.schema).interval("x"))
    question = Question("mean", (Asked("x", Mean(variable)),), Layout(pd.Index(["x"]), None, "measures"), Request())
    release = exact_release(people, question)
    assert release["mean"].item() == pytest.approx(normal()["x"].mean(), rel=1e-12)
    assert release.attrs["dp"]["insecure"] is True
    assert session.share_used == 0
    session.close()
