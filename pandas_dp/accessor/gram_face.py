"""`.dp` of a moment matrix: all that follows from it, each kind of conclusion a mixin in a file of its own."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from ..conclusions import matrices
from ..reading import a_flag
from ..release import Release
from .hints import with_arguments_named
from .matrix_faces import Semidefinite
from .moment_learning import MomentLearning
from .regressions_of_moments import RegressionsOfMoments
from .released import ReleasedFace


@with_arguments_named
class GramFace(Semidefinite, RegressionsOfMoments, MomentLearning, ReleasedFace):
    """Conclusions from sums of products, beside those of all releases.

    Examples
    --------
    >>> import pandas as pd, pandas_dp as pdp
    >>> session = pdp.Session(rho=1e9)  # so much that there is no noise to see
    >>> people = session.protect(pd.DataFrame({"age": [31, 54, 47] * 300, "size": [160, 170, 180] * 300}))
    >>> moments = people.dp.moments(["age", "size"], bounds={"age": (0, 100), "size": (100, 250)}, rho=1e6)
    >>> moments.dp.corr().loc["age", "size"].round(2).item()
    0.68
    """

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
        return matrices.covariances(self._frame, False, columns, a_flag("pooled", pooled))

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
        return matrices.covariances(self._frame, True, columns, a_flag("pooled", pooled))
