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
from pandas_dp.audit import zero_noise
from pandas_dp.core.engine.rows import PandasRows
from pandas_dp.tables.published import archive
from pandas_dp.tables.published.archive import Draft
from tests.refusals import refused

from .publishing import CATEGORIES, people

Asked = Any


def asking(frame: pd.DataFrame, epsilon: float = 1) -> Asked:
    return lambda: frame.dp.marginals([["k"]], categories=CATEGORIES["k"], epsilon=epsilon)


def opened(**how: Any) -> tuple[pdp.Session, pd.DataFrame]:
    session = pdp.Session(epsilon=10, **how)
    return session, session.protect(people())


def asked_once(ask: Asked, then: Asked) -> Asked:
    """A question that would be another one if it were asked again."""
    turns = iter([ask])
    return lambda: next(turns, then)()


def check_nothing_paid(folder: Path, session: pdp.Session, question: Asked, says: str) -> None:
    """It is refused, costs nothing, and leaves the place free."""
    used = session.share_used
    with pytest.raises(Exception, match=says):
        pdp.publish_tables(folder / "t", {"t": question})
    assert session.share_used == used
    assert not list(folder.iterdir())


def check_paid_and_marked(folder: Path, session: pdp.Session, question: Asked, says: str) -> None:
    """It is refused, stays paid, and is not paid again."""
    with pytest.raises(Exception, match=says):
        pdp.publish_tables(folder / "t", {"t": question})
    paid = session.share_used
    assert paid > 0
    assert [each.name for each in folder.iterdir() if each.is_dir()] == ["t.unfinished"]
    with pytest.raises(errors.TablesError, match="what was paid is in the ledger"):
        pdp.publish_tables(folder / "t", {"t": question})
    assert session.share_used == paid


# -- once


def test_an_answer_that_is_lost_is_not_paid_for_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    session, frame = opened()

    def lost(*_: Any) -> None:
        raise MemoryError

    monkeypatch.setattr(PandasRows, "fold", lost)
    check_paid_and_marked(tmp_path, session, asking(frame), "the question is paid")


@pytest.mark.parametrize("kind", [errors.UnsupportedArgument, ValueError])
@pytest.mark.parametrize("asks", [False, True])
def test_a_question_that_fails_costs_nothing(tmp_path: Path, kind: type[Exception], asks: bool) -> None:
    """Before it asks or after: it is only planned then."""
    session, frame = opened()

    def failing() -> None:
        if asks:
            asking(frame)()
        raise kind("its own trouble")

    check_nothing_paid(tmp_path, session, failing, "its own trouble")


@pytest.mark.parametrize("later", ["fails", "asks for more", "asks another frame", "asks nothing"])
def test_a_question_is_asked_once_and_paid_as_it_was_planned(tmp_path: Path, later: str) -> None:
    session, frame = opened()
    other = session.protect(people().assign(k="b"))

    def failing() -> None:
        raise ValueError("asked a second time")

    then = {
        "fails": failing,
        "asks for more": asking(frame, 2),
        "asks another frame": asking(other),
        "asks nothing": lambda: None,
    }[later]
    with zero_noise():
        tables = pdp.publish_tables(tmp_path / "t", {"t": asked_once(asking(frame), then)})
    assert tables.table(["k"])["count"].round().tolist() == [100, 50, 50]
    assert session.share_used == 0.1
    assert session.ledger["release"].tolist() == [tables.releases["t"].dp.metadata["id"]]


def test_rows_are_those_that_a_question_was_planned_of(tmp_path: Path) -> None:
    """The second question writes into the frame of the first, which is not paid yet."""
    _, frame = opened()

    def writing() -> Any:
        frame["k"] = "b"
        return asking(frame)()

    with zero_noise():
        tables = pdp.publish_tables(tmp_path / "t", {"before": asking(frame), "after": writing}).releases
    assert [tables[name]["count"].round().tolist() for name in ("before", "after")] == [[100, 50, 50], [0, 200, 0]]
    assert [tables[name].dp.metadata["rows"] for name in ("before", "after")] == ["whole", "followed"]


