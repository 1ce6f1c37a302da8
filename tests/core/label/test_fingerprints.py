"""What makes two questions one: what was declared and asked, and nothing of how the library is written."""

from __future__ import annotations

import inspect
import json
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import fields, is_dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp.core.measure.cells import Cells, Key, Level, Presence, Variable
from pandas_dp.core.plan.run import asked
from pandas_dp.core.schema.values import Breaks, Categories, Interval, fingerprint
from tests.contracts.cases import cases

DECIDED = re.compile(r", norm=[12], plenty=(True|False)")  # how a ranked value is looked for, not what is asked
KEPT = {"k": ["a", "b"], "j": [1, 2]}


def values_inside(value: Any) -> set[type]:
    """The classes of all values of the house that a value is made of."""
    found: set[type] = set()
    for each in value if isinstance(value, list | tuple) else [value]:
        if is_dataclass(each) and not isinstance(each, type):
            found |= {type(each)}.union(*(values_inside(getattr(each, field.name)) for field in fields(each)))
        elif isinstance(each, list | tuple):
            found |= values_inside(each)
    return found


@contextmanager
def renamed(classes: Iterable[type]) -> Iterator[None]:
    """Classes under other names, which is what their repr shows."""
    names = {each: each.__qualname__ for each in classes}
    for place, each in enumerate(names):
        each.__qualname__ = f"Renamed{place}"
    try:
        yield
    finally:
        for each, name in names.items():
            each.__qualname__ = name


def test_every_statistic_says_what_it_was_asked_in_plain_json() -> None:
    for case in cases():
        said = case.estimator.to_json()
        assert json.loads(json.dumps(said, allow_nan=False)) == said, case.name


def test_two_statistics_that_differ_have_different_fingerprints() -> None:
    seen: dict[str, str] = {}
    for case in cases():
        said = DECIDED.sub("", repr(case.estimator))
        assert seen.setdefault(asked(case.estimator), said) == said, case.name
    assert len(seen) > 300


def test_no_class_of_the_house_names_itself_in_a_fingerprint() -> None:
    every = [case.estimator for case in cases()]
    before, shown = list(map(asked, every)), list(map(repr, every))
    with renamed(set().union(*map(values_inside, every))):
        assert list(map(asked, every)) == before
        assert not set(map(repr, every)) & set(shown)


def test_a_stored_folder_knows_its_question_when_classes_are_called_otherwise(tmp_path: Path) -> None:
    session = pdp.Session(epsilon=10)
    people = session.protect(pd.DataFrame({"k": ["a", "b"] * 50, "j": [1, 2, 2, 1] * 25}))
    questions = {"t": lambda: people.dp.marginals([["k", "j"]], categories=KEPT, epsilon=1)}
    first = pdp.publish_tables(tmp_path / "t", questions)
    spent = session.share_used
    rooms = [room for name, room in sys.modules.items() if name.startswith("pandas_dp.")]
    classes = {each for room in rooms for each in vars(room).values() if inspect.isclass(each) and is_dataclass(each)}
    with renamed(each for each in classes if each.__module__.startswith("pandas_dp.")):
        again = pdp.publish_tables(tmp_path / "t", questions)
    assert again.table(["k"]).equals(first.table(["k"]))
    assert session.share_used == spent
    other = {"t": lambda: people.dp.marginals([["k", "j"]], categories={**KEPT, "j": [1, 3]}, epsilon=1)}
    with pytest.raises(pdp.errors.TablesMismatch, match="another question"):
        pdp.publish_tables(tmp_path / "t", other)


RANGE = Interval(Fraction(0), Fraction(10))
KEY = Key("k", Categories(("a", "b")))
BASE: dict[str, tuple[Any, list[Any]]] = {
    "interval": (
        RANGE,
        [
            replace(RANGE, lower=Fraction(1)),
            replace(RANGE, upper=Fraction(11)),
            replace(RANGE, kind="integer"),
            replace(RANGE, nullable=True),
            replace(RANGE, resolution=Fraction(1, 2)),
            replace(RANGE, tz="Europe/Berlin"),
        ],
    ),
    "key": (
        KEY,
        [
            replace(KEY, column="j"),
            replace(KEY, column=("k",)),
            replace(KEY, labels=Categories(("b", "a"))),
            replace(KEY, labels=Categories(("a", "b"), ordered=True)),
            replace(KEY, labels=Breaks((0.0, 1.0, 2.0))),
            replace(KEY, other=True),
            replace(KEY, clamp=RANGE),
            replace(KEY, level=Level("c", ("x", "y"), (0, 1))),
            replace(KEY, level=Level("c", ("x", "y"), (1, 0))),
            replace(KEY, level=Level("d", ("x", "y"), (0, 1))),
        ],
    ),
    "categories": (
        Categories((1, 2)),
        [Categories(("1", "2")), Categories((1.0, 2.0)), Categories((True, 2)), Categories((1, 2, 3))],
    ),
    "variable": (Variable("x", RANGE), [Variable("y", RANGE), Presence("x"), Presence("x", False)]),
    "cells": (Cells((KEY,)), [Cells(), Cells((KEY, replace(KEY, column="j"))), Cells((replace(KEY, other=True),))]),
}


@pytest.mark.parametrize("what", BASE)
def test_whatever_is_declared_otherwise_has_another_fingerprint(what: str) -> None:
    one, others = BASE[what]
    prints = [fingerprint(each.to_json()) for each in (one, *others)]
    assert len(set(prints)) == len(prints)
    assert fingerprint(replace(one).to_json()) == prints[0]


def test_a_fingerprint_is_the_one_that_was_stored() -> None:
    """Never change this number: stored folders know their questions by it."""
    key = Key("sex", Categories(("f", "m")))
    assert fingerprint(Cells((key,)).to_json()) == "64d3faf82842b753"


def test_categories_of_numpy_are_those_of_python() -> None:
    one, other = (pdp.Session(epsilon=1).protect(pd.DataFrame({"k": [1, 2]})) for _ in range(2))
    first = one["k"].dp.value_counts(categories=[1, 2])
    second = other["k"].dp.value_counts(categories=np.array([1, 2]))
    assert first.attrs["dp"]["evidence"][0]["asked"] == second.attrs["dp"]["evidence"][0]["asked"]
