"""A process that forks while its threads are at work: the child has every lock of the package at hand."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import pandas_dp

HOUSE = Path(pandas_dp.__file__).parent
LOCKS = {"Lock", "RLock", "Condition", "Event", "Semaphore", "BoundedSemaphore", "Barrier", "Queue", "SimpleQueue"}
MODULES = {"threading", "multiprocessing", "queue", "_thread", "asyncio"}
HANDLED = {"brief", "Turn"}  # of pandas_dp.core.forks

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a system that forks")


def name_of(node: ast.AST) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def locks(text: str) -> Iterator[int]:
    """The lines at which a lock is made, or handed to what makes one, that a fork would leave as it is."""
    tree = ast.parse(text)
    froms = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module in MODULES]
    known = {alias.asname or alias.name for node in froms for alias in node.names if alias.name in LOCKS}

    def is_lock(node: ast.AST) -> bool:
        if isinstance(node, ast.Attribute):
            return node.attr in LOCKS and name_of(node.value) in MODULES
        return isinstance(node, ast.Name) and node.id in known

    def stage(node: ast.AST, handled: bool) -> Iterator[int]:
        if is_lock(node) and not handled:
            yield node.lineno  # type: ignore[attr-defined]
        inside = handled or (isinstance(node, ast.Call) and name_of(node.func) in HANDLED)
        for child in ast.iter_child_nodes(node):
            yield from stage(child, inside)

    yield from stage(tree, False)


def stages_after_forks(text: str) -> bool:
    """Whether a file says itself what becomes of its locks, before a fork and on both sides of it."""
    calls = [n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Call) and name_of(n.func) == "register_at_fork"]
    return any({"before", "after_in_parent", "after_in_child"} <= {k.arg for k in call.keywords} for call in calls)


def test_every_lock_is_looked_after_in_a_fork() -> None:
    files = {path.relative_to(HOUSE).as_posix(): path.read_text("utf-8") for path in sorted(HOUSE.rglob("*.py"))}
    found = {name: list(locks(text)) for name, text in files.items()}
    assert {name for name, lines in found.items() if lines} == {
        "core/forks.py",
        "core/budget/postgres.py",
        "core/budget/sqlite.py",
    }
    assert all(stages_after_forks(files[name]) for name, lines in found.items() if lines)
    assert sum("brief(" in text or "Turn(" in text for text in files.values()) > 6


@pytest.mark.parametrize(
    ("line", "is_found"),
    [
        ("a = threading.Lock()", True),
        ("from threading import RLock as R\nb = R()", True),
        ("c = field(default_factory=threading.Condition)", True),
        ("a = brief(threading.Lock())", False),
        ("b = Turn(threading.RLock, then)", False),
        ("from events import Event\nd = Event()", False),
    ],
)
def test_a_lock_that_is_not_looked_after_is_found(line: str, is_found: bool) -> None:
    assert bool(list(locks(line))) == is_found


SCENE = """
import os, signal, sys, threading, warnings
import pandas as pd, pandas_dp as pdp
from pandas_dp.core.plan import run as corridor

session = pdp.Session(epsilon=100, ledger=sys.argv[1])
people = session.protect(pd.DataFrame({"age": [31.0, 54.0] * 50}))
filters, started, go_on = list(warnings.filters), threading.Event(), threading.Event()
real, main = corridor.asked_in_turn, threading.get_ident()

def slowly(*arguments):
    if threading.get_ident() != main:
        started.set()
        go_on.wait()
    return real(*arguments)

corridor.asked_in_turn = slowly
ask = lambda: people["age"].dp.mean(bounds=(0, 100), epsilon=0.5)
thread = threading.Thread(target=ask)
thread.start()
started.wait()
children = []
for _ in range(3):
    child = os.fork()
    if child == 0:
        signal.alarm(300)  # a child that hangs is killed
        assert list(warnings.filters) == filters, "the child is silent"
        ask()
        os._exit(0)
    children.append(child)
ended = [os.waitpid(child, 0)[1] for child in children]
go_on.set()
thread.join()
ask()
assert list(warnings.filters) == filters
assert ended == [0, 0, 0], ended
assert len(session.ledger) == 5
"""


def script(text: str, *arguments: str) -> None:
    environment = {**os.environ, "PYTHONPATH": str(HOUSE.parent)}
    done = subprocess.run(
        [sys.executable, "-W", "ignore::DeprecationWarning", "-c", text, *arguments],
        env=environment,
        capture_output=True,
        text=True,
        timeout=1800,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@needs_fork
def test_a_child_answers_while_a_thread_of_its_parent_is_at_a_question(tmp_path: Path) -> None:
    script(SCENE, str(tmp_path / "survey.ledger"))


TASKS = """
import os, threading, warnings
from pandas_dp.core.engine.rows import silence as silently

filters, started, go_on = list(warnings.filters), threading.Event(), threading.Event()

def work():
    with silently():
        started.set()
        go_on.wait()

thread = threading.Thread(target=work)
thread.start()
started.wait()
child = os.fork()
if child == 0:
    assert list(warnings.filters) == filters
    with silently():
        assert list(warnings.filters) != filters
    assert list(warnings.filters) == filters
    os._exit(0)
ended = os.waitpid(child, 0)[1]
with silently():
    child = os.fork()
    if child == 0:
        assert list(warnings.filters) != filters  # it is at work itself
        os._exit(0)
    ended += os.waitpid(child, 0)[1]
go_on.set()
thread.join()
assert ended == 0 and list(warnings.filters) == filters
"""


@needs_fork
def test_a_child_is_silent_only_while_it_is_at_work_itself() -> None:
    script(TASKS)
