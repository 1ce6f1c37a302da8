"""What a logit explains is yes or no by the question itself."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pandera.pandas as pa
import pytest

import pandas_dp as pdp
from pandas_dp.errors import PrivacyError
from tests.refusals import refused

R = np.random.default_rng(3)
ROWS = pd.DataFrame({"age": R.uniform(18, 90, 4000)}).assign(yes=lambda d: R.random(len(d)) < (d["age"] > 40) * 0.5)
AGES = {"age": (18, 90)}
COLUMNS = {
    "bool": ROWS["yes"],
    "integer": ROWS["yes"].astype(int),
    "float": ROWS["yes"].astype(float),
    "nullable": ROWS["yes"].astype("boolean"),
    "categorical": ROWS["yes"].astype("category"),
    "categorical of numbers": ROWS["yes"].astype(int).astype("category"),
    "objects": ROWS["yes"].astype(object),
}


@pytest.fixture(scope="module")
def expected() -> pd.Series:
    return logit(ROWS, bounds={**AGES, "yes": (0, 1)})["coef"]


def logit(rows: pd.DataFrame, schema: Any = None, **keywords: Any) -> pd.DataFrame:
    people = pdp.Session(rho=1e10, schema=schema).protect(rows)
    return people.dp.logit("yes", ["age"], rho=1e8, **{"bounds": AGES, **keywords})


@pytest.mark.parametrize("sort", COLUMNS)
@pytest.mark.parametrize("given", [None, [0, 1], [False, True]], ids=str)
def test_a_response_without_a_declared_range_is_true_or_false(sort: str, given: Any, expected: pd.Series) -> None:
    said = {} if given is None else {"categories": {"yes": given}}
    found = logit(ROWS.assign(yes=COLUMNS[sort]), **said)
    pd.testing.assert_series_equal(found["coef"], expected, atol=1e-3)


@pytest.mark.parametrize(("dtype", "listed"), [("category", [False, True]), ("category", [0, 1]), ("int64", [0, 1])])
def test_declared_categories_of_no_and_yes_are_no_and_yes(dtype: str, listed: list[Any], expected: pd.Series) -> None:
    schema = pa.DataFrameSchema({"yes": pa.Column(dtype, pa.Check.isin(listed))})
    values = ROWS["yes"].map(dict(zip([False, True], listed, strict=True))).astype(dtype)
    pd.testing.assert_series_equal(logit(ROWS.assign(yes=values), schema)["coef"], expected, atol=1e-3)


ANYTHING = [None, np.nan, True, 0, 7.5, -3, "x", "1", b"y", (1, 2), pd.Timestamp(0), 10**400, 1j, pd.NA]


def test_whatever_an_undeclared_response_holds_there_is_an_answer() -> None:
    odd = pd.Series([ANYTHING[at % len(ANYTHING)] for at in range(len(ROWS))], dtype=object)
    found = logit(ROWS.assign(yes=odd))
    assert np.isfinite(found["coef"]).all()


def test_other_categories_are_refused_with_what_to_do(expected: pd.Series) -> None:
    schema = pa.DataFrameSchema({"said": pa.Column(str, pa.Check.isin(["n", "y"]))})
    rows = ROWS[["age"]].assign(said=np.where(ROWS["yes"], "y", "n"))
    people = pdp.Session(rho=1e10, schema=schema).protect(rows)
    for ask in (people.dp.logit, people.dp.poisson, people.dp.gam_classifier):
        with refused(PrivacyError, ask.__name__):
            ask("said", ["age"], rho=1e8, bounds=AGES)
    derived = people.assign(yes=people["said"] == "y")  # as the sentence says
    found = derived.dp.logit("yes", ["age"], rho=1e8, bounds=AGES)
    pd.testing.assert_series_equal(found["coef"], expected, atol=1e-3)


def test_a_classifier_takes_an_undeclared_response_for_true_or_false() -> None:
    people = pdp.Session(rho=1e10).protect(ROWS)
    model = people.dp.gam_classifier("yes ~ s(age)", rho=1e8, bounds=AGES)
    same = people.dp.gam_classifier("yes ~ s(age)", rho=1e8, bounds={**AGES, "yes": (0, 1)})
    chances = [each.dp.predictor().predict_proba(ROWS[["age"]][:50])[:, 1] for each in (model, same)]
    np.testing.assert_allclose(*chances, atol=0.01)
