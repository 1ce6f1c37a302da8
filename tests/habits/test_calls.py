"""What people of seven professions type first is answered, or refused in one sentence that names the way.

`calls.txt` has each call with what becomes of it; `make refusals` writes it anew, and the page of the docs that shows
it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pandas_dp as pdp
from tests.refusals import REWRITING

from .worlds import TABLES, rows_of, words_of

FILE = Path(__file__).with_name("calls.txt")
PAGE = Path(__file__).parents[2] / "docs" / "from-pandas.md"
MARK = "<!-- written by `make refusals` from tests/habits/calls.txt -->\n"
ANSWERED = "answered"
LISTED = re.compile(r"(its? (?:\.dp )?(?:offers|takes)) .*")
"""Where a sentence begins to list names, which grow."""
ENOUGH = 194


def read() -> dict[tuple[str, str], str]:
    """Of each profession and call what becomes of it, which is indented."""
    found: dict[tuple[str, str], str] = {}
    profession = call = ""
    for line in FILE.read_text("utf-8").splitlines():
        if line.startswith("# "):
            profession = line[2:]
        elif line.startswith("    "):
            found[profession, call] = line[4:]
        else:
            call = line
            found[profession, call] = ""
    return found


CALLS = read()
said: dict[tuple[str, str], str] = {}


@pytest.fixture(scope="module", autouse=True)
def rewritten() -> Iterator[None]:
    """The file and the page, where that is asked for and every call was tried."""
    yield
    if REWRITING and said.keys() == CALLS.keys():
        lines = [[f"# {profession}", *_of(profession, said, "{call}\n    {outcome}")] for profession in TABLES]
        FILE.write_text("\n".join(line for each in lines for line in each) + "\n", "utf-8")
        PAGE.write_text(PAGE.read_text("utf-8").split(MARK)[0] + MARK + tables(said), "utf-8")


def _of(profession: str, outcomes: Mapping[tuple[str, str], str], layout: str) -> list[str]:
    return [layout.format(call=call, outcome=said) for (who, call), said in outcomes.items() if who == profession]


def tables(outcomes: Mapping[tuple[str, str], str]) -> str:
    """As the page has them: calls as code, sentences as text."""
    plain = {
        (who, call.replace("|", "\\|")): re.sub(r"([|*_<>\[\]`$~])", r"\\\1", outcome)
        for (who, call), outcome in outcomes.items()
    }
    parts = []
    for profession in TABLES:
        rows = _of(profession, plain, "| `{call}` | {outcome} |")
        there = sum(row.endswith(f"| {ANSWERED} |") for row in rows)
        head = f"## {profession.capitalize()}: {there} of {len(rows)}"
        parts.append("\n".join(["", head, "", "| typed | what becomes of it |", "|---|---|", *rows, ""]))
    return "".join(parts)


@cache
def world(profession: str, folder: Path) -> dict[str, Any]:
    return words_of(TABLES[profession], folder)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("habits")


@pytest.fixture(autouse=True)
def no_windows() -> Iterator[None]:
    pyplot = pytest.importorskip("matplotlib.pyplot")
    yield
    pyplot.close("all")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("profession", "call"), CALLS, ids=[call for _, call in CALLS])
def test_a_call_is_answered_or_refused_as_the_file_says(profession: str, call: str, folder: Path) -> None:
    words = world(profession, folder)
    spent = len(words["session"].ledger)
    try:
        answer = eval(call, dict(words))  # the calls of the file
    except (pdp.PrivacyError, AttributeError) as refusal:
        outcome = str(refusal)
        assert outcome.endswith(".")
        assert "\n" not in outcome
        outcome = LISTED.sub(r"\1 …", outcome)
        if ").dp." not in call and ".dp.ols(" not in call:
            assert len(words["session"].ledger) == spent
    else:
        outcome = ANSWERED
        check_numbers(call, answer, profession)
    said[profession, call] = outcome
    if not REWRITING:
        assert outcome == CALLS[profession, call]


def check_numbers(call: str, answer: Any, profession: str) -> None:
    """Every number that pandas gives for the same call without `.dp` is among those that were released."""
    if re.search(r"value_counts\(bins=\d", call):  # of the declared range, not of that of the rows
        return
    name = TABLES[profession]
    try:
        twin = eval(call.replace(".dp", ""), {"pd": pd, "np": np, name: rows_of(name)})
    except (
        AttributeError,
        TypeError,
        ValueError,
        LookupError,
        NameError,
        pd.errors.IndexingError,
    ):  # what pandas has no such call of
        return
    given, expected = numbers_of(answer), numbers_of(twin)
    off = [each for each in expected if not np.isclose(given, each, rtol=0.02, atol=0.005).any()]
    assert not off


def numbers_of(answer: Any) -> Any:
    if isinstance(answer, pd.DataFrame | pd.Series):
        found = pd.DataFrame(answer).select_dtypes(["number", "bool"]).to_numpy(dtype=float).ravel()
    elif isinstance(answer, bool | int | float | np.number):
        found = np.array([float(answer)])
    else:
        found = np.array([])
    return found[np.isfinite(found)]


def test_the_page_shows_what_becomes_of_each_call() -> None:
    assert REWRITING or PAGE.read_text("utf-8").split(MARK)[1] == tables(CALLS)


def test_most_of_what_people_type_is_answered() -> None:
    assert len(CALLS) == 240
    assert sum(outcome == ANSWERED for outcome in (said if said.keys() == CALLS.keys() else CALLS).values()) >= ENOUGH
