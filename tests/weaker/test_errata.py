"""Where the papers on bootstrap DP (BDP) and individual DP (IDP) err: tests that fail with the printed formula.

Others stand beside what they are about; docs/errata.md names them all."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations_with_replacement
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pandera.pandas as pa
import pytest
from scipy import integrate, optimize

import pandas_dp as pdp
from pandas_dp.core.budget.cost import Pure
from pandas_dp.core.measure.cells import Cells, Key, Variable
from pandas_dp.core.noise.laplace import DiscreteLaplace
from pandas_dp.core.noise.mechanisms import ADDITIVE
from pandas_dp.core.schema.values import Breaks, Categories, Interval
from pandas_dp.weaker.exact import Average, Final, NumberOf, StepTotal, Variance
from pandas_dp.weaker.ordered import Ordered

from .brute import HIGH, LOW, X, frame_of, moved, sensitivities
from .test_bootstrap_sensitivity import LETTERS, PUBLIC, table_of

GOLDEN: dict[str, Any] = json.loads((Path(__file__).parent / "golden.json").read_text("utf-8"))
HALF = Fraction(1, 2)


def gaps(rows: np.ndarray) -> float:
    return float(np.ptp(rows))


ALONE: dict[str, Callable[[np.ndarray], tuple[Final, float]]] = {
    "total": lambda x: (StepTotal(X), gaps(x)),
    "mean": lambda x: (Average(X), gaps(x) / len(x)),
    "min": lambda x: (Ordered(X, quantile=Fraction(0)), gaps(x)),
    "lowmedian": lambda x: (Ordered(X, quantile=Fraction(0), nth=(len(x) + 1) // 2), gaps(x)),
    "median_even": lambda x: (Ordered(X), gaps(x) / (1 + (len(x) % 2 == 0))),
    "quantile7": lambda x: (Ordered(X, quantile=Fraction(3, 10)), quantile_7(x, 0.3)),
    "var1": lambda x: (Variance(X), gaps(x) ** 2 / len(x) if len(x) > 1 else 0.0),
}


def quantile_7(x: np.ndarray, q: float) -> float:
    g = (len(x) - 1) * q % 1
    return max(g, 1 - g) * gaps(x)


@pytest.mark.parametrize("name", ALONE)
def test_the_formulas_of_the_corrected_table_are_what_is_calibrated_to(name: str) -> None:
    """000.brute.*: sixty data sets; that these are the sensitivities, test_bootstrap_sensitivity shows."""
    r, golden = np.random.default_rng(len(name)), GOLDEN[f"000.brute.{name}"]
    for _ in range(golden["datasets_checked"]):
        rows = r.integers(LOW, HIGH + 1, r.integers(1, 6)).astype(float)
        final, formula = ALONE[name](rows)
        assert sensitivities(final, frame_of(rows), model="bdp") == pytest.approx([formula], abs=1e-9)


IN_CELLS: dict[str, Callable[[list[np.ndarray]], tuple[Final, dict[str, str], list[float]]]] = {
    "celltotal_priv": lambda v: (
        StepTotal(X, Cells((Key("k", Categories(("a",))),))),
        {},
        [gaps(np.append(v[0], 0.0 if len(v[1]) else v[0][0]))],
    ),
    "magtable_priv": lambda v: (
        StepTotal(X, LETTERS),
        {"scale": "i"},
        [max(*map(gaps, filled(v)), sum(abs(x).max() for x in v if len(x)) if all(map(len, v)) else 0)] * 2,
    ),
    "table": lambda v: (NumberOf(LETTERS), {}, [2.0 * all(map(len, v))] * 2),
    "celltotal_pub": lambda v: (StepTotal(X, LETTERS), PUBLIC, [gaps(x) for x in filled(v)]),
    "cellmean_pub": lambda v: (Average(X, LETTERS), PUBLIC, [gaps(x) / len(x) for x in filled(v)]),
    "cellmax_pub": lambda v: (Ordered(X, LETTERS, Fraction(1)), PUBLIC, [gaps(x) for x in filled(v)]),
    "cellmedian_pub": lambda v: (
        Ordered(X, LETTERS),
        PUBLIC,
        [gaps(x) / (1 + (len(x) % 2 == 0)) for x in filled(v)],
    ),
}


def filled(cells: list[np.ndarray]) -> list[np.ndarray]:
    return [x if len(x) else np.zeros(1) for x in cells]


@pytest.mark.parametrize("name", IN_CELLS)
def test_the_formulas_for_cells_are_what_is_calibrated_to(name: str) -> None:
    r, golden = np.random.default_rng(len(name)), GOLDEN[f"000.brute.{name}"]
    for _ in range(golden["datasets_checked"]):
        values = r.integers(LOW, HIGH + 1, r.integers(1, 6)).astype(float)
        letters = np.append("a", r.choice(["a", "b"], len(values) - 1))
        frame = table_of(list(zip(values.tolist(), letters.tolist(), strict=True)))
        final, options, formula = IN_CELLS[name]([values[letters == letter] for letter in "ab"])
        assert sensitivities(final, frame, model="bdp", **options) == pytest.approx(formula, abs=1e-9)


def test_no_formula_of_the_corrected_table_is_left_out() -> None:
    assert {key for key in GOLDEN if key.startswith("000.brute.")} == {
        f"000.brute.{name}" for name in (*ALONE, *IN_CELLS)
    }


def test_definition_13_holds_with_certainty_for_a_mechanism_that_keeps_epsilon() -> None:
    """BDP-7: answers whose log-ratio is within epsilon have probability 1, which is at least 1 − gamma, not at most."""
    epsilon, k = 0.5, np.arange(-400, 401)
    law = DiscreteLaplace(Fraction(2))
    inside = np.abs(np.log(law.pmf(k)) - np.log(law.pmf(k - 1))) <= epsilon + 1e-12
    probability = float(law.pmf(k)[inside].sum())
    assert probability == pytest.approx(GOLDEN["000.def13.DP_mechanism_probability"])
    for gamma in (0.01, 0.5):
        assert probability >= 1 - gamma
        assert not probability <= 1 - gamma  # as printed


def test_releases_for_one_table_add_up() -> None:
    """BDP-8: for a fixed pair of tables the log-ratios of two answers add up, also where the second depends on the
    first; "composability will not hold" is wrong."""
    table, neighbour = np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 1.0])
    spent = []
    for final, epsilon in ((StepTotal(X), 0.5), (Average(X), 1.5)):
        (scale,) = sensitivities(final, frame_of(table), model="bdp")
        apart = abs(table.sum() - neighbour.sum()) / (len(table) if isinstance(final, Average) else 1)
        spent.append(epsilon * apart / scale)
    assert spent == pytest.approx([0.5, 1.5])
    assert sum(spent) == pytest.approx(2.0)


def test_adaptive_releases_of_one_table_keep_the_sum_of_their_costs() -> None:
    """IDP-4, 001.adaptive_composition: random pairs, the second scale chosen by the first answer."""
    r, k = np.random.default_rng(4), np.arange(-60, 61)
    excess = []
    for _ in range(300):
        first, second = 0.1 + r.random(2)
        at, to = r.integers(0, 3, 2), r.integers(0, 3, 2)
        b = DiscreteLaplace(Fraction(max(abs(at[0] - to[0]), 1)) / Fraction(first))
        here, there = (np.log(b.pmf(k - value)) for value in (at[0], to[0]))
        for answer in r.integers(0, len(k), 3):  # the second question depends on it
            scale = Fraction(max(abs(at[1] - to[1]), 1)) / Fraction(second * (1 if answer % 2 else 0.5))
            law = DiscreteLaplace(scale)
            more = np.abs(np.log(law.pmf(k - at[1])) - np.log(law.pmf(k - to[1]))).max()
            excess.append(abs(here[answer] - there[answer]) + more - (first + second))
    assert max(excess) <= 1e-9
    assert max(excess) > -0.01
    assert GOLDEN["001.adaptive_composition.max_excess"] <= 0


def test_two_cells_of_the_farms_get_more_noise_under_one_scale_than_each_on_its_own() -> None:
    """BDP-10: the paper counts one, share and both varieties; share and traditional is another."""
    widest = {key.split(".")[2]: value for key, value in GOLDEN.items() if key.startswith("000.T2.")}
    most = max(widest.values())
    assert sorted(name for name, width in widest.items() if 9 * width < most) == ["Share/Both", "Share/Trad"]


def test_a_published_sensitivity_gives_a_row_away_and_ours_is_not_published() -> None:
    """BDP-11: who knows rows 1 and 2, and that the sum has sensitivity 2, is left with 0 and 3. Answers on the scale
    2/epsilon tell these two apart by a factor of e^(1.5·epsilon)."""
    wide = Variable("x", Interval(Fraction(0), Fraction(100), "integer"))
    left = [
        x for x in range(101) if sensitivities(StepTotal(wide), frame_of(np.array([1, 2, x])), model="bdp") == [2.0]
    ]
    assert left == [0, 3]
    assert (left[1] - left[0]) / 2.0 == 1.5
    with pdp.Session(epsilon=1, models=["bdp"]) as session:
        people = session.protect(pd.DataFrame({"x": [1, 2, 3]}))
        label = people["x"].dp.sum(epsilon=1, bounds=(0, 100), model="bdp").attrs["dp"]
    assert label["noise"] is None
    assert "scale" not in json.dumps(label)


def test_a_column_without_bounds_is_answered_under_dp_once_it_is_clamped() -> None:
    """BDP-12: no noise at global sensitivity exists for unbounded values; a mechanism that keeps epsilon does."""
    with pdp.Session(epsilon=10**6) as session:
        people = session.protect(pd.DataFrame({"x": [1.0, 2.0, 1e300]}))
        found = people["x"].dp.sum(epsilon=10**4, bounds=(0, 10))["sum"].item()
    assert found == pytest.approx(13, abs=0.1)  # exp(-100) is the chance of more


def test_data_that_span_the_domain_have_the_sensitivity_of_the_domain() -> None:
    """BDP-13: at most the global sensitivity, not less than it."""
    assert sensitivities(StepTotal(X), frame_of(np.array([LOW, HIGH])), model="bdp") == [HIGH - LOW]


@pytest.mark.parametrize(("name", "formula"), [("max", 0), ("median", 1), ("second max", 2)])
@pytest.mark.parametrize(("size", "top"), [(3, 9), (5, 1)])
def test_local_sensitivities_of_ranks_are_those_of_every_small_table(
    name: str, formula: int, size: int, top: int
) -> None:
    """001.LS_*.maxerr, with the index that is right (IDP-6): all tables of so many rows."""
    finals = {"max": (1, 1), "median": (HALF, 1), "second max": (1, 2)}
    final = Ordered(X, quantile=Fraction(finals[name][0]), nth=finals[name][1])
    worst = 0.0
    for rows in combinations_with_replacement(range(LOW, HIGH + 1, 1 if top == 9 else 3), size):
        x = [LOW, *rows, HIGH]
        m = (size + 1) // 2
        expected = (
            max(HIGH - x[-2], x[-2] - x[-3]),
            max(x[m + 1] - x[m], x[m] - x[m - 1]),
            max(x[-2] - x[-3], x[-3] - x[-4]),
        )[formula]
        (found,) = sensitivities(final, frame_of(np.array(rows, dtype=float)))
        worst = max(worst, abs(found - expected), abs(found - moved(name, np.array(rows, dtype=float), absent=False)))
    short = {"max": "max", "median": "median", "second max": "2max"}[name]
    assert worst == GOLDEN[f"001.LS_{short}.n{size}.maxerr"]


def test_the_printed_place_of_the_median_is_wrong_for_most_tables() -> None:
    """IDP-6: with row m of 2m + 1 in place of row m + 1, of tables of three numbers in 0 … 9."""
    wrong, tables = 0, list(combinations_with_replacement(range(10), 3))
    for rows in tables:
        x, row = [0, *rows, 9], 2
        true = max(x[row + 1] - x[row], x[row] - x[row - 1])
        printed = max(x[row] - x[row - 1], x[row - 1] - x[row - 2])
        found = max(abs(sorted([*rows[:at], to, *rows[at + 1 :]])[1] - rows[1]) for at in range(3) for to in (0, 9))
        assert true == found
        wrong += printed != true
    assert wrong / len(tables) == pytest.approx(0.5818, abs=1e-4)


def test_the_tables_that_the_paper_tells_apart_by_their_medians_have_the_same() -> None:
    """IDP-6, section 6.1.1: of 2m + 1 rows, m zeros are not enough for the median to be 0."""
    for m in (1, 2, 5):
        one, other = np.repeat([0.0, 1.0], [m, m + 1]), np.repeat([0.0, 1.0], [m - 1, m + 2])
        assert np.median(one) == GOLDEN["001.s611.median_D1"]
        assert np.median(other) == GOLDEN["001.s611.median_D2"]


@pytest.mark.parametrize("gamma", [2, 3])
def test_table_1_is_the_paper_s_calibration_and_not_what_is_needed(gamma: int) -> None:
    """IDP-8: half widths of 4·gamma times the noise."""

    def density(z: float) -> float:
        return 1 / (1 + z**gamma)

    half, _ = integrate.quad(density, 0, np.inf)
    inside = lambda w: integrate.quad(density, 0, w)[0] - 0.95 * half  # noqa: E731
    quantile = optimize.brentq(inside, 0.1, 100, xtol=1e-12)
    golden = {name: GOLDEN[f"001.T1.gamma{gamma}.{name}"] for name in ("normalizer", "q975", "halfwidth")}
    assert 2 * half == pytest.approx(golden["normalizer"], rel=1e-9)
    assert quantile == pytest.approx(golden["q975"], rel=1e-6)
    assert 4 * gamma * quantile == pytest.approx(golden["halfwidth"], rel=1e-6)


def test_table_2_is_cut_after_two_digits() -> None:
    """IDP-9: rounded, these would be other numbers."""
    printed = {0.66: 1 - 0.5 / 1.5, 0.53: 0.5378828427399902, 0.23: 0.2384058440442351, 0.27: 0.275720564771}
    law = {epsilon: DiscreteLaplace(Fraction(1) / Fraction(epsilon)) for epsilon in (math.log(2), 1.0, 2.0)}
    k = np.arange(1, 2000)
    ours = [
        float(1 - law[math.log(2)].pmf(0)),
        float(1 - law[1.0].pmf(0)),
        float(1 - law[2.0].pmf(0)),
        2 * float((k * law[2.0].pmf(k)).sum()),
    ]
    for (cut, _), value in zip(printed.items(), ours, strict=True):
        assert math.floor(100 * value) / 100 == cut
        assert round(value, 2) != cut


def test_the_scale_of_noise_is_the_sensitivity_over_epsilon() -> None:
    """IDP-10: printed as epsilon/Δf, which at epsilon 1/2 and Δf = 5 spends a hundred times as much."""
    law = ADDITIVE["laplace"].law(Fraction(1), Fraction(5), Pure(HALF))
    assert isinstance(law, DiscreteLaplace)
    assert law.scale == 10
    assert 5 / law.scale == HALF
    assert 5 / (HALF / 5) == 100 * HALF


def test_a_count_between_bounds_is_zero_or_all_only_where_nothing_moves_it() -> None:
    """BDP-13, section 5.1: counts of 0 and of all rows come out exact in the paper; here only without the floor."""
    between = Cells((Key("x", Breaks((0.0, 3.0)), clamp=X.interval),))
    assert sensitivities(NumberOf(between), frame_of(np.array([5.0, 6.0])), model="bdp") == [0.0]
    schema = pa.DataFrameSchema({"x": pa.Column(float, pa.Check.in_range(LOW, HIGH))})
    with pdp.Session(epsilon=100, schema=schema, models=["bdp"]) as session:
        people = session.protect(pd.DataFrame({"x": [5.0, 6.0]}))
        asks: dict[str, Any] = {"model": "bdp", "epsilon": 0.01}
        found = [people["x"].dp.between(0, 3, **asks)["count"].item() for _ in range(60)]
        exact = [people["x"].dp.between(0, 3, floor=0, **asks)["count"].item() for _ in range(5)]
    assert exact == [0] * 5
    assert len(set(found)) > 1  # all alike: less than 1e-100
