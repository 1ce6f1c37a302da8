"""The theorems behind free weights, counts and squares, over all points of a lattice
(docs/proofs/surveys/surveys.md)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

Array = np.ndarray[Any, Any]
STEPS = 12


def points(steps: int) -> tuple[Array, Array]:
    """All (t, s) with |s| ≤ t ≤ 1 in such steps, and their three products."""
    found = np.array([(t / steps, s / steps) for t in range(steps + 1) for s in range(-t, t + 1)])
    t, s = found.T
    u, v = (t + s) / 2, (t - s) / 2
    return found, np.stack([u * v, (1 - t) * u, (1 - t) * v], axis=1)


def moved(total: float, product: float, norm: int) -> tuple[float, float]:
    """How far a point moves at most when it changes, and when it comes or goes, S weighing 1, the others as given."""
    place, products = points(STEPS)
    sizes = np.array([total, 1.0]) * np.abs(place[:, None] - place[None]) ** norm
    within = sizes.sum(axis=2) + product * (np.abs(products[:, None] - products[None]) ** norm).sum(axis=2)
    alone = (np.array([total, 1.0]) * np.abs(place) ** norm).sum(axis=1) + product * (np.abs(products) ** norm).sum(
        axis=1
    )
    return float(within.max()), float(alone.max())


def test_weights_and_squares_are_free_in_one_cell() -> None:
    assert moved(3, 16, 2)[0] == pytest.approx(4)
    assert moved(3, 17, 2)[0] > 4  # 16 is the largest constant
    assert moved(2 / 3, 1 / 3, 1)[0] == pytest.approx(2)


def test_weights_and_squares_are_free_in_a_table_of_cells() -> None:
    within, alone = moved(1, 16, 2)
    assert within <= 4 + 1e-12
    assert alone == pytest.approx(2)


@pytest.mark.parametrize("total", [0.4427, 0.5, 1.5, 3])
def test_who_comes_or_goes_moves_no_more_than_a_vertex(total: float) -> None:
    assert moved(total, 16, 2)[1] <= 1 + total + 1e-12


def test_below_a_constant_somebody_moves_farther() -> None:
    place, products = points(300)
    t, s = place.T
    assert float((s**2 + 0.43 * t**2 + 16 * (products**2).sum(axis=1)).max()) > 1.43


def test_a_count_is_free_beside_them_in_one_cell_and_in_strata() -> None:
    one, strata = moved(1.5, 16, 2), moved(0.5, 16, 2)
    assert max(one[0], one[1] + 1.5) == pytest.approx(4)  # who is absent lacks the count, too
    assert max(strata[0], 2 * (strata[1] + 0.5)) == pytest.approx(4)
    assert max(moved(2 / 3, 1 / 3, 1)[1] + 1 / 3, 2) == pytest.approx(2)


@pytest.mark.parametrize("total", [1 / 1.443, 1.0, 0.6])
def test_in_norm_1_products_are_free_beside_who_comes_or_goes(total: float) -> None:
    product = min(1 + total, 2)
    assert moved(total, product, 1)[1] <= 1 + total + 1e-12


def test_squares_of_weights_are_free() -> None:
    t = np.linspace(0, 1, 1001)
    change = np.abs(t[:, None] - t[None])
    square = np.abs((t * (1 - t))[:, None] - (t * (1 - t))[None])
    assert float((change**2 + (square / 0.3005) ** 2).max()) <= 1 + 1e-12
    assert float((change**2 + (square / 0.295) ** 2).max()) > 1
    assert float((change + square).max()) <= 1 + 1e-12


def test_a_sample_that_is_allocated_by_the_data_lets_one_person_exchange_many(golden: Any) -> None:
    """Why no amplification is claimed: one moves from a stratum of 4 to one of 3, and the larger is taken whole."""

    def sampled(strata: list[str]) -> set[int]:
        larger = max("ab", key=lambda name: (strata.count(name), name == "a"))
        return {place for place, name in enumerate(strata) if name == larger}

    here, there = sampled(["a"] * 4 + ["b"] * 3), sampled(["a"] * 3 + ["b"] * 4)
    assert len(here ^ there) == golden["amplification.allocation.change"]
