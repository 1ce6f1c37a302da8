"""What was asked, as a value: every keyword has been read, nothing has been looked at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..cost import Cost
from ..estimators import Estimator
from ..layouts import Layout


@dataclass(frozen=True)
class Request:
    """How the answer is to be paid for, and how sure its intervals should be."""

    cost: Cost | None = None  # None: the session's share per query
    width: float | None = None  # in place of a cost: the noise's interval is to be this wide
    model: str = "dp"
    mechanism: str = "auto"
    confidence: float = 0.95


@dataclass(frozen=True)
class Asked:
    """One statistic of one column."""

    column: Any
    estimator: Estimator


@dataclass(frozen=True)
class Question:
    """All that one release answers, and the table it fills."""

    statistic: str
    parts: tuple[Asked, ...]
    layout: Layout
    request: Request

    @property
    def columns(self) -> list[Any]:
        return list(dict.fromkeys(part.column for part in self.parts if part.column is not None))

    @property
    def by(self) -> list[Any]:
        return [key.column for key in self.parts[0].estimator.cells.keys]
