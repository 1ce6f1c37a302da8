"""Life tables without noise are the textbook's; with noise their errors are those of the golden page."""

from __future__ import annotations

import json
import pickle
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pandera.pandas as pa
import pytest
from scipy.optimize import brentq

import pandas_dp as pdp
from pandas_dp.audit import seeded_noise
from pandas_dp.core.evidence.noise import Noise
from pandas_dp.core.noise.gaussian import DiscreteGaussian
from pandas_dp.errors import NotConcluded
from pandas_dp.survival.evidence import Exits, Life, log_rank
from tests.conftest import COMPLETE
from tests.refusals import refused

GOLDEN = json.loads((Path(__file__).parent / "golden.json").read_text("utf-8"))
CELLS = np.stack([GOLDEN["censored_at_start"], GOLDEN["events"]], axis=2)
LENIENT = {"rho": 1e8}  # no noise to see
START = {**LENIENT, "censoring": "start"}  # as in the golden table


class Staff(pa.DataFrameModel):
    left: int = pa.Field(ge=0, le=12, metadata=COMPLETE)
    event: bool = pa.Field(metadata=COMPLETE)
    union: bool
    maybe: pd.BooleanDtype
    region: str = pa.Field(isin=["n", "s"])


def staff(cells: np.ndarray = CELLS) -> pd.DataFrame:
    """A row for each exit: in the middle of its bin with an event, at its start without."""
    rows = [
        (2 * at + happened, bool(happened), bool(group))
        for (group, at, happened), many in np.ndenumerate(cells.astype(int))
        for _ in range(many)
    ]
    frame = pd.DataFrame(rows, columns=["left", "event", "union"])
    return frame.assign(maybe=frame["event"].astype("boolean"), region="n")


def protected(frame: pd.DataFrame, **terms: object) -> pd.DataFrame:
    return pdp.Session(**{"rho": 1e10, "schema": Staff, **terms}).protect(frame)


def test_survival_and_its_error_by_chance_are_those_of_kaplan_meier_and_greenwood() -> None:
    exits = Exits(CELLS.sum(axis=0, keepdims=True), 7, 1e-12, censoring="start")
    survival = np.exp(exits.log_survival[0, :6])
    np.testing.assert_allclose(survival, GOLDEN["survival"], atol=1e-9)
    np.testing.assert_allclose(survival * np.sqrt(exits.chance[0, :6]), GOLDEN["greenwood_se"], atol=1e-9)


def test_the_error_by_noise_is_that_of_the_golden_page() -> None:
    pooled = Exits(CELLS.sum(axis=0, keepdims=True), 7, 2.0, total=int(CELLS.sum()), censoring="start")
    golden = GOLDEN["noise_sd_of_log_S, cell variance 1, public total"]
    np.testing.assert_allclose(np.sqrt(pooled.noise[0, :6]), golden, rtol=1e-9)


def test_the_error_by_noise_is_the_spread_of_simulated_tables() -> None:
    cells = 50 * CELLS
    rng = np.random.default_rng(3)
    drawn = [Exits(cells + rng.normal(0, 3, cells.shape), 7, 9.0).log_survival[:, :6] for _ in range(4000)]
    expected = np.sqrt(Exits(cells, 7, 9.0).noise[:, :6])
    np.testing.assert_allclose(np.std(drawn, axis=0), expected, rtol=0.06)  # five standard errors


def test_log_rank_without_noise_is_the_textbooks() -> None:
    found = log_rank(Exits(CELLS, 7, 1e-12, censoring="start"))
    assert found.statistic == pytest.approx(GOLDEN["log_rank_chi2"], abs=1e-6)


def test_a_question_gives_the_same_table() -> None:
    life = protected(staff()).dp.survival("left", "event", bins=range(0, 13, 2), **START)
    np.testing.assert_allclose(life["survival"], GOLDEN["survival"], atol=1e-4)
    np.testing.assert_allclose(life["std_error"], GOLDEN["greenwood_se"], atol=1e-4)
    assert life["at_risk"].tolist() == [130, 110, 91, 71, 53, 37]
    assert life["events"].tolist() == CELLS[:, :6, 1].sum(axis=0).tolist()
    assert life["censored"].tolist() == CELLS[:, :6, 0].sum(axis=0).tolist()


