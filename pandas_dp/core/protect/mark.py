"""What a question is handed in place of rows: a plain frame or column, and which session protects it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from ...errors import NotProtected


@dataclass(frozen=True)
class Origin:
    """Which session protects a table, and under what name."""

    owner: str
    frame: str
    unit: str | None = None  # the column that says whose a row is
    reordered: bool = False  # rows were put in another order than they were given in
    scanned: Any = None  # where its rows are, if the object only stands for them
    rows: Any = None  # where all rows of the protected table are
    lost: Mapping[Any, str] = field(default_factory=dict)  # columns that nobody saw being made, and why
    making: Any = None  # how they were made, where that was seen
    table: Any = field(default=None, compare=False, repr=False)  # the lazy one that the object stands for

    @property
    def taken_for(self) -> str:
        """What its rows are to whoever looks at it."""
        if self.unit is None:
            return "Protected: each row is taken for one person, and one row is what a release hides."
        return (
            f"Protected: rows of one {self.unit!r} are taken for one person, and all that one person has is what a "
            "release hides."
        )


class AskedFrame(pd.DataFrame):
    """A table as a question has it: all of a protected one, or a frame without rows that stands for what was made."""

    _dp_origin: Origin

    @property
    def _constructor(self) -> type[pd.DataFrame]:
        return pd.DataFrame

    @property
    def _constructor_sliced(self) -> type[pd.Series]:
        return pd.Series


class AskedSeries(pd.Series):
    """The same of a column."""

    _dp_origin: Origin

    @property
    def _constructor(self) -> type[pd.Series]:
        return pd.Series

    @property
    def _constructor_expanddim(self) -> type[pd.DataFrame]:
        return pd.DataFrame


def mark_frame(frame: pd.DataFrame, origin: Origin) -> AskedFrame:
    """The frame, and where it comes from."""
    return _marked(AskedFrame(frame, copy=False), frame, origin)


def mark_series(series: pd.Series, origin: Origin) -> AskedSeries:
    """The column, and where it comes from."""
    return _marked(AskedSeries(series, copy=False), series, origin)


def _marked(made: Any, data: Any, origin: Origin) -> Any:
    made.attrs = data.attrs
    object.__setattr__(made, "_dp_origin", origin)
    return made


def as_asked(data: Any) -> Any:
    """What a question has of a frame that a user has: of a followed one, what it was made of."""
    followed = getattr(type(data), "_dp_asked", None)
    if followed is None:
        return data
    check_copies()
    return followed(data)


def source_of(data: Any) -> Any:
    """Of a frame that a user has, the protected table that it was made of."""
    rows = getattr(data, "_dp_rows", None) if hasattr(type(data), "_dp_asked") else None
    return None if rows is None else rows._source


def is_whole(data: Any) -> bool:
    """Whether it is a protected table, or columns of it, as it was: all of its rows."""
    source = source_of(data)
    return source is not None and bool(source.has_all(data._dp_made))


def origin_of(data: object) -> Origin | None:
    """Where an object comes from, if all of a table or what stands for it was asked."""
    found = getattr(data, "_dp_origin", None) if isinstance(data, AskedFrame | AskedSeries) else None
    return found if isinstance(found, Origin) else None


def copies_on_write() -> bool:
    """Whether pandas gives an object new arrays before it writes: always from pandas 3, before with copy-on-write."""
    return int(pd.__version__.split(".")[0]) >= 3 or pd.get_option("mode.copy_on_write") is True


def check_copies() -> None:
    """Refused where what is written into an array that a program took could reach the rows."""
    if not copies_on_write():
        raise NotProtected(
            f"a protected table needs copy-on-write, which pandas {pd.__version__} has switched off; write "
            "pd.options.mode.copy_on_write = True below `import pandas as pd`."
        )
