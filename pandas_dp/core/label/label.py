"""The label of a release: what it holds, how it is read and checked; labels of cells and of coefficients."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from functools import cache
from math import isfinite
from sys import float_info
from types import NoneType, UnionType
from typing import Any, Self, get_args, get_origin, get_type_hints

import numpy as np
import pandas as pd

from ...errors import NotConcluded, PrivacyError
from ..arrays import Array
from ..measure.cells import Cells, Key
from ..protect.making import rows_of
from ..schema.values import Breaks

FORMAT = 1
LARGEST = float_info.max
BLOCKS = " of blocks of "  # in an estimand, behind the name of a function
DAMAGED = (
    "this table is a release, and its label is damaged, so nothing can be concluded from it; conclude from the release "
    "as it was published."
)
DEEPEST = 50  # lists in lists
Json = dict[str, Any]

UNWEIGHTED = "Asked with weights=None: about the rows as they are, not about the population that the design stands for."


@dataclass(frozen=True)
class Label:
    """What a released table says of itself. Everything in it is public; nothing in it may be changed.

    Attributes
    ----------
    kind
        "release", or "combined" of several.
    id, entry, session
        Its name, the number of its entry in the ledger, and the name of the session that paid.
    frame, size
        The protected frame, and its number of rows where that is public.
    rows, read, made, functions, because
        Which rows were asked: "whole", all of a protected table as they are; "followed", cut or made of it by
        expressions, whose text is `made`; "vouched", for which the analyst vouched, `because`; "given", of a table
        that was not protected; "derived", by older versions, whatever pandas had made. `read` is what the program had
        got of protected rows before: "nothing", "shown" or "values", after which the text has no constants. `functions`
        of the analyst were called.
    statistic, columns, by, where, stored
        What was asked; `where` and `stored` name the part and the stored table it was read from.
    model, neighbours, unit, roster, people
        What is hidden: the promise, between which tables, whose rows (null: a row is a person), by which public list
        of how many people.
    counted, max_rows, max_cells, max_keys, max_values, per_person, count, weights
        How the rows of one person count.
    epsilon, delta, rho, mechanism, noise, options
        What it cost, and the laws of its noise, null where they are private: for each measurement that was asked runs
        of `law` and `numbers`, of how many numbers in a row it is the law.
    complete, nullable
        Columns of which somebody said that every row has a value, so that a row that lacks one counts as the middle of
        the range, and columns that were declared to have gaps, or not at all. A gap in any other drops out, too.
    looks, chosen, given_shown, keys, source, drawn, measure, estimand
        How the answer came about: looks at rows one after another, what was chosen from earlier answers, keys that
        were declared or found, and what a number estimates.
    note, remarks
        What the asker wrote behind the question, and how it was read where that is not as pandas reads it.
    layout, shows
        Where its estimates are: "cells" or "items" are its rows, and how many columns each item has (null: estimates
        alone).
    evidence
        Of each item, its column, the type of its numbers, a fingerprint of what was asked, and what intervals follow
        from.
    rounded, bases, moved, adjusted, before, relabelled, selected, releases
        What was done to it afterwards, at no cost: `before` has the counts that were adjusted or brought to multiples
        of a base, as they were released, from which their intervals follow; `relabelled` has the public labels that
        took the place of others, `selected` the cells of which releases it holds.
    """

    statistic: str
    columns: tuple[Any, ...]
    by: tuple[Any, ...]
    model: str
    neighbours: str
    rows: str
    confidence: float
    layout: str
    shows: tuple[int, ...] | None
    evidence: tuple[Json, ...]
    version: str
    format: int = FORMAT
    kind: str = "release"
    id: str | None = None
    entry: int | None = None
    session: str | None = None
    frame: str | None = None
    size: int | None = None
    read: str = "nothing"
    made: str | None = None
    functions: tuple[str, ...] = ()
    because: str | None = None
    zone: str | None = None
    epsilon: float | None = None
    delta: float | None = None
    rho: float | None = None
    mechanism: str | None = None
    noise: Any = None
    options: Json | None = None
    bootstrap: Json | None = None
    stages: Any = None
    estimand: Any = None
    unit: str | None = None
    roster: Any = None
    people: int | None = None
    counted: str | None = None
    max_rows: int | None = None
    max_cells: int | None = None
    max_keys: int | None = None
    max_values: int | None = None
    per_person: Any = None
    count: str | None = None
    weights: Any = None
    keys: str | None = None
    complete: tuple[str, ...] = ()
    nullable: tuple[str, ...] = ()
    given_shown: Any = None
    chosen: Any = None
    source: Any = None
    drawn: str | None = None
    measure: str | None = None
    note: str | None = None
    remarks: Any = None
    period: str | None = None
    where: Json | None = None
    stored: str | None = None
    rounded: tuple[int, ...] = ()
    bases: tuple[int, ...] = ()
    moved: tuple[float, ...] = ()
    adjusted: tuple[str, ...] = ()
    before: tuple[float, ...] | None = None
    relabelled: Any = None
    selected: Any = None
    releases: tuple[Json, ...] = ()
    insecure: bool = False
    digest: str = field(default="", compare=False)

    @property
    def size_is_private(self) -> bool:
        """Whether how many rows, or people, were asked about was paid for, as everybody knows which they are of."""
        return self.size is None and (self.unit is not None or self.rows != "whole")

    @property
    def of_blocks(self) -> str | None:
        """What a function gave on blocks of rows, where the numbers are of that."""
        return self.estimand if isinstance(self.estimand, str) and BLOCKS in self.estimand else None

    @property
    def is_unweighted(self) -> bool:
        """Whether the rows were sampled by a design that the question was told to leave out."""
        return UNWEIGHTED in (self.remarks or ())

    @property
    def is_reworked(self) -> bool:
        """Whether its numbers were rounded or adjusted after they were released."""
        return bool(self.rounded or self.bases or self.adjusted)

    @property
    def rounded_by(self) -> float:
        """How far rounding after the release may have moved a number."""
        decimals = sum(0.5 * 10.0**-decimals for decimals in self.rounded)
        return (
            decimals if self.before is not None else decimals + sum(base / 2 for base in self.bases) + sum(self.moved)
        )

    def to_json(self) -> Json:
        """All keys of the format; null where nothing is said."""
        facts = {each.name: getattr(self, each.name) for each in fields(self)}
        return {name: list(fact) if isinstance(fact, tuple) else fact for name, fact in facts.items()}

    @classmethod
    def from_json(cls, said: Mapping[str, Any]) -> Self:
        """Read what `to_json` of this or an earlier version wrote.

        Raises
        ------
        NotConcluded
            The label has a newer format, or lacks what every label has.
        """
        written = said.get("format")
        if isinstance(written, int) and written > FORMAT:
            raise NotConcluded(
                f"this release has a label of format {written}, and this version of pandas-dp reads format {FORMAT}; "
                "read it with a newer version."
            )
        known, said = {each.name for each in fields(cls)}, dict(said)
        if "derived" in said:  # as it was written first
            said |= {"rows": rows_of(said), "layout": said.get("rows")}
        try:
            label = cls.saying({name: fact for name, fact in said.items() if name in known})
        except TypeError:
            raise NotConcluded(
                "this table carries a label that lacks what every release says of itself; conclude from the release "
                "as it was published."
            ) from None
        if not all(_is_one(getattr(label, name), hint) for name, hint in _hints().items()):
            raise NotConcluded(DAMAGED)
        return label

    @classmethod
    def saying(cls, facts: Mapping[str, Any]) -> Self:
        """The label of these facts as JSON has them, all of them keys of the format; null says nothing."""
        read: Json = {name: tuple(fact) if isinstance(fact, list) else fact for name, fact in facts.items()}
        said = {name: fact for name, fact in read.items() if fact is not None}
        return cls(**{"shows": None, **said})


def label_name(said: Mapping[str, Any]) -> str | None:
    """The name of a release, where its label has one."""
    name = said.get("id")
    return name if isinstance(name, str) else None


@contextmanager
def label_read(release: str | None = None) -> Iterator[None]:
    """While a label is read: whatever is wrong with it is one sentence.

    Raises
    ------
    NotConcluded
        In place of every error but a refusal.
    """
    try:
        yield
    except PrivacyError:
        raise
    except Exception as error:
        raise NotConcluded(DAMAGED, release=release) from error


def refuse_sizes(evidence: Sequence[Any], cells: int) -> None:
    """Refuse evidence that speaks of more numbers than the table and the label itself hold, before it is read.

    Raises
    ------
    NotConcluded
        The label is damaged: it tells such a size, holds what JSON does not have, or lists in lists without end.
    """
    sizes: list[float] = []
    held = _numbers(evidence, sizes, DEEPEST)
    if any(size > max(cells, held) for size in sizes):
        raise NotConcluded(DAMAGED)


def _numbers(fact: Any, sizes: list[float], depth: int) -> int:
    """How many values it holds, while the sizes that it tells are gathered."""
    if not depth or (isinstance(fact, float) and not isfinite(fact)):
        raise NotConcluded(DAMAGED)
    if isinstance(fact, Mapping):
        counts = [fact.get("which"), *(_listed(fact.get("sizes")) if "measured" in fact else [])]  # not sizes of strata
        counts += [fact["many"]] if "many" in fact and "noise" in fact else []  # so many numbers with one noise
        counts += _area(fact.get("rows"), fact.get("columns"))
        sizes += [size for size in counts if isinstance(size, int | float)]
        fact = list(fact.values())
    if not isinstance(fact, list | tuple):
        return 1
    if all(type(each) is float for each in fact):  # many as a rule
        if not all(map(isfinite, fact)):
            raise NotConcluded(DAMAGED)
        return len(fact)
    return sum(_numbers(each, sizes, depth - 1) for each in fact)


def _area(rows: Any, columns: Any) -> list[Any]:
    """The cells of a rectangle that a mapping says."""
    return [rows, columns, rows * columns] if isinstance(rows, int) and isinstance(columns, int) else []


def _listed(fact: Any) -> list[Any]:
    return fact if isinstance(fact, list) else [fact]


@cache
def _hints() -> Mapping[str, Any]:
    return {name: hint for name, hint in get_type_hints(Label).items() if hint is not Any}


def _is_one(fact: Any, hint: Any) -> bool:
    """Whether a fact of a label is of the type that it has to be; how texts are spelled is for others."""
    origin, arguments = get_origin(hint), get_args(hint)
    if hint is Any:
        return True
    if origin is UnionType:
        return any(_is_one(fact, each) for each in arguments)
    if origin is tuple:
        return isinstance(fact, tuple) and all(_is_one(each, arguments[0]) for each in fact)
    if hint is float:
        return isinstance(fact, int | float) and not isinstance(fact, bool) and abs(fact) <= LARGEST
    if hint is int:
        return isinstance(fact, int) and not isinstance(fact, bool) and abs(fact) <= LARGEST
    return isinstance(fact, NoneType if hint is None else origin or hint)


OTHER = "other"
TOTAL = "All"


def key_labels(key: Key) -> pd.Index:
    """The categories in their declared order; intervals for bins, or their text beside `other`, which comes last."""
    values: list[Any]
    if isinstance(key.labels, Breaks):
        bins = pd.IntervalIndex.from_breaks(_edges(key), closed="left")
        if not key.other:
            return bins.rename(key.name)
        values = [str(interval) for interval in bins]  # of one type with `other`, as Parquet wants it
    else:
        values = list(key.labels.values if key.level is None else key.level.groups)
    return pd.Index([*values, OTHER] if key.other else values, name=key.name, tupleize_cols=False)


def _edges(key: Key) -> Any:
    """Of times as times, on the clocks of their zone."""
    edges, clamp = key.labels.edges, key.clamp  # type: ignore[union-attr]
    if clamp is None or clamp.kind not in ("datetime", "timedelta"):
        return list(edges)
    nanoseconds = np.array([round(edge) for edge in edges], dtype=np.int64)
    if clamp.kind == "timedelta":
        return pd.TimedeltaIndex(nanoseconds.view("timedelta64[ns]"))
    times = pd.DatetimeIndex(nanoseconds.view("datetime64[ns]"))
    return times if clamp.tz is None else times.tz_localize("UTC").tz_convert(clamp.tz)


def cell_labels(cells: Cells) -> pd.Index:
    """All combinations, the last key running fastest."""
    labels = [key_labels(key) for key in cells.keys]
    if len(labels) == 1:
        return labels[0]
    return pd.MultiIndex.from_product(labels, names=[key.name for key in cells.keys])


def and_total(labels: pd.Index, name: str = TOTAL) -> pd.Index:
    """The labels of rows or columns, and one for what adds them up."""
    if isinstance(labels, pd.MultiIndex):
        total = (name, *[""] * (labels.nlevels - 1))
        return pd.MultiIndex.from_tuples([*labels, total], names=labels.names)
    return pd.Index([*labels, name], name=labels.name, dtype=labels.dtype if labels.dtype == "str" else object)


def in_numbers(values: Array) -> Array:
    """The way back: nanoseconds for times, other numbers as they are."""
    if values.dtype.kind in "mM":
        return values.astype(f"{values.dtype.kind}8[ns]").astype(np.int64)
    if values.dtype == object:
        return np.array([value.value if isinstance(value, pd.Timestamp | pd.Timedelta) else value for value in values])
    return values
