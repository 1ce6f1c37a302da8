"""A function on blocks of rows, whose table has so many public rows, and `session.watch`, an alarm on counts."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from types import TracebackType
from typing import Any, NoReturn, Self

import numpy as np
import pandas as pd

from ..core.budget.cost import Pure, parse
from ..core.forks import Turn
from ..core.neighbours import Adjacency, PublicFacts, Relation
from ..core.noise.choice import AboveThreshold
from ..core.noise.samplers.discrete import discrete_laplace
from ..core.plan.run import in_silence, runs_of
from ..core.protect import active
from ..core.protect.tables import Subject
from ..core.reading import read_note, whole_number
from ..core.schema.declared import Declared
from ..core.schema.schema import Domain
from ..core.session.planning import is_planning
from ..core.session.session_core import SessionCore
from ..dataclass import dataclass
from ..derive.fold import as_declared
from ..derive.rows_replay import SEED, Like
from ..engines.dask.ask import asked, collection
from ..engines.scan.scan_refusals import not_blocks
from ..engines.scan.table import ScannedTable, standing_for
from ..errors import BadArgument, BadCost, BudgetExceeded, NotProtected, SessionClosed, UnsupportedArgument, type_of
from ..numeric.measure import Counts
from .fold import Blocks, Call, CannotLoadError, NoProcessError, Reported, Sorting

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

    def ask(self, frame: pd.DataFrame | pd.Series[Any] | ScannedTable) -> bool:
        """Whether the frame has more rows than the number, as far as the noise lets it know; this costs nothing more.

        Parameters
        ----------
        frame : DataFrame, Series, scanned table or collection of Dask
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
        frame = asked(frame) if collection(frame) else standing_for(frame)
        if not isinstance(frame, pd.DataFrame | pd.Series):
            raise UnsupportedArgument(f"ask takes a table, whose rows it counts, not {type_of(frame)}.")
        if active.core_for(frame) is not self._core:
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
        "derived": True,
        "period": core.ledger.period,
        "neighbours": core.opening.relation.value,
        "unit": unit,
        "roster": core.ledger.terms.roster,
        "above": above,
        "hits": how.hits,
        "unprotected": False,
    }


def noise(scale: Any) -> int:
    """A whole number of discrete Laplace noise."""
    return int(discrete_laplace(scale, 1)[0])


def _process() -> tuple[int, int]:
    """This process, and no other that was forked off it, or off one of which it was."""
    return os.getpid(), len(_forks)


TRIED = 4  # made-up tables, on which f is tried before anything is paid
SUPPOSED = 40  # rows of a made-up block where nobody knows how many there are
MOST_TRIED = 200


