"""Whether released counts agree with given probabilities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from ...errors import BadArgument, NotConcluded, shown
from ...reading import is_number, is_whole, one_of
from ..guaranteed import guaranteed
from ..results import TestResult
from .binomial import Binomial
from .counted import Counted, counted
from .independence import REPLICATES, Seed, read_pvalue, read_replicates
from .likelihood import model_tests

Floats = npt.NDArray[np.float64]
Expected = float | Mapping[Any, float] | Sequence[float] | pd.Series
ONE = 1e-8  # probabilities may miss 1 by this much
MOST_ROWS = 10**8
SIDES = {"two-sided": ("", 0), "greater": ("at most ", 1), "less": ("at least ", -1)}


@guaranteed
def goodness_of_fit(
    frame: pd.DataFrame,
    expected: Expected,
    total: int | None,
    alternative: str,
    pvalue: str,
    replicates: int,
    seed: Seed,
) -> TestResult:
    """Several cells against their probabilities, or one count against the probability of a binomial."""
    table = counted(frame)
    bootstrap = read_pvalue(pvalue)
    read_replicates(replicates)
    one_of("alternative", alternative, tuple(SIDES))
    if table.counts.size == 1:
        return _one_count(table, expected, total, alternative, pvalue)
    if alternative != "two-sided":
        raise BadArgument("alternative= is for a single count; several cells are off in many directions; leave it out.")
    if total is not None:
        raise BadArgument("total= is for a single count; the total of several cells is estimated.")
    shares = _shares(table, expected)
    found = model_tests(
        table.counts[np.newaxis],
        table.law,
        ((),),
        seed=shares,
        bootstrap=bootstrap,
        replicates=replicates,
        rng=table.rng(seed),
        possible=table.possible,
    )
    calibration = f"a parametric bootstrap of {replicates} tables" if found.bootstrapped else "the chi-square law"
    return TestResult(
        float(found.statistic[0]),
        float(found.pvalue[0]),
        found.df,
        "the cells have the given probabilities",
        f"likelihood ratio of Poisson counts behind noise; p value from {calibration}",
        table.noise,
        table.as_table(found.expected[0]),
    )


def _one_count(table: Counted, expected: Expected, total: int | None, alternative: str, pvalue: str) -> TestResult:
    rows = table.label.size if total is None else total
    if pvalue != "auto":
        raise BadArgument("a single count is tested exactly; leave pvalue= out.")
    if not table.law.log_concave:
        raise NotConcluded(
            "a single count is tested under noise whose loss grows evenly or ever faster with the error, and that of "
            "this release does not; take its interval."
        )
    if rows is None or not is_whole(rows) or not 1 <= rows <= MOST_ROWS:
        raise BadArgument(
            "total must be the public number of rows that were counted over, "
            f"from 1 to {MOST_ROWS:,}, not {shown(rows)}."
        )
    probability = float(expected) if is_number(expected) else -1.0  # type: ignore[arg-type]
    if not 0 < probability < 1:
        raise BadArgument(f"the probability of a single count lies between 0 and 1, not {shown(expected)}.")
    count = float(table.counts.item())
    if count > rows + table.law.half_width(1 - 1e-12) + 1:
        raise NotConcluded("the released count is larger than total rows and this noise can make it.")
    test = Binomial(int(rows), probability, table.law)
    than, side = SIDES[alternative]
    what = "likelihood ratio of" if not side else "the size of"
    return TestResult(
        test.statistic(count) if not side else count,
        test.pvalue(count) if not side else test.beyond(count, side),
        None,
        f"the probability of a row to be counted is {than}{probability:g}",
        f"{what} a binomial count behind noise; exact p value",
        table.noise,
        table.as_table(np.array([rows * probability])),
    )


def _shares(table: Counted, expected: Expected) -> Floats:
    """Probabilities cell by cell, whatever they were given as."""
    cells = table.rows if len(table.columns) == 1 else None
    if isinstance(expected, Mapping | pd.Series):
        if cells is None:
            raise BadArgument("give the probabilities of a two-way table as rows of numbers.")
        given = pd.Series(dict(expected) if isinstance(expected, Mapping) else expected)
        if not given.index.is_unique or set(given.index) != set(cells):
            raise BadArgument("the probabilities must name each cell of the table once.")
        expected = given.reindex(cells).tolist()
    try:
        shares = np.asarray(expected, dtype=np.float64)
    except (TypeError, ValueError):
        shares = None
    each = f"give a probability for each of the {table.counts.size} cells"
    if shares is None or not shares.ndim:
        raise BadArgument(f"{each}, as a list of numbers or by name.")
    if shares.size != table.counts.size:
        raise BadArgument(f"{each}; those given are {'more' if shares.size > table.counts.size else 'fewer'}.")
    shares = shares.reshape(table.counts.shape)
    possible = np.ones(shares.shape, dtype=bool) if table.possible is None else table.possible
    if not np.all(shares[possible] > 0) or abs(shares.sum() - 1) > ONE:
        raise BadArgument("the probabilities must be positive and add up to 1.")
    if np.any(shares[~possible]):
        raise BadArgument("the probabilities of structural zeros must be 0.")
    return shares


__all__ = ["REPLICATES", "Expected", "goodness_of_fit"]
