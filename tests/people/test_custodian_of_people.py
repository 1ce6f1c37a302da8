"""What the custodian sees of people with many rows."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp import errors
from tests.refusals import refused

Open = Callable[..., pdp.Session]


def test_rows_per_person_is_what_pandas_counts(open_session: Open, visits: pd.DataFrame) -> None:
    gaps = visits.astype({"person_id": "Int64"})
    gaps.loc[:9, "person_id"] = pd.NA
    session = open_session(custodian=True)
    protected = session.protect(gaps)
    seen = pdp.custodian.rows_per_person(protected)
    many = gaps.groupby("person_id").size()
    assert seen["people"].to_dict() == many.value_counts().to_dict()
    for bound in seen.index:
        assert seen.loc[bound, "people_beyond"] == pytest.approx((many > bound).mean())
        assert seen.loc[bound, "rows_beyond"] == pytest.approx((many - bound).clip(lower=0).sum() / many.sum())
    assert seen.attrs["dp"]["dropped"] == 10
    assert seen.attrs["dp"]["kind"] == "custodian"
    assert session.share_used == 0
    part = pdp.custodian.rows_per_person(protected[protected["ward"] == "a"]["cost"])
    assert part["people"].sum() == gaps[gaps["ward"] == "a"]["person_id"].nunique()


def test_rows_of_people_who_are_not_on_the_roster_are_nobodys(
    open_session: Open, patients: pd.DataFrame, visits: pd.DataFrame
) -> None:
    session = open_session(custodian=True)
    session.protect(patients.iloc[:100], roster=True)
    seen = pdp.custodian.rows_per_person(session.protect(visits))
    there = visits["person_id"].isin(patients["person_id"].iloc[:100])
    assert seen.attrs["dp"]["nobodys"] == (~there).sum()
    assert (seen.index * seen["people"]).sum() == there.sum()


def test_it_is_for_the_custodian_alone_and_never_a_release(open_session: Open, visits: pd.DataFrame) -> None:
    with refused(errors.NoConsent, "consent"):
        pdp.custodian.rows_per_person(open_session().protect(visits))
    with refused(errors.UnsupportedArgument, "unit"):
        pdp.custodian.rows_per_person(open_session(unit=None, custodian=True).protect(visits))
    session = open_session(custodian=True)
    seen = pdp.custodian.rows_per_person(session.protect(visits))
    with pytest.raises(errors.UnsupportedArgument):
        seen["people"].dp.sum(bounds=(0, 10), epsilon=1)


def test_risk_and_utility_are_of_tables_with_one_row_a_person(
    open_session: Open, patients: pd.DataFrame, visits: pd.DataFrame
) -> None:
    session = open_session(custodian=True)
    people = session.protect(patients.assign(ward="a"), roster=True, one_row=True)
    curves = pdp.custodian.risk_utility(people, "sex", "ward", epsilons=[1], repetitions=5, seed=1)
    assert len(curves.draws)
    with refused(errors.UnsupportedArgument):
        pdp.custodian.risk_utility(session.protect(visits), "ward", "ward", epsilons=[1], repetitions=5, seed=1)


def test_promises_are_compared_for_people(open_session: Open, patients: pd.DataFrame, visits: pd.DataFrame) -> None:
    session = open_session(custodian=True)
    sums = session.protect(visits).groupby("person_id")["cost"].sum()
    table = pdp.custodian.promises(sums, "mean", epsilon=1, bounds=(0, 5_000), draws=50)
    assert table.index.get_level_values("model").tolist() == ["dp"]
