"""The exact law of noise whose scale is a function of the data, and what its calibration takes for granted."""

from __future__ import annotations

from functools import lru_cache
from math import pi

import numpy as np

from ..core.arrays import Array
from ..core.noise.samplers.shapes import Exponentials, Shape, Student
from ..core.noise.smooth import Smooth
from ..core.plan.steps import Value
from .case import World
from .sensitivity import Exact

FAR = 100.0


def values_of_ranks(step: Value, exact: Exact, whole: bool) -> tuple[Array, Array]:
    """The exact positions and the bounds on their smooth sensitivity: table × cell."""
    found = [[step.mechanism.value(step.measurement, ladder) for ladder in cells] for cells in exact.ladders(whole)]
    positions = np.array([[value.position for value in row] for row in found])
    return positions, np.array([[float(value.bound) for value in row] for row in found])


def chances(step: Value, exact: Exact, whole: bool) -> Array:
    """The log-probability of every point of the grid: table × cell × point.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from pandas_dp.core.budget.cost import Pure
    >>> from pandas_dp.quantiles.statistic import Quantile
    >>> from pandas_dp.core.measure.cells import Variable
    >>> from pandas_dp.audit.case import GRIDS, WORLDS, Case, universe
    >>> from pandas_dp.audit.noise import plan_of
    >>> case = Case("median", Quantile(Variable("x", GRIDS["two points"]), Fraction(1, 2)), universe({"x": [0.0, 1.0]}))
    >>> (step,) = plan_of(case, WORLDS[0], Pure(Fraction(1)), "cauchy").steps
    >>> chances(step, Exact(step.measurement, case.universe), whole=True).shape  # table × cell × point
    (10, 1, 2)
    """
    positions, bounds = values_of_ranks(step, exact, whole)
    made = [
        law_of(step.mechanism, step.measurement.points, *each) for each in zip(positions.flat, bounds.flat, strict=True)
    ]
    return np.array(made).reshape(*positions.shape, step.measurement.points)


@lru_cache(maxsize=4096)
def law_of(noise: Smooth, points: int, position: int, bound: float) -> Array:
    """The log-probability of each of so many points, given the exact position and its bound.

    Examples
    --------
    >>> from fractions import Fraction
    >>> cauchy = Smooth("cauchy", Student(1), Fraction(1, 2), Fraction(1))
    >>> np.exp(law_of(cauchy, 3, 1, 0.5)).round(6).tolist()
    [0.25, 0.5, 0.25]
    """
    edges = (np.arange(points - 1) + 0.5 - position) / (float(noise.factor) * bound)
    tails = np.concatenate([[0.0], tail(noise.shape, np.abs(edges)), [0.0]])  # beyond each edge, away from the centre
    signs = np.concatenate([[-1.0], np.sign(edges), [1.0]])
    low, high = tails[:-1], tails[1:]
    masses = np.where(signs[:-1] == signs[1:], np.abs(low - high), 1 - low - high)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(masses))


def tail(shape: Shape, z: Array) -> Array:
    """P(Z > z) for z >= 0, with full relative accuracy.

    Examples
    --------
    >>> tail(Student(1), np.array([0.0, 1.0])).tolist()
    [0.5, 0.25]
    """
    if isinstance(shape, Exponentials):
        return np.asarray(np.exp(-z) / 2)
    assert isinstance(shape, Student)
    with np.errstate(divide="ignore"):
        angle = np.where(z < 1, pi / 2 - np.arctan(z), np.arctan(1 / z))
    if shape.freedom == 1:
        return np.asarray(angle / pi)
    root = np.sqrt(1 + z * z)
    if shape.freedom == 2:
        return np.asarray(1 / (2 * root * (root + z)))
    far = 1 / np.maximum(z, FAR)  # where the two terms nearly cancel, their difference as a series
    series = far**3 * (2 / 3 - far**2 * (4 / 5 - far**2 * (6 / 7 - far**2 * 8 / 9)))
    return np.asarray(np.where(z < FAR, angle - z / (1 + z * z), series) / pi)


def roughness(step: Value, exact: Exact, world: World) -> tuple[float, float]:
    """Over all neighbours: the largest |ln S − ln S'|, and the largest |f − f'|/min(S, S'); S the bound in use.

    Noise keeps its price if the first is at most beta and the second at most 1.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from pandas_dp.core.budget.cost import Pure
    >>> from pandas_dp.quantiles.statistic import Quantile
    >>> from pandas_dp.core.measure.cells import Variable
    >>> from pandas_dp.audit.case import GRIDS, WORLDS, Case, universe
    >>> from pandas_dp.audit.noise import plan_of
    >>> case = Case("median", Quantile(Variable("x", GRIDS["two points"]), Fraction(1, 2)), universe({"x": [0.0, 1.0]}))
    >>> (step,) = plan_of(case, WORLDS[0], Pure(Fraction(1)), "cauchy").steps
    >>> rough, moved = roughness(step, Exact(step.measurement, case.universe), WORLDS[0])
    >>> moved <= 1
    True
    """
    positions, bounds = values_of_ranks(step, exact, world.whole)
    here, there = exact.universe.pairs(world).T
    ratio = np.abs(np.log(bounds[here]) - np.log(bounds[there]))
    moved = np.abs(positions[here] - positions[there]) / np.minimum(bounds[here], bounds[there])
    return float(ratio.max()), float(moved.max())


def delta_spent(step: Value, exact: Exact, world: World, epsilon: float) -> float:
    """The largest delta at this epsilon between neighbours: over the joint answers of all cells, at most two.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from pandas_dp.core.budget.cost import Pure
    >>> from pandas_dp.quantiles.statistic import Quantile
    >>> from pandas_dp.core.measure.cells import Variable
    >>> from pandas_dp.audit.case import GRIDS, WORLDS, Case, universe
    >>> from pandas_dp.audit.noise import plan_of
    >>> case = Case("median", Quantile(Variable("x", GRIDS["two points"]), Fraction(1, 2)), universe({"x": [0.0, 1.0]}))
    >>> (step,) = plan_of(case, WORLDS[0], Pure(Fraction(1)), "cauchy").steps
    >>> exact = Exact(step.measurement, case.universe)
    >>> delta_spent(step, exact, WORLDS[0], epsilon=1.0), delta_spent(step, exact, WORLDS[0], epsilon=0.01) > 0
    (0.0, True)
    """
    logs = chances(step, exact, world.whole)
    here, there = exact.universe.pairs(world).T
    joint = logs[:, 0] if logs.shape[1] == 1 else (logs[:, 0, :, None] + logs[:, 1, None, :]).reshape(len(logs), -1)
    excess = [
        np.maximum(np.exp(joint[a]) - np.exp(epsilon + joint[b]), 0).sum(axis=1)
        for a, b in ((here, there), (there, here))
    ]
    return float(np.max(excess))
