"""A statistic of resampled rows, once for each replicate. Proofs: docs/proofs/numeric/bootstrap.md."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, isqrt
from typing import ClassVar, Literal

from ...core.measure.cells import ONE_CELL, Cells, Norm, Variable
from ...core.neighbours import Adjacency
from ...dataclass import dataclass

Design = Literal["weights", "half-sample", "multinomial"]
Form = Literal["sum", "variance", "deviation", "covariance"]

FINEST = 20  # a range is cut into at most 2**(FINEST + 1) steps
EXACT = 53  # sums of squares below 2**EXACT are exact in float64
ROOT_SCALE = 2**10  # a root is counted in so many parts of a step


@dataclass(frozen=True)
class Resamples:
    """A whole number for each replicate: the sum of its codes, m·Σy² - (Σy)², the root of that, or m·Σyz - Σy·Σz.

    Codes are rounded to so many at a time that all sums of squares are exact in float64, whatever the rows hold.
    """

    variable: Variable
    form: Form
    design: Design
    replicates: int
    size: int  # the public number of rows
    other: Variable | None = None  # z
    cells: ClassVar[Cells] = ONE_CELL
    answered: ClassVar[str] = "numeric.bootstrap.fold:replicates"
    planned: ClassVar[str] = "numeric.bootstrap.run:planned"

    @property
    def variables(self) -> tuple[Variable, ...]:
        return (self.variable,) if self.other is None else (self.variable, self.other)

    @property
    def is_secret(self) -> bool:
        """Whether which rows a replicate takes is hidden, and hides them."""
        return self.design != "weights"

    @property
    def drawn(self) -> int:
        """Rows in a replicate, counted as often as they are in it."""
        return self.size // 2 if self.design == "half-sample" else self.size

    def coarse(self, variable: Variable) -> int:
        """How many codes are counted as one: a power of two."""
        bits = min(FINEST, (EXACT - (2 * self.size).bit_length()) // 2)
        return 1 << max(0, variable.grid.half.bit_length() - bits)

    def width(self, variable: Variable) -> int:
        """How far apart two rounded codes can be."""
        return 2 * -(-variable.grid.half // self.coarse(variable))

    @property
    def swing(self) -> int:
        """How far one row that is in a replicate once can move its number, by any change of its value."""
        width, m = self.width(self.variable), self.drawn
        if self.form in ("variance", "covariance"):
            return width * self.width(self.other or self.variable) * (m - 1)
        if self.form == "deviation":  # rounding down adds less than a step
            return isqrt(ROOT_SCALE**2 * width**2 * (m - 1)) + 2
        return width

    def weights(self, norm: Norm, adjacency: Adjacency) -> tuple[Fraction, ...]:
        return (Fraction(1),) * self.replicates

    def sensitivity(self, norm: Norm, adjacency: Adjacency) -> Fraction:
        """The sensitivity of all replicates together, for weights: each row is in half of them, twice.

        Secret designs have no sensitivity of their own; how much noise they need is the accountant's to say.
        """
        if self.design != "weights" or adjacency.vanish or not adjacency.swap:
            raise NotImplementedError(f"{self.design} has no sensitivity under these moves")
        times = ceil(self.replicates / 2)
        return Fraction(times * (2 * self.swing) ** norm)
