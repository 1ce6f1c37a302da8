"""What is learned from released tables of counts: a classifier, association rules."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable

import pandas as pd

from ..conclusions.learning import by_counting
from ..conclusions.learning import rules as association
from ..release import Release
from .hints import with_arguments_named


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
        return by_counting.naive_bayes(self._frame, target)

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
