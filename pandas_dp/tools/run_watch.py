"""`session.watch`, an alarm on counts."""

from __future__ import annotations

import os
from types import TracebackType
from typing import Any, NoReturn, Self

import pandas as pd

from ..core.arguments import read_note, whole_number
from ..core.budget.cost import Pure, parse
from ..core.forks import Turn
from ..core.noise.choice import AboveThreshold
from ..core.noise.samplers.discrete import discrete_laplace
from ..core.plan.run import in_silence, runs_of
from ..core.protect import session_lookup
from ..core.protect.making import Making
from ..core.session.planning import is_planning
from ..core.session.session_core import SessionCore
from ..engines.scan.table import standing_for
from ..errors import BadCost, BudgetExceeded, NotProtected, SessionClosed, UnsupportedArgument, type_of
from ..language.table import LazyTable
from ..numeric.measure import Counts

LARGEST = 10**15
MOST_HITS = 10_000
_forks = [0]  # how often this process was forked off another
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=lambda: _forks.append(0))


class Watch:
    """Tells whether frames have more rows than a number, until it has said yes as often as it may.

    It is paid for when it is opened. All its answers together are epsilon-DP, however many they are. It has a state,
    which there is once: it can't be copied, pickled or used in a process that was forked off.

    Examples
    --------
    >>> import pandas as pd, pandas_dp as pdp
    >>> session = pdp.Session(epsilon=100)
    >>> people = session.protect(pd.DataFrame({"age": range(1000)}))
    >>> with session.watch(above=500, epsilon=10) as bell:
    ...     [bell.ask(people[people["age"] > age]) for age in (900, 700, 300)]
    [False, False, True]
    """

    def __init__(self, core: SessionCore, above: int, how: AboveThreshold, release: str) -> None:
        self._core, self._above, self._how, self._release = core, above, how, release
        self._noise = noise(how.threshold.scale)
        self._left, self._open = how.hits, True
        self._turn, self._process = Turn(), _process()

    @property
    def left(self) -> int:
        """How many yeses are left.

        Examples
        --------
        >>> import pandas_dp as pdp
        >>> with pdp.Session(epsilon=1).watch(above=500, epsilon=0.5, hits=3) as bell:
        ...     bell.left
        3
        """
        return self._left

    def ask(self, frame: pd.DataFrame | pd.Series[Any] | LazyTable) -> bool:
        """Whether the frame has more rows than the number, as far as the noise lets it know; this costs nothing more.

        Parameters
        ----------
        frame : DataFrame, Series or scanned table
            Cut from a frame that the session protects, so that how many rows it has is private.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(epsilon=100)
        >>> people = session.protect(pd.DataFrame({"age": range(1000)}))
        >>> with session.watch(above=500, epsilon=10) as bell:
        ...     bell.ask(people.query("age > 900"))
        False
        """
        self._check_process()
        with self._turn.lock:
            subject = self._checked(frame)
            found = in_silence(
                lambda: self._is_above(int(subject.rows([Counts()]).fold(Counts())[0, 0])),
                self._release,
                self._core.opening.custodian,
            )
            self._left -= found
            return found

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End it; what was paid is spent, whatever is left.

        Examples
        --------
        >>> import pandas_dp as pdp
        >>> bell = pdp.Session(epsilon=1).watch(above=500, epsilon=0.5)
        >>> bell.close()
        """
        self._open = False

    def __repr__(self) -> str:
        state = f"{self._left} of {self._how.hits} yeses left" if self._open else "closed"
        return f"<watch for more than {self._above:,} rows, epsilon={float(self._how.epsilon):g}: {state}>"

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise UnsupportedArgument(
            "a watch has a state that there must be once, so it can't be copied or pickled; open another, which costs "
            "its own."
        )

    def _is_above(self, count: int) -> bool:
        return count + noise(self._how.question.scale) > self._above + self._noise

    def _check_process(self) -> None:
        if self._process != _process():
            raise UnsupportedArgument(
                "this watch was opened in another process, and the yeses of both would be more than was paid for; ask "
                "there, or open one here."
            )

    def _checked(self, frame: object) -> Any:
        """The subject of a question; refused from public facts alone."""
        if is_planning():
            raise UnsupportedArgument("a watch is paid for when it is opened, so there is nothing to plan; ask it.")
        if not self._open:
            raise SessionClosed("this watch is closed; open another with session.watch(above=..., epsilon=...).")
        if not self._left:
            raise BudgetExceeded(
                f"this watch has said yes as often as was paid for, hits={self._how.hits}; open another.",
                hits=self._how.hits,
            )
        frame = standing_for(frame)
        if not isinstance(frame, pd.DataFrame | pd.Series):
            raise UnsupportedArgument(f"ask takes a table that its session protects or scans, not {type_of(frame)}.")
        if session_lookup.core_for(frame) is not self._core:
            raise NotProtected("this table is of another session than the watch; open a watch in that one.")
        self._core.check_open()
        subject = self._core.subject(frame)
        if subject.unprotected:
            raise NotProtected("a watch counts rows of tables that its session protects; df = session.protect(df).")
        if subject.has_many_rows:
            raise UnsupportedArgument(
                "a person may have any number of rows in this table, and a watch counts people; ask about people, e.g. "
                f"bell.ask(table.groupby({subject.public.unit!r}).size())."
            )
        if subject.public.size is not None:
            raise UnsupportedArgument(
                "everyone knows how many rows a protected table has; ask about rows that were cut from it, e.g. "
                "bell.ask(df[df['age'] > 60])."
            )
        return subject


def watch(core: SessionCore, above: int, epsilon: Any, hits: int, note: str | None, rho: object) -> Watch:
    """What is no watch is refused; any other is paid."""
    number, most = whole_number("above", above, 0, LARGEST), whole_number("hits", hits, 1, MOST_HITS)
    cost = None if rho is not None else parse(epsilon=epsilon)
    if not isinstance(cost, Pure):
        raise BadCost("a watch needs its cost as epsilon, e.g. session.watch(above=500, epsilon=0.3).")
    if is_planning():
        raise UnsupportedArgument("a watch is no question that could be planned: it costs its epsilon, at once.")
    how = AboveThreshold(cost.epsilon, most, core.opening.relation.one_way)
    return opened(core, number, how, cost, read_note(note))


def opened(core: SessionCore, above: int, how: AboveThreshold, cost: Pure, note: str | None = None) -> Watch:
    """Charge it, and draw its threshold."""
    core.check_open()
    if how.spent > cost.epsilon:
        raise RuntimeError("the noise planned for this watch spends more than its price. Please report it.")
    core.asked = True
    entry = core.ledger.charge(cost, {**facts_of(core, above, how, cost), "note": note})
    return Watch(core, above, how, entry.release_id)


def facts_of(core: SessionCore, above: int, how: AboveThreshold, cost: Pure) -> dict[str, Any]:
    """What the ledger says of it."""
    people = core.tables.people
    unit = None if people is None else str(people.unit)
    return {
        "session": core.opening.name,
        "statistic": "watch",
        "columns": [],
        "by": [],
        "model": "dp",
        **cost.to_json(),
        "mechanism": how.name,
        "noise": [runs_of((how.threshold,)), runs_of((how.question,))],
        **Making("followed", core.tables.read).to_json(()),
        "period": core.ledger.period,
        "neighbours": core.opening.relation.value,
        "unit": unit,
        "roster": core.ledger.terms.roster,
        "above": above,
        "hits": how.hits,
    }


def noise(scale: Any) -> int:
    """A whole number of discrete Laplace noise."""
    return int(discrete_laplace(scale, 1)[0])


def _process() -> tuple[int, int]:
    """This process, and no other that was forked off it, or off one of which it was."""
    return os.getpid(), len(_forks)
