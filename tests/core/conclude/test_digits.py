"""How released numbers are written."""

from __future__ import annotations

from re import findall

import numpy as np
import pandas as pd

import pandas_dp as pdp
from pandas_dp.core.conclude.digits import of_columns, texts


def test_a_number_just_below_zero_is_zero_without_a_sign() -> None:
    rows = pd.DataFrame({"a": [0.0, 1.0] * 200, "b": [0.0, 0.0, 1.0, 1.0] * 100})  # uncorrelated
    people = pdp.Session(rho=1e9).protect(rows)
    for _ in range(20):  # of each half is below
        table = people.dp.moments(["a", "b"], bounds={"a": (0, 1), "b": (0, 1)}, rho=1e4).dp.corr()
        assert "-0 " not in str(table.round(1))
        shown = table.dp.round(1)
        assert not np.signbit(shown.to_numpy()).any()
        numbers = findall(r"(-?[\d.]+) \[", str(shown))  # in front of their intervals
        assert len(numbers) == 4
        assert not any(each.startswith("-") for each in numbers)


def test_a_bound_is_shown_with_the_digits_of_its_error_and_rounded_up() -> None:
    frame = pd.DataFrame({"tv": [0.031280512], "std_error": [0.0119721], "upper": [0.0716403]})
    assert texts(frame, of_columns(frame)).iloc[0].tolist() == ["0.031", "0.012", "0.072"]
