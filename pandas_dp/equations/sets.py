"""Intervals without an inverse of a noisy matrix: all values with which the equations still fit."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ..dataclass import dataclass
from .equations import Equations
from .minimum import Fit, across, minimum
from .moment_matrix import Floats, Places

Truths = np.ndarray[Any, np.dtype[np.bool_]]
AWAY = np.array([1.0, 3.0, 30.0, 1000.0])  # how far out to look for values that fit, in expected half widths
FURTHER = 8  # times 30 beyond that
CLOSE = 5e-5  # of a half width
CUTS = 40


@dataclass(frozen=True, eq=False)
class Line:
    """The best fit that there is with each value of some combinations of the unknowns."""

    problem: Equations
    contrasts: Floats  # m × q
    best: Floats  # the unknowns (q) that fit best
    covariance: Floats  # q × q

    @cached_property
    def spread(self) -> Floats:
        """How far each combination is off, about (m)."""
        squares = np.einsum("mi,ij,mj->m", self.contrasts, self.covariance, self.contrasts)
        return np.asarray(np.sqrt(np.maximum(squares, 1e-300)))

    @cached_property
    def centre(self) -> Floats:
        return np.asarray(self.contrasts @ self.best)

    @cached_property
    def along(self) -> Floats:
        """How the unknowns follow when a combination is moved by one (m × q)."""
        moved = self.contrasts @ self.covariance
        one = np.einsum("mi,mi->m", moved, self.contrasts)
        fine = one > 1e-200
        return np.where(fine[:, None], moved / np.where(fine, one, 1.0)[:, None], self.straight)

    @cached_property
    def straight(self) -> Floats:
        """The shortest way to move a combination by one (m × q)."""
        return np.asarray(self.contrasts / (self.contrasts**2).sum(axis=1, keepdims=True))

    @cached_property
    def elsewhere(self) -> tuple[Floats, ...]:
        """Where else to look, where one search may end in a fit that is best only near by."""
        starts = tuple(self.problem.starts)
        return (self.best, *starts) if starts else ()

    @cached_property
    def free(self) -> Floats:
        return across(self.contrasts)

    @cached_property
    def most(self) -> Floats:
        """No combination can be larger (m)."""
        return np.asarray(np.abs(self.contrasts).sum(axis=1) * self.problem.limit)

    def fit(self, which: Places, values: Floats, near: Floats | None = None) -> Fit:
        """How badly the equations fit if combination `which` has this value, whatever else (both B).

        `near` are unknowns that fit well with values close to these.
        """
        beta = np.broadcast_to(self.best, (len(which), len(self.best))) if near is None else near
        found = self._search(which, values, beta, self.along)
        for start in self.elsewhere:
            other = self._search(which, values, np.broadcast_to(start, beta.shape), self.straight)
            better = other.value < found.value
            found = Fit(np.where(better[:, None], other.beta, found.beta), np.where(better, other.value, found.value))
        return found

    def _search(self, which: Places, values: Floats, beta: Floats, along: Floats) -> Fit:
        short = values - (beta * self.contrasts[which]).sum(axis=1)
        return minimum(self.problem, beta + along[which] * short[:, None], self.free[which], self.contrasts[which])

    def badness(self, which: Places, values: Floats) -> Floats:
        """How badly alone."""
        return self.fit(which, values).value

    @cached_property
    def at_infinity(self) -> Floats | None:
        """How badly they fit as combinations go beyond all bounds, to either side; None where bounds stop them (m)."""
        far = self.problem.far()
        return None if far is None else minimum(far, self.along, self.free, self.contrasts).value

    def sets(self, critical: Floats) -> tuple[Floats, Floats]:
        """The ends of what fits no worse than this (m): the least interval that holds all of it, or the whole line."""
        low, high = np.full(len(critical), -np.inf), np.full(len(critical), np.inf)
        told = np.flatnonzero(np.ones(len(critical), bool) if self.at_infinity is None else self.at_infinity > critical)
        both = np.tile(told, 2), np.repeat([-1.0, 1.0], len(told)), np.tile(critical[told], 2)
        ends = End(self, *both).found if len(told) else np.zeros(0)
        low[told], high[told] = ends[: len(told)], ends[len(told) :]
        if self.at_infinity is not None and not self.problem.one_sided:
            whole = np.isinf(low) | np.isinf(high)
            low, high = np.where(whole, -np.inf, low), np.where(whole, np.inf, high)
        return low, high


@dataclass(frozen=True, eq=False)
class End:
    """Ends of sets: of which combinations, on which sides of the best value, where they fit just so badly (all m)."""

    line: Line
    which: Places
    side: Floats
    critical: Floats

    def fit(self, distance: Floats, near: Floats | None = None) -> Fit:
        """So far from the best values (m, or m × any)."""
        which = self.which if distance.ndim == 1 else np.repeat(self.which, distance.shape[1])
        side = self.side if distance.ndim == 1 else self.side[:, None]
        return self.line.fit(which, (side * distance).ravel() + self.line.centre[which], near)

    @cached_property
    def room(self) -> Floats:
        """How far away there may be values at all."""
        return np.asarray(np.maximum(self.line.most[self.which] - self.side * self.line.centre[self.which], 0.0))

    @property
    def found(self) -> Floats:
        """The ends, by trying values further and further out, then between the last that fits and the next."""
        bracket = self._bracket()
        endless = np.isinf(bracket.outer) | (bracket.inner >= self.room)
        distance = self._between(bracket, endless)
        return np.where(endless, self.side * np.inf, self.line.centre[self.which] + self.side * distance)

    def _bracket(self) -> Bracket:
        """Of distances tried the outermost that fits, and the next, which does not; infinite where there is none."""
        at = np.arange(len(self.which))
        width = self.line.spread[self.which] * np.sqrt(self.critical)
        inner, below = np.zeros(len(at)), np.zeros(len(at))
        outer, above = np.full(len(at), np.inf), np.full(len(at), np.inf)
        near = np.broadcast_to(self.line.best, (len(at), len(self.line.best)))
        for power in range(FURTHER + 1):
            away = AWAY if power == 0 else AWAY[-1:] * 30.0**power
            tried = np.minimum(width[:, None] * away, self.room[:, None])
            beta, value = self.fit(tried)
            bad, last_place = value.reshape(tried.shape), tried.shape[1] - 1
            fits = bad <= self.critical[:, None]
            last = np.where(fits.any(axis=1), last_place - np.argmax(fits[:, ::-1], axis=1), -1)
            held, following = np.maximum(last, 0), np.minimum(last + 1, last_place)
            inner, below = np.where(last >= 0, [tried[at, held], bad[at, held]], [inner, below])
            unbounded = last == last_place
            new = ~unbounded & (np.isinf(outer) | (last >= 0))
            outer, above = np.where(new, [tried[at, following], bad[at, following]], [outer, above])
            near = np.where(new[:, None], beta.reshape(*tried.shape, -1)[at, following], near)
            outer = np.where(unbounded, np.inf, outer)
            if (~unbounded | (inner >= self.room)).all():
                break
        return Bracket(inner, outer, below, above, near)

    def _between(self, bracket: Bracket, endless: Truths) -> Floats:
        """Where it fits just so badly: false position with the Illinois rule, on the root, which is nearly straight."""
        goal = np.sqrt(self.critical)
        inner, outer = bracket.inner, np.where(endless, bracket.inner, bracket.outer)
        below = np.minimum(np.sqrt(bracket.below) - goal, 0.0)
        above = np.where(endless, 0.0, np.maximum(np.sqrt(bracket.above) - goal, 0.0))
        before, near = np.zeros(len(inner)), bracket.near
        for cut in range(CUTS):
            share = np.clip(-below / np.maximum(above - below, 1e-300), 0.01, 0.99) if cut % 5 != 4 else 0.5
            middle = inner + share * (outer - inner)
            near, value = self.fit(middle, near)
            miss = np.sqrt(value) - goal
            inside = miss <= 0
            again = np.where(inside, 1, -1) == before
            above = np.where(inside, np.where(again, above / 2, above), miss)
            below = np.where(inside, miss, np.where(again, below / 2, below))
            inner, outer = np.where(inside, middle, inner), np.where(inside, outer, middle)
            before = np.where(inside, 1, -1)
            hit = (np.abs(miss) <= CLOSE * goal) & (goal > 0)
            if (endless | hit | (outer - inner <= CLOSE * outer)).all():
                return np.asarray(np.where(hit, middle * goal / np.where(hit, goal + miss, 1.0), inner))
        return inner


def with_errors_told(columns: Mapping[str, Any]) -> dict[str, Any]:
    """A table's columns, standard errors infinite where the set beside them has no end on some side."""
    told = np.isfinite(columns["lower"]) & np.isfinite(columns["upper"])
    return {**columns, "std_error": np.where(told, columns["std_error"], np.inf)}


def agreeing_with_set(columns: Mapping[str, Any], pvalues: Floats, value: float, level: float) -> Floats:
    """P values no smaller than 1 - level where the ends beside them have the value between them.

    A set may be in pieces, or lie on one side of the estimate, and what is shown are its outermost ends.
    """
    inside = (columns["lower"] <= value) & (value <= columns["upper"])
    return np.where(inside, np.maximum(pvalues, 1 - level), pvalues)


class Bracket(NamedTuple):
    """Two distances between which an end lies, how badly the equations fit there, and unknowns close to it."""

    inner: Floats
    outer: Floats
    below: Floats
    above: Floats
    near: Floats
