"""Derivations that keep people apart: by a language that has no other, or by calling f on each person."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from functools import reduce
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..core.arrays import Array
from ..core.engine.row_ids import KnownIds
from ..core.label.release import DERIVED
from ..core.protect import session_lookup
from ..core.protect.mark import as_asked, origin_of, source_of
from ..core.protect.tables import ProtectedTable
from ..core.schema.declared import Declared
from ..errors import NotFollowed, NotProtected, NotRowwise, UnsupportedArgument, shown, type_of, wrong_value
from ..language.arithmetic import as_number
from ..language.column import LazyColumn
from ..language.graph import Node, source_column
from ..language.persons import of_person
from ..language.reader import QueryReader
from ..language.rows import RowSet
from ..language.table import LazyTable
from ..language.texts import as_objects
from ..recording.frames import dressed
from ..recording.record import bare
from ..recording.sources import made_by, values_at
from ..tools.fold import quiet
from .fold import as_declared, evaluated, numbers_of
from .rows_examples import SEED, made_up
from .rows_ranges import with_known_ranges

if TYPE_CHECKING:
    from ..core.session.session_core import SessionCore


PERSONS = ("sum", "mean", "min", "max", "count", "first", "last")
OF_PERSON = {f"{name}_of_person": name for name in PERSONS}
FURTHER: Mapping[str, tuple[int, Callable[..., Any]]] = {
    "clip": (3, lambda x, low, high: np.minimum(np.maximum(x, low), high)),
    "fill": (2, lambda x, y: x.fillna(y)),
    "log2": (1, np.log2),
    "max": (0, lambda *given: reduce(np.maximum, given)),
    "min": (0, lambda *given: reduce(np.minimum, given)),
    "missing": (1, lambda x: x.isna()),
    "round": (1, lambda x: x.round()),
    "sign": (1, np.sign),
}
"""Functions of numbers beside those of `eval`, with how many of them each takes: 0 stands for any number."""


class DerivedReader(QueryReader):
    """Expressions of a table: those of `eval`, and what is made of all rows of one person."""

    def __init__(self, table: LazyTable, name: str, with_people: bool) -> None:
        super().__init__(table._column, {})
        self.name, self.with_people = name, with_people

    def read(self, written: object) -> Any:
        """What the expression gives; refused where it is none of this language."""
        if not isinstance(written, str):
            raise UnsupportedArgument(
                f"{self.name}= takes an expression, e.g. 'log1p(cost)', not {shown(written)}.", argument=self.name
            )
        try:
            found = self.assigned(written)
        except AttributeError as error:  # of a column, which says what to do
            raise NotFollowed(str(error)) from None
        if len(found) != 1 or found[0][0] is not None:
            raise NotFollowed(f"{self.name}= takes one expression, e.g. 'log1p(cost)'.")
        return found[0][1]

    def _called(self, tree: ast.Call) -> Any:
        name = tree.func.id if isinstance(tree.func, ast.Name) else ""
        if name not in OF_PERSON and name not in FURTHER:
            return super()._called(tree)
        many, of = FURTHER.get(name, (1, self._of_person(name)))
        given = [self.value(each) for each in tree.args]
        among = given[:1] if many in (1, 2) else given  # of which one is a column
        if tree.keywords or len(given) != (many or len(given)) or not any(isinstance(x, LazyColumn) for x in among):
            raise NotFollowed(f"{name} takes {many or 'some'} columns or numbers, of which the first is a column.")
        return of(*given)

    def _of_person(self, name: str) -> Callable[[LazyColumn], LazyColumn]:
        if name in OF_PERSON and not self.with_people:
            raise UnsupportedArgument(
                f"{name} adds up the rows of one person, and here a row is a person; open the session with unit=, the "
                "column that says whose a row is.",
                argument=self.name,
            )

        def made(column: LazyColumn) -> LazyColumn:
            return column.made(as_number(of_person(OF_PERSON[name], column.number(), column.rows.condition)))

        return made


Declarations = Mapping[Hashable, Declared | None]
Made = dict[Any, list[Any]]
Answer = pd.DataFrame | dict[Any, Any] | None
PEOPLE = 60  # that are made up, to see what f gives
INTERRUPTED = (KeyboardInterrupt,)  # of whoever sits there; an exit that f asks for is a failure like any other
SINGLE = "value"  # the column of a single number


def by_person(
    f: Callable[..., Any],
    frame: pd.DataFrame,
    persons: Array,
    known: KnownIds,
    named: tuple[Hashable, Collection[Hashable]],
    declared: Declarations,
) -> pd.DataFrame:
    """A table of what f gives for each person, in the order of their ids: an index of people, the columns and dtypes
    that f has on made-up tables. Where f fails, or gives no table, a person has no rows.

    Of the `named` the first is the index's name, and no column has one of them: they say whose a row is.
    """
    unit, names = named
    columns = {name: numeric for name, numeric in _columns_of(f, declared).items() if name not in names}
    if not columns:
        kept = ", ".join(sorted(map(repr, names)))
        raise NotRowwise(
            f"this function gives no column beside those that say whose a row is, {kept}; it has to give one under "
            "another name."
        )
    plain = as_declared(frame, declared)
    order = np.argsort(persons, kind="stable")
    order = order[np.searchsorted(persons[order], 0) :]  # nobody's rows come first
    starts = np.flatnonzero(np.diff(persons[order], prepend=-1)).tolist()
    plain = plain.take(order).reset_index(drop=True)
    made: Made = {name: [] for name in columns}
    ids: list[Array] = []
    numbers = _pseudonyms(known)
    with quiet():
        for first, last in pairwise([*starts, len(order)]):
            mine = plain.iloc[first:last]
            mine.index = pd.RangeIndex(last - first)
            found = _called(f, mine, columns)
            if found is None:
                continue
            for name, values in found.items():
                made[name].append(values)
            many = len(next(iter(found.values())))
            ids.append(np.full(many, numbers[persons[order[first]]], dtype=np.int64))
    index = pd.Index(np.concatenate([np.zeros(0, np.int64), *ids]), name=unit)
    data = {
        name: pd.Series(_together(made[name], numeric), index=index, dtype=np.float64 if numeric else object)
        for name, numeric in columns.items()
    }
    table = pd.DataFrame(data, index=index, columns=list(columns))
    table.attrs = {name: said for name, said in frame.attrs.items() if name == "dp"}
    table = table.sort_index(kind="stable")
    if isinstance(table.attrs.get("dp"), dict):
        table.attrs["dp"] = {name: said for name, said in table.attrs["dp"].items() if name != "derived"}
    return table


def _pseudonyms(known: KnownIds) -> Array:
    """Of each number the id."""
    ids = np.arange(known.size) if known.ids is None else known.ids
    numbers = np.arange(known.size) if known.persons is None else known.persons
    found = np.zeros(int(numbers.max(initial=-1)) + 1, np.int64)
    found[numbers[numbers >= 0]] = ids[numbers >= 0]
    return found


def _columns_of(f: Callable[..., Any], declared: Declarations) -> Mapping[Any, bool]:
    """The columns that f gives on made-up people, and which of them hold numbers alone."""
    r = np.random.default_rng(SEED)
    numeric: dict[Any, bool] = {}
    failed: list[str] = []
    for place in range(PEOPLE):
        rows = as_declared(made_up(declared, np.full(1 + place % 5, 100 + place), r), declared)
        try:
            with quiet():
                found = _frame(_checked(f(rows)))
        except INTERRUPTED:
            raise
        except BaseException as error:  # noqa: BLE001 - whatever f does
            failed.append(type(error).__name__)
            continue
        if found is None:
            failed.append("no table")
            continue
        for name in found.columns:
            numbers = found[name].dtype.kind in "biuf" or (not len(found) and numeric.get(name, True))
            numeric[name] = numeric.get(name, True) and bool(numbers)
    if not numeric:
        why = f": {', '.join(dict.fromkeys(failed))}" if failed else ""
        raise NotRowwise(
            f"this function gives no table for any of {PEOPLE} people made up from the schema{why}; it has to take the "
            "rows of one person and give a DataFrame, a dict or Series of single values, or a number."
        )
    return numeric


def _called(f: Callable[..., Any], rows: pd.DataFrame, columns: Mapping[Any, bool]) -> dict[Any, Array] | None:
    """The columns of what f gives; None where it fails, or gives what cannot be read as they are."""
    try:
        answer = _checked(f(rows))
        return None if answer is None else {name: _as_column(answer, name, columns[name]) for name in columns}
    except BaseException as error:  # noqa: BLE001 - whose rows they were is nobody's business
        if not isinstance(error, INTERRUPTED):
            return None
    raise KeyboardInterrupt  # a new one, without the words and the context of the other


def _checked(given: Any) -> Answer:
    """What f gave: a table, or one row, of which a Series, a dict and a number are each one; None where it is none."""
    if isinstance(given, pd.DataFrame):
        return given if given.columns.is_unique and not isinstance(given.columns, pd.MultiIndex) else None
    if isinstance(given, pd.Series):
        return given.to_dict()
    if isinstance(given, Mapping):
        return dict(given)
    return {SINGLE: given} if isinstance(given, int | float | np.number | np.bool_) else None


def _frame(answer: Answer) -> pd.DataFrame | None:
    if not isinstance(answer, dict):
        return answer
    return pd.DataFrame({name: [value] for name, value in answer.items()})


def _as_column(found: pd.DataFrame | dict[Any, Any], name: Any, numeric: bool) -> Array:
    """The column, or the value of a row: missing where f gave none of this name; numbers are read in the end."""
    if isinstance(found, dict):
        return as_objects([found.get(name)])
    if name not in found.columns:
        return as_objects([None] * len(found))
    return numbers_of(found[name]) if numeric else as_objects(found[name].tolist())


def _together(parts: list[Array], numeric: bool) -> Array:
    """All parts one after another, missing where there is no number and numbers are wanted."""
    if not numeric:
        return np.concatenate([np.zeros(0, object), *parts])
    if any(part.dtype == object for part in parts):
        return numbers_of(pd.Series(np.concatenate([np.zeros(0, object), *parts]), dtype=object))
    return np.concatenate([np.zeros(0), *parts])


def derive(core: SessionCore, what: Any, frames: Sequence[Any], each: object, written: Mapping[str, object]) -> Any:
    """What `Session.derive` was asked for."""
    if isinstance(what, pd.DataFrame):
        if frames or each is not None:
            raise UnsupportedArgument("derive takes a function and a frame, or one frame and expressions, not both.")
        return _by_expressions(core, what, written)
    if not callable(what) or not frames or not all(isinstance(frame, pd.DataFrame) for frame in frames):
        raise UnsupportedArgument(
            "derive takes a frame and expressions, derive(frame, z='log1p(x)'), or in a session with unit= a function "
            f"of the rows of one person, derive(f, frame, each='person'), not {type_of(what)}; a scanned table has "
            "assign and eval."
        )
    if written:
        raise UnsupportedArgument(
            f"derive has no argument {next(iter(written))!r}; what f needs besides frames it gets by a lambda.",
            argument=next(iter(written)),
        )
    if each is None:
        raise NotRowwise(
            "what a function makes of all rows at once is not seen to be made of each row alone; write expressions, "
            "derive(frame, z='log1p(x)'), or in a session with unit= let it have the rows of one person, "
            "derive(f, frame, each='person')."
        )
    if not isinstance(each, str) or each != "person":
        raise wrong_value("each", "be 'person' or left out", each)
    return _apart(core, what, frames)


def _by_expressions(core: SessionCore, frame: pd.DataFrame, written: Mapping[str, object]) -> pd.DataFrame:
    if not written:
        raise UnsupportedArgument("derive was given a frame and no expression; write e.g. derive(frame, z='log1p(x)').")
    table, people = _table_of(core, frame), core.tables.people
    for name in written:
        if people is not None and name in people.names:
            raise UnsupportedArgument(
                f"derive makes no column {name!r}, which says whose a row is; give the new one another name.",
                argument=name,
            )
    if source_of(frame) is not None:
        return _in_language(frame, written, people is not None)
    rows = RowSet(object())
    lazy = LazyTable(rows, {name: LazyColumn(rows, name, "any", source_column(name)) for name in frame.columns})
    for name, text in written.items():
        lazy[name] = DerivedReader(lazy, name, people is not None).read(text)
    made = evaluated(frame, {name: _node(lazy._column(name), name) for name in written}, _persons(core, table, frame))
    made.attrs = _without(frame.attrs, written)
    return made


def _in_language(frame: Any, written: Mapping[str, object], with_people: bool) -> pd.DataFrame:
    """Another way to write `assign` of a protected table."""
    table, real = frame._dp_made.copy(), frame._dp_real()
    for name, text in written.items():
        table[name] = DerivedReader(table, name, with_people).read(text)
        column = table._column(name)
        table[name] = column.made(_node(column, name), column.known)
        values = values_at(table[name], real.index).to_numpy()
        real = real.assign(**{name: values.astype(bool if column.kind == "condition" else np.float64)})
    found: pd.DataFrame = dressed(real, table, frame)
    found.attrs = _without(frame.attrs, written)
    return found


def _node(column: LazyColumn, name: str) -> Node:
    """What makes it: of numbers, or of conditions."""
    if column.kind not in ("number", "condition", "any"):
        raise NotFollowed(f"{name}= is a {column.kind}, and derive makes columns of numbers and of conditions.")
    return column.node if column.kind == "condition" else column.number()


def _apart(core: SessionCore, f: Callable[..., Any], frames: Sequence[pd.DataFrame]) -> pd.DataFrame:
    people, frame = core.tables.people, frames[0]
    if people is None or len(frames) > 1:
        raise UnsupportedArgument(
            "each='person' runs f on the rows of one person of one frame, in a session with unit=; without a unit a "
            "row is a person: write expressions, derive(frame, z='log1p(x)').",
            argument="each",
        )
    table = _table_of(core, frame)
    persons = _persons(core, table, frame)
    assert persons is not None
    core.tables.shows("values")  # f is handed rows, and may keep them
    declared, source = _declared(core, frame, table), source_of(frame)
    rows = frame if source is None else values_at(frame._dp_made, frame._dp_real().index)  # type: ignore[operator]
    found = by_person(f, rows, persons, people.known, (people.unit, people.names), declared)
    return found if source is None else made_by(core, found, f)


def _table_of(core: SessionCore, frame: pd.DataFrame) -> ProtectedTable | None:
    """Which of the session's tables a frame was cut from; refused where it is none of them."""
    if session_lookup.core_for(frame) is not core:
        raise NotProtected("this table belongs to another session; derive it there.")
    origin = origin_of(as_asked(frame))
    if not core.tables:
        return None
    return core.tables.of(bare(frame)) if origin is None else core.tables[origin.frame]


