"""A release on a page, and what is no release but was concluded from one: what a reader sees of it."""

from __future__ import annotations

from re import findall
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp import errors
from tests.refusals import refused

SEX = {"sex": ["f", "m"]}
KEYS = {**SEX, "vote": ["no", "yes"]}
BOUNDS = {"wage": (0, 100), "school": (0, 20)}


@pytest.fixture
def people() -> Any:
    rows = {
        "wage": np.arange(2000.0) % 97,
        "school": np.arange(2000) % 19,
        "sex": ["f", "m"] * 1000,
        "vote": ["no", "yes", "yes", "no"] * 500,
        "day": pd.Timestamp("2020-01-01") + pd.to_timedelta(np.arange(2000) % 300, "D"),
    }
    return pdp.Session(rho=10**9).protect(pd.DataFrame(rows))


@pytest.fixture
def fit(people: Any) -> Any:
    return people.dp.ols("wage ~ school", bounds=BOUNDS, rho=1)


def test_numbers_of_a_page_have_the_digits_that_their_intervals_support(fit: Any) -> None:
    row = next(line for line in fit.dp.to_markdown().splitlines() if "Intercept" in line)
    digits = [cell.strip() for cell in row.split("|")[2:5]]
    assert digits == repr(fit).splitlines()[1].split()[1:4]


def test_a_small_p_value_is_quoted_on_every_page(fit: Any) -> None:
    assert "< 1e-12" in fit.dp.to_markdown()
    assert "$<$ 1e-12" in fit.dp.to_latex()
    assert "&lt; 1e-12" in fit.dp.to_html()


def test_a_format_of_numbers_is_given_all_digits(fit: Any) -> None:
    assert f"{fit['coef'].iloc[0]:.9f}" in fit.dp.to_markdown(floatfmt=".9f")
    assert f"{fit['coef'].iloc[0]:.9f}" in fit.dp.to_latex(float_format="%.9f")


NAMES = ["a|b", "`code`", "two\nlines", "<script>alert(1)</script>", "[x](javascript:1)", "&lt;", "*b*", "c\\"]


def test_a_name_in_markdown_begins_no_cell_line_code_link_or_tag() -> None:
    people = pdp.Session(rho=100, unit="the <b>id</b>").protect(
        pd.DataFrame({"k|ey": NAMES * 10, "the <b>id</b>": range(80)})
    )
    text = people.dp.value_counts(subset=["k|ey"], categories={"k|ey": NAMES}, count="people", max_cells=1, rho=1)
    lines = text.dp.to_markdown().splitlines()
    rows = lines[2 : 2 + len(NAMES)]
    assert all(len(findall(r"(?<!\\)(?:\\\\)*\|", line)) == 3 for line in [lines[0], *rows])
    assert lines[2 + len(NAMES)] == ""
    assert not findall(r"<(?!br>)[a-z/]|\]\(|(?<!\\)`", "\n".join(lines))
    assert "two<br>lines" in rows[2]
    assert "&lt;b>id" in lines[-1]
    assert "<b>" not in text.dp.to_html()
    assert rows[0].split()[1] == "a\\|b"


def test_a_name_in_latex_is_text_below_the_table_too() -> None:
    people = pdp.Session(rho=100, unit="a_b & {c}").protect(pd.DataFrame({"x": [1.0] * 80, "a_b & {c}": range(80)}))
    release = people["x"].dp.mean(max_rows=1, bounds=(0, 2), rho=1)
    assert r"a\_b \& \{c\}" in release.dp.to_latex().splitlines()[-1]


def test_latex_reads_the_names_of_columns(fit: Any) -> None:
    assert r"std\_error" in fit.dp.to_latex()


