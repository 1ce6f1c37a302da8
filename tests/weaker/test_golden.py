"""Reference values of both papers, and of where they are wrong: rice farms, small examples, tables of noise."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pandas_dp.core.budget.cost import Pure
from pandas_dp.core.engine.rows import PandasRows
from pandas_dp.core.measure.cells import Cells, Key, Variable
from pandas_dp.core.neighbours import PublicFacts, Relation
from pandas_dp.core.noise.laplace import DiscreteLaplace
from pandas_dp.core.noise.mechanisms import ADDITIVE
from pandas_dp.core.promise_registry import PUBLIC, promise_named
from pandas_dp.core.schema.values import Breaks, Categories, Interval
from pandas_dp.datasets import load_rice_farms
from pandas_dp.numeric.measure import Totals
from pandas_dp.weaker.exact import Final, NumberOf, StepTotal
from pandas_dp.weaker.idp import Individual
from pandas_dp.weaker.ordered import Ordered
from pandas_dp.weaker.plan import OwnScales
from pandas_dp.weaker.promise import Surroundings, Weaker, facts_of

from .brute import frame_of

GOLDEN: dict[str, Any] = json.loads((Path(__file__).parent / "golden.json").read_text("utf-8"))
FARMS = load_rice_farms()
OUTPUT = Variable("noutput", Interval(Fraction(0), Fraction(17_610), "integer"))
STATUS, VARIETIES = ("mixed", "owner", "share"), ("trad", "high", "mixed")
NAMES = [f"{s.title()}/{'Both' if v == 'mixed' else v.title()}" for s in STATUS for v in VARIETIES]
CELLS = Cells((Key("status", Categories(STATUS)), Key("varieties", Categories(VARIETIES))))
EPSILONS = {"eps0.1": 0.1, "epsln2": math.log(2), "eps1": 1.0, "eps2": 2.0, "eps5": 5.0}


def scales(final: Final, frame: pd.DataFrame, model: str = "bdp", **options: Any) -> list[float]:
    """At epsilon 1, without a floor."""
    promise, rows = promise_named(model, {"floor": 0, **options}), PandasRows(frame, None)
    assert isinstance(promise, Weaker)
    facts = facts_of(rows, final, 1)
    public = PublicFacts(Relation.REPLACE.adjacency(True), len(frame))
    around = Surroundings(public, len(frame) - int(facts.rows.sum()))
    return [float(sensitivity) for sensitivity in promise.sensitivities(final, facts, around, 1)]


def of_cells(prefix: str, suffix: str) -> list[float]:
    return [GOLDEN[f"{prefix}.{name}.{suffix}"] for name in NAMES]


def test_rows_of_the_farms_are_those_of_the_first_table() -> None:
    facts = facts_of(PandasRows(FARMS, None), StepTotal(OUTPUT, CELLS), 1)
    half = OUTPUT.grid.half
    assert facts.rows.tolist() == of_cells("000.T1", "n")
    assert StepTotal(OUTPUT, CELLS).numbers(facts).tolist() == of_cells("000.T1", "total")
    assert (facts.lowest[:, 0] + half).tolist() == of_cells("000.T1", "min")
    assert (facts.highest[:, 0] + half).tolist() == of_cells("000.T1", "max")


def test_the_sensitivities_of_cells_with_public_membership_are_those_of_the_second_table() -> None:
    found = scales(StepTotal(OUTPUT, CELLS), FARMS, cells="public")
    assert found == of_cells("000.T2", "V")
    totals = of_cells("000.T1", "total")
    assert [100 * v / t for v, t in zip(found, totals, strict=True)] == pytest.approx(of_cells("000.T3", "pct"))
    assert [GOLDEN["000.max_all"] / v for v in found] == pytest.approx(of_cells("000.T4", "ratio"))
    assert max(found) == GOLDEN["000.method_i.public"]


@pytest.mark.parametrize(
    ("method", "name"), [("i", "000.noise_sd.method_i_corrected"), ("iv", "000.noise_sd.method_iv_2M")]
)
def test_the_noise_of_a_table_of_sums(method: str, name: str) -> None:
    found = scales(StepTotal(OUTPUT, CELLS), FARMS, scale=method)
    assert dict(zip(NAMES, (np.sqrt(2) * np.array(found)).tolist(), strict=True)) == pytest.approx(GOLDEN[name])


def test_the_automatic_method_is_the_one_with_the_least_variance() -> None:
    found = {
        method: sum(s**2 for s in scales(StepTotal(OUTPUT, CELLS), FARMS, scale=method)) for method in ("i", "ii", "iv")
    }
    assert sum(s**2 for s in scales(StepTotal(OUTPUT, CELLS), FARMS)) == min(found.values()) == found["iv"]


def test_what_the_paper_s_methods_cost_in_truth() -> None:
    """Errata BDP-2 and BDP-4: the loss when the two largest rows of two cells take each other's place."""
    largest, public = of_cells("000.T1", "max"), of_cells("000.T2", "V")

    def spent(noise: list[float]) -> float:
        apart = sorted((m / s for m, s in zip(largest, noise, strict=True)), reverse=True)
        return sum(apart[:2])

    assert spent([max(public)] * 9) == pytest.approx(GOLDEN["000.method_i.true_eps_at_1"])
    assert spent([9 * v for v in public]) == pytest.approx(GOLDEN["000.method_ii.true_eps"])
    assert spent(public) == pytest.approx(GOLDEN["000.percell_release.true_eps"])
    for method, tight in (("i", 1.0), ("ii", 2 / 9), ("iv", 1.0)):
        ours = spent(scales(StepTotal(OUTPUT, CELLS), FARMS, scale=method))
        assert ours == pytest.approx(tight)
    assert GOLDEN["000.method_iv.true_eps"] == 1.0


