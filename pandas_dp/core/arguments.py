"""Readers of single arguments: numbers, flags, names, notes, paths; and a bar for work that lasts over a second."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from difflib import get_close_matches
from functools import wraps
from inspect import signature
from numbers import Integral, Real
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from ..errors import BadArgument, UnsupportedArgument, wrong_value

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
