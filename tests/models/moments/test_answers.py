"""Moments without noise are the sums of products that numpy finds, of the rows that have everything."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import pandas_dp as pdp

from .people import SCHEMA, SURE, matrix, people, protected

F, M = ("sex", "f"), ("sex", "m")
REGIONS = [("region", level) for level in ("n", "e", "s")]
ASKED: dict[str, tuple[dict[str, Any], list[Any]]] = {
    "numbers": ({"columns": ["age", "wage", "union"]}, ["age", "wage", "union"]),
    "levels": ({"columns": ["age", "sex", "region"]}, ["age", F, M, *REGIONS]),
    "levels of numbers": ({"columns": ["wage", "C(rooms)"]}, ["wage", *(("rooms", r) for r in (1, 2, 3))]),
    "products": ({"columns": ["age", "wage"], "terms": ["age:wage"]}, ["age", "wage", ["age", "wage"]]),
    "squares": ({"columns": ["age"], "terms": [("age", "age")]}, ["age", ["age", "age"]]),
    "slopes": ({"columns": ["sex", "wage"], "terms": ["sex:wage"]}, [F, M, "wage", [F, "wage"], [M, "wage"]]),
    "importance": ({"columns": ["sex", "wage"], "importance": {"wage": 2, "sex": 0.5}}, [F, M, "wage"]),
}


def close(found: pd.DataFrame, expected: pd.DataFrame) -> None:
    assert found.columns.tolist() == expected.columns.tolist()
    np.testing.assert_allclose(found.to_numpy(), expected.to_numpy(), rtol=2e-6, atol=0.02)


@pytest.mark.parametrize("neighbours", ["replace", "add_remove"])
@pytest.mark.parametrize("name", ASKED)
def test_moments_are_sums_of_products(name: str, neighbours: str) -> None:
    asked, columns = ASKED[name]
    data = people()
    close(protected(data, neighbours=neighbours).dp.moments(**asked, rho=SURE), matrix(data, *columns))


def test_hats_interpolate_between_knots() -> None:
    data = people()
    found = protected(data).dp.moments(["age", "wage"], splines={"age": [18, 30, 50]}, rho=SURE)
    knots = [18.0, 30.0, 50.0]
    linear_basis = np.column_stack([np.interp(data["age"], knots, row) for row in np.eye(3)])
    wide = np.column_stack([np.ones(len(data)), linear_basis, data["wage"]])
    assert found.columns.tolist() == ["Intercept", "s(age)[18]", "s(age)[30]", "s(age)[50]", "wage"]
    np.testing.assert_allclose(found.to_numpy(), wide.T @ wide, rtol=2e-6, atol=0.02)


def test_a_grouping_has_a_matrix_for_each_cell() -> None:
    data = people()
    found = protected(data).dp.groupby(["sex", "rooms"]).moments(["wage", "region"], rho=SURE)
    assert found.index.names == ["sex", "rooms", None]
    for sex in ("f", "m"):
        cell = data[(data["sex"] == sex) & (data["rooms"] == 2)]
        close(pd.DataFrame(found.loc[sex, 2]), matrix(cell, "wage", *REGIONS))


def test_a_row_counts_if_it_has_everything() -> None:
    data = people()
    data.loc[::7, "region"] = "nowhere"
    there = data[data["bonus"].notna() & (data["region"] != "nowhere")]
    close(protected(data).dp.moments(["bonus", "region"], rho=SURE), matrix(there, "bonus", *REGIONS))


def test_other_values_have_a_level_where_they_are_asked_for() -> None:
    data = people()
    data.loc[::7, "region"] = "nowhere"
    found = protected(data).dp.moments(["wage", "region"], other=True, rho=SURE)
    assert found.loc["Intercept", "C(region)[other]"] == pytest.approx((data["region"] == "nowhere").sum())


def test_a_filtered_frame_is_answered_like_a_whole_one() -> None:
    data = people()
    frame = protected(data)
    close(frame[frame["age"] > 40].dp.moments(["wage", "sex"], rho=SURE), matrix(data[data["age"] > 40], "wage", F, M))


@pytest.mark.parametrize("size", [0, 1])
def test_next_to_no_rows_are_answered(size: int) -> None:
    found = protected(people().iloc[:size]).dp.moments(["wage", "age", "sex"], terms=["sex:age"], rho=1)
    assert np.isfinite(found.to_numpy()).all()
    assert np.isfinite(found.dp.corr().to_numpy()).all()


def test_the_number_of_rows_is_exact_where_everyone_knows_it() -> None:
    frame = pdp.Session(rho=10, schema=SCHEMA).protect(people(777), complete=["wage", "age"])
    assert frame.dp.moments(["wage", "age"], rho=0.1).loc["Intercept", "Intercept"] == 777
    low, high = frame.dp.moments(["wage", "sex"], rho=0.1).dp.confint().loc["Intercept", "Intercept"]
    assert low < high
