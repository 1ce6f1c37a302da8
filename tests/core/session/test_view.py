"""How a session shows itself: promise, ledger, repr, html; and that no data value is in any of it."""

from __future__ import annotations

import pickle
import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp.core.budget.cost import parse
from pandas_dp.core.budget.ledger import ModelTotal
from pandas_dp.core.neighbours import Relation
from pandas_dp.core.session import view

CANARY = "xq7canaryZ"
NUMBER = 73_519_204_417  # nowhere else in these strings but by a chance below 1e-6


def canaries() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "name": [CANARY] * 50,
            "income": [float(NUMBER)] * 50,
            "age": [NUMBER] * 50,
            "born": [pd.Timestamp("1951-03-09 07:53:11")] * 50,
        }
    )


def says_nothing(text: str) -> bool:
    return not re.search(rf"{CANARY}|{NUMBER}|7\.?351920|1951-03-09|07:53:11", text)


@pytest.fixture
def guarded() -> Iterator[tuple[pdp.Session, pd.DataFrame]]:
    session = pdp.Session(epsilon=1, delta=1e-6, name="guarded")
    yield session, session.protect(canaries())
    session.close()


def test_a_session_in_which_nothing_was_released_promises_its_cap() -> None:
    sentence = "Nothing has been released; at most rho=0.5 will be: differential privacy when one row is {}."
    assert pdp.Session(rho=0.5).promise == sentence.format("replaced")
    assert pdp.Session(rho=0.5, neighbours="add_remove").promise == sentence.format("added or removed")


def test_the_promise_adds_up_what_was_spent_in_each_currency(session: pdp.Session, people: pd.DataFrame) -> None:
    people["age"].dp.sum(epsilon=0.5)
    people["age"].dp.sum(rho=0.25)
    assert session.promise == (
        "Everything released so far, epsilon=0.5 + rho=0.25 in all, keeps differential privacy when one row is "
        "replaced, within epsilon=1e+13, delta=1e-06."
    )


def test_in_a_rho_session_the_promise_counts_rho_alone(table: Callable[..., pd.DataFrame]) -> None:
    session = pdp.Session(rho=0.5)
    session.protect(table())["age"].dp.sum(epsilon=0.6, bounds=(0, 100))
    assert session.promise == (
        "Everything released so far, rho=0.18 in all, keeps differential privacy when one row is replaced, "
        "within rho=0.5."
    )


@pytest.mark.parametrize(
    ("models", "sentence"),
    [
        (
            ["dp", "idp"],
            "Everything released so far keeps individual DP, which is weaker, when one row is replaced, "
            "within epsilon=3.",
        ),
        (
            ["bdp"],
            "Everything released so far keeps bootstrap DP, which is weaker, when one row is replaced, "
            "within epsilon=3.",
        ),
        (
            ["idp", "bdp"],
            "Everything released so far, under both weaker promises together, hides a row of these very data only "
            "among the rows that occur in them, within epsilon=3.",
        ),
    ],
)
def test_the_promise_is_the_weakest_that_was_used(models: list[str], sentence: str) -> None:
    cap = parse(epsilon=3)
    assert cap is not None
    assert view.promise(cap, Relation.REPLACE, dict.fromkeys(models, ModelTotal()), Counter()) == sentence


def test_the_ledger_is_one_row_a_release_oldest_first(session: pdp.Session, people: pd.DataFrame) -> None:
    first = people.dp.crosstab("sex", "region", epsilon=0.5)
    second = people[people["age"] > 10][["age", "income"]].dp.mean(rho=0.25)
    ledger = session.ledger
    assert ledger.index.tolist() == [1, 2]
    assert ledger.index.name == "entry"
    assert ledger.columns.tolist() == [
        "release",
        "time",
        "session",
        "statistic",
        "columns",
        "by",
        "model",
        "mechanism",
        "rows",
        "period",
        "epsilon",
        "delta",
        "rho",
        "note",
    ]
    assert ledger["release"].tolist() == [first.attrs["dp"]["id"], second.attrs["dp"]["id"]]
    assert ledger["statistic"].tolist() == ["crosstab", "mean"]
    assert ledger["columns"].tolist() == ["", "age, income"]
    assert ledger["by"].tolist() == ["sex, region", ""]
    assert ledger["mechanism"].tolist() == ["laplace", "gaussian"]
    assert ledger["rows"].tolist() == ["whole", "followed"]
    assert ledger.loc[1, ["epsilon", "delta"]].tolist() == [0.5, 0.0]
    assert ledger.loc[2, "rho"] == 0.25