def _persons(core: SessionCore, table: ProtectedTable | None, frame: pd.DataFrame) -> Array | None:
    if core.tables.people is None or table is None:
        return None
    return np.asarray(table.known.people(bare(frame).index))


def _declared(core: SessionCore, frame: pd.DataFrame, table: ProtectedTable | None) -> Declarations:
    """What is public of each column; None of the one that says who a person is. Refused where nothing is said."""
    if isinstance(frame.columns, pd.MultiIndex) or not frame.columns.is_unique:
        raise UnsupportedArgument("derive takes frames with plain column names, each once.")
    names = core.tables.people.names
    unit = next((name for name in frame.columns if name in names), None)
    domain = with_known_ranges(core.opening.domain, frame, None if table is None else table.counted)
    declared: dict[Hashable, Declared | None] = {
        name: None if name == unit else domain.said_of(name) for name in frame.columns
    }
    unknown = next((name for name, said in declared.items() if said is None and name != unit), None)
    if unknown is not None:
        raise UnsupportedArgument(
            f"derive(f, each='person') tries f on people made up from the schema, which says nothing of column "
            f"{unknown!r}; declare it, or leave it out, e.g. frame[['age']].",
            column=unknown,
        )
    return declared


def _without(attrs: Mapping[Any, Any], names: Mapping[str, object]) -> dict[Any, Any]:
    """What a frame carries, but for the ranges of columns that are made anew."""
    label = attrs.get("dp")
    said = label.get(DERIVED) if isinstance(label, dict) else None
    if not isinstance(said, dict) or not isinstance(said.get("columns"), list):
        return dict(attrs)
    kept = [fact for fact in said["columns"] if not (isinstance(fact, dict) and fact.get("column") in names)]
    return {**attrs, "dp": {**label, DERIVED: {**said, "columns": kept}}}  # type: ignore[dict-item]
