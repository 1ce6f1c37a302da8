"""Additive models, their classifier, and discriminants, of noisy moment matrices."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pandas as pd
import pandera.pandas as pa
import pytest

import pandas_dp as pdp
from pandas_dp.core.evidence.evidence import evidence_from_json
from pandas_dp.core.label.layout import Released
from pandas_dp.errors import BadArgument, CostNotOffered, NotConcluded, PrivacyError, UnsupportedArgument
from pandas_dp.learning.solve import additive, bends, least_eigenvalue
from pandas_dp.models.moments.solve import MatrixColumn
from tests.refusals import refused

KNOTS = [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]
SCHEMA = pa.DataFrameSchema(
    {
        "x": pa.Column(float, pa.Check.in_range(0, 10)),
        "z": pa.Column(float, pa.Check.in_range(0, 10)),
        "k": pa.Column(str, pa.Check.isin(["a", "b", "c"])),
        "y": pa.Column(float, pa.Check.in_range(-10, 10)),
        "yes": pa.Column(bool),
    }
)


def rows(n: int = 3000) -> pd.DataFrame:
    r = np.random.default_rng(4)
    x, z = r.uniform(0, 10, (2, n))
    k = r.choice(["a", "b", "c"], n)
    mean = 3 * np.sin(x / 2) + 0.5 * (z - 5) + np.where(k == "c", 2.0, 0.0)
    y = np.clip(mean + r.standard_normal(n), -10, 10)
    return pd.DataFrame({"x": x, "z": z, "k": k, "y": y, "yes": y + r.standard_normal(n) > 1})


def protected(n: int = 3000, rho: float = 1e15, **terms: object) -> pd.DataFrame:
    return pdp.Session(rho=rho, schema=SCHEMA, **terms).protect(rows(n))


def design(table: pd.DataFrame) -> np.ndarray:
    linear_basis = [np.interp(table["x"], KNOTS, each) for each in np.eye(6)]
    return np.stack([*linear_basis, table["z"] - 5, *((table["k"] == level) * 1.0 for level in "abc")], axis=1)


def test_without_noise_it_is_least_squares_with_splines() -> None:
    release = protected().dp.moments(["x", "z", "k", "y"], splines={"x": KNOTS}, rho=1e12)
    model = release.dp.gam("y", ["x", "z", "k"]).dp.predictor()
    fitted = np.linalg.lstsq(design(rows()), rows()["y"].to_numpy(), rcond=None)[0]
    new = rows(200)
    np.testing.assert_allclose(model.predict(new), design(new) @ fitted, atol=2e-2)
    assert model.feature_names_in_.tolist() == ["x", "z", "k"]


def test_a_formula_says_the_same_as_a_list() -> None:
    pytest.importorskip("formulaic")
    release = protected().dp.moments(["x", "z", "k", "y"], splines={"x": KNOTS}, rho=1e12)
    by_formula, by_list = release.dp.gam("y ~ s(x) + z + C(k)"), release.dp.gam("y", ["x", "z", "k"])
    pd.testing.assert_frame_equal(pd.DataFrame(by_formula), pd.DataFrame(by_list))
    with refused(NotConcluded, "a spline that was not asked for"):
        release.dp.gam("y ~ s(z)")
    with refused(UnsupportedArgument, "a product"):
        release.dp.gam("y ~ x:z")


@pytest.mark.parametrize("rho", [0.05, 0.005])
def test_noise_shrinks_what_is_fitted_and_keeps_its_mean(rho: float) -> None:
    """On average over sixteen releases, whose sums of coefficients are 13.6 ± 1.0 and 12.0 ± 2.5 for 15.6 without
    noise: five standard deviations or more, and nine of one mean."""
    frame, table, found = protected(), rows(), []
    for _ in range(16):
        fit = frame.dp.moments(["x", "z", "k", "y"], splines={"x": KNOTS}, rho=rho).dp.gam("y", ["x", "z", "k"])
        found.append(np.abs(fit["coef"].iloc[1:]).sum())
        assert fit.dp.predictor().predict(table).mean() == pytest.approx(table["y"].mean(), abs=1.5)
    exact = frame.dp.moments(["x", "z", "k", "y"], splines={"x": KNOTS}, rho=1e12).dp.gam("y", ["x", "z", "k"])
    assert np.mean(found) < np.abs(exact["coef"].iloc[1:]).sum()


def test_half_of_the_variance_is_explained_behind_noise() -> None:
    """At ρ = 0.1 the least of 200 shares was .71; .5 is ten standard deviations off."""
    release = protected().dp.moments(["x", "z", "k", "y"], splines={"x": KNOTS}, rho=0.1)
    left = rows()["y"] - release.dp.gam("y", ["x", "z", "k"]).dp.predictor().predict(rows())
    assert 1 - left.var() / rows()["y"].var() > 0.5


def test_a_discriminant_is_fishers() -> None:
    release = protected().dp.moments(["x", "z", "yes"], rho=1e12)
    found = release.dp.discriminant("yes")
    model, table = found.dp.predictor(), rows()
    groups = [table.loc[table["yes"] == answer, ["x", "z"]].to_numpy() for answer in (False, True)]
    within = sum(np.cov(each.T, ddof=0) * len(each) for each in groups) / len(table)
    weights = np.linalg.solve(within, groups[1].mean(axis=0) - groups[0].mean(axis=0))
    middle = (groups[0].mean(axis=0) + groups[1].mean(axis=0)) / 2
    odds = (table[["x", "z"]].to_numpy() - middle) @ weights + np.log(len(groups[1]) / len(groups[0]))
    np.testing.assert_allclose(model.decision_function(table), odds, atol=1e-3)
    assert model.classes_.tolist() == [False, True]
    np.testing.assert_allclose(model.predict_proba(table)[:, 1], 1 / (1 + np.exp(-odds)), atol=1e-3)


def test_a_discriminant_of_three_classes_finds_them() -> None:
    table = rows()
    table["x"] = np.clip(table["k"].map({"a": 2.0, "b": 5.0, "c": 8.0}) + 0.1 * (table["z"] - 5), 0, 10)
    people = pdp.Session(rho=10, schema=SCHEMA).protect(table)
    model = people.dp.moments(["x", "k"], rho=1).dp.discriminant("k").dp.predictor()
    assert (model.predict(table) == table["k"]).mean() > 0.97
    assert model.decision_function(table).shape == (len(table), 3)


def test_a_classifier_from_one_question_sorts_public_rows() -> None:
    """Behind noise of ρ = .1 its accuracy was .80 to .84 in 100 releases; the share of the larger class is .62."""
    people = protected(rho=1)
    found = people.dp.gam_classifier("yes", ["x", "z", "k"], rho=0.1)
    model = pickle.loads(pickle.dumps(found.dp.predictor()))
    assert (model.predict(rows()) == rows()["yes"]).mean() > 0.7
    assert found.index[0] == "Intercept"
    assert len(found) == 1 + 6 + 6 + 3
    assert found.dp.guarantee.startswith("differentially private: rho=0.1")
    assert len(json.dumps(found.dp.metadata)) < 10_000  # the matrix is not in the label


def test_its_probabilities_follow_the_shares_of_the_rows() -> None:
    model = protected().dp.gam_classifier("yes", ["x", "z", "k"], rho=1e12).dp.predictor()
    table = rows()
    proba = model.predict_proba(table)[:, 1]
    for low in (0.0, 0.2, 0.4, 0.6, 0.8):
        inside = (proba >= low) & (proba < low + 0.2)
        assert table.loc[inside, "yes"].mean() == pytest.approx(proba[inside].mean(), abs=0.1)


def test_a_classifier_of_hundreds_of_columns_is_answered() -> None:
    r = np.random.default_rng(0)
    names = [f"x{at}" for at in range(24)]
    schema = pa.DataFrameSchema(
        {**{name: pa.Column(float, pa.Check.in_range(0, 1)) for name in names}, "yes": pa.Column(bool)}
    )
    table = pd.DataFrame(r.random((400, 24)), columns=names).assign(yes=lambda t: t["x0"] + t["x1"] > 1)
    found = pdp.Session(rho=1e9, schema=schema).protect(table).dp.gam_classifier("yes", names, rho=1e6)
    assert len(found) == 1 + 24 * 6
    assert (found.dp.predictor().predict(table) == table["yes"]).mean() > 0.9


def test_missing_values_and_unknown_categories_are_answered() -> None:
    model = protected().dp.gam_classifier("yes", ["x", "z", "k"], rho=1e12).dp.predictor()
    odd = pd.DataFrame({"x": [None, 5.0, -99, 0], "z": [5.0, None, 5, 5], "k": ["a", "a", "zz", None]})
    scores = model.decision_function(odd)
    assert np.isfinite(scores).all()
    assert scores[0] == pytest.approx(scores[1])  # the middle of a range
    assert scores[2] == pytest.approx(scores[3])  # the ends, and none of the categories


@pytest.mark.parametrize("n", [0, 1, 2])
def test_few_rows_give_finite_answers(n: int) -> None:
    people = protected(n, neighbours="add_remove") if n else pdp.Session(rho=1e15, schema=SCHEMA).protect(rows(9)[:0])
    for rho in (0.01, 1e12):
        release = people.dp.moments(["x", "z", "k", "y", "yes"], rho=rho)
        made = [
            release.dp.gam("y", ["x", "k"]),
            release.dp.gam("yes", ["x", "k"]),
            release.dp.discriminant("yes"),
            release.dp.discriminant("k"),
            people.dp.gam_classifier("yes", ["x", "z", "k"], rho=rho),
        ]
        for each in made:
            assert np.isfinite(each["coef"]).all()
            model = each.dp.predictor()
            assert np.isfinite(getattr(model, "predict_proba", model.predict)(rows(20))).all()


def test_one_class_constant_columns_and_empty_levels_give_finite_answers() -> None:
    table = rows(300).assign(yes=True, z=3.0, k="a")
    people = pdp.Session(rho=1e15, schema=SCHEMA).protect(table)
    for rho in (0.1, 1e12):
        model = people.dp.gam_classifier("yes", ["x", "z", "k"], rho=rho).dp.predictor()
        assert np.isfinite(model.predict_proba(rows(50))).all()
        found = people.dp.moments(["x", "z", "k", "yes"], rho=rho).dp.discriminant("yes")
        assert np.isfinite(found.dp.predictor().predict_proba(rows(50))).all()
    assert model.predict(table).all()


def test_scores_read_back_from_json_and_say_why_they_have_no_interval() -> None:
    found = protected(rho=10).dp.gam_classifier("yes", ["x", "k"], rho=0.1)
    before = Released.of(found).evidence[0]
    after = evidence_from_json(json.loads(json.dumps(before.to_json(), allow_nan=False)), before.estimate)
    assert after.to_json() == before.to_json()
    with refused(NotConcluded):
        found.dp.confint()


def test_the_penalty_is_on_bends_of_neighbouring_hats_alone() -> None:
    linear_basis = [
        MatrixColumn(f"s({name})[{knot}]", name, knot, sort="hat") for name in "xz" for knot in (0.0, 1.0, 2.0)
    ]
    found = bends([*linear_basis, MatrixColumn("w", "w")])
    bend = np.outer([1, -2, 1], [1, -2, 1])
    assert found[:3, :3].tolist() == bend.tolist()
    assert found[3:6, 3:6].tolist() == bend.tolist()
    assert np.count_nonzero(found) == 18


def test_without_noise_to_see_a_singular_matrix_is_fitted() -> None:
    columns = [
        MatrixColumn("Intercept", None, sort="constant"),
        MatrixColumn("x", "x"),
        MatrixColumn("z", "z"),
        MatrixColumn("y", "y"),
    ]
    moments = np.ones((4, 4)) * 10.0
    fit = additive(columns, moments, [1, 2], 3, 0.0, False)
    assert np.isfinite([fit.constant, *fit.coefficients]).all()
    assert np.linalg.eigvalsh(least_eigenvalue(np.diag([-5.0, 1.0]), 0.5)).min() == pytest.approx(0.5)


def test_what_cannot_be_asked_is_refused_before_paying() -> None:
    session = pdp.Session(rho=1, schema=SCHEMA)
    people = session.protect(rows(100))
    cases = {
        "a number": lambda: people.dp.gam_classifier("y", ["x"], rho=0.1),
        "the answer itself": lambda: people.dp.gam_classifier("yes", ["x", "yes"], rho=0.1),
        "nothing": lambda: people.dp.gam_classifier("yes", [], rho=0.1),
        "a width": lambda: people.dp.gam_classifier("yes", ["x"], width=0.1),
        "one knot": lambda: people.dp.gam_classifier("yes", ["x"], splines=1, rho=0.1),
        "knots of what is no term": lambda: people.dp.gam_classifier("yes", ["x"], splines={"z": 3}, rho=0.1),
        "falling knots": lambda: people.dp.gam_classifier("yes", ["x"], splines={"x": [3, 1]}, rho=0.1),
        "words for knots": lambda: people.dp.gam_classifier("yes", ["x"], splines={"x": "many"}, rho=0.1),
        "more than so many": lambda: (
            pdp.Session(rho=1)
            .protect(wide())
            .dp.gam_classifier("yes", [f"x{at}" for at in range(9)], splines=64, bounds=(0, 1), rho=0.1)
        ),
    }
    for name, ask in cases.items():
        with refused(PrivacyError, name):
            ask()
    pure = pdp.Session(epsilon=1, schema=SCHEMA).protect(rows(100))
    with refused(CostNotOffered, "laplace"):
        pure.dp.gam_classifier("yes", ["x"], epsilon=0.1)
    assert str(session.left) == "rho=1"


def wide() -> pd.DataFrame:
    return pd.DataFrame(0.5, index=range(5), columns=[*(f"x{at}" for at in range(9)), "yes"])


def test_what_a_release_does_not_hold_is_refused() -> None:
    release = protected().dp.moments(["x", "z", "k", "y"], rho=1)
    cases = {
        "explains a categorical": lambda: release.dp.gam("k", ["x"]),
        "a column that is not there": lambda: release.dp.gam("y", ["w"]),
        "the response as a term": lambda: release.dp.gam("y", ["y"]),
        "classes of numbers": lambda: release.dp.discriminant("x"),
        "columns beside": lambda: release.dp.discriminant("k", ["k"]),
    }
    for name, ask in cases.items():
        with refused((NotConcluded, UnsupportedArgument, BadArgument), name):
            ask()
