"""Without noise, the tests are those of scipy; with it, intervals hold what they say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pandera.pandas as pa
import pytest
from scipy import stats

import pandas_dp as pdp
from pandas_dp.audit import seeded_noise
from tests.conftest import COMPLETE


class People(pa.DataFrameModel):
    wage: float = pa.Field(ge=0, le=120, metadata=COMPLETE)
    after: float = pa.Field(ge=-20, le=150)
    mark: int = pa.Field(ge=1, le=24)
    union: bool = pa.Field(metadata=COMPLETE)
    region: str = pa.Field(isin=["n", "e", "s"])


def made(rows: int = 1000, seed: int = 1) -> pd.DataFrame:
    r = np.random.default_rng(seed)
    union = r.random(rows) < 0.3
    wage = np.clip(r.normal(50, 12 + 6 * union, rows) + 3 * union, 0, 120)
    region = r.choice(["n", "e", "s"], rows, p=[0.2, 0.3, 0.5])
    mark = np.clip(np.round(r.normal(12, 4, rows) + 1.5 * union + (region == "s")), 1, 24).astype(int)
    after = np.clip(wage + r.normal(1, 5, rows), -20, 150)
    return pd.DataFrame({"wage": wage, "after": after, "mark": mark, "union": union, "region": region})


def protected(data: pd.DataFrame, **terms: Any) -> pd.DataFrame:
    return pdp.Session(rho=1e12, schema=People, **terms).protect(data)


DATA = made()
FIRST, SECOND = DATA[~DATA["union"]], DATA[DATA["union"]]
PRECISE = {"rho": 1e9}


def one(release: pd.DataFrame) -> pd.Series:
    return pd.DataFrame(release).iloc[0]


@pytest.mark.parametrize("equal", [True, False])
@pytest.mark.parametrize("derived", [True, False])
def test_without_noise_a_t_test_is_that_of_scipy(equal: bool, derived: bool) -> None:
    frame = protected(DATA)
    found = one(
        (frame[frame["wage"] > -1] if derived else frame).dp.t_test("wage", "union", equal_var=equal, **PRECISE)
    )
    requested = stats.ttest_ind(SECOND["wage"], FIRST["wage"], equal_var=equal)
    assert found["estimate"] == pytest.approx(SECOND["wage"].mean() - FIRST["wage"].mean(), abs=1e-3)
    assert found["p_value"] == pytest.approx(requested.pvalue, rel=0.25)  # spreads are those of no difference
    low, high = requested.confidence_interval()
    assert found[["lower", "upper"]].tolist() == pytest.approx([low, high], abs=0.03 * (high - low))


def test_without_noise_a_mean_is_tested_as_by_scipy() -> None:
    found, requested = one(protected(DATA).dp.t_test("wage", value=50, **PRECISE)), stats.ttest_1samp(DATA["wage"], 50)
    assert found["statistic"] == pytest.approx(requested.statistic, rel=1e-3)
    assert found["p_value"] == pytest.approx(requested.pvalue, rel=0.01)


def test_without_noise_pairs_are_tested_as_by_scipy() -> None:
    found = one(protected(DATA).dp.t_test(paired=("wage", "after"), **PRECISE))
    requested = stats.ttest_rel(DATA["after"], DATA["wage"])
    assert found["estimate"] == pytest.approx((DATA["after"] - DATA["wage"]).mean(), abs=1e-3)
    assert found["p_value"] == pytest.approx(requested.pvalue, rel=0.02)
    shifted = one(protected(DATA).dp.t_test(paired=("wage", "after"), value=1, **PRECISE))
    assert shifted["p_value"] == pytest.approx(stats.ttest_rel(DATA["after"] - 1, DATA["wage"]).pvalue, rel=0.02)


def test_without_noise_ranks_of_few_values_are_those_of_mann_and_whitney() -> None:
    """Each value has a bin of its own."""
    found = one(protected(DATA).dp.rank_test("mark", "union", **PRECISE))
    requested = stats.mannwhitneyu(SECOND["mark"], FIRST["mark"], use_continuity=False)
    assert found["estimate"] == pytest.approx(requested.statistic / len(FIRST) / len(SECOND), abs=1e-4)
    assert found["p_value"] == pytest.approx(requested.pvalue, rel=0.1)  # Student's law in place of the normal one


def test_a_range_declared_far_too_wide_changes_no_rank() -> None:
    wide = protected(DATA).dp.rank_test("wage", "union", bounds={"wage": (0, 10**5)}, **PRECISE)
    narrow = protected(DATA).dp.rank_test("wage", "union", **PRECISE)
    assert one(wide)["estimate"] == pytest.approx(one(narrow)["estimate"], abs=0.02)
    assert one(wide)["p_value"] == pytest.approx(one(narrow)["p_value"], rel=0.5)
    assert "same of the bins in which ranks were learned" in wide.dp.metadata["estimand"]


def test_values_of_one_step_are_said_to_be_tied() -> None:
    """Of a range so wide that its steps hold all values."""
    wide = protected(DATA).dp.rank_test("wage", "union", bounds={"wage": (0, 10**9)}, **PRECISE)
    assert one(wide)["estimate"] == pytest.approx(0.5, abs=1e-3)
    assert wide.dp.check()["finding"].str.contains("few of the bins").any()
    assert wide.attrs["dp"]["evidence"][0]["tied"] == pytest.approx(1, abs=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("low", [-4.0, -20.0])
def test_ranks_keep_their_power_where_the_range_is_far_too_wide(low: float) -> None:
    """Of 60 tables of 400 rows at rho 1/2, half of them shifted by half a standard deviation: power is .99, and below
    .9 in 60 with a chance of 1e-6."""
    rng, found = np.random.default_rng(11), 0
    high = 4.5 if low == -4 else 9980.0
    schema = pa.DataFrameSchema({"x": pa.Column(float, pa.Check.in_range(low, high)), "g": pa.Column(bool)})
    second = np.arange(400) % 2 == 1
    for _ in range(60):
        frame = pd.DataFrame({"x": rng.normal(0, 1, 400) + 0.5 * second, "g": second})
        test = pdp.Session(rho=0.5, schema=schema).protect(frame).dp.rank_test("x", by="g", rho=0.5)
        found += test["p_value"].item() < 0.05
    assert found >= 54


@pytest.mark.slow
@pytest.mark.parametrize("wide", [12, 10_000, 1e7])
def test_signed_ranks_keep_their_power_and_level_in_ranges_declared_far_too_wide(wide: float) -> None:
    """400 pairs a quarter of a standard deviation apart are found in .99 of cases at rho 1/2: fewer than 52 of 60 with
    a chance below 1e-6. Of 150 true hypotheses more than 22 are rejected at 5 % with a chance below 1e-5."""
    rng = np.random.default_rng(11)
    found = {0.25: 0, 0.0: 0}
    for apart, many in ((0.25, 60), (0.0, 150)):
        for _ in range(many):
            before = rng.normal(wide / 2, 1, 400)
            frame = pd.DataFrame({"before": before, "after": before + rng.normal(apart, 1, 400)})
            with pdp.Session(rho=0.5) as session:
                asked = session.protect(frame).dp
                test = asked.rank_test(paired=("before", "after"), bounds=(0, wide), rho=0.5)
            found[apart] += test["p_value"].item() < 0.05
    assert found[0.25] >= 52
    assert found[0.0] <= 22


@pytest.mark.parametrize("by", ["union", "region"])
def test_which_pairs_are_tied_is_told_where_noise_lets_it(by: str) -> None:
    with seeded_noise(2):
        narrow = protected(DATA).dp.rank_test("wage", by, rho=0.5)
        few = protected(DATA.iloc[:10]).dp.rank_test("wage", by, bounds={"wage": (0, 1000)}, rho=0.01)
    assert narrow.attrs["dp"]["evidence"][0]["tied"] < 0.25
    assert few.attrs["dp"]["evidence"][0]["tied"] == 0


def test_values_that_have_a_bin_each_are_not_said_to_be_tied() -> None:
    for by in ("union", "region"):
        release = protected(DATA).dp.rank_test("mark", by, **PRECISE)
        assert release.attrs["dp"]["evidence"][0]["tied"] is None
        assert release.dp.check().empty


def test_without_noise_ranks_of_several_groups_are_those_of_kruskal_and_wallis() -> None:
    found = one(protected(DATA).dp.rank_test("mark", "region", **PRECISE))
    requested = stats.kruskal(*[rows["mark"] for _, rows in DATA.groupby("region")])
    assert found["statistic"] == pytest.approx(requested.statistic, rel=0.01)
    assert found["df"] == 2
    assert found["p_value"] == pytest.approx(requested.pvalue, rel=0.2)  # F in place of chi-square


def test_without_noise_signed_ranks_of_few_distances_are_those_of_wilcoxon() -> None:
    r = np.random.default_rng(3)
    before = r.integers(1, 25, 400)
    after = np.clip(before + r.choice([-3, -2, -1, 0, 1, 2, 3, 4], 400), 1, 24)
    frame = pdp.Session(rho=1e12).protect(pd.DataFrame({"a": before, "b": after}))
    found = one(frame.dp.rank_test(paired=("a", "b"), bounds=(1, 24), **PRECISE))
    requested = stats.wilcoxon(after, before, zero_method="zsplit", correction=False)
    assert found["p_value"] == pytest.approx(requested.pvalue, rel=0.3, abs=1e-4)


@pytest.mark.parametrize(("by", "mean"), [(2.5, 0.5), (-2.5, -0.5)])
def test_signed_ranks_of_pairs_that_all_go_one_way_are_half_on_average(by: float, mean: float) -> None:
    away = np.random.default_rng(4).uniform(0.1, 4, len(DATA)) * by
    data = DATA.assign(wage=50.0, after=50.0 + away)
    found = one(protected(data).dp.rank_test(paired=("wage", "after"), **PRECISE))
    assert found["estimate"] == pytest.approx(mean, abs=1e-3)


def test_without_noise_a_path_is_that_of_kolmogorov_and_smirnov() -> None:
    found = one(protected(DATA).dp.ks_test("wage", "union", **PRECISE))
    d = stats.ks_2samp(SECOND["wage"], FIRST["wage"]).statistic
    assert found["estimate"] == pytest.approx(d, abs=1e-4)


@pytest.mark.parametrize("neighbours", ["replace", "add_remove"])
def test_without_noise_a_path_is_of_the_rows_that_have_a_value_and_a_group(neighbours: str) -> None:
    """Of columns that may lack values, of a cut, of two declared groups of three; scipy leaves the same rows out."""
    data = DATA.assign(wage=DATA["wage"].where(np.arange(len(DATA)) % 3 > 0))
    frame = pdp.Session(rho=1e12, neighbours=neighbours).protect(data)
    declared: Any = {"bounds": {"wage": (0, 120)}, "categories": {"region": ["n", "s"]}}
    for cut, rows in ((frame, data), (frame[frame["after"] > 40], data[data["after"] > 40])):
        told = rows.dropna(subset="wage").groupby("region")["wage"]
        requested = stats.ks_2samp(told.get_group("s"), told.get_group("n"), method="asymp")
        found = one(cut.dp.ks_test("wage", "region", **declared, **PRECISE))
        assert found["estimate"] == pytest.approx(requested.statistic, abs=1e-3)
        assert found["p_value"] == pytest.approx(requested.pvalue, rel=0.2)
        assert found["lower"] == pytest.approx(found["upper"], abs=1e-3)


def test_equal_columns_have_no_difference_and_every_sign_is_none() -> None:
    data = DATA.assign(after=DATA["wage"])
    found = one(protected(data).dp.t_test(paired=("wage", "after"), **PRECISE))
    assert found["estimate"] == pytest.approx(0, abs=1e-3)
    ranks = one(protected(data).dp.rank_test(paired=("wage", "after"), **PRECISE))
    assert ranks["estimate"] == pytest.approx(0, abs=1e-3)


@pytest.mark.parametrize("neighbours", ["replace", "add_remove"])
@pytest.mark.parametrize("rows", [0, 1, 2])
def test_few_rows_are_answered_and_say_nothing(rows: int, neighbours: str) -> None:
    frame = protected(DATA.iloc[:rows], neighbours=neighbours)
    with seeded_noise(5):
        tests = [
            frame.dp.t_test("wage", "union", rho=0.01),
            frame.dp.t_test("wage", "union", equal_var=False, epsilon=0.1),
            frame.dp.rank_test("wage", "union", rho=0.01),
            frame.dp.rank_test("wage", "region", rho=0.01),
            frame.dp.t_test(paired=("wage", "after"), rho=0.01),
        ]
    for each in tests:
        p = one(each)["p_value"]
        assert np.isnan(p) or p > 1e-4


def test_a_row_without_a_group_does_not_count() -> None:
    data = DATA.assign(region=DATA["region"].where(np.arange(len(DATA)) % 2 == 0, None))
    frame = pdp.Session(rho=1e12).protect(data)
    declared = {"bounds": {"wage": (0, 120)}, "categories": {"region": ["n", "s"]}}
    found = one(frame.dp.t_test("wage", "region", **declared, **PRECISE))
    means = data.groupby("region")["wage"].mean()
    assert found["estimate"] == pytest.approx(means["s"] - means["n"], abs=1e-3)
    assert found.name == "s - n"


@pytest.mark.parametrize("how", [{"epsilon": 1, "mechanism": "laplace"}, {"rho": 1, "mechanism": "gaussian"}], ids=str)
def test_a_mechanism_is_that_of_the_sums_that_are_compared(how: dict[str, Any]) -> None:
    test = protected(DATA).dp.rank_test("wage", "union", **how)
    assert 0 <= one(test)["p_value"] <= 1
    assert str(how["mechanism"]) in test.attrs["dp"]["mechanism"]


@pytest.mark.parametrize("wide", [False, True])
def test_differences_of_pairs_in_one_bin_have_a_hint(wide: bool) -> None:
    """400 pairs that are about 1 apart, in ranges of 4 and of 10¹¹, of which the first bin holds them all."""
    rng = np.random.default_rng(3)
    first = rng.uniform(1, 3, 400)
    frame = pd.DataFrame({"before": first, "after": first + rng.uniform(-1, 1, 400)})
    bounds = dict.fromkeys(frame, (0, 1e11 if wide else 4))
    with seeded_noise(2):
        test = pdp.Session(rho=0.5).protect(frame).dp.rank_test(paired=("before", "after"), bounds=bounds, rho=0.5)
    (evidence,) = test.attrs["dp"]["evidence"]
    assert (evidence["tied"] > 0.8) == wide
    assert test.dp.check()["finding"].str.contains("most differences lie in few of the bins").any() == wide
