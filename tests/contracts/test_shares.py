"""How noise is shared out among counts, sums and products: nothing free is paid for, nothing paid for is wasted.

A sensitivity follows its weights, so too much weight on a coordinate breaks no promise. It wastes noise, and shows
here.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pandas_dp.audit import CELLS, WORLDS, World
from pandas_dp.core.engine.rows import PandasRows
from pandas_dp.core.measure.cells import Cells, Variable
from pandas_dp.core.schema.values import Interval
from pandas_dp.models.measure import STEPS, Gram, Number
from pandas_dp.numeric import measure
from pandas_dp.numeric.measure import Moments
from pandas_dp.numeric.measure_ratios import RatioSums

Array = np.ndarray[Any, Any]
WIDE = Interval(Fraction(0), Fraction(200), "integer")  # half = 100
ENDS = [0.0, 2.0, 50.0, 100.0, 150.0, 198.0, 200.0]
EVEN = Interval(Fraction(0), Fraction(256), "integer")  # whose codes are whole numbers of steps
EVEN_ENDS = [0.0, 3.0, 64.0, 128.0, 192.0, 253.0, 256.0]
TIGHT = 1e-9


Shared = Moments | Gram | RatioSums


@cache
def vectors(measurement: Shared) -> Array:
    """What single rows bring to their cell, over a fine grid of values; the last is a row that is not there."""
    one = measurement if isinstance(measurement, RatioSums) else replace(measurement, counted=True, cells=Cells())
    points = range(201) if isinstance(measurement, Moments) else EVEN_ENDS if isinstance(measurement, Gram) else ENDS
    rows = list(product(points, repeat=len(one.variables)))
    names = [str(v.column) for v in one.variables]
    found = [PandasRows(pd.DataFrame([row], columns=names, dtype=float), None).fold(one)[0] for row in rows]
    table = np.array([*found, np.zeros(len(found[0]))], dtype=float)
    return table if isinstance(measurement, RatioSums) or measurement.counted else table[:, 1:]


vectors_afresh = vectors.__wrapped__


def needed(measurement: Shared, world: World, norm: int, weights: Array, rows: Array | None = None) -> float:
    """The sensitivity that these weights would need, by trying all pairs of rows."""
    scaled = (vectors(measurement) if rows is None else rows) / weights
    sizes = (np.abs(scaled[:-1]) ** norm).sum(axis=1)
    sensitivities = [0.0]
    if world.swaps:
        present = scaled[:-1]
        sensitivities += [float((np.abs(present - row) ** norm).sum(axis=1).max()) for row in present]
        if measurement.cells.size > 1:
            sensitivities.append(2 * float(sizes.max()))
    if world.vanishes or measurement.cells.keys or any(v.nullable for v in measurement.variables):
        sensitivities.append(float(sizes.max()))
    return max(sensitivities)


def stated(measurement: Shared, world: World, norm: int) -> tuple[Array, float]:
    adjacency = world.relation.adjacency(world.whole)
    weights = measurement.weights(norm, adjacency)  # type: ignore[arg-type]
    return np.array([float(w) for w in weights]), float(measurement.sensitivity(norm, adjacency))  # type: ignore[arg-type]


def slack(measurement: Shared, world: World, norm: int, group: slice | list[int]) -> float:
    """By how much the weights of these coordinates could shrink together without a larger reach."""
    weights, sensitivity = stated(measurement, world, norm)
    low, high = 0.0, 1.0
    for _ in range(30):
        middle = (low + high) / 2
        tried = weights.copy()
        tried[group] *= max(middle, 1e-9)
        low, high = (
            (low, middle) if needed(measurement, world, norm, tried) <= sensitivity * (1 + TIGHT) else (middle, high)
        )
    return high


def moments(counted: bool, cells: Cells) -> Moments:
    return Moments(Variable("x", WIDE), cells, counted)


def products(k: int, counted: bool) -> Gram:
    return Gram(tuple(Number(Variable(name, EVEN)) for name in "xyzabcde"[:k]), counted)


def private(world: World, cells: Cells) -> bool:
    return world.vanishes or bool(cells.keys)


PLACES = [(world, place) for world in WORLDS for place in ("all", "two cells")]


@pytest.mark.parametrize("norm", [1, 2])
@pytest.mark.parametrize(("world", "place"), PLACES, ids=str)
def test_of_moments_no_weight_could_be_smaller(world: World, place: str, norm: int) -> None:
    measurement = moments(private(world, CELLS[place]), CELLS[place])
    weights, sensitivity = stated(measurement, world, norm)
    assert needed(measurement, world, norm, weights) <= sensitivity * (1 + TIGHT)
    for coordinate in range(len(weights)):
        assert slack(measurement, world, norm, slice(coordinate, coordinate + 1)) > 0.99


@pytest.mark.parametrize(("world", "place"), PLACES, ids=str)
def test_where_only_a_spread_is_told_no_weight_could_be_smaller(world: World, place: str) -> None:
    measurement = replace(moments(private(world, CELLS[place]), CELLS[place]), spread=True)
    weights, sensitivity = stated(measurement, world, 1)
    assert needed(measurement, world, 1, weights) == pytest.approx(sensitivity, rel=1e-4)
    for coordinate in range(len(weights)):
        assert slack(measurement, world, 1, slice(coordinate, coordinate + 1)) > 0.99


@pytest.mark.parametrize(("world", "place"), PLACES, ids=str)
def test_the_noise_of_a_spread_alone_is_as_small_as_it_can_be(world: World, place: str) -> None:
    """To first order, of a small variance, with means anywhere in the range: 1 + 4/3, and 1 where rows are counted.
    In one cell the count stays free; what could be gained by paying for it is less than one part in ten."""
    counted = private(world, CELLS[place])
    plain = moments(counted, CELLS[place])
    measurement = replace(plain, spread=True)

    def variance(asked: Moments, factors: tuple[float, ...]) -> float:
        weights = stated(asked, world, 1)[0] * np.array(factors)
        *count, total, squares = (weights / np.array([*[1.0] * counted, 100.0, 100.0**2])) * needed(
            asked, world, 1, weights
        )
        return float(squares**2 + 4 / 3 * total**2 + sum(count) ** 2)

    ours = variance(measurement, (1.0, 1.0, 1.0)[: 2 + counted])
    steps = (0.9, 1.0, 1.1)
    best = min(variance(measurement, tried) for tried in product(steps, repeat=2 + counted))
    assert ours <= 1.1 * best
    assert ours < 0.8 * variance(plain, (1.0, 1.0, 1.0)[: 2 + counted])


@pytest.mark.parametrize("norm", [1, 2])
@pytest.mark.parametrize(("world", "place"), [(w, p) for w, p in PLACES if private(w, CELLS[p])], ids=str)
def test_a_noisy_count_is_as_good_for_the_mean_as_it_can_be(world: World, place: str, norm: int) -> None:
    """The variance of a mean, averaged over means across the range, is R·(1 + w²/3), or R²·(1 + w²/3) in norm 1."""
    measurement = moments(True, CELLS[place])
    weights, _ = stated(measurement, world, norm)

    def variance(factor: float) -> float:
        tried = weights * np.array([factor, 1.0, 1.0])
        return needed(measurement, world, norm, tried) ** (2 / norm) * (1 + tried[0] ** 2 / 3)

    assert variance(1.0) <= min(variance(factor) for factor in (0.9, 0.96, 1.04, 1.1))


# how much smaller the squares of three columns could be: theorem 3 takes every square's change at its largest at once
SPARE = {(3, 2, "replace, whole"): 0.94}


@pytest.mark.parametrize("norm", [1, 2])
@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("world", WORLDS, ids=str)
def test_of_products_no_weight_could_be_smaller(world: World, k: int, norm: int) -> None:
    measurement = products(k, world.name != "replace, whole")
    weights, sensitivity = stated(measurement, world, norm)
    assert needed(measurement, world, norm, weights) == pytest.approx(sensitivity, rel=1e-5)  # weights are rounded up
    groups: dict[object, list[int]] = {}
    for place, (one, other) in enumerate(zip(*measurement.sums.places, strict=True)):
        groups.setdefault("squares" if one == other > 0 else int(one > 0) + int(other > 0), []).append(place)
    assert len(groups) == 3 + measurement.counted
    for name, places in groups.items():
        spare = SPARE.get((k, norm, world.name), 0.99) if name == "squares" else 0.99
        assert slack(measurement, world, norm, places) > spare, name


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


@pytest.mark.parametrize("k", range(1, 9))
def test_the_weights_of_products_are_those_of_the_theorem(k: int) -> None:
    """With K = k + 1 squares count (k+3)/2 and the count (K²-K+2)/2; where rows come and go both count K/2."""
    measurement, terms = products(k, True), k + 1
    replaced, coming = WORLDS[1].relation.adjacency(False), WORLDS[2].relation.adjacency(True)
    assert measurement.sensitivity(2, replaced) == pytest.approx(8.5 if k == 2 else terms**2, rel=1e-3)
    assert measurement.sensitivity(2, coming) == pytest.approx(terms**2 / 2, rel=3e-3)
    assert measurement.sensitivity(1, replaced) == Fraction(terms**2, 2)
    assert measurement.sensitivity(1, coming) == Fraction(terms * k, 2) + 1
    count, *_, square = measurement.weights(2, replaced)
    assert 1 / float(square / STEPS**2) ** 2 == pytest.approx((k + 3) / 2, rel=0.01)
    assert 1 / float(count) ** 2 == pytest.approx(3.5 if k == 2 else (terms**2 - terms + 2) / 2, rel=0.02)
    count, *_, square = measurement.weights(2, coming)
    assert 1 / float(square / STEPS**2) ** 2 == 1 / float(count) ** 2 == pytest.approx(terms / 2, rel=5e-3)


@pytest.mark.parametrize("bits", [3, 4, 6, 9])
@pytest.mark.parametrize("norm", [1, 2])
@pytest.mark.parametrize(("world", "place"), PLACES, ids=str)
def test_products_that_are_rounded_coarsely_stay_within_reach(
    world: World, place: str, norm: int, bits: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the exact products leave no room at all, rounding needs its own."""
    monkeypatch.setattr(measure, "PRODUCT_BITS", bits)
    counted = private(world, CELLS[place])
    asked: list[Moments | RatioSums] = [moments(counted, CELLS[place])]
    if place == "all":
        asked.append(RatioSums(tuple(Variable(name, WIDE) for name in "xy")))
    for measurement in asked:
        weights, sensitivity = stated(measurement, world, norm)
        assert any(measurement.shifts)
        assert needed(measurement, world, norm, weights, vectors_afresh(measurement)) <= sensitivity * (1 + TIGHT)
