"""What arguments are: numbers, flags, names, paths, what a signature says; and a bar for what lasts over a second."""

from __future__ import annotations

import logging
import os
import sys
import types
from collections.abc import Callable, Collection, Container, Hashable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import is_dataclass
from difflib import get_close_matches
from functools import cache, wraps
from inspect import Parameter, Signature, signature
from itertools import islice
from numbers import Integral, Real
from pathlib import Path
from sys import float_info, modules
from typing import Any, Literal, ParamSpec, TypeVar, Union, get_args, get_origin, is_typeddict

import numpy as np
import pandas as pd

from ..errors import BadArgument, PrivacyError, UnsupportedArgument, users_frames, with_article, wrong_value

LOG = logging.getLogger("pandas_dp")
LOG.addHandler(logging.NullHandler())
Item = TypeVar("Item")


def shown(items: Iterable[Item], total: int, what: str) -> Iterable[Item]:
    """The same items; how many there are is public.

    Examples
    --------
    >>> list(shown(iter("abc"), 3, "letters"))
    ['a', 'b', 'c']
    """
    try:
        from tqdm.auto import tqdm  # late: an extra
    except Exception:  # noqa: BLE001 - it is not there, or fails: no bar is worth an answer that is paid
        return items
    bar: Iterable[Item] = tqdm(items, total=total, desc=what, delay=1, leave=False)
    return bar


Given = ParamSpec("Given")
Made = TypeVar("Made")

LONGEST_NOTE = 500
LEDGER_FILE = b"SQLite format 3\x00"
LONGEST_PATH, LONGEST_FILE = 4095, 255  # bytes, on the systems there are


def is_number(value: object) -> bool:
    """Real, of Python or numpy; True and False are none.

    Examples
    --------
    >>> is_number(2.5), is_number(True), is_number("2")
    (True, False, False)
    """
    return isinstance(value, Real) and not isinstance(value, bool)


