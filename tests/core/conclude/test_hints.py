"""Hints: each fires where it should, none on questions that are well posed, and none can look at data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pandera.pandas as pa
import pytest

import pandas_dp as pdp
from pandas_dp.audit import seeded_noise
from pandas_dp.views.hints.finding import HINTS, shorter
from tests.conftest import COMPLETE

from .well_posed import QUESTIONS, tables

ROWS = 2_000
SEXES = pa.Check.isin(["f", "m"])


class Survey(pa.DataFrameModel):
    income: float = pa.Field(ge=0, le=1_000_000)
    score: float = pa.Field(ge=0, le=100, metadata=COMPLETE)
    day: pd.Timestamp = pa.Field(ge=pd.Timestamp("2020-01-01"), le=pd.Timestamp("2024-01-01"), metadata=COMPLETE)
    words: float = pa.Field(ge=0, le=100, metadata=COMPLETE)
    text: float = pa.Field(ge=0, le=100)
    lacking: float = pa.Field(ge=0, le=100)
    filled: float = pa.Field(ge=0, le=100, metadata=COMPLETE)
    gaps: float = pa.Field(ge=0, le=100, nullable=True)
    sex: str = pa.Field(isin=["f", "m"])
    works: bool
    yes: bool = pa.Field(metadata=COMPLETE)


@pytest.fixture(scope="module")
def survey() -> pdp.ProtectedFrame:
    r = np.random.default_rng(1)
    rows = pd.DataFrame(
        {
            "income": r.gamma(2, 20_000, ROWS),
            "score": r.normal(50, 10, ROWS),
            "day": ["2020-03-01"] * ROWS,
            "words": ["fifty"] * ROWS,
            "text": ["fifty"] * ROWS,
            "lacking": np.where(r.random(ROWS) < 0.44, np.nan, 10.0),
            "filled": np.where(r.random(ROWS) < 0.44, np.nan, 10.0),
            "gaps": ["fifty"] * ROWS,
            "sex": ["F", "M"] * (ROWS // 2),
            "works": r.random(ROWS) < 0.3,
            "yes": ["yes", "no"] * (ROWS // 2),
        }
    )
    return pdp.Session(epsilon=10**6, schema=Survey).protect(rows)


WRONG: dict[str, tuple[Callable[[pd.DataFrame], pd.DataFrame], str]] = {
    "text in a column of numbers": (lambda f: f["words"].dp.mean(epsilon=1), "middle of the range, without spread"),
    "text where values may be missing": (lambda f: f["gaps"].dp.mean(epsilon=1), "of 2,000 rows are in the answer"),
    "text in a column that may have gaps": (lambda f: f["text"].dp.mean(epsilon=1), "of 2,000 rows are in the answer"),
    "missing values": (lambda f: f["lacking"].dp.mean(epsilon=1), "of 2,000 rows are in the answer"),
    "missing values by group": (
        lambda f: f.dp.groupby("works")["lacking"].mean(epsilon=9),
        "of 2,000 rows are in the answer",
    ),
    "missing values, counted": (lambda f: f[["lacking"]].dp.gaps(epsilon=1), "values are missing"),
    "missing values of a complete column": (lambda f: f[["filled"]].dp.gaps(epsilon=1), "values are missing"),
    "too little epsilon": (lambda f: f["score"].dp.mean(epsilon=0.01), "noise is most of the interval"),
    "a small count": (lambda f: f[f["score"] > 1_000]["score"].dp.count(epsilon=0.01), "noise is most of the number"),
    "wide bounds": (lambda f: f["score"].dp.mean(epsilon=0.5, bounds=(0, 10_000)), "the bounds look wide"),
    "narrow bounds": (lambda f: f["income"].dp.histogram(8, bounds=(0, 30_000), epsilon=1), "is at its upper bound"),
    "labels of another spelling": (lambda f: f["sex"].dp.value_counts(epsilon=1), "of 2,000 rows are in the answer"),
    "labels of groups": (lambda f: f.dp.groupby("sex")["score"].mean(epsilon=1), "of 2,000 rows are in the answer"),
    "labels of a table": (lambda f: f.dp.crosstab("sex", "works", epsilon=1), "of 2,000 rows are in the answer"),
    "all beyond a bound": (
        lambda f: f["score"].dp.mean(epsilon=1, bounds=(0, 5)),
        "everything seems to lie at or beyond the upper bound, 5",
    ),
    "most beyond a bound": (
        lambda f: f["score"].dp.mean(epsilon=10, bounds=(0, 25)),
        "most values seem to lie at or beyond the upper bound, 25",
    ),
    "all below a bound": (
        lambda f: f["score"].dp.mean(epsilon=1, bounds=(1_000, 2_000)),
        "everything seems to lie at or beyond the lower bound, 1,000",
    ),
    "all beyond a bound, by group": (
        lambda f: f.dp.groupby("works", categories=[False, True])["score"].mean(epsilon=2, bounds=(0, 5)),
        "everything seems to lie at or beyond the upper bound, 5",
    ),
    "quantiles beyond a bound": (
        lambda f: f["score"].dp.quantile([0.25, 0.5, 0.75], epsilon=1, bounds=(0, 5)),
        "all quantiles are 5",
    ),
    "quantiles of text": (lambda f: f["words"].dp.quantile([0.25, 0.5, 0.75], epsilon=1), "all quantiles are 50"),
    "quantiles of text by group": (
        lambda f: f.dp.groupby("works", categories=[False, True])["words"].quantile([0.2, 0.8], epsilon=9),
        "all quantiles are 50",
    ),
    "a quantile at a clamp": (
        lambda f: f["income"].dp.quantile([0.5, 0.9], epsilon=20, bounds=(0, 50_000)),
        "0.1 of the values or more lie at or beyond the upper bound, 50,000",
    ),
    "a clamp in a summary": (
        lambda f: f["score"].dp.describe(epsilon=80, bounds=(0, 45)),
        "0.5 of the values or more lie at or beyond the upper bound, 45",
    ),
    "numbers that fell and rise at the end": (
        lambda f: f["income"].dp.histogram(5, bounds=(0, 65_000), epsilon=10),
        "is at its upper bound",
    ),
    "gaps under noise": (lambda f: f.dp.gaps(epsilon=0.05), "noise is most of the numbers"),
    "days left as text": (lambda f: f["day"].dp.mean(epsilon=1), "middle of the range, without spread"),
    "ranks of two groups in wide bounds": (
        lambda f: f.dp.rank_test("score", by="works", bounds=(0, 10**9), epsilon=9),
        "most values lie in few of the bins",
    ),
    "a median of text": (
        lambda f: f.assign(x="fifty")["x"].dp.median(bounds=(-5, 5), epsilon=0.01),
        "all that is poss",
    ),
    "medians of hardly any rows": (
        lambda f: f[f["score"] > 80].dp.groupby("works")["score"].median(bounds=(-5, 5), epsilon=0.1),
        "most intervals hold all that is possible",
    ),
    "few correlations": (
        lambda f: f[["score", "income"]].dp.corr(epsilon=0.05),
        "noise hides most",
    ),
    "text in a spread": (lambda f: f["words"].dp.std(epsilon=2), "middle of the range, without spread"),
    "text under a share": (lambda f: f["yes"].dp.share(epsilon=1), "middle of the range, without spread"),
    "text in a histogram": (lambda f: f["words"].dp.histogram(8, epsilon=1), "in the bin in the middle"),
    "a filter that leaves nothing": (lambda f: f[f["score"] < 0]["score"].dp.mean(epsilon=1), "may be no rows"),
    "a filter that leaves no share": (lambda f: (f[f["score"] < 0]["score"] > 1).dp.share(epsilon=1), "may be no rows"),
    "labels that do not match, after a filter": (
        lambda f: f[f["score"] > 0]["sex"].dp.value_counts(epsilon=1),
        "may be no rows",
    ),
    "shares that noise hides": (
        lambda f: f["works"].dp.value_counts(normalize=True, epsilon=1e-4, categories=[False, True]),
        "smaller than their noise",
    ),
    "what gaps find": (lambda f: f.dp.gaps(epsilon=6), "values are unreadable"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_looks_wrong_is_found_and_shown_in_every_view(name: str, survey: pdp.ProtectedFrame) -> None:
    ask, finding = WRONG[name]
    with seeded_noise(11):
        release = ask(survey)
    found = release.dp.check()
    assert found.columns.tolist() == ["finding", "where", "advice"]
    assert any(finding in each for each in found["finding"])
    for view in (repr(release), release._repr_html_()):
        assert finding in view
        assert view.count("Hint: ") == len(found)


def test_a_table_that_was_not_protected_is_told_how(survey: pdp.ProtectedFrame) -> None:
    with pdp.Session(epsilon=10):
        release = pd.DataFrame({"x": [1.0, 9.0] * 500})["x"].dp.mean(epsilon=5, bounds=(0, 10))
    assert release.dp.check()["finding"].tolist() == ["the table was not protected"]
    assert "df = session.protect(df)" in release._repr_html_()


def test_what_twice_the_price_would_bring_is_what_it_brings(survey: pdp.ProtectedFrame) -> None:
    """Of a mean that is nearly all noise, half the width."""
    with seeded_noise(2):
        once, twice = (survey["score"].dp.mean(epsilon=epsilon) for epsilon in (0.005, 0.01))
    assert "about 50% shorter; halving the range of the bounds, 50%" in once.dp.check()["advice"].iloc[0]
    assert twice["std_error"].item() < 0.6 * once["std_error"].item()


def test_half_the_bounds_bring_a_spread_what_is_said(survey: pdp.ProtectedFrame) -> None:
    """Where noise is all there is, a standard deviation scales with the range, and with the root of the price."""
    still = pdp.Session(epsilon=10**6).protect(pd.DataFrame({"x": [50.0] * ROWS}))["x"]
    with seeded_noise(2):
        asked = [({"bounds": (0, 100), "epsilon": 0.1}), ({"bounds": (25, 75), "epsilon": 0.1})]
        once, narrow = (np.mean([still.dp.std(**each)["upper"].item() for _ in range(40)]) for each in asked)
        twice = np.mean([still.dp.std(bounds=(0, 100), epsilon=0.2)["upper"].item() for _ in range(40)])
        noisy = survey["score"].dp.std(epsilon=0.005).dp.check()
    assert narrow / once == pytest.approx(0.5, abs=0.1)
    assert twice / once == pytest.approx(0.71, abs=0.12)
    assert "about 29% shorter; halving the range of the bounds, 50%" in noisy["advice"].iloc[0]


def test_empty_cells_beside_full_ones_are_no_noise(survey: pdp.ProtectedFrame) -> None:
    """Three full bins of twenty."""
    with seeded_noise(3):
        release = survey["score"].dp.histogram(40, bounds=(-300, 300), epsilon=1)
    assert release.dp.check().empty


def test_a_cause_is_said_in_place_of_the_noise_that_it_explains(survey: pdp.ProtectedFrame) -> None:
    with seeded_noise(11):
        found = survey["words"].dp.mean(epsilon=1).dp.check()
        counts = survey["sex"].dp.value_counts(epsilon=1).dp.check()
    assert found["finding"].tolist() == ["the answer is the middle of the range, without spread"]
    assert len(counts) == 1
    assert counts["where"].item() == "value_counts of sex"


def test_a_mean_at_a_bound_is_not_told_that_its_bounds_are_wide(survey: pdp.ProtectedFrame) -> None:
    with seeded_noise(11):
        found = survey["score"].dp.mean(epsilon=1, bounds=(0, 5)).dp.check()
        days = pd.DataFrame({"day": pd.to_datetime(["2020-03-01"] * ROWS)})
        ends = pd.Timestamp("1990-01-01"), pd.Timestamp("1991-01-01")
        late = pdp.Session(epsilon=9).protect(days)["day"].dp.mean(epsilon=1, bounds=ends).dp.check()
    assert len(found) == 1
    assert found["advice"].item().startswith("Values beyond a bound count as the bound: declare wider bounds")
    assert late["finding"].tolist() == ["everything seems to lie at or beyond the upper bound, 1991-01-01"]


def test_a_number_that_may_be_anything_is_said_to_tell_nothing() -> None:
    """A date has no size that noise could be held against, and a test of few rows none that is told."""
    table = pd.DataFrame({"day": ["2024-05-01"] * 30, "x": np.linspace(-1, 1, 30), "sex": ["f", "m"] * 15})
    few, year = pdp.Session(epsilon=99).protect(table), (pd.Timestamp("2024-01-01"), pd.Timestamp("2024-12-31"))
    with seeded_noise(11):
        day = few["day"].dp.median(bounds=year, epsilon=0.5)
        test = few.dp.t_test("x", by="sex", categories=["f", "m"], bounds=(-5, 5), epsilon=0.2)
        well = few["x"].dp.median(bounds=(-5, 5), epsilon=9)
    assert day.dp.check()["finding"].tolist() == ["an interval holds all that is possible"]
    assert test.dp.check()["finding"].tolist() == ["an interval holds all that is possible"]
    assert well.dp.check().empty


def test_what_is_said_of_several_quantiles_is_said_once_with_their_names() -> None:
    few = pdp.Session(epsilon=99).protect(pd.DataFrame({"x": np.linspace(0, 9, 400)}))
    with seeded_noise(11):
        found = few["x"].dp.quantile([0.1, 0.5, 0.9], bounds=(0, 10_000), epsilon=0.05).dp.check()
    assert sorted(", ".join(found["where"]).split(", ")) == [f"quantile {q} of x" for q in (0.1, 0.5, 0.9)]
    assert not found[["finding", "advice"]].duplicated().any()
    assert len(found) < 3


def test_quantiles_out_of_order_are_told_and_those_in_order_are_not(survey: pdp.ProtectedFrame) -> None:
    """Whatever order they were asked in, and beside groups whose labels look like shares."""
    keyed = survey.assign(works=survey["works"].astype(float)).dp.groupby("works", categories=[0.0, 1.0])["score"]
    with seeded_noise(11):
        chosen = {"epsilon": 0.01, "mechanism": "exponential"}
        asked = [survey[["score"]].dp.quantile([0.9, 0.1, 0.5], **chosen) for _ in range(10)]
        asked += [survey["score"].dp.describe(epsilon=0.05) for _ in range(10)]
        fine = [survey[["score"]].dp.quantile([0.9, 0.1], epsilon=9), keyed.quantile([0.9, 0.1], epsilon=40)]
        fine.append(survey["score"].dp.describe(epsilon=20))
    told = [_is_out_of_order(each) for each in asked]
    assert told == [not _numbers(each).is_monotonic_increasing for each in asked]
    assert any(told)
    assert not any(map(_is_out_of_order, fine))


def _is_out_of_order(release: pd.DataFrame) -> bool:
    return "quantiles are out of order" in release.dp.check()["finding"].tolist()


def _numbers(release: pd.DataFrame) -> pd.Series:
    table = pd.DataFrame(release)["score"].astype(float)
    return table.loc["min":] if "min" in table.index else table.sort_index()


def test_ids_that_match_nobody_on_the_roster_are_asked_about() -> None:
    people = pd.DataFrame({"person": [f"p{number}" for number in range(500)]})
    for letter, number in (("P", 1), ("p", 0)):
        session = pdp.Session(epsilon=9, unit="person")
        session.protect(people, roster=True, one_row=True)
        visits = session.protect(pd.DataFrame({"person": [f"{letter}{n}" for n in range(500)], "x": 1.0}), max_rows=2)
        with seeded_noise(3):
            found = visits["x"].dp.count(epsilon=1).dp.check()
        found = found[~found["finding"].str.startswith("of a person with more than 2 rows")]
        assert len(found) == number
        assert all("written alike" in advice for advice in found["advice"])


def test_no_gaps_are_no_sign_that_ids_differ() -> None:
    session = pdp.Session(epsilon=9, unit="person", schema=pa.DataFrameSchema({"sex": pa.Column(str, SEXES)}))
    people = session.protect(
        pd.DataFrame({"person": range(4_000), "sex": ["f", "m"] * 2_000}), roster=True, one_row=True
    )
    with seeded_noise(3):
        assert people[["sex"]].dp.gaps(epsilon=1).dp.check().empty


def test_gaps_leave_out_columns_of_which_nothing_is_declared() -> None:
    """They would take a share of the cost; alone they are asked about."""
    schema = pa.DataFrameSchema({"x": pa.Column(float, pa.Check.in_range(0, 9))})
    table = pdp.Session(epsilon=9, schema=schema).protect(pd.DataFrame({"x": [1.0], "note": ["a"]}))
    assert table.dp.gaps(epsilon=1).columns.tolist() == ["x"]
    assert table[["note"]].dp.gaps(epsilon=1).columns.tolist() == ["note"]


def test_gaps_without_a_fault_say_nothing() -> None:
    """At a level of 1 in 1,000 for all numbers of a release."""
    table = pd.DataFrame({"x": np.linspace(0, 9, 500), "y": [None] * 500})
    schema = pa.DataFrameSchema({"x": pa.Column(float, pa.Check.in_range(0, 9)), "y": pa.Column(float, nullable=True)})
    with seeded_noise(5):
        assert pdp.Session(epsilon=1, schema=schema).protect(table).dp.gaps(epsilon=1).dp.check().empty


def test_a_good_release_prints_no_hint(survey: pdp.ProtectedFrame) -> None:
    with seeded_noise(4):
        release = survey["score"].dp.mean(epsilon=1)
    assert release.dp.check().empty
    assert "Hint" not in repr(release) + release._repr_html_()


def test_a_table_that_was_changed_since_is_printed_without_a_word() -> None:
    release = pdp.Session(epsilon=1).protect(pd.DataFrame({"x": [1.0]}))["x"].dp.mean(epsilon=0.01, bounds=(0, 1))
    release.iloc[0, 0] = 7.0
    assert "Hint" not in repr(release)
    with pytest.raises(pdp.PrivacyError, match="was changed since its release"):
        release.dp.check()


def test_hints_of_adjusted_tables_say_nothing_of_their_numbers(survey: pdp.ProtectedFrame) -> None:
    table = survey["sex"].dp.value_counts(epsilon=1)
    assert not table.dp.check().empty
    assert table.dp.nonnegative().dp.check().empty


def test_well_posed_questions_get_no_hint() -> None:
    """Noise is real. In 150 trials of all fifty one answer of 7,500 got a hint, so that two of fifty do, by luck, is
    rarer than once in ten thousand runs."""
    assert len(QUESTIONS) == 50
    farms, people = tables()
    found = [ask(farms, people).dp.check() for ask in QUESTIONS]
    assert sum(not each.empty for each in found) <= 1


def test_a_hint_takes_a_release_and_can_reach_nothing_else() -> None:
    """What `conclusions` may import is tested with the house; here, that every hint takes one thing."""
    assert len(HINTS) >= 9
    for stage in HINTS:
        assert list(stage.__annotations__) == ["released", "return"]


@pytest.mark.parametrize(
    ("estimate", "half", "said"),
    [
        (30.0, 20.0, "about 50% shorter"),
        (5.0, 20.0, "about 40% shorter"),  # from 0 to 25, then from 0 to 15
        (95.0, 20.0, "about 40% shorter"),
        (50.0, 80.0, "up to 50% shorter, as now nearly all that can be lies in it"),
    ],
)
def test_half_the_noise_shortens_an_interval_that_ends_where_numbers_end_by_what_is_said(
    estimate: float, half: float, said: str
) -> None:
    def within(half: float) -> tuple[Any, Any]:
        return np.array([max(estimate - half, 0)]), np.array([min(estimate + half, 100)])

    class Told:
        lower, upper, default_target = 0.0, 100.0, "sample"

    told: Any = Told()
    told.estimate, told.interval = np.array([estimate]), lambda *_: within(half)
    assert shorter(told, 0.5, 0.95) == said
    now, then = (np.ptp(within(each)) for each in (half, half / 2))
    gained = round(100 * (1 - then / now))
    assert f"about {gained}%" in said or (said.startswith("up to") and gained <= 50)


def test_an_interval_as_wide_as_the_range_is_not_promised_to_be_shorter() -> None:
    few = pdp.Session(epsilon=1).protect(pd.DataFrame({"x": [50.0] * 40}))
    with seeded_noise(4):
        found = few["x"].dp.median(bounds=(0, 100), epsilon=0.05).dp.check()
    assert "would make intervals up to 50% shorter, as now nearly all that can be lies in it" in found["advice"].iloc[0]
