"""A label stays with what `reset_index` makes of a release, and is attached again to what other formats kept of it."""

from __future__ import annotations

import json
from io import StringIO

import numpy as np
import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp import errors
from tests.refusals import refused

ROWS = pd.DataFrame({"x": [1.0, 2, 3, 4] * 50, "k": ["a", "b"] * 100, "j": ["u", "u", "v", "v"] * 50})
KEYS = {"k": ["a", "b"], "j": ["u", "v"]}


def releases() -> dict[str, pd.DataFrame]:
    frame = pdp.Session(rho=100).protect(ROWS)
    bounds = {"x": (0, 5)}
    return {
        "one key": frame.dp.groupby("k")["x"].mean(bounds=bounds, categories={"k": KEYS["k"]}, rho=1),
        "two keys": frame.dp.groupby(["k", "j"])["x"].mean(bounds=bounds, categories=KEYS, rho=1),
        "no key": frame["x"].dp.mean(bounds=(0, 5), rho=1),
    }


@pytest.mark.parametrize("name", ["one key", "two keys", "no key"])
def test_a_release_is_one_also_with_its_index_among_its_columns(name: str) -> None:
    release = releases()[name]
    flat = release.reset_index()
    assert list(flat.index) == list(range(len(release)))
    assert flat.dp.guarantee == release.dp.guarantee
    pd.testing.assert_frame_equal(pd.DataFrame(flat.dp.confint()), pd.DataFrame(release.dp.confint()))


def test_a_flat_release_that_was_changed_concludes_nothing() -> None:
    flat = releases()["one key"].reset_index()
    flat.loc[0, "mean"] += 1
    with refused(errors.ChangedRelease):
        flat.dp.confint()


@pytest.mark.parametrize("name", ["one key", "two keys", "no key"])
def test_a_label_is_attached_again_to_a_table_that_was_written_as_text(name: str) -> None:
    release = releases()[name]
    text = json.dumps(release.dp.metadata)
    table = pd.read_json(StringIO(pd.DataFrame(release).reset_index().to_json(double_precision=15)), precise_float=True)
    table[list(release.columns)] = np.asarray(release)  # JSON of pandas keeps 15 digits alone
    table["lower"] = table["lower"].astype(int) if (table["lower"] == 0).all() else table["lower"]
    again = pdp.Release.with_label(table, text)
    assert again.dp.guarantee == release.dp.guarantee
    pd.testing.assert_frame_equal(pd.DataFrame(again), pd.DataFrame(release), check_names=False)


def test_a_label_of_other_numbers_is_not_attached() -> None:
    release = releases()["one key"]
    with refused(errors.ChangedRelease, "other numbers"):
        pdp.Release.with_label(pd.DataFrame(release) + 1, release.dp.metadata)
    for odd in ("{", "[]", {"kind": "synthetic"}):
        with refused(errors.NotConcluded, "no label"):
            pdp.Release.with_label(pd.DataFrame(release), odd)


def test_a_rho_says_what_it_comes_to_as_an_epsilon_with_a_delta() -> None:
    guarantee = releases()["no key"].dp.guarantee
    assert "rho=1 (epsilon=7.77 at delta=1e-06)" in guarantee
    worth = pdp.Session(rho=1).cap.epsilon_at(1e-6)
    assert worth <= 7.77 <= worth + 0.01  # rounded up
