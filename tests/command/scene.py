"""The command line, called in this process or as one of its own."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
from pathlib import Path

from pandas_dp.command import main

ROOT = str(Path(__file__).parents[2])
Ended = subprocess.CompletedProcess[str]


def run(*arguments: object) -> Ended:
    """What `python -m pandas_dp` with these arguments says, without the time that a new process takes."""
    words, said, complained = list(map(str, arguments)), io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(complained):
        try:
            code = main(words)
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 1
    return Ended(words, code, said.getvalue(), complained.getvalue())


def run_apart(*arguments: object) -> Ended:
    """`python -m pandas_dp` with these arguments."""
    command = [sys.executable, "-m", "pandas_dp", *map(str, arguments)]
    environment = {**os.environ, "PYTHONPATH": ROOT}
    return subprocess.run(command, capture_output=True, text=True, env=environment, timeout=600, check=False)


def files(folder: Path) -> dict[str, tuple[int, int]]:
    """What is in a folder: sizes, and when each was changed."""
    return {each.name: (each.stat().st_size, each.stat().st_mtime_ns) for each in folder.iterdir()}