def test_the_ledger_tells_when_in_utc(session: pdp.Session, people: pd.DataFrame) -> None:
    before = pd.Timestamp.now("UTC").floor("ms")
    people["age"].dp.sum()
    assert before <= session.ledger["time"].item() <= pd.Timestamp.now("UTC")


def test_an_empty_ledger_has_its_columns() -> None:
    ledger = pdp.Session(epsilon=1).ledger
    assert len(ledger) == 0
    assert ledger.columns[-4:].tolist() == ["epsilon", "delta", "rho", "note"]


def test_a_changed_ledger_table_changes_no_budget(session: pdp.Session, people: pd.DataFrame) -> None:
    people["age"].dp.sum(epsilon=0.5)
    shown = session.ledger
    shown.loc[1, "epsilon"] = 0.0
    assert session.ledger["epsilon"].item() == 0.5


def test_repr_shows_cap_bar_rest_and_promise(table: Callable[..., pd.DataFrame]) -> None:
    session = pdp.Session(epsilon=2, name="survey")
    session.protect(table())["age"].dp.sum(epsilon=0.5, bounds=(0, 100))
    assert repr(session).splitlines() == [
        "Session 'survey': cap epsilon=2, open, neighbours replace",
        "  ledger in memory: ends with this process",
        "  spent  ████████░░░░░░░░░░░░░░░░░░░░░░ 25.0%",
        "  left   epsilon=1.5 for one more question",
        "  Everything released so far, epsilon=0.5 in all, keeps differential privacy when one row is replaced, "
        "within epsilon=2.",
    ]


def test_a_session_says_where_its_ledger_is_kept(tmp_path: Path) -> None:
    kept = pdp.Session(epsilon=1, ledger=tmp_path / "survey.ledger")
    assert "  ledger in the file survey.ledger" in repr(kept).splitlines()
    assert "Ledger in the file survey.ledger" in kept._repr_html_()
    assert "Ledger in memory: ends with this process" in pdp.Session(epsilon=1)._repr_html_()


def test_a_protected_table_says_what_a_row_is_taken_for(guarded: tuple[pdp.Session, pd.DataFrame]) -> None:
    _, frame = guarded
    line = "Protected: each row is taken for one person, and one row is what a release hides."
    for shown in (repr(frame), frame._repr_html_(), repr(frame[["age"]])):
        assert line in shown
    derived = frame[frame["age"] > 0]
    assert line not in repr(derived) + derived._repr_html_()


def test_html_shows_a_bar_and_the_latest_releases_and_escapes_names(people: pd.DataFrame) -> None:
    session = pdp.Session(epsilon=2, name="<b>&")
    html = session._repr_html_()
    assert "<b>&" not in html
    assert "&lt;b&gt;&amp;" in html
    assert "No releases yet" in html


def test_html_lists_eight_releases_and_counts_the_earlier(session: pdp.Session, people: pd.DataFrame) -> None:
    for _ in range(10):
        people["age"].dp.sum(epsilon=0.5)
    html = session._repr_html_()
    assert html.count("<td>sum</td>") == 8
    assert "<th>10</th>" in html
    assert "<th>2</th>" not in html
    assert "2 earlier" in html
    assert 'aria-label="0.0% spent"' in html


def test_a_column_name_is_escaped_in_html(session: pdp.Session) -> None:
    session.protect(pd.DataFrame({"<i>": [1]})).dp.sum(epsilon=0.1, bounds=(0, 1))
    assert "<i>" not in session._repr_html_()


def accessors(data: pd.DataFrame) -> dict[str, Any]:
    return {
        "frame": data.dp,
        "series": data["income"].dp,
        "groupby": data.dp.groupby("name"),
        "derived": data[data["income"] > 0].dp,
    }


@pytest.mark.parametrize("show", [repr, str, lambda s: s._repr_html_(), lambda s: s.ledger.to_string()])
def test_no_string_of_a_session_holds_a_value(
    show: Callable[[Any], str], guarded: tuple[pdp.Session, pd.DataFrame]
) -> None:
    session, data = guarded
    data["income"].dp.mean(bounds=(0, 1), epsilon=0.1)
    data.dp.groupby("name", categories=["a", "b"])["age"].median(bounds=(0, 10), epsilon=0.1)
    assert says_nothing(show(session))


