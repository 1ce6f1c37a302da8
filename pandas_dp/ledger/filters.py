"""One filter for each kind of cap, and one for caps by period."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from ..cost import Approximate, Concentrated, Cost, Pure
from ..errors import CostNotOffered
from .additive import ConcentratedFilter, PureFilter
from .filter import Filter
from .leaking import LeakingFilter
from .periods import PeriodFilter
from .renyi import SET_ASIDE, RenyiFilter
from .terms import Terms

KINDS: dict[type[Cost], Any] = {Pure: PureFilter, Concentrated: ConcentratedFilter}


def filter_for(cap: Cost, aside: Fraction = SET_ASIDE) -> Filter[Any]:
    """The filter of a cap; of its delta, if it has one, the share `aside` is kept for prices without a curve.

    Examples
    --------
    >>> from pandas_dp.cost import parse
    >>> rule = filter_for(parse(epsilon=3))
    >>> print(rule.left(rule.after(rule.start(), parse(epsilon=0.5))))
    epsilon=2.5
    """
    if not any((cap.aside, cap.at_infinity is None, cap.at_infinity)):
        raise CostNotOffered("a session needs a cap above zero.")
    if isinstance(cap, Approximate):
        return RenyiFilter(cap, aside)
    if isinstance(cap, Concentrated) and cap.delta:
        return LeakingFilter(cap)
    chosen: Filter[Any] = KINDS[type(cap)](cap)
    return chosen


def filter_of(terms: Terms) -> Filter[Any]:
    """The filter of these terms."""
    within = filter_for(terms.cap, terms.aside)
    if terms.period is None:
        return within
    return PeriodFilter(within, None if terms.overall is None else filter_for(terms.overall, terms.aside))
