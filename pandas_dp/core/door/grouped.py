"""`DataFrame.dp.groupby(...)`: statistics in every declared cell; all cells together cost as much as one."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from math import prod
from typing import TYPE_CHECKING, Any, Unpack

import pandas as pd

from ...errors import UnsupportedArgument
from ...models.moments.ask import MomentQuestions
from ...models.moments.ask_pairs import PairQuestions
from ...models.ols.ask import Regressions
from ...numeric.ask import AsksRatios, asked_together, normalized, read_normalize
from ...quantiles.ask import MOST_SHOWN
from ...views.ask import GroupedPictures
from ..label.label import cell_labels
from ..label.layout import Layout, Style
from ..label.release import Release
from ..measure.cells import Cells
from ..measure.statistic import offered
from ..plan.plan import Asked
from ..protect.session_lookup import measured_columns
from ..schema.values import Breaks
from .asking import Asking, estimator
from .importance import Aggregates, Importance
from .keywords import Keywords, edges_of
from .series import CommonQuestions

if TYPE_CHECKING:
    from .keys import Keyed


class GroupedAccessor(AsksRatios, MomentQuestions, PairQuestions, Regressions, GroupedPictures, CommonQuestions):
    """Statistics of the chosen columns, or of all that are not keys, in each cell.

    Examples
    --------
    >>> import pandas as pd, pandas_dp as pdp
    >>> session = pdp.Session(epsilon=1e9)  # so much that there is no noise to see
    >>> people = session.protect(pd.DataFrame({"sex": ["f", "m"] * 500, "age": [31, 54] * 500}))
    >>> by_sex = people.dp.groupby("sex", categories=["f", "m"])
    >>> by_sex["age"].mean(epsilon=1e6, bounds=(0, 100))["mean"].round(1).to_dict()
    {'f': 31.0, 'm': 54.0}
    """

    def __init__(self, keys: Keyed, chosen: Any, declared: Mapping[str, Any], as_index: bool = True) -> None:
        self._keyed, self._frame, self._keys = keys, keys.frame, keys.names
        self._chosen, self._declared, self._as_index = chosen, declared, as_index

    def __getitem__(self, columns: Any) -> GroupedAccessor:
        if isinstance(columns, tuple) and columns not in self._frame.columns:
            raise UnsupportedArgument("several columns are chosen by a list: groupby(...)[['x', 'y']].")
        return GroupedAccessor(self._keyed, columns, self._declared, self._as_index)

    def _answered(self, answer: Any) -> Any:
        """Keys under their own names, and as columns where that was asked for."""
        if not isinstance(answer, pd.DataFrame):  # a picture
            return answer
        called: Any = self._keyed.called
        if called and answer.index.names != [None]:
            answer = answer.rename_axis(index=called)
        return answer if self._as_index else answer.reset_index(allow_duplicates=True)

    @property
    def _what(self) -> str:
        return f".dp.groupby of {', '.join(map(repr, self._keys))}"

    def size(self, **keywords: Unpack[Keywords]) -> Release:
        """The number of rows in each cell.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(epsilon=1e9)  # so much that there is no noise to see
        >>> people = session.protect(pd.DataFrame({"sex": ["f", "m"] * 500, "age": [31, 54] * 500}))
        >>> by_sex = people.dp.groupby("sex", categories=["f", "m"])
        >>> by_sex.size(epsilon=1000)["size"].to_dict()
        {'f': 500, 'm': 500}
        """
        asking = self._asking("size", keywords, [])
        cells = asking.cells(self._keys)
        part = Asked(None, estimator(asking, "size", None, cells))
        return asking.release([part], Layout(cell_labels(cells), pd.Index(["size"]), "estimates"))

    def value_counts(self, normalize: bool = False, **keywords: Unpack[Keywords]) -> Release:
        """Counts of the declared categories of the chosen column in each cell; with `normalize` their shares within it.

        `categories=` of the question is of that column, or a mapping. Of several columns all combinations are counted.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(epsilon=1e9)  # so much that there is no noise to see
        >>> people = session.protect(pd.DataFrame({"sex": ["f", "m"] * 500, "vote": ["yes", "no", "no", "no"] * 250}))
        >>> by_sex = people.dp.groupby("sex", categories=["f", "m"])
        >>> by_sex["vote"].value_counts(normalize=True, categories=["yes", "no"], epsilon=1e6)["proportion"].round(3)
        sex  vote
        f    yes     0.5
             no      0.5
        m    yes     0.0
             no      1.0
        Name: proportion, dtype: float64
        """
        of = read_normalize("value_counts", normalize, keywords)
        keys = [*self._keys, *self._columns]
        sorts: Any = {**keywords, "categories": self._sorted(keywords.get("categories"))}
        asking = self._asking("value_counts", sorts, [], keys, counts_keys=True)
        groups = prod(asking.key(key).size for key in self._keys)
        return normalized(self._counted(asking, asking.cells(keys)), of and "index", groups)

    def histogram(self, bins: int | Sequence[float] = 10, **keywords: Unpack[Keywords]) -> Release:
        """Counts in bins of the chosen column in each cell: of equal width over the declared range, or between edges.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(epsilon=1e9)  # so much that there is no noise to see
        >>> people = session.protect(pd.DataFrame({"sex": ["f", "m"] * 500, "age": [31, 54] * 500}))
        >>> by_sex = people.dp.groupby("sex", categories=["f", "m"])
        >>> by_sex["age"].histogram([0, 40, 100], epsilon=1000, bounds=(0, 100))["count"].tolist()
        [500, 0, 0, 500]
        """
        column = self._single("histogram")
        asking = self._asking("histogram", keywords, [column])
        edges = edges_of(asking.domain, column, bins, MOST_SHOWN)
        keys = tuple(asking.key(key) for key in self._keys)
        return self._counted(asking, asking.in_reason(Cells((*keys, asking.bins(column, Breaks(edges))))))

    def quantile(self, q: float | Sequence[float] = 0.5, **keywords: Unpack[Keywords]) -> Release:
        """A quantile in each cell, or several: a column for each variable and each q.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> people = pdp.Session(epsilon=10).protect(pd.DataFrame({"sex": ["f", "m"] * 500, "age": [31, 54] * 500}))
        >>> by_sex = people.dp.groupby("sex", categories=["f", "m"])
        >>> by_sex["age"].quantile(0.9, epsilon=9, bounds=(0, 100))["quantile"].to_dict()
        {'f': 31.0, 'm': 54.0}
        >>> by_sex["age"].quantile([0.1, 0.9], epsilon=1, bounds=(0, 100)).columns.tolist()
        [('age', 0.1), ('age', 0.9)]
        """
        return self._quantiles(q, keywords)

    def describe(self, *, importance: Importance | None = None, **keywords: Unpack[Keywords]) -> Release:
        """Count, mean, standard deviation, least, quartiles and greatest in each cell: a column for each of them.

        Parameters
        ----------
        importance : mapping, optional
            As of `agg`.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(epsilon=1e9)  # so much that there is no noise to see
        >>> people = session.protect(pd.DataFrame({"sex": ["f", "m"] * 500, "age": [31, 54] * 500}))
        >>> by_sex = people.dp.groupby("sex", categories=["f", "m"])
        >>> by_sex["age"].describe(epsilon=1e6, bounds=(0, 100))[("age", "mean")].round(1).to_dict()
        {'f': 31.0, 'm': 54.0}
        """
        return self._described(keywords, importance)

    def agg(self, func: Any = None, *, importance: Importance | None = None, **named: Any) -> Release:
        """Several statistics as one release: a name, a list, a mapping from column to either, or `new=(column, name)`.

        Columns of the result are (variable, statistic, measure).

        Parameters
        ----------
        func : name, list of names, or mapping from column to either
        importance : mapping from a column, a statistic or a pair of both to a number, optional
            1 for what it does not name; with 4 the variance that noise brings is about a quarter of that of others.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(epsilon=1e9)  # so much that there is no noise to see
        >>> people = session.protect(pd.DataFrame({"sex": ["f", "m"] * 500, "age": [31, 54] * 500}))
        >>> by_sex = people.dp.groupby("sex", categories=["f", "m"])
        >>> by_sex.agg(average=("age", "mean"), epsilon=1e6, bounds=(0, 100)).columns.tolist()
        [('average', 'mean'), ('average', 'std_error'), ('average', 'lower'), ('average', 'upper')]
        """
        single = self._chosen is not None and not isinstance(self._chosen, list) and func is None
        return self._aggregated(Aggregates.read(func, named, self._columns, of_one=single), importance)

    def _each(self, statistic: str, keywords: Keywords, **how: Any) -> Release:
        asking = self._asking(statistic, keywords)
        cells = asking.cells(self._keys)
        parts = [Asked(c, estimator(asking, statistic, c, cells, **how)) for c in asking.columns]
        parts = asked_together(asking, parts)
        single = self._chosen is not None and not isinstance(self._chosen, list)
        style: Style = "measures" if offered()[statistic].shows_error else "estimates"
        titles = None if single and style == "measures" else pd.Index(asking.columns)
        return asking.release(parts, Layout(cell_labels(cells), titles, style))

    def _counted(self, asking: Asking, cells: Cells) -> Release:
        layout = Layout(cell_labels(cells), pd.Index(["count"]), "estimates")
        return asking.release([Asked(None, asking.counted(cells))], layout)

    def _sorted(self, given: Any) -> Any:
        """Categories by column: a list of the grouping is of its keys, one of the question of the columns chosen."""
        found: dict[Hashable, Any] = {}
        for values, names in ((self._declared.get("categories"), self._keys), (given, self._columns)):
            if values is not None:
                found.update(values if isinstance(values, Mapping) else dict.fromkeys(names, values))
        return found or None

    def _single(self, statistic: str) -> Hashable:
        """The only column that was chosen."""
        if len(self._columns) != 1:
            raise UnsupportedArgument(f"{statistic} is of one column; choose it, groupby(...)['x'].{statistic}(...).")
        return self._columns[0]

    @property
    def _columns(self) -> list[Hashable]:
        if self._chosen is None:
            return [column for column in measured_columns(self._frame) if column not in self._keys]
        return list(self._chosen) if isinstance(self._chosen, list) else [self._chosen]
