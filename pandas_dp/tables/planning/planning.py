"""From what is wanted of tables to those that are measured, and the share of the cost that each gets.

Everything here is public: sizes, what is wanted, the kind of noise. Any shares keep the promise; good ones keep the
expected variance low. Proof: docs/proofs/tables/margins.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import ClassVar

import numpy as np

from ...core.arrays import Floats
from ...core.schema.values import ByFields, Tie
from .margins import Margin, finest, nested_sizes, with_implied
from .optimum import Lengths, Optimum, Swaps, Workload, of_least_largest, optimum, price

GRAIN = 2**12  # shares are whole parts of this
FINE = 2**24  # shares of effects are whole parts of this, before they are set right
SPARE = 1 + Fraction(1, 2**28)  # of what effects cost together, so that no rounding makes it more
LEAST = 0.004  # a smaller share is not worth a measurement
LOWEST = -50.0  # logarithm of the least share that is tried, over the largest
FREE = Fraction(1, 2)  # the share of a total that costs nothing


@dataclass(frozen=True)
class MeasuredShares(ByFields):
    """What a plan says is measured: tables, and the share of the cost that each gets."""

    tables: tuple[Margin, ...]
    shares: tuple[Fraction, ...]
    words: ClassVar = {"tables": "measured", "shares": "portions"}

    @classmethod
    def of(cls, shares: Mapping[Margin, float]) -> MeasuredShares:
        """Proportional rationals that sum to one exactly; none is 0."""
        total = float(sum(shares.values()))
        parts = [max(1, int(GRAIN * share / total)) for share in shares.values()]
        return cls(tuple(shares), tuple(Fraction(part, sum(parts)) for part in parts))

    @classmethod
    def evenly(cls, tables: Sequence[Margin]) -> MeasuredShares:
        return cls(tuple(tables), (Fraction(1, len(tables)),) * len(tables))

    def cost_by_effects(self, sizes: tuple[int, ...], lengths: Lengths) -> Fraction:
        """What the tables cost together where they hold effects, which each spend their share alone; rounded up."""
        each = zip(self.tables, self.shares, strict=True)
        spent = tuple(float(share / lengths.farthest([sizes[place] for place in margin])) for margin, share in each)
        return price(Swaps(sizes, self.tables, lengths), spent)

    def with_free(self, table: Margin) -> MeasuredShares:
        """With this table for nothing, so that the others have all of the cost."""
        paid = sum(share for margin, share in zip(self.tables, self.shares, strict=True) if margin != table)
        found = {margin: Fraction(share, paid) for margin, share in zip(self.tables, self.shares, strict=True)}
        found[table] = FREE
        return MeasuredShares(tuple(found), tuple(found.values()))


@dataclass(frozen=True)
class Importance(ByFields):
    """How much accuracy of each shown table matters: what to measure for it follows when the noise is known."""

    of_each: tuple[float, ...]
    largest: bool = False  # what matters is the largest variance of all tables, times the importance of its table
    words: ClassVar = {"of_each": "importance"}

    def candidates(self, shown: Sequence[Margin], sizes: Sequence[int], ties: Sequence[Tie]) -> tuple[Margin, ...]:
        """What may be worth measuring: the tables that are shown, and that of all keys."""
        return tuple(dict.fromkeys([*shown, finest(sizes, ties)]))

    def planned(
        self, shown: Sequence[Margin], sizes: Sequence[int], ties: Sequence[Tie], power: int, free_total: bool
    ) -> MeasuredShares:
        """Levels of a key are planned as if each split the groups of the coarser one evenly."""
        wholes = {
            with_implied(margin, ties): margin
            for margin in self.candidates(shown, sizes, ties)
            if margin or not free_total
        }
        implied, nested = [with_implied(margin, ties) for margin in shown], nested_sizes(sizes, ties)

        def planning(weights: tuple[float, ...]) -> Planning:
            work = Workload(nested, tuple(zip(implied, weights, strict=True)))
            return Planning(work, tuple(wholes), power, free_total)

        def even(weights: tuple[float, ...]) -> tuple[MeasuredShares, list[float]]:
            plan = planning(weights)
            return plan.planned(), plan.variances(plan.planned())

        found = of_least_largest(len(implied), even) if self.largest else planning(self.of_each).planned()
        return replace(found, tables=tuple(wholes.get(margin, margin) for margin in found.tables))

    def by_effects(self, shown: Sequence[Margin], sizes: tuple[int, ...], lengths: Lengths) -> MeasuredShares:
        """Every effect of the tables shown, each measured by itself, at shares that cost no more than one together."""
        return _by_effects(Workload(sizes, tuple(zip(shown, self.of_each, strict=True))), lengths, self.largest)


@lru_cache(maxsize=64)
def _by_effects(work: Workload, lengths: Lengths, largest_alone: bool) -> MeasuredShares:
    def even(weights: tuple[float, ...]) -> tuple[Optimum, list[float]]:
        mine = replace(
            work, requested=tuple((margin, w) for (margin, _), w in zip(work.requested, weights, strict=True))
        )
        plan = optimum(mine, lengths)
        return plan, work.variances(np.array([plan.precisions[effect] for effect in work.effects]))

    plan = of_least_largest(len(work.requested), even) if largest_alone else optimum(work, lengths)
    best = plan.precisions
    farthest = {effect: lengths.farthest([work.sizes[place] for place in effect]) for effect in best}
    wished = {effect: work.freedom(effect) * p * float(farthest[effect]) for effect, p in best.items()}
    largest = max(wished.values())
    found = MeasuredShares(
        tuple(wished), tuple(Fraction(max(1, round(FINE * s / largest)), FINE) for s in wished.values())
    )
    cost = found.cost_by_effects(work.sizes, lengths) * SPARE
    return replace(found, shares=tuple(share / cost for share in found.shares))


@dataclass(frozen=True)
class Planning:
    """Which tables could be measured for a workload, by noise whose variance falls with this power of a share.

    With a `free_total`, the total is measured beside them at half the cost, for nothing.
    """

    workload: Workload
    candidates: tuple[Margin, ...]  # without a total that is free
    power: int  # 1: Gaussian noise. 2: Laplace
    free_total: bool

    @lru_cache(maxsize=256)  # noqa: B019  # a small frozen value, planned again with every release
    def planned(self) -> MeasuredShares:
        """The candidates worth measuring, with the shares of the least loss that was found."""
        found = min((self.descended(start) for start in self._starts), key=self.loss)
        found = self._without_idlers(found)
        measured = MeasuredShares.of(
            {margin: share for margin, share in zip(self.candidates, found, strict=True) if share}
        )
        return measured.with_free(()) if self.free_total else measured

    def variances(self, measured: MeasuredShares) -> list[float]:
        """Of a cell of each wanted margin, where a table with all of the cost has noise of variance 1."""
        found = dict(zip(measured.tables, map(float, measured.shares), strict=True))
        return self.workload.variances(
            self._precisions(np.array([found.get(margin, 0.0) for margin in self.candidates]))
        )

    def loss(self, shares: Floats) -> float:
        """Where a table with all of the cost has noise of variance 1."""
        return self.workload.loss(self._precisions(shares))

    def bound(self, shares: Floats) -> float:
        """A loss that no shares can be below under Gaussian noise, from the slopes at these."""
        assert self.power == 1
        precisions = self._precisions(shares)
        steepest = (self._estimated + self._beside) @ (self.workload.weights / precisions**2)
        return self.loss(shares) ** 2 / float(steepest.max())

    def _precisions(self, shares: Floats) -> Floats:
        return np.asarray(shares**self.power @ self._estimated + shares.sum() ** self.power * self._beside)

    @cached_property
    def _estimated(self) -> Floats:
        """How much a candidate with all of the cost determines of each effect."""
        return np.array([self.workload.precision_by(margin) for margin in self.candidates])

    @cached_property
    def _beside(self) -> Floats:
        """How much a free total determines, whose noise one person moves half as far: its half is worth a whole."""
        return self.workload.precision_by(()) * self.free_total

    @property
    def _starts(self) -> list[Floats]:
        """All equal, mostly what is wanted, and mostly the largest."""
        equal = np.full(len(self.candidates), 1 / len(self.candidates))
        requested = np.array([float(margin in dict(self.workload.requested)) for margin in self.candidates])
        largest = np.array([float(len(margin) == max(map(len, self.candidates))) for margin in self.candidates])
        return [equal, *(0.1 * equal + 0.9 * some / some.sum() for some in (requested, largest) if some.any())]

    def descended(self, start: Floats, among: Sequence[int] | None = None) -> Floats:
        """Shares of less loss, by its exact slopes over the logarithms of the shares; the others stay without."""
        at = np.arange(len(start)) if among is None else np.array(among)

        def shares(logs: Floats) -> Floats:
            parts = np.zeros(len(self.candidates))
            parts[at] = np.exp(np.maximum(logs - logs.max(), LOWEST))
            return parts / parts.sum()

        def loss(logs: Floats) -> tuple[float, Floats]:
            each = shares(logs)
            precisions = self._precisions(each)
            lost = self.workload.weights / precisions
            whole = lost.sum()
            slopes = self.power * each**self.power * (self._estimated @ (lost / precisions)) / whole
            slopes += self.power * each * float(self._beside @ (lost / precisions)) / whole
            return float(np.log(whole)), (self.power * each - slopes)[at]

        from scipy.optimize import minimize  # late: seldom needed, and it takes a while

        found = minimize(loss, np.log(start[at]), jac=True, method="L-BFGS-B", options={"ftol": 1e-13, "gtol": 1e-7})
        return shares(np.asarray(found.x))

    def _without_idlers(self, shares: Floats) -> Floats:
        """The shares without those next to zero, where the rest determines all that is wanted."""
        for at in np.argsort(shares, kind="stable"):
            rest = np.where(np.arange(len(shares)) == at, 0.0, shares)
            if not shares[at] or not rest.any():
                continue
            rest = rest / rest.sum()
            if np.isfinite(self.loss(rest)) and (shares[at] < LEAST or self.loss(rest) <= self.loss(shares)):
                shares = rest
        again = self.descended(shares, np.flatnonzero(shares).tolist())
        return again if self.loss(again) < self.loss(shares) else shares
