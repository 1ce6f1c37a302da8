"""A function on blocks of rows, whose table has so many public rows."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from ..core.lazy_import import named
from ..core.neighbours import Adjacency, PublicFacts, Relation
from ..core.protect.mark import source_of
from ..core.protect.tables import Subject
from ..core.schema.declared import Declared
from ..core.schema.schema import Domain
from ..core.session.session_core import SessionCore
from ..derive.fold import as_declared
from ..derive.rows_examples import SEED, made_up
from ..engines.scan.scan_refusals import not_blocks
from ..errors import BadArgument, NotProtected, UnsupportedArgument
from .fold import Blocks, Call, CannotLoadError, NoProcessError, Reported, Sorting

TRIED = 4  # made-up tables, on which f is tried before anything is paid
SUPPOSED = 40  # rows of a made-up block where nobody knows how many there are
MOST_TRIED = 200


def _with_rows(core: SessionCore, data: pd.DataFrame) -> Subject:
    """The table; of one that was made of a protected one its rows, as the language makes them."""
    subject = core.subject(data)
    if source_of(data) is None or subject.scanned is None:
        return subject
    rows = named("recording.sources:values_at")(data._dp_made, data._dp_real().index)  # type: ignore[operator]
    known = core.tables.of(rows).known
    return replace(subject, data=rows, scanned=None, known=known)


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
        subject = _with_rows(core, data)
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
        if call.packed is None:  # what it is handed it may keep
            self.core.tables.shows("values")
        source, making = self.subject, replace(self.subject.making, read=self.core.tables.read)
        facts: dict[str, Any] = {"blocks": blocks, "source": source, "estimand": estimand, "making": making}
        return Subject(empty, None, True, None, public, domain, **facts)

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
            persons = np.sort(r.integers(0, max(size // 2, 1), size)) if unit is not None else np.arange(size)
            rows = made_up(columns, 100 + persons, r)
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
