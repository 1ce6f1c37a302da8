"""Risk and utility of a table, before anything is released."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from scipy import stats

import pandas_dp as pdp
from pandas_dp.core.label.release import is_release
from pandas_dp.core.noise.hellinger import HellingerLaw
from pandas_dp.core.noise.mechanism import law_from_json
from pandas_dp.custodian.compare import NOT_A_RELEASE
from pandas_dp.custodian.risk_utility import cramers_v_as_counts, law_of, losses
from pandas_dp.errors import CostNotOffered, NoConsent, NotConcluded, UnknownMechanism, UnsupportedArgument
from tests.conftest import People
from tests.refusals import refused
from tests.tables.tests.paper_laws import CutLaplace

mpl.use("Agg")
CENSUS = pdp.datasets.load_uk_census()


@pytest.mark.parametrize(
    ("epsilon", "kept", "raised"),
    [  # 003.T1.expected_l1.laplace.eps0.5.m7 and eps1.5.m7: negative numbers kept, and released as zero
        (0.5, 229.8352251627839, 215.46011890027583),
        (1.5, 61.98243466297661, 59.43726777105862),
    ],
)
@pytest.mark.parametrize("nonnegative", [False, True])
def test_the_mean_loss_is_the_expected_one(epsilon: float, kept: float, raised: float, nonnegative: bool) -> None:
    """1,000 tables; five standard errors: 6 in 10^7."""
    found = pdp.custodian.risk_utility(
        CENSUS, epsilons=[epsilon], mechanisms={"cut": lambda e: CutLaplace(e, 7)}, repetitions=1000,
        nonnegative=nonnegative, seed=2,
    ).draws["l1"]  # fmt: skip
    assert abs(found.mean() - (raised if nonnegative else kept)) < 5 * found.std() / np.sqrt(1000)


def test_losses_are_those_of_the_paper_s_formulas() -> None:
    found = losses(np.array([[4.0, 0], [9, 1]]), np.array([[[9.0, -2], [9, 4]]]))
    assert {name: float(found[name][0]) for name in ("l1", "l2", "l3")} == {"l1": 10, "l2": 38, "l3": 2}


def test_conclusions_are_those_of_scipy() -> None:
    counts = CENSUS.to_numpy(dtype=float)
    v = cramers_v_as_counts(counts[np.newaxis])[0]
    assert v == pytest.approx(stats.contingency.association(CENSUS.to_numpy(), "cramer"))
    assert v**2 * counts.sum() * 10 == pytest.approx(3839.046770782308)  # 003.T1.chi2
    truth = pdp.custodian.risk_utility(CENSUS, epsilons=[1], repetitions=2).truth
    assert truth["cramers_v"] == v


def test_the_table_has_quartiles_for_each_mechanism_and_epsilon() -> None:
    curves = pdp.custodian.risk_utility(CENSUS, epsilons=[0.5, 2], repetitions=20, seed=3)
    assert curves.table.shape == (4, 15)
    laplace = curves.table.loc["laplace"]
    assert laplace.loc[0.5, ("l1", "median")] > laplace.loc[2, ("l1", "median")]
    assert (curves.table["l2"]["q25"] <= curves.table["l2"]["q75"]).all()


def test_public_counts_need_no_consent_and_no_session() -> None:
    for table in (CENSUS, CENSUS.to_numpy(), CENSUS["A"]):
        assert pdp.custodian.risk_utility(table, epsilons=[1], repetitions=2).notice is None
    one_key = pdp.custodian.risk_utility(CENSUS["A"], epsilons=[1], repetitions=2)
    assert "pvalue" not in one_key.draws


def test_a_protected_frame_needs_consent(table: Callable[..., pd.DataFrame]) -> None:
    with pdp.Session(epsilon=1, schema=People) as session, pytest.raises(NoConsent):
        pdp.custodian.risk_utility(session.protect(table()), "sex", "region")
    with pdp.Session(epsilon=1, schema=People, custodian=True) as session:
        frame = session.protect(table())
        curves = pdp.custodian.risk_utility(frame, "sex", "region", epsilons=[1], repetitions=5)
        part = pdp.custodian.risk_utility(frame[frame["age"] > 50], "sex", "region", epsilons=[1], repetitions=5)
        assert (session.share_used, len(session.ledger)) == (0, 0)
    assert curves.notice == part.notice == NOT_A_RELEASE
    for seen in (curves.draws, curves.table):
        assert not is_release(seen)
        assert seen.attrs["dp"]["notice"] == NOT_A_RELEASE
    counts = pd.crosstab(table()["sex"], table()["region"])
    assert curves.truth["cramers_v"] == pytest.approx(stats.contingency.association(counts.to_numpy(), "cramer"))


def test_one_cell_moves_where_rows_come_and_go_and_two_where_they_are_replaced() -> None:
    for neighbours, scale in (("replace", 2.0), ("add_remove", 1.0)):
        draws = pdp.custodian.risk_utility(CENSUS, epsilons=[0.1], repetitions=300, neighbours=neighbours, seed=4).draws
        mean = draws.loc[draws["mechanism"] == "laplace", "l1"].mean() / CENSUS.size
        assert mean == pytest.approx(scale / 0.1, rel=0.05)


NAMED = ["laplace", "gaussian", "truncated-laplace", "truncated-normal", "hellinger"]


@pytest.mark.parametrize("name", NAMED)
@pytest.mark.parametrize("neighbours", ["replace", "add_remove"])
def test_a_name_stands_for_the_law_that_a_release_of_that_mechanism_declares(name: str, neighbours: str) -> None:
    session = pdp.Session(epsilon=10, delta=0.01, neighbours=neighbours)
    frame = session.protect(pd.DataFrame({"k": ["a", "b"] * 5, "j": ["1", "2"] * 5}))
    delta = None if name in ("laplace", "hellinger") else 0.001
    cost = {"epsilon": 0.5} if delta is None else {"epsilon": 0.5, "delta": delta}
    release = frame.dp.crosstab("k", "j", categories={"k": ["a", "b"], "j": ["1", "2"]}, mechanism=name, **cost)
    declared = release.attrs["dp"]["evidence"][0]["noise"]
    found = law_of(name, 0.5, 2 if neighbours == "replace" else 1, delta)
    said = law_from_json(declared)
    assert type(found) is type(said)
    if name == "gaussian":  # a release rounds its parameter up to so many digits
        assert found.variance == pytest.approx(said.variance, rel=1e-9)
    else:
        assert found == said


def test_mechanisms_are_given_by_name_made_or_as_functions() -> None:
    chosen: list[Any] = ["laplace", "hellinger", pdp.mechanisms.TruncatedLaplace(m=7)]
    curves = pdp.custodian.risk_utility(CENSUS, epsilons=[1, 2], repetitions=5, mechanisms=chosen, seed=5)
    assert curves.draws["mechanism"].unique().tolist() == ["laplace", "hellinger", "TruncatedLaplace(m=7)"]
    own = {"mine": lambda e: CutLaplace(e, 7), "theirs": "gaussian"}
    curves = pdp.custodian.risk_utility(CENSUS, epsilons=[1], repetitions=5, mechanisms=own, delta=1e-5)
    assert curves.draws["mechanism"].unique().tolist() == ["mine", "theirs"]


@pytest.mark.parametrize("count", [0, 1, 5, 50, 3000])
def test_simulated_hellinger_noise_has_its_law(count: int) -> None:
    """20,000 draws; the largest gap of the two distribution functions exceeds 0.0185 by luck 2·10^−6 times."""
    law = HellingerLaw(Fraction(3, 4))
    drawn = law.simulated(np.full(20_000, count), np.random.default_rng(6))
    places = np.arange(20_000)
    seen = np.searchsorted(np.sort(drawn), places, side="right") / 20_000
    assert np.abs(seen - np.cumsum(law.released(count, places))).max() < 0.0185


@pytest.mark.parametrize(
    ("ask", "error", "why"),
    [
        (lambda: pdp.custodian.risk_utility(-CENSUS), NotConcluded, "takes counts: whole numbers from 0"),
        (lambda: pdp.custodian.risk_utility(CENSUS + 0.5), NotConcluded, "takes counts"),
        (lambda: pdp.custodian.risk_utility(CENSUS, "a", "b"), UnsupportedArgument, "are for protected frames"),
        (
            lambda: pdp.custodian.risk_utility(CENSUS, epsilons=[0]),
            UnsupportedArgument,
            "positive numbers, and one of those given is none",
        ),
        (lambda: pdp.custodian.risk_utility(CENSUS, neighbours="swap"), UnsupportedArgument, "not 'swap'"),
        (lambda: pdp.custodian.risk_utility(CENSUS, repetitions=0), UnsupportedArgument, "from 1, not 0"),
        (lambda: pdp.custodian.risk_utility(CENSUS, mechanisms={}), UnsupportedArgument, "must be names of mechanisms"),
        (
            lambda: pdp.custodian.risk_utility(CENSUS, mechanisms=["magic"]),
            UnsupportedArgument,
            "one that was given is none of them",
        ),
        (lambda: pdp.custodian.risk_utility(CENSUS, delta=1), UnsupportedArgument, "delta must lie between 0 and 1"),
        (
            lambda: pdp.custodian.risk_utility(CENSUS, mechanisms="truncated-normal"),
            CostNotOffered,
            "needs a range",
        ),
        (lambda: pdp.custodian.risk_utility(CENSUS, mechanisms="maximum-entropy"), UnknownMechanism, "parameters"),
    ],
)
def test_wrong_arguments_are_refused(ask: Callable[[], Any], error: type[Exception], why: str) -> None:
    with refused(error, why):
        ask()


def test_the_picture_has_a_panel_for_each_measure() -> None:
    import matplotlib.pyplot as plt

    curves = pdp.custodian.risk_utility(CENSUS, epsilons=[0.5, 2], repetitions=20, seed=3)
    figure = curves.plot()
    assert [panel.get_visible() for panel in figure.axes] == [True] * 5 + [False]
    chosen = curves.plot(["l1", "cramers_v"])
    assert len(chosen.axes) == 2
    assert [panel.get_title(loc="left") for panel in curves.plot("l1").axes] == ["$\\ell_1$: sum of |error|"]
    with refused(UnsupportedArgument, "measures may be"):
        curves.plot(["l4"])
    with refused(UnsupportedArgument, "measures must be a list of 'l1', .*, not 3."):
        curves.plot(3)  # type: ignore[arg-type]
    plt.close("all")


def test_no_bar_is_shown_for_what_is_quick(capsys: pytest.CaptureFixture[str]) -> None:
    pdp.custodian.risk_utility(CENSUS, epsilons=[1], repetitions=2)
    assert capsys.readouterr() == ("", "")


def test_it_is_printed_as_its_table() -> None:
    curves = pdp.custodian.risk_utility(CENSUS, epsilons=[1], repetitions=2, seed=3)
    assert repr(curves) == curves.table.to_string(float_format="{:.4g}".format)
    assert curves.draws["mechanism"].unique().tolist() == ["laplace", "gaussian"]


def test_averaged_noise_is_one_of_the_mechanisms() -> None:
    """The average of five draws of five times the scale has five times the variance of one: l2 tells, here over
    300·132 cells, with a relative standard error of 2 %."""
    drawn = pdp.custodian.risk_utility(
        CENSUS, epsilons=[0.1], repetitions=300, mechanisms=["laplace", "averaged-laplace"], seed=8
    ).draws
    mean = drawn.groupby("mechanism")["l2"].mean()
    assert mean["averaged-laplace"] / mean["laplace"] == pytest.approx(5, rel=0.12)


@pytest.mark.parametrize("axis", [0, 1, "rows of tuples", "series"])
def test_a_table_with_totals_is_refused(axis: Any) -> None:
    table: Any = CENSUS.copy()
    if axis == 0:
        table.loc["All"] = table.sum()
    elif axis == 1:
        table["All"] = table.sum(axis=1)
    else:
        table = pd.concat([table["A"], pd.Series({"All": table["A"].sum()})])
        if axis != "series":
            table.index = pd.MultiIndex.from_tuples([(each, "x") for each in table.index])
    with refused(NotConcluded):
        pdp.custodian.risk_utility(table, epsilons=[1], repetitions=2)
