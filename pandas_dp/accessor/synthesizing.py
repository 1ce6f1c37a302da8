"""Synthetic rows, and how far they are from the data."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Unpack

import pandas as pd

from ..release import Release
from . import distances, synthesized
from .keywords import Keywords, with_keywords_named
from .synthesized import Said

if TYPE_CHECKING:
    from .synthesis import Synthesis


@with_keywords_named
class Synthesizing:
    """Synthetic rows, and how far they are from the data."""

    if TYPE_CHECKING:
        _frame: pd.DataFrame

    def synthesize(
        self,
        columns: Sequence[Hashable] | None = None,
        tables: str | Sequence[Sequence[Hashable]] = "pairs",
        *,
        importance: Sequence[float] | None = None,
        bins: int | Literal["measured"] | Mapping[Hashable, Any] | None = None,
        structural_zeros: Any = None,
        hierarchies: Any = None,
        public_tables: Sequence[pd.Series | pd.DataFrame] | None = None,
        looks: Literal[3, "adaptive"] = 3,
        **keywords: Unpack[Keywords],
    ) -> Synthesis:
        """A model of the columns, from which rows of nobody are drawn: `sample()`; and tables read off: `table()`.

        Which tables are worth measuring is found on the way, at one cost: the tables of one column first, then how far
        all others are from independence, then those that are worth their noise. With `looks="adaptive"` one table after
        the other, each the farthest from the model so far: slower, better at a high price. What the model is worth:
        see `pdp.Synthesis`. A missing value of a column declared `nullable=True` is a category; a row that lacks
        another value, or has one that is undeclared, counts in no table.

        Parameters
        ----------
        columns : list of columns, optional
            Of which rows are wanted; by default all. Each needs categories or bounds.
        tables : "pairs", "triples" or list of lists of keys
            Which tables shall be accurate.
        importance : list of float, optional
            How much each of the listed tables matters.
        bins : int, "measured" or mapping, optional
            In how many equal bins, or by which edges, numbers are counted: for all, or by column. By default a bin for
            each whole number of a range of at most 32, else 32 bins. Within a bin all points are as likely. "measured":
            for a tenth of the price bins that hold about as many rows each, and how these are spread within them; for
            incomes and all that is crowded in a part of its range.
        structural_zeros : list of mappings, optional
            Combinations that cannot be, e.g. [{"age": "0-14", "work": ["full", "part"]}]; no row has them.
        hierarchies : mapping, optional
            Coarser levels of columns, {"age": {"band": {"0-4": "0-14", ...}}}: keys of tables, which are measured where
            they are worth more than the column itself. Rows have the column, and tables of the synthesis both.
        public_tables : list of Series or DataFrames, optional
            Counts of the same rows that everybody knows, under the categories of their keys: the model has them
            exactly, and nothing is spent on them. A table that was counted from the data is none of these.
        looks : 3 or "adaptive"

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(rho=1e9)  # so much that there is no noise to see
        >>> people = session.protect(pd.DataFrame({"sex": ["f", "m", "m"] * 400, "vote": ["yes", "no", "no"] * 400}))
        >>> synthesis = people.dp.synthesize(rho=1e8, categories={"sex": ["f", "m"], "vote": ["yes", "no"]})
        >>> synthesis.sample(6, seed=1).value_counts(["sex", "vote"]).to_dict()
        {('m', 'no'): 4, ('f', 'yes'): 2}
        """
        said = Said(columns, tables, importance, bins, structural_zeros, hierarchies, public_tables, looks)
        return synthesized.synthesis(self._frame, said, keywords)

    def distance(
        self,
        of: pd.DataFrame | Synthesis,
        tables: str | Sequence[Sequence[Hashable]] = "pairs",
        *,
        bins: Mapping[Hashable, Any] | None = None,
        **keywords: Unpack[Keywords],
    ) -> Release:
        """How far a synthesis, or rows of it, are from the data: for each table `tv`, half of what the shares of its
        cells differ by in all, with its standard error, and `upper`, which it does not exceed; and the mean of all.

        The upper bounds hold together, at the level of `confidence`, whatever the rows were made by. They bound the
        error of every share of the total in that table, of whatever cells together, and say nothing of tables that
        were not asked about.

        Parameters
        ----------
        of : Synthesis, or DataFrame of its rows
            A synthesis is compared by its model, and takes the answer: `synthesis.with_distance(release)`. Rows are
            compared themselves, and taken for as many as the data have, where that number is public.
        tables : "pairs", "triples" or list of lists of keys
            Of all columns that the rows have, or those named.
        bins : mapping, optional
            For a column of numbers its bins, a number or edges. By default a bin for each whole number of a range of at
            most 32, else 32 bins.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(rho=1e9)  # so much that there is no noise to see
        >>> people = session.protect(pd.DataFrame({"sex": ["f", "m"] * 500, "vote": ["yes", "no"] * 500}))
        >>> rows = pd.DataFrame({"sex": ["f", "f", "m", "m"] * 250, "vote": ["yes", "no"] * 500})
        >>> rows.attrs["dp"] = {"kind": "synthetic"}  # as those of a synthesis say
        >>> found = people.dp.distance(rows, rho=1e8, categories={"sex": ["f", "m"], "vote": ["yes", "no"]})
        >>> found.loc["sex × vote", "tv"].round(3).item()
        0.5
        """
        return distances.release(self._frame, of, tables, bins, keywords)
