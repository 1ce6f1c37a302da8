"""Every data set of a tiny universe, every neighbour, every secret sample, exact probabilities."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import cache, reduce

import numpy as np
import numpy.typing as npt
import pytest

from pandas_dp.core.noise.gaussian import DiscreteGaussian
from pandas_dp.numeric.accounting_bootstrap import Sample, delta_of, resample, subset

Rows = tuple[int, ...]
Statistic = Callable[[Rows], int]
VALUES, WIDE = (0, 1, 2), 14  # answers further than this from the range have a chance below 1e-15
LAW = DiscreteGaussian(Fraction(5, 2))
POINTS = np.arange(-WIDE, 6 + WIDE + 1)
NOISE = np.array([LAW.pmf(k) for k in range(-3 * WIDE, 3 * WIDE)])


def middle(rows: Rows) -> int:
    return sorted(rows)[(len(rows) - 1) // 2]


STATISTICS: list[Statistic] = [sum, max, middle]


def subsets(rows: Rows) -> Iterable[Rows]:
    return itertools.combinations(rows, len(rows) // 2)


def resamples(rows: Rows) -> Iterable[Rows]:
    return itertools.product(rows, repeat=len(rows))


def answers(rows: Rows, samples: Callable[[Rows], Iterable[Rows]], statistic: Statistic) -> npt.NDArray[np.float64]:
    """The exact law of one replicate."""
    seen = Counter(statistic(sample) for sample in samples(rows))
    law = sum(count * NOISE[POINTS - value + 3 * WIDE] for value, count in seen.items())
    return np.asarray(law / sum(seen.values()))


def hockey_stick(p: npt.NDArray[np.float64], q: npt.NDArray[np.float64], epsilon: float, times: int) -> float:
    p, q = (reduce(lambda a, b: np.multiply.outer(a, b).ravel(), [law] * times) for law in (p, q))
    return float(np.maximum(p - math.exp(epsilon) * q, 0).sum())


@cache
def neighbours(size: int, samples: Callable[[Rows], Iterable[Rows]], statistic: Statistic) -> list[tuple[bytes, bytes]]:
    """Every pair of laws of one replicate for data sets of this size that differ in their first row."""
    laws = {
        rows: answers(rows, samples, statistic).tobytes() for rows in itertools.product(VALUES, repeat=size)
    }  # the order of the rows does not matter to any of these
    pairs = {
        (laws[(one, *rest)], laws[(other, *rest)])
        for rest in itertools.combinations_with_replacement(VALUES, size - 1)
        for one, other in itertools.permutations(VALUES, 2)
    }
    return sorted(pairs)


def worst(pairs: list[tuple[bytes, bytes]], epsilon: float, times: int) -> float:
    return max(hockey_stick(np.frombuffer(p), np.frombuffer(q), epsilon, times) for p, q in pairs)


CASES = [
    (4, subsets, subset(2, 4)),
    (5, subsets, subset(2, 5)),
    (3, resamples, resample(3)),
    (4, resamples, resample(4)),
]
IDS = ["half of 4", "2 of 5", "resample of 3", "resample of 4"]


@pytest.mark.parametrize("statistic", STATISTICS, ids=["sum", "max", "median"])
@pytest.mark.parametrize(("size", "samples", "sample"), CASES, ids=IDS)
def test_no_pair_of_neighbours_is_told_apart_better_than_the_bound_says(
    size: int, samples: Callable[[Rows], Iterable[Rows]], sample: Sample, statistic: Statistic
) -> None:
    pairs = neighbours(size, samples, statistic)
    for times in (1, 2):
        for epsilon in (0.0, 0.1, 0.5, 1.0, 2.0, 4.0):
            assert worst(pairs, epsilon, times) <= delta_of(LAW, times, sample, 2, epsilon) * (1 + 1e-9)


def test_three_replicates_too() -> None:
    pairs = [(answers((a, 0, 0, 0), subsets, sum), answers((b, 0, 0, 0), subsets, sum)) for a, b in ((2, 0), (0, 2))]
    for epsilon in (0.1, 1.0, 3.0):
        found = max(hockey_stick(p, q, epsilon, 3) for p, q in pairs)
        bound = delta_of(LAW, 3, subset(2, 4), 2, epsilon)
        assert 0.8 * bound <= found <= bound * (1 + 1e-9)


@pytest.mark.parametrize("epsilon", [0.0, 0.1, 0.5, 1.0, 2.0, 4.0])
def test_one_subset_reaches_the_bound(epsilon: float) -> None:
    """All others at one end, and the noise as coarse as it is: the bound is the discrete noise's own."""
    found = worst(neighbours(4, subsets, sum), epsilon, 1)
    assert found <= delta_of(LAW, 1, subset(2, 4), 2, epsilon) <= found * 1.01


def test_a_bound_for_less_than_was_done_would_be_broken() -> None:
    """A smaller reach, a smaller subset, fewer replicates, or the paper's accounting: each is found out."""
    pairs = neighbours(4, subsets, sum)
    assert worst(pairs, 1.0, 2) > delta_of(LAW, 2, subset(2, 4), 1, 1.0)
    assert worst(pairs, 1.0, 2) > delta_of(LAW, 2, subset(1, 4), 2, 1.0)
    assert worst(pairs, 1.0, 2) > delta_of(LAW, 1, subset(2, 4), 2, 1.0)
    drawn = neighbours(4, resamples, sum)
    assert worst(drawn, 1.0, 1) > delta_of(LAW, 1, subset(4, 4), 2, 1.0)
