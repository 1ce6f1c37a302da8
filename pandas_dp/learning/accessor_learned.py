"""`.dp` of what was learned by counting: other clusters of the same grid, and predictors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from ..core.door.hints import with_arguments_named
from ..core.door.released import ReleaseAccessor
from ..core.label.release import Release
from . import conclude_of_moments, conclude_tables

if TYPE_CHECKING:
    from .conclude_predictor import (
        AdditiveClassifier,
        AdditiveRegressor,
        BayesClassifier,
        ClusterPredictor,
        ComponentTransformer,
        DiscriminantClassifier,
    )


@with_arguments_named
class BayesAccessor(ReleaseAccessor):
    """Of counts of classes by features.

    Examples
    --------
    >>> import pandas as pd, pandas_dp as pdp
    >>> people = pdp.Session(epsilon=10).protect(pd.DataFrame({"sex": ["f", "m"] * 500, "vote": ["yes", "no"] * 500}))
    >>> found = people.dp.naive_bayes("vote", categories={"sex": ["f", "m"], "vote": ["yes", "no"]}, epsilon=5)
    >>> "predictor" in dir(found.dp)
    True
    """

    own = ("predictor",)

    def predictor(self) -> BayesClassifier:
        """A naive Bayes classifier of public rows, with scikit-learn's methods; it can be pickled.

        A value that is missing or none of a feature's categories says nothing; numbers beyond the bins are in the
        nearest. Its probabilities are not calibrated.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> rows = pd.DataFrame({"sex": ["f", "m"] * 500, "vote": ["yes", "no"] * 500})
        >>> people = pdp.Session(rho=1e9).protect(rows)  # so much that there is no noise to see
        >>> found = people.dp.naive_bayes("vote", categories={"sex": ["f", "m"], "vote": ["yes", "no"]}, rho=1e6)
        >>> classifier = found.dp.predictor()
        >>> classifier.predict(pd.DataFrame({"sex": ["m", "f", None]})).tolist()[:2]
        ['no', 'yes']
        """
        return conclude_tables.bayes_predictor(self._frame)


@with_arguments_named
class ClustersAccessor(ReleaseAccessor):
    """Of clusters of the cells of a grid.

    Examples
    --------
    >>> import pandas as pd, pandas_dp as pdp
    >>> homes = pdp.Session(epsilon=10).protect(pd.DataFrame({"rent": [600, 1400] * 500}))
    >>> found = homes.dp.kmeans(["rent"], 2, bounds={"rent": (0, 2000)}, epsilon=5)
    >>> [name for name in ("kmeans", "grid", "predictor") if name in dir(found.dp)]
    ['kmeans', 'grid', 'predictor']
    """

    own = ("kmeans", "grid", "predictor")

    def kmeans(self, k: int, *, seed: int = 0) -> Release:
        """Another number of clusters of the same grid, at no cost.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> homes = pdp.Session(epsilon=10).protect(pd.DataFrame({"rent": [600, 1400] * 500}))
        >>> found = homes.dp.kmeans(["rent"], 2, bounds={"rent": (0, 2000)}, epsilon=5)
        >>> len(found.dp.kmeans(3))
        3
        """
        return conclude_tables.kmeans(self._frame, k, seed)

    def grid(self) -> pd.DataFrame:
        """The noisy counts of the cells.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> homes = pdp.Session(rho=1e9).protect(pd.DataFrame({"rent": [600, 1400] * 500}))  # no noise to see
        >>> found = homes.dp.kmeans(["rent"], 2, bins=4, bounds={"rent": (0, 2000)}, rho=1e6)
        >>> found.dp.grid()["count"].tolist()
        [0, 500, 500, 0]
        """
        return conclude_tables.grid(self._frame)

    def predictor(self) -> ClusterPredictor:
        """The nearest centre of public rows, with scikit-learn's `predict`; −1 for a row with a missing value.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> homes = pdp.Session(rho=1e9).protect(pd.DataFrame({"rent": [600, 1400] * 500}))  # no noise to see
        >>> found = homes.dp.kmeans(["rent"], 2, bins=4, bounds={"rent": (0, 2000)}, rho=1e6)
        >>> found.dp.predictor().predict(pd.DataFrame({"rent": [500, 1900, None]})).tolist()
        [0, 1, -1]
        """
        return conclude_tables.cluster_predictor(self._frame)


@with_arguments_named
class ScoresAccessor(ReleaseAccessor):
    """Of an additive model or a discriminant.

    Examples
    --------
    >>> import pandas as pd, pandas_dp as pdp
    >>> people = pdp.Session(rho=10).protect(pd.DataFrame({"age": [20, 40] * 500, "wage": [10, 30] * 500}))
    >>> moments = people.dp.moments(["age", "wage"], bounds={"age": (20, 60), "wage": (0, 50)}, rho=1)
    >>> "predictor" in dir(moments.dp.gam("wage", ["age"]).dp)
    True
    """

    own = ("predictor",)

    def predictor(self) -> AdditiveRegressor | AdditiveClassifier | DiscriminantClassifier:
        """A regressor or classifier of public rows, with scikit-learn's methods; it can be pickled.

        A missing number is in the middle of its declared range, or of its knots; what is no declared category counts
        as none of them; numbers beyond their range count as its ends.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(rho=1e12)  # so much that there is no noise to see
        >>> people = session.protect(pd.DataFrame({"age": [20, 40] * 500, "wage": [10, 30] * 500}))
        >>> moments = people.dp.moments(["age", "wage"], bounds={"age": (20, 60), "wage": (0, 50)}, rho=1e10)
        >>> model = moments.dp.gam("wage", ["age"]).dp.predictor()
        >>> model.predict(pd.DataFrame({"age": [30, 50, 99]})).round(1).tolist()
        [20.0, 40.0, 50.0]
        """
        return conclude_of_moments.scores_predictor(self._frame)


@with_arguments_named
class SpectrumAccessor(ReleaseAccessor):
    """Of principal components.

    Examples
    --------
    >>> import pandas as pd, pandas_dp as pdp
    >>> people = pdp.Session(rho=10).protect(pd.DataFrame({"age": [20, 40] * 500, "wage": [10, 30] * 500}))
    >>> moments = people.dp.moments(["age", "wage"], bounds={"age": (20, 60), "wage": (0, 50)}, rho=1)
    >>> "predictor" in dir(moments.dp.pca(1).dp)
    True
    """

    own = ("predictor",)

    def predictor(self) -> ComponentTransformer:
        """Where public rows are along the components, with scikit-learn's `transform`; it can be pickled.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(rho=1e12)  # so much that there is no noise to see
        >>> people = session.protect(pd.DataFrame({"age": [20, 40] * 500, "wage": [10, 30] * 500}))
        >>> moments = people.dp.moments(["age", "wage"], bounds={"age": (0, 60), "wage": (0, 40)}, rho=1e10)
        >>> first = moments.dp.pca(1).dp.predictor()
        >>> first.transform(pd.DataFrame({"age": [40], "wage": [30]})).round(1).tolist()
        [[0.6]]
        """
        return conclude_of_moments.components_predictor(self._frame)
