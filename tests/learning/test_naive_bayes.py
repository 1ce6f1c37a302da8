"""Naive Bayes from noisy tables: asked for, or read from tables that were released."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pandera.pandas as pa
import pytest

import pandas_dp as pdp
from pandas_dp.core.evidence.evidence import evidence_from_json
from pandas_dp.core.label.layout import Released
from pandas_dp.errors import NotConcluded, UnsupportedArgument, UnsupportedType
from tests.refusals import refused

SCHEMA = pa.DataFrameSchema(
    {
        "vote": pa.Column(str, pa.Check.isin(["no", "yes"])),
        "age": pa.Column(float, pa.Check.in_range(20, 60)),
        "sex": pa.Column(str, pa.Check.isin(["f", "m"])),
        "old": pa.Column(bool, required=False),
        "born": pa.Column(
            "datetime64[ns]", pa.Check.isin(pd.to_datetime(["2000-01-01", "2001-01-01"])), required=False
        ),
        "one": pa.Column(str, pa.Check.isin(["a"]), required=False),
    }
)


def rows(n: int = 2000) -> pd.DataFrame:
    r = np.random.default_rng(3)
    vote = r.random(n) < 0.4
    return pd.DataFrame(
        {
            "vote": np.where(vote, "yes", "no"),
            "age": np.clip(np.where(vote, 45, 35) + 8 * r.standard_normal(n), 20, 60),
            "sex": np.where(r.random(n) < np.where(vote, 0.7, 0.4), "f", "m"),
        }
    )


def protected(n: int = 2000, **terms: object) -> pd.DataFrame:
    return pdp.Session(**{"rho": 1e9, "schema": SCHEMA, **terms}).protect(rows(n))


def by_hand(table: pd.DataFrame, new: pd.DataFrame) -> np.ndarray:
    """Laplace smoothing by half a row, from the rows themselves."""
    edges = np.linspace(20, 60, 5)
    features = {
        "age": np.clip(np.digitize(table["age"], edges) - 1, 0, 3),
        "sex": table["sex"].to_numpy(),
    }
    asked = {"age": np.clip(np.digitize(new["age"], edges) - 1, 0, 3), "sex": new["sex"].to_numpy()}
    values = {"age": range(4), "sex": ["f", "m"]}
    found = np.zeros((len(new), 2))
    for at, vote in enumerate(["no", "yes"]):
        mine = (table["vote"] == vote).to_numpy()
        found[:, at] = np.log((mine.sum() + 0.5) / (len(table) + 1))
        for name, column in features.items():
            counts = {each: (column[mine] == each).sum() + 0.5 for each in values[name]}
            total = sum(counts.values())
            found[:, at] += [np.log(counts[each] / total) for each in asked[name]]
    found = np.exp(found - found.max(axis=1, keepdims=True))
    return found / found.sum(axis=1, keepdims=True)


def test_without_noise_it_is_the_classifier_that_one_would_make_by_hand() -> None:
    found = protected().dp.naive_bayes("vote", bins=4, rho=1e8)
    new = rows(300)
    classifier = found.dp.predictor()
    np.testing.assert_allclose(classifier.predict_proba(new), by_hand(rows(), new), atol=1e-3)
    assert classifier.classes_.tolist() == ["no", "yes"]
    assert (classifier.predict(new) == new["vote"]).mean() > 0.7


def test_it_is_the_same_from_margins_that_were_released() -> None:
    people = protected()
    tables = people.dp.marginals([["vote", "age"], ["sex", "vote"]], bins={"age": 4}, rho=1e8)
    asked = people.dp.naive_bayes("vote", ["age", "sex"], bins=4, rho=1e8)
    new, from_tables = rows(300), tables.dp.naive_bayes("vote")
    np.testing.assert_allclose(from_tables["count"], asked["count"], atol=1e-2)
    np.testing.assert_allclose(
        from_tables.dp.predictor().predict_proba(new), asked.dp.predictor().predict_proba(new), atol=1e-3
    )
    assert from_tables.dp.metadata["id"] == tables.dp.metadata["id"]


def test_a_table_over_more_keys_is_added_up_with_its_noise() -> None:
    table = rows().assign(old=rows()["age"] > 40)
    people = pdp.Session(rho=10, schema=SCHEMA).protect(table)
    cell = people.dp.crosstab("sex", "vote", rho=0.5).dp.naive_bayes("vote")
    assert cell["std_error"].iloc[0] == pytest.approx(np.sqrt(2), rel=1e-3)
    added = people.dp.value_counts(["sex", "old", "vote"], rho=0.5).dp.naive_bayes("vote")
    assert added["std_error"].tolist() == pytest.approx([2.0] * 8, rel=1e-3)
    women = ((table["sex"] == "f") & (table["vote"] == "yes")).sum()
    assert added.loc[("sex", "yes", "f"), "count"] == pytest.approx(women, abs=20)


def test_fitted_tables_say_how_wide_their_noise_is() -> None:
    people = protected()
    tables = people.dp.marginals([["vote", "sex"], ["vote"], ["sex"]], rho=0.1)
    evidence = Released.of(tables.dp.naive_bayes("vote")).evidence[0]
    assert evidence.std_error("sample")[0] == pytest.approx(Released.of(tables).evidence[0].std_error("sample")[0])


def test_missing_and_unknown_values_say_nothing() -> None:
    classifier = protected().dp.naive_bayes("vote", bins=4, rho=1e8).dp.predictor()
    nothing = pd.DataFrame({"age": [np.nan, None, "old"], "sex": [None, "x", ["f"]]})
    priors = np.exp(classifier.log_priors)
    np.testing.assert_allclose(classifier.predict_proba(nothing), np.tile(priors, (3, 1)))
    ends = pd.DataFrame({"age": [-1e300, 20, 60, np.inf], "sex": "f"})
    assert classifier.decision_function(ends)[0] == classifier.decision_function(ends)[1]
    assert classifier.decision_function(ends)[2] == classifier.decision_function(ends)[3]


def test_an_array_stands_for_columns_in_order() -> None:
    classifier = protected().dp.naive_bayes("vote", ["age", "sex"], bins=4, rho=1e8).dp.predictor()
    new = rows(5)
    given = new[["age", "sex"]].to_numpy(dtype=object)
    assert classifier.feature_names_in_.tolist() == ["age", "sex"]
    assert classifier.predict(given).tolist() == classifier.predict(new[["sex", "age"]]).tolist()
    with refused(UnsupportedArgument, "array of another width"):
        classifier.predict(given[:, :1])
    with refused(UnsupportedArgument, "a column is not there"):
        classifier.predict(new[["age"]])


@pytest.mark.parametrize("n", [0, 1, 2])
def test_few_rows_give_finite_probabilities(n: int) -> None:
    people = pdp.Session(rho=10, schema=SCHEMA).protect(rows(2000).iloc[:n])
    found = people.dp.naive_bayes("vote", bins=4, rho=0.1)
    proba = found.dp.predictor().predict_proba(rows(50))
    assert np.isfinite(proba).all()
    np.testing.assert_allclose(proba.sum(axis=1), 1)
    assert np.isfinite(found.to_numpy(float)).all()


def test_one_class_alone_and_a_constant_feature_are_answered() -> None:
    table = rows(500).assign(vote="yes", age=30.0)
    people = pdp.Session(rho=1e9, schema=SCHEMA).protect(table)
    classifier = people.dp.naive_bayes("vote", bins=4, rho=1e8).dp.predictor()
    assert set(classifier.predict(rows(50))) == {"yes"}


def test_intervals_hold_every_count() -> None:
    """By luck 100 of 24,000 intervals of 99.99 % miss with a chance far below 1e-9."""
    truth = rows(600)
    people = pdp.Session(rho=1e6, schema=SCHEMA).protect(truth)
    exact = people.dp.naive_bayes("vote", bins=4, rho=1e5)["count"]
    missed = 0
    for _ in range(50):
        found = people.dp.naive_bayes("vote", bins=4, epsilon=1, confidence=0.99)
        ends = found.dp.confint(0.9999)
        missed += int(((ends["lower"] > exact + 0.5) | (ends["upper"] < exact - 0.5)).sum())
    assert missed < 20


def test_the_features_share_the_cost() -> None:
    found = pdp.Session(rho=1, schema=SCHEMA).protect(rows()).dp.naive_bayes("vote", ["age", "sex"], bins=4, rho=0.5)
    assert found["std_error"].tolist() == pytest.approx([2.0] * 12, rel=1e-6)
    assert found.dp.metadata["rho"] == 0.5


def test_it_reads_back_from_json() -> None:
    found = protected().dp.naive_bayes("vote", bins={"age": [20, 30, 60]}, rho=0.1)
    before = Released.of(found).evidence[0]
    after = evidence_from_json(json.loads(json.dumps(before.to_json(), allow_nan=False)), before.estimate)
    assert after.to_json() == before.to_json()
    np.testing.assert_array_equal(after.log_priors, before.log_priors)


def test_what_cannot_be_asked_is_refused_before_paying() -> None:
    session = pdp.Session(rho=1, schema=SCHEMA)
    people = session.protect(rows().assign(born=pd.Timestamp("2000-01-01"), one="a"))
    with refused(UnsupportedArgument, "no feature"):
        people.dp.naive_bayes("vote", [], rho=0.1)
    with refused(UnsupportedArgument, "the classes among the features"):
        people.dp.naive_bayes("vote", ["vote", "sex"], rho=0.1)
    with refused(UnsupportedArgument, "one class"):
        people.dp.naive_bayes("one", ["sex"], rho=0.1)
    with refused(UnsupportedArgument, "too many cells"):
        people.dp.naive_bayes("vote", ["age"], bins=6000, rho=0.1)
    with refused(UnsupportedArgument, "bins of what is no feature"):
        people.dp.naive_bayes("vote", ["sex"], bins={"age": 3}, rho=0.1)
    with refused(UnsupportedType, "times as categories"):
        people.dp.naive_bayes("vote", ["born"], rho=0.1)
    assert str(session.left) == "rho=1"


def test_a_release_without_such_tables_is_refused() -> None:
    people = protected()
    tables = people.dp.marginals([["vote"], ["sex"]], rho=1)
    with refused(NotConcluded, "no table of both"):
        tables.dp.naive_bayes("vote")
    with refused(NotConcluded, "no such key"):
        tables.dp.naive_bayes("age")
