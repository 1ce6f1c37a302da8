"""The terms of a budget: fixed when a ledger is opened, and the same whenever it is opened again."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from ..cost import Cost


@dataclass(frozen=True)
class Terms:
    """What a ledger promises: at most this cap, between these neighbours, under these models.

    Examples
    --------
    >>> from pandas_dp.cost import parse
    >>> terms = Terms(cap=parse(epsilon=3), neighbours="replace", models=("dp",))
    >>> Terms.from_json(terms.to_json()) == terms
    True
    """

    cap: Cost
    neighbours: str
    models: tuple[str, ...]
    unit: str | None = None

    def to_json(self) -> dict[str, Any]:
        return {
            "cap": self.cap.to_text(),
            "neighbours": self.neighbours,
            "models": list(self.models),
            "unit": self.unit,
        }

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> Terms:
        return cls(Cost.from_text(value["cap"]), value["neighbours"], tuple(value["models"]), value.get("unit"))

    def to_text(self) -> str:
        """The one text of these terms, which the chain of entries starts from."""
        value = {**self.to_json(), "models": sorted(self.models)}
        return json.dumps(value, sort_keys=True, separators=(",", ":"))

    def differences(self, other: Terms) -> str:
        """What other terms say differently, for people; empty where they say the same."""
        pairs = [
            ("a cap of", self.cap, other.cap),
            ("neighbours", repr(self.neighbours), repr(other.neighbours)),
            ("models", ", ".join(sorted(self.models)), ", ".join(sorted(other.models))),
            ("unit", repr(self.unit), repr(other.unit)),
        ]
        return " and ".join(f"{name} {mine}, not {theirs}" for name, mine, theirs in pairs if mine != theirs)
