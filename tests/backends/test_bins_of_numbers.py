"""Equal bins are found by a multiplication, and never elsewhere than a search finds them."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from pandas_dp.backends.bins import Bins
from pandas_dp.domain import Breaks, Interval, Kind

EDGES = {
    "beyond the range": (0, 20, range(22)),
    "the range": (0, 20, range(21)),
    "around the range": (-3, 7, np.linspace(-5, 9, 13)),
    "parts of one": (0, 1, np.linspace(0, 1, 8)),
    "inside the range": (0, 20, range(2, 15)),
}


@pytest.mark.parametrize("nullable", [False, True])
@pytest.mark.parametrize("kind", ["float", "integer"])
@pytest.mark.parametrize("case", EDGES)
def test_a_multiplication_finds_what_a_search_does(case: str, kind: Kind, nullable: bool) -> None:
    low, high, given = EDGES[case]
    edges = np.array(list(given), float)
    bins = Bins(Breaks(tuple(edges.tolist())), Interval(Fraction(low), Fraction(high), kind, nullable))
    assert bins.even
    near = [np.nextafter(edges, 99), np.nextafter(edges, -99)]
    inside = np.random.default_rng(0).uniform(low - 2, high + 2, 500)
    x = np.concatenate([edges, *near, inside, [np.nan, np.inf, -np.inf, low, high]])
    with np.errstate(all="ignore"):
        found = bins.places((x.copy(), None))
        filled = np.where(np.isnan(x), bins.filling, x) if bins.filled else x
        searched = bins._searched(filled.clip(low, high))
    np.testing.assert_array_equal(found, np.where(np.isnan(filled), -1, searched))
