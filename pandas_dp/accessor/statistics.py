"""From the names that pandas gives to statistics to those that declare themselves by them."""

from __future__ import annotations

from collections.abc import Hashable
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd

from ..errors import BadArgument, UnsupportedArgument, wrong_value
from ..statistics import Estimator, People, offered, with_bootstrap
from ..statistics.quantiles import share
from ..tally import Cells
from .asking import Asking


def estimator(asking: Asking, statistic: str, column: Hashable, cells: Cells, **how: Any) -> Estimator:
    """The question of that name about that column."""
    known = offered()
    if not isinstance(statistic, str) or statistic not in known:
        raise UnsupportedArgument(
            f"a statistic that was named is not offered here; choose among {', '.join(sorted(known))}.",
            argument="statistic",
        )
    if asking.counts_everybody(statistic, column):
        assert asking.over_rows is not None
        assert asking.over_rows.cells is not None
        return People(cells, asking.over_rows.cells, statistic="nunique")
    made = known[statistic].make(asking, column, cells, **how)
    bootstrap = asking.read.request.bootstrap
    return made if bootstrap is None else with_bootstrap(made, bootstrap, asking.setting)


def shares(q: object) -> list[Fraction]:
    """Several ranks, in the order in which they were typed."""
    if isinstance(q, list | tuple) and not q:
        raise BadArgument("q was given as an empty list; name one quantile or more.", argument="q")
    if not isinstance(q, list | tuple | np.ndarray | pd.Index):
        raise wrong_value("q", "be a number from 0 to 1, or a list of such", q)
    return [share(each, among=q) for each in q]
