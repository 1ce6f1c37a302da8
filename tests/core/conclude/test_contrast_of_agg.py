"""Differences of means that were released beside other statistics, and in tables whose margins are planned together."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pandera.pandas as pa
import pytest

import pandas_dp as pdp
from pandas_dp import errors
from tests.refusals import refused

ROWS = 3_000


class People(pa.DataFrameModel):
    sex: str = pa.Field(isin=["f", "m"])
    region: str = pa.Field(isin=["n", "s"])
    income: float = pa.Field(ge=0, le=100)


@pytest.fixture(scope="module")
def rows() -> pd.DataFrame:
    r = np.random.default_rng(3)
    sex, region = r.choice(["f", "m"], ROWS), r.choice(["n", "s"], ROWS)
    return pd.DataFrame({"sex": sex, "region": region, "income": r.uniform(0, 60, ROWS) + 30 * (sex == "m")})


@pytest.fixture(scope="module")
def people(rows: pd.DataFrame) -> pdp.ProtectedFrame:
    return pdp.Session(epsilon=1e9, schema=People).protect(rows)


@pytest.fixture(scope="module")
def beside_counts(people: pdp.ProtectedFrame) -> pdp.Release:
    return people.dp.groupby("sex").agg({"income": ["mean", "count"]}, epsilon=1e4)


def test_rows_of_agg_are_contrasted_statistic_by_statistic(beside_counts: pdp.Release, rows: pd.DataFrame) -> None:
    found = beside_counts.dp.contrast("f", "m")
    assert found.index.tolist() == [("income", "mean"), ("income", "count")]
    means = rows.groupby("sex")["income"].mean()
    assert found["estimate"].iloc[0] == pytest.approx(means["f"] - means["m"], abs=0.01)
    errors_of_each = rows.groupby("sex")["income"].sem()
    assert found["std_error"].iloc[0] == pytest.approx(np.hypot(*errors_of_each), rel=1e-3)


@pytest.mark.parametrize("written", ["in all", "row and column"])
def test_a_cell_of_agg_is_named_by_its_labels(beside_counts: pdp.Release, written: str) -> None:
    """As one tuple, or as pandas names it in `loc`: the label of the row, and that of the column."""
    cells = [(sex, "income", "mean") if written == "in all" else (sex, ("income", "mean")) for sex in ("f", "m")]
    one, all_of_them = beside_counts.dp.contrast(*cells), beside_counts.dp.contrast("f", "m")
    assert one.iloc[0].tolist() == all_of_them.iloc[0].tolist()


def test_a_cell_is_named_by_several_keys_and_its_column(people: pdp.ProtectedFrame) -> None:
    table = people.dp.groupby(["sex", "region"]).agg({"income": ["mean", "count"]}, epsilon=1e4)
    cells = [((sex, "n"), ("income", "mean")) for sex in ("f", "m")]
    assert table.dp.contrast(*cells).iloc[0].tolist() == table.dp.contrast(("f", "n"), ("m", "n")).iloc[0].tolist()


def test_numbers_without_intervals_take_none_from_those_beside_them(people: pdp.ProtectedFrame) -> None:
    """The least and greatest values of `describe` have none; means and counts, which have, are contrasted."""
    summary = people.dp.groupby("sex")["income"].describe(epsilon=1e4)
    found = summary.dp.contrast("f", "m").droplevel(0)
    assert found["lower"].isna().tolist() == [line in ("min", "max") for line in found.index]
    assert found.loc["min", "estimate"] == summary.iloc[0]["income", "min"] - summary.iloc[1]["income", "min"]
    assert found.loc["mean", "upper"] < 0
    ratios = summary.dp.contrast("f", "m", kind="ratio").droplevel(0)
    assert ratios.loc["max", "estimate"] == summary.iloc[0]["income", "max"] / summary.iloc[1]["income", "max"]


def test_where_none_has_an_interval_nothing_is_contrasted(people: pdp.ProtectedFrame) -> None:
    with refused(errors.NotConcluded):
        people.dp.groupby("sex")["income"].max(epsilon=1e4).dp.contrast("f", "m")


@pytest.mark.parametrize("asked", ["marginals", "crosstab"])
def test_means_of_planned_tables_are_contrasted(people: pdp.ProtectedFrame, rows: pd.DataFrame, asked: str) -> None:
    if asked == "marginals":
        tables = people.dp.marginals([["sex"], ["sex", "region"]], values="income", aggfunc="mean", epsilon=1e4)
        found = tables.dp.contrast(("f", "All"), ("m", "All"))
    else:
        table = people.dp.crosstab("sex", "region", values="income", aggfunc="mean", margins="planned", epsilon=1e4)
        found = table.dp.contrast(("f", "All"), ("m", "All"))
    means = rows.groupby("sex")["income"].mean()
    assert found["estimate"].item() == pytest.approx(means["f"] - means["m"], abs=0.01)
    assert found["lower"].item() < means["f"] - means["m"] < found["upper"].item() < 0


def test_a_count_in_planned_tables_is_contrasted_beside_its_mean(people: pdp.ProtectedFrame) -> None:
    tables = people.dp.marginals([["sex"], ["region"]], values=["income"], aggfunc=["count", "mean"], epsilon=1e4)
    rows = tables.dp.contrast(("f", "All"), ("m", "All"))
    cell = tables.dp.contrast((("f", "All"), ("income", "mean")), (("m", "All"), ("income", "mean")))
    assert cell.iloc[0].tolist() == rows.loc[("income", "mean")].tolist()
