"""A moment matrix in the units of its columns, and how far noise moves each entry of it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .moment_matrix import Column, Floats, MomentMatrix


def unit_map(columns: Sequence[Column]) -> Floats:
    """What turns a row's half-ranges u into its columns' own numbers: x = T u.

    A product counts each factor from the middle of its range; of the plain product a part is the factors themselves.
    """
    units = np.zeros((len(columns), len(columns)))
    numbers = {column.term: at for at, column in enumerate(columns) if column.sort == "number"}
    levels = {(column.term, column.level): at for at, column in enumerate(columns) if column.sort == "level"}
    for at, column in enumerate(columns):
        units[at, at] = column.half
        if column.sort == "number":
            units[at, 0] = column.centre
        if column.sort == "slope" and isinstance(column.term, tuple):
            of, times = levels.get((column.term[0], column.level)), numbers.get(column.term[1])
            if of is not None and times is not None:
                units[at, of] = columns[times].centre
        if column.sort == "product" and isinstance(column.term, tuple):
            one, other = (numbers.get(each) for each in column.term)
            if one is not None and other is not None:
                units[at, 0] = columns[one].centre * columns[other].centre
                units[at, one] += columns[other].centre * columns[one].half
                units[at, other] += columns[one].centre * columns[other].half
    return units


def in_units(matrix: MomentMatrix) -> Floats:
    """The sums of products of the columns' own numbers."""
    units = unit_map(matrix.columns)
    return np.asarray(units @ matrix.matrix @ units.T)


def spreads_in_units(matrix: MomentMatrix) -> Floats:
    """The standard deviation of the noise in each of these sums."""
    from scipy import sparse  # late: seldom needed

    noises, size = matrix.noises, len(matrix.columns)
    units = sparse.csr_array(unit_map(matrix.columns))
    off = noises.row != noises.column
    entry = np.concatenate([noises.row * size + noises.column, (noises.column * size + noises.row)[off]])
    number = np.concatenate([noises.number, noises.number[off]])
    factor = np.concatenate([noises.factor, noises.factor[off]]) * np.sqrt(noises.variances)[number]
    moved = sparse.csr_array((factor, (entry, number)), shape=(size**2, len(noises.variances)))
    moved = sparse.csr_array(sparse.kron(units, units) @ moved)
    variances = np.asarray(moved.power(2).sum(axis=1)).ravel()
    if noises.ties is not None:
        variances = np.maximum(variances - ((moved @ noises.ties) ** 2).sum(axis=1), 0.0)
    return np.asarray(np.sqrt(variances).reshape(size, size))
