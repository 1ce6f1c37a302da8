"""What `DataFrame.dp` has for people with many rows."""

from __future__ import annotations

from typing import Any

import pandas as pd

from ..session import desk_for
from ..signatures import all_read_by_signature


@all_read_by_signature
class PeopleFace:
    """From rows to people, on a table of a session with a unit."""

    _frame: pd.DataFrame

    def per_person(self, *, by: Any = None, absent: Any = None, **columns: Any) -> pd.DataFrame:
        """A table with one row a person, to ask about: free, as nothing of it is released.

        It is what `groupby(unit).agg` gives, and knows what it computed: bounds that are declared of a row hold for a
        mean, a median, a least, greatest, first or last value of rows, and are asked for of sums and counts. On the
        whole roster, and with `absent=`, the number of people is public.

        Parameters
        ----------
        by : column, optional
            What orders the rows of a person for "first" and "last", e.g. a date. Without it, and of equal dates, the
            order at `protect` decides, however the table was sorted since.
        absent : number or mapping from column, optional
            What stands for people on the roster who have no row here. The table then has a row for everybody.
        **columns
            `cost="sum"`: that column, by "sum", "mean", "median", "min", "max", "first", "last", "count", "nunique",
            "any" or "all". `n="size"`: the number of rows. `most=("cost", "max")`: under a name of its own.
            `last="cost"` is short for `cost="last"`.

        Returns
        -------
        DataFrame
            Indexed by the unit. Names of columns that are arguments here are asked for as `new=("by", "last")`.

        Examples
        --------
        >>> import pandas_dp as pdp
        >>> session = pdp.Session(epsilon=10, unit="id")
        >>> farms = session.protect(pdp.datasets.load_rice_farms(), roster=True)
        >>> people = farms.dp.per_person(goutput="sum", seasons="size")
        >>> people["goutput"].dp.mean(bounds=(0, 60_000), epsilon=1).dp.metadata["people"]
        171
        >>> session.close()
        """
        return desk_for(self._frame).per_person(self._frame, columns, by, absent)
