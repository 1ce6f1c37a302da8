"""How far one row can move a replicate, and all replicates together, by brute force over small tables."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from pandas_dp.core.measure.cells import Variable
from pandas_dp.core.neighbours import Adjacency
from pandas_dp.core.noise.samplers import bits
from pandas_dp.core.schema.values import Interval
from pandas_dp.numeric import fold_bootstrap as backend
from pandas_dp.numeric.measure import Resamples

X = Variable("x", Interval(Fraction(0), Fraction(2), "integer"))
SWAP = Adjacency(swap=True, vanish=False)
FORMS = ["sum", "variance", "deviation"]
VALUES = (-1.0, 0.0, 1.0)  # the codes of 0, 1, 2


def measurement(form: str, design: str, rows: int, replicates: int = 4) -> Resamples:
    return Resamples(X, form, design, replicates, rows)  # type: ignore[arg-type]


def neighbours(rows: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    for values in product(VALUES, repeat=rows):
        for place, new in product(range(rows), VALUES):
            other = list(values)
            other[place] = new
            yield np.array(values), np.array(other)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("rows", [4, 5, 6])
def test_one_row_of_a_sample_moves_its_number_no_farther_than_said(form: str, rows: int) -> None:
    asked = measurement(form, "multinomial", rows)
    finish = backend._FORMS[form]
    found = max(abs(finish(asked, here) - finish(asked, there)) for here, there in neighbours(rows))
    assert found <= asked.swing
    if form != "deviation":  # whose rounding costs a step
        assert found == asked.swing


@pytest.mark.parametrize("rows", [4, 5])
def test_one_row_moves_a_covariance_no_farther_than_said(rows: int) -> None:
    """Both of its values change; the codes of the second column are half as wide."""
    asked = Resamples(
        X, "covariance", "multinomial", 4, rows, other=Variable("z", Interval(Fraction(0), Fraction(1), "integer"))
    )
    pairs, rest = (
        list(product(VALUES, (-1.0, 1.0))),
        [np.array(r) for r in product(product(VALUES, (-1.0, 1.0)), repeat=rows - 1)],
    )
    farthest = 0
    for others in rest:
        numbers = [backend._covariance(asked, np.vstack([others, [pair]])) for pair in pairs]
        farthest = max(farthest, max(numbers) - min(numbers))
    assert farthest == asked.swing == 4 * (rows - 1)


@pytest.mark.parametrize("form", FORMS)
def test_a_row_that_is_taken_several_times_moves_it_so_many_times_as_far_at_most(form: str) -> None:
    asked = measurement(form, "multinomial", 5)
    finish = backend._FORMS[form]
    for times in (2, 3):
        for rest in product(VALUES, repeat=5 - times):
            numbers = [finish(asked, np.array([*rest, *[value] * times])) for value in VALUES]
            assert max(numbers) - min(numbers) <= times * asked.swing


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("norm", [1, 2])
@pytest.mark.parametrize("rows", [4, 5])
def test_public_weights_keep_all_replicates_within_reach(form: str, norm: int, rows: int) -> None:
    """For many designs, each held fixed on both sides, as whoever knows it sees them."""
    asked = measurement(form, "weights", rows)
    finish, farthest = backend._FORMS[form], 0.0
    for seed in range(6):
        designs = _design(seed, asked)
        for here, there in neighbours(rows):
            moved = [abs(finish(asked, here[d]) - finish(asked, there[d])) for d in designs]
            farthest = max(farthest, float(np.sum(np.array(moved, float) ** norm)))
    assert farthest <= asked.sensitivity(norm, SWAP)  # type: ignore[arg-type]
    if form == "sum":
        assert farthest == asked.sensitivity(norm, SWAP)  # type: ignore[arg-type]


def _design(seed: int, asked: Resamples) -> list[np.ndarray]:
    with bits.replaced(np.random.default_rng(seed).bytes):
        return list(backend._balanced_samples(asked, np.arange(asked.size)))
