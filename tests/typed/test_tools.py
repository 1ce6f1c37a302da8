"""`.dp` is known to type checkers and completes in editors: each reads a user's script, and none runs it."""

from __future__ import annotations

import inspect
import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

HERE = Path(__file__).parent
SCRIPT = HERE / "user.py"
HOUSE = HERE.parents[1]
WRONG = {line for line, text in enumerate(SCRIPT.read_text("utf-8").splitlines(), 1) if text.endswith("# wrong")}


def by_mypy(script: Path) -> set[int]:
    asked = [sys.executable, "-m", "mypy", "--config-file=", "--no-incremental", "--cache-dir=/dev/null", str(script)]
    said = subprocess.run(asked, capture_output=True, text=True, cwd=HOUSE, check=False)
    assert said.returncode in (0, 1), said.stderr
    return {int(found) for found in re.findall(rf"{script.name}:(\d+): error", said.stdout)}


def by_pyright(script: Path) -> set[int]:
    project = {"extraPaths": [str(HOUSE)], "typeCheckingMode": "standard", "include": [script.name]}
    (script.parent / "pyrightconfig.json").write_text(json.dumps(project), "utf-8")
    asked = [sys.executable, "-m", "basedpyright", "--pythonpath", sys.executable, "--outputjson", script.name]
    said = subprocess.run(asked, capture_output=True, text=True, cwd=script.parent, check=False)
    found = json.loads(said.stdout)["generalDiagnostics"]
    return {each["range"]["start"]["line"] + 1 for each in found if each["severity"] == "error"}


@pytest.mark.slow
@pytest.mark.parametrize("errors", [by_mypy, by_pyright])
def test_a_type_checker_finds_what_is_wrong_and_nothing_else(
    errors: Callable[[Path], set[int]], tmp_path: Path
) -> None:
    script = tmp_path / "user.py"
    script.write_text(SCRIPT.read_text("utf-8"), "utf-8")
    assert len(WRONG) == 9
    assert errors(script) == WRONG


OFFERS = {
    "people.dp.": {"crosstab", "groupby", "mean", "gaps"},
    'people["age"].dp.': {"histogram", "mean", "between", "share"},
    'people[people["age"] > 3].dp.': {"crosstab", "mean"},
    'people.dp.groupby("sex").': {"size", "describe", "quantile"},
    'people["age"].dp.mean().dp.': {"confint", "contrast", "guarantee", "relabel"},
    'people.dp.crosstab("a", "b").dp.': {"independence_test", "nonnegative", "to_excel"},
}


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """jedi keeps parsed files for all processes of a user, and fails on one that another is writing."""
    import jedi

    monkeypatch.setattr(jedi.settings, "cache_directory", str(tmp_path))


@pytest.mark.slow
@pytest.mark.usefixtures("own_cache")
@pytest.mark.parametrize("typed", OFFERS)
def test_dp_completes_in_an_editor(typed: str) -> None:
    import jedi

    lines = SCRIPT.read_text("utf-8").split("mean = ")[0] + typed
    offered = {each.name for each in jedi.Script(lines, project=jedi.Project(HOUSE)).complete()}
    assert offered >= OFFERS[typed]


@pytest.mark.slow
@pytest.mark.usefixtures("own_cache")
def test_dp_completes_in_a_notebook() -> None:
    """Where objects are there, their own lists are what is offered."""
    import jedi
    import pandas as pd

    import pandas_dp as pdp

    people = pdp.Session(epsilon=10).protect(pd.DataFrame({"age": [31, 54] * 500}))
    mean = people["age"].dp.mean(epsilon=1, bounds=(0, 100))
    offered = {each.name for each in jedi.Interpreter("mean.dp.", [{"mean": mean}]).complete()}
    assert offered >= {"confint", "guarantee", "to_excel"}
    assert "crosstab" not in dir(mean.dp)


def test_a_notebook_shows_each_keyword_by_its_name() -> None:
    import pandas_dp as pdp
    from pandas_dp.core.door.series import SeriesAccessor

    shown = inspect.signature(SeriesAccessor.quantile).parameters
    assert list(shown)[:2] == ["self", "q"]
    assert set(shown) == {"self", "q", *pdp.Keywords.__annotations__}
    assert shown["confidence"].default == 0.95