def test_groups_and_their_test_follow_from_one_release() -> None:
    life = protected(staff()).dp.survival("left", "event", by="union", bins=range(0, 13, 2), **START)
    result = life.dp.log_rank_test()
    assert result.df == 1
    assert result.statistic == pytest.approx(GOLDEN["log_rank_chi2"], abs=1e-3)
    assert result.pvalue == pytest.approx(GOLDEN["log_rank_p"], abs=1e-4)
    assert result.expected["observed"].round().tolist() == CELLS[:, :, 1].sum(axis=1).tolist()
    assert result.expected["expected"].sum() == pytest.approx(CELLS[:, :, 1].sum(), abs=0.1)


def test_an_event_at_the_last_edge_is_of_the_last_bin_and_without_one_a_row_has_survived_it() -> None:
    frame = pd.DataFrame({"left": [12, 12, 12, 1], "event": [True, False, False, False], "union": True})
    frame = frame.assign(maybe=pd.array([True] * 4, dtype="boolean"), region="n")
    life = protected(frame).dp.survival("left", "event", bins=[0, 6, 12], **START)
    assert life[["at_risk", "events", "censored"]].to_numpy().tolist() == [[3, 0, 1], [3, 1, 0]]
    np.testing.assert_allclose(life["survival"], [1, 2 / 3], atol=1e-3)


def test_who_is_behind_the_last_edge_has_survived_whatever_happened_then() -> None:
    frame = pd.DataFrame({"left": [9, 9, 6, 2], "event": [True, False, False, True], "union": True})
    frame = frame.assign(maybe=pd.array([True] * 4, dtype="boolean"), region="n")
    life = protected(frame).dp.survival("left", "event", bins=[0, 3, 6], **LENIENT)
    assert life[["at_risk", "events", "censored"]].to_numpy().tolist() == [[4, 1, 0], [3, 0, 0]]


def test_who_left_before_the_first_edge_is_left_out() -> None:
    life = protected(staff()).dp.survival("left", "event", bins=[4, 8, 12], **START)
    assert life["at_risk"].iloc[0] == 130 - CELLS[:, :2].sum() - CELLS[:, 2:4, 0].sum()


@pytest.mark.parametrize("censoring", ["start", "even", "end"])
def test_who_is_censored_counts_for_the_part_of_the_bin_in_which_they_were_at_risk(censoring: str) -> None:
    life = protected(staff()).dp.survival("left", "event", bins=[0, 6, 12], censoring=censoring, **LENIENT)
    start = protected(staff()).dp.survival("left", "event", bins=[0, 6, 12], **START)
    hazard = 1 - life["survival"] / life["survival"].shift(fill_value=1.0)
    missed = {"start": 1.0, "even": (hazard + (1 - hazard) * np.log(1 - hazard)) / hazard**2, "end": 0.0}[censoring]
    at_risk = start["at_risk"] + (1 - missed) * start["censored"]
    assert ((life["at_risk"] - at_risk).abs() <= 0.51).all()
    np.testing.assert_allclose(hazard, life["events"] / at_risk, atol=1e-4)


@pytest.mark.parametrize("leave", [0.001, 0.1, 0.4, 1.0, 2.0])
@pytest.mark.parametrize("lost", [0.0, 0.5, 1.0])
def test_a_constant_hazard_and_even_censoring_in_a_bin_give_survival_exactly(leave: float, lost: float) -> None:
    """The shares of cells are integrals of the two laws; with all lost in the bin half counts alone are far off."""
    stay = np.exp(-leave)
    censored = lost * (1 - stay) / leave
    cells = 1e6 * np.array([[[censored, 1 - censored - (1 - lost) * stay], [(1 - lost) * stay, 0.0]]])
    exits = Exits(cells, 1, 1e-9)
    assert np.exp(exits.log_survival).item() == pytest.approx(stay, abs=1e-5)


@pytest.mark.parametrize("censoring", ["start", "even", "end"])
def test_slopes_are_the_derivatives_of_the_logarithm(censoring: Any) -> None:
    def log_survival(cells: np.ndarray) -> np.ndarray:
        return Exits(cells, 7, 1.0, censoring=censoring).log_survival[0]

    cells = 50 * CELLS[:1] + 20
    cells[0, 2] = [400, 700]  # a bin in which many leave both ways
    slopes = Exits(cells, 7, 1.0, censoring=censoring).slopes[0]
    for at, step in enumerate(np.eye(cells.size) * 1e-2):
        moved = step.reshape(cells.shape)
        slope = (log_survival(cells + moved) - log_survival(cells - moved)) / 2e-2
        np.testing.assert_allclose(slopes[:, at], slope, rtol=1e-5, atol=1e-9)


