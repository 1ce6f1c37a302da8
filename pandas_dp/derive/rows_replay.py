"""Frames whose columns were made by what was released: their rows are derived, and their new ranges are public."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd

from ..core.arrays import Array
from ..core.label.release import DERIVED, Release
from ..core.protect.mark import source_of
from ..core.schema.bounds import Limits
from ..core.schema.declared import Declared
from ..core.schema.schema import Domain
from ..core.schema.values import Categories
from ..errors import NotRowwise, PrivacyError, UnsupportedArgument, type_of
from ..language.known import Known
from ..recording.frames import shown
from ..tools.fold import quiet
from .fold import RowMap, with_columns

Data = pd.DataFrame | pd.Series


@dataclass(frozen=True)
class DerivedColumn:
    """A column that was made of another by public numbers, and what everyone knows of it."""

    name: Any
    source: Any
    how: RowMap
    nullable: bool
    bounds: tuple[float, float] | None = None
    categories: tuple[Any, ...] | None = None

    def to_json(self) -> dict[str, Any]:
        bounds = None if self.bounds is None else list(self.bounds)
        listed = None if self.categories is None else list(self.categories)
        return {"column": self.name, "bounds": bounds, "categories": listed, "nullable": self.nullable}


def derived_by(
    release: Release, data: pd.DataFrame, made: Sequence[DerivedColumn], counted: str | None
) -> pd.DataFrame:
    """The frame with these columns; the release and what is known of them stand in its `attrs`."""
    frame = with_columns(data, {each.name: (each.source, each.how) for each in made})
    label = dict(data.attrs.get("dp") or {})
    new = {str(each.name): {**each.to_json(), "counted": counted} for each in made}
    columns = [fact for fact in _listed(label, "columns") if str(fact["column"]) not in new]
    label[DERIVED] = {
        "columns": [*columns, *new.values()],
        "releases": [*_listed(label, "releases"), as_facts(release)],
    }
    frame.attrs = {**data.attrs, "dp": label}
    return as_followed(frame, data, made)


def as_followed(frame: pd.DataFrame, data: pd.DataFrame, made: Sequence[DerivedColumn]) -> pd.DataFrame:
    """The frame as a program has it, whose columns the language makes, too."""
    if source_of(data) is None:
        return frame
    table = data._dp_made.copy()  # type: ignore[operator]
    for each in made:
        column = each.how.in_language(table[each.source])
        table[each.name] = replace(column, known=Known(each.bounds, each.categories, ordered=True, are_categories=True))
    found: pd.DataFrame = shown(frame, table)
    return found


def as_facts(release: Release) -> dict[str, Any]:
    """A released table and its label as plain values: `pd.DataFrame(**facts["table"])` is the table."""
    plain = pd.DataFrame(release)
    rows, columns = ([str(label) if isinstance(label, pd.Interval) else label for label in axis] for axis in plain.axes)
    table = {"data": plain.to_numpy().tolist(), "index": rows, "columns": columns}
    return {"table": table, "label": dict(release.attrs["dp"])}


def with_known_ranges(domain: Domain, data: Data, counted: str | None) -> Domain:
    """The domain with what a frame carries of its derived columns, if what is counted of a person is still the same."""
    found = dict(_known(data, counted))
    return domain.declaring(found) if found else domain


def _known(data: Data, counted: str | None) -> Iterator[tuple[Any, Declared]]:
    for fact in _listed(data.attrs.get("dp"), "columns"):
        with suppress(
            KeyError, TypeError, ValueError, ArithmeticError, PrivacyError
        ):  # what somebody else wrote there says nothing
            if fact["counted"] == counted:
                yield fact["column"], _declared(fact)


def _declared(fact: Mapping[str, Any]) -> Declared:
    nullable = bool(fact["nullable"])
    if fact["categories"] is not None:
        listed = Categories(tuple(fact["categories"]), ordered=True)
        return Declared(None, listed=listed, nullable=nullable, dtype="category")
    lower, upper = (Fraction(float(end)) for end in fact["bounds"])
    return Declared(limits=Limits(lower, upper), nullable=nullable)


def _listed(label: object, what: str) -> list[dict[str, Any]]:
    """What `derived_by` wrote; of anything else as much as has its form."""
    said = label.get(DERIVED) if isinstance(label, dict) else None
    found = said.get(what) if isinstance(said, dict) else None
    form = {"columns": "column", "releases": "label"}[what]
    return [fact for fact in found if isinstance(fact, dict) and form in fact] if isinstance(found, list) else []


GAPS = 0.2  # of the values of a column in which some may be missing
YEAR = 365 * 86_400 * 10**9
OTHERWISE = {  # where no ends are declared
    "integer": (Fraction(-3), Fraction(9)),
    "float": (Fraction(-2), Fraction(15, 2)),
    "datetime": (Fraction(50 * YEAR), Fraction(51 * YEAR)),
    "timedelta": (Fraction(0), Fraction(86_400 * 10**9)),
}
WORDS = ("a", "b", "ab", "c d", "", "B")
IDS = 2**53


@dataclass(frozen=True)
class Like:
    """What a table has to look like: its columns as they were declared, and how it says whose a row is."""

    columns: tuple[tuple[Hashable, Declared | None], ...]
    index: Any  # the name
    unit: Hashable | None  # the column of people, if the table has one
    people: bool  # whether its index is one of people
    protected: bool  # whether it sorts as a protected frame does

    def check(self) -> None:
        """Refused where the schema does not say what a column may hold."""
        unknown = [name for name, declared in self.columns if declared is None and name != self.unit]
        if unknown:
            raise UnsupportedArgument(
                f"derive(f) tries f on tables made up from the schema, which says nothing of column {unknown[0]!r}; "
                "declare it, or leave it out, e.g. frame[['age']].",
                column=unknown[0],
            )

    def rows(self, persons: np.ndarray[Any, Any], r: np.random.Generator) -> pd.DataFrame:
        """A row for each of these people, in this order."""
        many = len(persons)
        made = {
            name: pd.Series(persons) if name == self.unit else _column(declared or Declared(), many, r)
            for name, declared in self.columns
        }
        frame = pd.DataFrame(made, columns=[name for name, _ in self.columns])
        if self.people or self.unit is None:
            frame.index = pd.Index(persons, name=self.index, dtype=np.int64)
        else:
            frame.index = pd.Index(r.choice(IDS, many, replace=False).astype(np.int64), name=self.index)
        return frame


def _column(declared: Declared, many: int, r: np.random.Generator) -> pd.Series:
    """Values of a few, so that some are tied; both ends are among them."""
    values = [_pool(declared, r)[place] for place in r.integers(0, 8, many)]
    if declared.nullable:
        values = [None if r.random() < GAPS else value for value in values]
    if declared.listed is not None and declared.dtype in ("category", "categorical"):
        listed = declared.listed
        return pd.Series(pd.Categorical(values, categories=list(listed.values), ordered=listed.ordered))
    dtype = _dtype(declared)
    try:
        return pd.Series(values, dtype=dtype)
    except (TypeError, ValueError):
        return pd.Series(values, dtype=object)


def _dtype(declared: Declared) -> Any:
    kinds = {"float": "float64", "datetime": "datetime64[ns]", "timedelta": "timedelta64[ns]"}
    if declared.dtype in ("bool", "boolean", "Int64", "Float64", "int32", "float32", "int8", "int16"):
        return declared.dtype
    if declared.kind == "datetime" and declared.tz is not None:
        return f"datetime64[ns, {declared.tz}]"
    if declared.kind == "integer":
        return "float64" if declared.nullable else "int64"
    return kinds.get(declared.kind or "") or ("str" if declared.dtype == "str" else None)


def _pool(declared: Declared, r: np.random.Generator) -> Sequence[Any]:
    """Eight values, some of them twice."""
    if declared.listed is not None:
        values = list(declared.listed.values)
        return [values[place] for place in r.integers(0, len(values), 8)]
    if declared.kind is None:
        return [WORDS[place] for place in r.integers(0, len(WORDS), 8)]
    if declared.dtype in ("bool", "boolean"):
        return [True, False] * 4
    low, high = OTHERWISE[declared.kind]
    low = declared.limits.lower if declared.limits.lower is not None else min(low, (declared.limits.upper or low) - 9)
    high = declared.limits.upper if declared.limits.upper is not None else max(high, low + 9)
    shares = [Fraction(0), Fraction(1), Fraction(1, 2), *(Fraction(int(n), 64) for n in r.integers(0, 65, 5))]
    found = [low + share * (high - low) for share in shares]
    if declared.kind == "float":
        return [float(value) for value in found]
    whole = [int(value) for value in found]
    if declared.kind == "integer":
        return whole
    days = [value - value % (86_400 * 10**9) if high - low > 5 * 86_400 * 10**9 else value for value in whole]
    return [pd.Timestamp(ns) if declared.kind == "datetime" else pd.Timedelta(ns) for ns in days]


SEED = 20_260_601  # public: the same tables in every run
TRIED = 12  # people of a table, each by herself
CLOSE = 1e-12
SIZES = ((0, 0), (1, 1), (1, 4), *[(3, 6)] * 12, *[(8, 24)] * 4, (40, 160), (120, 240))  # people, rows

OTHERS = "a person's rows change with others"
COLUMNS = "columns depend on the rows"
LOST = "loses the ids of the rows"
ADVICE = (
    "Release first what it needs of others, e.g. frame.dp.standardize(...), or write it as expressions, "
    "derive(frame, z='log1p(x)')"
)


@dataclass(frozen=True)
class Objection:
    """Why a function was refused, and the made-up table on which it showed."""

    verdict: str
    example: tuple[pd.DataFrame, ...]

    def refusal(self, by_person: bool) -> NotRowwise:
        who = "person" if by_person else "row"
        also = ", or run it on each person apart, each='person'." if by_person else "."
        said = self.verdict if by_person else self.verdict.replace("a person's rows change", "a row changes")
        text = "\n\n".join(table.rename_axis(None).to_string(max_rows=12) for table in self.example)
        return NotRowwise(
            f"this function does not go by {who}: {said}, on a table that was made up from the schema (.example shows "
            f"it). {ADVICE}{also}",
            verdict=self.verdict,
            example=text,
        )


def replayed(f: Callable[..., Any], likes: Sequence[Like]) -> Objection | None:
    """The first table on which f mixes people, if there is one: f(D) must hold of each person what f(D of her) does."""
    columns: list[Any] | None = None
    for number, (people, rows) in enumerate(SIZES):
        r = np.random.default_rng([SEED, number])
        tables = tuple(_table(like, people, rows, r) for like in likes)
        try:
            whole = _result(f, tables, likes)
            for place in (None, *_some(tables, likes, r)):
                part = whole if place is None else _result(f, _of_one(tables, likes, place), likes)
                verdict = _lost(part, likes)
                columns = _columns(part) if columns is None else columns
                verdict = verdict or (COLUMNS if columns != _columns(part) else None)
                if verdict is None and place is not None:
                    verdict = _differ(whole, part, tables, likes, place)
                if verdict is not None:
                    return Objection(verdict, tables)
        except _RaisesError as error:
            return Objection(f"raises {error} on a table of the schema", tables)
        except _NoTableError as error:
            return Objection(f"gives {error}, not a table", tables)
    return None


class _RaisesError(Exception):
    pass


class _NoTableError(Exception):
    pass


def _table(like: Like, people: int, rows: int, r: np.random.Generator) -> pd.DataFrame:
    if like.people or like.unit is None:
        return like.rows(np.arange(100, 100 + rows), r)
    return like.rows(100 + r.integers(0, people, rows) if people else np.zeros(0, np.int64), r)


def quietly(f: Callable[..., Any], *given: Any) -> Any:
    with quiet():
        return f(*given)


def _result(f: Callable[..., Any], tables: Sequence[pd.DataFrame], likes: Sequence[Like]) -> pd.DataFrame:
    given = [
        table.copy()  # it sorts otherwise
        for table, like in zip(tables, likes, strict=True)
    ]
    try:
        found = quietly(f, *given)
    except Exception as error:  # noqa: BLE001 - whatever f does
        raise _RaisesError(type(error).__name__) from None
    if isinstance(found, pd.Series):
        return found.to_frame()
    if not isinstance(found, pd.DataFrame):
        raise _NoTableError(type_of(found))
    return found


def _lost(found: pd.DataFrame, likes: Sequence[Like]) -> str | None:
    names = {like.index for like in likes} | {like.unit for like in likes if like.unit is not None}
    return None if not isinstance(found.index, pd.MultiIndex) and found.index.name in names else LOST


def _columns(found: pd.DataFrame) -> list[Any]:
    return [*found.columns, found.index.name]


def _persons(table: pd.DataFrame, like: Like) -> Array:
    of = table.index if like.people or like.unit is None else table[like.unit]
    return np.asarray(of, dtype=np.int64)


def _some(tables: Sequence[pd.DataFrame], likes: Sequence[Like], r: np.random.Generator) -> Iterator[tuple[Any, int]]:
    """A few people, each with the name of the ids by which she is known: two tables without a unit are two lists."""
    for name in dict.fromkeys(_list_of(like) for like in likes):
        all_of = [_persons(t, like) for t, like in zip(tables, likes, strict=True) if _list_of(like) == name]
        different = np.unique(np.concatenate(all_of))
        yield from ((name, int(each)) for each in r.permutation(different)[:TRIED])


def _list_of(like: Like) -> Hashable:
    return like.index if like.unit is None and not like.people else None


def _of_one(tables: Sequence[pd.DataFrame], likes: Sequence[Like], who: tuple[Any, int]) -> list[pd.DataFrame]:
    name, person = who
    return [
        table[(_persons(table, like) == person) & (_list_of(like) == name)]
        for table, like in zip(tables, likes, strict=True)
    ]


def _differ(
    whole: pd.DataFrame, part: pd.DataFrame, tables: Sequence[pd.DataFrame], likes: Sequence[Like], who: tuple[Any, int]
) -> str | None:
    """Whether what the whole holds of her is not what is made of her alone."""
    owners = _owners(whole.index.name, tables, likes)
    of_whole = whole[np.array([owners.get(each, (None, each)) == who for each in whole.index], dtype=bool)]
    same = len(of_whole) == len(part) and list(of_whole.index) == list(part.index)
    return None if same and all(_same(of_whole.iloc[:, c], part.iloc[:, c]) for c in range(part.shape[1])) else OTHERS


def _owners(name: Hashable, tables: Sequence[pd.DataFrame], likes: Sequence[Like]) -> dict[Any, tuple[Hashable, int]]:
    """Whose each row id of this name is; nothing where the index has the people themselves."""
    found: dict[Any, tuple[Hashable, int]] = {}
    for table, like in zip(tables, likes, strict=True):
        if like.index == name and not like.people:
            persons = _persons(table, like).tolist()
            found |= {row: (_list_of(like), person) for row, person in zip(table.index, persons, strict=True)}
    return found


def _same(one: pd.Series, other: pd.Series) -> bool:
    return all(_equal(a, b) for a, b in zip(one.astype(object), other.astype(object), strict=True))


def _equal(a: Any, b: Any) -> bool:
    try:
        if pd.api.types.is_scalar(a) and pd.isna(a):
            return pd.api.types.is_scalar(b) and bool(pd.isna(b))
        if isinstance(a, float | np.floating) and isinstance(b, int | float | np.number):
            return bool(a == b or np.isclose(float(a), float(b), rtol=CLOSE, atol=0))
        return bool(np.all(a == b))
    except Exception:  # noqa: BLE001 - objects that cannot be compared are not the same
        return False
