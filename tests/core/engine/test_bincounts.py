"""Numbers are counted, and values added up, as `np.bincount` does it."""

from __future__ import annotations

import numpy as np
import pytest

from pandas_dp.core.engine.fold import FEW, counts, sums

MANY = 2 * FEW + 1


@pytest.mark.parametrize("size", [1, 7, 3 * MANY])
@pytest.mark.parametrize("rows", [0, 1, FEW - 1, FEW, MANY])
@pytest.mark.parametrize("dtype", [np.int16, np.int32, np.int64])
def test_counts_and_sums_are_those_of_numpy(dtype: type, rows: int, size: int) -> None:
    draws = np.random.default_rng(rows)
    numbers = draws.integers(0, min(size, 2**15), rows).astype(dtype)
    values = draws.integers(-(2**35), 2**35, rows).astype(float)
    np.testing.assert_array_equal(counts(numbers, size), np.bincount(numbers, minlength=size))
    np.testing.assert_array_equal(sums(numbers, values, size), np.bincount(numbers, values, size))
    np.testing.assert_array_equal(sums(numbers[::-1], values[::-1], size), np.bincount(numbers, values, size))


def test_a_number_below_zero_is_not_counted_somewhere_else() -> None:
    numbers = np.append(np.zeros(MANY, np.int32), np.int32(-1))
    with pytest.raises(ValueError, match="negative"):
        counts(numbers, 3)


def test_a_number_beyond_the_size_makes_the_table_longer_and_hits_nothing_else() -> None:
    numbers = np.append(np.zeros(MANY, np.int32), np.int32(3))
    assert counts(numbers, 3).tolist() == [MANY, 0, 0, 1]