def test_a_row_without_a_declared_answer_is_left_out() -> None:
    frame = staff()
    frame["maybe"] = frame["maybe"].where(np.arange(len(frame)) % 5 > 0, pd.NA)
    life = protected(frame).dp.survival("left", "maybe", bins=[0, 12], **START)
    told = frame.dropna(subset="maybe")
    censored = ~told["maybe"].astype(bool) & (told["left"] < 12)
    assert life.iloc[0][["at_risk", "events", "censored"]].tolist() == [
        len(told) - censored.sum(),
        told["maybe"].sum(),
        censored.sum(),
    ]


@pytest.mark.parametrize("gaps", [False, True])
def test_the_total_is_taken_as_public_only_where_each_row_is_in_a_cell(gaps: bool) -> None:
    frame = protected(staff())
    ask = (
        (lambda f: f.dp.survival("left", "maybe", bins=3, rho=1))
        if gaps
        else (lambda f: f.dp.survival("left", "event", bins=3, rho=1))
    )
    assert ask(frame).dp.metadata["evidence"][0]["total"] == (None if gaps else 130)
    assert ask(frame.query("left >= 0")).dp.metadata["evidence"][0]["total"] is None
    by = frame.dp.survival("left", "event", by="union", bins=3, rho=1)
    later = frame.dp.survival("left", "event", bins=[1, 5, 12], rho=1)
    assert by.dp.metadata["evidence"][0]["total"] is later.dp.metadata["evidence"][0]["total"] is None


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"left": [5] * 40, "event": False}),
        pd.DataFrame({"left": [5] * 40, "event": True}),
        pd.DataFrame({"left": [12] * 40, "event": True}),
        pd.DataFrame({"left": [3], "event": [True]}),
        pd.DataFrame({"left": pd.Series([], dtype=int), "event": pd.Series([], dtype=bool)}),
    ],
    ids=["no events", "all events at once", "all at the last edge", "one row", "no rows"],
)
@pytest.mark.parametrize("cost", [{"rho": 0.1}, {"epsilon": 0.1}, {"rho": 1e6}])
def test_whatever_the_rows_hold_numbers_are_finite_and_intervals_within_zero_and_one(
    frame: pd.DataFrame, cost: dict[str, float]
) -> None:
    frame = frame.assign(union=True, maybe=pd.array([True] * len(frame), dtype="boolean"), region="n")
    session = pdp.Session(epsilon=1e9, delta=1e-6, schema=Staff)
    life = session.protect(frame).dp.survival("left", "event", by="region", bins=4, **cost)
    curves = [life.dp.curve(), life.dp.curve(simultaneous=True, confidence=0.9)]
    for table in (life, *curves):
        assert np.isfinite(table.drop(columns="std_error").to_numpy(dtype=float)).all()
        assert (table["std_error"].isna() <= (table["lower"] == 0)).all()
        assert (table["lower"] <= table["survival"] + 1e-9).all()
        assert (table["survival"] <= table["upper"] + 1e-9).all()
        assert np.all(table["lower"] >= 0)
        assert np.all(table["upper"] <= 1)
    assert life.dp.quantile(0.5).shape == (2, 3)
    result = life.dp.log_rank_test()  # of two groups, one of which is empty
    assert 0 <= result.pvalue <= 1
    assert ("nothing is concluded" in result.procedure) <= (result.pvalue == 1)


def test_where_noise_may_be_all_who_are_at_risk_survival_may_be_anything_down_to_zero() -> None:
    cells = np.array([[[0, 100], [0, 90], [1, 1], [0, 2]]])
    life = Life.of(cells, 4, Noise(DiscreteGaussian(Fraction(9))), None)
    told = life.measures(0.95, "population")
    assert np.isnan(told["std_error"]).tolist() == [False, False, True, True]
    assert told["lower"].tolist()[2:] == [0, 0]
    assert told["upper"].tolist()[2:] == [told["upper"][1]] * 2


def test_a_band_for_all_points_is_wider_than_each_interval_and_the_same_again() -> None:
    life = protected(staff()).dp.survival("left", "event", by="union", bins=6, rho=0.5)
    each, joint, again = life.dp.curve(), life.dp.curve(True), life.dp.curve(True)
    assert (joint["upper"] >= each["upper"]).all()
    assert (joint["lower"] <= each["lower"]).all()
    pd.testing.assert_frame_equal(joint, again)
    bonferroni = life.dp.confint(simultaneous=True)
    inner = joint.drop(0.0, level="left")
    assert (inner["upper"].to_numpy() <= bonferroni["upper"].to_numpy() + 1e-9).all()


