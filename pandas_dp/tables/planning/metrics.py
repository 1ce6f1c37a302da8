"""How a key is measured: category by category, or so that runs of its ordered categories are told best.

What is measured are sums with whole-number weights. Any such weights keep the promise, and are decoded exactly; good
ones keep the error of runs low. Proof: docs/proofs/tables/runs.md.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Literal, NamedTuple

import numpy as np

from ...core.arrays import Floats
from ...dataclass import dataclass
from .prefixes import root_of

MetricName = Literal["cells", "prefix", "all"]
WANTED: tuple[MetricName, ...] = ("prefix", "all")
FINE = 2**12  # the largest weight of a strategy for runs
MOST_BINS = 1024
ROUNDS = 12  # of the fixed point; whatever it is, what follows is exact
LATER_ROUNDS = 3
STARTS = 64  # bins from which on the rounds start at those of a quarter as many


class Decoded(NamedTuple):
    """What makes the cells of a key of its measured numbers and of the sum of all: `of_all` and `of_steps`, so that
    of_all·1ᵀ + of_steps·steps is the identity."""

    of_all: Floats
    of_steps: Floats


@dataclass(frozen=True)
class Metric:
    """A key of so many categories of which these runs are wanted: none but the categories themselves ("cells"), all
    from the first on ("prefix"), or any ("all"). What each of them means does not change, as labels name it."""

    size: int
    wanted: MetricName = "cells"

    @property
    def steps(self) -> Floats:
        """Whole numbers, as many rows as categories: a row a measured number, a column what a category adds to it."""
        return _steps(self)

    @property
    def decoded(self) -> Decoded:
        return _decoded(self)

    @property
    def products(self) -> Floats:
        """The inner products of columns, whole numbers."""
        return _products(self)

    @property
    def queries(self) -> int:
        """How many runs are wanted."""
        return self.size * (self.size + 1) // 2 if self.wanted == "all" else self.size

    @property
    def errors(self) -> tuple[float, float]:
        """How much of the variance of a step, and of the sum of all, the wanted runs have together."""
        gram, (of_all, of_steps) = gram_of(self), self.decoded
        return float(np.sum((gram @ of_steps) * of_steps)), float(of_all @ gram @ of_all)


def gram_of(metric: Metric) -> Floats:
    """In how many of the wanted runs two categories are together."""
    if metric.wanted == "cells":
        return np.eye(metric.size)
    places = np.arange(metric.size)
    after = metric.size - np.maximum.outer(places, places)
    return np.asarray(after if metric.wanted == "prefix" else after * (np.minimum.outer(places, places) + 1), float)


@lru_cache(maxsize=16)
def _steps(metric: Metric) -> Floats:
    size = metric.size
    if metric.wanted == "cells":
        return size * np.eye(size) - 1.0
    best = _best(metric)
    across = np.linalg.solve(best, np.ones(size)).sum()
    values, vectors = np.linalg.eigh(best - 1 / across)  # without what is said of the sum of all: one value is 0
    factor = np.sqrt(np.maximum(values[1:], 0.0))[:, None] * vectors[:, 1:].T
    found = np.zeros((size, size))
    found[:-1] = np.rint(factor * (FINE / np.abs(factor).max()))
    return found


@lru_cache(maxsize=16)
def _decoded(metric: Metric) -> Decoded:
    size = metric.size
    if metric.wanted == "cells":
        return Decoded(np.full(size, 1 / size), (np.eye(size) - 1 / size) / size)
    inverse = np.linalg.inv(np.vstack([np.ones((1, size)), metric.steps[:-1] / FINE]))
    return Decoded(inverse[:, 0], np.column_stack([inverse[:, 1:] / FINE, np.zeros(size)]))


@lru_cache(maxsize=16)
def _products(metric: Metric) -> Floats:
    """Whole numbers below 2^53, which floats add up exactly."""
    return np.asarray(metric.steps.T @ metric.steps)


def _best(metric: Metric) -> Floats:
    """The precision of counts under which runs are told best, while no count is told better than with 1: D^-½ (D^½ G
    D^½)^½ D^-½ at the fixed point D of diag((D^½ G D^½)^½), nearly."""
    scale = np.sqrt(_diagonal(metric))
    found = root_of(gram_of(metric) * np.outer(scale, scale)) / np.outer(scale, scale)
    own = np.sqrt(np.diag(found))
    return np.asarray(found / np.outer(own, own))


@lru_cache(maxsize=64)
def _diagonal(metric: Metric) -> Floats:
    gram, size = gram_of(metric), metric.size
    if size < STARTS:
        start, rounds = np.full(size, float(size)), ROUNDS
    else:
        coarse = size // 4
        start = np.interp(np.linspace(0, 1, size), np.linspace(0, 1, coarse), _diagonal(Metric(coarse, metric.wanted)))
        start, rounds = start * (gram.trace() / start.sum()) ** 0.5, LATER_ROUNDS
    for _ in range(rounds):
        scale = np.sqrt(start)
        start = np.diag(root_of(gram * np.outer(scale, scale))).copy()
    return start
