"""What float64 cannot decide is settled with more bits, to the same answer; and nothing ever wraps around."""

from __future__ import annotations

import random
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from pandas_dp.core.noise.samplers import bits, discrete, race
from pandas_dp.core.noise.samplers.bits import Uniform
from pandas_dp.core.noise.samplers.discrete import discrete_gaussian, discrete_laplace, placed, settled
from pandas_dp.core.noise.samplers.enclose import exp_bounds, log_bounds
from pandas_dp.core.noise.samplers.race import exponential_race

from .streams import Script, exact


def repeatable(draw):
    with bits.replaced(random.Random(7).randbytes):
        return draw()


@pytest.mark.parametrize("scale", [Fraction(1, 3), Fraction(999, 2), Fraction(2**23), Fraction(2**40)])
def test_laplace_settles_what_float64_decides_in_the_same_way(monkeypatch, scale):
    fast = repeatable(lambda: discrete_laplace(scale, 500))
    monkeypatch.setattr(discrete, "LAPLACE_MARGIN", 1e6)
    assert np.array_equal(fast, repeatable(lambda: discrete_laplace(scale, 500)))


@pytest.mark.parametrize("variance", [Fraction(1, 3), Fraction(81, 2), Fraction(2) ** 40, Fraction(2) ** 90])
def test_gaussian_settles_what_float64_decides_in_the_same_way(monkeypatch, variance):
    fast = repeatable(lambda: discrete.attempts(variance, 500))
    monkeypatch.setattr(discrete, "GAUSSIAN_MARGIN", 2.0)
    slow = repeatable(lambda: discrete.attempts(variance, 500))
    assert all(map(np.array_equal, fast, slow))


@pytest.mark.parametrize("rate", [Fraction(0), Fraction(1, 10**6), Fraction(1, 3), Fraction(10**6)])
def test_a_race_settles_what_float64_decides_in_the_same_way(monkeypatch, rate):
    counts, utilities = np.arange(1, 41), -(np.arange(-20, 20) ** 4)

    def run():
        with bits.replaced(source):
            return exponential_race(counts, utilities, rate)

    for seed in range(40):
        source = random.Random(seed).randbytes
        fast = run()
        with monkeypatch.context() as patch:
            patch.setattr(race, "RACE_MARGIN", 1e6)
            source = random.Random(seed).randbytes
            assert run() == fast


def test_a_draw_at_a_boundary_waits_for_the_bits_that_decide():
    # 16 leading bits of exp(−1): floor(E) is 1 or 0, and only the 17th to 24th bit tell
    leading = int(mpmath.floor(mpmath.exp(-1) * 2**16))
    for byte, floor in ((b"\x00", 1), (b"\xff", 0)):
        with bits.replaced(Script(byte)):
            assert settled(Fraction(1), Uniform(leading, 16), 8, symmetric=False) == floor


@pytest.mark.parametrize("word", [8, 64])
def test_a_tiny_scale_reaches_its_far_tail(word):
    scale, zeros = Fraction(1, 1000), 200
    with bits.replaced(Script(bytes(zeros) + b"\xff" * 64)):
        draw = discrete_laplace(scale, 1) if word == 64 else discrete.laplace_draws(scale, 1, word=8)
    assert draw.tolist() == [1]  # 1 600 zero bits: exp(−1 109), where 1 begins at exp(−1 000)


def test_a_draw_beyond_int64_is_a_python_int():
    scale = Fraction(2**56 - 1)
    with bits.replaced(Script(bytes(32) + b"\xff" * 16 + bytes(64))):  # 255 zero bits: 176.75 scales
        draw = discrete_laplace(scale, 1)
    assert draw.dtype == object
    assert 2**63 < 176 * scale < draw[0] < 177 * scale
    assert placed(np.zeros(2, dtype=np.int64), 1, -(2**70), 1 << 62).tolist() == [0, -(2**70)]


def test_a_block_with_one_draw_beyond_int64_keeps_the_others(monkeypatch):
    blocks = iter([np.array([1, -2]), np.array([2**70, 3], dtype=object), np.array([4])])
    monkeypatch.setattr(discrete, "BLOCK", 2)
    monkeypatch.setattr(discrete, "_whole", lambda *_: next(blocks))
    assert discrete.laplace_draws(Fraction(1), 5).tolist() == [1, -2, 2**70, 3, 4]


def test_gaussian_proposals_beyond_int64_are_kept_whole(monkeypatch):
    proposals = np.array([0, 2**70, -1, 1, 0, 0, 0, 0, 0], dtype=object)
    monkeypatch.setattr(discrete, "attempts", lambda variance, tries: (proposals, np.arange(9) < 4))
    assert discrete_gaussian(Fraction(4), 4).tolist() == [0, 2**70, -1, 1]


@pytest.mark.parametrize("size", [0, 1, 2**14 - 1, 2**14 + 1])
def test_blocks_add_up(size):
    assert len(discrete_laplace(Fraction(3), size)) == size
    assert len(discrete_gaussian(Fraction(3), size)) == size


def test_the_type_of_the_answer_follows_from_the_scale():
    assert discrete_laplace(Fraction(2**55), 2000).dtype == np.int64
    assert discrete_laplace(Fraction(2**57), 2000).dtype == object
    assert discrete_gaussian(Fraction(2**110), 2000).dtype == np.int64
    big = discrete_gaussian(Fraction(2**140), 2000)
    assert big.dtype == object
    assert {type(value) for value in big} == {int}
    assert max(abs(big)) > 2**70


@pytest.mark.parametrize("value", [0, Fraction(0), Fraction(-1, 2), 0.5, float("nan"), float("inf"), "1"])
@pytest.mark.parametrize("sampler", [discrete_laplace, discrete_gaussian])
def test_a_scale_that_is_not_a_positive_rational_is_refused(sampler, value):
    with pytest.raises(ValueError, match="positive rational"):
        sampler(value, 1)


def test_a_scale_from_numpy_does_not_overflow():
    assert abs(discrete_laplace(np.int64(2**62), 500)).max() > 2**63


@pytest.mark.parametrize("digits", [5, 20, 60])
def test_enclosures_hold_the_truth(digits):
    generator = random.Random(digits)
    with mpmath.workdps(120):
        for _ in range(300):
            x = Fraction(generator.getrandbits(generator.randint(1, 90)) + 1, generator.getrandbits(40) + 1)
            for bounds, truth in ((log_bounds, mpmath.log(exact(x))), (exp_bounds, mpmath.exp(-exact(x)))):
                low, high = bounds(x, digits)
                assert exact(low) <= truth <= exact(high)
                assert high - low <= Fraction(200, 10 ** (digits - 1))
