"""Whether a function keeps people apart, tried on made-up tables: a heuristic. A refusal is right, a pass no proof."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ..backends.quiet import quiet
from ..dataclass import dataclass
from ..errors import NotRowwise, type_of
from ..protected import ProtectedFrame
from .made_up import Like

Array = np.ndarray[Any, Any]
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
class Found:
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


def replayed(f: Callable[..., Any], likes: Sequence[Like]) -> Found | None:
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
                    return Found(verdict, tables)
        except _RaisesError as error:
            return Found(f"raises {error} on a table of the schema", tables)
        except _NoTableError as error:
            return Found(f"gives {error}, not a table", tables)
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
        ProtectedFrame(table.copy()) if like.protected else table.copy()  # it sorts otherwise
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
