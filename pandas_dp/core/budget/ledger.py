"""What every ledger can do, wherever it keeps its entries."""

from __future__ import annotations

import logging
import os
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, NoReturn

from ...errors import LedgerError, LedgerMismatch
from ..arguments import LOG
from ..forks import Turn
from ..protect.making import rows_of
from .chain import Chain, Entry, Job, LedgerState
from .cost import Concentrated, Cost, shown
from .periods import Terms


@dataclass(frozen=True)
class ModelTotal:
    """What one model spent, each currency summed by itself.

    Examples
    --------
    >>> print(ModelTotal(epsilon=Fraction(1, 2), rho=Fraction(1, 20)))
    epsilon=0.5 + rho=0.05
    """

    epsilon: Fraction = Fraction(0)
    delta: Fraction = Fraction(0)
    rho: Fraction = Fraction(0)

    def plus(self, price: Cost, times: int = 1) -> ModelTotal:
        """With one more price, or as many: its rho where it has no epsilon, and its delta."""
        delta = self.delta + times * price.aside
        if price.at_infinity is None:
            return ModelTotal(self.epsilon, delta, self.rho + times * price.as_rho.rho)
        return ModelTotal(self.epsilon + times * price.at_infinity, delta, self.rho)

    def to_json(self) -> dict[str, float]:
        return {"epsilon": float(self.epsilon), "delta": float(self.delta), "rho": float(self.rho)}

    def __str__(self) -> str:
        spent = {name: value for name, value in vars(self).items() if value}
        return " + ".join(f"{name}={shown(value)}" for name, value in spent.items()) or "nothing"


class Ledger(ABC):
    """What was spent under one cap, or under one in every period.

    It promises that a charge is durable before ``charge`` returns, that all charges it ever granted fit under
    the cap together, whichever threads and processes made them, and that there is no way to take one back.
    """

    def __init__(self, terms: Terms, period: str | None = None) -> None:
        self.terms, self.period = terms, period
        self.chain = Chain(terms, period)

    @property
    @abstractmethod
    def kept(self) -> str:
        """Where, and for how long, as a view says it."""

    def charge(self, price: Cost, facts: Mapping[str, Any]) -> Entry:
        """Spend a price, or refuse it and leave the ledger as it was.

        Parameters
        ----------
        price
            What the answer costs.
        facts
            Plain JSON about the release; ``facts["model"]`` names its promise. Nothing in it comes from data.

        Raises
        ------
        CostNotOffered
            A kind of cost that this cap cannot count.
        BadCost
            Numbers of more digits than a ledger holds.
        BudgetExceeded
            A charge that does not fit; ``asked``, ``left`` and ``cap`` are its attributes.
        LedgerError
            The ledger cannot be written. Whether the charge was made may be unknown; there must be no answer.
        """
        (entry,) = self.charge_all([(price, facts)])
        return entry

    @abstractmethod
    def charge_all(self, charges: Sequence[tuple[Cost, Mapping[str, Any]]]) -> list[Entry]:
        """Spend several prices, an entry each; or refuse all of them and leave the ledger as it was."""

    @abstractmethod
    def charge_once(self, price: Cost, facts: Mapping[str, Any], job: Job, check: Callable[[Job], None]) -> Entry | Job:
        """What is stored under the name of a job, for which nothing is charged; else spend the price and put the job
        down beside the charge, both or neither. `check` refuses what was put down by another question."""

    @abstractmethod
    def store(self, job: Job) -> Job:
        """Put down the release of a job that was charged; what is stored from now on, which is the first of several."""

    @abstractmethod
    def name_roster(self, roster: str) -> None:
        """Make a table everybody's, in terms that named none and under which nothing was charged.

        Raises
        ------
        LedgerMismatch
            They name another, or something was charged without one.
        """

    def _with_roster(self, roster: str, last: Entry | None) -> Terms:
        """The terms that name this roster."""
        if self.terms.roster is None and last is not None:
            raise LedgerMismatch(
                f"what this ledger was charged for counted people who may not be on the roster {roster!r}; give "
                "another ledger.",
                roster=roster,
            )
        if self.terms.roster not in (None, roster):
            raise LedgerMismatch(
                f"the roster of this ledger is {self.terms.roster!r}, not {roster!r}; protect the same table, or name "
                f"it as it was: session.protect(table, roster={self.terms.roster!r}).",
                roster=roster,
            )
        return replace(self.terms, roster=roster)

    @abstractmethod
    def entries(self) -> list[Entry]:
        """Every charge, oldest first."""

    @abstractmethod
    def ledger_state(self) -> LedgerState:
        """The newest charge, and the newest of its own period."""

    def last(self) -> Entry | None:
        """The newest charge."""
        return self.ledger_state().last

    @abstractmethod
    def verify(self) -> None:
        """Check that every entry follows from the one before it; LedgerCorrupt if not."""

    @abstractmethod
    def close(self) -> None:
        """Let go of the file. Asking again opens it again."""

    def left(self) -> Cost:
        """The largest charge that still fits: of rho under a rho cap, of pure epsilon under the others."""
        return self.chain.left(self.ledger_state())

    def used(self) -> float:
        """The share of the cap that was spent, from 0 to 1."""
        return self.chain.filter.used(self.chain.state(self.ledger_state()))

    def fits(self, prices: Sequence[Cost]) -> bool:
        """Whether all these charges would be granted, one after another; nothing is spent."""
        state = self.chain.state(self.ledger_state())
        for price in prices:
            state, _ = self.chain.counted(state, price)
            if not self.chain.filter.admits(state):
                return False
        return True

    def totals(self) -> dict[str, ModelTotal]:
        """What was spent under each model; in a rho session all of it in rho."""
        return Charges(self.entries()).totals(self.terms.cap)


