"""What all predictors keep to: picklable, no `fit`, released numbers alone."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import fields

import numpy as np
import pandas as pd
import pandera.pandas as pa
import pytest

import pandas_dp as pdp
from pandas_dp.errors import PrivacyError
from tests.refusals import refused

N = 500


def rows() -> pd.DataFrame:
    r = np.random.default_rng(1)
    x = r.uniform(0, 10, N)
    return pd.DataFrame({"x": x, "k": r.choice(["a", "b"], N), "y": x + r.standard_normal(N) > 5})


SCHEMA = pa.DataFrameSchema(
    {
        "x": pa.Column(float, pa.Check.in_range(0, 10)),
        "k": pa.Column(str, pa.Check.isin(["a", "b"])),
        "y": pa.Column(bool),
    }
)
MADE: dict[str, Callable[[pd.DataFrame], pdp.Release]] = {
    "naive bayes": lambda p: p.dp.naive_bayes("y", bins=5, rho=1),
    "naive bayes of a table": lambda p: p.dp.crosstab("k", "y", rho=1).dp.naive_bayes("y"),
    "additive model": lambda p: p.dp.moments(["x", "k", "y"], rho=1).dp.gam("y", ["x", "k"]),
    "discriminant": lambda p: p.dp.moments(["x", "k", "y"], rho=1).dp.discriminant("y"),
    "additive classifier": lambda p: p.dp.gam_classifier("y", ["x", "k"], rho=1),
    "clusters": lambda p: p.dp.kmeans(["x"], 2, rho=1),
}


@pytest.fixture(scope="module")
def people() -> pd.DataFrame:
    return pdp.Session(rho=1e9, schema=SCHEMA).protect(rows())


@pytest.mark.parametrize("name", MADE)
def test_it_says_the_same_after_a_pickle_and_holds_no_rows(name: str, people: pd.DataFrame) -> None:
    predictor = MADE[name](people).dp.predictor()
    told = pickle.dumps(predictor)
    again = pickle.loads(told)
    np.testing.assert_array_equal(again.predict(rows()), predictor.predict(rows()))
    assert len(told) < 4000  # the rows are twice as long
    held = [getattr(predictor, each.name) for each in fields(predictor)]
    assert not any(isinstance(each, pd.DataFrame | pd.Series) for each in held)
    assert all(each.size < N for each in held if isinstance(each, np.ndarray))
    assert "rho=1" in predictor.guarantee


@pytest.mark.parametrize("name", MADE)
def test_it_has_the_names_of_scikit_learn_and_no_fit(name: str, people: pd.DataFrame) -> None:
    predictor = MADE[name](people).dp.predictor()
    assert not hasattr(predictor, "fit")
    assert predictor.n_features_in_ == len(predictor.feature_names_in_)
    if hasattr(predictor, "classes_"):
        proba, scores = predictor.predict_proba(rows()), predictor.decision_function(rows())
        assert proba.shape == (N, len(predictor.classes_))
        np.testing.assert_allclose(proba.sum(axis=1), 1)
        np.testing.assert_array_equal(predictor.classes_[(scores > 0).astype(int)], predictor.predict(rows()))


@pytest.mark.parametrize("name", MADE)
def test_it_survives_a_file(name: str, people: pd.DataFrame, tmp_path: object) -> None:
    release = MADE[name](people)
    path = f"{tmp_path}/release.parquet"
    release.to_parquet(path)
    again = pd.read_parquet(path)
    np.testing.assert_array_equal(again.dp.predictor().predict(rows()), release.dp.predictor().predict(rows()))


@pytest.mark.parametrize("name", MADE)
def test_no_rows_get_no_answers(name: str, people: pd.DataFrame) -> None:
    assert len(MADE[name](people).dp.predictor().predict(rows().iloc[:0])) == 0


def test_scikit_learn_takes_it_for_what_it_is(people: pd.DataFrame) -> None:
    base = pytest.importorskip("sklearn.base")
    assert base.is_classifier(MADE["additive classifier"](people).dp.predictor())
    assert not base.is_classifier(MADE["clusters"](people).dp.predictor())


ASKED = {
    "gam_classifier": lambda f: f.dp.gam_classifier("y", ["x", "k"], rho=0.1),
    "kmeans": lambda f: f.dp.kmeans(["x"], 2, bins=4, rho=0.1),
    "naive_bayes": lambda f: f.dp.naive_bayes("y", ["x", "k"], rho=0.1),
}


@pytest.mark.parametrize("name", ASKED)
def test_rows_of_people_and_weights_are_refused_before_paying(name: str) -> None:
    table = rows().assign(who=range(N))
    session = pdp.Session(rho=1, schema=SCHEMA, unit="who")
    with refused(PrivacyError, f"{name} of visits"):
        ASKED[name](session.protect(table))
    weighed = pdp.Session(rho=1, schema=SCHEMA).protect(rows(), design=pdp.Design(weights="x"))
    with refused(PrivacyError, f"{name} of weights"):
        ASKED[name](weighed)
    assert str(session.left) == "rho=1"
