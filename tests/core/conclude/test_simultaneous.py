"""Intervals of a table that hold all its true numbers together: exact where cells have noise of their own."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp import errors
from pandas_dp.core.conclude.confint import jointly
from pandas_dp.core.evidence.noise import Noise
from pandas_dp.core.noise.gaussian import DiscreteGaussian
from pandas_dp.core.noise.laplace import DiscreteLaplace
from pandas_dp.core.noise.mechanism import Law
from pandas_dp.core.noise.samplers.discrete import discrete_laplace
from pandas_dp.numeric.evidence_sums import Amounts
from tests.refusals import refused

LAWS: list[Law] = [DiscreteLaplace(Fraction(4)), DiscreteGaussian(Fraction(30))]


@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
@pytest.mark.parametrize("cells", [1, 2, 9, 400])
@pytest.mark.parametrize("law", LAWS, ids=str)
def test_intervals_of_cells_with_noise_of_their_own_are_the_shortest_that_hold_together(
    law: Law, cells: int, level: float
) -> None:
    table = Amounts("count", np.full(cells, 10_000), Noise(law))
    low, high = table.interval(jointly([table], level)[0], "sample")
    half = int((high - low)[0] / 2)
    at = np.arange(-2000, 2001)
    inside = [law.pmf(at[np.abs(at) <= width]).sum() ** cells for width in (half, half - 1)]
    assert inside[0] >= level - 1e-10
    assert half == 0 or inside[1] < level


def test_margins_and_their_cells_hold_together() -> None:
    """20,000 tables of 2 × 3 cells; fails by luck with a chance below 1e-5 (0.95 - 0.007 is 4.5 deviations off)."""
    law, tables = DiscreteLaplace(Fraction(2)), 20_000
    noise = discrete_laplace(law.scale, tables * 6).reshape(tables, 2, 3)
    wide = np.concatenate([noise, noise.sum(axis=2, keepdims=True)], axis=2)
    whole = np.concatenate([wide, wide.sum(axis=1, keepdims=True)], axis=1).reshape(tables, 12)
    evidence = Amounts("count", np.full(12, 1000), Noise(law), margins=(2, 3))
    (level,) = jointly([evidence], 0.95)
    low, high = evidence.interval(level, "sample")
    assert level == pytest.approx(1 - 0.05 / 12)
    assert (np.abs(whole) <= (high - low) / 2).all(axis=1).mean() >= 0.943


def test_items_of_one_release_share_what_may_be_missed_by_their_numbers() -> None:
    cells = Amounts("count", np.zeros(9), Noise(LAWS[0]))
    total = Amounts("sum", np.zeros(1), Noise(LAWS[0]))
    public = Amounts("count", np.zeros(1), None)
    levels = jointly([cells, total, public], 0.95)
    assert levels[0] ** 9 == pytest.approx(1 - 0.05 * 9 / 10)
    assert levels[1] == pytest.approx(1 - 0.05 / 10)
    assert levels[0] ** 9 + levels[1] - 1 >= 0.95 - 1e-12


def test_one_number_has_the_same_interval_alone_and_together(people: pd.DataFrame) -> None:
    release = people["age"].dp.mean(epsilon=1)
    pd.testing.assert_frame_equal(release.dp.confint(0.9), release.dp.confint(0.9, simultaneous=True))


def test_intervals_that_hold_together_are_wider_and_keep_the_shape_and_the_label(people: pd.DataFrame) -> None:
    for release in (
        people.dp.crosstab("sex", "region", epsilon=1, margins=True),
        people.dp.crosstab("sex", "region", epsilon=1, margins="planned"),
        people.dp.crosstab("sex", "region", epsilon=1, mechanism="hellinger"),
        people.dp.crosstab("sex", "region", epsilon=1).dp.round_to(5),
        people.dp.groupby("region")[["age", "income"]].mean(epsilon=1),
        people[["age", "income"]].dp.cov(epsilon=1),
        people["age"].dp.describe(epsilon=1),
    ):
        before = release.dp.metadata
        one, all_ = release.dp.confint(0.9), release.dp.confint(0.9, simultaneous=True)
        assert (one.axes[0].tolist(), one.axes[1].tolist()) == (all_.axes[0].tolist(), all_.axes[1].tolist())
        inside = np.array(one, dtype=float)[:, ::2] >= np.array(all_, dtype=float)[:, ::2]
        assert (inside | one.iloc[:, ::2].isna().to_numpy()).all()
        assert release.dp.metadata == before


def test_more_cells_make_wider_intervals(session: pdp.Session) -> None:
    people = session.protect(pd.DataFrame({"k": ["a"] * 5000}))
    widths = []
    for cells in (2, 20, 200):
        release = people.dp.value_counts(subset=["k"], categories=["a", *range(cells - 1)], epsilon=0.1)
        widths.append(np.diff(release.dp.confint(simultaneous=True).iloc[0])[0])
    assert all(narrow < wide for narrow, wide in pairwise(widths))


def test_simultaneous_is_yes_or_no(people: pd.DataFrame) -> None:
    release = people["age"].dp.sum()
    with refused(errors.BadArgument):
        release.dp.confint(simultaneous=1)
