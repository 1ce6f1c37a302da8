"""How many rows people have, at these very data: for choosing how many shall count."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ..errors import UnsupportedArgument
from ..signatures import read_by_signature
from .consent import consenting_desk, for_the_custodian


@read_by_signature
def rows_per_person(data: pd.DataFrame | pd.Series) -> pd.DataFrame:
    """How many people have how many rows, and what a bound would weigh down. Nothing is released, nothing is spent.

    With `max_rows=m` nobody's rows are dropped: those of a person with more are weighed down to m together. The table
    says how many people and how much of all rows that concerns. A bound that is chosen by it carries information which
    no budget counts; at a price it is `visits.groupby(unit).size().dp.quantile(0.98, bounds=(1, 200))`.

    Parameters
    ----------
    data : DataFrame or Series
        A protected table of a session with a unit, or what was cut from it.

    Returns
    -------
    DataFrame
        For each number of rows that occurs: `people` with exactly so many, and under that bound the share of people
        with more, `people_beyond`, and the share of all rows that is weighed away, `rows_beyond`. `attrs["dp"]` says
        how many rows are `nobodys`, and of the whole table how many had no id and were `dropped`.

    Examples
    --------
    >>> import pandas_dp as pdp
    >>> session = pdp.Session(epsilon=1, unit="id", custodian=True)
    >>> farms = session.protect(pdp.datasets.load_rice_farms())
    >>> pdp.custodian.rows_per_person(farms).loc[6].to_dict()
    {'people': 171.0, 'people_beyond': 0.0, 'rows_beyond': 0.0}
    >>> session.close()
    """
    desk = consenting_desk(data)
    if desk.tables.people is None:
        raise UnsupportedArgument(
            "rows_per_person counts the rows of people, and in this session a row is a person; open it with "
            "Session(..., unit=...)."
        )
    table = desk.tables.of(data)
    persons = table.known.people(data.index)
    of_each = np.bincount(persons[persons >= 0])
    many, people = np.unique(of_each[of_each > 0], return_counts=True)
    above = people.sum() - np.cumsum(people)  # people with more
    rows = (many @ people - np.cumsum(many * people)) - many * above
    found = pd.DataFrame(
        {
            "people": people,
            "people_beyond": above / max(1, int(people.sum())),
            "rows_beyond": rows / max(1, int(many @ people)),
        },
        index=pd.Index(many, name="rows"),
    )
    seen = for_the_custodian(found)
    seen.attrs["dp"] |= {"nobodys": int((persons < 0).sum()), "dropped": table.dropped}
    return seen
