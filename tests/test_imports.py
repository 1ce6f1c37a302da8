"""Imports point one way: a room uses only rooms below it, and nobody without business there can reach rows."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import pandas_dp

HOUSE = Path(pandas_dp.__file__).parent
LEVELS = [
    {"forks"},
    {"dataclass"},
    {"errors", "progress", "version"},
    {"reading"},
    {"signatures"},
    {"domain", "neighbours", "cost", "noise", "protected"},
    {"laws", "margins", "equations"},  # quantiles of a law are enclosed with the digits that noise computes with
    {"tally", "evidence", "ledger", "accounting"},
    {"mechanisms", "statistics", "backends"},
    {"promises"},  # what they know of rows is the protocol in `tally`
    {"release"},
    {"conclusions", "plots", "datasets"},
    {"reports"},
    {"session"},
    {"accessor", "custodian", "publishing"},
    {"testing", "__init__"},
    {"command"},
    {"__main__"},
]
LEVEL = {room: level for level, rooms in enumerate(LEVELS) for room in rooms}
FILES = sorted(path.relative_to(HOUSE) for path in HOUSE.rglob("*.py"))


FOR_TYPES = {
    "protected.py": "accessor",
    "release/release.py": "accessor.released",
    "session/scanned.py": "accessor",
    "session/scanned_column.py": "accessor",
}
"""Files that name what `.dp` is, for type checkers and editors alone: it is registered from above."""


def room_of(path: Path) -> str:
    return path.parts[0].removesuffix(".py")


def imports(path: Path) -> Iterator[tuple[int, str]]:
    """Everything of the house that a file imports, as a dotted path from the top of it, also inside functions."""
    for node in ast.walk(ast.parse((HOUSE / path).read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            package = path.parent.parts[: len(path.parent.parts) - node.level + 1]
            base = [*package, *(node.module.split(".") if node.module else [])]
            names = [] if node.module else [alias.name for alias in node.names]
            for target in [[*base, name] for name in names] or [base]:
                if FOR_TYPES.get(path.as_posix()) == ".".join(target):
                    continue
                yield node.lineno, ".".join(target)
        elif isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "pandas_dp":
            yield node.lineno, f"absolute {node.module}"
        elif isinstance(node, ast.Import):
            yield from ((node.lineno, f"absolute {a.name}") for a in node.names if a.name.split(".")[0] == "pandas_dp")


def others(path: Path) -> Iterator[tuple[int, str]]:
    """The rooms that a file imports, other than its own."""
    for line, target in imports(path):
        room = target.split(".")[0]
        if room != room_of(path):
            yield line, room


def outside(path: Path) -> set[str]:
    """The packages from outside the house that a file imports."""
    found = set()
    for node in ast.walk(ast.parse((HOUSE / path).read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found.update(alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            found.add(node.module.split(".")[0])
    return found


def module_of(path: Path) -> str:
    """The dotted name from the top of the house; of a package, its own."""
    parts = path.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_of(path) for path in FILES}


def modules_imported(path: Path) -> Iterator[str]:
    """The files that a file imports, also inside functions, and also for typing alone."""
    for node in ast.walk(ast.parse((HOUSE / path).read_text("utf-8"))):
        if not (isinstance(node, ast.ImportFrom) and node.level):
            continue
        package = path.parent.parts[: len(path.parent.parts) - node.level + 1]
        base = ".".join([*package, *(node.module.split(".") if node.module else [])])
        if FOR_TYPES.get(path.as_posix()) == base:
            continue
        for alias in node.names:
            inner = f"{base}.{alias.name}".lstrip(".")
            yield inner if inner in MODULES else base


def cycles(needs: dict[str, set[str]]) -> list[list[str]]:
    """Groups of names that reach each other, each sorted."""
    reached = {name: set(direct) for name, direct in needs.items()}
    for between in needs:
        for name in needs:
            if between in reached[name]:
                reached[name] |= reached[between]
    groups = {frozenset(o for o in reached[n] if n in reached.get(o, ())) for n in needs if n in reached[n]}
    return sorted(sorted(group) for group in groups)


def test_every_room_has_a_level() -> None:
    assert {room_of(path) for path in FILES} <= set(LEVEL)


def test_a_file_imports_only_from_rooms_below_its_own() -> None:
    wrong = [
        f"{path}:{line} imports {room}"
        for path in FILES
        for line, room in others(path)
        if LEVEL.get(room, 99) >= LEVEL[room_of(path)]
    ]
    assert not wrong


def test_no_file_is_longer_than_four_hundred_lines() -> None:
    lengths = {path.as_posix(): len((HOUSE / path).read_text("utf-8").splitlines()) for path in FILES}
    assert not {path: length for path, length in lengths.items() if length > 400}


def test_nothing_beside_a_script_is_called_as_a_module_of_the_standard_library() -> None:
    """Python looks into the folder of a script first, so a folder `collections` beside one breaks it."""
    scripts = [path for path in FILES if is_script(path)]
    assert "backends/server.py" in {path.as_posix() for path in scripts}
    beside = {each for path in scripts for each in (HOUSE / path).parent.iterdir()}
    assert not [each for each in beside if each.stem in sys.stdlib_module_names]


def is_script(path: Path) -> bool:
    """Whether a file does something where it is run by its path, as only files without relative imports can be."""
    tree = ast.parse((HOUSE / path).read_text("utf-8"))
    is_relative = any(isinstance(node, ast.ImportFrom) and node.level for node in ast.walk(tree))
    return not is_relative and any(
        "__name__" in ast.unparse(node.test) for node in tree.body if isinstance(node, ast.If)
    )


def test_imports_inside_the_house_are_relative() -> None:
    targets = [(path, line, target) for path in FILES for line, target in imports(path)]
    assert not [f"{path}:{line}: {target}" for path, line, target in targets if target.startswith("absolute")]


def test_no_files_need_each_other_not_even_by_late_imports_or_for_typing() -> None:
    needs = {module_of(path): set(modules_imported(path)) for path in FILES}
    assert cycles(needs) == []


def test_a_cycle_would_be_found() -> None:
    assert cycles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}) == [["a", "b", "c"]]


@pytest.mark.parametrize(
    "room", ["conclusions", "plots", "reports", "evidence", "release", "statistics", "mechanisms", "promises"]
)
def test_what_shapes_or_reads_releases_cannot_reach_rows(room: str) -> None:
    reached, waiting = set(), {room}
    while waiting:
        now = waiting.pop()
        reached.add(now)
        waiting |= {other for path in FILES if room_of(path) == now for _, other in others(path)} - reached
    assert not reached & {"backends", "protected", "session", "accessor"}


@pytest.mark.parametrize(
    "room",
    [
        "neighbours",
        "cost",
        "noise",
        "laws",
        "margins",
        "tally",
        "evidence",
        "ledger",
        "accounting",
        "promises",
        "mechanisms",
        "statistics",
    ],
)
def test_rooms_of_pure_numbers_do_not_know_pandas(room: str) -> None:
    assert not [str(path) for path in FILES if room_of(path) == room and "pandas" in outside(path)]


def test_only_testing_and_the_session_see_inside_the_backends() -> None:
    users = {room_of(path) for path in FILES for _, room in others(path) if room == "backends"}
    assert users <= {"session", "testing"}


def test_what_is_needed_only_after_a_release_is_not_imported_before() -> None:
    code = "import sys, pandas_dp; print([name for name in sys.modules if name.startswith('pandas_dp.')])"
    loaded = subprocess.check_output([sys.executable, "-c", code], text=True)
    late = (
        "conclusions",
        "plots",
        "reports",
        "custodian",
        "accounting",
        "release.archive",
        "publishing",
        "accessor.released",
    )
    assert not [room for room in late if f"'pandas_dp.{room}" in loaded]


@pytest.mark.parametrize("file", FOR_TYPES)
def test_what_is_named_for_types_alone_is_not_imported_when_it_runs(file: str) -> None:
    """Each stands in a block that only type checkers read."""
    tree = ast.parse((HOUSE / file).read_text("utf-8"))
    blocks = [node for node in tree.body if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"]
    inside = {id(each) for block in blocks for each in ast.walk(block)}
    above = [
        each
        for each in ast.walk(tree)
        if isinstance(each, ast.ImportFrom) and (each.module or "").startswith("accessor")
    ]
    assert len(above) == 1
    assert all(id(each) in inside for each in above)


def test_what_takes_long_to_import_is_imported_where_it_is_needed() -> None:
    code = (
        "import sys, pandas, pandera.pandas; seen = set(sys.modules); import pandas_dp; print(set(sys.modules) - seen)"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    slow = (
        "scipy.stats",
        "scipy.optimize",
        "scipy.sparse",
        "matplotlib",
        "formulaic",
        "openpyxl",
        "pyarrow",
        "tqdm",
        "multiprocessing",
    )
    assert not [name for name in slow if f"'{name}'" in loaded]
