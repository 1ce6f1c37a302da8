"""Where a set has no end, a standard error would say what nobody knows."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp.core.conclude.digits import as_text


@pytest.fixture
def released() -> pd.DataFrame:
    """Everybody of the second group said yes: odds without an end."""
    rows = pd.DataFrame({"g": ["a"] * 100 + ["b"] * 100, "y": [0, 1] * 50 + [1] * 100})
    session = pdp.Session(rho=1e6)
    return session.protect(rows).dp.crosstab("y", "g", rho=10, categories={"y": [0, 1], "g": ["a", "b"]})


def test_a_coefficient_whose_set_has_no_end_has_no_finite_standard_error(released: pd.DataFrame) -> None:
    fit = released.dp.logit("y")
    for shown in (fit, fit.dp.test(0)):
        told = np.isfinite(shown[["lower", "upper"]]).all(axis=1)
        assert told.tolist() == [True, False]
        assert np.isfinite(shown["std_error"]).tolist() == [True, False]


def test_a_number_of_which_nothing_is_told_shows_few_digits() -> None:
    assert [as_text(value, np.inf) for value in (0.354481, -7.0199, 123456.7, 0.0)] == ["0.35", "-7.0", "123,000", "0"]
