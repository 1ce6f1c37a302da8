"""Tests that look at rows, made of their keywords: which groups, which pairs, which value; refused before paying."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, Unpack

import pandas as pd

from ..core.arguments import a_flag, is_number
from ..core.door.asking import Asking, Data, TableQuestions
from ..core.door.keywords import Keywords
from ..core.label.layout import Layout
from ..core.label.release import Release
from ..core.measure.cells import Cells, Key
from ..core.measure.statistic import Estimator
from ..core.plan.plan import Asked
from ..errors import BadArgument, UnsupportedArgument, shown
from .measure import Gap
from .statistic import ManyRanks, MeanAgainst, PairedMeans, SignedRanks, TwoDistributions, TwoMeans, TwoRanks


def t_test(data: Data, y: Any, by: Any, value: Any, paired: Any, equal_var: Any, keywords: Keywords) -> Release:
    """Of two groups, of pairs, or of one mean."""
    alike = a_flag("equal_var", equal_var)
    _one_way("t_test", y, by, paired, value)
    if paired is not None:
        asking = _asking(data, "t_test", _two(paired), [], keywords)
        part: Estimator = PairedMeans(_gap(asking), _number(0 if value is None else value))
        return _paired(asking, part)
    if by is None:
        asking = _asking(data, "t_test", [y], [], keywords)
        against = _number(value)
        return _released(asking, y, MeanAgainst(asking.number(y).for_sums, against), pd.Index([y]))
    asking = _asking(data, "t_test", [y], [by], keywords)
    group = _two_groups(asking, by)
    return _released(
        asking, y, TwoMeans(asking.number(y).for_sums, group, "equal" if alike else "own"), _versus(by, group)
    )


def rank_test(data: Data, y: Any, by: Any, paired: Any, keywords: Keywords) -> Release:
    """Of two groups, of more, or of pairs."""
    _one_way("rank_test", y, by, paired, None)
    if paired is not None:
        asking = _asking(data, "rank_test", _two(paired), [], keywords)
        return _paired(asking, SignedRanks(_gap(asking).for_ranks))
    if by is None:
        raise BadArgument(
            "rank_test compares groups or pairs: say by= with a column of groups, or paired=('before', 'after'); "
            "against a number, assign a column that holds it and pair the two.",
            argument="by",
        )
    asking = _asking(data, "rank_test", [y], [by], keywords)
    group = _group(asking, by)
    if group.size == 2:
        return _released(asking, y, TwoRanks(asking.number(y), group), _versus(by, group))
    part = ManyRanks(asking.number(y), asking.in_reason(Cells((group,))))
    return _released(asking, y, part, pd.Index([", ".join(map(str, _names(group)))], name=by))


def ks_test(data: Data, y: Any, by: Any, keywords: Keywords) -> Release:
    """Of two groups."""
    asking = _asking(data, "ks_test", [y], [by], keywords)
    variable, group = asking.number(y), _two_groups(asking, by)
    return _released(asking, y, TwoDistributions(variable, group, _is_complete(asking, y, by)), _versus(by, group))


def _is_complete(asking: Asking, y: Hashable, by: Hashable) -> bool:
    """Whether a public number of rows has a value each, and is in one of two groups."""
    public = asking.public.size is not None and asking.public.unit is None and asking.read.categories is None
    return public and not any(asking.domain.may_lack(name) for name in (y, by))


def _asking(
    data: Data, statistic: str, columns: Sequence[Hashable], keys: Sequence[Hashable], keywords: Keywords
) -> Asking:
    asking = Asking(data, statistic, keywords, columns=columns, keys=keys)
    if asking.read.other:
        raise UnsupportedArgument(f"{statistic} compares declared groups; leave other= out.", argument="other")
    return asking


def _one_way(statistic: str, y: Any, by: Any, paired: Any, value: Any) -> None:
    """One of two groups, pairs and a value."""
    given = {"by": by is not None, "paired": paired is not None}
    if all(given.values()) or (paired is not None and y is not None):
        raise BadArgument(
            f"{statistic} was given both a column and pairs; name the two columns in paired= alone, e.g. "
            "paired=('before', 'after').",
            argument="paired",
        )
    if paired is None and y is None:
        raise BadArgument(f"{statistic} needs a column, or paired=('before', 'after').", argument="y")
    if by is not None and value is not None:
        raise BadArgument(
            f"{statistic} compares two groups, by=, or one mean with a number, value=; leave one out.", argument="value"
        )
    if statistic == "t_test" and not any(given.values()) and value is None:
        raise BadArgument(
            "t_test compares groups, pairs, or one mean with a number: say by=, paired=('before', 'after') or value=.",
            argument="by",
        )


def _two(paired: Any) -> list[Hashable]:
    if isinstance(paired, tuple | list) and len(paired) == 2:
        return list(paired)
    raise BadArgument("paired= takes two columns of the table, e.g. paired=('before', 'after').", argument="paired")


def _number(value: Any) -> float:
    if isinstance(value, bool) or not is_number(value) or not abs(float(value)) < float("inf"):
        raise BadArgument(f"value= must be a finite number, not {shown(value)}.", argument="value")
    return float(value)


def _gap(asking: Asking) -> Gap:
    first, second = (asking.number(column).for_sums for column in asking.columns)
    return Gap(first, second)


def _group(asking: Asking, by: Hashable) -> Key:
    (group,) = asking.cells([by]).keys
    if group.size < 2:
        raise BadArgument(f"column {by!r} declares one category, and a test needs two groups or more.", argument="by")
    return group


def _two_groups(asking: Asking, by: Hashable) -> Key:
    group = _group(asking, by)
    if group.size > 2:
        names = list(_names(group)[:2])
        raise BadArgument(
            f"{asking.statistic} compares two groups, and column {by!r} declares {group.size}; choose two, "
            f"categories={{{by!r}: {names!r}}}, use rank_test, or ask for groupby({by!r}).mean and its anova_test.",
            argument="by",
        )
    return group


def _names(group: Key) -> tuple[Hashable, ...]:
    assert hasattr(group.labels, "values")
    names: tuple[Hashable, ...] = group.labels.values
    return names


def _versus(by: Hashable, group: Key) -> pd.Index:
    first, second = _names(group)
    return pd.Index([f"{second} - {first}"], name=by)


def _paired(asking: Asking, part: Estimator) -> Release:
    first, second = asking.columns
    return _released(asking, second, part, pd.Index([f"{second} - {first}"]))


def _released(asking: Asking, column: Hashable, part: Estimator, rows: pd.Index) -> Release:
    return asking.release([Asked(column, part)], Layout(rows, None, "measures"))


class PaidTests(TableQuestions):
    """Tests that look at rows: each a release of one row."""

    def t_test(
        self,
        y: Hashable = None,
        by: Hashable = None,
        *,
        value: float | None = None,
        paired: tuple[Hashable, Hashable] | None = None,
        equal_var: bool = True,
        **keywords: Unpack[Keywords],
    ) -> Release:
        """Whether the means of two groups, or of two columns of the same rows, or a mean and a number, are equal.

        Parameters
        ----------
        y : column
            Of numbers, with declared bounds.
        by : column, optional
            With two declared categories; the estimate is the mean of the second less that of the first.
        value : number, optional
            Against which one mean is tested; of pairs their mean difference, 0 unless given.
        paired : two columns, optional
            In place of `y`: the second less the first, row by row.
        equal_var : bool
            Whether both groups are taken to spread alike. False is Welch's test, from the same released sums.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> rows = pd.DataFrame({"wage": [20, 30, 25, 40] * 50, "union": [False, True, False, True] * 50})
        >>> people = pdp.Session(rho=1e9).protect(rows)  # so much that there is no noise to see
        >>> test = people.dp.t_test("wage", by="union", bounds={"wage": (0, 120)},
        ...                         categories={"union": [False, True]}, rho=1e6)
        >>> test["estimate"].round(1).to_dict(), bool(test["p_value"].item() < 0.001)
        ({'True - False': 12.5}, True)
        """
        return t_test(self._frame, y, by, value, paired, equal_var, keywords)

    def rank_test(
        self,
        y: Hashable = None,
        by: Hashable = None,
        *,
        paired: tuple[Hashable, Hashable] | None = None,
        **keywords: Unpack[Keywords],
    ) -> Release:
        """Whether values of one group are greater as often as not (Wilcoxon, Mann and Whitney), or of several groups
        (Kruskal and Wallis), or of pairs (signed ranks).

        For a fifth of the cost it learns about how many rows are below each value, in bins that are narrow around a
        value in the middle; the rest compares these ranks. So a range may be declared far too wide where the cost is
        in rho. The distances of pairs are counted in bins that are narrow near 0, whatever the cost is in. Values of
        the same bin count as equal. Of two groups
        the estimate is the probability that a value of the second is greater than one of the first, equal ones counting
        half; of pairs the mean signed rank, between about -.5 and .5; of several groups the share of the ranks'
        variance that lies between them.

        Parameters
        ----------
        y : column
            Of numbers, with declared bounds.
        by : column
            With two declared categories or more.
        paired : two columns, optional
            In place of `y` and `by`.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> rows = pd.DataFrame({"wage": [20, 30, 25, 40] * 50, "union": [False, True, False, True] * 50})
        >>> people = pdp.Session(rho=1e9).protect(rows)  # so much that there is no noise to see
        >>> test = people.dp.rank_test("wage", by="union", bounds={"wage": (0, 120)},
        ...                            categories={"union": [False, True]}, rho=1e6)
        >>> test["estimate"].round(2).to_dict()  # of the four pairs of values, all
        {'True - False': 1.0}
        """
        return rank_test(self._frame, y, by, paired, keywords)

    def ks_test(self, y: Hashable, by: Hashable, **keywords: Unpack[Keywords]) -> Release:
        """Whether two groups have the same distribution (Kolmogorov and Smirnov), nearly for the price of one count.

        The estimate is D, the greatest distance of the two distribution functions. A sixth of the cost is for the sizes
        of the groups. Rows without a value, or in neither group, do not count.

        Parameters
        ----------
        y : column
            Of numbers, with declared bounds.
        by : column
            With two declared categories.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> rows = pd.DataFrame({"wage": [20, 30] * 100, "union": [False, True] * 100})
        >>> people = pdp.Session(rho=1e9).protect(rows)  # so much that there is no noise to see
        >>> test = people.dp.ks_test("wage", by="union", bounds={"wage": (0, 120)},
        ...                          categories={"union": [False, True]}, rho=1e6)
        >>> test["estimate"].round(2).to_dict()
        {'True - False': 1.0}
        """
        return ks_test(self._frame, y, by, keywords)
