"""Rows in blocks, and silence around a function of the user's on each.

Which block a row is in does not depend on other rows, so that one person is in one block.
"""

from __future__ import annotations

import contextlib
import io
import json
import math
import os
import pickle
import select
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
import pandas as pd

from ..core.arrays import Array
from ..core.engine.row_ids import KnownIds, KnownRows, ids_of
from ..core.noise.samplers.bits import permutation
from ..core.schema.declared import Declared
from ..derive.fold import as_declared
from . import server


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """What a function prints and warns of inside is not shown."""
    nowhere = io.StringIO()
    with warnings.catch_warnings(), contextlib.redirect_stdout(nowhere), contextlib.redirect_stderr(nowhere):
        warnings.simplefilter("ignore")
        yield


START = 120.0  # seconds, in which a clean process has to be there
LONGER = 20  # times as long as it may use the processor, a block may take in all
SCRIPT = ("-P", str(Path(server.__file__)))  # which finds nothing beside itself: its folder is not in its path
SINGLE = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS"), "1")


@dataclass(frozen=True)
class Call:
    """A function, what is wanted of it and within which limits; `packed` where it is to be called elsewhere."""

    f: Callable[..., Any]
    requested: tuple[tuple[str, str], ...]  # names, each "number" or "label"
    packed: bytes | None
    jackknife: bool = False
    seconds: int = 10
    memory: int = 2**31

    def runner(self) -> Here | CleanProcess:
        return Here(self) if self.packed is None else CleanProcess(self)


@dataclass(frozen=True)
class Reported:
    """What was told of a block: a value for each name, or None; and why not, for tables that hold no data."""

    values: list[Any]
    failed: str | None = None

    @classmethod
    def read(cls, said: bytes | str, requested: tuple[tuple[str, str], ...]) -> Reported:
        """Of what a child says, which may be anything: a finite float, or a label, for each name; all else is none."""
        try:
            found = json.loads(said)
        except (ValueError, RecursionError, MemoryError):
            return cls.nothing(requested, "what it gave cannot be read")
        found = found if type(found) is dict else {}
        values, failed = found.get("told"), found.get("failed")
        failed = failed if type(failed) is str else None
        if type(values) is not list or len(values) != len(requested):
            return cls.nothing(requested, failed)
        return cls([_checked(value, kind) for value, (_, kind) in zip(values, requested, strict=True)], failed)

    @classmethod
    def nothing(cls, requested: tuple[tuple[str, str], ...], failed: str | None) -> Reported:
        return cls([None] * len(requested), failed)


def _checked(value: Any, kind: str) -> Any:
    if kind == "label":
        return value if type(value) in (str, bool, int) else None
    return value if type(value) is float and math.isfinite(value) else None


class CannotLoadError(Exception):
    """A clean process does not find the function. It says so before any rows are read."""


class NoProcessError(Exception):
    """There is no clean process, whatever the function is; and why."""


class CleanProcess:
    """A clean process, that is started anew where something ended it."""

    def __init__(self, call: Call) -> None:
        self.call = call
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        self._start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop()

    def on(self, number: int, block: pd.DataFrame) -> Reported:
        """What the function gives on a block; its number is its seed, whatever became of others."""
        try:
            if self._process is None:
                self._start()
            self._send(server.HEAD.pack(number), pickle.dumps(block, protocol=5))
            said = self._heard(self.call.seconds * LONGER + START)
        except (OSError, ValueError, EOFError, CannotLoadError, NoProcessError):
            self._stop()
            return Reported.nothing(self.call.requested, "the process that called it was ended")
        if not said.startswith(server.GOES_ON):
            self._stop()
        return Reported.read(said[len(server.GOES_ON) :], self.call.requested)

    def _start(self) -> None:
        """A process that is there, and has loaded the function."""
        call = self.call
        assert call.packed is not None
        try:
            self._process = _clean_process()
        except OSError as error:
            raise NoProcessError(type(error).__name__) from None
        how = {
            "path": [*map(str, sys.path)],
            "requested": call.requested,
            "jackknife": call.jackknife,
            "seconds": call.seconds,
            "memory": call.memory,
            "wait": call.seconds * LONGER,
        }
        try:
            self._send(b"", json.dumps(how).encode())
            is_here = self._heard(START) == server.HERE
        except (OSError, EOFError):
            is_here = False
        if not is_here:
            raise NoProcessError(self._stop() or "it ended without a word")
        try:
            self._send(b"", call.packed)
            said = self._heard(START)
        except (OSError, EOFError):
            said = b'{"failed": "it ended the process"}'
        if said != server.LOADED:
            self._stop()
            raise CannotLoadError(json.loads(said)["failed"])

    def _send(self, before: bytes, said: bytes) -> None:
        process = self._process
        assert process is not None
        assert process.stdin is not None
        process.stdin.write(before + server.HEAD.pack(len(said)) + said)
        process.stdin.flush()

    def _heard(self, seconds: float) -> bytes:
        process = self._process
        assert process is not None
        assert process.stdout is not None
        if not select.select([process.stdout], [], [], seconds)[0]:
            raise EOFError
        return server.message(process.stdout.fileno())

    def _stop(self) -> str:
        """The last line of what it said, as it does only while it starts."""
        process, self._process = self._process, None
        if process is None:
            return ""
        process.kill()
        process.wait()
        assert process.stderr is not None
        said = process.stderr.read().decode(errors="replace").strip()
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()
        return said.rpartition("\n")[2]


