"""How results are printed: no noise of floating point, and what an interval of one number means."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp.core.conclude.results import EstimateResult, TestResult


@pytest.mark.parametrize("pvalue", [1e-12, 1.001776e-13, 0.0, 1e-300])
def test_smallest_p_values_are_not_told_apart(pvalue: float) -> None:
    result = TestResult(8.5e-17, pvalue, 2, "h", "m", "n", pd.DataFrame())
    assert str(result).startswith("Hypothesis: h: statistic = 0, df = 2, p < 1e-12\n")
    assert repr(result) == ("TestResult(statistic=0, pvalue < 1e-12, df=2, hypothesis='h', procedure='m', noise='n')")
    assert result.pvalue == pvalue


def test_other_numbers_are_printed_as_they_are() -> None:
    result: Any = TestResult(3.25, 0.0123456789, None, "h", "m", "n", pd.DataFrame())
    assert str(result).startswith("Hypothesis: h: statistic = 3.25, p = 0.01235\n")
    assert "pvalue=0.0123457, df=None" in repr(result)
    result = EstimateResult(0.5, 8.651e-17, 0.0362, 0.95, "V", "m", "n")
    assert str(result).startswith("V = 0.5, 95 % interval 0 to 0.0362\n")
    assert repr(result).startswith("EstimateResult(estimate=0.5, lower=0, upper=0.0362, confidence=0.95, ")


def counted(cells: list[int]) -> pdp.Release:
    """The numbers themselves: at epsilon 100 there is no noise, but for a chance below 10^-20."""
    labels = [(a, b) for a in "uv" for b in "xy"]
    rows = [label for label, many in zip(labels, cells, strict=True) for _ in range(many)]
    frame = pdp.Session(epsilon=100).protect(pd.DataFrame(rows, columns=["a", "b"]))
    return frame.dp.crosstab("a", "b", categories={"a": list("uv"), "b": list("xy")}, epsilon=100)


def test_the_smallest_p_value_of_a_bootstrap_is_a_bound() -> None:
    result = counted([1000, 0, 0, 1000]).dp.independence_test(pvalue="bootstrap", replicates=499)
    assert result.pvalue == result.least == 1 / 500
    assert ", p ≤ 0.002\n" in str(result)
    assert any(line.endswith("≤ 0.002") for line in result.summary().splitlines())
    assert "pvalue ≤ 0.002," in repr(result)
    assert "p ≤ 0.002" in result._repr_html_()
    even = counted([500, 500, 500, 500]).dp.independence_test(pvalue="bootstrap", replicates=499)
    assert ", p = " in str(even)


def test_a_table_that_fits_no_v_says_so() -> None:
    near = counted([1000, 1001, 1000, 1000]).dp.cramers_v(replicates=199)
    assert (near.estimate, near.lower, near.upper) == (0.0, 0.0, 0.0)
    assert "no V fits this table better than 0" in str(near)
    far = counted([1000, 900, 1000, 1000]).dp.cramers_v(replicates=199)
    assert far.upper > 0
    assert "no V fits" not in str(far)


def test_the_lower_end_of_v_is_zero_itself() -> None:
    found = counted([307, 290, 293, 310]).dp.cramers_v(replicates=199)
    assert found.lower == 0.0 < found.upper


def test_p_values_end_at_the_least_that_is_told() -> None:
    release = (
        pdp.Session(epsilon=100)
        .protect(pd.DataFrame({"x": [40.0, 60.0] * 2000}))["x"]
        .dp.mean(epsilon=10, bounds=(0, 100))
    )
    assert release.dp.test(10)["p_value"].item() == 1e-12
