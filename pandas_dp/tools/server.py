"""A clean process, which holds no data, that calls a function on one block of rows at a time, each in a child.

It is run as a script that finds nothing beside itself (`python -P`), and imports nothing of the house. The function is
loaded before any rows come. A child is forked for each block, reads the rows itself, and ends; so nothing that the
function keeps, changes or breaks is there for the next block. What it prints goes nowhere. What a child says is handed
on as it is, and read by `running`, which takes nothing for granted.
"""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import random
import select
import signal
import struct
import sys
import time
from collections.abc import Mapping
from typing import Any

HEAD = struct.Struct(">Q")
POLL = 0.05  # seconds between looks whether a child is still there
READ = b"r"  # what a child says when it has its rows
HERE, LOADED = b"here", b"{}"  # what is said before there are any rows
GOES_ON, ENDS = b"+", b"-"  # whether it will answer for the next block, too: said before each answer
LARGEST = 2**24  # of an answer, in bytes
NOTHING = b'{"told": null, "failed": "it ended without an answer"}'
Requested = list[tuple[str, str]]


def serve() -> None:
    """Say that it is there, read the function, say whether it could be loaded, and answer until nobody asks."""
    asked, answers = os.dup(0), os.dup(1)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1):
        os.dup2(nowhere, descriptor)
    how = json.loads(message(asked))
    sys.path[:] = how["path"]
    import numpy  # noqa: F401, ICN001 - once, and not in each child
    import pandas  # noqa: F401, ICN001

    os.dup2(nowhere, 2)  # so far it may say why it cannot start
    send(answers, HERE)
    try:
        f = pickle.loads(message(asked))
    except BaseException as error:  # noqa: BLE001 - whatever importing it does
        send(answers, json.dumps({"failed": type(error).__name__}).encode())
        return
    send(answers, LOADED)
    in_step = True
    while in_step:
        try:
            (number,) = HEAD.unpack(exactly(asked, HEAD.size))
        except EOFError:
            return
        found, in_step = in_a_child(f, how, number, asked, answers)
        send(answers, (GOES_ON if in_step else ENDS) + found)


def in_a_child(f: Any, how: dict[str, Any], number: int, asked: int, answers: int) -> tuple[bytes, bool]:
    """What a child says of the block that it reads, nothing where it ends or is ended without a word; and whether it
    read all of its rows, so that the next child will find its own."""
    heard, reply = os.pipe()
    child = os.fork()
    if not child:
        os.close(heard)
        rows = message(asked)
        os.close(asked)
        os.close(answers)
        os.write(reply, READ)
        answer(f, how, number, rows, reply)
    os.close(reply)
    said, ended = listened(heard, child, time.monotonic() + how["wait"])
    os.close(heard)
    if not ended:
        with contextlib.suppress(OSError):
            os.kill(child, signal.SIGKILL)
    with contextlib.suppress(OSError):
        os.killpg(child, signal.SIGKILL)  # whatever it started
    if not ended:
        with contextlib.suppress(OSError):
            os.waitpid(child, 0)
    start = len(READ) + HEAD.size
    is_whole = len(said) >= start and len(said) == start + HEAD.unpack_from(said, len(READ))[0]
    return said[start:] if is_whole else NOTHING, said[: len(READ)] == READ


def answer(f: Any, how: dict[str, Any], number: int, rows: bytes, reply: int) -> None:
    """Of a child: call the function once, or as often as a jackknife does, and end."""
    me = os.getpid()
    os.setsid()
    found: dict[str, Any] = {"told": None, "failed": None}
    try:
        limit(how["seconds"], how["memory"], how["wait"])
        block = pickle.loads(rows)
        seed(number)
        found["told"] = called(f, block, how["requested"], how["jackknife"])
    except BaseException as error:  # noqa: BLE001 - whatever the function does
        found["failed"] = type(error).__name__
    if os.getpid() == me:  # and not one that the function forked off
        with contextlib.suppress(BaseException):
            send(reply, json.dumps(found).encode())
    os._exit(0)


