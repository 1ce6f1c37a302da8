"""An engine that hands frames over as Dask does: in partitions that tasks of a graph fold, one after another."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from itertools import pairwise
from random import Random
from typing import Any

import numpy as np
import pandas as pd

from ..backends import Fold, Part
from .split import Split, sent

KEPT = "which rows count"


class InPartitions:
    """Cuts the rows into partitions, some of them empty, and runs the tasks and the tree of a collection over them.

    Tasks and partials are packed as for another machine. Of people it is `Split`.
    """

    reads_anew = has_many_rows = False

    def __init__(self, rows: Part, seed: int = 0) -> None:
        self.rows, self.random = rows, Random(seed)  # which says nothing of any row

    def run(self, folds: Sequence[Fold[Any, Any]]) -> list[Any]:
        """What each fold finds, in one pass.

        Examples
        --------
        >>> import pandas as pd
        >>> from pandas_dp.backends import Part
        >>> from pandas_dp.backends.folds import fold_of
        >>> from pandas_dp.tally import Counts
        >>> InPartitions(Part.whole(pd.DataFrame({"x": [1, 2, 3]}), None)).run([fold_of(Counts())])[0].tolist()
        [[3]]
        """
        from dask._task_spec import Task
        from dask.local import get_sync

        from ..backends.dask.collection import graph_of
        from ..backends.dask.sealed import Sealed
        from ..backends.dask.tasks import Asked

        if self.rows.person is not None:
            return Split(self.rows, self.random.randint(0, 9)).run(folds)
        asked: Any = Asked([(OnlyKept(), folds)], says_why=True)
        graph, root = graph_of(packed(Sealed(asked)), self._partitions(), self.random.randint(1, 20))
        tasks = {key: Task(key, arriving, task.func, *task.args) for key, task in graph.items()}
        found: Any = get_sync(tasks, root)
        if not hasattr(found, "partials"):
            raise ValueError(found.why)
        return [fold.finish(partial) for fold, partial in zip(folds, found.partials[0], strict=True)]

    def _partitions(self) -> list[Any]:
        from dask._task_spec import DataNode

        from ..backends.dask.tasks import Partition

        data, size = self.rows.data, self.rows.rows
        assert isinstance(data, pd.DataFrame | pd.Series)
        kept = np.ones(len(data), bool) if self.rows.kept is None else self.rows.kept
        cuts = sorted(self.random.randint(0, size) for _ in range(self.random.randint(0, 9)))
        pieces = [slice(self.rows.first + a, self.rows.first + b) for a, b in pairwise([0, *cuts, size])]
        return [Partition({"x": DataNode("x", Rows(data[piece], kept[piece]))}, "x", ()) for piece in pieces]


class Rows:
    """Rows of a frame, and which of them count."""

    def __init__(self, data: pd.DataFrame | pd.Series[Any], kept: Any) -> None:
        self.data, self.kept = data, kept

    def __len__(self) -> int:
        return len(self.data)


class OnlyKept:
    """In place of a program."""

    def on(self, rows: Rows) -> tuple[Any, Any]:
        """The rows, and which of them count.

        Examples
        --------
        >>> OnlyKept().on(Rows(pd.DataFrame({"x": [1]}), None))[1] is None
        True
        """
        return rows.data, rows.kept


def packed(sealed: Any) -> Any:
    """As it arrives elsewhere.

    Examples
    --------
    >>> from pandas_dp.backends.dask.sealed import Sealed
    >>> packed(Sealed([1, 2])).open()
    [1, 2]
    """
    return pickle.loads(pickle.dumps(sealed))


def arriving(work: Any, *given: Any) -> Any:
    """What a task gives, as it arrives elsewhere: nobody can write to it.

    Examples
    --------
    >>> from pandas_dp.backends.dask.tasks import Found
    >>> arriving(Found, [[np.zeros(2)]], 2).partials[0][0].flags.writeable
    False
    """
    found = packed(work(*given))
    for partials in getattr(found, "partials", []):
        partials[:] = [sent(partial) for partial in partials]
    return found
