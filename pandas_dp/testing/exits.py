"""Cases of life tables and of regressions of tables, for the contracts."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from ..domain import Breaks, Categories, Interval
from ..statistics import Survival, TableRegression, life_table, model_of
from ..tally import Cells, Key
from .case import CELLS, Case, universe


def lives() -> list[Case]:
    """Examples."""
    found = []
    for gaps, top in product((False, True), (1.0, 2.0, 4.0)):
        interval = Interval(Fraction(0), Fraction(top), "integer", nullable=gaps)
        time = ("x", interval, Breaks((0.0, 1.0, 2.0)))
        for place in ("all", "two cells"):
            part = life_table(
                CELLS[place], time, ("e", Categories((False, True)), gaps), censoring="even" if gaps else "start"
            )
            groups: dict[str, list[Any]] = {"k": ["a", "zzz"]} if place == "two cells" else {}
            rows = universe({"x": [0.0, 1.0, 2.0, 7.0, np.nan], "e": [False, True, None], **groups}, size=2)
            found.append(Case(f"Survival to {top:g}, {place}, nullable={gaps}", part, rows))
    return found


def table_regressions() -> list[Case]:
    """Examples."""
    keys = {"k": ("a", "b"), "e": (False, True), "y": (0, 1, 2)}
    rows = universe({"k": ["a", "b", "zzz"], "e": [False, True, None], "y": [0, 1, 2]}, size=2)
    found = []
    for statistic, names in (("logit", "ke"), ("multinomial", "ky"), ("poisson", "y")):
        axes = [(name, keys[name]) for name in names]
        cells = Cells(tuple(Key(name, Categories(values)) for name, values in axes))
        model = model_of(statistic, axes[:-1], axes[-1], [[name] for name in names[:-1]])
        found.append(Case(f"TableRegression, {statistic}", TableRegression(statistic, cells, model), rows))
    return found


__all__ = ["Survival", "TableRegression", "lives", "table_regressions"]
