"""Equal bins are found by a multiplication, and never elsewhere than a search finds them."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from pandas_dp.core.engine.labels import Bins
from pandas_dp.core.schema.values import Breaks, Interval, Kind

EDGES = {
    "beyond the range": (0, 20, range(22)),
    "the range": (0, 20, range(21)),
    "around the range": (-3, 7, np.linspace(-5, 9, 13)),
    "parts of one": (0, 1, np.linspace(0, 1, 8)),
    "inside the range": (0, 20, range(2, 15)),
    "one": (0, 1, (0, 1)),
    "far from zero": (10**4, 10**4 + 3, np.linspace(10**4, 10**4 + 3, 31)),
    "below the range": (5, 9, range(5)),
    "above the range": (-9, -5, range(5)),
    "many": (0, 1, np.linspace(0, 1, 2**17 + 1)),
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
        searched = bins._searched(np.where(np.isnan(x), bins.filling, x))
    np.testing.assert_array_equal(found, searched)


@pytest.mark.parametrize("edges", [np.linspace(-5, 9, 13), np.linspace(0, 1, 101)], ids=["few", "hundred"])
def test_values_of_any_size_are_found_without_a_range(edges: np.ndarray) -> None:
    bins = Bins(Breaks(tuple(edges.tolist())), None)
    assert bins.even
    far = np.array([1e308, -1e308, 5e-324, -5e-324, -0.0, np.nan, np.inf, -np.inf])
    x = np.concatenate([edges, np.nextafter(edges, 99), np.nextafter(edges, -99), far])
    np.testing.assert_array_equal(bins.places((x, None)), bins._searched(x))
