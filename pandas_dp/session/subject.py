"""What a question is about: the rows as they stood when it was asked, and what everyone knows of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import pandas as pd

from ..backends import KnownIds, PandasRows, Rows, beside
from ..neighbours import Setting
from ..protected import is_whole, origin_of

if TYPE_CHECKING:
    from .desk import Desk

Data = pd.DataFrame | pd.Series


@dataclass(frozen=True, eq=False)
class Subject:
    """Found once, at the door; planning, paying and looking use this and no other.

    It keeps a shallow copy, so a write in place that comes later changes neither the rows nor whether they are whole.
    """

    data: Data
    frame: str | None  # of a whole frame or its columns, the name under which it was protected
    known: KnownIds | None  # of a derived one, the rows of the frame that it was cut from
    setting: Setting

    @classmethod
    def of(cls, desk: Desk, data: Data) -> Subject:
        """The session's view of a frame or a column; one that has lost its row ids is refused."""
        taken = data.copy(deep=False)
        origin = origin_of(data) if is_whole(data) else None
        whole = origin is not None
        known = None if whole else desk.known_ids(taken)
        relation = desk.opening.relation
        size = len(taken) if relation.size_is_public(whole) else None
        public = known if relation.size_is_public(whole=True) else None
        setting = Setting(relation.moves(whole), size, public.size if public else size)
        return cls(taken, None if origin is None else origin.frame, known, setting)

    @property
    def whole(self) -> bool:
        """Whether it is the very frame that was protected, or columns of it."""
        return self.frame is not None

    @property
    def unprotected(self) -> bool:
        """Whether it was cut from no frame that the session protects, so that a row is whatever a row is here."""
        return self.frame is None and self.known is None

    def with_columns(self, columns: pd.DataFrame) -> Subject:
        """The same rows with columns of the table that they were cut from."""
        return replace(self, data=beside(self.data, columns))

    def rows(self, tallies: Sequence[Any] = ()) -> Rows:
        """To be read; what is certain to be asked is read together."""
        return PandasRows(self.data, self.known, tallies)
