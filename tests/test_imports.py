"""Imports point one way: a file uses only files of lower roles, and nobody without business there can reach rows.

In the folder of a subject a file's name says its role, and so what it may do; in the core, and in the few folders that
are no subject's, the folder says it.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import pandas_dp

HOUSE = Path(pandas_dp.__file__).parent
TESTS = Path(__file__).parent
FILES = sorted(path.relative_to(HOUSE) for path in HOUSE.rglob("*.py"))

ROLES = {
    "ask": "ask",
    "accessor": "ask",
    "run": "session",
    "rows": "session",
    "label": "label",
    "conclude": "conclude",
    "statistic": "statistic",
    "mechanism": "noise",
    "fold": "engine",
    "measure": "measure",
    "evidence": "evidence",
    "accounting": "evidence",
    "solve": "solve",
    "schema": "schema",
}
"""What the first word of a file's name says of it, in the folder of a subject."""

PLACES = {
    "__init__.py": "top",
    "__main__.py": "top",
    "errors.py": "values",
    "version.py": "values",
    "core/arrays.py": "values",
    "core/forks.py": "values",
    "core/arguments.py": "values",
    "core/lazy_import.py": "values",
    "core/neighbours.py": "schema",
    "core/schema": "schema",
    "core/budget/cost.py": "schema",
    "core/budget/conversion.py": "schema",
    "core/noise/samplers": "samplers",
    "core/protect/mark.py": "schema",
    "core/protect/making.py": "schema",
    "core/noise": "noise",
    "core/budget": "budget",
    "core/measure": "measure",
    "core/measure/statistic.py": "statistic",
    "core/evidence": "evidence",
    "core/engine": "engine",
    "core/promise.py": "promise",
    "core/promise_registry.py": "promise",
    "core/label": "label",
    "core/conclude": "conclude",
    "core/plan": "session",
    "core/protect": "session",
    "core/session": "session",
    "core/door": "ask",
    "tables/planning": "solve",
    "synthetic/model": "solve",
    "tables/published/archive.py": "label",
    "tables/published/run.py": "ask",
    "tools/server.py": "engine",
    "weaker": "promise",
    "engines": "engine",
    "engines/dask/collection.py": "session",
    "engines/scan/table.py": "session",
    "engines/spark/frames.py": "session",
    "engines/scan/scan_refusals.py": "session",
    "engines/scan/scanning.py": "session",
    "language": "session",
    "language/arithmetic.py": "engine",
    "language/evaluation.py": "engine",
    "language/gathered.py": "engine",
    "language/given.py": "engine",
    "language/graph.py": "engine",
    "language/known.py": "engine",
    "language/persons.py": "engine",
    "language/rows.py": "engine",
    "language/offsets.py": "engine",
    "language/texts.py": "engine",
    "language/times.py": "engine",
    "language/values.py": "engine",
    "recording": "session",
    "views": "conclude",
    "views/exports.py": "ask",
    "views/drawings.py": "ask",
    "views/ask.py": "ask",
    "views/workbook.py": "ask",
    "views/report": "report",
    "views/report/session.py": "session",
    "datasets": "conclude",
    "custodian": "ask",
    "audit": "audit",
    "command.py": "command",
    "pandas.py": "ask",
}
"""The role of files and folders whose names do not say it; the longest that fits is meant."""

LOWER = {
    "values": set(),
    "samplers": {"values"},
    "schema": {"values"},
    "solve": {"schema"},
    "measure": {"solve", "noise"},
    "noise": {"schema", "samplers", "measure"},  # a mechanism knows a measurement by its sensitivity
    "evidence": {"solve", "noise"},
    "budget": {"schema"},
    "engine": {"measure", "samplers"},
    "statistic": {"measure", "evidence"},
    "promise": {"statistic", "noise"},
    "label": {"promise", "evidence"},
    "conclude": {"label", "statistic", "budget"},
    "report": {"conclude"},
    "session": {"report", "engine", "budget", "promise"},
    "ask": {"session", "conclude"},
    "audit": {"ask"},
    "top": {"ask", "audit", "command"},
    "command": {"audit", "ask"},
}
"""From which roles one may import, beside its own and those below them."""

FOR_TYPES = {
    "recording/frames.py": "core.door",
    "core/label/release.py": "core.door.released",
    "language/column.py": "core.door",
    "language/table.py": "core.door",
}
"""Files that name what `.dp` is, for type checkers and editors alone: it is registered from above."""


def role_of(path: Path) -> str | None:
    """The role of a file: by the longest place that fits, else by the first word of its name."""
    for place in (path, *path.parents):
        if place.as_posix() in PLACES:
            return PLACES[place.as_posix()]
    return ROLES.get(path.stem.partition("_")[0])