def tell(entries: Iterable[Entry]) -> None:
    """The log hears of charges what a reader of the ledger does, but for texts that an analyst wrote."""
    for entry in entries if LOG.isEnabledFor(logging.INFO) else ():
        facts = entry.facts
        columns = ", ".join(map(repr, facts.get("columns", ())))
        LOG.info(
            "charged %s for %s of %s: entry %d, release %s%s",
            entry.price,
            facts.get("statistic"),
            columns or "rows",
            entry.number,
            entry.release_id,
            f", published as {facts['once']!r}" if "once" in facts else "",
        )


class Charges:
    """How often what was charged: by period, promise and price, and of rows of which the promise is another one."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self.counts: Counter[tuple[str | None, str, str]] = Counter()
        self.of_rows: Counter[tuple[str | None, str]] = Counter()
        for entry in entries:
            facts = entry.facts
            period = facts.get("period")
            self.counts[period, str(facts.get("model", "")), entry.row[3]] += 1
            rows, may_hold_values = rows_of(facts), facts.get("read", "nothing") != "nothing"
            self.of_rows[period, "read" if rows == "followed" and may_hold_values else rows] += 1

    @property
    def periods(self) -> list[str | None]:
        return list(dict.fromkeys(period for period, _ in self.of_rows))

    def rows(self, *periods: str | None) -> Counter[str]:
        """How often which rows were asked, in these periods or in all; as "read" those that constants may tell of."""
        found: Counter[str] = Counter()
        for (period, word), times in self.of_rows.items():
            if not periods or period in periods:
                found[word] += times
        return found

    def totals(self, cap: Cost, *periods: str | None) -> dict[str, ModelTotal]:
        """What was spent under each model, in these periods or in all; under a rho cap all of it in rho."""
        found: dict[str, ModelTotal] = {}
        for (period, model, text), times in self.counts.items():
            if not periods or period in periods:
                price = Cost.from_text(text)
                counted = price.as_rho if isinstance(cap, Concentrated) else price
                found[model] = found.get(model, ModelTotal()).plus(counted, times)
        return found


class MemoryLedger(Ledger):
    """A ledger in memory, shared by the threads of one process. It stays there: a copy would double it."""

    def __init__(self, terms: Terms, period: str | None = None) -> None:
        super().__init__(terms, period)
        self._entries: list[Entry] = []
        self._jobs: dict[str, Job] = {}
        self._ledger_state = LedgerState()
        self._turn = Turn()
        self._process = os.getpid()

    @property
    def kept(self) -> str:
        return "in memory: ends with this process"

    def charge_all(self, charges: Sequence[tuple[Cost, Mapping[str, Any]]]) -> list[Entry]:
        self._stay()
        with self._turn.lock:
            entries = self._charged(charges)
        tell(entries)
        return entries

    def charge_once(self, price: Cost, facts: Mapping[str, Any], job: Job, check: Callable[[Job], None]) -> Entry | Job:
        self._stay()
        with self._turn.lock:
            found = self._jobs.get(job.name)
            if found is not None:
                check(found)
                if found.release is not None:
                    return found
            entries = self._charged([(price, facts)])
            self._jobs[job.name] = replace(job, entry=entries[0].number)
        tell(entries)
        return entries[0]

    def store(self, job: Job) -> Job:
        self._stay()
        with self._turn.lock:
            found = self._jobs[job.name]
            self._jobs[job.name] = job if found.release is None else found
            return self._jobs[job.name]

    def _charged(self, charges: Sequence[tuple[Cost, Mapping[str, Any]]]) -> list[Entry]:
        entries, self._ledger_state = self.chain.follow_all(self._ledger_state, charges)
        self._entries.extend(entries)
        return entries

    def name_roster(self, roster: str) -> None:
        self._stay()
        with self._turn.lock:
            self.terms = self._with_roster(roster, self.last())
            self.chain = Chain(self.terms, self.period)

    def entries(self) -> list[Entry]:
        self._stay()
        return list(self._entries)

    def ledger_state(self) -> LedgerState:
        self._stay()
        return self._ledger_state

    def verify(self) -> None:
        self.chain.walk((entry.row for entry in self.entries()), self.chain.head(self.last()))

    def close(self) -> None:
        """Nothing to let go of."""

    def _stay(self) -> None:
        if os.getpid() != self._process:
            raise LedgerError(
                "a session without a ledger file cannot go on in another process; "
                'open it with a file, e.g. Session(..., ledger="survey.ledger").'
            )

    def __reduce__(self) -> NoReturn:
        raise LedgerError(
            "a session without a ledger file cannot be copied or pickled; "
            'open it with a file, e.g. Session(..., ledger="survey.ledger").'
        )
