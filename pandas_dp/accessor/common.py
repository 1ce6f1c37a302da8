"""The questions that a column, a table and a grouping have in common: one number for each column in each cell."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Unpack

from ..release import Release
from .hints import about_question, offered_by
from .keywords import Keywords, with_keywords_named


@with_keywords_named
class CommonQuestions(ABC):
    """Each method asks for one statistic of each column: of a Series, of a table, or in each cell of a grouping."""

    if not TYPE_CHECKING:  # a name that there is not is an error to them

        def __getattr__(self, name: str) -> Any:
            if name.startswith("_"):
                raise AttributeError(name)
            offered = offered_by(type(self))
            raise AttributeError(
                f"{self._what} has no {name!r}{about_question(name, offered)}; it offers {', '.join(offered)}.",
                name=name,
                obj=self,
            )

    def __repr__(self) -> str:
        return f"<{self._what}: {', '.join(offered_by(type(self)))}>"

    @property
    @abstractmethod
    def _what(self) -> str:
        """The face as a sentence names it."""

    @abstractmethod
    def _each(self, statistic: str, keywords: Keywords, **how: Any) -> Release: ...

    def count(self, **keywords: Unpack[Keywords]) -> Release:
        """The number of values; public, and free, for whole columns declared without missing values.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(epsilon=1e9)  # so much that there is no noise to see
        >>> people = session.protect(pd.DataFrame({"age": [31, 54, 47] * 333}))
        >>> people["age"].dp.count(epsilon=1000)["count"].item()
        999
        """
        return self._each("count", keywords)

    def sum(self, **keywords: Unpack[Keywords]) -> Release:
        """The sum, values clamped to their bounds.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(epsilon=1e9)  # so much that there is no noise to see
        >>> people = session.protect(pd.DataFrame({"age": [31, 54, 47] * 333}))
        >>> people["age"].dp.sum(epsilon=1e6, bounds=(0, 100)).round(1).iloc[0].tolist()
        [43956.0, 0.0, 43956.0, 43956.0]
        """
        return self._each("sum", keywords)

    def mean(self, **keywords: Unpack[Keywords]) -> Release:
        """The mean with the standard error and interval of the population's, which cost nothing more.

        The mean of a comparison is asked as `share`: a comparison keeps its column's name, and so its declared bounds.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(epsilon=1e9)  # so much that there is no noise to see
        >>> people = session.protect(pd.DataFrame({"age": [31, 54, 47] * 333}))
        >>> people["age"].dp.mean(epsilon=1e6, bounds=(0, 100)).round(1).iloc[0].tolist()
        [44.0, 0.3, 43.4, 44.6]
        """
        return self._each("mean", keywords)

    def share(self, **keywords: Unpack[Keywords]) -> Release:
        """The share of rows for which a condition holds, with its standard error and interval, between 0 and 1.

        The bounds are those of the question, whatever is declared of a column of that name. A number above one half is
        true, any other is false; what is missing is dropped, and counts one half where the column is declared
        complete.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(epsilon=10)
        >>> people = session.protect(pd.DataFrame({"sex": ["f", "m"] * 500, "income": [20_000, 40_000] * 500}))
        >>> (people["income"] > 30_000).dp.share(epsilon=1).columns.tolist()
        ['share', 'std_error', 'lower', 'upper']
        >>> rich = people.assign(rich=people["income"] > 30_000)
        >>> rich.dp.groupby("sex", categories=["f", "m"])["rich"].share(epsilon=1).index.tolist()
        ['f', 'm']
        """
        return self._each("share", keywords)

    def var(self, ddof: int = 1, **keywords: Unpack[Keywords]) -> Release:
        """The variance; `confint(target="population")` widens its interval by what a fourth moment could add.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(epsilon=1e9)  # so much that there is no noise to see
        >>> people = session.protect(pd.DataFrame({"age": [31, 54, 47] * 333}))
        >>> people["age"].dp.var(epsilon=1e6, bounds=(0, 100))["var"].round(1).item()
        92.8
        """
        return self._each("var", keywords, ddof=ddof)

    def std(self, ddof: int = 1, **keywords: Unpack[Keywords]) -> Release:
        """The standard deviation.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(epsilon=1e9)  # so much that there is no noise to see
        >>> people = session.protect(pd.DataFrame({"age": [31, 54, 47] * 333}))
        >>> people["age"].dp.std(epsilon=1e6, bounds=(0, 100))["std"].round(1).item()
        9.6
        """
        return self._each("std", keywords, ddof=ddof)

    def sem(self, ddof: int = 1, **keywords: Unpack[Keywords]) -> Release:
        """The standard error of the mean of the rows, were they a random sample: std over the root of their number.

        `mean` shows a standard error beside it that has the noise of the mean, too.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> people = pdp.Session(epsilon=100).protect(pd.DataFrame({"age": [31, 54, 47, 18] * 250}))
        >>> people["age"].dp.sem(epsilon=100, bounds=(0, 100)).round(1)["sem"].item()
        0.4
        """
        return self._each("sem", keywords, ddof=ddof)

    def min(self, nth: int = 1, **keywords: Unpack[Keywords]) -> Release:
        """The least value, or one a few ranks inside where there are few rows for the noise.

        Under `model="idp"` and `"bdp"`, `nth=2` asks for the second least, and so on.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(epsilon=10)
        >>> people = session.protect(pd.DataFrame({"mark": [1, 3, 5] * 333}))
        >>> people["mark"].dp.min(epsilon=4, bounds=(1, 5)).iloc[0, 0].item()
        1.0
        """
        return self._each("min", keywords, nth=nth)

    def max(self, nth: int = 1, **keywords: Unpack[Keywords]) -> Release:
        """The greatest value, or one a few ranks inside where there are few rows for the noise.

        Under `model="idp"` and `"bdp"`, `nth=2` asks for the second greatest, and so on.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(epsilon=10)
        >>> people = session.protect(pd.DataFrame({"mark": [1, 3, 5] * 333}))
        >>> people["mark"].dp.max(epsilon=4, bounds=(1, 5)).iloc[0, 0].item()
        5.0
        """
        return self._each("max", keywords, nth=nth)

    def median(self, **keywords: Unpack[Keywords]) -> Release:
        """The median: a point of the declared grid, never an average of two.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(epsilon=10)
        >>> people = session.protect(pd.DataFrame({"age": [31, 54, 47] * 333}))
        >>> people["age"].dp.median(epsilon=4, bounds=(0, 100)).iloc[0, 0].item()
        47.0
        """
        return self._each("median", keywords)

    def iqr(self, **keywords: Unpack[Keywords]) -> Release:
        """The distance of the quartiles, with an interval that takes those of both.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(epsilon=10)
        >>> people = session.protect(pd.DataFrame({"age": [31, 54, 47] * 333}))
        >>> people["age"].dp.iqr(epsilon=4, bounds=(0, 100)).iloc[0, 0].item()
        23.0
        """
        return self._each("iqr", keywords)

    def nunique(self, **keywords: Unpack[Keywords]) -> Release:
        """How many declared categories, or how many points of the grid, occur.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(epsilon=1e9)  # so much that there is no noise to see
        >>> people = session.protect(pd.DataFrame({"age": [31, 54, 47] * 333}))
        >>> people["age"].dp.nunique(epsilon=1e6, bounds=(0, 100))["nunique"].item()
        3
        """
        return self._each("nunique", keywords)
