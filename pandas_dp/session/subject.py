"""What a question is about: the rows as they stood when it was asked, and what everyone knows of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd

from ..backends import KnownIds, PandasRows, Rows
from ..neighbours import Setting
from ..protected import is_whole

if TYPE_CHECKING:
    from .session import Session

Data = pd.DataFrame | pd.Series


@dataclass(frozen=True, eq=False)
class Subject:
    """Found once, at the door; planning, paying and looking use this and no other.

    It keeps a shallow copy, so a write in place that comes later changes neither the rows nor whether they are whole.
    """

    data: Data
    whole: bool
    known: KnownIds | None
    setting: Setting

    @classmethod
    def of(cls, session: Session, data: Data) -> Subject:
        """The session's view of a frame or a column; one that has lost its row ids is refused."""
        taken = data.copy(deep=False)
        whole = is_whole(data)
        known = None if whole else session.known_ids(taken)
        size = len(taken) if session.relation.size_is_public(whole) else None
        public = known if session.relation.size_is_public(whole=True) else None
        return cls(taken, whole, known, Setting(session.relation.moves(whole), size, public.size if public else size))

    @property
    def frame(self) -> str | None:
        """The name of its row ids; None for a derived one."""
        return str(self.data.index.name) if self.whole else None

    def rows(self) -> Rows:
        return PandasRows(self.data, self.known)
