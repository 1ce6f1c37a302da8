"""A ledger that lives and dies with its process."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from ..cost import Cost
from ..errors import LedgerError
from ..forks import Turn
from .chain import Chain, Standing
from .entry import Entry
from .ledger import Ledger
from .terms import Terms


class MemoryLedger(Ledger):
    """A ledger in memory, shared by the threads of one process. It stays there: a copy would double it."""

    def __init__(self, terms: Terms, period: str | None = None) -> None:
        super().__init__(terms, period)
        self._entries: list[Entry] = []
        self._standing = Standing()
        self._turn = Turn()
        self._process = os.getpid()

    @property
    def kept(self) -> str:
        return "in memory: ends with this process"

    def charge_all(self, charges: Sequence[tuple[Cost, Mapping[str, Any]]]) -> list[Entry]:
        self._stay()
        with self._turn.lock:
            entries, self._standing = self.chain.follow_all(self._standing, charges)
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

    def standing(self) -> Standing:
        self._stay()
        return self._standing

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
