"""What was promised of two neighbours, and the least that two chances of one event say it has to be."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...cost import Approximate, Concentrated, Cost, Pure
from ...dataclass import dataclass

Array = np.ndarray[Any, Any]
ORDERS = np.concatenate([1 + np.geomspace(1e-4, 1, 25), np.geomspace(2.2, 64, 25)])


@dataclass(frozen=True)
class Promised:
    """An epsilon or a rho, and a delta beside it.

    Examples
    --------
    >>> print(Promised("epsilon", 1.0), Promised("rho", 0.5, 1e-6), sep="; ")
    epsilon=1; rho=0.5, delta=1e-06
    """

    currency: str
    amount: float
    delta: float = 0.0

    @classmethod
    def of(cls, prices: Sequence[Cost]) -> Promised | None:
        """What several charges promise together; None where there are none, or where they do not simply add up.

        Examples
        --------
        >>> from fractions import Fraction
        >>> print(Promised.of([Pure(Fraction(1, 2)), Pure(Fraction(1))]))
        epsilon=1.5
        """
        if not prices:
            return None
        delta = float(sum(price.aside for price in prices))
        if all(isinstance(price, Concentrated) for price in prices):
            return cls("rho", float(sum(price.as_rho.rho for price in prices)), delta)
        if all(isinstance(price, Pure | Approximate) for price in prices):
            return cls("epsilon", float(sum(price.at_infinity or 0 for price in prices)), delta)
        return None

    def least(self, one: Array, other: Array) -> Array:
        """The least amount with which an event may have these chances in the two tables.

        Of epsilon: log((p - delta) / q). Of rho: what the Rényi divergence of the event says, over its order, at the
        order at which it says most.

        Examples
        --------
        >>> Promised("epsilon", 1.0).least(np.array([0.5]), np.array([0.25])).round(3).tolist()
        [0.693]
        """
        p, q = np.maximum(one - self.delta, 0.0), np.asarray(other)
        if self.currency == "epsilon":
            with np.errstate(divide="ignore"):
                return np.asarray(np.maximum(np.log(p) - np.log(q), 0.0))
        q = np.minimum(q / (1 - self.delta), 1.0)
        return np.where(p > q, _rho(p, q), 0.0)

    def __str__(self) -> str:
        delta = f", delta={self.delta:.6g}" if self.delta else ""
        return f"{self.currency}={self.amount:.6g}{delta}"


def _rho(p: Array, q: Array) -> Array:
    """The greatest over orders of the divergence of one coin from another, over the order."""
    with np.errstate(divide="ignore", invalid="ignore"):
        heads, tails = (np.log(each)[..., None] for each in (p, 1 - p))
        others = np.log(q)[..., None], np.log(1 - q)[..., None]
        parts = [a * ORDERS + b * (1 - ORDERS) for a, b in zip((heads, tails), others, strict=True)]
        parts = [np.where(np.isnan(part), -np.inf, part) for part in parts]
        found = np.logaddexp(*parts) / (ORDERS - 1) / ORDERS
    return np.asarray(np.nanmax(np.maximum(found, 0.0), axis=-1))


__all__ = ["Promised"]
