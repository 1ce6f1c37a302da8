"""The rows whose absence makes a spread widest: a block of neighbours in order, near the mean."""

from __future__ import annotations

import numpy as np

from ..weaker.facts import Column, Facts, Near
from ..weaker.finals import Variance


def spread_without_a_block(final: Variance, facts: Facts, out: int, into: int, above: int) -> Column:
    """For each cell the greatest rows·(sum of squared distances from the mean), when so many rows leave and as many
    enter as `into` says, `above` of them at the upper end of the domain and the rest at the lower.

    As the block moves up the spread rises, then falls (docs/proofs/individual.md, theorem 2): halving finds the top.
    """
    half, rows = final.variable.grid.half, facts.rows - out + into
    total, squares = facts.total + (2 * above - into) * half, facts.squares + into * half**2
    if out:
        assert facts.near is not None
        gone, gone_squares = _block(facts.near(), out, rows, total)
        total, squares = total - gone, squares - gone_squares
    return rows * squares - total**2


def entries_above(final: Variance, facts: Facts, out: int, into: int) -> range:
    """How many of those that enter may stand at the upper end, in one cell or another, where a spread is widest: as
    many as bring the sum of codes nearest to zero, whichever rows leave."""
    half = final.variable.grid.half
    lacking = into * half - facts.total
    least = (lacking + facts.lowest[:, :out].sum(axis=1)) // (2 * half)
    most = -(-(lacking + facts.highest[:, :out].sum(axis=1)) // (2 * half))
    return range(min(np.clip(least, 0, into)), max(np.clip(most, 0, into)) + 1)


def _block(near: Near, out: int, rows: Column, total: Column) -> tuple[Column, Column]:
    """The sum, and that of squares, of the block that leaves."""
    codes, starts = near
    sums = np.concatenate([np.zeros(1, object), np.cumsum(codes)])
    squares = np.concatenate([np.zeros(1, object), np.cumsum(codes * codes)])
    first, last = starts[:-1].copy(), np.maximum(starts[1:] - out, starts[:-1])
    last_of_all = len(codes) - 1
    while (first < last).any():
        at = (first + last) // 2
        lower, upper = codes[np.minimum(at, last_of_all)], codes[np.minimum(at + out, last_of_all)]
        gone = sums[np.minimum(at + out, len(codes))] - sums[at]
        rises = (upper * (rows + 1) + lower * (rows - 1) < 2 * (total - gone)).astype(bool) & (first < last)
        first, last = np.where(rises, at + 1, first), np.where(rises | (first >= last), last, at)
    end = np.minimum(first + out, len(codes))
    return sums[end] - sums[first], squares[end] - squares[first]
