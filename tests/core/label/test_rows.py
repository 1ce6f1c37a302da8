"""What a label, its guarantee and a session's promise say of how rows were made."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp.core.budget.cost import parse
from pandas_dp.core.budget.ledger import ModelTotal
from pandas_dp.core.label.label import Label
from pandas_dp.core.label.release import guarantee
from pandas_dp.core.neighbours import Relation
from pandas_dp.core.protect.making import Making, rows_of
from pandas_dp.core.session.view import promise

CUT = "of rows cut from the table, their number private and paid for"
MADE = "of rows made of the table, their number private and paid for"
NOT_READ = "holds if no constant in it was read from the rows"
CALLS = "it calls a function of the analyst for each row, and holds if that keeps nothing from row to row"
VOUCHED = "of a frame for which the analyst vouched{}: it holds if each of its rows was made of one protected row"

SAID: dict[str, tuple[dict[str, Any], list[str]]] = {
    "whole": ({"rows": "whole", "size": 3}, []),
    "whole, its number private": ({"rows": "whole"}, []),
    "whole of people": ({"rows": "whole", "unit": "id"}, ["how many people is private and paid for"]),
    "followed": ({"rows": "followed"}, [CUT]),
    "followed of people": ({"rows": "followed", "unit": "id"}, ["how many people is private and paid for"]),
    "followed, read": ({"rows": "followed", "read": "values"}, [f"{CUT}, and {NOT_READ}"]),
    "followed, shown": ({"rows": "followed", "read": "shown"}, [f"{CUT}, and {NOT_READ}"]),
    "blocks of followed": ({"rows": "followed", "size": 20, "read": "values"}, [f"it {NOT_READ}"]),
    "functions": ({"rows": "followed", "functions": ["f, line 3"]}, [CUT, CALLS]),
    "vouched": ({"rows": "vouched", "because": "rows alone"}, [MADE, VOUCHED.format(' ("rows alone")')]),
    "vouched, read": ({"rows": "vouched", "read": "values"}, [f"{MADE}, and {NOT_READ}", VOUCHED.format("")]),
    "given": ({"rows": "given"}, ["its size private and paid for"]),
    "derived": ({"rows": "derived"}, ["of a derived frame, each row once, its size private and paid for"]),
}


@pytest.fixture(scope="module")
def label() -> dict[str, Any]:
    with pdp.Session(epsilon=1) as session:
        frame = session.protect(pd.DataFrame({"x": [1.0, 2.0]}))
        return dict(frame["x"].dp.sum(bounds=(0, 3), epsilon=0.5).attrs["dp"])


@pytest.mark.parametrize("name", SAID)
def test_the_guarantee_says_of_which_rows_and_on_what_it_depends(name: str, label: dict[str, Any]) -> None:
    facts, parts = SAID[name]
    found = guarantee(Label.from_json({**label, "size": None, **facts}))
    assert found.partition("laplace noise")[2] == "".join(f"; {part}" for part in parts) + "."


OLD = [
    ({"derived": False, "unprotected": False}, "whole"),
    ({"derived": True, "unprotected": False}, "derived"),
    ({"derived": True, "unprotected": True}, "given"),
    ({"derived": True}, "derived"),
]


@pytest.mark.parametrize(("facts", "word"), OLD)
def test_what_the_first_labels_and_ledgers_say_is_read(facts: Any, word: str, label: dict[str, Any]) -> None:
    old = {name: fact for name, fact in label.items() if name not in ("layout", "read", "made", "functions", "because")}
    read = Label.from_json({**old, **facts, "rows": "items"})
    assert (read.rows, read.layout, read.read) == (word, "items", "nothing")
    assert rows_of(facts) == word


def test_a_promise_counts_what_depends_on_more() -> None:
    rows = Counter(whole=4, followed=2, vouched=1, read=3, given=1)
    cap = parse(epsilon=1)
    said = promise(cap, Relation.REPLACE, {"dp": ModelTotal()}, rows)
    assert "1 release is of frames vouched for by the analyst, where it holds if each row" in said
    assert "3 releases are of rows cut or made with constants that may have been read" in said
    assert "1 release is of tables that were not protected" in said
    assert promise(cap, Relation.REPLACE, {"dp": ModelTotal()}, Counter(whole=4, followed=2)).count(".") == 1


class Said:
    def text(self, columns: Any = None, masked: bool = False) -> str:
        return "rows: x > #1" if masked else "rows: x > 13.5"


@pytest.mark.parametrize(("read", "made"), [("nothing", "rows: x > 13.5"), ("shown", "rows: x > #1")])
def test_constants_are_said_where_nothing_was_read(read: Any, made: str) -> None:
    making = Making("followed", read, Said())
    assert making.to_json(["x"])["made"] == made
    assert making.made() == "rows: x > 13.5"


def test_a_ledger_says_which_rows_were_asked_and_what_was_read_before() -> None:
    with pdp.Session(epsilon=1) as session:
        table = session.scan(pd.DataFrame({"x": [1.0, 2.0]}))
        table["x"].dp.sum(bounds=(0, 3), epsilon=0.1)
        table[table["x"] > 1]["x"].dp.sum(bounds=(0, 3), epsilon=0.1)
        table["x"].rows._source.shows("values")
        table["x"].rows._source.shows("shown")  # never less
        label = table[table["x"] > 1]["x"].dp.sum(bounds=(0, 3), epsilon=0.1).attrs["dp"]
        assert session.ledger["rows"].tolist() == ["whole", "followed", "followed"]
        assert label["read"] == "values"
        assert session.plan(lambda: table["x"].dp.count())["rows"].tolist() == ["whole"]
        assert "1 release is of rows cut or made with constants" in session.promise
