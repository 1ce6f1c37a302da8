"""What is visible of an answer: its numbers, and everything else, by which two tables must not differ."""

from __future__ import annotations

import contextlib
import io
import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ..core.arrays import Array
from ..core.budget.cost import Approximate, Concentrated, Cost, Pure
from ..core.label.release import label_of
from ..dataclass import dataclass

__all__ = [
    "Promised",
]


OWN = ("id", "entry", "digest", "frame", "session")  # of a label: they differ from release to release
RAISED = "raised "  # before an error
ADDRESS = re.compile(r"0x[0-9a-f]+|\b[0-9a-f]{16}\b")  # of objects, and the names of sessions, releases and frames


@dataclass(frozen=True)
class Seen:
    """An answer as somebody gets it: `outline` is all but numbers, in words; `numbers` in the order of their places."""

    outline: tuple[str, ...]
    numbers: tuple[float, ...]

    @property
    def error(self) -> str | None:
        """What was raised in place of an answer.

        Examples
        --------
        >>> seen(lambda: 1 / 0).error
        'ZeroDivisionError: division by zero'
        """
        first = self.outline[0] if self.outline else ""
        return first.removeprefix(RAISED) if first.startswith(RAISED) else None

    def unlike(self, other: Seen) -> str:
        """The first thing in which it differs, in words.

        Examples
        --------
        >>> Seen(("a DataFrame", "columns ['x']"), ()).unlike(Seen(("a DataFrame", "columns ['y']"), ()))
        "columns ['x'], or columns ['y']"
        """
        longest = max(len(self.outline), len(other.outline))
        both = [[*each.outline, *["nothing more"] * (longest - len(each.outline))] for each in (self, other)]
        one, another = next((pair for pair in zip(*both, strict=True) if pair[0] != pair[1]), ("", ""))
        return f"{_short(one)}, or {_short(another)}"


