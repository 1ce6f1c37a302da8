"""At whatever cost, a question ends: with an answer, or with a refusal before anything is paid."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

import pandas_dp as pdp
from pandas_dp.core.noise import mechanisms
from pandas_dp.errors import AnswerLost, PrivacyError

from .questions import NUMBERS, Schema, normal

Ask = Callable[..., Any]
SECONDS = 20  # a question takes a fraction of one; a machine may be busy
SIZES = [1e-300, 1e-100, 1e-20, 1e-6, 1.0, 1e3, 1e6]
COSTS = [{currency: size} for currency in ("epsilon", "rho") for size in SIZES]
COSTS += [{"epsilon": size, "delta": delta} for size in (1e-20, 1.0, 1e6) for delta in (1e-300, 0.05)]

STATISTICS: dict[str, Ask] = {
    "count": lambda f, **c: f["y"].dp.count(**c),
    "sum": lambda f, **c: f["x"].dp.sum(**c),
    "sum of huge": lambda f, **c: f["huge"].dp.sum(**c),
    "mean": lambda f, **c: f["x"].dp.mean(**c),
    "mean of nullable": lambda f, **c: f["y"].dp.mean(**c),
    "var": lambda f, **c: f["x"].dp.var(**c),
    "std of nullable": lambda f, **c: f["y"].dp.std(**c),
    "median": lambda f, **c: f["x"].dp.median(**c),
    "median of huge": lambda f, **c: f["huge"].dp.median(**c),
    "min": lambda f, **c: f["x"].dp.min(**c),
    "iqr": lambda f, **c: f["z"].dp.iqr(**c),
    "choose_bound": lambda f, **c: f["x"].dp.choose_bound(among=(1, 100), **c),
    "choose_bounds": lambda f, **c: f["huge"].dp.choose_bounds(among=(1, 10**14), **c),
    "nunique": lambda f, **c: f["x"].dp.nunique(**c),
    "histogram": lambda f, **c: f["x"].dp.histogram(4, **c),
    "between": lambda f, **c: f["x"].dp.between(3, 9, **c),
    "describe": lambda f, **c: f["y"].dp.describe(**c),
    "crosstab": lambda f, **c: f.dp.crosstab("k", "j", **c),
    "crosstab shares": lambda f, **c: f.dp.crosstab("k", "j", normalize=True, **c),
    "planned crosstab": lambda f, **c: f.dp.crosstab("k", "j", margins="planned", **c),
    "marginals of means": lambda f, **c: f.dp.marginals([["k"], []], "x", "mean", **c),
    "cov": lambda f, **c: f[NUMBERS].dp.cov(**c),
    "corr": lambda f, **c: f[["x", "y"]].dp.corr(**c),
    "grouped mean": lambda f, **c: f.dp.groupby("k")["x"].mean(**c),
    "grouped median": lambda f, **c: f.dp.groupby("k")["x"].median(**c),
    "mean with replicates": lambda f, **c: f["x"].dp.mean(bootstrap=4, **c),
    "mean of half samples": lambda f, **c: f["x"].dp.mean(bootstrap=4, resample="half-sample", **c),
}
NAMED: dict[str, Ask] = {
    **{f"sum by {name}": lambda f, name=name, **c: f["x"].dp.sum(mechanism=name, **c) for name in mechanisms.ADDITIVE},
    "mean by averaged-laplace": lambda f, **c: f["y"].dp.mean(mechanism="averaged-laplace", draws=99, **c),
    **{
        f"median by {name}": lambda f, name=name, **c: f["z"].dp.median(mechanism=name, **c)
        for name in ("exponential", *mechanisms.SMOOTH)
    },
    **{
        f"counts by {name}": lambda f, name=name, **c: f.dp.crosstab("k", "j", mechanism=name, **c)
        for name in mechanisms.COUNTING
    },
    "counts by maximum entropy": lambda f, **c: f.dp.crosstab(
        "k", "j", mechanism=mechanisms.MaximumEntropy(m=5, variance=3.0), **c
    ),
    "counts within 7": lambda f, **c: f.dp.crosstab("k", "j", mechanism=mechanisms.TruncatedLaplace(m=7), **c),
    "counts by a loss": lambda f, **c: f.dp.crosstab(
        "k", "j", mechanism=mechanisms.AdditiveUtility(loss=lambda k: k**1.5, m=6), **c
    ),
}
WEAKER: dict[str, Ask] = {
    f"{name} under {model}": lambda f, name=name, model=model, **c: STATISTICS[name](f, model=model, **c)
    for name in ("sum", "mean of nullable", "var", "median", "crosstab", "grouped mean", "describe")
    for model in ("idp", "bdp")
}


def test_every_mechanism_is_asked() -> None:
    named = " ".join(NAMED)
    assert all(f"by {name}" in named for name in (*mechanisms.ADDITIVE, *mechanisms.SMOOTH, *mechanisms.COUNTING))


@contextmanager
def at_most(seconds: int) -> Iterator[None]:
    def stop(*_: object) -> None:
        raise TimeoutError(f"not over after {seconds} seconds")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def cap(cost: dict[str, float]) -> dict[str, float]:
    """A session that has room for the cost."""
    return {"epsilon": 10**9, "delta": 0.9} if "epsilon" in cost else {"rho": 10**12}


@pytest.mark.parametrize("name", [*STATISTICS, *NAMED, *WEAKER])
def test_a_question_ends_at_every_cost(name: str) -> None:
    ask = {**STATISTICS, **NAMED, **WEAKER}[name]
    data, answered = normal(), 0
    for cost in COSTS:
        session = pdp.Session(**cap(cost), schema=Schema, models=["dp", "idp", "bdp"])
        frame = session.protect(data)
        with at_most(SECONDS):
            try:
                ask(frame, **cost)
            except AnswerLost:
                raise
            except PrivacyError:
                assert session.ledger.empty, cost
            else:
                answered += 1
    assert answered
