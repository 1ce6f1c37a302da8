"""`python -m pandas_dp published`: what a folder of published tables holds."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

import pandas_dp as pdp

from .scene import files, run, run_apart


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    people = pdp.Session(epsilon=10).protect(pd.DataFrame({"sex": ["f", "m"] * 500, "vote": ["yes", "no"] * 500}))
    declared = {"sex": ["f", "m"], "vote": ["yes", "no"]}
    ask = {
        "votes": lambda: people.dp.marginals([["sex", "vote"]], categories=declared, epsilon=1),
        "sexes": lambda: people.dp.marginals([["sex"]], categories={"sex": ["f", "m"]}, epsilon=0.5),
    }
    pdp.publish_tables(tmp_path / "tables", ask)
    return tmp_path / "tables"


def test_list_names_the_tables_and_what_they_cost(folder: Path) -> None:
    listed = run_apart("published", "list", folder)
    assert listed.returncode == 0
    for words in ("sex × vote", "epsilon=0.5", "For all 2 questions together: epsilon=1.5"):
        assert words in listed.stdout
    said = json.loads(run("published", "list", folder, "--json").stdout)
    assert {each["name"] for each in said["tables"]} == {"votes", "sexes"}


def test_show_gives_the_numbers_as_they_were_published(folder: Path) -> None:
    stored = pdp.open_tables(folder).releases["sexes"]
    said = json.loads(run("published", "show", folder, "sexes", "--json").stdout)
    assert [each["count"] for each in said["sexes"]["numbers"]] == stored["count"].tolist()
    assert said["sexes"]["label"]["epsilon"] == 0.5
    shown = run("published", "show", folder)
    assert shown.stdout.count("differentially private") == 2


def test_a_name_that_is_not_there_names_those_that_are(folder: Path) -> None:
    told = run("published", "show", folder, "ages")
    assert told.returncode == 3
    assert "'ages'; it holds 'votes', 'sexes'" in told.stderr


def test_a_changed_folder_ends_with_one_and_another_folder_with_three(folder: Path, tmp_path: Path) -> None:
    before = files(folder)
    (tmp_path / "empty").mkdir()
    assert run("published", "list", tmp_path / "empty").returncode == 3
    assert files(folder) == before
    stored = next(folder.glob("*.parquet"))
    stored.write_bytes(stored.read_bytes()[:-5])
    assert run("published", "show", folder).returncode == 1
