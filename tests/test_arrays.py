"""Covering arrays: every pair of options is among them, and they are few."""

from __future__ import annotations

from itertools import combinations, product

from .arrays import pairwise


def test_every_pair_of_options_is_together_once_at_least_and_rows_are_few() -> None:
    factors = ["abcd", [50, 500, 5000], ["whole", "derived", "grouped"], [0.01, 0.1, 1.0]]
    found = pairwise(*factors)
    for one, other in combinations(range(4), 2):
        assert {(row[one], row[other]) for row in found} == set(product(factors[one], factors[other]))
    assert 12 <= len(found) <= 16  # of 108
    assert pairwise(*factors) == found
