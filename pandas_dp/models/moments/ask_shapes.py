"""Skewness and kurtosis, asked of a column, of a table or of groups."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

from ...core.door.keywords import Keywords, Questions
from ...core.label.release import Release


class ShapeQuestions(Questions):
    """How far values lie to one side, and how far out."""

    if TYPE_CHECKING:

        def _each(self, statistic: str, keywords: Keywords, **how: Any) -> Release: ...

    def skew(self, **keywords: Unpack[Keywords]) -> Release:
        """The skewness of the rows, without bias as pandas has it, and the interval of what noise may have done to it.

        It is told from sums of third powers, so bounds that are ten times too wide have a thousand times the noise: the
        interval is then all that so many rows can have.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> people = pdp.Session(epsilon=1e9).protect(pd.DataFrame({"cost": [1, 2, 2, 9] * 250}))  # no noise to see
        >>> people["cost"].dp.skew(epsilon=1e6, bounds=(0, 10)).round(2).iloc[0].tolist()
        [1.1, 1.1, 1.1]
        """
        return self._each("skew", keywords)

    def kurt(self, **keywords: Unpack[Keywords]) -> Release:
        """The excess kurtosis of the rows, without bias as pandas has it, likewise from sums of fourth powers.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> people = pdp.Session(epsilon=1e9).protect(pd.DataFrame({"cost": [1, 2, 2, 9] * 250}))  # no noise to see
        >>> people["cost"].dp.kurt(epsilon=1e6, bounds=(0, 10)).round(1).iloc[0].tolist()
        [-0.7, -0.7, -0.7]
        """
        return self._each("kurt", keywords)
