"""What the rest of this room knows of a desk: who it is, what it protects, and that it carries out what was planned."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from ..budget.ledger import Ledger
from ..label.release import Release
from ..protect.tables import Subject, Tables
from ..session.opening import Opening
from .plan import Plan


class Answering(Protocol):
    """One desk answers for one session."""

    opening: Opening
    ledger: Ledger
    tables: Tables
    closed: bool
    asked: bool

    @property
    def id(self) -> str: ...

    @property
    def has_protected(self) -> bool: ...

    def protects(self, frame: str) -> bool: ...

    def check_open(self) -> None: ...

    def facts(self, plan: Plan, subject: Subject) -> dict[str, Any]: ...

    def fits(self, plans: Sequence[Plan]) -> bool: ...

    def carry_out(self, plan: Plan, subject: Subject) -> Release: ...