def _clean_process() -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable or "python", *SCRIPT],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, **SINGLE, "PYTHONHASHSEED": "0"},
        start_new_session=True,
    )


class Here:
    """This process, in which a function may keep what it likes: that it does not is the analyst's word."""

    def __init__(self, call: Call) -> None:
        self.call = call

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return None

    def on(self, number: int, block: pd.DataFrame) -> Reported:
        """What the function gives on a block."""
        requested = self.call.requested
        try:
            with quiet():
                reply = json.dumps({"told": server.called(self.call.f, block, list(requested), self.call.jackknife)})
        except KeyboardInterrupt:  # of whoever sits there
            raise
        except BaseException as error:  # noqa: BLE001 - whatever the function does
            return Reported.nothing(requested, type(error).__name__)
        return Reported.read(reply, requested)


@dataclass(frozen=True, eq=False)
class Sorting:
    """Which rows of a table count, and what says in which block each is.

    `size` where everyone knows how many rows there are to be cut from: their positions are put in random order, anew
    each time. Else it is a random number: the row's own id, or the pseudonym of its person.
    """

    known: KnownIds | KnownRows | None  # None where all rows count
    size: int | None = None
    pseudonyms: Array | None = None  # of the numbers of people

    def rows(self, index: pd.Index[Any], many: int) -> tuple[Array, Array, Array]:
        """The places of the rows that count, in the order of their ids; the block of each; and whose it is."""
        if self.pseudonyms is not None:
            return self._of_people(index, many)
        ids = ids_of(index)
        kept = self.known.kept(index) if isinstance(self.known, KnownIds) else None
        places = np.arange(len(ids)) if kept is None else np.flatnonzero(kept)
        places = places[np.argsort(ids[places], kind="stable")]
        if self.size is None:
            return places, ids[places] % many, ids[places]
        return places, permutation(self.size)[ids[places]] % many, ids[places]

    def _of_people(self, index: pd.Index[Any], many: int) -> tuple[Array, Array, Array]:
        assert self.pseudonyms is not None
        assert self.known is not None
        persons = self.known.people(index)
        order = self.known.in_order(index) if isinstance(self.known, KnownRows) else None
        kept = self.known.kept(index) if isinstance(self.known, KnownIds) else None
        counted = (persons >= 0) if kept is None else (persons >= 0) & kept
        places = np.arange(len(persons)) if order is None else order
        places = places[counted[places]]
        ids = self.pseudonyms[persons[places]]
        if order is None:
            by_id = np.argsort(ids, kind="stable")
            places, ids = places[by_id], ids[by_id]
        return places, ids % many, ids


@dataclass(frozen=True, eq=False)
class Blocks:
    """So many blocks of a table's rows, and what a function gives on each of them."""

    many: int
    sorting: Sorting
    columns: Mapping[Any, Declared | None]  # None of the column that says whose a row is
    call: Call
    small: float | None = None  # numbers from 0 to it are 1, and all else is 0

    def frames(self, data: pd.DataFrame) -> Iterator[pd.DataFrame]:
        """The rows of each block, in the form that their columns were declared in, without their ids."""
        places, labels, ids = self.sorting.rows(data.index, self.many)
        declared = {name: said for name, said in self.columns.items() if said is not None}
        plain = as_declared(data, declared).take(places)
        made = pd.DataFrame({name: plain[name] if name in declared else ids for name in self.columns})
        for block in range(self.many):
            yield made[labels == block].reset_index(drop=True)

    def table(self, data: pd.DataFrame) -> pd.DataFrame:
        """A row a block, a column for each name: a number, a label, or nothing."""
        with self.call.runner() as runner:
            answers = [runner.on(*each).values for each in enumerate(self.frames(data))]
        columns = {}
        for place, (name, kind) in enumerate(self.call.requested):
            values = [row[place] for row in answers]
            if self.small is not None:
                values = [float(value is not None and 0 <= value <= self.small) for value in values]
            columns[name] = pd.Series(values, dtype=object if kind == "label" else np.float64)
        return pd.DataFrame(columns, columns=[name for name, _ in self.call.requested])
