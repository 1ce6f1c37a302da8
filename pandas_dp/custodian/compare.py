"""How far synthetic rows are from the data, exactly: for the custodian's eyes."""

from __future__ import annotations

from collections.abc import Hashable
from itertools import combinations

import numpy as np
import pandas as pd

from ..errors import UnknownColumn, UnsupportedArgument
from ..session import check_synthetic
from ..signatures import read_by_signature
from .consent import consenting_desk, for_the_custodian

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
    consenting_desk(data)
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
