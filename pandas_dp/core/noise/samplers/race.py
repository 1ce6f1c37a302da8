"""The exponential mechanism's choice: a race of exponentials whose winner is never in doubt.

Candidate i needs the time E_i / (counts[i]·exp(rate·utilities[i])), and arrives first with probability
proportional to its weight. Times are compared as logarithms, from the best utility down: nothing underflows.
"""

from __future__ import annotations

import math
import operator
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import accumulate
from typing import Any

import numpy as np
import numpy.typing as npt

from . import bits
from .bits import Uniform, exp_coin, uniform_below
from .enclose import log_bounds

Integers = Sequence[int] | npt.NDArray[Any]


@dataclass(frozen=True)
class Far:
    """At most `count` candidates, none with a utility above `utility`, which `listing` gives when it has to.

    `listing` returns their counts and utilities. The race calls it with a probability of at most
    `count`·exp(rate·`utility`) over the weight of what is listed.

    Examples
    --------
    >>> Far(count=1000, utility=-500, listing=lambda: ([400, 600], [-500, -900])).count
    1000
    """

    count: int
    utility: int
    listing: Callable[[], tuple[Integers, Integers]]

    def landed(self, rate: Fraction) -> int | None:
        """Whoever holds one of `count` places drawn at random, kept with probability exp(−rate·shortfall)."""
        counts, utilities = ([int(value) for value in column] for column in self.listing())
        ends = list(accumulate(counts))
        if len(utilities) != len(ends) or min(counts, default=0) < 0:
            raise ValueError("the far listing needs as many utilities as counts, and no negative count.")
        if ends and (ends[-1] > self.count or max(utilities) > self.utility):
            raise ValueError("the far listing has more candidates or better ones than were announced.")
        place = bisect_right(ends, uniform_below(self.count))
        if place < len(ends) and exp_coin(rate * (self.utility - utilities[place])):
            return place
        return None


def entry(column: npt.NDArray[Any], value: int) -> npt.NDArray[Any]:
    """The column with one more entry; of Python ints if the value needs it."""
    small = column.dtype != object and -(2**63) <= value < 2**63
    return np.append(column, np.array([value], dtype=np.int64 if small else object))


Column = npt.NDArray[Any]  # int64, or object where it holds Python ints

RACE_MARGIN = 2.0**-46  # relative error of one float64 evaluation; proved in exact-noise.md


def exponential_race(
    counts: Integers, utilities: Integers, rate: Fraction, far: Far | None = None, *, word: int = 32
) -> int:
    """An index i with probability exactly proportional to counts[i]·exp(rate·utilities[i]).

    Parameters
    ----------
    counts : int64 array or sequence of int
        How many equal candidates each entry represents; 0 makes it impossible. At least one is positive.
    utilities : int64 array or sequence of int
        Of any size and either sign.
    rate : Fraction
        Not negative.
    far : Far, optional
        Candidates that are not listed. The index runs on: len(counts) + j is the j-th of `far.listing()`.

    Notes
    -----
    With `far`, one entry of weight far.count·exp(rate·far.utility) represents all that is not listed. When it
    wins, one of its places is drawn and thinned; where that leaves nobody, the race is run anew. This is
    rejection sampling, exact for every valid bound.

    Examples
    --------
    >>> exponential_race([1, 0, 3], [0, 10**9, -(10**9)], Fraction(1, 2))
    0
    """
    weights, scores, rate = _column(counts), _column(utilities), Fraction(rate)
    if len(weights) != len(scores) or rate < 0 or np.any(weights < 0):
        raise ValueError("a race needs as many counts as utilities, and counts and a rate that are not negative.")
    if far is None or far.count == 0:
        return _winner(weights, scores, rate, word)
    if not np.any(weights) and not any(far.listing()[0]):
        raise ValueError("a race needs at least one positive count.")
    weights, scores = entry(weights, far.count), entry(scores, far.utility)
    while True:
        winner = _winner(weights, scores, rate, word)
        if winner < len(weights) - 1:
            return winner
        if (place := far.landed(rate)) is not None:
            return winner + place


