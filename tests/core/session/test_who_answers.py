"""Which session answers for a frame: the one that its label names, else the one that is active."""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable

import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp import errors
from tests.refusals import refused

Make = Callable[..., pd.DataFrame]


def total(data: pd.DataFrame) -> pdp.Release:
    return data["age"].dp.sum(epsilon=0.1, bounds=(0, 100))


def answered(release: pdp.Release) -> str:
    return release.attrs["dp"]["session"]


def test_without_any_session_a_question_is_refused_with_the_line_to_write(table: Make) -> None:
    with refused(errors.NoSession):
        total(table())


def test_a_session_answers_for_the_frame_it_protects_without_being_entered(table: Make) -> None:
    session = pdp.Session(epsilon=1, name="one")
    assert answered(total(session.protect(table()))) == "one"


def test_the_active_session_answers_for_an_unlabelled_frame_as_derived(table: Make) -> None:
    with pdp.Session(epsilon=1, name="one"):
        label = total(table()).attrs["dp"]
    assert label["session"] == "one"
    assert label["rows"] == "given"
    assert label["size"] is None


def test_an_activated_session_answers_until_another_is_activated(table: Make) -> None:
    first = pdp.Session(epsilon=1, name="first").activate()
    assert answered(total(table())) == "first"
    second = pdp.Session(epsilon=1, name="second").activate()
    assert answered(total(table())) == "second"
    second.close()
    first.close()


def test_activate_keeps_a_session_alive_that_nothing_else_holds(table: Make) -> None:
    pdp.Session(epsilon=1, name="kept").activate()
    gc.collect()
    assert answered(total(table())) == "kept"


def test_the_innermost_of_two_nested_sessions_answers(table: Make) -> None:
    with pdp.Session(epsilon=1, name="outer"):
        with pdp.Session(epsilon=1, name="inner"):
            assert answered(total(table())) == "inner"
        assert answered(total(table())) == "outer"


def test_a_with_block_goes_before_an_activated_session(table: Make) -> None:
    pdp.Session(epsilon=1, name="activated").activate()
    with pdp.Session(epsilon=1, name="entered"):
        assert answered(total(table())) == "entered"
    assert answered(total(table())) == "activated"


def test_a_labelled_frame_is_answered_by_its_own_session_though_another_is_active(table: Make) -> None:
    own = pdp.Session(epsilon=1, name="own")
    people = own.protect(table())
    with pdp.Session(epsilon=1, name="other") as other:
        assert answered(total(people)) == "own"
        assert answered(total(people[people["age"] > 10])) == "own"
        assert len(other.ledger) == 0


def test_a_frame_that_lost_its_attrs_is_answered_by_the_session_of_its_row_ids(table: Make) -> None:
    own = pdp.Session(epsilon=1, name="own")
    cut = own.protect(table())[["age"]].copy()
    cut.attrs = {}
    assert answered(total(cut)) == "own"


def test_once_a_session_has_protected_a_frame_unlabelled_ones_are_refused(table: Make) -> None:
    with pdp.Session(epsilon=1) as session:
        session.protect(table())
        with refused(errors.NotProtected) as caught:
            total(table())
    assert "df.merge(" in str(caught.value)
    assert "or protect" not in str(caught.value)


def test_without_label_and_row_ids_it_is_answered_by_the_session_that_protected_it(table: Make) -> None:
    with pdp.Session(epsilon=1, name="own") as own:
        merged = own.protect(table()).reset_index(drop=True)
        merged = merged.merge(pd.DataFrame({"age": range(200), "w": 1.0}), on="age", how="left")
        merged.attrs = {}
        with pdp.Session(epsilon=1, name="other"):
            label = total(merged).attrs["dp"]
        assert (label["session"], label["rows"], label["size"]) == ("own", "whole", 401)
        with pytest.raises(errors.NotProtected):
            total(pd.DataFrame(merged))


