"""The least epsilon or rho that samples of two tables allow, and what is visible of an answer beside its numbers."""

from __future__ import annotations

import contextlib
import io
import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import betaincinv

from ..core.arrays import Array
from ..core.budget.cost import Approximate, Concentrated, Cost, Pure
from ..core.label.release import label_of

__all__ = [
    "Promised",
]


OWN = ("id", "entry", "digest", "frame", "session")  # of a label: they differ from release to release
RAISED = "raised "  # before an error
ADDRESS = re.compile(r"0x[0-9a-f]+|\b[0-9a-f]{16}\b")  # of objects, and the names of sessions, releases and frames


@dataclass(frozen=True)
class Visible:
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

    def unlike(self, other: Visible) -> str:
        """The first thing in which it differs, in words.

        Examples
        --------
        >>> Visible(("a DataFrame", "columns ['x']"), ()).unlike(Visible(("a DataFrame", "columns ['y']"), ()))
        "columns ['x'], or columns ['y']"
        """
        longest = max(len(self.outline), len(other.outline))
        both = [[*each.outline, *["nothing more"] * (longest - len(each.outline))] for each in (self, other)]
        one, another = next((pair for pair in zip(*both, strict=True) if pair[0] != pair[1]), ("", ""))
        return f"{_short(one)}, or {_short(another)}"


def seen(act: Callable[[], Any]) -> Visible:
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
    heard: list[str] = []
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
            heard.append(f"{RAISED}{type(error).__name__}: {error}")
        else:
            for word, number in _leaves(answer, ""):
                heard.append(word)
                numbers.extend([] if number is None else [number])
    heard += [f"warned {each.category.__name__}: {each.message}" for each in warned]
    heard += [f"printed {text}" for text in (out.getvalue(), err.getvalue()) if text]
    return Visible(tuple(ADDRESS.sub("…", word) for word in heard), tuple(numbers))


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


CUTS, ATOMS, MOST = 64, 8, 80  # of a number: thresholds, values that come often; numbers that are looked at
PRIVATE_BITS = 53  # of a float
GUESS = 0.01  # the risk of a bound by which an event is chosen


@dataclass(frozen=True)
class Event:
    """Something that an answer may be, in words, and whether it is."""

    name: str
    happens: Callable[[SampledAnswers], Array]


@dataclass(frozen=True)
class EventCounts:
    """How often an event was seen in each of two tables, and the amount that this takes at least."""

    event: str
    runs: int
    one: int
    other: int
    least: float


@dataclass(frozen=True, eq=False)
class SampledAnswers:
    """Answers to one table, a row each: an outline, and numbers, which are NaN in another outline than the usual."""

    answers: Sequence[Visible]
    usual: tuple[str, ...]
    width: int

    @cached_property
    def outlines(self) -> Array:
        return np.array([hash(each.outline) for each in self.answers], dtype=np.int64)

    @cached_property
    def numbers(self) -> Array:
        found = np.full((len(self.answers), self.width), np.nan)
        for at, each in enumerate(self.answers):
            if each.outline == self.usual and len(each.numbers) == self.width:
                found[at] = each.numbers
        return found

    def __len__(self) -> int:
        return len(self.answers)

    def halves(self) -> tuple[SampledAnswers, SampledAnswers]:
        """By turns."""
        return tuple(SampledAnswers(self.answers[start::2], self.usual, self.width) for start in (0, 1))  # type: ignore[return-value]


def samples_of(one: Sequence[Visible], other: Sequence[Visible]) -> tuple[SampledAnswers, SampledAnswers]:
    """Both tables' answers, as numbers in the same places."""
    outlines = [each.outline for each in (*one, *other)]
    usual = max(set(outlines), key=outlines.count)
    width = len(next(each.numbers for each in (*one, *other) if each.outline == usual))
    return SampledAnswers(one, usual, width), SampledAnswers(other, usual, width)


