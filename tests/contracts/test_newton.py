"""Contract of scores: at any public coefficients nobody moves their sums farther than was planned, and no row's
numbers depend on other rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise, product
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pandas_dp.audit import WORLDS, Exact, Universe, World
from pandas_dp.core.measure.cells import Key, Norm, Variable
from pandas_dp.core.measure.measurement import Noisy
from pandas_dp.core.noise.gaussian import DiscreteGaussian
from pandas_dp.core.schema.values import Categories, Interval
from pandas_dp.models.glm.measure_newton import BAND_ENDS, BANDS, ONE
from pandas_dp.models.glm.measure_newton_stages import NewtonStage, SizesStage, StagePoint, longest
from pandas_dp.models.measure import Gram, Levels, Number, Product
from pandas_dp.models.moments.measure_powers import Power

from .test_forms import EXTREMES, keeps_its_sensitivity

A = Variable("a", Interval(Fraction(-1), Fraction(1), "integer"))
B = Variable("b", Interval(Fraction(0), Fraction(10), "float", True))
Y = Variable("y", Interval(Fraction(0), Fraction(1), "integer"))
COUNT = Variable("y", Interval(Fraction(0), Fraction(9), "integer"))
YEARS = Variable("t", Interval(Fraction(0), Fraction(3), "integer"))
K = Key("k", Categories(("p", "q", "r")))
LIMIT = 64 * 2**20


@dataclass(frozen=True)
class Asked:
    form: NewtonStage
    rows: pd.DataFrame


def asked(
    family: Any,
    terms: tuple[Any, ...],
    places: tuple[int, ...],
    exposed: bool = False,
    uncut: bool = False,
    again: bool = False,
    sized: bool = False,
) -> Asked:
    yes = family == "logit" or uncut
    response = Y if yes else COUNT
    beside = (Number(response), *([Number(YEARS)] if exposed else []))
    pilot = Gram((*terms, *beside), counted=True)
    form = NewtonStage(family, pilot, terms, response, YEARS if exposed else None, places, uncut=uncut)
    form = replace(form, earlier=form) if again else form
    form = replace(form, sizes=SizesStage(form)) if sized else form
    columns: dict[str, list[Any]] = {"y": [0.0, 1.0] if yes else [0.0, 9.0]}
    if any(A in term.variables for term in terms):
        columns["a"] = [-1.0, 1.0] if len(terms) > 1 else [-1.0, 0.0, 1.0]
    if any(B in term.variables for term in terms):
        columns["b"] = [0.0, 3.7, 10.0] if len(terms) < 3 else [0.0, 10.0]
    if any(term.keys for term in terms):
        columns["k"] = ["p", "q", None]
    if exposed:
        columns["t"] = [1.0, 3.0]
    rows = pd.DataFrame(list(product(*columns.values())), columns=list(columns))
    return Asked(form, rows.astype({"k": object}) if "k" in columns else rows)


ASKED = {
    "logit of a number": asked("logit", (Number(A),), (0, 1)),
    "logit of two": asked("logit", (Number(A), Number(B)), (0, 1, 2)),
    "logit of levels": asked("logit", (Number(A), Levels(K)), (0, 1, 3, 4)),
    "logit of a product": asked("logit", (Number(A), Number(B), Product(A, B)), (0, 1, 2, 3)),
    "logit of powers": asked("logit", (Number(B), Power(B, 2), Power(B, 3)), (0, 1, 2, 3)),
    "poisson": asked("poisson", (Number(A),), (0, 1)),
    "poisson by exposure": asked("poisson", (Number(A),), (0, 1), exposed=True),
    "logit again": asked("logit", (Number(A), Levels(K)), (0, 1, 3, 4), again=True),
    "poisson again": asked("poisson", (Number(A), Number(B)), (0, 1, 2), exposed=True, again=True),
    "linear": asked("linear", (Number(A), Number(B)), (0, 1, 2)),
    "linear of levels": asked("linear", (Number(A), Levels(K)), (0, 1, 3, 4)),
    "linear by sizes": asked("linear", (Number(A), Levels(K)), (0, 1, 3, 4), sized=True),
    "linear of yes or no": asked("linear", (Number(A), Number(B)), (0, 1, 2), uncut=True),
}


def parameters(form: NewtonStage) -> list[StagePoint]:
    """Corners of the box, zero, and 20 at random."""
    r, size = np.random.default_rng(3), form.columns
    corners = [tuple(LIMIT * sign for sign in signs) for signs in list(product((-1, 1), repeat=size))[:: 1 + size]]
    some = [tuple(int(x) for x in r.integers(-3, 4, size) * 2**20 + r.integers(0, 99, size)) for _ in range(20)]
    clips = [1 / 1024, 0.25, 1.0, 2.0] if form.family != "logit" else [1.0]
    tops = [1 / 1024, 0.05, 0.25]
    return [
        StagePoint(each, clips[at % len(clips)], min(clips[at % len(clips)], tops[at % 3]))
        for at, each in enumerate([(0,) * size, *corners, *some])
    ]


@pytest.mark.parametrize(("world", "norm"), [*product(WORLDS, (1, 2))], ids=str)
@pytest.mark.parametrize("name", ASKED)
def test_nobody_moves_the_sums_farther_at_any_coefficients(name: str, world: World, norm: Norm) -> None:
    each = ASKED[name]
    chosen = parameters(each.form)[:: 1 if norm == 2 else 6]
    rows = each.rows.iloc[:: 1 if len(each.rows) < 30 else 2]
    most = keeps_its_sensitivity(each.form, chosen, Universe(rows, size=1), world, norm)
    assert (0.2 if norm == 2 else 0.01) < most <= 1 + 1e-9


@pytest.mark.parametrize("name", ASKED)
def test_coefficients_are_in_their_box_whatever_was_told(name: str) -> None:
    form, r = ASKED[name].form, np.random.default_rng(1)
    widths = [len(each.weights(2, WORLDS[0].relation.adjacency(True))) for each in form.after]
    laws = (DiscreteGaussian(Fraction(10) ** 12),)
    tables = [[np.full((1, many), e, object) for many in widths] for e in EXTREMES]
    tables += [[r.integers(-(10**k), 10**k, (1, many)).astype(object) for many in widths] for k in range(1, 18)]
    for each in tables:
        answers = tuple(Noisy(table, laws * table.size) for table in each)
        told = form.parameter(answers)
        assert all(isinstance(each, int) and abs(each) <= LIMIT for each in told.coefficients)
        assert told.clip == 2 if form.uncut else 0 < told.clip <= 2
        assert 0 < told.top <= (told.clip if form.family == "poisson" else 0.25)
        assert form.parameter(answers) == told
        form.say(told)


@pytest.mark.parametrize("name", ASKED)
def test_what_a_row_brings_does_not_depend_on_other_rows(name: str) -> None:
    """Bit for bit: whatever rows stand beside it, in whatever order, and wherever blocks are cut."""
    each, r = ASKED[name], np.random.default_rng(3)
    told = parameters(each.form)[-1]
    measurement = each.form.at(told)
    of_rows = [Exact(measurement, Universe(each.rows.iloc[[at]], 1, (0,))).of_whole[0] for at in range(len(each.rows))]
    for many in (1, 7, 9000):
        places = r.integers(0, len(each.rows), many)
        whole = Exact(measurement, Universe(each.rows, 0, tuple(places.tolist()))).of_whole[0]
        assert (whole == np.array(of_rows, object)[places].sum(axis=0)).all()


def test_the_sums_are_those_of_the_scores() -> None:
    """Against floats: the residual times each column, and the weights times all products, at some coefficients."""
    r = np.random.default_rng(8)
    frame = pd.DataFrame({"a": r.integers(-1, 2, 500), "b": r.uniform(0, 10, 500), "y": r.integers(0, 2, 500)})
    form = ASKED["logit of two"].form
    beta = np.array([0.3, -1.2, 0.7])
    measurement = form.at(StagePoint(tuple(int(each * 2**20) for each in beta), 1.0))
    found = Exact(measurement, Universe(frame.astype(float), 0, tuple(range(500)))).of_whole[0, 0].astype(float)
    x = np.column_stack([np.ones(500), frame["a"], (frame["b"] - 5) / 5])
    chance = 1 / (1 + np.exp(-x @ beta))
    score, weighed = x.T @ (frame["y"] - chance), x.T @ ((chance * (1 - chance))[:, None] * x)
    np.testing.assert_allclose(found[:3] / ONE, score, atol=0.02)
    np.testing.assert_allclose(0.25 * found[3:] / ONE**2, weighed[np.triu_indices(3)], atol=0.02)


def squares_of(z: np.ndarray, other: np.ndarray, q: int, ratio: float) -> float:
    """Of theorem B2: the squared distance of (Σz, Σzzᵀ), products with ratio·q times the variance."""
    moved = np.outer(z, z) - np.outer(other, other)
    return float(((z - other) ** 2).sum() + (moved**2).sum() / (2 * ratio * q))


@pytest.mark.parametrize("q", [1, 2, 3])
def test_squares_of_scores_are_free_and_would_not_be_with_less_noise(q: int) -> None:
    """Over a grid of the ball |z|² <= q."""
    axis = np.linspace(-np.sqrt(q), np.sqrt(q), 9 if q == 3 else 25)
    points = [np.array(z) for z in product(axis, repeat=q) if sum(x * x for x in z) <= q * (1 + 1e-12)]
    points = points[:: (1, 3, 4)[q - 1]]
    free = max(squares_of(z, other, q, 1.0) for z in points for other in points)
    assert free <= 4 * q * (1 + 1e-9)


def test_less_noise_on_squares_would_cost_more() -> None:
    """Two nearly opposite points on the edge of the ball."""
    worst = max(
        squares_of(np.sqrt(2) * np.array([np.cos(t), np.sin(t)]), np.sqrt(2) * np.array([-1.0, 0.0]), 2, 0.9)
        for t in np.linspace(0, 1.5, 400)
    )
    assert worst > 8.01


def test_a_form_that_states_too_little_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = ASKED["linear"]
    stated = asked.form.sensitivity
    monkeypatch.setattr(
        NewtonStage, "sensitivity", lambda form, norm, adjacency: stated(norm, adjacency) * Fraction(9, 10)
    )
    assert keeps_its_sensitivity(asked.form, parameters(asked.form), Universe(asked.rows, 1), WORLDS[0], 2) > 1


@pytest.mark.parametrize("world", WORLDS, ids=str)
def test_nobody_moves_more_than_two_rows_between_sizes(world: World) -> None:
    """At the corners of the coefficients' box, zero and some at random; attained wherever rows are swapped."""
    each = ASKED["linear by sizes"]
    form = each.form.sizes
    assert form is not None
    for norm in (1, 2):
        most = keeps_its_sensitivity(form, parameters(each.form), Universe(each.rows, size=1), world, norm)
        assert most == 1


