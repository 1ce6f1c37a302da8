"""How columns go together: covariances and correlations of a table, in each group, and of a column with another."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations_with_replacement
from typing import Any, Unpack

import pandas as pd

from ...core.arguments import is_whole
from ...core.door.asking import Asking, ColumnQuestions, TableQuestions
from ...core.door.keywords import Keywords
from ...core.label.layout import Layout
from ...core.label.release import Release
from ...core.lazy_import import named
from ...core.measure.cells import Cells, Variable
from ...core.plan.plan import Asked
from ...core.protect.mark import source_of
from ...errors import UnsupportedArgument, shown
from ...numeric.evidence_means import Bootstrap
from ...numeric.statistic_bootstrap import BootstrappedPair, checked_size
from ..statistic import PairTable
from .ask import square


class PairQuestions(TableQuestions):
    """How columns of a table go together, or of groups of its rows."""

    def cov(self, ddof: int = 1, **keywords: Unpack[Keywords]) -> Release:
        """The covariance matrix, over rows that have every value, all from one joint measurement; of groups one each.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(epsilon=1e9)  # so much that there is no noise to see
        >>> people = session.protect(pd.DataFrame({"age": [31, 54, 47] * 333, "size": [160, 170, 180] * 333}))
        >>> bounds = {"age": (0, 100), "size": (100, 250)}
        >>> people.dp.cov(epsilon=1e6, bounds=bounds).loc["age", "size"].round(1).item()
        53.4
        """
        check_ddof(ddof)
        return self._pairs("cov", keywords)

    def corr(self, method: str = "pearson", **keywords: Unpack[Keywords]) -> Release:
        """The correlation matrix (Pearson), over rows that have every value, all from one joint measurement; of groups
        one each, at the cost of one.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(epsilon=1e9)  # so much that there is no noise to see
        >>> people = session.protect(pd.DataFrame({"age": [31, 54, 47] * 333, "size": [160, 170, 180] * 333}))
        >>> bounds = {"age": (0, 100), "size": (100, 250)}
        >>> people.dp.corr(epsilon=1e6, bounds=bounds).loc["age", "size"].round(2).item()
        0.68
        """
        check_method(method)
        return self._pairs("corr", keywords)

    def _pairs(self, statistic: str, keywords: Keywords) -> Release:
        asking = self._asking(statistic, keywords)
        return release_pairs(asking, asking.cells(self._keys) if self._keys else Cells())


class PairsOfColumn(ColumnQuestions):
    """How a column goes together with another of its table."""

    _made: Any = None  # a scanned column, which stands for no rows of pandas

    def cov(  # type: ignore[misc]  # `other` is pandas' word, and nothing is sorted into other categories here
        self, other: Any, ddof: int = 1, **keywords: Unpack[Keywords]
    ) -> Release:
        """The covariance with another column of the same table, over rows that have both, with its interval.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(epsilon=1e9)  # so much that there is no noise to see
        >>> people = session.protect(pd.DataFrame({"age": [31, 54, 47] * 333, "size": [160, 170, 180] * 333}))
        >>> bounds = {"age": (0, 100), "size": (100, 250)}
        >>> people["age"].dp.cov(people["size"], epsilon=1e6, bounds=bounds)["cov"].round(1).item()
        53.4
        """
        check_ddof(ddof)
        return self._with("cov", other, keywords)

    def corr(  # type: ignore[misc]  # `other` is pandas' word, and nothing is sorted into other categories here
        self, other: Any, method: str = "pearson", **keywords: Unpack[Keywords]
    ) -> Release:
        """The correlation (Pearson) with another column of the same table, over rows that have both, with its interval.

        Parameters
        ----------
        other : column
            Of the same protected table, or made of it row by row: `people["size"]`.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(epsilon=1e9)  # so much that there is no noise to see
        >>> people = session.protect(pd.DataFrame({"age": [31, 54, 47] * 333, "size": [160, 170, 180] * 333}))
        >>> bounds = {"age": (0, 100), "size": (100, 250)}
        >>> people["age"].dp.corr(people["size"], epsilon=1e6, bounds=bounds).round(2).iloc[0].tolist()
        [0.68, 0.0, 0.68, 0.68]
        """
        check_method(method)
        return self._with("corr", other, keywords)

    def _with(self, statistic: str, other: Any, keywords: Any) -> Release:
        asking = beside(self._series if self._made is None else self._made, other, statistic)._asking(
            statistic, keywords
        )
        variables = tuple(asking.number(column) for column in asking.columns)
        label = pd.Index([" and ".join(map(str, asking.columns))])
        part = Asked(None, PairTable(variables, statistic == "corr", single=True))
        return asking.release([part], Layout(label, None, "measures"))


def beside(column: Any, other: Any, statistic: str) -> Any:
    """The questions of a table of two columns of the same rows."""
    mine = hasattr(column, "rows") or source_of(column) is not None
    if not mine or not (hasattr(other, "rows") or source_of(other) is not None):
        raise UnsupportedArgument(
            f"{statistic} takes another column of the same protected table, e.g. df['x'].dp.{statistic}(df['y']); of a "
            f"table there is df[['x', 'y']].dp.{statistic}().",
            argument="other",
        )
    return named("pandas:concat")([column, other], axis=1).dp


def check_ddof(ddof: object) -> None:
    if not is_whole(ddof) or ddof != 1:
        raise UnsupportedArgument(f"cov takes ddof=1 only, not {shown(ddof)}.", argument="ddof")


def check_method(method: object) -> None:
    if method != "pearson":
        raise UnsupportedArgument(
            "corr takes method='pearson'; for the correlation of ranks release these first, ranked = "
            "df.dp.rank(['x', 'y']), and ask ranked[['x', 'y']].dp.corr().",
            argument="method",
        )


def release_pairs(asking: Asking, cells: Cells) -> Release:
    """A square table in each cell, from one joint measurement; with `bootstrap=` a row for each pair."""
    variables = tuple(asking.number(column) for column in asking.columns)
    if len(variables) < 2:
        raise UnsupportedArgument(f"{asking.statistic} needs two columns or more.")
    how = asking.read.request.bootstrap
    if how is not None and asking.statistic == "cov" and not cells.keys:
        return _pair_by_pair(asking, variables, how)
    part = Asked(None, PairTable(variables, asking.statistic == "corr", cells=cells))
    return asking.release([part], square(asking.columns, cells))


def _pair_by_pair(asking: Asking, variables: Sequence[Variable], how: Bootstrap) -> Release:
    """Covariances with the error of sampling, a row for each pair."""
    if how.resample == "moments":
        raise UnsupportedArgument(
            "cov takes no bootstrap= by moments; resample='weights' or 'half-sample' can.", argument="bootstrap"
        )
    size = checked_size(how, asking.public, *variables)
    pairs = list(combinations_with_replacement(variables, 2))
    parts = [Asked(first.column, BootstrappedPair(first, second, how, size)) for first, second in pairs]
    rows = pd.MultiIndex.from_tuples([(first.column, second.column) for first, second in pairs])
    return asking.release(parts, Layout(rows, None, "measures"))
