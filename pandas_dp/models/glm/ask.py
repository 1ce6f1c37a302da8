"""Regressions as a question where all that explains is a category: a table of counts, asked for one model."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, Unpack

import pandas as pd

from ...core.door.asking import Asking, TableQuestions
from ...core.door.keywords import Keywords
from ...core.label.layout import Layout
from ...core.label.release import Release
from ...core.measure.cells import Cells
from ...core.plan.plan import Asked
from ...core.schema.values import Categories, Interval
from ...errors import UnsupportedArgument, UnsupportedType
from ..ask import Formula, design_of, formula_of
from ..ask_calculations import with_calculations
from ..conclude import coefficient_labels
from ..measure import Number
from ..moments import ask
from ..moments.ask import RequestedMoments, check_names
from ..moments.solve import unit_map
from ..ols.solve_design import is_closed
from ..statistic import GeneralizedFit, GramTable, TableRegression, model_of
from .measure_newton_stages import Family


def paid_table_fit(
    asking: Asking,
    statistic: str,
    response: Hashable,
    terms: Sequence[Sequence[Hashable]],
    cov_type: str | None = None,
    intercept: bool = True,
) -> Release:
    """The regression from a table that is asked for it; `asking` has all columns as keys."""
    asking.not_with("many rows")
    others = list(dict.fromkeys(key for term in terms for key in term))
    cells = asking.cells([*others, response])
    axes = [(str(key.name), tuple(key.labels.values)) for key in cells.keys if isinstance(key.labels, Categories)]
    said = [[str(key) for key in term] for term in terms]
    model = model_of(statistic, axes[:-1], axes[-1], said, cov_type, intercept)
    part = TableRegression(statistic, cells, model)
    return asking.release([Asked(response, part)], Layout(coefficient_labels(model), None, "measures"))


CELLS = 6  # of the regressors' table, a coefficient: with more, scores have less noise than the table


def from_a_table(statistic: str, frame: pd.DataFrame, formula: Formula, keywords: Keywords) -> Release | None:
    """The regression from one table, paid; None where it is better asked otherwise, or cannot be a table."""
    check_names(statistic, frame, formula.columns)
    if not formula.terms or formula.endogenous or any(factor.spline or factor.degree > 1 for factor in formula.factors):
        return None
    if formula.response in formula.columns[1:] or keywords.get("bounds") is not None:
        return None
    keys = [*dict.fromkeys(factor.column for factor in formula.factors), formula.response]
    asking = Asking(frame, statistic, keywords, columns=[], keys=keys, counts_keys=True, sorts_by=("categories",))
    if asking.over_rows is not None:  # of a person's rows a table does not tell how they hang together
        return None
    if not all(_is_key(asking, key) for key in keys) or not _is_small(asking, formula):
        return None
    terms = [[factor.column for factor in term] for term in formula.terms]
    return paid_table_fit(asking, statistic, formula.response, terms, intercept=formula.intercept)


def _is_key(asking: Asking, column: Hashable) -> bool:
    """Whether its categories are declared, and it is no number."""
    said = asking.domain.said(column)
    return said.categories is not None and (said.interval is None or asking.domain.is_condition(column))


def _is_small(asking: Asking, formula: Formula) -> bool:
    sizes = {factor.column: len(asking.domain.categories(factor.column).values) for factor in formula.factors}
    many = 1 + sum(prod(sizes[factor.column] - 1 for factor in term) for term in formula.terms)
    return prod(sizes.values()) <= CELLS * many


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
            found = from_a_table(self.family, self.frame, self.formula, keywords)
            if found is not None:
                return found
        asking, part = self.asked(keywords)
        return asking.release([Asked(None, part)], Layout(pd.Index(part.design.names), None, "measures"))

    def asked(self, keywords: Keywords) -> tuple[Asking, GeneralizedFit]:
        """The question in the making, and what is asked."""
        requested = self.requested
        asking, names = ask.asked(self.frame, requested, [], keywords, self.family)
        terms = ask.table(asking, names, requested, Cells()).terms
        last = [term for term in terms if isinstance(term, Number) and term.variable.column in self.beside]
        table = GramTable((*(term for term in terms if term not in last), *last))  # products before the response
        self._check_response(table)
        columns = table.measurement(asking.public).sums.columns
        design = design_of(self.formula, columns, self.family)
        if not is_closed(unit_map(columns), design.places):  # lower terms make up for counting from the middle
            raise UnsupportedArgument(
                f"{self.family} takes a product together with what is multiplied, and a power with those below it: "
                "write a*b in place of a:b, a + I(a ** 2) in place of I(a ** 2)."
            )
        return asking, GeneralizedFit(self.family, table, design, self.exposure is not None)

    @property
    def beside(self) -> list[Hashable]:
        """The response and the exposure."""
        return [self.formula.response, *([] if self.exposure is None else [self.exposure])]

    @property
    def requested(self) -> RequestedMoments:
        """The columns of the formula and the exposure, and products of two."""
        named = [name for column, name in self.formula.typed.items() if column != self.formula.response]
        yes_or_no = self.formula.response if self.family == "logit" else None
        asked = [*named, *self.beside], self.formula.products
        return RequestedMoments(*asked, powers=self.formula.powers, yes_or_no=yes_or_no)

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
        explaining = {factor.column for factor in self.formula.factors}
        both = next((column for column in self.beside if column in explaining), None)
        if both is not None or len(set(self.beside)) < len(self.beside):
            both = self.exposure if both is None else both
            raise UnsupportedArgument(f"column {both!r} is in this {called} twice; name it once.", column=both)

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


class StagedRegressions(TableQuestions):
    """Regressions of what is no plain number: yes or no, and counts."""

    def logit(
        self, formula: Any, regressors: Sequence[Hashable] | None = None, **keywords: Unpack[Keywords]
    ) -> Release:
        """Logistic regression of a yes or no: log odds, a row for each coefficient, for the population.

        A fifth of the cost releases a moment matrix, which gives a pilot; the rest looks at scores there, and again
        where they lead. It needs `rho=`, or `epsilon=` with `delta=`. Each row has to be somebody else's; under a unit,
        with `max_rows=`, errors are by person.

        Parameters
        ----------
        formula : str
            "union ~ school + age + C(region)": columns with declared bounds, categoricals with declared categories, of
            which the first is the reference; "a*b"; calculations as in `ols`.
        regressors : list of columns, optional
            In place of a formula: then `formula` is the column that is explained.

        Examples
        --------
        >>> import numpy as np, pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(rho=1e12)  # so much that there is no noise to see
        >>> people = pd.DataFrame({"school": [9, 12, 16, 12, 9] * 200, "union": [0, 1, 1, 0, 1] * 200})
        >>> bounds = {"school": (0, 20), "union": (0, 1)}
        >>> fit = session.protect(people).dp.logit("union", ["school"], bounds=bounds, rho=1e10)
        >>> fit["coef"].round(2).to_dict()
        {'Intercept': -3.25, 'school': 0.32}
        """
        read = formula_of("logit", formula, regressors)
        frame, both = self._frame, keywords
        if read.calculations:
            frame, both = with_calculations(frame, read, "logit", both)
        return GeneralizedQuestion("logit", frame, read, None, self._keys).release(both)

    def poisson(
        self,
        formula: Any,
        regressors: Sequence[Hashable] | None = None,
        *,
        exposure: Hashable | None = None,
        **keywords: Unpack[Keywords],
    ) -> Release:
        """Poisson regression of counts: log rates, a row for each coefficient, for the population.

        Parameters
        ----------
        formula, regressors
            As in `logit`.
        exposure : column, optional
            How long, or among how many, each row was counted: rates are by its unit.

        Examples
        --------
        >>> import numpy as np, pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(rho=1e12)  # so much that there is no noise to see
        >>> people = pd.DataFrame({"school": [9, 12, 16, 12, 9] * 200, "children": [3, 2, 1, 2, 2] * 200})
        >>> bounds = {"school": (0, 20), "children": (0, 10)}
        >>> fit = session.protect(people).dp.poisson("children", ["school"], bounds=bounds, rho=1e10)
        >>> fit["coef"].round(1).to_dict()
        {'Intercept': 2.0, 'school': -0.1}
        """
        read = formula_of("poisson", formula, regressors)
        frame, both = self._frame, keywords
        if read.calculations:
            frame, both = with_calculations(frame, read, "poisson", both)
        return GeneralizedQuestion("poisson", frame, read, exposure, self._keys).release(both)
