"""`ols`: one release with the coefficients of a formula, and the moment matrix that they are made of."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from typing import Any, Literal, Unpack, cast

import numpy as np
import pandas as pd

from ...core.arguments import is_number
from ...core.budget.cost import Pure
from ...core.door.asking import Asking
from ...core.door.keywords import Keywords
from ...core.label.label import cell_labels
from ...core.label.layout import Layout
from ...core.label.release import Release
from ...core.measure.cells import Cells
from ...core.plan.plan import Asked, Question
from ...errors import UnsupportedArgument, wrong_value
from ..ask import Formula, design_of, formula_of, with_instruments
from ..ask_calculations import with_calculations
from ..evidence import Fit
from ..glm.ask import StagedRegressions
from ..measure import Number
from ..moments import ask
from ..moments.ask import RequestedMoments
from ..moments.solve import MomentMatrix, supposed_products, unit_map
from ..statistic import GramTable, LeastSquaresFit, TwoStageLeastSquares
from .solve_design import Regression, is_closed

Stages = Literal[1, 2, "auto"]
CovType = Literal["nonrobust", "HC", "HC0", "HC1", "cluster"]
OF_ROWS = ("HC", "HC1")  # the spread may differ from row to row
STRONG = 100.0  # how strong a first stage has to be for a second to be taken unasked
FEW_ROWS = 1000  # are supposed where their number is private


@dataclass(frozen=True)
class LeastSquaresQuestion:
    """A formula asked of a frame, in each cell of its keys, or of all cells together; in how many looks, and whether
    its errors let the spread of residuals differ from row to row."""

    frame: pd.DataFrame
    formula: Formula
    keys: Sequence[Hashable] = ()
    pooled: bool = False
    stages: Stages = 1
    cov_type: CovType | None = None

    def release(self, keywords: Keywords) -> Release:
        """Coefficients with their sets, a row each."""
        self._check_words()
        because = self._cannot() if self._twice else None
        if because is not None:
            raise UnsupportedArgument(f"ols of two stages {because}.", argument="stages")
        asking, part = self.asked(keywords)
        self._check_rows(asking)
        twice = self._second(asking, part)
        if twice is not None:
            return asking.release([Asked(None, twice)], Layout(pd.Index(twice.design.names), None, "measures"))
        return asking.release([Asked(None, part)], self.layout(part))

    def asked(self, keywords: Keywords) -> tuple[Asking, LeastSquaresFit]:
        """The question in the making, and what is asked."""
        if keywords.get("numeric_only"):
            raise UnsupportedArgument("ols takes the columns of its formula; leave numeric_only= out.")
        requested = self.requested
        asking, names = ask.asked(self.frame, requested, self.keys, keywords, "ols")
        cells = asking.cells(self.keys) if self.keys else Cells()
        table = ask.table(asking, names, requested, cells)
        columns = table.measurement(asking.public).sums.columns
        return asking, LeastSquaresFit(table, design_of(self.formula, columns, "ols"), self.pooled)

    @property
    def requested(self) -> RequestedMoments:
        """The columns of the formula, and its products of two."""
        return RequestedMoments(list(self.formula.typed.values()), self.formula.products, powers=self.formula.powers)

    def layout(self, part: LeastSquaresFit) -> Layout:
        names = part.design.names
        if not part.cells.keys or self.pooled:
            return Layout(pd.Index(names), None, "measures")
        groups = cell_labels(part.cells)
        rows = [(*(group if isinstance(group, tuple) else (group,)), name) for group in groups for name in names]
        return Layout(pd.MultiIndex.from_tuples(rows, names=[*groups.names, None]), None, "measures")

    @property
    def _twice(self) -> bool:
        return self.stages == 2 or self.cov_type in (*OF_ROWS, "cluster")

    def _check_rows(self, asking: Asking) -> None:
        """Errors by person are those of rows of people, which have no others."""
        if asking.over_rows is None and self.cov_type == "cluster":
            raise UnsupportedArgument(
                "ols was asked for cov_type='cluster', errors by person, of rows that are each somebody else's; pass "
                "cov_type='HC' for spreads that differ from row to row, or leave it out.",
                argument="cov_type",
            )
        if asking.over_rows is not None and self.cov_type in ("nonrobust", *OF_ROWS):
            raise UnsupportedArgument(
                f"ols was asked for cov_type={self.cov_type!r}, which takes each row as somebody else's, and rows of "
                "one person hang together; pass stages=2, whose errors are by person, or leave cov_type= out.",
                argument="cov_type",
            )

    def _check_words(self) -> None:
        if isinstance(self.stages, bool) or self.stages not in (1, 2, "auto"):
            raise wrong_value("stages", "be 1, 2 or 'auto'", self.stages)
        if self.cov_type not in (None, "nonrobust", *OF_ROWS, "cluster"):
            possible = "be 'nonrobust', 'HC' (White's, which is HC0), 'HC1' or 'cluster'"
            raise wrong_value("cov_type", possible, self.cov_type)
        if self.stages == 1 and self.cov_type in (*OF_ROWS, "cluster"):
            errors = "by person" if self.cov_type == "cluster" else "that let the spread differ from row to row"
            raise UnsupportedArgument(
                f"ols was asked for cov_type={self.cov_type!r} with stages=1, and errors {errors} need squares of "
                "scores, which only a second stage adds up; pass stages=2.",
                argument="cov_type",
            )

    def _cannot(self) -> str | None:
        formula = self.formula
        if self.keys or self.pooled:
            return "is asked of a table, not of its groups; ask about each group by itself, or leave stages= out"
        if formula.endogenous:
            return "takes no instruments; leave stages= and cov_type= out"
        return None if formula.intercept else "needs the constant; leave '- 1' out of the formula"

    def _second(self, asking: Asking, part: LeastSquaresFit) -> TwoStageLeastSquares | None:
        """The question of two stages, where it was asked for, or where it can be asked and the cost allows it."""
        if self._twice:
            return self._arranged(asking, part, self.cov_type or "HC")

        if self.stages != "auto" or self.cov_type is not None or self._cannot() is not None or not suits(asking, part):
            return None
        try:
            return self._arranged(asking, part, "HC")
        except UnsupportedArgument:  # one stage takes any product
            return None

    def _arranged(self, asking: Asking, part: LeastSquaresFit, cov_type: str) -> TwoStageLeastSquares:
        """The response as the last term of the table."""
        response = self.formula.response
        last = [term for term in part.table.terms if isinstance(term, Number) and term.variable.column == response]
        table = GramTable((*(term for term in part.table.terms if term not in last), *last))
        columns = table.measurement(asking.public).sums.columns
        design = design_of(self.formula, columns, "ols")
        if design.response in design.places:
            raise UnsupportedArgument(f"column {response!r} is in this ols twice; name it once.", column=response)
        if not is_closed(unit_map(columns), design.places):
            raise UnsupportedArgument(
                "ols of two stages takes a product together with what is multiplied, and a power with those below it: "
                "write a*b in place of a:b, a + I(a ** 2) in place of I(a ** 2)."
            )
        return TwoStageLeastSquares(table, design, cov_type)


def suits(asking: Asking, part: LeastSquaresFit) -> bool:
    """Whether two stages are taken unasked: of rows of people, as one stage tells nothing of a population; else where
    the price, and the number of rows where that is public, say that the first stage is strong enough for a second."""
    request = asking.read.request
    question = Question("ols", (Asked(None, part),), Layout(pd.RangeIndex(1), None, "estimates"), request)
    price: Any = asking.core.planned(asking.subject, question).price
    if isinstance(price, Pure) or not hasattr(price, "rho"):
        return False
    if asking.over_rows is not None:
        return True
    regressors = len(part.table.terms)  # with the constant, without the response
    size, most = asking.public.size, asking.public.most
    rows = size if size is not None else FEW_ROWS if most is None else min(most, FEW_ROWS)
    return rows * sqrt(2 * price.rho) / ((regressors + 1) * sqrt(regressors)) >= STRONG


MOST_ROWS = 10**12


def plan(question: LeastSquaresQuestion, n: Any, sd: Any, keywords: Keywords) -> pd.DataFrame:
    """Of each coefficient the standard error and half the interval; nothing is looked at, nothing spent."""
    asking, part = question.asked(keywords)
    fit = asking.foreseen(Asked(None, part))
    assert isinstance(fit, Fit)
    rows = _rows(n, asking) / (1 if fit.together else part.cells.size)
    spreads = _spreads(sd, fit)
    matrices = fit.matrices
    products = rows * supposed_products(fit.gram.columns, spreads)
    expected: MomentMatrix = replace(matrices[0], matrix=products)
    regression = Regression.of(expected, fit.design, fit.default_target == "population")
    low, high = regression.sets(asking.read.request.confidence)
    half = np.where(np.isinf(high - low), np.inf, (high - low) / 2)
    return pd.DataFrame({"std_error": regression.std_error(), "half_width": half}, index=pd.Index(fit.design.names))


def _rows(given: Any, asking: Asking) -> float:
    if given is None and asking.public.size is not None:
        return float(asking.public.size)
    if not is_number(given) or not 1 <= given <= MOST_ROWS:
        raise UnsupportedArgument(
            "plan_ols needs n=, about how many rows there are, where their number is not public."
            if given is None
            else f"plan_ols takes n= from 1 to {MOST_ROWS:,}."
        )
    return float(given)


def _spreads(given: Any, fit: Fit) -> dict[Any, float]:
    names = [column.term for column in fit.gram.columns if column.sort == "number"]
    if not isinstance(given, Mapping) or set(given) != set(names):
        raise UnsupportedArgument(
            "plan_ols needs sd=, the standard deviation that you suppose of each number: "
            f"{', '.join(map(repr, names))}."
        )
    if not all(is_number(value) and 0 < value < np.inf for value in given.values()):
        raise UnsupportedArgument("plan_ols takes sd= above 0, in the unit of each column.")
    return {name: float(value) for name, value in given.items()}


class Regressions(StagedRegressions):
    """Least squares, logit, Poisson: regressions as one release."""

    def ols(
        self,
        formula: Any,
        regressors: Sequence[Hashable] | None = None,
        *,
        pooled: bool = False,
        stages: Stages = "auto",
        cov_type: CovType | None = None,
        **keywords: Unpack[Keywords],
    ) -> Release:
        """Least squares: what a number is, on average, given others; a row for each coefficient.

        `lower` and `upper` hold the coefficient of the population that the rows are a random sample of, with the noise
        allowed for; where the release cannot tell, they are infinite. Each row has to be somebody else's, but under a
        unit, with `max_rows=`: there errors are by person, and one stage is of the rows in the data alone.

        Parameters
        ----------
        formula : str
            "wage ~ school + age + C(region)": columns with declared bounds, categoricals with declared categories, of
            which the first is the reference; "a:b", "a*b", "- 1"; "np.log(wage) ~ age + I(age ** 2)", whose bounds
            follow from those of its columns, "poly(age, 2)" for a number and its plain powers; "wage ~ age +
            [school ~ distance]" for instruments.
        regressors : list of columns, optional
            In place of a formula: then `formula` is the column that is explained.
        pooled : bool
            In a grouping: one fit for all groups together, of the release that has a matrix for each.
        stages : 1, 2 or "auto"
            2 spends three fifths of the cost on scores of the rows around the first coefficients: less noise for the
            same cost; it needs `rho=`, or `epsilon=` with `delta=`. "auto" is 2 where that takes less than it gives,
            which public numbers tell, for `cov_type="HC"`, and of rows of people; `refit` and `r_squared` need 1.
        cov_type : "nonrobust", "HC" or "HC0", "HC1", "cluster", optional
            Whether the spread of residuals is the same in all rows, or may differ, for which 2 stages are needed:
            "HC" is White's HC0, and "HC1" has n / (n - k) times its variances. Left out, it is "HC" of two stages and
            "nonrobust" of one. "cluster" is by person: of rows of people, of which 2 stages have no other.

        Examples
        --------
        >>> import numpy as np, pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(rho=1e12)  # so much that there is no noise to see
        >>> people = pd.DataFrame({"school": [9, 12, 16, 12, 9] * 200, "union": [0, 1, 0, 0, 1] * 200})
        >>> people["wage"] = 5 + 2 * people["school"] + 3 * people["union"] + np.tile([1, -1], 500)
        >>> bounds = {"school": (0, 20), "wage": (0, 60), "union": (0, 1)}
        >>> fit = session.protect(people).dp.ols("wage ~ school + union", bounds=bounds, rho=1e10)
        >>> fit["coef"].round(2).to_dict()
        {'Intercept': 5.0, 'school': 2.0, 'union': 3.0}
        """
        read = formula_of("ols", formula, regressors)
        frame, both = self._frame, cast(Any, {**self._declared, **keywords})
        if read.calculations:
            frame, both = with_calculations(frame, read, "ols", both)
        errors = "HC" if cov_type == "HC0" else cov_type
        return LeastSquaresQuestion(frame, read, self._keys, pooled, stages, errors).release(both)

    def iv(self, formula: str, *, pooled: bool = False, **keywords: Unpack[Keywords]) -> Release:
        """Least squares with instruments, "wage ~ age + [school ~ near]": `ols` of a formula that has some.

        Intervals are Anderson and Rubin's: they hold also where instruments say little, and are unbounded where they
        say nothing.

        Parameters
        ----------
        formula : str
            Columns that are instrumented, and their instruments, in brackets; a constant is there by itself.
        pooled
            As in `ols`.

        Examples
        --------
        >>> import numpy as np, pandas as pd, pandas_dp as pdp
        >>> session, rng = pdp.Session(rho=1e12), np.random.default_rng(1)  # so much that there is no noise to see
        >>> people = pd.DataFrame(rng.uniform(-1, 1, (2000, 2)), columns=["near", "able"])
        >>> people["school"] = people["near"] + people["able"]
        >>> people["wage"] = 3 * people["school"] - 2 * people["able"]
        >>> bounds = {"near": (-1, 1), "school": (-3, 3), "wage": (-10, 10)}
        >>> fit = session.protect(people).dp.iv("wage ~ [school ~ near]", bounds=bounds, rho=1e10)
        >>> bool(fit.loc["school", "lower"] < 3 < fit.loc["school", "upper"])
        True
        """
        return self.ols(with_instruments(formula), pooled=pooled, **keywords)

    def plan_ols(
        self,
        formula: Any,
        regressors: Sequence[Hashable] | None = None,
        *,
        n: float | None = None,
        sd: Mapping[Hashable, float] | None = None,
        **keywords: Unpack[Keywords],
    ) -> pd.DataFrame:
        """How wide the intervals of `ols` would be, if columns vary as supposed; nothing is looked at, nothing paid.

        It supposes numbers that vary around the middles of their declared ranges, levels that are equally frequent,
        and nothing that explains anything.

        Parameters
        ----------
        formula, regressors
            As in `ols`, and so are the keywords.
        n : int, optional
            About how many rows there are, where that is not public.
        sd : mapping from column to number
            The standard deviation that you suppose of each number, the response too.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> people = pdp.Session(rho=1).protect(pd.DataFrame({"school": [9, 12, 16] * 500, "wage": [12, 30, 45] * 500}))
        >>> bounds = {"school": (0, 20), "wage": (0, 60)}
        >>> plan = people.dp.plan_ols("wage", ["school"], sd={"school": 3, "wage": 15}, bounds=bounds, rho=0.1)
        >>> plan["half_width"].round(1).to_dict()
        {'Intercept': 3.9, 'school': 0.4}
        """
        read = formula_of("ols", formula, regressors)
        frame, both = self._frame, cast(Any, {**self._declared, **keywords})
        if read.calculations:
            frame, both = with_calculations(frame, read, "ols", both)
        return plan(LeastSquaresQuestion(frame, read, self._keys), n, sd, both)
