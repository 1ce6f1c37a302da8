"""Moment matrices of every kind of term, over universes that are as small as a proof allows."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from ..domain import Categories
from ..equations.design import Block, Design
from ..statistics import GramTable, LeastSquaresFit
from ..tally import Cells, Hats, Key, Levels, Number, Product, Slopes, Variable
from .case import GRIDS, Case, universe

X, Y, Z = (Variable(name, GRIDS["even"]) for name in "xyz")
ODD, WIDE = Variable("y", GRIDS["odd"]), Variable("z", GRIDS["wide"])
K, J = Key("k", Categories(("a", "b"))), Key("j", Categories((1, 2, 3)))
IN_X, IN_Y, IN_Z = [0.0, 10.0, 5.0, 3.0, np.nan], [-2.0, 3.0, 0.0], [-(2.0**48), 2.0**49, 0.0]
IN_K, IN_J = ["a", "b", "zzz"], [1, 2, 9]
GROUPS = Cells((Key("j", Categories((1, 2))),))

TERMS: dict[str, tuple[tuple[Any, ...], dict[str, list[Any]]]] = {
    "one number": ((Number(X),), {"x": IN_X}),
    "two numbers": ((Number(X), Number(ODD)), {"x": IN_X, "y": IN_Y}),
    "three numbers": ((Number(X), Number(ODD), Number(WIDE)), {"x": IN_X[:4], "y": IN_Y, "z": IN_Z}),
    "nullable": ((Number(replace(X, interval=replace(X.interval, nullable=True))),), {"x": IN_X}),
    "a categorical": ((Levels(K),), {"k": IN_K}),
    "two categoricals": ((Levels(K), Levels(J)), {"k": IN_K, "j": [1, 2, 3, 9]}),
    "two numbers, a categorical": ((Number(X), Number(ODD), Levels(K)), {"x": IN_X, "y": IN_Y, "k": IN_K}),
    "a number, two categoricals": ((Number(X), Levels(K), Levels(J)), {"x": IN_X, "k": IN_K, "j": IN_J}),
    "other": ((Number(X), Levels(replace(K, other=True))), {"x": IN_X, "k": [*IN_K, None]}),
    "a product": ((Number(X), Number(ODD), Product(X, ODD)), {"x": IN_X, "y": [*IN_Y, 1.0]}),
    "a square": ((Number(X), Product(X, X)), {"x": IN_X}),
    "hats": ((Number(X), Hats(ODD, (-2.0, 0.0, 3.0))), {"x": IN_X, "y": [*IN_Y, 1.0, 2.0]}),
    "two of hats": ((Hats(X, (0.0, 5.0)), Hats(ODD, (-1.0, 0.0, 1.5))), {"x": IN_X, "y": [*IN_Y, 1.0]}),
    "slopes": ((Number(X), Levels(K), Slopes(K, X)), {"x": IN_X, "k": IN_K}),
    "slopes beside": ((Number(X), Levels(K), Number(ODD), Slopes(K, ODD)), {"x": IN_X[:3], "k": IN_K, "y": IN_Y}),
}
IMPORTANCE = {"one number": (2,), "two numbers": (2, 1), "a categorical": (3,), "slopes": (2, 1, 1), "hats": (1, 2)}


def gram_cases() -> list[Case]:
    """Each of them in all rows and in groups, and some with terms of unequal importance.

    Examples
    --------
    >>> {case.name for case in gram_cases()} >= {"GramTable: hats, wide", "GramTable: hats, wide, in groups"}
    True
    """
    found = []
    for name, (terms, columns) in TERMS.items():
        plain = GramTable(terms)
        found.append(Case(f"GramTable: {name}, wide", plain, universe(columns, size=1)))
        if "j" not in columns and len(columns) < 3:
            rows = universe({**columns, "j": [1, 2, 9]}, size=1)
            found.append(Case(f"GramTable: {name}, wide, in groups", replace(plain, cells=GROUPS), rows))
        if name in IMPORTANCE:
            tilted = replace(plain, importance=tuple(map(Fraction, IMPORTANCE[name])))
            found.append(Case(f"GramTable: {name}, wide, importance", tilted, universe(columns, size=1)))
    return found


def fit_cases() -> list[Case]:
    """The same sums, asked for a regression.

    Examples
    --------
    >>> len(fit_cases())
    2
    """
    line = Design(2, (Block("Intercept", (0,), ("Intercept",)), Block("x", (1,), ("x",))), formula="y ~ x")
    terms, columns = TERMS["two numbers"]
    table = GramTable(terms)
    rows = universe({**columns, "j": [1, 2, 9]}, size=1)
    return [
        Case("LeastSquaresFit: a line, wide", LeastSquaresFit(table, line), universe(columns, size=1)),
        Case("LeastSquaresFit: lines, wide", LeastSquaresFit(replace(table, cells=GROUPS), line), rows),
    ]
