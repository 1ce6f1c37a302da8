"""Sets of coefficients by themselves, where something else is told so poorly that no set of all would have an end."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from ..dataclass import dataclass
from .equations import Equations, Told
from .moment_matrix import Floats

Truths = np.ndarray[Any, np.dtype[np.bool_]]
TOUCHED = 2.5  # standard deviations of how far noise alone turns a combination into what it hides
FAR = 2.0  # as far away as the score says that a direction which noise hides may stand


@dataclass(frozen=True, eq=False)
class OwnSets:
    """Each combination of the unknowns (m × q) against the one equation that tells it, all others at the estimate;
    noise grows with the distance, so that where it tells nothing there is no end."""

    problem: Equations
    contrasts: Floats
    estimate: Floats
    covariance: Floats

    @cached_property
    def apart(self) -> Truths:
        """Which are told by themselves: where some direction is weak, and what noise hides has no part in it (m)."""
        told = self._told
        if told is None or not told.is_weak:
            return np.zeros(len(self.contrasts), dtype=bool)
        values, vectors = told.directions
        by_noise = told.noise * (told.hidden == 0) / np.maximum(np.abs(values), 1e-300)
        chance = ((self.contrasts @ vectors) * by_noise) ** 2
        return np.asarray((self._hidden**2).sum(axis=1) <= TOUCHED**2 * chance.sum(axis=1))

    def sets(self, critical: Floats) -> tuple[Floats, Floats]:
        """The ends of what fits no worse (m); the whole line where that is everything."""
        slope, growth = self._moved
        room = slope**2 - critical * growth
        with np.errstate(divide="ignore", invalid="ignore"):
            half = np.where(room > 0, np.sqrt(critical * self._spread / room), np.inf)
        return self._centre - half, self._centre + half

    def badness(self, values: Floats) -> Floats:
        """How badly the equation fits if a combination has this value (m)."""
        slope, growth = self._moved
        square = (values - self._centre) ** 2
        return np.asarray(square * slope**2 / (self._spread + square * growth))

    @cached_property
    def _told(self) -> Told | None:
        return self.problem.told()

    @cached_property
    def _hidden(self) -> Floats:
        """By how much combinations lie in directions that noise hides (m × q)."""
        assert self._told is not None
        return np.asarray((self.contrasts @ self._told.directions[1]) * self._told.hidden)

    @cached_property
    def _centre(self) -> Floats:
        return np.asarray(self.contrasts @ self.estimate)

    @cached_property
    def _spread(self) -> Floats:
        """The variance of each, and of what it has of directions in which the estimate may stand anywhere near."""
        assert self._told is not None
        values, vectors = self._told.directions
        at = self.estimate[None]
        left, spread = (self.problem.equations(at) @ vectors)[0], vectors.T @ self.problem.spread(at)[0] @ vectors
        off = (left**2 + np.diag(spread)) / np.maximum(values, max(self._told.noise, 1e-300)) ** 2
        own = np.einsum("mi,ij,mj->m", self.contrasts, self.covariance, self.contrasts)
        return np.asarray(np.maximum(own + FAR**2 * self._hidden**2 @ off, 1e-300))

    @cached_property
    def _moved(self) -> tuple[Floats, Floats]:
        """By what the equation that tells a combination is moved as that is moved by one, and the variance of it."""
        assert self._told is not None
        along = self.contrasts / (self.contrasts**2).sum(axis=1, keepdims=True)
        weights = np.linalg.solve(self._told.raised, self.contrasts.T).T
        far = self.problem.far()
        assert far is not None
        spread = far.noise(along) + far.chance(along)
        return (weights * far.equations(along)).sum(axis=1), np.einsum("mi,mij,mj->m", weights, spread, weights)
