"""Logit and Poisson by stages: what they estimate, what any data do to them, what they refuse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pandera.pandas as pa
import pytest

import pandas_dp as pdp
from pandas_dp.audit import zero_noise
from pandas_dp.errors import CostNotOffered, PrivacyError
from tests.refusals import refused

BOUNDS = {"a": (-1, 1), "b": (0, 10)}
KINDS = {"k": ["p", "q", "r"]}
COEF = ["coef", "std_error", "lower", "upper", "statistic", "p_value"]


def rows(n: int = 4000, seed: int = 2) -> pd.DataFrame:
    r = np.random.default_rng(seed)
    frame = pd.DataFrame({"a": r.uniform(-1, 1, n), "b": r.uniform(0, 10, n), "k": r.choice(KINDS["k"], n)})
    linear = 0.5 + 0.8 * frame["a"] - 0.1 * frame["b"] + 0.6 * (frame["k"] == "q") - 0.3 * (frame["k"] == "r")
    frame["y"] = r.random(n) < 1 / (1 + np.exp(-linear))
    frame["t"] = r.uniform(0.5, 4, n)
    frame["c"] = r.poisson(frame["t"] * np.exp(linear / 2)).clip(0, 30)
    return frame


def protected(frame: pd.DataFrame, **terms: Any) -> pd.DataFrame:
    return pdp.Session(**(terms or {"rho": 10**12})).protect(frame)


def logit(frame: pd.DataFrame, names: list[str], rho: float = 10**8, **how: Any) -> pd.DataFrame:
    bounds = {**{name: BOUNDS[name] for name in names if name in BOUNDS}, "y": (0, 1)}
    given = {"rho": rho, "bounds": bounds, **({"categories": KINDS} if "k" in names else {}), **how}
    return frame.dp.logit("y", names, **{key: each for key, each in given.items() if each is not None})


def maximum(frame: pd.DataFrame, names: list[str], response: str, exposure: Any = None) -> np.ndarray:
    """Of the likelihood, by Newton's steps without noise."""
    columns = [np.ones(len(frame))]
    for name in names:
        columns += [frame[name]] if name != "k" else [(frame["k"] == each) * 1.0 for each in KINDS["k"][1:]]
    x, beta = np.column_stack(columns), np.zeros(len(columns))
    y = frame[response].to_numpy(float)
    beta[0] = np.log(y.mean())
    for _ in range(50):
        if response == "y":
            mean = 1 / (1 + np.exp(-x @ beta))
            weight = mean * (1 - mean)
        else:
            weight = mean = frame[exposure].to_numpy() * np.exp(x @ beta)
        beta = beta + np.linalg.solve(x.T @ (weight[:, None] * x), x.T @ (y - mean))
    return beta


def test_logit_ends_where_the_likelihood_does() -> None:
    data = rows()
    fit = logit(protected(data), ["a", "b", "k"])
    assert fit.index.tolist() == ["Intercept", "a", "b", "C(k)[T.q]", "C(k)[T.r]"]
    assert fit.columns.tolist() == COEF
    distance = (fit["coef"] - maximum(data, ["a", "b", "k"], "y")) / fit["std_error"]
    assert distance.abs().max() < 0.2


def test_poisson_ends_where_the_likelihood_does() -> None:
    data = rows()
    bounds = {**BOUNDS, "t": (0, 5), "c": (0, 30)}
    fit = protected(data).dp.poisson("c", ["a", "b", "k"], exposure="t", rho=10**8, bounds=bounds, categories=KINDS)
    distance = (fit["coef"] - maximum(data, ["a", "b", "k"], "c", "t")) / fit["std_error"]
    assert distance.abs().max() < 0.3


def test_another_level_as_reference_gives_the_same_fit() -> None:
    """Noise is drawn anew, so there is none here; the label says what both stages saw."""
    data = rows()
    with zero_noise():
        one = logit(protected(data), ["a", "k"], 0.5)["coef"]
        two = logit(protected(data), ["a", "k"], 0.5, categories={"k": ["q", "p", "r"]})["coef"]
    assert one["a"] == pytest.approx(two["a"], rel=1e-5)
    assert one["C(k)[T.q]"] == pytest.approx(-two["C(k)[T.p]"], rel=1e-4)


