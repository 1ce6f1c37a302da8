"""Contract 1: no neighbour moves an exact answer farther than its sensitivity, and some pair moves it exactly that
far."""

from __future__ import annotations

import inspect
from fractions import Fraction

import pandas as pd
import pytest

from pandas_dp.audit import CELLS, WORLDS, Case, Exact, Universe, World, reached
from pandas_dp.comparisons.measure import TopOfPath
from pandas_dp.core.lazy_import import modules_of
from pandas_dp.core.measure.cells import Variable
from pandas_dp.core.measure.measurement import Measurement
from pandas_dp.core.noise import mechanisms
from pandas_dp.core.promise_registry import PUBLIC
from pandas_dp.core.schema.values import Interval
from pandas_dp.models.measure import Gram, Product
from pandas_dp.models.moments.measure_powers import Power
from pandas_dp.numeric import measure
from pandas_dp.numeric.measure import Moments
from pandas_dp.numeric.measure_location import Candidates, End
from pandas_dp.numeric.measure_ratios import RatioSums
from pandas_dp.quantiles.measure import Cumulative, Ranks
from pandas_dp.tables.measure import EffectTable, RunTable
from tests.contracts.cases import EXAMPLES, QUANTILES, cases, measurements, registered

MEASUREMENTS = measurements()
RANDOM = {
    "FoundCounts",
    "TopValues",  # have no cells either: see tests/keys
    "Bootstrapped",
    "BootstrappedPair",
    "Resamples",
}  # have no one exact answer: see tests/numeric/bootstrap/test_swings.py
OF_PEOPLE = {
    *("MeanOfRows", "NumberOfPeoplesValues", "OverRows", "People", "SumOfPeople", "TableOverRows"),
    *("NewtonSumsOfPeople", "Weighted", "PeopleCounts", "PeopleTotals", "PersonTotals", "RowMeans", "ValuesOfPeople"),
}  # are asked of people who may have many rows: see tests/people/test_sensitivity_of_people.py

LOOKING = {
    "CumulativeInCells",
    *("GeneralizedFit", "HuberLocation", "MeanInChosenBounds", "TrimmedMean", "TwoStageLeastSquares"),
    *("SomeTables", "TableRace", "TablesForSynthesis"),
    *(
        "Clamping",
        "LearnedSums",
        "CountsInBins",
        "Narrowing",
        "NewtonStage",
        "NewtonSums",
        "HuberStage",
        "HuberSums",
        "ResidualSizes",
        "SizesStage",
    ),
    *("Trimming", "Winsorised"),
}  # ask for what earlier answers tell, or are a base of several: see test_forms.py, test_newton.py, tests/synthetic


@pytest.mark.parametrize("name", sorted(registered().keys() - RANDOM - OF_PEOPLE - LOOKING))
def test_every_estimator_of_the_room_has_examples(name: str) -> None:
    assert registered()[name] in EXAMPLES, f"{name} has no examples in tests/contracts/cases.py"
    assert EXAMPLES[registered()[name]]()


def test_every_tally_is_asked_for_by_some_case() -> None:
    """A form is none yet: it makes one when it is told."""
    asked = {type(each) for each in MEASUREMENTS}
    offered = {
        kind
        for module in modules_of("measure")
        for name, kind in inspect.getmembers(module, inspect.isclass)
        if kind.__module__ == module.__name__ and hasattr(kind, "sensitivity") and not hasattr(kind, "parameter")
    }
    elsewhere = RANDOM | OF_PEOPLE | LOOKING
    assert asked == {kind for kind in offered if kind.__name__ not in elsewhere}


@pytest.mark.parametrize(("norm", "model"), [(norm, model) for norm in (1, 2) for model in PUBLIC])
def test_every_norm_that_a_mechanism_needs_is_tried_for_every_model(norm: int, model: str) -> None:
    needed = {mechanism.norm for mechanism in mechanisms.ADDITIVE.values()}
    assert needed <= {1, 2}
    assert norm in needed
    assert PUBLIC[model].name == model


def tightness(asked: Measurement, norm: int) -> float:
    """1, except for ranks off the middle: three rows have none on both sides; see the test below. And for spreads, as
    the row that moves them farthest stands between two points of these grids."""
    if isinstance(asked, RatioSums):
        return 0.6  # a row's two numbers have one weight, so they do not fill the rectangle of theorem 3
    if isinstance(asked, EffectTable | RunTable) and norm == 1:
        return 0.5  # a bound that no noise uses
    if isinstance(asked, Gram):
        return of_a_matrix(asked, norm)
    if isinstance(asked, Moments) and asked.spread and norm == 1:
        return 0.9
    if isinstance(asked, Candidates):
        return 0.25
    if isinstance(asked, TopOfPath):
        return 0.25  # few rows move it by half of what many do; see tests/comparisons/test_farthest_neighbours.py
    if isinstance(asked, Cumulative):
        return 0.5  # few values are in few bins, and sums of absolute changes are bounded; see tests/tables/planning
    return 0.25 if isinstance(asked, Ranks) and asked.quantile != Fraction(1, 2) else 1.0


