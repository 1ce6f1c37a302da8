"""`ols`: coefficients, their names, groups, and releases of odd tables."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp.audit import seeded_noise
from pandas_dp.errors import (
    NoBounds,
    NoCategories,
    PrivacyError,
    UnknownColumn,
    UnsupportedArgument,
)
from tests.refusals import refused

from .made import MUCH, REGIONS, by_hand, declared, protected, wages

FRAME = wages()
ONE = np.ones(len(FRAME))
REGION = [FRAME["region"] == each for each in REGIONS]
SHOWN = ["coef", "std_error", "lower", "upper", "statistic", "p_value"]


def test_a_fit_has_a_row_for_each_coefficient_by_the_names_that_people_know():
    fit = protected(FRAME).dp.ols("wage ~ school + C(region)", rho=MUCH, **declared("school", "wage"))
    assert fit.columns.tolist() == SHOWN
    assert fit.index.tolist() == ["Intercept", "school", "C(region)[T.e]", "C(region)[T.s]", "C(region)[T.w]"]


@pytest.mark.parametrize("derived", [False, True])
@pytest.mark.parametrize(
    ("formula", "columns", "named"),
    [
        ("wage ~ school + age", [ONE, FRAME["school"], FRAME["age"]], ["school", "age"]),
        ("wage ~ school + region", [ONE, FRAME["school"], *REGION[1:]], ["school"]),
        ("wage ~ school + C(region) - 1", [FRAME["school"], *REGION], ["school"]),
        ("wage ~ school - 1", [FRAME["school"]], ["school"]),
        ("wage ~ 1", [ONE], []),
        (
            "wage ~ school*union",
            [ONE, FRAME["school"], FRAME["union"], FRAME["school"] * FRAME["union"]],
            ["school", "union"],
        ),
        (
            "wage ~ school*C(region)",
            [ONE, FRAME["school"], *REGION[1:], *(FRAME["school"] * each for each in REGION[1:])],
            ["school"],
        ),
        (
            "wage ~ C(region) + C(region):school - 1",
            [*REGION, *(FRAME["school"] * each for each in REGION)],
            ["school"],
        ),
    ],
)
def test_without_noise_it_is_least_squares(formula, columns, named, derived):
    people = protected(FRAME)
    people = people[people["age"] < 200] if derived else people
    fit = people.dp.ols(formula, rho=MUCH, **declared("wage", *named, region="region" in formula))
    assert sorted(fit["coef"]) == pytest.approx(sorted(by_hand(FRAME, *columns)), rel=1e-3, abs=1e-3)


def test_a_list_of_columns_is_a_formula():
    people, told = protected(FRAME), declared("wage", "school")
    one = people.dp.ols("wage", ["school", "region"], rho=MUCH, **told)
    other = people.dp.ols("wage ~ school + region", rho=MUCH, **told)
    assert one.index.tolist() == other.index.tolist()
    assert one["coef"].to_numpy() == pytest.approx(other["coef"].to_numpy(), rel=1e-3, abs=1e-3)


def test_groups_have_a_fit_each_and_one_together():
    people, told = protected(FRAME), declared("wage", "school")
    fit = people.dp.groupby("region").ols("wage ~ school", rho=MUCH, **told)
    for region in REGIONS:
        part = FRAME[FRAME["region"] == region]
        requested = by_hand(part, np.ones(len(part)), part["school"])
        assert fit.loc[region]["coef"].to_numpy() == pytest.approx(requested, rel=1e-3, abs=1e-3)
    pooled = people.dp.groupby("region").ols("wage ~ school", pooled=True, rho=MUCH, **told)
    assert pooled["coef"].to_numpy() == pytest.approx(by_hand(FRAME, ONE, FRAME["school"]), rel=1e-3)
    sums = people.dp.groupby("region").moments(["wage", "school"], rho=MUCH, **told)
    assert sums.dp.ols("wage ~ school", pooled=True)["coef"].to_numpy() == pytest.approx(
        by_hand(FRAME, ONE, FRAME["school"]), rel=1e-3
    )


def test_rows_that_lack_a_value_leave():
    frame = FRAME.astype({"school": float})
    frame.loc[::7, "school"] = np.nan
    kept = frame.dropna()
    fit = protected(frame).dp.ols("wage ~ school", rho=MUCH, **declared("wage", "school", region=False))
    assert fit["coef"].to_numpy() == pytest.approx(by_hand(kept, np.ones(len(kept)), kept["school"]), rel=1e-3)


def test_the_label_says_what_is_estimated_and_how():
    fit = protected(FRAME).dp.ols("wage ~ school", stages=1, rho=1, **declared("wage", "school", region=False))
    label = fit.dp.metadata
    assert (label["statistic"], label["estimand"], label["chosen"]) == ("ols", "least squares", None)
    (evidence,) = label["evidence"]
    assert (evidence["kind"], evidence["cov_type"]) == ("fit", "nonrobust")
    assert evidence["n"] == pytest.approx([1500], abs=50)


def odd(name: str) -> pd.DataFrame:
    frame = wages(300, 5)
    if name == "no rows":
        return frame.iloc[:0]
    if name == "one row":
        return frame.iloc[:1]
    if name == "constant":
        return frame.assign(school=12)
    if name == "collinear":
        return frame.assign(age=frame["school"] + 20)
    if name == "an empty level":
        return frame.assign(region="n")
    if name == "all missing":
        return frame.assign(school=np.nan)
    return frame.assign(wage=0.0)


@pytest.mark.parametrize("derived", [False, True])
@pytest.mark.parametrize(
    "name", ["no rows", "one row", "constant", "collinear", "an empty level", "all missing", "all zero"]
)
def test_odd_tables_have_finite_coefficients_and_sets_that_may_be_unbounded(name, derived):
    people = protected(odd(name))
    people = people[people["age"] > 0] if derived else people
    fit = people.dp.ols("wage ~ school + age + C(region)", stages=1, rho=0.5, **declared("wage", "school", "age"))
    assert np.isfinite(fit[["coef", "statistic", "p_value"]].to_numpy()).all()
    assert (np.isinf(fit["lower"]) == np.isinf(fit["upper"])).all()
    assert (np.isinf(fit["lower"]) == np.isinf(fit["std_error"])).all()
    assert (fit["lower"] <= fit["coef"]).all()
    assert (fit["coef"] <= fit["upper"]).all()
    assert repr(fit)
    assert fit.dp.summary()
    assert np.isfinite(fit.dp.r_squared().estimate)
    assert np.isfinite(fit.dp.anova().to_numpy()).all()


def test_unbounded_sets_have_a_hint_that_names_the_column_with_the_widest_range():
    frame = FRAME.assign(school=10 + FRAME["school"] / 200)
    bounds = {"school": (0, 1000), "age": (18, 66), "wage": (0, 120)}
    with seeded_noise(1):  # one set of twenty is bounded by chance
        fit = protected(frame).dp.ols("wage ~ school + age", bounds=bounds, rho=0.01)
    assert np.isinf(fit.loc["school", "upper"])
    advice = fit.dp.check()["advice"].str.cat()
    assert "Column 'school' varies" in advice


def test_unbounded_sets_of_columns_that_hang_together_have_a_hint_that_names_both():
    r = np.random.default_rng(5)
    a = r.uniform(-1, 1, 2000)
    frame = pd.DataFrame({"a": a, "b": (a + r.normal(0, 0.1, 2000)).clip(-1, 1), "y": a / 2})
    with seeded_noise(1):
        fit = protected(frame).dp.ols("y", ["a", "b"], bounds=dict.fromkeys("aby", (-1, 1)), rho=0.01)
    assert np.isinf(fit.loc[["a", "b"], "upper"]).all()
    (advice,) = fit.dp.check()["advice"]
    assert advice.startswith("Columns 'a' and 'b' hang together, with a correlation of 0.8")


def test_a_plan_says_how_wide_sets_will_be():
    rng = np.random.default_rng(3)
    n = 2000
    school, age = rng.normal(10, 3, n).clip(0, 20), rng.normal(42, 10, n).clip(18, 66)
    frame = pd.DataFrame({"school": school, "age": age, "wage": (rng.normal(60, 12, n)).clip(0, 120)})
    told = declared("school", "age", "wage", region=False)
    people = protected(frame)
    spent = people.dp.ols("wage ~ school + age", stages=1, rho=0.5, **told)
    half = (spent["upper"] - spent["lower"]) / 2
    plan = people.dp.plan_ols("wage ~ school + age", sd={"school": 3, "age": 10, "wage": 12}, rho=0.5, **told)
    assert (plan["half_width"] / half).to_numpy() == pytest.approx(1, abs=0.25)
    assert plan.index.tolist() == spent.index.tolist()
    few = people[people["age"] > 0].dp.plan_ols(
        "wage ~ school + age", n=50, sd={"school": 3, "age": 10, "wage": 12}, rho=0.05, **told
    )
    assert np.isinf(few.loc["school", "half_width"])


@pytest.mark.slow
def test_sets_hold_what_they_are_to_hold():
    rng, held = np.random.default_rng(11), 0
    session = pdp.Session(rho=1e6)
    for _ in range(120):
        x = rng.uniform(-1, 1, 400)
        frame = pd.DataFrame({"x": x, "y": 0.3 * x + rng.uniform(-0.4, 0.4, 400)})
        bounds = {"x": (-1, 1), "y": (-1, 1)}
        fit = session.protect(frame).dp.ols("y ~ x", bounds=bounds, rho=0.05)
        held += bool(fit.loc["x", "lower"] <= 0.3 <= fit.loc["x", "upper"])
    assert held >= 102  # of 120, 114 expected: fewer in one of 10^5 runs


@pytest.mark.parametrize(
    ("formula", "told", "error"),
    [
        ("wage ~ school", {"bounds": {"wage": (0, 120)}}, NoBounds),
        ("wage ~ C(region)", {"bounds": {"wage": (0, 120)}}, NoCategories),
        ("wage ~ region", {"bounds": {"wage": (0, 120)}}, PrivacyError),
        ("wage ~ nothing", {"bounds": {"wage": (0, 120)}}, UnknownColumn),
        ("region ~ wage", declared("wage"), UnsupportedArgument),
        ("wage ~ s(school)", declared("wage", "school", region=False), UnsupportedArgument),
        (
            "wage ~ C(region):C(union)",
            {**declared("wage"), "categories": {"region": REGIONS, "union": [0, 1]}},
            PrivacyError,
        ),
        ("wage ~ school", {**declared("wage", "school", region=False), "model": "idp"}, PrivacyError),
        ("wage ~ school", {**declared("wage", "school", region=False), "width": 0.2}, PrivacyError),
        ("wage ~ school", {**declared("wage", "school", region=False), "weights": "age"}, PrivacyError),
        ("wage ~ school", {**declared("wage", "school", region=False), "bootstrap": 100}, PrivacyError),
    ],
)
def test_what_cannot_be_asked_is_refused_before_paying(formula, told, error):
    session = pdp.Session(rho=1, models=["dp", "idp"])
    people = session.protect(FRAME)
    with refused(error, f"{formula} {sorted(told)}"):
        people.dp.ols(formula, **({} if "width" in told else {"rho": 0.1}), **told)
    assert len(session.ledger) == 0


def test_a_column_that_makes_the_groups_is_not_in_the_formula():
    people = protected(FRAME)
    with refused(UnsupportedArgument):
        people.dp.groupby("region").ols("wage ~ school + C(region)", rho=1, **declared("wage", "school"))


@pytest.mark.parametrize(
    "given", [{}, {"sd": {"school": 3}}, {"sd": {"school": 3, "wage": 0}}, {"sd": {"school": 3, "wage": 9}, "n": 0}]
)
def test_a_plan_needs_to_know_what_is_supposed(given):
    with refused(UnsupportedArgument, str(given)):
        protected(FRAME).dp.plan_ols("wage ~ school", rho=1, **given, **declared("wage", "school", region=False))


def test_a_plan_of_rows_of_private_number_needs_their_number():
    people = protected(FRAME)
    with refused(UnsupportedArgument):
        people[people["age"] > 30].dp.plan_ols(
            "wage ~ school", rho=1, sd={"school": 3, "wage": 9}, **declared("wage", "school", region=False)
        )


def test_rows_of_one_person_can_be_made_one_row_first():
    rng = np.random.default_rng(2)
    visits = pd.DataFrame({"person": np.repeat(np.arange(200), 3), "x": rng.random(600), "y": rng.random(600)})
    told = {"bounds": {"x": (0, 1), "y": (0, 1)}, "rho": 1}
    visits = pdp.Session(rho=10, unit="person").protect(visits)
    people = visits.groupby("person")[["x", "y"]].mean()
    assert people.dp.ols("y ~ x", **told).index.tolist() == ["Intercept", "x"]


def test_columns_are_those_of_the_formula():
    with refused(UnsupportedArgument):
        protected(FRAME).dp.ols("wage ~ school", numeric_only=True, bounds={"wage": (0, 120)}, rho=1)
