"""Sums of rows whose number is private, with the error of sampling: what the rows that are left out add is 0.

Simulations hold 4,000 tables with noise from a fixed seed; `LUCK` as in `test_coverage_of_moments`.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pandas as pd
import pandera.pandas as pa
import pytest

import pandas_dp as pdp
from pandas_dp import errors
from pandas_dp.core.budget.cost import Concentrated, Cost, Pure
from pandas_dp.core.evidence.noise import Noise
from pandas_dp.core.measure.cells import Variable
from pandas_dp.core.measure.measurement import Noisy
from pandas_dp.core.neighbours import Adjacency, PublicFacts
from pandas_dp.core.noise.laplace import DiscreteLaplace
from pandas_dp.core.noise.mechanisms import additive_for
from pandas_dp.core.noise.samplers.bits import replaced
from pandas_dp.core.schema.values import Interval
from pandas_dp.numeric.evidence_means import Bootstrap, Means
from pandas_dp.numeric.evidence_moments import MomentSums
from pandas_dp.numeric.statistic_sums import PopulationSum, _of_all_rows
from tests.numeric.test_coverage import LUCK
from tests.refusals import refused

ROWS, TABLES = 2_000, 4_000
RANGES = {"from nothing": (0, 100), "from twenty": (20, 100), "to both sides": (-20, 80), "below": (-90, -10)}


class People(pa.DataFrameModel):
    sex: str = pa.Field(isin=["f", "m"])
    x: float = pa.Field(ge=-20, le=80)
    gap: float = pa.Field(ge=20, le=100, nullable=True)


@pytest.fixture(scope="module")
def rows() -> pd.DataFrame:
    r = np.random.default_rng(7)
    gap = np.where(r.random(ROWS) < 0.3, np.nan, r.uniform(20, 100, ROWS))
    return pd.DataFrame({"sex": r.choice(["f", "m"], ROWS, p=[0.3, 0.7]), "x": r.uniform(-20, 80, ROWS), "gap": gap})


@pytest.fixture(scope="module")
def people(rows: pd.DataFrame) -> pdp.ProtectedFrame:
    return pdp.Session(epsilon=1e9, schema=People).protect(rows)


@pytest.mark.parametrize("asked", ["derived", "nullable", "derived and nullable", "groups", "doubled"])
def test_with_little_noise_it_is_the_sum_with_its_sampling_error(
    asked: str, people: pdp.ProtectedFrame, rows: pd.DataFrame
) -> None:
    """As of a column that is 0 in the rows that are left out."""
    how = {"bootstrap": 50, "epsilon": 1e6}
    of_women = rows["sex"] == "f"
    if asked == "derived":
        release, added = people[people["sex"] == "f"]["x"].dp.sum(**how), rows["x"].where(of_women, 0)
    elif asked == "nullable":
        release, added = people["gap"].dp.sum(**how), rows["gap"].fillna(0)
    elif asked == "derived and nullable":
        release, added = people[people["sex"] == "f"]["gap"].dp.sum(**how), rows["gap"].where(of_women).fillna(0)
    elif asked == "groups":
        release, added = people.dp.groupby("sex").agg({"gap": ["sum"]}, **how), rows["gap"].where(of_women).fillna(0)
    else:
        release, added = (people["x"] * 2).dp.sum(bounds=(-40, 160), **how), rows["x"] * 2
    measures = release.iloc[0].to_numpy()
    assert measures[0] == pytest.approx(added.sum(), rel=1e-3)
    assert measures[1] == pytest.approx(added.std() * np.sqrt(ROWS), rel=1e-3)
    assert measures[2] < added.sum() < measures[3]


def test_it_costs_what_the_mean_does_and_says_so_beforehand(people: pdp.ProtectedFrame) -> None:
    women = people[people["sex"] == "f"]["x"]
    session = pdp.Session(epsilon=5, schema=People)
    again = session.protect(pd.DataFrame({"sex": ["f"] * 9, "x": [1.0] * 9, "gap": [30.0] * 9}))
    foreseen = session.plan(lambda: again[again["sex"] == "f"]["x"].dp.sum(bootstrap=4, epsilon=2))
    release = women.dp.sum(bootstrap=4, epsilon=2)
    assert foreseen["epsilon"].tolist() == [2.0]
    half = (release.dp.confint(target="sample") @ [-0.5, 0.5]).item()
    assert foreseen["half_width"].item() == pytest.approx(half)


def test_groups_of_one_sum_are_contrasted_and_told_together_without_taking_them_as_independent(
    people: pdp.ProtectedFrame,
) -> None:
    by_sex = people.dp.groupby("sex")["gap"].sum(bootstrap=4, epsilon=10)
    contrast, alone = by_sex.dp.contrast("f", "m"), by_sex.dp.confint()
    together = by_sex.dp.confint(simultaneous=True, confidence=0.9)
    assert contrast["upper"].item() - contrast["lower"].item() > (alone @ [-1, 1]).sum()
    assert together.to_numpy() == pytest.approx(alone.to_numpy())  # half of the risk each


def test_the_whole_tables_number_of_rows_must_be_public(rows: pd.DataFrame) -> None:
    hidden = pdp.Session(epsilon=5, schema=People, neighbours="add_remove").protect(rows)
    with refused(errors.UnsupportedArgument):
        hidden["x"].dp.sum(bootstrap=4, epsilon=1)


@pytest.mark.parametrize("between", RANGES)
def test_noise_on_the_spread_is_never_taken_for_less_than_it_is(between: str) -> None:
    """Against the exact variance of a linear map of three independent noises, whatever the mean."""
    low, high = RANGES[between]
    middle, half, n = (low + high) / 2, (high - low) / 2, 500
    noises = [Noise(DiscreteLaplace(Fraction(scale)), step) for scale, step in ((5, 1.0), (7, half), (9, half**2))]
    for share, code in product((0.1, 0.5, 1.0), (-1.0, -0.3, 0.0, 0.8, 1.0)):
        count = share * n
        sums = MomentSums(
            middle,
            half,
            np.array([count * code * half]),
            np.array([count * half**2 * 0.2]),
            noises[1],
            noises[2],
            None,
            np.array([count]),
            noises[0],
        )
        made = _of_all_rows(sums, (low, high), n)
        one = np.eye(3)  # what a step of each noise does to the variance, to first order
        total = one @ [middle, 1.0, 0.0]
        away = middle - made.centre
        squares = one @ [half**2 + away**2 - made.centre**2, 2 * away, -1.0]
        moved = (squares - 2 * made.mean * total) / (n - 1)
        true = np.sqrt((moved**2) @ [noise.var for noise in noises])
        assert made.variance_noise_sd.item() >= true * (1 - 1e-12)
        assert made.total_noise.sd == pytest.approx(np.hypot(middle * noises[0].sd, noises[1].sd))


def released(share: float, between: tuple[int, int], n: int, cost: Cost, how: Bootstrap) -> tuple[Means, float]:
    """The sums of all tables of n rows of which about that share is counted; and the population's."""
    variable = Variable("x", Interval(Fraction(between[0]), Fraction(between[1]), "float"))
    r, grid = np.random.default_rng(n), variable.grid
    low, high = between
    values = low + (high - low) * r.beta(2, 5, (TABLES, n))
    codes = np.rint((values - float(grid.centre)) / float(grid.code_step)) * (r.random((TABLES, n)) < share)
    here = codes != 0  # a code of zero among thousands adds nothing, and is seldom
    exact = np.stack([here.sum(axis=1), codes.sum(axis=1), (codes**2).sum(axis=1)], axis=1).astype(np.int64)
    asked, public = PopulationSum(variable, how), PublicFacts(Adjacency(swap=True, vanish=True), None, n)
    (measurement,) = asked.measurements(public, ())
    mechanism = additive_for("auto", cost)
    sensitivity = measurement.sensitivity(mechanism.norm, public.adjacency)
    laws = tuple(
        mechanism.law(weight, sensitivity, cost) for weight in measurement.weights(mechanism.norm, public.adjacency)
    )
    with replaced(np.random.default_rng(11).bytes):
        answer = Noisy(mechanism.add_noise(measurement.arrange(exact.astype(object)), laws), laws)
    return asked.conclude((answer,), public), n * share * (low + (high - low) * 2 / 7)


@pytest.mark.slow
@pytest.mark.parametrize("cost", [Pure(Fraction(1)), Concentrated(Fraction(1, 10))], ids=str)
@pytest.mark.parametrize("share", [0.2, 0.9])
@pytest.mark.parametrize("between", RANGES)
def test_an_interval_holds_what_so_many_rows_of_the_population_add_up_to(
    between: str, share: float, cost: Cost
) -> None:
    found, truth = released(share, RANGES[between], 500, cost, Bootstrap(50))
    low, high = found.interval(0.95, "population")
    held = ((low <= truth) & (truth <= high)).mean()
    assert held >= 0.95 - LUCK