def test_the_median_lies_between_the_ends_that_the_curve_gives() -> None:
    life = protected(staff()).dp.survival("left", "event", bins=range(0, 13, 2), **START)
    median = life.dp.quantile(0.5).loc["all"]
    curve = life.dp.curve()
    assert median["quantile"] == 12
    assert median["lower"] == 6
    assert median["upper"] == np.inf
    assert curve.loc[median["lower"] + 2, "lower"] <= 0.5


def test_lengths_of_time_stay_lengths_of_time() -> None:
    rows = pd.DataFrame({"wait": pd.to_timedelta([1, 3, 5, 8] * 50, "h"), "done": [True, False, True, False] * 50})
    session = pdp.Session(rho=1e10)
    bounds = (pd.Timedelta(0), pd.Timedelta("8h"))
    life = session.protect(rows).dp.survival("wait", "done", bins=4, bounds=bounds, **LENIENT)
    assert life.dp.curve().index[-1] == pd.Timedelta("8h")
    assert life.dp.quantile(0.25).loc["all", "quantile"] == pd.Timedelta("2h")
    assert life.dp.plot().get_xlabel() == "wait (days)"


def test_a_picture_has_a_step_and_a_band_for_each_group() -> None:
    life = protected(staff()).dp.survival("left", "event", by="union", bins=6, rho=0.5)
    ax = life.dp.plot(simultaneous=True)
    assert len(ax.lines) == len(ax.collections) == 2
    assert [each.get_text() for each in ax.texts[:2]] == ["False", "True"]
    assert len(life.dp.plot("bars").lines) > 0


def test_a_difference_between_groups_at_one_time_has_an_interval() -> None:
    life = protected(staff(20 * CELLS)).dp.survival("left", "event", by="union", bins=6, rho=1)
    last = life.index[5][1]
    found = life.dp.contrast((True, last), (False, last))
    assert found["lower"].item() < found["estimate"].item() < found["upper"].item()


def test_a_life_table_survives_parquet(tmp_path: Path) -> None:
    life = protected(staff()).dp.survival("left", "event", by="union", bins=6, rho=0.5)
    life.to_parquet(tmp_path / "life.parquet")
    again = pd.read_parquet(tmp_path / "life.parquet")
    pd.testing.assert_frame_equal(again.dp.curve(), life.dp.curve())


def test_hazards_without_noise_are_shares_of_those_at_risk_and_groups_are_compared() -> None:
    frame = protected(staff(20 * CELLS))
    one = frame.dp.survival("left", "event", bins=range(0, 13, 2), **LENIENT)
    bins = one.dp.hazard()
    shares = one["events"] / one["at_risk"]
    np.testing.assert_allclose(bins["coef"], np.log(shares / (1 - shares)), atol=1e-3)
    two = frame.dp.survival("left", "event", by="union", bins=range(0, 13, 2), **LENIENT)
    both = two.dp.hazard()
    assert both.index[-1] == "C(union)[T.True]"
    assert both.loc["C(union)[T.True]", "upper"] < 0  # the second group leaves later
    assert both["statistic"].iloc[-1] ** 2 == pytest.approx(two.dp.log_rank_test().statistic, rel=0.1)
    assert two.dp.hazard([]).shape == bins.shape


def cox(time: Any, event: Any, group: Any) -> float:
    """The log hazard ratio of two groups by the partial likelihood of Cox."""
    order = np.argsort(-np.asarray(time))
    ended, second = np.asarray(event)[order], np.asarray(group)[order].astype(float)
    at_risk, of_second = np.arange(1, len(order) + 1), np.cumsum(second)

    def score(ratio: float) -> float:
        share = of_second * np.exp(ratio) / (at_risk - of_second + of_second * np.exp(ratio))
        return float((ended * (second - share)).sum())

    return float(brentq(score, -5, 5))


@pytest.mark.parametrize("bins", [pytest.param(5), pytest.param(20, marks=pytest.mark.slow)])
def test_by_the_complementary_log_log_groups_differ_as_in_cox_regression_whatever_the_bins(bins: int) -> None:
    rng = np.random.default_rng(5)
    sex = rng.choice(["f", "m"], 3000)
    time = rng.exponential(np.where(sex == "m", 5.0, 10.0))
    left = np.minimum(rng.exponential(30.0, 3000), 15.0)
    rows = pd.DataFrame({"time": np.minimum(time, left), "event": time <= left, "sex": sex})
    twin = cox(rows["time"], rows["event"], sex == "m")
    table = pdp.Session(rho=1e10).protect(rows)
    life = table.dp.survival(
        "time", "event", by="sex", bins=bins, bounds=(0, 15), categories={"sex": ["f", "m"]}, rho=1e9
    )
    found = life.dp.hazard(link="cloglog").loc["C(sex)[T.m]"]
    assert found["coef"] == pytest.approx(twin, abs=found["std_error"] / 2)
    assert found["lower"] < np.log(2) < found["upper"]
    by_logit = life.dp.hazard().loc["C(sex)[T.m]"]
    assert by_logit["coef"] > found["coef"]
    assert "cloglog" in life.dp.hazard(link="cloglog").dp.summary()


