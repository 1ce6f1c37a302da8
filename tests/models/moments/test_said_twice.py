"""What released numbers say twice agrees, and each bears less noise for it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pandas_dp.core.label.layout import Released
from pandas_dp.models.moments.solve import MatrixColumn, MatrixSums

from .people import people, protected

NUMBERS = (MatrixColumn("x", "x"), MatrixColumn("z", "z"), MatrixColumn("x:z", ("x", "z"), sort="product"))
LEVELS = tuple(MatrixColumn(f"k[{level}]", "k", level, sort="level") for level in "abc")
SLOPES = tuple(MatrixColumn(f"k[{level}]:x", ("k", "x"), level, sort="slope") for level in "abc")
LINEAR_BASIS = tuple(MatrixColumn(f"s(y)[{knot}]", "y", knot, sort="hat") for knot in (0, 1, 2))
EVERY = (MatrixColumn("Intercept", None, sort="constant"), *NUMBERS, *LEVELS, *SLOPES, *LINEAR_BASIS)
DRAWS = 4000


def test_levels_add_up_in_a_release() -> None:
    found = protected(people()).dp.moments(["wage", "age", "region", "sex"], terms=["age:wage", "sex:age"], rho=0.05)
    for block in (["C(region)[n]", "C(region)[e]", "C(region)[s]"], ["C(sex)[f]", "C(sex)[m]"]):
        np.testing.assert_allclose(found[block].sum(axis=1), found["Intercept"], rtol=1e-9, atol=1e-6)
    slopes = found[["C(sex)[f]:age", "C(sex)[m]:age"]].sum(axis=1)
    np.testing.assert_allclose(slopes, found["age"], rtol=1e-9, atol=1e-4)
    assert found.loc["age", "wage"] == pytest.approx(found.loc["Intercept", "age:wage"], rel=1e-9)
    assert found.loc["C(sex)[f]", "C(sex)[m]"] == found.loc["C(sex)[f]", "C(sex)[m]:age"] == 0


@pytest.mark.parametrize("counted", [True, False])
@pytest.mark.parametrize("complements", [True, False])
def test_what_moves_the_matrix_is_what_moves_it(counted: bool, complements: bool) -> None:
    """The covariance that is stated is that of many draws: of sixteen numbers none is off by 5 standard errors."""
    sums = MatrixSums(EVERY, counted, complements)
    rng = np.random.default_rng(4)
    variances = rng.random(len(sums.places[0])) + 0.5
    weights = rng.normal(size=len(EVERY))
    drawn = rng.normal(size=(DRAWS, len(variances))) * np.sqrt(variances)
    matrices = sums.matrices(drawn, variances, None if counted else 100)
    seen = np.cov(np.array([each.matrix @ weights for each in matrices]).T)
    stated = matrices[0].covariance(weights)
    spread = np.sqrt((np.outer(np.diag(stated), np.diag(stated)) + stated**2) / DRAWS)
    assert (np.abs(seen - stated) <= 5 * spread + 1e-12).all()


def test_numbers_that_agree_have_less_noise_and_keep_what_agreed() -> None:
    sums = MatrixSums(EVERY, True, True)
    variances = np.ones(len(sums.places[0]))
    (matrix,) = sums.matrices(np.random.default_rng(1).normal(size=(1, len(variances))), variances, None)
    for at in range(len(EVERY)):
        weights = np.eye(len(EVERY))[at]
        before = replace(matrix, noises=replace(matrix.noises, ties=None)).covariance(weights)
        assert (np.diag(matrix.covariance(weights)) <= np.diag(before) + 1e-12).all()
    again = sums.matrices(exact_numbers(sums), variances, None)[0]
    np.testing.assert_allclose(again.matrix, exact_matrix(), atol=1e-9)


def exact_matrix() -> np.ndarray:
    """Of rows whose products are not rounded."""
    rng = np.random.default_rng(2)
    x, z, y, k = rng.uniform(-1, 1, 50), rng.uniform(-1, 1, 50), rng.uniform(0, 2, 50), rng.integers(0, 3, 50)
    levels, linear_basis = np.eye(3)[k], np.column_stack([np.interp(y, [0, 1, 2], row) for row in np.eye(3)])
    wide = np.column_stack([np.ones(50), x, z, x * z, levels, levels * x[:, None], linear_basis])
    return np.asarray(wide.T @ wide)


def exact_numbers(sums: MatrixSums) -> np.ndarray:
    matrix = exact_matrix()
    one, other = sums.places
    numbers = matrix[one, other]
    squares = (one == other) & (one > 0)
    return np.where(squares, matrix[0, 0] - numbers, numbers)[None, :]


def test_a_release_reads_back_as_it_was_told() -> None:
    release = protected(people()).dp.groupby("sex").moments(["wage", "region"], rho=0.1)
    (gram,) = Released.of(release).evidence
    np.testing.assert_allclose(gram.estimate, release.to_numpy().ravel())
    pooled = gram.pooled_matrix()
    np.testing.assert_allclose(pooled.matrix, sum(each.matrix for each in gram.matrices()))
    weights = np.ones(len(pooled.columns))
    np.testing.assert_allclose(pooled.covariance(weights), 2 * gram.matrices()[0].covariance(weights))