def _column(values: Integers) -> Column:
    """The integers as an int64 array where they fit, else as Python ints; anything else is refused."""
    column = np.asarray(values)
    if column.dtype.kind == "i":
        return column.astype(np.int64, copy=False)
    exact = [operator.index(value) for value in values]
    fits = all(-(2**63) <= value < 2**63 for value in exact)
    return np.array(exact, dtype=np.int64 if fits else object)


def _winner(counts: Column, utilities: Column, rate: Fraction, word: int) -> int:
    possible = np.flatnonzero(counts)
    if not len(possible):
        raise ValueError("a race needs at least one positive count.")
    if len(possible) < len(counts):
        counts, utilities = counts[possible], utilities[possible]
    deficits = _deficits(utilities)
    words = bits.words(len(counts), word)
    if deficits.dtype == object or rate > 1 << 500:
        leading = np.arange(len(counts))
    else:
        leading = _contenders(words, counts, deficits, rate)
    if len(leading) == 1:
        return int(possible[leading[0]])
    runners = [
        Runner(at, int(counts[at]), rate * int(deficits[at]), Uniform(int(words[at]), word)) for at in leading.tolist()
    ]
    return int(possible[_settled(runners, word)])


def _deficits(utilities: Column) -> Column:
    """Best utility minus each utility."""
    best = max(utilities) if utilities.dtype == object else int(utilities.max())
    if best - int(utilities.min()) >= 1 << 63:
        utilities = utilities.astype(object)
    deficits: Column = best - utilities
    return deficits


def _contenders(words: Column, counts: Column, deficits: Column, rate: Fraction) -> npt.NDArray[np.intp]:
    """The places that float64 cannot rule out; often a single one.

    A word gives U in [v, v + 1] / 2^word; U, E and the score −ln E + ln count − rate·deficit each carry
    a bound on their error. Far losers have scores like −10^9, which is a long way from an underflow.
    """
    half = 0.5 ** (8 * words.itemsize + 1)
    uniform = words * (2 * half) + half
    energy = -np.log(uniform)
    with np.errstate(divide="ignore"):
        spread = half / (uniform - half) + RACE_MARGIN * (1 + energy)
        best = -np.log(np.maximum(energy - spread, 0.0))
        worst = -np.log(energy + spread)
    logs = np.array([math.log(count) for count in counts]) if counts.dtype == object else np.log(counts)
    losses = deficits * float(rate)
    middle, error = logs - losses, RACE_MARGIN * (1024 + logs + losses)  # 1024 exceeds |ln x| for every float64 x
    best += middle + error
    worst += middle - error
    return np.flatnonzero(best >= worst.max())


@dataclass(frozen=True)
class Runner:
    """One candidate that may still win."""

    index: int
    count: int
    loss: Fraction  # rate times what its utility lacks to the best
    uniform: Uniform

    def score(self) -> tuple[Fraction | float, Fraction | float]:
        """An interval around −ln E + ln count − loss, from the bits drawn so far."""
        if not self.uniform.leading:
            return -math.inf, math.inf
        digits = self.uniform.digits
        soonest, latest = self.uniform.energy()
        low, high = (end - self.loss for end in log_bounds(Fraction(self.count), digits))
        best = high - log_bounds(soonest, digits)[0] if soonest > 0 else math.inf
        return low - log_bounds(latest, digits)[1], best


def _settled(runners: list[Runner], word: int) -> int:
    """The index of the runner with the highest score, with as many more bits as it takes."""
    while True:
        scores = [runner.score() for runner in runners]
        bar = max(low for low, _ in scores)
        runners = [runner for runner, (_, high) in zip(runners, scores, strict=True) if high >= bar]
        if len(runners) == 1:
            return runners[0].index
        runners = [replace(runner, uniform=runner.uniform.refined(word)) for runner in runners]
