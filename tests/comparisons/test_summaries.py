"""Tests as statistics programs print them: paid ones, and those of what was released."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

import pandas_dp as pdp

from .test_values import DATA, protected

ASKED: dict[str, tuple[str, dict[str, Any], str, str]] = {
    "t test": ("t_test", {"y": "wage", "by": "union"}, "T test of wage by union", "P>|t|"),
    "Welch's": ("t_test", {"y": "wage", "by": "union", "equal_var": False}, "T test of wage by union", "P>|t|"),
    "one mean": ("t_test", {"y": "wage", "value": 50}, "T test of wage", "P>|t|"),
    "pairs": ("t_test", {"paired": ("wage", "after")}, "T test of after - wage", "P>|t|"),
    "ranks": ("rank_test", {"y": "wage", "by": "union"}, "Rank test of wage by union", "P>|z|"),
    "ranks of groups": ("rank_test", {"y": "wage", "by": "region"}, "Rank test of wage by region", "P>chi2"),
    "signed ranks": ("rank_test", {"paired": ("wage", "after")}, "Rank test of after - wage", "P>|t|"),
    "distributions": ("ks_test", {"y": "wage", "by": "union"}, "Kolmogorov-Smirnov test of wage by union", "P>K"),
}


@pytest.mark.parametrize("case", ASKED)
def test_a_paid_test_prints_as_people_know_it_and_ends_with_the_guarantee(case: str) -> None:
    question, given, title, letter = ASKED[case]
    release = getattr(protected(DATA).dp, question)(**given, rho=1)
    lines = release.dp.summary().splitlines()
    assert lines[0].strip() == title
    assert letter in next(line for line in lines if "estimate" in line).split()
    assert any(line.startswith("Hypothesis: ") for line in lines)
    assert lines[-1] == release.dp.guarantee
    assert max(map(len, lines[:-1])) <= 78


def test_what_is_concluded_from_a_release_prints_its_guarantee_in_the_last_line() -> None:
    table = protected(DATA).dp.crosstab("region", "union", rho=1)
    found = table.dp.independence_test()
    lines = found.summary().splitlines()
    assert "Hypothesis: region and union are independent" in lines
    assert lines[-1] == found.guarantee == table.dp.guarantee


def test_a_summary_of_an_estimate_has_its_interval() -> None:
    people = pdp.Session(rho=1e9).protect(
        pd.DataFrame({"sex": ["f", "m"] * 500, "vote": ["yes", "yes", "no", "no"] * 250})
    )
    table = people.dp.crosstab("sex", "vote", categories={"sex": ["f", "m"], "vote": ["no", "yes"]}, rho=1)
    found = table.dp.risk_difference(confidence=0.9)
    assert "90 % interval" in found.summary()
    assert found.summary().splitlines()[-1] == table.dp.guarantee


def test_the_hypothesis_of_an_equivalence_test_names_what_was_asked() -> None:
    ranks = protected(DATA).dp.rank_test("wage", by="union", rho=1)
    told = ranks.dp.equivalence_test((0.4, 0.6)).hypothesis
    assert told == "the estimate of the rank test lies outside 0.4 to 0.6"
