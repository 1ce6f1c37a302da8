"""Which tables of a session with a unit are answered, what counts of a person, and what the label says of it."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp import errors
from pandas_dp.audit import zero_noise
from tests.refusals import refused

Open = Callable[..., pdp.Session]
ASKED = {"bounds": (0, 5_000), "epsilon": 1}

AS_PANDAS: dict[str, Callable[[pd.DataFrame], pd.Series]] = {
    "sum": lambda v: v.groupby("person_id")["cost"].sum(),
    "size": lambda v: v.groupby("person_id").size(),
    "custom": lambda v: v.groupby("person_id")["cost"].agg(lambda c: c.max() - c.min()),
    "named": lambda v: v.groupby("person_id").agg(most=("cost", "max"))["most"],
    "first": lambda v: v.groupby("person_id")["cost"].first(),
    "shifted": lambda v: v.assign(d=v.groupby("person_id")["cost"].shift()).groupby("person_id")["d"].max(),
    "transformed": lambda v: v.assign(
        d=v.groupby("person_id")["cost"].transform("mean")
    ).groupby("person_id")["d"].max(),
    "of some rows": lambda v: v[v["ward"] == "a"].groupby("person_id")["cost"].mean(),
    "latest": lambda v: v.sort_values(["day", "person_id"], kind="stable").groupby("person_id")["cost"].last(),
}  # fmt: skip

pytestmark = pytest.mark.usefixtures("no_other_sessions")


@pytest.mark.parametrize("name", AS_PANDAS)
@pytest.mark.parametrize("neighbours", ["replace", "add_remove"])
def test_one_row_of_each_person_is_counted(
    name: str, neighbours: str, open_session: Open, visits: pd.DataFrame
) -> None:
    session = open_session(neighbours=neighbours)
    found = AS_PANDAS[name](session.protect(visits))
    expected = AS_PANDAS[name](visits).groupby(level=0, sort=False).apply(lambda c: c.iloc[0])  # whose first row counts
    with zero_noise():
        release = found.dp.sum(**ASKED)
        number = found.dp.count(epsilon=1).iloc[0, 0]
    assert number == expected.notna().sum()
    assert release.iloc[0, 0] == pytest.approx(expected.clip(0, 5_000).sum(), abs=5)
    label = release.attrs["dp"]
    said = {key: label[key] for key in ("unit", "roster", "people", "counted", "size", "rows")}
    assert said == {
        "unit": "person_id",
        "roster": None,
        "people": None,
        "counted": "first of each person",
        "size": None,
        "rows": "followed",
    }


def test_tables_meet_by_their_people(session: pdp.Session, patients: pd.DataFrame, visits: pd.DataFrame) -> None:
    def by_sex(p: pd.DataFrame, v: pd.DataFrame) -> pd.DataFrame:
        both = v.merge(p, on="person_id").set_index("person_id")
        return both.groupby("person_id").agg(cost=("cost", "sum"), sex=("sex", "first"))

    expected = by_sex(patients, visits).assign(cost=lambda p: p["cost"].clip(0, 5_000)).groupby("sex")["cost"].mean()
    found = by_sex(session.protect(patients), session.protect(visits))
    with refused(errors.NotFollowed):
        found.dp.groupby("sex")["cost"].mean(**ASKED)
    joined = session.vouch(found, because="two tables, joined by whose their rows are")
    with zero_noise():
        means = joined.dp.groupby("sex")["cost"].mean(**ASKED)["mean"]
    assert means.to_dict() == pytest.approx(expected.to_dict(), rel=1e-3)


def test_a_column_of_one_table_is_looked_up_in_another(
    session: pdp.Session, patients: pd.DataFrame, visits: pd.DataFrame
) -> None:
    p, v = session.protect(patients, one_row=True), session.protect(visits)
    ages = v["person_id"].map(p.set_index("person_id")["age"])
    assert ages.tolist() == visits["person_id"].map(patients.set_index("person_id")["age"]).tolist()


def test_people_of_elsewhere_are_nobody(session: pdp.Session, visits: pd.DataFrame) -> None:
    sums = session.protect(visits).groupby("person_id")["cost"].sum()
    strangers = pd.concat([sums, sums.set_axis(sums.index + 1), sums.set_axis(sums.index.astype(str))])
    strangers = session.vouch(strangers.rename_axis("person_id"), because="people of elsewhere among them")
    with zero_noise():
        assert strangers.dp.count(epsilon=1).iloc[0, 0] == len(sums)


def test_rows_are_refused_where_a_person_may_have_any_number(session: pdp.Session, visits: pd.DataFrame) -> None:
    protected = session.protect(visits)
    for data in (protected["cost"], protected[protected["ward"] == "a"]["cost"]):
        with refused(errors.UnsupportedArgument):
            data.dp.mean(epsilon=1)
    assert session.share_used == 0


def test_a_session_with_a_unit_answers_for_nothing_that_it_did_not_protect(
    session: pdp.Session, visits: pd.DataFrame
) -> None:
    with session:
        for case, data in (("rows", visits), ("people", visits.groupby("person_id")["cost"].sum())):
            with refused(errors.NotProtected, case):
                data.dp.count(epsilon=1)
        session.protect(visits)
        with refused(errors.NotProtected, "beside one that it protects"):
            visits.dp.count(epsilon=1)
        assert session.share_used == 0


def test_bounds_of_a_row_do_not_serve_what_was_made_of_rows(session: pdp.Session, visits: pd.DataFrame) -> None:
    totals = session.protect(visits).groupby("person_id")[["cost", "day"]].sum()
    for case, ask in {
        "sum": lambda: totals["cost"].dp.mean(epsilon=1),
        "integer": lambda: totals["day"].dp.median(epsilon=1),
    }.items():
        with refused(errors.NoBounds, case):
            ask()
    with refused(errors.NoCategories, "as categories"):
        totals["day"].dp.value_counts(epsilon=1)
    assert session.share_used == 0


def test_categories_of_a_row_serve_a_person(session: pdp.Session, visits: pd.DataFrame) -> None:
    first = session.protect(visits).groupby("person_id").first()
    with zero_noise():
        counts = first["ward"].dp.value_counts(epsilon=1)["count"].to_dict()
    assert counts == visits.groupby("person_id")["ward"].first().value_counts().to_dict()


def test_people_without_a_value_are_left_out(session: pdp.Session, visits: pd.DataFrame) -> None:
    """Also of a column that is declared without gaps: nobody has said so of what was made of it."""
    gaps = visits.assign(cost=visits["cost"].where(visits["ward"] == "a"))
    costs = session.protect(gaps).groupby("person_id")["cost"].mean()
    with zero_noise():
        assert costs.dp.count(epsilon=1).iloc[0, 0] == gaps.groupby("person_id")["cost"].mean().notna().sum()


def test_pandas_sorts_a_protected_table_stably(session: pdp.Session, visits: pd.DataFrame) -> None:
    protected = session.protect(visits.assign(day=0))
    assert protected.sort_values("day")["cost"].tolist() == visits["cost"].tolist()
    by_ward = visits.sort_values("ward", kind="stable")["cost"].tolist()
    assert protected.sort_values("ward")["cost"].tolist() == by_ward
    assert protected["day"].sort_values().index.tolist() == protected.index.tolist()


def test_rows_that_were_sorted_are_all_rows(session: pdp.Session, patients: pd.DataFrame) -> None:
    people = session.protect(patients, roster=True, one_row=True)
    assert people["age"].dp.count(epsilon=1).attrs["dp"]["rows"] == "whole"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # pandas takes its leave of inplace
        people.sort_values("age", inplace=True)
    assert people["age"].dp.count(epsilon=1).attrs["dp"]["rows"] == "whole"


def test_the_promise_and_the_guarantee_speak_of_a_person(open_session: Open, visits: pd.DataFrame) -> None:
    adjacency = {
        "replace": (
            "one person, with all rows under one 'person_id', is replaced",
            "one person replaced, with all rows",
        ),
        "add_remove": (
            "one person, with all rows under one 'person_id', is added or removed",
            "one person added or removed, with all rows",
        ),
    }
    for neighbours, (promised, guaranteed) in adjacency.items():
        session = open_session(neighbours=neighbours)
        release = session.protect(visits).groupby("person_id")["cost"].sum().dp.mean(**ASKED)
        assert promised in session.promise
        assert "unit 'person_id'" in repr(session)
        assert promised in session._repr_html_().replace("&#x27;", "'")
        assert guaranteed in release.dp.guarantee
        assert "of each person the first row" in release.dp.guarantee
        assert "of each person the first row" in " ".join(repr(release).split())
