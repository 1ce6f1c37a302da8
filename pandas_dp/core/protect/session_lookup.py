"""Which session answers for a frame: the one that its label or its row ids name, else the active one; and what `.dp` of
a frame is, the questions about it or what may be concluded of it."""

from __future__ import annotations

import secrets
import threading
from collections import deque
from collections.abc import Callable, Hashable, Sequence
from contextvars import ContextVar
from typing import Any, Protocol, TypeVar

import pandas as pd

from ...errors import NoSession, NotProtected, PrivacyError, SessionClosed, SyntheticRows, UnsupportedArgument
from ..budget.ledger import Ledger
from ..evidence.evidence import Evidence, kind_of_evidence
from ..forks import Turn, brief
from ..label.protected_rows import ROW_NAME, names_of_people, shows_protected_rows
from ..label.release import RELEASED, Release, is_synthetic, kind_of, label_of
from ..lazy_import import named
from ..plan.plan import Plan
from ..session.opening import Opening
from .mark import origin_of, source_of
from .tables import ProtectedTables, Subject


class Answering(Protocol):
    """One core answers for one session."""

    opening: Opening
    ledger: Ledger
    tables: ProtectedTables
    closed: bool
    asked: bool

    @property
    def id(self) -> str: ...

    @property
    def has_protected(self) -> bool: ...

    def protects(self, frame: str) -> bool: ...

    def check_open(self) -> None: ...

    def facts(self, plan: Plan, subject: Subject) -> dict[str, Any]: ...

    def fits(self, plans: Sequence[Plan]) -> bool: ...

    def carry_out(self, plan: Plan, subject: Subject) -> Release: ...


HOW = (
    "open one with `session = pdp.Session(epsilon=1, schema=...)` and protect the table with "
    "`df = session.protect(df)`."
)
JOIN = (
    "In place of pd.merge(df, other, on='key') write df.merge(other, how='left', on='key'), which keeps the rows; else "
    "use masks, assign or map"
)
LOST = (
    f" If one is open: a function of pandas or a new Series has lost its label. {JOIN}; where the session has a unit, "
    "put people back with .set_index(unit)."
)

_open: dict[str, Answering] = {}  # until they close: a frame may be all that a user keeps
_owners: dict[str, str] = {}  # from the name of a protected index to the id of its session
_entered: ContextVar[tuple[Answering, ...]] = ContextVar("pandas_dp_sessions", default=())
_activated: list[Answering] = []
_lock = brief(threading.Lock())


def register(core: Answering) -> None:
    _open[core.id] = core
    names_of_people[core.id] = core.tables.is_unit


def new_row_name(core: Answering) -> str:
    """The name of a protected frame's index. It survives where pandas drops `attrs`, so it works as a second label."""
    name = f"{ROW_NAME}{secrets.token_hex(4)}"
    _owners[name] = core.id
    return name


def enter(core: Answering) -> None:
    _entered.set((*_entered.get(), core))


def leave(core: Answering) -> None:
    _open.pop(core.id, None)
    names_of_people.pop(core.id, None)
    _entered.set(tuple(each for each in _entered.get() if each is not core))
    with _lock:
        _activated[:] = [each for each in _activated if each is not core]


def activate(core: Answering) -> None:
    with _lock:
        _activated[:] = [core]


def active_core() -> Answering | None:
    """The core of the innermost `with` block of this thread, else of the session that was activated last."""
    entered = _entered.get()
    return entered[-1] if entered else next(iter(_activated), None)


def core_for(data: pd.DataFrame | pd.Series) -> Answering:
    """The core of the open session that answers for this data."""
    kind = kind_of(data)
    if kind in RELEASED:
        raise UnsupportedArgument(
            "this table is a release already; .dp on it offers conclusions and exports, not new questions."
        )
    if kind == "synthetic":
        refuse_synthetic(data)
    if kind == "custodian":
        raise UnsupportedArgument(
            "this table was computed for the custodian's eyes; its rows are not individuals; query the data."
        )
    owner = owner_of(data) or owner_of_people(data)
    core = active_core() if owner is None else _open.get(owner)
    if owner is not None and (core is None or core.closed):
        raise SessionClosed("the session that protects this data is closed; " + HOW)
    if core is None:
        raise NoSession("no session is open for this table; " + HOW + LOST)
    if core.closed:
        raise SessionClosed("this session is closed; " + HOW)
    if owner is None and core.tables.people is not None:
        if not core.has_protected:
            raise NotProtected(
                f"this session hides people, unit={core.tables.people.unit!r}, and answers for tables that it "
                "protected; write df = session.protect(df)."
            )
        raise core.tables.lost(data)
    if owner is None and (core.has_protected or shows_protected_rows(data)):
        raise NotProtected(
            "this table carries no label of the session, which answers for the frame it protected and what is cut "
            f"from it: a function of pandas or a new Series loses it. {JOIN}. Protecting what was cut from a protected "
            "frame would show how many rows a filter left."
        )
    return core


def owner_of_people(data: pd.DataFrame | pd.Series) -> str | None:
    """The id of the open session whose unit the index is named after; refused where several have that unit."""
    names = data.index.names
    named = [core for core in _open.values() if not core.closed and any(map(core.tables.is_unit, names))]
    if len(named) > 1:
        raise NotProtected(
            "this table has lost the label of its session, and several open sessions have the unit that its index is "
            "named after; close all but one."
        )
    active = active_core()
    if named and active not in (None, named[0]):
        raise NotProtected(
            "this table has lost the label of its session; its index is named as the unit of one that is open, and "
            "another session is active. Ask it outside of that, or rename the index if its rows are not those people."
        )
    return named[0].id if named else None


