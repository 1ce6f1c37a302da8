"""What a session answers for: frames in memory, collections of Dask, tables that are scanned, and counts to watch."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, overload

import pandas as pd

from ..arguments import a_flag, all_read_by_signature
from ..budget.cost import Cost
from ..lazy_import import named
from ..protect.tables import Protecting
from ..session.opening import read_roster

if TYPE_CHECKING:
    from ...language.table import LazyTable
    from ...recording.frames import ProtectedFrame
    from ...surveys.schema import Design
    from ...tools.run_watch import Watch
    from ..session.session_core import SessionCore


@all_read_by_signature
class ProtectsTables:
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
            One row a person; under a unit any number. A DataFrame of pandas; a table of a library that speaks Arrow
            (polars, DuckDB, pyarrow) becomes one in memory, with Arrow's types; one of Dask is scanned.
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
        is_far = "dask.dataframe" in sys.modules and named("engines.scan.scanning:is_collection")(data)
        if not (is_far or isinstance(data, pd.DataFrame)):
            data = named("engines.scan.scanning:held")(self._core, data)
        how = Protecting(unit, read_roster(roster, data), a_flag("one_row", one_row), max_rows, design, complete)
        if is_far:
            return named("engines.scan.scanning:protect_collection")(self._core, data, rows, validate, how)
        if rows is not None:
            named("engines.scan.scan_refusals:check_no_rows")(rows)
        return self._core.protect(data, validate, how)

    def vouch(self, data: Any, *, because: str) -> Any:
        """A frame or a column whose making the session did not see, for which somebody says that it is row by row.

        What is not followed is refused, as nobody knows whether each of its rows was made of one protected row. Where a
        person knows it, a model scored each row alone, say, they vouch for it here. Labels, guarantees, the ledger and
        reports quote the reason, and the guarantee holds if it is true.

        Parameters
        ----------
        data : DataFrame or Series
            With the row ids of a protected table, or with its people as index: as pandas keeps them.
        because : str
            Why each row was made of one row, in 10 to 200 characters.

        Examples
        --------
        >>> import numpy as np, pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(epsilon=1e9)  # so much that there is no noise to see
        >>> people = session.protect(pd.DataFrame({"age": [31, 54, 47, 18] * 250}))
        >>> scored = people.assign(score=np.asarray(people["age"]) * 2)  # as a model would
        >>> vouched = session.vouch(scored["score"], because="our model scores each row by itself")
        >>> vouched.dp.mean(bounds=(0, 200), epsilon=1e6)["mean"].round(1).item()
        75.0
        """
        return named("recording.sources:vouched")(self._core, data, because)

    def scan(
        self,
        source: Any,
        *,
        rows: int | None = None,
        unit: str | None = None,
        one_row: bool = False,
        max_rows: int | None = None,
        complete: Sequence[str] = (),
    ) -> LazyTable:
        """A table that shows no row, in memory or of any size, which `.dp` answers as it does a frame.

        It has columns, conditions and expressions, and no values: what is written of it looks at each row by itself. A
        frame counts as it is now, whatever is written into it later. The rows of files are those that are there now;
        where files are changed later, it is refused, or an answer is lost. Each row is taken for one person; in a
        session with `unit=` the rows of one person stand anywhere in a table in memory, and in one of the files that
        `pdp.custodian.cluster` wrote, where a row that stands elsewhere does not count.

        Parameters
        ----------
        source : DataFrame, path, pyarrow.dataset.Dataset or callable
            A table in memory: of pandas, or of a library that speaks Arrow, which is copied once if it has to be
            computed (polars, DuckDB, `pyarrow.Table`). A collection of [Dask](large-tables.md#dask). Parquet files by a
            path, a folder or a pattern such as `"farms/*.parquet"`; a dataset; a table of [Spark](spark.md); or a
            function that gives a `pyarrow.RecordBatchReader`, or a table or query of another library that speaks Arrow,
            anew each time, with the same rows. A function that takes `columns` is told which are wanted, and of None
            all; queries of DuckDB and lazy tables of polars compute no others. All but a frame of pandas need the extra
            `arrow`.
        rows : int, optional
            How many rows there are, where a function would have to be called, or Spark asked, to count them.
        unit : str, optional
            The column of people in this table, where it is called otherwise than the session's unit.
        one_row : bool
            Of each person the first row counts.
        max_rows : int, optional
            How many rows of a person questions about rows count, unless they say it themselves.
        complete : list of str, optional
            Columns that have a value in every row, as for `protect`.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(epsilon=1e9)  # so much that there is no noise to see
        >>> farms = session.scan(pd.DataFrame({"size": [1.0, 2.0, 3.0, 6.0] * 250}))
        >>> farms[farms["size"] > 2]["size"].dp.mean(bounds=(0, 10), epsilon=1e6)["mean"].round(2).item()
        4.5

        Of files:

        >>> import tempfile, pyarrow as pa, pyarrow.parquet as pq
        >>> folder = tempfile.mkdtemp()
        >>> for year in (2025, 2026):
        ...     pq.write_table(pa.table({"size": [1.0, 2.0, 3.0, 6.0] * 250}), f"{folder}/farms{year}.parquet")
        >>> farms = session.scan(f"{folder}/*.parquet")
        >>> farms["size"].dp.mean(bounds=(0, 10), epsilon=1e6)["mean"].round(2).item()
        3.0
        """
        scanned: LazyTable = named("engines.scan.scanning:scan")(
            self._core, source, rows, unit, one_row, max_rows, complete
        )
        return scanned

    def watch(
        self,
        above: int,
        *,
        epsilon: float | Cost | None = None,
        hits: int = 1,
        note: str | None = None,
        rho: object = None,
    ) -> Watch:
        """An alarm: whether any of many counts is more than a number, at the price of one question.

        It is charged here, and then asked about as many tables as anybody likes, which may depend on whatever was
        answered before. Every no is free. After `hits` yeses it is over.

        Parameters
        ----------
        above : int
            A whole number of rows.
        epsilon : float
            What all answers cost together.
        hits : int
            How many yeses; the noise grows with them.
        note : str, optional
            For the ledger.
        rho
            Refused: the cost of a watch is an epsilon.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(epsilon=100)
        >>> people = session.protect(pd.DataFrame({"age": range(1000)}))
        >>> with session.watch(above=500, epsilon=10) as bell:
        ...     bell.ask(people[people["age"] > 300]), bell
        (True, <watch for more than 500 rows, epsilon=10: 0 of 1 yeses left>)
        """
        paid: Watch = named("tools.run_watch:watch")(self._core, above, epsilon, hits, note, rho)
        return paid
