"""A function is tried on made-up tables: what is refused, what passes, and that no data are in it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp import errors
from pandas_dp.derive import rows_apart
from tests.refusals import refused

from .functions import DERIVATIONS, Derivation, Visits, visits

GOLDEN = json.loads(Path(__file__).with_name("golden.json").read_text("utf-8"))["verdicts"]
LOST = "loses the ids of the rows"
ELSE = dict.fromkeys(("personwise: agg by person", "personwise: last by time"), LOST)
"""Where the pages try rows, they say that these mix them. They do, and they lose the ids before that is seen."""
SLOW = [name for name, verdicts in GOLDEN.items() if "passes" in verdicts and "arithmetic" not in name]


def verdict(f: Derivation, frame: Any, session: pdp.Session) -> str:
    try:
        session.derive(f, frame)
    except errors.NotRowwise as refusal:
        return str(refusal.verdict)  # type: ignore[attr-defined]
    return "passes"


@pytest.mark.parametrize("name", [pytest.param(n, marks=[pytest.mark.slow] if n in SLOW else []) for n in GOLDEN])
def test_the_verdicts_are_those_of_the_pages(name: str) -> None:
    by_person, by_row = (pdp.Session(epsilon=1, schema=Visits, unit=unit) for unit in ("pid", None))
    found = [verdict(DERIVATIONS[name], session.protect(visits()), session) for session in (by_person, by_row)]
    expected = [GOLDEN[name][0], ELSE.get(name, GOLDEN[name][1])]
    assert found == expected


def test_the_latest_visit_after_an_unstable_sort_is_refused_where_dates_are_tied() -> None:
    """A protected frame itself sorts stably; what is cut from it sorts as pandas does."""
    session = pdp.Session(epsilon=1, schema=Visits, unit="pid")
    frame = session.protect(visits())
    latest: Derivation = lambda d: d.sort_values("t").groupby("pid").last()  # noqa: E731
    assert verdict(latest, frame, session) == "passes"
    assert verdict(latest, frame[frame["n"] >= 0], session) == "a person's rows change with others"
    assert (
        verdict(lambda d: d.sort_values(["t", "n"]).groupby("pid").last(), frame[frame["n"] >= 0], session) == "passes"
    )


def test_a_refusal_shows_a_made_up_table_and_is_the_same_for_all_data() -> None:
    said = set()
    for data in (visits(), visits(3, seed=4), visits(0), visits().assign(x="text", n=None)):
        session = pdp.Session(epsilon=1, schema=Visits, unit="pid")
        frame = session.protect(data)
        with refused(errors.NotRowwise) as caught:
            session.derive(lambda d: d.assign(z=d.x - d.x.mean()), frame)
        said.add((str(caught.value), caught.value.example))  # type: ignore[attr-defined]
        assert session.share_used == 0
        assert len(session.ledger) == 0
    assert len(said) == 1
    assert issubclass(errors.NotRowwise, errors.PrivacyError)
    assert issubclass(errors.NotRowwise, TypeError)


def test_the_trial_never_reads_the_frame(monkeypatch: pytest.MonkeyPatch) -> None:
    session = pdp.Session(epsilon=1, schema=Visits, unit="pid")
    frame = session.protect(visits(500, seed=8))
    given: list[pd.DataFrame] = []

    def f(d: pd.DataFrame) -> pd.DataFrame:
        given.append(pd.DataFrame(d))
        return d

    assert session.derive(f, frame) is frame
    assert given[-1].shape == frame.shape
    private = set(frame["x"].dropna())
    assert not any(private & set(table["x"].dropna()) - {0.0, 100.0} for table in given[:-1])


def test_what_passes_is_called_with_the_frames_and_can_be_asked() -> None:
    session = pdp.Session(epsilon=10**6, schema=Visits, unit="pid")
    frame = session.protect(visits())
    totals = session.derive(lambda d: d.groupby("pid")[["n"]].sum(), frame)
    assert totals["n"].dp.mean(bounds=(0, 500), epsilon=1000)["mean"].item() == pytest.approx(
        visits().groupby("pid")["n"].sum().mean(), abs=1
    )


def test_two_frames_are_tried_together() -> None:
    session = pdp.Session(epsilon=1, schema=Visits, unit="pid")
    one, other = session.protect(visits()), session.protect(visits(20, seed=5)[["pid", "n"]])
    joined = session.derive(lambda a, b: a.join(b.groupby("pid")[["n"]].sum().add_suffix("_b"), on="pid"), one, other)
    assert "n_b" in joined.columns
    found = {
        "by another column": lambda a, b: a.reset_index().merge(b, on="n", suffixes=("", "_b")).set_index(a.index.name),
        "a mean of the other": lambda a, b: a.assign(z=b.n.mean()),
    }
    for f in found.values():
        with pytest.raises(errors.NotRowwise) as caught:
            session.derive(f, one, other)
        assert caught.value.verdict == "a person's rows change with others"  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "given", [None, 5, "text", [1, 2], np.zeros(3)], ids=["none", "number", "text", "list", "array"]
)
def test_what_gives_no_table_is_refused(given: Any) -> None:
    session = pdp.Session(epsilon=1, schema=Visits)
    with refused(errors.NotRowwise):
        session.derive(lambda d: given, session.protect(visits()))


def test_what_f_prints_and_warns_while_it_is_tried_is_not_shown(capsys: pytest.CaptureFixture[str]) -> None:
    session = pdp.Session(epsilon=1, schema=Visits)

    def f(d: pd.DataFrame) -> pd.DataFrame:
        if len(d) < 500:
            print("tried")
        return d[["n"]]

    session.derive(f, session.protect(visits(500)))
    assert capsys.readouterr().out == ""


WRONG: dict[str, Any] = {
    "nothing": lambda s, f: s.derive(lambda d: d),
    "no function": lambda s, f: s.derive(5, f),
    "no frame": lambda s, f: s.derive(lambda d: d, 5),
    "function and expression": lambda s, f: s.derive(lambda d: d, f, z="n"),
    "frame and frame": lambda s, f: s.derive(f, f),
    "no expression": lambda s, f: s.derive(f),
    "each": lambda s, f: s.derive(lambda d: d, f, each="row"),
    "each without a unit": lambda s, f: s.derive(lambda d: d, f, each="person"),
    "undeclared": lambda s, f: s.derive(lambda d: d, f.assign(new=1)),
    "lost": lambda s, f: s.derive(lambda d: d, f.reset_index(drop=True)),
    "columns of levels": lambda s, f: s.derive(lambda d: d, f[["n"]].set_axis([["n"], ["m"]], axis=1)),
    "another session": lambda s, f: pdp.Session(epsilon=1).derive(f, z="n"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_no_derivation_is_refused(name: str) -> None:
    session = pdp.Session(epsilon=1, schema=Visits)
    with refused(errors.PrivacyError, name):
        WRONG[name](session, session.protect(visits()))


def test_a_frame_without_its_column_of_people_is_refused() -> None:
    session = pdp.Session(epsilon=1, schema=Visits, unit="pid")
    with refused(errors.UnsupportedArgument):
        session.derive(lambda d: d, session.protect(visits())[["n"]])


def test_a_closed_session_derives_nothing() -> None:
    session = pdp.Session(epsilon=1, schema=Visits)
    frame = session.protect(visits())
    session.close()
    with pytest.raises(errors.SessionClosed):
        session.derive(frame, z="n")
    assert callable(rows_apart.derive)
