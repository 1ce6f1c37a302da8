"""`.dp` of released matrices: of covariances and correlations, and what follows from either."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from ..conclusions import matrices
from ..release import Release
from .hints import with_arguments_named
from .released import ReleasedFace


@with_arguments_named
class Semidefinite:
    """Of a matrix that rows cannot have, because of the noise, the nearest that they can."""

    if TYPE_CHECKING:

        @property
        def _frame(self) -> pd.DataFrame: ...

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
        return matrices.semidefinite(self._frame)


@with_arguments_named
class PairsFace(Semidefinite, ReleasedFace):
    """Of covariances or correlations.

    Examples
    --------
    >>> import pandas as pd, pandas_dp as pdp
    >>> people = pdp.Session(epsilon=10).protect(pd.DataFrame({"a": [1, 2, 3] * 9, "b": [1, 2, 3] * 9}))
    >>> "semidefinite" in dir(people.dp.corr(bounds=(0, 100), epsilon=1).dp)
    True
    """

    own = ("semidefinite",)
