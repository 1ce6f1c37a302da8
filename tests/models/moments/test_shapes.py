"""Skewness and kurtosis: those of pandas, and intervals of all that noise allows."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp import errors
from pandas_dp.core.evidence.noise import Noise
from pandas_dp.core.noise.gaussian import DiscreteGaussian
from pandas_dp.models.moments.evidence import GramSums, Run
from pandas_dp.models.moments.evidence_shapes import Shapes, most_possible
from pandas_dp.models.moments.solve import MatrixColumn
from tests.refusals import refused

from .people import SURE, people, protected

BOTH = ["skew", "kurt"]


@pytest.mark.parametrize("statistic", BOTH)
def test_without_noise_they_are_those_of_pandas(statistic: str) -> None:
    data = people()
    frame = protected(data)
    columns = ["wage", "age", "bonus"]
    found = getattr(frame[columns].dp, statistic)(rho=SURE)
    assert found.iloc[:, 0].tolist() == pytest.approx(getattr(data[columns], statistic)().tolist(), rel=1e-4, abs=1e-4)
    grouped = getattr(frame.dp.groupby("sex")["wage"], statistic)(rho=SURE)["wage"]
    expected = data.groupby("sex")["wage"].agg(statistic)
    assert grouped.tolist() == pytest.approx(expected.tolist(), rel=1e-4, abs=1e-4)


def sums_of(u: np.ndarray, sd: float, rng: np.random.Generator, statistic: str) -> Shapes:
    """What a measurement of numbers from -1 to 1 with this noise says."""
    second = 2 * u**2 - 1
    true = np.array([len(u), u.sum(), second.sum(), (1 - u**2).sum(), (u * second).sum(), (1 - second**2).sum()])
    law = DiscreteGaussian(10**8)
    names = [("Intercept", "constant"), ("u", "number"), ("I(u ** 2)", "power")]
    columns = tuple(
        MatrixColumn(name, None if sort == "constant" else "u", 2 if sort == "power" else None, 0.0, half, sort)
        for (name, sort), half in zip(names, (1.0, 1.0, 0.5), strict=True)
    )
    noisy = true + rng.normal(0, sd, 6)
    gram = GramSums(columns, noisy[None, :], (Run(Noise(law, sd / 1e4), 6),), True, True)
    return Shapes(statistic, gram)  # type: ignore[arg-type]


@pytest.mark.parametrize("statistic", BOTH)
@pytest.mark.parametrize("sd", [1.0, 20.0])
@pytest.mark.parametrize("rows", [300, 20_000])
def test_intervals_hold_on_skewed_values_gaps_and_rare_ones(statistic: str, sd: float, rows: int) -> None:
    rng, missed, asked = np.random.default_rng(rows), 0, 0
    for values in (rng.lognormal(0, 1, rows).clip(0, 20) / 10 - 1, np.where(rng.random(rows) < 0.02, 1.0, -1.0)):
        true = getattr(pd.Series(values), statistic)()
        for _ in range(40):
            ((low,), (high,)) = sums_of(values, sd, rng, statistic).interval(0.95, "sample")
            missed, asked = missed + (not low <= true <= high), asked + 1
    assert missed <= 0.05 * asked + 8  # of 80 answers, that more than 12 miss has a chance below 1e-5


@pytest.mark.parametrize("statistic", BOTH)
def test_noise_that_hides_the_variance_leaves_all_that_there_can_be(statistic: str) -> None:
    rng = np.random.default_rng(0)
    found = sums_of(np.zeros(300), 20.0, rng, statistic)
    low, high = (float(each[0]) for each in found.interval(0.95, "sample"))
    least, greatest = most_possible(statistic, 200)  # there seem to be more
    assert low <= max(least, -2.0)
    assert high >= greatest


@pytest.mark.parametrize("rows", [4, 7, 40])
def test_no_rows_are_beyond_what_is_possible(rows: int) -> None:
    one = pd.Series([1.0] + [0.0] * (rows - 1))
    assert one.skew() == pytest.approx(most_possible("skew", rows)[1])
    assert one.kurt() == pytest.approx(most_possible("kurt", rows)[1])
    if rows % 2 == 0:
        assert pd.Series([0.0, 1.0] * (rows // 2)).kurt() == pytest.approx(most_possible("kurt", rows)[0])


def test_the_interval_is_not_wider_than_noise_makes_it() -> None:
    """A uniform column of 20,000 rows is known to hundredths."""
    rng = np.random.default_rng(2)
    low, high = sums_of(rng.uniform(-1, 1, 20_000), 5.0, rng, "skew").interval(0.95, "sample")
    assert 0 < high[0] - low[0] < 0.01


def test_what_has_none_is_refused(session: pdp.Session, people: pd.DataFrame) -> None:
    with refused(errors.UnsupportedType):
        people["born"].dp.skew()
    found = people["age"].dp.kurt()
    with refused(errors.NotConcluded, "of a population"):
        found.dp.confint(target="population")


def test_few_rows_have_none() -> None:
    frame = pdp.Session(epsilon=1e9, neighbours="add_remove").protect(pd.DataFrame({"x": [1.0, 2.0]}))
    found = frame["x"].dp.skew(epsilon=1e6, bounds=(0, 4))
    assert np.isnan(found["skew"].item())
