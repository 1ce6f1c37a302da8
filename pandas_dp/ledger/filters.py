"""One filter for each kind of cap."""

from __future__ import annotations

from typing import Any

from ..cost import Approximate, Concentrated, Cost, Pure
from ..errors import CostNotOffered
from .additive import ConcentratedFilter, PureFilter
from .filter import Filter
from .renyi import RenyiFilter

KINDS: dict[type[Cost], Any] = {Pure: PureFilter, Concentrated: ConcentratedFilter, Approximate: RenyiFilter}


def filter_for(cap: Cost) -> Filter[Any]:
    """The filter of a cap.

    Examples
    --------
    >>> from pandas_dp.cost import parse
    >>> rule = filter_for(parse(epsilon=3))
    >>> print(rule.left(rule.after(rule.start(), parse(epsilon=0.5))))
    epsilon=2.5
    """
    if not any((cap.aside, cap.at_infinity is None, cap.at_infinity)):
        raise CostNotOffered("a session needs a cap above zero.")
    chosen: Filter[Any] = KINDS[type(cap)](cap)
    return chosen
