"""Means over rows: the textbook's clustered errors without noise, and honest intervals with it."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pandas_dp.core.evidence.evidence import evidence_from_json
from pandas_dp.core.evidence.noise import Noise
from pandas_dp.core.measure.cells import ONE_CELL, Cells, Key, Variable
from pandas_dp.core.neighbours import PerPerson, Relation
from pandas_dp.core.noise.gaussian import DiscreteGaussian
from pandas_dp.core.schema.values import Categories, Interval
from pandas_dp.numeric.statistic_means import Mean, Share, true_or_false
from pandas_dp.people.evidence import RowMean, RowSums
from pandas_dp.people.statistic import of_people

from .asking import ask, epsilon, plan, rho
from .universe import read

GOLDEN = json.loads((Path(__file__).parent / "golden.json").read_text("utf-8"))
PEOPLE = [tuple((x, "a") for x in rows) for rows in GOLDEN["cluster.people"]]
COST = Variable("x", Interval(Fraction(0), Fraction(100), "integer"))
LETTERS = Cells((Key("k", Categories(("a", "b"))),))


def mean(most: int, cells: Cells = ONE_CELL, variable: Variable = COST) -> Any:
    return of_people(Mean(variable, cells), PerPerson(rows=most), "mean")


def test_the_textbooks_clustered_variance_without_noise() -> None:
    found = ask(read(PEOPLE), plan(mean(20), people=len(PEOPLE)))
    assert found.estimate == pytest.approx([GOLDEN["cluster.mean"]], rel=1e-9)
    assert found.std_error("population") ** 2 == pytest.approx([GOLDEN["cluster.variance"]], rel=1e-9)


def test_the_same_in_each_cell_of_people_who_are_in_several() -> None:
    r = np.random.default_rng(3)
    everyone = [
        tuple((int(x), str(k)) for x, k in zip(r.integers(0, 101, n), r.choice(["a", "b"], n), strict=True))
        for n in r.integers(1, 9, 60)
    ]
    found = ask(read(everyone), plan(mean(10, LETTERS), people=60))
    for place, cell in enumerate("ab"):
        sums = np.array([[sum(x for x, k in rows if k == cell), sum(k == cell for _, k in rows)] for rows in everyone])
        m = sums[:, 0].sum() / sums[:, 1].sum()
        variance = 60 / 59 * ((sums[:, 0] - m * sums[:, 1]) ** 2).sum() / sums[:, 1].sum() ** 2
        assert found.estimate[place] == pytest.approx(m, rel=1e-9)
        assert found.std_error("population")[place] ** 2 == pytest.approx(variance, rel=1e-9)


def test_who_has_more_rows_than_count_weighs_as_those_that_do() -> None:
    found = ask(read([((0, "a"),) * 4, ((100, "a"),)]), plan(mean(2)))
    assert found.estimate == pytest.approx([100 / 3], rel=1e-6)


def test_rows_without_a_value_do_not_count_though_the_column_was_declared_without_gaps() -> None:
    found = ask(read([((10, "a"), (None, "a")), ((30, "a"), (float("nan"), "a"))]), plan(mean(2)))
    assert found.estimate == pytest.approx([20.0], rel=1e-6)


def test_shares_of_rows() -> None:
    asked = of_people(Share(true_or_false("x", True)), PerPerson(rows=2), "share")
    found = ask(read([((1, "a"), (0, "a")), ((1, "a"), (1, "a"))]), plan(asked))
    assert found.statistic == "share"
    assert found.estimate == pytest.approx([0.75], rel=1e-6)


@pytest.mark.parametrize("cost", [rho(0.5), epsilon(1)], ids=str)
@pytest.mark.parametrize("relation", Relation)
def test_how_many_and_the_squares_cost_nothing_beside_the_sum(cost: Any, relation: Relation) -> None:
    made = plan(mean(5), cost, relation)
    scale = made.steps[0].measurement.scale
    if cost == rho(0.5):  # σ² = sensitivity/(2ρ): that of the bare sum, centred
        one = relation is Relation.REPLACE
        assert made.steps[0].laws[1].sd == pytest.approx(scale * (4 if one else 1.5774) ** 0.5, rel=1e-4)
    found = ask(read(PEOPLE), made)
    assert np.isfinite(found.interval(0.95, "population")).all()
    assert found.half_width(0.95) is None  # as how many there are is private


def test_nobody_there() -> None:
    sums = RowSums(
        50.0, 50.0, *(np.array([x]) for x in (-1.0, 0.5, 0, 0, 0)), *(Noise(DiscreteGaussian(Fraction(1))),) * 3
    )
    found = RowMean("mean", sums)
    assert np.isnan(found.estimate).all()
    low, high = found.interval(0.95, "population")
    assert (low.item(), high.item()) == (0.0, 100.0)


def test_squares_that_noise_could_hide_are_taken_for_as_large_as_it() -> None:
    """T = 40, S = 10 and products whose Σe² comes out below zero: τ, by its formula at θ = 1/4."""
    one, four = Noise(DiscreteGaussian(Fraction(9))), Noise(DiscreteGaussian(Fraction(4)))
    sums = RowSums(0.0, 1.0, *(np.array([x]) for x in (40.0, 10.0, 12.0, 30.0, 30.0)), one, one, four, people=100)
    theta = 0.25
    assert sums.residuals.item() < 0
    tau = np.sqrt(9 * (1 + theta**2) ** 2 + 4 * theta**2 * 9 + 4 * ((1 - theta) ** 4 + (1 + theta) ** 4 + 16))
    assert sums.sampling_var == pytest.approx([100 / 99 * tau], rel=1e-3)
    error = np.sqrt(9 * (1 + theta**2) + 100 / 99 * tau) / 40
    assert RowMean("mean", sums).std_error("population") == pytest.approx([error], rel=1e-3)
    assert RowMean("mean", replace(sums, people=None)).std_error("population").item() > error  # 40/39 for 100/99


def test_a_label_holds_all_of_it() -> None:
    found = ask(read(PEOPLE), plan(mean(5), rho(1)))
    again = evidence_from_json(json.loads(json.dumps(found.to_json())), found.estimate)
    assert again.interval(0.9, "population") == found.interval(0.9, "population")
    assert again.kind == "row means"


@pytest.mark.slow
@pytest.mark.parametrize(("people", "most", "cost"), [(300, 20, 1.0), (1000, 10, 0.1)])
def test_intervals_hold_the_mean_of_the_population(people: int, most: int, cost: float) -> None:
    """400 tables; 95 % is promised, and fewer than 360 hits of 400 have a chance of 5e-5 at .947. Errors of rows
    that are taken for independent would hold in 83 %."""
    r = np.random.default_rng(17)
    made, hits, times = plan(mean(most), rho(cost)), 0, 400
    truth = _population_mean(np.random.default_rng(1), most)
    for _ in range(times):
        frame_rows = [tuple((x, "a") for x in rows) for rows in _visits(r, people)]
        low, high = ask(read(frame_rows), made).interval(0.95, "population")
        hits += bool(low.item() <= truth <= high.item())
    assert hits >= 360


def _visits(r: np.random.Generator, people: int) -> list[list[int]]:
    level = r.normal(40, 12, people)
    many = 1 + r.poisson(np.clip(level / 10, 0.5, None))
    return [
        np.clip(np.rint(r.normal(mu, 15, n)), 0, 100).astype(int).tolist() for mu, n in zip(level, many, strict=True)
    ]


def _population_mean(r: np.random.Generator, most: int) -> float:
    rows = _visits(r, 200_000)
    weights = np.array([min(len(each), most) for each in rows])
    return float((weights * [np.mean(each) for each in rows]).sum() / weights.sum())
