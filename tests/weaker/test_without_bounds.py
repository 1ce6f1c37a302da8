"""Without bounds: noise follows the values, so a promise whose scale is private needs the steps of a column alone."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pandera.pandas as pa
import pytest

import pandas_dp as pdp
from pandas_dp.audit import Case, Fixed, Universe, World, plan_of, zero_noise
from pandas_dp.core.budget.cost import Concentrated, Pure
from pandas_dp.core.measure.cells import Cells, Key, Variable
from pandas_dp.core.measure.statistic import Estimator
from pandas_dp.core.neighbours import PublicFacts, Relation
from pandas_dp.core.promise_registry import promise_named
from pandas_dp.core.schema.declared import Declared
from pandas_dp.core.schema.values import Categories, Interval
from pandas_dp.errors import BadBounds, NoBounds
from pandas_dp.numeric.statistic_means import Mean, Spread
from pandas_dp.numeric.statistic_sums import Sum
from pandas_dp.quantiles.statistic import Quantile, QuantileRange
from pandas_dp.weaker.exact import Average, StepTotal, Variance
from pandas_dp.weaker.idp import Individual
from pandas_dp.weaker.ordered import Ordered, Portions, RankDistance
from pandas_dp.weaker.promise import Surroundings, facts_of
from tests.refusals import refused

from .brute import frame_of, read, sensitivities

MODELS = ["bdp", "idp"]
INCOMES = np.exp(np.random.default_rng(7).normal(10, 1.5, 1000)).round(2)  # from 300 to some millions
FAR = Declared("float", resolution=Fraction(1)).unbounded("x", "mean", True, "bdp", "")
END = 2**45
KEY = Key("k", Categories(("a", "b", "c")))


def protected(values: Any = INCOMES, complete: bool = True, **terms: Any) -> pd.DataFrame:
    session = pdp.Session(epsilon=10**6, models=MODELS, **terms)
    return session.protect(pd.DataFrame({"x": values}), complete=["x"] if complete else [])


def answer(frame: pd.DataFrame, statistic: str, **asks: Any) -> float:
    return float(getattr(frame["x"].dp, statistic)(**{"model": "bdp", "epsilon": 1, **asks})[statistic].item())


@pytest.mark.parametrize("complete", [True, False])
@pytest.mark.parametrize("statistic", ["sum", "mean", "std", "var", "median", "min", "max"])
def test_bootstrap_answers_need_no_bounds_of_values_in_known_steps(statistic: str, complete: bool) -> None:
    with zero_noise():
        found = answer(protected(complete=complete), statistic, resolution=0.01)
    rank = statistic in ("median", "min", "max")  # the likeliest value of a rank, some ranks inside at the ends
    near = np.quantile(INCOMES, {"median": (0.45, 0.55), "min": (0, 0.1), "max": (0.9, 1)}[statistic]) if rank else None
    if near is not None:
        assert near[0] <= found <= near[1]
    else:
        assert found == pytest.approx(getattr(pd.Series(INCOMES), statistic)(), rel=1e-9)


@pytest.mark.parametrize("resolution", [0.01, 1])
@pytest.mark.parametrize("statistic", ["sum", "mean"])
def test_noise_of_skewed_incomes_is_that_of_their_range(statistic: str, resolution: float) -> None:
    """Half of all Laplace noise lies within ln 2 scales: of 200 answers less than 67 or more than 133 with a chance
    below 1e-5."""
    frame, exact = protected(), getattr(INCOMES, statistic)()
    scale = np.ptp(INCOMES) / (len(INCOMES) if statistic == "mean" else 1)
    errors = [abs(answer(frame, statistic, resolution=resolution) - exact) for _ in range(200)]
    assert 67 <= np.sum(np.array(errors) < np.log(2) * scale) <= 133


def test_what_bootstrap_answers_are_scaled_to_does_not_depend_on_how_far_the_ends_are() -> None:
    """By every table of four values and any cells, whatever the ends are, also where no row is in a cell."""
    near = Interval(Fraction(-64), Fraction(64), "float", resolution=Fraction(1))
    promise = promise_named("bdp")
    for rows in product([-3.0, 0.0, 5.0, 8.0], repeat=3):
        for final in (StepTotal, Average, Variance, Ordered):
            both = [
                sensitivities(final(Variable("x", ends)), frame_of(np.array(rows)), model="bdp") for ends in (near, FAR)
            ]
            assert both[0] == both[1]
        for keys, squared in product((Cells(), Cells((KEY,))), (True, False)):
            found = []
            for ends in (near, FAR):
                final = Portions(Variable("x", ends), keys, squared)
                table = read(frame_of(np.array(rows)).assign(k=["a", "b", "a"]), False)
                facts = facts_of(table, final, 1)
                around = Surroundings(PublicFacts(Relation.REPLACE.adjacency(False), None), 0)
                location_scale = promise.location_scale(final, facts, around)  # type: ignore[union-attr]
                found.append((location_scale.width.tolist(), final.sums(facts, location_scale).tolist()))
            assert found[0] == found[1]


QUANTILES = [Fraction(1, 2), Fraction(1, 4), Fraction(9, 10), Fraction(0), Fraction(1)]


@pytest.mark.parametrize("group", [1, 2, 3])
@pytest.mark.parametrize("rows", range(1, 13))
def test_individual_ranks_are_inner_where_no_end_of_the_range_is_reached(rows: int, group: int) -> None:
    """Moving the ends changes the sensitivity of some table of so many rows if, and only if, the rank is no inner
    one. Of a distance of quartiles, which is bounded for groups, only where it is."""
    values = np.arange(rows, dtype=float) ** 2
    wide = [Interval(Fraction(-end), Fraction(end), "float", resolution=Fraction(1)) for end in (2**10, 2**20)]
    for quantile in QUANTILES:
        finals = [Ordered(Variable("x", ends), Cells(), quantile) for ends in wide]
        one, other = (sensitivities(final, frame_of(values), group=group) for final in finals)
        assert (one == other) == finals[0].is_inner(rows, group), quantile
    apart = [RankDistance(Variable("x", ends)) for ends in wide]
    if all(end.is_inner(rows, group) for end in apart[0].ends):
        one, other = (sensitivities(final, frame_of(values), group=group) for final in apart)
        assert one == other


WHOLE, DERIVED = World(Relation.REPLACE, True), World(Relation.REPLACE, False)
STATISTICS: dict[str, Estimator] = {
    "sum": Sum(Variable("x", FAR)),
    "sums": Sum(Variable("x", FAR), Cells((KEY,))),
    "mean": Mean(Variable("x", FAR)),
    "means": Mean(Variable("x", FAR), Cells((KEY,))),
    "var": Spread(Variable("x", FAR), False),
    "std": Spread(Variable("x", FAR), True),
    "median": Quantile(Variable("x", FAR), Fraction(1, 2)),
}


@pytest.mark.parametrize("world", [WHOLE, DERIVED], ids=str)
@pytest.mark.parametrize("name", STATISTICS)
def test_tables_of_rows_that_occur_are_told_apart_no_better_than_was_paid_for(name: str, world: World) -> None:
    """By every table of three rows and all pairs of neighbours of its rows, some of them beyond the ends."""
    values = [0.0, 5.0, 7.0] if name == "median" else [0.0, 7.0, 2.0**50]  # candidates of a choice are counted
    universe = Universe(pd.DataFrame({"x": values, "k": ["a", "b", "a"]}), size=3)
    case, known = Case(name, STATISTICS[name], universe), {}  # type: ignore[var-annotated]
    for cost in (Pure(Fraction(1)), Concentrated(Fraction(1, 8))):
        plan = plan_of(case, world, cost, model="bdp")
        tables = [table for table in universe.tables if len(table) == 3]
        used = [Fixed(plan, universe, world, table, known).spent_by_rows_that_occur() for table in tables]
        assert max(used) <= 1 + 1e-9
        assert max(used) > 0.5


@pytest.mark.parametrize("size", [3, 4])
def test_individual_medians_are_told_from_each_neighbour_no_better_than_was_paid_for(size: int) -> None:
    """Rows may become the ends of the range, 2**45 steps away: a few rows of six values, by all neighbours."""
    universe = Universe(pd.DataFrame({"x": [-np.inf, 0.0, 2.0, 3.0, 9.0, np.inf]}), size=size)
    case = Case("rank", Quantile(Variable("x", _complete(FAR)), Fraction(1, 2)), universe)
    plan = plan_of(case, WHOLE, Pure(Fraction(1)), model="idp")
    used = [
        Fixed(plan, universe, WHOLE, table).spent_individually()
        for table in universe.tables
        if len(table) == size and len(set(table)) > 2
    ]
    assert max(used) == pytest.approx(1)


def _complete(interval: Interval) -> Interval:
    return Declared(complete=True, resolution=interval.resolution).unbounded("x", "median", True, "idp", "")


def test_individual_medians_need_no_bounds_of_a_public_number_of_values() -> None:
    """The median's neighbours are some ten apart, the ends of the range 10^12."""
    near = [answer(protected(), statistic, model="idp", resolution=0.01) for statistic in ("median", "iqr") * 5]
    exact = [np.median(INCOMES), np.subtract(*np.quantile(INCOMES, [0.75, 0.25]))] * 5
    assert near == pytest.approx(exact, rel=0.2)


