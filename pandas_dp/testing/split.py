"""An engine that makes life hard for folds: rows in several parts, some empty, in any order, merged by any tree."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from random import Random
from typing import Any

import numpy as np

from ..backends import Fold, Part


class Split:
    """Cuts the rows into two to five parts and sends folds and partials through pickle, as to another machine.

    Partials cannot be written to: whoever merges them must not change them.
    """

    reads_anew = has_many_rows = False

    def __init__(self, rows: Part, seed: int = 0) -> None:
        self.rows, self.random = rows, Random(seed)  # which says nothing of any row

    def run(self, folds: Sequence[Fold[Any, Any]]) -> list[Any]:
        size = self.rows.rows
        if self.rows.person is not None:
            parts = self.rows.by_people(self.random.randint(2, 5))
        else:
            parts = self.rows.cut(*sorted(self.random.randint(0, size) for _ in range(self.random.randint(1, 4))))
        return [self._found(pickle.loads(pickle.dumps(fold)), parts) for fold in folds]

    def _found(self, fold: Fold[Any, Any], parts: list[Part]) -> Any:
        partials = [sent(fold.read(part)) for part in parts]
        self.random.shuffle(partials)
        while len(partials) > 1:
            one, other = (partials.pop(self.random.randrange(len(partials))) for _ in range(2))
            partials.append(sent(fold.merge(one, other)))
        return fold.finish(partials[0])


def sent(partial: Any) -> Any:
    """A partial as it arrives elsewhere, read-only."""
    return _frozen(pickle.loads(pickle.dumps(partial)))


def _frozen(partial: Any) -> Any:
    if isinstance(partial, np.ndarray):
        partial.flags.writeable = False
    elif isinstance(partial, tuple):
        for each in partial:
            _frozen(each)
    return partial
