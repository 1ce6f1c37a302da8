"""Whatever is wrong with a label is one sentence, for every conclusion; a view of it shows the table with that line."""

from __future__ import annotations

import copy
import tracemalloc
from collections.abc import Iterator
from random import Random
from typing import Any

import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp import errors

from .golden.write import from_json
from .test_golden import STORED

DROPPED = object()
ODD = [DROPPED, None, True, -1, 0, 10**9, 10**400, 1e308, float("nan"), "x", "", "inf", [], {}, [[1, 2], [3]], [None]]
CONCLUSIONS: list[Any] = [
    *(lambda r: r.dp.confint(), lambda r: r.dp.check(), lambda r: r.dp.metadata, lambda r: r.dp.guarantee),
    *(lambda r: dir(r.dp), lambda r: r.iloc[::-1]),
    *(lambda r: r.dp.to_html(), lambda r: r.dp.to_markdown(), lambda r: r.dp.to_latex()),
    *(lambda r: r.dp.to_html(border=0), lambda r: r.dp.confint(simultaneous=True)),
]
SENTENCE = (
    "this table is a release, and its label is damaged, so nothing can be concluded from it; conclude from the release "
    "as it was published."
)


def places(fact: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every key at whatever depth, and the first entries of every list."""
    pairs = fact.items() if isinstance(fact, dict) else enumerate(fact[:2]) if isinstance(fact, list) else ()
    for name, inner in pairs:
        yield (*path, name)
        yield from places(inner, (*path, name))


def damaged(name: str, place: tuple[Any, ...], odd: Any) -> pdp.Release:
    release = pdp.Release(pd.DataFrame(from_json(STORED[name])))
    label = at = copy.deepcopy(STORED[name]["label"])
    for each in place[:-1]:
        at = at[each]
    if odd is DROPPED:
        del at[place[-1]]
    else:
        at[place[-1]] = odd
    release.attrs = {"dp": label}
    return release


def conclude_all(release: pdp.Release) -> None:
    """Nothing but a refusal is raised, and none because memory ran out; a view raises nothing."""
    assert repr(release)
    assert release._repr_html_()
    for each in CONCLUSIONS:
        refused = refusal_of(each, release)
        assert refused is None or not isinstance(refused.__cause__, MemoryError)


def refusal_of(conclude: Any, release: pdp.Release) -> Exception | None:
    """None where there is a conclusion; of a table whose kind was lost, so that it is a plain one, its word for it."""
    try:
        conclude(release)
    except errors.PrivacyError as refused:
        return refused
    except AttributeError as refused:
        if "this table is none" in str(refused):
            return refused
        raise
    return None


def drawn(name: str, many: int) -> list[tuple[tuple[Any, ...], Any]]:
    random, all_places = Random(name), [place for place in places(STORED[name]["label"]) if place != ("digest",)]
    own = [place for place in all_places if place[0] == "evidence"]
    return [(random.choice(own if at % 2 else all_places), random.choice(ODD)) for at in range(many)]


@pytest.mark.parametrize("name", ["sum", "mean", "corr", "ols", "quantiles"])
def test_a_label_with_something_odd_in_it_is_refused_in_words(name: str) -> None:
    for place, odd in drawn(name, 4):
        conclude_all(damaged(name, place, odd))


@pytest.mark.parametrize(
    ("name", "place", "odd"),
    [
        ("shares", ("evidence", 0, "columns"), 10**9),  # which took 24 GB
        ("shares", ("evidence", 0, "rows"), 10**9),
    ],
)
def test_a_size_that_no_table_has_is_refused_before_anything_is_made_of_it(
    name: str, place: tuple[Any, ...], odd: Any
) -> None:
    conclude_all(damaged(name, place, odd))


@pytest.mark.slow
@pytest.mark.further
@pytest.mark.parametrize("name", STORED)
def test_every_label_with_something_odd_in_it_is_refused_in_words(name: str) -> None:
    for place, odd in drawn(name, 60):
        conclude_all(damaged(name, place, odd))


def deep(levels: int) -> Any:
    fact: Any = 1.0
    for _ in range(levels):
        fact = [fact]
    return fact


@pytest.mark.parametrize(
    ("name", "place", "odd"),
    [
        ("counts", ("evidence",), "inf"),
        ("counts", ("evidence", 0), None),
        ("counts", ("evidence", 0, "kind"), []),
        ("counts", ("evidence", 0, "noise"), float("nan")),
        ("counts", ("evidence", 0, "noise"), deep(5000)),
        ("counts", ("shows",), [7, 7]),
        ("counts-truncated-normal", ("evidence", 0, "noise", "range"), "1000000000"),
    ],
)
def test_what_cannot_be_read_is_one_sentence(name: str, place: tuple[Any, ...], odd: Any) -> None:
    release = pdp.Release(pd.DataFrame(from_json(STORED[name])))
    label = {**STORED[name]["label"], "evidence": copy.deepcopy(STORED[name]["label"]["evidence"])}
    at = label
    for each in place[:-1]:
        at = at[each]
    at[place[-1]] = odd
    release.attrs = {"dp": label}
    with pytest.raises(errors.NotConcluded) as refused:
        release.dp.confint()
    assert str(refused.value) == SENTENCE
    assert repr(release) == f"{pd.DataFrame(release)!r}\n{SENTENCE}"
    assert SENTENCE in release._repr_html_()


SIZED = [(name, place) for name in STORED for place in places(STORED[name]["label"]) if place[-1] == "which"]
SIZED += [
    ("table-of-rows", ("evidence", 0, "sizes", 1)),
    ("correlations-semidefinite", ("evidence", 0, "gram", "runs", 0, "many")),
]


@pytest.mark.parametrize(("name", "place"), [SIZED[0], SIZED[-1]])
def test_a_size_is_compared_with_the_table_before_anything_is_made_of_it(name: str, place: tuple[Any, ...]) -> None:
    release = damaged(name, place, 10**7)
    tracemalloc.start()
    try:
        with pytest.raises(errors.NotConcluded, match="its label is damaged"):
            release.dp.confint()
        assert repr(release).endswith(SENTENCE)
        assert tracemalloc.get_traced_memory()[1] < 50_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("export", ["to_markdown", "to_latex", "to_html"])
def test_an_export_says_that_the_label_is_damaged(export: str) -> None:
    """What they print is read from the label, too: each ended in numpy's own words."""
    with pytest.raises(errors.NotConcluded, match="label is damaged"):
        getattr(damaged("corr", ("evidence", 0, "gram", "released"), True).dp, export)()
