"""Rounded continuous noise: enclosures that hold, every bit stream, float64 against many digits, the law of draws."""

from __future__ import annotations

import random
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from pandas_dp.core.noise.samplers import bits, shapes
from pandas_dp.core.noise.samplers.bits import Uniform
from pandas_dp.core.noise.samplers.enclose import arctan_bounds, root_bounds
from pandas_dp.core.noise.samplers.shapes import Exponentials, Rounded, Student, rounded_draw

from .streams import LUCK, chi_square_luck, exact, masses

SHAPES = [Student(1), Student(2), Student(3), Exponentials()]
PLACES = [Fraction(n, d) for n, d in ((0, 1), (1, 10**12), (1, 3), (1, 1), (22, 7), (10**9, 1), (10**30, 7))]


def truth(shape, z: Fraction) -> mpmath.mpf:
    """P(Z <= z), by integrating the density of the t distribution; Laplace by its formula."""
    x = exact(z)
    if isinstance(shape, Exponentials):
        return mpmath.exp(x) / 2 if x < 0 else 1 - mpmath.exp(-x) / 2
    if shape.freedom == 2:
        return (1 + x / mpmath.sqrt(1 + x * x)) / 2
    angle = mpmath.atan(x)
    area = mpmath.sin(angle) * mpmath.cos(angle) if shape.freedom == 3 else 0
    return mpmath.mpf(1) / 2 + (angle + area) / mpmath.pi


@pytest.mark.parametrize("shape", SHAPES[:3], ids=str)
def test_the_distribution_functions_are_those_of_student(shape):
    d = shape.freedom
    whole = mpmath.beta(mpmath.mpf(1) / 2, mpmath.mpf(d) / 2)
    for z in (Fraction(1, 5), Fraction(3, 2), Fraction(9)):
        area = mpmath.quad(lambda x: (1 + x * x) ** (-mpmath.mpf(d + 1) / 2), [0, exact(z)])
        assert abs(mpmath.mpf(1) / 2 + area / whole - truth(shape, z)) < mpmath.mpf(10) ** -30


@pytest.mark.parametrize("digits", [17, 25, 50])
def test_enclosures_hold_and_are_as_narrow_as_they_say(digits):
    for x in PLACES:
        for bounds, value in ((arctan_bounds, mpmath.atan), (root_bounds, mpmath.sqrt)):
            for sign in (1, -1) if bounds is arctan_bounds else (1,):
                low, high = bounds(sign * x, digits)
                assert exact(low) <= value(sign * exact(x)) <= exact(high)
                assert high - low < Fraction(10) ** (1 - digits)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("sign", [1, -1])
def test_distribution_functions_are_enclosed_and_float64_is_as_near_as_it_says(shape, sign):
    for z in PLACES:
        for digits in (17, 40):
            low, high = shape.below(sign * z, digits)
            assert exact(low) <= truth(shape, sign * z) <= exact(high)
            assert high - low < Fraction(10) ** (2 - digits)
        assert abs(shape.about(float(sign * z)) - truth(shape, sign * z)) < 2.0**-48


def mass(shape, centre, scale, low, high, k):
    """P(X = k) by the definition: what rounds to k, and at the ends all beyond."""
    upper = 1 if k == high else truth(shape, (k + Fraction(1, 2) - centre) / scale)
    lower = 0 if k == low else truth(shape, (k - Fraction(1, 2) - centre) / scale)
    return upper - lower


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize(
    ("centre", "scale", "low", "high"),
    [(3, Fraction(4, 3), 0, 6), (0, Fraction(1, 50), 0, 4), (9, Fraction(40), -20, 20)],
)
def test_every_stream_gives_each_point_its_exact_mass(shape, centre, scale, low, high):
    found, _, still_open = masses(lambda: rounded_draw(shape, centre, scale, low, high, word=8), 2)
    assert sum(found.values()) + still_open == 1
    assert still_open < Fraction(1, 500)
    for k, share in found.items():
        assert exact(share) <= mass(shape, centre, scale, low, high, k) <= exact(share + still_open)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_float64_decides_as_many_digits_do(shape, monkeypatch):
    for centre, scale in (
        (500, Fraction(77, 5)),
        (0, Fraction(10**6)),
        (1000, Fraction(1, 10**25)),
        (3, Fraction(10**40)),
    ):
        for seed in range(60):
            drawn = []
            for margin in (shapes.MARGIN, 2.0):
                monkeypatch.setattr(shapes, "MARGIN", margin)
                with bits.replaced(random.Random(seed).randbytes):
                    drawn.append(rounded_draw(shape, centre, scale, 0, 1000))
            assert drawn[0] == drawn[1]


def test_a_uniform_that_says_too_little_is_refined_and_never_guessed():
    drawn = Rounded(Student(1), 0, Fraction(1), -100, 100)
    edge = int(truth(Student(1), Fraction(1, 2)) * 2**64)  # the word whose box holds the edge of 0 and 1
    boxes = [Uniform(edge + step, 64) for step in (-1, 0, 1)]
    assert [(drawn.first(box, 1), drawn.first(box, 0)) for box in boxes] == [(0, 0), (0, 1), (1, 1)]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_draws_have_their_law(shape):
    """Fails by luck once in ten million runs."""
    low, high, centre, scale = 0, 40, 17, Fraction(5, 2)
    draws = [rounded_draw(shape, centre, scale, low, high) for _ in range(8000)]
    expected = [float(mass(shape, centre, scale, low, high, k)) for k in range(low, high + 1)]
    assert chi_square_luck(np.bincount(draws, minlength=41).astype(float), np.array(expected)) > LUCK


def test_what_is_no_noise_is_refused():
    for scale, low, high in ((Fraction(0), 0, 1), (Fraction(-1), 0, 1), (Fraction(1), 1, 0)):
        with pytest.raises(ValueError, match="rounded noise"):
            rounded_draw(Student(1), 0, scale, low, high)
    with pytest.raises(ValueError, match="degrees"):
        Student(4)
    assert rounded_draw(Student(1), 7, Fraction(1), 3, 3) == 3
