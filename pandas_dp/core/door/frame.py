"""`.dp`: the ordinary questions about a table; of a released table its conclusions, of a Series its own questions."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Unpack

import pandas as pd

from ...comparisons.ask import PaidTests
from ...derive.ask import Derivations
from ...errors import NoCategories, UnsupportedArgument
from ...keys.ask import FindsKeys, counts_of_found, refuse_found_only
from ...learning.ask import Learning
from ...models.moments.ask import MomentQuestions
from ...models.moments.ask_pairs import PairQuestions
from ...models.ols.ask import Regressions
from ...numeric.ask import AsksRatios, normalized, read_normalize, sorted_by
from ...people.ask import PeopleAccessor
from ...survival.ask import Survivals
from ...synthetic.ask_synthesized import Synthesizing
from ...tables import ask_crossed
from ...tables.ask_marginals import MarginalQuestions
from ...tables.ask_margins import Crossed
from ...tools.ask import Tools
from ...views.ask import TablePictures
from ..arguments import a_flag, key_names
from ..label.label import cell_labels
from ..label.layout import Layout
from ..label.release import Release
from ..lazy_import import named as named_lazily
from ..measure.cells import Cells
from ..plan.plan import Asked
from ..protect.mark import origin_of, source_of
from .asking import check_column, estimator
from .grouped import GroupedAccessor
from .importance import Aggregates, Importance
from .keywords import Keywords, is_read, read, unknown
from .series import CommonQuestions


class FrameAccessor(
    FindsKeys,
    AsksRatios,
    CommonQuestions,
    MarginalQuestions,
    Derivations,
    PeopleAccessor,
    MomentQuestions,
    PairQuestions,
    Regressions,
    PaidTests,
    Survivals,
    Tools,
    Learning,
    Synthesizing,
    TablePictures,
):
    """Questions about a table. Each takes the keywords of `Keywords`, pays, and returns a `Release`.

    Statistics of several columns are one release at one cost, which the columns share equally.

    Examples
    --------
    >>> import pandas as pd, pandas_dp as pdp
    >>> people = pdp.Session(epsilon=10).protect(pd.DataFrame({"sex": ["f", "m"] * 500, "age": [31, 54] * 500}))
    >>> people.dp.value_counts(subset=["sex"], epsilon=1, categories=["f", "m"]).index.tolist()
    ['f', 'm']
    """

    def __init__(self, frame: pd.DataFrame) -> None:
        self._frame = frame

    @property
    def _what(self) -> str:
        return ".dp of a DataFrame"

    def __getitem__(self, columns: Any) -> Any:
        """The questions of a column, as of `df[name].dp`, or of some columns, as of `df[[name, other]].dp`."""
        return _parts_of(self._frame)[columns].dp

    def size(self, **keywords: Unpack[Keywords]) -> Release:
        """The number of rows; of a whole table free and exact where it is public.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> people = pdp.Session(epsilon=1e9).protect(pd.DataFrame({"sex": ["f", "m"] * 500}))
        >>> int(people[people["sex"] == "f"].dp.size(epsilon=1e6))
        500
        """
        asking = self._asking("size", keywords, [], counts_rows=True)
        part = Asked(None, estimator(asking, "size", None, Cells()))
        return asking.release([part], Layout(pd.Index(["size"]), None, "measures"))

    def quantile(self, q: float | Sequence[float] = 0.5, **keywords: Unpack[Keywords]) -> Release:
        """One quantile of each column, or several.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(epsilon=1e9)  # so much that there is no noise to see
        >>> people = session.protect(pd.DataFrame({"age": [31, 54, 47] * 333, "size": [160, 170, 180] * 333}))
        >>> bounds = {"age": (0, 100), "size": (100, 250)}
        >>> people.dp.quantile([0.1, 0.9], epsilon=1e6, bounds=bounds)["size"].to_dict()
        {0.1: 160.0, 0.9: 180.0}
        """
        return self._quantiles(q, keywords)

    def describe(self, *, importance: Importance | None = None, **keywords: Unpack[Keywords]) -> Release:
        """Count, mean, std, min, quartiles and max of each column under one cost that all share.

        Parameters
        ----------
        importance : mapping, optional
            As of `agg`.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(epsilon=10)
        >>> people = session.protect(pd.DataFrame({"age": [31, 54, 47] * 333, "size": [160, 170, 180] * 333}))
        >>> bounds = {"age": (0, 100), "size": (100, 250)}
        >>> people.dp.describe(epsilon=4, bounds=bounds).shape
        (8, 2)
        """
        return self._described(keywords, importance)

    def agg(self, func: Any = None, *, importance: Importance | None = None, **named: Any) -> Release:
        """Several statistics as one release: a name, a list, a mapping from column to either, or `new=(column, name)`.

        Parameters
        ----------
        func : name, list of names, or mapping from column to either
        importance : mapping from a column, a statistic or a pair of both to a number, optional
            1 for what it does not name; with 4 the variance that noise brings is about a quarter of that of others.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(epsilon=1e9)  # so much that there is no noise to see
        >>> people = session.protect(pd.DataFrame({"age": [31, 54, 47] * 333, "size": [160, 170, 180] * 333}))
        >>> bounds = {"age": (0, 100), "size": (100, 250)}
        >>> table = people.dp.agg({"age": ["mean", "sum"], "size": "mean"}, epsilon=1e6, bounds=bounds)
        >>> table["estimate"].round(1).tolist()
        [44.0, 43956.0, 170.0]
        """
        return self._aggregated(Aggregates.read(func, named, self._columns), importance)

    def value_counts(
        self,
        subset: Sequence[Hashable] | None = None,
        normalize: bool = False,
        sort: bool | None = None,
        ascending: bool | None = None,
        *,
        max_keys: int | None = None,
        spelling: str | None = None,
        **keywords: Unpack[Keywords],
    ) -> Release:
        """Counts of all combinations of the columns' declared categories, in their declared order, or their shares.

        Of one column, `max_keys`, `spelling` and `categories="unknown"` are as of a Series, and so are `sort` and
        `ascending`.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(epsilon=1e9)  # so much that there is no noise to see
        >>> people = session.protect(pd.DataFrame({"sex": ["f", "f", "m", "m"] * 250, "vote": ["yes", "no"] * 500}))
        >>> declared = {"sex": ["f", "m"], "vote": ["yes", "no"]}
        >>> people.dp.value_counts(categories=declared, epsilon=1000)["count"].tolist()
        [250, 250, 250, 250]
        """
        of = read_normalize("value_counts", normalize, keywords)
        keys = self._columns if subset is None else key_names("value_counts", subset)
        asking = self._asking("value_counts", keywords, [], keys, counts_keys=True, finds=True, max_keys=max_keys)
        if asking.unknown:
            return sorted_by(counts_of_found(asking, keys[0], of, spelling), sort, ascending)
        refuse_found_only(max_keys=max_keys, spelling=spelling)
        try:
            cells = asking.cells(keys)
        except NoCategories as refusal:
            if subset is not None:
                raise
            raise NoCategories(f"{refusal} Or choose keys by subset=[...].", **vars(refusal)) from None
        layout = Layout(cell_labels(cells), pd.Index(["count"]), "estimates")
        counts = asking.release([Asked(None, asking.counted(cells))], layout)
        return sorted_by(normalized(counts, of), sort, ascending)

    def crosstab(
        self,
        index: Any,
        columns: Any,
        values: Any = None,
        aggfunc: Any = None,
        margins: bool | str | Mapping[str, float] = False,
        normalize: bool | str = False,
        *,
        rownames: Any = None,
        colnames: Any = None,
        margins_name: str = "All",
        structural_zeros: Any = None,
        hierarchies: Any = None,
        **keywords: Unpack[Keywords],
    ) -> Release:
        """A table of counts, or with `values` and `aggfunc` of a statistic of theirs, over the declared categories.

        Parameters
        ----------
        index, columns : label, column of the same rows, or list of these
            What is derived from declared columns, `df["age"] > 30`, has known categories.
        margins : bool, "planned" or mapping
            True adds the noisy cells up, for free; noise grows with the cells they add. Margins of weighted tables,
            of means too, have the sampling error that the design gives to their cells together; those of other means
            are planned.
            "planned" measures margins too where that lowers the expected variance, and makes all agree by least
            squares; {"cells": 3, "rows": 1, "columns": 1, "total": 1} says how they share the cost.
        normalize : bool, "all", "index" or "columns"
            Shares of all, of each row or of each column in place of counts, at the same cost; `confint` gives their
            intervals. Where the counts are wanted too, ask for them, and take `release.dp.shares()`.
        structural_zeros : list of mappings, optional
            Combinations that cannot be, e.g. [{"age": "0-14", "work": ["full", "part"]}]; they stay 0.
        hierarchies : mapping, optional
            Coarser levels of keys, as of `marginals`; their names may be used in `index` or `columns`.
        rownames, colnames, margins_name : list of names, name
            What keys and margins are called in the table.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(epsilon=10)
        >>> people = session.protect(pd.DataFrame({"sex": ["f", "m"] * 500, "vote": ["yes", "no"] * 500}))
        >>> people.dp.crosstab("sex", "vote", epsilon=1,
        ...                    categories={"sex": ["f", "m"], "vote": ["yes", "no"]}).shape
        (2, 2)
        """
        if (values is None) != (aggfunc is None):
            raise UnsupportedArgument("crosstab takes values and aggfunc together, or neither.")
        of = read_normalize("crosstab", normalize, keywords)
        if of is not None and (values is not None or (structural_zeros is not None and margins is False)):
            raise UnsupportedArgument(
                "normalize= gives shares of counts, and around structural zeros needs margins='planned'; leave it out.",
                argument="normalize",
            )
        how = (values, aggfunc or "count", margins, structural_zeros, hierarchies, rownames, colnames, margins_name)
        return normalized(
            ask_crossed.release_tables(self._frame, Crossed("crosstab", index, columns, *how), keywords), of
        )

    def pivot_table(
        self,
        values: Any = None,
        index: Any = None,
        columns: Any = None,
        aggfunc: Any = "mean",
        margins: bool | str | Mapping[str, float] = False,
        *,
        margins_name: str = "All",
        **keywords: Unpack[Keywords],
    ) -> Release:
        """A table of means, sums, counts or other statistics over the declared categories.

        Parameters
        ----------
        values : label or list of labels
            All columns of numbers but keys unless given; several share the cost.
        index, columns, margins, margins_name
            As of `crosstab`.
        aggfunc : name, list of names, or mapping from column to either

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(epsilon=1e9)  # so much that there is no noise to see
        >>> people = session.protect(pd.DataFrame({"sex": ["f", "m"] * 500, "age": [31, 54] * 500}))
        >>> declared = {"sex": ["f", "m"]}
        >>> table = people.dp.pivot_table("age", index="sex", categories=declared, bounds=(0, 100), epsilon=1e6)
        >>> table.round(1).iloc[:, 0].to_dict()
        {'f': 31.0, 'm': 54.0}
        """
        if index is None and columns is None:
            raise UnsupportedArgument("pivot_table needs index= or columns=.")
        said = Crossed("pivot_table", index, columns, values, aggfunc, margins, margins_name=margins_name)
        return ask_crossed.release_tables(self._frame, said, keywords)

    def groupby(self, by: Any = None, as_index: bool = True, **declared: Any) -> GroupedAccessor:
        """Statistics in each combination of the keys' declared categories, whether it occurs or not.

        Parameters
        ----------
        by : label, column of the same rows, `pd.Grouper(key=..., freq=...)`, or list of these
            What is derived from declared columns, `df["age"] > 30` or `df["day"].dt.month`, has known categories.
        as_index : bool
            False makes columns of the keys.
        **declared
            `categories=`, `other=` and `bounds=`, as every question takes them; its cost belongs to the question.
            `observed=` changes nothing: which cells the data hold is private, so all are shown.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> people = pdp.Session(epsilon=10).protect(pd.DataFrame({"sex": ["f", "m"] * 500, "age": [31, 54] * 500}))
        >>> by_sex = people.dp.groupby("sex", categories=["f", "m"])
        >>> by_sex["age"].mean(epsilon=1, bounds=(0, 100)).columns.tolist()
        ['mean', 'std_error', 'lower', 'upper']
        >>> people.dp.groupby(people["age"] > 40).size(epsilon=1).index.tolist()
        [False, True]
        """
        odd = next((name for name in declared if not is_read(name)), None)
        if odd is not None:
            raise unknown("groupby", odd, ["by", "as_index"], "categories, other, bounds")
        if source_of(self._frame) is not None:
            named_lazily("recording.seen:refuse_read")("groupby", "x", [], (), declared)
        read("groupby", declared)  # type: ignore[arg-type]  # what no question would take is refused here
        misplaced = next((name for name in declared if name in Keywords.__annotations__ and name not in DECLARED), None)
        if misplaced is not None:
            raise UnsupportedArgument(
                f"groupby takes categories=, other= and bounds=; {misplaced}= belongs to the question that follows, "
                f"e.g. groupby(...).mean({misplaced}=...).",
                argument=misplaced,
            )
        keys = named_lazily("core.door.keys:keyed")(self._frame, "groupby", by)
        for key in keys.names:
            check_column(keys.frame, key)
        return GroupedAccessor(keys, None, declared, a_flag("as_index", as_index))

    def resample(self, rule: Any, *, on: Hashable | None = None, **declared: Any) -> GroupedAccessor:
        """Statistics in each stretch of the calendar, over the declared range of a column of times.

        Parameters
        ----------
        rule : frequency
            "MS" for months, "W" for weeks, as in pandas.
        on : label
            The column of times.
        **declared
            As of `groupby`.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp, pandera.pandas as pa
        >>> first, last = pd.Timestamp("2026-01-01"), pd.Timestamp("2026-02-28")
        >>> days = pa.DataFrameSchema({"day": pa.Column("M8[ns]", pa.Check.in_range(first, last))})
        >>> session = pdp.Session(epsilon=1e9, schema=days)  # so much that there is no noise to see
        >>> visits = session.protect(pd.DataFrame({"day": pd.date_range(first, last)}))
        >>> visits.dp.resample("MS", on="day").size(epsilon=1e6)["size"].tolist()
        [31, 28]
        """
        if on is None:
            raise UnsupportedArgument(
                "resample needs on=, the column of times: rows of a protected table have no index.", argument="on"
            )
        return self.groupby(pd.Grouper(key=on, freq=rule), **declared)


DECLARED = ("categories", "other", "bounds")


def _parts_of(frame: Any) -> Any:
    """What columns are taken of: of what stands for a lazy table, that table."""
    origin = origin_of(frame)
    return frame if origin is None or origin.table is None else origin.table
