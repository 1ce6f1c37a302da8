"""`.dp` of a release: its label, its intervals, rounding and publishing; no new questions."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp import errors
from tests.refusals import refused

from .questions import EVERY


def test_metadata_is_a_copy_of_the_label(people: pd.DataFrame) -> None:
    release = people["age"].dp.mean()
    metadata = release.dp.metadata
    assert metadata == release.attrs["dp"]
    metadata["evidence"].clear()
    assert release.dp.metadata["evidence"]


def test_conclusions_cost_nothing(session: pdp.Session, people: pd.DataFrame) -> None:
    release = people["age"].dp.mean(epsilon=1)
    used = session.share_used
    release.dp.confint()
    release.dp.round(1).dp.to_markdown()
    assert (session.share_used, len(session.ledger)) == (used, 1)


def test_a_release_concludes_after_its_session_has_closed(session: pdp.Session, people: pd.DataFrame) -> None:
    release = people["age"].dp.mean()
    session.close()
    assert release.dp.confint().shape == (1, 2)


@pytest.mark.parametrize("question", ["mean", "sum", "count", "median", "crosstab", "groupby", "histogram", "corr"])
def test_a_new_question_of_a_release_is_refused_by_name(question: str, people: pd.DataFrame) -> None:
    release = people["age"].dp.mean()
    with refused(errors.UnsupportedArgument):
        getattr(release.dp, question)()


def test_what_no_face_has_is_an_attribute_error(people: pd.DataFrame) -> None:
    release = people["age"].dp.mean()
    assert not hasattr(release.dp, "mode")
    assert not hasattr(release.dp, "_repr_png_")


@pytest.mark.parametrize(
    "conclude",
    [lambda c: c.dp.confint(), lambda c: c.dp.metadata, lambda c: c.dp.guarantee, lambda c: c.dp.round(1)],
)
def test_one_column_of_a_release_is_refused(conclude: Callable[[Any], Any], people: pd.DataFrame) -> None:
    column = people["age"].dp.mean()["mean"]
    with refused(errors.UnsupportedArgument):
        conclude(column)


EXPORTS = "to_markdown, to_latex, to_html, to_excel"
ALWAYS = "metadata, guarantee, check, confint, contrast, test, plot, round, relabel, equivalence_test"
OFFERED = {
    "series mean": f"{ALWAYS}, {EXPORTS}",
    "series median": f"{ALWAYS}, {EXPORTS}",
    "series max": f"metadata, guarantee, check, plot, round, relabel, {EXPORTS}",
    "series std": f"{ALWAYS}, {EXPORTS}",
    "crosstab": "metadata, guarantee, check, confint, contrast, test, plot, round, relabel, shares, calibrate, "
    "nonnegative, round_to, suppress, independence_test, log_linear_test, goodness_of_fit, cramers_v, odds_ratio, "
    "equivalence_test, risk_difference, relative_risk, trend_test, mcnemar_test, logit, multinomial, poisson, "
    f"naive_bayes, rules, synthesize, {EXPORTS}",
    "series describe": f"{ALWAYS}, {EXPORTS}",
}


@pytest.mark.parametrize("name", OFFERED)
def test_a_released_table_shows_what_its_evidence_offers_and_no_questions(name: str, people: pd.DataFrame) -> None:
    accessor = EVERY[name](people).dp
    assert repr(accessor) == f"<.dp of a release: {OFFERED[name]}>"
    assert sorted(dir(accessor)) == sorted(OFFERED[name].split(", "))


CONCLUDED: dict[str, Callable[[Any], Any]] = {
    "confint": lambda r: r.dp.confint(),
    "contrast": lambda r: r.dp.contrast((r.index[0], r.columns[0]), (r.index[-1], r.columns[0]), target="sample"),
    "contrast of rows": lambda r: r.dp.contrast(r.index[0], r.index[-1], target="sample"),
    "test": lambda r: r.dp.test(40.0, target="sample"),
    "replicates": lambda r: r.dp.replicates(),
    "independence_test": lambda r: r.dp.independence_test(pvalue="asymptotic"),
    "goodness_of_fit": lambda r: r.dp.goodness_of_fit([1 / r.size] * r.size, pvalue="asymptotic"),
    "margin": lambda r: r.dp.margin(["sex"]),
    "shares": lambda r: r.dp.shares(),
    "calibrate": lambda r: r.dp.calibrate({r.index.names[0]: dict.fromkeys(r.index, 100.0)}),
    "nonnegative": lambda r: r.dp.nonnegative(),
    "round_to": lambda r: r.dp.round_to(5),
    "suppress": lambda r: r.dp.suppress(5),
}
ASKED: dict[str, Callable[[pd.DataFrame], pdp.Release]] = {
    **EVERY,
    "marginals": lambda p: p.dp.marginals([["sex", "region"], ["sex"]]),
    "marginals of means": lambda p: p.dp.marginals([["sex", "region"], ["sex"]], "income", "mean"),
    "bootstrap": lambda p: p["age"].dp.mean(bootstrap=20),
    "replicates": lambda p: p["age"].dp.mean(bootstrap=20, resample="weights"),
    "individual": lambda p: p["sex"].dp.value_counts(),
}


@pytest.mark.parametrize("name", ASKED)
def test_nothing_is_concluded_that_is_not_offered(name: str, people: pd.DataFrame) -> None:
    release = ASKED[name](people)
    for what, conclude in CONCLUDED.items():
        if what.split()[0] not in dir(release.dp):
            with pytest.raises((errors.NotConcluded, errors.UnsupportedArgument)):
                conclude(release)


def test_whatever_is_offered_is_concluded_of_some_release(people: pd.DataFrame) -> None:
    done = set()
    for ask in ASKED.values():
        release = ask(people)
        for what in set(CONCLUDED) - done:
            with suppress(errors.PrivacyError):
                CONCLUDED[what](release)
                done.add(what)
    assert done == set(CONCLUDED)


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("chi2_contingency", " (use independence_test)"),
        ("conf_int", " (use confint)"),
        ("contrasts", " (did you mean 'contrast'?)"),
        ("margins", ""),  # which a mean has not
        ("abracadabra", ""),
    ],
)
def test_what_a_release_does_not_have_is_told_with_a_hint(name: str, hint: str, people: pd.DataFrame) -> None:
    with pytest.raises(AttributeError) as caught:
        getattr(people["age"].dp.mean().dp, name)
    assert str(caught.value).startswith(f".dp of a release has no {name!r}{hint}; it offers metadata, guarantee, ")


def test_the_intervals_shown_are_those_of_confint(people: pd.DataFrame) -> None:
    release = people["age"].dp.mean(epsilon=1, confidence=0.9)
    pd.testing.assert_frame_equal(release.dp.confint(0.9), pd.DataFrame(release[["lower", "upper"]]))


def test_confint_widens_with_the_level(people: pd.DataFrame) -> None:
    release = people["age"].dp.mean(epsilon=1)
    widths = [release.dp.confint(level).diff(axis=1)["upper"].item() for level in (0.5, 0.9, 0.99)]
    assert widths == sorted(widths)


def test_confint_for_the_rows_at_hand_is_narrower_than_for_the_population(people: pd.DataFrame) -> None:
    release = people["age"].dp.mean(epsilon=1)
    sample, population = (release.dp.confint(target=t).diff(axis=1)["upper"].item() for t in ("sample", "population"))
    assert sample < population
    pd.testing.assert_frame_equal(release.dp.confint(), release.dp.confint(target="population"))


def test_confint_of_a_table_has_two_columns_for_each(people: pd.DataFrame) -> None:
    release = people.dp.crosstab("sex", "region", epsilon=1)
    ends = release.dp.confint()
    assert ends.columns.tolist() == [(r, e) for r in ("north", "south", "west") for e in ("lower", "upper")]
    assert ends.columns.names == ["region", None]
    inside = (ends.xs("lower", axis=1, level=-1) <= release) & (release <= ends.xs("upper", axis=1, level=-1))
    assert inside.all(axis=None) or (release < 0).any(axis=None)


def only_choices(release: pdp.Release) -> bool:
    return all(facts.get("why") in ("chosen", "end") for facts in release.attrs["dp"]["evidence"])


@pytest.mark.parametrize("name", EVERY)
def test_confint_keeps_the_rows_or_says_why_there_is_none(name: str, people: pd.DataFrame) -> None:
    release = EVERY[name](people)
    if only_choices(release):
        with refused(errors.NotConcluded):
            release.dp.confint()
    else:
        ends = release.dp.confint()
        assert ends.index.equals(release.index)
        assert set(ends.columns.get_level_values(-1)) == {"lower", "upper"}


@pytest.mark.parametrize("name", EVERY)
def test_an_interval_holds_its_estimate(name: str, people: pd.DataFrame) -> None:
    release = EVERY[name](people)
    if only_choices(release):
        return
    ends = release.dp.confint()
    pairs = ends.to_numpy().reshape(len(ends), -1, 2)
    shown = release.attrs["dp"]["shows"]
    if shown is None:
        estimates = release.to_numpy()
    elif release.attrs["dp"]["layout"] == "items":
        estimates = release.iloc[:, [0]].to_numpy()
    else:
        estimates = release.iloc[:, np.cumsum([0, *shown[:-1]])].to_numpy()
    for (low, high), estimate in zip(pairs.reshape(-1, 2), estimates.ravel(), strict=True):
        assert pd.isna(low) or low <= estimate <= high


@pytest.mark.parametrize("level", [0, 1, 95, True, "0.9", None, float("nan")])
def test_a_level_that_is_no_probability_is_refused(level: Any, people: pd.DataFrame) -> None:
    with refused(errors.UnsupportedArgument):
        people["age"].dp.mean().dp.confint(level)


@pytest.mark.parametrize("target", ["everyone", 3, ["sample"]])
def test_an_unknown_target_is_refused(target: Any, people: pd.DataFrame) -> None:
    with refused(errors.UnsupportedArgument):
        people["age"].dp.mean().dp.confint(target=target)


@pytest.mark.parametrize("name", ["sum", "nunique"])
def test_an_amount_has_no_interval_for_a_population(name: str, people: pd.DataFrame) -> None:
    release = getattr(people["visits"].dp, name)()
    with refused(errors.NotConcluded):
        release.dp.confint(target="population")


def test_a_covariance_has_no_interval_for_a_population(people: pd.DataFrame) -> None:
    release = people[["age", "income"]].dp.cov()
    with refused(errors.NotConcluded):
        release.dp.confint(target="population")


def test_the_greatest_has_no_interval_and_says_what_to_ask_instead(people: pd.DataFrame) -> None:
    with refused(errors.NotConcluded):
        people["age"].dp.max().dp.confint()


def test_a_number_without_an_interval_has_none_beside_others_that_do(people: pd.DataFrame) -> None:
    ends = people["age"].dp.agg(["mean", "max"]).dp.confint()
    assert ends.loc["mean"].notna().all()
    assert ends.loc["max"].isna().all()


def test_rounding_rounds_and_stays_a_release(people: pd.DataFrame) -> None:
    release = people["age"].dp.mean(epsilon=1)
    rounded = release.dp.round(1)
    assert type(rounded) is pdp.Release
    assert rounded["mean"].item() == round(release["mean"].item(), 1)
    assert rounded.dp.guarantee == release.dp.guarantee[:-1] + "; rounded to 1 decimal."


@pytest.mark.parametrize("decimals", [-1, 0, 1, 3])
def test_a_rounded_table_shows_no_narrower_interval_and_no_smaller_error(decimals: int, people: pd.DataFrame) -> None:
    release = people["age"].dp.mean(epsilon=1)
    rounded, step = release.dp.round(decimals), 10.0**-decimals
    for name, outward in {"lower": -1, "upper": 1, "std_error": 1}.items():
        assert -1e-9 <= outward * (rounded[name].item() - release[name].item()) <= step + 1e-9
    assert rounded["std_error"].item() > 0


@pytest.mark.parametrize(("decimals", "allowance"), [((0,), 0.5), ((2,), 0.005), ((-1,), 5.0), ((1, 0), 0.55)])
def test_intervals_allow_for_every_rounding(decimals: tuple[int, ...], allowance: float, people: pd.DataFrame) -> None:
    release = people["age"].dp.mean(epsilon=1)
    rounded = release
    for places in decimals:
        rounded = rounded.dp.round(places)
    before, after = release.dp.confint(), rounded.dp.confint()
    assert after["lower"].item() == pytest.approx(before["lower"].item() - allowance)
    assert after["upper"].item() == pytest.approx(before["upper"].item() + allowance)


def test_a_sum_rounded_twice_is_still_within_its_interval_of_the_noise(people: pd.DataFrame) -> None:
    release = people["income"].dp.sum(epsilon=1)
    ends = release.dp.round(-2).dp.round(-3).dp.confint()
    before = release.dp.confint()
    assert ends["lower"].item() <= before["lower"].item()
    assert ends["upper"].item() >= before["upper"].item()


@pytest.mark.parametrize("decimals", [1.5, True, "1", {"mean": 1}, 31])
def test_decimals_that_are_no_small_whole_number_are_refused(decimals: Any, people: pd.DataFrame) -> None:
    with refused(errors.UnsupportedArgument):
        people["age"].dp.mean().dp.round(decimals)


@pytest.mark.parametrize("decimals", [np.int64(1), 30, -30])
def test_any_small_whole_number_is_decimals(decimals: Any, people: pd.DataFrame) -> None:
    people["age"].dp.mean().dp.round(decimals).dp.confint()


@pytest.mark.parametrize("name", EVERY)
def test_markdown_latex_and_html_end_with_the_guarantee(name: str, people: pd.DataFrame) -> None:
    release = EVERY[name](people)
    line = release.dp.guarantee
    assert release.dp.to_markdown().rstrip("\n").endswith(line)
    assert release.dp.to_latex().rstrip("\n").endswith(line.replace("_", r"\_"))
    assert release.dp.to_html().rstrip("\n").endswith(f"<p>{line}</p>")


@pytest.mark.parametrize("act", ["to_markdown", "to_latex", "to_html"])
def test_an_export_with_a_path_writes_what_it_returns(act: str, people: pd.DataFrame, tmp_path: Path) -> None:
    path = tmp_path / "table"
    text = getattr(people["age"].dp.mean().dp, act)(path)
    assert path.read_text(encoding="utf-8") == text


def test_export_options_of_pandas_are_passed_on(people: pd.DataFrame) -> None:
    assert "| mean" not in people["age"].dp.mean().dp.to_markdown(tablefmt="plain")


@pytest.mark.parametrize("name", ["series mean", "crosstab margins", "group means", "series histogram"])
def test_excel_has_the_guarantee_in_the_last_row(name: str, people: pd.DataFrame, tmp_path: Path) -> None:
    path = tmp_path / "release.xlsx"
    release = EVERY[name](people)
    release.dp.to_excel(path)
    cells = pd.read_excel(path, header=None)
    assert cells.iloc[-1, 0] == release.dp.guarantee
    assert (
        pd.to_numeric(pd.Series(cells.to_numpy()[:-1].ravel()), errors="coerce") - release.iloc[0, 0]
    ).abs().min() < 1e-6


WITHOUT_EXTRAS = """
import sys
for package in ("tabulate", "jinja2", "xlsxwriter"):
    sys.modules[package] = None
import pandas as pd, pandas_dp as pdp
with pdp.Session(epsilon=1):
    release = pd.DataFrame({"age": [31, 54]})["age"].dp.mean(bounds=(0, 100))
for publish in (release.dp.to_markdown, release.dp.to_latex, lambda: release.dp.to_excel(sys.argv[1])):
    try:
        publish()
    except pdp.PrivacyError as refusal:
        print(refusal)
"""


def test_a_missing_package_is_named_with_its_extra(tmp_path: Path) -> None:
    script = [sys.executable, "-c", WITHOUT_EXTRAS, str(tmp_path / "release.xlsx")]
    said = subprocess.run(script, capture_output=True, text=True, check=True).stdout.splitlines()
    assert len(said) == 3
    assert all('pip install "pandas-dp[export]"' in line for line in said)