def test_a_derived_frame_is_asked_as_a_whole_one() -> None:
    data = rows()
    frame = protected(data)
    part = data[data["a"] > -0.5]
    fit = logit(frame[frame["a"] > -0.5], ["a", "b"])
    assert ((fit["coef"] - maximum(part, ["a", "b"], "y")) / fit["std_error"]).abs().max() < 0.2


def test_formulas_say_the_same_as_lists() -> None:
    pytest.importorskip("formulaic")
    frame = protected(rows())
    how = {"bounds": {**BOUNDS, "y": (0, 1)}, "categories": KINDS, "rho": 10**8}
    by_formula = frame.dp.logit("y ~ a + b + C(k)", **how)
    pd.testing.assert_series_equal(by_formula["coef"], logit(frame, ["a", "b", "k"])["coef"], atol=0.01)
    product = frame.dp.logit("y ~ a * b", bounds=how["bounds"], rho=10**8)
    assert product.index.tolist() == ["Intercept", "a", "b", "a:b"]


def test_intervals_hold_both_the_noise_and_the_sample() -> None:
    """Wider by the noise, and for the rows in the data by it alone."""
    frame = protected(rows())
    exact, noisy = logit(frame, ["a", "b"]), logit(frame, ["a", "b"], 0.05)
    assert (noisy["std_error"] > 1.05 * exact["std_error"]).all()
    alone = exact.dp.confint(target="sample")
    assert ((alone["upper"] - alone["lower"]) < 0.05 * exact["std_error"]).all()


def test_the_label_says_where_the_look_was_and_what_is_estimated() -> None:
    label = logit(protected(rows()), ["a", "b"], 0.2).dp.metadata
    pilot, stage, last = label["stages"]
    assert (pilot["after"], stage["after"], last["after"]) == ([], [0], [0, 1])
    assert len(stage["parameter"]["coef"]) == len(last["parameter"]["coef"]) == 3
    assert label["estimand"] == "log odds, by two steps of Newton from a released pilot"
    assert label["statistic"] == "logit"


def deaths(n: int, r: np.random.Generator) -> pd.DataFrame:
    """Of people from 18 to 90, of whom one in thirteen dies, most of them old."""
    frame = pd.DataFrame({"age": r.integers(18, 91, n), "s": r.integers(0, 2, n)})
    return frame.assign(y=r.random(n) < 1 / (1 + np.exp(9 - 0.09 * frame["age"] - 0.7 * frame["s"])))


def test_strong_effects_are_in_their_sets() -> None:
    """With noise, at 1 - 10**-6 a coefficient: by luck once in 3 * 10**5 runs."""
    frame = protected(deaths(20_000, np.random.default_rng(8)), rho=10)
    shown = frame.dp.logit("y", ["age", "s"], rho=0.5, bounds={"age": (18, 90), "s": (0, 1), "y": (0, 1)})
    ends = shown.dp.confint(1 - 1e-6).to_numpy(float)
    assert ((ends[:, -2] <= [-9, 0.09, 0.7]) & (ends[:, -1] >= [-9, 0.09, 0.7])).all()
    assert np.isfinite(ends).all()


def test_rare_counts_are_in_their_sets() -> None:
    """A count where hardly one is expected is not cut off: by luck once in 5 * 10**5 runs."""
    r = np.random.default_rng(8)
    data = pd.DataFrame({"s": r.uniform(0, 20, 50_000)}).assign(y=lambda d: r.poisson(0.01 * np.exp(0.08 * d["s"])))
    shown = protected(data, rho=10).dp.poisson("y", ["s"], rho=0.5, bounds={"s": (0, 20), "y": (0, 10)})
    low, high = shown.dp.confint(1 - 1e-6).loc["s", ["lower", "upper"]]
    assert low <= 0.08 <= high
    assert low > 0.03


