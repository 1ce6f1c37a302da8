"""Pairs of a yes or no before and after: whether as many change in one direction as in the other (McNemar)."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.special import gammaln

from ...errors import NotConcluded
from ...evidence import Noise
from ...evidence.errors_of_tests import error_of
from ...laws import Law
from ..guaranteed import guaranteed
from ..results import LEAST, TestResult
from .counted import counted, levels

Floats = npt.NDArray[np.float64]
NORMAL = 1e9  # degrees of freedom of a normal law
MOST_PAIRS, MOST_NOISE = 300, 100.0  # pairs, and variance of the noise, from which on laws are as good as normal
RARE = 1e-9  # the chance of noise beyond what is summed


@guaranteed
def mcnemar_test(frame: pd.DataFrame) -> TestResult:
    """Whether as many pairs change in one direction as in the other."""
    table = counted(frame)
    if table.counts.shape != (2, 2) or table.possible is not None:
        raise NotConcluded("pairs of yes and no are a crosstab of two columns with two categories each.")
    there, back = float(table.counts[0, 1]), float(table.counts[1, 0])
    noise = Noise(table.law)
    variance = max(there + back, 0.0) + 2 * noise.var
    statistic = (there - back) / np.sqrt(variance)
    few = max(there + back, there, back) <= MOST_PAIRS and noise.var <= MOST_NOISE
    normal = error_of(float(statistic), (noise,), 2 * noise.var / variance, NORMAL)
    names = [" and ".join(map(str, pair)) for pair in zip(*_off_diagonal(table.rows, table.columns), strict=True)]
    return TestResult(
        float(statistic),
        max(chance_of_few(int(there), int(back), table.law), LEAST) if few else normal,
        None,
        f"as many pairs are ({names[0]}) as ({names[1]})",
        f"{'binomial law behind noise' if few else 'normal law'} of the difference of the two counts",
        table.noise,
    )


def chance_of_few(there: int, back: int, law: Law) -> float:
    """The chance of so large a difference, or half that of just this one, where as many pairs change there as back, of
    the releases that have the sum of the two which was seen; true numbers of pairs that change are all taken alike."""
    total, reach = there + back, law.half_width(1 - RARE)
    low = min(0, total, there, back) - reach
    seen = np.arange(low, total - low + 1)  # pairs there; total - seen are back
    true = np.arange(total - low + reach + 1)
    masses = _masses(seen, true, law)
    chances = np.einsum("sk,kl,sl->s", masses, _ways(true), masses[::-1], optimize=True)
    apart, own = np.abs(2 * seen - total), abs(there - back)
    return float((chances[apart > own].sum() + chances[apart == own].sum() / 2) / chances.sum())


def _masses(seen: Any, true: Any, law: Law) -> Floats:
    """Of each number seen where another is true."""
    off = np.arange(seen[0] - true[-1], seen[-1] - true[0] + 1)
    return np.asarray(np.asarray(law.pmf(off), dtype=float)[seen[:, None] - true - off[0]])


def _ways(true: Any) -> Floats:
    """The chance that of k + l pairs k change there, by k and l."""
    together = true[:, None] + true
    logs = gammaln(together + 1.0) - gammaln(true[:, None] + 1.0) - gammaln(true + 1.0) - together * np.log(2)
    return np.asarray(np.exp(logs))


def _off_diagonal(rows: pd.Index, columns: pd.Index) -> tuple[list[Any], list[Any]]:
    first, second = levels(rows, columns)
    return [first[0], first[1]], [second[1], second[0]]
