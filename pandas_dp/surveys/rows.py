"""How protected tables were sampled, and the columns that say so, kept for what is cut from them."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd

from ..core.protect.mark import source_of
from ..errors import NotFollowed, UnknownColumn, wrong_value
from .schema import Design

if TYPE_CHECKING:
    from ..core.protect.tables import Subject


@dataclass(frozen=True, eq=False)
class Sampled:
    """A protected table as it was given: its columns, and its design."""

    columns: frozenset[Hashable]
    design: Design | None = None

    def check(self, name: Hashable, subject: Subject) -> None:
        """Refused a column that the table did not have, or that is not beside the rows."""
        if subject.making.rows == "vouched":
            raise NotFollowed(
                f"rows that somebody vouched for have no other columns than their own; vouch for a frame that has "
                f"{str(name)!r}, and ask it with weights={str(name)!r}.",
                column=name,
            )
        if name not in self.columns:
            raise UnknownColumn("weights= names a column that the protected table does not have.", argument="weights")


class Samples:
    """By the names of their row ids."""

    def __init__(self) -> None:
        self._tables: dict[str, Sampled] = {}
        self.are_designed = False  # any of them

    def get(self, frame: object) -> Sampled | None:
        return self._tables.get(frame) if isinstance(frame, str) else None

    def keep(self, frame: Any, design: Design | None) -> None:
        """Remember a table that was protected, and of its design the columns that it names."""
        source = source_of(frame)
        self._tables[source.row] = Sampled(frozenset(source.facts), design)
        self.are_designed = self.are_designed or design is not None


def check_design(design: Any, data: pd.DataFrame, people: int | None) -> None:
    """Refused before the table is protected: what is no design, or does not go with the table's columns and size."""
    if not isinstance(design, Design):
        raise wrong_value("design", "be a pdp.Design(weights=..., strata=...)", design)
    there = {*data.columns, *data.index.names}
    lacking = next((name for name in design.columns if name not in there), None)
    if lacking is not None:
        raise UnknownColumn(f"the design names a column {lacking!r}, which the table does not have.", column=lacking)
    design.check_people(people)
