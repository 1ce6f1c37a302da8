"""Rows drawn from a model, as a plain frame with the declared dtypes, and how far what they answer may be off."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any

import numpy as np
import pandas as pd

from ..core.conclude.numbers import releases, summed_cost
from ..core.evidence.evidence import Evidence
from ..core.label.label import TOTAL, Label
from ..core.label.layout import Item, Layout, Released
from ..core.label.release import Release
from ..errors import NotConcluded, UnsupportedArgument, wrong_value
from ..numeric.evidence_sums import Amounts
from ..tables.evidence import Tables
from ..tables.planning.margins import Margin
from ..tables.published.conclude_margin import HeldTables
from ..version import VERSION
from .conclude_columns import failing, reduced
from .conclude_described import Described
from .conclude_measured import ModelKey, stacked
from .evidence import ReadOff, TableDistances
from .model.model import Drawn, Model

KIND = "synthetic"
SENTENCE = (
    "Rows of nobody, drawn from a model. The tables that were measured are kept up to the noise; anything else is what "
    "the model makes of them, which may be wrong, and nothing in the rows shows it. Do not compute standard errors, "
    "tests or intervals from these rows: ask the synthesis, by table and estimate. More rows give no more information."
)


def row_label(of: Described, rows: int, drawn: str, where: Mapping[Hashable, Sequence[Any]]) -> dict[str, Any]:
    """Plain JSON, for `attrs["dp"]`."""
    paid = releases([of.label])
    return {
        "format": 1,
        "kind": KIND,
        "says": SENTENCE,
        "synthesis": of.digest,
        "releases": paid,
        **summed_cost(paid),
        "model": of.label.model,
        "neighbours": of.label.neighbours,
        "unit": of.label.unit,
        "measured": [[str(of.names[place]) for place in margin] for margin in of.tables],
        "weights": "approximate" if of.approximate else None,
        "where": {str(name): [str(each) for each in values] for name, values in where.items()} or None,
        "drawn": drawn,
        "rows": rows,
        "version": VERSION,
    }


ROUNDS = 20  # in which rows that fail a check of the schema are drawn anew
MOST_ROWS = 10**8


def drawn_rows(
    of: Described, many: int | None, where: Mapping[Hashable, Sequence[Any]], rng: np.random.Generator, drawn: Drawn
) -> pd.DataFrame:
    """So many rows, or as many as the model holds."""
    model = of.among(where)
    rows = round(model.rows) if many is None else many
    frame = _frame(of, model, rows, rng, drawn)
    if of.schema is not None:
        frame = _valid(of, model, frame, rng, drawn)
    frame.attrs = {"dp": row_label(of, rows, drawn, where)}
    return frame


def _frame(of: Described, model: Model, rows: int, rng: np.random.Generator, drawn: Drawn) -> pd.DataFrame:
    codes = model.sample(rows, rng, drawn)
    found = {}
    for column, key in zip(of.columns, of.shown, strict=True):
        mine = codes[:, key.place]
        found[column.name] = column.values(mine if key.level is None else key.level[mine], rng)
    return pd.DataFrame(found)


def _valid(of: Described, model: Model, frame: pd.DataFrame, rng: np.random.Generator, drawn: Drawn) -> pd.DataFrame:
    """Rows that fail a check of the schema are drawn anew."""
    schema = reduced(of.schema, list(frame.columns))
    for _ in range(ROUNDS):
        bad = failing(schema, frame)
        if not bad.any():
            return frame
        anew = _frame(of, model, int(bad.sum()), rng, drawn)
        frame = pd.concat([frame[~bad], anew], ignore_index=True)
    bad = failing(schema, frame)
    if bad.any():
        raise NotConcluded(
            f"rows fail a check of the schema in {ROUNDS} draws in a row; the tables do not know of it. Declare the "
            "cells that cannot be by structural_zeros= where the tables are released, or leave the schema out."
        )
    return frame


@dataclass(frozen=True)
class Bound:
    """Over these keys of the model, the sum over any cells of the rounded table is off by at most so many rows.

    It holds together with all others of its release, at the confidence of that.
    """

    margin: Margin
    most: float
    label: Label


def with_distance(of: Described, table: Released | pd.DataFrame) -> Described:
    """The same with what a release of its distance says; refused where that is of anything else."""
    released = Released.of(table)
    evidence = released.evidence[0]
    if not isinstance(evidence, TableDistances):
        raise NotConcluded("with_distance takes a release of distance(synthesis), and this is none.")
    if evidence.of != "synthesis":
        raise NotConcluded(
            "this is the distance of rows, and bounds these rows alone: the synthesis they were drawn from may be "
            "farther off; ask for distance(synthesis)."
        )
    if evidence.compared != of.digest:
        raise NotConcluded("this is the distance of another synthesis; ask for that of this one.")
    return replace(of, distances=(*of.distances, released.published()))


def bounds_of(of: Described) -> list[Bound]:
    """All that was paid for."""
    found = []
    for release in of.distances:
        released = Released.of(release)
        (evidence,) = released.evidence
        assert isinstance(evidence, TableDistances)
        most, _ = evidence.most_rows(released.label.confidence)
        columns = [of.key(name).place for name in released.label.columns]
        for table, each in zip(evidence.tables, most, strict=False):  # behind them stands their mean
            found.append(Bound(tuple(sorted(columns[at] for at in table)), float(each), released.label))
    return found


def bound_of(of: Described, keys: Sequence[ModelKey], where: Sequence[ModelKey]) -> tuple[float, Label] | None:
    """By how many rows each number of a table over these keys is off at most, by the closest of the bounds: half a row
    more for each cell that it adds up, as the table that was compared was rounded."""
    if any(key.level is not None for key in (*keys, *where)):
        return None
    shown, found = {key.place for key in keys}, []
    requested = shown | {key.place for key in where}
    for bound in bounds_of(of):
        if requested <= set(bound.margin):
            cells = prod(of.keys.sizes[place] for place in bound.margin if place not in shown)
            found.append((bound.most + cells / 2, bound.label))
    return min(found, key=lambda each: each[0], default=None)


def sources_of(of: Described) -> dict[str, str]:
    """The tables that were measured, that everybody knows, and that have a bound; all others are fitted."""
    measured = [margin for margin in of.tables if not of.is_public([of.keys.each[place] for place in margin])]
    named = {
        "measured": _listed([str(of.names[place]) for place in margin] for margin in measured),
        "public": _listed(_columns(of, each.margin) for each in of.public),
        "bounded": _listed(_columns(of, bound.margin) for bound in bounds_of(of)),
    }
    return {**{source: tables for source, tables in named.items() if tables}, "fitted": "all others"}


def _listed(tables: Iterable[list[str]]) -> str:
    return ", ".join(dict.fromkeys(" × ".join(names) or "All" for names in tables))


def _columns(of: Described, places: Margin) -> list[str]:
    """The names of columns of the model."""
    every = [*of.shown, *of.keys.each]
    return [next(str(key.name) for key in every if key.place == place) for place in places]


Where = Mapping[Hashable, Sequence[Any]]


def answered(of: Described, keys: Sequence[ModelKey], where: Where) -> Release:
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


def answered_of(of: Described, keys: Sequence[ModelKey], where: Where, values: ModelKey, aggfunc: str) -> Release:
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


def crossed(of: Described, down: Sequence[ModelKey], across: Sequence[ModelKey], where: Where) -> Release:
    """The same as a rectangle of counts, its source in the label."""
    found = answered(of, [*down, *across], where)
    evidence = Released.of(found).evidence[0]
    assert isinstance(evidence, ReadOff)
    layout = Layout(_labels(down), _labels(across), "estimates")
    return _published(of, [*down, *across], where, evidence, layout)


def _measured(of: Described, keys: Sequence[ModelKey], where: Where) -> Amounts | None:
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
        part = HeldTables(released).table(names, where)
        return None if part is None else part.evidence[0]
    tables = stacked(first, [key.size for key in of.keys.each])
    places = [of.names.index(name) for name in (*names, *where)]
    if not tables.can_determine(tuple(sorted(set(places)))):
        return None
    chosen = {of.names.index(name): _chosen(of.key(name), where) for name in where}
    return tables.part(tuple(places[: len(names)]), chosen)


def _counts(of: Described, keys: Sequence[ModelKey], where: Where) -> np.ndarray[Any, Any]:
    """Of the model: with the categories of `where` alone along keys that have them."""
    counts = of.counts(keys, of.among(where) if where else None)
    for axis, key in enumerate(keys):
        if key.name in where:
            counts = np.take(counts, _chosen(key, where), axis=axis)
    return counts


def _chosen(key: ModelKey, where: Where) -> list[int]:
    there = key.labels.tolist()
    return [there.index(each) for each in where[key.name]]


def _worth(of: Described, key: ModelKey) -> np.ndarray[Any, Any]:
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


def _labels(keys: Sequence[ModelKey], where: Where | None = None) -> pd.Index:
    axes = [key.labels.take(_chosen(key, where)) if where and key.name in where else key.labels for key in keys]
    if not axes:
        return pd.Index([TOTAL])
    return axes[0] if len(axes) == 1 else pd.MultiIndex.from_product(axes)


def _released(
    of: Described, keys: Sequence[ModelKey], where: Where, evidence: ReadOff, column: Hashable | None = None
) -> Release:
    return _published(of, keys, where, evidence, Layout(_labels(keys, where), None, "measures"), column)


def _published(
    of: Described,
    keys: Sequence[ModelKey],
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