@pytest.mark.parametrize("statistic", ["sum", "mean", "std", "var", "min", "max"])
def test_individual_answers_that_an_end_can_reach_need_bounds(statistic: str) -> None:
    with refused(NoBounds, "an end" if statistic in ("min", "max") else "added up"):
        answer(protected(), statistic, model="idp", resolution=0.01)


@pytest.mark.parametrize(
    ("case", "asks"),
    [
        ("bdp", {}),
        ("idp", {"model": "idp"}),
        ("dp", {"model": "dp", "resolution": 1}),
        ("hardly any", {"resolution": 1e-60}),
        ("one step", {"resolution": 1e40}),
    ],
)
def test_without_bounds_or_steps_it_is_said_what_is_missing(case: str, asks: dict[str, Any]) -> None:
    with refused((NoBounds, BadBounds), case):
        answer(protected(), "median", **asks)


def test_individual_ranks_of_a_private_number_of_values_need_bounds() -> None:
    with refused(NoBounds):
        answer(protected(complete=False), "median", model="idp", resolution=1)


def whole(values: Any, *checks: pa.Check) -> pd.DataFrame:
    return protected(values, False, schema=pa.DataFrameSchema({"x": pa.Column(int, list(checks))}))


def test_a_column_of_whole_numbers_needs_no_more_than_its_type() -> None:
    frame = whole(np.arange(7, 107))
    with zero_noise():
        told = frame["x"].dp.sum(model="bdp", epsilon=1)
    assert told["sum"].dtype == np.int64
    assert told["sum"].item() == sum(range(7, 107))
    with refused(NoBounds):  # what was made of it need not be whole
        answer((frame["x"] / 7).to_frame(), "mean")