def test_a_session_that_a_question_closes_pays_for_none(tmp_path: Path) -> None:
    session, frame = opened()

    def closing() -> Any:
        answer = asking(frame)()
        session.close()
        return answer

    check_nothing_paid(tmp_path, session, closing, "is closed")


def test_a_question_that_another_thread_asks_is_paid_there_and_nothing_is_stored(tmp_path: Path) -> None:
    session, frame = opened()

    def elsewhere() -> Any:
        with ThreadPoolExecutor(1) as threads:
            return threads.submit(asking(frame)).result()

    with refused(errors.UnsupportedArgument):
        pdp.publish_tables(tmp_path / "t", {"t": elsewhere})
    assert session.share_used == 0.1
    assert not list(tmp_path.iterdir())


# -- the very release


def test_numbers_written_into_a_planned_answer_go_nowhere(tmp_path: Path) -> None:
    session, frame = opened()

    def changed() -> Any:
        planned = asking(frame)()
        planned["planned"] = -1.0
        return planned

    with zero_noise():
        tables = pdp.publish_tables(tmp_path / "t", {"t": changed})
    assert tables.table(["k"])["count"].round().tolist() == [100, 50, 50]
    assert session.share_used == 0.1


@pytest.mark.parametrize("whose", ["the same frame's", "another frame's", "another session's"])
def test_a_release_that_was_paid_for_before_is_not_stored(tmp_path: Path, whose: str) -> None:
    session, frame = opened()
    other = {"the same frame's": frame, "another frame's": session.protect(people())}.get(whose)
    older = asking(opened()[1] if other is None else other)()
    says = "must ask for marginals, or synthesize, once and return the answer"
    check_nothing_paid(tmp_path, session, lambda: older, says)

    def beside() -> Any:
        asking(frame)()
        return older

    check_nothing_paid(tmp_path, session, beside, says)


def test_what_is_made_of_an_answer_is_not_stored(tmp_path: Path) -> None:
    session, frame = opened()
    says = "must ask for marginals, or synthesize, once and return the answer"
    check_nothing_paid(tmp_path, session, lambda: asking(frame)().round(-1), says)
    check_nothing_paid(tmp_path, session, lambda: asking(frame)().dp.round(-1), "this table is none")


def test_what_does_not_read_back_is_not_published(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    session, frame = opened()
    monkeypatch.setattr(archive, "READERS", {**archive.READERS, "str": lambda text: text + "?"})
    monkeypatch.setattr("pandas_dp.tables.published.run.typed", lambda labels, _: [["str", label] for label in labels])
    check_paid_and_marked(tmp_path, session, asking(frame), "does not read back as it was written")


# -- the same frame


def test_a_second_open_session_does_not_get_the_tables_of_another_frame(tmp_path: Path) -> None:
    first, frame = opened(ledger=tmp_path / "l")
    pdp.publish_tables(tmp_path / "t", {"t": asking(frame)})
    second, other = opened(ledger=tmp_path / "l")
    with refused(errors.TablesMismatch):
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
        with refused(errors.TablesMismatch, says):
            pdp.publish_tables(tmp_path / "t", questions)
    assert len(session.ledger) == 2


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
        with refused(errors.PrivacyError, says):
            pdp.publish_tables(tmp_path / folder, {"t": question})
        assert session.share_used == 0
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


def test_all_of_a_list_is_charged_or_none_where_others_spend_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is left when it begins would pay for both; when it is charged, for one."""
    session, frame = opened(ledger=tmp_path / "l")
    begin = Draft.begin

    def begun(path: Path) -> Draft:
        with pdp.Session(epsilon=10, ledger=tmp_path / "l") as other:
            asking(other.protect(people()), 6)()
        return begin(path)

    monkeypatch.setattr(Draft, "begin", begun)
    with refused(errors.BudgetExceeded):
        pdp.publish_tables(tmp_path / "t", {"one": asking(frame, 3), "two": asking(frame, 3)})
    assert session.share_used == 0.6
    assert sorted(each.name for each in tmp_path.iterdir() if each.is_dir()) == []
    session.close()
