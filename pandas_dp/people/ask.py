"""What `DataFrame.dp` has for people with many rows."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import pandas as pd

from ..core.arguments import all_read_by_signature, one_of, whole_number
from ..core.neighbours import PerPerson
from ..core.protect.tables import Subject
from ..core.schema.bounds import pair, read_bounds
from ..core.session.session_core import core_for
from ..errors import BadArgument, BadBounds, UnsupportedArgument
from ..numeric.ask_keywords import as_typed


@all_read_by_signature
class PeopleAccessor:
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
            "any", "all", "std", "var" or "prod". `n="size"`: the number of rows. `most=("cost", "max")`: under a name
            of its own. `last="cost"` is short for `cost="last"`.

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
        return core_for(self._frame).per_person(self._frame, columns, by, absent)


NAMES = ("max_rows", "max_cells", "count", "per_person", "max_values")
OF_PEOPLE = frozenset(NAMES)
MOST = 10**6
MOST_KEYS = 10_000
ABOUT_PEOPLE = ("choose", "choose_bound", "choose_bounds")
ONE_ROW = (
    "survival",
    "cdf",
    "location",
    "trimmed_mean",
    "kmeans",
    "naive_bayes",
    "t_test",
    "rank_test",
    "ks_test",
    "distance",
    "synthesize",
)
MATRICES = ("moments", "cov", "corr", "ols", "logit", "poisson")
CELL_BY_CELL = ("value_counts", "crosstab", "histogram", "gaps")


def read_people(statistic: str, given: dict[str, Any]) -> PerPerson | None:
    """Takes them out of the keywords; None where none was given."""
    said = {name: value for name in NAMES if (value := given.pop(name, None)) is not None}
    counts_people = said.get("count") is not None and one_of("count", said["count"], ("rows", "people")) == "people"
    rows, cells, values = (
        None if name not in said else whole_number(name, said[name], 1, MOST)
        for name in ("max_rows", "max_cells", "max_values")
    )
    total = _ends(said["per_person"]) if "per_person" in said else None
    if cells is not None and statistic == "nunique":
        counts_people = True  # of the column that says whose a row is; of another one `over_rows` refuses it
    if cells is not None and not counts_people and total is None:
        raise UnsupportedArgument(
            "max_cells= says in how many cells one person counts, and belongs to count='people' and to per_person= in "
            "groups; of rows say how many count, max_rows=.",
            argument="max_cells",
        )
    ways = {"max_rows": rows, "count": True if counts_people else None, "per_person": total, "max_values": values}
    named = [name for name, value in ways.items() if value is not None]
    if len(named) > 1:
        raise UnsupportedArgument(
            f"{'= and '.join(named)}= each say how much of one person counts; give one of them.", argument=named[1]
        )
    if not named:
        return None
    return PerPerson(rows, (cells or 0) if counts_people else cells, values, total)


def _ends(given: object) -> tuple[Fraction, Fraction]:
    try:
        typed = pair(as_typed(given), "per_person")
        limits = read_bounds(typed, "float", "per_person")
    except BadBounds:
        raise BadArgument(
            "per_person= takes what the sum of one person is clamped to, a rising pair of numbers, e.g. "
            "per_person=(0, 5_000).",
            argument="per_person",
        ) from None
    assert limits.lower is not None
    assert limits.upper is not None
    return limits.lower, limits.upper


@dataclass(frozen=True)
class Asks:
    """What is asked, and of which columns."""

    statistic: str
    columns: tuple[Hashable, ...]
    keys: tuple[Hashable, ...]


def over_rows(subject: Subject, said: PerPerson | None, asks: Asks, counts_everybody: bool) -> PerPerson | None:
    """How much of one person counts in a question over rows; None where each person has one."""
    unit = subject.public.unit
    if unit is None:
        if said is None:
            return None
        raise UnsupportedArgument(
            f"{asks.statistic} was asked how much of one person counts, and in this session a row is a person; open it "
            "with Session(..., unit=...), or leave max_rows=, max_cells=, count=, per_person= and max_values= out.",
            statistic=asks.statistic,
        )
    if counts_everybody:
        return PerPerson(cells=_cells_of_everybody(said, asks))
    if asks.statistic == "nunique" and said is not None and said.cells is not None:
        raise UnsupportedArgument(
            f"nunique of {asks.columns[0]!r} counts values and not people; say how many different values of one person "
            "count, max_values=5.",
            argument="max_cells",
        )
    if asks.statistic in ABOUT_PEOPLE and (subject.has_many_rows or (said is not None and not subject.has_one_row)):
        raise about_people(asks.statistic, asks.columns[0])
    if said is None:
        return _by_the_table(subject, unit, asks)
    if subject.has_one_row:
        raise UnsupportedArgument(
            f"{asks.statistic} was asked of a table with one row of each person; leave max_rows=, max_cells=, count=, "
            "per_person= and max_values= out.",
            statistic=asks.statistic,
        )
    if said.cells == 0:
        return PerPerson(cells=_cells(asks))
    return said


def over_keys(
    subject: Subject, said: PerPerson | None, max_keys: object, statistic: str, unknown: bool = True
) -> PerPerson | None:
    """How many keys of one person count where keys are to be found; None where each person has one row."""
    keys = None if max_keys is None else whole_number("max_keys", max_keys, 1, MOST_KEYS)
    several = subject.has_many_rows
    if not several:
        if said is not None or (keys or 1) > 1:
            raise UnsupportedArgument(
                f"{statistic} was asked of a table with one row, and so one key, of each person; leave max_keys= and "
                "count= out.",
                argument="max_keys",
            )
        return None
    if said is not None and said.cells != 0:
        raise UnsupportedArgument(
            f"{statistic} finds keys of people, so how much of one person counts is said by max_keys= alone; leave "
            "max_rows=, max_cells=, per_person= and max_values= out.",
            argument="max_rows",
        )
    if not unknown:
        if keys is not None:
            raise UnsupportedArgument(
                f"{statistic} counts a person once in each declared category of hers, however many; leave max_keys= "
                "out.",
                argument="max_keys",
            )
        return PerPerson(everywhere=True)
    if keys is None:
        raise UnsupportedArgument(
            f"a person may have any number of keys in this table: say how many of them count, e.g. max_keys="
            f"{'1, count=' + repr('people') if statistic == 'value_counts' else '20'}.",
            argument="max_keys",
        )
    if statistic == "value_counts" and (keys > 1 or said is None):
        raise UnsupportedArgument(
            "value_counts finds keys of people who count once each, count='people', max_keys=1; where they have "
            "several, find the keys first, df.dp.find_categories(key, max_keys=...), and count them with "
            "categories=found.",
            argument="max_keys",
        )
    return PerPerson(keys=keys)


def _cells_of_everybody(said: PerPerson | None, asks: Asks) -> int:
    """Where different people are counted: in how many cells one of them counts in full."""
    if said is not None and said.cells is None:
        raise UnsupportedArgument(
            f"nunique of {asks.columns[0]!r} counts people, each once in a cell, however many rows they have; leave "
            "max_rows=, max_values= and per_person= out"
            + (", and say in how many cells one person counts in full, e.g. max_cells=3." if asks.keys else "."),
            argument="max_rows",
        )
    if said is not None and said.cells and asks.keys:
        return said.cells
    if asks.keys:
        raise UnsupportedArgument(
            "nunique counts a person in each cell where they have a row; say in how many cells one person counts in "
            "full, e.g. max_cells=3.",
            argument="max_cells",
        )
    return 1


def _cells(asks: Asks) -> int:
    """Without keys everybody is in one cell."""
    if asks.keys or asks.statistic in ("value_counts", "histogram"):
        raise UnsupportedArgument(
            "count='people' counts a person in each cell where they have a row; say in how many cells one person "
            "counts in full, e.g. max_cells=3.",
            argument="max_cells",
        )
    return 1


def _by_the_table(subject: Subject, unit: str, asks: Asks) -> PerPerson | None:
    if not subject.has_many_rows:
        return None
    if subject.max_rows is not None and asks.statistic != "nunique":
        return PerPerson(rows=subject.max_rows)
    if asks.statistic in ONE_ROW:
        raise UnsupportedArgument(
            f"{asks.statistic} takes one row of each person, and a person may have any number of rows in this table; "
            f"make one of them first, e.g. people = table.dp.per_person(...) or table.groupby({unit!r}).agg(...), and "
            f"ask people; a table of people is protected with one_row=True.",
            statistic=asks.statistic,
        )
    in_cells = asks.statistic in CELL_BY_CELL or (bool(asks.keys) and asks.statistic in ("size", "count"))
    people = f"ask about people: table.groupby({unit!r})[column].mean().dp.mean(bounds=...)"
    if asks.statistic == "nunique":
        people = f"count people, table[{unit!r}].dp.nunique()"
    elif asks.statistic in MATRICES:
        people = f"ask about people, one row each: people = table.groupby({unit!r})[...].mean()"
    elif in_cells:
        people = "count people in cells, count='people', max_cells=3"
    first = {
        "sum": "say what one person's sum may be, per_person=(0, 5_000), or how many rows count, max_rows=20",
        "nunique": "say how many different values of one person count, max_values=5",
    }.get(asks.statistic, "say how many rows count, max_rows=20")
    raise UnsupportedArgument(
        f"a person may have any number of rows in this table: {first}, or {people}; a table of people is "
        "protected with one_row=True.",
        argument="max_rows",
    )


def about_people(statistic: str, column: Hashable) -> UnsupportedArgument:
    """What to ask where a question takes one row of each person."""
    if statistic == "choose":
        name = column if isinstance(column, str) and column.isidentifier() else "cost"
        advice = f"ask about people, e.g. their largest rows: table.dp.per_person({name}='max').dp.choose(...)"
    else:
        name = column if isinstance(column, str) and column.isidentifier() else "cost"
        advice = (
            f"ask about people, e.g. their largest rows: table.dp.per_person({name}='max')[{name!r}].dp.{statistic}"
            "(among=(1, 1_000))"
        )
    return UnsupportedArgument(
        f"{statistic} is asked of tables with one row of each person; {advice}.", statistic=statistic
    )