def test_a_reach_of_sizes_that_states_too_little_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    each = ASKED["linear by sizes"]
    assert each.form.sizes is not None
    monkeypatch.setattr(SizesStage, "sensitivity", lambda form, norm, adjacency: Fraction(1))
    assert keeps_its_sensitivity(each.form.sizes, parameters(each.form), Universe(each.rows, 1), WORLDS[0], 2) > 1


def test_sizes_are_those_of_residuals() -> None:
    """Against floats, of rows that are no nearer to the end of a band than rounding."""
    r = np.random.default_rng(8)
    frame = pd.DataFrame({"a": r.integers(-1, 2, 500), "b": r.uniform(0, 10, 500), "y": r.integers(0, 10, 500)})
    form = SizesStage(ASKED["linear"].form)
    beta = np.array([0.3, -0.2, 0.7])
    measurement = form.at(StagePoint(tuple(int(each * 2**20) for each in beta), 1.0))
    found = Exact(measurement, Universe(frame.astype(float), 0, tuple(range(500)))).of_whole[0, 0].astype(int)
    x = np.column_stack([np.ones(500), frame["a"], (frame["b"] - 5) / 5])
    away = np.minimum(np.abs((frame["y"] - 4.5) / 4.5 - x @ beta).to_numpy() / 2, 1.0)
    ends = [*(-BAND_ENDS / ONE), 0.0]
    assert min(np.abs(away - end).min() for end in ends[1:-1]) > 2e-6
    assert found.tolist() == [((away <= top) & (away > low)).sum() for top, low in pairwise(ends)]
    assert found.sum() == 500


def test_the_longest_that_noise_does_not_hide() -> None:
    counts = np.zeros(BANDS)
    counts[9:] = 1000.0
    assert longest(counts, 10.0, 1) == (9, 30.0)
    assert longest(counts, 1e6, 1) is None
    counts[3] = 25.0  # hidden
    found = longest(counts, 10.0, 1)
    assert found is not None
    assert found[0] == 9
    counts[3:7] = 16.0  # together they are not
    found = longest(counts, 10.0, 1)
    assert found is not None
    assert (found[0], found[1]) == (6, pytest.approx(60.0))
