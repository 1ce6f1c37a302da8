"""What a session with a unit shows beside its numbers is the same whatever rows one person has, and says of no table
how many rows it has."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp import errors
from pandas_dp.audit import seeded_noise, zero_noise
from tests.contracts.test_silence import seen

Open = Callable[..., pdp.Session]
Ask = Callable[[pd.DataFrame], pd.DataFrame]
COST = {"bounds": {"cost": (0, 5_000)}, "epsilon": 1}
QUESTIONS: dict[str, Ask] = {
    "mean": lambda v: v.groupby("person_id")[["cost"]].sum().dp.mean(**COST),
    "median": lambda v: v.groupby("person_id")[["cost"]].max().dp.median(**COST),
    "count": lambda v: v.groupby("person_id")["cost"].first().dp.count(epsilon=1),
    "describe": lambda v: v.groupby("person_id")[["cost"]].mean().dp.describe(**COST),
    "tables": lambda v: v.groupby("person_id").first().dp.marginals([["ward"], []], epsilon=1),
    "groups": lambda v: v.groupby("person_id").first().dp.groupby("ward")["cost"].mean(bounds=(0, 100), epsilon=1),
    "one row": lambda v: v.drop_duplicates("person_id")["ward"].dp.value_counts(epsilon=1),
    "of rows": lambda v: v["cost"].dp.mean(max_rows=3, epsilon=1),
    "moments": lambda v: v.dp.moments(["cost", "ward"], terms=["ward:cost"], max_rows=3, rho=0.1),
    "groups of moments": lambda v: v.dp.groupby("ward").moments(["cost", "day"], max_rows=3, epsilon=1),
    "correlations": lambda v: v[["cost", "day"]].dp.corr(max_rows=3, epsilon=1),
    "one stage": lambda v: v.dp.ols("cost", ["ward", "day"], max_rows=3, rho=0.1),
    "two stages": lambda v: v.dp.ols("cost", ["ward", "day"], stages=2, max_rows=3, rho=0.1),
    "logit": lambda v: v.assign(dear=v["cost"] > 90).dp.logit("dear", ["day"], max_rows=3, rho=0.1),
    "over people": lambda v: v.dp.per_person(cost="sum", n="size")["n"].dp.mean(bounds=(0, 50), epsilon=1),
}  # fmt: skip


PRODUCTS = {"both", "upper", "lower"}  # of means over rows: what was released


def many(visits: pd.DataFrame, kind: str) -> pd.DataFrame:
    """The first patient has very many rows, or odd ones."""
    hers = visits.iloc[[0]]
    if kind == "a million copies":
        return pd.concat([visits, hers.loc[hers.index.repeat(10**6)]])
    if kind == "all rows":
        return visits.assign(person_id=hers["person_id"].item())
    if kind == "no rows":
        return visits.iloc[:0]
    odd = pd.DataFrame({"cost": [np.nan, np.inf, -np.inf, 1e308, -1.0], "ward": [None, "zzz", "a", "b", ""]})
    return pd.concat([visits, odd.assign(person_id=hers["person_id"].item(), day=-1)])


def asked(ask: Ask, rows: pd.DataFrame, session: pdp.Session) -> dict[str, Any]:
    protected = session.protect(rows)
    with seeded_noise(3):
        noisy = ask(protected)
    with zero_noise():
        exact = ask(protected)
    spent = session.ledger[["statistic", "columns", "by", "mechanism", "rows", "epsilon", "delta", "rho"]]
    found = {"noisy": seen(noisy), "exact": seen(exact), "spent": repr(spent.to_dict("list"))}
    for each in found.values():
        if isinstance(each, dict):
            each["label"].pop("session")
            for item in each["label"]["evidence"]:
                item.pop("cut", None)  # whether a clip that was released lies within what residuals can be
                for released in PRODUCTS & item.get("sums", {}).keys():
                    item["sums"][released] = len(item["sums"][released])
    return {**found, "guarantee": noisy.dp.guarantee}


@pytest.mark.slow
@pytest.mark.parametrize("neighbours", ["replace", "add_remove"])
@pytest.mark.parametrize("kind", ["a million copies", "all rows", "no rows", "odd rows"])
def test_shape_price_and_label_do_not_depend_on_the_rows_of_one_person(
    kind: str, neighbours: str, open_session: Open, visits: pd.DataFrame
) -> None:
    other = many(visits, kind)
    for name, ask in QUESTIONS.items():
        sessions = [open_session(neighbours=neighbours, delta=1e-6) for _ in range(2)]
        expected, found = (asked(ask, rows, each) for rows, each in zip((visits, other), sessions, strict=True))
        assert found == expected, name
        for each in sessions:
            each.close()


@pytest.mark.slow
def test_a_million_rows_of_one_person_move_a_count_by_one(open_session: Open, visits: pd.DataFrame) -> None:
    stranger = pd.DataFrame({"person_id": [-1] * 10**6, "cost": 7.0, "ward": "a", "day": 1})
    with zero_noise():
        for ask, most in {QUESTIONS["count"]: 1, QUESTIONS["over people"]: 50 / 200}.items():
            before, after = (
                ask(open_session().protect(rows)).iloc[0, 0] for rows in (visits, pd.concat([visits, stranger]))
            )
            assert abs(after - before) <= most


ROWS = 104_729
ALONE = re.compile(r"(?<![\w.])(?:104729(?!\w)|(?<!\d,)104,729(?![\w,]))")  # not amid the digits of ids and of noise


@pytest.fixture
def numbered(patients: pd.DataFrame) -> pd.DataFrame:
    """A table whose number of rows would be noticed wherever it stood."""
    rng = np.random.default_rng(6)
    ids = rng.choice(patients["person_id"], ROWS)
    return pd.DataFrame({"person_id": ids, "cost": rng.random(ROWS), "ward": "a", "day": 0})


@pytest.mark.parametrize("neighbours", ["replace", "add_remove"])
def test_nothing_that_is_shown_holds_the_number_of_rows(
    neighbours: str, open_session: Open, patients: pd.DataFrame, numbered: pd.DataFrame
) -> None:
    session = open_session(neighbours=neighbours, delta=1e-6)
    if neighbours == "replace":
        session.protect(patients, roster=True)
    protected = session.protect(numbered)
    shown = [repr(session), session._repr_html_(), session.promise, repr(protected.dp), repr(protected["cost"].dp)]
    for ask in QUESTIONS.values():
        release = ask(protected)
        shown += [json.dumps(release.attrs["dp"]), release.dp.guarantee, repr(release), release._repr_html_()]
    shown += [session.ledger.to_csv(), json.dumps([entry.facts for entry in session._core.ledger.entries()])]
    shown.append(session.plan(lambda: QUESTIONS["mean"](protected)).to_csv())
    for lost in (protected["cost"], protected.reset_index(drop=True)):
        with pytest.raises((errors.UnsupportedArgument, errors.NotProtected)) as refusal:
            lost.dp.sum(epsilon=1)
        shown.append(str(refusal.value))
    assert not [text for text in shown if ALONE.search(text)]


def test_a_person_in_the_middle_changes_nobody_elses_contribution(
    open_session: Open, patients: pd.DataFrame, visits: pd.DataFrame
) -> None:
    """Under one key: by whatever way their rows became one, all others bring what they brought."""
    middle = len(visits) // 2
    more = pd.concat([visits[:middle], visits.iloc[[3, 3, 3]].assign(person_id=-1), visits[middle:]])
    sessions = [open_session(schema=None) for _ in range(2)]
    key = sessions[1]._core.tables.people._pseudonyms = sessions[0]._core.tables.people._pseudonyms
    before, after = (session.protect(rows) for session, rows in zip(sessions, (visits, more), strict=True))
    new = key.of(pd.Index([-1]))[0]
    for ways in (
        lambda v: v.groupby("person_id").agg({"cost": "sum", "day": "max", "ward": "first"}),
        lambda v: v.dp.per_person(cost="mean", last="ward", by="day"),
        lambda v: v.sort_values("day").groupby("person_id")[["cost", "ward"]].last(),
        lambda v: v.groupby("person_id").head(1).set_index("person_id")[["cost"]].sort_index(),
        lambda v: v.assign(d=v.groupby("person_id")["cost"].cumsum()).groupby("person_id")[["d"]].max(),
    ):
        pd.testing.assert_frame_equal(ways(before), ways(after).drop(new), check_flags=False)
