"""Several tables over the same rows, asked for by `marginals`: one release, one table below the other."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import replace
from typing import Any

import pandas as pd

from ..dataclass import dataclass
from ..domain import Breaks
from ..errors import UnsupportedArgument, shown
from ..laws import DiscreteGaussian
from ..margins import ByEffects, Importance, Measured, subsets
from ..release import TOTAL, Layout, Release
from ..session import Asked
from ..statistics import Count, Mean, MeansOfMargins, Sum, TableOfEffects, TableOfMargins
from ..tally import Cells, Key
from .aggregate import names_of
from .asking import Asking
from .bins import edges_of, read_bins
from .compared_ways import Compared
from .effects import are_wanted, check_one_row, read_ranges
from .grouped import key_names
from .hierarchies import Hierarchies, check_spare
from .keywords import Keywords
from .margins import Wanted, check_planned, impossible, margin_labels, read_spending, read_tables, table_of
from .statistics import estimator

MOST_IN_FULL = 8  # keys of which all tables are tried in a comparison
OFFERED = ("count", "sum", "mean")


@dataclass(frozen=True)
class Marginals:
    """What a call of `marginals` says, beside the keywords that every question takes."""

    tables: Any
    values: Any = None
    aggfunc: Any = None
    importance: Any = None
    cost_shares: Any = None
    consistent: Any = True
    structural_zeros: Any = None
    hierarchies: Any = None
    bins: Any = None
    measure: Any = "tables"
    ranges: Any = None

    @property
    def by_effects(self) -> bool:
        """Whether effects are measured by themselves."""
        beside = {
            "cost_shares": self.cost_shares is not None,
            "consistent": not self.consistent,
            "structural_zeros": self.structural_zeros is not None,
            "hierarchies": self.hierarchies is not None,
        }
        means = self.values is not None and any(name != "sum" for _, name in self.items())
        return are_wanted(self.measure, self.ranges, beside, means)

    @property
    def several(self) -> bool:
        """Whether the answer names columns and statistics."""
        return isinstance(self.values, list | tuple) or isinstance(self.aggfunc, list | tuple)

    def items(self) -> list[tuple[Hashable, str]]:
        """Column and statistic of each number; rows are counted where there is no column."""
        if self.values is None:
            if not (self.aggfunc is None or (isinstance(self.aggfunc, str) and self.aggfunc == "count")):
                raise UnsupportedArgument("marginals needs values= for aggfunc=; without, it counts rows.")
            return [(None, "count")]
        columns = key_names("marginals", self.values)
        twice = next((name for place, name in enumerate(columns) if name in columns[:place]), None)
        if twice is not None:
            raise UnsupportedArgument("marginals was given a column twice; name each once.", argument="values")
        functions = names_of("sum" if self.aggfunc is None else list_of(self.aggfunc))
        odd = next((name for name in functions if name not in OFFERED), None)
        if odd is not None:
            raise UnsupportedArgument(
                f"marginals offers {', '.join(map(repr, OFFERED))} of values=; ask for others by groupby.",
                argument="aggfunc",
            )
        return [(column, name) for column in columns for name in functions]


def release(frame: pd.DataFrame, said: Marginals, keywords: Keywords) -> Release:
    """All margins as one release, one table below the other."""
    asking, parts = asked(frame, said, keywords)
    (first, *_), several = parts, said.several
    titles = pd.MultiIndex.from_tuples([(part.column, part.estimator.statistic) for part in parts]) if several else None
    assert isinstance(first.estimator, TableOfMargins)
    rows = margin_labels(first.estimator.cells, first.estimator.shown)
    return asking.release(parts, Layout(rows, titles, "measures"))


def asked(frame: pd.DataFrame, said: Marginals, keywords: Keywords) -> tuple[Asking, list[Asked]]:
    """The question, planned; nothing is looked at."""
    keys, tables = read_tables("marginals", said.tables)
    if not isinstance(said.consistent, bool):
        raise UnsupportedArgument(
            f"consistent must be True or False, not {shown(said.consistent)}.", argument="consistent"
        )
    spending = read_spending("marginals", tables, said.importance, said.cost_shares, said.consistent)
    by_effects = said.by_effects
    if by_effects:
        assert isinstance(spending, Importance)
        spending = ByEffects(spending.of_each, spending.largest)
    wanted, items = Wanted(keys, tables, spending, said.consistent), said.items()
    columns = list(dict.fromkeys(column for column, _ in items if column is not None))
    levels = Hierarchies.read(said.hierarchies, frame)
    binned = read_bins("marginals", said.bins, wanted.keys)
    of_keys = [key for key in levels.columns(wanted.keys) if key not in binned]
    measured = [*columns, *(key for key in binned if key not in columns)]
    asking = Asking(frame, "marginals", keywords, columns=measured, keys=[*of_keys, *binned], counts_keys=True)
    cells = asking.in_reason(Cells(tuple(_key(asking, levels, name, binned) for name in wanted.keys)))
    check_spare(cells, wanted.shown)
    check_planned(asking)
    if by_effects:
        check_one_row(asking)
    wanted = replace(wanted, runs=read_ranges("marginals", said.ranges, cells))
    zeros = impossible(asking, cells, said.structural_zeros)
    joint = len(items) > max(len(columns), 1)  # several statistics of a column come from one measurement
    parts = []
    for column, name in items:
        inner = estimator(asking, "mean" if joint else name if column is not None else "size", column, cells)
        if joint and name != "mean":
            estimator(asking, name, column, cells)  # refuses what has no sum
        assert isinstance(inner, Count | Sum | Mean)
        table = table_of(inner, wanted, zeros)
        parts.append(Asked(column, replace(table, says=name) if isinstance(table, MeansOfMargins) else table))
    return asking, parts


def _key(asking: Asking, levels: Hierarchies, name: Hashable, binned: Mapping[Hashable, Any]) -> Key:
    """A column in its bins, as it is, or one of its levels."""
    if name in binned:
        return asking.bins(name, Breaks(edges_of(asking, name, binned[name])))
    return levels.key(asking, name)


def list_of(names: Any) -> Any:
    return list(names) if isinstance(names, tuple) else names


def compared(frame: pd.DataFrame, tables: Any, importance: Any, keywords: Keywords) -> pd.DataFrame:
    """Standard deviations of each wanted margin under several ways to spend the same cost."""
    asking, (wanted,) = asked(frame, Marginals(tables, importance=importance), keywords)
    part = wanted.estimator
    assert isinstance(part, TableOfMargins)
    every = tuple(range(len(part.cells.shape)))
    full = tuple(kept for kept in subsets(every) if kept) if len(every) <= MOST_IN_FULL else ()
    ways = {"interior": ((every,), False), "margins": (part.shown, False), "all": (full, False)}
    found = {}
    for name, (measured, fitted) in {**ways, "all, consistent": (full, True)}.items():
        way = replace(part, spending=Measured.evenly(measured), fitted=fitted) if measured else None
        found[name] = _deviations(asking, way)
    found["planned"] = _deviations(asking, part)
    found["effects"] = _deviations(asking, _of_effects(asking, part))
    names = [" × ".join(str(part.cells.keys[place].column) for place in kept) or TOTAL for kept in part.shown]
    return Compared(found, index=pd.Index(names, name="table"))


def _of_effects(asking: Asking, part: TableOfMargins) -> TableOfMargins | None:
    """The same by effects, where they can be measured."""
    assert isinstance(part.spending, Importance)
    plan = asking.planned(Asked(None, part))
    if asking.over_rows is not None or not all(isinstance(step.laws[0], DiscreteGaussian) for step in plan.steps):
        return None
    return TableOfEffects(part.inner, part.shown, ByEffects(part.spending.of_each, part.spending.largest))


def _deviations(asking: Asking, part: TableOfMargins | None) -> list[float] | float:
    """The standard deviation of one cell of each shown table; NaN where there is none such."""
    if part is None:
        return float("nan")
    plan = asking.planned(Asked(None, part))
    planned: Any = plan.question.parts[0].estimator
    evidence = planned.outlook([plan.steps[at].laws[0] for at in plan.wanted[0]])
    return [evidence.sd_of(kept) for kept in part.shown]
