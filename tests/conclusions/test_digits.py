"""How released numbers are written."""

from __future__ import annotations

import numpy as np
import pandas as pd

import pandas_dp as pdp


def test_a_number_just_below_zero_is_zero_without_a_sign() -> None:
    rows = pd.DataFrame({"a": [0.0, 1.0] * 200, "b": [0.0, 0.0, 1.0, 1.0] * 100})  # uncorrelated
    people = pdp.Session(rho=1e9).protect(rows)
    for _ in range(20):  # of each half is below
        table = people.dp.moments(["a", "b"], bounds={"a": (0, 1), "b": (0, 1)}, rho=1e4).dp.corr()
        assert "-0 " not in str(table.round(1))
        shown = table.dp.round(1)
        assert not np.signbit(shown.to_numpy()).any()
        assert "-0" not in str(shown)