def test_a_rare_count_of_a_few_is_not_cut_off() -> None:
    """Residuals are cut three counts beyond four standard deviations at least, so two where .01 is expected stands."""
    data = pd.DataFrame({"s": np.tile([0.0, 1], 5000), "c": np.r_[np.full(30, 2), np.full(40, 1), np.zeros(9930)]})
    with zero_noise():
        fit = protected(data).dp.poisson("c", ["s"], rho=1, bounds={"s": (0, 1), "c": (0, 20)})
    requested = 4 * np.sqrt(data["c"].var(ddof=0)) + 3
    clips = [10 * stage["parameter"]["clip"] for stage in fit.dp.metadata["stages"][1:]]  # of half a range of 20
    assert clips == pytest.approx([requested, requested], abs=10 / 2**10)
    assert np.exp(fit["coef"]["Intercept"]) == pytest.approx(data.loc[data["s"] == 0, "c"].mean(), rel=1e-3)


def test_the_second_look_is_where_the_first_led() -> None:
    """Not again at the pilot, which is a way off here."""
    data = rows()
    with zero_noise():
        fit = logit(protected(data), ["a", "b"], 1)
    _, first, second = (stage["parameter"] for stage in fit.dp.metadata["stages"])
    constant, a, b = maximum(data, ["a", "b"], "y")
    truth = np.array([constant + 5 * b, a, 5 * b])  # in half-ranges
    off = [np.abs(np.array(at["coef"]) - truth).max() for at in (first, second)]
    assert off[1] < 0.1 * off[0]


def test_effects_too_strong_for_the_steps_are_not_told() -> None:
    """Beyond the pilot's cap, whatever the price: 20 in a half-range. Of predictions too."""
    r = np.random.default_rng(8)
    data = pd.DataFrame({"x": r.uniform(-1, 1, 20_000)}).assign(
        y=lambda d: r.random(len(d)) < 1 / (1 + np.exp(-40 * d["x"]))
    )
    shown = protected(data).dp.logit("y", ["x"], rho=10**6, bounds={"x": (-1, 1), "y": (0, 1)})
    assert np.isinf(shown[["lower", "upper", "std_error"]].to_numpy(float)).all()
    assert (shown["p_value"] == 1).all()
    assert "too strong for the steps" in shown.dp.check()["finding"].item()
    made = shown.dp.predict({"x": [0.5]})
    assert made[["lower", "upper"]].to_numpy(float).tolist() == [[0.0, 1.0]]


def test_a_hint_says_of_which_columns_a_release_does_not_tell() -> None:
    """Of two that are nearly one; without noise none. By luck less than once in 10**6."""
    r = np.random.default_rng(8)
    data = rows().assign(b=lambda d: (5 + 5 * d["a"] + 0.01 * r.normal(size=len(d))).clip(0, 10))
    found = logit(protected(data, rho=10), ["a", "b"], 0.05).dp.check()["finding"].item()
    assert "what rows say of Intercept, a, b does not stand out" in found or "what rows say of a, b does not" in found
    assert logit(protected(rows()), ["a", "b"]).dp.check().empty


def test_skewed_columns_do_not_widen_sets() -> None:
    """A first stage whose rows have another law is far off; the second stands near enough. By luck once in 10**6."""
    r = np.random.default_rng(8)
    data = pd.DataFrame({"x": r.lognormal(0, 1.2, 20_000).clip(0, 20)})
    data["y"] = r.random(len(data)) < 1 / (1 + np.exp(4 - 0.5 * data["x"]))
    fit = protected(data).dp.logit("y", ["x"], rho=10**6, bounds={"x": (0, 20), "y": (0, 1)})
    assert fit.loc["x", "upper"] - fit.loc["x", "lower"] < 0.06
    low, high = fit.dp.confint(1 - 1e-6).loc["x", ["lower", "upper"]]
    assert low <= 0.5 <= high


SAME = np.full(2000, 0.5)
R = np.random.default_rng(9)
ODD: dict[str, pd.DataFrame] = {
    "no rows": pd.DataFrame({"a": [], "b": [], "y": []}, dtype=float),
    "one row": pd.DataFrame({"a": [0.1], "b": [2.0], "y": [1.0]}),
    "all no": pd.DataFrame({"a": R.uniform(-1, 1, 2000), "b": R.uniform(0, 10, 2000), "y": np.zeros(2000)}),
    "separated": pd.DataFrame({"a": R.uniform(-1, 1, 2000), "b": R.uniform(0, 10, 2000)}).assign(y=lambda d: d.a > 0),
    "constant": pd.DataFrame({"a": SAME, "b": R.uniform(0, 10, 2000), "y": R.random(2000) < 0.4}),
    "collinear": pd.DataFrame({"a": R.uniform(-1, 1, 2000)}).assign(b=lambda d: 5 + 5 * d.a, y=lambda d: d.a > 0.3),
    "missing": pd.DataFrame({"a": [np.nan] * 50, "b": [None] * 50, "y": [np.nan] * 50}, dtype=float),
}


