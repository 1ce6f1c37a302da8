"""Hellinger noise: a count a becomes b with probability proportional to exp(−rate·|√b − √a|)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from ..cost import Cost, Pure
from ..dataclass import dataclass
from ..errors import CostNotOffered
from ..laws import HellingerLaw, Law
from ..noise import hellinger
from ..tally import Table
from .mechanism import rounded_up
from .perturbation import Fitted, Moved, Perturbation


@dataclass(frozen=True)
class Hellinger(Perturbation):
    """Pure: square roots of counts that differ by one differ by at most 1, so the rate is half of epsilon.

    Released counts are never negative. Large counts get much more noise than 'laplace' gives them.

    Examples
    --------
    >>> from fractions import Fraction
    >>> Hellinger().fit([Moved(2, Fraction(1))], Pure(Fraction(3)), True).laws
    (HellingerLaw(rate=Fraction(3, 4)),)
    """

    name: ClassVar[str] = "hellinger"
    additive: ClassVar[bool] = False

    def fit(self, tables: Sequence[Moved], cost: Cost, given: bool) -> Fitted:
        if not isinstance(cost, Pure):
            raise CostNotOffered(
                f"mechanism 'hellinger' cannot spend {cost}; it takes epsilon alone.", mechanism="hellinger"
            )
        rates = [1 / rounded_up(2 * table.counts / (cost.epsilon * table.share)) for table in tables]
        return Fitted(tuple(map(HellingerLaw, rates)), cost)

    def blur(self, exact: Table, laws: tuple[Law, ...]) -> Table:
        columns = [
            hellinger(exact[:, place], law.rate) for place, law in enumerate(laws) if isinstance(law, HellingerLaw)
        ]
        return np.column_stack([column.astype(object) for column in columns])
