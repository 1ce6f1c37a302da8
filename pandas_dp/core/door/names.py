"""From the names that pandas gives to statistics to those that declare themselves by them."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd

from ...errors import BadArgument, UnsupportedArgument, UnsupportedType, wrong_value
from ...numeric.bootstrap.statistic import with_bootstrap
from ...numeric.location.statistic import MeanInChosenBounds
from ...numeric.statistic_means import Mean
from ...people.statistic import People
from ...quantiles.statistic import Quantile, QuantileRange, share
from ...quantiles.statistic_ranked_values import MOST_NUMBERS, RankedDistance, RankedValue
from ...surveys.ask import check_clustered
from ...surveys.statistic import Survey, SurveyCount, SurveyEstimate
from ..measure.cells import Cells
from ..measure.statistic import Estimator, offered
from .asking import Asking


def estimator(
    asking: Asking, statistic: str, column: Hashable, cells: Cells, among: Sequence[Fraction] = (), **how: Any
) -> Estimator:
    """The question of that name about that column; `among` are quantiles that are told together with it."""
    known = offered()
    if not isinstance(statistic, str) or statistic not in known:
        raise UnsupportedArgument(
            f"a statistic that was named is not offered here; choose among {', '.join(sorted(known))}.",
            argument="statistic",
        )
    if asking.survey is not None:
        return surveyed(asking, asking.survey, statistic, column, cells, **how)
    if asking.counts_everybody(statistic, column):
        assert asking.over_rows is not None
        assert asking.over_rows.cells is not None
        return People(cells, asking.over_rows.cells, statistic="nunique")
    made = known[statistic].make(asking, column, cells, **how)
    bootstrap = asking.read.request.bootstrap
    if bootstrap is not None:
        return with_bootstrap(made, bootstrap, asking.public)
    if asking.read.private and isinstance(made, Mean):
        return MeanInChosenBounds(made.variable)
    return _with_interval(asking, made, among) if isinstance(made, Quantile | QuantileRange) else made


def _with_interval(asking: Asking, made: Quantile | QuantileRange, among: Sequence[Fraction]) -> Estimator:
    """A quantile told together with others, where it can have an interval; else itself, which says why not."""
    request = asking.read.request
    at_end = isinstance(made, Quantile) and made.quantile in (0, 1)
    if request.model != "dp" or at_end:
        return made
    if request.mechanism != "auto":
        return replace(made, why="mechanism")
    found = RankedDistance.of(made) if isinstance(made, QuantileRange) else _ranked(made, among)
    return found if made.cells.size * found.bins_around <= MOST_NUMBERS else replace(made, why="cells")


@lru_cache(maxsize=16)
def _in_order(among: tuple[Fraction, ...]) -> tuple[Fraction, ...]:
    """Those that are inside of a distribution, each once."""
    return tuple(sorted({q for q in among if 0 < q < 1}))


def _ranked(made: Quantile, among: Sequence[Fraction]) -> RankedValue:
    together = _in_order(tuple(among))
    if made.quantile not in together:
        together = tuple(sorted({made.quantile, *together}))
    return RankedValue(made.variable, made.quantile, together, made.statistic, made.cells)


def surveyed(asking: Asking, survey: Survey, statistic: str, column: Hashable, cells: Cells, **how: Any) -> Estimator:
    """The question about the population that the rows were sampled from."""
    if statistic in ("mean", "sum"):
        variable = asking.variable(column).for_sums
        if statistic == "sum" and variable.interval.kind == "datetime":
            raise UnsupportedType(f"column {column!r} holds points in time, which have no sum.", column=column)
        return SurveyEstimate(variable, survey, statistic, cells)  # type: ignore[arg-type]
    if statistic == "share":
        return SurveyEstimate(asking.condition(column), survey, "share", cells)
    if statistic == "size":
        return asking.counted(cells)
    if statistic == "count" and survey.weight is not None:
        return SurveyCount(survey, cells, asking.presence(column))
    if statistic == "count":
        check_clustered(statistic, survey)
        return offered()[statistic].make(asking, column, cells, **how)
    raise UnsupportedArgument(
        f"{statistic} is not weighted; weights=None asks about the rows as they are.", argument="weights"
    )


def shares(q: object) -> list[Fraction]:
    """Several ranks, in the order in which they were typed."""
    if isinstance(q, list | tuple) and not q:
        raise BadArgument("q was given as an empty list; name one quantile or more.", argument="q")
    if not isinstance(q, list | tuple | np.ndarray | pd.Index):
        raise wrong_value("q", "be a number from 0 to 1, or a list of such", q)
    return [share(each, among=q) for each in q]
