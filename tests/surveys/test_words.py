"""What is said beside the numbers of a survey: whether they are weighted, whom they are about, what to do instead."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pandera.pandas as pa
import pytest

import pandas_dp as pdp
from pandas_dp.audit import seeded_noise
from pandas_dp.errors import NotConcluded

ROWS = 1_000
SCHEMA = pa.DataFrameSchema(
    {
        "h": pa.Column(str, pa.Check.isin(["a", "b"])),
        "g": pa.Column(str, pa.Check.isin(["x", "y"])),
        "income": pa.Column(float, pa.Check.in_range(0, 100)),
        "w": pa.Column(float, pa.Check.in_range(0, 5)),
    }
)


@pytest.fixture
def session() -> pdp.Session:
    return pdp.Session(rho=100, schema=SCHEMA)


@pytest.fixture
def table(session: pdp.Session) -> Any:
    rows = pd.DataFrame(
        {
            "h": ["a", "b"] * (ROWS // 2),
            "g": ["x"] * (ROWS // 2) + ["y"] * (ROWS // 2),
            "income": np.linspace(0, 100, ROWS),
            "w": np.linspace(1, 5, ROWS),
        }
    )
    with seeded_noise(1):
        yield session.protect(rows, design=pdp.Design(weights="w"))


MARGINS: dict[str, dict[str, Any]] = {
    "counts": {},
    "shares": {"normalize": True},
    "means": {"values": "income", "aggfunc": "mean"},
}


@pytest.mark.parametrize("name", MARGINS)
def test_a_label_says_that_cells_with_margins_are_weighted(table: Any, name: str) -> None:
    asked = table.dp.pivot_table if "values" in MARGINS[name] else table.dp.crosstab
    keys = {"index": "h", "columns": "g"}
    with_margins, without = (asked(**keys, **MARGINS[name], margins=margins, rho=1) for margins in (True, False))
    assert with_margins.attrs["dp"]["weights"] == without.attrs["dp"]["weights"]
    assert "weighted by w" in with_margins.dp.guarantee
    assert "weighted by w" in without.dp.guarantee


UNWEIGHTED: dict[str, Callable[[Any], pd.DataFrame]] = {
    "mean": lambda t: t["income"].dp.mean(weights=None, rho=1),
    "median": lambda t: t["income"].dp.median(weights=None, rho=1),
    "quantiles": lambda t: t["income"].dp.quantile([0.1, 0.5], weights=None, rho=1),
    "means of a part, in groups": lambda t: t[t["income"] > 10].dp.groupby("h")["income"].mean(weights=None, rho=1),
}


@pytest.mark.parametrize("name", UNWEIGHTED)
def test_what_was_asked_without_weights_is_not_about_the_population(
    session: pdp.Session, table: Any, name: str, tmp_path: Path
) -> None:
    release = UNWEIGHTED[name](table)
    page = session.report(tmp_path / "report.html").read_text("utf-8")
    for text in (repr(release), release.dp.to_markdown(), release.dp.to_html(), page):
        assert "not about the population that the design stands for" in text
        assert "for the unweighted population" in text
        assert "for the population" not in text
    assert any("weights=None" in remark for remark in release.attrs["dp"]["remarks"])
    with pytest.raises(NotConcluded, match="ask with the design"):
        release.dp.confint(target="population")
    assert release.dp.confint(target="sample").notna().all(axis=None)


def test_without_a_design_there_is_nothing_to_leave_out(table: Any) -> None:
    plain = pdp.Session(rho=9, schema=SCHEMA).protect(pd.DataFrame({"income": np.linspace(0, 100, ROWS)}))
    for release in (plain["income"].dp.mean(weights=None, rho=1), table["income"].dp.mean(rho=1)):
        assert release.attrs["dp"]["remarks"] is None
        assert "for the population" in repr(release)
        release.dp.confint(target="population")


LABELS: dict[str, Callable[[Any], pd.DataFrame]] = {
    "counts": lambda t: t["h"].dp.value_counts(categories=["A", "B"], rho=1),
    "shares": lambda t: t["h"].dp.value_counts(True, categories=["A", "B"], rho=1),
    "margins": lambda t: t.dp.crosstab("h", "g", categories={"h": ["A", "B"]}, margins=True, rho=1),
}


@pytest.mark.parametrize("name", LABELS)
def test_labels_of_another_spelling_are_asked_about(table: Any, name: str) -> None:
    found = LABELS[name](table).dp.check()
    assert found["advice"].str.contains("match the labels in the data").all()
    assert len(found) == 1


def test_labels_as_they_are_raise_no_question(table: Any) -> None:
    assert table["h"].dp.value_counts(rho=1).dp.check().empty


def test_weighted_means_are_not_tested_together_and_two_are_compared(table: Any) -> None:
    means = table.dp.groupby("h")["income"].mean(rho=1)
    with pytest.raises(NotConcluded, match="contrast"):
        means.dp.anova_test()
    assert means.dp.contrast("a", "b")["p_value"].item() > 0.001
    assert table.dp.groupby("h")["income"].mean(rho=1, weights=None).dp.anova_test().pvalue > 0.001


def test_weighted_counts_are_rounded_by_digits(table: Any) -> None:
    counts = table["h"].dp.value_counts(rho=1)
    with pytest.raises(NotConcluded, match=r"\.dp\.round\(-3\)"):
        counts.dp.round_to(1000)
    assert (counts.dp.round(-3)["count"] % 1000 == 0).all()
