"""Contract 5: what a release looks like, costs and says beside its numbers is the same whatever the rows hold."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pandas_dp as pdp
from pandas_dp.audit import seeded_noise, zero_noise
from pandas_dp.core.door.frame import FrameAccessor
from pandas_dp.core.door.grouped import GroupedAccessor
from pandas_dp.core.door.series import SeriesAccessor
from tests.same_each_run import chosen

from ..cuts import all_of
from .questions import ACCESSORS, COLUMNS, ODDITIES, QUESTIONS, ROWS, TABLES, Ask, filled, normal, open_session

WAYS = ("whole", "derived", "add_remove")
NUMBERS = {"values", "count", "total", "squares", "product", "interior"}  # of the evidence: what was released
NUMBERS |= {"released", "swing", "products", "rest", "effective", "deff"}  # of surveys
NUMBERS |= {"below", "tied"}  # of distributions
NUMBERS |= {"numbers", "n"}  # of moments and regressions
NUMBERS |= {
    "parameter",
    "estimand",
    "around",
    "ends",
    "few_events",
    "clip",
    "cut",
    "clipped_at",
    "tops",
}  # of later stages
NUMBERS |= {"centres", "grid", "ridge", "offset", "slope"}  # of clusters and classifiers
NUMBERS |= {"top", "beside"}  # of tests
NUMBERS |= {"distances"}
OF_ANSWERS = {"near"}  # which bins are kept of those around quantiles follows from what was released, not from rows
SPENT = ["statistic", "columns", "by", "mechanism", "rows", "epsilon", "delta", "rho"]
OWN = {"id", "entry", "digest", "frame"}  # of one release, and of one protected frame


def accessor_of(data: pd.DataFrame, way: str) -> tuple[pdp.Session, pd.DataFrame]:
    session = open_session(**({"neighbours": "add_remove"} if way == "add_remove" else {}), delta=1e-6)
    protected = session.protect(data)
    return session, all_of(protected) if way == "derived" else protected


def outline(value: Any) -> Any:
    """What a label's numbers leave behind: their keys, types and lengths."""
    if isinstance(value, dict):
        told = {key: each for key, each in value.items() if key not in OF_ANSWERS}
        return {key: shape(each) if key in NUMBERS else outline(each) for key, each in told.items()}
    if isinstance(value, list | tuple):
        return [outline(each) for each in value]
    return value


def shape(value: Any) -> Any:
    if isinstance(value, list):
        return [shape(each) for each in value]
    return shape(list(value.items())) if isinstance(value, dict) else type(value).__name__


def seen(release: pd.DataFrame) -> dict[str, Any]:
    """All that a release shows except its numbers."""
    label = {key: value for key, value in release.attrs["dp"].items() if key not in OWN}
    label["made"] = label["made"] and re.sub(r"-?\d[\d.]*(e[-+]?\d+)?", "1", label["made"])  # of released numbers
    return {
        "type": type(release).__name__,
        "rows": [repr(row) for row in release.index],
        "row names": list(release.index.names),
        "columns": [repr(column) for column in release.columns],
        "column names": list(release.columns.names),
        "index dtype": str(release.index.dtype),
        "dtypes": [str(dtype) for dtype in release.dtypes],
        "label": outline(label),
        "order": list(release.attrs["dp"]),
    }


def asked(ask: Ask, data: pd.DataFrame, way: str, noises: Sequence[str] = ("noisy", "exact")) -> dict[str, Any]:
    """What is seen of an answer with noise, of one without, and what each costs."""
    session, frame = accessor_of(data, way)
    found: dict[str, Any] = {}
    for noise in noises:
        before = len(session.ledger)
        with seeded_noise(3) if noise == "noisy" else zero_noise():
            found[noise] = seen(ask(frame))
        spent = session.ledger.iloc[before:][SPENT]
        found[f"spent, {noise}"] = repr(spent.to_dict("list"))
    session.close()
    return found


