"""Text in a column that is declared as numbers, and labels that nobody has, are asked after by every question."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pandera.pandas as pa
import pytest

import pandas_dp as pdp
from pandas_dp import errors
from tests.conftest import COMPLETE
from tests.refusals import refused

BOUNDS = {
    "hours": pa.Column(float, pa.Check.in_range(1, 11), metadata=COMPLETE),
    "wage": pa.Column(float, pa.Check.in_range(0, 40), metadata=COMPLETE),
}
SCHEMA = pa.DataFrameSchema({**BOUNDS, "union": pa.Column(bool)})
NUMBERS = pd.DataFrame(
    {"hours": np.tile([2.0, 5, 6, 9, 10], 400), "wage": np.linspace(1, 39, 2000), "union": [True, False] * 1000}
)
TEXT = NUMBERS.assign(hours=["much", "little"] * 1000)
ASKED: dict[str, Callable[[Any], Any]] = {
    "t_test": lambda p: p.dp.t_test("hours", "union", rho=1),
    "rank_test": lambda p: p.dp.rank_test("hours", "union", rho=1),
    "location": lambda p: p["hours"].dp.location(rho=1),
    "trimmed_mean": lambda p: p["hours"].dp.trimmed_mean(rho=1),
    "cdf": lambda p: p["hours"].dp.cdf(rho=1),
    "moments": lambda p: p.dp.moments(["hours", "wage"], rho=1),
    "ols": lambda p: p.dp.ols("wage ~ hours", rho=1),
    "ols of text": lambda p: p.dp.ols("hours ~ wage", rho=1),
}


@pytest.mark.parametrize("name", ASKED)
def test_text_is_asked_after(name: str) -> None:
    found = ASKED[name](pdp.Session(rho=10, schema=SCHEMA).protect(TEXT)).dp.check()
    assert found["advice"].str.contains("is it text, or constant?").any()
    assert not found["advice"].str.contains("narrower").any()


LACKING = NUMBERS.assign(hours=NUMBERS["hours"].where(np.arange(2000) % 9 >= 4))  # 44 % are missing
EVERY = {
    **{name: ask for name, ask in ASKED.items() if name not in ("location", "trimmed_mean")},
    "median": lambda p: p["hours"].dp.median(rho=1),
    "quantiles": lambda p: p["hours"].dp.quantile([0.1, 0.9], rho=1),
    "histogram": lambda p: p["hours"].dp.histogram(5, rho=1),
    "var": lambda p: p["hours"].dp.var(rho=1),
    "describe": lambda p: p["hours"].dp.describe(rho=3),
    "logit": lambda p: p.dp.logit("union ~ hours", rho=1),
    "survival": lambda p: p.dp.survival("hours", "union", rho=1),
    "kmeans": lambda p: p.dp.kmeans(["hours", "wage"], 2, rho=1),
}


@pytest.mark.parametrize("rows", [LACKING, TEXT], ids=["missing", "text"])
@pytest.mark.parametrize("name", EVERY)
def test_rows_without_a_value_are_asked_after(name: str, rows: pd.DataFrame) -> None:
    columns = {column: pa.Column(said.dtype.type, said.checks) for column, said in SCHEMA.columns.items()}
    people = pdp.Session(rho=10, schema=pa.DataFrameSchema(columns)).protect(rows)
    assert EVERY[name](people).dp.check()["finding"].str.contains(r"of 2,000 rows are in", regex=True).any()


@pytest.mark.parametrize("name", ASKED)
def test_numbers_are_not_taken_for_text(name: str) -> None:
    found = ASKED[name](pdp.Session(rho=10, schema=SCHEMA).protect(NUMBERS)).dp.check()
    assert not found["advice"].str.contains("text").any()


def test_columns_in_one_or_two_bins_are_named_by_clusters() -> None:
    wide = pdp.Session(rho=10).protect(NUMBERS)
    bounds = {"hours": (0, 11), "wage": (0, 10_000)}
    found = wide.dp.kmeans(["hours", "wage"], 2, bounds=bounds, rho=1).dp.check()
    assert ["'wage'" in each for each in found["finding"]] == [True]
    text = pdp.Session(rho=10, schema=SCHEMA).protect(TEXT)
    assert ["'hours'" in each for each in text.dp.kmeans(["hours", "wage"], 2, rho=1).dp.check()["finding"]] == [True]
    people = pdp.Session(rho=10, schema=SCHEMA).protect(NUMBERS)
    assert not len(people.dp.kmeans(["hours", "wage"], 2, rho=1).dp.check())


@pytest.mark.parametrize("statistic", ["t_test", "rank_test"])
def test_labels_that_nobody_has_are_asked_after(statistic: str) -> None:
    people = pdp.Session(rho=10).protect(NUMBERS)
    said = {"bounds": {"wage": (0, 40)}, "categories": {"union": ["yes", "no"]}}
    found = getattr(people.dp, statistic)("wage", "union", rho=1, **said).dp.check()
    assert found["advice"].str.contains("labels of by=").tolist() == [True]


def test_an_event_that_is_neither_true_nor_false_is_asked_after() -> None:
    people = pdp.Session(rho=10).protect(NUMBERS.assign(event=["left", "stayed"] * 1000))
    assert (
        "Is the event true or false"
        in people.dp.survival("wage", "event", bounds=(0, 40), rho=1).dp.check()["advice"][0]
    )
    assert not len(people.dp.survival("wage", "union", bounds=(0, 40), censoring="start", rho=1).dp.check())


@pytest.mark.parametrize("model", ["naive_bayes", "kmeans"])
def test_a_predictor_takes_no_protected_rows(model: str) -> None:
    people = pdp.Session(rho=10, schema=SCHEMA).protect(NUMBERS)
    if model == "kmeans":
        predictor = people.dp.kmeans(["hours", "wage"], 2, rho=1).dp.predictor()
    else:
        predictor = people.dp.naive_bayes("union", ["hours", "wage"], rho=1).dp.predictor()
    for rows in (people, people.head(3), people[["hours", "wage"]]):
        with refused(errors.UnsupportedArgument, "protected rows"):
            predictor.predict(rows)
    assert len(predictor.predict(NUMBERS.head(3))) == 3
