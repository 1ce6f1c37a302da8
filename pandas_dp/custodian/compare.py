"""How far synthetic rows are from the data, exactly: for the custodian's eyes."""

from __future__ import annotations

import os
import shutil
from collections.abc import Hashable
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ..core.arguments import read_by_signature, whole_number
from ..core.session.session_core import SessionCore, core_for
from ..engines.scan.table import writer
from ..errors import NoConsent, UnknownColumn, UnsupportedArgument
from ..synthetic.ask_synthesized_keys import check_synthetic

NOT_A_RELEASE = "For the custodian alone: computed from the data without protection. Do not publish."


def consenting_core(data: pd.DataFrame | pd.Series) -> SessionCore:
    """The core of the session that answers for this data, if it was opened with `custodian=True`.

    Examples
    --------
    >>> import pandas as pd, pandas_dp as pdp
    >>> core = consenting_core(pdp.Session(epsilon=1, custodian=True).protect(pd.DataFrame({"age": [31, 54]})))
    >>> core.opening.custodian
    True
    """
    core = core_for(data)
    if not core.opening.custodian:
        raise NoConsent(
            "custodian functions look at the data and protect nothing; the session must be opened for them: "
            "pdp.Session(..., custodian=True)."
        )
    return core


def for_the_custodian(table: pd.DataFrame) -> pd.DataFrame:
    """The table with the warning in its `attrs`; never a release.

    Examples
    --------
    >>> for_the_custodian(pd.DataFrame({"age": [31, 54]})).attrs["dp"]["kind"]
    'custodian'
    """
    table.attrs = {"dp": {"kind": "custodian", "notice": NOT_A_RELEASE}}
    return table


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
    core = consenting_core(data)
    if core.tables.people is None:
        raise UnsupportedArgument(
            "rows_per_person counts the rows of people, and in this session a row is a person; open it with "
            "Session(..., unit=...)."
        )
    table = core.tables.of(data)
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


MOST_BINS = 32


@read_by_signature
def compare(data: pd.DataFrame, rows: pd.DataFrame) -> pd.DataFrame:
    """Half of what the shares of all cells differ by, of each column and each pair of columns. Nothing is released.

    What it shows is as private as the data. At a price the same, with bounds, is `frame.dp.distance(rows, rho=...)`.

    Parameters
    ----------
    data : DataFrame
        A protected table of a session opened with `custodian=True`, or what was cut from it.
    rows : DataFrame
        Rows that a synthesis gave. Of their columns, those of numbers with more than 32 values are put into 32 bins
        of about as many rows of the data.

    Returns
    -------
    DataFrame
        A square table: columns alone on the diagonal, pairs elsewhere.

    Examples
    --------
    >>> import pandas as pd, pandas_dp as pdp
    >>> session = pdp.Session(rho=1e9, custodian=True)
    >>> people = session.protect(pd.DataFrame({"sex": ["f", "m", "m"] * 400, "vote": ["yes", "no", "no"] * 400}))
    >>> declared = {"sex": ["f", "m"], "vote": ["yes", "no"]}
    >>> synthesis = people.dp.marginals([["sex"], ["vote"]], categories=declared, rho=1e6).dp.synthesize()
    >>> pdp.custodian.compare(people, synthesis.sample(1200, seed=1)).loc["sex", "vote"].round(1).item()
    0.4
    """
    consenting_core(data)
    check_synthetic(rows)
    lacking = next((name for name in rows.columns if name not in data.columns), None)
    if lacking is not None:
        raise UnknownColumn(f"the rows have a column {lacking!r}, which the data have not.", column=lacking)
    if not len(data):
        raise UnsupportedArgument("compare was given no rows of the data.")
    codes = [_codes(data[name], rows[name]) for name in rows.columns]
    names: list[Hashable] = list(rows.columns)
    found = pd.DataFrame(np.zeros((len(names), len(names))), index=pd.Index(names), columns=pd.Index(names))
    for place, each in enumerate(codes):
        found.iloc[place, place] = _apart(*each)
    for one, other in combinations(range(len(names)), 2):
        many = 1 + max(int(side.max()) for side in codes[other])
        pair = tuple(a * many + b for a, b in zip(codes[one], codes[other], strict=True))
        found.iloc[one, other] = found.iloc[other, one] = _apart(*pair)
    return for_the_custodian(found)


def _codes(data: pd.Series, rows: pd.Series) -> tuple[np.ndarray, np.ndarray]:
    """One number for each value, the same on both sides; 0 where there is none."""
    mine, theirs = (pd.Series(each.to_numpy(), dtype=object) for each in (data, rows))
    both = pd.concat([mine, theirs], ignore_index=True)
    numbers = pd.to_numeric(both, errors="coerce")
    if pd.api.types.is_numeric_dtype(data.dtype) and both.nunique() > MOST_BINS:
        edges = np.unique(np.nanquantile(numbers[: len(mine)].astype(float), np.linspace(0, 1, MOST_BINS + 1)[1:-1]))
        found = np.where(numbers.isna(), 0, 1 + np.searchsorted(edges, numbers.astype(float), side="right"))
    else:
        found = pd.factorize(both, use_na_sentinel=True)[0] + 1
    return found[: len(mine)], found[len(mine) :]


def _apart(data: np.ndarray, rows: np.ndarray) -> float:
    """Half the sum of what the shares of values differ by."""
    values, places = np.unique(np.concatenate([data, rows]), return_inverse=True)
    one, other = (np.bincount(side, minlength=len(values)) for side in np.split(places, [len(data)]))
    return float(np.abs(one / len(data) - other / len(rows)).sum() / 2)


@read_by_signature
def cluster(source: Any, *, by: str, into: str | os.PathLike[str], parts: int = 256) -> Path:
    """Write a table as so many Parquet files, each with all rows of some of the people. Nothing is released.

    `Session(unit=...).scan` reads the folder one file at a time, so a file has to fit into memory once for each
    processor. Which file a person's rows are in follows from a hash of the id that everybody can compute. The files
    hold all that the source holds, ids too, and are the keeper's own: nothing in them is protected.

    Parameters
    ----------
    source : DataFrame, path, pyarrow.dataset.Dataset or callable
        A table in memory, or what `Session.scan` reads.
    by : str
        The column that says whose a row is: whole numbers or texts. Rows without an id are written, and never count.
    into : path
        A folder that is not there yet.
    parts : int
        How many files.

    Returns
    -------
    Path
        Of the folder.

    Examples
    --------
    >>> import tempfile, pandas_dp as pdp
    >>> folder = pdp.custodian.cluster(
    ...     pdp.datasets.load_rice_farms(), by="id", into=tempfile.mkdtemp() + "/farms", parts=4
    ... )
    >>> session = pdp.Session(epsilon=1e9, unit="id")  # so much that there is no noise to see
    >>> farms = session.scan(folder)
    >>> farms["id"].dp.nunique(epsilon=1e6)["nunique"].round().item()
    171
    >>> people = farms.dp.per_person(goutput="sum")
    >>> people["goutput"].dp.mean(bounds=(0, 60_000), epsilon=1e6)["mean"].round(1).item()
    8431.0
    >>> session.close()
    """
    count, folder = whole_number("parts", parts, 1, 2**16), Path(into)
    if folder.exists():
        raise UnsupportedArgument(
            "cluster writes a folder that is not there yet, and into= names one that is; name another, or remove it "
            "first.",
            argument="into",
        )
    write = writer(source, by, count)
    written = folder.with_name(f"{folder.name}.unfinished")
    shutil.rmtree(written, ignore_errors=True)
    written.mkdir(parents=True)
    write(written)
    written.rename(folder)
    return folder
