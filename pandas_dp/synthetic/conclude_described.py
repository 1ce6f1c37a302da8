"""A model with all that is needed to read it: columns, keys, what was measured, and the label of what was paid."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from ..core.conclude.results import EstimateResult
from ..core.evidence.evidence import Evidence
from ..core.label.label import OTHER, Label
from ..core.label.layout import Released
from ..core.label.release import Release, guarantee
from ..core.schema.schema import Domain
from ..errors import NotConcluded, UnsupportedArgument, wrong_value
from ..tables.evidence import Tables
from ..tables.planning.margins import Margin
from ..tables.published.conclude_margin import is_key_list, read_where
from ..tables.tests.conclude_posterior import Masses
from .conclude_columns import SyntheticColumn, check_missing, check_unique, ordered
from .conclude_measured import Again, ModelKey, ModelKeys, ModelSource, estimates_by, measured_again, stacked, total_of
from .model.fit import EVENNESS, ExactTables, TableEstimate, Zeros, fit_model
from .model.model import Model, Parts
from .statistic_adaptive_stages import TablesForSynthesis

ROUGHLY = 0.05  # standard deviations of the noise that a model of simulated rows may be off
MOST_WORK = 10**7  # cells of a table on the way to one that is asked for


@dataclass(frozen=True, eq=False)
class Described:
    """A fitted model, the columns that its rows have, and the releases that it was fitted to.

    `columns` are those of the rows in their order, `shown` the key of each. `tables` are the keys of each table that
    was released; `again` says how all that was measured would be measured again.
    """

    model: Model
    keys: ModelKeys
    columns: tuple[SyntheticColumn, ...]
    shown: tuple[ModelKey, ...]
    tables: tuple[tuple[int, ...], ...]
    again: tuple[Again, ...]
    zeros: tuple[Zeros, ...]
    label: Label
    releases: tuple[Release, ...]
    approximate: bool = False
    public_rows: bool = False
    evenness: float = EVENNESS
    beyond: bool = False  # whether tables were measured that none of those released tells
    schema: Any = None  # which rows are validated by
    public: tuple[TableEstimate, ...] = ()  # tables that everybody knows, to which it was fitted too
    distances: tuple[Release, ...] = ()  # of its tables from the data, which were paid for

    @cached_property
    def digest(self) -> str:
        """What tells this model from others: its weights to the last bit."""
        seal = hashlib.sha256(repr((self.keys.names, self.model.graph.cliques, self.model.rows)).encode())
        for weights in self.model.weights:
            seal.update(np.ascontiguousarray(weights).tobytes())
        return seal.hexdigest()

    @cached_property
    def exact(self) -> ExactTables:
        """What everybody knows of its tables."""
        return ExactTables(self.public, self.zeros)

    @property
    def names(self) -> list[Hashable]:
        return self.keys.names

    def key(self, name: Hashable) -> ModelKey:
        return self.keys.each[self.names.index(name)]

    def read_keys(self, keys: Any) -> list[ModelKey]:
        """Keys by their names."""
        if not is_key_list(keys) or not all(name in self.names for name in keys):
            asked = ", ".join(map(repr, self.names))
            raise wrong_value("keys", f"be a list of keys of this synthesis, of {asked}", keys)
        return [self.key(name) for name in keys]

    def read_where(self, where: Any) -> dict[Hashable, list[Any]]:
        """Categories by key, each a list; a slice is all from one to the other, both of them in."""
        if isinstance(where, Mapping):
            for name in where:
                if name not in self.names:
                    asked = ", ".join(map(repr, self.names))
                    raise UnsupportedArgument(f"where= names what is no key; the keys are {asked}.", argument="where")
            where = {name: self._run(name, each) if isinstance(each, slice) else each for name, each in where.items()}
        found = {name: each for name, each in read_where(where).items() if isinstance(each, list)}
        return {
            name: [np.nan if _is_missing(each) else each for each in values if self._has(name, each)]
            for name, values in found.items()
        }

    def _run(self, name: Hashable, given: slice) -> list[Any]:
        """The categories from the start of a slice to its end, in the order in which they were declared."""
        labels = self.key(name).labels
        ends = [end for end in (given.start, given.stop) if end is not None and self._has(name, end)]
        first = 0 if given.start is None else _place(labels, ends[0])
        last = len(labels) - 1 if given.stop is None else _place(labels, ends[-1])
        if given.step is not None or first is None or last is None or first > last:
            raise UnsupportedArgument(
                f"a slice in where= goes from one category of {name!r} to a later one, without a step.",
                argument="where",
            )
        return labels[first : last + 1].tolist()

    def _has(self, name: Hashable, value: Any) -> bool:
        there = self.key(name).labels
        if _place(there, value) is None:
            some = ", ".join(map(repr, there[:8])) + (", …" if len(there) > 8 else "")
            raise UnsupportedArgument(
                f"where= names a category of {name!r} that this synthesis does not have; it has {some}.",
                argument="where",
            )
        return True

    def among(self, where: Mapping[Hashable, Sequence[Any]]) -> Model:
        """The model among rows with these categories; refused where it has none."""
        found: dict[int, list[int]] = {}
        for name, values in where.items():
            key = self.key(name)
            codes = key.codes([place for each in values if (place := _place(key.labels, each)) is not None])
            found[key.place] = [code for code in found.get(key.place, codes) if code in codes]
        model = self.model.given(found) if found else self.model
        if not model.is_possible:
            raise NotConcluded("no row of this synthesis is within where=; structural zeros or categories exclude all.")
        return model

    def narrowed(
        self, keys: Sequence[ModelKey], where: Mapping[Hashable, Sequence[Any]]
    ) -> dict[Hashable, Sequence[Any]]:
        """With those categories of a key that go with the ones chosen of another level of its column."""
        found = dict(where)
        for key in keys:
            others = [each for each in map(self.key, where) if each.place == key.place and each is not key]
            if key.name not in where and others:
                codes = set(range(self.keys.sizes[key.place]))
                for each in others:
                    there = each.labels.tolist()
                    codes &= set(each.codes([there.index(value) for value in where[each.name]]))
                mine = sorted({code if key.level is None else int(key.level[code]) for code in codes})
                found[key.name] = [key.labels[place] for place in mine]
        return found

    def counts(self, keys: Sequence[ModelKey], model: Model | None = None) -> np.ndarray[Any, Any]:
        """The rows of the model in each cell of a table over these keys, in their order."""
        model = self.model if model is None else model
        places: Margin = tuple(sorted({key.place for key in keys}))
        if model.work(places) > MOST_WORK:
            raise NotConcluded(
                f"that table takes {model.work(places):,} cells of this model on the way, and at most {MOST_WORK:,} "
                "are computed; name fewer keys."
            )
        return regrouped(model.table(places), places, keys)

    def is_measured(self, keys: Sequence[ModelKey]) -> bool:
        """Whether a table that was released holds all these keys."""
        requested = {self.names.index(key.name) for key in keys}
        return any(requested <= set(margin) for margin in self.tables)

    def is_public(self, keys: Sequence[ModelKey]) -> bool:
        """Whether a table over these keys follows from one that everybody knows, which the model has exactly."""
        return bool(keys) and self.exact.determines(tuple(key.place for key in keys))

    def drawn_again(self, rng: np.random.Generator) -> Model:
        """Rows drawn from the model, measured by the same laws, and the model of that."""
        rows = self.model.sample(max(1, round(self.model.rows)), rng, "random")
        noisy = []
        for each in self.again:
            values = _counted(rows, each, self.model.sizes)
            noisy.append(values + noise_of(each, rng, values.shape))
        estimates = self._estimated_again(noisy)
        many = self.model.rows if self.public_rows else total_of(estimates)
        estimates = self.exact.beside(estimates)
        return fit_model(self.model.sizes, estimates, many, self.zeros, self.model, self.evenness, ROUGHLY)

    def _estimated_again(self, noisy: Sequence[np.ndarray[Any, Any]]) -> tuple[TableEstimate, ...]:
        """What noisy numbers of all that was measured tell: by the least squares that the release shows, where that
        tells less."""
        if not self.beyond:
            return tuple(each.estimates(values) for each, values in zip(self.again, noisy, strict=True))
        evidence = Released.of(self.releases[0]).evidence[0]
        assert isinstance(evidence, Tables)
        return estimates_by(measured_again(evidence, dict(zip(evidence.measured, noisy, strict=True))), self.keys)[0]


@dataclass(frozen=True, eq=False)
class Known:
    """What is known beside a release by whoever asked for it: of its columns, of cells, of the number of rows."""

    domain: Domain | None = None
    zeros: tuple[Zeros, ...] = ()
    rows: float | None = None
    public_rows: bool = False
    start: Model | None = None  # that is near
    levels: frozenset[Hashable] = frozenset()  # keys that follow from others, which rows do not have
    public: tuple[TableEstimate, ...] = ()  # tables without noise
    parts: Mapping[int, Parts] = field(default_factory=dict)  # of bins, by the place of their key


def described(table: Released | pd.DataFrame, schema: Any = None, known: Known | None = None) -> Described:
    """The model of what one release tells, and rows of the schema where one is given."""
    source, known = ModelSource.of(table), Known() if known is None else known
    domain = known.domain if schema is None or known.domain is not None else Domain.read(schema)
    shown = [key for key in source.keys.shown(source.ties) if key.name not in known.levels]
    if schema is not None:
        check_unique(schema, [key.name for key in shown])
        names = ordered(schema, [key.name for key in shown])
        shown = sorted(shown, key=lambda key: names.index(key.name))
    columns = [_column(key, domain, known.parts.get(key.place)) for key in shown]
    for column in columns:
        check_missing(column)
        if domain is not None and OTHER in column.labels:
            raise NotConcluded(
                f"the table counts rows without a declared category of {column.name!r} under {OTHER!r}, which the "
                "schema does not hold; leave out schema=, or release the table without other=True."
            )
    rows, zeros = _at_most(source) if known.rows is None else known.rows, (*source.zeros, *known.zeros)
    evenness = EVENNESS * source.finer
    estimates = ExactTables(known.public, zeros).beside(source.estimates)
    model = fit_model(source.keys.sizes, estimates, rows, zeros, start=known.start, evenness=evenness)
    release = Released.of(table).published()
    return Described(
        model=model,
        keys=source.keys,
        columns=tuple(columns),
        shown=tuple(shown),
        tables=source.tables,
        again=source.again,
        zeros=zeros,
        label=source.label,
        releases=(release,),
        approximate=source.approximate,
        evenness=evenness,
        beyond=source.beyond,
        public_rows=known.public_rows,
        public=known.public,
        schema=schema,
    )


def _column(key: ModelKey, domain: Domain | None, parts: Parts | None) -> SyntheticColumn:
    """A column of the rows; its last label may stand for missing values."""
    labels = key.labels.tolist()
    missing = bool(labels) and _is_missing(labels[-1])
    said = domain.said_of(key.name) if domain is not None else None
    return replace(SyntheticColumn.of(key.name, labels[:-1] if missing else labels, said, missing), parts=parts)


def _at_most(source: ModelSource) -> float:
    """The estimate, and no more rows than there are where that is public."""
    size = source.label.size
    return source.rows if size is None else min(source.rows, float(size))


def regrouped(table: np.ndarray[Any, Any], places: Margin, keys: Sequence[ModelKey]) -> np.ndarray[Any, Any]:
    """A table over columns of the model, as one over keys that read them, in their order."""
    shape = [key.size for key in keys]
    if all(key.level is None for key in keys):
        return np.asarray(table.transpose([places.index(key.place) for key in keys]))
    codes = np.indices(table.shape)
    at = np.zeros(table.shape, dtype=np.intp)
    for key in keys:
        mine = codes[places.index(key.place)]
        at = at * key.size + (mine if key.level is None else key.level[mine])
    return np.asarray(np.bincount(at.ravel(), table.ravel(), int(np.prod(shape))), dtype=float).reshape(shape)


def _counted(rows: np.ndarray[Any, Any], each: Again, sizes: Sequence[int]) -> np.ndarray[Any, Any]:
    shape = [sizes[place] for place in each.margin]
    at = np.zeros(len(rows), dtype=np.intp)
    for place in each.margin:
        at = at * sizes[place] + rows[:, place]
    if each.groups is not None:
        return np.bincount(each.groups[at], minlength=each.size).astype(float)
    return np.bincount(at, minlength=int(np.prod(shape, dtype=int))).astype(float).reshape(shape)


def noise_of(each: Again, rng: np.random.Generator, shape: tuple[int, ...]) -> Any:
    """Draws of the noise of a table, for simulation."""
    found = np.zeros(shape)
    for term in each.noise.terms:
        for _ in range(term.many):
            found = found + term.step * Masses(term.law).draw(rng, shape)
    return found


def _place(labels: pd.Index, value: Any) -> int | None:
    """Where a category is; the one of missing values is the last."""
    if _is_missing(value):
        return len(labels) - 1 if _is_missing(labels[-1]) else None
    listed = labels.tolist()
    return listed.index(value) if value in listed else None


def _is_missing(value: Any) -> bool:
    return bool(pd.api.types.is_scalar(value) and pd.isna(value))


@dataclass(frozen=True)
class Tree:
    """A text for each set of keys, the one that it hangs from (-1: none), and the keys that the two share."""

    boxes: list[str]
    parents: list[int]
    shared: list[str]
    foot: str


def tree_of(of: Described) -> Tree:
    """Each set with the measured tables within it, each with the largest half width of an interval of a cell."""
    graph, widths = of.model.graph, list(_widths(of))
    boxes = []
    for margin in graph.cliques:
        inside = [f"{_named(of, keys)} ± {width:.3g}" for keys, width in widths if _places(of, keys) <= set(margin)]
        names = {key.name: None for key in of.keys.each if key.place in margin and key.level is None}
        names |= {key.name: None for key in of.shown if key.place in margin}
        boxes.append("\n".join(inside or [" × ".join(map(str, names)) + ", not measured together"]))
    shared = [", ".join(str(key.name) for key in of.shown if key.place in separator) for separator in graph.separators]
    level = 100 * of.label.confidence
    foot = f"Measured tables, ± half an interval of {level:g} %. {guarantee(of.label)}"
    return Tree(boxes, list(graph.parents), shared, foot)


def _widths(of: Described) -> Iterator[tuple[tuple[int, ...], float]]:
    for release in of.releases:
        evidence: Evidence = Released.of(release).evidence[0]
        tables = stacked(evidence, [key.size for key in of.keys.each])
        assert isinstance(tables, Tables)
        for margin in tables.shown:
            halves = (
                tables.laws(margin).half_widths(of.label.confidence) if tables.has_intervals else np.array([np.nan])
            )
            yield margin, float(np.max(halves))


def _places(of: Described, margin: tuple[int, ...]) -> set[int]:
    return {of.keys.each[at].place for at in margin}


def _named(of: Described, margin: tuple[int, ...]) -> str:
    return " × ".join(str(of.names[at]) for at in margin) or "all"


Function = Callable[..., Any]


def estimated(
    of: Described,
    function: Function,
    tables: Sequence[Sequence[ModelKey]],
    replicates: int,
    confidence: float,
    rng: np.random.Generator,
) -> EstimateResult:
    """What the function makes of the model's tables over these keys, and how much that varies."""
    value = value_of(function, of, of.model, tables)
    unmeasured = [keys for keys in tables if not of.is_measured(keys)]
    if unmeasured:
        asked = " × ".join(str(key.name) for key in unmeasured[0])
        why = f"no interval: {asked} was not measured, so this is what a model makes of other tables"
        return EstimateResult(value, np.nan, np.nan, confidence, "estimate", why, "not known; source fitted")
    found = np.array([value_of(function, of, model, tables) for model in again(of, replicates, rng)])
    half = float(stdtrit(replicates - 1, (1 + confidence) / 2)) * float(np.std(found, ddof=1))
    how = f"{replicates} times rows drawn from the model, measured by the same laws, and fitted again"
    noise = "taken into account, with the sampling of the rows"
    return EstimateResult(value, value - half, value + half, confidence, "estimate", how, noise)


