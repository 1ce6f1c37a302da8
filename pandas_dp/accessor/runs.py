"""Histograms in which any run of bins is told well."""

from __future__ import annotations

from ..errors import UnsupportedArgument
from ..margins import ByEffects
from ..release import Layout, Release, key_labels
from ..session import Asked
from ..statistics import Count, TableOfRuns
from ..tally import Cells
from .asking import Asking
from .effects import check_one_row, runs_of_one
from .margins import check_planned


def runs_of_bins(asking: Asking, cells: Cells) -> Release:
    """The counts of all bins, from what tells their runs best."""
    check_planned(asking)
    check_one_row(asking)
    if asking.survey is not None:
        raise UnsupportedArgument(
            "histogram tells runs of bins without weights; leave out weights= or ranges=.", argument="ranges"
        )
    part = TableOfRuns(Count(cells), ((0,),), ByEffects((1.0,)), wanted=runs_of_one(cells))
    return asking.release([Asked(asking.columns[0], part)], Layout(key_labels(cells.keys[0]), None, "measures"))
