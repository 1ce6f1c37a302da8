"""`.dp` of what was learned by counting: other clusters of the same grid, and predictors."""

from __future__ import annotations

from typing import TypeVar

import pandas as pd

from ..core.arguments import whole_number
from ..core.door.hints import with_arguments_named
from ..core.door.released import ReleaseAccessor
from ..core.label.label import Label
from ..core.label.layout import Released
from ..core.label.release import Release, guarantee
from ..errors import wrong_value
from .conclude_predictor import (
    AdditiveClassifier,
    AdditiveRegressor,
    BayesClassifier,
    ClusterPredictor,
    ComponentTransformer,
    DiscriminantClassifier,
    of_scores,
    of_spectrum,
)
from .conclude_tables import concluded
from .evidence import Centres, NaiveBayes, Scores, Spectrum

MOST_CLUSTERS = 100
Kind = TypeVar("Kind")


def _read(table: pd.DataFrame, kind: type[Kind]) -> tuple[Kind, Label]:
    """The one part of a release, and its label."""
    released = Released.of(table)
    (found,) = released.evidence
    assert isinstance(found, kind)
    return found, released.label


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
        found, label = _read(self._frame, NaiveBayes)
        return BayesClassifier.of(found, guarantee(label))


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
        found, label = _read(self._frame, Centres)
        k, seed = whole_number("k", k, 1, MOST_CLUSTERS), whole_number("seed", seed, 0, 2**32 - 1)
        if k > found.grid.size:
            raise wrong_value("k", f"be at most the number of cells, {found.grid.size}", k)
        again = Centres.of(found.columns, found.edges, found.grid, found.noise, k, seed)
        return concluded(label, again, pd.RangeIndex(k, name="cluster"))

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
        found, _ = _read(self._frame, Centres)
        axes = [pd.IntervalIndex.from_breaks(edges, closed="left") for edges in found.edges]
        rows = pd.MultiIndex.from_product(axes, names=list(map(str, found.names)))
        return pd.DataFrame({"count": found.grid, "std_error": found.noise.sd}, index=rows)

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
        found, label = _read(self._frame, Centres)
        return ClusterPredictor.of(found, guarantee(label))


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
        found, label = _read(self._frame, Scores)
        return of_scores(found, guarantee(label))


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
        found, label = _read(self._frame, Spectrum)
        return of_spectrum(found, guarantee(label))
