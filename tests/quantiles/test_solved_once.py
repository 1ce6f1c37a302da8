"""What all quantiles of a question have in common is solved once, however many they are."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp.quantiles import measure as measure_ranks


@pytest.mark.parametrize("cost", [{"epsilon": 50}, {"rho": 50}], ids=str)
def test_as_many_curves_are_solved_for_forty_quantiles_as_for_four(
    cost: dict[str, float], monkeypatch: pytest.MonkeyPatch
) -> None:
    solved, curve_of = [], measure_ranks.curve_of
    monkeypatch.setattr(measure_ranks, "curve_of", lambda *given: solved.append(1) or curve_of(*given))
    session = pdp.Session(**dict.fromkeys(cost, 10**6))
    people = session.protect(pd.DataFrame({"x": np.arange(2000) / 20}))
    many = {}
    for points in (4, 40):
        solved.clear()
        asked = np.linspace(0.02, 0.98, points).tolist()
        found = people["x"].dp.quantile(asked, bounds=(0, 100), **cost)
        many[points] = len(solved)
        assert np.abs(found["quantile"].to_numpy(dtype=float) - 100 * np.array(asked)).max() < 5
    assert many[4] == many[40] > 0
