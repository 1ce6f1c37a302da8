"""The average of several Laplace draws: pure differential privacy with nearly normal noise, at a price in variance."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import floor
from typing import ClassVar

import numpy as np

from ..cost import Approximate, Cost, Pure
from ..dataclass import dataclass
from ..errors import CostNotOffered, wrong_value
from ..laws import MOST_DRAWS, AveragedLaplaceLaw, Law
from ..noise import discrete_laplace
from ..reading import is_whole
from ..tally import Norm, Table
from .mechanism import Additive, rounded_up

DRAWS = 5  # unless the question says otherwise


@dataclass(frozen=True)
class AveragedLaplace(Additive):
    """Each draw has scale weight_j·reach·draws/epsilon, so it is epsilon/draws-DP and all of them together are
    epsilon-DP. Published is their average with the answer, rounded: the answer is whole, so the noise alone is rounded.

    Proof, and why a delta would buy nothing: docs/proofs/averaged-laplace.md.

    Parameters
    ----------
    draws : int
        How many are averaged, an odd number: the more, the nearer to normal, and the more noise.

    Examples
    --------
    >>> from fractions import Fraction
    >>> AveragedLaplace(draws=9).law(Fraction(1), Fraction(2), Pure(Fraction(1))).half_width(0.95)
    17
    """

    draws: int = DRAWS
    name: ClassVar[str] = "averaged-laplace"
    norm: ClassVar[Norm] = 1

    def __post_init__(self) -> None:
        if not is_whole(self.draws) or self.draws not in range(3, MOST_DRAWS + 1, 2):
            raise wrong_value("draws", f"be an odd number from 3 to {MOST_DRAWS}", self.draws)
        object.__setattr__(self, "draws", int(self.draws))

    def spends(self, cost: Cost) -> bool:
        return isinstance(cost, Pure)

    def law(self, weight: Fraction, reach: Fraction, cost: Cost) -> AveragedLaplaceLaw:
        assert isinstance(cost, Pure)
        return AveragedLaplaceLaw(rounded_up(weight * reach * self.draws / cost.epsilon), self.draws)

    def spent(self, laws: tuple[Law, ...], weights: tuple[Fraction, ...], reach: Fraction) -> Fraction:
        """Each draw costs what Laplace noise of its scale does; all of them are taken to be seen."""
        pairs = zip(weights, laws, strict=True)
        return reach * max(law.draws * weight / law.scale for weight, law in pairs)  # type: ignore[attr-defined]

    def price(self, cost: Cost) -> Cost:
        """Pure: a delta only says which Gaussian noise it has to beat."""
        return Pure(cost.epsilon) if isinstance(cost, Approximate) else cost

    def worth(self, laws: Sequence[Law], gaussian: Sequence[Law], cost: Approximate) -> None:
        """Refused where Gaussian noise of the same epsilon and delta is smaller; both laws are public."""
        for law, rival in zip(laws, gaussian, strict=True):
            assert isinstance(law, AveragedLaplaceLaw)
            if law.variance > rival.variance:
                most = floor(rival.variance / law.variance * law.draws)
                most -= 1 - most % 2
                fewer = f"draws={most}" if most >= 3 else "mechanism='laplace' with epsilon= alone"
                raise CostNotOffered(
                    f"at {cost} the average of {law.draws} Laplace draws has more noise than the Gaussian mechanism; "
                    f"use mechanism='gaussian', or {fewer}.",
                    mechanism=self.name,
                    draws=law.draws,
                )

    def blur(self, exact: Table, laws: tuple[Law, ...]) -> Table:
        noise = [self._noise(law, len(exact)) for law in laws if isinstance(law, AveragedLaplaceLaw)]
        return exact.astype(object) + np.column_stack(noise)

    def _noise(self, law: AveragedLaplaceLaw, size: int) -> Table:
        each = [discrete_laplace(law.scale, size).astype(object) for _ in range(law.draws)]
        return (2 * np.sum(each, axis=0) + law.draws) // (2 * law.draws)
