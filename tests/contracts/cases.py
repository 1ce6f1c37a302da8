"""Cases of life tables and of regressions of tables, for the contracts."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import product
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd

from pandas_dp.audit import CELLS, GRIDS, WORLDS, Case, World, public_of, universe, values_of
from pandas_dp.audit.sensitivity import CROSS, LETTERS, STATES, over_measured, rows_for
from pandas_dp.core.lazy_import import modules_of
from pandas_dp.core.measure.cells import Cells, Key, Presence, Variable
from pandas_dp.core.measure.measurement import Form, Measurement
from pandas_dp.core.measure.statistic import Statistic, offered
from pandas_dp.core.schema.schema import Domain
from pandas_dp.core.schema.values import Breaks, Categories, Interval
from pandas_dp.learning.statistic import AdditiveClassification, GridClusters, TablesOfClasses
from pandas_dp.models.measure import Levels, Number
from pandas_dp.models.statistic import GramTable, LeastSquaresFit, PairTable, TableRegression, model_of
from pandas_dp.numeric.evidence_means import Bootstrap
from pandas_dp.numeric.statistic_location import ChosenBound
from pandas_dp.numeric.statistic_means import MeanBeside, Share, Spread, StandardError
from pandas_dp.numeric.statistic_sums import Count, NumberOfValues, PopulationSum, Ratio, Sum
from pandas_dp.quantiles.statistic import Distribution, Quantile, QuantileRange
from pandas_dp.quantiles.statistic_ranked_values import RankedDistance, RankedValue
from pandas_dp.surveys.measure import Weight
from pandas_dp.surveys.statistic import Survey, SurveyCount, SurveyEstimate
from pandas_dp.survival.statistic import Survival, life_table
from pandas_dp.synthetic.measure import CountedTables, Distances, KeyReading
from pandas_dp.synthetic.statistic_table_stages import DistanceOfTables
from pandas_dp.tables.statistic import Margins, WeightedMargins
from pandas_dp.tools.statistic import ChosenName, SmallPValues

from .margin_cases import OF_MARGINS, OF_SCORES, fit_cases, gram_cases

__all__ = [
    "Survival",
    "TableRegression",
    "lives",
    "table_regressions",
]


def lives() -> list[Case]:
    """Examples."""
    found = []
    for gaps, top in product((False, True), (1.0, 2.0, 4.0)):
        interval = Interval(Fraction(0), Fraction(top), "integer", nullable=gaps)
        time = ("x", interval, Breaks((0.0, 1.0, 2.0)))
        for place in ("all", "two cells"):
            part = life_table(
                CELLS[place], time, ("e", Categories((False, True)), gaps), censoring="even" if gaps else "start"
            )
            groups: dict[str, list[Any]] = {"k": ["a", "zzz"]} if place == "two cells" else {}
            rows = universe({"x": [0.0, 1.0, 2.0, 7.0, np.nan], "e": [False, True, None], **groups}, size=2)
            found.append(Case(f"Survival to {top:g}, {place}, nullable={gaps}", part, rows))
    return found


def table_regressions() -> list[Case]:
    """Examples."""
    keys = {"k": ("a", "b"), "e": (False, True), "y": (0, 1, 2)}
    rows = universe({"k": ["a", "b", "zzz"], "e": [False, True, None], "y": [0, 1, 2]}, size=2)
    found = []
    for statistic, names in (("logit", "ke"), ("multinomial", "ky"), ("poisson", "y")):
        axes = [(name, keys[name]) for name in names]
        cells = Cells(tuple(Key(name, Categories(values)) for name, values in axes))
        model = model_of(statistic, axes[:-1], axes[-1], [[name] for name in names[:-1]])
        found.append(Case(f"TableRegression, {statistic}", TableRegression(statistic, cells, model), rows))
    return found


TWO = Key("j", Categories((1, 2)))
ONE = Key("j", Categories((1,)))
BINS = Key("x", Breaks((0.0, 5.0, 10.0)), clamp=GRIDS["even"])
TABLES: dict[str, CountedTables] = {
    "one": CountedTables((KeyReading(LETTERS),), ((0,),)),
    "one, missing": CountedTables((KeyReading(LETTERS, missing=True),), ((0,),)),
    "each alone": CountedTables((KeyReading(LETTERS), KeyReading(TWO)), ((0,), (1,))),
    "pairs": CountedTables(
        (KeyReading(LETTERS), KeyReading(TWO, missing=True), KeyReading(BINS)), ((0, 1), (0, 2), (1, 2))
    ),
    "all": CountedTables((KeyReading(LETTERS), KeyReading(TWO)), ((0,), (1,), (0, 1), (1, 0))),
    "of one category": CountedTables((KeyReading(LETTERS), KeyReading(ONE)), ((0,), (1,))),
    "of one category alone": CountedTables((KeyReading(ONE),), ((0,),)),
}
VALUES: dict[str, list[Any]] = {"k": ["a", "b", "zzz", None], "j": [1, 2, None], "x": [0.0, 10.0]}


def distance_cases() -> list[Case]:
    """Distances from tables whose rows are all in the last cells.

    Examples
    --------
    >>> distance_cases()[0].estimator.measurement.public.tolist()
    [0, 2]
    """
    found = []
    for name, counted in TABLES.items():
        against = np.zeros(counted.starts[-1], np.int64)
        against[np.array(counted.starts[1:]) - 1] = 2
        columns = {str(each.key.column): VALUES[str(each.key.column)] for each in counted.readings}
        part = DistanceOfTables(Distances(counted, against.tobytes()))
        found.append(Case(f"DistanceOfTables: {name}, wide", part, universe(columns, 2 if len(columns) < 3 else 1)))
    return found


def registered() -> dict[str, type]:
    """Every class in the room of estimators that answers like one, by name.

    Examples
    --------
    >>> "Mean" in registered()
    True
    """
    found = {}
    for room in modules_of("statistic"):
        for name, value in inspect.getmembers(room, inspect.isclass):
            answers = all(callable(getattr(value, act, None)) for act in ("measurements", "conclude"))
            if answers and not getattr(value, "_is_protocol", False):
                found[name] = value
    return found


def cases() -> list[Case]:
    """All cases, of every estimator that has examples.

    Examples
    --------
    >>> {type(case.estimator).__name__ for case in cases()} >= {"Count", "Mean", "Quantile"}
    True
    """
    return [case for examples in EXAMPLES.values() for case in examples()]


def _counts() -> list[Case]:
    found = over_measured(lambda v, cells: [Count(cells, v), Count(cells, Presence("x", v.nullable))])
    rows = universe({"x": [1.0, np.nan], "k": ["a", "b", "zzz", None]})
    for name, states in STATES.items():
        odd = universe({"x": [3.0, 11.0, -1, "a", "zzz", None, True, pd.Timestamp(2020, 1, 1)]}, size=2)
        rows_of_states = Cells((Key("x", states),))
        found.append(Case(f"Count states: {name}", Count(rows_of_states), odd))
    found += [Case(f"Count size, {place}", Count(cells), rows) for place, cells in CELLS.items()]
    for other, nullable in product((False, True), (False, True)):
        for grid in ("even", "odd", "float"):
            interval = replace(GRIDS[grid], nullable=nullable)
            edges = (0.0, 1.0, 2.5) if grid == "odd" else (0.0, 3.0, float(interval.upper))
            bins = Cells((Key("x", Breaks(edges), other, interval),))
            name = f"Count histogram: {grid}, other={other}, nullable={nullable}"
            found.append(Case(name, Count(bins), universe({"x": [*values_of(interval), 2.0, 3.0]})))
    return found


def _pairs() -> list[Case]:
    found = []
    for names in (("even", "odd"), ("quarters", "negative"), ("wide", "float"), ("even", "odd", "two points")):
        for nullable in (False, True):
            variables = tuple(
                Variable(column, replace(GRIDS[name], nullable=nullable and column != "y"))
                for column, name in zip("xyz", names, strict=False)
            )
            most = 3 if len(names) == 2 else 2
            columns = {str(v.column): [*values_of(v.interval)[: 2 if most == 2 else 4], np.nan] for v in variables}
            title = f"{' × '.join(names)}{', nullable' if nullable else ''}"
            rows = universe(columns, size=2)
            found += [Case(f"PairTable: {title}, wide, corr={c}", PairTable(variables, c), rows) for c in (False, True)]
    cells, two = Cells((Key("k", Categories(("a", "b"))),)), (Variable("x", GRIDS["even"]), Variable("y", GRIDS["odd"]))
    columns = {str(each.column): [*values_of(each.interval)[:2], np.nan] for each in two}
    rows = universe({**columns, "k": ["a", "b", "c"]}, size=2)
    return [*found, Case("PairTable: even × odd, wide, in cells", PairTable(two, True, cells=cells), rows)]


def _numbers() -> list[Case]:
    found = over_measured(lambda v, cells: [NumberOfValues(v, cells)], ("odd", "quarters", "float"))
    item = Key("j", Categories((1, 2)))
    rows = universe({"j": [1, 2, 3, None], "k": ["a", "b", "zzz"]})
    return found + [Case(f"NumberOfValues of a key, {p}", NumberOfValues(item, c), rows) for p, c in CELLS.items()]


def _margins() -> list[Case]:
    found = []
    for name, nullable in product(("even", "odd", "negative"), (False, True)):
        variable = Variable("x", replace(GRIDS[name], nullable=nullable))
        values = [*values_of(variable.interval)[:2], np.nan]
        rows = universe({"x": values, "k": ["a", "b"], "j": [1, 2, 3]}, size=2)
        for inner in (Count(CROSS), Count(CROSS, variable), Sum(variable, CROSS)):
            found.append(Case(f"Margins {inner.statistic}: {name}, nullable={nullable}", Margins(inner, 2, 2), rows))
    return found


WEIGHT = Weight.of("w", Interval(Fraction(0), Fraction(2), "integer"))
HALVES = Weight.of("w", Interval(Fraction(1, 2), Fraction(3, 2), "float"))  # counted in many steps


def _surveys() -> list[Case]:
    found = []
    strata = Key("j", Categories((1, 2)))
    for grid, weight in (("even", WEIGHT), ("odd", WEIGHT), ("negative", HALVES), ("float", WEIGHT)):
        variable = Variable("x", GRIDS[grid])
        heavy = [0.0, 0.5, weight.greatest, np.nan]
        values = [*values_of(variable.interval)[:2], values_of(variable.interval)[3], np.nan]
        for place in ("all", "two cells"):
            cells: dict[str, list[Any]] = {"k": ["a", "b", "zzz"]} if place == "two cells" else {}
            rows = universe({"x": values, "w": [*heavy, -1.0, np.inf][: 6 if grid == "odd" else 4], **cells}, size=2)
            part = SurveyEstimate(variable, Survey(weight), "mean", CELLS[place])
            found.append(Case(f"SurveyEstimate mean: {grid}, wide, {place}", part, rows))
    few: dict[str, list[Any]] = {"x": [0.0, 10.0, 3.82, np.nan], "w": [0.0, 1.0, 2.0, np.nan], "j": [1, 2, 9]}
    variable = Variable("x", GRIDS["even"])
    sampled = {
        "sizes measured": Survey(WEIGHT, strata),
        "sizes public": Survey(WEIGHT, strata, (2, 1), None, None, "adjust"),
    }
    sampled["no weights"] = Survey(None, replace(strata, labels=Categories((1,))))
    for name, survey in sampled.items():
        rows = universe(few, size=2)
        found.append(Case(f"SurveyEstimate sum: even, wide, {name}", SurveyEstimate(variable, survey, "sum"), rows))
    grouped = universe({"x": [0.0, 10.0], "w": [1.0, 2.0], "k": ["a", "b"], "j": [1, 2]}, size=2)
    part = SurveyEstimate(variable, Survey(WEIGHT, strata), "mean", CELLS["two cells"])
    found.append(Case("SurveyEstimate mean: even, wide, strata, two cells", part, grouped))
    units = {"": Survey(WEIGHT, clusters=strata, nested=(2,)), ", no weights": Survey(clusters=strata, nested=(2,))}
    for name, survey in units.items():
        rows = universe(few if survey.weight else {**few, "w": [1.0]}, size=2)
        part = SurveyEstimate(variable, survey, "sum")
        found.append(Case(f"SurveyEstimate sum: even, wide, clusters{name}", part, rows))
    part = SurveyEstimate(variable, units[""], "mean", CELLS["two cells"])
    found.append(Case("SurveyEstimate mean: even, wide, clusters, two cells", part, grouped))
    yes, unit = Variable("x", GRIDS["two points"]), Weight.of("w", Interval(Fraction(0), Fraction(1), "integer"))
    for name, survey in {"": Survey(unit), ", strata": Survey(unit, strata)}.items():
        rows = universe({"x": [0.0, 1.0], "w": [1.0], "j": [1, 2] if survey.strata else [1]}, size=2)
        found.append(Case(f"SurveyEstimate mean: two points{name}", SurveyEstimate(yes, survey, "mean"), rows))
    return found


def _weighted_margins() -> list[Case]:
    rows = universe({"w": [0.0, 1.0, 2.0, np.nan], "k": ["a", "b"], "j": [1, 2, 9]}, size=2)
    parts = {name: SurveyCount(survey, CROSS) for name, survey in {"weights": Survey(WEIGHT), **_designs()}.items()}
    return [Case(f"WeightedMargins: wide, {name}", WeightedMargins(part, 2, 2), rows) for name, part in parts.items()]


def _survey_counts() -> list[Case]:
    found = []
    for weight, presence in product((WEIGHT, HALVES), (None, Presence("x"))):
        heavy = [0.0, 0.5, 1.0, weight.greatest, np.nan, -1.0, np.inf]
        for place in ("all", "two cells", "with other"):
            gaps = [1.0] if presence is None else [1.0, np.nan]
            rows = universe({"w": heavy, "k": ["a", "b", "zzz"], "x": gaps}, size=2)
            size, of = ("size" if weight is WEIGHT else "wide"), ", of a column" if presence else ""
            name = f"SurveyCount: {size}, {place}{of}"
            found.append(Case(name, SurveyCount(Survey(weight), CELLS[place], presence), rows))
    for (name, survey), place in product(_designs().items(), ("all", "two cells")):
        rows = universe({"w": [0.0, 1.0, 2.0, np.nan], "k": ["a", "b"], "j": [1, 2, 9]}, size=2)
        found.append(Case(f"SurveyCount: wide, {name}, {place}", SurveyCount(survey, CELLS[place]), rows))
    return found


def _designs() -> dict[str, Survey]:
    key = Key("j", Categories((1, 2)))
    return {
        "sizes public": Survey(WEIGHT, key, (2, 1), None, None, "adjust"),
        "clusters": Survey(WEIGHT, clusters=key, nested=(2,)),
    }


def _ranges() -> list[Case]:
    values = [0.5, 1.0, 1.3, 2.0, 50.0, -1.25, np.nan]
    smallest, largest = Fraction(1), Fraction(2)
    ends = ("lower", "upper")
    both = [ChosenBound("x", smallest, largest, end, ends) for end in ends]  # type: ignore[arg-type]
    parts = [ChosenBound("x", smallest, largest), *both]
    name = "ChosenBound of some sizes"
    return [Case(f"{name}, {part.statistic} {part.end}", part, universe({"x": values})) for part in parts]


def _choices() -> list[Case]:
    found = []
    for grid, nullable in product(("odd", "two points", "negative", "quarters"), ("", "x", "xyz")):
        interval, names = GRIDS[grid], "xyz" if grid == "two points" else "xy"
        variables = tuple(Variable(each, replace(interval, nullable=each in nullable)) for each in names)
        rows = universe({each: [*values_of(interval)[:2], np.nan] for each in names}, size=2)
        title = f"ChosenName: {grid}, {len(names)} candidates, nullable {nullable or 'none'}"
        found.append(Case(title, ChosenName(tuple(names), variables), rows))
    return found


def _ratios() -> list[Case]:
    found = []
    for names, weight in ((("even", "odd"), None), (("odd", "two points"), WEIGHT), (("negative", "even"), HALVES)):
        above, below = (Variable(column, GRIDS[name]) for column, name in zip("xy", names, strict=True))
        heavy = [1.0] if weight is None else [0.0, weight.greatest, np.nan]
        for place in ("all", "two cells"):
            cells: dict[str, list[Any]] = {"k": ["a", "b"]} if place == "two cells" else {}
            both = {"x": values_of(above.interval)[:3], "y": [*values_of(below.interval)[:2], np.nan]}
            rows = universe({**both, "w": heavy, **cells}, size=2)
            steps = "no weights" if weight is None else f"{weight.most} steps"
            found.append(
                Case(
                    f"Ratio: {' × '.join(names)}, wide, {place}, {steps}",
                    Ratio(above, below, Survey(weight), CELLS[place]),
                    rows,
                )
            )
    above, below = Variable("x", GRIDS["even"]), Variable("y", GRIDS["odd"])
    few: dict[str, list[Any]] = {"x": [0.0, 10.0], "y": [-2.0, 3.0, np.nan], "w": [0.0, 2.0], "j": [1, 2, 9]}
    part = Ratio(above, below, _designs()["clusters"])
    return [*found, Case("Ratio: even × odd, wide, all, clusters", part, universe(few, size=2))]


def _distributions(variable: Variable) -> list[Any]:
    """Few bins and two, measured in both ways."""
    top = variable.grid.high - variable.grid.low
    ends = tuple(dict.fromkeys((0, top // 3, 2 * top // 3, top)))
    return [Distribution(variable, ends), *([Distribution(variable, (top // 2, top), 1)] if top > 1 else [])]


def _ranked(variable: Variable, cells: Cells) -> list[Any]:
    """One quantile and several, for either noise."""
    few, many = (Fraction(1, 2),), (Fraction(1, 10), Fraction(1, 2), Fraction(3, 4))
    asked = [RankedValue(variable, few[0], few, cells=cells, norm=norm) for norm in (1, 2)]
    return [*asked, *(RankedValue(variable, many[0], many, cells=cells, norm=norm) for norm in (1, 2))]


def _ranked_distances(variable: Variable, cells: Cells) -> list[Any]:
    """For either noise; what is asked is what two ranked values ask, which are tried in cells, too."""
    if cells.keys:
        return []
    asked = RankedDistance.of(QuantileRange(variable, cells=cells))
    return [replace(asked, first=replace(asked.first, norm=n), second=replace(asked.second, norm=n)) for n in (1, 2)]


def _ranked_values() -> list[Case]:
    """On a short grid, and on one that is long enough for two stages and short enough for all its points in memory."""
    found = over_measured(_ranked, ("even",))
    for nullable in (False, True):
        long = Variable("x", Interval(Fraction(0), Fraction(1499), "integer", nullable))
        name = "long, nullable" if nullable else "long"
        found += [
            Case(f"RankedValue {each.statistic} {each.quantile}: {name}, all", each, rows_for(long, Cells()))
            for each in _ranked(long, Cells())
        ]
    return found


QUANTILES = (Fraction(0), Fraction(1, 4), Fraction(1, 2), Fraction(9, 10), Fraction(1))


def _means_together() -> list[Case]:
    """Each row has both values, or what stands for a missing one."""
    both = Variable("x", GRIDS["even"]), Variable("y", GRIDS["odd"])
    found = []
    for place in ("all", "two cells"):
        cells = CELLS[place]
        keys: dict[str, list[Any]] = {"k": ["a", "b", "zzz"]} if cells.keys else {}
        values = {"x": [*values_of(GRIDS["even"])[:4], np.nan], "y": [-2.0, 3.0]}
        rows, asked = universe({**values, **keys}, size=2), MeanBeside(both[0], cells, None, both)
        found.append(Case(f"MeanBeside mean: even and odd, {place}", asked, rows))
    return found


def _learned() -> list[Case]:
    rows = universe({"x": [0.0, 9.0, np.nan], "k": ["a", "b", "zzz"], "j": [1, 2, 9]}, size=2)
    binned = Key("x", Breaks((0.0, 5.0, 10.0)), False, GRIDS["even"])
    grid = Cells((binned, replace(binned, column="y")))
    points = universe({"x": [0.0, 10.0, np.nan, 99.0], "y": [1.0, 6.0]}, size=2)
    matrix = GramTable((Number(Variable("x", GRIDS["two points"])), Levels(LETTERS)))
    return [
        Case("AdditiveClassification", AdditiveClassification(matrix), rows),
        Case("TablesOfClasses", TablesOfClasses(LETTERS, (binned, Key("j", Categories((1, 2)), True))), rows),
        Case("GridClusters", GridClusters(grid, 2, 0), points),
    ]


def cases_of(statistic: Statistic) -> list[Case]:
    """What it makes by itself of a column that has these values, of each kind, in each kind of cells.

    Examples
    --------
    >>> cases_of(offered()["mean"])[0].name
    'Mean mean: even, all'
    """

    def made(variable: Variable, cells: Cells) -> list[Any]:
        columns: Any = SimpleNamespace(
            domain=Domain(),
            public=public_of(WORLDS[-1], 0),
            variable=lambda _: variable,
            condition=lambda _: variable,
            presence=lambda _: variable if variable.nullable else None,
            takers_of=lambda _: None,
        )
        return [statistic.make(columns, variable.column, cells)]

    return over_measured(made)


EXAMPLES: dict[type, Callable[[], list[Case]]] = {
    Count: _counts,
    Sum: lambda: over_measured(lambda v, cells: [Sum(v, cells)]),
    MeanBeside: _means_together,
    Share: lambda: over_measured(lambda v, cells: [Share(v, cells)], ("two points",)),
    PopulationSum: lambda: over_measured(lambda v, cells: [PopulationSum(v, Bootstrap(4), cells)]),
    Spread: lambda: over_measured(lambda v, cells: [Spread(v, root, cells=cells) for root in (False, True)]),
    StandardError: lambda: over_measured(lambda v, cells: [StandardError(v, cells=cells)], ("even", "odd")),
    PairTable: _pairs,
    Quantile: lambda: over_measured(lambda v, cells: [Quantile(v, q, cells=cells) for q in QUANTILES], ("even", "odd")),
    RankedValue: _ranked_values,
    RankedDistance: lambda: over_measured(_ranked_distances, ("even",)),
    QuantileRange: lambda: over_measured(lambda v, cells: [QuantileRange(v, cells=cells)], ("negative", "quarters")),
    NumberOfValues: _numbers,
    ChosenBound: _ranges,
    Distribution: lambda: over_measured(lambda v, cells: [] if cells.keys else _distributions(v)),
    ChosenName: _choices,
    SmallPValues: lambda: [Case("SmallPValues", SmallPValues("x", 3, 0.2), universe({"x": [0.0, 1.0, np.nan]}))],
    Margins: _margins,
    WeightedMargins: _weighted_margins,
    **OF_MARGINS,
    SurveyEstimate: _surveys,
    SurveyCount: _survey_counts,
    Ratio: _ratios,
    GramTable: gram_cases,
    LeastSquaresFit: fit_cases,
    **OF_SCORES,
    Survival: lives,
    DistanceOfTables: distance_cases,
    TableRegression: table_regressions,
    TablesOfClasses: lambda: [case for case in _learned() if isinstance(case.estimator, TablesOfClasses)],
    AdditiveClassification: lambda: [case for case in _learned() if isinstance(case.estimator, AdditiveClassification)],
    GridClusters: lambda: [case for case in _learned() if isinstance(case.estimator, GridClusters)],
}
EXAMPLES |= {each.makes: partial(cases_of, each) for each in offered().values() if each.makes not in EXAMPLES}


def measurements(asking: Sequence[Case] | None = None) -> dict[Measurement, tuple[Case, tuple[World, ...]]]:
    """Every measurement that a case asks for, once: its case with the most possible rows, and the worlds that ask for
    it.

    Examples
    --------
    >>> {"Counts", "Totals", "Moments", "Ranks"} <= {type(measurement).__name__ for measurement in measurements()}
    True
    """
    found: dict[Measurement, tuple[Case, tuple[World, ...]]] = {}
    for case in cases() if asking is None else asking:
        for world in WORLDS:
            for measurement in case.measurements(public_of(world, case.universe.size)):
                if isinstance(measurement, Form):  # which makes one when it is told: tests/contracts/test_stages.py
                    continue
                first, worlds = found.get(measurement, (case, ()))
                richer = max(first, case, key=lambda each: len(each.universe.rows))
                found[measurement] = (richer, tuple(dict.fromkeys([*worlds, world])))
    return found