def seen(act: Callable[[], Any]) -> Seen:
    """What is visible of what it does: what it gives, raises, warns of and prints.

    Examples
    --------
    >>> found = seen(lambda: {"n": 3, "unit": "rows"})
    >>> found.numbers, found.outline
    ((3.0,), ('.n int', '.unit rows'))
    >>> seen(lambda: 1 / 0).outline
    ('raised ZeroDivisionError: division by zero',)
    """
    out, err = io.StringIO(), io.StringIO()
    told: list[str] = []
    numbers: list[float] = []
    with (
        warnings.catch_warnings(record=True) as warned,
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        warnings.simplefilter("always")
        try:
            answer = act()
        except Exception as error:  # noqa: BLE001 - whatever it is, it is seen
            told.append(f"{RAISED}{type(error).__name__}: {error}")
        else:
            for word, number in _leaves(answer, ""):
                told.append(word)
                numbers.extend([] if number is None else [number])
    told += [f"warned {each.category.__name__}: {each.message}" for each in warned]
    told += [f"printed {text}" for text in (out.getvalue(), err.getvalue()) if text]
    return Seen(tuple(ADDRESS.sub("…", word) for word in told), tuple(numbers))


def _leaves(value: Any, path: str) -> Iterator[tuple[str, float | None]]:
    """Words for what it is, and its numbers where they stand."""
    if isinstance(value, pd.DataFrame | pd.Series):
        yield from _of_table(value, path)
    elif isinstance(value, Mapping):
        for key, each in value.items():
            yield from _leaves(each, f"{path}.{key}")
    elif isinstance(value, np.ndarray):
        yield f"{path} array of {value.dtype}, {value.shape}", None
        yield from _leaves(value.ravel().tolist(), path)
    elif isinstance(value, list | tuple):
        yield f"{path} {type(value).__name__} of {len(value)}", None
        for each in value:
            yield from _leaves(each, path)
    elif isinstance(value, bool | int | float | np.number | np.bool_):
        yield f"{path} {type(value).__name__}", _float(value)
    elif isinstance(value, pd.Timestamp | pd.Timedelta):
        yield f"{path} {type(value).__name__}", np.nan if value is pd.NaT else float(value.value)
    elif isinstance(value, str) or value is None:
        yield f"{path} {value}", None
    else:
        yield f"{path} {type(value).__name__} {value!r}", None


def _of_table(table: pd.DataFrame | pd.Series, path: str) -> Iterator[tuple[str, float | None]]:
    yield f"{path} {type(table).__name__}", None
    yield f"index {[repr(each) for each in table.index]} {table.index.names} {table.index.dtype}", None
    label = label_of(table)
    columns = [(table.name, table)] if isinstance(table, pd.Series) else list(_bare(table).items())
    for name, column in columns:
        yield f"column {name!r} of {column.dtype}", None
        for each in column.tolist():
            yield from _leaves(each, f"{path}[{name!r}]")
    if label is not None:
        yield from _leaves({key: each for key, each in label.items() if key not in OWN}, "label")


def _bare(table: pd.DataFrame) -> pd.DataFrame:
    """Without the label, which pandas copies for every column that it takes out."""
    bare = pd.DataFrame(table)
    bare.attrs = {}
    return bare


def _float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def _short(word: str) -> str:
    return word if len(word) <= 120 else f"{word[:117]}…"


ORDERS = np.concatenate([1 + np.geomspace(1e-4, 1, 25), np.geomspace(2.2, 64, 25)])


@dataclass(frozen=True)
class Promised:
    """An epsilon or a rho, and a delta beside it.

    Examples
    --------
    >>> print(Promised("epsilon", 1.0), Promised("rho", 0.5, 1e-6), sep="; ")
    epsilon=1; rho=0.5, delta=1e-06
    """

    currency: str
    amount: float
    delta: float = 0.0

    @classmethod
    def of(cls, prices: Sequence[Cost]) -> Promised | None:
        """What several charges promise together; None where there are none, or where they do not simply add up.

        Examples
        --------
        >>> from fractions import Fraction
        >>> print(Promised.of([Pure(Fraction(1, 2)), Pure(Fraction(1))]))
        epsilon=1.5
        """
        if not prices:
            return None
        delta = float(sum(price.aside for price in prices))
        if all(isinstance(price, Concentrated) for price in prices):
            return cls("rho", float(sum(price.as_rho.rho for price in prices)), delta)
        if all(isinstance(price, Pure | Approximate) for price in prices):
            return cls("epsilon", float(sum(price.at_infinity or 0 for price in prices)), delta)
        return None

    def least(self, one: Array, other: Array) -> Array:
        """The least amount with which an event may have these chances in the two tables.

        Of epsilon: log((p - delta) / q). Of rho: what the Rényi divergence of the event says, over its order, at the
        order at which it says most.

        Examples
        --------
        >>> Promised("epsilon", 1.0).least(np.array([0.5]), np.array([0.25])).round(3).tolist()
        [0.693]
        """
        p, q = np.maximum(one - self.delta, 0.0), np.asarray(other)
        if self.currency == "epsilon":
            with np.errstate(divide="ignore"):
                return np.asarray(np.maximum(np.log(p) - np.log(q), 0.0))
        q = np.minimum(q / (1 - self.delta), 1.0)
        return np.where(p > q, _rho(p, q), 0.0)

    def __str__(self) -> str:
        delta = f", delta={self.delta:.6g}" if self.delta else ""
        return f"{self.currency}={self.amount:.6g}{delta}"


def _rho(p: Array, q: Array) -> Array:
    """The greatest over orders of the divergence of one coin from another, over the order."""
    with np.errstate(divide="ignore", invalid="ignore"):
        heads, tails = (np.log(each)[..., None] for each in (p, 1 - p))
        others = np.log(q)[..., None], np.log(1 - q)[..., None]
        parts = [a * ORDERS + b * (1 - ORDERS) for a, b in zip((heads, tails), others, strict=True)]
        parts = [np.where(np.isnan(part), -np.inf, part) for part in parts]
        found = np.logaddexp(*parts) / (ORDERS - 1) / ORDERS
    return np.asarray(np.nanmax(np.maximum(found, 0.0), axis=-1))
