"""`.dp` of released moment matrices: covariances, and regressions as many as one likes, at no cost."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, ClassVar

from ...core.arguments import a_flag
from ...core.door.hints import with_arguments_named
from ...core.door.released import ReleaseAccessor
from ...core.label.release import Release
from ...learning.accessor_moment_learning import MomentLearning
from ..ask import Formula, design_of, formula_of, with_instruments
from ..conclude import fitted_to, gram_of
from . import conclude


@with_arguments_named
class PairsAccessor(ReleaseAccessor):
    """Of covariances or correlations."""

    own: ClassVar[tuple[str, ...]] = ("semidefinite",)

    def semidefinite(self) -> Release:
        """The nearest matrix without negative eigenvalues, counted in half-ranges, for computations that need one.

        Of moments, the number of rows and sums stay; of correlations, the ones. It is for computing: entries are no
        longer without bias, so intervals are those of the release that it was made from.

        Examples
        --------
        >>> import numpy as np, pandas as pd, pandas_dp as pdp
        >>> people = pdp.Session(epsilon=10).protect(pd.DataFrame({"a": [1, 2, 3] * 9, "b": [1, 2, 3] * 9}))
        >>> matrix = people.dp.corr(bounds=(0, 100), epsilon=1).dp.semidefinite()
        >>> bool(np.linalg.eigvalsh(matrix.to_numpy()).min() > -1e-9)
        True
        """
        return conclude.semidefinite(self._frame)


@with_arguments_named
class GramAccessor(MomentLearning, PairsAccessor):
    """Conclusions from sums of products, beside those of all releases."""

    own = ("cov", "corr", "semidefinite", "ols", "iv", "pca", "discriminant", "gam")

    def cov(self, columns: Sequence[Hashable] | None = None, *, pooled: bool = False) -> Release:
        """Covariances of the numbers in the matrix, as a release: no further cost, and intervals by `confint`.

        Parameters
        ----------
        columns : list of names, optional
            Columns of the matrix as it names them, also levels; all numbers if not given.
        pooled : bool
            Of a grouping, one table of all cells together; its noise is that of all of them.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(rho=1e9)  # so much that there is no noise to see
        >>> people = session.protect(pd.DataFrame({"age": [31, 54, 47] * 300, "size": [160, 170, 180] * 300}))
        >>> moments = people.dp.moments(["age", "size"], bounds={"age": (0, 100), "size": (100, 250)}, rho=1e6)
        >>> moments.dp.cov().loc["age", "size"].round(1).item()
        53.4
        """
        return conclude.covariances(self._frame, False, columns, a_flag("pooled", pooled))

    def corr(self, columns: Sequence[Hashable] | None = None, *, pooled: bool = False) -> Release:
        """Correlations of the numbers in the matrix, likewise.

        Parameters
        ----------
        columns, pooled
            As of `cov`.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(rho=1e9)  # so much that there is no noise to see
        >>> people = session.protect(pd.DataFrame({"age": [31, 54, 47] * 300, "size": [160, 170, 180] * 300}))
        >>> moments = people.dp.moments(["age", "size"], bounds={"age": (0, 100), "size": (100, 250)}, rho=1e6)
        >>> moments.dp.corr().dp.confint().loc["age"].round(1).tolist()
        [1.0, 1.0, 0.7, 0.7]
        """
        return conclude.covariances(self._frame, True, columns, a_flag("pooled", pooled))

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
        return self._fitted(formula_of("ols", formula, regressors), pooled)

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
        return self._fitted(with_instruments(formula), pooled)

    def _fitted(self, read: Formula, pooled: bool) -> Release:
        _, gram = gram_of(self._frame)
        return fitted_to(self._frame, design_of(read, gram.columns, "ols"), pooled)
