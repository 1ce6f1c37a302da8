"""How many values of each column are wrong, and in what way: one question over all columns at one cost."""

from __future__ import annotations

from collections.abc import Hashable

import pandas as pd

from ..domain import States
from ..errors import UnsupportedArgument
from ..release import Layout, Release
from ..session import Asked
from ..statistics import Count
from ..tally import Cells, Key
from .asking import Asking


def gaps(asking: Asking) -> Release:
    """A row for each state, a column for each column of the table."""
    if asking.read.request.model != "dp":
        raise UnsupportedArgument(
            "gaps is offered with model='dp' only, which keeps the weaker promises too.", statistic="gaps"
        )
    domain = asking.domain
    declared = [name for name in asking.columns if domain.states(name) != States() or not domain.may_lack(name)]
    columns = declared or asking.columns  # the others would take a share of the cost and tell least
    parts = [Asked(column, Count(states_of(asking, column))) for column in columns]
    return asking.release(parts, Layout(pd.Index(States.values), pd.Index(columns), "estimates"))


def states_of(asking: Asking, column: Hashable) -> Cells:
    """A row is in one of the states of the column, or in none: it moves two of their counts by one at most."""
    return Cells((Key(column, asking.domain.states(column)),))
