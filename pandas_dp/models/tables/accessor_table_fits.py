"""`.dp` of a regression of a table: tests of its coefficients, ratios."""

from __future__ import annotations

from typing import Any, ClassVar

import pandas as pd

from ...core.conclude.results import Summary, TestResult
from ...core.door.hints import with_arguments_named
from ...core.door.released import ReleaseAccessor
from ...errors import UnsupportedArgument
from . import conclude as tables
from .conclude import table_summary


@with_arguments_named
class TableFitAccessor(ReleaseAccessor):
    """Conclusions from a regression of a table of counts.

    Examples
    --------
    >>> import pandas as pd, pandas_dp as pdp
    >>> session = pdp.Session(rho=1e12)  # so much that there is no noise to see
    >>> rows = pd.DataFrame({"sex": ["f", "f", "f", "m"] * 250, "vote": ["yes", "no"] * 500})
    >>> declared = {"sex": ["f", "m"], "vote": ["no", "yes"]}
    >>> table = session.protect(rows).dp.crosstab("sex", "vote", categories=declared, rho=1e9)
    >>> fit = table.dp.logit("vote")
    >>> fit.dp.anova()["df"].to_dict(), fit.dp.wald_test(["C(sex)[T.m]"]).pvalue < 0.001
    ({'C(sex)': 1}, True)
    """

    own: ClassVar[tuple[str, ...]] = ("wald_test", "anova", "ratios", "summary")

    def wald_test(self, hypothesis: Any, *, target: str | None = None) -> TestResult:
        """Whether coefficients are all zero, or have the values of a mapping, all of them together.

        Parameters
        ----------
        hypothesis : list of coefficients, or a mapping from coefficient to its value
        target : "population" or "sample", optional
            The population that the rows are a random sample of, or the rows in the data.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(rho=1e12)  # so much that there is no noise to see
        >>> rows = pd.DataFrame({"sex": ["f", "m"] * 500, "vote": ["yes", "yes", "no", "no"] * 250})
        >>> declared = {"sex": ["f", "m"], "vote": ["no", "yes"]}
        >>> table = session.protect(rows).dp.crosstab("sex", "vote", categories=declared, rho=1e9)
        >>> table.dp.logit("vote").dp.wald_test({"Intercept": 0, "C(sex)[T.m]": 0}).df
        2
        """
        return tables.wald_test(self._frame, hypothesis, target)

    def anova(self, target: str | None = None) -> pd.DataFrame:
        """Of each term whether all its coefficients are zero, beside the other terms: df, statistic, p value.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(rho=1e12)  # so much that there is no noise to see
        >>> rows = pd.DataFrame({"sex": ["f", "m"] * 500, "vote": ["yes", "yes", "no", "no"] * 250})
        >>> declared = {"sex": ["f", "m"], "vote": ["no", "yes"]}
        >>> table = session.protect(rows).dp.crosstab("sex", "vote", categories=declared, rho=1e9)
        >>> table.dp.logit("vote").dp.anova().columns.tolist()
        ['df', 'statistic', 'p_value']
        """
        return tables.anova(self._frame, target)

    def ratios(self, confidence: float = 0.95, *, target: str | None = None) -> pd.DataFrame:
        """The exponentials of the coefficients with their intervals: ratios of odds, of Poisson means.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(rho=1e12)  # so much that there is no noise to see
        >>> rows = pd.DataFrame({"sex": ["f", "f", "m"] * 300, "vote": ["yes", "no", "no"] * 300})
        >>> rows.loc[:299, "vote"] = "yes"
        >>> declared = {"sex": ["f", "m"], "vote": ["no", "yes"]}
        >>> table = session.protect(rows).dp.crosstab("sex", "vote", categories=declared, rho=1e9)
        >>> table.dp.logit("vote").dp.ratios()["ratio"].round(2).to_dict()
        {'Intercept': 2.0, 'C(sex)[T.m]': 0.25}
        """
        return tables.ratios(self._frame, confidence, target)

    def summary(self) -> Summary:
        """The regression as statistics programs print it; `print(fit.dp.summary())`.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(rho=1e12)  # so much that there is no noise to see
        >>> rows = pd.DataFrame({"sex": ["f", "m"] * 500, "vote": ["yes", "yes", "no", "no"] * 250})
        >>> declared = {"sex": ["f", "m"], "vote": ["no", "yes"]}
        >>> table = session.protect(rows).dp.crosstab("sex", "vote", categories=declared, rho=1e9)
        >>> "P>|z|" in table.dp.logit("vote").dp.summary()
        True
        """
        return table_summary(self._frame)

    def contrast(
        self,
        first: Any,
        second: Any = None,
        *,
        kind: str = "difference",
        confidence: float = 0.95,
        target: str | None = None,
        samples: str | None = None,
    ) -> pd.DataFrame:
        """The difference of two coefficients, by the labels of their rows, or of two regressions number by number.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(rho=1e12)  # so much that there is no noise to see
        >>> rows = pd.DataFrame({"k": ["a", "b", "c"] * 300, "vote": ["yes", "no", "no", "yes"] * 225})
        >>> declared = {"k": ["a", "b", "c"], "vote": ["no", "yes"]}
        >>> table = session.protect(rows).dp.crosstab("k", "vote", categories=declared, rho=1e9)
        >>> table.dp.logit("vote").dp.contrast("C(k)[T.b]", "C(k)[T.c]").index.tolist()
        ['C(k)[T.b] - C(k)[T.c]']
        """
        if isinstance(first, pd.DataFrame) or second is None or samples is not None or kind != "difference":
            raise UnsupportedArgument(
                "contrast of a regression takes two of its coefficients and gives their difference; ratios() gives "
                "exponentials."
            )
        return tables.contrast(self._frame, first, second, confidence, target)

    def test(self, value: Any, *, confidence: float = 0.95, target: str | None = None) -> pd.DataFrame:
        """Each coefficient against a given value: its set, the statistic, and the p-value, two-sided.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(rho=1e12)  # so much that there is no noise to see
        >>> rows = pd.DataFrame({"sex": ["f", "m"] * 500, "vote": ["yes", "yes", "no", "no"] * 250})
        >>> declared = {"sex": ["f", "m"], "vote": ["no", "yes"]}
        >>> table = session.protect(rows).dp.crosstab("sex", "vote", categories=declared, rho=1e9)
        >>> bool((table.dp.logit("vote").dp.test(1)["p_value"] < 0.001).all())
        True
        """
        return tables.against(self._frame, value, confidence, target)