def test_a_labelled_frame_without_row_ids_is_refused(table: Make) -> None:
    session = pdp.Session(epsilon=1)
    protected = session.protect(table())
    people = pd.DataFrame(protected).reset_index(drop=True)
    people.attrs = protected.attrs
    with refused(errors.NotProtected):
        total(people)
    assert len(session.ledger) == 0


@pytest.mark.parametrize("make", [lambda a, b: pd.concat([a, b]), lambda a, b: a.assign(age=b["age"])])
def test_two_protected_frames_together_are_refused(make: Callable[..., pd.DataFrame], table: Make) -> None:
    session = pdp.Session(epsilon=1)
    with pytest.raises(errors.NotFollowed, match="was not made row by row"):
        total(make(session.protect(table()), session.protect(table(seed=1))))
    assert session.share_used == 0


def test_threads_each_have_their_own_with_block(table: Make) -> None:
    found: dict[str, str] = {}
    both_inside = threading.Barrier(2, timeout=300)

    def work(name: str) -> None:
        with pdp.Session(epsilon=1, name=name):
            both_inside.wait()
            found[name] = answered(total(table()))
            both_inside.wait()

    threads = [threading.Thread(target=work, args=(name,)) for name in ("one", "two")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {"one": "one", "two": "two"}


def test_a_with_block_of_one_thread_is_not_seen_in_another(table: Make) -> None:
    refused = []

    def work() -> None:
        try:
            total(table())
        except errors.NoSession as error:
            refused.append(type(error))

    with pdp.Session(epsilon=1):
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    assert refused == [errors.NoSession]


def test_a_protected_frame_is_answered_in_any_thread_from_one_budget(table: Make) -> None:
    session = pdp.Session(epsilon=1)
    people = session.protect(table())
    refused = []

    def work() -> None:
        for _ in range(4):
            try:
                people["age"].dp.sum(epsilon=0.125, bounds=(0, 100))
            except errors.BudgetExceeded:
                refused.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(session.ledger), len(refused)) == (8, 8)
    assert session.ledger["epsilon"].sum() == 1


def test_after_its_session_has_closed_a_labelled_frame_is_refused(table: Make) -> None:
    with pdp.Session(epsilon=1) as session:
        people = session.protect(table())
    with refused(errors.SessionClosed):
        total(people)


def test_a_closed_sessions_frame_is_refused_also_where_another_session_is_active(table: Make) -> None:
    with pdp.Session(epsilon=1) as session:
        people = session.protect(table())
    with pdp.Session(epsilon=1) as other, pytest.raises(errors.SessionClosed):
        total(people)
    assert len(other.ledger) == 0


def test_a_frame_may_be_all_that_is_kept_of_a_session(table: Make) -> None:
    people = pdp.Session(epsilon=1, name="kept by its frame").protect(table())
    gc.collect()
    assert answered(total(people)) == "kept by its frame"


@pytest.mark.parametrize("act", ["protect", "activate", "enter"])
def test_a_closed_session_does_nothing_more(act: str, table: Make) -> None:
    session = pdp.Session(epsilon=1)
    session.close()
    acts = {
        "protect": lambda: session.protect(table()),
        "activate": session.activate,
        "enter": session.__enter__,
    }
    with refused(errors.SessionClosed):
        acts[act]()


def test_a_closed_session_still_shows_what_was_spent(table: Make) -> None:
    with pdp.Session(epsilon=1) as session:
        total(session.protect(table()))
    assert len(session.ledger) == 1
    assert "closed" in repr(session)


def test_a_session_closed_inside_its_with_block_answers_no_more(table: Make) -> None:
    with pdp.Session(epsilon=1) as session:
        session.close()
        with pytest.raises(errors.NoSession):
            total(table())


def test_an_error_inside_a_with_block_closes_the_session() -> None:
    session = pdp.Session(epsilon=1)
    with pytest.raises(ZeroDivisionError), session:
        _ = 1 / 0
    assert session.closed
