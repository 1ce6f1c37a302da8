"""Releases that pandas sorted, selected, turned or renamed: what holds of their cells still holds."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp import errors
from pandas_dp.audit import seeded_noise
from tests.refusals import refused

KEYS = {"sex": ["f", "m"], "work": ["full", "none", "part"]}
RANGES = {"age": (0, 100), "pay": (0, 50)}


@pytest.fixture(scope="module")
def people() -> pd.DataFrame:
    r = np.random.default_rng(2)
    rows = {
        "age": r.integers(18, 90, 900).astype(float),
        "pay": r.gamma(2, 5, 900),
        "sex": r.choice(KEYS["sex"], 900),
        "work": r.choice(KEYS["work"], 900),
    }
    return pdp.Session(epsilon=10**6).protect(pd.DataFrame(rows))


@pytest.fixture
def crosstab(people: pd.DataFrame) -> pdp.Release:
    with seeded_noise(1):
        return people.dp.crosstab("sex", "work", epsilon=1, categories=KEYS, margins=True)


@pytest.fixture
def means(people: pd.DataFrame) -> pdp.Release:
    with seeded_noise(1):
        return people.dp.groupby("work", categories={"work": KEYS["work"]})["age"].mean(epsilon=5, bounds=(0, 100))


@pytest.fixture
def several(people: pd.DataFrame) -> pdp.Release:
    grouped = people.dp.groupby("work", categories={"work": KEYS["work"]})[["age", "pay"]]
    with seeded_noise(1):
        return grouped.agg(["mean", "std"], epsilon=20, bounds=RANGES)


STAYS: dict[str, Callable[[Any], Any]] = {
    "sorted": lambda t: t.sort_values(t.columns[0], ascending=False),
    "by labels": lambda t: t.sort_index(ascending=False),
    "loc": lambda t: t.loc[[t.index[-1], t.index[0]]],
    "iloc": lambda t: t.iloc[1:],
    "masked": lambda t: t[t[t.columns[0]] >= t[t.columns[0]].median()],
    "columns": lambda t: t[[t.columns[-1], t.columns[0]]],
    "reindexed": lambda t: t.reindex(t.index[::-1]),
    "dropped": lambda t: t.drop(t.index[0]),
    "largest": lambda t: t.nlargest(1, [t.columns[0]]),
    "head": lambda t: t.head(1),
    "copied": lambda t: t.copy(),
    "twice": lambda t: t.iloc[::-1].iloc[:2],
}
CHANGES: dict[str, Callable[[Any], Any]] = {
    "scaled": lambda t: t / 1000,
    "rounded by pandas": lambda t: t.round(-1) + 0.5,
    "summed": lambda t: t.sum().to_frame(),
    "a column more": lambda t: t.assign(more=1),
    "without labels": lambda t: t.reset_index(drop=True),
    "a row twice": lambda t: t.iloc[[0, 0]],
    "empty": lambda t: t.iloc[:0],
    "filled up": lambda t: t.reindex([*t.index, "other"]),
    "joined": lambda t: pd.concat([t, t]),
    "described": lambda t: t.describe(),
}


@pytest.mark.parametrize("act", STAYS)
@pytest.mark.parametrize("kind", ["crosstab", "means", "several"])
def test_cells_that_moved_keep_their_intervals_and_their_guarantee(
    act: str, kind: str, request: pytest.FixtureRequest
) -> None:
    release = request.getfixturevalue(kind)
    table, ends = STAYS[act](release), release.dp.confint(0.9)
    assert type(table) is pdp.Release
    assert table.dp.guarantee == release.dp.guarantee
    found = table.dp.confint(0.9)
    assert found.index.equals(table.index)
    for row in table.index:
        for column in found.columns:
            assert found.loc[row, column] == ends.loc[row, column]
    assert repr(table).splitlines()[-1] == release.dp.guarantee
    assert release.dp.guarantee in table._repr_html_()


@pytest.mark.parametrize("act", CHANGES)
@pytest.mark.parametrize("kind", ["crosstab", "means"])
def test_anything_else_is_a_plain_table_that_concludes_nothing(
    act: str, kind: str, request: pytest.FixtureRequest
) -> None:
    table = CHANGES[act](request.getfixturevalue(kind))
    assert not isinstance(table, pdp.Release)
    with pytest.raises((pdp.PrivacyError, AttributeError)):
        table.dp.confint()


def test_a_number_that_was_changed_in_place_is_found_out_after_sorting(crosstab: pdp.Release) -> None:
    crosstab.iloc[0, 0] += 1
    assert type(crosstab.sort_values("full")) is pd.DataFrame
    table = pdp.Release(pd.DataFrame())
    assert type(table.T) is pd.DataFrame  # one without a label


def test_a_turned_table_has_the_intervals_of_its_cells(crosstab: pdp.Release) -> None:
    ends, turned = crosstab.dp.confint(), crosstab.T
    assert type(turned) is pdp.Release
    for sex in crosstab.index:
        for work in crosstab.columns:
            for end in ("lower", "upper"):
                assert turned.dp.confint().loc[work, (sex, end)] == ends.loc[sex, (work, end)]
    assert turned.T.dp.confint().equals(ends)
    assert turned.T.dp.metadata["selected"] is None
    assert "[" in turned._repr_html_()


def test_a_turned_list_of_means_turns_its_intervals(means: pdp.Release) -> None:
    assert means.T.dp.confint().equals(means.dp.confint().T)
    first, last = means.T.sort_index(axis=1).columns[[0, -1]]
    assert repr(means.T).splitlines()[1].split()[1] == repr(means).splitlines()[2].split()[1]
    with refused(errors.NotConcluded):
        means.T.dp.contrast(first, last)


def test_contrasts_and_tests_are_those_of_the_same_cells(crosstab: pdp.Release, means: pdp.Release) -> None:
    turned = crosstab.T.loc[["part", "full"]]
    one, other = turned.dp.contrast(("part", "f"), ("full", "m")), crosstab.dp.contrast(("f", "part"), ("m", "full"))
    assert one.iloc[0].tolist() == other.iloc[0].tolist()
    some = means.sort_values("mean").iloc[:2]
    a, b = some.index
    assert some.dp.contrast(a, b).equals(means.dp.contrast(a, b))
    assert some.dp.test(50).loc[a].tolist() == means.dp.test(50).loc[a].tolist()


def test_a_part_is_drawn_as_it_stands_and_without_totals(crosstab: pdp.Release, means: pdp.Release) -> None:
    ordered = means.sort_values("mean")
    assert [each.get_text() for each in ordered.dp.plot().get_yticklabels()] == [*ordered.index]
    axes = crosstab.T.iloc[::-1].dp.plot("heatmap")
    assert [each.get_text() for each in axes.get_yticklabels()] == ["part", "none", "full"]
    assert [each.get_text() for each in axes.get_xticklabels()] == ["f", "m"]


def test_what_needs_the_whole_table_says_so(crosstab: pdp.Release) -> None:
    part = crosstab.loc[["f"]]
    assert part.dp.check().empty
    assert "independence_test" not in dir(part.dp)
    for conclude in (part.dp.independence_test, part.dp.nonnegative, part.dp.shares, part.dp.round):
        with refused(errors.NotConcluded):
            conclude()


def test_a_part_survives_parquet_and_goes_to_excel(crosstab: pdp.Release, tmp_path: Path) -> None:
    part = crosstab.T.sort_values("f")
    part.to_parquet(tmp_path / "part.parquet")
    again = pd.read_parquet(tmp_path / "part.parquet")
    assert again.dp.confint().equals(part.dp.confint())
    part.dp.to_excel(tmp_path / "part.xlsx")
    assert pd.read_excel(tmp_path / "part.xlsx", header=None).iloc[-1, 0] == crosstab.dp.guarantee


def test_dates_that_moved_keep_their_intervals() -> None:
    rows = {"day": pd.date_range("2024-01-01", periods=400, tz="Europe/Berlin"), "k": ["a", "b"] * 200}
    people = pdp.Session(epsilon=10**6).protect(pd.DataFrame(rows))
    ends = (pd.Timestamp("2024-01-01", tz="Europe/Berlin"), pd.Timestamp("2026-01-01", tz="Europe/Berlin"))
    grouped = people.dp.groupby("k", categories={"k": ["b", "a"]})["day"].mean(epsilon=5, bounds=ends)
    moved = grouped.sort_index()
    assert moved.dp.confint().loc["a"].tolist() == grouped.dp.confint().loc["a"].tolist()
    assert moved.dp.confint().iloc[0, 0].tzinfo is not None


NAMES = {"f": "women", "m": "men", "sex": "Sex", "none": "no work"}


def test_relabelled_tables_conclude_all_that_they_concluded(crosstab: pdp.Release) -> None:
    table = crosstab.dp.relabel(NAMES)
    assert (table.index.tolist(), table.index.name) == (["women", "men", "All"], "Sex")
    assert table.columns.tolist() == ["full", "no work", "part", "All"]
    assert table.dp.metadata["relabelled"] == NAMES
    assert table.dp.guarantee == crosstab.dp.guarantee
    assert np.array_equal(table.dp.confint(), crosstab.dp.confint())
    assert (
        table.dp.independence_test(likelihood="naive").pvalue
        == crosstab.dp.independence_test(likelihood="naive").pvalue
    )
    assert table.dp.nonnegative().index.tolist() == ["women", "men", "All"]
    assert np.array_equal(table.dp.contrast("women", "men"), crosstab.dp.contrast("f", "m"))


def test_pandas_renames_as_relabel_does(crosstab: pdp.Release) -> None:
    by_pandas = crosstab.rename(index={"f": "women", "m": "men"}, columns={"none": "no work"}).rename_axis("Sex")
    assert by_pandas.equals(crosstab.dp.relabel(NAMES))
    assert by_pandas.dp.metadata["relabelled"] == NAMES
    assert crosstab.set_axis(["a", "b", "c"]).dp.metadata["relabelled"] == {"f": "a", "m": "b", "All": "c"}


def test_names_of_names_lead_back_to_what_was_released(crosstab: pdp.Release) -> None:
    table = crosstab.dp.relabel({"f": "women"}).sort_index().dp.relabel({"women": "Frauen", "m": "Männer"})
    assert table.dp.metadata["relabelled"] == {"f": "Frauen", "m": "Männer"}
    back = table.dp.relabel({"Frauen": "f", "Männer": "m"})
    assert back.dp.metadata["relabelled"] is None
    assert back.loc[["f"]].dp.confint().equals(crosstab.loc[["f"]].dp.confint())


def test_exchanged_labels_are_no_reordering(crosstab: pdp.Release) -> None:
    exchanged = crosstab.rename(index={"f": "m", "m": "f"})
    assert exchanged.dp.metadata["relabelled"] == {"f": "m", "m": "f"}
    assert exchanged.dp.confint().loc["m"].tolist() == crosstab.dp.confint().loc["f"].tolist()


def test_bins_are_relabelled_by_their_text(people: pd.DataFrame) -> None:
    bins = people["age"].dp.histogram(2, bounds=(0, 100), epsilon=1)
    table = bins.dp.relabel({"[0.0, 50.0)": "under 50", "[50.0, 100.0)": "50 and over"})
    assert table.index.tolist() == ["under 50", "50 and over"]
    assert np.array_equal(table.dp.confint(), bins.dp.confint())


def test_labels_that_are_not_there_or_collide_are_refused(crosstab: pdp.Release) -> None:
    for case, labels in {"unknown": {"x": "y"}, "collision": {"f": "m"}, "no mapping": ["f"]}.items():
        with refused(errors.UnsupportedArgument, case):
            crosstab.dp.relabel(labels)


def test_margins_go_by_the_labels_that_were_declared(people: pd.DataFrame) -> None:
    tables = people.dp.marginals([["sex", "work"]], epsilon=1, categories=KEYS)
    with refused(errors.NotConcluded):
        tables.dp.relabel({"f": "women"}).dp.margin(["sex"])
