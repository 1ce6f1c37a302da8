"""Perturbed tables through `.dp`: what the label and the ledger say, what a session cannot pay, what confint gives."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp import errors
from pandas_dp.core.noise.bounded_counts import AdditiveUtility, MaximumEntropy, TruncatedLaplace, TruncatedNormal
from tests.refusals import refused

TWO = {"k": ["a", "b", "c"], "j": ["1", "2"]}
DATA = pd.DataFrame({"k": ["a"] * 70 + ["b"] * 25 + ["c"] * 5, "j": ["1", "2", "1", "1", "2"] * 20})
TRUTH = pd.crosstab(DATA.k, DATA.j).to_numpy()


def ask(session: pdp.Session, **how: Any) -> pdp.Release:
    return session.protect(DATA).dp.crosstab("k", "j", categories=TWO, **how)


def test_epsilon_and_delta_are_charged_as_such_and_delta_from_what_is_set_aside() -> None:
    session = pdp.Session(epsilon=3, delta=1e-3)
    table = ask(session, epsilon=1, delta=9e-5, mechanism="truncated-laplace")
    label = table.attrs["dp"]
    assert label["epsilon"] == 1
    assert 0 < label["delta"] <= 9e-5
    assert label["rho"] is None
    assert label["mechanism"] == "truncated-laplace"
    entry = session.ledger.iloc[-1]
    assert (entry["epsilon"], entry["delta"]) == (label["epsilon"], label["delta"])
    before = session.share_used
    with refused(errors.BudgetExceeded):
        ask(session, epsilon=1, delta=9e-5, mechanism="truncated-laplace")
    assert session.share_used == before
    assert len(session.ledger) == 1
    ask(session, epsilon=1)  # pure releases go on


@pytest.mark.parametrize("cap", [{"epsilon": 3}, {"rho": 3}], ids=str)
def test_sessions_without_delta_refuse_before_paying(cap: dict[str, float]) -> None:
    session = pdp.Session(**cap)
    with refused(errors.CostNotOffered):
        ask(session, epsilon=1, mechanism=TruncatedLaplace(m=9))
    assert session.share_used == 0
    ask(session, epsilon=1, mechanism="hellinger")


@pytest.mark.parametrize(
    "made",
    [
        TruncatedLaplace(m=6),
        TruncatedNormal(m=8),
        MaximumEntropy(m=5, variance=4),
        AdditiveUtility(lambda k: k**1.5, m=7),
    ],
    ids=lambda made: made.name,
)
@pytest.mark.parametrize("margins", [False, True, "planned"])
def test_no_count_is_farther_off_than_the_range(made: Any, margins: Any) -> None:
    session = pdp.Session(epsilon=10**6, delta=0.99)
    for _ in range(20):
        cost = {} if isinstance(made, MaximumEntropy) else {"epsilon": 2}
        try:
            table = ask(session, mechanism=made, margins=margins, **cost)
        except errors.BudgetExceeded:  # the tenth of delta is used up
            break
        inner = table.to_numpy()[:3, :2]
        if margins != "planned":
            assert np.abs(inner - TRUTH).max() <= made.m
        ends = table.dp.confint(0.95).to_numpy()
        assert (ends[:, 0::2] <= ends[:, 1::2]).all()
        whole = table.dp.confint(1 - 1e-15).to_numpy()[:3]
        if margins is False:
            assert ((whole[:, 0::2] <= TRUTH) & (whole[:, 1::2] >= TRUTH)).all()
    assert len(session.ledger) > 0


@pytest.mark.slow
def test_hellinger_counts_are_never_negative_and_their_intervals_cover() -> None:
    """100 tables of 6 counts, at 90 per cent: below 83 would be luck of 1e-9."""
    session = pdp.Session(epsilon=10**6)
    held = 0.0
    for _ in range(100):
        table = ask(session, epsilon=4, mechanism="hellinger")
        assert (table.to_numpy() >= 0).all()
        ends = table.dp.confint(0.9).to_numpy()
        held += ((ends[:, 0::2] <= TRUTH) & (ends[:, 1::2] >= TRUTH)).mean() / 100
    assert held > 0.83


def test_a_perturbed_table_concludes_from_its_file(tmp_path: Path) -> None:
    session = pdp.Session(epsilon=10, delta=0.5)
    made = AdditiveUtility(lambda k: k**1.5, m=12)
    for name, how in {"utility": {"mechanism": made}, "hellinger": {"mechanism": "hellinger"}}.items():
        table = ask(session, epsilon=2, **how)
        table.to_parquet(tmp_path / name)
        assert pd.read_parquet(tmp_path / name).dp.confint().equals(table.dp.confint())


@pytest.mark.slow
def test_width_finds_the_cost_of_noise_that_has_a_width() -> None:
    session = pdp.Session(epsilon=10, delta=0.5)
    with refused(errors.UnsupportedArgument):
        ask(session, width=10, mechanism="hellinger")
    table = ask(session, width=20, margins="planned")
    assert np.diff(table.dp.confint().to_numpy()[:3, :2], axis=1).max() <= 20 + 1e-9


@pytest.mark.parametrize(
    ("loss", "falls", "concave"),
    [
        (lambda k: k, True, True),
        (lambda k: k**1.5, True, True),
        (math.log1p, True, False),
        (math.sqrt, True, False),
        (lambda k: min(k, 5), True, False),
        (lambda k: abs(k - 3), False, False),
    ],
)
def test_what_is_concluded_rests_on_how_the_noise_falls(loss: Any, falls: bool, concave: bool) -> None:
    session = pdp.Session(epsilon=100, delta=0.5)
    frame = session.protect(pd.DataFrame({"k": ["a", "b"] * 50, "j": ["x", "y"] * 50, "v": [1.0, None] * 50}))
    how: Any = {"mechanism": pdp.mechanisms.AdditiveUtility(loss, m=60), "epsilon": 3, "delta": 0.01}
    one = frame["v"].dp.count(**how)
    table = frame.dp.crosstab("k", "j", categories={"k": ["a", "b"], "j": ["x", "y"]}, **how)
    if falls:
        assert 0 <= table.dp.independence_test(replicates=19).pvalue <= 1
    else:
        with refused(errors.NotConcluded, "a loss that does not grow with the error"):
            table.dp.independence_test(replicates=19)
    if concave:
        assert 0 <= one.dp.goodness_of_fit(0.5).pvalue <= 1
    else:
        with refused(
            errors.NotConcluded,
            "one number of a loss that does not grow" if not falls else "one number of a loss that is not concave",
        ):
            one.dp.goodness_of_fit(0.5)
    one.dp.confint()
