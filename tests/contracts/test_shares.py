"""How noise is shared out among counts, sums and products: nothing free is paid for, nothing paid for is wasted.

A reach follows its weights, so too much weight on a coordinate breaks no promise. It wastes noise, and shows here.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pandas_dp.backends import PandasRows
from pandas_dp.domain import Interval
from pandas_dp.tally import Cells, Moments, Products, Variable
from pandas_dp.tally import moments as tally_moments
from pandas_dp.testing import CELLS, WORLDS, World

Array = np.ndarray[Any, Any]
WIDE = Interval(Fraction(0), Fraction(200), "integer")  # half = 100
ENDS = [0.0, 2.0, 50.0, 100.0, 150.0, 198.0, 200.0]
TIGHT = 1e-9


@cache
def vectors(tally: Moments | Products) -> Array:
    """What single rows bring to their cell, over a fine grid of values; the last is a row that is not there."""
    one = Moments(tally.variable, counted=True) if isinstance(tally, Moments) else Products(tally.variables, True)
    points = range(201) if isinstance(tally, Moments) else ENDS
    rows = list(product(points, repeat=len(one.variables)))
    names = [str(v.column) for v in one.variables]
    found = [PandasRows(pd.DataFrame([row], columns=names, dtype=float), None).fold(one)[0] for row in rows]
    table = np.array([*found, np.zeros(len(found[0]))], dtype=float)
    return table if tally.counted else table[:, 1:]


vectors_afresh = vectors.__wrapped__


def needed(tally: Moments | Products, world: World, norm: int, weights: Array, rows: Array | None = None) -> float:
    """The reach that these weights would need, by trying all pairs of rows."""
    scaled = (vectors(tally) if rows is None else rows) / weights
    sizes = (np.abs(scaled[:-1]) ** norm).sum(axis=1)
    reaches = [0.0]
    if world.swaps:
        present = scaled[:-1]
        reaches += [float((np.abs(present - row) ** norm).sum(axis=1).max()) for row in present]
        if tally.cells.size > 1:
            reaches.append(2 * float(sizes.max()))
    if world.vanishes or tally.cells.keys or any(v.nullable for v in tally.variables):
        reaches.append(float(sizes.max()))
    return max(reaches)


def stated(tally: Moments | Products, world: World, norm: int) -> tuple[Array, float]:
    moves = world.relation.moves(world.whole)
    weights = tally.weights(norm, moves)  # type: ignore[arg-type]
    return np.array([float(w) for w in weights]), float(tally.reach(norm, moves))  # type: ignore[arg-type]


def slack(tally: Moments | Products, world: World, norm: int, group: slice) -> float:
    """By how much the weights of these coordinates could shrink together without a larger reach."""
    weights, reach = stated(tally, world, norm)
    low, high = 0.0, 1.0
    for _ in range(30):
        middle = (low + high) / 2
        tried = weights.copy()
        tried[group] *= max(middle, 1e-9)
        low, high = (low, middle) if needed(tally, world, norm, tried) <= reach * (1 + TIGHT) else (middle, high)
    return high


def moments(counted: bool, cells: Cells) -> Moments:
    return Moments(Variable("x", WIDE), cells, counted)


def products(k: int, counted: bool) -> Products:
    return Products(tuple(Variable(name, WIDE) for name in "xyz"[:k]), counted)


def private(world: World, cells: Cells) -> bool:
    return world.vanishes or bool(cells.keys)


PLACES = [(world, place) for world in WORLDS for place in ("all", "two cells")]


@pytest.mark.parametrize("norm", [1, 2])
@pytest.mark.parametrize(("world", "place"), PLACES, ids=str)
def test_of_moments_no_weight_could_be_smaller(world: World, place: str, norm: int) -> None:
    tally = moments(private(world, CELLS[place]), CELLS[place])
    weights, reach = stated(tally, world, norm)
    assert needed(tally, world, norm, weights) <= reach * (1 + TIGHT)
    for coordinate in range(len(weights)):
        assert slack(tally, world, norm, slice(coordinate, coordinate + 1)) > 0.99


@pytest.mark.parametrize("norm", [1, 2])
@pytest.mark.parametrize(("world", "place"), [(w, p) for w, p in PLACES if private(w, CELLS[p])], ids=str)
def test_a_noisy_count_is_as_good_for_the_mean_as_it_can_be(world: World, place: str, norm: int) -> None:
    """The variance of a mean, averaged over means across the range, is R·(1 + w²/3), or R²·(1 + w²/3) in norm 1."""
    tally = moments(True, CELLS[place])
    weights, _ = stated(tally, world, norm)

    def variance(factor: float) -> float:
        tried = weights * np.array([factor, 1.0, 1.0])
        return needed(tally, world, norm, tried) ** (2 / norm) * (1 + tried[0] ** 2 / 3)

    assert variance(1.0) <= min(variance(factor) for factor in (0.9, 0.96, 1.04, 1.1))


# how much smaller all products' weights could be: theorem 3 proves k where k - 1 seems to be enough
SPARE = {1: {2: 1.0, 3: 1.0}, 2: {2: (1 / 2) ** 0.5, 3: (2 / 3) ** 0.5}}


@pytest.mark.parametrize("norm", [1, 2])
@pytest.mark.parametrize("k", [2, 3])
def test_of_products_of_a_whole_frame_no_more_is_given_away_than_the_proof_needs(k: int, norm: int) -> None:
    tally, world = products(k, False), WORLDS[0]
    weights, reach = stated(tally, world, norm)
    assert world.name == "replace, whole"
    assert needed(tally, world, norm, weights) == pytest.approx(reach, rel=TIGHT)
    assert slack(tally, world, norm, slice(0, k)) > 0.99
    assert slack(tally, world, norm, slice(k, None)) == pytest.approx(SPARE[norm][k], rel=0.02)


@pytest.mark.parametrize("norm", [1, 2])
@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("world", WORLDS[1:], ids=str)
def test_of_counted_products_no_weight_could_be_smaller(world: World, k: int, norm: int) -> None:
    tally = products(k, True)
    weights, reach = stated(tally, world, norm)
    assert needed(tally, world, norm, weights) == pytest.approx(reach, rel=TIGHT)
    for group in (slice(0, 1), slice(1, k + 1), slice(k + 1, None)):
        assert slack(tally, world, norm, group) > 0.99


@pytest.mark.parametrize("norm", [1, 2])
def test_in_a_derived_frame_the_count_is_free(norm: int) -> None:
    """Sums have the noise that they have in a whole frame, though rows may be absent and are counted."""
    whole, derived = WORLDS[:2]
    for k in (1, 2, 3):
        kept, asked = (
            (products(k, False), products(k, True)) if k > 1 else (moments(False, Cells()), moments(True, Cells()))
        )
        assert stated(asked, derived, norm)[1] == pytest.approx(stated(kept, whole, norm)[1], rel=1e-3)
    assert derived.name == "replace, derived"


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("world", WORLDS[2:], ids=str)
def test_where_rows_come_and_go_count_sums_and_products_share_the_reach(world: World, k: int) -> None:
    """Equally where squares add up; where absolute values do, the sums have half."""
    for norm, shares in ((1, (k / 2, k, k / 2)), (2, (k, k, k))):
        tally = products(k, True)
        weights, _ = stated(tally, world, norm)
        corner = np.abs(vectors(tally)[-2] / weights) ** norm
        assert corner[0] == pytest.approx(shares[0], rel=0.01)
        assert corner[1 : k + 1].sum() == pytest.approx(shares[1], rel=0.01)
        assert corner[k + 1 :].sum() == pytest.approx(shares[2], rel=0.01)


@pytest.mark.parametrize("bits", [3, 4, 6, 9])
@pytest.mark.parametrize("norm", [1, 2])
@pytest.mark.parametrize(("world", "place"), PLACES, ids=str)
def test_products_that_are_rounded_coarsely_stay_within_reach(
    world: World, place: str, norm: int, bits: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the exact products leave no room at all, rounding needs its own."""
    monkeypatch.setattr(tally_moments, "PRODUCT_BITS", bits)
    counted = private(world, CELLS[place])
    asked: list[Moments | Products] = [moments(counted, CELLS[place])]
    if place == "all":
        asked.append(products(2, counted))
    for tally in asked:
        weights, reach = stated(tally, world, norm)
        assert any(tally.shifts)
        assert needed(tally, world, norm, weights, vectors_afresh(tally)) <= reach * (1 + TIGHT)
