"""`python -m pandas_dp ledger`: text, JSON, exit codes; it reads, and leaves the folder as it was."""

from __future__ import annotations

import io
import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp.core.budget.chain import seal
from pandas_dp.core.budget.reading import read_ledger
from tests.views.report.reading import Page

from .scene import ROOT, files, run, run_apart


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A ledger of two releases, closed."""
    kept = tmp_path / "survey.ledger"
    with pdp.Session(epsilon=3, models=["dp", "idp"], ledger=kept, name="census") as session:
        people = session.protect(pd.DataFrame({"age": [31.0, 54.0] * 50}))
        people["age"].dp.mean(epsilon=0.5, bounds=(0, 100))
        people["age"].dp.median(epsilon=0.25, bounds=(0, 100), model="idp")
    return kept


def test_show_says_what_is_promised_spent_and_left_and_for_what(path: Path) -> None:
    shown = run_apart("ledger", "show", path)
    assert (shown.returncode, shown.stderr) == (0, "")
    for words in (
        "cap epsilon=3, neighbours replace, models dp, idp",
        "left   epsilon=2.25 for one more question, 25.0% used",
        "2 entries",
    ):
        assert words in shown.stdout
    assert [line.split()[3] for line in shown.stdout.splitlines()[-2:]] == ["mean", "median"]


def test_show_gives_programs_the_same_as_json(path: Path) -> None:
    said = json.loads(run("ledger", "show", path, "--json").stdout)
    assert said["terms"]["cap"] == "pure 3"
    assert [(each["used"], each["left"]["epsilon"]) for each in said["budgets"]] == [(0.25, 2.25)]
    assert [each["statistic"] for each in said["entries"]] == ["mean", "median"]
    assert said["totals"]["idp"]["epsilon"] == 0.25


def test_show_says_what_is_left_over_all_periods(tmp_path: Path) -> None:
    kept = tmp_path / "panel.ledger"
    people = pd.DataFrame({"age": [31.0, 54.0] * 50})
    for month in ("2026-10", "2026-11"):
        with pdp.Session(epsilon=1, ledger=kept, period=month, overall=2) as session:
            session.protect(people)["age"].dp.mean(epsilon=0.75, bounds=(0, 100))
    assert "left   epsilon=0.5 over all periods, 75.0% used" in run("ledger", "show", kept).stdout
    assert json.loads(run("ledger", "show", kept, "--json").stdout)["overall"]["left"]["epsilon"] == 0.5


def test_verify_says_how_many_entries_follow_and_the_last_hash(path: Path) -> None:
    last = read_ledger(path).entries[-1].hash
    assert run("ledger", "verify", path).stdout == f"{path} verifies: 2 entries, the last hash {last}\n"
    said = json.loads(run("ledger", "verify", path, "--json").stdout)
    assert said == {"ledger": str(path), "verifies": True, "entries": 2, "last": last}


def test_verify_of_an_edited_ledger_ends_with_one(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE entries SET price = 'pure 1/100' WHERE number = 1")
        connection.commit()
    for told in (run_apart("ledger", "verify", path), run("ledger", "show", path), run("ledger", "export", path)):
        assert (told.returncode, told.stdout) == (1, "")
        assert told.stderr == "pandas_dp: entry 1 of the ledger was changed.\n"


def test_export_is_a_table_of_all_releases(path: Path) -> None:
    table = pd.read_csv(io.StringIO(run("ledger", "export", path).stdout), index_col="entry")
    assert table["statistic"].tolist() == ["mean", "median"]
    assert table["epsilon"].tolist() == [0.5, 0.25]
    assert table["columns"].tolist() == ["age", "age"]


def test_an_export_as_json_is_enough_to_check_the_chain(path: Path) -> None:
    said = json.loads(run("ledger", "export", path, "--json").stdout)
    before = said["first"]
    for entry in said["entries"]:
        entry["facts"] = json.dumps(entry["facts"], sort_keys=True, separators=(",", ":"))
        *fields, sealed = entry.values()
        assert (entry["previous"], sealed) == (before, seal(tuple(fields)))
        before = sealed


@pytest.mark.parametrize("action", ["show", "verify", "export"])
def test_nothing_is_written_beside_a_ledger_that_nobody_has_open(action: str, path: Path) -> None:
    before = files(path.parent)
    assert run("ledger", action, path).returncode == 0
    assert files(path.parent) == before


def test_a_ledger_that_a_session_has_open_is_read_and_goes_on(path: Path) -> None:
    with pdp.Session(epsilon=3, models=["dp", "idp"], ledger=path) as session:
        people = session.protect(pd.DataFrame({"age": [31.0, 54.0] * 50}))
        people["age"].dp.mean(epsilon=0.5, bounds=(0, 100))
        before = set(files(path.parent))
        assert "3 entries" in run_apart("ledger", "show", path).stdout
        assert set(files(path.parent)) == before
        people["age"].dp.mean(epsilon=0.5, bounds=(0, 100))
    assert len(read_ledger(path).entries) == 4


KILLED = """
import os, pandas as pd, pandas_dp as pdp
people = pdp.Session(epsilon=3, models=["dp", "idp"], ledger={path!r}).protect(pd.DataFrame({{"age": [31.0, 54.0]}}))
people["age"].dp.mean(epsilon=0.5, bounds=(0, 100))
os.kill(os.getpid(), 9)
"""


def test_what_a_killed_session_charged_is_shown(path: Path) -> None:
    script = KILLED.format(path=str(path))
    environment = {**os.environ, "PYTHONPATH": ROOT}
    assert subprocess.run([sys.executable, "-c", script], env=environment, timeout=600, check=False).returncode == -9
    before = set(files(path.parent))
    assert len(read_ledger(path).entries) == 3
    assert set(files(path.parent)) == before


@pytest.mark.parametrize("name", ["nowhere.ledger", "notes.txt", "other.db"])
def test_what_is_no_ledger_is_left_alone(name: str, tmp_path: Path) -> None:
    place = tmp_path / name
    if name == "notes.txt":
        place.write_text("not a ledger, but my diary" * 100)
    if name == "other.db":
        with closing(sqlite3.connect(place)) as connection:
            connection.execute("CREATE TABLE t (x)")
    before = files(tmp_path)
    told = run("ledger", "show", place)
    assert told.returncode == {"nowhere.ledger": 3, "notes.txt": 1, "other.db": 3}[name]
    assert told.stderr.startswith("pandas_dp: ")
    assert len(told.stderr.splitlines()) == 1
    assert files(tmp_path) == before


def test_a_command_that_is_none_ends_with_two(path: Path) -> None:
    assert run("ledger", "burn", path).returncode == 2
    assert run().returncode == 2
    assert run_apart().returncode == 2


def test_a_reader_who_has_seen_enough_is_no_error(path: Path) -> None:
    command = f"{sys.executable} -m pandas_dp ledger export {path} | true; exit ${{PIPESTATUS[0]}}"
    environment = {**os.environ, "PYTHONPATH": ROOT}
    ended = subprocess.run(["bash", "-c", command], env=environment, capture_output=True, timeout=600, check=False)
    assert (ended.returncode, ended.stderr) == (0, b"")


def test_a_ledger_without_entries_is_shown(tmp_path: Path) -> None:
    pdp.Session(rho=1, ledger=tmp_path / "new.ledger").close()
    shown = run("ledger", "show", tmp_path / "new.ledger")
    assert "spent  nothing" in shown.stdout
    assert shown.returncode == 0


def test_a_report_is_a_page_without_numbers_that_any_file_takes(path: Path) -> None:
    with pdp.Session(epsilon=3, models=["dp", "idp"], ledger=path, name="naïve <b>") as session:
        people = session.protect(pd.DataFrame({"age": [31.0, 54.0] * 50}))
        people["age"].dp.mean(epsilon=0.5, bounds=(0, 100), note="für alle <script>")
    before = files(path.parent)
    found = run("ledger", "report", path)
    assert (found.returncode, found.stderr) == (0, "")
    assert found.stdout.isascii()
    page = Page(found.stdout)
    assert not page.all("script", "img")
    said = page.one("main").said
    assert "für alle <script>" in said
    assert "keeps individual DP, which is weaker, when one row is replaced, within epsilon=3" in said
    assert "holds what was asked and paid, and no answers" in said
    assert len([each for each in page.one("section", id="ledger").inside if each.name == "tr"]) == 4
    assert files(path.parent) == before


def test_a_report_of_periods_says_what_each_keeps_and_what_adds_up(tmp_path: Path) -> None:
    kept = tmp_path / "panel.ledger"
    for month in ("2026-10", "2026-11"):
        with pdp.Session(epsilon=1, ledger=kept, period=month, overall=6) as session:
            session.protect(pd.DataFrame({"age": [31.0, 54.0]}))["age"].dp.mean(bounds=(0, 100), epsilon=0.5)
    said = Page(run("ledger", "report", kept).stdout).one("main").said
    for words in (
        "In 2026-10: Everything released so far, epsilon=0.5 in all, keeps differential privacy",
        "What all periods release about the same people adds up: epsilon=1 under 'dp' so far, within epsilon=6.",
        "The budget of 2026-11: 50.0% spent",
        "All periods: 16.7% spent",
    ):
        assert words in said
