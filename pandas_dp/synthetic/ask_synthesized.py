"""`synthesize` as a user types it: columns, tables, zeros and public tables, read and checked before paying."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal, Unpack

import numpy as np
import pandas as pd

from ..core.arguments import is_whole, key_names
from ..core.door.asking import Asking, TableQuestions
from ..core.door.keywords import Keywords
from ..core.label.layout import Layout
from ..core.label.release import Release, label_of
from ..core.measure.measurement import Noisy
from ..core.noise.mechanisms import name_of
from ..core.plan.plan import Asked
from ..core.protect.session_lookup import measured_columns
from ..core.schema.column import End, said_by
from ..core.schema.schema import Domain
from ..core.session.planning import is_planning
from ..errors import NotConcluded, UnknownMechanism, UnsupportedArgument, UnsupportedType, wrong_value
from ..tables.ask_margins import labels_of_tables, read_spending
from ..tables.planning.margins import Margin, meet
from ..tables.planning.planning import Importance
from . import ask_synthesized_keys
from .ask_synthesized_keys import (
    MOST_MODEL,
    MOST_TABLES,
    OUT,
    check_cells,
    check_measured,
    impossible_cells,
    measured_numbers,
    place_of,
    read_levels,
    readings_of,
    requested_tables,
)
from .conclude_columns import reading_labels
from .measure import CountedTables, KeyReading
from .model.fit import TableEstimate, fit_model
from .model.graph import Graph, added, downward
from .model.model import Model
from .statistic_adaptive_stages import TablesForSynthesis
from .statistic_table_stages import Impossible, PublicTables

if TYPE_CHECKING:
    from .ask_synthesis import Synthesis


NEAR = 1e-6  # of the rows: how far sums of tables may be apart
FITTED = 0.01  # of the rows, that a model of all may be off
EXAMPLE = 'e.g. [pd.Series({"f": 520, "m": 480}).rename_axis("sex")]'


def public_tables(
    readings: Sequence[KeyReading], given: Any, impossible: Impossible, size: int | None
) -> tuple[PublicTables, Impossible]:
    """The tables, and the cells that cannot be: those that hold nobody among them."""
    if given is None:
        return PublicTables(), impossible
    listed = [given] if isinstance(given, pd.Series | pd.DataFrame) else given
    if not isinstance(listed, list | tuple) or not all(isinstance(each, pd.Series | pd.DataFrame) for each in listed):
        raise _wrong(f"public_tables must be a list of counts, each a Series or DataFrame under its keys, {EXAMPLE}.")
    estimates = tuple(_read(readings, each) for each in listed)
    if not estimates:
        return PublicTables(), impossible
    empty = tuple((each.margin, each.values > 0) for each in estimates if not each.values.all())
    found = replace(impossible, zeros=(*impossible.zeros, *empty))
    said = hashlib.sha256(repr([(each.margin, each.values.tolist()) for each in estimates]).encode()).hexdigest()
    model = _checked(estimates, found, [reading.size for reading in readings], size)
    return PublicTables(estimates, said, model), found


def _read(readings: Sequence[KeyReading], table: pd.Series | pd.DataFrame) -> TableEstimate:
    """The counts in the order of the keys and their categories; nobody lacks a value where none are said to."""
    if label_of(table) is not None:
        raise _wrong(
            "public_tables are known without noise, and one of these is a release; ask release.dp.synthesize()."
        )
    axes = [table.index] if isinstance(table, pd.Series) else [table.index, table.columns]
    places = _places(readings, [name for axis in axes for name in axis.names])
    keys = [readings[place] for place in places]
    codes = np.concatenate([_codes(axis, mine) for axis, mine in _crossed(axes, keys)], axis=0)
    values, there = np.zeros([key.size for key in keys]), np.zeros([key.size for key in keys], dtype=np.int64)
    np.add.at(there, tuple(codes), 1)
    values[tuple(codes)] = _numbers(table, keys[0].key.name)
    needed = there[tuple(slice(0, key.size - key.missing) for key in keys)]
    if (there > 1).any() or not needed.all():
        raise _wrong(
            f"a table of public_tables, by {keys[0].key.name!r}, must have one number for each declared category of "
            "its keys, and for missing values (NaN) where some lack one."
        )
    order = np.argsort(places)
    return TableEstimate(tuple(sorted(places)), np.ascontiguousarray(values.transpose(order)), 0.0)


def _crossed(axes: Sequence[pd.Index], keys: Sequence[KeyReading]) -> list[tuple[pd.Index, list[KeyReading]]]:
    """The labels of each axis, cell by cell of the table, with its keys."""
    if len(axes) == 1:
        return [(axes[0], list(keys))]
    down, across = axes
    first, last = list(keys[: down.nlevels]), list(keys[down.nlevels :])
    return [(down.repeat(len(across)), first), (across[list(range(len(across))) * len(down)], last)]


def _places(readings: Sequence[KeyReading], names: Sequence[Hashable]) -> list[int]:
    known = [reading.key.name for reading in readings]
    if not names or not all(name in known for name in names) or len(set(names)) < len(names):
        asked = ", ".join(map(repr, known))
        raise _wrong(
            f"the axes of a table of public_tables must be named by different keys of this synthesize, of {asked}; "
            f"name them by rename_axis, {EXAMPLE}."
        )
    return [known.index(name) for name in names]


def _codes(axis: pd.Index, keys: Sequence[KeyReading]) -> Any:
    """A line for each key: the category that each label names."""
    found = np.zeros((len(keys), len(axis)), dtype=np.intp)
    for level, reading in enumerate(keys):
        labels = reading_labels(reading)
        at = pd.Index(axis.get_level_values(level))
        known = {each: place_of(labels, str(each) if isinstance(each, pd.Interval) else each) for each in at.unique()}
        if None in known.values():
            name = reading.key.name
            raise _wrong(
                f"a table of public_tables names a category of {name!r} that was not declared; give the declared ones, "
                "to the letter, or declare it."
            )
        found[level] = at.map(known, na_action=None).to_numpy(dtype=np.intp)
    return found


def _numbers(table: pd.Series | pd.DataFrame, name: Hashable) -> Any:
    try:
        numbers = np.asarray(table, dtype=float).ravel()
    except (TypeError, ValueError):
        numbers = np.array([np.nan])
    if not np.isfinite(numbers).all() or (numbers < 0).any() or not numbers.sum() > 0:
        raise _wrong(
            f"a table of public_tables, by {name!r}, must hold finite numbers of rows, 0 or more, and some row."
        )
    return numbers


def _checked(
    estimates: Sequence[TableEstimate], impossible: Impossible, sizes: Sequence[int], size: int | None
) -> Model:
    """The model of them: there is room for it, and it has them all."""
    rows = float(estimates[0].values.sum())
    if size is not None and rows > size * (1 + NEAR):
        raise _wrong(f"public_tables hold {rows:,.0f} rows, and the table has {size:,}; give tables of the same rows.")
    for one, other in combinations(estimates, 2):
        shared = meet(one.margin, other.margin)
        sums = [added(each.values, each.margin, shared) for each in (one, other)]
        if np.abs(sums[0] - sums[1]).sum() > NEAR * rows:
            raise _wrong("two of the public_tables contradict each other: what both tell differs; correct them.")
    cells = Graph.of(sizes, [*impossible.tables, *(each.margin for each in estimates)]).cells
    if cells > MOST_MODEL:
        raise _wrong(
            f"a model with these public_tables has {cells:,} cells, and at most {MOST_MODEL:,} are possible; leave "
            "out some, or give tables of fewer keys."
        )
    model = fit_model(sizes, estimates, rows, impossible.zeros)
    if not model.is_possible or any(np.abs(model.table(t.margin) - t.values).sum() > FITTED * rows for t in estimates):
        raise _wrong("no table of rows has all the public_tables and none in structural_zeros; correct one of them.")
    return model


def _wrong(sentence: str) -> UnsupportedArgument:
    return UnsupportedArgument(sentence, argument="public_tables")


ROWS = 200
MOST_FAILING = 0.95
PLAIN = (str, int, float, bool)  # what drawn values are of, where it is declared


def check_rows(schema: Any, domain: Domain, readings: Sequence[KeyReading], impossible: Impossible) -> None:
    """Refuse a schema that hardly any row meets, or that is about the whole table."""
    from .conclude_columns import SyntheticColumn, check_missing, failing, reduced  # late: seldom needed

    columns: dict[int, SyntheticColumn] = {}
    for at, reading in enumerate(readings):
        if reading.key.level is None:  # rows have the column, and no levels of it
            labels, name = reading_labels(reading), reading.key.name
            known = labels[: len(labels) - reading.missing]
            columns[at] = SyntheticColumn.of(name, known, domain.said_of(name), reading.missing)
            check_missing(columns[at])
    checks = reduced(schema, [column.name for column in columns.values()])
    if is_met(checks):
        return
    rng = np.random.default_rng(0)
    model = fit_model([reading.size for reading in readings], [], ROWS, impossible.zeros)
    codes = model.sample(ROWS, rng, "random")
    rows = pd.DataFrame({column.name: column.values(codes[:, at], rng) for at, column in columns.items()})
    try:
        bad = failing(checks, rows).mean()
    except NotConcluded:
        raise UnsupportedArgument(
            "the schema has a check of the whole table, which rows that are drawn cannot be made to meet; take it out "
            "of the schema, or leave out a column by columns=[...], as checks of rows are run where all columns are."
        ) from None
    if bad > MOST_FAILING:
        raise UnsupportedArgument(
            f"of rows drawn at random {bad:.0%} fail a check of the schema; say which combinations cannot be by "
            "structural_zeros=, or leave out a column by columns=[...]."
        )


def is_met(schema: Any) -> bool:
    """Whether any row of declared values meets the schema: none of its checks says more than a range or a list."""
    return not (schema.checks or schema.dtype or schema.parsers) and all(map(_is_met, schema.columns.values()))


def _is_met(column: Any) -> bool:
    from pandera.engines.pandas_engine import Engine

    said = said_by(column.checks)
    read = len(column.checks) == 0 or (len(column.checks) == 1 and bool(said))
    strict = any(isinstance(each, End) and each.strict for each in said)
    return (
        column.dtype in [Engine.dtype(each) for each in PLAIN]
        and read
        and not (strict or column.nullable or column.metadata or column.regex or column.parsers)
    )


@dataclass(frozen=True)
class Said:
    """What a call of `synthesize` says, beside the keywords that every question takes."""

    columns: Any = None
    tables: Any = "pairs"
    importance: Any = None
    bins: Any = None
    structural_zeros: Any = None
    hierarchies: Any = None
    public_tables: Any = None
    stages: Any = 3


@dataclass(frozen=True)
class MeasuredLayout(Layout):
    """Rows for all tables that the stages measured, one below the other, which the answers decide."""

    part: TablesForSynthesis | None = None

    def after(self, answers: Sequence[Noisy]) -> Layout:
        assert self.part is not None
        _, state, _ = self.part.margin[len(answers)]
        measured = state.measured
        return Layout(labels_of(measured.counted.readings, measured.tables), None, self.style)


def synthesis(frame: pd.DataFrame, said: Said, keywords: Keywords) -> Any:
    """A model of tables that were found worth measuring; while it is only planned, a table that holds nothing."""
    asking, part = asked(frame, said, keywords)
    schema = schema_of(asking, part)
    if schema is not None:
        check_rows(schema, asking.domain, part.counted.readings, part.impossible)
    part = replace(part, known=(asking.domain, schema))
    rows = labels_of(part.counted.readings, ())
    found = asking.release([Asked(None, part)], MeasuredLayout(rows, None, "measures", part))
    if is_planning():
        return found
    from .ask_synthesis import Synthesis
    from .conclude_described import description  # late: needed only once there is a release

    return Synthesis(description(found, part, asking.public.size))


def schema_of(asking: Asking, part: TablesForSynthesis) -> Any:
    """The schema of the session that declares all columns, and holds no check that rows of nobody cannot meet."""
    given = asking.core.opening.schema
    names = [reading.key.column for reading in part.counted.readings]
    for schema in given if isinstance(given, list | tuple) else [given]:
        if schema is None or not set(names) <= set(Domain.read(schema).columns):
            continue
        whole = schema.to_schema() if hasattr(schema, "to_schema") else schema
        unique = next((name for name in names if name in whole.columns and whole.columns[name].unique), None)
        if unique is not None:
            raise UnsupportedType(
                f"column {unique!r} is declared unique, and rows drawn from a model repeat values; {OUT}.",
                column=unique,
            )
        return schema if asking.subject.whole else None
    return None


def asked(frame: pd.DataFrame, said: Said, keywords: Keywords) -> tuple[Asking, TablesForSynthesis]:
    """The question, of which nothing is looked at."""
    columns = measured_columns(frame) if said.columns is None else key_names("synthesize", said.columns)
    columns = list(dict.fromkeys(columns))
    levels = read_levels(said.hierarchies, frame, columns)
    asking = Asking(frame, "synthesize", keywords, columns=columns, keys=columns, counts_keys=True)
    asking.not_with("weaker promises", "many rows")
    if asking.read.request.mechanism not in ("auto", "gaussian", "laplace"):
        raise UnknownMechanism(
            "synthesize measures tables with noise of 'gaussian' or 'laplace'; leave mechanism= out.",
            mechanism=name_of(asking.read.request.mechanism),
        )
    readings = readings_of(asking, columns, said.bins, levels)
    requested = requested_tables(readings, said.tables)
    spending = read_spending("synthesize", requested, said.importance, None, True)
    tables = downward([*((place,) for place in range(len(readings))), *requested])
    counted = CountedTables(tuple(readings), tables)
    _check_size(counted)
    stages = said.stages
    if stages != "adaptive" and (not is_whole(stages) or stages != 3):
        raise wrong_value("stages", 'be 3 or "adaptive"', stages)
    assert isinstance(spending, Importance)
    impossible = impossible_cells(readings, said.structural_zeros)
    size = asking.public.size if asking.subject.whole else None
    numbers = measured_numbers(asking, columns, said.bins)
    check_measured(readings, numbers, impossible.tables, "structural_zeros")
    public, impossible = public_tables(readings, said.public_tables, impossible, size)
    check_measured(readings, numbers, [each.margin for each in public.estimates], "public_tables")
    importance = spending.of_each
    return asking, TablesForSynthesis(counted, requested, importance, stages, MOST_MODEL, impossible, public, numbers)


def _check_size(counted: CountedTables) -> None:
    if len(counted.tables) > MOST_TABLES:
        raise UnsupportedArgument(
            f"synthesize would consider {len(counted.tables):,} tables, and at most {MOST_TABLES:,} are possible; "
            "choose columns, or list the tables that matter.",
            argument="tables",
        )
    check_cells("synthesize", counted)
    alone = sum(reading.size for reading in counted.readings)
    if alone > MOST_MODEL:
        raise UnsupportedArgument(
            f"a model of these columns has {alone:,} cells before any two of them are put together, and at most "
            f"{MOST_MODEL:,} are possible; use fewer bins or categories, or leave columns out.",
            cells=alone,
        )


def labels_of(readings: Sequence[KeyReading], tables: Sequence[Margin]) -> pd.Index:
    """The cells of all tables, one after the other."""
    names = [reading.key.name for reading in readings]
    found = labels_of_tables(names, list(map(reading_labels, readings)), tables)
    return found if len(names) > 1 else found.astype(object)


class Synthesizing(TableQuestions):
    """Synthetic rows, and how far they are from the data."""

    def synthesize(
        self,
        columns: Sequence[Hashable] | None = None,
        tables: str | Sequence[Sequence[Hashable]] = "pairs",
        *,
        importance: Sequence[float] | None = None,
        bins: int | Literal["measured"] | Mapping[Hashable, Any] | None = None,
        structural_zeros: Any = None,
        hierarchies: Any = None,
        public_tables: Sequence[pd.Series | pd.DataFrame] | None = None,
        stages: Literal[3, "adaptive"] = 3,
        **keywords: Unpack[Keywords],
    ) -> Synthesis:
        """Fit a model of the columns: `sample()` draws synthetic rows from it, and `table()` reads tables off it.

        The tables to measure are selected in stages, at one cost: first the tables of one column, then the distance of
        all others from independence, then the tables that are worth their noise. `pdp.Synthesis` describes how far to
        rely on the model. A missing value of a column declared `nullable=True` is a category; a row that lacks another
        value, or has an undeclared one, counts in no table.

        Parameters
        ----------
        columns : list of columns, optional
            The columns of the rows; by default all. Each needs categories or bounds.
        tables : "pairs", "triples" or list of lists of keys
            The tables that should be accurate.
        importance : list of float, optional
            The weight of each of the listed tables.
        bins : int, "measured" or mapping, optional
            The number of equal bins, or the edges, for numbers: for all, or by column. By default a bin for each
            integer of a range of at most 32, else 32 bins. Within a bin all points are equally likely. "measured"
            spends a tenth of the cost on bins that hold about as many rows each, and on the spread within them: for
            incomes and other skewed numbers, and if the rows should keep correlations of numbers.
        structural_zeros : list of mappings, optional
            Impossible combinations, e.g. [{"age": "0-14", "work": ["full", "part"]}]; no row has them.
        hierarchies : mapping, optional
            Coarser levels of columns, {"age": {"band": {"0-4": "0-14", ...}}}: keys of tables, which are measured where
            they are worth more than the column itself. Rows have the column, and tables of the synthesis both.
        public_tables : list of Series or DataFrames, optional
            Public counts of the same rows, by the categories of their keys. The model has them exactly, and they cost
            nothing. Do not pass a table that was counted from the data.
        stages : 3 or "adaptive"
            Three stages, or "adaptive": one table after another, each the farthest from the model so far. Adaptive
            stages are slower, and better at a large epsilon.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(rho=1e9)  # so much that there is no noise to see
        >>> people = session.protect(pd.DataFrame({"sex": ["f", "m", "m"] * 400, "vote": ["yes", "no", "no"] * 400}))
        >>> synthesis = people.dp.synthesize(rho=1e8, categories={"sex": ["f", "m"], "vote": ["yes", "no"]})
        >>> synthesis.sample(6, seed=1).value_counts(["sex", "vote"]).to_dict()
        {('m', 'no'): 4, ('f', 'yes'): 2}
        """
        said = Said(columns, tables, importance, bins, structural_zeros, hierarchies, public_tables, stages)
        return synthesis(self._frame, said, keywords)

    def distance(
        self,
        of: pd.DataFrame | Synthesis,
        tables: str | Sequence[Sequence[Hashable]] = "pairs",
        *,
        bins: Mapping[Hashable, Any] | None = None,
        **keywords: Unpack[Keywords],
    ) -> Release:
        """How far a synthesis, or rows of it, are from the data: for each table `tv`, half of what the shares of its
        cells differ by in all, with its standard error, and `upper`, which it does not exceed; and the mean of all.

        The upper bounds hold together, at the level of `confidence`, whatever the rows were made by. They bound the
        error of every share of the total in that table, of whatever cells together, and say nothing of tables that
        were not asked about.

        Parameters
        ----------
        of : Synthesis, or DataFrame of its rows
            A synthesis is compared by its model, and takes the answer: `synthesis.with_distance(release)`. Rows are
            compared themselves, and taken for as many as the data have, where that number is public.
        tables : "pairs", "triples" or list of lists of keys
            Of all columns that the rows have, or those named.
        bins : mapping, optional
            For a column of numbers its bins, a number or edges. By default a bin for each whole number of a range of at
            most 32, else 32 bins.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(rho=1e9)  # so much that there is no noise to see
        >>> people = session.protect(pd.DataFrame({"sex": ["f", "m"] * 500, "vote": ["yes", "no"] * 500}))
        >>> rows = pd.DataFrame({"sex": ["f", "f", "m", "m"] * 250, "vote": ["yes", "no"] * 500})
        >>> rows.attrs["dp"] = {"kind": "synthetic"}  # as those of a synthesis say
        >>> found = people.dp.distance(rows, rho=1e8, categories={"sex": ["f", "m"], "vote": ["yes", "no"]})
        >>> found.loc["sex × vote", "tv"].round(3).item()
        0.5
        """
        return ask_synthesized_keys.release(self._frame, of, tables, bins, keywords)