def called(f: Any, block: Any, requested: Requested, jackknife: bool) -> list[Any] | None:
    """What the function gives of each name that is wanted: a finite number or a label, None where it gives none."""
    if not len(block):
        return None
    whole = read(f(block), requested)
    if not jackknife or len(block) < 2:
        return None if jackknife else whole
    sums = [0.0] * len(requested)
    for left_out in range(len(block)):
        rest = block.drop(index=left_out).reset_index(drop=True)
        for place, value in enumerate(read(f(rest), requested)):
            sums[place] = float("nan") if value is None else sums[place] + value
    many = len(block)
    made = [
        None if value is None else many * value - (many - 1) * total / many
        for value, total in zip(whole, sums, strict=True)
    ]
    return [value if value is not None and abs(value) < float("inf") else None for value in made]


def read(given: Any, requested: Requested) -> list[Any]:
    """A mapping, a Series or a table of one row has names; a single number or label is the only one wanted."""
    if hasattr(given, "columns") and hasattr(given, "iloc"):
        given = given.iloc[0] if len(given) == 1 else {}
    named = given if isinstance(given, Mapping) else given.to_dict() if hasattr(given, "to_dict") else None
    if named is None:
        named = {requested[0][0]: given} if len(requested) == 1 else {}
    return [value_of(named.get(name), kind) for name, kind in requested]


def value_of(given: Any, kind: str) -> Any:
    """A finite number, or a label; None of anything else."""
    is_numpy = hasattr(given, "dtype") and getattr(given, "ndim", 1) == 0
    plain = given.item() if is_numpy else given
    if kind == "label":
        return plain if isinstance(plain, str | bool | int) else None
    if not isinstance(plain, bool | int | float):
        return None
    try:
        number = float(plain)
    except OverflowError:
        return None
    return number if abs(number) < float("inf") else None


def limit(seconds: int, memory: int, wait: int) -> None:
    """Of processor time, memory and, also where nobody is left to end it, time, as far as the system has limits."""
    import resource

    signal.alarm(wait + 1)
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with contextlib.suppress(OSError, ValueError), open("/proc/self/statm", "rb") as sizes:
        has = int(sizes.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
        resource.setrlimit(resource.RLIMIT_AS, (has + memory, has + memory))


def seed(number: int) -> None:
    """The public seed of a block, for whatever the function draws."""
    import numpy as np

    random.seed(number)
    np.random.seed(number)  # noqa: NPY002 - what a function without a generator of its own uses


def listened(heard: int, child: int, until: float) -> tuple[bytes, bool]:
    """What the child says until its message is whole, it ends or the time is over; and whether it has ended."""
    said, ended, start = b"", False, len(READ) + HEAD.size
    while not ended and time.monotonic() < until:
        ended = os.waitpid(child, os.WNOHANG)[0] == child
        while select.select([heard], [], [], 0 if ended else POLL)[0]:
            part = os.read(heard, 2**16)
            said += part
            if len(said) >= start and len(said) >= start + HEAD.unpack_from(said, len(READ))[0]:
                return said, ended
            if len(said) > LARGEST:
                return said[:start], ended
            if not part:
                return said, ended
    return said, ended


def message(descriptor: int) -> bytes:
    (size,) = HEAD.unpack(exactly(descriptor, HEAD.size))
    return exactly(descriptor, size)


def exactly(descriptor: int, size: int) -> bytes:
    parts = []
    while size:
        part = os.read(descriptor, min(size, 2**20))
        if not part:
            raise EOFError
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def send(descriptor: int, said: bytes) -> None:
    left = memoryview(HEAD.pack(len(said)) + said)
    while left:
        left = left[os.write(descriptor, left) :]


if __name__ == "__main__":
    serve()
