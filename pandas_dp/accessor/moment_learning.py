"""What is learned from released sums of products: components, a discriminant, an additive model."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from ..conclusions.learning import of_moments
from ..release import Release
from .additive_terms import additive_terms
from .formula import formula_of
from .hints import with_arguments_named


@with_arguments_named
class MomentLearning:
    """What can be learned from a released moment matrix, at no cost.

    Examples
    --------
    >>> import pandas as pd, pandas_dp as pdp
    >>> people = pdp.Session(rho=10).protect(pd.DataFrame({"age": [31, 54] * 500, "size": [160, 190] * 500}))
    >>> moments = people.dp.moments(["age", "size"], bounds={"age": (0, 100), "size": (100, 250)}, rho=1)
    >>> [name for name in ("pca", "discriminant", "gam") if name in dir(moments.dp)]
    ['pca', 'discriminant', 'gam']
    """

    if TYPE_CHECKING:

        @property
        def _frame(self) -> pd.DataFrame: ...

    def pca(self, k: int, columns: Sequence[Hashable] | None = None, *, scaled: bool = False) -> Release:
        """The first k principal components, with what noise may have done to them.

        Each column of numbers counts in half-ranges, so declared ranges are the units. `lower` and `upper` hold the
        variances of the rows in the data, all together, and `sine` is at most the sine of the angle between a component
        and that without noise; where it is 1, the component is not `separated` from its neighbours by more than the
        noise, and says nothing. `.dp.predictor()` has scikit-learn's `transform`.

        Parameters
        ----------
        k : int
        columns : columns of numbers, optional
            By default all that the release holds.
        scaled : bool
            True: of correlations in place of covariances.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(rho=1e12)  # so much that there is no noise to see
        >>> people = session.protect(pd.DataFrame({"age": [31, 54, 47] * 300, "size": [160, 190, 110] * 300}))
        >>> moments = people.dp.moments(["age", "size"], bounds={"age": (0, 100), "size": (100, 250)}, rho=1e10)
        >>> moments.dp.pca(2)["share"].round(2).tolist()
        [0.84, 0.16]
        """
        return of_moments.pca(self._frame, k, columns, scaled)

    def discriminant(self, target: Hashable, columns: Sequence[Hashable] | None = None) -> Release:
        """Fisher's linear discriminant of the classes of a column that is true or false, or a categorical.

        `.dp.predictor()` of it has scikit-learn's methods. Its probabilities are those of columns that are normal in
        each class with one covariance. Coefficients have no standard errors, as no theory says what the noise does to
        the inverse of a noisy matrix; `ols` has intervals.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(rho=1e12)  # so much that there is no noise to see
        >>> people = session.protect(pd.DataFrame({"wage": [10, 14, 20, 26] * 300, "union": [0, 0, 1, 1] * 300}))
        >>> moments = people.dp.moments(["wage", "union"], bounds={"wage": (0, 40), "union": (0, 1)}, rho=1e10)
        >>> moments.dp.discriminant("union").dp.predictor().predict(pd.DataFrame({"wage": [11, 25]})).tolist()
        [False, True]
        """
        return of_moments.discriminant(self._frame, target, columns)

    def gam(self, formula: Any, terms: Sequence[Hashable] | None = None) -> Release:
        """An additive model, "wage ~ s(age) + C(region)": of splines, numbers and categoricals of this release.

        Coefficients are shrunk by as much as the noise of the matrix asks for, those of splines toward straight lines
        too, and have no standard errors: no theory holds for them. `.dp.predictor()` has scikit-learn's methods; where
        the response is true or false, it is a classifier.

        Parameters
        ----------
        formula : str
            Or the column that is explained, with `terms` as a list of columns.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(rho=1e12)  # so much that there is no noise to see
        >>> table = pd.DataFrame({"age": [20, 40, 60] * 300, "wage": [10, 30, 20] * 300})
        >>> people = session.protect(table)
        >>> bounds = {"age": (20, 60), "wage": (0, 50)}
        >>> moments = people.dp.moments(["age", "wage"], splines={"age": [20, 40, 60]}, bounds=bounds, rho=1e10)
        >>> model = moments.dp.gam("wage", ["age"]).dp.predictor()
        >>> model.predict(pd.DataFrame({"age": [20, 30, 40, 60]})).round(1).tolist()
        [10.0, 20.0, 30.0, 20.0]
        """
        read = formula_of("gam", formula, terms)
        return of_moments.gam(self._frame, read.response, additive_terms(read))
