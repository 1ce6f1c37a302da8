"""Every sentence with which something is refused, in one file that tests compare: a better sentence is one diff.

What a test guards (that it is refused, of which class, before paying) stays in the test; the words stand in
`refusals.txt`, an entry a case. `make refusals` writes that file anew (CONTRIBUTING.md).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

FILE = Path(__file__).with_name("refusals.txt")
HEAD = "# Written by `make refusals`; tests compare it word for word. See CONTRIBUTING.md.\n"
MADE_UP = re.compile(r"\S*?/pytest-of-[^/]+/pytest-\d+(/popen-gw\d+)?/[^/\s]+")  # a folder that pytest makes for a test
REWRITING = bool(os.environ.get("REWRITE_REFUSALS"))
Errors = type[BaseException] | tuple[type[BaseException], ...]


@contextmanager
def refused(error: Errors, case: str = "") -> Iterator[pytest.ExceptionInfo[BaseException]]:
    """As `pytest.raises`, in the words of the file. `case` says which, where one test has several or one name is not
    enough; whatever else varies, such as the data, a case has one sentence."""
    with pytest.raises(error) as caught:
        yield caught
    assert_said(caught.value, case)


def assert_said(error: BaseException, case: str = "") -> None:
    """The sentence is that of the file."""
    place, said = key(case), MADE_UP.sub("TMP", str(error))
    if REWRITING:
        assert seen.setdefault(place, said) == said, "a case has one sentence"
    else:
        assert said == SENTENCES.get(place), f"{place}: where the new words are better, `make refusals`"


def key(case: str) -> str:
    """The file, and the test or the name of the case."""
    file, test = os.environ["PYTEST_CURRENT_TEST"].removesuffix(" (call)").split("::", 1)
    return f"{file.removeprefix('tests/')}::{case or test}"


def read() -> dict[str, str]:
    """Of each case its sentence, which is indented, each of its lines."""
    found: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in FILE.read_text("utf-8").split("\n"):
        if line.startswith("    "):
            lines.append(line[4:])
        elif line and not line.startswith("#"):
            lines = found[line] = []
    return {place: "\n".join(lines) for place, lines in found.items()}


def write(sentences: dict[str, str]) -> None:
    """Sorted, so that an entry has one place."""
    blocks = [
        "\n".join([place, *(f"    {line}" for line in said.split("\n"))]) for place, said in sorted(sentences.items())
    ]
    FILE.write_text("\n".join([HEAD.rstrip(), *blocks]) + "\n", "utf-8")


def rewrite(is_part: bool) -> None:
    """Of files whose tests all ran and passed all entries; else those that were seen; of lost files none."""
    written = {place.split("::")[0] for place in seen}
    kept = {
        place: said
        for place, said in SENTENCES.items()
        if (is_part or place.split("::")[0] not in written) and compares(place.split("::")[0])
    }
    write(kept | seen)


def compares(file: str) -> bool:
    """Whether a file of tests is there and compares sentences."""
    path = Path(__file__).parent / file
    return path.exists() and "refused(" in path.read_text("utf-8")


seen: dict[str, str] = {}
SENTENCES = read() if FILE.exists() else {}
