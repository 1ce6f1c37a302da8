"""Candidates too unlikely to list, and how one of them is chosen all the same."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import accumulate
from typing import Any

import numpy as np
import numpy.typing as npt

from ..dataclass import dataclass
from .coin import exp_coin
from .uniform import uniform_below

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
