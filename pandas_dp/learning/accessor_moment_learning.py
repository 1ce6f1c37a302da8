"""What is learned from released sums of products: components, a discriminant, an additive model."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from ..core.door.hints import with_arguments_named
from ..core.label.release import Release
from ..models.ask import formula_of
from . import conclude_of_moments, conclude_tables
from . import conclude_tables as association
from .ask import additive_terms


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
        return conclude_of_moments.pca(self._frame, k, columns, scaled)

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
        return conclude_of_moments.discriminant(self._frame, target, columns)

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
        return conclude_of_moments.gam(self._frame, read.response, additive_terms(read))


@with_arguments_named
class TableLearning(ABC):
    """What can be learned from a released table of counts."""

    @property
    @abstractmethod
    def _frame(self) -> pd.DataFrame:
        """The released table."""

    def naive_bayes(self, target: Hashable) -> Release:
        """A naive Bayes classifier from the tables of `target` by each other key that this release shows.

        `.dp.predictor()` of it has scikit-learn's methods. `frame.dp.naive_bayes` asks for just these tables, also of
        columns of numbers.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> rows = pd.DataFrame({"sex": ["f", "m"] * 500, "vote": ["yes", "no"] * 500})
        >>> people = pdp.Session(rho=1e9).protect(rows)  # so much that there is no noise to see
        >>> table = people.dp.crosstab("sex", "vote", categories={"sex": ["f", "m"], "vote": ["yes", "no"]}, rho=1e6)
        >>> table.dp.naive_bayes("vote").dp.predictor().predict(pd.DataFrame({"sex": ["m", "f"]})).tolist()
        ['no', 'yes']
        """
        return conclude_tables.naive_bayes(self._frame, target)

    def rules(
        self,
        min_support: float = 0.0,
        min_confidence: float = 0.0,
        *,
        confidence: float = 0.95,
        simultaneous: bool = False,
    ) -> pd.DataFrame:
        """Association rules between the categories of the keys, the greatest lift first, with intervals.

        *Support* is the share of rows that have all categories of a rule, *confidence* the share of those with the
        first that have the last too, *lift* that over the share of all rows that have the last. The intervals are for
        the rows in the data: the noise alone.

        Parameters
        ----------
        min_support, min_confidence : float
            Least shares, compared with the noisy ones.
        confidence : float
            Of the intervals, each alone, which does not allow for choosing rules by the same numbers.
        simultaneous : bool
            True: the intervals of all rules that were considered hold together with this probability, so whichever are
            chosen.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> bought = {"bread": [True, True, False, False] * 250, "butter": [True, False, False, False] * 250}
        >>> baskets = pdp.Session(rho=1e9).protect(pd.DataFrame(bought))  # so much that there is no noise to see
        >>> declared = {"bread": [True, False], "butter": [True, False]}
        >>> table = baskets.dp.crosstab("bread", "butter", categories=declared, rho=1e6)
        >>> found = table.dp.rules(min_support=0.2)
        >>> pd.DataFrame(found).round(2).loc[("bread = True", "butter = True"), ["confidence", "lift"]].tolist()
        [0.5, 2.0]
        """
        return association.rules(self._frame, min_support, min_confidence, confidence, simultaneous)