def measured_columns(data: pd.DataFrame) -> list[Hashable]:
    """The columns that a question about all of them is about: not the one that says whose a row is."""
    owner = owner_of(data)
    core = active_core() if owner is None else _open.get(owner)
    return [column for column in data.columns if core is None or not core.tables.is_unit(column)]


def is_protected_now(frame: str) -> bool:
    """Whether an open session of this process protects the frame whose row ids have this name."""
    return _owners.get(frame) in _open


def refuse_synthetic(data: pd.DataFrame | pd.Series) -> None:
    """Refuse rows that were drawn from a model as data."""
    if is_synthetic(data):
        raise SyntheticRows(
            "these rows were drawn from a model of released tables: they are nobody's, so there is nothing to protect "
            "and nothing to ask; ask the synthesis that they came from, by table and estimate."
        )


def is_for_the_custodian(data: pd.DataFrame | pd.Series) -> bool:
    """Whether a custodian function made the table."""
    return kind_of(data) == "custodian"


def owner_of(data: pd.DataFrame | pd.Series) -> str | None:
    """The id of the session that protects this data: by its mark, its label or the name of its row ids."""
    origin, source = origin_of(data), source_of(data)
    if origin is not None:
        return origin.owner
    if source is not None:
        return str(source.core.id)
    label = label_of(data) or {}
    if label.get("kind") == "protected":
        return str(label.get("owner"))
    name = data.index.name
    return _owners.get(name) if isinstance(name, str) else None


Made = TypeVar("Made")


def withheld(core: Answering, work: Callable[[], Made], refusal: str) -> Made:
    """What the work gives; where it fails, the refusal, whose cause a custodian alone sees."""
    cause: BaseException | None = None
    interrupted = False
    try:
        return work()
    except PrivacyError:
        raise
    except KeyboardInterrupt:
        interrupted = True
    except BaseException as error:  # noqa: BLE001 - its words could be a row's
        if core.opening.custodian:
            cause = error
    if interrupted:
        raise KeyboardInterrupt  # a new one, without the words and the context of the other
    raise NotProtected(refusal) from cause


MOST_RELEASES = 1_000
MOST_NUMBERS = 100_000  # of all releases together
LARGEST = 10_000  # numbers of one release


class RecentReleases:
    """The latest releases. Larger ones are not kept, and the oldest make room: some 20 MB in all at most.

    A release is kept as it was answered, whatever becomes of the one that was handed out: the numbers are shared with
    it until either changes.
    """

    def __init__(self) -> None:
        self._kept: deque[tuple[pd.DataFrame, dict[str, Any]]] = deque()
        self._numbers = 0
        self._turn = Turn()

    def keep(self, release: Release) -> None:
        """Put it behind the others."""
        if release.size > LARGEST:
            return
        kept = (pd.DataFrame(release), {**release.attrs["dp"]})
        with self._turn.lock:
            self._kept.append(kept)
            self._numbers += release.size
            while len(self._kept) > MOST_RELEASES or self._numbers > MOST_NUMBERS:
                self._numbers -= self._kept.popleft()[0].size

    def releases(self) -> list[Release]:
        """Oldest first."""
        with self._turn.lock:
            kept = list(self._kept)
        return [_labelled(*each) for each in kept]


def _labelled(frame: pd.DataFrame, label: dict[str, Any]) -> Release:
    """As it was, its digest included."""
    release = Release(frame)
    release.attrs = {"dp": label}
    return release


@pd.api.extensions.register_dataframe_accessor("dp")  # type: ignore[type-var]  # it calls whatever it is given
def _frame_accessor(frame: pd.DataFrame) -> Any:
    """Questions about a table that a session answers for, or conclusions from a table that was released."""
    other = _other(frame)
    return named("core.door.frame:FrameAccessor")(frame) if other is None else other


@pd.api.extensions.register_series_accessor("dp")  # type: ignore[type-var]
def _series_accessor(series: pd.Series) -> Any:
    """Questions about a column that a session answers for."""
    other = _other(series)
    return named("core.door.series:SeriesAccessor")(series) if other is None else other


def _other(table: pd.DataFrame | pd.Series) -> Any:
    """The accessor of what is no data; None of data."""
    kind = kind_of(table)
    if kind in RELEASED:
        return _released(table)
    return named("synthetic.ask_synthesis:SyntheticAccessor")(table) if kind == "synthetic" else None


def _released(table: pd.DataFrame | pd.Series) -> Any:
    """With what all kinds in it have in common: the conclusions of its one kind, or those that all share."""
    evidence = (label_of(table) or {}).get("evidence")
    parts = evidence if isinstance(evidence, list | tuple) else []  # the accessor says what is wrong
    found = {_concluded_by(facts) if isinstance(facts, dict) else Evidence.accessor for facts in parts}
    return named(found.pop() if len(found) == 1 else Evidence.accessor)(table)


def _concluded_by(facts: dict[str, Any]) -> str:
    word = facts.get("kind")
    kind = kind_of_evidence(word) if isinstance(word, str) else None
    return Evidence.accessor if kind is None else kind.concluded_by(facts)
