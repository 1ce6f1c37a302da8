"""What a user asks of several tables: keys, ranges, margins, what is spent on each, cells that cannot be."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from typing import Any

import numpy as np
import pandas as pd

from ..core.arguments import is_number
from ..core.door.asking import Asking
from ..core.label.label import TOTAL, key_labels
from ..core.label.layout import Layout
from ..core.label.release import Release
from ..core.measure.cells import Cells
from ..core.measure.statistic import Estimator
from ..core.plan.plan import Asked
from ..errors import BadArgument, UnsupportedArgument, shown, wrong_value
from ..numeric.statistic_means import Mean
from ..numeric.statistic_sums import Count, Sum
from .evidence import Way
from .planning.margins import Margin
from .planning.planning import Importance, MeasuredShares
from .planning.prefixes import MOST_BINS
from .planning.runs import REQUESTED, MetricName
from .statistic import MeansOfMargins, TableOfMargins


def are_requested(measure: Any, ranges: Any, beside: Mapping[str, bool], means: bool) -> bool:
    """Whether effects are measured by themselves; refused beside what has none: `beside` says what is there, and
    `means` whether anything but counts and sums is asked for."""
    if measure not in ("tables", "effects"):
        raise wrong_value("measure", 'be "tables" or "effects"', measure)
    if measure == "tables" and ranges is None:
        return False
    how, what = ("measure='effects'", "effects") if ranges is None else ("ranges=", "counts and sums")
    there = {**beside, "aggfunc": means and ranges is not None}
    name = next((name for name, given in there.items() if given), None)
    if name is not None:
        raise UnsupportedArgument(
            f"marginals takes no {name}= beside {how}, which measures {what} of tables that agree and whose cells can "
            "all be; leave one of them out.",
            argument=name,
        )
    return True


def check_one_row(asking: Asking) -> None:
    if asking.over_rows is not None:
        raise UnsupportedArgument(
            "effects and ranges are measured of tables with one row of each person; protect such a table with "
            "one_row=True, or leave out measure= and ranges=.",
            argument="measure",
        )


def read_ranges(statistic: str, given: Any, cells: Cells) -> tuple[MetricName, ...]:
    """Of each key, which of its runs are wanted; none where there are no ranges."""
    if given is None:
        return ()
    if not isinstance(given, Mapping) or not given:
        raise wrong_value("ranges", 'map ordered keys to "prefix" or "all", e.g. {"age": "all"}', given)
    names = [key.name for key in cells.keys]
    for name, runs in given.items():
        if name not in names:
            raise UnsupportedArgument(
                f"ranges= of {statistic} names something that is no key of its tables; name keys alone.",
                argument="ranges",
            )
        if runs not in REQUESTED:
            raise BadArgument(f'ranges of {name!r} must be "prefix" or "all".', argument="ranges")
        check_ordered(statistic, cells, names.index(name))
    return tuple(given.get(name, "cells") for name in names)


def check_ordered(statistic: str, cells: Cells, place: int) -> None:
    key = cells.keys[place]
    if key.other:
        raise UnsupportedArgument(
            f"{statistic} tells runs of categories in their order, which other=True has no place in; leave it out, or "
            "declare all categories.",
            argument="other",
        )
    if not 2 <= key.size <= MOST_BINS:
        raise UnsupportedArgument(
            f"{statistic} tells runs of 2 to {MOST_BINS:,} categories or bins, and {key.name!r} has {key.size:,}; "
            "use bins=.",
            column=key.name,
        )


def runs_of_one(cells: Cells) -> tuple[MetricName, ...]:
    """Any run of the only key."""
    check_ordered("histogram", cells, 0)
    return ("all",)


MOST_TABLES = 256
LARGEST = "largest"


@dataclass(frozen=True)
class RequestedTables:
    """What is asked of a table: its keys, the margins to show, and how the cost is shared or what matters of them."""

    keys: tuple[Hashable, ...]
    shown: tuple[Margin, ...]
    spending: MeasuredShares | Importance
    fitted: bool = True
    by_effects: bool = False
    runs: tuple[MetricName, ...] = ()


@dataclass(frozen=True)
class Crossed:
    """What a call of `crosstab` or `pivot_table` says, beside the keywords that every question takes."""

    statistic: str
    index: Any
    columns: Any
    values: Any = None
    aggfunc: Any = "count"
    margins: Any = False
    structural_zeros: Any = None
    hierarchies: Any = None
    rownames: Any = None
    colnames: Any = None
    margins_name: str = TOTAL


def read_tables(statistic: str, tables: Any) -> tuple[tuple[Hashable, ...], tuple[Margin, ...]]:
    """All keys, and the margins over them, from lists of keys; [] is the total."""
    if isinstance(tables, str) or not isinstance(tables, list | tuple) or not tables:
        raise UnsupportedArgument(
            f'{statistic} takes a list of tables, each a list of keys, e.g. [["sex", "age"], ["sex"], []].'
        )
    if len(tables) > MOST_TABLES:
        raise UnsupportedArgument(f"{statistic} takes at most {MOST_TABLES} tables, not {len(tables)}.")
    lists = [list(table) if isinstance(table, list | tuple) else [table] for table in tables]
    if not all(pd.api.types.is_hashable(key) for table in lists for key in table):
        raise UnsupportedArgument(
            f"{statistic} takes names of columns as keys; make derived keys columns first, e.g. "
            "df.assign(month=df['day'].dt.month), and declare their categories."
        )
    keys = tuple(dict.fromkeys(key for table in lists for key in table))
    if not keys:
        raise UnsupportedArgument(f"{statistic} needs a table with a key; the total alone is count().")
    margins = tuple(tuple(sorted(keys.index(key) for key in table)) for table in lists)
    twice = len(set(margins)) < len(margins) or any(len(set(outer)) < len(outer) for outer in margins)
    if twice:
        raise UnsupportedArgument(f"{statistic} was given a table, or a key within one, twice; name each once.")
    return keys, margins


def read_spending(
    statistic: str, shown: tuple[Margin, ...], importance: Any, cost_shares: Any, fitted: bool
) -> MeasuredShares | Importance:
    """The given shares of the cost, equal ones where nothing is fitted, else the importance of each table."""
    largest = isinstance(importance, str) and importance == LARGEST
    matters = _weights(statistic, "importance", None if largest else importance, len(shown))
    if largest and (cost_shares is not None or not fitted):
        raise UnsupportedArgument(
            f"{statistic} plans for the largest variance by importance='largest', with tables that are made to agree; "
            "leave out cost_shares= and consistent=.",
            argument="importance",
        )
    if cost_shares is None and fitted:
        return Importance(matters, largest)
    given = _weights(statistic, "cost_shares", cost_shares, len(shown))
    return MeasuredShares.of(dict(zip(shown, given, strict=True)))


def _weights(statistic: str, name: str, given: Any, many: int) -> tuple[float, ...]:
    if given is None:
        return (1.0,) * many
    numbers = list(given) if isinstance(given, list | tuple | np.ndarray) else None
    wrong = None
    if numbers is None:
        wrong = f"{shown(given)} was given"
    elif len(numbers) != many:
        wrong = f"those given are {'more' if len(numbers) > many else 'fewer'}"
    elif not all(is_number(n) for n in numbers):
        wrong = "not all of those given are numbers"
    elif not all(n > 0 and isfinite(n) for n in numbers):
        wrong = "not all of those given are positive and finite"
    if wrong is not None:
        raise UnsupportedArgument(
            f"{name} of {statistic} must be a list of {many} positive numbers, one for each table; {wrong}.",
            argument=name,
        )
    assert numbers is not None
    return tuple(float(n) for n in numbers)


def check_planned(asking: Asking) -> None:
    if asking.read.request.bootstrap is not None:
        raise UnsupportedArgument(
            f"planned margins describe the rows in the data, so this {asking.statistic} takes no bootstrap=; leave it "
            "out.",
            argument="bootstrap",
        )


def table_of(inner: Count | Sum | Mean, requested: RequestedTables, zeros: tuple[int, ...]) -> TableOfMargins:
    """The question; what is measured for it is decided when it is planned."""
    by: Way = "runs" if requested.runs else "effects" if requested.by_effects else "tables"
    how = (requested.shown, requested.spending, requested.fitted, None, zeros, by, requested.runs)
    return MeansOfMargins(inner, *how) if isinstance(inner, Mean) else TableOfMargins(inner, *how)


def margin_labels(cells: Cells, margins: Sequence[Margin]) -> pd.Index:
    """The cells of all margins, one table after the other."""
    labels = [[str(each) if isinstance(each, pd.Interval) else each for each in key_labels(key)] for key in cells.keys]
    return labels_of_tables([key.name for key in cells.keys], labels, margins)


def labels_of_tables(names: Sequence[Hashable], labels: Sequence[Sequence[Any]], tables: Sequence[Margin]) -> pd.Index:
    """The cells of tables over keys with these labels, one table after the other; a key that was summed out reads
    All."""
    sizes = [len(each) for each in labels]
    found = [np.zeros((len(names), 0), int)]
    for margin in tables:
        places = np.indices([size if place in margin else 1 for place, size in enumerate(sizes)]).reshape(
            len(names), -1
        )
        found.append(np.where(np.isin(np.arange(len(names)), margin)[:, None], places, np.array(sizes)[:, None]))
    each = zip(labels, np.concatenate(found, axis=1), strict=True)
    columns = [_objects([*own, TOTAL])[codes] for own, codes in each]
    if len(names) == 1:
        return pd.Index(columns[0].tolist(), name=names[0], tupleize_cols=False)
    return pd.MultiIndex.from_arrays(columns, names=list(names))


def _objects(labels: Sequence[Any]) -> np.ndarray[Any, Any]:
    """An array of labels as they are, tuples too."""
    found = np.empty(len(labels), dtype=object)
    found[:] = labels
    return found


def read_rules(given: Any) -> Sequence[Mapping[Any, Any]]:
    """Structural zeros: mappings from keys to a category, or to a list of them."""
    rules: Any = [] if given is None else [given] if isinstance(given, Mapping) else given
    if not isinstance(rules, list | tuple) or not all(isinstance(rule, Mapping) and rule for rule in rules):
        raise UnsupportedArgument(
            "structural_zeros must be mappings from keys to categories, "
            'e.g. [{"age": "0-14", "work": ["full", "part"]}].'
        )
    return rules


def impossible(asking: Asking, cells: Cells, declared: Any) -> tuple[int, ...]:
    """The cells that structural zeros name, each a mapping from keys to a category or a list of them."""
    rules = read_rules(declared)
    if declared is None:
        return ()
    found = np.zeros(cells.shape, dtype=bool)
    for rule in rules:
        found[np.ix_(*(_named(cells, place, rule) for place in range(len(cells.keys))))] = True
        unknown = [key for key in rule if key not in {key.name for key in cells.keys}]
        if unknown:
            raise UnsupportedArgument(
                f"structural_zeros name what is no key of this {asking.statistic}; its keys are: "
                f"{', '.join(repr(key.name) for key in cells.keys)}."
            )
    if found.all():
        raise UnsupportedArgument("structural_zeros leave no cell that can be.")
    return tuple(np.flatnonzero(found).tolist())


def _named(cells: Cells, place: int, rule: Mapping[Any, Any]) -> list[int]:
    key = cells.keys[place]
    if key.name not in rule:
        return list(range(key.size))
    labels, given = list(key_labels(key)), rule[key.name]
    values = list(given) if isinstance(given, list | tuple | set | frozenset) else [given]
    if not all(value in labels for value in values):
        raise UnsupportedArgument(
            f"structural_zeros name a category of {key.name!r} that was not declared; use the declared ones.",
            column=key.name,
        )
    return [labels.index(value) for value in values]


def around(asking: Asking, part: Estimator, sides: tuple[Cells, Cells], said: Crossed) -> TableOfMargins:
    """A rectangle of cells with planned margins, or with none but with cells that cannot be."""
    if asking.survey is not None and not isinstance(part, Count | Sum | Mean):
        raise UnsupportedArgument(
            "planned margins and structural zeros are for tables of the rows as they are, not for weighted ones; "
            "margins=True adds weighted cells up, with the errors of their design.",
            argument="margins",
        )
    if not isinstance(part, Count | Sum | Mean):
        raise UnsupportedArgument(
            f"planned margins and structural zeros are for counts, sums and means, not for {part.statistic}.",
            argument="margins",
        )
    zeros = impossible(asking, part.cells, said.structural_zeros)
    every, down = tuple(range(len(part.cells.keys))), len(sides[0].keys)
    if said.margins is False:
        return table_of(part, RequestedTables((), (every,), MeasuredShares.evenly([every]), False), zeros)
    names = {"cells": every, "rows": every[:down], "columns": every[down:], "total": ()}
    shown = tuple(names.values())
    spending: MeasuredShares | Importance = Importance((1.0,) * len(names))
    if isinstance(said.margins, Mapping):
        if set(said.margins) != set(names):
            raise UnsupportedArgument(
                'margins= takes shares of the cost as {"cells": 3, "rows": 1, "columns": 1, "total": 1}, all '
                "four of them.",
                argument="margins",
            )
        given = [said.margins[name] for name in names]
        spending = MeasuredShares.of(
            dict(zip(shown, _weights(asking.statistic, "cost_shares", given, len(shown)), strict=True))
        )
    check_planned(asking)
    return replace(
        table_of(part, RequestedTables((), shown, spending), zeros), rectangle=(sides[0].size, sides[1].size)
    )


def runs_of_bins(asking: Asking, cells: Cells) -> Release:
    """The counts of all bins, from what tells their runs best."""
    check_planned(asking)
    check_one_row(asking)
    if asking.survey is not None:
        raise UnsupportedArgument(
            "histogram tells runs of bins without weights; leave out weights= or ranges=.", argument="ranges"
        )
    part = TableOfMargins(Count(cells), ((0,),), Importance((1.0,)), by="runs", requested=runs_of_one(cells))
    return asking.release([Asked(asking.columns[0], part)], Layout(key_labels(cells.keys[0]), None, "measures"))