@pytest.mark.parametrize(
    ("accessor", "kind"),
    [("Series", SeriesAccessor), ("DataFrame", FrameAccessor), ("groupby", GroupedAccessor)],
    ids=str,
)
def test_every_question_of_every_face_is_asked_here(accessor: str, kind: type) -> None:
    offered = {name for name in vars(kind) if not name.startswith("_") and callable(getattr(kind, name))}
    shaped_by_answers = {"top_values", "mode"}  # whose rows are an answer: see tests/keys
    assert offered - {"groupby", "plan_marginals"} - shaped_by_answers <= {
        name.split(" ")[0] for name in ACCESSORS[accessor]
    }


@pytest.mark.parametrize("table", TABLES)
def test_a_plan_is_the_same_for_every_table_and_costs_nothing(table: str) -> None:
    plans = []
    for data in (normal(), TABLES[table]()):
        session, frame = accessor_of(data, "whole")
        plans.append(frame.dp.plan_marginals([["k", "j"], ["flag"], []], epsilon=1))
        assert len(session.ledger) == 0
        session.close()
    pd.testing.assert_frame_equal(*plans)


@pytest.mark.parametrize("name", QUESTIONS)
def test_shape_price_and_label_do_not_depend_on_the_rows(name: str) -> None:
    """Each question in each way, of tables that its name chooses: over all names, each table in each way."""
    for way in WAYS:
        expected = asked(QUESTIONS[name], normal(), way)
        for table in chosen([*TABLES], f"{name}, {way}", 3):
            assert asked(QUESTIONS[name], TABLES[table](), way) == expected, f"{name} of {table}, {way}"


@pytest.mark.further
@pytest.mark.parametrize("name", QUESTIONS)
def test_nor_on_any_table_in_one_way(name: str) -> None:
    """Each question of each table, in the way that its name chooses."""
    (way,) = chosen(WAYS, name)
    expected = asked(QUESTIONS[name], normal(), way)
    for table, make in TABLES.items():
        noises = chosen(["noisy", "exact"], f"{name} of {table}")
        assert asked(QUESTIONS[name], make(), way, noises).items() <= expected.items(), f"{name} of {table}"


@pytest.mark.parametrize("name", QUESTIONS)
def test_an_empty_table_of_private_size_looks_like_any_other(name: str) -> None:
    (way,) = chosen(["derived", "add_remove"], name)
    expected, *found = (asked(QUESTIONS[name], data, way) for data in (normal(), normal().iloc[:0], normal(200)))
    if way == "derived":  # the number of rows of the frame that it was cut from is public, and stays that of a design
        for each in (expected, *found):
            for which in ("noisy", "exact"):
                for facts in each[which]["label"]["evidence"]:
                    without_people(facts)
    assert found == [expected, expected]


def without_people(facts: dict[str, Any]) -> None:
    for each in (facts, facts.get("counts")):
        if isinstance(each, dict):
            each.pop("people", None)


@pytest.mark.parametrize("name", QUESTIONS)
def test_an_empty_whole_table_is_answered_too(name: str) -> None:
    expected, found = asked(QUESTIONS[name], normal(), "whole"), asked(QUESTIONS[name], normal().iloc[:0], "whole")
    for each in (expected, found):
        for which in ("noisy", "exact"):
            each[which]["label"].pop("size")
            each[which]["label"].pop("noise", None)
            for facts in each[which]["label"]["evidence"]:
                facts.pop("size", None)
                if facts["kind"] == "distances":  # public rows stand for so many
                    facts.pop("totals"), facts.pop("asked")
                without_people(facts)
                for inner in ("sums", "gram"):
                    (facts.get(inner) or {}).pop("size", None)
    assert found == expected


