"""Bits come from the operating system alone: no seed, no state, nothing shared by forks or pickles."""

from __future__ import annotations

import inspect
import multiprocessing
import os
import pickle
import random
import threading
import warnings
from fractions import Fraction

import numpy as np
import pytest

from pandas_dp.core.noise.samplers import bits
from pandas_dp.core.noise.samplers.bits import uniform_below
from pandas_dp.core.noise.samplers.discrete import discrete_gaussian, discrete_laplace
from pandas_dp.core.noise.samplers.race import exponential_race

pytestmark = pytest.mark.new_noise
SAMPLERS = [discrete_laplace, discrete_gaussian, exponential_race, uniform_below]


def draw(_=None):
    return tuple(discrete_laplace(Fraction(2**40), 8)), tuple(discrete_gaussian(Fraction(2**80), 8))


def test_forked_children_draw_apart_from_their_parent_and_each_other():
    draw()  # whatever a generator would keep, it would keep now
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # Python 3.12 warns of forks beside threads
        with multiprocessing.get_context("fork").Pool(2) as pool:
            draws = [draw(), *pool.map(draw, range(6), chunksize=1), draw()]
    numbers = [number for pair in draws for side in pair for number in side]
    assert len(set(numbers)) == len(numbers)


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_a_pickled_sampler_carries_no_noise(sampler):
    copy = pickle.loads(pickle.dumps(sampler))
    assert copy is sampler


def test_seeding_the_known_generators_changes_nothing():
    draws = []
    for _ in range(3):
        random.seed(0)
        np.random.seed(0)  # noqa: NPY002 - the legacy generator is what must not matter
        draws.append(draw())
    assert len(set(draws)) == 3


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_no_sampler_takes_a_seed(sampler):
    assert not {"seed", "rng", "generator", "random_state"} & set(inspect.signature(sampler).parameters)


def test_a_replaced_source_repeats_and_is_insecure_until_it_leaves():
    assert bits.is_secure()
    draws = []
    for _ in range(2):
        with bits.replaced(random.Random(3).randbytes):
            assert not bits.is_secure()
            draws.append(draw())
    assert draws[0] == draws[1]
    assert bits.is_secure()


def test_a_replaced_source_leaves_after_an_error():
    with pytest.raises(KeyError), bits.replaced(random.Random(3).randbytes):
        raise KeyError
    assert bits.is_secure()


def test_a_replaced_source_stays_in_its_thread():
    seen = []
    with bits.replaced(random.Random(3).randbytes):
        thread = threading.Thread(target=lambda: seen.append(bits.is_secure()))
        thread.start()
        thread.join()
    assert seen == [True]


def test_the_source_is_the_operating_system():
    asked = []

    def listen(count):
        asked.append(count)
        return os.urandom(count)

    with bits.replaced(listen):
        discrete_laplace(Fraction(1), 1000)
    assert sum(asked) >= 4000


@pytest.mark.parametrize("width", [8, 16, 32, 64])
def test_words_use_every_bit(width):
    words = bits.words(4000, width)
    assert words.dtype == np.dtype(f"u{width // 8}")
    assert np.bitwise_or.reduce(words) == 2**width - 1
    assert np.bitwise_and.reduce(words) == 0


@pytest.mark.parametrize("width", [1, 7, 8, 13, 64, 300])
def test_integers_use_every_bit_and_no_other(width):
    values = bits.integers(4000, width)
    union = 0
    for value in values:
        union |= value
    assert union == 2**width - 1


def test_an_integer_of_no_bits_is_zero():
    with bits.replaced(lambda count: pytest.fail("asked for bits")):
        assert bits.integer(0) == 0
