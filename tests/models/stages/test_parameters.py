"""Where later stages of locations and trimmed means are, from what earlier ones told."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from pandas_dp.core.measure.cells import Variable
from pandas_dp.core.measure.measurement import Noisy
from pandas_dp.core.schema.values import Interval
from pandas_dp.numeric.measure_location import WHOLE, HuberStage, HuberSums, Trimming
from pandas_dp.quantiles.measure import Ranks

X = Variable("x", Interval(Fraction(0), Fraction(100), "integer"))
RANKS = tuple(Ranks(X, Fraction(at, 4)) for at in (1, 2, 3))
FIRST = HuberStage(RANKS)  # type: ignore[arg-type]
LAST = HuberStage(RANKS, FIRST)  # type: ignore[arg-type]


def told(*numbers: int) -> Noisy:
    return Noisy(np.array([numbers], dtype=object), ())


def places(clipped_score: float, inside: int, middle: int = 50) -> tuple[tuple[int, int], tuple[int, int]]:
    """Of the first and of the last stage, where quartiles are 40 and 60, and u adds up to `clipped_score` in the
    first."""
    quartiles = told(40), told(middle), told(60)
    first = FIRST.parameter(quartiles)
    return first, LAST.parameter((*quartiles, told(round(clipped_score * WHOLE), 0, inside)))


def test_the_last_look_is_a_step_of_newton_from_the_first() -> None:
    (centre, width), last = places(clipped_score=5, inside=50)
    assert last == (centre + width * 5 // 50, width)
    assert last[0] > centre


@pytest.mark.parametrize("sign", [1, -1])
def test_no_step_is_longer_than_the_width(sign: int) -> None:
    (centre, width), last = places(clipped_score=sign * 500, inside=50)
    assert last == (centre + sign * width, width)


@pytest.mark.parametrize(("middle", "sign"), [(99, 1), (1, -1)])
def test_no_look_is_beyond_the_range(middle: int, sign: int) -> None:
    assert places(sign * 500, 50, middle)[1][0] == sign * X.grid.half


def test_ends_that_crossed_are_put_in_order() -> None:
    ends = Trimming((RANKS[0], RANKS[2]))
    assert ends.parameter((told(70), told(30))) == ends.parameter((told(30), told(70)))
    low, high = ends.parameter((told(70), told(30)))
    assert low < high


def test_a_value_at_the_width_is_not_inside() -> None:
    _, _, inside = HuberSums(X, 0, 10).numbers([np.array([-11, -10, -9, 0, 9, 10, 11])])
    assert inside.tolist() == [0, 0, 1, 1, 1, 0, 0]