@pytest.mark.parametrize("derived", [False, True])
@pytest.mark.parametrize("family", ["logit", "poisson"])
@pytest.mark.parametrize("name", ODD)
def test_any_data_have_an_answer(name: str, family: str, derived: bool) -> None:
    frame = protected(ODD[name], rho=10)
    frame = frame[frame["b"] >= 0] if derived else frame
    shown = getattr(frame.dp, family)("y", ["a", "b"], rho=0.5, bounds={**BOUNDS, "y": (0, 1)})
    assert np.isfinite(shown["coef"]).all()
    assert (shown["lower"] <= shown["upper"]).all()
    assert shown["p_value"].between(0, 1).all()


@pytest.mark.parametrize("name", ["no rows", "constant", "collinear"])
def test_what_cannot_be_told_has_no_ends(name: str) -> None:
    """Of no rows every coefficient; otherwise those that belong together. Fails by luck about once in 10**5."""
    shown = logit(protected(ODD[name], rho=10), ["a", "b"], 0.02)
    assert np.isinf(shown.dp.confint(1 - 1e-5).loc["a"].to_numpy(float)).all()
    assert shown.loc["a", "p_value"] > 1e-5


def test_few_events_are_said() -> None:
    data = rows().assign(y=lambda d: np.arange(len(d)) < 20)
    label = logit(protected(data), ["a", "b"], 1.0).dp.metadata
    assert label["estimand"].endswith("of few events")
    assert label["evidence"][0]["few_events"] is True


@pytest.mark.parametrize("family", ["logit", "poisson"])
def test_epsilon_alone_is_refused_before_paying(family: str) -> None:
    session = pdp.Session(epsilon=1, delta=1e-6)
    frame = session.protect(rows(50))
    with refused(CostNotOffered, family):
        getattr(frame.dp, family)("y", ["a"], epsilon=0.1, bounds={"a": (-1, 1), "y": (0, 1)})
    assert len(session.ledger) == 0


ASKED: dict[str, Any] = {
    "response of other numbers": lambda f: f.dp.logit("b", ["a"], rho=0.1, bounds=BOUNDS),
    "response of categories": lambda f: f.dp.logit("k", ["a"], rho=0.1, bounds={"a": (-1, 1)}, categories=KINDS),
    "response explains itself": lambda f: f.dp.logit("y", ["a", "y"], rho=0.1, bounds={"a": (-1, 1), "y": (0, 1)}),
    "negative counts": lambda f: f.dp.poisson("c", ["b"], rho=0.1, bounds={"b": (0, 10), "c": (-1, 5)}),
    "exposure twice": lambda f: f.dp.poisson("c", ["t"], exposure="t", rho=0.1, bounds={"t": (0, 5), "c": (0, 5)}),
    "no bounds": lambda f: f.dp.logit("y", ["a"], rho=0.1, bounds={"y": (0, 1)}),
    "width": lambda f: f.dp.logit("y", ["a"], width=0.1, bounds={"a": (-1, 1), "y": (0, 1)}),
    "weights": lambda f: f.dp.logit("y", ["a"], rho=0.1, weights="b", bounds={"a": (-1, 1), "y": (0, 1), "b": (0, 9)}),
    "idp": lambda f: f.dp.logit("y", ["a"], epsilon=0.1, model="idp", bounds={"a": (-1, 1), "y": (0, 1)}),
    "no constant": lambda f: f.dp.logit("y ~ a - 1", rho=0.1, bounds={"a": (-1, 1), "y": (0, 1)}),
    "product alone": lambda f: f.dp.logit("y ~ a:b", rho=0.1, bounds={**BOUNDS, "y": (0, 1)}),
    "instruments": lambda f: f.dp.logit("y ~ [a ~ b]", rho=0.1, bounds={**BOUNDS, "y": (0, 1)}),
    "spline": lambda f: f.dp.logit("y ~ s(a)", rho=0.1, bounds={"a": (-1, 1), "y": (0, 1)}),
}


