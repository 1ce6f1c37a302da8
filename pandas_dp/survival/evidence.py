"""Life tables from noisy counts of exits: hazards, survival, and how far noise and chance move them.

Everything is a linear map of the released cells, and a delta method around it. Proof: docs/proofs/survival/survival.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np

from ..core.arrays import Array, Floats
from ..core.evidence.evidence import Evidence, Seen
from ..core.evidence.noise import Noise, critical
from ..models.solve_sets import Equations
from ..models.tables.solve import FLAT, HEAVY, MOST, means

LEAST_AT_RISK = 1.0  # inside logarithms
LEAST_LEFT = 0.5  # of those at risk, behind the events
SURE = 2.0  # standard deviations of noise by which those at risk must stand out
SURE_TOGETHER = 3.0  # likewise of all groups together, for the log-rank test
Censoring = Literal["even", "start", "end"]
AT_RISK: Mapping[Censoring, float] = {"even": 0.5, "start": 0.0, "end": 1.0}
"""When in a bin people are censored, and for how much of it each is at risk then."""
ROUNDS = 30  # each takes a part of the error that is at most the hazard of a bin


def missed(hazard: Floats) -> Floats:
    """For how much of a bin those count as not at risk who were censored evenly over it, if its hazard is constant.

    One half where events are rare, more where they are not: (q + (1 - q)·log(1 - q)) / q². Proof:
    docs/proofs/survival/survival.md.
    """
    q = np.clip(hazard, 0.0, 1.0 - 1e-9)
    many = np.where(q > 1e-3, q, 0.5)
    return np.asarray(np.where(q > 1e-3, (many + (1 - many) * np.log1p(-many)) / many**2, 0.5 + q / 6 + q**2 / 12))


def _slope(hazard: Floats) -> Floats:
    """By how much `missed` grows with the hazard; none where noise makes it negative or certain."""
    q = np.clip(hazard, 0.0, 1.0 - 1e-9)
    many = np.where(q > 1e-2, q, 0.5)
    steep = -np.log1p(-many) / many**2 - 2 * (many + (1 - many) * np.log1p(-many)) / many**3
    found = np.where(q > 1e-2, steep, 1 / 6 + q / 6 + 3 * q**2 / 20)
    return np.asarray(np.where((hazard > 0) & (hazard < 1), found, 0.0))


@dataclass(frozen=True)
class Exits:
    """How many left in each bin of time, group by group, without an event and with one, as they were released.

    `cells` has a plane for each group, a row for each of the `bins` and two columns. Up to two more rows are the value
    at the last edge, where an event is one of the last bin, and everything behind it, where nobody is followed. `total`
    is the public number of rows, where each is in a cell; `variance` that of the noise of a cell.
    """

    cells: Floats
    bins: int
    variance: float
    total: int | None = None
    censoring: Censoring = "even"  # when in a bin people are censored: evenly over it, at its start, at its end

    @cached_property
    def settled(self) -> Floats:
        """A row of cells for each group; where the total is public they add up to it."""
        short = 0.0 if self.total is None else (self.total - self.cells.sum()) / self.cells.size
        return np.asarray((self.cells + short).reshape(len(self.cells), -1))

    @cached_property
    def _leaving(self) -> tuple[Floats, Floats]:
        """Which cells are events of each bin, and which are censored in it, or behind all."""
        rows = self.cells.shape[1]
        events, censored = np.zeros((self.bins, rows, 2)), np.zeros((self.bins + 1, rows, 2))
        places = np.arange(self.bins)
        events[places, places, 1] = censored[places, places, 0] = 1
        if rows > self.bins:
            events[-1, self.bins, 1] = censored[-1, self.bins, 0] = 1
        censored[-1, self.bins + 1 :] = 1
        return events.reshape(self.bins, -1), censored.reshape(self.bins + 1, -1)

    @property
    def of_events(self) -> Floats:
        """Which cells are the events of a bin: a row for each bin, a column for each cell of a group."""
        return self._leaving[0]

    @cached_property
    def of_risk(self) -> Floats:
        """For how much of a bin each cell is at risk, where events are rare."""
        events, censored = self._leaving
        later = np.cumsum(events[::-1], axis=0)[::-1] + np.cumsum(censored[::-1], axis=0)[::-1][1:]
        return np.asarray(later + censored[:-1] * AT_RISK[self.censoring])

    @cached_property
    def events(self) -> Floats:
        return np.asarray(self.settled @ self.of_events.T)

    @cached_property
    def censored(self) -> Floats:
        return np.asarray(self.settled @ self._leaving[1][:-1].T)

    @cached_property
    def at_risk(self) -> Floats:
        """Of whom the events are a share: who is censored counts for as much of the bin as they were at risk in it."""
        started = np.asarray(self.settled @ self.of_risk.T)
        if self.censoring != "even":
            return started
        found, lost = started, np.maximum(self.censored, 0.0)
        for _ in range(ROUNDS):
            hazard = self.events / np.maximum(found, LEAST_AT_RISK)
            found = started - lost * (missed(hazard) - 0.5)
        return np.asarray(found)

    @cached_property
    def _risk_adjacency(self) -> Floats:
        """How each cell of a group moves those at risk: groups × bins × cells."""
        if self.censoring != "even":
            return np.broadcast_to(self.of_risk, (len(self.cells), *self.of_risk.shape))
        at_risk, events = self._held
        hazard, lost = events / at_risk, np.maximum(self.censored, 0.0)
        more, slope = missed(hazard) - 0.5, lost * _slope(hazard) / at_risk
        straight = self.of_risk - more[:, :, np.newaxis] * self._leaving[1][:-1]
        bent = straight - slope[:, :, np.newaxis] * self.of_events
        return np.asarray(bent / np.maximum(1 - slope * hazard, 0.5)[:, :, np.newaxis])

    @cached_property
    def _held(self) -> tuple[Floats, Floats]:
        """At risk, and events, as logarithms can take them."""
        at_risk = np.maximum(self.at_risk, LEAST_AT_RISK)
        return at_risk, np.minimum(self.events, at_risk - LEAST_LEFT)

    @cached_property
    def log_survival(self) -> Floats:
        """At the end of each bin."""
        at_risk, events = self._held
        return np.asarray(np.cumsum(np.log1p(-events / at_risk), axis=1))

    @property
    def survival(self) -> Floats:
        """As a share that never rises: noise can add people to a bin, and the least so far stands."""
        return np.asarray(np.minimum.accumulate(np.exp(np.minimum(self.log_survival, 0.0)), axis=1))

    @cached_property
    def chance(self) -> Floats:
        """The variance of the logarithm by chance, as Greenwood has it."""
        at_risk, events = self._held
        return np.asarray(np.cumsum(np.maximum(events, 0.0) / (at_risk * (at_risk - events)), axis=1))

    @cached_property
    def slopes(self) -> Floats:
        """How each cell of a group moves the logarithm: groups × bins × cells."""
        at_risk, events = (each[:, :, np.newaxis] for each in self._held)
        left = 1 / (at_risk - events)
        return np.asarray(np.cumsum((left - 1 / at_risk) * self._risk_adjacency - left * self.of_events, axis=1))

    def spread(self, moved: Floats, axis: int = -1) -> Floats:
        """The variance by noise of numbers that cells move so much; those of other groups do not move them."""
        shared = 0.0 if self.total is None else moved.sum(axis=axis) ** 2 / self.cells.size
        return np.asarray(self.variance * np.maximum((moved**2).sum(axis=axis) - shared, 0.0))

    @cached_property
    def noise(self) -> Floats:
        """The variance of the logarithm by noise."""
        return self.spread(self.slopes)

    @cached_property
    def is_determined(self) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """Up to which bin those at risk stand out of their noise, group by group."""
        least = np.maximum(LEAST_AT_RISK, SURE * np.sqrt(self.spread(self.of_risk)))
        return np.asarray(np.logical_and.accumulate(self.at_risk >= least, axis=1))

    @property
    def are_determined_apart(self) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """Up to which bin those at risk in every group stand out of their noise, as far as is asked of all together."""
        least = np.maximum(LEAST_AT_RISK, SURE_TOGETHER * np.sqrt(self.spread(self.of_risk)))
        return np.asarray(np.logical_and.accumulate((self.at_risk >= least).all(axis=0)))

    @cached_property
    def are_determined_together(self) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """Up to which bin those at risk in all groups together stand out of their noise."""
        together = self.at_risk.sum(axis=0)
        noise = len(self.cells) * self.variance * (self.of_risk**2).sum(axis=-1)
        least = np.maximum(LEAST_AT_RISK, SURE_TOGETHER * np.sqrt(noise))
        return np.asarray(np.logical_and.accumulate(together >= least))

    @cached_property
    def one_person(self) -> Floats:
        """One over the number of people whose share would be off by chance as much as survival is."""
        survival, first = np.exp(self.log_survival), np.maximum(self.at_risk[:, :1], LEAST_AT_RISK)
        last = np.clip(self.at_risk, LEAST_AT_RISK, first)
        spent = (survival < 1) & (self.chance > 0)
        found = np.divide(self.chance * survival, 1 - survival, out=1 / last, where=spent)
        return np.asarray(np.clip(found, 1 / first, 1 / last))

    @property
    def in_pairs(self) -> Exits:
        """The same people in bins twice as wide; of an odd number the last stays."""
        settled = self.settled.reshape(self.cells.shape)
        pairs = np.add.reduceat(settled[:, : self.bins], np.arange(0, self.bins, 2), axis=1)
        cells = np.concatenate([pairs, settled[:, self.bins :]], axis=1)
        return Exits(cells, pairs.shape[1], self.variance, None, self.censoring)

    def ends(self, many: Any, chance: bool = True) -> tuple[Floats, Floats]:
        """Intervals of survival, group by group: all shares s with (S - s)² <= many²·(s(1 - s)·one person + noise).

        Neither end ever rises, as survival does not. Where those at risk are no longer told from nobody, anything down
        from the last upper end is possible.
        """
        survival = np.exp(np.minimum(self.log_survival, 10.0))
        square = np.square(many)
        by_chance = square * self.one_person * chance
        middle, outer = 2 * survival + by_chance, 1 + by_chance
        rest = survival**2 * (1 - square * self.noise)
        root = np.sqrt(np.maximum(middle**2 - 4 * outer * rest, 0.0))
        low, high = (np.clip((middle + side * root) / (2 * outer), 0.0, 1.0) for side in (-1, 1))
        low, high = np.where(self.is_determined, low, 0.0), np.where(self.is_determined, high, 1.0)
        return np.minimum.accumulate(low, axis=1), np.minimum.accumulate(high, axis=1)


@dataclass(frozen=True)
class LogRank:
    """Observed less expected events of all groups but the last, the variance by chance and by noise, and the bins
    that could be counted."""

    excess: Floats
    variance: Floats
    bins: int

    @property
    def statistic(self) -> float:
        """0, which contradicts nothing, where no bin could be counted."""
        return float(self.excess @ np.linalg.pinv(self.variance) @ self.excess) if self.bins else 0.0


def log_rank(exits: Exits) -> LogRank:
    """Over the bins in which somebody is at risk, noise allowed for, however few of a group they are."""
    counted, groups = exits.are_determined_together, len(exits.cells)
    at_risk, events = np.where(counted, exits.at_risk, 1.0), np.where(counted, exits.events, 0.0)
    together, all_events = at_risk.sum(axis=0), events.sum(axis=0)
    share = at_risk / together
    excess = (events - all_events * share).sum(axis=1)
    drawn = all_events * np.clip((together - all_events) / np.maximum(together - 1, LEAST_LEFT), 0.0, 1.0)
    by_chance = np.diag((drawn * share).sum(axis=1)) - (drawn * share) @ share.T
    moved = _moved(exits, share, np.where(counted, all_events / together, 0.0), counted)
    by_noise = exits.variance * (moved @ moved.T)
    if exits.total is not None:
        by_noise -= exits.variance * np.outer(moved.sum(axis=1), moved.sum(axis=1)) / exits.cells.size
    crossed = np.where(counted, np.maximum((exits.of_risk**2).sum(axis=1) - 1, 0.0) / together**2, 0.0).sum()
    by_noise += 2 * exits.variance**2 * crossed * (groups * np.eye(groups) - 1)  # noise of events times that of others
    values, directions = np.linalg.eigh(by_chance[:-1, :-1])
    variance = (directions * np.maximum(values, 0.0)) @ directions.T + by_noise[:-1, :-1]
    return LogRank(excess[:-1], variance, int(counted.sum()))


def _moved(exits: Exits, share: Floats, hazard: Floats, counted: Any) -> Floats:
    """How each cell, group by group, moves the excess of each group."""
    groups = np.eye(len(share))
    parts = []
    for group in range(len(share)):
        own = (groups[:, group][:, np.newaxis] - share) * counted
        parts.append(own @ exits.of_events - (own * hazard) @ exits.of_risk)
    return np.concatenate(parts, axis=1)


STEEPEST = 3.4  # of a predictor by whose exponential a hazard is told: hardly anybody is left


@dataclass(frozen=True, eq=False)
class Hazards(Equations):
    """The chance to have the event in a bin of those at risk in it, explained by bins and groups: its logit, or the
    logarithm of the hazard of continuous time, "cloglog", of which differences are those of Cox's regression.

    Σ over groups and bins of φ(e - r·mean) = 0; one person at risk in a bin is one row, and those of a person
    have errors that are uncorrelated, as each knows the past.
    """

    exits: Exits
    design: Floats  # groups and bins, bins running fastest, × terms
    sampling: bool = True
    heavy: bool = False
    link: Literal["logit", "cloglog"] = "logit"
    rounds = 40
    limit = MOST
    held_to_best = True

    @cached_property
    def unknowns(self) -> int:  # type: ignore[override]
        return self.design.shape[1]

    @cached_property
    def _seen(self) -> tuple[Floats, Floats, Floats]:
        """Events, those at risk, and these where they must not be negative."""
        return self.exits.events.ravel(), self.exits.at_risk.ravel(), np.maximum(self.exits.at_risk.ravel(), 0.0)

    def _mean(self, beta: Floats) -> tuple[Floats, Floats]:
        """Of the event in a bin, and how it follows its predictor."""
        predictor = beta @ self.design.T
        if self.link == "logit":
            mean = means("logit", predictor[:, :, None])[:, :, 0]
            return mean, np.asarray(mean * (1 - mean))
        hazard = np.exp(np.clip(predictor, -FLAT, STEEPEST))
        mean = -np.expm1(-hazard)
        return mean, np.asarray(hazard * (1 - mean))

    def equations(self, beta: Floats) -> Floats:
        events, at_risk, _ = self._seen
        return np.asarray((events - at_risk * self._mean(beta)[0]) @ self.design)

    def slopes(self, beta: Floats) -> Floats:
        return -self._products(self._mean(beta)[1])

    def chance(self, beta: Floats) -> Floats:
        mean, _ = self._mean(beta)
        return self._products(mean * (1 - mean)) * self.sampling

    def _products(self, weights: Floats) -> Floats:
        """Over those at risk."""
        return np.asarray((self.design.T[None] * (self._seen[2] * weights)[:, None, :]) @ self.design)

    def _moved(self, beta: Floats) -> list[Floats]:
        """How the cells of each group move the equations: B × terms × cells."""
        exits, groups = self.exits, len(self.exits.cells)
        mean = self._mean(beta)[0].reshape(len(beta), groups, exits.bins)
        design = self.design.reshape(groups, exits.bins, -1)
        return [
            (design[at].T @ exits.of_events)[None] - (design[at].T[None] * mean[:, at][:, None, :]) @ exits.of_risk
            for at in range(groups)
        ]

    def noise(self, beta: Floats) -> Floats:
        exits, moved = self.exits, self._moved(beta)
        found = sum(each @ np.swapaxes(each, 1, 2) for each in moved)
        if exits.total is not None:
            together = sum(each.sum(axis=2) for each in moved)
            found = found - together[:, :, None] * together[:, None, :] / exits.cells.size
        return np.asarray(exits.variance * found)

    def heaviness(self, beta: Floats, directions: Floats) -> Floats:
        if not self.heavy:
            return np.zeros(len(directions))
        at = np.broadcast_to(beta[:1], (len(directions), beta.shape[1]))
        every = np.einsum("bi,bij,bj->b", directions, self.spread(at), directions)
        moved = np.concatenate([each[0] for each in self._moved(beta[:1])], axis=1)
        shares = (directions @ moved) ** 2 * self.exits.variance / np.maximum(every, 1e-300)[:, None]
        return np.asarray(HEAVY * (shares**2).sum(axis=1))


@dataclass(frozen=True)
class Life(Evidence):
    """The share that is without an event at the end of each bin, group by group (Kaplan and Meier).

    `released` are the noisy cells: groups × classes of time × (no event, event).
    Proof: docs/proofs/survival/survival.md.
    """

    values: Seen
    released: np.ndarray[tuple[int, ...], np.dtype[np.int64]]
    bins: int
    noise: Noise
    total: int | None = None
    censoring: Censoring = "even"
    kind: ClassVar[str] = "life"
    accessor: ClassVar[str] = "survival.accessor:LifeAccessor"
    statistic: ClassVar[str] = "survival"
    default_target: ClassVar[str] = "population"
    limits: ClassVar[tuple[float, float]] = (0.0, 1.0)

    @classmethod
    def of(cls, counts: Array, bins: int, noise: Noise, total: int | None, censoring: Censoring = "even") -> Life:
        exits = Exits(np.asarray(counts, dtype=np.float64), bins, noise.var, total, censoring)
        return cls(exits.survival.ravel(), counts, bins, noise, total, censoring)

    @cached_property
    def exits(self) -> Exits:
        cells = np.asarray(self.released, dtype=np.float64)
        return Exits(cells, self.bins, self.noise.var, self.total, self.censoring)

    @property
    def has_intervals(self) -> bool:
        return not self.noise.depends

    def log_variance(self, target: str) -> tuple[Floats, Floats]:
        """By chance and by noise, of the logarithm of survival; the rows in the data have no chance."""
        exits = self.exits
        return exits.chance if target == "population" else np.zeros_like(exits.chance), exits.noise

    def std_error(self, target: str) -> Floats:
        """Of survival, at most one half: it lies between 0 and 1. NaN where noise may be all who are at risk."""
        error = np.exp(np.minimum(self.exits.log_survival, 0.0)) * np.sqrt(sum(self.log_variance(target)))
        return np.asarray(np.where(self.exits.is_determined, np.minimum(error, 0.5), np.nan).ravel())

    def interval(self, level: float, target: str) -> tuple[Floats, Floats]:
        chance, noise = self.log_variance(target)
        together = np.maximum(chance + noise, 1e-300)
        many = critical(level, (self.noise,), noise / together)
        low, high = self.exits.ends(many, target == "population")
        return low.ravel(), high.ravel()

    def measures(self, level: float, target: str) -> dict[str, Array]:
        """Beside survival, the numbers that it follows from, to whole ones."""
        exits = self.exits
        table = {"at_risk": exits.at_risk, "events": exits.events, "censored": exits.censored}
        whole = {name: np.rint(numbers).astype(np.int64).ravel() for name, numbers in table.items()}
        return {**super().measures(level, target), **whole}
