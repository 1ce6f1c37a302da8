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
from ..margins import Kept, Tie, Workload, exact_shares, with_told
from ..reading import is_number
from ..release import TOTAL, key_labels
from ..statistics import Count, Estimator, Mean, MeansOfMargins, Sum, TableOfMargins, has_free_total
from ..tally import Cells, Norm
from .asking import Asking
from .hierarchies import finest, nested_sizes, ties_of

MOST_TABLES = 64


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


def planned(
    asking: Asking, inner: Count | Sum | Mean, wanted: Wanted, cost_shares: Any, fitted: bool, zeros: tuple[int, ...]
) -> TableOfMargins:
    """The estimator, with the given shares of the cost or the shares of least expected variance."""
    if asking.read.request.bootstrap is not None:
        raise UnsupportedArgument(
            f"planned margins describe the rows at hand, so this {asking.statistic} takes no bootstrap=; leave it out.",
            argument="bootstrap",
        )
    setting = asking.setting
    ties = ties_of(inner.cells.keys)
    if cost_shares is not None or not fitted:
        given = _weights(asking.statistic, "cost_shares", cost_shares, len(wanted.margins))
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
    cost_shares = None
    if isinstance(margins, Mapping):
        if set(margins) != set(names):
            raise UnsupportedArgument(
                'margins= takes shares of the cost as {"cells": 3, "rows": 1, "columns": 1, "total": 1}, all '
                "four of them.",
                argument="margins",
            )
        cost_shares = [margins[name] for name in names]
    return replace(planned(asking, part, wanted, cost_shares, True, zeros), rectangle=(rows, columns))
