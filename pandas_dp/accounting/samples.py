"""Secret samples of rows: how often one row is in a sample, which is all that a bound on its privacy needs."""

from __future__ import annotations

import math
from fractions import Fraction

from ..dataclass import dataclass

NEVER = 2.0**-70  # a chance that is given up, as if the answer then revealed everything


@dataclass(frozen=True)
class Sample:
    """A sample that nobody sees, drawn afresh for each replicate, from a public number of rows.

    Attributes
    ----------
    inside
        The probability that a given row is in the sample at all.
    copies
        The probability of each number of copies, 1 and more.
    rest
        The probability of more copies than are listed.

    Examples
    --------
    >>> Sample(0.5, ((1, 0.25), (2, 0.25)))
    Sample(inside=0.5, copies=((1, 0.25), (2, 0.25)), rest=0.0)
    """

    inside: float
    copies: tuple[tuple[int, float], ...]
    rest: float = 0.0

    @property
    def mean(self) -> float:
        """The expected number of copies.

        Examples
        --------
        >>> Sample(0.5, ((1, 0.25), (2, 0.25))).mean
        0.75
        """
        return sum(number * chance for number, chance in self.copies)


def subset(size: int, rows: int) -> Sample:
    """A uniformly random subset of so many rows: `subset(rows // 2, rows)` is a half-sample.

    Examples
    --------
    >>> subset(250, 500)
    Sample(inside=0.5, copies=((1, 0.5),), rest=0.0)
    """
    if not 0 < size <= rows:
        raise ValueError(f"a subset of {rows} rows has from 1 to {rows} of them, not {size}.")
    share = float(Fraction(size, rows))
    return Sample(share, ((1, share),))


def resample(rows: int) -> Sample:
    """As many draws with replacement as there are rows: the bootstrap's own resample.

    Examples
    --------
    >>> [round(chance, 4) for _, chance in resample(1000).copies[:3]]
    [0.3681, 0.184, 0.0613]
    """
    if rows < 1:
        raise ValueError(f"a resample needs a row, not {rows}.")
    if rows == 1:
        return Sample(1.0, ((1, 1.0),))
    chance = math.exp(rows * math.log1p(-1 / rows))  # of no copy; of one more each time around
    inside = -math.expm1(rows * math.log1p(-1 / rows))
    copies: list[tuple[int, float]] = []
    for number in range(1, rows + 1):
        chance *= (rows - number + 1) / (number * (rows - 1))
        if chance < NEVER:
            return Sample(inside, tuple(copies), 2 * chance)  # each further chance is less than half of the one before
        copies.append((number, chance))
    return Sample(inside, tuple(copies))
