"""Tables that are calibrated to public totals: they agree, with the errors of the linear map, at no cost."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp import errors
from tests.refusals import refused

DECLARED = {"sex": ["f", "m"], "area": ["n", "s", "w"]}
SEXES, AREAS = {"f": 520.0, "m": 480.0}, {"n": 400.0, "s": 350.0, "w": 250.0}


def people(session: pdp.Session, rows: int = 500) -> pd.DataFrame:
    r = np.random.default_rng(3)
    columns = {"sex": r.choice(["f", "m"], rows, p=[0.6, 0.4]), "area": r.choice(["n", "s", "w"], rows)}
    return session.protect(pd.DataFrame({**columns, "pay": r.uniform(0, 100, rows), "w": r.uniform(1, 4, rows)}))


def test_a_table_adds_up_to_the_totals_of_each_key_and_costs_nothing() -> None:
    with pdp.Session(rho=10) as session:
        table = people(session).dp.crosstab("sex", "area", categories=DECLARED, rho=0.01)
        spent = session.share_used
        known = table.dp.calibrate({"sex": SEXES, "area": AREAS})
        assert session.share_used == spent
    assert known.sum(axis=1).to_dict() == pytest.approx(SEXES)
    assert known.sum(axis=0).to_dict() == pytest.approx(AREAS)
    assert (known.dp.confint().shape, known.dp.metadata["evidence"][0]["keys"]) == ((2, 6), ["sex", "area"])


def test_of_one_key_it_is_post_stratification() -> None:
    with pdp.Session(rho=1e9) as session:
        table = people(session).dp.crosstab("sex", "area", categories=DECLARED, rho=1e7)
    known = table.dp.calibrate({"sex": SEXES})
    requested = table.mul(pd.Series(SEXES) / table.sum(axis=1), axis=0)
    np.testing.assert_allclose(known, requested, rtol=1e-9)


def test_the_errors_are_those_of_the_map(monkeypatch: pytest.MonkeyPatch) -> None:
    """Against its derivative, found by moving each number a little."""
    from pandas_dp.surveys.conclude import _calibrated

    r = np.random.default_rng(0)
    x, sums = r.uniform(50, 200, 6), np.array([[1, 1, 1, 0, 0, 0], [0, 0, 0, 1, 1, 1], [1, 0, 0, 1, 0, 0]], float)
    known = np.array([400.0, 500.0, 300.0])
    _, by = _calibrated(x, sums, known, 1.0)
    step = 1e-5
    moved = [
        (_calibrated(x + step * e, sums, known, 1.0)[0] - _calibrated(x - step * e, sums, known, 1.0)[0])
        for e in np.eye(6)
    ]
    np.testing.assert_allclose(by, np.array(moved).T / (2 * step), atol=1e-6)
    assert np.allclose(sums @ by, 0)  # what is known has no error


def test_what_is_known_has_no_error_and_the_rest_a_smaller_one() -> None:
    with pdp.Session(rho=10) as session:
        table = people(session)["sex"].dp.value_counts(categories=["f", "m"], rho=0.01)
    known = table.dp.calibrate({"sex": SEXES})
    assert known.dp.confint().diff(axis=1).iloc[:, 1].max() < 1e-6


def test_weighted_counts_and_sums_are_calibrated_too() -> None:
    totals = {"area": {"n": 500.0, "s": 450.0, "w": 400.0}}
    with pdp.Session(rho=10) as session:
        table = people(session)
        bounds = {"w": (0, 4), "pay": (0, 100)}
        counts = table.dp.crosstab("sex", "area", weights="w", bounds={"w": (0, 4)}, categories=DECLARED, rho=1)
        sums = table.dp.groupby(["sex", "area"], categories=DECLARED)["pay"].sum(weights="w", bounds=bounds, rho=1)
    known = counts.dp.calibrate(totals)
    assert counts.dp.guarantee.endswith("noise; weighted by w.")
    assert known.dp.guarantee.endswith("noise; weighted by w; calibrated to public totals.")
    assert known.sum(axis=0).to_dict() == pytest.approx(totals["area"])
    before, after = (each.dp.confint().to_numpy() for each in (counts, known))
    widths = [float((ends[:, 1::2] - ends[:, 0::2]).mean()) for ends in (before, after)]
    assert widths[1] < widths[0]
    paid = {"sex": {"f": 30_000.0, "m": 25_000.0}}
    assert sums.dp.calibrate(paid)["pay"].groupby("sex").sum().to_dict() == pytest.approx(paid["sex"])


@pytest.mark.slow
def test_intervals_of_calibrated_counts_hold_the_truth() -> None:
    """Noise alone: 300 tables in which two numbers are free; by luck below .9 with a chance under 1e-6."""
    held: list[Any] = []
    with pdp.Session(rho=1e6) as session:
        data = people(session)
        true = pd.crosstab(np.asarray(data["sex"]), np.asarray(data["area"]))
        totals = {"sex": true.sum(axis=1).astype(float).to_dict(), "area": true.sum(axis=0).astype(float).to_dict()}
        for _ in range(300):
            known = data.dp.crosstab("sex", "area", categories=DECLARED, rho=0.01).dp.calibrate(totals)
            ends = known.dp.confint().to_numpy()
            held.append((ends[:, 0::2] <= true.to_numpy()) & (true.to_numpy() <= ends[:, 1::2]))
    assert np.mean(held) > 0.9


REFUSED: dict[str, tuple[type[Exception], Any]] = {
    "no mapping": (errors.UnsupportedArgument, [1, 2]),
    "no such key": (errors.UnsupportedArgument, {"age": {1: 2}}),
    "some categories": (errors.UnsupportedArgument, {"sex": {"f": 1}}),
    "no numbers": (errors.BadArgument, {"sex": {"f": "many", "m": 2}}),
    "totals that disagree": (errors.BadArgument, {"sex": SEXES, "area": {"n": 1, "s": 2, "w": 3}}),
}


@pytest.mark.parametrize("name", REFUSED)
def test_totals_that_are_none_are_refused(name: str) -> None:
    with pdp.Session(rho=10) as session:
        table = people(session).dp.crosstab("sex", "area", categories=DECLARED, rho=0.1)
        with refused(REFUSED[name][0], name):
            table.dp.calibrate(REFUSED[name][1])


def test_means_and_margins_are_not_calibrated() -> None:
    with pdp.Session(rho=10) as session:
        data = people(session)
        means = data.dp.groupby("sex", categories=["f", "m"])["pay"].mean(bounds=(0, 100), rho=0.1)
        with refused(errors.NotConcluded):
            means.dp.calibrate({"sex": SEXES})
        margins = data.dp.crosstab("sex", "area", categories=DECLARED, margins=True, rho=0.1)
        with refused(errors.NotConcluded):
            margins.dp.calibrate({"sex": SEXES})


def test_calibrated_counts_below_zero_are_pointed_out() -> None:
    with pdp.Session(rho=10) as session:
        data = session.protect(pd.DataFrame({"sex": ["f", "m"] * 200, "area": ["n"] * 399 + ["s"]}))
        table = data.dp.crosstab("sex", "area", categories={"sex": ["f", "m"], "area": ["n", "s", "w"]}, rho=0.001)
    known = table.dp.calibrate({"area": {"n": 400.0, "s": -90.0, "w": 0.0}})  # no total of people is
    assert known["s"].sum() == pytest.approx(-90)
    assert "calibrated counts are below zero" in known.dp.check()["finding"].tolist()
    within = table.dp.calibrate({"area": {"n": 4e4, "s": 4e4, "w": 4e4}})
    assert ("calibrated counts are below zero" in within.dp.check()["finding"].tolist()) == (
        within.to_numpy() < 0
    ).any()
