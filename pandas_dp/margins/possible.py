"""Cells that cannot be: declared impossible, or of categories that never meet."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .levels import Tie


def possible_cells(sizes: tuple[int, ...], zeros: Sequence[int], ties: Sequence[Tie]) -> NDArray[np.bool_]:
    """The cells of the table over all keys that are neither declared impossible nor of categories that never meet."""
    there = np.ones(sizes, dtype=bool)
    there.reshape(-1)[list(zeros)] = False
    for tie in ties:
        meet = np.zeros([sizes[place] for place in tie.places], dtype=bool)
        meet[tuple(np.array(tie.together, dtype=np.intp).T)] = True
        there &= meet.reshape([size if place in tie.places else 1 for place, size in enumerate(sizes)])
    return there


def kinds(possible: NDArray[np.bool_], place: int) -> NDArray[np.intp]:
    """Numbers the categories of a key; two that can be in the same cells have the same."""
    slices = np.packbits(np.moveaxis(possible, place, 0).reshape(possible.shape[place], -1), axis=1)
    return np.asarray(np.unique(slices, axis=0, return_inverse=True)[1], dtype=np.intp).ravel()
