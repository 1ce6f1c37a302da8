"""What travels through a scheduler without showing itself: in no name, no log and no dashboard."""

from __future__ import annotations

import pickle
from typing import Any

import pandas as pd
from dask.dataframe.dask_expr._expr import Elemwise


class Sealed:
    """A value that is packed where it leaves a process, and opened by the task that needs it; its text says nothing."""

    __slots__ = ("_packed", "_what")

    def __init__(self, what: Any) -> None:
        self._what: Any = what
        self._packed: bytes | None = None

    @classmethod
    def of_bytes(cls, packed: bytes) -> Sealed:
        made = cls(None)
        made._packed = packed
        return made

    def open(self) -> Any:
        return self._what if self._packed is None else pickle.loads(self._packed)

    def __reduce__(self) -> Any:
        import cloudpickle  # with Dask: functions that were typed in a session travel, too

        return Sealed.of_bytes, (cloudpickle.dumps(self._what) if self._packed is None else self._packed,)

    def __repr__(self) -> str:
        return "<sealed>"

    def __sizeof__(self) -> int:
        return object.__sizeof__(self) + len(self._packed or b"")

    def __dask_tokenize__(self) -> object:
        return "sealed", id(self)


def with_ids(frame: pd.DataFrame, name: str) -> pd.DataFrame:
    """The rows of a partition, numbered, under the name by which the session knows them."""
    return frame.set_axis(pd.RangeIndex(len(frame), name=name))


class Protected(Elemwise):  # type: ignore[misc]  # Dask has no types
    """A frame as a session answers for it. Columns that nobody asks for are not read; conditions stay above it."""

    _parameters = ["frame", "name"]  # noqa: RUF012 - as Dask asks for them
    _projection_passthrough = True
    operation = staticmethod(with_ids)

    def _divisions(self) -> tuple[Any, ...]:
        return (None,) * (self.frame.npartitions + 1)
