"""`logit` and `poisson`: one release with the coefficients of a formula, by a pilot and a look at scores."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
import pandas as pd

from ..dataclass import dataclass
from ..domain import Interval
from ..equations.design import Design
from ..equations.moment_matrix import Column
from ..equations.moment_units import unit_map
from ..errors import UnsupportedArgument, UnsupportedType
from ..release import Layout, Release
from ..session import Asked
from ..statistics import GeneralizedFit, GramTable
from ..tally import Cells, Family, Number
from . import gram
from .asking import Asking
from .designs import design_of
from .formula import Formula
from .gram import Wanted
from .keywords import Keywords
from .table_route import told_from_a_table


@dataclass(frozen=True)
class GeneralizedQuestion:
    """A formula asked of a frame, whose response is yes or no, or a count."""

    family: Family
    frame: pd.DataFrame
    formula: Formula
    exposure: Hashable | None = None
    keys: Sequence[Hashable] = ()

    def release(self, keywords: Keywords) -> Release:
        """Coefficients, a row each; where all is categories and they are few, from one table of counts."""
        self._check()
        if self.exposure is None:
            found = told_from_a_table(self.family, self.frame, self.formula, keywords)
            if found is not None:
                return found
        asking, part = self.asked(keywords)
        return asking.release([Asked(None, part)], Layout(pd.Index(part.design.names), None, "measures"))

    def asked(self, keywords: Keywords) -> tuple[Asking, GeneralizedFit]:
        """The question in the making, and what is asked."""
        wanted = self.wanted
        asking, names = gram.asked(self.frame, wanted, [], keywords, self.family)
        table = self._arranged(gram.table(asking, names, wanted, Cells()))
        self._check_response(table)
        columns = table.tally(asking.setting).sums.columns
        design = design_of(self.formula, columns, self.family)
        self._check_closed(columns, design)
        return asking, GeneralizedFit(self.family, table, design, self.exposure is not None)

    @property
    def beside(self) -> list[Hashable]:
        """The response and the exposure."""
        return [self.formula.response, *([] if self.exposure is None else [self.exposure])]

    @property
    def wanted(self) -> Wanted:
        """The columns of the formula and the exposure, and products of two."""
        levels = {factor.column for factor in self.formula.factors if factor.levels}
        columns = [column for column in self.formula.columns if column != self.formula.response]
        pairs = [term for term in self.formula.terms if len(term) == 2]
        named = [f"C({column})" if column in levels else column for column in columns]
        products = [(one.column, other.column) for one, other in pairs]
        yes_or_no = self.formula.response if self.family == "logit" else None
        return Wanted([*named, *self.beside], products, yes_or_no=yes_or_no)

    def _arranged(self, table: GramTable) -> GramTable:
        """Products before the response, which is the last term, or the last but the exposure."""
        last = [term for term in table.terms if isinstance(term, Number) and term.variable.column in self.beside]
        return GramTable((*(term for term in table.terms if term not in last), *last))

    def _check(self) -> None:
        called = self.family
        if self.keys:
            raise UnsupportedArgument(
                f"{called} is asked of a table, not of its groups; take the key as a regressor, C({self.keys[0]}), or "
                f"ask about each group by itself."
            )
        if self.formula.endogenous:
            raise UnsupportedArgument(f"{called} takes no instruments; ols does.")
        if not self.formula.intercept:
            raise UnsupportedArgument(f"{called} needs the constant; leave '- 1' out of the formula.")
        both = next((column for column in self.beside if column in self._explaining), None)
        if both is not None or len(set(self.beside)) < len(self.beside):
            both = self.exposure if both is None else both
            raise UnsupportedArgument(f"column {both!r} is in this {called} twice; name it once.", column=both)

    @property
    def _explaining(self) -> set[Hashable]:
        return {factor.column for factor in self.formula.factors}

    def _check_response(self, table: GramTable) -> None:
        beside = table.terms[-len(self.beside) :]
        last = [term.variable.interval if isinstance(term, Number) else None for term in beside]
        column = self.formula.response
        if len(last) < len(self.beside) or any(each is None for each in last):
            raise self._not_of_categories()
        response: Interval = last[0]  # type: ignore[assignment]
        if self.family == "logit" and (float(response.grid.lower), float(response.grid.upper)) != (0.0, 1.0):
            raise UnsupportedType(
                f"logit explains yes or no, and column {column!r} is declared otherwise; make it one, e.g. "
                f"df.assign({column}=df[{column!r}] == value), with bounds (0, 1).",
                column=column,
            )
        if any(each is not None and each.lower < 0 for each in last) and self.family == "poisson":
            raise UnsupportedType(
                f"poisson explains counts, and {' and '.join(map(repr, self.beside))} must be declared from 0 on; give "
                "bounds=.",
                column=column,
            )

    def _not_of_categories(self) -> UnsupportedType:
        column = self.formula.response
        held = f"column {column!r} holds categories"
        if self.family == "poisson":
            return UnsupportedType(f"poisson explains counts, and {held}; name a column of numbers.", column=column)
        return UnsupportedType(
            f"logit explains yes or no, and {held}; make one, df.assign(yes=df[{column!r}] == value), and explain "
            "that.",
            column=column,
        )

    def _check_closed(self, columns: Sequence[Column], design: Design) -> None:
        """Numbers are counted from the middles of their ranges, which lower terms make up for."""
        others = np.ones(len(columns), dtype=bool)
        others[design.places] = False
        if (unit_map(columns)[design.places][:, others] != 0).any():
            raise UnsupportedArgument(
                f"{self.family} takes a product together with what is multiplied: write a*b in place of a:b."
            )
