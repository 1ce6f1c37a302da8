"""What is shown around the sentence of a refusal: the user's own lines, and nothing of the library or of tables."""

from __future__ import annotations

import linecache
import logging
import traceback
from collections.abc import Callable
from types import FrameType

import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp.errors import AnswerLost, PrivacyError

CELL = """people["age"].dp.mean(
    epsilon=1,
)
"""


@pytest.fixture
def people() -> pd.DataFrame:
    return pdp.Session(epsilon=1).protect(pd.DataFrame({"age": [31.0, 54.0] * 50, "sex": ["f", "m"] * 50}))


REFUSED: dict[str, Callable[[pd.DataFrame], object]] = {
    "a range": lambda people: people["age"].dp.mean(epsilon=0.1),
    "a budget": lambda people: people["age"].dp.mean(epsilon=9, bounds=(0, 100)),
    "a name": lambda people: people["age"].dp.mean(epsilom=9),
    "a conclusion": lambda people: people["age"].dp.mean(epsilon=0.1, bounds=(0, 100)).dp.contrast(1, 2),
    "a keyword of a conclusion": lambda people: people["age"].dp.sum(epsilon=0.1, bounds=(0, 9)).dp.confint(levle=1),
    "an argument": lambda people: people.dp.crosstab("sex", "sex", epsilon=1),
    "a session": lambda people: pdp.Session(epsilon=-1),
    "an expression": lambda people: people.sort_values("age", key=lambda column: column).iloc[3:4].dp.mean(),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_script_shows_the_users_lines_and_one_of_the_library(name: str, people: pd.DataFrame) -> None:
    with pytest.raises(PrivacyError) as caught:
        REFUSED[name](people)
    names = [frame.f_globals["__name__"] for frame, _ in traceback.walk_tb(caught.value.__traceback__)]
    assert [each.startswith("pandas_dp") for each in names] == [False, False, True]
    shown = "".join(traceback.format_exception(caught.value))
    assert "During handling" not in shown
    assert caught.value.__context__ is None


def test_lines_of_a_user_inside_of_a_question_stay(people: pd.DataFrame) -> None:
    session = pdp.Session(epsilon=1)
    mine = session.protect(pd.DataFrame({"age": [31.0, 54.0] * 50}))

    def ask() -> pd.DataFrame:
        return mine["age"].dp.mean(epsilon=0.1)

    with pytest.raises(PrivacyError) as caught:
        session.plan(ask)
    assert [each.name for each in traceback.extract_tb(caught.value.__traceback__)] == [
        "test_lines_of_a_user_inside_of_a_question_stay",
        "called",
        "ask",
    ]


@pytest.mark.parametrize("name", REFUSED)
def test_no_frame_that_is_left_holds_a_table_that_the_user_has_not(name: str, people: pd.DataFrame) -> None:
    def ask() -> object:
        return REFUSED[name](people)

    with pytest.raises(PrivacyError) as caught:
        ask()

    def tables(frame: FrameType) -> list[object]:
        held = [*frame.f_locals.values()]
        held += [each for several in held if isinstance(several, tuple | list) for each in several]
        return [each for each in held if type(each) in (pd.DataFrame, pd.Series)]

    frames = [frame for frame, _ in traceback.walk_tb(caught.value.__traceback__)]
    assert not any(tables(frame) for frame in frames)


def test_a_log_of_everything_keeps_the_whole_way(people: pd.DataFrame, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, logger="pandas_dp"), pytest.raises(PrivacyError) as caught:
        people["age"].dp.mean(epsilon=0.1)
    assert len(traceback.extract_tb(caught.value.__traceback__)) > 5


def test_a_log_of_everything_else_keeps_nothing(people: pd.DataFrame, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG), pytest.raises(PrivacyError) as caught:
        people["age"].dp.mean(epsilon=0.1)
    assert len(traceback.extract_tb(caught.value.__traceback__)) <= 2


def test_a_refusal_that_the_library_answers_itself_is_not_logged(
    people: pd.DataFrame, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, logger="pandas_dp"), pytest.raises(PrivacyError):
        people[["age", "sex"]].dp.mean(epsilon=0.1)
    assert [each.getMessage() for each in caplog.records] == ["refused mean: NoBounds"]


@pytest.mark.parametrize("place", ["<ipython-input-3-7d>", "/tmp/ipykernel_77/3.py", "/home/ann/visits.py"])
def test_a_notebook_shows_the_sentence_and_the_line(place: str, people: pd.DataFrame) -> None:
    linecache.cache[place] = (len(CELL), None, CELL.splitlines(keepends=True), place)
    with pytest.raises(PrivacyError) as caught:
        exec(compile(CELL, place, "exec"), {"people": people, "__name__": "__main__"})
    head, *lines = "\n".join(caught.value._render_traceback_()).split("\n")
    assert head == f"NoBounds: {caught.value}"
    where = "/home/ann/visits.py, line 1" if "visits" in place else "line 1"
    assert lines[-4:] == [f"  {where}:", '    people["age"].dp.mean(', "        epsilon=1,", "    )"]
    assert not any("pandas_dp" in line and "test_ways" not in line for line in lines)


def test_a_notebook_of_a_custodian_shows_the_cause_too() -> None:
    try:
        try:
            raise ValueError("the disk")
        except ValueError as cause:
            raise AnswerLost("lost.") from cause
    except AnswerLost as error:
        shown = "\n".join(error._render_traceback_())
    assert shown.startswith("AnswerLost: lost.\n")
    assert "ValueError: the disk" in shown
