"""The label of a release: plain JSON for every statistic, and what it says."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp.core.label.release import Release
from pandas_dp.core.noise.samplers import bits
from pandas_dp.views.exports import _cell

from .questions import EVERY, label_of


@pytest.mark.parametrize("name", EVERY)
def test_a_label_is_plain_json(name: str, people: pd.DataFrame) -> None:
    label = label_of(EVERY[name](people))
    assert json.loads(json.dumps(label, allow_nan=False)) == label


@pytest.mark.parametrize("name", EVERY)
def test_a_label_of_nobody_is_plain_json(name: str, people: pd.DataFrame) -> None:
    label = label_of(EVERY[name](people[people["age"] > 1_000]))
    assert json.loads(json.dumps(label, allow_nan=False)) == label


@pytest.mark.parametrize("column", [float("nan"), float("inf"), pd.Timestamp("2024-01-01"), 0, ("a", 1)])
def test_any_column_label_becomes_json(column: Any, session: pdp.Session) -> None:
    data = session.protect(pd.DataFrame(np.ones((3, 1)), columns=pd.Index([column], tupleize_cols=False)))
    label = label_of(data.dp.mean(bounds=(0, 1)))
    assert json.loads(json.dumps(label, allow_nan=False)) == label


def test_a_label_says_what_was_asked_and_promised(session: pdp.Session, people: pd.DataFrame) -> None:
    label = label_of(people.dp.crosstab("sex", "region", epsilon=0.5, confidence=0.9))
    unsaid = ("id", "entry", "evidence", "digest")
    said = {name: label[name] for name in label if name not in unsaid and label[name] not in (None, [])}
    assert label["columns"] == []
    assert said == {
        "format": 1,
        "kind": "release",
        "session": "generous",
        "statistic": "crosstab",
        "by": ["sex", "region"],
        "model": "dp",
        "epsilon": 0.5,
        "delta": 0.0,
        "mechanism": "laplace",
        "noise": [[{"law": {"distribution": "discrete laplace", "scale": "4"}, "numbers": 1}]],
        "rows": "whole",
        "read": "nothing",
        "neighbours": "replace",
        "frame": people.index.name,
        "confidence": 0.9,
        "size": 401,
        "layout": "cells",
        "insecure": False,
        "version": pdp.__version__,
    }


def test_a_label_names_its_entry_in_the_ledger(session: pdp.Session, people: pd.DataFrame) -> None:
    people["age"].dp.sum()
    label = label_of(people["age"].dp.sum())
    assert label["entry"] == 2
    assert session.ledger.loc[2, "release"] == label["id"]


def test_the_size_is_told_only_where_it_is_public(people: pd.DataFrame) -> None:
    assert label_of(people["age"].dp.mean())["size"] == 401
    assert label_of(people[people["age"] > -1]["age"].dp.mean())["size"] is None


def test_an_all_true_mask_and_one_that_drops_a_row_give_the_same_label_but_for_the_numbers(
    people: pd.DataFrame,
) -> None:
    everyone = people["age"] > -1
    all_but_one = people["age"] > 0
    labels = [label_of(people[mask]["age"].dp.mean(epsilon=1)) for mask in (everyone, all_but_one)]
    for label in labels:
        for name in ("id", "entry", "digest", "evidence", "made"):
            label.pop(name)
    assert labels[0] == labels[1]


def test_a_choice_has_no_law_of_noise(people: pd.DataFrame) -> None:
    label = label_of(people["age"].dp.median(mechanism="exponential"))
    assert (label["mechanism"], label["noise"]) == ("exponential", [None])


def test_noise_whose_scale_is_a_function_of_the_data_leaves_it_out(people: pd.DataFrame) -> None:
    for mechanism in ("smooth", "cauchy", "student"):
        label = label_of(people["age"].dp.median(mechanism=mechanism))
        assert label["mechanism"].startswith("smooth ")
        assert label["noise"] == [None]


def test_a_public_count_has_no_mechanism(people: pd.DataFrame) -> None:
    label = label_of(people["age"].dp.count())
    assert (label["mechanism"], label["noise"], label["epsilon"]) == (None, [], 0.0)


@pytest.mark.parametrize("name", EVERY)
def test_noise_that_was_replaced_for_a_test_marks_the_release_insecure(name: str, people: pd.DataFrame) -> None:
    with bits.replaced(lambda count: os.urandom(count)):
        release = EVERY[name](people)
    assert label_of(release)["insecure"] is True
    assert "INSECURE: the noise was seeded for a test" in release.dp.guarantee


def test_noise_from_the_system_leaves_no_mark(people: pd.DataFrame) -> None:
    assert label_of(people["age"].dp.sum())["insecure"] is False


@pytest.mark.parametrize(
    "make",
    [
        lambda r: r * 2,
        lambda r: r.reset_index(),
        lambda r: r.describe(),
        lambda r: pd.concat([r, r]),
    ],
)
def test_what_pandas_computes_from_a_release_is_a_plain_table(make: Callable[[Any], Any], people: pd.DataFrame) -> None:
    assert type(make(people["age"].dp.mean())) is pd.DataFrame


def test_a_release_is_a_table_of_its_own_kind(people: pd.DataFrame) -> None:
    release = people["age"].dp.mean()
    assert type(release) is Release is pdp.Release
    assert type(release["mean"]) is pd.Series


@pytest.mark.parametrize(
    ("ask", "sentence"),
    [
        (
            lambda p: p["age"].dp.sum(epsilon=0.5),
            "differentially private: epsilon=0.5; one row replaced; laplace noise; "
            "a gap in age, declared complete, counts as the middle of its range.",
        ),
        (
            lambda p: p["age"].dp.sum(rho=0.5),
            "differentially private: rho=0.5 (epsilon=5.23 at delta=1e-06); one row replaced; gaussian noise; "
            "a gap in age, declared complete, counts as the middle of its range.",
        ),
        (
            lambda p: p[p["age"] > 10]["age"].dp.sum(epsilon=1, delta=1e-7),
            "differentially private: epsilon=1, delta=1e-07; one row replaced; gaussian noise; "
            "of rows cut from the table, their number private and paid for.",
        ),
        (
            lambda p: p["visits"].dp.sum(rho=0.5),
            "differentially private: rho=0.5 (epsilon=5.23 at delta=1e-06); one row replaced; gaussian noise.",
        ),
        (
            lambda p: p[["age", "visits"]].dp.count(rho=0.5),
            "differentially private: rho=0.5 (epsilon=5.23 at delta=1e-06); one row replaced; gaussian noise; "
            "a gap in age, declared complete, counts as a value.",
        ),
        (
            lambda p: p[["age", "income", "visits"]].dp.mean(rho=0.5),
            "differentially private: rho=0.5 (epsilon=5.23 at delta=1e-06); one row replaced; gaussian noise; "
            "a gap in age and income, declared complete, counts as the middle of its range.",
        ),
        (
            lambda p: p["sex"].dp.value_counts(epsilon=0.5),
            "differentially private: epsilon=0.5; one row replaced; laplace noise.",
        ),
        (
            lambda p: p["age"].dp.agg(["median", "sum"], epsilon=1),
            "differentially private: epsilon=1; one row replaced; exponential, laplace noise; "
            "a gap in age, declared complete, counts as the middle of its range.",
        ),
    ],
)
def test_the_guarantee_is_one_line(ask: Callable[[Any], Any], sentence: str, people: pd.DataFrame) -> None:
    assert ask(people).dp.guarantee == sentence


def test_the_guarantee_tells_the_neighbours_of_its_session() -> None:
    session = pdp.Session(epsilon=1, neighbours="add_remove")
    release = session.protect(pd.DataFrame({"x": [1, 2]}))["x"].dp.count(epsilon=0.5)
    assert release.dp.guarantee == ("differentially private: epsilon=0.5; one row added or removed; laplace noise.")


def test_html_shows_the_numbers_and_the_guarantee(people: pd.DataFrame) -> None:
    release = people["age"].dp.sum(epsilon=1)
    html = release._repr_html_()
    assert f"{release['sum'].item():,}" in html
    assert release.dp.guarantee in html


def test_html_shows_estimates_with_their_intervals_until_the_table_is_changed(people: pd.DataFrame) -> None:
    release = people["sex"].dp.value_counts(epsilon=1, confidence=0.9)
    low, high = release.dp.confint(0.9).iloc[0]
    assert f"{release.iloc[0, 0]} [{low:g}, {high:g}]" in release._repr_html_()
    assert "90 % intervals for the rows in the data" in release._repr_html_()
    release.iloc[0, 0] += 1
    assert "[" not in release._repr_html_()
    assert "differentially private" not in release._repr_html_()


def test_html_leaves_out_the_middle_of_a_large_table_and_what_html_would_read() -> None:
    keys = [f"<i>{number}" for number in range(1_000)]
    people = pdp.Session(epsilon=1).protect(pd.DataFrame({"k": ["<i>1"] * 10}))
    html = people.dp.value_counts(subset=["k"], categories=keys)._repr_html_()
    assert html.count("[") == 60
    assert "1,000 rows" in html
    assert "<i>" not in html


@pytest.mark.parametrize(
    ("value", "lower", "upper", "text"),
    [
        (14.176471, 9.03, 19.31, "14.2 9.0 19.4"),
        (1243.26, 139.9, 2329.1, "1,240 130 2,330"),
        (0.530012, 0.3101, 0.7501, "0.53 0.31 0.76"),
        (-0.001, 0.0, 5.66, "0.0 0.0 5.7"),
        (3.5, 3.5, 3.5, "3.5 3.5 3.5"),
        (7, 1, 13, "7 1 13"),
        (784_851_533_003.0, 477_273_673_068.2, 1_092_429_392_938.1, "785 477 1,093 billion"),
    ],
)
def test_a_number_is_shown_with_the_decimals_that_its_interval_is_worth(
    value: float, lower: float, upper: float, text: str
) -> None:
    assert " ".join(_cell(value, lower, upper)).replace("  ", " ").strip() == text
