"""How one operation on a protected table is carried out: by pandas for the eyes, by the language for the answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from ..errors import NotFollowed, PrivacyError
from ..language.column import LazyColumn
from ..language.columns import NamedColumns
from ..language.graph import Lost, Node, lost_in
from ..language.rows import RowSet
from ..language.table import LazyTable
from .callers import is_followed
from .names import COUNTED, DECLARED, SAME, class_of
from .seen import find_seen, plain, seen, was_read

Lazy = LazyTable | LazyColumn
Data = pd.DataFrame | pd.Series


class Shown:
    """What a program holds of a protected table: what pandas has, for the eyes, and what the library saw being made.

    `_dp_made` is of the language; what is not followed is made of `Lost` nodes. `_dp_rows` are rows of its source.
    """

    _dp_made: Any
    _dp_rows: RowSet
    _dp_kind: Any

    def _dp_real(self) -> Any:
        """What pandas has, for pandas alone."""
        raise NotImplementedError


def flat(given: Any) -> Iterator[Any]:
    """All that is in lists, tuples, dicts and slices."""
    if isinstance(given, list | tuple):
        for each in given:
            yield from flat(each)
    elif isinstance(given, dict):
        yield from flat([*given, *given.values()])
    elif isinstance(given, slice):
        yield from (given.start, given.stop, given.step)
    else:
        yield given


SIMPLE = frozenset([bool, int, float, str, type(None)])


def mapped(given: Any, of: Callable[[Any], Any]) -> Any:
    """An argument, each thing in it as `of` makes it."""
    kind = type(given)
    if kind in SIMPLE or (kind is dict and not given):
        return given
    if kind is list or kind is tuple:
        return kind([mapped(each, of) for each in given])
    if kind is dict:
        return {mapped(name, of): mapped(each, of) for name, each in given.items()}
    if kind is slice:
        return slice(mapped(given.start, of), mapped(given.stop, of), mapped(given.step, of))
    return of(given)


def shown_in(given: Any) -> Shown | None:
    """The first protected table, or what was made of one, among arguments."""
    return next((each for each in flat(given) if isinstance(each, Shown)), None)


def bare(given: Any) -> Any:
    """As pandas takes it."""
    return given._dp_real() if isinstance(given, Shown) else plain(given)


def lazy(given: Any) -> Any:
    """As the language takes it: a number that is known as read is no constant."""
    if isinstance(given, Shown):
        return given._dp_made
    read = find_seen(given)
    if read is not None:
        raise NotFollowed(was_read(read, "m in its place"))
    return given


def nodes_of(made: Any) -> list[Node]:
    """All that a table or a column is made of."""
    if isinstance(made, LazyColumn):
        return [*made.rows.conditions, made.node]
    if isinstance(made, NamedColumns):
        return [*made._rows.conditions, *(each.node for _, each in made.items())]
    return [made] if isinstance(made, Lost) else []


def reason_in(*given: Any) -> Lost | None:
    """The first operation that was not followed, in what goes into another one."""
    shown = (each._dp_made for each in flat(given) if isinstance(each, Shown))
    return next((found for made in shown if (found := lost_in(nodes_of(made))) is not None), None)


def lost(rows: RowSet, out: Data, reason: Lost) -> Lazy:
    """What stands for rows that nobody saw being made."""
    if isinstance(out, pd.Series):
        return LazyColumn(rows, out.name, "any", reason)
    gone = rows.where(reason)
    return LazyTable(gone, {name: LazyColumn(gone, name, "any", reason) for name in out.columns})


def why_not(name: str, what: str, error: BaseException | None) -> Lost:
    """A sentence that names the operation and the way, and nothing of Python's."""
    ours = isinstance(error, PrivacyError) or (isinstance(error, AttributeError) and error.obj is not None)
    said = str(error) if ours else f"{name} is not done row by row with these arguments"
    return Lost((), f"this {what} was not made row by row: {said.rstrip('.')}.")


NOT_OURS = (PrivacyError, AttributeError, TypeError, ValueError, LookupError, ArithmeticError, RecursionError)
"""What the language raises where it has no such operation, or not with these arguments."""


def in_language(made: Any, name: str, args: Any, options: Mapping[str, Any]) -> Any:
    """What the language makes by the method of this name."""
    if isinstance(made, Lost):
        raise NotFollowed(made.reason)
    found = getattr(made, SAME.get(name, name))
    if not callable(found) or isinstance(found, Lazy):
        return found
    return found(*mapped(list(args), lazy), **mapped(dict(options), lazy))


def followed(rows: RowSet, name: str, out: Any, do: Callable[[], Any], given: Any) -> Any:
    """What the language makes, if it is what pandas shows; else why it does not."""
    what = "column" if isinstance(out, pd.Series) else "table"
    try:
        found = do()
    except NOT_OURS as error:
        reason = reason_in(given) or why_not(name, what, error)
    else:
        if isinstance(out, pd.Series) and isinstance(found, LazyColumn):
            return found
        if isinstance(out, pd.DataFrame) and isinstance(found, LazyTable) and list(found) == list(out.columns):
            return found
        if not isinstance(out, Data):
            return found
        reason = reason_in(given) or why_not(name, what, None)
    return lost(rows, out, reason) if isinstance(out, Data) else reason


