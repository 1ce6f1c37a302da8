"""Tests of groups, and against limits, from what was released; the noise is allowed for."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ...core.conclude.results import EstimateResult, TestResult
from ...core.door.hints import with_arguments_named
from .conclude_association import cramers_v, odds_ratio
from .conclude_counted import independence_test, log_linear_test, mcnemar_test
from .conclude_goodness import anova_test, equivalence_test, goodness_of_fit
from .conclude_likelihood import REPLICATES
from .conclude_risks import relative_risk, risk_difference, trend_test


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
        return anova_test(self._frame)

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
        return equivalence_test(self._frame, limits, target)

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
        return risk_difference(self._frame, success, confidence)

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
        return relative_risk(self._frame, success, confidence)

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
        return trend_test(self._frame, scores, success)

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
        return mcnemar_test(self._frame)


@with_arguments_named
class TableTests(ABC):
    """What can be tested of a released table of counts."""

    @property
    @abstractmethod
    def _frame(self) -> pd.DataFrame:
        """The released table."""

    def independence_test(
        self,
        likelihood: str = "noisy",
        pvalue: str = "auto",
        *,
        replicates: int = REPLICATES,
        seed: int | np.random.Generator | None = None,
    ) -> TestResult:
        """Whether the keys of a table of counts are independent, the noise taken into account.

        Parameters
        ----------
        likelihood : "noisy" or "naive"
            The likelihood ratio of Poisson counts behind noise; or that of the numbers taken as exact, for comparison:
            it rejects far too often.
        pvalue : "auto", "bootstrap" or "asymptotic"
            From tables simulated under the hypothesis with the noise of the label, or from the chi-square law, which
            is wrong where the noise is not small beside the chance in the counts. "auto" simulates unless the table is
            large and its noise small.
        replicates : int
            How many tables are simulated.
        seed : int or Generator, optional
            By default the simulation depends on the released table alone, so that the p value can be repeated.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(epsilon=10)
        >>> people = session.protect(pd.DataFrame({"a": ["x", "x", "y", "y"] * 100, "b": ["u", "v", "u", "v"] * 100}))
        >>> table = people.dp.crosstab("a", "b", categories={"a": ["x", "y"], "b": ["u", "v"]}, epsilon=5)
        >>> table.dp.independence_test().df
        1
        """
        return independence_test(self._frame, likelihood, pvalue, replicates, seed)

    def log_linear_test(
        self,
        margins: Sequence[str | Sequence[str]],
        pvalue: str = "auto",
        *,
        replicates: int = REPLICATES,
        seed: int | np.random.Generator | None = None,
    ) -> TestResult:
        """Whether a table needs no interaction but those within these margins, `[("a", "b"), ("b", "c")]`.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> rows = pd.DataFrame({"a": ["x", "x", "y", "y"] * 100, "b": ["u", "v", "u", "v"] * 100})
        >>> people = pdp.Session(epsilon=10).protect(rows)
        >>> table = people.dp.value_counts(categories={"a": ["x", "y"], "b": ["u", "v"]}, epsilon=5)
        >>> table.dp.log_linear_test([["a"], ["b"]]).df
        1
        """
        return log_linear_test(self._frame, margins, pvalue, replicates, seed)

    def goodness_of_fit(
        self,
        expected: float | Mapping[Any, float] | Sequence[float] | pd.Series,
        *,
        total: int | None = None,
        alternative: str = "two-sided",
        pvalue: str = "auto",
        replicates: int = REPLICATES,
        seed: int | np.random.Generator | None = None,
    ) -> TestResult:
        """Whether the cells have these probabilities, the noise taken into account.

        A single count is taken as a binomial of `total` rows, by default the public number of rows, and tested exactly;
        with `alternative="greater"` or "less" in one direction, by P(binomial + noise >= count), or <=.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> people = pdp.Session(epsilon=10).protect(pd.DataFrame({"sex": ["f", "m"] * 500}))
        >>> counts = people["sex"].dp.value_counts(categories=["f", "m"], epsilon=5)
        >>> counts.dp.goodness_of_fit([0.9, 0.1]).pvalue < 0.01
        True
        """
        return goodness_of_fit(self._frame, expected, total, alternative, pvalue, replicates, seed)

    def cramers_v(
        self, confidence: float = 0.95, *, replicates: int = REPLICATES, seed: int | np.random.Generator | None = None
    ) -> EstimateResult:
        """Cramér's V of the population and its interval, the noise taken into account.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> rows = pd.DataFrame({"sex": ["f", "m"] * 500, "vote": ["yes", "no"] * 500})
        >>> people = pdp.Session(epsilon=1e6).protect(rows)  # so much that there is no noise to see
        >>> declared = {"sex": ["f", "m"], "vote": ["yes", "no"]}
        >>> table = people.dp.crosstab("sex", "vote", categories=declared, epsilon=1000)
        >>> round(table.dp.cramers_v().estimate, 2)
        1.0
        """
        return cramers_v(self._frame, confidence, replicates, seed)

    def odds_ratio(
        self, confidence: float = 0.95, *, replicates: int = REPLICATES, seed: int | np.random.Generator | None = None
    ) -> EstimateResult:
        """The odds ratio of a 2 × 2 table of the population and its interval, the noise taken into account.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> rows = pd.DataFrame({"sex": ["f", "f", "f", "m"] * 250, "vote": ["yes", "yes", "no", "no"] * 250})
        >>> people = pdp.Session(epsilon=1e6).protect(rows)  # so much that there is no noise to see
        >>> declared = {"sex": ["f", "m"], "vote": ["yes", "no"]}
        >>> table = people.dp.crosstab("sex", "vote", categories=declared, epsilon=1000)
        >>> result = table.dp.odds_ratio()
        >>> result.statistic, result.lower > 10
        ('odds ratio of sex and vote', True)
        """
        return odds_ratio(self._frame, confidence, replicates, seed)
