"""Tables with margins planned in one budget: least squares, honest intervals, shares, the paper's example."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp import errors
from pandas_dp.audit import WORLDS, Exact, plan_of, zero_noise
from pandas_dp.audit.noise import loss
from pandas_dp.core.budget.cost import Concentrated, Pure
from pandas_dp.core.evidence.noise import Noise, half_width_of_mixed
from pandas_dp.core.neighbours import Relation
from pandas_dp.core.noise.bounded import TruncatedLaplaceLaw
from pandas_dp.core.noise.gaussian import DiscreteGaussian
from pandas_dp.core.noise.laplace import DiscreteLaplace
from pandas_dp.core.noise.mechanism import Law
from pandas_dp.core.noise.samplers.discrete import discrete_gaussian, discrete_laplace
from pandas_dp.tables.evidence import Tables
from pandas_dp.tables.planning.lattice import Effects, FitAround, possible_cells
from pandas_dp.tables.planning.margins import subsets
from pandas_dp.tables.planning.optimum import Workload
from pandas_dp.tables.planning.planning import Planning
from tests.contracts.cases import cases
from tests.refusals import refused

GOLDEN: dict[str, Any] = json.loads((Path(__file__).parent / "golden.json").read_text("utf-8"))
SIZES = (3, 4, 2)
VARIANCES = {(0, 1, 2): 2.0, (0, 1): 1.0, (2,): 0.5, (): 0.3, (1, 2): 7.0}
CATEGORIES = {"k": ["a", "b", "c"], "j": ["1", "2"], "i": ["x", "y", "z", "w"]}


def summing(margin: tuple[int, ...], sizes: tuple[int, ...] = SIZES) -> np.ndarray:
    """The matrix of a margin of the whole table."""
    every = np.eye(int(np.prod(sizes))).reshape(-1, *sizes)
    dropped = tuple(1 + place for place in range(len(sizes)) if place not in margin)
    return every.sum(axis=dropped).reshape(len(every), -1).T


def people(rows: int = 400, seed: int = 3) -> pd.DataFrame:
    r = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {name: r.choice(np.array([*values, None], object), rows) for name, values in CATEGORIES.items()}
    )
    return frame.assign(x=r.integers(0, 11, rows))


# -- least squares


@pytest.mark.parametrize("variances", [VARIANCES, {(0, 1): 1.0, (1, 2): 3.0}, {(0, 1, 2): 5.0}], ids=str)
def test_effects_give_what_least_squares_gives(variances: dict[Any, float]) -> None:
    """Against a dense solver: the fitted margins, their variances, and the noises they are made of."""
    r = np.random.default_rng(1)
    noisy = {k: r.normal(size=[SIZES[p] for p in k]) for k in variances}
    design = np.vstack([summing(k) / np.sqrt(v) for k, v in variances.items()])
    target = np.concatenate([noisy[k].ravel() / np.sqrt(v) for k, v in variances.items()])
    best, spread = np.linalg.lstsq(design, target, rcond=None)[0], np.linalg.pinv(design.T @ design)
    effects = Effects(SIZES, variances)
    requested = [margin for margin in subsets(range(3)) if effects.can_determine(margin)]
    found = effects.solve(noisy, requested)
    for margin in requested:
        assert found[margin].ravel() == pytest.approx(summing(margin) @ best, abs=1e-10)
        true = np.diag(summing(margin) @ spread @ summing(margin).T)
        assert effects.variance(margin) == pytest.approx(true[0], rel=1e-9)
        assert true == pytest.approx(true[0], rel=1e-9)
        terms = effects.terms(margin)
        assert sum(n * w**2 * variances[m] for m, w, n in terms) == pytest.approx(effects.variance(margin), rel=1e-9)
        assert effects.variance(margin) <= variances.get(margin, np.inf) * (1 + 1e-12)


def test_around_structural_zeros_least_squares_is_the_constrained_one() -> None:
    r = np.random.default_rng(2)
    noisy = {k: r.normal(size=[SIZES[p] for p in k]) for k in VARIANCES}
    zeros = (0, 5, 6, 20)
    possible = np.setdiff1d(np.arange(24), zeros)
    design = np.vstack([summing(k)[:, possible] / np.sqrt(v) for k, v in VARIANCES.items()])
    target = np.concatenate([noisy[k].ravel() / np.sqrt(v) for k, v in VARIANCES.items()])
    best = np.zeros(24)
    best[possible] = np.linalg.lstsq(design, target, rcond=None)[0]
    there = possible_cells(SIZES, zeros, ())
    found = FitAround(Effects(SIZES, VARIANCES), there).solve(noisy, list(VARIANCES))
    for margin in VARIANCES:
        assert found[margin].ravel() == pytest.approx(summing(margin) @ best, abs=1e-7)


@pytest.mark.parametrize("kind", ["laplace", "gaussian"])
def test_consistency_never_increases_the_expected_error_of_a_margin(kind: str) -> None:
    """3,000 tables of exact noise, mean squared errors over all cells of each margin.

    The variance stated is met to 30 per cent, some seven standard errors; the raw error never lies below the fitted.
    """
    scales = {(0, 1, 2): 3, (0, 1): 2, (2,): 4, (): 1, (1, 2): 6}
    draw = {"laplace": discrete_laplace, "gaussian": discrete_gaussian}[kind]
    law = {"laplace": DiscreteLaplace, "gaussian": DiscreteGaussian}[kind]
    effects = Effects(SIZES, {margin: law(Fraction(s)).variance for margin, s in scales.items()})
    squares = {margin: np.zeros(2) for margin in scales}
    noises = {margin: draw(Fraction(s), 3000 * effects.cells(margin)).reshape(3000, -1) for margin, s in scales.items()}
    for at in range(3000):
        noisy = {
            margin: noise[at].reshape([SIZES[p] for p in margin]).astype(float) for margin, noise in noises.items()
        }
        fitted = effects.solve(noisy, list(scales))
        for margin, square in squares.items():
            square += np.array([np.mean(fitted[margin] ** 2), np.mean(noisy[margin] ** 2)]) / 3000
    for margin, (after, before) in squares.items():
        assert after <= before
        assert after == pytest.approx(effects.variance(margin), rel=0.3)


def test_tables_agree_and_are_exact_without_noise() -> None:
    session = pdp.Session(epsilon=10**9)
    data = people()
    frame = session.protect(data)
    with zero_noise():
        table = frame.dp.marginals([["i", "k"], ["k", "j"], ["j"], []], epsilon=1, categories=CATEGORIES)["count"]
        sums = frame.dp.marginals([["k"], []], "x", epsilon=1, categories={"k": CATEGORIES["k"]}, bounds=(0, 10))["sum"]
        cross = frame.dp.crosstab("k", ["j", "i"], epsilon=1, margins="planned", categories=CATEGORIES)
    declared = data.dropna()
    assert table.loc[("All", "All", "All")] == pytest.approx(len(declared))
    for i, k in [("x", "a"), ("w", "c")]:
        assert table.loc[(i, k, "All")] == pytest.approx(((declared.i == i) & (declared.k == k)).sum())
    assert table.loc[("All", "b", "2")] == pytest.approx(((declared.k == "b") & (declared.j == "2")).sum())
    assert sums.loc["a"] == pytest.approx(data.x[data.k == "a"].sum())
    assert sums.loc["All"] == pytest.approx(data.x[data.k.notna()].sum())
    truth = pd.crosstab(declared.k, [declared.j, declared.i], margins=True)
    assert cross.to_numpy()[:-1, -1] == pytest.approx(truth["All"].to_numpy()[:-1].astype(float))
    assert cross.to_numpy()[-1, -1] == pytest.approx(len(declared))
    noisy = frame.dp.crosstab("k", "j", epsilon=1, margins="planned", categories={k: CATEGORIES[k] for k in "kj"})
    assert noisy.to_numpy()[:-1].sum(axis=0) == pytest.approx(noisy.to_numpy()[-1])
    assert noisy.to_numpy()[:, :-1].sum(axis=1) == pytest.approx(noisy.to_numpy()[:, -1])


# -- how far it may be off


@pytest.mark.parametrize(
    "law",
    [
        DiscreteLaplace(Fraction(5)),
        DiscreteGaussian(Fraction(30)),
        TruncatedLaplaceLaw(Fraction(4), 9),
        DiscreteLaplace(Fraction(1, 3)),
    ],
    ids=str,
)
@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
def test_widths_of_weighted_sums_hold_their_level_and_hardly_more(law: Law, level: float) -> None:
    """Against the exact distribution of 2·X + Y₁ + Y₂ + Y₃, by convolution."""
    at = np.arange(-400, 401)
    one = law.pmf(at)
    two = np.zeros(1601)
    two[np.arange(0, 1601, 2)] = one
    masses = two
    for _ in range(3):
        masses = np.convolve(masses, one)
    middle = len(masses) // 2
    noise = Noise(law, 0.5)
    half = half_width_of_mixed(((noise.law, -1.0, 1), (noise.law, 0.5, 3)), level) / 0.5
    inside = lambda w: masses[middle - int(w) : middle + int(w) + 1].sum()  # noqa: E731
    assert inside(half) >= level
    sd = float(np.sqrt(7 * law.variance))
    assert inside(max(half - 0.04 * sd - 1, 0)) <= level or half < 1.1


@pytest.mark.slow
def test_intervals_of_fitted_tables_cover() -> None:
    """2,400 intervals of 90 per cent, in 200 independent tables: fewer than 77 per cent held would be luck of 1e-9."""
    session = pdp.Session(epsilon=10**9)
    frame = session.protect(people())
    asked = {"tables": [["k", "j"], ["k"], ["j"], []], "categories": {k: CATEGORIES[k] for k in "kj"}}
    with zero_noise():
        true = frame.dp.marginals(**asked, epsilon=1)["count"].to_numpy()
    held = 0.0
    for _ in range(200):
        table = frame.dp.marginals(**asked, cost_shares=[2, 1, 1, 1], epsilon=1, confidence=0.9)
        held += ((table["lower"] <= true + 1e-9) & (true - 1e-9 <= table["upper"])).mean() / 200
    assert 0.77 < held < 0.97


def test_the_label_gives_the_intervals_back(tmp_path: Path) -> None:
    session = pdp.Session(rho=10)
    frame = session.protect(people())
    table = frame.dp.crosstab("k", "j", rho=1, margins="planned", categories={k: CATEGORIES[k] for k in "kj"})
    table.to_parquet(tmp_path / "t.parquet")
    again = pd.read_parquet(tmp_path / "t.parquet")
    assert again.dp.confint(0.9).equals(table.dp.confint(0.9))
    long = frame.dp.marginals([["k", "j"], []], rho=1, categories={k: CATEGORIES[k] for k in "kj"})
    ends = long.dp.confint(0.95)
    assert np.allclose(ends[["lower", "upper"]], long[["lower", "upper"]])
    wider = long.dp.confint(0.95, target="population")
    assert (wider["upper"] - wider["lower"] >= ends["upper"] - ends["lower"]).all()


# -- shares


@pytest.mark.parametrize("world", WORLDS, ids=str)
@pytest.mark.parametrize("cost", [Pure(Fraction(1)), Concentrated(Fraction(1, 2))], ids=str)
def test_the_total_is_free_exactly_where_rows_are_only_replaced(world: Any, cost: Any) -> None:
    """All of the price is used by some pair of neighbours, with and without the total's half."""
    (case,) = (c for c in cases() if c.name == "TableOfMargins count: size, unequal")
    case = replace(case, universe=replace(case.universe, size=1))
    plan = plan_of(case, world, cost)
    found = [Exact(step.measurement, case.universe) for step in plan.steps]
    pairs = case.universe.pairs(world)
    order = np.inf if isinstance(cost, Pure) else 2.0
    losses = [loss(step, each, world.whole, pairs, order) for step, each in zip(plan.steps, found, strict=True)]
    allowed = 1.0  # epsilon, or twice rho at order two
    total = np.sum(losses, axis=0)
    assert total.max() == pytest.approx(allowed, rel=1e-6)
    assert total.max() <= allowed * (1 + 1e-9)
    share = plan.steps[-1].laws[0]
    if world.relation is Relation.REPLACE:
        assert np.sum(losses[:-1], axis=0).max() == pytest.approx(allowed, rel=1e-6)
        assert share == (DiscreteLaplace(Fraction(2)) if order == np.inf else DiscreteGaussian(Fraction(2)))
    else:
        assert share == (DiscreteLaplace(Fraction(7)) if order == np.inf else DiscreteGaussian(Fraction(7)))


