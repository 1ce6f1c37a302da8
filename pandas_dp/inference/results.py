"""What a test or an estimate from a released table returns: plain frozen values, as in scipy.stats."""

from __future__ import annotations

from dataclasses import dataclass, field

import pandas as pd


@dataclass(frozen=True)
class TestResult:
    """A hypothesis and how well the released numbers agree with it.

    `method` says how the p value was found, `noise` whether and which noise was taken into account. `expected` holds
    the counts that the hypothesis expects, in the shape of the table.
    """

    __test__ = False  # no test case, whatever pytest makes of its name

    statistic: float
    pvalue: float
    df: int | None
    hypothesis: str
    method: str
    noise: str
    expected: pd.DataFrame = field(repr=False, compare=False)

    def __str__(self) -> str:
        df = "" if self.df is None else f", df = {self.df}"
        return (
            f"{self.hypothesis}: statistic = {self.statistic:.4g}{df}, p = {self.pvalue:.4g}\n"
            f"  {self.method}\n  noise: {self.noise}"
        )


@dataclass(frozen=True)
class EstimateResult:
    """An estimate from released numbers, and the interval that holds the true value with probability `level`."""

    estimate: float
    lower: float
    upper: float
    level: float
    statistic: str
    method: str
    noise: str

    def __str__(self) -> str:
        interval = f"{100 * self.level:g} % interval {self.lower:.4g} to {self.upper:.4g}"
        return f"{self.statistic} = {self.estimate:.4g}, {interval}\n  {self.method}\n  noise: {self.noise}"
