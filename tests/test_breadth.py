"""How much of the house a question walks through: files, classes and calls, which may become fewer and never more.

Each question is asked three times, and the third is traced: imports and caches are not counted. Whoever needs a higher
number has found that a feature taxes questions that did not ask for it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pandas as pd
import pandera.pandas as pa
import pytest

import pandas_dp as pdp

HOUSE = Path(pdp.__file__).parent
ROWS = 5_000
SCHEMA = pa.DataFrameSchema(
    {
        "x": pa.Column(int, pa.Check.in_range(0, 100)),
        "y": pa.Column(float, pa.Check.in_range(0, 100)),
        "k": pa.Column(str, pa.Check.isin(list("abc"))),
        "b": pa.Column(str, pa.Check.isin(list("uv"))),
        "t": pa.Column(float, pa.Check.in_range(0, 10)),
        "e": pa.Column(bool),
    }
)


class Walk:
    """What a call passes of the package: a profile function."""

    def __init__(self) -> None:
        self.calls = 0
        self.files: set[str] = set()
        self.classes: set[type] = set()

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:
        if event != "call" or frame.f_code.co_name in ("<listcomp>", "<dictcomp>", "<setcomp>"):
            return  # which are no calls since Python 3.12
        name = frame.f_code.co_filename
        made = name == "<string>" and frame.f_code.co_name == "__init__"  # by a dataclass
        if not (made or name.startswith(str(HOUSE))):
            return
        if not made:
            self.calls += 1
            self.files.add(name)
        owner = type(frame.f_locals.get("self"))
        if owner.__module__.startswith("pandas_dp"):
            self.classes.add(owner)


def walked(question: Callable[[], Any]) -> Walk:
    question()
    question()
    walk, before = Walk(), sys.getprofile()
    sys.setprofile(walk)
    try:
        question()
    finally:
        sys.setprofile(before)
    return walk


@pytest.fixture(scope="module")
def questions(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Callable[[], Any]]:
    rng = np.random.default_rng(0)
    data = pd.DataFrame(
        {
            "x": rng.integers(0, 100, ROWS),
            "y": rng.normal(50, 10, ROWS).clip(0, 100).round(1),
            "k": rng.choice(list("abc"), ROWS),
            "b": rng.choice(list("uv"), ROWS),
            "t": rng.exponential(3, ROWS).clip(0, 10).round(2),
            "e": rng.random(ROWS) < 0.6,
        }
    )
    path = tmp_path_factory.mktemp("walks") / "rows.parquet"
    data.to_parquet(path)
    session = pdp.Session(rho=1e6, schema=SCHEMA)
    frame, table = session.protect(data), session.scan(path, rows=ROWS)
    means = frame.dp.groupby("k")["x"].mean(rho=0.1)
    return {
        "mean": lambda: frame["x"].dp.mean(rho=0.1),
        "ols": lambda: frame.dp.ols("y ~ x", rho=0.5),
        "survival": lambda: frame.dp.survival("t", "e", by="k", rho=0.1),
        "synthesize": lambda: frame[["k", "b", "e", "x"]].dp.synthesize(rho=1),
        "median of a scan": lambda: table["x"].dp.median(rho=0.1),
        "contrast": lambda: means.dp.contrast("a", "b"),
    }


MOST = {
    "mean": (49, 61, 580),
    "ols": (66, 96, 2_500),
    "survival": (56, 68, 790),
    "synthesize": (73, 102, 72_000),
    "median of a scan": (56, 78, 2_400),
    "contrast": (15, 11, 1_700),
}
"""Files, classes and calls, at most. Calls of what depends on noise have some room."""


@pytest.mark.parametrize("name", MOST)
def test_a_question_walks_no_farther_than_it_did(name: str, questions: Mapping[str, Callable[[], Any]]) -> None:
    walk = walked(questions[name])
    files, classes, calls = MOST[name]
    assert len(walk.files) <= files, sorted(str(Path(each).relative_to(HOUSE)) for each in walk.files)
    assert len(walk.classes) <= classes, sorted(each.__qualname__ for each in walk.classes)
    assert walk.calls <= calls


def test_the_walk_counts_what_it_should() -> None:
    """A mutation: one more file, one more class and two more calls are seen."""

    def question() -> None:
        pdp.errors.shown("x")

    plain = walked(lambda: None)
    more = walked(question)
    assert len(plain.files) == 0
    assert len(more.files) == 1
    assert more.calls > plain.calls
