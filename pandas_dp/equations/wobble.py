"""By how much noise moves products with a released matrix: for many weights at once."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from ..dataclass import dataclass
from .moment_matrix import Floats, MomentMatrix, Noises

Truths = np.ndarray[Any, np.dtype[np.bool_]]


@dataclass(frozen=True, eq=False)
class Wobble:
    """rows @ noise @ weights, where all weights but the used columns' are zero."""

    noises: Noises
    rows: Floats  # l × K
    used: Truths  # K

    @classmethod
    def of(cls, matrix: MomentMatrix, rows: Floats, used: Floats) -> Wobble:
        return cls(matrix.noises, rows, used > 0)

    def covariance(self, weights: Floats) -> Floats:
        """That of rows @ noise @ weights (B × K gives B × l × l).

        A number that moves one entry moves two rows, by the weights of each other's columns; only those that move
        several entries have to be followed one by one.
        """
        held = weights[:, self.used]
        entries = self._entries
        spread = entries * held[:, :, None]
        spread *= held[:, None, :]
        at = np.arange(held.shape[1])
        spread[:, at, at] = held**2 @ entries
        place = self._place
        found = self._taken @ spread @ self._taken.T if place is None else spread[place]
        if len(self._several):
            moved = _moved(self._several, held)
            found = found + np.swapaxes(moved, 1, 2) @ moved
        if len(self._tied):
            moved = _moved(self._tied, held)
            found = found - np.swapaxes(moved, 1, 2) @ moved
        return np.asarray(found)

    def moved(self, weights: Floats) -> Floats:
        """What each number moves, in its standard deviations (B × numbers × l)."""
        held = weights[:, self.used]
        moved = _moved(self._slopes(np.ones(len(self.noises.number), dtype=bool)), held)
        ties = self.noises.ties
        return moved if ties is None else np.asarray(moved - ties @ (ties.T @ moved))

    @cached_property
    def typical(self) -> float:
        """The standard deviation of the noise of an entry."""
        entries = self._all_entries[np.ix_(self._touched, self._touched)]
        others = entries[~np.eye(len(entries), dtype=bool)] if len(entries) > 1 else np.diag(entries)
        return float(np.sqrt(others.mean()))

    @cached_property
    def _touched(self) -> Truths:
        return np.asarray(np.abs(self.rows).max(axis=0) > 0)

    @cached_property
    def _alone(self) -> Truths:
        """Of every move of an entry by a number, whether the number moves nothing else."""
        return np.asarray(np.bincount(self.noises.number, minlength=1)[self.noises.number] == 1)

    @cached_property
    def _all_entries(self) -> Floats:
        return self._variances(np.ones(len(self.noises.number), dtype=bool))

    @cached_property
    def _entries(self) -> Floats:
        """The variances of entries that have a number of their own, among the used columns."""
        return self._variances(self._alone)[np.ix_(self.used, self.used)]

    def _variances(self, which: Truths) -> Floats:
        noises, size = self.noises, self.rows.shape[1]
        entries = np.zeros((size, size))
        worth = (noises.factor**2 * noises.variances[noises.number])[which]
        row, column = noises.row[which], noises.column[which]
        np.add.at(entries, (row, column), worth)
        off = row != column
        np.add.at(entries, (column[off], row[off]), worth[off])
        return entries

    @cached_property
    def _taken(self) -> Floats:
        return self.rows[:, self.used]

    @cached_property
    def _place(self) -> tuple[Any, Any, Any] | None:
        """Where the rows stand among products of the used columns, if each is one of them."""
        plain = ((self._taken == 0) | (self._taken == 1)).all() and (self._taken.sum(axis=1) == 1).all()
        if not plain:
            return None
        at = self._taken.argmax(axis=1)
        first, many = int(at[0]), len(at)
        if (at == first + np.arange(many)).all():  # nothing is copied
            return slice(None), slice(first, first + many), slice(first, first + many)
        return slice(None), at[:, None], at[None, :]

    @cached_property
    def _several(self) -> Floats:
        return self._slopes(~self._alone)

    @cached_property
    def _tied(self) -> Floats:
        """By how much combinations of numbers that do not vary would move the rows (ties × l × used)."""
        noises = self.noises
        if noises.ties is None:
            return np.zeros((0, len(self.rows), int(self.used.sum())))
        worth = noises.factor * np.sqrt(noises.variances[noises.number])
        size = self.rows.shape[1]
        entries = np.zeros((noises.ties.shape[1], size, size))
        off = noises.row != noises.column
        shares = (worth[:, None] * noises.ties[noises.number]).T
        ties = np.arange(len(entries))[:, None]
        np.add.at(entries, (ties, noises.row, noises.column), shares)
        np.add.at(entries, (ties, noises.column[off], noises.row[off]), shares[:, off])
        found = (self.rows @ entries)[:, :, self.used]
        return np.asarray(found[np.abs(found).max(axis=(1, 2), initial=0.0) > 0])

    def _slopes(self, which: Truths) -> Floats:
        """By how much each number, but those that move nothing, moves the rows for each weight (numbers × l × used)."""
        noises, places = self.noises, np.arange(len(self.rows))[None, :]
        number = noises.number[which] if which.all() else np.unique(noises.number[which], return_inverse=True)[1]
        worth = (noises.factor * np.sqrt(noises.variances[noises.number]))[which]
        row, column = noises.row[which], noises.column[which]
        slopes = np.zeros((number.max(initial=-1) + 1, *self.rows.shape))
        np.add.at(slopes, (number[:, None], places, column[:, None]), worth[:, None] * self.rows[:, row].T)
        off = row != column
        across = worth[off, None] * self.rows[:, column[off]].T
        np.add.at(slopes, (number[off, None], places, row[off, None]), across)
        kept = slopes[:, :, self.used]
        return kept if which.all() else np.asarray(kept[np.abs(kept).max(axis=(1, 2), initial=0.0) > 0])


def _moved(slopes: Floats, weights: Floats) -> Floats:
    many, rows, size = slopes.shape
    return np.asarray((weights @ slopes.reshape(-1, size).T).reshape(len(weights), many, rows))
