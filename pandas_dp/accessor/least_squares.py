"""`ols`: one release with the coefficients of a formula, and the moment matrix that they are made of."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import pandas as pd

from ..dataclass import dataclass
from ..errors import UnsupportedArgument
from ..release import Layout, Release, cell_labels
from ..session import Asked
from ..statistics import LeastSquaresFit
from ..tally import Cells
from . import gram
from .asking import Asking
from .designs import design_of
from .formula import Formula
from .gram import Wanted
from .keywords import Keywords


@dataclass(frozen=True)
class LeastSquaresQuestion:
    """A formula asked of a frame, in each cell of its keys, or of all cells together."""

    frame: pd.DataFrame
    formula: Formula
    keys: Sequence[Hashable] = ()
    pooled: bool = False

    def release(self, keywords: Keywords) -> Release:
        """Coefficients with their sets, a row each, below each other for the cells of a grouping."""
        asking, part = self.asked(keywords)
        return asking.release([Asked(None, part)], self.layout(part))

    def asked(self, keywords: Keywords) -> tuple[Asking, LeastSquaresFit]:
        """The question in the making, and what is asked."""
        if keywords.get("numeric_only"):
            raise UnsupportedArgument("ols takes the columns of its formula; leave numeric_only= out.")
        wanted = self.wanted
        asking, names = gram.asked(self.frame, wanted, self.keys, keywords, "ols")
        cells = asking.cells(self.keys) if self.keys else Cells()
        table = gram.table(asking, names, wanted, cells)
        columns = table.tally(asking.setting).sums.columns
        return asking, LeastSquaresFit(table, design_of(self.formula, columns, "ols"), self.pooled)

    @property
    def wanted(self) -> Wanted:
        """The columns of the formula, and its products of two."""
        levels = {factor.column for factor in self.formula.factors if factor.levels}
        columns = [f"C({column})" if column in levels else column for column in self.formula.columns]
        pairs = [term for term in self.formula.terms if len(term) == 2]
        return Wanted(columns, [(one.column, other.column) for one, other in pairs])

    def layout(self, part: LeastSquaresFit) -> Layout:
        names = part.design.names
        if not part.cells.keys or self.pooled:
            return Layout(pd.Index(names), None, "measures")
        groups = cell_labels(part.cells)
        rows = [(*(group if isinstance(group, tuple) else (group,)), name) for group in groups for name in names]
        return Layout(pd.MultiIndex.from_tuples(rows, names=[*groups.names, None]), None, "measures")