@pytest.mark.parametrize("name", [key.split(".")[3] for key in GOLDEN if key.startswith("000.single_cell.private.")])
def test_one_cell_of_private_membership(name: str) -> None:
    """Erratum BDP-3."""
    status, varieties = name.lower().replace("both", "mixed").split("/")
    one = Cells((Key("status", Categories((status,))), Key("varieties", Categories((varieties,)))))
    for method in ("auto", "i", "ii", "iv"):
        assert scales(StepTotal(OUTPUT, one), FARMS, scale=method) == [GOLDEN[f"000.single_cell.private.{name}"]]


def test_the_worst_single_cell_spends_more_than_twice_what_the_paper_claims() -> None:
    pairs = zip(of_cells("000.T1", "max"), of_cells("000.T2", "V"), strict=True)
    assert max(m / v for m, v in pairs) == pytest.approx(GOLDEN["000.single_cell.true_eps_worst"])


def test_the_reach_of_the_whole_table_under_dp() -> None:
    table = Totals(OUTPUT, CELLS)
    assert PUBLIC["dp"].sensitivity(table, 1, Relation.REPLACE.adjacency(True)) == GOLDEN["000.DP.table.replace"]
    assert PUBLIC["dp"].sensitivity(table, 1, Relation.ADD_REMOVE.adjacency(True)) == GOLDEN["000.DP.table.addremove"]


def test_all_farms_together() -> None:
    assert scales(StepTotal(OUTPUT), FARMS) == [GOLDEN["000.Vall"]]


def test_the_example_of_three_rows() -> None:
    wide = Variable("x", Interval(Fraction(0), Fraction(100), "integer"))
    assert scales(StepTotal(wide), frame_of(np.array([1, 2, 3]))) == [GOLDEN["000.ex.s43.sens"]]


def test_a_count_of_equal_rows_has_no_reach() -> None:
    between = Cells((Key("x", Breaks((0.0, 5.0))),))
    assert scales(NumberOf(between), frame_of(np.array([1, 1, 1]))) == [GOLDEN["000.ex.binary_count_zero_sens"]]
    assert scales(NumberOf(between), frame_of(np.array([1, 1, 9]))) == [1]


@pytest.mark.parametrize(("k", "gamma"), [(1, 0.05), (1, 0.5), (1, 0.9), (9, 0.05)])
def test_all_numbers_are_within_the_half_width_with_the_probability_that_is_true(k: int, gamma: float) -> None:
    """Erratum BDP-6, from the laws of noise that the library draws: 1 − gamma, not gamma."""
    scale = 10**6
    law = DiscreteLaplace(Fraction(scale))
    half = math.log(k / gamma) * scale
    inside = (1 - 2 * law.sf(math.floor(half))) ** k
    assert inside == pytest.approx(GOLDEN[f"000.thm4.k{k}.gamma{gamma:g}"], abs=1e-5)
    assert inside >= 1 - gamma - 1e-5


def median_law(ones: int, epsilon: float, floored: bool = False) -> tuple[int, DiscreteLaplace | None]:
    """The exact median of so many ones among eleven zeros and ones, and the noise that the library adds to it."""
    bit = Variable("x", Interval(Fraction(0), Fraction(1), "integer"))
    frame = frame_of(np.array([0] * (11 - ones) + [1] * ones))
    public = PublicFacts(Relation.REPLACE.adjacency(True), 11)
    step = OwnScales(
        Individual(floor=None if floored else 0),
        public,
        ADDITIVE["laplace"],
        Pure(Fraction(epsilon)),
        measurement=Ordered(bit, quantile=Fraction(1), nth=6),  # the middle row of eleven, in whole steps
    )
    seen = step.measure(PandasRows(frame, None))
    (sensitivity,), (number,) = seen.sensitivities.ravel(), seen.numbers.ravel()
    law = step.law(sensitivity) if sensitivity else None
    assert law is None or isinstance(law, DiscreteLaplace)
    return number, law


def test_local_sensitivity_zero_gives_a_neighbour_away_at_any_epsilon() -> None:
    """Erratum IDP-1: example 2 of the paper. X is answered 0 always, its neighbour often not."""
    number, law = median_law(4, 1.0)
    assert (number, law) == (0, None)
    number, law = median_law(5, 1.0)
    assert number == 0
    assert law is not None
    assert 1 - law.pmf(0) == pytest.approx(GOLDEN["001.LS0.discrete_delta.eps1"])
    assert median_law(4, 1.0, floored=True) == median_law(5, 1.0, floored=True)


@pytest.mark.parametrize("name", [each for each in EPSILONS if f"001.T2.DP.{each}" in GOLDEN])
def test_the_expected_errors_of_range_counts(name: str) -> None:
    """Table 2 of the paper, from the law of the noise that a count gets."""
    law = DiscreteLaplace(Fraction(1) / Fraction(EPSILONS[name]))
    at = np.arange(1, 2000)
    assert 2 * float((at * law.pmf(at)).sum()) == pytest.approx(GOLDEN[f"001.T2.DP.{name}"])
    assert float(1 - law.pmf(0)) == pytest.approx(GOLDEN[f"001.T2.iDP.{name}"])


@pytest.mark.parametrize("name", [each for each in EPSILONS if f"001.range.true_delta.{each}" in GOLDEN])
def test_a_truncated_count_gives_a_neighbour_away_with_this_probability(name: str) -> None:
    """Erratum IDP-2: an answer one below the truth is impossible on a table with one row more in the range."""
    law = DiscreteLaplace(Fraction(1) / Fraction(EPSILONS[name]))
    assert law.sf(0) == pytest.approx(GOLDEN[f"001.range.true_delta.{name}"])
