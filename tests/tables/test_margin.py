"""Parts of a release of several tables: the same numbers, with intervals of their own, at no cost."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp import errors
from tests.refusals import refused

CATEGORIES = {"k": ["a", "b", "c"], "j": ["1", "2"], "i": ["x", "y"]}


def tables(**how: Any) -> tuple[pdp.Session, pdp.Release]:
    r = np.random.default_rng(8)
    session = pdp.Session(epsilon=100)
    frame = session.protect(pd.DataFrame({name: r.choice(values, 200) for name, values in CATEGORIES.items()}))
    return session, frame.dp.marginals([["k", "j"], ["j", "i"], ["k"]], epsilon=1, categories=CATEGORIES, **how)


@pytest.mark.parametrize("consistent", [True, False])
def test_a_part_that_is_shown_is_the_one_that_is_shown(consistent: bool) -> None:
    session, release = tables(consistent=consistent)
    used = session.share_used
    part = release.dp.margin(["k"])
    whole = release.loc[(slice(None), "All", "All"), :]
    assert part.index.tolist() == CATEGORIES["k"]
    assert part.to_numpy() == pytest.approx(whole.to_numpy())
    assert np.allclose(part.dp.confint().to_numpy(), part[["lower", "upper"]].to_numpy())
    assert session.share_used == used
    two = release.dp.margin(["i", "j"])  # in the order asked for
    assert two.index.names == ["i", "j"]
    assert two.loc[("y", "2"), "count"] == release.loc[("All", "2", "y"), "count"]


@pytest.mark.parametrize("consistent", [True, False])
def test_a_part_that_is_not_shown_is_added_up(consistent: bool) -> None:
    _, release = tables(consistent=consistent)
    i, total = release.dp.margin(["i"]), release.dp.margin([])
    shown = release.loc["All"].loc[["1", "2"]]
    assert i["count"].to_numpy() == pytest.approx(shown["count"].to_numpy().reshape(2, 2).sum(axis=0))
    assert total["count"].item() == pytest.approx(release.dp.margin(["k"])["count"].sum())
    assert (i["upper"] > i["lower"]).all()
    if consistent:
        assert total["count"].item() == pytest.approx(release["count"].to_numpy()[:6].sum())


def test_the_same_question_has_the_same_answer_also_from_a_file(tmp_path: Path) -> None:
    _, release = tables()
    release.to_parquet(tmp_path / "tables.parquet")
    margin = pd.read_parquet(tmp_path / "tables.parquet")
    for keys in (["k"], ["j"], ["k", "j"], []):
        pd.testing.assert_frame_equal(pd.DataFrame(margin.dp.margin(keys)), pd.DataFrame(release.dp.margin(keys)))


@pytest.mark.parametrize(
    ("ask", "says"),
    [
        (lambda t: t.dp.margin("k"), "keys must be a list of keys of this release, of 'k', 'j', 'i'"),
        (lambda t: t.dp.margin(["z"]), "keys must be a list of keys"),
        (lambda t: t.dp.margin(["k", "k"]), "keys must be a list of keys"),
        (lambda t: t.dp.margin(["k", "i"]), "no table that contains those keys together"),
        (lambda t: t.dp.round(0).dp.margin(["k"]), "rounded by .dp.round; take margins out of it as it was"),
    ],
)
def test_what_a_release_does_not_hold_is_refused(ask: Any, says: str) -> None:
    with refused(errors.PrivacyError, says):
        ask(tables()[1])
