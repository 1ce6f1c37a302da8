"""The small public tables that come with the package."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from importlib.resources import files

import pandas as pd
import pytest

from pandas_dp import datasets

TABLES = [datasets.load_rice_farms, datasets.load_uk_census, datasets.load_pums]
Load = Callable[[], pd.DataFrame]


@pytest.mark.parametrize(
    ("load", "shape"),
    [(datasets.load_rice_farms, (1026, 20)), (datasets.load_uk_census, (12, 11)), (datasets.load_pums, (1000, 6))],
)
def test_a_table_has_the_shape_that_its_docstring_tells(load: Load, shape: tuple[int, int]) -> None:
    assert load().shape == shape
    assert f"{shape[0]:,}" in (load.__doc__ or "") or str(shape) in (load.__doc__ or "")


@pytest.mark.parametrize("load", TABLES)
def test_a_docstring_names_its_source(load: Load) -> None:
    assert "Source: " in (inspect.getdoc(load) or "")


@pytest.mark.parametrize("load", TABLES)
def test_nothing_is_missing(load: Load) -> None:
    assert not load().isna().any(axis=None)


@pytest.mark.parametrize("load", TABLES)
def test_every_call_reads_a_fresh_table(load: Load) -> None:
    first = load()
    first.iloc[:, 0] = first.iloc[0, 0]
    assert not load().equals(first)


@pytest.mark.parametrize("name", ["rice_farms.csv", "uk_census_2001_age_by_occupation.csv", "pums_california_1000.csv"])
def test_the_package_ships_its_tables(name: str) -> None:
    assert files("pandas_dp.datasets").joinpath(name).is_file()


def test_the_rice_farms_are_those_of_the_paper() -> None:
    farms = datasets.load_rice_farms()
    assert farms["id"].nunique() == 171
    assert farms["status"].value_counts().to_dict() == {"owner": 736, "mixed": 211, "share": 79}
    assert set(farms["varieties"]) == {"high", "mixed", "trad"}


def test_the_census_is_a_table_of_counts_by_age() -> None:
    census = datasets.load_uk_census()
    assert census.index.name == "age"
    assert (census >= 0).all(axis=None)
    assert all(pd.api.types.is_integer_dtype(dtype) for dtype in census.dtypes)


def test_no_table_is_protected_or_released() -> None:
    assert all(load().attrs == {} for load in TABLES)
