"""Every python block of the documentation runs, top to bottom, in one namespace a file."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

import pandas_dp as pdp
from pandas_dp import errors

ROOT = Path(__file__).parents[2]
HOUSE = Path(pdp.__file__).parent  # which need not be beside the tests
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md")])
DEEPER = sorted([*(ROOT / "docs").glob("*/**/*.md"), ROOT / "CHANGELOG.md"])
PATH = re.compile(r"`((?:[a-z_]+/)+[\w.]*)`")
LINK = re.compile(r"\]\(([^)#\s]+)")
TOP = ("tests/", "docs/", "examples/", "benchmarks/", "pandas_dp/")
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page: Path) -> list[tuple[int, str]]:
    """Each block with the line it starts on."""
    text = page.read_text(encoding="utf-8")
    return [(text.count("\n", 0, found.start(1)), found[1]) for found in BLOCK.finditer(text)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_code_of_a_page_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, object] = {"__name__": "docs"}
    for line, source in blocks(page):
        if source.lstrip().startswith(">>>"):
            _talk(source, namespace, page, line)
        else:
            exec(compile("\n" * line + source, str(page), "exec"), namespace)


def _talk(source: str, namespace: dict[str, object], page: Path, line: int) -> None:
    """A block with prompts, compared with what it shows."""
    dialogue = doctest.DocTestParser().get_doctest(source, namespace, page.name, str(page), line)
    dialogue.globs = namespace
    shown: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    runner.run(dialogue, out=shown.append, clear_globs=False)
    assert not runner.failures, "".join(shown)


def test_every_page_is_found() -> None:
    assert {"README.md", "guide.md", "how-it-works.md", "known-limits.md"} <= {page.name for page in PAGES}


@pytest.mark.parametrize(
    "accessor", [pdp.SeriesAccessor, pdp.FrameAccessor, pdp.GroupedAccessor, pdp.ReleaseAccessor, pdp.Session]
)
def test_every_public_member_is_in_the_reference(accessor: type) -> None:
    reference = (ROOT / "docs" / "reference.md").read_text(encoding="utf-8")
    members = [name for name in dir(accessor) if not name.startswith("_")]
    assert [name for name in members if not re.search(rf"\b{name}\b", reference)] == []


def test_every_question_has_an_example_in_a_page() -> None:
    guide = "".join(source for page in PAGES for _, source in blocks(page))
    asked = {
        name
        for accessor in (pdp.SeriesAccessor, pdp.FrameAccessor)
        for name in dir(accessor)
        if not name.startswith("_")
    }
    assert sorted(name for name in asked if f".dp.{name}(" not in guide and f".dp.{name})" not in guide) == []


def test_every_refusal_is_in_the_reference() -> None:
    reference = (ROOT / "docs" / "reference.md").read_text(encoding="utf-8")
    refusals = [name for name, each in vars(errors).items() if isinstance(each, type) and issubclass(each, Exception)]
    assert [name for name in refusals if f"`{name}`" not in reference and name != "PrivacyError"] == []


def test_the_paths_that_pages_name_exist() -> None:
    """Of files, and of folders that are named from the root or end in a slash; the package may be left out."""
    missing = []
    for page in [*PAGES, *DEEPER]:
        text = page.read_text(encoding="utf-8")
        named = [p for p in PATH.findall(text) if p.endswith((".py", ".md", ".json", "/")) or p.startswith(TOP)]
        linked = [link for link in LINK.findall(text) if "://" not in link]
        # notebooks are copied from examples/ when pages are built
        for paths, places in ((named, (ROOT, HOUSE.parent, HOUSE)), (linked, (page.parent, ROOT / "examples"))):
            missing += [(page.name, path) for path in paths if not any((place / path).exists() for place in places)]
    assert missing == []


def test_the_picture_of_the_house_has_every_folder() -> None:
    text = (ROOT / "docs" / "how-it-works.md").read_text(encoding="utf-8")
    drawn = set(re.findall(r"(\w+)/", text.partition("## The house")[2].split("```")[1]))
    places = (HOUSE, HOUSE / "core", HOUSE / "engines")
    folders = {each.name for place in places for each in place.iterdir() if each.is_dir() and each.name[0] != "_"}
    assert (sorted(folders - drawn), sorted(drawn - folders)) == ([], [])


def test_the_pages_that_code_names_exist() -> None:
    code = [*HOUSE.rglob("*.py"), *(ROOT / "tests").rglob("*.py"), *(ROOT / "benchmarks").rglob("*.py")]
    named = {(path.name, page) for path in code for page in re.findall(r"\bdocs/[\w/-]+\.md", path.read_text("utf-8"))}
    assert len(named) > 80
    assert sorted((name, page) for name, page in named if not (ROOT / page).exists()) == []


def test_decisions_say_their_status_and_subject_and_stand_in_the_index() -> None:
    """Below the title: `Status: accepted. Subject: core/plan.`, or a link to what it is superseded by."""
    index = (ROOT / "docs" / "decisions" / "index.md").read_text("utf-8")
    says = re.compile(r"Status: (?:accepted|superseded by \[\d+\]\([\w-]+\.md\))\. Subject: ([\w/]+)\.")
    for page in (ROOT / "docs" / "decisions").glob("[0-9]*.md"):
        found = says.fullmatch(page.read_text("utf-8").split("\n")[2])
        assert found, f"{page.name} has no line of its status and subject below its title"
        assert found[1] in ("house", "tests") or (HOUSE / found[1]).is_dir()
        assert f"\n* [{page.read_text('utf-8').split(chr(10))[0][2:]}]({page.name})" in index


def test_proofs_and_notes_lie_in_folders_of_the_packages_names() -> None:
    places = {page.parent for page in (ROOT / "docs" / "proofs").rglob("*.md") if page.name != "index.md"}
    assert all(place.parent.name == "proofs" and (HOUSE / place.name).is_dir() for place in places)
    index = (ROOT / "docs" / "proofs" / "index.md").read_text("utf-8")
    pages = [page for place in places for page in place.glob("[a-z]*.md")]
    assert [page.name for page in pages if f"({page.parent.name}/{page.name})" not in index] == []
    assert [place.name for place in places if f"\n{place.name}/[" not in index] == []