@pytest.mark.parametrize("case", ASKED)
def test_what_cannot_be_is_refused_before_paying(case: str) -> None:
    session = pdp.Session(epsilon=5, delta=1e-6, models=["dp", "idp"])
    frame = session.protect(rows(60))
    with refused(PrivacyError):
        ASKED[case](frame)
    assert len(session.ledger) == 0


def test_different_pilots_are_not_combined() -> None:
    frame = protected(rows(500))
    with refused(PrivacyError):
        pdp.combine([logit(frame, ["a"], 1), logit(frame, ["a"], 1)])


def test_conclusions_of_a_fit() -> None:
    data = rows()
    fit = logit(protected(data), ["a", "b", "k"])
    assert fit.dp.anova()["df"].to_dict() == {"a": 1, "b": 1, "C(k)": 2}
    assert fit.dp.wald_test("a = 0.8, b = -0.1").pvalue > 1e-4
    assert fit.dp.wald_test("a = 0").pvalue < 1e-6
    made = fit.dp.predict({"a": [0.0, 1.0], "b": [5.0, 0.0], "k": ["p", "q"]})
    linear = fit["coef"] @ np.array([[1, 0, 5, 0, 0], [1, 1, 0, 1, 0]]).T
    np.testing.assert_allclose(made["mean"], 1 / (1 + np.exp(-linear)))
    assert ((made["lower"] < made["mean"]) & (made["mean"] < made["upper"])).all()
    assert "logit" in fit.dp.summary()
    apart = fit.dp.contrast("C(k)[T.q]", "C(k)[T.r]")
    assert apart["estimate"].item() == pytest.approx(fit["coef"]["C(k)[T.q]"] - fit["coef"]["C(k)[T.r]"])
    assert fit.dp.test(0.8).loc["a", "p_value"] > 1e-4
    for name in ("r_squared", "refit", "standardized"):
        with pytest.raises((PrivacyError, AttributeError)):
            getattr(fit.dp, name)


def test_groups_are_refused() -> None:
    frame = protected(rows(60))
    with refused(PrivacyError):
        frame.dp.groupby("k", categories=KINDS).logit("y", ["a"], rho=1, bounds={"a": (-1, 1), "y": (0, 1)})


@pytest.mark.parametrize("cost", [{"epsilon": 1}, {"rho": 0.5}], ids=str)
def test_few_categories_are_told_from_one_table(cost: dict[str, float]) -> None:
    """So epsilon alone will do, and there is no look after another."""
    data = rows()
    session = pdp.Session(epsilon=10, delta=1e-6)
    frame = session.protect(data)
    fit = frame.dp.logit("y", ["k"], categories={**KINDS, "y": [False, True]}, **cost)
    assert fit.index.tolist() == ["Intercept", "C(k)[T.q]", "C(k)[T.r]"]
    assert fit.dp.metadata["stages"] is None
    assert ((fit["coef"] - maximum(data, ["k"], "y")) / fit["std_error"]).abs().max() < 6
    assert session.ledger["statistic"].tolist() == ["logit"]


class Wide(pa.DataFrameModel):
    k: str = pa.Field(isin=list(map(str, range(30))))
    j: str = pa.Field(isin=list(map(str, range(30))))
    y: bool


@pytest.mark.parametrize(("names", "stages"), [(["k"], None), (["k", "j"], 3)], ids=str)
def test_many_cells_are_looked_at_row_by_row(names: list[str], stages: int | None) -> None:
    """Of 30 × 30 cells a table would be mostly noise; of 30 it is not."""
    r = np.random.default_rng(1)
    data = pd.DataFrame(r.integers(0, 30, (500, 2)), columns=["k", "j"]).astype(str).assign(y=r.random(500) < 0.4)
    label = protected(data, rho=10, schema=Wide).dp.logit("y", names, rho=1).dp.metadata
    assert (label["stages"] and len(label["stages"])) == stages