def is_whole(value: object) -> bool:
    """An integer, of Python or numpy; 2.0, True and False are none."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def a_number(name: str, value: Any, low: float, high: float) -> float:
    """Strictly between the ends.

    Examples
    --------
    >>> a_number("confidence", 0.9, 0, 1)
    0.9
    """
    if not is_number(value) or not low < value < high:
        raise wrong_value(name, f"lie between {low:g} and {high:g}", value)
    return float(value)


def whole_number(name: str, value: Any, low: int, high: int) -> int:
    """From one end to the other, both included."""
    if not is_whole(value) or not low <= value <= high:
        raise wrong_value(name, f"be a whole number from {low:,} to {high:,}", value)
    return int(value)


def a_flag(name: str, value: Any) -> bool:
    """True or False; nothing that merely counts as one of them."""
    if not isinstance(value, bool):
        raise wrong_value(name, "be True or False", value)
    return value


def is_name(value: object) -> bool:
    """Whether a column of this name can be selected: of a function or an iterator pandas takes what it gives.

    Examples
    --------
    >>> is_name("age"), is_name(("age", 2026)), is_name(["age"]), is_name(len)
    (True, True, False, False)
    """
    try:
        hash(value), bool(value == value), value.encode() if isinstance(value, str) else None
        return not callable(value) and not isinstance(value, Iterator) and not isinstance(value, slice)
    except Exception:  # noqa: BLE001 - of a class of somebody's, whatever it raises
        return False


def read_note(note: object) -> str | None:
    """What is to be remembered of a question: a line that a label and a ledger can show.

    Examples
    --------
    >>> read_note("adults alone; asked for the yearly report")
    'adults alone; asked for the yearly report'
    """
    if note is not None and not (isinstance(note, str) and 0 < len(note) <= LONGEST_NOTE and note.isprintable()):
        raise wrong_value("note", f"be one line of text, of {LONGEST_NOTE} characters at most", note)
    return note


def read_title(title: object) -> str | None:
    """What stands above a picture or a table."""
    if title is not None and not isinstance(title, str):
        raise wrong_value("title", "be a text", title)
    return title


def a_path(name: str, value: Any) -> Path:
    """A path as it was typed.

    Examples
    --------
    >>> a_path("folder", "tables").name
    'tables'
    """
    try:
        text = os.fsdecode(value)
        written = os.fsencode(text)
    except (TypeError, UnicodeError):
        raise wrong_value(name, "be a path", value) from None
    if not text or "\0" in text:
        raise wrong_value(name, "be a path", value)
    if len(written) > LONGEST_PATH or any(len(os.fsencode(part)) > LONGEST_FILE for part in Path(text).parts):
        raise BadArgument(
            f"{name} must be a path, of {LONGEST_FILE} bytes between two slashes and {LONGEST_PATH:,} altogether at "
            "most; give a shorter one.",
            argument=name,
        )
    return Path(text)


def a_new_file(name: str, value: Any, what: str) -> Path:
    """Where a file may be written, in place of one that is there: never over a folder, nor over a ledger."""
    file = a_path(name, value)
    article = "an" if what[0] in "aeiouAEIOU" else "a"
    if file.is_dir() or not file.name:
        raise BadArgument(
            f"{name}= names a folder, and {article} {what} is one file; give it a name of its own.", argument=name
        )
    if not file.parent.is_dir():
        raise BadArgument(
            f"{name}= is in a folder that there is not; make it first, or write the {what} elsewhere.", argument=name
        )
    if file.is_file() and _is_ledger(file):
        raise BadArgument(
            f"{name}= names a ledger, which {article} {what} would overwrite; give it a name of its own.", argument=name
        )
    return file


def _is_ledger(file: Path) -> bool:
    """Whether it is a database, as ledgers are; what nobody may read is told when it is written."""
    try:
        with file.open("rb") as opened:
            return opened.read(len(LEDGER_FILE)) == LEDGER_FILE
    except OSError:
        return False


def one_of(name: str, value: Any, allowed: Sequence[str]) -> Any:
    """A name that is offered.

    Examples
    --------
    >>> one_of("kind", "ratio", ["difference", "ratio"])
    'ratio'
    """
    if not isinstance(value, str) or value not in allowed:
        *others, last = map(repr, allowed)
        raise wrong_value(name, f"be {', '.join(others)} or {last}", value)
    return value


def by_name(how: str) -> Callable[[Callable[Given, Made]], Callable[Given, Made]]:
    """Refuse arguments of a method that have no name, or one that it does not know, in a sentence that begins so."""

    def naming(method: Callable[Given, Made]) -> Callable[Given, Made]:
        _, *offered = signature(method).parameters

        @wraps(method)
        def asked(*given: Given.args, **named: Given.kwargs) -> Made:
            if len(given) > 1:  # self
                raise UnsupportedArgument(f"{how}.")
            odd = next((name for name in named if name not in offered), None)
            if odd is not None:
                near = get_close_matches(odd, offered, n=1)
                hint = f" (did you mean {near[0]!r}?)" if near else ""
                raise UnsupportedArgument(f"there is no {odd}={hint}: {how}.", argument=odd)
            return method(*given, **named)

        return asked

    return naming


Class = TypeVar("Class", bound=type)

LONGEST = 10**6  # values that a range may stand for
MOST_ELEMENTS = 10_000  # elements of a list
OUR_OWN = (OSError, ImportError, Warning, NotImplementedError)
LISTS = (list, tuple, range, pd.Index)
KNOWN = ("pandas_dp", "pandas", "pandera", "numpy", "matplotlib", "pyarrow", "dask", "datetime", "fractions", "pathlib")


def read_by_signature(function: Callable[Given, Made], further: type | None = None) -> Callable[Given, Made]:
    """The function, whose flags are True or False, and which names an argument that it cannot take.

    Readers of single arguments say best what is possible, so theirs is the first word. What gets past them and breaks
    something is looked up here: the annotation says what was wanted, and `further` those of keywords.
    """
    flags, names = _flags(function), list(signature(function).parameters)

    @wraps(function)
    def called(*given: Given.args, **named: Given.kwargs) -> Made:
        for name, value in (*zip(names, given, strict=False), *named.items()):
            if name in flags and not (value is None and flags[name]):
                a_flag(name, value)
            if isinstance(value, range | dict):
                _check_length(name, value)
        try:
            return function(*given, **named)
        except PrivacyError as refusal:
            raise by_the_shortest_way(refusal, function.__name__) from refusal.__cause__
        except OUR_OWN:
            raise
        except Exception:
            odd = _odd(function, further, given, named)
            if odd is None:
                raise
        raise odd  # outside, so that it has no context, which may quote what was given

    return as_door(called)


_doors: set[types.CodeType] = set()


def as_door(function: Any) -> Any:
    """A function that a user calls, and that shortens the way of a refusal."""
    _doors.add(function.__code__)
    return function


def by_the_shortest_way(refusal: PrivacyError, question: str) -> PrivacyError:
    """A refusal without the frames of the library, which tell a user nothing and hold tables; the log hears of it from
    the door at which the user called. A log at the level of DEBUG keeps the whole way, for whoever works on it."""
    if _is_outermost(sys._getframe(1)):
        LOG.info("refused %s: %s", question, type(refusal).__name__)
    if 0 < LOG.level <= logging.DEBUG:  # its own: an application whose logs all tell everything asked for no tables
        return refusal
    short: types.TracebackType | None = None
    for each in reversed(list(users_frames(refusal.__traceback__))):
        short = types.TracebackType(short, each.tb_frame, each.tb_lasti, each.tb_lineno)
    refusal.__context__ = None
    return refusal.with_traceback(short)


def _is_outermost(door: types.FrameType) -> bool:
    above = door.f_back
    while above is not None and above.f_code not in _doors:
        above = above.f_back
    return above is None


def all_read_by_signature(accessor: Class) -> Class:
    """A class of which each public method is."""
    for name, method in list(vars(accessor).items()):
        if isinstance(method, types.FunctionType) and (not name.startswith("_") or name in ("__init__", "__getitem__")):
            setattr(accessor, name, read_by_signature(method))
    return accessor


def _flags(function: Callable[..., Any]) -> dict[str, bool]:
    """Keywords that are True or False, and whether they may be None."""
    written = {name: str(each.annotation) for name, each in signature(function).parameters.items()}
    return {name: "None" in said for name, said in written.items() if said in ("bool", "bool | None")}


def _check_length(name: str, value: object) -> None:
    """A range is short to write and may be long to list."""
    for each in value.values() if isinstance(value, dict) else (value,):
        if isinstance(each, range) and each[LONGEST:]:
            raise BadArgument(f"{name} must hold at most {LONGEST:,} values; the range that was given has more.")


def _odd(
    function: Callable[..., Any], further: type | None, given: tuple[Any, ...], named: Mapping[str, Any]
) -> BadArgument | None:
    """The refusal of the first argument that is not of its annotation."""
    try:
        bound = signature(function).bind_partial(*given, **named)
    except TypeError:
        return None
    hints = _hints(function) | (_hints(further) if further is not None else {})
    for name, value in bound.arguments.items():
        kind = bound.signature.parameters[name].kind
        several = value if kind is Parameter.VAR_KEYWORD else {name: value}
        for each, held in several.items():
            hint = hints.get(each, hints.get(name, Any) if kind is not Parameter.VAR_KEYWORD else Any)
            hint = Sequence[hint] if kind is Parameter.VAR_POSITIONAL else hint  # type: ignore[valid-type]
            if name != "self" and not _fits(held, hint):
                requested = " or ".join(dict.fromkeys(_words(hint))) or f"be what help({function.__name__}) says of it"
                return wrong_value(each, requested, held)
    return None


@cache
def _hints(of: Any) -> dict[str, Any]:
    """What annotations mean; Any, where a name in them is there for type checkers alone."""
    found: dict[str, Any] = {}
    names = vars(modules[of.__module__])
    for name, each in getattr(of, "__annotations__", {}).items():
        said = getattr(each, "__forward_arg__", each)  # of a TypedDict
        try:
            found[name] = eval(said, dict(names)) if isinstance(said, str) else said
        except Exception:  # noqa: BLE001 - whatever such a text raises
            found[name] = Any
    return found


def _fits(value: Any, hint: Any) -> bool:
    """Whether a value is of this kind; of those that a type leaves open, whether it is one that is found again."""
    origin, of = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return any(_fits(value, each) for each in of)
    if origin is Literal:
        return isinstance(value, str | int) and value in of
    if hint is Any or isinstance(hint, TypeVar | str) or is_typeddict(hint):
        return _is_plain(value)
    if hint in (None, types.NoneType):
        return value is None
    if hint is bool:
        return isinstance(value, bool)
    if hint in (int, float):
        return _is_determined(value) and (is_whole(value) or hint is float)
    if hint is str:
        return isinstance(value, str) and _is_plain(value)
    if hint is Hashable:
        return is_name(value) and _is_plain(value)
    return _is_one(value, origin or hint, of)


def _is_one(value: Any, kind: Any, of: tuple[Any, ...]) -> bool:
    """Of a class, with elements that fit."""
    if kind is tuple:
        return isinstance(value, tuple) and (... in of or len(value) == len(of)) and _hold([value], of[:1])
    if kind in (Sequence, Iterable, Collection, Set, list):
        return isinstance(value, LISTS) and _hold([value], of)
    if kind is Mapping or kind is dict:
        return isinstance(value, Mapping) and _hold([value, value.values()], of)
    if kind is Callable or getattr(kind, "__name__", "") == "Callable":
        return callable(value)
    return isinstance(value, kind) if isinstance(kind, type) else _is_plain(value)


def _hold(several: Sequence[Any], of: tuple[Any, ...]) -> bool:
    named = zip(several, of, strict=False)
    return all(_fits(each, hint) for values, hint in named for each in islice(values, MOST_ELEMENTS))


def _is_determined(value: Any) -> bool:
    """A number that a float tells."""
    return is_number(value) and -float_info.max <= value <= float_info.max


def _is_plain(value: Any) -> bool:
    """What may be meant by an argument: no stranger, nothing that reading uses up, no half of a letter."""
    if isinstance(value, str):
        return not any("\ud800" <= letter <= "\udfff" for letter in value[:MOST_ELEMENTS])
    if value is None or isinstance(value, bool) or callable(value):
        return True
    if isinstance(value, Real):
        return _is_determined(value)
    if isinstance(value, complex | bytes | Iterator | slice | types.ModuleType | BaseException) or value is ...:
        return False
    if isinstance(value, dict):
        return all(map(_is_plain, value)) and all(map(_is_plain, value.values()))
    if isinstance(value, list | tuple | set | frozenset):
        return all(map(_is_plain, islice(value, MOST_ELEMENTS)))
    if value is pd.NA or value is pd.NaT or (isinstance(value, np.ndarray) and value.dtype.fields is not None):
        return False
    known = type(value).__module__.partition(".")[0]
    return known in KNOWN or isinstance(value, range) or is_dataclass(value)


def _words(hint: Any) -> Iterator[str]:
    """What it may be, as a refusal names it."""
    origin, of = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        for each in of:
            yield from _words(each)
        return
    named = {
        bool: "be True or False",
        int: "be a whole number",
        float: "be a number",
        str: "be a text",
        Hashable: "be one value, such as a name",
        tuple: "be a tuple",
        dict: "be a mapping",
        Mapping: "be a mapping",
    }
    kind = origin or hint
    if kind is Literal:
        yield f"be {' or '.join(map(repr, of))}"
    elif kind in named:
        yield named[kind]
    elif kind in (Sequence, Iterable, Collection, Set, list):
        yield "be a list"
    elif getattr(kind, "__name__", "") == "Callable":
        yield "be a function"
    elif isinstance(kind, type) and kind not in (types.NoneType, Any):
        yield f"be {with_article(kind.__name__)}"


def check_target(target: object) -> None:
    if target is not None:
        one_of("target", target, ("population", "sample"))


def are_names(given: Collection[Any]) -> bool:
    """Whether all of these name columns, and there are some."""
    return bool(given) and all(isinstance(name, str | int) and not isinstance(name, bool) for name in given)


def key_names(statistic: str, by: Any) -> list[Hashable]:
    """The keys as column names; a mask, a function or a Series is not one."""
    names = list(by) if isinstance(by, list | tuple) else [by]
    if not are_names(names):
        raise UnsupportedArgument(
            f"{statistic} takes names of columns as keys; make derived keys columns first, e.g. "
            "df.assign(month=df['day'].dt.month), and declare their categories."
        )
    return names


def refuse_missing(name: str, written: Signature, given: Sequence[Any], named: Container[str]) -> None:
    """Refuse a call that leaves out what a method cannot do without."""
    _, *own = [each for each in written.parameters.values() if each.kind is not Parameter.VAR_KEYWORD]
    missing = [each.name for each in own[len(given) :] if each.default is Parameter.empty and each.name not in named]
    if missing and all(each.kind is not Parameter.VAR_POSITIONAL for each in own):
        takes = ", ".join(each.name for each in own)
        every = ", and the keywords of every question" if len(own) + 1 < len(written.parameters) else ""
        raise UnsupportedArgument(
            f"{name} needs {' and '.join(f'{each}=' for each in missing)}; it takes {takes}{every}.",
            argument=missing[0],
        )