@pytest.mark.parametrize("accessor", ["frame", "series", "groupby", "derived"])
def test_no_face_shows_a_value(accessor: str, guarded: tuple[pdp.Session, pd.DataFrame]) -> None:
    _, data = guarded
    assert says_nothing(repr(accessors(data)[accessor]) + str(accessors(data)[accessor]))


@pytest.mark.parametrize(
    "ask",
    [
        lambda d: d["income"].dp.mean(),
        lambda d: d["name"].dp.mean(bounds=d["name"]),
        lambda d: d["income"].dp.mean(bounds=(0, d["income"])),
        lambda d: d["name"].dp.value_counts(categories=[d["name"]]),
        lambda d: d["income"].dp.mean(epsilon=d["income"]),
        lambda d: d["income"].dp.mean(bounds=(0, 1), confidence=d["income"]),
        lambda d: d["income"].dp.mean(bounds=(0, 1), width=d["income"]),
        lambda d: d["income"].dp.mean(bounds=(0, 1), mechanism=d["income"]),
        lambda d: d["income"].dp.mean(bounds=(0, 1), model=d["income"]),
        lambda d: d["income"].dp.mean(bounds=(0, 1), other=d["income"]),
        lambda d: d["income"].dp.mean(bounds=(0, 1), axis=d["income"]),
        lambda d: d["income"].dp.mean(bounds=(0, 1), anything=d["income"]),
        lambda d: d["income"].dp.var(bounds=(0, 1), ddof=d["income"]),
        lambda d: d["income"].dp.quantile(d["income"], bounds=(0, 1)),
        lambda d: d["income"].dp.histogram(d[["income"]], bounds=(0, 1)),
        lambda d: d["income"].dp.agg(d["name"]),
        lambda d: d.dp.groupby("name", categories=["a"])[d["income"] > 0].mean(),
        lambda d: d.dp.groupby("name", categories=["a"])[d["income"]].mean(),
        lambda d: d.dp.groupby("name", categories=["a"]).agg(x=(d["income"], "mean")),
        lambda d: d.dp.groupby("name", categories=["a"]).agg(d["income"]),
        lambda d: d.dp.crosstab(d["name"], d["age"]),
        lambda d: d.dp.crosstab("name", "age", margins=d["age"]),
        lambda d: d.dp.pivot_table("age", "name", aggfunc=d["age"]),
        lambda d: d.dp.value_counts(d[["name"]]),
        lambda d: d["income"].dp.mean(bounds=(0, 1), epsilon=5),
    ],
)
def test_no_refusal_quotes_a_value_though_data_was_given_as_an_argument(
    ask: Callable[[pd.DataFrame], Any], guarded: tuple[pdp.Session, pd.DataFrame]
) -> None:
    session, data = guarded
    with pytest.raises(pdp.PrivacyError) as caught:
        ask(data)
    assert says_nothing(str(caught.value))
    assert len(session.ledger) == 0


def test_a_release_carries_no_value_but_noisy_ones(guarded: tuple[pdp.Session, pd.DataFrame]) -> None:
    _, data = guarded
    release = data["income"].dp.mean(bounds=(0, 1), epsilon=0.1)
    assert says_nothing(str(release.attrs) + repr(release))


def test_a_session_in_memory_refuses_to_be_pickled_and_so_tells_nothing(
    guarded: tuple[pdp.Session, pd.DataFrame],
) -> None:
    with pytest.raises(pdp.PrivacyError) as caught:
        pickle.dumps(guarded[0])
    assert says_nothing(str(caught.value))


def test_html_says_in_which_period_and_leaves_out_currencies_that_none_has(tmp_path: Path) -> None:
    people = pd.DataFrame({"age": [31.0, 54.0] * 50})
    with pdp.Session(epsilon=2, ledger=tmp_path / "l", period="2026-11") as session:
        session.protect(people)["age"].dp.sum(epsilon=1, bounds=(0, 100))
        html = session._repr_html_()
    assert "<th>period</th>" in html
    assert "<td>2026-11</td>" in html
    assert "<th>rho</th>" not in html
