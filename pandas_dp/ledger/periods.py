"""Budgets by period: a cap that every period has anew, and one over all of them. Proof: ``docs/proofs/filters.md``."""

from __future__ import annotations

import json
import re
from datetime import date
from typing import Any

from ..cost import Approximate, Concentrated, Cost, Pure
from ..errors import BudgetExceeded
from .filter import Filter

SPELLED = {
    "year": r"\d{4}",
    "quarter": r"\d{4}Q[1-4]",
    "month": r"\d{4}-(0[1-9]|1[0-2])",
    "week": r"\d{4}-W(0[1-9]|[1-4]\d|5[0-3])",
    "day": r"\d{4}-\d{2}-\d{2}",
}

PERIODS = "'2026', '2026Q4', '2026-11', '2026-W47' or '2026-11-19'"

States = tuple[Any, ...]  # what was spent in the period, and in all of them where these have a cap


def length_of(period: str) -> str | None:
    """How long the period of this name is; None where it names none.

    Examples
    --------
    >>> length_of("2026-11"), length_of("2026Q4"), length_of("2026-13")
    ('month', 'quarter', None)
    """
    found = next((length for length, spelled in SPELLED.items() if re.fullmatch(spelled, period, re.ASCII)), None)
    return None if found in ("week", "day") and not _is_on_calendar(period) else found


def _is_on_calendar(day: str) -> bool:
    try:
        date.fromisoformat(day)
    except ValueError:
        return False
    return True


class PeriodFilter(Filter[States]):
    """A charge is granted that its own period's cap covers, and the cap over all periods if there is one."""

    def __init__(self, within: Filter[Any], overall: Filter[Any] | None) -> None:
        self.filters = (within,) if overall is None else (within, overall)

    def start(self) -> States:
        return tuple(each.start() for each in self.filters)

    def resume(self, own: States | None, last: States | None) -> States:
        start = self.start()
        return (*(own or start)[:1], *(last or start)[1:])

    def after(self, state: States, price: Cost) -> States:
        return tuple(each.after(spent, price) for each, spent in self._pairs(state))

    def admits(self, state: States) -> bool:
        return all(each.admits(spent) for each, spent in self._pairs(state))

    def left(self, state: States) -> Cost:
        return least([each.left(spent) for each, spent in self._pairs(state)])

    def used(self, state: States) -> float:
        """Of the period's cap, or of the one over all periods where more of that is spent."""
        return max(each.used(spent) for each, spent in self._pairs(state))

    def over_all(self, state: States) -> tuple[Cost, float] | None:
        """What is left over all periods, and the share that is spent; nothing without such a cap."""
        _, *overall = self._pairs(state)
        return next(((each.left(spent), each.used(spent)) for each, spent in overall), None)

    def refusal(self, state: States, price: Cost) -> BudgetExceeded:
        place = next(
            p for p, (each, spent) in enumerate(self._pairs(state)) if not each.admits(each.after(spent, price))
        )
        refusal = self.filters[place].refusal(state[place], price)
        where = "over all periods" if place else "in this period"
        return BudgetExceeded(f"{str(refusal).removesuffix('.')} {where}.", **vars(refusal))

    def write(self, state: States) -> str:
        return json.dumps([each.write(spent) for each, spent in self._pairs(state)], separators=(",", ":"))

    def read(self, text: str) -> States:
        return tuple(each.read(spent) for each, spent in zip(self.filters, json.loads(text), strict=True))

    def to_text(self) -> str:
        return "; over all periods: ".join(each.to_text() for each in self.filters) + "; by period"

    def _pairs(self, state: States) -> list[tuple[Filter[Any], Any]]:
        return list(zip(self.filters, state, strict=True))


def least(costs: list[Cost]) -> Cost:
    """What all of these cover, each of them of one kind."""
    first = costs[0]
    if isinstance(first, Concentrated):
        rhos, deltas = zip(*((each.as_rho.rho, each.aside) for each in costs), strict=True)
        return Concentrated(min(rhos), min(deltas))
    assert not isinstance(first, Approximate)
    return min((each for each in costs if isinstance(each, Pure)), key=lambda each: each.epsilon)