def again(of: Described, replicates: int, rng: np.random.Generator) -> Iterator[Model]:
    """Models of rows that were drawn from this one."""
    return (of.drawn_again(rng) for _ in range(replicates))


def value_of(function: Function, of: Described, model: Model, tables: Sequence[Sequence[ModelKey]]) -> float:
    """What the function makes of a model's tables."""
    found = function(*(_series(of, model, keys) for keys in tables))
    try:
        return float(found)
    except (TypeError, ValueError):
        raise NotConcluded("f must give one number of the tables that of= names.") from None


def _series(of: Described, model: Model, keys: Sequence[ModelKey]) -> pd.Series[Any]:
    """The counts of a table, under the categories of its keys."""
    places = tuple(sorted({key.place for key in keys}))
    counts = regrouped(model.table(places), places, keys)
    axes = [key.labels for key in keys]
    index = axes[0] if len(axes) == 1 else pd.MultiIndex.from_product(axes)
    return pd.Series(counts.ravel(), index=index, name="count")


def read_tables(of: Described, tables: Any) -> list[list[ModelKey]]:
    """Lists of keys."""
    if not isinstance(tables, list | tuple) or not tables or not all(isinstance(t, list | tuple) and t for t in tables):
        raise wrong_value("of", 'list the tables that f takes, each a list of keys, e.g. [["sex", "work"]]', tables)
    return [of.read_keys(keys) for keys in tables]


def description(release: pd.DataFrame, part: TablesForSynthesis, size: int | None) -> Described:
    """Of the release that answers it; `size` is the number of rows where that is public."""
    domain, schema = part.known
    _, state, _ = part.margin[-1]
    rows, public = state.measured.rows(size), part.public
    rows = rows if public.rows is None else public.rows
    levels = frozenset(reading.key.name for reading in part.counted.readings if reading.key.level is not None)
    sure = rows == size or public.rows is not None
    known = Known(domain, part.impossible.zeros, rows, sure, part.model, levels, public.estimates, part.parts)
    return described(release, schema, known)
