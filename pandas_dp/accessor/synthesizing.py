"""Synthetic rows, and how far they are from the data."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Unpack

import pandas as pd

from ..release import Release
from . import distances
from .keywords import Keywords, with_keywords_named


@with_keywords_named
class Synthesizing:
    """Synthetic rows, and how far they are from the data."""

    if TYPE_CHECKING:
        _frame: pd.DataFrame

    def distance(
        self,
        of: pd.DataFrame,
        tables: str | Sequence[Sequence[Hashable]] = "pairs",
        *,
        bins: Mapping[Hashable, Any] | None = None,
        **keywords: Unpack[Keywords],
    ) -> Release:
        """How far synthetic rows are from the data: for each table `tv`, half of what the shares of its cells differ by
        in all, with its standard error, and `upper`, which it does not exceed; and the mean of all tables.

        The upper bounds hold together, at the level of `confidence`, whatever the rows were made by. They bound the
        error of every share of the total in that table, of whatever cells together, and say nothing of tables that
        were not asked about.

        Parameters
        ----------
        of : DataFrame
            Synthetic rows. They are taken for as many as the data have, where that number is public.
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
