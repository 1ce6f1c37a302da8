"""The least epsilon or rho that samples of two tables allow: one half chooses an event, the other counts it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import betaincinv

from ..core.arrays import Array
from ..dataclass import dataclass
from .seen import Promised, Seen

CUTS, ATOMS, MOST = 64, 8, 80  # of a number: thresholds, values that come often; numbers that are looked at
PRIVATE_BITS = 53  # of a float
GUESS = 0.01  # the risk of a bound by which an event is chosen


@dataclass(frozen=True)
class Event:
    """Something that an answer may be, in words, and whether it is."""

    name: str
    happens: Callable[[Samples], Array]


@dataclass(frozen=True)
class Found:
    """How often an event was seen in each of two tables, and the amount that this takes at least."""

    event: str
    runs: int
    one: int
    other: int
    least: float


@dataclass(frozen=True, eq=False)
class Samples:
    """Answers to one table, a row each: an outline, and numbers, which are NaN in another outline than the usual."""

    answers: Sequence[Seen]
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

    def halves(self) -> tuple[Samples, Samples]:
        """By turns."""
        return tuple(Samples(self.answers[start::2], self.usual, self.width) for start in (0, 1))  # type: ignore[return-value]


def samples_of(one: Sequence[Seen], other: Sequence[Seen]) -> tuple[Samples, Samples]:
    """Both tables' answers, as numbers in the same places."""
    outlines = [each.outline for each in (*one, *other)]
    usual = max(set(outlines), key=outlines.count)
    width = len(next(each.numbers for each in (*one, *other) if each.outline == usual))
    return Samples(one, usual, width), Samples(other, usual, width)


def least_of(one: Sequence[Seen], other: Sequence[Seen], promised: Promised, risk: float) -> Found:
    """What the promise has to be at least; too high with probability `risk` at most.

    Clopper and Pearson's bounds of two chances of one event, half of the risk each. The event is that of thousands
    which says most in the first half of the samples, and it is counted in the second.

    Examples
    --------
    >>> always = [Seen((), (float(x),)) for x in range(400)]
    >>> never = [Seen((), (x - 400.0,)) for x in range(400)]
    >>> least_of(always, never, Promised("epsilon", 1.0), 0.001).least > 3
    True
    """
    (train, test), (others, later) = (each.halves() for each in samples_of(one, other))
    event, turned = _best(train, others, promised)
    first, second = (later, test) if turned else (test, later)
    counts = int(event.happens(first).sum()), int(event.happens(second).sum())
    least = float(_bound(np.array([counts[0]]), len(first), np.array([counts[1]]), len(second), promised, risk)[0])
    return Found(event.name + (" (tables turned)" if turned else ""), len(first), *counts, least)


def distinguished(one: Sequence[Seen], other: Sequence[Seen], promised: Promised) -> float:
    """About how far a few answers tell two tables apart: no bound, but what pairs of tables are compared by.

    Examples
    --------
    >>> always, never = ([Seen((), (float(x + shift),)) for x in range(40)] for shift in (0, 40))
    >>> told_apart(always, never, Promised("epsilon", 1.0)) > told_apart(always, always, Promised("epsilon", 1.0))
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


def _best(one: Samples, other: Samples, promised: Promised) -> tuple[Event, bool]:
    """The event that says most, and whether it is likelier in the other table."""
    events = list(_events(one, other))
    counts = np.array([[event.happens(each).sum() for event in events] for each in (one, other)])
    sizes = len(one), len(other)
    told = [_bound(counts[at], sizes[at], counts[1 - at], sizes[1 - at], promised, GUESS) for at in (0, 1)]
    turned = bool(told[1].max() > told[0].max())
    return events[int(told[turned].argmax())], turned


def _bound(hits: Array, of: int, others: Array, of_others: int, promised: Promised, risk: float) -> Array:
    low = np.where(hits > 0, betaincinv(np.maximum(hits, 1), of - hits + 1, risk / 2), 0.0)
    high = np.where(others < of_others, betaincinv(others + 1, np.maximum(of_others - others, 1), 1 - risk / 2), 1.0)
    return promised.least(low, high)


def _events(one: Samples, other: Samples) -> list[Event]:
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


def _of_number(name: str, values: Array, read: Callable[[Samples], Array]) -> list[Event]:
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


def _has(outline: int) -> Callable[[Samples], Array]:
    return lambda samples: samples.outlines == outline


def _by(read: Callable[[Samples], Array], compare: Any, value: float) -> Callable[[Samples], Array]:
    return lambda samples: compare(read(samples), value)


def _reading(read: Callable[[Array], Array]) -> Callable[[Samples], Array]:
    return lambda samples: read(samples.numbers)


def _column(place: int) -> Callable[[Samples], Array]:
    return lambda samples: samples.numbers[:, place]


def _bits(place: int) -> Callable[[Samples], Array]:
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