def is_sentence(path: Path) -> bool:
    """Whether a file is the `__init__` of a folder, and says no more than what lives there."""
    return path.name == "__init__.py" and len(ast.parse((HOUSE / path).read_text("utf-8")).body) == 1


def below(role: str) -> set[str]:
    """A role and those that it may import from, directly or not."""
    reached, waiting = {role}, [role]
    while waiting:
        for lower in LOWER[waiting.pop()] - reached:
            reached.add(lower)
            waiting.append(lower)
    return reached


def imports(path: Path, text: str | None = None) -> Iterator[tuple[int, str]]:
    """Everything of the house that a file imports, as a dotted path from the top of it, also inside functions."""
    for node in ast.walk(ast.parse(text or (HOUSE / path).read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            package = path.parent.parts[: len(path.parent.parts) - node.level + 1]
            base = ".".join([*package, *(node.module.split(".") if node.module else [])])
            for alias in node.names:
                inner = f"{base}.{alias.name}".lstrip(".")
                target = inner if inner in MODULES else base
                if FOR_TYPES.get(path.as_posix()) is None or not target.startswith(FOR_TYPES[path.as_posix()]):
                    yield node.lineno, target
        elif isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "pandas_dp":
            yield node.lineno, f"absolute {node.module}"
        elif isinstance(node, ast.Import):
            yield from ((node.lineno, f"absolute {a.name}") for a in node.names if a.name.split(".")[0] == "pandas_dp")


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


MODULES = {module_of(path): path for path in FILES}


def pointing_up(path: Path, text: str | None = None) -> list[str]:
    """The imports of a file that its role does not allow."""
    role = role_of(path)
    assert role is not None, f"{path} has no role: see ROLES and PLACES"
    targets = [(line, MODULES[target]) for line, target in imports(path, text) if target in MODULES]
    lines = [(line, role_of(other), other) for line, other in targets if not is_sentence(other)]
    return [f"{path}:{line} imports {other}" for line, of, other in lines if of not in below(role)]


def subjects_needed(path: Path, text: str | None = None) -> list[str]:
    """What a file of the core imports that is no part of it; the door alone lists subjects."""
    return [
        f"{path}:{line} imports {target}"
        for line, target in imports(path, text)
        if target in MODULES and MODULES[target].parts[0] not in ("core", "__init__.py", *VALUES)
    ]


VALUES = tuple(place for place, role in PLACES.items() if role == "values")
IN_CORE = [path for path in FILES if path.parts[0] == "core" and path.parts[1] != "door"]


def cycles(needs: dict[str, set[str]]) -> list[list[str]]:
    """Groups of names that reach each other, each sorted."""
    reached = {name: set(direct) for name, direct in needs.items()}
    for between in needs:
        for name in needs:
            if between in reached[name]:
                reached[name] |= reached[between]
    groups = {frozenset(o for o in reached[n] if n in reached.get(o, ())) for n in needs if n in reached[n]}
    return sorted(sorted(group) for group in groups)


def test_every_file_has_a_role() -> None:
    assert [str(path) for path in FILES if not is_sentence(path) and role_of(path) is None] == []


def test_every_place_is_there() -> None:
    assert [place for place in PLACES if not (HOUSE / place).exists()] == []


def test_a_file_imports_only_from_roles_below_its_own() -> None:
    assert [wrong for path in FILES if not is_sentence(path) for wrong in pointing_up(path)] == []


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("survival/accessor.py", "from ..core.noise.samplers import race as a; from ..nowhere import b"),
        ("survival/conclude.py", "from ..core.engine import rows"),
        ("survival/measure.py", "from ..core.engine.rows import PandasRows"),
        ("survival/statistic.py", "from ..core.door.session import Session"),
        ("survival/evidence.py", "from ..core.door import frame"),
        ("people/fold.py", "from ..core.label.label import Label"),
        ("core/conclude/confint.py", "def late():\n    from ..engine.rows import PandasRows"),
    ],
)
def test_an_import_that_points_up_is_found(path: str, line: str) -> None:
    up = [wrong for wrong in pointing_up(Path(path), line) if "nowhere" not in wrong]
    assert len(up) == (0 if path == "survival/accessor.py" else 1)


def test_the_core_knows_no_subject_but_at_the_door() -> None:
    assert [wrong for path in IN_CORE for wrong in subjects_needed(path)] == []


def test_a_subject_in_the_core_would_be_found() -> None:
    line = "def late():\n    from ...numeric.measure import Counts"
    assert len(subjects_needed(Path("core/engine/rows.py"), line)) == 1
    assert subjects_needed(Path("core/engine/rows.py"), "from ...errors import shown") == []


