"""Every refusal, the tree on top. A refusal is made before paying and never holds a data value."""

from __future__ import annotations

import linecache
import traceback
from collections.abc import Iterator
from types import TracebackType

LIBRARIES = ("pandas_dp", "pandas", "functools", "contextlib", "IPython", "ipykernel")


class PrivacyError(Exception):
    """A question that cannot be answered as asked. Its facts are attributes; none comes from the data.

    Examples
    --------
    >>> error = BudgetExceeded("asked for epsilon=2, but only epsilon=0.5 of epsilon=3 is left.", asked=2.0, left=0.5)
    >>> error.left
    0.5
    """

    def __init__(self, message: str, **facts: object) -> None:
        super().__init__(message)
        self.__dict__.update({name: fact if _is_plain(fact) else shown(fact) for name, fact in facts.items()})

    def __str__(self) -> str:  # KeyError would show the repr of its argument
        return str(self.args[0])

    def _render_traceback_(self) -> list[str]:
        """What a notebook shows: the sentence, and the lines of the user that led to it."""
        cause = [] if self.__cause__ is None else ["", *"".join(traceback.format_exception(self.__cause__)).split("\n")]
        return [f"{type(self).__name__}: {self}", *map(_line, users_frames(self.__traceback__)), *cause]


def users_frames(trace: TracebackType | None) -> Iterator[TracebackType]:
    """Those of a way through the code that are neither of this library nor of those between it and the user."""
    while trace is not None:
        if str(trace.tb_frame.f_globals.get("__name__", "")).partition(".")[0] not in LIBRARIES:
            yield trace
        trace = trace.tb_next


def _line(trace: TracebackType) -> str:
    """Where a frame of the user stands, and what is written there."""
    name, first = trace.tb_frame.f_code.co_filename, trace.tb_lineno
    (summary,) = traceback.extract_tb(trace, limit=1)
    numbers = range(first, max(summary.end_lineno or first, first) + 1)
    written = [linecache.getline(name, number).rstrip("\n") for number in numbers]
    where = f"line {first}" if "ipykernel" in name or name.startswith("<") else f"{name}, line {first}"
    return "\n".join([f"  {where}:", *(f"    {each}" for each in written)])


def _is_plain(fact: object) -> bool:
    """A fact that a log may keep; a column given by mistake is not one."""
    if type(fact) is tuple:
        return all(map(_is_plain, fact))
    return fact is None or type(fact) in (str, int, float, bool)


def shown(value: object) -> str:
    """How a refusal names an argument: a short one as it was written, any other by its type, as it may hold data.

    Examples
    --------
    >>> shown("sum"), shown(2.5), shown([1, 2])
    ("'sum'", '2.5', 'a list')
    """
    plain = next((kind for kind in (str, bool, int, float) if isinstance(value, kind)), None)
    text = "None" if value is None else plain.__repr__(value) if plain else ""  # numpy's floats are floats
    return text if 0 < len(text) <= 60 else type_of(value)


def type_of(value: object) -> str:
    """How a refusal names an element of an argument: by its type, as lists, arrays and mappings may hold data.

    Examples
    --------
    >>> type_of("Ms Smith"), type_of(2.5), type_of(None)
    ('a str', 'a float', 'None')
    """
    if value is None:
        return "None"
    is_function = callable(value) and not isinstance(value, type)
    name = type(value).__name__.removeprefix("nd").replace("ProtectedFrame", "DataFrame").removeprefix("Protected")
    return with_article("function" if is_function else name)


def with_article(name: str) -> str:
    """`a` or `an` before a name.

    Examples
    --------
    >>> with_article("int"), with_article("list")
    ('an int', 'a list')
    """
    return f"{'an' if name[0] in 'aeiouAEIOU' else 'a'} {name}"


class NoSession(PrivacyError, RuntimeError):
    """No open session covers this data."""


class SessionClosed(NoSession):
    """The session that protects this data has ended."""


class NotProtected(PrivacyError, ValueError):
    """The table carries no row ids or no label of the session that is asked to answer for it."""


class NoConsent(PrivacyError, PermissionError):
    """A custodian function was asked of a session that was not opened for it."""


class NoBounds(PrivacyError, ValueError):
    """A column whose range is declared nowhere."""


class NoCategories(PrivacyError, ValueError):
    """A key whose categories are declared nowhere."""


class BadBounds(PrivacyError, ValueError):
    """Bounds that are reversed, infinite, not numbers, or empty; categories likewise."""


class BadSchema(PrivacyError, TypeError):
    """A schema that is neither a pandera DataFrameSchema nor a DataFrameModel, or that contradicts itself."""


class UnknownColumn(PrivacyError, KeyError):
    """A column that the table or the schema does not have."""


class UnsupportedType(PrivacyError, TypeError):
    """A declared type that this statistic cannot use."""


class UnsupportedArgument(PrivacyError, TypeError):
    """An argument of the pandas twin that cannot be honoured under the guarantee, or a wrong one."""


class NotRowwise(PrivacyError, TypeError):
    """A derivation whose rows depend on rows of other people, or are not seen to depend on one person alone."""


class NotFollowed(UnsupportedArgument):
    """An operation that is not seen to make a row of that row alone."""


class BadArgument(UnsupportedArgument, ValueError):
    """An argument with a value that it cannot have."""


class BadCost(PrivacyError, ValueError):
    """A privacy argument that is missing, doubled, or not a positive finite number."""


class CostNotOffered(PrivacyError, ValueError):
    """A cost that this session or this mechanism cannot spend."""


class BudgetExceeded(PrivacyError, ValueError):
    """A charge that does not fit under the cap. Nothing was spent."""


class UnknownModel(PrivacyError, ValueError):
    """A promise that the library or the session does not offer."""


class UnknownMechanism(PrivacyError, ValueError):
    """A way of adding noise that the library does not have."""


class LedgerError(PrivacyError, OSError):
    """The ledger file cannot be read or written; no answer was given."""


class LedgerCorrupt(LedgerError):
    """The ledger file does not verify: an entry was changed, removed or cut."""


class LedgerMismatch(PrivacyError, ValueError):
    """The ledger file was opened under other terms."""


class TablesError(PrivacyError, OSError):
    """A folder of published tables cannot be read or written."""


class TablesDamaged(TablesError):
    """A folder of published tables does not verify: a file was changed, removed or cut."""


class TablesMismatch(PrivacyError, ValueError):
    """The folder holds other tables than those that are to be published."""


class ChangedRelease(PrivacyError, ValueError):
    """The table was changed since its release, so its label no longer describes the numbers."""


class MissingExtra(PrivacyError, ImportError):
    """A package that this way of publishing or drawing needs is not installed."""


class SyntheticRows(PrivacyError, TypeError):
    """These rows were drawn from a model: they are neither data nor a release."""


class AnswerLost(PrivacyError, RuntimeError):
    """Something failed after the charge. As its cause may reveal a row, only a custodian's session shows it."""


class NotConcluded(PrivacyError, ValueError):
    """A conclusion that this release does not support."""


def wrong_value(argument: str, requested: str, given: object) -> BadArgument:
    """The refusal of an argument's value."""
    if isinstance(given, list) and "list" in requested:
        return BadArgument(f"{argument} must {requested}; the list that was given holds others.", argument=argument)
    return BadArgument(f"{argument} must {requested}, not {shown(given)}.", argument=argument)