def test_the_complementary_log_log_without_noise_is_that_of_each_share() -> None:
    rows = pd.DataFrame({"t": [0.5, 1.5, 2.5, 2.5] * 50, "e": [True, True, False, False] * 50})
    life = pdp.Session(rho=1e10).protect(rows).dp.survival("t", "e", bins=[0, 1, 2], bounds=(0, 3), rho=1e9)
    found = life.dp.hazard(link="cloglog")["coef"]
    np.testing.assert_allclose(found, np.log(-np.log(1 - np.array([1 / 4, 1 / 3]))), atol=1e-3)


def test_bins_in_which_noise_hides_who_is_left_are_left_out_of_hazard_ratios() -> None:
    with seeded_noise(2):
        rng = np.random.default_rng(1)
        rows = pd.DataFrame({"t": rng.exponential(3.0, 300).clip(0, 20), "e": True, "g": rng.choice(["a", "b"], 300)})
        asked = {"bounds": {"t": (0, 20)}, "categories": {"g": ["a", "b"]}}
        table = pdp.Session(rho=1e9).protect(rows)
        life = table.dp.survival("t", "e", by="g", rho=0.1, **asked)
        lost = table.dp.survival("t", "e", by="g", rho=1e-6, **asked)
    found = life.dp.hazard(link="cloglog")
    assert 1 <= len(found) - 1 < 10
    assert f"{len(found) - 1} of 10" in found.dp.summary()
    assert len(life.dp.hazard()) == 11
    with refused(NotConcluded):
        lost.dp.hazard(link="cloglog")


@pytest.mark.parametrize("asked", ["cox", "coxph", "phreg"])
def test_who_looks_for_cox_regression_is_told_where_it_is(asked: str) -> None:
    table = pdp.Session(rho=1).protect(pd.DataFrame({"t": [1.0], "e": [True]}))
    for where in (table.dp, table["t"].dp):
        with pytest.raises(AttributeError, match="cloglog"):
            getattr(where, asked)
    with pytest.raises(AttributeError, match="cloglog"):
        _ = pdp.coxph


def test_hazards_are_printed_as_regressions_are() -> None:
    life = protected(staff(20 * CELLS)).dp.survival("left", "event", by="union", bins=range(0, 13, 2), **LENIENT)
    hazard = life.dp.hazard(confidence=0.9)
    told = hazard.dp.summary()
    lines = told.splitlines()
    assert lines[0].strip() == "Hazard: event ~ bins of left + C(union)"
    assert [line.split()[0] for line in lines if line.startswith(("left[", "C(union)"))][-1] == "C(union)[T.True]"
    assert "[0.05" in told
    assert f"{life['events'].sum():,}" in told
    assert lines[-1] == life.dp.guarantee
    assert pickle.loads(pickle.dumps(hazard)).dp.summary() == told
    assert "regressor" not in dir(hazard.dp)


def test_survival_and_the_ends_of_its_interval_never_rise_and_hold_each_other() -> None:
    rng = np.random.default_rng(4)  # 40 people, and noise that a count of 6 hardly stands out of
    rose = 0
    for _ in range(200):
        cells = rng.multinomial(40, np.full(14, 1 / 14)).reshape(1, 7, 2) + np.rint(rng.normal(0, 3, (1, 7, 2)))
        life = Life.of(cells.astype(np.int64), 7, Noise(DiscreteGaussian(Fraction(9))), None)
        rose += bool((np.diff(life.exits.log_survival) > 0).any())
        low, high = life.interval(0.95, "population")
        for numbers in (life.estimate, low, high):
            assert (np.diff(numbers) <= 0).all()
        assert ((low <= life.estimate) & (life.estimate <= high)).all()
    assert rose > 100  # without care the curve would have


def test_the_quantile_is_where_the_curve_as_it_is_shown_gets_so_far() -> None:
    risen = np.array([[[0, 10], [0, 50], [0, -20], [40, 0]]])  # survival of .875, .25 and, but for care, .5
    life = Life.of(risen, 4, Noise(DiscreteGaussian(Fraction(1, 100))), None)
    assert life.estimate.tolist() == pytest.approx([0.875, 0.25, 0.25, 0.25])