def test_a_subject_is_imported_when_it_is_first_needed() -> None:
    code = "import sys, pandas_dp; pandas_dp.Session(rho=1); print([*sys.modules])"
    loaded = subprocess.check_output([sys.executable, "-c", code], text=True)
    early = [path for path in FILES if f"'pandas_dp.{module_of(path)}'" in loaded and not is_sentence(path)]
    needed = {"core", "datasets", *VALUES, "__init__.py", "surveys", "views"}
    assert {path.parts[0] for path in early} <= needed
    assert not [str(path) for path in early if path.parts[0] == "views" and role_of(path) != "session"]


@pytest.mark.parametrize("role", ["conclude", "report", "evidence", "label", "statistic", "noise", "promise", "solve"])
def test_what_shapes_or_reads_releases_cannot_reach_rows(role: str) -> None:
    assert not below(role) & {"engine", "session", "ask"}


def test_the_ledger_knows_costs_and_nothing_of_data() -> None:
    assert below("budget") == {"budget", "schema", "values"}


PURE = {"schema", "noise", "solve", "measure", "evidence", "budget", "promise", "statistic", "samplers"}
KNOWING = {"core/schema", "core/protect", "keys/schema", "surveys/schema"}  # read declarations, and mark tables


def test_files_of_pure_numbers_do_not_know_pandas() -> None:
    pure = [path for path in FILES if role_of(path) in PURE and "pandas" in outside(path)]
    assert not [str(path) for path in pure if not path.as_posix().startswith(tuple(KNOWING))]


def test_no_file_is_longer_than_five_hundred_lines() -> None:
    lengths = {path.as_posix(): len((HOUSE / path).read_text("utf-8").splitlines()) for path in FILES}
    assert not {path: length for path, length in lengths.items() if length > 500}


def test_nothing_beside_a_script_is_called_as_a_module_of_the_standard_library() -> None:
    """Python looks into the folder of a script first, so a folder `collections` beside one breaks it."""
    scripts = [path for path in FILES if is_script(path)]
    assert "tools/server.py" in {path.as_posix() for path in scripts}
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
    needs = {module_of(path): {target for _, target in imports(path)} - {module_of(path)} for path in FILES}
    assert cycles(needs) == []


def test_a_cycle_would_be_found() -> None:
    assert cycles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}) == [["a", "b", "c"]]


SPANNING = {"contracts", "docs"}  # hold what every subject keeps to
OFFERED = {"core", "audit", "custodian", "datasets"}  # to the tests of all
MOST_APART = 72


def other_subjects(path: Path) -> set[str]:
    """Of which subjects, beside its own, a file of tests imports what is inside."""
    nodes = [
        node for node in ast.walk(ast.parse((TESTS / path).read_text("utf-8"))) if isinstance(node, ast.ImportFrom)
    ]
    named = [(node.module or "").split(".") + [alias.name for alias in node.names] for node in nodes if not node.level]
    found = {names[1] for names in named if names[0] == "pandas_dp"}
    return {name for name in found if (HOUSE / name).is_dir()} - OFFERED - {path.parts[0]}


def test_tests_of_a_subject_import_it_and_the_core() -> None:
    """As many as there were reach into others, and no more: what changes in one folder is tested in one folder."""
    files = [path.relative_to(TESTS) for path in TESTS.rglob("*.py")]
    apart = sorted(str(path) for path in files if path.parts[0] not in SPANNING and other_subjects(path))
    assert len(apart) <= MOST_APART, apart
    assert other_subjects(Path("core/engine/test_folds.py")) == {"models", "numeric", "quantiles", "tables"}


def test_what_is_needed_only_after_a_release_is_not_imported_before() -> None:
    code = "import sys, pandas_dp; print([name for name in sys.modules if name.startswith('pandas_dp.')])"
    loaded = subprocess.check_output([sys.executable, "-c", code], text=True)
    early = [path for path in FILES if f"'pandas_dp.{module_of(path)}'" in loaded and not is_sentence(path)]
    late = {"conclude", "report", "audit", "command"}
    assert not [str(path) for path in early if role_of(path) in late and path.parts[0] != "datasets"]
    assert not [str(path) for path in early if path.stem.partition("_")[0] == "accessor"]


@pytest.mark.parametrize("file", FOR_TYPES)
def test_what_is_named_for_types_alone_is_not_imported_when_it_runs(file: str) -> None:
    """Each stands in a block that only type checkers read."""
    tree = ast.parse((HOUSE / file).read_text("utf-8"))
    blocks = [node for node in tree.body if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"]
    inside = {id(each) for block in blocks for each in ast.walk(block)}
    above = [
        each for each in ast.walk(tree) if isinstance(each, ast.ImportFrom) and "door" in (each.module or "").split(".")
    ]
    assert len(above) >= 1
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
        "xlsxwriter",
        "pyarrow",
        "tqdm",
        "multiprocessing",
    )
    assert not [name for name in slow if f"'{name}'" in loaded]
