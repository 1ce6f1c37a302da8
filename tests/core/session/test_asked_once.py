"""What a question is about is decided once, at the door: a write that comes later changes neither rows nor noise."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp.audit import zero_noise
from pandas_dp.core.budget.ledger import MemoryLedger

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


@pytest.mark.parametrize(
    "ask",
    [
        lambda p: p["x"].dp.mean(bounds=(90, 100)),
        lambda p: p[p["x"] > 0].dp.mean(bounds={"x": (90, 100)}, numeric_only=True),
        lambda p: p.dp.crosstab("k", "j", categories=DECLARED),
        lambda p: p.dp.crosstab("k", "j", categories=DECLARED, margins="planned"),
        lambda p: p.dp.groupby("k", categories=["a", "b"])["x"].agg(["mean", "count"], bounds=(90, 100)),
        lambda p: p.dp.marginals([["k", "j"], []], categories=DECLARED),
        lambda p: p["x"].dp.median(bounds=(90, 100), model="idp"),
    ],
    ids=["mean", "followed", "crosstab", "planned", "groupby", "marginals", "idp"],
)
def test_what_a_frame_was_made_of_is_asked_once_a_question(
    ask: Callable[[pd.DataFrame], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    frame: Any = pdp.Session(epsilon=1000, models=["dp", "idp"]).protect(people())
    asked: list[Any] = []
    followed = type(frame)._dp_asked

    def counted(data: Any) -> Any:
        asked.append(data)
        return followed(data)

    for kind in (type(frame), type(frame["x"])):
        monkeypatch.setattr(kind, "_dp_asked", counted)
    ask(frame)
    assert len(asked) == 1
