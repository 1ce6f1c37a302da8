"""What only some systems have is done without, or refused in one sentence."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp.errors import UnsupportedArgument
from tests.refusals import refused

ROOT = Path(__file__).parents[1]
HOUSE = Path(pdp.__file__).parent
ONLY_POSIX = {"fcntl", "resource", "pwd", "grp", "termios", "tty", "pty", "syslog"}
FORKS = {"tools/server.py": {"resource"}}  # a script, which is refused beforehand where there is no fork

WITHOUT = """
import os, sys
import numpy, scipy.stats, pandas as pd, pandera.pandas
for name in ("fork", "register_at_fork", "O_DIRECTORY", "setsid", "killpg", "sysconf", "getuid", "wait", "WNOHANG"):
    delattr(os, name)
for name in ("fcntl", "resource", "pwd", "grp", "termios"):
    sys.modules[name] = None
import pandas_dp as pdp

for _ in range(2):
    with pdp.Session(epsilon=1, ledger=sys.argv[1]) as session:
        rows = pd.DataFrame({"age": [31.0, 54.0] * 50})
        people, scanned = session.protect(rows), session.scan(rows)
        session.publish("a", lambda: people["age"].dp.mean(bounds=(0, 100), epsilon=0.25))
        scanned["age"].dp.sum(bounds=(0, 100), epsilon=0.25)
        session.report(sys.argv[1] + ".html")
print(session.share_used)
"""


@pytest.mark.slow
def test_a_session_needs_nothing_that_posix_alone_has(tmp_path: Path) -> None:
    command = [sys.executable, "-c", WITHOUT, str(tmp_path / "a.ledger")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT, timeout=300)
    assert done.stdout.strip() == "0.75", done.stderr


def test_functions_on_blocks_are_refused_where_nothing_forks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "fork")
    session = pdp.Session(epsilon=1)
    blocks = session.protect(pd.DataFrame({"age": [31.0, 54.0] * 50})).dp.blocks(5, bounds=(0, 100))
    with refused(UnsupportedArgument):
        blocks.apply(np.median, bounds=(0, 100))
    blocks.apply(lambda rows: float(rows["age"].median()), bounds=(0, 100), isolate=False).mean(epsilon=0.5)
    assert session.share_used == 0.5


@pytest.mark.parametrize("name", sorted(ONLY_POSIX))
def test_a_module_of_posix_alone_is_imported_where_it_is_refused_beforehand(name: str) -> None:
    line = f"import {name}\n"
    found = {path.relative_to(HOUSE).as_posix() for path in HOUSE.rglob("*.py") if line in path.read_text("utf-8")}
    assert found == {file for file, names in FORKS.items() if name in names}
