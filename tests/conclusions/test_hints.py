"""Hints: each fires where it should, none on questions that are well posed, and none can look at data."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
import pandera.pandas as pa
import pytest

import pandas_dp as pdp
from pandas_dp.conclusions import hints
from pandas_dp.testing import seeded_noise

from .well_posed import QUESTIONS, tables

ROWS = 2_000


class Survey(pa.DataFrameModel):
    income: float = pa.Field(ge=0, le=1_000_000)
    score: float = pa.Field(ge=0, le=100)
    words: float = pa.Field(ge=0, le=100)
    gaps: float = pa.Field(ge=0, le=100, nullable=True)
    sex: str = pa.Field(isin=["f", "m"])
    works: bool


@pytest.fixture(scope="module")
def survey() -> pdp.ProtectedFrame:
    r = np.random.default_rng(1)
    rows = pd.DataFrame(
        {
            "income": r.gamma(2, 20_000, ROWS),
            "score": r.normal(50, 10, ROWS),
            "words": ["fifty"] * ROWS,
            "gaps": ["fifty"] * ROWS,
            "sex": ["F", "M"] * (ROWS // 2),
            "works": r.random(ROWS) < 0.3,
        }
    )
    return pdp.Session(epsilon=10**6, schema=Survey).protect(rows)


WRONG: dict[str, tuple[Callable[[pd.DataFrame], pd.DataFrame], str]] = {
    "text in a column of numbers": (lambda f: f["words"].dp.mean(epsilon=1), "middle of the range, without spread"),
    "text where values may be missing": (lambda f: f["gaps"].dp.mean(epsilon=1), "of 2,000 rows are in the answer"),
    "too little epsilon": (lambda f: f["score"].dp.mean(epsilon=0.01), "noise is most of the interval"),
    "a small count": (lambda f: f[f["score"] > 1_000]["score"].dp.count(epsilon=0.01), "noise is most of the number"),
    "wide bounds": (lambda f: f["score"].dp.mean(epsilon=0.5, bounds=(0, 10_000)), "the bounds look wide"),
    "narrow bounds": (lambda f: f["income"].dp.histogram(8, bounds=(0, 30_000), epsilon=1), "is at its upper bound"),
    "labels of another spelling": (lambda f: f["sex"].dp.value_counts(epsilon=1), "of 2,000 rows are in the answer"),
    "labels of groups": (lambda f: f.dp.groupby("sex")["score"].mean(epsilon=1), "of 2,000 rows are in the answer"),
    "labels of a table": (lambda f: f.dp.crosstab("sex", "works", epsilon=1), "of 2,000 rows are in the answer"),
    "few correlations": (
        lambda f: f[["score", "income"]].dp.corr(epsilon=0.05),
        "noise hides most",
    ),
    "the mean of a comparison": (
        lambda f: (f["income"] > 30_000).dp.mean(epsilon=1),
        "a mean near 0 to 1 was",
    ),
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
    assert "about 50% shorter, bounds half as wide 50%" in once.dp.check()["advice"].iloc[0]
    assert twice["std_error"].item() < 0.6 * once["std_error"].item()


def test_a_good_release_prints_as_pandas_prints_it(survey: pdp.ProtectedFrame) -> None:
    with seeded_noise(4):
        release = survey["score"].dp.mean(epsilon=1)
    assert release.dp.check().empty
    assert repr(release) == repr(pd.DataFrame(release))
    assert "Hint" not in release._repr_html_()


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
    assert len(hints.HINTS) >= 9
    for look in hints.HINTS:
        assert list(look.__annotations__) == ["released", "return"]
