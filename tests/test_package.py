"""What is said of the package beside its code: metadata, citation, security, versions."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path

import pytest

import pandas_dp as pdp

ROOT = Path(__file__).parents[1]
HOUSE = Path(pdp.__file__).parent  # which need not be beside the tests
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
PROJECT = SETTINGS["project"]
MAKEFILE = (ROOT / "Makefile").read_text("utf-8")
EXTRAS = PROJECT["optional-dependencies"]
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
TAUGHT = re.findall(r"^\| [a-z].*? \| (.*?) \| (.*?) \|$", CONTRIBUTING.split("## The house")[1].split("## ")[0], re.M)


def test_citation_and_changelog_are_of_this_version() -> None:
    citation = (ROOT / "CITATION.cff").read_text("utf-8")
    assert f"version: {pdp.__version__}\n" in citation
    assert "license: Apache-2.0" in citation
    assert f"## {pdp.__version__} " in (ROOT / "CHANGELOG.md").read_text("utf-8")


def test_the_papers_that_are_cited_are_those_of_the_page() -> None:
    """Titles, people and numbers of the five stand on the page, and the page has no other."""
    references = (ROOT / "CITATION.cff").read_text("utf-8").split("references:")[1].split("\n  - type: ")[1:]
    page = (ROOT / "docs" / "papers.md").read_text("utf-8")
    chapters = page.split("\n## ")[1:]
    assert len(references) == len(chapters) == 5
    for each, chapter in zip(references, chapters, strict=True):
        said = dict(re.findall(r"^ +(?:- )?([a-z-]+): (.*)$", each, re.M))
        names = re.findall(r"(?:family|given)-names: (.*)", each)
        facts = [said.get("journal"), said.get("doi"), said.get("volume"), said["year"]]
        assert [fact for fact in (said["title"].strip('"'), *names, *facts) if fact and fact not in chapter] == []


def test_every_python_that_is_tested_has_its_classifier() -> None:
    named = [each.rsplit(" ", 1)[1] for each in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", each)]
    assert f">={named[0]}" == PROJECT["requires-python"]
    assert "Typing :: Typed" in PROJECT["classifiers"]
    assert (HOUSE / "py.typed").exists()


def test_files_beside_code_are_packaged() -> None:
    kept = SETTINGS["tool"]["setuptools"]["package-data"]["pandas_dp"]
    packaged = {path for pattern in kept for path in HOUSE.glob(pattern)}
    others = {
        path for path in HOUSE.rglob("*") if path.is_file() and path.suffix != ".py" and "__pycache__" not in path.parts
    }
    assert others == packaged


def test_what_pages_tell_to_make_can_be_made() -> None:
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]
    named = {each for page in pages for each in re.findall(r"(?:^|`)make ([\w-]+)", page.read_text("utf-8"), re.M)}
    assert {"demo", "test", "test-all", "lint", "refusals"} <= named
    assert named <= set(re.findall(r"^([\w-]+):", MAKEFILE, re.MULTILINE))


def test_environments_install_extras_that_there_are_as_they_are_written() -> None:
    installs = dict(re.findall(r"^INSTALLS_(\w+) := (.*)$", MAKEFILE, re.MULTILINE))
    assert {"demo", "test", "lint", "docs"} <= set(installs)
    command = ["make", "--dry-run", "--always-make", *(f".make/{name}/ready" for name in installs)]
    told = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name, what in installs.items():
        assert f".make/{name}/bin/python -m pip install --quiet {what}\n" in told
        assert set(re.findall(r"[\w-]+", "".join(re.findall(r"\.\[(.*?)\]", what)))) <= set(EXTRAS)


@pytest.mark.parametrize("name", ["CHANGELOG.md", "CITATION.cff", "CONTRIBUTING.md", "SECURITY.md", "Makefile"])
def test_what_belongs_to_the_source_is_in_its_archive(name: str) -> None:
    assert name in (ROOT / "MANIFEST.in").read_text("utf-8")
    assert (ROOT / name).exists()


@pytest.mark.parametrize(("places", "files"), TAUGHT)
def test_places_that_are_taught_are_there(places: str, files: str) -> None:
    named = re.findall(r"`([\w/]+)(\*?)`", places)
    folders = [HOUSE / name for name, star in named if not star]
    assert all(folder.is_dir() for folder in folders)
    assert all(any(HOUSE.rglob(f"{name}*.py")) for name, star in named if star)
    for file in re.findall(r"`([\w/]+\.py)`", files):
        assert any((folder / file).exists() for folder in (HOUSE, *folders))


def test_vulnerabilities_and_what_is_kept_are_written_down() -> None:
    assert "docs/vulnerabilities.md" in (ROOT / "SECURITY.md").read_text("utf-8")
    assert "DeprecationWarning" in (ROOT / "docs" / "versions.md").read_text("utf-8")
