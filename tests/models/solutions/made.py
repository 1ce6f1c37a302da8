"""Matrices of moments made by hand, of columns in half-ranges, with noise of given variances."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from pandas_dp.models.moments.solve import EntryNoises, MatrixColumn, MomentMatrix
from pandas_dp.models.ols.solve_least_squares import LeastSquares

GOLDEN = json.loads(Path(__file__).with_name("golden.json").read_text())
Floats = np.ndarray[Any, np.dtype[np.float64]]


def matrix_of(sums: Floats, variances: Floats, heavy: bool = False) -> MomentMatrix:
    """Each entry with a number of its own, but for those of variance 0."""
    size = len(sums)
    pairs = [(i, j) for i in range(size) for j in range(i, size) if variances[i, j] > 0]
    row, column = np.array(pairs, dtype=np.intp).reshape(-1, 2).T
    noises = EntryNoises(
        np.array([variances[pair] for pair in pairs]), np.arange(len(pairs)), row, column, np.ones(len(pairs)), heavy
    )
    columns = tuple(MatrixColumn(f"x{number}", f"x{number}") for number in range(size))
    return MomentMatrix(columns, np.asarray(sums, dtype=float), noises, size_public=variances[0, 0] == 0)


def noisy(sums: Floats, variances: Floats, rng: np.random.Generator, heavy: bool = False) -> MomentMatrix:
    """With noise of these variances drawn."""
    size = len(sums)
    drawn = rng.laplace(size=(size, size)) / np.sqrt(2) if heavy else rng.standard_normal((size, size))
    upper = np.triu(drawn * np.sqrt(variances))
    return matrix_of(sums + upper + np.triu(upper, 1).T, variances, heavy)


def variances_of(numeric: int, rho: float) -> Floats:
    """Of a whole frame's matrix of the constant and so many columns: theorem A1."""
    size = numeric + 1
    variances = np.full((size, size), size**2 / (2 * rho))
    np.fill_diagonal(variances, (size**2 / (2 * rho)) / (size - numeric / 2 + 0.5))
    variances[0, 0] = 0.0
    return variances


def regression(matrix: MomentMatrix, sampling: bool = True) -> LeastSquares:
    """Of the last column on all others."""
    unit = np.eye(len(matrix.columns))
    return LeastSquares(matrix, unit[:-1], unit[-1], sampling=sampling)


def golden_table() -> Floats:
    """The constant, two numbers and the response of the golden table, in half-ranges."""
    table = GOLDEN["ols table"]
    columns = [np.array(table[name]) / table["half"] for name in ("x1", "x2", "y")]
    return np.column_stack([np.ones(len(columns[0])), *columns])
