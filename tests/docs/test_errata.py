"""Every erratum has a code of its own, a test or a script that shows it, and is what other files name by its code."""

from __future__ import annotations

import re
from itertools import groupby
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "errata.md").read_text("utf-8")
ENTRIES = dict(re.findall(r"^### ([A-Z]+-\d+)\n\n(.*)$", PAGE, re.MULTILINE))
CODE = re.compile(r"\b(?:STAT|IDP|BOOT|TAB|BDP)-\d+\b")
DEFINED = re.compile(r"^def (test_\w+)", re.MULTILINE)
TESTS = {name for path in (ROOT / "tests").rglob("test_*.py") for name in DEFINED.findall(path.read_text("utf-8"))}


def test_codes_are_counted_up_from_1_and_each_has_one_entry() -> None:
    codes = [code.split("-") for code in re.findall(r"^### (.*)$", PAGE, re.MULTILINE)]
    for _, several in groupby(codes, key=lambda code: code[0]):
        numbers = [int(number) for _, number in several]
        assert numbers == list(range(1, len(numbers) + 1))
    assert len(codes) == len(ENTRIES) == 58


def test_an_erratum_is_shown_by_tests_that_there_are() -> None:
    for code, said in ENTRIES.items():
        shown = said.partition("Shown by ")[2]
        assert shown or "isprint" in said or "*True:*" in said, code
        assert not shown or "`test_" in shown or "`examples/papers/" in shown, code
        assert [name for name in re.findall(r"`(test_\w+)`", said) if name not in TESTS] == []


def test_a_code_that_a_file_names_is_on_the_page() -> None:
    places = [*(ROOT / "tests").rglob("*.py"), *(ROOT / "examples").rglob("*.py"), *(ROOT / "docs").rglob("*.md")]
    named = {code for path in places for code in CODE.findall(path.read_text("utf-8"))}
    assert len(named) > 40
    assert sorted(named - set(ENTRIES)) == []
