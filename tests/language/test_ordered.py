"""Categories with an order are compared by it, never by their letters; what would lose it is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp.errors import NotFollowed
from pandas_dp.language.graph import Kind
from pandas_dp.language.known import Known

from .rows import Held, Made, lazy
from .test_meaning import differences, shown

LABELS = ("lo", "mid", "hi")
ORDERED = pd.CategoricalDtype(list(LABELS), ordered=True)
FRAME = pd.DataFrame(
    {
        "c": pd.Categorical(["hi", "lo", None, "mid", "lo", "hi"], dtype=ORDERED),
        "e": pd.Categorical(["lo", "hi", "lo", None, "mid", "hi"], dtype=ORDERED),
        "s": ["mid", "lo", "hi", None, None, "lo"],
        "x": [1.0, -2.0, 3.0, np.nan, 0.5, 7.0],
    }
)
WAYS: dict[str, Callable[[Any], Any]] = {
    ">": lambda d: d.c > "lo",
    ">=": lambda d: d.c >= "mid",
    "<": lambda d: d.c < "hi",
    "<=": lambda d: d.c.le("mid"),
    "reflected": lambda d: "mid" > d.c,  # noqa: SIM300 - this way round it is another call
    "==": lambda d: d.c == "mid",
    "!=": lambda d: d.c != "mid",
    "columns": lambda d: d.c < d.e,
    "between": lambda d: d.c.between("lo", "mid"),
    "query": lambda d: d[d.c > "lo"].x,
    "of a cut": lambda d: d[d.x > 0].c > "lo",
    "renamed": lambda d: d.c.rename("q") > "lo",
    "where": lambda d: d.c.where(d.x > 0) > "lo",
    "where of a label": lambda d: d.c.where(d.x > 0, "mid") > "lo",
    "mask": lambda d: d.c.mask(d.x > 0, d.e) > "lo",
    "fillna": lambda d: d.c.fillna("hi") > "mid",
    "map, each to another": lambda d: d.c.map({"lo": "z", "mid": "y", "hi": "a"}) > "z",
    "astype": lambda d: d.s.astype(ORDERED) > "lo",
    "astype, filled": lambda d: d.s.astype(ORDERED).fillna("lo") <= "lo",
    "assigned": lambda d: d.assign(z=d.c).z > "lo",
    "as text": lambda d: d.c.fillna("lo").astype(str) > "lo",
    "np.where is text": lambda d: (
        pd.Series(np.where(d.x > 0, d.c, "lo")) > "lo"
        if isinstance(d, pd.DataFrame)
        else np.where(d.x > 0, d.c, "lo") > "lo"
    ),
    "map to one": lambda d: d.c.map({"lo": "b", "mid": "b", "hi": "a"}).astype(object).fillna("") > "a",
    "isin": lambda d: d.c.isin(["lo", "hi"]),
}
REFUSED: dict[str, Callable[[Any], Any]] = {
    "no label": lambda d: d.c > "odd",
    "no label, between": lambda d: d.c.between("lo", "odd"),
    "texts": lambda d: d.c > d.s,
    "texts first": lambda d: d.s < d.c,
    "another order": lambda d: d.c > d.s.astype(pd.CategoricalDtype(["hi", "mid", "lo"], ordered=True)),
    "no order": lambda d: d.c > d.s.astype(pd.CategoricalDtype(list(LABELS))),
    "filled by no label": lambda d: d.c.fillna("odd"),
    "mixed with texts": lambda d: d.c.where(d.x > 0, d.s),
    "replaced by no label": lambda d: d.c.replace("lo", "odd"),
}


def tables() -> list[tuple[str, Any]]:
    known = {name: Known(labels=LABELS, ordered=True) for name in ("c", "e")}
    kinds: dict[str, dict[str, Kind]] = {
        "any": dict.fromkeys(FRAME, "any"),
        "declared": {"c": "text", "e": "text", "s": "text", "x": "number"},
    }
    return [(title, lazy(each, known)) for title, each in kinds.items()]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("title", "table"), tables(), ids=["any", "declared"])
def test_an_order_is_that_which_was_declared(title: str, table: Any, way: str) -> None:
    expected = shown(WAYS[way](FRAME), FRAME.index)
    assert not differences(Made.of(WAYS[way](table)).on(Held(FRAME)), expected)


@pytest.mark.parametrize("way", REFUSED)
@pytest.mark.parametrize(("title", "table"), tables(), ids=["any", "declared"])
def test_what_has_no_order_is_refused(title: str, table: Any, way: str) -> None:
    with pytest.raises(NotFollowed, match="ordered categories"):
        REFUSED[way](table)


@pytest.mark.parametrize(("title", "table"), tables(), ids=["any", "declared"])
def test_bands_are_ordered(title: str, table: Any) -> None:
    bands = table.x.cut([-9, 0, 2, 9], labels=["low", "a", "high"])
    expected = pd.cut(FRAME.x, [-9, 0, 2, 9], labels=["low", "a", "high"]) > "low"
    assert not differences(Made.of(bands > "low").on(Held(FRAME)), shown(expected, FRAME.index))


def test_an_order_that_nobody_declared_is_asked_for() -> None:
    """The dtype has it from whoever made the frame; texts would be compared by their letters."""
    grades = pd.Series(["low", "mid", "high"] * 300).astype(pd.CategoricalDtype(["low", "mid", "high"], ordered=True))
    with pdp.Session(epsilon=1e9) as session:
        d = session.scan(pd.DataFrame({"grade": grades}))
        for cut in (lambda: d.grade >= "mid", lambda: d.grade.fillna("low") < "mid", lambda: d.grade < "mid"):
            with pytest.raises(NotFollowed, match="nobody said how"):
                cut()
        said = d.grade.astype(pd.CategoricalDtype(["low", "mid", "high"], ordered=True))
        assert (said >= "mid").dp.sum(epsilon=1e6)["sum"].round().item() == 600
        assert (d.grade == "mid").dp.sum(epsilon=1e6)["sum"].round().item() == 300
        assert (d.grade.astype(str) >= "mid").dp.sum(epsilon=1e6)["sum"].round().item() == 300
