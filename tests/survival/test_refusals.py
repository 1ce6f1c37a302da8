"""What survival refuses, before anything is paid."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp import errors
from tests.refusals import refused

from .test_life_tables import Staff, protected, staff

BOUNDS = {"stay": (pd.Timedelta("0h"), pd.Timedelta("3h"))}

ASKED: dict[str, tuple[type[Exception], dict[str, Any]]] = {
    "an event that is a text": (errors.UnsupportedType, {"event": "region"}),
    "an event that is a number": (errors.UnsupportedType, {"event": "left", "time": "left"}),
    "too many bins": (errors.UnsupportedArgument, {"bins": 1000}),
    "bins that fall": (errors.BadBounds, {"bins": [5, 3, 1]}),
    "a group that is the event": (errors.UnsupportedArgument, {"by": "event"}),
    "a mask as group": (errors.UnsupportedArgument, {"by": [True, False]}),
    "a bootstrap": (errors.UnsupportedArgument, {"bootstrap": 20}),
    "a width": (errors.UnsupportedArgument, {"width": 0.1, "rho": None}),
    "a censoring that is none": (errors.UnsupportedArgument, {"censoring": True}),
    "people": (errors.UnsupportedArgument, {"count": "people", "max_cells": 2}),
}


@pytest.mark.parametrize("case", ASKED)
def test_a_life_table_that_cannot_be_is_refused_before_paying(case: str) -> None:
    error, keywords = ASKED[case]
    session = pdp.Session(rho=10, schema=Staff)
    frame = session.protect(staff())
    asked = {"time": "left", "event": "event", "rho": 0.1, **keywords}
    asked = {name: value for name, value in asked.items() if value is not None}
    with refused(error, case):
        frame.dp.survival(asked.pop("time"), asked.pop("event"), **asked)
    assert session.share_used == 0


def test_bins_where_nobody_can_be_are_refused() -> None:
    session = pdp.Session(rho=10, schema=Staff)
    frame = session.protect(staff())
    for case, bins in {"behind": range(0, 31, 5), "before": [-4, -2, 0, 12]}.items():
        with refused(errors.BadBounds, case):
            frame.dp.survival("left", "event", bins=list(bins), rho=0.1)
    rows = pd.DataFrame({"stay": pd.to_timedelta(["1h", "3h"]), "event": True})
    days = pdp.Session(rho=1).protect(rows)
    with refused(errors.BadBounds, "lengths of time"):
        days.dp.survival("stay", "event", bins=pd.to_timedelta(["0h", "2h", "4h", "6h"]), bounds=BOUNDS, rho=0.1)
    assert session.share_used == 0
    assert len(frame.dp.survival("left", "event", bins=[-1, 5, 12, 13], rho=0.1)) == 3  # the last holds its edge 12


def test_a_time_and_an_event_that_are_swapped_are_named() -> None:
    session = pdp.Session(rho=10, schema=Staff)
    frame = session.protect(staff())
    with refused(errors.UnsupportedType, "a time that is true or false"):
        frame.dp.survival("event", "left", rho=0.1)
    with refused(errors.UnsupportedType, "two that are true or false"):
        frame.dp.survival("maybe", "event", rho=0.1)
    with refused(errors.UnsupportedType, "bounds of the event"):
        pdp.Session(rho=1).protect(staff()).dp.survival("event", "left", bounds={"left": (0, 12)}, rho=0.1)
    assert session.share_used == 0


def test_a_time_between_0_and_1_is_one() -> None:
    frame = pdp.Session(rho=10).protect(pd.DataFrame({"share": [0.2, 0.7], "event": [True, False]}))
    assert frame.dp.survival("share", "event", bounds=(0, 1), bins=4, rho=0.1).shape == (4, 7)


def test_weaker_promises_are_refused() -> None:
    session = pdp.Session(epsilon=10, schema=Staff, models=["dp", "idp", "bdp"])
    for model in ("idp", "bdp"):
        with refused(errors.PrivacyError, model):
            session.protect(staff()).dp.survival("left", "event", epsilon=1, model=model)


def test_rows_of_people_are_refused() -> None:
    session = pdp.Session(rho=10, unit="who", schema=Staff)
    frame = session.protect(staff().assign(who=range(130)))
    with refused(errors.UnsupportedArgument):
        frame.dp.survival("left", "event", max_rows=2, rho=0.1)


def test_weights_are_refused() -> None:
    frame = protected(staff().assign(w=1.0))
    with refused(errors.UnsupportedArgument):
        frame.dp.survival("left", "event", weights="w", bounds={"w": (0, 2)}, rho=0.1)


def test_a_design_with_weights_is_refused() -> None:
    session = pdp.Session(rho=10, schema=Staff)
    frame = session.protect(staff().assign(w=1.0), design=pdp.Design(weights="w"))
    with refused(errors.UnsupportedArgument):
        frame.dp.survival("left", "event", bounds={"w": (0, 2)}, rho=0.1)
    assert frame.dp.survival("left", "event", weights=None, rho=0.1).shape == (10, 7)


def test_one_group_has_no_log_rank_test() -> None:
    with refused(errors.NotConcluded):
        protected(staff()).dp.survival("left", "event", rho=0.1).dp.log_rank_test()


def test_noise_that_depends_on_counts_supports_no_curve() -> None:
    session = pdp.Session(epsilon=10, schema=Staff)
    life = session.protect(staff()).dp.survival("left", "event", mechanism="hellinger", epsilon=1)
    with refused(errors.NotConcluded):
        life.dp.curve()


def test_points_in_time_are_refused() -> None:
    rows = pd.DataFrame({"when": pd.date_range("2020", periods=5), "done": True})
    bounds = (pd.Timestamp("2020"), pd.Timestamp("2021"))
    with refused(errors.UnsupportedType):
        pdp.Session(rho=1).protect(rows).dp.survival("when", "done", bounds=bounds, rho=0.1)


def test_hazards_by_what_made_no_groups_are_refused() -> None:
    life = protected(staff()).dp.survival("left", "event", by="union", rho=0.1)
    with refused(errors.UnsupportedArgument, "another key"):
        life.dp.hazard(["region"])
    with refused(errors.UnsupportedArgument, "a text"):
        life.dp.hazard("union")


def test_hazards_of_very_many_bins_are_refused() -> None:
    life = protected(staff()).dp.survival("left", "event", bins=100, rho=0.1)
    with refused(errors.UnsupportedArgument):
        life.dp.hazard()


def test_quantiles_of_several_shares_are_rows() -> None:
    rows = pd.DataFrame({"left": [2, 5, 9, 12] * 100, "event": [True, True, False, False] * 100})
    rows = rows.assign(sex=["f", "m"] * 200)
    staff = pdp.Session(rho=1e9).protect(rows)
    said: Any = {"bins": [0, 4, 8, 12], "bounds": (0, 12), "rho": 1e6}
    life = staff.dp.survival("left", "event", **said)
    assert life.dp.quantile([0.2, 0.4])["quantile"].to_dict() == {0.2: 4.0, 0.4: 8.0}
    by_sex = staff.dp.survival("left", "event", by="sex", categories={"sex": ["f", "m"]}, **said)
    assert by_sex.dp.quantile([0.2, 0.4]).index.names == ["q", "sex"]
    for wrong in ([], [2], "half"):
        with pytest.raises(errors.BadArgument):
            life.dp.quantile(wrong)
