"""What is said where a question, a conclusion or an argument is not there; where questions about groups are."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from functools import wraps
from inspect import Parameter, signature
from types import FunctionType
from typing import Any, NoReturn, TypeVar

import numpy as np
import pandas as pd

from ...errors import MissingExtra, PrivacyError, UnsupportedArgument
from ..arguments import as_door, by_the_shortest_way, read_by_signature, refuse_missing
from ..evidence.evidence import CONCLUDED
from .other_words import ARGUMENTS, CONCLUSIONS, OF_ANOTHER, OF_CONCLUSIONS, QUESTIONS

HOW = (
    "pandas' groupby shows which keys occur; write df.dp.groupby(keys)[columns].mean(epsilon=1), whose cells are the "
    "declared categories."
)


class GroupedByPandas:
    """Whatever is asked of it is refused."""

    def __repr__(self) -> str:
        return f"<{HOW}>"

    def __dir__(self) -> list[str]:
        return []

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("_"):
            raise AttributeError(name)
        raise UnsupportedArgument(HOW, argument=name)

    def __getitem__(self, name: Any) -> NoReturn:
        raise UnsupportedArgument(HOW, argument="dp")


def advise_where_groups_are_asked() -> None:
    """Put the word where a newcomer looks for `.dp`."""
    advised: Any = property(lambda grouped: GroupedByPandas())
    for kind in (pd.api.typing.DataFrameGroupBy, pd.api.typing.SeriesGroupBy):
        setattr(kind, "dp", advised)  # noqa: B010  # stubs do not have it


ALWAYS = (
    *("metadata", "guarantee", "check", "plot", "round", "relabel"),
    *("to_markdown", "to_latex", "to_html", "to_excel"),
)
"""What every release offers."""
OF_PARTS = {*ALWAYS, "confint", "contrast", "test", "equivalence_test"} - {"round"}
"""What a table offers that holds some cells of a release, or all in another order."""
OFFERED_BY_RELEASES = {*ALWAYS, *CONCLUDED}


def offered_by(accessor: type) -> list[str]:
    """What an accessor offers, in the order in which it is written: its own, then what it has in common with others."""
    members = dict.fromkeys(name for each in accessor.__mro__ for name in vars(each) if not name.startswith("_"))
    return [
        name for name in members if callable(getattr(accessor, name)) or isinstance(getattr(accessor, name), property)
    ]


def about_conclusion(name: str, offered: Sequence[str]) -> str:
    """A hint in brackets about what a release does not have, or nothing."""
    return f" ({CONCLUSIONS[name]})" if name in CONCLUSIONS else _near(name, offered)


def no_such_question(what: str, name: str, offered: Sequence[str], asked: object) -> AttributeError:
    """With the word that it has here; where nobody knows which is meant, with all that there are."""
    hint = QUESTIONS.get(name, QUESTIONS.get(name.lower(), ""))
    if name in OFFERED_BY_RELEASES and not hint:
        hint = "it concludes from a release, and this table is none; a release read back from CSV has lost its label, "
        hint += "which Parquet keeps"
    near = "" if hint else f"{_near(name, offered)}; it offers {', '.join(offered)}"
    return AttributeError(f"{what} has no {name!r}{f': {hint}' if hint else near}.", name=name, obj=asked)


def about_argument(name: str, offered: Sequence[str], question: str = "") -> str:
    """A hint in brackets, or nothing."""
    names, hint = OF_ANOTHER.get(question, ((), ""))
    if name in names:
        return f" ({hint})"
    return f" ({ARGUMENTS[name]})" if name in ARGUMENTS else _near(name, offered)


def _near(name: str, offered: Sequence[str]) -> str:
    near = get_close_matches(name, offered, n=1)
    return f" (did you mean {near[0]!r}?)" if near else ""


Accessor = TypeVar("Accessor", bound=type)


def with_arguments_named(accessor: Accessor) -> Accessor:
    """A keyword that a method does not have is refused with those that it has, and the one that may be meant."""
    for name, method in list(vars(accessor).items()):
        if isinstance(method, FunctionType) and not name.startswith("_") and _is_closed(method):
            setattr(accessor, name, _naming(read_by_signature(method)))
    return accessor


def _is_closed(method: Callable[..., Any]) -> bool:
    return all(each.kind is not Parameter.VAR_KEYWORD for each in signature(method).parameters.values())


def _naming(method: Callable[..., Any]) -> Callable[..., Any]:
    written, read = signature(method), reading_label(method)
    _, *offered = written.parameters

    @wraps(method)
    def asked(self: Any, *given: Any, **named: Any) -> Any:
        odd = next((name for name in named if name not in offered), None)
        try:
            if odd is None:
                refuse_missing(method.__name__, written, given, named)
                return read(self, *given, **named)
            hint = f" ({OF_CONCLUSIONS[odd]})" if odd in OF_CONCLUSIONS else _near(odd, offered)
            takes = f"it takes {', '.join(offered)}" if offered else "it takes none"
            raise UnsupportedArgument(f"{method.__name__} has no argument {odd!r}{hint}; {takes}.", argument=odd)
        except PrivacyError as refusal:
            raise by_the_shortest_way(refusal, method.__name__) from refusal.__cause__

    return as_door(asked)


def reading_label(method: Callable[..., Any]) -> Callable[..., Any]:
    """Where it fails and the label of the table is damaged, that is said."""

    @wraps(method)
    def read(self: Any, *given: Any, **named: Any) -> Any:
        try:
            with np.errstate(all="ignore"):  # numbers of a release may be anything
                return method(self, *given, **named)
        except (PrivacyError, ImportError):
            raise
        except Exception as error:
            getattr(self, "_refuse_damaged", lambda _, __: None)(error, bool(given or named))
            raise

    return read


@contextmanager
def needing(extra: str) -> Iterator[None]:
    """Say by name which extra is missing, where pandas says which package."""
    try:
        yield
    except ImportError as error:
        raise MissingExtra(
            f'this way of publishing needs packages that are not installed; pip install "pandas-dp[{extra}]".',
            extra=extra,
        ) from error
