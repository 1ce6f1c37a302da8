"""Contract 3: without noise an answer is pandas' own, on clamped values and in pandas' shape."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp.audit import zero_noise

from ..cuts import all_of
from .questions import NUMBERS, normal, open_session

RANGES = {"x": (0, 20), "y": (-1, 1.5), "z": (0, 8), "odd": (-2, 3)}
CATEGORIES = {"k": ["a", "b", "c"], "j": [1, 2]}
CLOSE = 1e-12
SURE = 10**6  # the least and the greatest aim inside the data, by what the noise could do


@pytest.fixture(params=["whole", "derived", "add_remove"])
def asked(request: pytest.FixtureRequest) -> Iterator[tuple[pd.DataFrame, pd.DataFrame]]:
    """A protected frame with values out of bounds, gaps and unknown categories; and what it says when clamped."""
    terms = {"neighbours": "add_remove"} if request.param == "add_remove" else {}
    session = open_session(**terms, epsilon=10**12, delta=1e-6)
    raw = dirty()
    protected = session.protect(raw)
    with zero_noise():
        yield (all_of(protected) if request.param == "derived" else protected), clamped(raw)
    session.close()


def dirty(rows: int = 60) -> pd.DataFrame:
    data = normal(rows, seed=11)
    data.loc[0, "x"], data.loc[1, "x"] = -5, 99
    data.loc[2, "z"], data.loc[3, "z"] = -np.inf, np.inf
    data.loc[4:6, "y"] = np.nan
    data.loc[7, "y"], data.loc[8, "y"] = 40.0, -40.0
    data.loc[9, "k"], data.loc[10, "k"], data.loc[11, "j"] = "unknown", None, 7
    data.loc[12, "text"] = None
    return data


def clamped(raw: pd.DataFrame) -> pd.DataFrame:
    clean = raw.assign(**{name: raw[name].clip(*RANGES[name]) for name in NUMBERS})
    for key, values in CATEGORIES.items():
        clean[key] = pd.Categorical(clean[key].where(clean[key].isin(values)), categories=values)
    return clean


def plain(release: pd.DataFrame) -> pd.DataFrame:
    assert release.attrs["dp"]["insecure"] is True
    return pd.DataFrame(release).copy()


SCALARS = ["count", "sum", "mean", "var", "std", "min", "max", "nunique"]


@pytest.mark.parametrize("column", NUMBERS)
@pytest.mark.parametrize("statistic", SCALARS)
def test_a_statistic_of_a_column(statistic: str, column: str, asked: Any) -> None:
    frame, clean = asked
    found = plain(getattr(frame[column].dp, statistic)(epsilon=SURE))
    assert found.index.tolist() == [column]
    assert found.columns[0] == statistic
    assert found[statistic].item() == pytest.approx(getattr(clean[column], statistic)(), rel=CLOSE, abs=CLOSE)
    if statistic in ("count", "nunique") or (statistic == "sum" and column in ("x", "odd")):
        assert found[statistic].dtype == np.int64
    if statistic == "mean":
        error = clean[column].sem()
        assert found["std_error"].item() == pytest.approx(error, rel=1e-9)
        assert found["lower"].item() < clean[column].mean() < found["upper"].item()


@pytest.mark.parametrize("ddof", [0, 1])
@pytest.mark.parametrize("statistic", ["var", "std"])
def test_degrees_of_freedom(statistic: str, ddof: int, asked: Any) -> None:
    frame, clean = asked
    found = getattr(frame["z"].dp, statistic)(ddof=ddof, epsilon=SURE)[statistic].item()
    assert found == pytest.approx(getattr(clean["z"], statistic)(ddof=ddof), rel=CLOSE)


@pytest.mark.parametrize("q", [0, 0.1, 0.25, 0.5, 0.77, 0.9, 1])
@pytest.mark.parametrize("column", NUMBERS)
def test_a_quantile_lies_between_those_of_pandas(column: str, q: float, asked: Any) -> None:
    """The best utility is at the inverse of the distribution function, which numpy brackets by these two methods."""
    frame, clean = asked
    found = frame[column].dp.quantile(q, epsilon=SURE)["quantile"].item()
    values = clean[column].dropna().to_numpy()
    low, high = np.quantile(values, q, method="inverted_cdf"), np.quantile(values, q, method="averaged_inverted_cdf")
    grid_low, grid_high = RANGES[column]
    if q == 0:
        assert grid_low <= found <= values.min()
    elif q == 1:
        assert values.max() <= found <= grid_high
    else:
        assert low <= found <= max(high, low)
    bracket = (np.quantile(values, q, method="lower"), np.quantile(values, q, method="higher"))
    if 0 < q < 1:
        ranks = (values <= found).mean(), (values < found).mean()
        assert ranks[1] <= q <= ranks[0] or bracket[0] <= found <= bracket[1]


@pytest.mark.parametrize("column", NUMBERS)
def test_the_median_is_pandas_where_the_number_of_rows_is_odd(column: str, asked: Any) -> None:
    frame, clean = asked
    odd = frame[frame["z"] != clean["z"].iloc[20]]
    values = clean[column][clean["z"] != clean["z"].iloc[20]]
    if values.notna().sum() % 2:
        assert odd[column].dp.median(epsilon=SURE)["median"].item() == values.median()
    else:
        assert values.quantile(0.5, "lower") <= odd[column].dp.median(epsilon=SURE)["median"].item() <= values.median()


def test_the_distance_of_the_quartiles(asked: Any) -> None:
    frame, clean = asked
    q1, q3 = (np.quantile(clean["x"], q, method="inverted_cdf") for q in (0.25, 0.75))
    assert frame["x"].dp.iqr(epsilon=SURE)["iqr"].item() == q3 - q1


def test_several_quantiles_have_the_index_that_pandas_gives(asked: Any) -> None:
    frame, clean = asked
    found = plain(frame["x"].dp.quantile([0.25, 0.5], epsilon=SURE))
    assert found.index.equals(clean["x"].quantile([0.25, 0.5]).index)
    table = plain(frame[NUMBERS].dp.quantile([0.25, 0.5], epsilon=SURE))
    theirs = clean[NUMBERS].quantile([0.25, 0.5])
    assert table.index.equals(theirs.index)
    assert table.columns.equals(theirs.columns)


def test_a_histogram_is_numpys(asked: Any) -> None:
    frame, clean = asked
    for column, bins in (("x", 4), ("x", [0, 5, 6.5, 20]), ("z", 16), ("y", [-1, 0, 0.5, 1.5])):
        found = plain(frame[column].dp.histogram(bins, epsilon=SURE))
        counts, edges = np.histogram(clean[column].dropna(), bins=bins, range=RANGES[column])
        assert found["count"].tolist() == counts.tolist()
        assert [each.left for each in found.index] == edges[:-1].tolist()
        assert [each.right for each in found.index] == edges[1:].tolist()


@pytest.mark.parametrize("column", ["k", "j"])
def test_value_counts_are_pandas_in_declared_order(column: str, asked: Any) -> None:
    frame, clean = asked
    theirs = clean[column].value_counts(sort=False)
    found = plain(frame[column].dp.value_counts(epsilon=SURE))
    assert found["count"].tolist() == theirs.tolist()
    assert found.index.tolist() == CATEGORIES[column]
    assert found.index.name == theirs.index.name
    other = plain(frame[column].dp.value_counts(epsilon=1, other=True))
    assert other["count"].tolist() == [*theirs.tolist(), clean[column].isna().sum()]


def test_counts_of_combinations(asked: Any) -> None:
    frame, clean = asked
    theirs = clean.groupby(["k", "j"], observed=False).size()
    found = plain(frame.dp.value_counts(subset=["k", "j"], epsilon=SURE))
    assert found["count"].tolist() == theirs.tolist()
    assert found.index.tolist() == theirs.index.tolist()
    assert found.index.names == theirs.index.names


def test_the_number_of_values_of_text_and_keys(asked: Any) -> None:
    frame, clean = asked
    assert frame["text"].dp.count(epsilon=SURE)["count"].item() == clean["text"].count()
    assert frame["k"].dp.nunique(epsilon=SURE)["nunique"].item() == clean["k"].nunique()


@pytest.mark.parametrize("statistic", ["count", "sum", "mean", "var", "std", "nunique"])
def test_a_statistic_of_every_column_has_a_row_for_each(statistic: str, asked: Any) -> None:
    frame, clean = asked
    found = plain(getattr(frame[NUMBERS].dp, statistic)(epsilon=SURE))
    theirs = getattr(clean[NUMBERS], statistic)()
    assert found.index.equals(theirs.index)
    np.testing.assert_allclose(found[statistic].astype(float), theirs.astype(float), rtol=CLOSE, atol=CLOSE)


@pytest.mark.parametrize("columns", [["x"], ["x", "y", "odd"]])
def test_describe(columns: list[str], asked: Any) -> None:
    frame, clean = asked
    theirs = clean[columns].describe()
    found = plain(frame[columns].dp.describe(epsilon=SURE))
    assert found.index.tolist() == theirs.index.tolist()
    assert found.columns.tolist() == columns
    for line in ("count", "mean", "std", "min", "max"):
        np.testing.assert_allclose(found.loc[line], theirs.loc[line], rtol=CLOSE)
    for line, q in (("25%", 0.25), ("50%", 0.5), ("75%", 0.75)):
        for column in columns:
            values = clean[column].dropna().to_numpy()
            low = np.quantile(values, q, method="inverted_cdf")
            assert low <= found.loc[line, column] <= np.quantile(values, q, method="higher")
    series = plain(frame["x"].dp.describe(epsilon=SURE))
    assert series.index.tolist() == theirs.index.tolist()
    assert series.columns.tolist() == ["x"]


def test_agg_names_what_it_shows(asked: Any) -> None:
    frame, clean = asked
    found = plain(frame["x"].dp.agg(["mean", "sum", "count", "std"], epsilon=SURE))
    theirs = clean["x"].agg(["mean", "sum", "count", "std"])
    assert found.index.equals(theirs.index)
    np.testing.assert_allclose(found["estimate"].astype(float), theirs, rtol=CLOSE)


@pytest.mark.parametrize("statistic", ["cov", "corr"])
@pytest.mark.parametrize("columns", [["x", "z"], ["x", "y", "odd"]])
def test_tables_of_pairs_over_complete_rows(columns: list[str], statistic: str, asked: Any) -> None:
    frame, clean = asked
    theirs = getattr(clean[columns].dropna().astype(float), statistic)()
    found = plain(getattr(frame[columns].dp, statistic)(epsilon=SURE))
    pd.testing.assert_frame_equal(found, theirs, rtol=1e-9)


def test_crosstabs(asked: Any) -> None:
    frame, clean = asked
    theirs = pd.crosstab(clean["k"], clean["j"], dropna=False).loc[CATEGORIES["k"], CATEGORIES["j"]]
    found = plain(frame.dp.crosstab("k", "j", epsilon=SURE))
    same_table(found, theirs)
    margins = plain(frame.dp.crosstab("k", "j", margins=True, epsilon=SURE))
    assert margins.iloc[:-1, :-1].to_numpy().tolist() == theirs.to_numpy().tolist()
    assert margins["All"].tolist() == [*theirs.sum(axis=1), theirs.to_numpy().sum()]
    assert margins.loc["All"].tolist() == [*theirs.sum(axis=0), theirs.to_numpy().sum()]
    assert margins.index.tolist() == [*CATEGORIES["k"], "All"]


@pytest.mark.parametrize("aggfunc", ["sum", "mean", "count", "var", "std"])
@pytest.mark.parametrize("values", ["x", "y"])
def test_pivot_tables(values: str, aggfunc: str, asked: Any) -> None:
    frame, clean = asked
    theirs = clean.pivot_table(values, "k", "j", aggfunc=aggfunc, observed=False)
    same_table(plain(frame.dp.pivot_table(values, "k", "j", aggfunc=aggfunc, epsilon=SURE)), theirs)
    same_table(plain(frame.dp.crosstab("k", "j", values=values, aggfunc=aggfunc, epsilon=SURE)), theirs)


def same_table(found: pd.DataFrame, theirs: pd.DataFrame) -> None:
    assert found.index.tolist() == theirs.index.tolist()
    assert found.columns.tolist() == theirs.columns.tolist()
    assert found.index.name == theirs.index.name
    assert found.columns.name == theirs.columns.name
    np.testing.assert_allclose(found.astype(float), theirs.astype(float), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("keys", ["k", ["k", "j"]])
@pytest.mark.parametrize("statistic", ["count", "sum", "mean", "var", "std", "sem", "nunique"])
def test_groupby_has_the_index_of_pandas_over_all_declared_cells(statistic: str, keys: Any, asked: Any) -> None:
    frame, clean = asked
    columns = ["x", "y"]
    theirs = getattr(clean.groupby(keys, observed=False)[columns], statistic)()
    found = plain(getattr(frame.dp.groupby(keys)[columns], statistic)(epsilon=SURE))
    assert found.index.tolist() == theirs.index.tolist()
    assert found.index.names == theirs.index.names
    if isinstance(found.columns, pd.MultiIndex):
        assert {measure for _, measure in found.columns} == {statistic, "std_error", "lower", "upper"}
        found = found.xs(statistic, axis=1, level=-1)
    assert found.columns.tolist() == columns
    few = clean.groupby(keys, observed=False)[columns].count() > 1
    numbers = found.astype(float).where(few)
    np.testing.assert_allclose(numbers, theirs.astype(float).where(few), rtol=1e-9, atol=1e-9)


def test_groupby_size_and_one_column(asked: Any) -> None:
    frame, clean = asked
    groups = clean.groupby("k", observed=False)
    assert plain(frame.dp.groupby("k").size(epsilon=SURE))["size"].tolist() == groups.size().tolist()
    means = plain(frame.dp.groupby("k")["x"].mean(epsilon=SURE))
    assert means.columns.tolist() == ["mean", "std_error", "lower", "upper"]
    np.testing.assert_allclose(means["mean"], groups["x"].mean(), rtol=CLOSE)
    np.testing.assert_allclose(means["std_error"], groups["x"].sem(), rtol=1e-9)


def test_groupby_median_and_quantile(asked: Any) -> None:
    frame, clean = asked
    groups = clean.groupby("k", observed=False)["x"]
    for q, found in (
        (0.5, frame.dp.groupby("k")["x"].median(epsilon=SURE)),
        (0.3, frame.dp.groupby("k")["x"].quantile(0.3, epsilon=SURE)),
    ):
        for cell, values in groups:
            ours = found.loc[cell].iloc[0]
            assert (values < ours).mean() <= q <= (values <= ours).mean()


def test_groupby_agg_with_names(asked: Any) -> None:
    frame, clean = asked
    theirs = clean.groupby("k", observed=False).agg(total=("x", "sum"), m=("z", "mean"))
    found = plain(frame.dp.groupby("k").agg(total=("x", "sum"), m=("z", "mean"), epsilon=SURE))
    assert found.columns[0] == ("total", "sum")
    np.testing.assert_allclose(found["total"]["sum"], theirs["total"])
    np.testing.assert_allclose(found["m"]["mean"], theirs["m"], rtol=CLOSE)


def test_times(asked: Any) -> None:
    frame, clean = asked
    mean = frame["when"].dp.mean(epsilon=SURE)["mean"].item()
    assert abs(pd.Timestamp(mean) - clean["when"].mean()) < pd.Timedelta("1s")
    total = frame["wait"].dp.sum(epsilon=SURE)["sum"].item()
    assert pd.Timedelta(total) == clean["wait"].sum()
    top = frame["when"].dp.quantile(0.5, epsilon=SURE).iloc[0, 0]
    assert pd.Timestamp(top) in set(clean["when"])


def test_wide_whole_numbers_stay_exact_to_their_step(asked: Any) -> None:
    frame, clean = asked
    found = frame["huge"].dp.sum(epsilon=SURE)["sum"].item()
    exact = sum(map(int, clean["huge"]))
    step = 2 ** (62 - 46)
    assert abs(min(max(exact, -(2**63) + 1), 2**63 - 1) - found) <= step * len(clean)


def test_a_public_count_is_exact_with_noise_too() -> None:
    session: pdp.Session = open_session()
    frame = session.protect(normal())
    assert frame["x"].dp.count()["count"].item() == len(frame)
    assert session.share_used == 0
    session.close()
