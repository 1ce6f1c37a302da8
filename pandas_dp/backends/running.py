"""A function called on blocks of rows: in children of a clean process, or here. Nothing here raises because of rows."""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import select
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pandas as pd

from ..dataclass import dataclass
from . import server
from .quiet import quiet

START = 120.0  # seconds, in which a clean process has to be there
LONGER = 20  # times as long as it may use the processor, a block may take in all
SINGLE = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS"), "1")


@dataclass(frozen=True)
class Call:
    """A function, what is wanted of it and within which limits; `packed` where it is to be called elsewhere."""

    f: Callable[..., Any]
    wanted: tuple[tuple[str, str], ...]  # names, each "number" or "label"
    packed: bytes | None
    jackknife: bool = False
    seconds: int = 10
    memory: int = 2**31

    def runner(self) -> Here | Elsewhere:
        return Here(self) if self.packed is None else Elsewhere(self)


@dataclass(frozen=True)
class Told:
    """What was told of a block: a value for each name, or nothing; and why not, for tables that hold no data."""

    values: list[Any] | None
    failed: str | None = None

    def of(self, wanted: tuple[tuple[str, str], ...]) -> list[Any]:
        """A value for each name, None where there is none."""
        values = self.values
        return values if isinstance(values, list) and len(values) == len(wanted) else [None] * len(wanted)


class CannotLoadError(Exception):
    """A clean process does not find the function, or there is no such process. It says so before any rows are read."""


class Elsewhere:
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

    def on(self, block: pd.DataFrame) -> Told:
        """What the function gives on a block."""
        try:
            if self._process is None:
                self._start()
            self._send(b"b", pickle.dumps(block, protocol=5))
            said = json.loads(self._heard(self.call.seconds * LONGER + START))
            return Told(said.get("told"), said.get("failed"))
        except (OSError, ValueError, EOFError, CannotLoadError):
            self._stop()
            return Told(None, "the process that called it was ended")

    def _start(self) -> None:
        call = self.call
        assert call.packed is not None
        command = [sys.executable or "python", str(Path(server.__file__))]
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **SINGLE, "PYTHONHASHSEED": "0"},
            start_new_session=True,
        )
        how = {
            "path": sys.path,
            "wanted": call.wanted,
            "jackknife": call.jackknife,
            "seconds": call.seconds,
            "memory": call.memory,
            "wait": call.seconds * LONGER,
        }
        try:
            self._send(b"", json.dumps(how).encode())
            self._send(b"", call.packed)
            failed = json.loads(self._heard(START)).get("failed")
        except (OSError, ValueError, EOFError):
            failed = "no process"
        if failed is not None:
            self._stop()
            raise CannotLoadError(failed)

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

    def _stop(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()
        process.kill()
        process.wait()


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

    def on(self, block: pd.DataFrame) -> Told:
        """What the function gives on a block."""
        try:
            with quiet():
                return Told(server.called(self.call.f, block, list(self.call.wanted), self.call.jackknife))
        except KeyboardInterrupt:  # of whoever sits there
            raise
        except BaseException as error:  # noqa: BLE001 - whatever the function does
            return Told(None, type(error).__name__)
