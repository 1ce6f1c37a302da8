"""What is divided by a number that noise does not tell from none: no estimate, the interval of all there can be, and a
word about it."""

from __future__ import annotations

from typing import Any

import numpy as np
import openpyxl
import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp.core.evidence.noise import RELEASED, Noise
from pandas_dp.core.noise.gaussian import DiscreteGaussian
from pandas_dp.numeric.evidence_moments import MomentSums

KEYS = [f"k{at}" for at in range(12)]  # the first has nobody, each has more rows than the one before
BOTH = {"x": (0, 10), "y": (0, 10)}
ROWS = pd.DataFrame(
    {
        "k": np.repeat(KEYS, [5 * at for at in range(12)]),
        "x": np.arange(330) % 11,
        "y": np.arange(330) * 7 % 11,
        "h": ["u", "v"] * 165,
        "who": range(330),
    }
)
QUESTIONS = {
    "mean": lambda by: by["x"].mean(bounds=(0, 10), rho=0.02),
    "var": lambda by: by["x"].var(bounds=(0, 10), rho=0.02),
    "std": lambda by: by["x"].std(bounds=(0, 10), rho=0.02),
    "ratio": lambda by: by.ratio("x", "y", bounds=BOTH, rho=0.02),
    "mean of people's rows": lambda by: by["x"].mean(bounds=(0, 10), max_rows=1, rho=0.02),
}


def protected(unit: str | None = None) -> Any:
    rows = ROWS if unit else ROWS.drop(columns="who")
    return pdp.Session(rho=100, unit=unit).protect(rows)


@pytest.mark.parametrize("name", QUESTIONS)
def test_estimate_error_and_interval_say_the_same(name: str) -> None:
    asked = protected("who" if "people" in name else None).dp.groupby("k", categories=KEYS)
    table = QUESTIONS[name](asked)
    value = table.columns[0]
    undetermined = table[value].isna()
    assert undetermined.any()
    assert not undetermined.all()
    assert (table["std_error"].isna() == undetermined).all()
    assert (table["lower"] <= table[value])[~undetermined].all()
    assert (table[value] <= table["upper"])[~undetermined].all()
    for ends in (table, table.dp.confint(0.5)):  # of which nothing is known, nothing is said at any level
        assert (ends["lower"][undetermined] == table["lower"].min()).all()
        assert (ends["upper"][undetermined] >= table["upper"].max() * (1 - 1e-9)).all()
    findings = table.dp.check()["finding"].tolist()
    assert f"{undetermined.sum()} of 12 numbers are not told" in findings


def test_a_share_of_a_whole_that_may_be_none_is_not_told() -> None:
    table = protected().dp.crosstab("k", "h", categories={"k": KEYS, "h": ["u", "v"]}, normalize="index", rho=0.02)
    undetermined = table.isna()
    assert undetermined.any(axis=None)
    assert not undetermined.all(axis=None)
    assert (undetermined["u"] == undetermined["v"]).all()
    ends = table.dp.confint(0.5).to_numpy().reshape(12, 2, 2)  # of each share the lower and the upper end
    assert (ends[undetermined["u"]].reshape(-1, 2) == [0, 1]).all()
    assert f"{undetermined.to_numpy().sum()} of 24 numbers are not told" in table.dp.check()["finding"].tolist()


def test_a_sheet_marks_it(tmp_path: Any) -> None:
    table = protected().dp.groupby("k", categories=KEYS)["x"].mean(bounds=(0, 10), rho=0.02)
    table.dp.to_excel(tmp_path / "a.xlsx")
    sheet = openpyxl.load_workbook(tmp_path / "a.xlsx").worksheets[0]
    lines = {row[0].value: [cell.value for cell in row[1:]] for row in sheet.iter_rows()}
    assert any("not told" in str(name) for name in lines)
    for key in KEYS:
        assert ("[x]" in lines[key]) == table.isna().loc[key, "mean"]


def test_nothing_is_told_within_the_interval_of_the_count() -> None:
    noise = Noise(DiscreteGaussian(100))
    sensitivity = noise.half_width(RELEASED)
    count = np.array([-30.0, 0.0, 1.0, sensitivity, sensitivity + 1, 300.0])
    sums = MomentSums(5.0, 5.0, np.zeros(6), np.zeros(6), noise, noise, None, count, noise)
    assert sums.enough.tolist() == [False] * 4 + [True] * 2
    assert MomentSums(5.0, 5.0, np.zeros(1), np.zeros(1), noise, noise, 2).enough.all()  # everybody knows them
    assert (np.sqrt(sums.mean_noise_var[4:]) <= 5.0).all()  # no error is longer than half the range


def test_nobody_hears_of_it_where_all_is_told() -> None:
    table = protected().dp.groupby("k", categories=KEYS[6:])["x"].mean(bounds=(0, 10), rho=5)
    assert "not told" not in repr(table)
    assert not table.dp.check()["finding"].str.contains("not told").any()
