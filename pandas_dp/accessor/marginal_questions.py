"""Several tables over the same rows, planned in one budget."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Unpack

import pandas as pd

from ..release import Release
from . import marginals
from .keywords import Keywords, with_keywords_named
from .marginals import Marginals


@with_keywords_named
class MarginalQuestions:
    """Several tables over the same rows, planned in one budget."""

    _frame: pd.DataFrame

    def marginals(
        self,
        tables: Sequence[Sequence[Hashable]],
        values: Hashable | Sequence[Hashable] | None = None,
        aggfunc: str | Sequence[str] | None = None,
        *,
        importance: Sequence[float] | str | None = None,
        cost_shares: Sequence[float] | None = None,
        consistent: bool = True,
        structural_zeros: Any = None,
        hierarchies: Mapping[Hashable, Mapping[Hashable, Any]] | None = None,
        bins: Mapping[Hashable, Any] | None = None,
        measure: str = "tables",
        ranges: Mapping[Hashable, str] | None = None,
        **keywords: Unpack[Keywords],
    ) -> Release:
        """Several tables of counts, or of sums and means of `values`, over the same rows, planned in one budget.

        The tables are one below the other; a key that a table adds up over reads `All`. A row counts where it has a
        declared category in every key, so the tables agree.

        Parameters
        ----------
        tables : list of lists of keys
            The tables to publish; `[]` is the total.
        values : column or list of columns, optional
            Measured in place of counting rows.
        aggfunc : "count", "sum", "mean" or a list of them, optional
            What is asked of `values`; sums if not given. Several statistics of one column come from the same
            measurement, so that the sum is the count times the mean, except where the noise leaves a count too small
            for it: there the mean is cut to its bounds. With a list the columns of the answer are (variable, statistic,
            measure).
        importance : list of float, or "largest", optional
            How much the variance of each table matters; the shares of the cost follow. "largest": the largest variance
            of all tables is made as small as can be, in place of their sum.
        cost_shares : list of float, optional
            The shares of the cost themselves.
        consistent : bool
            Weighted least squares of all that was measured; without it every table has its own independent noise.
        structural_zeros : list of mappings, optional
            Combinations that cannot be.
        hierarchies : mapping, optional
            Coarser levels of keys: for each column names of levels, each a mapping from its categories to groups,
            {"age": {"band": {"0-4": "0-14", "5-14": "0-14", "15+": "15+"}}}. Then `band` is a key for tables, which
            agree with those over `age`.
        bins : mapping, optional
            Keys that are numbers, each with a number of equal bins over its declared range, or with edges.
        measure : "tables" or "effects"
            What is given noise: tables, whose cells tests can read, or what each set of keys tells by itself, which
            is never worse in rho and a third better for many keys of two categories (`plan_marginals` says how much).
            Then no number has noise of its own, and epsilon alone does not pay.
        ranges : mapping, optional
            Ordered keys, each with the runs of its categories or bins that matter: "prefix", all from the first on, or
            "all". The counts of any run are then told far better than by adding cells up, and those of single cells a
            little worse; `release.dp.margin(keys, where={"age": slice(18, 64)})` gives them. Of counts and of sums;
            as by effects in rho, and by blocks of categories under epsilon alone.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(epsilon=10)
        >>> people = session.protect(pd.DataFrame({"sex": ["f", "m"] * 500, "vote": ["yes", "no"] * 500}))
        >>> table = people.dp.marginals([["sex", "vote"], ["sex"], []], epsilon=1,
        ...                             categories={"sex": ["f", "m"], "vote": ["yes", "no"]})
        >>> table.index.tolist()[4:]
        [('f', 'All'), ('m', 'All'), ('All', 'All')]
        """
        fitted = (importance, cost_shares, consistent, structural_zeros, hierarchies)
        said = Marginals(tables, values, aggfunc, *fitted, bins, measure, ranges)
        return marginals.release(self._frame, said, keywords)

    def plan_marginals(
        self,
        tables: Sequence[Sequence[Hashable]],
        *,
        importance: Sequence[float] | str | None = None,
        **keywords: Unpack[Keywords],
    ) -> pd.DataFrame:
        """What standard deviation each table's numbers would have, by how the cost is spent. Nothing is spent.

        `interior`: the cells alone, added up. `margins`: the tables asked for alone. `all`: the cells and every margin,
        equally, each with its own noise, and the same made consistent; of more than eight keys not tried. `planned`: as
        `marginals` would. `effects`: as it would with `measure="effects"`, where that can be paid.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(epsilon=10, neighbours="add_remove")
        >>> people = session.protect(pd.DataFrame({"sex": ["f", "m"] * 500, "vote": ["yes", "no"] * 500}))
        >>> plan = people.dp.plan_marginals([["sex"], ["vote"]], epsilon=0.1,
        ...                                 categories={"sex": ["f", "m"], "vote": ["yes", "no"]})
        >>> plan.loc["sex"].round(1).to_dict()
        {'interior': 20.0, 'margins': 28.3, 'all': 42.4, 'all, consistent': 31.0, 'planned': 20.0, 'effects': nan}
        """
        return marginals.compared(self._frame, tables, importance, keywords)
