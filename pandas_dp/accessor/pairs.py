"""Covariances and correlations of the columns of a table."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations_with_replacement

import pandas as pd

from ..errors import UnsupportedArgument
from ..evidence import Bootstrap
from ..release import Layout, Release
from ..session import Asked
from ..statistics import BootstrappedPair, PairTable, checked_size
from ..tally import Variable
from .asking import Asking


def release(asking: Asking) -> Release:
    """A square table, from one joint tally; with `bootstrap=` a row for each pair."""
    variables = tuple(asking.number(column) for column in asking.columns)
    if len(variables) < 2:
        raise UnsupportedArgument(f"{asking.statistic} needs two columns or more.")
    labels = pd.Index(asking.columns)
    how = asking.read.request.bootstrap
    if how is not None and asking.statistic == "cov":
        return _pair_by_pair(asking, variables, how)
    part = Asked(None, PairTable(variables, asking.statistic == "corr"))
    return asking.release([part], Layout(labels, labels, "estimates"))


def _pair_by_pair(asking: Asking, variables: Sequence[Variable], how: Bootstrap) -> Release:
    """Covariances with the error of sampling, a row for each pair."""
    if how.resample == "moments":
        raise UnsupportedArgument(
            "cov takes no bootstrap= by moments; resample='weights' or 'half-sample' can.", argument="bootstrap"
        )
    size = checked_size(how, asking.setting, *variables)
    pairs = list(combinations_with_replacement(variables, 2))
    parts = [Asked(first.column, BootstrappedPair(first, second, how, size)) for first, second in pairs]
    rows = pd.MultiIndex.from_tuples([(first.column, second.column) for first, second in pairs])
    return asking.release(parts, Layout(rows, None, "measures"))