def test_a_declared_end_is_the_middle_of_the_range() -> None:
    """So that numbers of a thousand million million, as identifiers and clocks have, are not all beyond it."""
    base = 10**15
    frame = whole(base + np.arange(100), pa.Check.ge(base))
    with zero_noise():
        told = frame["x"].dp.mean(model="bdp", epsilon=1)
    assert told["mean"].item() == pytest.approx(base + 49.5, abs=1)
    assert told.attrs["dp"]["evidence"][0]["within"] == [base - END, base + END]


def test_sums_of_many_whole_numbers_are_not_refused_for_a_range_that_nobody_declared() -> None:
    with zero_noise():
        assert answer(whole(np.full(2**18 + 1, 3)), "sum") == 3 * (2**18 + 1)


def test_what_lies_beyond_counts_as_the_end_which_the_answer_names() -> None:
    frame = protected([1.0, 2.0, np.inf, 4.0])
    with zero_noise():
        told = frame["x"].dp.mean(model="bdp", resolution=1, epsilon=1)
    assert told["mean"].item() == pytest.approx((7 + END) / 4)
    assert "Of values clamped to -3.518437209e+13 … 3.518437209e+13." in str(told)
    near = frame["x"].dp.median(model="bdp", bounds=(0, 4), epsilon=1)
    assert "Of values clamped to 0 … 4." in str(near)


def test_a_gap_in_a_complete_column_counts_as_the_middle_and_drops_out_elsewhere() -> None:
    values = [8.0, np.nan, 8.0, 8.0]
    with zero_noise():
        assert answer(protected(values), "mean", resolution=1) == pytest.approx(6)
        assert answer(protected(values, False), "mean", resolution=1) == pytest.approx(8)


@pytest.mark.parametrize("rows", [0, 1, 2])
@pytest.mark.parametrize("statistic", ["sum", "mean", "std", "median", "max", "iqr"])
def test_a_few_rows_are_not_told_exactly(statistic: str, rows: int) -> None:
    """Sixty answers at epsilon .1: all alike with a chance below 1e-9."""
    frame = protected([5.0] * rows, complete=False)
    assert len({answer(frame, statistic, resolution=1, epsilon=0.1) for _ in range(60)}) > 1


@pytest.mark.parametrize("promise", [Individual(), Individual(group=3)])
def test_distances_of_quartiles_need_both_to_be_inner(promise: Individual) -> None:
    final = RankDistance(Variable("x", _complete(FAR)))
    least = next(rows for rows in range(1, 99) if all(end.is_inner(rows, promise.group) for end in final.ends))
    public = Relation.REPLACE.adjacency(True)
    promise.asks(final, PublicFacts(public, least), "auto")
    with pytest.raises(NoBounds, match="near the end"):
        promise.asks(final, PublicFacts(public, least - 1), "auto")


def test_estimators_of_ranges_are_those_of_the_declaration() -> None:
    assert QuantileRange(Variable("x", FAR)).to_json()["of"]["within"]["unbounded"] is True
    assert FAR.grid.points == 2**46 + 1


def test_a_custodian_compares_the_promises_that_need_no_bounds() -> None:
    frame = protected(custodian=True)
    table = pdp.custodian.promises(frame["x"], "mean", epsilon=1, resolution=1, draws=20)
    assert table.index.get_level_values("model").tolist() == ["bdp"]
    with pytest.raises(NoBounds):
        pdp.custodian.promises(frame["x"], "mean", epsilon=1, draws=20)
