"""One count for the means of several columns by group: what it asks, how far a row moves it, what it says."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pandera.pandas as pa
import pytest

import pandas_dp as pdp
from pandas_dp.core.measure.cells import Cells, Key, Variable
from pandas_dp.core.neighbours import Adjacency
from pandas_dp.core.schema.values import Categories, Interval
from pandas_dp.numeric.measure import Moments, MomentsTogether
from tests.conftest import COMPLETE

ROWS = 1_500


class People(pa.DataFrameModel):
    sex: str = pa.Field(isin=["f", "m"])
    age: float = pa.Field(ge=0, le=100, metadata=COMPLETE)
    income: float = pa.Field(ge=0, le=1_000, metadata=COMPLETE)
    gap: float = pa.Field(ge=0, le=1)


@pytest.fixture(scope="module")
def rows() -> pd.DataFrame:
    r = np.random.default_rng(5)
    columns = {"age": r.uniform(0, 100, ROWS), "income": r.uniform(0, 1_000, ROWS), "gap": r.random(ROWS)}
    return pd.DataFrame({"sex": r.choice(["f", "m"], ROWS), **columns})


@pytest.fixture(scope="module")
def people(rows: pd.DataFrame) -> pdp.ProtectedFrame:
    return pdp.Session(epsilon=1e9, schema=People).protect(rows)


def laws(release: pdp.Release) -> list[Any]:
    return [law for step in release.attrs["dp"]["noise"] for law in step]


def test_means_of_two_columns_have_one_count(people: pdp.ProtectedFrame, rows: pd.DataFrame) -> None:
    release = people.dp.groupby("sex")[["age", "income"]].mean(epsilon=1e5)
    assert len(laws(release)) == 5
    means = rows.groupby("sex")[["age", "income"]].mean()
    found = release.xs("mean", axis=1, level=-1)
    assert found.to_numpy() == pytest.approx(means.to_numpy(), rel=1e-3)
    errors = release.xs("std_error", axis=1, level=-1)
    assert errors.to_numpy() == pytest.approx(rows.groupby("sex")[["age", "income"]].sem().to_numpy(), rel=0.01)
    counts = [item["sums"]["count"] for item in release.attrs["dp"]["evidence"]]
    assert counts[0] == counts[1]


def test_a_column_with_gaps_keeps_each_its_count(people: pdp.ProtectedFrame) -> None:
    assert len(laws(people.dp.groupby("sex")[["age", "gap"]].mean(epsilon=1))) == 6


def test_what_was_cut_from_a_table_may_have_gaps_that_the_table_had_not(people: pdp.ProtectedFrame) -> None:
    """Pandas' `where` leaves them under the old name."""
    part = people.assign(age=people["age"].where(people["sex"] == "f"))
    assert len(laws(part.dp.groupby("sex")[["age", "income"]].mean(epsilon=1))) == 6


def test_one_column_is_asked_as_ever(people: pdp.ProtectedFrame) -> None:
    one, listed = (people.dp.groupby("sex")[chosen].mean(epsilon=1) for chosen in ("age", ["age"]))
    assert laws(one) == laws(listed)


@pytest.mark.parametrize("cost", [{"epsilon": 2.0}, {"rho": 0.5}], ids=["laplace", "gaussian"])
def test_intervals_are_shorter_than_those_of_columns_that_share_the_cost(
    cost: dict[str, float], rows: pd.DataFrame
) -> None:
    session = pdp.Session(**dict.fromkeys(cost, 1000.0), schema=People)
    frame = session.protect(rows)
    half = {name: each / 2 for name, each in cost.items()}
    together = session.plan(lambda: frame.dp.groupby("sex")[["age", "income"]].mean(**cost), size=300)
    alone = session.plan(lambda: frame.dp.groupby("sex")["age"].mean(**half), size=300)
    ratio = together["half_width"].iloc[0] / alone["half_width"].item()
    assert ratio < 0.9 if "epsilon" in cost else ratio < 1.0


def test_replicates_of_several_columns_are_told_too(people: pdp.ProtectedFrame) -> None:
    release = people.dp.groupby("sex")[["age", "income"]].mean(epsilon=1e5, bootstrap=20)
    assert len(laws(release)) == 5
    assert len(release.dp.replicates()) == 20


def test_two_columns_are_not_contrasted_as_if_their_errors_were_independent(people: pdp.ProtectedFrame) -> None:
    release = people.dp.groupby("sex")[["age", "income"]].mean(epsilon=1)
    found = release.dp.contrast(("f", "age"), ("f", "income"), target="sample")
    ends = release.dp.confint(0.975, target="sample").loc["f"]
    assert found["lower"].item() == pytest.approx(ends["age", "lower"] - ends["income", "upper"])
    assert found["upper"].item() == pytest.approx(ends["age", "upper"] - ends["income", "lower"])


NUMBERS = [
    Variable(name, Interval(Fraction(low), Fraction(high), "integer"))
    for name, low, high in (("x", 0, 6), ("y", -3, 4), ("z", 1, 3))
]
CELLS = {"one": Cells(), "two": Cells((Key("k", Categories(("a", "b"))),))}
ADJACENCY = {"derived": Adjacency(True, True), "whole": Adjacency(True, False), "add or remove": Adjacency(False, True)}


@pytest.mark.parametrize("norm", [1, 2])
@pytest.mark.parametrize("adjacency", ADJACENCY)
@pytest.mark.parametrize("cells", CELLS)
@pytest.mark.parametrize("many", [2, 3])
def test_no_row_moves_it_farther_than_its_reach_and_one_as_far(
    many: int, cells: str, adjacency: str, norm: int
) -> None:
    """Over all pairs of rows: of every code of each variable, in either cell or none."""
    measurement = MomentsTogether(tuple(NUMBERS[:many]), CELLS[cells])
    halves = [each.grid.half for each in measurement.variables]
    codes = [range(-half, half + 1, 1 if half % 2 else 2) for half in halves]
    one = np.array(
        [[1, *(n for y, h in zip(row, halves, strict=True) for n in (y, h * h - y * y))] for row in product(*codes)]
    )
    weights = np.array([float(each) for each in measurement.weights(norm, ADJACENCY[adjacency])])  # type: ignore[arg-type]
    moved = [] if not ADJACENCY[adjacency].swap else [np.abs((one[:, None] - one[None]) / weights) ** norm]
    lone = (np.abs(one / weights) ** norm).sum(axis=1).max()
    found = [each.sum(axis=-1).max() for each in moved]
    if ADJACENCY[adjacency].vanish or cells == "two":
        found.append(lone)
    if ADJACENCY[adjacency].swap and cells == "two":
        found.append(2 * lone)
    sensitivity = float(measurement.sensitivity(norm, ADJACENCY[adjacency]))  # type: ignore[arg-type]
    assert sensitivity * 0.98 <= max(found) <= sensitivity * (1 + 1e-12)


def test_of_one_variable_it_is_what_moments_are() -> None:
    for adjacency, norm, cells in product(ADJACENCY.values(), (1, 2), CELLS.values()):
        alone, together = Moments(NUMBERS[0], cells, counted=True), MomentsTogether((NUMBERS[0],), cells)
        assert float(together.sensitivity(norm, adjacency)) == pytest.approx(
            float(alone.sensitivity(norm, adjacency)), rel=2e-3
        )  # type: ignore[arg-type]
        theirs = [float(each) for each in alone.weights(norm, adjacency)]  # type: ignore[arg-type]
        assert [float(each) for each in together.weights(norm, adjacency)] == pytest.approx(theirs, rel=2e-3)  # type: ignore[arg-type]