def test_keys_on_one_line_are_named(people: Any) -> None:
    table = people.dp.crosstab("sex", "vote", categories=KEYS, rho=1)
    assert table.dp.to_markdown().splitlines()[0].split() == ["|", "sex", "|", "vote:", "no", "|", "vote:", "yes", "|"]
    grouped = people.dp.groupby(["sex", "vote"], categories=KEYS)["wage"].agg(["mean", "sum"], bounds=(0, 100), rho=1)
    head, _, first, *_ = grouped.dp.to_markdown().splitlines()
    names = [name.strip() for name in head.split("|")[1:-1]]
    assert names[:3] == ["sex", "vote", "wage, mean"]
    assert len(set(names)) == len(names) == 2 + grouped.shape[1]
    assert [cell.strip() for cell in first.split("|")[1:3]] == ["f", "no"]


def test_keys_may_be_left_out(fit: Any) -> None:
    assert "Intercept" not in fit.dp.to_markdown(index=False)
    assert "Intercept" not in fit.dp.to_latex(index=False)


def test_a_page_leaves_out_no_row(people: Any) -> None:
    table = people["wage"].dp.histogram(bins=200, bounds=(0, 100), rho=1)
    assert sum(line.startswith("| ") for line in table.dp.to_markdown().splitlines()) == 200 + 1


def test_bins_of_days_are_shown_without_midnights(people: Any) -> None:
    year = pd.Timestamp("2020-01-01"), pd.Timestamp("2020-12-31")
    table = people["day"].dp.histogram(bins=5, bounds=year, rho=1)
    assert "2020-01-01 to 2020-03-14" in repr(table)
    assert "2020-01-01 to 2020-03-14" in table.dp._repr_html_()
    assert isinstance(table.index, pd.IntervalIndex)
    hours = people["day"].dp.histogram(bins=7, bounds=year, rho=1)
    assert ":" in repr(hours).splitlines()[3]


def test_a_published_number_stands_with_its_interval(people: Any) -> None:
    table = people.dp.crosstab("sex", "vote", categories=KEYS, rho=1)
    low, high = table.dp.confint().loc["f", "yes"]
    shown = f"{table.loc['f', 'yes']} [{low:g}, {high:g}]"
    for text in (table.dp.to_markdown(), table.dp.to_latex(), table.dp.to_html(), repr(table)):
        assert shown in text
        assert "In brackets: 95" in text
    assert "[" not in table.dp.to_html(float_format="%.1f")


def test_what_a_release_does_not_tell_is_called_so_everywhere(people: Any) -> None:
    empty = people[people["wage"] > 200].dp.groupby("sex", categories=SEX)["wage"]
    none = empty.mean(bounds=(0, 100), rho=1)
    assert none["mean"].isna().any()
    for text in (repr(none), none.dp._repr_html_(), none.dp.to_markdown(), none.dp.to_latex(), none.dp.to_html()):
        assert "not told" in text
        assert "NaN" not in text
        assert "nan" not in text


def test_intervals_are_shown_to_their_digits_and_hold_all(fit: Any) -> None:
    ends = fit.dp.confint()
    shown = repr(fit).splitlines()
    assert repr(ends).splitlines()[1].split()[1:] == shown[1].split()[3:5]
    assert ends["lower"].tolist() == fit["lower"].tolist()


def test_no_finding_is_cut_and_none_is_said_in_words(people: Any) -> None:
    text = people.assign(wage="x").dp.ols("wage ~ school", bounds=BOUNDS, rho=1).dp.check()
    assert text["advice"].iloc[0] in repr(text)
    assert text["advice"].iloc[0] in text._repr_html_()
    assert repr(people["wage"].dp.sum(bounds=(0, 100), rho=1).dp.check()) == "Nothing looks wrong."


def test_no_column_of_a_plan_is_left_out(people: Any) -> None:
    session = pdp.Session(rho=1)
    mine = session.protect(pd.DataFrame({"wage": [1.0, 2.0] * 500, "sex": ["f", "m"] * 500}))
    plan = session.plan(
        lambda: mine["wage"].dp.mean(bounds=(0, 10), rho=0.1),
        lambda: mine.dp.groupby("sex", categories=SEX)["wage"].mean(bounds=(0, 10), rho=0.1),
        lambda: mine[mine["sex"] == "f"]["wage"].dp.mean(bounds=(0, 10), rho=0.1),
    )
    head, *_, of_groups, of_a_cut = repr(plan).splitlines()
    assert head.split() == [
        "statistic",
        "column",
        "by",
        "cells",
        "rho",
        "mechanism",
        "half_width",
        "fits",
        "rows",
        "supposed",
    ]
    assert of_groups.endswith("500 rows")
    assert "not told" in of_a_cut
    assert plan.columns.tolist()[4:7] == ["epsilon", "delta", "rho"]