@dataclass(frozen=True, eq=False)
class Cut:
    """A table and in how many blocks its rows are put; found once, when the blocks are asked for."""

    core: SessionCore
    subject: Subject
    many: int
    columns: Mapping[Hashable, Declared | None]

    @classmethod
    def of(cls, core: SessionCore, data: pd.DataFrame, many: int, domain: Callable[[Subject], Domain]) -> Cut:
        """Refused where it has no ids, or columns of which nobody said what they hold."""
        subject = core.subject(data)
        not_blocks(subject.scanned)
        if subject.unprotected:
            raise NotProtected("blocks are of rows that the session protects; write df = session.protect(df).")
        people = core.tables.people
        sampled = core.samples.get(subject.frame or data.index.name)
        if sampled is not None and sampled.design is not None:
            raise UnsupportedArgument(
                "blocks hand rows to a function as they are, and this table has a design; protect it without one, and "
                "let the function weigh them."
            )
        known = domain(subject)
        columns: dict[Hashable, Declared | None] = {
            name: None if people is not None and name in people.names else known.said_of(name) for name in data.columns
        }
        unsaid = next(
            (name for name in columns if columns[name] is None and (people is None or name not in people.names)), None
        )
        if unsaid is not None:
            raise UnsupportedArgument(
                f"blocks hand each column to the function in the form that it was declared in, and nothing was said of "
                f"column {unsaid!r}; declare it, say it here, blocks(k, bounds={{{unsaid!r}: (0, 100)}}), or leave it "
                "out, frame[['age']].",
                column=unsaid,
            )
        cut = cls(core, subject, many, columns)
        if cut.public is not None and 2 * many > cut.public:
            raise BadArgument(
                f"blocks of one row say nothing of a function: of {cut.public:,} rows at most {cut.public // 2:,} "
                f"blocks can be made, and {many:,} were asked for.",
                argument="k",
            )
        return cut

    @property
    def public(self) -> int | None:
        """How many rows, or people, there can be, where everyone knows it."""
        public = self.subject.public
        return public.people if self.core.tables.people is not None else public.most or public.size

    @property
    def each(self) -> str:
        """How large a block is, in words."""
        what = ("row", "rows") if self.core.tables.people is None else ("person", "people")
        whole = self.subject.whole or what[0] == "person"
        if self.public is None or not whole:
            return f"one {what[0]} in {self.many:,}"
        some, over = divmod(self.public, self.many)
        return f"{some:,} {what[1]}" if not over else f"{some:,} or {some + 1:,} {what[1]}"

    def sorting(self) -> Sorting:
        """What says in which block a row is, from facts that no other row moves."""
        people, subject = self.core.tables.people, self.subject
        if people is not None:
            assert subject.table is not None
            return Sorting(subject.table.known, pseudonyms=people.index.to_numpy())
        if self.core.opening.relation is Relation.REPLACE:
            size = len(subject.data) if subject.known is None else subject.public.most
            return Sorting(subject.known, size)
        return Sorting(subject.known)

    def called(
        self, call: Call, outputs: Mapping[Hashable, Declared], estimand: str, small: float | None = None
    ) -> Subject:
        """The table that it makes, as a subject of questions: nothing is run before one is paid for."""
        blocks = Blocks(self.many, self.sorting(), self.columns, call, small)
        empty = pd.DataFrame({name: pd.Series(dtype=object) for name in outputs}, columns=list(outputs))
        public = PublicFacts(Adjacency(swap=True, vanish=False), self.many, self.many)
        domain = Domain().declaring(outputs)
        return Subject(empty, None, True, None, public, domain, blocks=blocks, source=self.subject, estimand=estimand)

    def tried(self, call: Call) -> None:
        """Refused where the function cannot be called in a clean process, or gives nothing on any made-up table."""
        try:
            with call.runner() as runner:
                answers = [runner.on(*each) for each in enumerate(self._made_up())]
        except NoProcessError as error:
            raise UnsupportedArgument(
                "a function on blocks is called in a clean process beside this one, and none could be started, "
                f"whatever the function is: {error}. See whether this Python starts alone, and finds numpy and pandas.",
                argument="isolate",
            ) from None
        except CannotLoadError as error:
            raise BadArgument(
                f"a clean process cannot load this function ({error}): it knows what can be imported, and nothing that "
                f"was defined in a notebook or script. {ELSEWHERE}",
                argument="f",
            ) from None
        failed = [each for each in answers if None in each.values]
        if len(failed) == len(answers):
            raise BadArgument(_useless(call, failed), argument="f")

    def _made_up(self) -> Sequence[pd.DataFrame]:
        r = np.random.default_rng(SEED)
        unit = next((name for name, said in self.columns.items() if said is None), None)
        full = {name: said and replace(said, nullable=False) for name, said in self.columns.items()}
        size = SUPPOSED if self.public is None else min(max(self.public // self.many, 2), MOST_TRIED)
        made = []
        for number in range(TRIED):  # with gaps, where there may be some, and without
            columns = self.columns if number % 2 else full
            like = Like(tuple(columns.items()), None, unit, unit is None, False)
            persons = np.sort(r.integers(0, max(size // 2, 1), size)) if unit is not None else np.arange(size)
            rows = like.rows(100 + persons, r).reset_index(drop=True)
            declared = {name: said for name, said in columns.items() if said is not None}
            plain = as_declared(rows, declared)
            made.append(pd.DataFrame({name: plain[name] if name in declared else rows[name] for name in self.columns}))
        return made


ELSEWHERE = (
    "Put it into a module of its own, e.g. estimators.py, and import it from there; or say isolate=False, where it "
    "is called in this process and it is for you to know that it keeps nothing from one block to the next."
)


def packed(f: Callable[..., Any]) -> bytes:
    """The function as a clean process takes it; refused where it can't be taken along."""
    try:
        if getattr(f, "__module__", None) == "__main__":
            raise pickle.PicklingError
        return pickle.dumps(f)
    except Exception:  # noqa: BLE001 - whatever it holds
        raise BadArgument(
            f"this function cannot be taken to a clean process, as what was defined in a notebook or script, lambdas "
            f"and inner functions cannot. {ELSEWHERE}",
            argument="f",
        ) from None


def _useless(call: Call, failed: Sequence[Reported]) -> str:
    names = ", ".join(repr(name) for name, _ in call.requested)
    why = ", ".join(dict.fromkeys(each.failed for each in failed if each.failed is not None))
    said = f": {why}" if why else f"; it has to give {names}, as a mapping, a Series or a table of one row"
    if not why and len(call.requested) == 1:
        said += ", or a single value"
    return f"this function gives no {names} on any of {TRIED} tables that were made up from the schema{said}."
