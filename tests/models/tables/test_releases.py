"""Regressions of released tables: what can be concluded, what is refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pandera.pandas as pa
import pytest

import pandas_dp as pdp
from pandas_dp import errors
from pandas_dp.core.door.asking import Asking
from pandas_dp.models.glm.ask import paid_table_fit
from tests.refusals import refused


class People(pa.DataFrameModel):
    union: bool
    sex: str = pa.Field(isin=["f", "m"])
    region: str = pa.Field(isin=["n", "e", "s"])
    children: int = pa.Field(isin=[0, 1, 2, 3])


def rows(size: int = 6000) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    made = pd.DataFrame({"sex": rng.choice(["f", "m"], size), "region": rng.choice(["n", "e", "s"], size)})
    odds = -0.5 + 0.8 * (made["sex"] == "m") + 0.4 * (made["region"] == "e")
    made["union"] = rng.random(size) < 1 / (1 + np.exp(-odds))
    made["children"] = np.minimum(rng.poisson(np.exp(0.1 + 0.2 * made["union"])), 3)
    return made


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    session = pdp.Session(rho=1e9, schema=People)
    return session.protect(rows())


@pytest.fixture(scope="module")
def table(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.dp.crosstab(["sex", "region"], "union", rho=0.1)


def test_rows_and_columns_are_those_that_readers_of_regressions_know(table: pd.DataFrame) -> None:
    fit = table.dp.logit("union")
    assert fit.index.tolist() == ["Intercept", "C(sex)[T.m]", "C(region)[T.e]", "C(region)[T.s]"]
    assert fit.columns.tolist() == ["coef", "std_error", "lower", "upper", "statistic", "p_value"]
    truth = np.array([-0.5, 0.8, 0.4, 0.0])
    assert (np.abs(fit["coef"] - truth) < 6 * fit["std_error"]).all()
    assert (fit["lower"] < fit["coef"]).all()
    assert (fit["coef"] < fit["upper"]).all()


def test_a_summary_has_the_layout_that_people_know_and_ends_with_the_guarantee(table: pd.DataFrame) -> None:
    fit = table.dp.logit("union")
    lines = fit.dp.summary().splitlines()
    assert lines[0].strip() == "Regression: union ~ C(sex) + C(region)"
    head = next(line for line in lines if "coef" in line)
    assert head.split() == ["coef", "std", "err", "z", "P>|z|", "[0.025", "0.975]"]
    assert [line.split()[0] for line in lines if line.startswith(("Intercept", "C("))] == fit.index.tolist()
    assert lines[-1] == fit.dp.guarantee
    assert max(map(len, lines[:-1])) <= 78
    assert repr(fit.dp.summary()) == str(fit.dp.summary())
    assert fit.dp.summary()._repr_html_().startswith("<pre>")


def test_a_summary_of_several_outcomes_has_a_part_for_each(table: pd.DataFrame) -> None:
    said = table.dp.multinomial("region", ["sex"]).dp.summary()
    assert [line for line in said.splitlines() if line.startswith("region=")] == ["region=e", "region=s"]
    assert said.count("Intercept") == 2
    assert "Yeses" not in said


def test_it_costs_nothing_and_carries_the_guarantee_of_the_table(table: pd.DataFrame) -> None:
    session = pdp.Session(rho=1, schema=People)
    released = session.protect(rows(500)).dp.crosstab("sex", "union", rho=0.1)
    before = session.share_used
    fit = released.dp.logit("union")
    assert session.share_used == before
    assert fit.dp.guarantee == released.dp.guarantee
    assert fit.dp.metadata["id"] == released.dp.metadata["id"]


def test_the_shape_of_the_table_changes_nothing(frame: pd.DataFrame) -> None:
    tables = [
        frame.dp.crosstab(["sex", "region"], "union", rho=1e7),
        frame.dp.crosstab("union", ["region", "sex"], rho=1e7),
        frame.dp.value_counts(["union", "sex", "region"], rho=1e7),
        frame.dp.groupby(["region", "union", "sex"]).size(rho=1e7),
        frame.dp.crosstab(["sex", "region"], "union", margins="planned", rho=1e7),
        frame.dp.crosstab(["sex", "region"], "union", margins=True, rho=1e7),
        frame.dp.marginals([["sex", "region", "union"], ["sex"]], rho=1e7),
    ]
    coefs = [each.dp.logit("union", ["sex", "region"])["coef"] for each in tables]
    for coef in coefs[1:]:
        np.testing.assert_allclose(coef, coefs[0], atol=1e-3)


def test_a_formula_and_a_list_say_the_same(table: pd.DataFrame) -> None:
    listed = table.dp.logit("union", ["sex", "region"])
    pd.testing.assert_frame_equal(table.dp.logit("union ~ C(region) + sex").loc[listed.index], listed, rtol=1e-4)
    both = table.dp.logit("union ~ sex * region")
    assert both.index[-1] == "C(sex)[T.m]:C(region)[T.s]"
    assert table.dp.logit("union", ["sex", "region", ("sex", "region")]).index.equals(both.index)
    bare = table.dp.logit("union ~ region - 1")
    assert bare.index.tolist() == ["C(region)[n]", "C(region)[e]", "C(region)[s]"]
    assert table.dp.logit("union ~ 1").shape == (1, 6)


def test_poisson_with_robust_errors_agrees_on_coefficients(frame: pd.DataFrame) -> None:
    counts = frame.dp.crosstab("union", "children", rho=1)
    plain, robust = counts.dp.poisson("children"), counts.dp.poisson("children", cov_type="HC")
    np.testing.assert_allclose(plain["coef"], robust["coef"], atol=1e-3)
    assert (robust["std_error"] < plain["std_error"]).all()  # counts cut at 3 vary less than Poisson's


def test_multinomial_of_two_categories_is_logit(table: pd.DataFrame) -> None:
    pd.testing.assert_series_equal(table.dp.multinomial("union")["coef"], table.dp.logit("union")["coef"])
    assert table.dp.multinomial("region").index.names == ["region", None]


def test_terms_are_tested_together(table: pd.DataFrame) -> None:
    fit = table.dp.logit("union")
    anova = fit.dp.anova()
    assert anova["df"].to_dict() == {"C(sex)": 1, "C(region)": 2}
    joint = fit.dp.wald_test(["C(region)[T.e]", "C(region)[T.s]"])
    assert joint.statistic == pytest.approx(anova.loc["C(region)", "statistic"], rel=1e-3)
    assert fit.dp.wald_test({"C(sex)[T.m]": 0.8}).pvalue > 1e-6
    assert fit.dp.wald_test("C(sex)[T.m]").pvalue < 1e-6
    several = table.dp.multinomial("region").dp.anova()
    assert several["df"].to_dict() == {"C(sex)": 2, "C(union)": 2}


def test_ratios_contrasts_and_tests_follow(table: pd.DataFrame) -> None:
    fit = table.dp.logit("union")
    np.testing.assert_allclose(np.log(fit.dp.ratios()["ratio"]), fit["coef"])
    difference = fit.dp.contrast("C(region)[T.e]", "C(region)[T.s]")
    requested = fit.loc["C(region)[T.e]", "coef"] - fit.loc["C(region)[T.s]", "coef"]
    assert difference["estimate"].item() == pytest.approx(requested, abs=1e-9)
    assert (fit.dp.test(0.0)["p_value"] == fit["p_value"]).all()
    assert (fit.dp.confint(target="sample")["lower"] >= fit.dp.confint()["lower"]).all()
    joint = fit.dp.confint(simultaneous=True)
    assert (joint["lower"] < fit["lower"]).all()


def test_a_fit_survives_parquet_and_relabelling(table: pd.DataFrame, tmp_path: Path) -> None:
    fit = table.dp.logit("union")
    fit.to_parquet(tmp_path / "fit.parquet")
    again = pd.read_parquet(tmp_path / "fit.parquet")
    pd.testing.assert_frame_equal(again.dp.anova(), fit.dp.anova())
    assert fit.dp.plot() is not None


def test_cells_that_cannot_be_have_no_noise(frame: pd.DataFrame) -> None:
    zeros = [{"sex": "m", "region": "s"}]
    cut = frame.dp.crosstab(["sex", "region"], "union", structural_zeros=zeros, margins="planned", rho=1)
    fit = cut.dp.logit("union", ["sex"])
    assert len(fit.dp.metadata["evidence"][0]["zeros"]) == 2


def test_a_paid_regression_is_that_of_its_table(frame: pd.DataFrame) -> None:
    asking = Asking(frame, "logit", {"rho": 1e7}, columns=[], keys=["sex", "region", "union"], counts_keys=True)
    paid = paid_table_fit(asking, "logit", "union", [["sex"], ["region"]])
    free = frame.dp.crosstab(["sex", "region"], "union", rho=1e7).dp.logit("union")
    np.testing.assert_allclose(paid["coef"], free["coef"], atol=1e-3)
    assert paid.dp.metadata["statistic"] == "logit"
    assert paid.dp.metadata["rho"] == 1e7
    assert paid.dp.anova()["df"].sum() == 3


def test_a_fit_of_sparse_cells_shows_sets_without_end() -> None:
    few = pd.DataFrame({"sex": ["f"] * 300 + ["m"] * 2, "union": [True, False] * 151, "region": "n", "children": 0})
    table = pdp.Session(rho=1, schema=People).protect(few).dp.crosstab("sex", "union", rho=0.005)
    fit = table.dp.logit("union")
    assert np.isinf(fit.loc["C(sex)[T.m]", ["lower", "upper"]].astype(float)).any()
    assert np.isfinite(fit["coef"]).all()


Ask = Callable[[Any], Any]
REFUSED: dict[str, tuple[type[Exception], Ask]] = {
    "logit of three": (errors.UnsupportedArgument, lambda t: t.dp.logit("region")),
    "no such key": (errors.UnsupportedArgument, lambda t: t.dp.logit("age")),
    "no such regressor": (errors.UnsupportedArgument, lambda t: t.dp.logit("union", ["age"])),
    "poisson of texts": (errors.UnsupportedArgument, lambda t: t.dp.poisson("region")),
    "a product alone": (errors.UnsupportedArgument, lambda t: t.dp.logit("union ~ sex:region")),
    "itself": (errors.UnsupportedArgument, lambda t: t.dp.logit("union ~ union")),
    "a spline": (errors.UnsupportedArgument, lambda t: t.dp.logit("union ~ s(region)")),
    "a type of errors": (errors.BadArgument, lambda t: t.dp.logit("union", cov_type="robust")),
    "shares": (errors.NotConcluded, lambda t: t.dp.shares().dp.logit("union")),
    "rounded": (errors.NotConcluded, lambda t: t.dp.round_to(5).dp.logit("union")),
    "no hypothesis": (errors.UnsupportedArgument, lambda t: t.dp.logit("union").dp.wald_test([])),
    "no such coefficient": (errors.UnsupportedArgument, lambda t: t.dp.logit("union").dp.wald_test(["sex"])),
    "a ratio": (errors.UnsupportedArgument, lambda t: t.dp.logit("union").dp.contrast("a", "b", kind="ratio")),
    "itself, contrasted": (
        errors.UnsupportedArgument,
        lambda t: t.dp.logit("union").dp.contrast("Intercept", "Intercept"),
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_is_refused(case: str, table: pd.DataFrame) -> None:
    error, ask = REFUSED[case]
    with refused(error, case):
        ask(table)


def test_a_mean_has_no_regression(frame: pd.DataFrame) -> None:
    with refused(errors.NotConcluded):
        frame["children"].dp.mean(bounds=(0, 3), rho=0.1).dp.logit("union")


def test_too_many_coefficients_are_refused() -> None:
    many = {"a": list(range(40)), "b": list(range(40)), "c": [0, 1]}
    wide = pd.DataFrame({"a": [1], "b": [1], "c": [0]})
    table = pdp.Session(rho=1).protect(wide).dp.value_counts(categories=many, rho=0.1)
    with refused(errors.UnsupportedArgument):
        table.dp.logit("c")


def test_a_table_of_people_in_several_cells_is_refused() -> None:
    session = pdp.Session(rho=10, unit="who", schema=People)
    visits = session.protect(rows(200).assign(who=np.arange(200) // 2))
    table = visits.dp.crosstab("sex", "union", count="people", max_cells=2, rho=0.1)
    with refused(errors.NotConcluded, "people"):
        table.dp.logit("union")
    weighed = visits.dp.crosstab("sex", "union", max_rows=2, rho=0.1)
    with refused(errors.NotConcluded, "rows"):
        weighed.dp.logit("union")


def test_weighted_tables_are_refused() -> None:
    session = pdp.Session(rho=10, schema=People)
    frame = session.protect(rows(200).assign(w=1.0))
    table = frame.dp.crosstab("sex", "union", weights="w", bounds={"w": (0, 2)}, rho=0.1)
    with refused(errors.NotConcluded):
        table.dp.logit("union")
