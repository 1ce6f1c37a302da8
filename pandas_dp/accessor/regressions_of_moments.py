"""Regressions of a released moment matrix: as many as one likes, at no cost."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from ..conclusions import regressions
from ..errors import UnsupportedArgument
from ..release import Release
from .designs import design_of
from .formula import formula_of
from .hints import with_arguments_named


@with_arguments_named
class RegressionsOfMoments:
    """Least squares of any column of a moment matrix on others."""

    if TYPE_CHECKING:

        @property
        def _frame(self) -> pd.DataFrame: ...

    def ols(self, formula: Any, regressors: Sequence[Hashable] | None = None, *, pooled: bool = False) -> Release:
        """Least squares of any column of the matrix on others, at no cost.

        Parameters
        ----------
        formula, regressors
            As in `frame.dp.ols`; products of columns where the matrix was asked with `terms=`.
        pooled : bool
            Of a matrix by groups: one fit for all groups together, from the sum of their matrices.

        Examples
        --------
        >>> import numpy as np, pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(rho=1e12)  # so much that there is no noise to see
        >>> people = pd.DataFrame({"school": [9, 12, 16, 12, 9] * 200, "sex": ["f", "m"] * 500})
        >>> people["wage"] = 2 * people["school"] + np.tile([1, -1], 500)
        >>> declared = {"bounds": {"school": (0, 20), "wage": (0, 60)}, "categories": {"sex": ["f", "m"]}}
        >>> by_sex = session.protect(people).dp.groupby("sex").moments(["wage", "school"], rho=1e10, **declared)
        >>> by_sex.dp.ols("wage ~ school")["coef"].round(1).tolist(), by_sex.dp.ols("wage ~ school", pooled=True).shape
        ([1.0, 2.0, -1.0, 2.0], (2, 6))
        """
        return _fitted(self, formula_of("ols", formula, regressors), pooled)

    def iv(self, formula: str, *, pooled: bool = False) -> Release:
        """Two-stage least squares: "wage ~ age + [school ~ near + fee]".

        Intervals are Anderson and Rubin's: they hold also where instruments say little, and are unbounded where they
        say nothing.

        Parameters
        ----------
        formula : str
            Columns that are instrumented, and their instruments, in brackets.
        pooled
            As in `ols`.

        Examples
        --------
        >>> import numpy as np, pandas as pd, pandas_dp as pdp
        >>> session, rng = pdp.Session(rho=1e12), np.random.default_rng(1)
        >>> people = pd.DataFrame(rng.uniform(-1, 1, (2000, 2)), columns=["near", "able"])
        >>> people["school"] = people["near"] + people["able"]
        >>> people["wage"] = 3 * people["school"] - 2 * people["able"]
        >>> bounds = {"near": (-1, 1), "school": (-3, 3), "wage": (-10, 10)}
        >>> sums = session.protect(people).dp.moments(["wage", "school", "near"], bounds=bounds, rho=1e10)
        >>> found = sums.dp.iv("wage ~ [school ~ near]").loc["school"]
        >>> bool(found["lower"] < 3 < found["upper"])
        True
        """
        read = formula_of("iv", formula)
        if not read.endogenous:
            raise UnsupportedArgument(
                "iv needs a column that is instrumented and its instruments, in brackets: "
                "'wage ~ age + [school ~ near]'."
            )
        return _fitted(self, read, pooled)


def _fitted(face: RegressionsOfMoments, read: Any, pooled: bool) -> Release:
    _, gram = regressions.gram_of(face._frame)
    return regressions.fitted_to(face._frame, design_of(read, gram.columns, "ols"), pooled)
