"""What a question is about is decided once, at the door: a write that comes later changes neither rows nor noise."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp.audit import zero_noise
from pandas_dp.core.budget.ledger import MemoryLedger
from pandas_dp.core.protect import tables
from pandas_dp.core.session import session_core as core

ROWS = 1000
DECLARED = {"k": ["a", "b"], "j": ["1", "2"]}
CUTS: dict[str, Callable[[pd.DataFrame], Any]] = {
    "rows dropped": lambda frame: frame.drop(index=frame.index[:500], inplace=True),
    "values written": lambda frame: frame.__setitem__("x", 90.0),
    "values written by place": lambda frame: frame.iloc.__setitem__((slice(None), 0), 90.0),
}


def people() -> pd.DataFrame:
    return pd.DataFrame({"x": np.full(ROWS, 95.0), "k": ["a", "b"] * 500, "j": ["1", "1", "2", "2"] * 250})


class Locked:
    """A ledger that somebody else holds, until what `meanwhile` does is done."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, meanwhile: Callable[[], Any]) -> None:
        self._waiting, self._free = threading.Event(), threading.Event()
        charge = MemoryLedger.charge

        def held(*given: Any) -> Any:
            self._waiting.set()
            assert self._free.wait(60)
            return charge(*given)

        monkeypatch.setattr(MemoryLedger, "charge", held)
        self._other = threading.Thread(target=self._work, args=[meanwhile])

    def _work(self, meanwhile: Callable[[], Any]) -> None:
        assert self._waiting.wait(60)
        try:
            meanwhile()
        finally:
            self._free.set()

    def __enter__(self) -> None:
        self._other.start()

    def __exit__(self, *_: object) -> None:
        self._other.join()


@pytest.mark.filterwarnings("ignore:The inplace keyword")
@pytest.mark.parametrize("neighbours", ["replace", "add_remove"])
@pytest.mark.parametrize("cut", CUTS)
def test_a_frame_that_is_cut_while_the_ledger_is_locked_is_answered_as_it_was(
    cut: str, neighbours: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = pdp.Session(epsilon=1000, neighbours=neighbours)
    honest, frame = session.protect(people()), session.protect(people())
    with zero_noise():
        expected = honest["x"].dp.sum(bounds=(90, 100), epsilon=1)
        with Locked(monkeypatch, lambda: CUTS[cut](frame)):
            found = frame.dp.sum(bounds={"x": (90, 100)}, epsilon=1, numeric_only=True)
    assert found["sum"].item() == expected["sum"].item() == 95 * ROWS
    for fact in ("size", "rows", "noise"):
        assert found.dp.metadata[fact] == expected.dp.metadata[fact]


@pytest.mark.filterwarnings("ignore:The inplace keyword")
def test_a_frame_that_was_cut_before_it_is_asked_has_a_private_size() -> None:
    session = pdp.Session(epsilon=1000)
    frame = session.protect(people())
    CUTS["rows dropped"](frame)
    assert frame.dp.sum(bounds={"x": (90, 100)}, epsilon=1, numeric_only=True).dp.metadata["size"] is None


@pytest.mark.parametrize(
    ("ask", "questions"),
    [
        (lambda p: p["x"].dp.mean(bounds=(90, 100)), 1),
        (lambda p: p[p["x"] > 0].dp.mean(bounds={"x": (90, 100)}, numeric_only=True), 1),
        (lambda p: p.dp.crosstab("k", "j", categories=DECLARED), 1),
        (lambda p: p.dp.crosstab("k", "j", categories=DECLARED, margins="planned"), 1),
        (lambda p: p.dp.groupby("k", categories=["a", "b"])["x"].agg(["mean", "count"], bounds=(90, 100)), 1),
        (lambda p: p.dp.marginals([["k", "j"], []], categories=DECLARED), 1),
        (lambda p: p["x"].dp.median(bounds=(90, 100), model="idp"), 1),
    ],
    ids=["mean", "derived", "crosstab", "planned", "groupby", "marginals", "idp"],
)
def test_whether_a_frame_is_whole_is_asked_once_a_question(
    ask: Callable[[pd.DataFrame], Any], questions: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = pdp.Session(epsilon=1000, models=["dp", "idp"]).protect(people())
    asked = _counted(monkeypatch)
    ask(frame)
    assert len(asked) == questions


def test_published_tables_ask_once_for_each_question(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    frame = pdp.Session(epsilon=1000).protect(people())
    asked = _counted(monkeypatch)
    one = lambda: frame.dp.marginals([["k", "j"], []], categories=DECLARED)  # noqa: E731
    pdp.publish_tables(tmp_path / "t", {"one": one, "two": one})
    assert len(asked) == 2


def _counted(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Every time that the library asks, outside of pandas' own taking of columns."""
    asked: list[Any] = []
    for place in (tables, core):

        def counted(data: Any, ask: Callable[[Any], bool] = place.is_whole) -> bool:
            asked.append(data)
            return ask(data)

        monkeypatch.setattr(place, "is_whole", counted)
    return asked