def least_of(one: Sequence[Visible], other: Sequence[Visible], promised: Promised, risk: float) -> EventCounts:
    """What the promise has to be at least; too high with probability `risk` at most.

    Clopper and Pearson's bounds of two chances of one event, half of the risk each. The event is that of thousands
    which says most in the first half of the samples, and it is counted in the second.

    Examples
    --------
    >>> always = [Visible((), (float(x),)) for x in range(400)]
    >>> never = [Visible((), (x - 400.0,)) for x in range(400)]
    >>> least_of(always, never, Promised("epsilon", 1.0), 0.001).least > 3
    True
    """
    (train, test), (others, later) = (each.halves() for each in samples_of(one, other))
    event, turned = _best(train, others, promised)
    first, second = (later, test) if turned else (test, later)
    counts = int(event.happens(first).sum()), int(event.happens(second).sum())
    least = float(_bound(np.array([counts[0]]), len(first), np.array([counts[1]]), len(second), promised, risk)[0])
    return EventCounts(event.name + (" (tables turned)" if turned else ""), len(first), *counts, least)


def distinguished(one: Sequence[Visible], other: Sequence[Visible], promised: Promised) -> float:
    """About how far a few answers tell two tables apart: no bound, but what pairs of tables are compared by.

    Examples
    --------
    >>> always, never = ([Visible((), (float(x + shift),)) for x in range(40)] for shift in (0, 40))
    >>> distinguished(always, never, Promised("epsilon", 1.0)) > distinguished(always, always, Promised("epsilon", 1.0))
    True
    """
    both = samples_of(one, other)
    events = list(_events(*both))
    shares = [np.array([event.happens(each).mean() for event in events]) for each in both]
    many = [len(each) for each in both]
    found = [
        promised.least(shares[at] - _off(shares[at], many[at]), shares[1 - at] + _off(shares[1 - at], many[1 - at]))
        for at in (0, 1)
    ]
    return float(np.max(found))


def _off(share: Array, of: int) -> Array:
    """A standard deviation, never nothing."""
    return np.asarray(np.sqrt(share * (1 - share) / of) + 1 / (of + 1))


def _best(one: SampledAnswers, other: SampledAnswers, promised: Promised) -> tuple[Event, bool]:
    """The event that says most, and whether it is likelier in the other table."""
    events = list(_events(one, other))
    counts = np.array([[event.happens(each).sum() for event in events] for each in (one, other)])
    sizes = len(one), len(other)
    bounds = [_bound(counts[at], sizes[at], counts[1 - at], sizes[1 - at], promised, GUESS) for at in (0, 1)]
    turned = bool(bounds[1].max() > bounds[0].max())
    return events[int(bounds[turned].argmax())], turned


def _bound(hits: Array, of: int, others: Array, of_others: int, promised: Promised, risk: float) -> Array:
    low = np.where(hits > 0, betaincinv(np.maximum(hits, 1), of - hits + 1, risk / 2), 0.0)
    high = np.where(others < of_others, betaincinv(others + 1, np.maximum(of_others - others, 1), 1 - risk / 2), 1.0)
    return promised.least(low, high)


def _events(one: SampledAnswers, other: SampledAnswers) -> list[Event]:
    """Of all answers together: which outline, what each number is, and a few things that many numbers say together."""
    found = [Event("any answer", lambda samples: np.ones(len(samples), dtype=bool))]
    for outline in np.unique(np.concatenate([one.outlines, other.outlines]))[:MOST]:
        found.append(Event("what is seen beside numbers", _has(outline)))
    both = np.concatenate([one.numbers, other.numbers])
    for place in _telling(one.numbers, other.numbers):
        found += _of_number(f"number {place + 1}", both[:, place], _column(place))
        bits = _lowest_bit(both[:, place])
        if len(np.unique(bits[np.isfinite(bits)])) > 1:
            found += _of_number(f"lowest bit of number {place + 1}", bits, _bits(place))
    for name, read in _together(one.numbers, other.numbers):
        found += _of_number(name, read(both), _reading(read))
    return found


