"""What was stored with format 1 is read for ever: labels of each kind, a folder of tables and a ledger."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

import pandas_dp as pdp
from pandas_dp.core.budget.periods import Terms
from pandas_dp.core.evidence.evidence import every_kind
from pandas_dp.core.label.label import Label
from pandas_dp.core.label.layout import Released
from pandas_dp.core.noise.mechanism import Law
from pandas_dp.core.session.opening import open_ledger

from .golden.write import People, concluded, from_json, people, questions, read_off

GOLDEN = Path(__file__).parent / "golden"
STORED = {path.stem: json.loads(path.read_text("utf-8")) for path in sorted((GOLDEN / "releases").glob("*.json"))}
WORDS = {facts["kind"] for each in STORED.values() for facts in each["label"]["evidence"]}

ITERATED = {"fit", "generalized", "table fit"}
"""Kinds whose intervals are found by steps that end at a millionth of their width."""


def close_to(found: Any, requested: Any, where: str, digits: float = 1e-9) -> None:
    """The same, numbers to nine digits: other versions of numpy and scipy round otherwise."""
    if isinstance(requested, dict):
        assert found.keys() == requested.keys(), where
        for name in requested:
            close_to(found[name], requested[name], f"{where}, {name}", digits)
    elif isinstance(requested, list):
        assert len(found) == len(requested), where
        for one, other in zip(found, requested, strict=True):
            close_to(one, other, where, digits)
    elif isinstance(requested, float):
        assert found == pytest.approx(requested, rel=digits, abs=digits / 1000), where
    else:
        assert found == requested, where


def said(value: Any) -> set[str]:
    """Everything that is called a distribution, at whatever depth."""
    if isinstance(value, list):
        return set().union(*map(said, value))
    if isinstance(value, dict):
        own = {value["distribution"]} if isinstance(value.get("distribution"), str) else set()
        return own.union(*map(said, value.values()))
    return set()


def test_every_kind_and_every_law_is_among_what_was_stored() -> None:
    """A new one adds a file; none that stands here is written again."""
    ours = {
        word for word, kind in every_kind().items() if kind.__module__.startswith("pandas_dp.")
    }  # not those of tests
    assert ours == WORDS
    ours = {name for name, law in Law.known.items() if law.__module__.startswith("pandas_dp.")}  # not those of tests
    assert said(list(STORED.values())) == ours


def holds(written: Any, stored: Any) -> bool:
    """Whether all that was stored is there; a later version may say more."""
    if isinstance(stored, dict):
        return all(name in written and holds(written[name], fact) for name, fact in stored.items())
    if isinstance(stored, list):
        return len(written) == len(stored) and all(map(holds, written, stored))
    return bool(written == stored)


@pytest.mark.parametrize("name", STORED)
def test_what_was_stored_still_describes_its_numbers_and_the_same_is_concluded(name: str) -> None:
    """Nothing that its label says is lost or called otherwise, and its evidence is written as it was."""
    stored = STORED[name]["label"]
    written = Label.from_json(stored).to_json()
    if "unprotected" in stored:  # which were called otherwise
        rows = {False: {False: "whole", True: "derived"}, True: {True: "given"}}
        here = rows[stored["unprotected"]][stored["derived"]]
        assert (written["rows"], written["layout"]) == (here, stored["rows"])
        stored = {key: fact for key, fact in stored.items() if key not in ("rows", "derived", "unprotected")}
    assert {key: written[key] for key in stored} == stored
    released = Released.of(from_json(STORED[name]))
    assert released.label.format == 1
    for facts, evidence in zip(released.label.evidence, released.evidence, strict=True):
        mine = {key: fact for key, fact in facts.items() if key not in ("column", "type", "asked")}
        assert holds(json.loads(json.dumps(evidence.to_json())), mine)
    kinds = {facts["kind"] for facts in stored.get("evidence") or []}
    close_to(concluded(from_json(STORED[name])), STORED[name]["concluded"], name, 1e-5 if kinds & ITERATED else 1e-9)


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """A copy: opening a ledger writes beside it."""
    return Path(shutil.copytree(GOLDEN, tmp_path / "golden", ignore=shutil.ignore_patterns("*.py", "releases")))


def test_a_stored_folder_answers_as_it_did(kept: Path) -> None:
    requested = json.loads((kept / "tables.json").read_text("utf-8"))
    close_to(read_off(pdp.open_tables(kept / "tables")), requested["read"], "tables")


def test_a_stored_folder_still_knows_its_questions_and_is_not_paid_again(kept: Path) -> None:
    with pdp.Session(epsilon=10, schema=People, ledger=kept / "ledger.db", name="golden") as session:
        spent = session.share_used
        frame = session.protect(people())
        tables = pdp.publish_tables(kept / "tables", questions(frame))
        assert session.share_used == spent == json.loads((kept / "tables.json").read_text("utf-8"))["used"]
        assert session.ledger["rows"].tolist() == ["whole"] * 2
        assert tables.table(["sex"]).equals(pdp.open_tables(kept / "tables").table(["sex"]))


def test_a_stored_ledger_is_verified_and_continued(kept: Path) -> None:
    from pandas_dp.core.budget.cost import parse

    terms = Terms(parse(epsilon=10), "replace", ("dp",))  # type: ignore[arg-type]
    ledger = open_ledger(kept / "ledger.db", terms)
    ledger.verify()
    before = ledger.entries()
    assert [entry.facts["statistic"] for entry in before] == ["marginals", "marginals"]
    assert all(entry.facts["note"] is None and entry.facts["by"] for entry in before)
    ledger.charge(parse(epsilon=1), {"statistic": "mean", "model": "dp"})  # type: ignore[arg-type]
    assert [entry.number for entry in ledger.entries()] == [1, 2, 3]
    ledger.close()
