"""Powers, logarithms and other calculations in formulas: what they are worth, and where they have no ends."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import pandera.pandas as pa
import pytest

import pandas_dp as pdp
from pandas_dp.audit import seeded_noise
from pandas_dp.errors import NoBounds, UnknownColumn, UnsupportedArgument
from pandas_dp.models.moments.solve import MatrixColumn, MatrixSums, supposed_products, unit_map
from pandas_dp.models.moments.solve_powers import power_in_polynomials
from tests.refusals import refused

from .made import BOUNDS, MUCH, REGIONS, by_hand, protected, wages

FRAME = wages()
ONE, SCHOOL = np.ones(len(FRAME)), FRAME["school"]
LOG = np.log1p(SCHOOL)


@pytest.mark.parametrize("way", ["protect", "scan"])
@pytest.mark.parametrize(
    ("formula", "columns"),
    [
        ("wage ~ school + I(school**2)", [ONE, SCHOOL, SCHOOL**2]),
        ("wage ~ I(school**2)", [ONE, SCHOOL**2]),
        ("wage ~ poly(school, 3)", [ONE, SCHOOL, SCHOOL**2, SCHOOL**3]),
        ("wage ~ np.log1p(school) + I(np.log1p(school)**2)", [ONE, LOG, LOG**2]),
        ("wage ~ I(school > 12) + I(school/10)", [ONE, SCHOOL > 12, SCHOOL / 10]),
        ("wage ~ I((school - 12) * (school > 12)) + np.minimum(school, 12)", None),
    ],
)
def test_without_noise_it_is_least_squares_of_what_was_written(formula, columns, way):
    if columns is None:
        columns = [ONE, (SCHOOL - 12) * (SCHOOL > 12), np.minimum(SCHOOL, 12)]
    table = getattr(pdp.Session(rho=1e12), way)(FRAME)
    fit = table.dp.ols(formula, bounds={"wage": BOUNDS["wage"], "school": BOUNDS["school"]}, rho=MUCH)
    np.testing.assert_allclose(fit["coef"], by_hand(FRAME, *columns), rtol=1e-3, atol=1e-3)


def test_a_response_may_be_a_logarithm_and_predictions_take_the_columns_themselves():
    frame = FRAME.assign(wage=np.exp(FRAME["wage"] / 40))
    bounds = {"wage": (1, 40), "school": (0, 20)}
    fit = protected(frame).dp.ols("np.log(wage) ~ np.log1p(school) + I(school ** 2)", stages=1, bounds=bounds, rho=MUCH)
    found = fit.dp.predict({"school": [6, 15]})["mean"]
    columns = np.column_stack([ONE, LOG, SCHOOL**2])
    coefficients = np.linalg.lstsq(columns, np.log(frame["wage"].clip(1, 40)), rcond=None)[0]
    np.testing.assert_allclose(found, [[1, np.log1p(x), x**2] @ coefficients for x in (6, 15)], rtol=1e-3)
    assert list(fit.dp.refit("np.log(wage) ~ np.log1p(school)").index) == ["Intercept", "np.log1p(school)"]


def test_a_power_of_a_calculation_is_named_as_it_was_written():
    fit = protected(FRAME).dp.ols(
        "wage ~ I((school - 12) ** 2)", bounds={name: BOUNDS[name] for name in ("wage", "school")}, rho=MUCH
    )
    assert list(fit.index) == ["Intercept", "I((school - 12) ** 2)"]


def test_ends_follow_from_the_schema_and_rows_are_clamped_before_anything_is_made_of_them():
    frame = FRAME.assign(age=np.where(FRAME["age"] > 60, 1e6, FRAME["age"]))
    schema = pa.DataFrameSchema({name: pa.Column(float, pa.Check.in_range(*ends)) for name, ends in BOUNDS.items()})
    table = pdp.Session(rho=1e12, schema=schema).protect(frame[list(BOUNDS)].astype(float))
    fit = table.dp.ols("wage ~ I((age - 40) ** 2)", rho=MUCH)
    squares = (frame["age"].clip(18, 66) - 40) ** 2
    np.testing.assert_allclose(fit["coef"], by_hand(frame, ONE, squares), rtol=2e-3, atol=1e-3)


def test_a_power_is_told_more_sharply_than_a_column_of_its_own():
    rng = np.random.default_rng(2)
    age = rng.uniform(18, 80, 2000)
    people = pd.DataFrame({"age": age, "income": 30 + 1.2 * age - 0.012 * age**2 + rng.normal(0, 8, 2000)})
    session = pdp.Session(rho=10)
    bounds = {"age": (18, 80), "income": (-20, 100)}
    with seeded_noise(3):
        table = session.protect(people)
        fit = table.dp.ols("income ~ age + I(age**2)", stages=1, bounds=bounds, rho=1)
        made = table.assign(square=table["age"] ** 2)
        plain = made.dp.ols("income", ["age", "square"], stages=1, bounds={**bounds, "square": (324, 6400)}, rho=1)
    width, before = ((each["upper"] - each["lower"]).iloc[2] for each in (fit, plain))
    assert 5 * width < before


@pytest.mark.parametrize("family", ["logit", "poisson"])
def test_regressions_of_other_responses_take_powers_with_those_below(family):
    rng = np.random.default_rng(1)
    x = rng.uniform(0, 4, 4000)
    linear = -1 + 1.5 * x - 0.4 * x**2
    y = rng.random(4000) < 1 / (1 + np.exp(-linear)) if family == "logit" else rng.poisson(np.exp(linear))
    table = protected(pd.DataFrame({"x": x, "y": y.astype(int)}))
    bounds = {"x": (0, 4), "y": (0, 1 if family == "logit" else 12)}
    fit = getattr(table.dp, family)("y ~ poly(x, 2)", bounds=bounds, rho=MUCH)
    assert ((fit["lower"] <= [-1, 1.5, -0.4]) & (fit["upper"] >= [-1, 1.5, -0.4])).all()
    assert fit.index.tolist() == ["Intercept", "x", "I(x ** 2)"]
    with refused(UnsupportedArgument, family):
        getattr(table.dp, family)("y ~ I(x ** 2)", bounds=bounds, rho=MUCH)


@pytest.mark.parametrize(
    ("formula", "error"),
    [
        ("np.log(wage) ~ school", NoBounds),
        ("wage ~ I(1 / school)", NoBounds),
        ("wage ~ np.log(pay)", UnknownColumn),
        ("wage ~ I(region ** 2)", UnsupportedArgument),
        ("wage ~ I(2 * 3)", UnsupportedArgument),
    ],
)
def test_what_has_no_ends_or_no_column_is_refused_before_anything_is_paid(formula, error):
    session = pdp.Session(rho=1)
    bounds = {name: BOUNDS[name] for name in ("wage", "school") if name in formula}
    sorts = {"categories": {"region": REGIONS}} if "region" in formula else {}
    with refused(error, formula):
        session.protect(FRAME.assign(wage=0)).dp.ols(formula, bounds=bounds, rho=0.1, **sorts)
    with refused(UnsupportedArgument, "one pair"):
        session.protect(FRAME).dp.ols("np.log(wage) ~ school", bounds=(1, 9), rho=0.1)
    assert len(session.ledger) == 0


def test_powers_are_sums_of_polynomials_and_their_products_say_things_twice():
    x = np.linspace(-3.0, 11.0, 201)
    u = (x - 4) / 7
    for degree in range(2, 7):
        found = np.polynomial.chebyshev.chebval(u, power_in_polynomials(4.0, 7.0, degree))
        np.testing.assert_allclose(found, x**degree, rtol=1e-9, atol=1e-6)
    powers = [MatrixColumn(f"x{d}", "x", d, 0.0, 7**d / 2 ** (d - 1), "power") for d in (2, 3)]
    columns = (MatrixColumn("Intercept", None, sort="constant"), MatrixColumn("x", "x", None, 4.0, 7.0), *powers)
    rows = np.array([np.polynomial.chebyshev.chebval(u, np.eye(4)[d]) for d in range(4)])
    np.testing.assert_allclose(unit_map(columns) @ rows, [x**0, x, x**2, x**3], rtol=1e-9, atol=1e-6)
    gram = rows @ rows.T
    said = MatrixSums(columns).said_twice
    assert len(said) == 3  # ten products of two are sums of seven polynomials
    for equation in said:
        assert abs(sum(factor * gram[one, other] for one, other, factor in equation)) < 1e-9
    u = np.random.default_rng(0).normal(0, 0.3, 10**6)
    rows = np.array([np.polynomial.chebyshev.chebval(u, np.eye(4)[d]) for d in range(4)])
    supposed = supposed_products(columns, {"x": 0.3 * 7})
    for one, other in product(range(4), repeat=2):
        assert supposed[one, other] == pytest.approx(float(rows[one] @ rows[other]) / 10**6, abs=0.02)
