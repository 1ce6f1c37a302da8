"""`ols` that looks at rows again around its own first coefficients: less noise, and spreads that may differ."""

from __future__ import annotations

from math import sqrt
from typing import Any, Literal

import numpy as np
import pandas as pd

from ..cost import Pure
from ..dataclass import dataclass
from ..equations.moment_units import unit_map
from ..errors import UnsupportedArgument, wrong_value
from ..release import Layout, Release
from ..session import Asked, Question
from ..statistics import GramTable, LeastSquaresFit
from ..statistics.two_looks import TwoLooksLeastSquares
from ..tally import Number
from .asking import Asking
from .designs import design_of
from .keywords import Keywords
from .least_squares import LeastSquaresQuestion

Looks = Literal[1, 2, "auto"]
CovType = Literal["nonrobust", "HC", "cluster"]
STRONG = 100.0  # how strong a first look has to be for a second to be taken unasked
FEW_ROWS = 1000  # are supposed where their number is private


@dataclass(frozen=True)
class Looking:
    """How often `ols` is to look, and whether its errors let the spread of residuals differ from row to row."""

    question: LeastSquaresQuestion
    looks: Looks
    cov_type: CovType | None

    def release(self, keywords: Keywords) -> Release:
        """Coefficients with their sets, a row each."""
        self._check_words()
        if self._twice:
            self._check_question()
        asking, part = self.question.asked(keywords)
        self._check_rows(asking)
        twice = self._second(asking, part)
        if twice is not None:
            return asking.release([Asked(None, twice)], Layout(pd.Index(twice.design.names), None, "measures"))
        return asking.release([Asked(None, part)], self.question.layout(part))

    @property
    def _twice(self) -> bool:
        return self.looks == 2 or self.cov_type in ("HC", "cluster")

    @property
    def _may(self) -> bool:
        return self.looks == "auto" and self.cov_type is None

    def _check_rows(self, asking: Asking) -> None:
        """Errors by person are those of rows of people, which have no others."""
        if asking.over_rows is None and self.cov_type == "cluster":
            raise UnsupportedArgument(
                "ols was asked for cov_type='cluster', errors by person, of rows that are each somebody else's; pass "
                "cov_type='HC' for spreads that differ from row to row, or leave it out.",
                argument="cov_type",
            )
        if asking.over_rows is not None and self.cov_type in ("nonrobust", "HC"):
            raise UnsupportedArgument(
                f"ols was asked for cov_type={self.cov_type!r}, which takes each row as somebody else's, and rows of "
                "one person hang together; pass looks=2, whose errors are by person, or leave cov_type= out.",
                argument="cov_type",
            )

    def _check_words(self) -> None:
        if isinstance(self.looks, bool) or self.looks not in (1, 2, "auto"):
            raise wrong_value("looks", "be 1, 2 or 'auto'", self.looks)
        if self.cov_type not in (None, "nonrobust", "HC", "cluster"):
            raise wrong_value("cov_type", "be 'nonrobust', 'HC' or 'cluster'", self.cov_type)
        if self.looks == 1 and self.cov_type in ("HC", "cluster"):
            errors = "by person" if self.cov_type == "cluster" else "that let the spread differ from row to row"
            raise UnsupportedArgument(
                f"ols was asked for cov_type={self.cov_type!r} with looks=1, and errors {errors} need squares of "
                "scores, which only a second look adds up; pass looks=2.",
                argument="cov_type",
            )

    def _cannot(self) -> str | None:
        formula = self.question.formula
        if self.question.keys or self.question.pooled:
            return "is asked of a table, not of its groups; ask about each group by itself, or leave looks= out"
        if formula.endogenous:
            return "takes no instruments; leave looks= and cov_type= out"
        return None if formula.intercept else "needs the constant; leave '- 1' out of the formula"

    def _check_question(self) -> None:
        because = self._cannot()
        if because is not None:
            raise UnsupportedArgument(f"ols of two looks {because}.", argument="looks")

    def _second(self, asking: Asking, part: LeastSquaresFit) -> TwoLooksLeastSquares | None:
        """The question of two looks, where it was asked for, or where it can be asked and the cost allows it."""
        if self._twice:
            return arranged(asking, part, self.question, self.cov_type or "HC")

        if not self._may or self._cannot() is not None or not suits(asking, part):
            return None
        try:
            return arranged(asking, part, self.question, "HC")
        except UnsupportedArgument:  # one look takes any product
            return None


def arranged(
    asking: Asking, part: LeastSquaresFit, question: LeastSquaresQuestion, cov_type: str
) -> TwoLooksLeastSquares:
    """The response as the last term of the table."""
    response = question.formula.response
    last = [term for term in part.table.terms if isinstance(term, Number) and term.variable.column == response]
    table = GramTable((*(term for term in part.table.terms if term not in last), *last))
    columns = table.tally(asking.setting).sums.columns
    design = design_of(question.formula, columns, "ols")
    if design.response in design.places:
        raise UnsupportedArgument(f"column {response!r} is in this ols twice; name it once.", column=response)
    others = np.ones(len(columns), dtype=bool)
    others[design.places] = False
    if (unit_map(columns)[design.places][:, others] != 0).any():
        raise UnsupportedArgument(
            "ols of two looks takes a product together with what is multiplied: write a*b in place of a:b."
        )
    return TwoLooksLeastSquares(table, design, cov_type)


def suits(asking: Asking, part: LeastSquaresFit) -> bool:
    """Whether two looks are taken unasked: of rows of people, as one look tells nothing of a population; else where
    the price, and the number of rows where that is public, say that the first look is strong enough for a second."""
    request = asking.read.request
    question = Question("ols", (Asked(None, part),), Layout(pd.RangeIndex(1), None, "estimates"), request)
    price: Any = asking.desk.planned(asking.subject, question).price
    if isinstance(price, Pure) or not hasattr(price, "rho"):
        return False
    if asking.over_rows is not None:
        return True
    regressors = len(part.table.terms)  # with the constant, without the response
    size, most = asking.setting.size, asking.setting.most
    rows = size if size is not None else FEW_ROWS if most is None else min(most, FEW_ROWS)
    return rows * sqrt(2 * price.rho) / ((regressors + 1) * sqrt(regressors)) >= STRONG
