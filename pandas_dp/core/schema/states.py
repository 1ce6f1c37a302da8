"""What may be wrong with a value of a column, by what was declared of it: the categories of a table of gaps."""

from __future__ import annotations

from typing import Any, ClassVar

from ...dataclass import dataclass
from .categories import Categories, said
from .declared import OPEN, UNDECLARED, Declared
from .interval import Interval, Kind


@dataclass(frozen=True)
class States:
    """Each value is in one of them, or there is nothing wrong with it; which one depends on that value alone.

    Missing: no value. Unreadable: not of the declared kind, so that it counts as missing elsewhere. Outside: beyond the
    declared bounds, so that it is clamped, or none of the declared categories, so that it is in no cell.
    """

    kind: Kind | None = None  # that values are read as; None where any will do
    interval: Interval | None = None
    listed: Categories | None = None
    values: ClassVar[tuple[str, ...]] = ("missing", "unreadable", "outside")

    @classmethod
    def of(cls, declared: Declared | None) -> States:
        """What can be wrong where this was declared; of a column that was declared nowhere, only that it is missing."""
        if declared is None or declared == UNDECLARED:
            return cls()
        interval, listed = declared.interval, declared.listed
        says_kind = interval is not None or declared.dtype not in OPEN
        return cls(declared.kind if says_kind else None, None if listed else interval, listed)

    def to_json(self) -> dict[str, Any]:
        """What was declared, as a fingerprint takes it."""
        return said(
            states=list(self.values),
            kind=self.kind,
            interval=self.interval and self.interval.to_json(),
            listed=self.listed and self.listed.to_json(),
        )
