"""The summary that pandas calls describe."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from fractions import Fraction

from ..session import Asked
from ..statistics import Estimator
from ..tally import Cells
from .asking import Asking
from .importance import Importance, weighed
from .statistics import estimator

SUMMARY = ["count", "mean", "std", "min", "25%", "50%", "75%", "max"]
RANKS = {"25%": Fraction(1, 4), "50%": Fraction(1, 2), "75%": Fraction(3, 4)}


def described(asking: Asking, columns: Sequence[Hashable], importance: Importance | None) -> list[Asked]:
    """Every line of the summary, column by column within a line."""
    pairs = [(line, column) for line in SUMMARY for column in columns]
    parts = [Asked(column, summary_line(asking, line, column, Cells())) for line, column in pairs]
    return weighed(asking, parts, [line for line, _ in pairs], importance)


def summary_line(asking: Asking, line: str, column: Hashable, cells: Cells) -> Estimator:
    """One line of it, in each cell."""
    if line in RANKS:
        return estimator(asking, "quantile", column, cells, tuple(RANKS.values()), q=RANKS[line])
    return estimator(asking, line, column, cells)