def indexes(frame: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Derived frames whose row ids were treated badly, the name of the index kept."""
    name = frame.index.name
    strange = np.empty(ROWS, dtype=object)
    strange[:] = [None, np.nan, "x", -1, 10**30, 2.5, True, pd.NaT, (1, 2), 0, 0, 1]
    return {
        "repeated": pd.concat([frame, frame, frame.iloc[::-1]]),
        "all the same": frame.set_axis(pd.Index([3] * ROWS, name=name)),
        "floats": frame.set_axis(frame.index.astype(float)),
        "missing": frame.set_axis(pd.Index([np.nan] * ROWS, name=name)),
        "negative": frame.set_axis(pd.Index(range(-ROWS, 0), name=name)),
        "far": frame.set_axis(pd.Index(np.full(ROWS, 2**63 - 1), name=name)),
        "unsigned": frame.set_axis(pd.Index(np.full(ROWS, 2**64 - 1, dtype=np.uint64), name=name)),
        "objects": frame.set_axis(pd.Index(strange, dtype=object, name=name)),
        "texts": frame.set_axis(pd.Index(["a"] * ROWS, name=name)),
        "times": frame.set_axis(pd.date_range("2020", periods=ROWS, name=name)),
        "categories": frame.set_axis(pd.CategoricalIndex([1, 2, None] * (ROWS // 3), name=name)),
        "nullable": frame.set_axis(pd.Index(pd.array([1, None] * (ROWS // 2), dtype="Int64"), name=name)),
        "none": frame.iloc[:0],
    }


@pytest.mark.parametrize("neighbours", ["replace", "add_remove"])
@pytest.mark.parametrize("name", ["Series.mean nullable", "DataFrame.crosstab", "groupby.median", "DataFrame.cov"])
def test_ids_of_any_kind_are_read_in_silence(name: str, neighbours: str) -> None:
    session = open_session(neighbours=neighbours, delta=1e-6)
    frame = session.protect(normal())

    def vouched(rows: pd.DataFrame) -> dict[str, Any]:
        found = seen(QUESTIONS[name](session.vouch(rows, because="each row is one of the table")))
        return {**found, "label": {**found["label"], "read": None}}  # which the treatments raise

    expected = vouched(frame)
    for treated, other in indexes(frame).items():
        assert vouched(other) == expected, treated
    session.close()


@st.composite
def tables(draw: st.DrawFn) -> pd.DataFrame:
    """Columns of anything, as objects or as whatever pandas makes of them."""
    odd = st.one_of(
        st.integers(0, len(ODDITIES) - 1).map(lambda place: ODDITIES[place]),  # hypothesis would hash them
        st.integers(),
        st.floats(),
        st.text(max_size=3),
        st.booleans(),
        st.datetimes(),
        st.timedeltas(),
        st.decimals(),
        st.fractions(),
    )
    made: dict[str, pd.Series] = {}
    for name in COLUMNS:
        values = draw(st.lists(odd, min_size=4, max_size=4))
        column = np.empty(4, dtype=object)
        for place, value in enumerate(values):
            column[place] = value
        made[name] = pd.Series(column, dtype=object)
    return pd.DataFrame(made)


EXPECTED: dict[tuple[str, str], Any] = {}


@pytest.mark.slow
@settings(max_examples=150, deadline=None, derandomize=True)
@given(data=tables(), name=st.sampled_from(sorted(QUESTIONS)), way=st.sampled_from(WAYS))
def test_no_table_changes_what_a_release_looks_like(data: pd.DataFrame, name: str, way: str) -> None:
    if (name, way) not in EXPECTED:
        EXPECTED[name, way] = asked(QUESTIONS[name], normal(4), way)
    assert asked(QUESTIONS[name], data, way) == EXPECTED[name, way]


def test_a_session_shows_nothing_of_the_rows() -> None:
    session = open_session(delta=1e-6)
    frame = session.protect(filled("a secret value"))
    for ask in QUESTIONS.values():
        ask(frame)
    accessors = [frame.dp, frame["x"].dp, frame.dp.groupby("k")]
    shown = [repr(session), session._repr_html_(), session.ledger.to_csv(), session.promise, *map(repr, accessors)]
    assert not [text for text in shown if "secret" in text]
    session.close()
