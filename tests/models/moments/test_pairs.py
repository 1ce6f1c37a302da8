"""Covariances and correlations of groups, and of a column with another."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pandera.pandas as pa
import pytest

import pandas_dp as pdp
from pandas_dp import errors
from tests.refusals import refused

from .people import SCHEMA, SURE, people, protected

PAIR = ["wage", "school"]


@pytest.mark.parametrize("statistic", ["cov", "corr"])
def test_groups_have_those_of_pandas(statistic: str) -> None:
    data = people()
    found = getattr(protected(data).dp.groupby("sex")[PAIR], statistic)(rho=SURE)
    expected = getattr(data.groupby("sex")[PAIR], statistic)()
    np.testing.assert_allclose(found, expected, atol=1e-3)
    assert found.index.tolist() == expected.index.tolist()


def test_groups_together_cost_as_much_as_all_rows() -> None:
    frame = protected(people(), rho=100, neighbours="add_remove")
    grouped = frame.dp.groupby("sex")[PAIR].corr(rho=1)
    whole = frame[PAIR].dp.corr(rho=1)
    assert grouped.dp.metadata["rho"] == whole.dp.metadata["rho"]
    noise = [each.attrs["dp"]["evidence"][0]["gram"]["runs"] for each in (grouped, whole)]
    assert noise[0] == noise[1]


@pytest.mark.parametrize("statistic", ["cov", "corr"])
def test_a_column_has_one_with_another(statistic: str) -> None:
    data = people()
    frame = protected(data)
    found = getattr(frame["wage"].dp, statistic)(frame["bonus"], rho=SURE)
    assert found.index.tolist() == ["wage and bonus"]
    assert found.columns.tolist() == [statistic, "std_error", "lower", "upper"]
    assert found[statistic].item() == pytest.approx(getattr(data["wage"], statistic)(data["bonus"]), rel=1e-4)


def test_it_is_the_entry_of_the_matrix() -> None:
    frame = protected(people(), rho=100)
    with pdp.audit.seeded_noise(1):
        matrix = frame[PAIR].dp.corr(rho=0.01)
    with pdp.audit.seeded_noise(1):
        single = frame["wage"].dp.corr(frame["school"], rho=0.01)
    ends = matrix.dp.confint().loc["wage", "school"].tolist()
    assert single.iloc[0, [0, 2, 3]].tolist() == pytest.approx([matrix.loc["wage", "school"], *ends])
    assert single.dp.metadata["rho"] == 0.01


def test_a_scanned_column_has_the_same() -> None:
    data = people()
    table = pdp.Session(rho=1e15, schema=SCHEMA).scan(data)
    found = table["wage"].dp.corr(table["school"] * 2, rho=SURE)
    assert found["corr"].item() == pytest.approx(data["wage"].corr(data["school"]), rel=1e-4)


def test_the_other_column_is_of_the_same_table() -> None:
    data = people()
    frame = protected(data)
    with refused(errors.UnsupportedArgument, "of pandas"):
        frame["wage"].dp.corr(data["school"])
    with refused(errors.UnsupportedArgument, "a name"):
        frame["wage"].dp.cov("school")
    with refused(errors.NotFollowed, "of other rows"):
        frame["wage"].dp.cov(frame[frame["age"] > 30]["school"])
    with refused(errors.UnsupportedArgument, "of ranks"):
        frame["wage"].dp.corr(frame["school"], method="spearman")
    assert len(pdp.Session(rho=1).ledger) == 0


def test_a_missing_value_takes_its_row_out_of_its_group_alone() -> None:
    data = people(60)
    changed = data.assign(bonus=data["bonus"].where(data.index != 3))
    for rows in (data, changed):
        found = protected(rows).dp.groupby("sex")[["wage", "bonus"]].cov(rho=SURE)
        np.testing.assert_allclose(found, rows.dropna().groupby("sex")[["wage", "bonus"]].cov(), rtol=1e-3)


def test_rows_of_people_weigh_in_groups_as_elsewhere() -> None:
    data = people(200).assign(who=np.repeat(np.arange(100), 2))
    schema = SCHEMA.add_columns({"who": pa.Column(int)})
    frame = pdp.Session(rho=1e15, schema=schema, unit="who").protect(data)
    found = frame.dp.groupby("sex")[PAIR].corr(max_rows=2, rho=SURE)
    np.testing.assert_allclose(found, pd.DataFrame(data.groupby("sex")[PAIR].corr()), atol=1e-3)
