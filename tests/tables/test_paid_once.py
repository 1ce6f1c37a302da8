"""What a folder of tables is paid for, what may stand in it, and whose question it answers again."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp import errors
from pandas_dp.backends import PandasRows
from pandas_dp.release import archive
from pandas_dp.session import is_planning

from .publishing import CATEGORIES, people

Asked = Any


def asking(frame: pd.DataFrame, epsilon: float = 1) -> Asked:
    return lambda: frame.dp.marginals([["k"]], categories=CATEGORIES["k"], epsilon=epsilon)


def opened(**how: Any) -> tuple[pdp.Session, pd.DataFrame]:
    session = pdp.Session(epsilon=10, **how)
    return session, session.protect(people())


def after_planning(ask: Asked, then: Asked) -> Asked:
    """A question that is planned as it is, and asked as something else."""
    return lambda: ask() if is_planning() else then()


def check_paid_and_marked(folder: Path, session: pdp.Session, question: Asked, says: str) -> None:
    """It is refused, stays paid, and is not paid again."""
    with pytest.raises(Exception, match=says):
        pdp.publish_tables(folder / "t", {"t": question})
    paid = session.used
    assert paid > 0
    assert [each.name for each in folder.iterdir() if each.is_dir()] == ["t.unfinished"]
    with pytest.raises(errors.TablesError, match="what was paid stands in the ledger"):
        pdp.publish_tables(folder / "t", {"t": question})
    assert session.used == paid


# -- once


def test_an_answer_that_is_lost_is_not_paid_for_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    session, frame = opened()

    def lost(*_: Any) -> None:
        raise MemoryError

    monkeypatch.setattr(PandasRows, "fold", lost)
    check_paid_and_marked(tmp_path, session, asking(frame), "the question is paid")


@pytest.mark.parametrize("kind", [errors.UnsupportedArgument, ValueError])
def test_a_question_that_pays_and_fails_is_not_paid_for_again(tmp_path: Path, kind: type[Exception]) -> None:
    session, frame = opened()

    def failing() -> None:
        asking(frame)()
        raise kind("too late")

    check_paid_and_marked(tmp_path, session, after_planning(asking(frame), failing), "too late")


@pytest.mark.parametrize("kind", [errors.UnsupportedArgument, ValueError])
def test_a_question_that_fails_before_it_pays_leaves_no_mark(tmp_path: Path, kind: type[Exception]) -> None:
    session, frame = opened()

    def failing() -> None:
        raise kind("too early")

    with pytest.raises(kind, match="too early"):
        pdp.publish_tables(tmp_path / "t", {"t": after_planning(asking(frame), failing)})
    assert session.used == 0
    assert not list(tmp_path.iterdir())


def test_a_question_that_another_thread_asks_is_paid_there_and_nothing_is_stored(tmp_path: Path) -> None:
    session, frame = opened()

    def elsewhere() -> Any:
        with ThreadPoolExecutor(1) as threads:
            return threads.submit(asking(frame)).result()

    with pytest.raises(errors.UnsupportedArgument, match="must ask for marginals once"):
        pdp.publish_tables(tmp_path / "t", {"t": elsewhere})
    assert session.used == 0.1
    assert not list(tmp_path.iterdir())


# -- the very release


def test_numbers_changed_by_hand_are_not_stored(tmp_path: Path) -> None:
    session, frame = opened()

    def changed() -> Any:
        release = asking(frame)()
        release["count"] = people()["k"].value_counts().to_numpy()
        return release

    says = "'t' did not return the release that answers it, unchanged"
    check_paid_and_marked(tmp_path, session, after_planning(asking(frame), changed), says)


def test_another_question_than_the_planned_one_is_not_stored(tmp_path: Path) -> None:
    session, frame = opened()
    says = "did not return the release that answers it"
    check_paid_and_marked(tmp_path, session, after_planning(asking(frame), asking(frame, 2)), says)


@pytest.mark.parametrize("whose", ["the same frame's", "another frame's", "another session's"])
def test_a_release_that_was_not_paid_for_now_is_not_stored(tmp_path: Path, whose: str) -> None:
    session, frame = opened()
    other = {"the same frame's": frame, "another frame's": session.protect(people())}.get(whose)
    older = asking(opened()[1] if other is None else other)()
    used = session.used
    with pytest.raises(errors.TablesError, match="did not return the release that answers it"):
        pdp.publish_tables(tmp_path / "t", {"t": after_planning(asking(frame), lambda: older)})
    assert session.used == used
    assert not list(tmp_path.iterdir())


def test_another_frame_than_the_planned_one_is_not_stored(tmp_path: Path) -> None:
    session, frame = opened()
    other = session.protect(people())
    says = "did not return the release that answers it"
    check_paid_and_marked(tmp_path, session, after_planning(asking(frame), asking(other)), says)


def test_what_does_not_read_back_is_not_published(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    session, frame = opened()
    monkeypatch.setattr(archive, "READERS", {**archive.READERS, "str": lambda text: text + "?"})
    monkeypatch.setattr("pandas_dp.publishing.typed", lambda labels, _: [["str", label] for label in labels])
    check_paid_and_marked(tmp_path, session, asking(frame), "does not read back as it was written")


# -- the same frame


def test_a_second_open_session_does_not_get_the_tables_of_another_frame(tmp_path: Path) -> None:
    first, frame = opened(ledger=tmp_path / "l")
    pdp.publish_tables(tmp_path / "t", {"t": asking(frame)})
    second, other = opened(ledger=tmp_path / "l")
    with pytest.raises(errors.TablesMismatch, match="another protected frame"):
        pdp.publish_tables(tmp_path / "t", {"t": asking(other)})
    assert len(second.ledger) == 1
    first.close()  # from now on it might be of another process
    assert pdp.publish_tables(tmp_path / "t", {"t": asking(other)}).table(["k"]).shape == (3, 4)
    assert len(second.ledger) == 1
    second.close()


def test_it_is_said_in_which_question_a_list_differs(tmp_path: Path) -> None:
    session, frame = opened()
    pdp.publish_tables(tmp_path / "t", {"one": asking(frame), "two": asking(frame)})
    for questions, says in [
        ({"one": asking(frame), "two": asking(frame, 2)}, "holds other tables, for another question 'two'; read"),
        ({"one": asking(frame), "three": asking(frame)}, "holds other tables, none by the name 'three'; read"),
        ({"two": asking(frame)}, "holds other tables, 'one' among them, which is not asked for; read"),
    ]:
        with pytest.raises(errors.TablesMismatch, match=says):
            pdp.publish_tables(tmp_path / "t", questions)
    assert len(session.ledger) == 2


def test_a_release_that_was_rounded_is_not_stored(tmp_path: Path) -> None:
    session, frame = opened()
    rounded = after_planning(asking(frame), lambda: asking(frame)().dp.round(-1))
    check_paid_and_marked(tmp_path, session, rounded, "did not return the release that answers it")


# -- refused before it is paid


def test_what_cannot_be_stored_is_refused_before_it_is_paid(tmp_path: Path) -> None:
    session = pdp.Session(epsilon=10)
    frame = session.protect(people().assign(y=1).rename(columns={"j": 0}))
    asked = {"categories": CATEGORIES["k"], "epsilon": 1}
    bounds = {0: (0, 2), "y": (0, 1)}
    for folder, question, says in [
        ("t", lambda: frame.dp.marginals([["k"]], [0, "y"], bounds=bounds, **asked), "rename the column 0"),
        ("t", lambda: frame.dp.marginals([["k"]], 0, bounds=(0, 2), **asked), "rename the column 0"),
        ("t.unfinished", asking(frame), r"choose one that does not end in .unfinished"),
        (
            "t",
            lambda: frame.dp.marginals([["k"]], categories=["a", "\ud800"], epsilon=1),
            "categories of column 'k' must be text that can be written",
        ),
        (
            "t",
            lambda: frame.dp.marginals([["g"]], hierarchies={"k": {"g": {"a": "x", "b": "\udfff", "c": "x"}}}, **asked),
            "groups of the level 'g' must be text that can be written",
        ),
    ]:
        with pytest.raises(errors.PrivacyError, match=says):
            pdp.publish_tables(tmp_path / folder, {"t": question})
        assert session.used == 0
        assert not os.listdir(tmp_path)


def test_a_level_of_one_group_can_be_asked_for_beside_others() -> None:
    """Its table is the total once more; the shares that are tried for both go to nothing."""
    session = pdp.Session(epsilon=10)
    frame = session.protect(pd.DataFrame({"k": ["a", "b", "c"] * 4, "m": ["p", "q"] * 6}))
    levels = {"g": {"a": "L", "b": "L", "c": "R"}, "top": {"a": 1, "b": 1, "c": 1}}
    found = frame.dp.marginals(
        [["k", "m"], ["g", "m"], ["g"], ["top"], []],
        categories={"k": ["a", "b", "c"], "m": ["p", "q"]},
        hierarchies={"k": levels},
        epsilon=1,
    )
    assert found["count"].iloc[-1] == pytest.approx(found["count"].iloc[-2])
