"""The one table whose number of people is public, and tables with one row a person."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp import errors
from pandas_dp.audit import seeded_noise, zero_noise
from tests.refusals import refused

Open = Callable[..., pdp.Session]
SUM = {"bounds": (0, 5_000), "epsilon": 1}


def answer(column: pd.Series, statistic: str = "count") -> float:
    with zero_noise():
        return float(getattr(column.dp, statistic)(epsilon=1).iloc[0, 0])


def totals(frame: pd.DataFrame) -> pd.Series:
    return frame.groupby("person_id")["cost"].sum()


@pytest.mark.parametrize("first", [True, False], ids=["roster first", "visits first"])
def test_whoever_is_not_on_the_roster_is_nobody(
    first: bool, session: pdp.Session, patients: pd.DataFrame, visits: pd.DataFrame
) -> None:
    some = patients.iloc[::2]
    if first:
        session.protect(some, roster=True)
    protected, one = session.protect(visits), session.protect(visits, one_row=True)
    if not first:
        session.protect(some, roster=True)
    there = visits[visits["person_id"].isin(some["person_id"])]["person_id"].nunique()
    assert answer(totals(protected)) == there
    assert answer(one["cost"]) == there
    assert answer(one[one["cost"] >= 0]["cost"]) == there


def test_the_number_of_people_on_the_roster_is_public_and_no_other(
    session: pdp.Session, patients: pd.DataFrame, visits: pd.DataFrame
) -> None:
    session.protect(pd.concat([patients, patients]), roster="patients")
    label = totals(session.protect(visits)).dp.mean(**SUM).attrs["dp"]
    assert {key: label[key] for key in ("unit", "roster", "people", "size", "rows")} == {
        "unit": "person_id",
        "roster": "patients",
        "people": 300,
        "size": None,
        "rows": "followed",
    }


def test_a_roster_of_one_row_a_person_is_whole(session: pdp.Session, patients: pd.DataFrame) -> None:
    people = session.protect(pd.concat([patients, patients]), roster=True, one_row=True, complete=["age"])
    release = people["age"].dp.count()
    assert release["count"].item() == 300
    label = release.attrs["dp"]
    assert (label["epsilon"], label["rows"], label["size"], label["people"]) == (0, "whole", 300, 300)
    assert label["counted"] == "rows"
    assert session.share_used == 0


@pytest.mark.parametrize("neighbours", ["replace", "add_remove"])
def test_a_table_of_one_row_a_person_needs_no_bound_on_rows(
    open_session: Open, visits: pd.DataFrame, neighbours: str
) -> None:
    protected = open_session(neighbours=neighbours).protect(visits, one_row=True)
    first = visits.drop_duplicates("person_id")
    assert answer(protected["cost"], "sum") == pytest.approx(first["cost"].sum(), abs=2)
    assert answer(protected[protected["ward"] == "a"]["cost"]) == (first["ward"] == "a").sum()
    label = protected["cost"].dp.mean(epsilon=1).attrs["dp"]
    assert (label["size"], label["people"], label["counted"]) == (None, None, "rows")


def test_it_keeps_the_first_row_of_the_given_order_sorted_by_pseudonym(
    session: pdp.Session, visits: pd.DataFrame
) -> None:
    protected = session.protect(visits, one_row=True)
    assert protected["person_id"].is_monotonic_increasing
    assert protected["person_id"].is_unique
    assert sorted(protected["cost"]) == sorted(visits.drop_duplicates("person_id")["cost"])
    assert not protected["cost"].is_monotonic_increasing


def changed(patients: pd.DataFrame, how: str) -> pd.DataFrame:
    """The same but for the rows of the person who comes first."""
    hers = patients["person_id"] == patients["person_id"].iloc[0]
    return {
        "values": patients.assign(age=patients["age"].where(~hers, 99)),
        "doubled": pd.concat([patients, patients[hers]]),
        "doubled in front": pd.concat([patients[hers].assign(age=1), patients]),
        "moved": pd.concat([patients[~hers], patients[hers]]),
        "removed": patients[~hers],
    }[how]


@pytest.mark.parametrize(
    ("roster", "how"),
    [
        *((roster, how) for roster in (False, True) for how in ("values", "doubled", "doubled in front", "moved")),
        (False, "removed"),
    ],
)
def test_what_one_person_does_changes_her_row_alone(
    roster: bool, how: str, open_session: Open, patients: pd.DataFrame
) -> None:
    """Under one key the others stand where they stood."""
    sessions = [open_session(), open_session()]
    key = sessions[0]._core.tables.people._pseudonyms
    sessions[1]._core.tables.people._pseudonyms = key
    tables = (patients, changed(patients, how))
    frames = [
        session.protect(table, roster=roster, one_row=True) for session, table in zip(sessions, tables, strict=True)
    ]
    before, after = (frame.set_index("person_id") for frame in frames)
    hers = key.of(pd.Index(patients["person_id"].iloc[:1]))[0]
    others = after if how == "removed" else after.drop(hers)
    pd.testing.assert_frame_equal(pd.DataFrame(before.drop(hers)), pd.DataFrame(others), check_flags=False)
    assert (len(before) == len(after)) is (how != "removed")


@pytest.mark.parametrize("name", ["mean", "median", "count", "sum", "var", "max"])
def test_a_roster_of_one_row_a_person_answers_as_a_session_without_a_unit(
    name: str, open_session: Open, patients: pd.DataFrame
) -> None:
    """The same law: from one seed the same numbers, and the same label but for the names of things."""
    plain = open_session(unit=None)
    people = open_session().protect(patients, roster=True, one_row=True)
    rows = plain.protect(patients.set_index(people_order(patients, people)).sort_index().reset_index(drop=True))
    releases = []
    for frame in (people, rows):
        with seeded_noise(8):
            releases.append(getattr(frame["age"].dp, name)(epsilon=1))
    pd.testing.assert_frame_equal(pd.DataFrame(releases[0]), pd.DataFrame(releases[1]))
    own = {"id", "session", "frame", "digest", "unit", "roster", "people", "counted", "entry", "read"}
    labels = [{key: fact for key, fact in each.attrs["dp"].items() if key not in own} for each in releases]
    assert labels[0] == labels[1]


def people_order(patients: pd.DataFrame, people: pd.DataFrame) -> np.ndarray:
    """Where each of the patients stands in the protected table: by age, which is all that is asked about."""
    order = np.empty(len(patients), dtype=int)
    order[np.argsort(patients["age"], kind="stable")] = np.argsort(people["age"].to_numpy(), kind="stable")
    return order


def test_a_whole_roster_takes_a_bootstrap(session: pdp.Session, patients: pd.DataFrame) -> None:
    """Which needs a public number of rows."""
    people = session.protect(patients, roster=True, one_row=True)
    assert people["age"].dp.mean(epsilon=1, bootstrap=50).attrs["dp"]["bootstrap"] is not None


# -- what is refused


def test_there_is_one_roster_and_it_comes_before_questions(
    open_session: Open, patients: pd.DataFrame, visits: pd.DataFrame
) -> None:
    session = open_session()
    session.protect(patients, roster=True)
    with refused(errors.NotProtected, "second"):
        session.protect(visits, roster=True)
    session = open_session()
    totals(session.protect(visits)).dp.mean(**SUM)
    with refused(errors.NotProtected, "late"):
        session.protect(patients, roster=True)
    with refused(errors.UnsupportedArgument, "private"):
        open_session(neighbours="add_remove").protect(patients, roster=True)
    with refused(errors.UnsupportedArgument, "no flag"):
        open_session().protect(patients, roster=1)


def test_what_protect_refuses_names_no_roster(session: pdp.Session, patients: pd.DataFrame) -> None:
    with pytest.raises(errors.NotProtected):
        session.protect(patients.astype({"person_id": float}), roster=True)
    session.protect(patients, roster=True)
    assert session._core.tables.people.number == 300


# -- the ledger's terms


def test_a_ledger_is_opened_again_with_its_unit_and_its_roster(
    open_session: Open, tmp_path: Path, patients: pd.DataFrame, visits: pd.DataFrame
) -> None:
    path = tmp_path / "visits.ledger"
    session = open_session(ledger=path)
    session.protect(patients, roster="patients")
    totals(session.protect(visits)).dp.mean(**SUM)
    session.close()
    for case, how in {"none": {"unit": None}, "other": {"unit": "pid"}}.items():
        with refused(errors.LedgerMismatch, f"unit, {case}"):
            open_session(ledger=path, **how)
    session = open_session(ledger=path)
    assert len(session.ledger) == 1
    sums = totals(session.protect(visits))
    with refused(errors.NotProtected, "before the roster"):
        sums.dp.mean(**SUM)
    with refused(errors.LedgerMismatch, "another roster"):
        session.protect(visits, roster="visits")
    session.protect(patients.iloc[:200], roster="patients")  # the number of people is public at each opening
    assert sums.dp.mean(**SUM).attrs["dp"]["people"] == 200
    assert len(session.ledger) == 2
    session._core.ledger.verify()


def test_a_roster_cannot_be_named_in_a_ledger_that_was_charged_without(
    open_session: Open, tmp_path: Path, patients: pd.DataFrame, visits: pd.DataFrame
) -> None:
    path = tmp_path / "visits.ledger"
    session = open_session(ledger=path)
    totals(session.protect(visits)).dp.mean(**SUM)
    session.close()
    again = open_session(ledger=path)
    with refused(errors.LedgerMismatch):
        again.protect(patients, roster=True)
    assert totals(again.protect(visits)).dp.mean(**SUM).attrs["dp"]["roster"] is None


def test_who_opened_a_ledger_before_its_roster_was_named_opens_it_again(
    open_session: Open, tmp_path: Path, patients: pd.DataFrame, visits: pd.DataFrame
) -> None:
    path = tmp_path / "visits.ledger"
    early = open_session(ledger=path)
    sums = totals(early.protect(visits))
    session = open_session(ledger=path)
    session.protect(patients, roster="patients")
    with refused(errors.LedgerMismatch):
        sums.dp.mean(**SUM)
    assert len(session.ledger) == 0
    assert totals(session.protect(visits)).dp.mean(**SUM).attrs["dp"]["people"] == 300


def test_a_new_ledger_takes_the_roster_into_its_terms(
    open_session: Open, tmp_path: Path, patients: pd.DataFrame
) -> None:
    path = tmp_path / "visits.ledger"
    open_session(ledger=path).protect(patients, roster=True)
    again = open_session(ledger=path)
    assert again._core.ledger.terms.roster == "age, person_id, sex"
    again.protect(patients, roster=True)
    assert len(again.ledger) == 0
