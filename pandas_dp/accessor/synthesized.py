"""`synthesize`: which tables are worth measuring is found on the way, and a model of them draws rows of nobody."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from ..dataclass import dataclass
from ..domain import Domain
from ..errors import UnknownMechanism, UnsupportedArgument, UnsupportedType, wrong_value
from ..margins import Importance, Kept, downward
from ..mechanisms import name_of
from ..reading import is_whole
from ..release import TOTAL, Layout, reading_labels
from ..session import Asked, is_planning, measured_columns
from ..statistics import TablesForSynthesis
from ..tally import Blurred, CountedTables, Reading
from .asking import Asking
from .counted_learning import check_plain
from .distances import MOST_TABLES, check_cells
from .grouped import key_names
from .impossible import MOST_MODEL, impossible_cells
from .keywords import Keywords
from .margins import read_spending
from .public_tables import public_tables
from .rehearsed_rows import check_rows
from .synthesized_keys import OUT, check_measured, measured_numbers, read_levels, readings_of, wanted_tables


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
    looks: Any = 3


@dataclass(frozen=True)
class MeasuredLayout(Layout):
    """Rows for all tables that the looks measured, one below the other, which the answers decide."""

    part: TablesForSynthesis | None = None

    def told(self, answers: Sequence[Blurred]) -> Layout:
        assert self.part is not None
        _, state, _ = self.part.kept[len(answers)]
        measured = state.measured
        return Layout(labels_of_tables(measured.counted.readings, measured.tables), None, self.style)


def synthesis(frame: pd.DataFrame, said: Said, keywords: Keywords) -> Any:
    """A model of tables that were found worth measuring; while it is only planned, a table that holds nothing."""
    asking, part = asked(frame, said, keywords)
    schema = schema_of(asking, part)
    if schema is not None:
        check_rows(schema, asking.domain, part.counted.readings, part.impossible)
    part = replace(part, known=(asking.domain, schema))
    rows = labels_of_tables(part.counted.readings, ())
    found = asking.release([Asked(None, part)], MeasuredLayout(rows, None, "measures", part))
    if is_planning():
        return found
    from ..conclusions.synthesis.looked import looked  # late: needed only once there is a release
    from .synthesis import Synthesis

    return Synthesis(looked(found, part, asking.setting.size))


def schema_of(asking: Asking, part: TablesForSynthesis) -> Any:
    """The schema of the session that declares all columns, and holds no check that rows of nobody cannot meet."""
    given = asking.desk.opening.schema
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
    check_plain(asking)
    if asking.read.request.mechanism not in ("auto", "gaussian", "laplace"):
        raise UnknownMechanism(
            "synthesize measures tables with noise of 'gaussian' or 'laplace'; leave mechanism= out.",
            mechanism=name_of(asking.read.request.mechanism),
        )
    readings = readings_of(asking, columns, said.bins, levels)
    wanted = wanted_tables(readings, said.tables)
    spending = read_spending("synthesize", wanted, said.importance, None, True)
    tables = downward([*((place,) for place in range(len(readings))), *wanted])
    counted = CountedTables(tuple(readings), tables)
    _check_size(counted)
    looks = said.looks
    if looks != "adaptive" and (not is_whole(looks) or looks != 3):
        raise wrong_value("looks", 'be 3 or "adaptive"', looks)
    assert isinstance(spending, Importance)
    impossible = impossible_cells(readings, said.structural_zeros)
    size = asking.setting.size if asking.subject.whole else None
    numbers = measured_numbers(asking, columns, said.bins)
    check_measured(readings, numbers, impossible.tables, "structural_zeros")
    public, impossible = public_tables(readings, said.public_tables, impossible, size)
    check_measured(readings, numbers, [each.kept for each in public.told], "public_tables")
    importance = spending.of_each
    return asking, TablesForSynthesis(counted, wanted, importance, looks, MOST_MODEL, impossible, public, numbers)


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


def labels_of_tables(readings: Sequence[Reading], tables: Sequence[Kept]) -> pd.Index:
    """The cells of all tables, one after the other; a key that was summed out reads All."""
    labels = [_objects([*reading_labels(reading), TOTAL]) for reading in readings]
    codes = [
        np.indices([reading.size if place in kept else 1 for place, reading in enumerate(readings)]).reshape(
            len(readings), -1
        )
        for kept in tables
    ]
    for kept, places in zip(tables, codes, strict=True):
        for place, reading in enumerate(readings):
            if place not in kept:
                places[place] = reading.size
    at = np.concatenate([np.zeros((len(readings), 0), int), *codes], axis=1)
    names = [reading.key.name for reading in readings]
    columns = [each[code] for each, code in zip(labels, at, strict=True)]
    if len(columns) == 1:
        return pd.Index(columns[0], name=names[0], tupleize_cols=False, dtype=object)
    return pd.MultiIndex.from_arrays(columns, names=names)


def _objects(labels: Sequence[Any]) -> np.ndarray[Any, Any]:
    found = np.empty(len(labels), dtype=object)
    found[:] = labels
    return found