@pytest.mark.parametrize("name", ["guarantee", "to_markdown", "mean"])
def test_dp_of_a_conclusion_says_that_it_is_one(people: Any, name: str) -> None:
    table = people["sex"].dp.value_counts(categories=SEX, rho=1)
    for concluded in (table.dp.contrast("f", "m"), table.dp.confint(), table.dp.test(5)):
        with refused(errors.UnsupportedArgument, name):
            getattr(concluded.dp, name)
    assert dir(table.dp.confint().dp) == []


def test_a_summary_says_what_its_sets_and_z_are(people: Any, fit: Any) -> None:
    assert "how far\nthey speak against 0, in standard deviations, not coef / std err." in fit.dp.summary()
    yes = people.assign(yes=people["wage"] > 50).dp.logit("yes ~ school", bounds={"school": (0, 20)}, rho=1)
    assert "without ends, this release does not tell" in yes.dp.summary()
    assert max(map(len, fit.dp.summary().splitlines()[:-1])) <= 78


def test_ratios_are_exponentials_of_coefficients_and_of_their_ends(people: Any) -> None:
    yes = people.assign(yes=people["wage"] > 50).dp.logit("yes ~ school", bounds={"school": (0, 20)}, rho=100)
    found = yes.dp.ratios()
    assert np.allclose(found["ratio"], np.exp(yes["coef"]))
    assert np.allclose(found[["lower", "upper"]], np.exp(yes[["lower", "upper"]]))
    assert "ratios" in dir(yes.dp)


@pytest.mark.parametrize(
    ("statistic", "formula", "bounds", "is_fine"),
    [
        ("logit", "yes ~ text", {"text": (0, 1)}, False),
        ("logit", "text ~ school", {"school": (0, 20)}, False),
        ("ols", "wage ~ text", {"wage": (0, 100), "text": (0, 1)}, False),
        ("logit", "yes ~ school", {"school": (0, 20)}, True),
        ("ols", "wage ~ school", BOUNDS, True),
    ],
)
def test_a_regression_of_text_says_that_rows_are_left_out(
    statistic: str, formula: str, bounds: Any, is_fine: bool
) -> None:
    rows = {"wage": np.arange(2000.0) % 97, "school": np.arange(2000) % 19, "text": "x"}
    table = pd.DataFrame(rows).assign(yes=lambda frame: frame["wage"] > 50)
    found = getattr(pdp.Session(rho=10).protect(table).dp, statistic)(formula, bounds=bounds, rho=1).dp.check()
    assert found["finding"].str.contains("of 2,000 rows are in it").tolist() == [True][is_fine:]


def test_whom_intervals_are_about_is_said_in_every_format() -> None:
    """Ends without it would be taken for anybody's: `lower` of a mean is of the population, that of a sum is not."""
    table = pd.DataFrame({"x": np.linspace(0, 9, 300), "sex": ["f", "m"] * 150})
    people = pdp.Session(epsilon=99).protect(table)
    release = people.dp.groupby("sex", categories=["f", "m"])["x"].mean(bounds=(0, 9), epsilon=9, note="a & b")
    whom = "95 % intervals for the population, of values clamped to 0 … 9."
    assert whom in repr(release)
    assert release.dp.to_markdown().splitlines()[-5::2] == [whom, "Note: a & b", release.dp.guarantee]
    assert f"<p>{whom}</p>\n<p>Note: a &amp; b</p>\n" in release.dp.to_html()
    latex = whom.replace("%", r"\%")
    assert rf"\par\smallskip {latex}" in release.dp.to_latex()
    assert r"Note: a \& b" in release.dp.to_latex()
