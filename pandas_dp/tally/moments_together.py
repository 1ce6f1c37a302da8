"""Sums of several variables' codes and of their squares, in the same rows: means that need one count."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property

from ..dataclass import dataclass
from ..neighbours import Moves
from .cells import ONE_CELL, Cells, Variable
from .moments import ROUNDING, Shares, root_up, rounding_shift, widen
from .reach import Norm, farthest
from .sums import Monomial, Table


@dataclass(frozen=True)
class MomentsTogether:
    """The number of rows in each cell, and for each variable the sums of y and of half² - y².

    All variables have a value in every row, so that they are of the same rows. One row moves what it moves of each of
    them, and the count once (docs/proofs/reach.md, theorem 2b).
    """

    variables: tuple[Variable, ...]
    cells: Cells = ONE_CELL

    @cached_property
    def monomials(self) -> tuple[Monomial, ...]:
        return ((), *(each for place in range(len(self.variables)) for each in ((place,), (place, place))))

    @cached_property
    def shifts(self) -> tuple[int, ...]:
        return (0, *(each for greatest in self._greatest for each in (0, rounding_shift(greatest))))

    def weights(self, norm: Norm, moves: Moves) -> tuple[Fraction, ...]:
        shares = self._shares(norm, moves)
        sizes = [(each.grid.half, shares.product * Fraction(greatest)) for each, greatest in self._each]
        shifts = self.shifts[2::2]
        rest = [each for (one, two), s in zip(sizes, shifts, strict=True) for each in (Fraction(one), two / 2**s)]
        return (shares.count, *rest)

    def extremes(self, norm: Norm, moves: Moves) -> tuple[Fraction, Fraction]:
        """How far a row can move its cell when it stays there, and when it comes or goes: in units in which a variable
        at either end of its range is 1 away from its middle."""
        shares, many = self._shares(norm, moves), len(self.variables)
        alone = 1 / shares.count**norm + many * max(Fraction(1), 1 / shares.product**norm)
        slack = self._slack(shares)
        return widen(norm, Fraction(many * 2**norm), slack), widen(norm, alone, slack)

    def reach(self, norm: Norm, moves: Moves) -> Fraction:
        within, alone = self.extremes(norm, moves)
        return farthest(moves, self.cells, self.variables, within=within, alone=alone)

    def arrange(self, sums: Table) -> Table:
        arranged = sums.copy()
        for at, (greatest, shift) in enumerate(zip(self._greatest, self.shifts[2::2], strict=True)):
            arranged[:, 2 * at + 2] = (greatest >> shift) * sums[:, 0] - sums[:, 2 * at + 2]
        return arranged

    def of(self, variable: Variable) -> list[int]:
        """Which numbers are its own: the count, its sum, its squares."""
        at = 2 * self.variables.index(variable)
        return [0, at + 1, at + 2]

    @property
    def _greatest(self) -> list[int]:
        return [variable.grid.half**2 for variable in self.variables]

    @property
    def _each(self) -> list[tuple[Variable, int]]:
        return list(zip(self.variables, self._greatest, strict=True))

    def _slack(self, shares: Shares) -> list[Fraction]:
        pairs = zip(self._greatest, self.shifts[2::2], strict=True)
        return [ROUNDING * 2**shift / (shares.product * greatest) for greatest, shift in pairs if shift]

    def _shares(self, norm: Norm, moves: Moves) -> Shares:
        many, crowded = len(self.variables), not moves.swap or self.cells.size > 1
        if norm == 1:
            return Shares(_cube_root(Fraction(3, many)) if crowded else Fraction(1, many), Fraction(2))
        if not moves.swap:
            return Shares(root_up(root_up(Fraction(3, many))), Fraction(1))
        if crowded:
            return Shares(root_up(Fraction(1, many)), Fraction(1))
        return Shares(root_up(Fraction(1, 2 * many)), root_up(Fraction(1, 2)))


def _cube_root(x: Fraction) -> Fraction:
    """To thousandths; no proof needs it exactly."""
    return Fraction(round(1000 * float(x) ** (1 / 3)) + 1, 1000)
