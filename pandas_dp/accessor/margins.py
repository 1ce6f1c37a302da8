"""Tables with margins planned in one budget: which are wanted, which are measured, and how they share the cost."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import isfinite
from typing import Any

import numpy as np
import pandas as pd

from ..cost import Approximate, Pure
from ..errors import UnsupportedArgument, shown
from ..estimators import (
    Count,
    Estimator,
    Mean,
    MeansOfMargins,
    Sum,
    TableOfMargins,
    Workload,
    exact_shares,
    has_free_total,
)
from ..evidence import Kept, Tables, Tie, subsets, with_told
from ..layouts import Layout, key_labels
from ..release import Release
from ..session import Asked
from ..tally import Cells, Norm
from .aggregate import names_of
from .asking import Asking
from .grouped import key_names
from .hierarchies import Hierarchies, check_spare, finest, nested_sizes, ties_of
from .keywords import Keywords
from .statistics import estimator

TOTAL = "All"
MOST_TABLES = 64
OFFERED = ("count", "sum", "mean")


@dataclass(frozen=True)
class Wanted:
    """What is asked of one table: its keys, the margins to show and the importance of each."""

    keys: tuple[Hashable, ...]
    margins: tuple[Kept, ...]
    importance: tuple[float, ...]


def read_tables(statistic: str, tables: Any, importance: Any) -> Wanted:
    """Lists of keys; [] is the total."""
    if isinstance(tables, str) or not isinstance(tables, list | tuple) or not tables:
        raise UnsupportedArgument(
            f'{statistic} takes a list of tables, each a list of keys, e.g. [["sex", "age"], ["sex"], []].'
        )
    if len(tables) > MOST_TABLES:
        raise UnsupportedArgument(f"{statistic} takes at most {MOST_TABLES} tables, not {len(tables)}.")
    lists = [list(table) if isinstance(table, list | tuple) else [table] for table in tables]
    keys = tuple(dict.fromkeys(key for table in lists for key in table))
    if not keys:
        raise UnsupportedArgument(f"{statistic} needs a table with a key; the total alone is count().")
    margins = tuple(tuple(sorted(keys.index(key) for key in table)) for table in lists)
    twice = len(set(margins)) < len(margins) or any(len(set(margin)) < len(margin) for margin in margins)
    if twice:
        raise UnsupportedArgument(f"{statistic} was given a table, or a key within one, twice; name each once.")
    return Wanted(keys, margins, _weights(statistic, "importance", importance, len(margins)))


def _weights(statistic: str, name: str, given: Any, many: int) -> tuple[float, ...]:
    if given is None:
        return (1.0,) * many
    numbers = list(given) if isinstance(given, list | tuple | np.ndarray) else []
    fit = all(isinstance(n, int | float | np.number) and not isinstance(n, bool) and n > 0 for n in numbers)
    if len(numbers) != many or not fit or not all(isfinite(n) for n in numbers):
        raise UnsupportedArgument(
            f"{name} of {statistic} must be a list of {many} positive numbers, one for each table; "
            f"{shown(given)} was given.",
            argument=name,
        )
    return tuple(float(n) for n in numbers)


def planned(
    asking: Asking, inner: Count | Sum | Mean, wanted: Wanted, weights: Any, fitted: bool, zeros: tuple[int, ...]
) -> TableOfMargins:
    """The estimator, with the given weights or the shares of least expected variance."""
    if asking.read.request.bootstrap is not None:
        raise UnsupportedArgument(
            f"planned margins describe the rows at hand, so this {asking.statistic} takes no bootstrap=; leave it out.",
            argument="bootstrap",
        )
    setting = asking.session.setting(asking.data)
    ties = ties_of(inner.cells.keys)
    if weights is not None or not fitted:
        given = _weights(asking.statistic, "weights", weights, len(wanted.margins))
        shares = exact_shares(dict(zip(wanted.margins, given, strict=True)))
    else:
        candidates = tuple(dict.fromkeys([*wanted.margins, finest(inner.cells.keys, ties)]))
        free = has_free_total(inner, candidates, setting)
        wholes = {with_told(kept, ties): kept for kept in candidates}
        importance = tuple(zip((with_told(kept, ties) for kept in wanted.margins), wanted.importance, strict=True))
        work = Workload(nested_sizes(inner.cells.keys, ties), importance, norm_of(asking), free)
        shares = {wholes[kept]: share for kept, share in work.planned(tuple(wholes)).items()}
    return _table(inner, wanted.margins, shares, fitted, zeros, ties)


def _table(
    inner: Count | Sum | Mean,
    margins: tuple[Kept, ...],
    shares: Mapping[Kept, Fraction],
    fitted: bool,
    zeros: tuple[int, ...],
    ties: tuple[Tie, ...] = (),
) -> TableOfMargins:
    if isinstance(inner, Mean):
        return MeansOfMargins(inner, margins, tuple(shares), tuple(shares.values()), fitted, None, zeros, ties)
    return TableOfMargins(inner, margins, tuple(shares), tuple(shares.values()), fitted, None, zeros, ties)


def norm_of(asking: Asking) -> Norm:
    """Of the noise that the cost will buy; a wrong guess would cost accuracy alone."""
    request = asking.read.request
    if request.mechanism not in ("auto", "laplace"):
        return 2 if request.mechanism == "gaussian" else 1
    cap = asking.session.cap
    if request.cost is not None:
        return 1 if isinstance(request.cost, Pure) else 2
    return 1 if isinstance(cap, Pure) or (request.width is None and isinstance(cap, Approximate)) else 2


def margin_labels(cells: Cells, margins: Sequence[Kept]) -> pd.Index:
    """The cells of all margins, one table after the other; a key that was summed out reads All."""
    labels = [[*key_labels(key), TOTAL] for key in cells.keys]
    names = [key.name for key in cells.keys]
    codes = [
        np.indices([size if place in kept else 1 for place, size in enumerate(cells.shape)]).reshape(len(labels), -1)
        for kept in margins
    ]
    for kept, places in zip(margins, codes, strict=True):
        for place, size in enumerate(cells.shape):
            if place not in kept:
                places[place] = size
    at = np.concatenate(codes, axis=1)
    if len(names) == 1:
        return pd.Index([labels[0][code] for code in at[0]], name=names[0], tupleize_cols=False)
    columns = [_objects(each)[code] for each, code in zip(labels, at, strict=True)]
    return pd.MultiIndex.from_arrays(columns, names=names)


def _objects(labels: Sequence[Any]) -> np.ndarray[Any, Any]:
    """An array of labels as they are, tuples too."""
    found = np.empty(len(labels), dtype=object)
    found[:] = labels
    return found


def impossible(asking: Asking, cells: Cells, declared: Any) -> tuple[int, ...]:
    """The cells that structural zeros name, each a mapping from keys to a category or a list of them."""
    if declared is None:
        return ()
    rules = [declared] if isinstance(declared, Mapping) else declared
    if not isinstance(rules, list | tuple) or not all(isinstance(rule, Mapping) and rule for rule in rules):
        raise UnsupportedArgument(
            "structural_zeros must be mappings from keys to categories, "
            'e.g. [{"age": "0-14", "work": ["full", "part"]}].'
        )
    found = np.zeros(cells.shape, dtype=bool)
    for rule in rules:
        found[np.ix_(*(_named(cells, place, rule) for place in range(len(cells.keys))))] = True
        unknown = [key for key in rule if key not in {key.name for key in cells.keys}]
        if unknown:
            raise UnsupportedArgument(
                f"structural_zeros name {unknown[0]!r}, which is no key of this {asking.statistic}."
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


@dataclass(frozen=True)
class Marginals:
    """What a call of `marginals` says, beside the keywords that every question takes."""

    tables: Any
    values: Any = None
    aggfunc: Any = None
    importance: Any = None
    weights: Any = None
    consistent: Any = True
    structural_zeros: Any = None
    hierarchies: Any = None

    @property
    def several(self) -> bool:
        """Whether the answer names columns and statistics."""
        return isinstance(self.values, list | tuple) or isinstance(self.aggfunc, list | tuple)

    def items(self) -> list[tuple[Hashable, str]]:
        """Column and statistic of each number; rows are counted where there is no column."""
        if self.values is None:
            if self.aggfunc not in (None, "count"):
                raise UnsupportedArgument("marginals needs values= for aggfunc=; without, it counts rows.")
            return [(None, "count")]
        columns = key_names("marginals", self.values)
        twice = next((name for place, name in enumerate(columns) if name in columns[:place]), None)
        if twice is not None:
            raise UnsupportedArgument(f"marginals was given the column {twice!r} twice; name it once.", column=twice)
        functions = names_of("sum" if self.aggfunc is None else list_of(self.aggfunc))
        odd = next((name for name in functions if name not in OFFERED), None)
        if odd is not None:
            raise UnsupportedArgument(
                f"marginals offers {', '.join(map(repr, OFFERED))} of values=, not {odd!r}; ask for that by groupby.",
                aggfunc=odd,
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
    wanted = read_tables("marginals", said.tables, said.importance)
    if not isinstance(said.consistent, bool):
        raise UnsupportedArgument(
            f"consistent must be True or False, not {shown(said.consistent)}.", argument="consistent"
        )
    items = said.items()
    columns = list(dict.fromkeys(column for column, _ in items if column is not None))
    levels = Hierarchies.read(said.hierarchies, frame)
    asking = Asking(frame, "marginals", keywords, columns=columns, keys=levels.columns(wanted.keys))
    cells = asking.in_reason(Cells(tuple(levels.key(asking, name) for name in wanted.keys)))
    check_spare(cells.keys, wanted.margins, ties_of(cells.keys))
    zeros = impossible(asking, cells, said.structural_zeros)
    joint = len(items) > max(len(columns), 1)  # several statistics of a column come from one measurement
    parts = []
    for column, name in items:
        inner = estimator(asking, "mean" if joint else name if column is not None else "size", column, cells)
        if joint and name != "mean":
            estimator(asking, name, column, cells)  # refuses what has no sum
        assert isinstance(inner, Count | Sum | Mean)
        table = planned(asking, inner, wanted, said.weights, said.consistent, zeros)
        parts.append(Asked(column, replace(table, says=name) if isinstance(table, MeansOfMargins) else table))
    return asking, parts


def list_of(names: Any) -> Any:
    return list(names) if isinstance(names, tuple) else names


def compared(frame: pd.DataFrame, tables: Any, importance: Any, keywords: Keywords) -> pd.DataFrame:
    """Standard deviations of each wanted margin under several ways to spend the same cost."""
    asking, (wanted,) = asked(frame, Marginals(tables, importance=importance), keywords)
    part = wanted.estimator
    assert isinstance(part, TableOfMargins)
    every = tuple(range(len(part.cells.shape)))
    full = [kept for kept in subsets(every) if kept]
    ways = {
        "interior": ((every,), False),
        "margins": (part.shown, False),
        "all": (tuple(full), False),
        "all, consistent": (tuple(full), True),
    }
    found = {}
    for name, (measured, fitted) in ways.items():
        equal = (Fraction(1, len(measured)),) * len(measured)
        found[name] = _deviations(asking, TableOfMargins(part.inner, part.shown, measured, equal, fitted))
    found["planned"] = _deviations(asking, part)
    names = [" × ".join(str(part.cells.keys[place].column) for place in kept) or TOTAL for kept in part.shown]
    return pd.DataFrame(found, index=pd.Index(names, name="table"))


def _deviations(asking: Asking, part: TableOfMargins) -> list[float]:
    """Of one cell of each shown table."""
    evidence = asking.foreseen(Asked(None, part))
    assert isinstance(evidence, Tables)
    return [evidence.sd_of(kept) for kept in part.shown]


def around(
    asking: Asking, part: Estimator, down: int, rows: int, columns: int, margins: Any, structural_zeros: Any
) -> TableOfMargins:
    """A rectangle of cells with planned margins, or with none but with cells that cannot be."""
    if not isinstance(part, Count | Sum | Mean):
        raise UnsupportedArgument(
            f"planned margins and structural zeros are for counts, sums and means, not for {part.statistic}.",
            argument="margins",
        )
    zeros = impossible(asking, part.cells, structural_zeros)
    every = tuple(range(len(part.cells.keys)))
    if margins is False:
        return _table(part, (every,), {every: Fraction(1)}, False, zeros)
    names = {"cells": every, "rows": every[:down], "columns": every[down:], "total": ()}
    wanted = Wanted((), tuple(names.values()), (1.0,) * len(names))
    weights = None
    if isinstance(margins, Mapping):
        if set(margins) != set(names):
            raise UnsupportedArgument(
                'margins= takes weights as {"cells": 3, "rows": 1, "columns": 1, "total": 1}, all four of them.',
                argument="margins",
            )
        weights = [margins[name] for name in names]
    return replace(planned(asking, part, wanted, weights, True, zeros), rectangle=(rows, columns))
