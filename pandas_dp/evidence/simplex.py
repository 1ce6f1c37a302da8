"""Released sums of points of a simplex, and the sums of squares that they hold. See docs/proofs/surveys.md.

A person brings t, how much of her counts, and s = t times her value, in units in which the range is from -1 to 1.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..dataclass import dataclass
from .maps import AddedUp
from .noise import Floats, Noise, told_from_none

FEWEST = 2.0  # people, where their number is not public: n/(n - 1) is at most 2


@dataclass(frozen=True)
class SimplexSums:
    """Σt, Σs and the sums of uv, u(1 - t) and v(1 - t), u = (t + s)/2 and v = (t - s)/2: a number for each cell."""

    total: Floats
    swing: Floats
    products: Floats  # 3 × cells
    total_noise: Noise
    swing_noise: Noise
    product_noise: Noise

    def added_up(self, by: AddedUp, many: int = 1) -> SimplexSums:
        """Of several cells together, each of which has so many numbers."""
        noises = (by.noise(noise) for noise in (self.total_noise, self.swing_noise, self.product_noise))
        products = np.array([by.parts(each, many) for each in self.products])
        return SimplexSums(by.parts(self.total, many), by.parts(self.swing, many), products, *noises)

    @cached_property
    def enough(self) -> NDArray[np.bool_]:
        """Where anybody can be told to be there."""
        return told_from_none(self.total, self.total_noise)

    @cached_property
    def safe_total(self) -> Floats:
        return np.where(self.enough, self.total, np.nan)

    @cached_property
    def ratio(self) -> Floats:
        """Σs/Σt, which lies between -1 and 1; NaN where nobody can be told to be there."""
        return np.clip(self.swing / self.safe_total, -1.0, 1.0)

    def squares(self, swing: Any, total: Any) -> Floats:
        """Σ(swing·s + total·t)², without bias from the noise."""
        first, second, third = self.products
        return np.asarray(
            (swing**2 + total**2) * self.total
            + 2 * swing * total * self.swing
            - 4 * swing**2 * first
            - (swing + total) ** 2 * second
            - (swing - total) ** 2 * third
        )

    def squares_sd(self, swing: Any, total: Any) -> Floats:
        """The standard deviation of the noise in it."""
        of_products = 16 * swing**4 + (swing + total) ** 4 + (swing - total) ** 4
        var = (
            (swing**2 + total**2) ** 2 * self.total_noise.var
            + 4 * (swing * total) ** 2 * self.swing_noise.var
            + of_products * self.product_noise.var
        )
        return np.asarray(np.sqrt(var))

    def linear_noise(self, swing: Any, total: Any) -> Any:
        """The variance of the noise in Σ(swing·s + total·t)."""
        return swing**2 * self.swing_noise.var + total**2 * self.total_noise.var

    @property
    def noises(self) -> tuple[Noise, ...]:
        return self.total_noise, self.swing_noise

    @cached_property
    def effective(self) -> Floats:
        """(Σt)²/Σt², Kish's effective number of people, at least 1 and at most Σt over the greatest weight's."""
        squares = np.maximum(self.squares(0.0, 1.0), self.squares_sd(0.0, 1.0))
        return np.nan_to_num(np.maximum(self.safe_total**2 / np.maximum(squares, 1e-300), 1.0), nan=1.0)


def corrected(people: float | None, total: Floats) -> Any:
    """n/(n - 1); Σt in place of n where that is private, as it is no more."""
    if people is not None:
        return people / max(people - 1.0, 1.0)
    n = np.maximum(np.nan_to_num(total, nan=FEWEST), FEWEST)
    return n / (n - 1)