def rise(given: Any, to: str) -> None:
    """Something was shown, or left, of all sources of what it is made of."""
    for each in flat(given):
        if isinstance(each, Shown):
            each._dp_rows._source.shows(to)


GROUPS = tuple(
    getattr(pd.api.typing, name)
    for name in dir(pd.api.typing)
    if name.endswith(("GroupBy", "Groupby", "Resampler", "Window", "Rolling", "Expanding"))
)
CALLS_OF_NAMES = frozenset(["rename", "rename_axis", "add_prefix", "add_suffix", "set_axis", "pipe"])
"""What calls functions of column names alone, or of followed tables."""


def has_function(name: str, given: Any) -> bool:
    """Whether a function of the analyst is called on rows."""
    return name not in CALLS_OF_NAMES and any(map(_is_function, flat(given)))


def _is_function(given: Any) -> bool:
    if type(given) in SIMPLE or not callable(given) or isinstance(given, np.ufunc | type | Shown):
        return False
    return getattr(given, "__module__", None) not in ("numpy", "builtins") and not hasattr(given, "__array_ufunc__")


def told(me: Shown, name: str, out: Any, do: Callable[[], Any], given: Any, wrap: Callable[..., Any]) -> Any:
    """What a program gets for what pandas made: followed, or not and why; or read from the rows."""
    given = [me, given]
    if isinstance(out, Data):
        if has_function(name, given[1]):
            rise(given, "values")
        return wrap(out, followed(me._dp_rows, name, out, do, given), me)
    if out is NotImplemented:
        return out
    if _holds_rows(out):
        if has_function(name, given[1]):
            rise(given, "values")
        return wrap(out, followed(me._dp_rows, name, out, do, given), me)
    word = _class(name, me)
    if word == "fact":
        return out
    for_eyes = word == "shown" and (out is not None or not any(hasattr(each, "write") for each in flat(given)))
    rise(given, "shown" if for_eyes else "values")
    if isinstance(out, pd.api.extensions.ExtensionArray):
        out = out.copy()  # what is written into it reaches no row
    return out if for_eyes or out is None else seen(out, _called(name, me))


def _class(name: str, me: Shown) -> str:
    """What something bare is that leaves: names of columns are facts where no row decided them."""
    if me._dp_kind == "index" or name.startswith(("np.", "pd.")):
        return "fact" if name in ("name", "names") else "values"
    made = me._dp_made
    known = name in COUNTED and me._dp_rows._source.says_how_many(made)
    if known or (name in DECLARED and "any" not in _kinds(made)):
        return "fact"
    word = class_of(name, me._dp_kind)
    return "values" if word == "fact" and _is_lost(made) else word


def _kinds(made: Any) -> list[str]:
    if isinstance(made, LazyColumn):
        return [made.kind]
    return [each.kind for _, each in made.items()] if isinstance(made, LazyTable) else ["any"]


def _is_lost(made: Any) -> bool:
    """Whether nobody saw its rows, and with them its columns, being made."""
    if isinstance(made, LazyTable):
        return any(isinstance(each, Lost) for each in made._rows.conditions)
    return isinstance(made.node if isinstance(made, LazyColumn) else made, Lost)


def _called(name: str, me: Shown) -> str:
    column = getattr(me._dp_made, "name", None)
    what = "index" if me._dp_kind == "index" else "value" if name.startswith("__") else name
    return f"the {what} of {'the rows' if column is None else column}"


def _holds_rows(out: Any) -> bool:
    """Groups, windows and what else pandas makes of a table that makes tables in turn."""
    return isinstance(out, GROUPS)


def carried_out(
    me: Shown,
    name: str,
    real: Callable[[], Any],
    args: Any,
    options: Any,
    wrap: Callable[..., Any],
    library: Any = None,
) -> Any:
    """One call: `real` is pandas' own."""
    try:
        out = real()
    except Exception as error:
        if not of_program(name, me, error):
            rise([me, args, options], "values")
        raise

    def do() -> Any:
        if library is not None and not is_followed(library, me._dp_rows._source.core.opening.follows):
            raise NotFollowed(f"{library} carried it out; if it is yours, Session(follows=[{library!r}])")
        return in_language(me._dp_made, name, args, options)

    return told(me, name, out, do, [args, options], wrap)


def of_program(name: str, me: Shown, error: Exception) -> bool:
    """Whether it was raised by what is written: a column that is not there, an argument that is none."""
    if name == "__bool__":
        return True
    if lost_in(nodes_of(me._dp_made)) is not None:
        return False
    missing = (
        isinstance(error, KeyError) and me._dp_kind == "table" and name in ("__getitem__", "drop", "__delitem__", "pop")
    )
    trace = error.__traceback__
    inner = trace.tb_next.tb_next if trace is not None and trace.tb_next is not None else None
    return missing or (isinstance(error, TypeError) and inner is None)
