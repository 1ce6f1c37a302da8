"""Tables fit to print keep the intervals of the counts that were released."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp import errors
from tests.refusals import refused

KEYS = {"k": list("abcd"), "j": ["x", "y"]}
MARGINS: list[Any] = [False, True, "planned"]
TRUE = np.array([[150, 40], [60, 3], [1, 0], [0, 2]])


def frame(truth: np.ndarray = TRUE) -> Any:
    rows = [(KEYS["k"][i], KEYS["j"][j]) for i, j in np.ndindex(*truth.shape) for _ in range(truth[i, j])]
    return pdp.Session(epsilon=10**6).protect(pd.DataFrame(rows, columns=["k", "j"]))


def table(epsilon: float = 0.2, **how: Any) -> pdp.Release:
    return frame().dp.crosstab("k", "j", epsilon=epsilon, categories=KEYS, **how)


def ends(release: pdp.Release, **how: Any) -> tuple[np.ndarray, np.ndarray]:
    found = release.dp.confint(**how).to_numpy()
    return found[:, ::2], found[:, 1::2]


WAYS = {
    "nonnegative": lambda release: release.dp.nonnegative(),
    "whole": lambda release: release.dp.nonnegative(integer=True),
    "fives": lambda release: release.dp.round_to(5),
    "fives that add up": lambda release: release.dp.round_to(5, additive=True),
    "threes at random": lambda release: release.dp.round_to(3, random=True),
    "both": lambda release: release.dp.nonnegative(integer=True).dp.round_to(5, additive=True),
}


@pytest.mark.parametrize("margins", MARGINS)
@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_what_an_interval_held_it_holds_and_it_holds_what_is_shown(way: Any, margins: Any) -> None:
    truth = TRUE
    if margins:
        truth = np.block([[truth, truth.sum(axis=1)[:, None]], [truth.sum(axis=0), truth.sum()]])
    for _ in range(6):
        release = table(margins=margins)
        shown = way(release)
        (low, high), (least, most) = ends(release), ends(shown)
        assert ((low <= truth) & (truth <= high) <= (least <= truth) & (truth <= most)).all()
        assert ((least <= np.maximum(shown, 0)) & (shown <= most)).to_numpy().all()
        assert (least >= 0).all()
        assert (most - least).max() <= (high - low).max() + 5  # as wide as the widest, and what was rounded
        assert "around the numbers as they were released" in repr(shown)


def test_ends_are_told_from_the_nearest_count_that_there_can_be() -> None:
    for _ in range(20):
        release = table(epsilon=0.05)
        half = 120.0  # at 95 %
        most = ends(release.dp.nonnegative(integer=True))[1]
        assert (most[release.to_numpy() < 0] == half).all()  # not 0 [0, 0]


def test_intervals_of_adjusted_tables_have_any_level_and_hold_together() -> None:
    release = table()
    shown = release.dp.nonnegative(integer=True)
    assert (ends(shown, confidence=0.5)[1] <= ends(shown)[1]).all()
    assert (ends(shown)[1] <= ends(shown, simultaneous=True)[1]).all()
    assert (ends(shown)[1] <= ends(shown, target="population")[1]).all()
    again = pdp.Release.with_label(pd.DataFrame(shown), json.dumps(shown.dp.metadata))
    assert again.dp.confint().equals(shown.dp.confint())


@pytest.mark.parametrize("way", ["nonnegative", "whole"])
def test_intervals_for_the_population_are_not_rounded_to_whole_rows(way: str) -> None:
    release = table(epsilon=1000)  # the counts themselves
    for released, shown in zip(
        ends(release, target="population"), ends(WAYS[way](release), target="population"), strict=True
    ):
        np.testing.assert_allclose(shown, released)


def test_withheld_numbers_have_no_intervals() -> None:
    release = table()
    with refused(errors.NotConcluded):
        release.dp.suppress(below=20).dp.confint()
    assert release.dp.round_to(5).dp.suppress(below=20).dp.metadata["before"] is None


def test_a_label_that_tells_other_counts_than_the_table_has_is_damaged() -> None:
    shown = table().dp.nonnegative()
    label = shown.dp.metadata
    for wrong in ([1.0], [1.0] * 9, [float("nan")] * 8):
        with pytest.raises(errors.NotConcluded, match="damaged"):
            pdp.Release.with_label(pd.DataFrame(shown), {**label, "before": wrong}).dp.confint()


def test_rounding_at_random_is_on_average_and_the_same_each_time() -> None:
    counts = frame(np.array([[100] * 2] * 4)).dp.crosstab("k", "j", epsilon=10**5, categories=KEYS)
    shown = [counts.dp.round_to(3, random=True) for _ in range(2)]
    assert shown[0].equals(shown[1])
    assert set(shown[0].to_numpy().ravel()) <= {99, 102}
    drawn = [table().dp.round_to(7, random=True).to_numpy() % 7 for _ in range(3)]
    assert not np.any(drawn)
    assert "rounded at random to multiples of 3" in shown[0].dp.guarantee
    with refused(errors.UnsupportedArgument):
        counts.dp.round_to(3, random=True, additive=True)


@pytest.mark.slow
def test_numbers_rounded_at_random_are_what_they_were_on_average() -> None:
    off = [
        (release.dp.round_to(10, random=True) - release).to_numpy().mean() for release in (table() for _ in range(300))
    ]
    assert abs(np.mean(off)) < 5 * np.std(off) / np.sqrt(300)
