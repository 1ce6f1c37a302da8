"""Several tables over the same rows, planned in one budget."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Unpack

import pandas as pd

from ..core.arguments import key_names
from ..core.door.asking import Asking, TableQuestions, estimator
from ..core.door.importance import names_of
from ..core.door.keywords import Keywords, edges_of, read_bins
from ..core.label.label import TOTAL
from ..core.label.layout import Layout
from ..core.label.release import Release
from ..core.measure.cells import Cells, Key
from ..core.noise.gaussian import DiscreteGaussian
from ..core.plan.plan import Asked
from ..core.schema.values import Breaks
from ..errors import UnsupportedArgument, shown
from ..numeric.statistic_means import Mean
from ..numeric.statistic_sums import Count, Sum
from .ask_hierarchies import Hierarchies, check_spare
from .ask_margins import (
    RequestedTables,
    are_requested,
    check_one_row,
    check_planned,
    impossible,
    margin_labels,
    read_ranges,
    read_spending,
    read_tables,
    table_of,
)
from .planning.margins import subsets
from .planning.planning import MeasuredShares
from .statistic import MeansOfMargins, TableOfMargins

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
        return are_requested(self.measure, self.ranges, beside, means)

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


def release_marginals(frame: pd.DataFrame, said: Marginals, keywords: Keywords) -> Release:
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
    requested = RequestedTables(keys, tables, spending, said.consistent, said.by_effects)
    items = said.items()
    columns = list(dict.fromkeys(column for column, _ in items if column is not None))
    levels = Hierarchies.read(said.hierarchies, frame)
    binned = read_bins("marginals", said.bins, requested.keys)
    of_keys = [key for key in levels.columns(requested.keys) if key not in binned]
    measured = [*columns, *(key for key in binned if key not in columns)]
    asking = Asking(frame, "marginals", keywords, columns=measured, keys=[*of_keys, *binned], counts_keys=True)
    cells = asking.in_reason(Cells(tuple(_key(asking, levels, name, binned) for name in requested.keys)))
    check_spare(cells, requested.shown)
    check_planned(asking)
    if requested.by_effects:
        check_one_row(asking)
    requested = replace(requested, runs=read_ranges("marginals", said.ranges, cells))
    zeros = impossible(asking, cells, said.structural_zeros)
    joint = len(items) > max(len(columns), 1)  # several statistics of a column come from one measurement
    parts = []
    for column, name in items:
        inner = estimator(asking, "mean" if joint else name if column is not None else "size", column, cells)
        if joint and name != "mean":
            estimator(asking, name, column, cells)  # refuses what has no sum
        assert isinstance(inner, Count | Sum | Mean)
        table = table_of(inner, requested, zeros)
        parts.append(Asked(column, replace(table, says=name) if isinstance(table, MeansOfMargins) else table))
    return asking, parts


def _key(asking: Asking, levels: Hierarchies, name: Hashable, binned: Mapping[Hashable, Any]) -> Key:
    """A column in its bins, as it is, or one of its levels."""
    if name in binned:
        return asking.bins(name, Breaks(edges_of(asking.domain, name, binned[name])))
    return levels.key(asking, name)


def list_of(names: Any) -> Any:
    return list(names) if isinstance(names, tuple) else names


def compared(frame: pd.DataFrame, tables: Any, importance: Any, keywords: Keywords) -> pd.DataFrame:
    """Standard deviations of each wanted margin under several ways to spend the same cost."""
    asking, (requested,) = asked(frame, Marginals(tables, importance=importance), keywords)
    part = requested.estimator
    assert isinstance(part, TableOfMargins)
    every = tuple(range(len(part.cells.shape)))
    full = tuple(margin for margin in subsets(every) if margin) if len(every) <= MOST_IN_FULL else ()
    ways = {"interior": ((every,), False), "margins": (part.shown, False), "all": (full, False)}
    found = {}
    for name, (measured, fitted) in {**ways, "all, consistent": (full, True)}.items():
        way = replace(part, spending=MeasuredShares.evenly(measured), fitted=fitted) if measured else None
        found[name] = _deviations(asking, way)
    found["planned"] = _deviations(asking, part)
    found["effects"] = _deviations(asking, _of_effects(asking, part))
    names = [" × ".join(str(part.cells.keys[place].column) for place in margin) or TOTAL for margin in part.shown]
    return Compared(found, index=pd.Index(names, name="table"))


def _of_effects(asking: Asking, part: TableOfMargins) -> TableOfMargins | None:
    """The same by effects, where they can be measured."""
    plan = asking.planned(Asked(None, part))
    if asking.over_rows is not None or not all(isinstance(step.laws[0], DiscreteGaussian) for step in plan.steps):
        return None
    return replace(part, by="effects")


def _deviations(asking: Asking, part: TableOfMargins | None) -> list[float] | float:
    """The standard deviation of one cell of each shown table; NaN where there is none such."""
    if part is None:
        return float("nan")
    plan = asking.planned(Asked(None, part))
    planned: Any = plan.question.parts[0].estimator
    evidence = planned.outlook([plan.steps[at].laws[0] for at in plan.requested[0]])
    return [evidence.sd_of(margin) for margin in part.shown]


class MarginalQuestions(TableQuestions):
    """Several tables over the same rows, planned in one budget."""

    def marginals(
        self,
        tables: Sequence[Sequence[Hashable]],
        values: Hashable | Sequence[Hashable] | None = None,
        aggfunc: str | Sequence[str] | None = None,
        *,
        importance: Sequence[float] | str | None = None,
        cost_shares: Sequence[float] | None = None,
        consistent: bool = True,
        structural_zeros: Any = None,
        hierarchies: Mapping[Hashable, Mapping[Hashable, Any]] | None = None,
        bins: Mapping[Hashable, Any] | None = None,
        measure: str = "tables",
        ranges: Mapping[Hashable, str] | None = None,
        **keywords: Unpack[Keywords],
    ) -> Release:
        """Several tables of counts, or of sums and means of `values`, over the same rows, planned in one budget.

        The tables are one below the other; a key that a table adds up over reads `All`. A row counts where it has a
        declared category in every key, so the tables agree.

        Parameters
        ----------
        tables : list of lists of keys
            The tables to publish; `[]` is the total.
        values : column or list of columns, optional
            Measured in place of counting rows.
        aggfunc : "count", "sum", "mean" or a list of them, optional
            What is asked of `values`; sums if not given. Several statistics of one column come from the same
            measurement, so that the sum is the count times the mean, except where the noise leaves a count too small
            for it: there the mean is cut to its bounds. With a list the columns of the answer are (variable, statistic,
            measure).
        importance : list of float, or "largest", optional
            How much the variance of each table matters; the shares of the cost follow. "largest": the largest variance
            of all tables is made as small as can be, in place of their sum.
        cost_shares : list of float, optional
            The shares of the cost themselves.
        consistent : bool
            Weighted least squares of all that was measured; without it every table has its own independent noise.
        structural_zeros : list of mappings, optional
            Combinations that cannot be.
        hierarchies : mapping, optional
            Coarser levels of keys: for each column names of levels, each a mapping from its categories to groups,
            {"age": {"band": {"0-4": "0-14", "5-14": "0-14", "15+": "15+"}}}. Then `band` is a key for tables, which
            agree with those over `age`.
        bins : mapping, optional
            Keys that are numbers, each with a number of equal bins over its declared range, or with edges.
        measure : "tables" or "effects"
            What is given noise: tables, whose cells tests can read, or what each set of keys tells by itself, which
            is never worse in rho and a third better for many keys of two categories (`plan_marginals` says how much).
            Then no number has noise of its own, and epsilon alone does not pay.
        ranges : mapping, optional
            Ordered keys, each with the runs of its categories or bins that matter: "prefix", all from the first on, or
            "all". The counts of any run are then told far better than by adding cells up, and those of single cells a
            little worse; `release.dp.margin(keys, where={"age": slice(18, 64)})` gives them. Of counts and of sums;
            as by effects in rho, and by blocks of categories under epsilon alone.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(epsilon=10)
        >>> people = session.protect(pd.DataFrame({"sex": ["f", "m"] * 500, "vote": ["yes", "no"] * 500}))
        >>> table = people.dp.marginals([["sex", "vote"], ["sex"], []], epsilon=1,
        ...                             categories={"sex": ["f", "m"], "vote": ["yes", "no"]})
        >>> table.index.tolist()[4:]
        [('f', 'All'), ('m', 'All'), ('All', 'All')]
        """
        fitted = (importance, cost_shares, consistent, structural_zeros, hierarchies)
        said = Marginals(tables, values, aggfunc, *fitted, bins, measure, ranges)
        return release_marginals(self._frame, said, keywords)

    def plan_marginals(
        self,
        tables: Sequence[Sequence[Hashable]],
        *,
        importance: Sequence[float] | str | None = None,
        **keywords: Unpack[Keywords],
    ) -> pd.DataFrame:
        """What standard deviation each table's numbers would have, by how the cost is spent. Nothing is spent.

        `interior`: the cells alone, added up. `margins`: the tables asked for alone. `all`: the cells and every margin,
        equally, each with its own noise, and the same made consistent; of more than eight keys not tried. `planned`: as
        `marginals` would. `effects`: as it would with `measure="effects"`, where that can be paid.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(epsilon=10, neighbours="add_remove")
        >>> people = session.protect(pd.DataFrame({"sex": ["f", "m"] * 500, "vote": ["yes", "no"] * 500}))
        >>> plan = people.dp.plan_marginals([["sex"], ["vote"]], epsilon=0.1,
        ...                                 categories={"sex": ["f", "m"], "vote": ["yes", "no"]})
        >>> plan.loc["sex"].round(1).to_dict()
        {'interior': 20.0, 'margins': 28.3, 'all': 42.4, 'all, consistent': 31.0, 'planned': 20.0, 'effects': nan}
        """
        return compared(self._frame, tables, importance, keywords)


class Compared(pd.DataFrame):
    """Standard deviations: three digits of each, no column left out, and `not offered` where a way does not exist."""

    @property
    def _constructor(self) -> type[pd.DataFrame]:
        return pd.DataFrame

    def __repr__(self) -> str:
        plain = pd.DataFrame(self)
        if not all(pd.api.types.is_float_dtype(dtype) for dtype in plain.dtypes):
            return plain.to_string()
        return plain.to_string(float_format=lambda value: f"{value:.3g}", na_rep="not offered", line_width=160)