def _of_number(name: str, values: Array, read: Callable[[SampledAnswers], Array]) -> list[Event]:
    """Above thresholds and at or below them, equal to what comes often, and no number at all."""
    known = values[np.isfinite(values)]
    found = [Event(f"{name} is none", lambda samples: np.isnan(read(samples)))]
    if not len(known):
        return found
    for cut in np.unique(np.quantile(known, np.linspace(0, 1, CUTS), method="inverted_cdf")):
        found.append(Event(f"{name} > {cut:.6g}", _by(read, np.greater, cut)))
        found.append(Event(f"{name} <= {cut:.6g}", _by(read, np.less_equal, cut)))
    values, often = np.unique(known, return_counts=True)
    for value in values[np.argsort(-often)[:ATOMS]]:
        found.append(Event(f"{name} = {value:.6g}", _by(read, np.equal, value)))
    return found


def _has(outline: int) -> Callable[[SampledAnswers], Array]:
    return lambda samples: samples.outlines == outline


def _by(read: Callable[[SampledAnswers], Array], compare: Any, value: float) -> Callable[[SampledAnswers], Array]:
    return lambda samples: compare(read(samples), value)


def _reading(read: Callable[[Array], Array]) -> Callable[[SampledAnswers], Array]:
    return lambda samples: read(samples.numbers)


def _column(place: int) -> Callable[[SampledAnswers], Array]:
    return lambda samples: samples.numbers[:, place]


def _bits(place: int) -> Callable[[SampledAnswers], Array]:
    return lambda samples: _lowest_bit(samples.numbers[:, place])


def _lowest_bit(values: Array) -> Array:
    """The exponent of the last bit that is set: noise in floats shows by it what it was added to."""
    fine = np.isfinite(values) & (values != 0)
    mantissa, exponent = np.frexp(np.where(fine, values, 1.0))
    whole = np.abs(np.ldexp(mantissa, PRIVATE_BITS)).astype(np.int64)
    last = np.log2((whole & -whole).astype(float))
    return np.where(fine, exponent - PRIVATE_BITS + last, np.nan)


def _telling(one: Array, other: Array) -> list[int]:
    """Places of numbers that vary, those first whose middles differ most."""
    both = np.concatenate([one, other])
    varies = [place for place in range(both.shape[1]) if len(np.unique(both[:, place])) > 1]
    apart = {place: _apart(one[:, place], other[:, place]) for place in varies}
    return sorted(varies, key=lambda place: -apart[place])[:MOST]


def _apart(one: Array, other: Array) -> float:
    one, other = one[np.isfinite(one)], other[np.isfinite(other)]
    if not len(one) or not len(other):
        return 0.0
    spread = _spread(np.concatenate([one, other]))
    return (
        float(abs(np.median(one) - np.median(other)) / spread) if spread else float(np.median(one) != np.median(other))
    )


def _spread(values: Array) -> float:
    return float(np.median(np.abs(values - np.median(values))))


def _together(one: Array, other: Array) -> list[tuple[str, Callable[[Array], Array]]]:
    """How near the numbers are to the second table's middles: all of them added up, whole and clamped between both."""
    known = np.isfinite(np.concatenate([one, other])).all(axis=0)
    places = [place for place in _telling(one, other) if known[place]]
    if len(places) < 2:
        return []
    middles = np.array([np.median(each[:, places], axis=0) for each in (one, other)])
    spreads = np.array([_spread(np.concatenate([one[:, place], other[:, place]])) or 1.0 for place in places])
    low, high = np.minimum(*middles), np.maximum(*middles)
    toward = np.sign(middles[1] - middles[0]) / spreads
    weight = (middles[1] - middles[0]) / spreads**2

    def clamped(values: Array) -> Array:
        return np.asarray(np.clip(values[:, places], low, high) @ toward)

    def whole(values: Array) -> Array:
        return np.asarray(values[:, places] @ weight)

    return [("all numbers, clamped,", clamped), ("all numbers", whole)]
