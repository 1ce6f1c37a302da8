"""An audit finds bugs that are planted, of each kind, and nothing where there is none."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp import errors
from pandas_dp.audit import Audit, audit, made_up
from pandas_dp.audit.chances import Promised, Visible, least_of, seen
from pandas_dp.core.noise import laplace as laplace_noise
from pandas_dp.numeric.measure_distinct import Totals
from tests.refusals import refused

from .planted import CLEAN, SAMPLED, VISIBLE, R, Schema, laplace

SURE = 1 - 1e-6  # of an audit that is to find nothing
AS_LONG_AS_IT_TAKES = 10**5  # seconds: a busy machine tries as many runs as another


@pytest.fixture(autouse=True)
def _bugs_draw_the_same_in_every_run() -> None:
    R.bit_generator.state = np.random.default_rng(1).bit_generator.state


@pytest.mark.parametrize("bug", VISIBLE)
def test_what_differs_beside_numbers_is_found_without_a_sample(bug: str) -> None:
    found = audit(VISIBLE[bug], Schema, epsilon=1, runs=0)
    assert found.visible
    assert not found.passed
    with pytest.raises(AssertionError, match="visible"):
        found.check()


@pytest.mark.slow
@pytest.mark.parametrize("bug", SAMPLED)
def test_what_differs_in_chances_is_found_by_samples(bug: str) -> None:
    question, promised = SAMPLED[bug]
    runs = 2500 if "delta" in promised else 800  # of each far more than the bound needs
    found = audit(question, Schema, **promised, runs=runs, confidence=0.99, seconds=AS_LONG_AS_IT_TAKES)
    assert not found.visible
    assert found.least > found.promised.amount
    assert not found.passed


@pytest.mark.slow
@pytest.mark.parametrize("name", CLEAN)
def test_nothing_is_found_where_there_is_nothing(name: str) -> None:
    question, promised = CLEAN[name]
    audit(question, Schema, **promised, runs=300, confidence=SURE, seconds=AS_LONG_AS_IT_TAKES).check()


def test_a_reach_that_is_too_small_is_found_by_exact_laws(monkeypatch: pytest.MonkeyPatch) -> None:
    sensitivity = Totals.sensitivity
    monkeypatch.setattr(Totals, "sensitivity", lambda self, norm, adjacency: sensitivity(self, norm, adjacency) / 2)
    found = audit(lambda t: t["x"].dp.sum(epsilon=1), Schema, epsilon=1, runs=0)
    assert found.exact == 2
    assert not found.passed


@pytest.mark.slow
def test_a_sampler_that_draws_a_quarter_of_the_noise_is_found_by_samples_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        laplace_noise, "discrete_laplace", lambda scale, many: np.array([laplace(float(scale) / 4)] * many)
    )
    found = audit(
        lambda t: t["x"].dp.sum(epsilon=1), Schema, epsilon=1, runs=800, confidence=0.99, seconds=AS_LONG_AS_IT_TAKES
    )
    assert found.exact == 1
    assert found.least > 1


def test_noise_that_is_not_the_library_s_is_noted() -> None:
    own, other = (audit(ask, Schema, epsilon=1, runs=0) for ask in (CLEAN["of the library"][0], CLEAN["a count"][0]))
    assert not own.notes
    assert "not the library's" in other.notes[0]


def test_what_is_charged_is_what_was_promised_and_else_the_cap() -> None:
    asked = audit(lambda t: (t["x"].dp.sum(epsilon=0.25), t["x"].dp.sum(epsilon=0.5)), Schema, epsilon=3, runs=0)
    assert str(asked.promised) == "epsilon=0.75"
    assert str(audit(lambda t: 1, Schema, rho=0.5, runs=0).promised) == "rho=0.5"


def test_pairs_of_tables_may_be_given() -> None:
    pair = (pd.DataFrame({"x": [1]}), pd.DataFrame({"x": [2]}))
    found = audit(lambda t: int(t["x"].iloc[0]), tables=[pair], epsilon=1, runs=60)
    assert found.table["tables"].tolist() == ["pair 1"]
    assert found.least > 1


def rows(table: pd.DataFrame) -> list[str]:
    """Whatever dtypes the other rows bring about."""
    plain = table.astype(object).where(table.notna(), None).to_numpy().tolist()
    return [repr([float(each) if isinstance(each, int | float) else each for each in row]) for row in plain]


def test_tables_of_a_schema_are_neighbours() -> None:
    for pair in made_up(Schema):
        assert len(pair.one) == len(pair.other)
        assert sum(a != b for a, b in zip(rows(pair.one), rows(pair.other), strict=True)) == 1
    for pair in made_up(Schema, "add_remove"):
        assert len(pair.one) == len(pair.other) + 1
        assert rows(pair.one)[1:] == rows(pair.other)
    assert {len(pair.one) for pair in made_up(Schema, rows=5)} == {5, 1}


def test_it_is_asked_under_either_relation() -> None:
    assert audit(lambda t: t["x"].dp.sum(epsilon=1), Schema, epsilon=1, neighbours="add_remove", runs=0).exact == 1
    size = audit(lambda t: len(t), Schema, epsilon=1, neighbours="add_remove", runs=100)
    assert size.least > 1
    assert audit(lambda t: len(t), Schema, epsilon=1, runs=40).passed


def test_a_report_says_what_was_done_in_text_and_in_a_notebook() -> None:
    found = audit(lambda t: t["k"].dp.value_counts(epsilon=1), Schema, epsilon=1, runs=40, name="keys")
    first, *lines = repr(found).splitlines()
    assert first == "keys: nothing found. Promised: epsilon=1."
    assert lines[0].strip() == "visible: the same, whatever the rows hold."
    assert lines[1].strip() == "exact laws: 100% of the price is used at most."
    assert re.search("40|20", lines[2])
    assert "keys: nothing found" in found._repr_html_()
    assert found.table.columns.tolist() == ["tables", "event", "runs", "one", "other", "least"]


def test_bounds_hold_as_often_as_they_say() -> None:
    """Of 300 audits of an epsilon of 1 at 90 %, 30 may be above it; more than 60 in one of 10^7 runs."""
    r = np.random.default_rng(1)
    flips = [
        [(Visible((), (float(each),))) for each in r.random(400) < chance]
        for _ in range(300)
        for chance in (0.5, 0.5 / np.e)
    ]
    above = [
        least_of(one, other, Promised("epsilon", 1.0), 0.1).least > 1
        for one, other in zip(flips[::2], flips[1::2], strict=True)
    ]
    assert sum(above) <= 60


@pytest.mark.parametrize(
    ("promised", "one", "other", "least"),
    [
        (Promised("epsilon", 1.0), 0.5, 0.25, np.log(2)),
        (Promised("epsilon", 1.0, 0.25), 0.5, 0.25, 0.0),
        (Promised("epsilon", 1.0), 0.2, 0.4, 0.0),
        (Promised("rho", 0.5), 0.4, 0.4, 0.0),
        (Promised("rho", 0.5), 1.0, 0.5, np.log(2)),  # of order 1: the divergence is log 2 at every order
    ],
)
def test_two_chances_ask_for_so_much_at_least(promised: Promised, one: float, other: float, least: float) -> None:
    assert promised.least(np.array([one]), np.array([other]))[0] == pytest.approx(least, abs=1e-3)


@pytest.mark.parametrize("rho", [0.05, 0.5, 3.0])
def test_gaussian_noise_needs_no_more_than_its_rho(rho: float) -> None:
    from scipy.stats import norm

    cuts = np.linspace(-8, 8, 400)
    shift = np.sqrt(2 * rho)
    found = Promised("rho", rho).least(norm.sf(cuts - shift), norm.sf(cuts))
    assert 0.3 * rho < found.max() <= rho


def test_what_is_seen_are_numbers_and_all_else_in_words() -> None:
    answer = seen(lambda: pd.DataFrame({"x": [1.5, np.nan], "k": ["a", None]}))
    assert answer.numbers[0] == 1.5
    assert np.isnan(answer.numbers[1])
    assert any("column 'x' of float64" in word for word in answer.outline)
    assert seen(lambda: object()).outline == seen(lambda: object()).outline  # addresses are not


@pytest.mark.parametrize(
    ("case", "ask"),
    [
        ("no cap", lambda: audit(len, Schema)),
        ("no function", lambda: audit("mean", Schema, epsilon=1)),
        ("no schema", lambda: audit(len, epsilon=1)),
        ("no pairs", lambda: audit(len, epsilon=1, tables=[])),
        ("no tables", lambda: audit(len, epsilon=1, tables=[(1, 2)])),
        ("few runs", lambda: audit(len, Schema, epsilon=1, runs=5)),
        ("no relation", lambda: made_up(Schema, "both")),
    ],
)
def test_what_cannot_be_audited_is_refused(case: str, ask: Any) -> None:
    with refused(errors.PrivacyError, case):
        ask()


def test_prices_add_up_where_they_are_of_one_kind() -> None:
    from pandas_dp.core.budget.cost import Concentrated, Pure

    half = Fraction(1, 2)
    assert Promised.of([]) is None
    assert Promised.of([Pure(half), Concentrated(half)]) is None
    assert Promised.of([Concentrated(half), Concentrated(half)]) == Promised("rho", 1.0)


def test_a_report_can_be_made_without_samples() -> None:
    assert Audit("x", Promised("epsilon", 1.0), (), None, (), 0.9).passed
    assert "exact laws: not known in advance." in repr(Audit("x", Promised("epsilon", 1.0), (), None, (), 0.9))
    assert pdp.audit.audit is audit


def test_a_question_that_raises_in_every_run_does_not_pass() -> None:
    found = audit(lambda t: t["x"].dp.sum(epsilon=2), Schema, epsilon=1)
    assert not found.passed
    assert "raised in every run, so nothing was tried: BudgetExceeded" in repr(found)
