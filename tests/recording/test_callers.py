"""Whose code carries an operation out, by where its file lies."""

from __future__ import annotations

import sys
import sysconfig
import threading
from pathlib import Path
from types import FrameType
from typing import Any

import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp.recording import callers
from pandas_dp.recording.callers import library_of

INSTALLED = Path(sysconfig.get_path("purelib"))
STANDARD = Path(sysconfig.get_path("stdlib"))
HOUSE = Path(pdp.__file__).parent
DISTRIBUTIONS = {"sklego": frozenset({"scikit-lego"})}

ANALYSTS = {
    "a script": "/home/me/study/clean.py",
    "a script by a relative path": "clean.py",
    "a cell of a notebook": "/tmp/ipykernel_4711/1234567.py",
    "an older cell": "<ipython-input-3-0123456789ab>",
    "a cell of Databricks": "/root/.ipykernel/8/command-42-99",
    "standard input": "<stdin>",
    "a console": "<console>",
    "a doctest": "<doctest study.clean[0]>",
    "a test": "/home/me/study/tests/test_clean.py",
    "a zip file": "/home/me/job.zip/study/clean.py",
    "an egg in a folder of jobs": "/mnt/jobs/study-1.0.egg/study/clean.py",
    "an editable install": "/home/me/our_lib/src/our_lib/clean.py",
    "a folder called site-packages-demo": "/home/me/site-packages-demo/clean.py",
    "a project in a folder called pandas": "/home/me/pandas/clean.py",
    "a project in a folder called pandas_dp": "/home/me/pandas_dp/clean.py",
}
LIBRARIES = {
    "sklearn": INSTALLED / "sklearn" / "base.py",
    "six": INSTALLED / "six.py",
    "our_lib": INSTALLED / "our_lib" / "clean.py",
    "sklego": INSTALLED / "sklego" / "common.py",
    "functools": STANDARD / "functools.py",
    "concurrent": STANDARD / "concurrent" / "futures" / "thread.py",
    "runpy": "<frozen runpy>",
    "importlib": "<frozen importlib._bootstrap>",
    "pandas": Path(pd.__file__).parent / "core" / "apply.py",
}


def calling(*files: object, name: str = "somewhere") -> FrameType:
    """A frame of code of the first of these files, which the next ones run."""
    innermost: dict[str, Any] = {"__name__": name, "look": lambda: sys._getframe(1)}
    code, space = compile("found = look()", str(files[0]), "exec"), innermost
    for file in files[1:]:
        space = {"__name__": "elsewhere", "code": code, "space": space}
        code = compile("exec(code, space)", str(file), "exec")
    exec(code, space)
    found: FrameType = innermost["found"]
    return found


@pytest.mark.parametrize("where", ANALYSTS)
def test_what_lies_in_no_folder_of_libraries_is_the_analysts(where: str) -> None:
    assert library_of(calling(ANALYSTS[where])) is None


def test_what_lies_beside_the_house_is_not_the_houses() -> None:
    """Where the house is installed, it is a library's."""
    is_installed = "site-packages" in Path(HOUSE).parts
    assert library_of(calling(f"{HOUSE}_team/clean.py")) == ("pandas_dp_team" if is_installed else None)


@pytest.mark.parametrize("name", LIBRARIES)
def test_what_is_installed_is_a_librarys(name: str) -> None:
    assert library_of(calling(LIBRARIES[name])) == name


def test_frames_of_the_house_are_passed_over() -> None:
    file = HOUSE / "language" / "column.py"
    assert library_of(calling(file, LIBRARIES["sklearn"])) == "sklearn"
    assert library_of(calling(file, file, "/home/me/clean.py")) is None


def test_a_name_that_begins_like_the_house_is_not_the_house() -> None:
    frame = calling(INSTALLED / "pandas_dp_team" / "clean.py", name="pandas_dp_team.clean")
    assert library_of(frame) == "pandas_dp_team"


@pytest.mark.parametrize("filename", ["<string>", "", "<formula>"])
def test_code_of_a_text_is_whose_who_runs_it(filename: str) -> None:
    source = f"found = eval(compile('look()', {filename!r}, 'eval'), {{}}, inside)"
    for file, library in ((INSTALLED / "patsy" / "eval.py", "patsy"), ("/home/me/clean.py", None)):
        space: dict[str, Any] = {"__name__": "somewhere", "inside": {"look": lambda: sys._getframe(1)}}
        exec(compile(source, str(file), "exec"), space)
        assert space["found"].f_code.co_filename == filename
        assert library_of(space["found"]) == library


def test_a_text_that_the_analyst_runs_is_theirs_and_one_that_nobody_runs_too() -> None:
    space: dict[str, Any] = {"look": lambda: sys._getframe(1)}
    exec("found = look()", space)
    assert space["found"].f_code.co_filename == "<string>"
    assert library_of(space["found"]) is None
    assert library_of(None) is None


def test_a_function_of_the_analyst_that_a_library_calls_is_theirs() -> None:
    """What the library then does with the result is not."""
    frame = calling("/home/me/clean.py", LIBRARIES["sklearn"])
    assert library_of(frame) is None
    assert library_of(frame.f_back) == "sklearn"


@pytest.mark.parametrize("said", ["our_lib", "scikit-lego", "scikit_lego", "Scikit.Lego", "sklego"])
def test_what_is_said_to_be_followed_is_the_analysts(said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(callers, "_distributions", lambda: DISTRIBUTIONS)
    name = "our_lib" if said == "our_lib" else "sklego"
    assert library_of(calling(LIBRARIES[name]), follows=(said,)) is None
    assert library_of(calling(LIBRARIES["sklearn"]), follows=(said,)) == "sklearn"


def test_code_of_a_text_that_runs_in_a_thread_is_the_analysts() -> None:
    """As that of `python -c`."""
    found: list[Any] = []
    names: dict[str, Any] = {"sys": sys, "library_of": library_of, "found": found, "__name__": "__main__"}
    exec(compile("work = lambda: found.append(library_of(sys._getframe()))", "<string>", "exec"), names)
    thread = threading.Thread(target=names["work"])
    thread.start()
    thread.join()
    assert found == [None]
