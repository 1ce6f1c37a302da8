"""Tests, associations and pictures of released tables, through `.dp`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp import errors
from tests.refusals import refused

mpl.use("Agg")

QUICK = {"replicates": 99}


@pytest.fixture
def regions(people: pd.DataFrame) -> pdp.Release:
    return people.dp.crosstab("sex", "region", epsilon=1)


def test_the_test_says_what_it_did(regions: pdp.Release) -> None:
    found = regions.dp.independence_test(**QUICK)
    assert found.df == 2
    assert 0 < found.pvalue <= 1
    assert found.hypothesis == "sex and region are independent"
    assert "parametric bootstrap of 99 tables" in found.procedure
    assert found.noise == "discrete laplace with standard deviation 2.799, taken into account"
    assert found.expected.index.tolist() == ["f", "m"]
    assert found.expected.columns.tolist() == ["north", "south", "west"]
    assert "expected" not in repr(found)
    assert str(found).startswith("Hypothesis: sex and region are independent: statistic = ")


def test_the_same_table_gives_the_same_p_value(regions: pdp.Release) -> None:
    assert regions.dp.independence_test(**QUICK) == regions.dp.independence_test(**QUICK)
    assert regions.dp.cramers_v(**QUICK) == regions.dp.cramers_v(**QUICK)


def test_the_naive_test_says_that_it_ignores_the_noise(regions: pdp.Release) -> None:
    assert regions.dp.independence_test("naive").noise == "IGNORED"
    assert "by the p value" in regions.dp.independence_test("naive", "bootstrap", **QUICK).noise


def test_shapes_of_one_table_agree_once_the_noise_is_gone(people: pd.DataFrame) -> None:
    several = [
        people.dp.crosstab("sex", "region", epsilon=10**4),
        people.dp.crosstab("sex", "region", margins=True, epsilon=10**4),
        people.dp.value_counts(subset=["sex", "region"], epsilon=10**4),
        people.dp.groupby(["sex", "region"]).size(epsilon=10**4),
    ]
    found = [each.dp.independence_test(pvalue="asymptotic").statistic for each in several]
    assert found == pytest.approx([found[0]] * 4, rel=1e-6)


def test_margins_are_left_out_of_what_is_expected(people: pd.DataFrame) -> None:
    found = people.dp.crosstab("sex", "region", margins=True, epsilon=1).dp.independence_test(pvalue="asymptotic")
    assert found.expected.shape == (2, 3)
    assert found.df == 2


def test_gaussian_noise_is_taken_into_account(people: pd.DataFrame) -> None:
    found = people.dp.crosstab("sex", "region", rho=0.05).dp.independence_test(**QUICK)
    assert found.noise.startswith("discrete gaussian")


def test_three_keys_and_their_models(people: pd.DataFrame) -> None:
    table = people.dp.crosstab(["sex", "member"], "region", categories={"member": [False, True]}, epsilon=1)
    assert table.dp.independence_test(pvalue="asymptotic").df == 7
    found = table.dp.log_linear_test([("sex", "member"), ("sex", "region"), ("member", "region")], "asymptotic")
    assert found.df == 2
    assert found.hypothesis == "log-linear model sex×member, sex×region, member×region"
    assert table.dp.log_linear_test(["sex", "member", "region"], "asymptotic").df == 7


def test_goodness_of_fit_reads_probabilities_by_name_or_in_order(people: pd.DataFrame) -> None:
    counts = people["region"].dp.value_counts(epsilon=1)
    shares = {"south": 0.3, "north": 0.4, "west": 0.3}
    found = [counts.dp.goodness_of_fit(given, **QUICK) for given in (shares, pd.Series(shares), [0.4, 0.3, 0.3])]
    assert found[0] == found[1] == found[2]
    assert found[0].df == 2


def test_a_single_count_is_tested_exactly(people: pd.DataFrame) -> None:
    old = people[people["age"] > 50]["age"].dp.count(epsilon=1)
    found = old.dp.goodness_of_fit(0.5, total=401)
    assert (found.df, found.procedure[-13:]) == (None, "exact p value")
    visits = people["visits"].dp.count(epsilon=1)  # of a whole frame: the number of rows is public
    assert visits.dp.goodness_of_fit(0.999).pvalue > 0


def test_estimates_have_intervals(people: pd.DataFrame) -> None:
    v = people.dp.crosstab("sex", "region", epsilon=1).dp.cramers_v(0.9, **QUICK)
    assert 0 <= v.lower <= v.estimate <= v.upper <= 1
    assert str(v).startswith("Cramér's V of sex and region = ")
    odds = people.dp.crosstab("sex", "member", categories={"member": [False, True]}, epsilon=1).dp.odds_ratio(**QUICK)
    assert 0 < odds.lower < odds.estimate < odds.upper


def test_conclusions_from_a_table_cost_nothing(session: pdp.Session, regions: pdp.Release) -> None:
    entries = len(session.ledger)
    regions.dp.independence_test(**QUICK)
    regions.dp.cramers_v(**QUICK)
    regions.dp.plot()
    assert len(session.ledger) == entries


REFUSED: list[tuple[Callable[[Any], Any], str]] = [
    (lambda p: p["age"].dp.mean(), "needs one table of counts, and this release holds the mean of 'age'; ask for"),
    (
        lambda p: p.dp.crosstab("sex", "region", values="age", aggfunc="sum"),
        "this release holds the sum of 'age'; ask for crosstab without values=,",
    ),
    (
        lambda p: p.dp.groupby("sex").agg(a=("age", "mean"), b=("age", "count")),
        "this release holds several statistics, or columns; ask for",
    ),
    (lambda p: p["region"].dp.value_counts(), "needs a table of two keys or more"),
    (lambda p: p["age"].dp.count(), "the noise of this table is not public, or there is none"),
    (lambda p: p.dp.crosstab("sex", "region", epsilon=1).dp.round(-1), "the counts were rounded"),
    (lambda p: p.dp.crosstab("sex", "region", epsilon=1).dp.round_to(5), "the counts were rounded"),
    (lambda p: p.dp.crosstab("sex", "region", epsilon=1).dp.nonnegative(), "was adjusted after its release"),
    (
        lambda p: p.dp.marginals([["sex"], ["sex", "region"]], epsilon=1).dp.margin(["sex", "region"]),
        "numbers that were read off several tables share noise",
    ),
    (lambda p: p.dp.marginals([["sex"], ["region"]], epsilon=1), "were not measured one by one"),
    (lambda p: p.dp.crosstab("sex", "region", epsilon=1, mechanism="hellinger"), "depends on the count it hides"),
    (
        lambda p: pdp.combine([p.dp.crosstab("sex", "region", epsilon=1) for _ in range(2)]),
        "combines several releases",
    ),
]


@pytest.mark.parametrize(("ask", "why"), REFUSED, ids=[why for _, why in REFUSED])
def test_what_cannot_be_tested_is_refused(ask: Callable[[Any], Any], why: str, people: pd.DataFrame) -> None:
    with refused(errors.NotConcluded, why):
        ask(people).dp.independence_test()


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"adjusted": ["counts below 5 withheld"]}, "was adjusted after its release"),
    ],
)
def test_a_label_that_tells_of_more_than_noise_is_refused(
    changes: dict[str, Any], why: str, regions: pdp.Release
) -> None:
    regions.attrs["dp"] |= changes
    with refused(errors.NotConcluded, why):
        regions.dp.independence_test()


def test_a_changed_table_is_refused(regions: pdp.Release) -> None:
    regions.iloc[0, 0] += 1
    for conclude in (regions.dp.independence_test, regions.dp.cramers_v, regions.dp.plot):
        with pytest.raises(errors.ChangedRelease):
            conclude()


@pytest.mark.parametrize(
    ("conclude", "why"),
    [
        (lambda t: t.dp.independence_test("fisher"), "likelihood must be 'noisy' or 'naive', not 'fisher'"),
        (
            lambda t: t.dp.independence_test(pvalue="exact"),
            "pvalue must be 'auto', 'bootstrap' or 'asymptotic', not 'exact'",
        ),
        (lambda t: t.dp.independence_test(replicates=3), "replicates must be a whole number from 19 to 100,000, not 3"),
        (lambda t: t.dp.log_linear_test([("sex", "age")]), "margins name what is no key of this table"),
        (lambda t: t.dp.log_linear_test("sex"), "margins must be a list of keys"),
        (
            lambda t: t.dp.goodness_of_fit([0.5, 0.5]),
            "give a probability for each of the 6 cells; those given are fewer",
        ),
        (
            lambda t: t.dp.goodness_of_fit([0.1] * 10),
            "give a probability for each of the 6 cells; those given are more",
        ),
        (lambda t: t.dp.goodness_of_fit("even"), "for each of the 6 cells, as a list of numbers or by name"),
        (lambda t: t.dp.goodness_of_fit([0.5] * 6), "must be positive and add up to 1"),
        (lambda t: t.dp.goodness_of_fit([1 / 6] * 6, total=9), "total= is for a single count"),
        (lambda t: t.dp.cramers_v(seed="x"), "seed must be a whole number from 0, a numpy Generator or None, not 'x'"),
        (lambda t: t.dp.cramers_v(95), "confidence must lie between 0 and 1, not 95"),
        (lambda t: t.dp.plot("pie"), "kind must be 'auto', 'heatmap' or 'bars', not 'pie'"),
    ],
)
def test_wrong_arguments_are_refused(conclude: Callable[[Any], Any], why: str, regions: pdp.Release) -> None:
    with refused(errors.UnsupportedArgument, why):
        conclude(regions)


def test_an_odds_ratio_needs_two_by_two(regions: pdp.Release) -> None:
    with refused(errors.NotConcluded):
        regions.dp.odds_ratio()


def test_a_model_without_freedom_is_refused(regions: pdp.Release) -> None:
    with refused(errors.NotConcluded):
        regions.dp.log_linear_test([("sex", "region")])


# -- pictures


@pytest.fixture(autouse=True)
def _no_figure_stays_open() -> Any:
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


def written(ax: Any) -> list[str]:
    return [text.get_text() for text in ax.texts]


def test_a_table_becomes_a_heat_map_of_its_numbers(regions: pdp.Release) -> None:
    ax = regions.dp.plot()
    np.testing.assert_array_equal(ax.images[0].get_array(), regions.to_numpy())
    assert [label.get_text() for label in ax.get_xticklabels()] == ["north", "south", "west"]
    assert (ax.get_ylabel(), ax.get_xlabel()) == ("sex", "region")
    half = regions.dp.confint().iloc[0, 1] - regions.iloc[0, 0]
    assert written(ax)[0] == f"{regions.iloc[0, 0]}\n±{half:.0f}"
    assert "differentially private: epsilon=1" in written(ax)[-1].replace("\n", " ")


@pytest.mark.parametrize("margins", [True, "planned"])
def test_margins_are_not_drawn(margins: Any, people: pd.DataFrame) -> None:
    ax = people.dp.crosstab("sex", "region", margins=margins, epsilon=1).dp.plot()
    assert ax.images[0].get_array().shape == (2, 3)
    assert "Totals are left out." in written(ax)[-1].replace("\n", " ")


@pytest.mark.parametrize("of", ["all", "index", "columns"])
def test_margins_of_shares_are_not_drawn_either(of: str, people: pd.DataFrame) -> None:
    ax = people.dp.crosstab("sex", "region", margins=True, normalize=of, epsilon=1).dp.plot()
    assert ax.images[0].get_array().shape == (2, 3)


def test_a_histogram_is_drawn_over_its_bins(people: pd.DataFrame) -> None:
    release = people["age"].dp.histogram([0, 20, 50, 120], epsilon=1)
    ax = release.dp.plot()
    assert [(bar.get_x(), bar.get_width()) for bar in ax.patches] == [(0, 20), (20, 30), (50, 70)]
    assert [bar.get_height() for bar in ax.patches] == release["count"].tolist()
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("age", "count")
    assert len(release.dp.plot("bars").get_yticklabels()) == 3


def test_counts_become_bars_and_means_points(people: pd.DataFrame) -> None:
    bars = people["region"].dp.value_counts(epsilon=1).dp.plot()
    assert len(bars.patches) == 3
    means = people.dp.groupby("region")["age"].mean(epsilon=1)
    points = means.dp.plot()
    assert not points.patches
    np.testing.assert_allclose(
        points.lines[-1].get_xdata() if len(points.lines) == 1 else _points(points), means.iloc[:, 0]
    )


def _points(ax: Any) -> Any:
    return next(line.get_xdata() for line in ax.lines if line.get_marker() == "o")


def test_it_draws_where_it_is_told(regions: pdp.Release, tmp_path: Path) -> None:
    import matplotlib.pyplot as plt

    _, ax = plt.subplots()
    assert regions.dp.plot("bars", ax=ax) is ax
    ax.figure.savefig(tmp_path / "bars.png")


def test_several_statistics_are_not_drawn(people: pd.DataFrame) -> None:
    with refused(errors.NotConcluded):
        people["age"].dp.describe().dp.plot()


def test_without_matplotlib_the_error_says_what_to_install(
    regions: pdp.Release, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with refused(errors.MissingExtra):
        regions.dp.plot()


def test_importing_the_package_leaves_matplotlib_alone() -> None:
    import subprocess

    code = "import sys, pandas_dp; sys.exit('matplotlib' in sys.modules or 'tqdm' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("model", ["idp", "bdp"])
def test_counts_whose_noise_is_private_say_so(model: str) -> None:
    session = pdp.Session(epsilon=10, models=[model])
    frame = session.protect(pd.DataFrame({"a": ["x", "y"] * 50, "b": ["u", "u", "v", "v"] * 25}))
    table = frame.dp.crosstab("a", "b", model=model, categories={"a": ["x", "y"], "b": ["u", "v"]}, epsilon=1)
    with refused(errors.NotConcluded, "was scaled by the data, and is private"):
        table.dp.independence_test()
    with refused(errors.NotConcluded, "its noise is private"):
        table.dp.nonnegative()


TABLES = [["sex"], ["sex", "region"], []]


@pytest.mark.parametrize("how", [{}, {"values": "age", "aggfunc": "mean"}, {"values": "age"}], ids=str)
def test_of_tables_below_each_other_the_finest_is_drawn(how: Any, people: pd.DataFrame) -> None:
    release = people.dp.marginals(TABLES, epsilon=1, **how)
    for each in (release, release.dp.nonnegative()) if not how else (release,):
        ax = each.dp.plot()
        assert [label.get_text() for label in ax.get_yticklabels()][:4] == [
            "f, north",
            "f, south",
            "f, west",
            "m, north",
        ]
        assert len(ax.get_yticklabels()) == 6
        drawn = [bar.get_width() for bar in ax.patches] or _points(ax)
        np.testing.assert_allclose(drawn, each.iloc[2:8, 0])
        assert "Totals are left out." in written(ax)[-1].replace("\n", " ")


def test_levels_are_left_out_of_a_picture(people: pd.DataFrame) -> None:
    coasts = {"region": {"coast": {"north": "wet", "south": "dry", "west": "wet"}}}
    ax = people.dp.marginals([["coast"], ["region"]], hierarchies=coasts, epsilon=1).dp.plot()
    assert [label.get_text() for label in ax.get_yticklabels()] == ["north", "south", "west"]


def test_planned_means_are_drawn_without_their_margins(people: pd.DataFrame) -> None:
    table = people.dp.crosstab("sex", "region", values="age", aggfunc="mean", margins="planned", epsilon=1)
    assert table.dp.plot().images[0].get_array().shape == (2, 3)


def test_tables_of_which_none_holds_the_others_are_not_drawn_together(people: pd.DataFrame) -> None:
    release = people.dp.marginals([["sex"], ["region"]], epsilon=1)
    with refused(errors.NotConcluded):
        release.dp.plot()
    assert len(release.dp.margin(["region"]).dp.plot().get_yticklabels()) == 3
