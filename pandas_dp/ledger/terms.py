"""The terms of a budget: fixed when a ledger is opened, and the same whenever it is opened again.

Format 1 is kept for ever: later versions read what it says. A version that does not know a term refuses the ledger, as
it cannot keep to it.
"""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

from ..cost import Cost
from ..dataclass import dataclass
from ..errors import LedgerMismatch
from .renyi import SET_ASIDE

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
    >>> from pandas_dp.cost import parse
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
