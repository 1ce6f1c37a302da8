"""The terms of an additive model, of a formula."""

from __future__ import annotations

from collections.abc import Hashable

from ..errors import UnsupportedArgument
from .formula import Formula


def additive_terms(formula: Formula) -> list[tuple[Hashable, bool]]:
    """The column of each term, and whether it was asked for as a spline; products are refused."""
    if formula.endogenous or not formula.intercept or any(len(term) > 1 for term in formula.terms):
        raise UnsupportedArgument(
            "an additive model adds up single columns, with a constant, 'wage ~ s(age) + C(region)'; products and "
            "instruments are for ols."
        )
    return [(term[0].column, term[0].spline) for term in formula.terms]
