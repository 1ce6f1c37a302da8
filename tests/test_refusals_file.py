"""The file of refusals: it is read as it was written, and another sentence than its own is noticed."""

from __future__ import annotations

from pathlib import Path

import pytest

from . import refusals


def test_what_is_written_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said = {"b.py::two lines": "one\n\n  two", "a.py::a # in it": "# no comment", "a.py::nothing": ""}
    monkeypatch.setattr(refusals, "FILE", tmp_path / "refusals.txt")
    refusals.write(said)
    assert refusals.read() == said
    assert list(refusals.read()) == sorted(said)


@pytest.mark.skipif(refusals.REWRITING, reason="whatever is said is written")
def test_another_sentence_and_a_case_without_one_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(refusals, "SENTENCES", {refusals.key("a case"): "x must be 1, not 2."})
    with refusals.refused(ValueError, "a case"):
        raise ValueError("x must be 1, not 2.")
    for case, said in (("a case", "x has to be 1, not 2."), ("another case", "x must be 1, not 2.")):
        with pytest.raises(AssertionError, match="make refusals"), refusals.refused(ValueError, case):
            raise ValueError(said)


def test_every_entry_has_a_file_of_tests_that_compares_it() -> None:
    files = {place.split("::")[0] for place in refusals.SENTENCES}
    assert len(refusals.SENTENCES) > 300
    assert not [file for file in files if not refusals.compares(file)]


def test_no_sentence_names_a_place_on_this_machine() -> None:
    assert not [place for place, said in refusals.SENTENCES.items() if "/tmp" in said or " at 0x" in said]
