"""The terms of a budget: fixed when a ledger is opened, and the same whenever it is opened again.

Format 1 is kept for ever: later versions read what it says. A version that does not know a term refuses the ledger, as
it cannot keep to it.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import Any

from ...errors import BudgetExceeded, CostNotOffered, LedgerMismatch
from .cost import Approximate, Concentrated, Cost, Pure
from .filters import SET_ASIDE, ConcentratedFilter, Filter, LeakingFilter, PureFilter, RenyiFilter

FORMAT = 1
KNOWN = ("format", "cap", "neighbours", "models", "unit", "roster", "aside", "period", "overall")


@dataclass(frozen=True)
class Terms:
    """What a ledger promises: at most this cap, between these neighbours, under these models.

    Attributes
    ----------
    unit, roster
        The column that says whose a row is, and the table that lists everybody; None where a row is a person.
    aside
        The share of a delta that is kept for prices without a curve.
    period, overall
        How long a cap lasts, e.g. "month", and what all periods together may spend; None where there is one cap for
        ever, or none over all.

    Examples
    --------
    >>> from pandas_dp.core.budget.cost import parse
    >>> terms = Terms(cap=parse(epsilon=3), neighbours="replace", models=("dp",))
    >>> Terms.from_json(terms.to_json()) == terms
    True
    """

    cap: Cost
    neighbours: str
    models: tuple[str, ...]
    unit: str | None = None
    roster: str | None = None
    aside: Fraction = SET_ASIDE
    period: str | None = None
    overall: Cost | None = None

    def to_json(self) -> dict[str, Any]:
        """Numbers as exact text."""
        return {
            "format": FORMAT,
            "cap": self.cap.to_text(),
            "neighbours": self.neighbours,
            "models": list(self.models),
            "unit": self.unit,
            "roster": self.roster,
            "aside": str(self.aside),
            "period": self.period,
            "overall": None if self.overall is None else self.overall.to_text(),
        }

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> Terms:
        """Read what `to_json` of this or an earlier version wrote.

        Raises
        ------
        LedgerMismatch
            It has a newer format, or terms that this version does not know.
        """
        if value["format"] > FORMAT:
            raise LedgerMismatch(
                f"its terms have format {value['format']}, and this version of pandas-dp reads format {FORMAT}; use a "
                "newer version."
            )
        strange = [name for name in value if name not in KNOWN]
        if strange:
            raise LedgerMismatch(
                f"its terms say {', '.join(map(repr, strange))}, which this version of pandas-dp does not know and "
                "cannot keep to; use a newer version."
            )
        overall = value["overall"]
        return cls(
            Cost.from_text(value["cap"]),
            value["neighbours"],
            tuple(value["models"]),
            value["unit"],
            value["roster"],
            Fraction(value["aside"]),
            value["period"],
            None if overall is None else Cost.from_text(overall),
        )

    def to_text(self) -> str:
        """The one text of these terms, which the chain of entries starts from."""
        value = {**self.to_json(), "models": sorted(self.models)}
        return json.dumps(value, sort_keys=True, separators=(",", ":"))

    def __str__(self) -> str:
        """In a line, for people."""
        said = [f"cap {self.cap} for {_time(self.period)}" if self.period else f"cap {self.cap}"]
        said += [f"over all periods {self.overall}"] if self.overall else []
        said += [f"neighbours {self.neighbours}"]
        said += [f"models {', '.join(self.models)}"] if len(self.models) > 1 else []
        said += [f"unit {self.unit!r}"] if self.unit is not None else []
        said += [f"roster {self.roster!r}"] if self.roster is not None else []
        return ", ".join(said)

    def differences(self, other: Terms) -> str:
        """What other terms say differently, for people; empty where they say the same."""
        pairs = [
            ("a cap of", self.cap, other.cap),
            ("neighbours", repr(self.neighbours), repr(other.neighbours)),
            ("models", ", ".join(sorted(self.models)), ", ".join(sorted(other.models))),
            ("unit", repr(self.unit), repr(other.unit)),
            ("roster", repr(self.roster), repr(other.roster)),
            ("aside", str(self.aside), str(other.aside)),
            ("a cap for", _time(self.period), _time(other.period)),
            ("a cap over all periods of", self.overall or "none", other.overall or "none"),
        ]
        return " and ".join(f"{name} {mine}, not {theirs}" for name, mine, theirs in pairs if mine != theirs)


def _time(period: str | None) -> str:
    return "all time" if period is None else f"each {period}"


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


KINDS: dict[type[Cost], Any] = {Pure: PureFilter, Concentrated: ConcentratedFilter}


def filter_for(cap: Cost, aside: Fraction = SET_ASIDE) -> Filter[Any]:
    """The filter of a cap; of its delta, if it has one, the share `aside` is kept for prices without a curve.

    Examples
    --------
    >>> from pandas_dp.core.budget.cost import parse
    >>> rule = filter_for(parse(epsilon=3))
    >>> print(rule.left(rule.after(rule.start(), parse(epsilon=0.5))))
    epsilon=2.5
    """
    if not any((cap.aside, cap.at_infinity is None, cap.at_infinity)):
        raise CostNotOffered("a session needs a cap above zero.")
    if isinstance(cap, Approximate):
        return RenyiFilter(cap, aside)
    if isinstance(cap, Concentrated) and cap.delta:
        return LeakingFilter(cap)
    chosen: Filter[Any] = KINDS[type(cap)](cap)
    return chosen


def filter_of(terms: Terms) -> Filter[Any]:
    """The filter of these terms."""
    within = filter_for(terms.cap, terms.aside)
    if terms.period is None:
        return within
    return PeriodFilter(within, None if terms.overall is None else filter_for(terms.overall, terms.aside))
