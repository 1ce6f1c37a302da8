"""Intervals are cut at what is possible: of sums as of counts, in planned tables too, and after rounding."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import pandas_dp as pdp

KEYS = {"k": ["a", "b"], "j": ["1", "2"]}


def frame() -> pd.DataFrame:
    rows = pd.DataFrame({"k": ["a"] * 50, "j": ["1", "2"] * 25, "x": np.arange(50) % 7, "y": np.arange(50) % 7 / 2})
    return pdp.Session(epsilon=10**6).protect(rows)


@pytest.mark.parametrize("column", ["x", "y"])
@pytest.mark.parametrize(
    "ask",
    [
        lambda f, c, b: f.dp.groupby("k")[c].sum(epsilon=0.1, bounds=b, categories={"k": KEYS["k"]}),
        lambda f, c, b: f.dp.crosstab("k", "j", values=c, aggfunc="sum", epsilon=0.1, bounds=b, categories=KEYS),
        lambda f, c, b: f.dp.crosstab(
            "k", "j", values=c, aggfunc="sum", margins="planned", epsilon=0.1, bounds=b, categories=KEYS
        ),
        lambda f, c, b: f.dp.marginals([["k", "j"], ["k"]], c, epsilon=0.1, bounds=b, categories=KEYS),
        lambda f, c, b: f.dp.marginals(
            [["k", "j"], ["k"]], c, aggfunc=["count", "sum"], epsilon=0.1, bounds=b, categories=KEYS
        ),
    ],
    ids=["groupby", "crosstab", "planned", "marginals", "several"],
)
def test_sums_of_what_is_not_negative_are_not(ask: Any, column: str) -> None:
    """Half the cells are empty, so in 30 tables some interval would reach below 0: else by chance 2^-60."""
    for bounds, cut in ((0, 6), True), ((-1, 6), False):
        data = frame()
        assert (min(_lowest(ask(data, column, bounds)) for _ in range(30)) >= 0) == cut


def _lowest(release: pd.DataFrame) -> float:
    ends = release.dp.confint()
    return float(ends.loc[:, [name == "lower" or name[-1] == "lower" for name in ends.columns]].to_numpy().min())


@pytest.mark.parametrize(
    "change",
    [
        lambda t: t.dp.round_to(5),
        lambda t: t.dp.round_to(5, additive=True),
        lambda t: t.dp.round(-1),
    ],
    ids=["nearest", "additive", "decimals"],
)
def test_rounding_keeps_the_cut(change: Any) -> None:
    for margins in (False, True, "planned"):
        release = frame().dp.crosstab("k", "j", epsilon=0.1, categories=KEYS, margins=margins)
        before, after = (each.dp.confint().to_numpy() for each in (release, change(release)))
        assert after[:, ::2].min() >= 0
        assert (after[:, ::2] <= before[:, ::2]).all()
        assert (after[:, 1::2] >= np.minimum(before[:, 1::2], len(frame()))).all()
