"""`plan_ols`: how wide the intervals of coefficients would be, where columns have the spreads that one supposes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from ..equations.design import Regression
from ..equations.moment_matrix import MomentMatrix
from ..equations.supposed import supposed_products
from ..errors import UnsupportedArgument
from ..evidence import Fit
from ..reading import is_number
from ..session import Asked
from .asking import Asking
from .keywords import Keywords
from .least_squares import LeastSquaresQuestion

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
    regression = Regression(expected, fit.design, sampling=fit.default_target == "population")
    low, high = regression.sets(asking.read.request.confidence)
    half = np.where(np.isinf(high - low), np.inf, (high - low) / 2)
    return pd.DataFrame({"std_error": regression.std_error(), "half_width": half}, index=pd.Index(fit.design.names))


def _rows(given: Any, asking: Asking) -> float:
    if given is None and asking.setting.size is not None:
        return float(asking.setting.size)
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
