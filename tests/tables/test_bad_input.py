"""What tables meet in practice: cells that never occur, single cells, no rows, huge counts, missing keys, many cells.

Each is answered, or refused by what everyone knows; and what is answered has the same shape, labels and types whatever
the data are.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp import errors
from pandas_dp.audit import zero_noise
from pandas_dp.core.engine.sweep import SumsOf
from tests.refusals import refused

Ask = Callable[..., pdp.Release]
DECLARED: dict[str, list[Any]] = {"k": ["a", "b", "never"], "j": [1, 2]}
ONE: dict[str, list[Any]] = {"k": ["a"], "j": [1]}
HUGE = 2**33 + 1


def crosstab(frame: pd.DataFrame, folder: Path, categories: Any, **how: Any) -> pdp.Release:
    return frame.dp.crosstab("k", "j", epsilon=1, categories=categories, margins=True, **how)


def planned(frame: pd.DataFrame, folder: Path, categories: Any, **how: Any) -> pdp.Release:
    return frame.dp.crosstab("k", "j", epsilon=1, categories=categories, margins="planned", **how)


def marginals(frame: pd.DataFrame, folder: Path, categories: Any, **how: Any) -> pdp.Release:
    return frame.dp.marginals([["k", "j"], ["k"], []], epsilon=1, categories=categories, **how)


def means(frame: pd.DataFrame, folder: Path, categories: Any, **how: Any) -> pdp.Release:
    given = {"epsilon": 1, "bounds": (0, 10), "categories": categories, **how}
    return frame.dp.marginals([["k", "j"], ["k"], []], "x", ["count", "sum", "mean"], **given)


def published(frame: pd.DataFrame, folder: Path, categories: Any, **how: Any) -> pdp.Release:
    ask = {"t": lambda: marginals(frame, folder, categories, **how)}
    return pdp.publish_tables(folder / f"t{len(list(folder.iterdir()))}", ask).table(["j", "k"])


ASKS: list[Ask] = [crosstab, planned, marginals, means, published]
TABLES: dict[str, Callable[[], pd.DataFrame]] = {
    "ordinary": lambda: pd.DataFrame({"k": ["a", "b"] * 10, "j": [1, 2, 2, 1] * 5, "x": range(20)}),
    "no rows": lambda: pd.DataFrame({"k": ["a"], "j": [1], "x": [3]}).iloc[:0],
    "one row": lambda: pd.DataFrame({"k": ["a"], "j": [1], "x": [3]}),
    "only cells that were not declared": lambda: pd.DataFrame({"k": ["z"] * 20, "j": [9] * 20, "x": [1] * 20}),
    "missing keys": lambda: pd.DataFrame(
        {"k": ["a", None, np.nan, pd.NA, "b"] * 4, "j": [1, 2, None, pd.NaT, np.nan] * 4, "x": [1, None, 3, 4, 5] * 4}
    ),
    "odd keys": lambda: pd.DataFrame(
        {"k": [("a",), {"a"}, [1], 2.5, "a"] * 4, "j": ["1", True, 1 + 0j, 2, "x"] * 4, "x": 1}
    ),
}


def anatomy(release: pd.DataFrame) -> tuple[Any, ...]:
    return release.index.tolist(), release.columns.tolist(), release.dtypes.tolist(), sorted(release.attrs["dp"])


@pytest.mark.parametrize("categories", [DECLARED, ONE], ids=["never", "one cell"])
@pytest.mark.parametrize("ask", ASKS, ids=lambda ask: ask.__name__)
def test_every_table_is_answered_in_one_shape(tmp_path: Path, ask: Ask, categories: Any) -> None:
    found = []
    for relation in ("replace", "add_remove"):
        for make in TABLES.values():
            frame = pdp.Session(epsilon=10, neighbours=relation).protect(make())
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                found.append(anatomy(ask(frame, tmp_path, categories)))
    assert all(each == found[0] for each in found)


@pytest.mark.parametrize("ask", ASKS, ids=lambda ask: ask.__name__)
def test_missing_and_undeclared_keys_are_in_no_cell_or_in_the_other(tmp_path: Path, ask: Ask) -> None:
    frame = pdp.Session(epsilon=10**9).protect(TABLES["missing keys"]())
    with zero_noise():
        without, other = (ask(frame, tmp_path, DECLARED, other=flag) for flag in (False, True))
    whole, there = (
        table.xs("count", axis=1, level=-1) if table.columns.nlevels > 1 else table for table in (without, other)
    )
    counts = [each["count"] if "count" in each else each.iloc[:, 0] for each in (whole, there)]
    if ask in (crosstab, planned):
        assert without.iloc[-1, -1] == pytest.approx(4)  # a with 1 alone has both keys
        assert other.iloc[-1, -1] == pytest.approx(20)
    elif ask is marginals:
        assert counts[0].iloc[-1] == pytest.approx(4)
        assert counts[1].iloc[-1] == pytest.approx(20)
    elif ask is published:
        assert counts[0].sum() == pytest.approx(4)
        assert counts[1].sum() == pytest.approx(20)
        assert other.loc[("other", "other"), "count"] == pytest.approx(8)
    else:
        assert without["x", "count", "count"].iloc[-1] == pytest.approx(4)
        assert other["x", "count", "count"].iloc[-1] == pytest.approx(16)  # four rows have no x


@pytest.mark.parametrize("ask", [crosstab, planned, marginals, published], ids=lambda ask: ask.__name__)
@pytest.mark.parametrize("consistent", [True, False])
def test_counts_beyond_two_to_the_31_are_right(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ask: Ask, consistent: bool
) -> None:
    """Nobody has that many rows here, so the table of sums is made larger where it leaves the rows."""
    finish = SumsOf.finish
    monkeypatch.setattr(SumsOf, "finish", lambda self, whole: finish(self, whole) * HUGE)
    frame = pdp.Session(epsilon=10**9).protect(TABLES["ordinary"]())
    how = {} if ask in (crosstab, planned) else {"consistent": consistent}
    with zero_noise():
        exact = ask(frame, tmp_path, DECLARED, **how)
    noisy = ask(frame, tmp_path, DECLARED, **how)
    requested = 5 * HUGE
    where: Any = {marginals: ("a", 1), published: (1, "a")}.get(ask, "a")
    column = 1 if ask in (crosstab, planned) else "count"
    assert exact.loc[where, column] == pytest.approx(requested, rel=1e-12)
    assert abs(noisy.loc[where, column] - requested) < 1000
    ends = noisy.dp.confint().loc[where]
    assert abs((ends[1] if ask in (crosstab, planned) else ends).max() - requested) < 1000


@pytest.mark.slow
def test_a_million_declared_cells_are_answered_and_stored(tmp_path: Path) -> None:
    declared = {"k": list(range(1000)), "j": list(range(1000))}
    r = np.random.default_rng(1)
    frame = pdp.Session(epsilon=10).protect(pd.DataFrame({name: r.integers(0, 1000, 5000) for name in "kj"}))
    cross = frame.dp.crosstab("k", "j", epsilon=1, categories=declared, margins="planned")
    assert cross.shape == (1001, 1001)
    tables = pdp.publish_tables(
        tmp_path / "t",
        {"t": lambda: frame.dp.marginals([["k", "j"], ["k"]], epsilon=1, categories=declared)},
    )
    part = pdp.open_tables(tmp_path / "t").table(["j"], {"k": list(range(500))})
    assert part.shape == (1000, 4)
    assert part.equals(tables.table(["j"], {"k": list(range(500))}))


@pytest.mark.parametrize("ask", ASKS, ids=lambda ask: ask.__name__)
def test_more_cells_than_a_table_can_have_are_refused_before_paying(tmp_path: Path, ask: Ask) -> None:
    session = pdp.Session(epsilon=10)
    frame = session.protect(TABLES["ordinary"]())
    with refused(errors.UnsupportedArgument):
        ask(frame, tmp_path, {"k": list(range(10_001)), "j": list(range(1000))})
    assert session.share_used == 0
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("ask", ASKS, ids=lambda ask: ask.__name__)
@pytest.mark.parametrize(
    ("categories", "says"),
    [
        ({"k": [], "j": [1]}, "must name at least one value"),
        ({"k": ["a", "a"], "j": [1]}, "must be distinct"),
        ({"k": ["a", None], "j": [1]}, "must not hold missing values"),
        ({"k": ["a"]}, "has no declared categories"),
        ({"k": [["a"]], "j": [1]}, "must be single values"),
    ],
)
def test_bad_categories_are_refused_before_paying(tmp_path: Path, ask: Ask, categories: Any, says: str) -> None:
    session = pdp.Session(epsilon=10)
    frame = session.protect(TABLES["ordinary"]())
    with refused(errors.PrivacyError, says):
        ask(frame, tmp_path, categories)
    assert session.share_used == 0
    assert not list(tmp_path.iterdir())


def _called(name: str, *given: Any, **named: Any) -> None:
    session = pdp.Session(epsilon=10)
    people = session.protect(pd.DataFrame({"age": ["a", "b"] * 30, "sex": ["f", "m"] * 30, "x": 1}))
    declared = {"age": ["a", "b"], "sex": ["f", "m"]}
    keys = {key: values for key, values in declared.items() if key in str(given) or "band" in str(given)}
    try:
        getattr(people.dp, name)(*given, **{"categories": keys, "epsilon": 1, **named})
    finally:
        assert session.share_used == 0


BAND = {"age": {"band": {"a": "all", "b": "all"}}}


@pytest.mark.parametrize(
    ("ask", "says"),
    [
        (lambda: _called("plan_marginals", [["age"]], values="x"), "has no argument 'values'"),
        (lambda: _called("plan_marginals", [["age"]], cost_shares=[1]), "has no argument 'cost_shares'"),
        (lambda: _called("plan_marginals", [["age"]], hierarchies=BAND), "has no argument 'hierarchies'"),
        (
            lambda: _called("crosstab", "age", "band", hierarchies=BAND),
            "crosstab was given 'band', a level of 'age', beside 'age': both read that column",
        ),
        (
            lambda: _called("crosstab", "band", "sex", hierarchies={"band": {"age": {"a": 1, "b": 1}}}),
            "hierarchies name what is no column: the column comes first, then its level",
        ),
        (
            lambda: _called("crosstab", "band", "sex", hierarchies={"band": {"a": 1, "b": 1}}),
            "the column first, then its level",
        ),
        (
            lambda: _called("crosstab", "band", "sex", hierarchies={"age": {"band": {"a": 1}}}),
            "number 2 of them has none",
        ),
        (
            lambda: _called("crosstab", "band", "sex", hierarchies={"age": {"band": {"a": 1, "b": None}}}),
            "number 2 of them has none",
        ),
        (
            lambda: _called("crosstab", "band", "sex", hierarchies={"age": {"band": {"a": 1, "b": 2, "c": 3}}}),
            "it has one for what is no category",
        ),
        (
            lambda: _called("crosstab", "age", "sex", values="x", aggfunc="std", margins=True, bounds=(0, 1)),
            "ask for the margin as a table of its own",
        ),
    ],
)
def test_refusals_name_what_is_wrong_and_what_to_do(ask: Any, says: str) -> None:
    with refused(errors.PrivacyError, says):
        ask()
