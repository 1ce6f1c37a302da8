"""Tests of groups, and against limits, from what was released; the noise is allowed for."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence

import pandas as pd

from .. import conclusions
from ..conclusions import EstimateResult, TestResult
from .hints import with_arguments_named


@with_arguments_named
class GroupTests(ABC):
    """What can be tested of groups whose means, shares or counts were released."""

    @property
    @abstractmethod
    def _frame(self) -> pd.DataFrame:
        """The released table."""

    def anova_test(self) -> TestResult:
        """Whether the groups of a `groupby(key)[column].mean` have one mean, the noise taken into account.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> rows = pd.DataFrame({"age": [31, 54, 47] * 400, "k": ["a", "b", "c"] * 400})
        >>> people = pdp.Session(epsilon=100).protect(rows)
        >>> means = people.dp.groupby("k", categories=["a", "b", "c"])["age"].mean(bounds=(0, 100), epsilon=50)
        >>> result = means.dp.anova_test()
        >>> result.df, result.pvalue < 0.001
        (2, True)
        """
        return conclusions.anova_test(self._frame)

    def equivalence_test(self, limits: tuple[float, float], *, target: str | None = None) -> TestResult:
        """Whether a released number lies within limits: two one-sided tests (TOST).

        The p value is the least error at which the interval for twice that error lies inside. It takes a release of one
        number, or one row of a larger one.

        Parameters
        ----------
        limits : (lower, upper)
            In the unit of the release.
        target : "population" or "sample", optional
            As in `confint`.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> people = pdp.Session(epsilon=100).protect(pd.DataFrame({"age": [31, 54, 47, 18] * 250}))
        >>> mean = people["age"].dp.mean(bounds=(0, 100), epsilon=10)
        >>> mean.dp.equivalence_test((35, 40)).pvalue < 0.01, mean.dp.equivalence_test((38, 40)).pvalue < 0.01
        (True, False)
        """
        return conclusions.equivalence_test(self._frame, limits, target)

    def risk_difference(self, success: Hashable | None = None, *, confidence: float = 0.95) -> EstimateResult:
        """The difference of a share between two groups, the second less the first, and its interval.

        Parameters
        ----------
        success : label, optional
            Of a crosstab, which of its two columns is the yes; the last one unless given. Grouped shares have one.
        confidence : float

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> rows = pd.DataFrame({"sex": ["f", "f", "f", "m"] * 250, "vote": ["yes", "yes", "no", "no"] * 250})
        >>> people = pdp.Session(epsilon=1e6).protect(rows)  # so much that there is no noise to see
        >>> declared = {"sex": ["f", "m"], "vote": ["no", "yes"]}
        >>> result = people.dp.crosstab("sex", "vote", categories=declared, epsilon=1000).dp.risk_difference()
        >>> round(result.estimate, 2), result.statistic
        (-0.67, 'difference of the shares of vote = yes, m - f')
        """
        return conclusions.risk_difference(self._frame, success, confidence)

    def relative_risk(self, success: Hashable | None = None, *, confidence: float = 0.95) -> EstimateResult:
        """The ratio of a share between two groups, the second over the first, and its interval.

        Parameters
        ----------
        success, confidence
            As in `risk_difference`.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> rows = pd.DataFrame({"sex": ["f", "m", "f", "m"] * 250, "ill": [True, True, False, True] * 250})
        >>> people = pdp.Session(epsilon=1e6).protect(rows)  # so much that there is no noise to see
        >>> shares = people.dp.groupby("sex", categories=["f", "m"])["ill"].share(epsilon=1000)
        >>> round(shares.dp.relative_risk().estimate, 2)
        2.0
        """
        return conclusions.relative_risk(self._frame, success, confidence)

    def trend_test(self, scores: Sequence[float] | None = None, *, success: Hashable | None = None) -> TestResult:
        """Whether a share rises or falls over groups in an order (Cochran and Armitage).

        Parameters
        ----------
        scores : list of numbers, optional
            One for each group in its order; 0, 1, 2, … unless given.
        success
            As in `risk_difference`.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> ill = [False, False, True, False, True, True]
        >>> rows = pd.DataFrame({"dose": [0, 1, 2, 0, 1, 2] * 200, "ill": ill * 200})
        >>> people = pdp.Session(epsilon=100).protect(rows)
        >>> shares = people.dp.groupby("dose", categories=[0, 1, 2])["ill"].share(epsilon=50)
        >>> shares.dp.trend_test().pvalue < 0.001
        True
        """
        return conclusions.trend_test(self._frame, scores, success)

    def mcnemar_test(self) -> TestResult:
        """Whether as many pairs change in one direction as in the other, from a crosstab of two yes/no columns.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> rows = pd.DataFrame({"before": [True, False, False, False] * 200, "after": [True, True, False, True] * 200})
        >>> people = pdp.Session(epsilon=100).protect(rows)
        >>> declared = {"before": [False, True], "after": [False, True]}
        >>> people.dp.crosstab("before", "after", categories=declared, epsilon=50).dp.mcnemar_test().pvalue < 0.001
        True
        """
        return conclusions.mcnemar_test(self._frame)
