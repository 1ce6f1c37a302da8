"""Where equations fit best, on lines and planes of their unknowns: the minimum of g'W⁻¹g."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import Any, NamedTuple

import numpy as np

from ..core.arrays import Floats
from .moments.solve import Places

GREATEST = 1e150
HIDDEN, WEAK = 2.0, 6.0  # eigenvalues, in parts of the noise on an entry and of the root of how many there are


@dataclass(frozen=True, eq=False)
class Strength:
    """How well directions of the unknowns are told: by the eigenvalues of a symmetric matrix of slopes.

    `raised` is the matrix that estimates are made with, without eigenvalues that noise alone would make; `noise` is
    the standard deviation of that on an entry.
    """

    slopes: Floats
    raised: Floats
    noise: float

    @cached_property
    def directions(self) -> tuple[Floats, Floats]:
        """Eigenvalues, and a column for each."""
        values, vectors = np.linalg.eigh(np.clip(np.nan_to_num(self.slopes), -GREATEST, GREATEST))
        return values, vectors

    @property
    def is_weak(self) -> bool:
        """Whether some direction is told so poorly that it may open the sets of all others."""
        values, _ = self.directions
        return bool(values.min() < WEAK * self.noise * np.sqrt(len(values)))

    @cached_property
    def hidden(self) -> Floats:
        """0 of a direction that is told, up to 1 of one that noise hides."""
        values, _ = self.directions
        return np.asarray(np.clip(1 - values / max(HIDDEN * self.noise * np.sqrt(len(values)), 1e-300), 0.0, 1.0))


class Equations(ABC):
    """Functions of released sums that have mean zero at the true unknowns, and what their covariance is.

    All take several values of the unknowns at once, a row each (B × q), and give something for each of them (B × ...).
    Nothing in it may be cleverer than that: what is solved, bounded and tested follows from these functions alone.
    """

    unknowns: int  # q
    rounds: int = 4  # steps to a minimum at most; where equations are linear, only their covariance is found again
    limit: float = inf  # no unknown is looked for beyond, in either direction
    one_sided: bool = False  # whether a set may have an end on one side alone
    held_to_best: bool = False  # whether values are held against where they fit best, and not against a perfect fit
    heavy: bool = False  # whether noise has heavier tails than the normal law: then `heaviness` says how heavy

    @abstractmethod
    def equations(self, beta: Floats) -> Floats:
        """How far each equation is from holding: B × l, l >= q."""

    @abstractmethod
    def slopes(self, beta: Floats) -> Floats:
        """The derivatives of the equations by the unknowns: B × l × q."""

    @abstractmethod
    def noise(self, beta: Floats) -> Floats:
        """The covariance of the equations because of noise: B × l × l."""

    @abstractmethod
    def chance(self, beta: Floats) -> Floats:
        """That because of sampling: B × l × l; zeros where only the rows in the data are asked about."""

    @property
    def inverse(self) -> Floats | None:
        """That of minus the slopes (q × q), where equations are straight and have it, and it is worth using."""
        return None

    @property
    def start(self) -> Floats:
        """Where to look first (q)."""
        return np.zeros(self.unknowns)

    @property
    def starts(self) -> Floats:
        """Unknowns from which to look again (any × q), where searches may end in different places."""
        return np.zeros((0, self.unknowns))

    @cached_property
    def estimate(self) -> Floats | None:
        """What is reported (q), where that is not where the equations fit best."""
        return None

    def covariance(self, beta: Floats) -> Floats | None:
        """That of the estimate (q × q) to first order, where it is not the usual one."""
        return None

    def far(self) -> Equations | None:
        """The same for unknowns without bound, as functions of the direction in which they go; None where `limit`
        bounds them."""
        return None

    def strength(self) -> Strength | None:
        """How well each direction of the unknowns is told, where some may be told so poorly that no set has an end."""
        return None

    def heaviness(self, beta: Floats, directions: Floats) -> Floats:
        """The excess kurtosis of a combination of the equations: B × l gives B; 0 of Gaussian noise."""
        return np.zeros(len(directions))

    def spread(self, beta: Floats) -> Floats:
        """The covariance of the equations: that of chance and noise, and so much more that it has an inverse."""
        spread = self.chance(beta) + self.noise(beta)
        size = np.trace(spread, axis1=1, axis2=2) / spread.shape[1]
        at = np.arange(spread.shape[1])
        spread[:, at, at] += (1e-12 * size + 1e-200)[:, None]
        return np.asarray(spread)


def transposed(stack: Any) -> Floats:
    """Each of a stack of matrices."""
    return np.asarray(np.swapaxes(stack, -1, -2))


CLOSE = 1e-6  # a smaller gain is none


class Minimum(NamedTuple):
    """For each of several searches the best unknowns, and how badly the equations fit there."""

    beta: Floats  # B × q
    value: Floats  # B


def minimum(problem: Equations, start: Floats, free: Floats, kept: Floats | None = None) -> Minimum:
    """The best fits among start + free @ anything, by steps of Gauss and Newton with the covariance of where they are.

    `start` is B × q; `free` is q × k, or B × q × k: where they are all ways that leave combinations of the unknowns
    as they are, these may be given as `kept` (B × q), which is faster for as many equations as unknowns. A step that
    does not help is halved, so it always ends, and never above where it started.
    """
    beta = np.clip(start, -problem.limit, problem.limit)
    value, step, gain = _step(problem, beta, free, kept)
    part = np.ones(len(beta))
    going = np.arange(len(beta))
    for _ in range(problem.rounds):
        going = going[gain[going] > CLOSE * (1 + value[going])]
        if not len(going):
            break
        tried = np.clip(beta[going] + part[going, None] * step[going], -problem.limit, problem.limit)
        ways = free if free.ndim == 2 else free[going]
        found, onward, further = _step(problem, tried, ways, None if kept is None else kept[going])
        better = found < value[going]
        settled = np.where(better, value[going] - found < CLOSE * (1 + found), part[going] < 1e-3)
        part[going] = np.where(better, 1.0, part[going] / 3)
        moved = going[better]
        beta[moved], step[moved] = tried[better], onward[better]
        value[moved], gain[moved] = found[better], further[better]
        going = going[~settled]
    near = np.abs(gain) <= CLOSE * (1 + value)  # so near that the last step needs no trial
    beta[near] = np.clip(beta[near] + step[near], -problem.limit, problem.limit)
    return Minimum(beta, np.where(near, np.maximum(value - gain, 0.0), value))


def _step(problem: Equations, beta: Floats, free: Floats, kept: Floats | None) -> tuple[Floats, Floats, Floats]:
    """How badly the equations fit there, the way to where they would fit best if nothing else changed, and how much
    better that would be."""
    back = problem.inverse
    if kept is not None and back is not None:
        return _straight(problem, beta, kept, back)
    equations, slopes = problem.equations(beta)[:, :, None], problem.slopes(beta) @ free
    weighed = solved(problem.spread(beta), np.concatenate([equations, slopes], axis=2))
    value = np.maximum((transposed(equations) @ weighed[:, :, :1])[:, 0, 0], 0.0)
    if slopes.shape[2] == 0:
        return value, np.zeros(beta.shape), np.zeros(len(beta))
    bent = transposed(slopes) @ weighed[:, :, 1:]
    ridge = 1e-13 * np.trace(bent, axis1=1, axis2=2) + 1e-200
    bent = bent + ridge[:, None, None] * np.eye(bent.shape[1])
    downhill = transposed(slopes) @ weighed[:, :, :1]
    moved = -np.linalg.solve(bent, downhill)
    return value, np.asarray((free @ moved)[:, :, 0]), np.asarray(-(moved * downhill).sum(axis=(1, 2)))


def solved(spread: Floats, right: Floats) -> Floats:
    """The inverse of `spread` times `right`; where columns cannot be told apart, with a hair added to its diagonal."""
    try:
        return np.asarray(np.linalg.solve(spread, right))
    except np.linalg.LinAlgError:
        hair = 1e-13 * np.trace(spread, axis1=-2, axis2=-1) + 1e-200
        thicker = spread + hair[..., None, None] * np.eye(spread.shape[-1])
    try:
        return np.asarray(np.linalg.solve(thicker, right))
    except np.linalg.LinAlgError:  # columns of sizes so different that a hair of all is nothing to some
        return np.asarray(np.linalg.pinv(thicker, hermitian=True) @ right)


def _straight(problem: Equations, beta: Floats, kept: Floats, back: Floats) -> tuple[Floats, Floats, Floats]:
    """The same of straight equations that have a root: towards it, less what would change the combinations."""
    equations, spread = problem.equations(beta), problem.spread(beta)
    value = (equations * solved(spread, equations[:, :, None])[:, :, 0]).sum(axis=1)
    root, clipped_score = equations @ back.T, kept @ back
    moved = (spread @ clipped_score[:, :, None])[:, :, 0]
    left = (kept * root).sum(axis=1)
    share = left / np.maximum((clipped_score * moved).sum(axis=1), 1e-300)
    return np.maximum(value, 0.0), np.asarray(root - (moved @ back.T) * share[:, None]), value - left * share


def across(contrasts: Floats) -> Floats:
    """For each combination of the unknowns all ways to change them that leave it as it is: m × q gives m × q × (q-1).

    The columns of a reflection that turns the combination into the first axis, but for the first.
    """
    unit = contrasts / np.linalg.norm(contrasts, axis=1, keepdims=True)
    normal = unit.copy()
    normal[:, 0] += np.where(unit[:, 0] < 0, -1.0, 1.0)
    square = (normal**2).sum(axis=1)[:, None, None]
    reflection = np.eye(contrasts.shape[1]) - 2 * normal[:, :, None] * normal[:, None, :] / square
    return np.asarray(reflection[:, :, 1:])


Truths = np.ndarray[Any, np.dtype[np.bool_]]
AWAY = np.array([1.0, 3.0, 30.0, 1000.0])  # how far out to look for values that fit, in expected half widths
FURTHER = 8  # times 30 beyond that
CLOSE_ENDS = 5e-5  # of a half width
CUTS = 40


@dataclass(frozen=True, eq=False)
class Profile:
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

    def fit(self, which: Places, values: Floats, near: Floats | None = None) -> Minimum:
        """How badly the equations fit if combination `which` has this value, whatever else (both B).

        `near` are unknowns that fit well with values close to these.
        """
        beta = np.broadcast_to(self.best, (len(which), len(self.best))) if near is None else near
        found = self._search(which, values, beta, self.along)
        for start in self.elsewhere:
            other = self._search(which, values, np.broadcast_to(start, beta.shape), self.straight)
            better = other.value < found.value
            found = Minimum(
                np.where(better[:, None], other.beta, found.beta), np.where(better, other.value, found.value)
            )
        return found

    def _search(self, which: Places, values: Floats, beta: Floats, along: Floats) -> Minimum:
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
        far = self.at_infinity
        bounded = np.flatnonzero(np.ones(len(critical), bool) if far is None else far > critical)
        both = np.tile(bounded, 2), np.repeat([-1.0, 1.0], len(bounded)), np.tile(critical[bounded], 2)
        ends = ProfileEnd(self, *both).found if len(bounded) else np.zeros(0)
        low[bounded], high[bounded] = ends[: len(bounded)], ends[len(bounded) :]
        if far is not None and not self.problem.one_sided:
            whole = np.isinf(low) | np.isinf(high)
            low, high = np.where(whole, -np.inf, low), np.where(whole, np.inf, high)
        return low, high


@dataclass(frozen=True, eq=False)
class ProfileEnd:
    """Ends of sets: of which combinations, on which sides of the best value, where they fit just so badly (all m)."""

    line: Profile
    which: Places
    side: Floats
    critical: Floats

    def fit(self, distance: Floats, near: Floats | None = None) -> Minimum:
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
            hit = (np.abs(miss) <= CLOSE_ENDS * goal) & (goal > 0)
            if (endless | hit | (outer - inner <= CLOSE_ENDS * outer)).all():
                return np.asarray(np.where(hit, middle * goal / np.where(hit, goal + miss, 1.0), inner))
        return inner


def with_errors(columns: Mapping[str, Any]) -> dict[str, Any]:
    """A table's columns, standard errors infinite where the set beside them has no end on some side."""
    ended = np.isfinite(columns["lower"]) & np.isfinite(columns["upper"])
    return {**columns, "std_error": np.where(ended, columns["std_error"], np.inf)}


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
