"""Roundings that keep distances, and the choice among the points over which the rows spread."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pandas_dp.core.engine.rows import PandasRows
from pandas_dp.core.measure.cells import Variable
from pandas_dp.core.noise import choice
from pandas_dp.core.schema.values import Interval
from pandas_dp.weaker.exact import nearest, roots_up, up
from pandas_dp.weaker.ordered import Ordered
from pandas_dp.weaker.plan import ChoiceAmongOccurring, rounded_up


def test_numbers_a_whole_distance_apart_stay_so_when_rounded() -> None:
    x = np.arange(-40, 40).astype(object)
    for m in range(4):
        assert (nearest(x + 8 * m, 8) - nearest(x, 8) == m).all()
        assert (nearest(2 * (x + 8 * m) - 1, 16) - nearest(x, 8) <= m).all()


@pytest.mark.parametrize(("x", "parts"), [(0, 1), (1, 3), (9, 1), (10, 1), (10**40 + 1, 7)])
def test_roundings_of_sensitivities_are_never_down(x: int, parts: int) -> None:
    (whole,) = up(np.array([x], dtype=object), parts)
    assert whole >= Fraction(x, parts) > whole - 1
    (root,) = roots_up(np.array([whole], dtype=object))
    assert root**2 >= whole
    assert root == 0 or (root - 1) ** 2 < whole


@pytest.mark.parametrize("quantile", [Fraction(0), Fraction(1, 2), Fraction(9, 10)])
@pytest.mark.parametrize("rate", [Fraction(1, 10), Fraction(10)])
@pytest.mark.parametrize("floored", [True, False])
def test_the_race_runs_among_the_points_from_the_least_row_to_the_greatest(
    floored: bool, quantile: Fraction, rate: Fraction, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By definition of the utility, however few points are listed at first; and one more at either end."""
    races: list[Any] = []

    def race(counts: Any, utilities: Any, given: Fraction, far: Any = None) -> int:
        races.append((counts, utilities, far))
        return int(np.flatnonzero(np.asarray(counts) > 0)[0])

    monkeypatch.setattr(choice, "exponential_race", race)
    measurement = Ordered(Variable("x", Interval(Fraction(0), Fraction(1000), "integer")), quantile=quantile)
    values = np.concatenate([np.arange(300, 500), np.full(50, 400), np.arange(450, 700, 3)])
    rows = PandasRows(pd.DataFrame({"x": values.astype(float)}), None)
    step = ChoiceAmongOccurring(measurement, measurement.ranks[0], rate, floored=floored)
    seen = step.measure(rows)
    chosen = step.add_noise(seen, rows).table[0, 0]
    low, high = int(values.min()) - floored, int(values.max()) + floored
    assert low * measurement.parts <= chosen <= high * measurement.parts
    ((counts, utilities, far),) = races
    found: dict[int, int] = {}
    lists = [(counts, utilities)] if far is None else [(counts, utilities), far.listing()]
    for many, worth in lists:
        for count, utility in zip(many.tolist(), worth.tolist(), strict=True):
            found[utility] = found.get(utility, 0) + count
    n, unit = len(values), seen.ranks.unit
    requested = int(seen.ranks.target(n) * unit)
    truth: dict[int, int] = {}
    for c in range(low, high + 1):
        u = -max(0, requested - unit * int((values <= c).sum()), unit * int((values < c).sum()) - requested)
        truth[u] = truth.get(u, 0) + 1
    assert {u: count for u, count in found.items() if count} == truth
    assert far is None or int(np.sum(far.listing()[0])) == far.count


def test_scales_of_large_tables_come_in_few_sizes_and_are_never_smaller() -> None:
    r = np.random.default_rng(1)
    sensitivities = np.array([int(each) ** 3 for each in r.integers(0, 10**9, 5000)], dtype=object)
    found = rounded_up(sensitivities)
    assert (found >= sensitivities).all()
    assert (64 * (found - sensitivities) <= sensitivities).all()
    assert len(set(found.tolist())) < 1000
    assert rounded_up(sensitivities[:256]).tolist() == sensitivities[:256].tolist()
