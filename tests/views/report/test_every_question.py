"""Whatever can be asked can be reported."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import pandas as pd
import pytest

import pandas_dp as pdp
from tests.contracts.questions import QUESTIONS, normal, open_session

from .reading import Page


@pytest.mark.slow
def test_every_question_stands_on_a_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.style", None)  # tables alone: pictures take a minute
    session = open_session(epsilon=100_000, delta=1e-6)
    people = session.protect(normal(100))
    for ask in QUESTIONS.values():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ask(people)
    page = Page(session.report(tmp_path / "report.html").read_text("utf-8"))
    shown = [each for each in page.all("section") if each.attributes.get("id", "").startswith("release-")]
    assert len(shown) >= len(QUESTIONS)
    assert not [each.said for each in shown if "Not shown" in each.said]
    assert all([inner.name for inner in each.inside].count("table") for each in shown)
    assert all(each.said for each in page.all("th"))


def test_weaker_promises_are_said_where_the_promise_stands(tmp_path: Path) -> None:
    session = pdp.Session(epsilon=10, models=["idp", "bdp"])
    people = session.protect(pd.DataFrame({"age": range(1000)}))
    people["age"].dp.median(epsilon=1, bounds=(0, 1000), model="idp")
    page = Page(session.report(tmp_path / "report.html").read_text("utf-8"))
    assert "keeps individual DP, which is weaker" in page.one("header").said
    assert "dp, idp, bdp" in page.one("section", id="promise").said
    assert "individual" in page.one("section", id="release-1").said


def test_a_scanned_table_is_reported_and_so_are_published_tables(tmp_path: Path) -> None:
    ds = pytest.importorskip("pyarrow.dataset")
    import pyarrow as pa

    session = pdp.Session(epsilon=10)
    farms = session.scan(ds.dataset(pa.table({"size": [1.0, 2.0, 3.0, 6.0] * 250, "kind": ["a", "b"] * 500})))
    farms["size"].dp.mean(bounds=(0, 10), epsilon=1)
    kinds = {"kind": ["a", "b"]}
    pdp.publish_tables(
        tmp_path / "tables", {"kinds": lambda: farms.dp.marginals([["kind"]], categories=kinds, epsilon=1)}
    )
    page = Page(session.report(tmp_path / "report.html").read_text("utf-8"))
    assert "Mean of size" in page.one("section", id="release-1").said
    assert "by kind" in page.one("section", id="release-2").said
