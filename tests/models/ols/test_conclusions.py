"""What follows from a regression at no cost: tests, refits, predictions, instruments."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp.errors import UnknownColumn, UnsupportedArgument
from pandas_dp.models.solve_sets import CLOSE_ENDS as CLOSE
from tests.models.solutions.made import GOLDEN
from tests.refusals import refused

from .made import MUCH, by_hand, declared, protected, wages

FRAME = wages()
ONE = np.ones(len(FRAME))
FIT = protected(FRAME).dp.ols(
    "wage ~ school + age + C(region)", stages=1, rho=MUCH, **declared("wage", "school", "age")
)
NOISY = protected(FRAME).dp.ols(
    "wage ~ school + age + C(region)", stages=1, rho=0.2, **declared("wage", "school", "age")
)


def test_the_golden_fit_without_noise_through_a_session():
    table, golden = GOLDEN["ols table"], GOLDEN["ols, no noise"]
    frame = pd.DataFrame({name: table[name] for name in ("x1", "x2", "y")})
    frame["g"] = [f"g{level}" for level in table["g"]]
    declared = {
        "bounds": dict.fromkeys(("x1", "x2", "y"), (-table["half"], table["half"])),
        "categories": {"g": ["g0", "g1", "g2"]},
    }
    fit = protected(frame).dp.ols("y ~ C(g) + x1 + x2", stages=1, rho=MUCH, **declared)
    coef = dict(zip(golden["names"], golden["coef"], strict=True))
    for name, value in coef.items():
        scale = table["half"] if "x" not in name else 1  # codes in place of half-ranges
        assert fit.loc[name, "coef"] == pytest.approx(value * scale, rel=1e-3)
    assert fit.dp.r_squared().estimate == pytest.approx(golden["r2"], rel=1e-3)
    f = fit.dp.anova().loc["C(g)", "statistic"]
    restricted = golden["f_g"] * 2 / (1 + golden["f_g"] * 2 / 55)  # the residual variance is that under the hypothesis
    assert f == pytest.approx(restricted, rel=0.01)


def test_the_golden_instruments_through_a_session():
    table, golden = GOLDEN["ols table"], GOLDEN["ols, no noise"]
    frame = pd.DataFrame({name: table[name] for name in ("x1", "x2", "y")})
    bounds = dict.fromkeys(("x1", "x2", "y"), (-table["half"], table["half"]))
    people = protected(frame)
    sums = people.dp.moments(["y", "x1", "x2"], bounds=bounds, rho=MUCH)
    for found in sums.dp.iv("y ~ [x1 ~ x2]"), people.dp.iv("y ~ [x1 ~ x2]", bounds=bounds, rho=MUCH):
        assert found.loc["x1", "coef"] == pytest.approx(golden["iv_2sls_of_y_on_x1_with_x2"], rel=1e-3)
        assert found.dp.metadata["estimand"] == "instrumental variables"
    with refused(UnsupportedArgument):
        sums.dp.iv("y ~ x1")
    with refused(UnsupportedArgument):
        people.dp.iv("y ~ x1", bounds=bounds, rho=1)


def test_three_instruments_hold_the_slope_and_agree():
    rng, n = np.random.default_rng(4), 6000
    z = rng.uniform(-1, 1, (n, 3))
    hidden = rng.uniform(-0.3, 0.3, n)
    x = 0.3 * z.sum(axis=1) + hidden
    frame = pd.DataFrame({"z1": z[:, 0], "z2": z[:, 1], "z3": z[:, 2], "x": x, "y": 0.5 * x - hidden})
    bounds = {**dict.fromkeys(("z1", "z2", "z3", "y"), (-1, 1)), "x": (-2, 2)}
    sums = protected(frame).dp.moments(["y", "x", "z1", "z2", "z3"], bounds=bounds, rho=0.5)
    found = sums.dp.iv("y ~ [x ~ z1 + z2 + z3]")
    wide = found.dp.confint(1 - 1e-6)
    assert wide.loc["x", "lower"] < 0.5 < wide.loc["x", "upper"]
    test = found.dp.overidentification_test()
    assert test.df == 2
    assert test.pvalue > 1e-5
    plain = sums.dp.ols("y ~ x")
    assert plain.loc["x", "upper"] < 0.5  # the hidden cause makes least squares wrong
    with refused(UnsupportedArgument):
        plain.dp.overidentification_test()


def test_a_refit_is_the_fit_of_the_same_sums_and_says_that_it_was_chosen():
    people, told = protected(FRAME), declared("wage", "school", "age")
    sums = people.dp.moments(["wage", "school", "age", "region"], rho=1, **told)
    large = sums.dp.ols("wage ~ school + age + C(region)")
    small, direct = large.dp.refit("wage ~ school"), sums.dp.ols("wage ~ school")
    pd.testing.assert_frame_equal(pd.DataFrame(small), pd.DataFrame(direct))
    chosen = small.dp.metadata["chosen"]
    assert chosen["of"] == large.dp.metadata["id"]
    assert "do not know of the choice" in chosen["said"]
    assert small.dp.refit("wage ~ age").index.tolist() == ["Intercept", "age"]
    json.dumps(small.dp.metadata)


def test_without_noise_a_refit_is_least_squares_too():
    found = FIT.dp.refit("wage ~ school")
    assert found["coef"].to_numpy() == pytest.approx(by_hand(FRAME, ONE, FRAME["school"]), rel=1e-3)


def test_terms_are_tested_beside_each_other():
    table = FIT.dp.anova()
    assert table["df"].to_dict() == {"school": 1, "age": 1, "C(region)": 3}
    assert (table["p_value"] < 1e-6).all()
    assert FIT.dp.anova("sample").loc["C(region)", "statistic"] > table.loc["C(region)", "statistic"]


@pytest.mark.parametrize(
    ("hypothesis", "df"),
    [
        ("school = 0", 1),
        ("school", 1),
        ("school = 2, age = 0.3", 2),
        ("C(region)[T.e] = C(region)[T.s]", 1),
        ("2 * school - age = 3.7", 1),
        ("C(region)[T.e] = 0, C(region)[T.s] = 0, C(region)[T.w] = 0", 3),
        ({"school": 2, "age": 0.3}, 2),
        (["C(region)[T.e]", "C(region)[T.s]"], 2),
        ("school = 2, 2*school = 4", 1),
    ],
)
def test_a_hypothesis_is_a_set_of_linear_equations(hypothesis, df):
    found = NOISY.dp.wald_test(hypothesis)
    assert found.df == df
    assert 0 < found.pvalue <= 1
    assert str(found)


def test_a_hypothesis_about_one_coefficient_is_that_of_the_table():
    for name in ("school", "C(region)[T.e]"):
        found = NOISY.dp.wald_test({name: 0})
        assert found.statistic == pytest.approx(NOISY.loc[name, "statistic"] ** 2, rel=0.02)


def test_true_hypotheses_stand_and_false_ones_fall():
    assert NOISY.dp.wald_test("age = 0.3, school = 2.06").pvalue > 1e-6
    assert NOISY.dp.wald_test("age = 2").pvalue < 1e-6


@pytest.mark.parametrize(
    "hypothesis",
    ["", "school = ", "nothing = 0", "school * age = 0", "school = 1, school = 2", "1 = 2", 7, {"x": 0}, []],
)
def test_what_is_no_hypothesis_is_refused(hypothesis):
    with refused(UnsupportedArgument, repr(hypothesis)):
        NOISY.dp.wald_test(hypothesis)


def test_predictions_are_of_public_rows():
    rows = pd.DataFrame({"school": [10, 16], "age": [30, 50], "region": ["n", "w"]}, index=["one", "two"])
    found = FIT.dp.predict(rows)
    coef = FIT["coef"]
    requested = [
        coef["Intercept"] + 10 * coef["school"] + 30 * coef["age"],
        coef["Intercept"] + 16 * coef["school"] + 50 * coef["age"] + coef["C(region)[T.w]"],
    ]
    assert found["mean"].tolist() == pytest.approx(requested)
    assert found.index.tolist() == ["one", "two"]
    noisy = NOISY.dp.predict(rows)
    assert (noisy["lower"] < noisy["mean"]).all()
    assert (noisy["mean"] < noisy["upper"]).all()
    with refused(UnsupportedArgument, "protected rows"):
        NOISY.dp.predict(protected(FRAME))
    with refused(UnknownColumn, "a column is missing"):
        NOISY.dp.predict({"school": [1], "age": [40]})
    with refused(UnsupportedArgument, "a value is missing"):
        NOISY.dp.predict({"school": [np.nan], "age": [40], "region": ["n"]})


def test_an_unknown_category_is_not_the_reference():
    with refused(UnsupportedArgument):
        NOISY.dp.predict({"school": [10], "age": [40], "region": ["elsewhere"]})


def test_slopes_by_standard_deviations():
    found = FIT.dp.standardized()
    by = FRAME["school"].std(ddof=0) / FRAME["wage"].std(ddof=0)
    assert found.index.tolist() == ["school", "age"]
    assert found.loc["school", "estimate"] == pytest.approx(FIT.loc["school", "coef"] * by, rel=1e-3)


def test_coefficients_are_contrasted_and_tested():
    found = NOISY.dp.contrast("C(region)[T.w]", "C(region)[T.e]")
    assert found["estimate"].item() == pytest.approx(
        NOISY.loc["C(region)[T.w]", "coef"] - NOISY.loc["C(region)[T.e]", "coef"]
    )
    assert found["lower"].item() < found["estimate"].item() < found["upper"].item()
    against = NOISY.dp.test(0)
    assert against["p_value"].to_numpy() == pytest.approx(NOISY["p_value"].to_numpy(), rel=1e-6)
    with refused(UnsupportedArgument):
        NOISY.dp.contrast("school", "school")


def test_groups_are_contrasted_from_both_their_sets():
    fit = protected(FRAME).dp.groupby("region").ols("wage ~ school", rho=0.2, **declared("wage", "school"))
    found = fit.dp.contrast(("n", "school"), ("e", "school"))
    one, other = fit.loc[("n", "school")], fit.loc[("e", "school")]
    assert found["estimate"].item() == pytest.approx(one["coef"] - other["coef"])
    assert found["lower"].item() == pytest.approx(
        one["coef"] - other["coef"] - np.hypot(one["coef"] - one["lower"], other["upper"] - other["coef"]), rel=1e-3
    )
    assert fit.dp.wald_test("school = 0", group="n").df == 1
    assert fit.dp.predict({"school": [10]}, group="e").shape == (1, 4)
    assert len(fit.dp.anova()) == 4
    assert "Group:" in fit.dp.summary()
    with refused(UnsupportedArgument):
        fit.dp.wald_test("school = 0")


def test_all_intervals_together_are_wider():
    one, all_ = NOISY.dp.confint(), NOISY.dp.confint(simultaneous=True)
    assert (all_["lower"] < one["lower"]).all()
    assert (all_["upper"] > one["upper"]).all()


def test_the_rows_in_the_data_have_narrower_sets_than_the_population():
    rows, population = NOISY.dp.confint(target="sample"), NOISY.dp.confint()
    ends = CLOSE * (population["upper"] - population["lower"])  # how far they are solved
    assert (rows["lower"] > population["lower"] - ends).all()
    assert (rows["upper"] < population["upper"] + ends).all()
    known = FIT.dp.confint(target="sample"), FIT.dp.confint()
    least, most = (each["upper"] - each["lower"] for each in known)
    assert (least < most / 10).all()


def test_a_summary_is_what_people_know():
    said = FIT.dp.summary().splitlines()
    assert said[0].strip() == "Regression: wage ~ school + age + C(region)"
    assert "R-squared:" in said[3]
    assert said[6].split() == ["coef", "std", "err", "z", "P>|z|", "[0.025", "0.975]"]
    assert said[7].split()[0] == "Intercept"
    assert said[-1] == FIT.dp.guarantee


def test_explained_variance_is_what_it_is_and_has_an_interval():
    columns = [ONE, FRAME["school"], FRAME["age"], *(FRAME["region"] == each for each in "esw")]
    rest = FRAME["wage"] - np.column_stack(columns).astype(float) @ by_hand(FRAME, *columns)
    assert FIT.dp.r_squared().estimate == pytest.approx(1 - rest.var() / FRAME["wage"].var(), rel=1e-3)
    noisy = NOISY.dp.r_squared(1 - 1e-6)
    assert noisy.lower < FIT.dp.r_squared().estimate < noisy.upper
    assert 0 <= noisy.lower <= noisy.upper <= 1


def test_regressions_of_the_same_columns_are_combined():
    people, told = protected(FRAME), declared("wage", "school", region=False)
    parts = [people.dp.ols("wage ~ school", stages=1, rho=0.05, **told) for _ in range(2)]
    both = pdp.combine(parts)
    assert both.loc["school", "std_error"] < max(part.loc["school", "std_error"] for part in parts)
