"""`Session.protect`: frames in memory, and collections of Dask."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, overload

import pandas as pd

from ...engines.dask.ask import collection, protect_collection
from ...engines.scan.scan_refusals import check_no_rows
from ...surveys.schema import Design
from ..arguments import a_flag, all_read_by_signature
from ..protect.mark import ProtectedFrame
from ..protect.tables import Protecting
from .opening import read_roster

if TYPE_CHECKING:
    from .session_core import SessionCore


@all_read_by_signature
class Protects:
    """A session that answers for tables."""

    _core: SessionCore

    @overload
    def protect(
        self,
        data: pd.DataFrame,
        *,
        validate: bool = False,
        unit: str | None = None,
        roster: bool | str = False,
        one_row: bool = False,
        max_rows: int | None = None,
        design: Design | None = None,
        complete: Sequence[str] = (),
        rows: None = None,
    ) -> ProtectedFrame: ...
    @overload
    def protect(
        self,
        data: Any,
        *,
        unit: str | None = None,
        one_row: bool = False,
        max_rows: int | None = None,
        complete: Sequence[str] = (),
        rows: int | None = None,
    ) -> Any: ...
    def protect(
        self,
        data: Any,
        *,
        validate: bool = False,
        unit: str | None = None,
        roster: bool | str = False,
        one_row: bool = False,
        max_rows: int | None = None,
        design: Design | None = None,
        complete: Sequence[str] = (),
        rows: int | None = None,
    ) -> Any:
        """The frame as the session answers for it: marked, its index replaced by row ids, a named index made columns.

        Under `Session(unit=...)` pseudonyms of the session take the place of ids, and rows without an id, which are
        nobody's, are dropped.

        Parameters
        ----------
        data : DataFrame
            One row a person; under a unit any number. A DataFrame of pandas, or of [Dask](large-tables.md#dask).
        validate : bool
            Run the schema's own checks first. Their messages quote values and whether they pass is not private: for the
            custodian's eyes.
        unit : str, optional
            The column of people in this table, where it is called otherwise than the session's unit.
        roster : bool or str
            Everybody who may be in any table of the session has a row here. How many people there are is then public,
            and whoever has no row here counts in no table. At most one table, before the first question. A name is
            kept in the ledger's terms; True stands for the names of the columns.
        one_row : bool
            A person is one row: the first in the order given, the others are dropped. Questions need no bound on rows
            then, and on the roster the number of rows is public. Rows come in an order that is random.
        max_rows : int, optional
            How many rows of a person questions about rows count, unless they say it themselves.
        design : pdp.Design, optional
            How the rows were sampled: its weights, strata and so on. Questions follow it; `weights=None` in a question
            asks about the rows as they are.
        complete : list of str, optional
            Columns that have a value in every row. How many values they have is then public, and need not be paid for:
            a sum or a mean of the whole table has less noise. Nobody checks it: **a row that lacks a value all the same
            counts as one in the middle of the column's range**, which labels say. Without it, such a row drops out, as
            in pandas, and how many are left is estimated beside. What is cut from the table, `df[df["age"] > 40]`, or
            made of it has rows that are not known, so it makes no difference there.
        rows : int, optional
            Of a collection of Dask, how many rows there are, where they would have to be counted.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> with pdp.Session(epsilon=1) as session:
        ...     people = session.protect(pd.DataFrame({"age": [31, 54]}))
        ...     list(people.columns)
        ['age']
        >>> with pdp.Session(epsilon=1, unit="person") as session:
        ...     visits = session.protect(pd.DataFrame({"person": ["a", "b", "a"], "cost": [20.0, 35.0, 10.0]}))
        ...     totals = visits.groupby("person")["cost"].sum()
        ...     totals.dp.mean(bounds=(0, 100)).dp.metadata["counted"]
        'first of each person'
        """
        a_flag("validate", validate)
        how = Protecting(unit, read_roster(roster, data), a_flag("one_row", one_row), max_rows, design, complete)
        if collection(data):
            return protect_collection(self._core, data, rows, validate, how)
        check_no_rows(rows)
        return self._core.protect(data, validate, how)