def of_a_matrix(asked: Gram, norm: int) -> float:
    """In norm 1 splines have a coarse bound, which nothing uses; two rows share the constant, with which the bound of
    splines does not reckon; products and powers follow from their factors. Ranges are a whole number of steps."""
    if not asked.boxed:
        return 0.88 if norm == 2 else 0.3
    return 0.5 if any(isinstance(term, Product | Power) for term in asked.terms) else 1 - 2e-5


@pytest.mark.parametrize(
    "asked", MEASUREMENTS, ids=[f"{case}|{type(t).__name__}" for t, (case, _) in MEASUREMENTS.items()]
)
def test_the_reach_is_kept_and_attained(asked: Measurement) -> None:
    case, worlds = MEASUREMENTS[asked]
    exact = Exact(asked, case.universe)
    for model in PUBLIC:
        for world in worlds:
            for norm in (1, 2):
                reached(exact, world, norm, model).check(tight=tightness(asked, norm))  # type: ignore[arg-type]


@pytest.mark.parametrize("quantile", QUANTILES, ids=str)
@pytest.mark.parametrize("cells", ["all", "two cells"])
def test_the_reach_of_ranks_is_attained_where_there_are_rows_on_both_sides(quantile: Fraction, cells: str) -> None:
    values, letters = range(0, 41, 2), ("a", "b")
    rows = pd.DataFrame([(float(x), k) for k in letters for x in values], columns=["x", "k"])
    asked = Ranks(Variable("x", Interval(Fraction(0), Fraction(40), "integer")), quantile, CELLS[cells])
    best = {(world, norm): 0.0 for world in WORLDS for norm in (1, 2)}
    for many in range(36, 61, 4):
        keep_within(asked, Universe(rows, 1, tuple(place % len(rows) for place in range(many))), best)
    assert min(best.values()) > 0.999


@pytest.mark.parametrize("end", [0, 1])
@pytest.mark.parametrize("inset", [1, 2, 4])
@pytest.mark.parametrize("cells", ["all", "two cells"])
def test_the_reach_of_an_end_is_kept_wherever_inside_it_aims_and_attained(end: int, inset: int, cells: str) -> None:
    """Few rows toward either end, many in the middle, so that one row in sixteen is more than the inset, or less."""
    rows = pd.DataFrame([(float(x), k) for k in ("a", "b") for x in range(0, 41, 2)], columns=["x", "k"])
    asked = Ranks(Variable("x", Interval(Fraction(0), Fraction(40), "integer")), Fraction(end), CELLS[cells], inset)
    best = {(world, norm): 0.0 for world in WORLDS for norm in (1, 2)}
    for middle in (0, 20, 100):
        ground = tuple(21 * k + x for k in (0, 1) for x in (*range(3, 18), *[10] * middle))
        keep_within(asked, Universe(rows, 1, ground), best)
    assert min(best.values()) > (0.999 if inset > 1 else 0.56)  # half a rank inside, one row has less room


@pytest.mark.parametrize("outside", [Fraction(1, 2), Fraction(1), Fraction(5, 2)], ids=str)
@pytest.mark.parametrize("end", ["lower", "upper"])
def test_the_reach_of_candidates_is_kept_however_many_stay_outside_and_attained(end: End, outside: Fraction) -> None:
    """Few rows toward either end, many in the middle: one row in eight is more than what stays outside, or less."""
    rows = pd.DataFrame({"x": [float(x) for x in range(-5, 6)]})
    asked = Candidates("x", tuple(map(float, range(-4, 5))), (1,) * 9, end, 4, outside)
    best = {(world, norm): 0.0 for world in WORLDS for norm in (1, 2)}
    for middle in (0, 5, 40):
        keep_within(asked, Universe(rows, 1, (*range(2, 9), *[5] * middle)), best)
    assert min(best.values()) > (0.999 if outside > Fraction(1, 2) else 0.56)  # half a row outside leaves less room


def keep_within(asked: Ranks | Candidates, universe: Universe, best: dict[tuple[World, int], float]) -> None:
    exact = Exact(asked, universe)
    for world, norm in best:
        found = reached(exact, world, norm)  # type: ignore[arg-type]
        found.check(tight=0)
        best[world, norm] = max(best[world, norm], found.tightness)


# grids small enough to be rounded coarsely, in all rows
COARSE = [
    case
    for case in cases()
    if case.name.startswith(("Mean", "PairTable"))
    and not any(name in case.name for name in ("wide", "float", " cell", "other"))
]


@pytest.mark.parametrize("case", COARSE, ids=str)
def test_the_reach_allows_for_products_that_are_rounded(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure, "PRODUCT_BITS", 3)
    for each, (again, worlds) in measurements([case]).items():
        exact = Exact(each, again.universe)
        for world in worlds:
            for norm in (1, 2):
                reached(exact, world, norm).check(tight=0.2)  # type: ignore[arg-type]


@pytest.mark.parametrize("world", WORLDS, ids=str)
def test_the_size_is_public_only_in_the_whole_frame_under_replace(world: World) -> None:
    assert world.relation.size_is_public(world.whole) == (world.swaps and not world.vanishes)
