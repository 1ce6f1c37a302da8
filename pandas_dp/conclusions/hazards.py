"""Discrete-time hazards from a life table: a logit of the event in each bin, explained by bins and groups."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from ..equations import Hazards, TableSolution
from ..equations.sets import with_errors_told
from ..errors import UnsupportedArgument
from ..reading import a_number
from ..release import guarantee
from .concluded_fit import ConcludedFit
from .confint import check_target
from .regressions.summary import NO_RATIO, READ, of_terms
from .summaries import Summary, framed, wrapped
from .survival import POPULATION, Lives

MOST = 60  # coefficients


def hazard(table: pd.DataFrame, regressors: Any, confidence: float, target: str | None) -> pd.DataFrame:
    """The logit of each bin's hazard in the first group, and what each group adds, whatever the bin."""
    confidence = a_number("confidence", confidence, 0, 1)
    check_target(target)
    lives = Lives.of(table)
    names, design = _design(lives, _keys(lives, regressors))
    if len(names) > MOST:
        raise UnsupportedArgument(
            f"hazard would have {len(names)} coefficients, one for each bin and each group but the first, and at "
            f"most {MOST} are possible; ask survival for wider bins."
        )
    sampling = (target or POPULATION) == POPULATION
    solution = TableSolution(Hazards(lives.life.exits, design, sampling, not lives.life.noise.gaussian))
    units = np.eye(len(names))
    low, high = solution.sets(units, confidence)
    bad, pvalues = solution.statistics(units, np.zeros(len(names)))
    signed = np.sign(solution.estimate) * np.sqrt(bad)
    columns = {"coef": solution.estimate, "std_error": solution.std_error(units), "lower": low, "upper": high}
    found = {**with_errors_told(columns), "statistic": signed, "p_value": pvalues}
    table = ConcludedFit(found, index=pd.Index(names))
    return table.told(_summary(lives, table, confidence, "noise and chance" if sampling else "noise"))


def _summary(lives: Lives, table: pd.DataFrame, confidence: float, off: str) -> Summary:
    """As statistics programs print a regression."""
    exits = lives.life.exits
    event = str((lives.label.by or ("event",))[-1])
    groups = [name.split("[")[0] for name in table.index if name.startswith("C(")]
    facts = [
        ("Response", f"{event}, in each bin", "At risk", f"about {exits.at_risk[:, 0].sum():,.0f}"),
        ("Model", "logit of the hazard", "Events", f"about {exits.events.sum():,.0f}"),
    ]
    title = f"Hazard: {event} ~ {' + '.join([f'bins of {lives.time}', *dict.fromkeys(groups)])}"
    how = wrapped(READ.format("counts", off, "z", NO_RATIO).replace("\n", " "))
    return Summary("\n".join([framed(title, facts, of_terms(table, confidence)), how, guarantee(lives.label)]))


def _keys(lives: Lives, regressors: Any) -> list[str]:
    groups = [] if lives.groups is None else list(map(str, lives.groups.names))
    if regressors is None:
        return groups
    if isinstance(regressors, str) or not isinstance(regressors, Sequence):
        raise UnsupportedArgument("hazard takes regressors as a list of the keys that made groups: ['union'].")
    odd = next((each for each in regressors if each not in groups), None)
    if odd is not None:
        named = ", ".join(map(repr, groups)) or "none"
        raise UnsupportedArgument(f"this life table has no groups by a key of that name; it has {named}.")
    return list(regressors)


def _design(lives: Lives, keys: Sequence[str]) -> tuple[list[str], Any]:
    """An intercept for each bin, and each category of each key but the first."""
    bins, groups = lives.life.bins, lives.many
    edges = list(lives.edges)
    names = [f"{lives.time}[{low}, {high})" for low, high in pairwise(edges)]
    columns = [np.tile(np.arange(bins) == at, groups) for at in range(bins)]
    for key in keys:
        assert lives.groups is not None
        values = lives.groups.get_level_values(key)
        for category in values.unique()[1:]:
            names.append(f"C({key})[T.{category}]")
            columns.append(np.repeat(np.asarray(values == category), bins))
    return names, np.array(columns, dtype=float).T
