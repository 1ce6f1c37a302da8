"""Tables read off a synthesis: the released numbers where they were measured, else what the model makes of them."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from ...errors import NotConcluded, UnsupportedArgument, wrong_value
from ...evidence import Amounts, Evidence, ReadOff, Tables
from ...release import TOTAL, Item, Label, Layout, Release, Released
from ..numbers import releases, summed_cost
from ..stored.margin import Held
from .bounds import bound_of
from .described import Described
from .keys import Key
from .measured import stacked

Where = Mapping[Hashable, Sequence[Any]]


def answered(of: Described, keys: Sequence[Key], where: Where) -> Release:
    """The counts of a table over these keys, with their source."""
    where = of.narrowed(keys, where)
    measured = None if of.is_public([*keys, *map(of.key, where)]) else _measured(of, keys, where)
    if measured is not None:
        return _released(of, keys, where, ReadOff("count", measured.values, "measured", measured))
    counts = _counts(of, keys, where).ravel()
    bound = bound_of(of, keys, [of.key(name) for name in where])
    if bound is None:
        return _released(of, keys, where, ReadOff("count", counts, "fitted"))
    most, label = bound
    read = ReadOff("count", counts, "bounded", low=np.maximum(counts - most, 0.0), high=counts + most)
    return _released(replace(of, label=_both(of.label, label)), keys, where, read)


def _both(model: Label, distance: Label) -> Label:
    """What a number rests on: the release of the model, and that of its distance."""
    paid = releases([model, distance])
    names = [name for each in (model, distance) for name in (each.mechanism or "").split(", ")]
    return replace(
        model,
        kind="combined",
        id="+".join(part["id"] for part in paid),
        entry=None,
        releases=tuple(paid),
        **summed_cost(paid),
        mechanism=", ".join(dict.fromkeys(names)),
        noise=None,
        confidence=distance.confidence,
        insecure=model.insecure or distance.insecure,
    )


def answered_of(of: Described, keys: Sequence[Key], where: Where, values: Key, aggfunc: str) -> Release:
    """The sum or the mean of a column of numbers in each cell: what the model makes of it."""
    where, worth = of.narrowed(keys, where), _worth(of, values)
    if values.name in [key.name for key in keys]:
        raise UnsupportedArgument(
            f"values= is {values.name!r}, which is among the keys too; leave it out of one.", argument="values"
        )
    counts = _counts(of, [*keys, values], where)
    known = np.isfinite(worth)
    sums, rows = counts[..., known] @ worth[known], counts[..., known].sum(axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        numbers = np.where(rows > 0, sums / rows, np.nan) if aggfunc == "mean" else sums
    return _released(of, keys, where, ReadOff(aggfunc, np.asarray(numbers).ravel(), "fitted"), values.name)


def crossed(of: Described, down: Sequence[Key], across: Sequence[Key], where: Where) -> Release:
    """The same as a rectangle of counts, its source in the label."""
    found = answered(of, [*down, *across], where)
    evidence = Released.of(found).evidence[0]
    assert isinstance(evidence, ReadOff)
    layout = Layout(_labels(down), _labels(across), "estimates")
    return _published(of, [*down, *across], where, evidence, layout)


def _measured(of: Described, keys: Sequence[Key], where: Where) -> Amounts | None:
    """Released numbers that tell this table, with their laws."""
    for release in of.releases:
        found = _part(of, Released.of(release), [key.name for key in keys], where)
        if isinstance(found, Amounts) and found.has_intervals:
            return found
    return None


def _part(of: Described, released: Released, names: Sequence[Hashable], where: Where) -> Evidence | None:
    """The part of a release over these keys; None where it holds none."""
    first = released.evidence[0]
    if isinstance(first, Tables) and not released.is_rectangle:
        part = Held(released).table(names, where)
        return None if part is None else part.evidence[0]
    tables = stacked(first, [key.size for key in of.keys.each])
    places = [of.names.index(name) for name in (*names, *where)]
    if not tables.can_tell(tuple(sorted(set(places)))):
        return None
    chosen = {of.names.index(name): _chosen(of.key(name), where) for name in where}
    return tables.part(tuple(places[: len(names)]), chosen)


def _counts(of: Described, keys: Sequence[Key], where: Where) -> np.ndarray[Any, Any]:
    """Of the model: with the categories of `where` alone along keys that have them."""
    counts = of.counts(keys, of.among(where) if where else None)
    for axis, key in enumerate(keys):
        if key.name in where:
            counts = np.take(counts, _chosen(key, where), axis=axis)
    return counts


def _chosen(key: Key, where: Where) -> list[int]:
    there = key.labels.tolist()
    return [there.index(each) for each in where[key.name]]


def _worth(of: Described, key: Key) -> np.ndarray[Any, Any]:
    """The number that each code of a column stands for; of bins their middles."""
    column = next((each for each in of.columns if each.name == key.name), None)
    if column is None:
        raise NotConcluded(f"{key.name!r} is a level of another key; name the key itself.")
    labels: list[Any] = list(column.labels)
    if column.bins is not None:
        numbers = column.middles
    elif all(isinstance(each, int | float) and not isinstance(each, bool) for each in labels):
        numbers = [float(each) for each in labels]
    else:
        raise wrong_value("values", "name a column of numbers", key.name)
    return np.array([*numbers, np.nan] if column.missing else numbers)


def _labels(keys: Sequence[Key], where: Where | None = None) -> pd.Index:
    axes = [key.labels.take(_chosen(key, where)) if where and key.name in where else key.labels for key in keys]
    if not axes:
        return pd.Index([TOTAL])
    return axes[0] if len(axes) == 1 else pd.MultiIndex.from_product(axes)


def _released(
    of: Described, keys: Sequence[Key], where: Where, evidence: ReadOff, column: Hashable | None = None
) -> Release:
    return _published(of, keys, where, evidence, Layout(_labels(keys, where), None, "measures"), column)


def _published(
    of: Described,
    keys: Sequence[Key],
    where: Where,
    evidence: ReadOff,
    layout: Layout,
    column: Hashable | None = None,
) -> Release:
    item = Item(column, evidence.statistic, "float", evidence)
    table, place = layout.frame([item], of.label.confidence)
    facts = {"column": column, "type": "float", **evidence.to_json()}
    label = replace(
        of.label,
        **place,
        statistic="synthesis",
        columns=() if column is None else (column,),
        by=tuple(key.name for key in keys),
        where={str(name): [str(each) for each in values] for name, values in where.items()} or None,
        source=evidence.source,
        evidence=(facts,),
        selected=None,
    )
    return Released(table, label).published()
