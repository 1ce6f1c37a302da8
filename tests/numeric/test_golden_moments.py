"""Reference values of G1 (standard errors for free), under their names in the project's golden.json."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from pandas_dp.core.budget.cost import Concentrated, Pure
from pandas_dp.core.measure.cells import Cells, Variable
from pandas_dp.core.measure.measurement import Noisy
from pandas_dp.core.neighbours import Adjacency, PublicFacts
from pandas_dp.core.noise.mechanisms import additive_for
from pandas_dp.core.schema.values import Interval
from pandas_dp.numeric.evidence_means import Means
from pandas_dp.numeric.measure import Moments
from pandas_dp.numeric.statistic_means import in_units, moments

REPLACE, ADD_REMOVE = Adjacency(swap=True, vanish=False), Adjacency(swap=False, vanish=True)
UNIT = Variable("x", Interval(Fraction(0), Fraction(1), "float"))
AGE = Variable("x", Interval(Fraction(0), Fraction(100), "float"))
AGE_SD = 22.07  # of the design behind 004.moments.cov.*, from the half width at n = 500, rho = 0.5

PHI5 = 11.090169943749476  # 004.moments.phi5
SCALES = {"Delta": 1.0, "rho": 0.5, "sigma1": 1.0, "sigma2": 0.3002831060007776}  # 004.moments.scale.zcdp.replace
ORACLE = {  # 004.moments.cov.n{n}.rho{rho}: half widths with a known variance
    (100, 0.05): 7.5585586349161344,
    (500, 0.5): 1.9742710600459776,
    (500, 0.01): 3.3806025931412513,
    (1000, 0.01): 1.9477648194719004,
    (5000, 0.001): 1.0690886930373242,
}


def sds(variable: Variable, rho: Fraction, counted: bool = False, adjacency: Adjacency = REPLACE) -> list[float]:
    """The standard deviations of the noise on the released sums, in the variable's unit."""
    measurement = Moments(variable, counted=counted)
    gaussian = additive_for("gaussian", Concentrated(rho))
    sensitivity = measurement.sensitivity(2, adjacency)
    step = float(variable.grid.code_step)
    units = [1.0] * counted + [step, step**2 * 2 ** measurement.shifts[2]]
    laws = [gaussian.law(weight, sensitivity, Concentrated(rho)) for weight in measurement.weights(2, adjacency)]
    return [law.sd * unit for law, unit in zip(laws, units, strict=True)]


def test_the_constant_of_the_theorem() -> None:
    phi = (1 + 5**0.5) / 2
    assert phi**5 == pytest.approx(PHI5, rel=1e-12)
    t = np.linspace(0.01, 0.99, 100_001)
    assert ((1 + t) / (t**2 * (1 - t))).min() == pytest.approx(PHI5, rel=1e-8)


def test_sum_and_squares_have_the_noise_of_the_theorem_and_at_most_a_thousandth_more() -> None:
    total, squares = sds(UNIT, Fraction(1, 2))
    assert SCALES["sigma1"] <= total <= SCALES["sigma1"] * 1.001
    assert SCALES["sigma2"] <= squares <= SCALES["sigma2"] * 1.001


def test_the_mean_and_its_squares_cost_what_the_mean_alone_costs() -> None:
    """004.moments.brute_worst: the largest of d² + (y² - y'²)²·φ⁵ over all pairs is 1, in units of the range."""
    y = np.linspace(-0.5, 0.5, 801)
    a, b = np.meshgrid(y, y)
    assert ((a - b) ** 2 + (a**2 - b**2) ** 2 * PHI5).max() == pytest.approx(1.0, abs=1e-6)
    measurement = Moments(UNIT)
    alone = Fraction(4)  # the square of 2, the swing of a row from end to end in units of half the range
    assert alone <= measurement.sensitivity(2, REPLACE) <= alone * Fraction(1001, 1000)


def test_squares_with_two_per_cent_less_noise_would_cost_more() -> None:
    """004.moments.zcdp.replace.tight: 1.0124 where sigma2² is 2 % smaller."""
    y = np.linspace(-0.5, 0.5, 801)
    a, b = np.meshgrid(y, y)
    worst = ((a - b) ** 2 + (a**2 - b**2) ** 2 * PHI5 / 0.98).max()
    assert worst == pytest.approx(1.012401471420691, abs=1e-3)


def test_under_add_remove_the_noise_of_the_squares_is_half_the_range_times_that_of_the_sum() -> None:
    """004.moments.zcdp.addremove.worst: h = 1, sigma2 = h·sigma1; here beside a paid count."""
    unit = Variable("x", Interval(Fraction(-1), Fraction(1), "float"))
    _, total, squares = sds(unit, Fraction(1, 2), counted=True, adjacency=ADD_REMOVE)
    assert squares == pytest.approx(total, rel=1e-6)


def test_under_pure_dp_the_scale_of_the_squares_is_that_of_the_theorem() -> None:
    """Lap(Δ/ε) for the sum and Lap(Δ²/ε) for the squares."""
    measurement, cost = Moments(UNIT), Pure(Fraction(1))
    laplace = additive_for("laplace", cost)
    laws = [
        laplace.law(weight, measurement.sensitivity(1, REPLACE), cost) for weight in measurement.weights(1, REPLACE)
    ]
    step = float(UNIT.grid.code_step)
    scales = [float(law.to_json()["scale"].split("/")[0]) for law in laws if "/" not in law.to_json()["scale"]]
    assert scales[0] * step == pytest.approx(1.0, rel=1e-5)
    assert laws[1].sd / np.sqrt(2) * step**2 * 2 ** measurement.shifts[2] == pytest.approx(1.0, rel=1e-3)


@pytest.mark.parametrize(("n", "rho"), ORACLE)
def test_the_half_width_is_that_of_a_known_variance_but_for_students_factor(n: int, rho: float) -> None:
    public = PublicFacts(REPLACE, n)
    measurement, cost = moments(AGE, Cells(), public), Concentrated(Fraction(str(rho)))
    gaussian = additive_for("gaussian", cost)
    laws = tuple(gaussian.law(w, measurement.sensitivity(2, REPLACE), cost) for w in measurement.weights(2, REPLACE))
    sums = in_units(measurement, Noisy(np.zeros((1, 2)), laws), public)
    squares = AGE_SD**2 * (n - 1) - sums.total_noise.var / n  # as released when the estimate hits the truth
    means = Means(type(sums)(**{**vars(sums), "squares": np.array([squares])}))
    low, high = means.interval(0.95, "population")
    half = (high - low).item() / 2
    assert ORACLE[n, rho] * 0.999 <= half <= ORACLE[n, rho] * (1 + 3 / n + 0.01)
