"""What a model says of its unknowns: equations in released sums, and how far they may be from zero at the truth."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from math import inf
from typing import Any

import numpy as np

from ..dataclass import dataclass
from .moment_matrix import Floats

GREATEST = 1e150
HIDDEN, WEAK = 2.0, 6.0  # eigenvalues, in parts of the noise on an entry and of the root of how many there are


@dataclass(frozen=True, eq=False)
class Told:
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

    def told(self) -> Told | None:
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