def test_the_example_of_the_paper_is_foreseen() -> None:
    """All two-way margins of a table of four keys with ten categories each, at epsilon 1 and 0.1."""
    names = "abcd"
    data = pd.DataFrame(0, index=range(3), columns=list(names))
    session = pdp.Session(epsilon=1, neighbours="add_remove")
    frame = session.protect(data)
    tables = [list(pair) for pair in combinations(names, 2)]
    for epsilon in ("0.1", "1.0"):
        plan = frame.dp.plan_marginals(
            tables, epsilon=float(epsilon), categories={name: list(range(10)) for name in names}
        )
        for column, key in [("interior", "sum_interior"), ("margins", "only_2way"), ("all", "all_15")]:
            assert plan[column].to_numpy() == pytest.approx(
                GOLDEN[f"003.s7.exactSD.{key}.eps{epsilon}"]["value"], rel=1e-6
            )
        assert (plan["all, consistent"] < plan["all"]).all()
        assert (plan["planned"] <= plan["margins"]).all()
    assert session.share_used == 0


@pytest.mark.parametrize("norm", [1, 2])
@pytest.mark.parametrize("free", [True, False], ids=["free total", "all paid"])
def test_planned_shares_are_no_worse_than_any_on_a_grid(norm: Any, free: bool) -> None:
    requested = {(0, 1): 1.0, (0,): 4.0, (): 1.0}
    work = Workload((3, 8), tuple(requested.items()))
    planned = Planning(work, tuple(margin for margin in requested if margin or not free), 2 // norm, free).planned()
    paid = [share for margin, share in zip(planned.tables, planned.shares, strict=True) if margin or not free]
    assert sum(paid) == 1

    def variance(shares: dict[Any, float]) -> float:
        """Summed up cell by cell, from the variance of each measured table."""
        worth = {margin: 0.5 if free and not margin else 1.0 for margin in shares}
        effects = Effects((3, 8), {margin: (worth[margin] / share) ** (2 / norm) for margin, share in shares.items()})
        told = all(effects.can_determine(margin) for margin in requested)
        return sum(w * effects.variance(margin) for margin, w in requested.items()) if told else np.inf

    found = variance({margin: float(share) for margin, share in zip(planned.tables, planned.shares, strict=True)})
    steps = np.linspace(0, 1, 41)
    best = np.inf
    for cells in steps:
        for rows in steps[steps <= 1 - cells + 1e-9]:
            rest = 1 - cells - rows
            shares = {(0, 1): cells, (0,): rows if not free else 1 - cells, (): 0.5 if free else rest}
            best = min(best, variance({margin: share for margin, share in shares.items() if share > 1e-9}))
    assert found <= best * 1.001


def test_importance_moves_the_shares() -> None:
    session = pdp.Session(rho=1)
    frame = session.protect(people(20))
    asked = {"categories": {k: CATEGORIES[k] for k in "kj"}, "rho": 0.1}
    even = frame.dp.plan_marginals([["k", "j"], ["k"]], **asked)["planned"]
    rows = frame.dp.plan_marginals([["k", "j"], ["k"]], importance=[1, 100], **asked)["planned"]
    assert rows.iloc[1] < even.iloc[1]
    assert rows.iloc[0] > even.iloc[0]


# -- structural zeros, odd tables


def test_structural_zeros_stay_zero_and_other_zeros_are_perturbed() -> None:
    session = pdp.Session(epsilon=10**9)
    frame = session.protect(people(30))
    zeros = [{"k": "a", "j": "1"}, {"k": ["b", "c"], "j": "2"}]
    two = {k: CATEGORIES[k] for k in "kj"}
    table = frame.dp.crosstab("k", "j", epsilon=0.1, categories=two, structural_zeros=zeros)
    assert table.to_numpy()[[0, 1, 2], [0, 1, 1]].tolist() == [0, 0, 0]
    ends = table.dp.confint()
    assert ends.loc["a", ("1", "upper")] == 0
    assert ends.loc["a", ("2", "upper")] > table.loc["a", "2"]
    fitted = frame.dp.crosstab("k", "j", epsilon=0.1, categories=two, structural_zeros=zeros, margins=True)
    assert fitted.to_numpy()[[0, 1, 2], [0, 1, 1]].tolist() == [0, 0, 0]
    assert fitted.to_numpy()[:-1].sum(axis=0) == pytest.approx(fitted.to_numpy()[-1])
    ends = fitted.dp.confint()
    assert ends.loc["a", "1"].tolist() == [0, 0]
    assert ends.loc["a", ("2", "upper")] > fitted.loc["a", "2"]


@pytest.mark.slow
@pytest.mark.parametrize("most", [0, 10**6], ids=["without knowing of zeros", "exact"])
@pytest.mark.parametrize("law", [DiscreteLaplace(Fraction(2)), DiscreteGaussian(Fraction(9))], ids=["laplace", "gauss"])
def test_intervals_around_structural_zeros_hold_their_level(
    law: Law, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """6,000 fits, from the same noise as the intervals declare: a share 4.5 standard errors, 0.013, below the level has
    a probability of 3 in 10^6 for each of 26 numbers. The bound on the deviations holds number by number."""
    monkeypatch.setattr("pandas_dp.tables.evidence.MOST_WORK", most)
    families, zeros = [(0, 1), (0,), (1,), ()], [0, 5, 6, 7, 8, 13]
    noise = Noise(law)
    sizes, rng = (4, 4), np.random.default_rng(31)
    possible = np.ones(16, bool)
    possible[zeros] = False
    effects = Effects(sizes, dict.fromkeys(families, noise.var))
    around_zeros = FitAround(effects, possible_cells(sizes, zeros, ()))
    masses = law.pmf(np.arange(-200, 201))
    errors_of: list[np.ndarray] = []
    for _ in range(6000):
        drawn = {k: rng.choice(401, [sizes[p] for p in k], p=masses / masses.sum()) - 200.0 for k in families}
        fit = around_zeros.solve(drawn, families)
        errors_of.append(np.concatenate([fit[k].ravel() for k in families]))
    off = np.abs(errors_of)
    said = Tables(
        "count", np.zeros(25), sizes, tuple(families), tuple(families), (noise,) * 4, True, zeros=tuple(zeros)
    )
    assert not off[:, [*zeros]].any()
    for level in (0.8, 0.95):
        high = said.interval(level, "sample")[1]
        assert not high[zeros].any()
        assert ((off <= high).mean(axis=0) >= level - 4.5 * np.sqrt(level * (1 - level) / 6000)).all()
    sd = said.measures(0.95, "sample")["std_error"]
    assert (np.sqrt((off**2).mean(axis=0)) <= sd * 1.06 + 1e-9).all()  # a sd of 6,000 squares errs by 0.018 at most


def test_large_tables_of_several_levels_have_no_intervals(monkeypatch: pytest.MonkeyPatch) -> None:
    """The work follows from the table's shape and the declared levels alone."""
    frame = pdp.Session(epsilon=10**9).protect(people(30).assign(x=1))
    given = {
        "epsilon": 1,
        "categories": {k: CATEGORIES[k] for k in "kj"},
        "hierarchies": {"k": {"g": dict(zip("abc", "uuv", strict=True))}},
    }
    monkeypatch.setattr("pandas_dp.tables.evidence.MOST_WORK", 10)
    fitted = frame.dp.marginals([["k", "j"], ["g"]], **given)
    means = frame.dp.marginals([["k", "j"], ["g"]], "x", "mean", bounds=(0, 2), **given)
    for release in (fitted, means, fitted.dp.margin(["j"]), means.dp.margin(["g"])):
        assert release.shape[1] == 1
        with refused(errors.NotConcluded):
            release.dp.confint()
    assert frame.dp.marginals([["k", "j"], ["g"]], consistent=False, **given).shape[1] == 4


@pytest.mark.parametrize("rows", [0, 1, 5])
def test_tables_of_one_cell_and_of_nothing_are_answered(rows: int) -> None:
    session = pdp.Session(epsilon=100)
    frame = session.protect(people(rows) if rows else people(1).iloc[:0])
    one = frame.dp.marginals([["k"], []], epsilon=1, categories={"k": ["never"]})
    assert one.shape == (2, 4)
    frame.dp.crosstab("k", "j", epsilon=1, categories={"k": ["never"], "j": ["0"]}, margins="planned")


@pytest.mark.parametrize(
    ("ask", "says"),
    [
        (lambda f: f.dp.marginals("k", epsilon=1), "marginals takes a list of tables"),
        (lambda f: f.dp.marginals([[]], epsilon=1), "needs a table with a key"),
        (lambda f: f.dp.marginals([["k"], ["k"]], epsilon=1), "twice; name each once"),
        (
            lambda f: f.dp.marginals([["k"], []], cost_shares=[1], epsilon=1),
            "cost_shares of marginals must be a list of 2 positive",
        ),
        (lambda f: f.dp.marginals([["k"], []], importance=[1, -1], epsilon=1), "given are positive and finite"),
        (
            lambda f: f.dp.marginals([["k"], []], importance=[1, 2, 3], epsilon=1),
            "one for each table; those given are more",
        ),
        (lambda f: f.dp.marginals([["k"], []], importance=[1], epsilon=1), "one for each table; those given are fewer"),
        (lambda f: f.dp.marginals([["k"], []], importance=[1, "2"], epsilon=1), "not all of those given are numbers"),
        (lambda f: f.dp.marginals([["k"], []], importance=2, epsilon=1), "one for each table; 2 was given"),
        (lambda f: f.dp.marginals([["k"]], epsilon=1, consistent=1), "consistent must be True or False, not 1."),
        (
            lambda f: f.dp.crosstab("k", "j", margins="sums", epsilon=1),
            "margins must be True, False, 'planned' or a mapping of shares of the cost",
        ),
        (lambda f: f.dp.crosstab("k", "j", margins={"rows": 1}, epsilon=1), "all four of them"),
        (lambda f: f.dp.marginals([["k"]], epsilon=1, bootstrap=9), "takes no bootstrap="),
        (lambda f: f.dp.marginals([["k"]], epsilon=1, mechanism="hellinger"), "noise that depends on them"),
        (lambda f: f.dp.marginals([["k"]], "x", epsilon=1, mechanism="hellinger"), "perturbs counts under model='dp'"),
        (
            lambda f: f.dp.crosstab("k", "j", "x", "median", margins="planned", epsilon=1),
            "are for counts, sums and means, not for median",
        ),
        (lambda f: f.dp.marginals([["k"]], "x", "median", epsilon=1), "offers 'count', 'sum', 'mean' of values="),
        (lambda f: f.dp.marginals([["k"]], aggfunc="mean", epsilon=1), "needs values= for aggfunc="),
        (lambda f: f.dp.marginals([["k"]], "x", ["mean", "mean"], epsilon=1), "statistic twice"),
        (
            lambda f: f.dp.marginals([["k"]], ["x", "x"], "mean", epsilon=1),
            "a column twice",
        ),
        (
            lambda f: f.dp.crosstab("k", "j", structural_zeros=["a"], epsilon=1),
            "must be mappings from keys to categories",
        ),
        (
            lambda f: f.dp.crosstab("k", "j", structural_zeros={"k": "q"}, epsilon=1),
            "name a category of 'k' that was not declared",
        ),
        (lambda f: f.dp.crosstab("k", "j", structural_zeros={"i": "x"}, epsilon=1), "what is no key of this crosstab"),
        (lambda f: f.dp.crosstab("k", "j", structural_zeros={"j": ["1", "2"]}, epsilon=1), "leave no cell that can be"),
    ],
)
def test_refusals_say_what_to_do_and_cost_nothing(ask: Any, says: str) -> None:
    import pandera.pandas as pa

    schema = pa.DataFrameSchema(
        {name: pa.Column(None, pa.Check.isin(values)) for name, values in CATEGORIES.items()}
        | {"x": pa.Column(int, pa.Check.in_range(0, 10))}
    )
    session = pdp.Session(epsilon=1, schema=schema)
    frame = session.protect(people(5))
    with refused(errors.PrivacyError, says):
        ask(frame)
    assert session.share_used == 0
