"""Tests of released tables of counts, and how strongly their keys depend on each other; the noise is allowed for."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from .. import conclusions
from ..conclusions import REPLICATES, EstimateResult, TestResult
from .hints import with_arguments_named


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
        return conclusions.independence_test(self._frame, likelihood, pvalue, replicates, seed)

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
        return conclusions.log_linear_test(self._frame, margins, pvalue, replicates, seed)

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
        return conclusions.goodness_of_fit(self._frame, expected, total, alternative, pvalue, replicates, seed)

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
        return conclusions.cramers_v(self._frame, confidence, replicates, seed)

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
        return conclusions.odds_ratio(self._frame, confidence, replicates, seed)
