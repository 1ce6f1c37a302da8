"""Stages one after another: what a release says of them, and what rounds that are chosen as they come may spend."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from importlib import import_module
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp.audit import NearMean, exact_release, zero_noise
from pandas_dp.core.budget.cost import Concentrated, Cost, Pure
from pandas_dp.core.label.layout import Layout
from pandas_dp.core.measure.cells import Variable
from pandas_dp.core.measure.measurement import NextStage, Noisy
from pandas_dp.core.neighbours import Relation
from pandas_dp.core.noise.mechanisms import ADDITIVE
from pandas_dp.core.plan.plan import Asked, Question, Request
from pandas_dp.core.plan.steps import Chosen, Round, Stage, rounds_of
from pandas_dp.core.schema.values import Interval
from pandas_dp.core.session.planning import Noted, outlook
from pandas_dp.core.session.session_core import core_for
from pandas_dp.errors import PrivacyError
from pandas_dp.numeric.measure import Totals
from tests.contracts.questions import TABLES, normal
from tests.contracts.test_silence import seen

AGE = Variable("x", Interval(Fraction(0), Fraction(80), "integer"))
ADJACENCY = Relation.REPLACE.adjacency(whole=True)


def near_mean(**how: Any) -> Question:
    request = Request(**{"cost": Pure(Fraction(1)), **how})
    return Question("near_mean", (Asked("x", NearMean(AGE)),), Layout(pd.Index(["x"]), None, "measures"), request)


def ask(frame: pd.DataFrame, **how: Any) -> pdp.Release:
    core = core_for(frame)
    return core.answer(core.subject(frame), near_mean(**how))


def frame_of(values: list[float], **how: Any) -> tuple[pdp.Session, pd.DataFrame]:
    session = pdp.Session(**{"epsilon": 100, **how})
    return session, session.protect(pd.DataFrame({"x": values}))


# -- two stages


def test_the_second_look_clamps_to_the_quarter_that_the_first_found() -> None:
    session, frame = frame_of([25.0] * 90 + [80.0] * 10)
    with zero_noise():
        release = ask(frame)
    assert release["near_mean"].item() == pytest.approx(0.9 * 25 + 0.1 * 40)
    first, second = release.dp.metadata["stages"]
    assert (first["after"], first["parameter"]) == ([], None)
    assert (second["after"], second["parameter"]) == ([0], 1)
    assert session.share_used == 0.01
    assert exact_release(frame, near_mean())["near_mean"].item() == release["near_mean"].item()


@pytest.mark.parametrize(
    ("cost", "mechanism"), [(Pure(Fraction(1)), "laplace"), (Concentrated(Fraction(1)), "gaussian")]
)
def test_the_label_has_an_entry_a_look_with_laws_that_were_planned(cost: Cost, mechanism: str) -> None:
    _, frame = frame_of([25.0] * 100, delta=1e-6)
    for data, stages in ((frame, 2), (frame[frame["x"] > 1], 3)):
        label = ask(data, cost=cost).dp.metadata
        assert [stage["noise"] for stage in label["stages"]] == label["noise"]
        assert (len(label["stages"]), label["mechanism"]) == (stages, mechanism)


def test_plan_laws_price_and_number_of_looks_are_the_same_for_all_data() -> None:
    found = []
    for make in (normal, *TABLES.values()):
        for derived in (False, True):
            session = pdp.Session(epsilon=100, name="s")
            whole = session.protect(make()[["x"]])
            frame = whole.copy() if derived else whole
            core = core_for(frame)
            subject = core.subject(frame)
            shown = seen(ask(frame))
            shown["label"]["stages"] = [{**stage, "parameter": None} for stage in shown["label"]["stages"]]
            found.append((derived, core.planned(subject, near_mean()), shown, str(session.left)))
    for derived, *each in found:
        assert each == list(found[derived][1:])


def test_its_width_is_not_public_beforehand() -> None:
    session, frame = frame_of([25.0] * 100)
    with pytest.raises(PrivacyError, match="width"):
        ask(frame, cost=None, width=3.0)
    core, subject = core_for(frame), core_for(frame).subject(frame)
    noted = Noted(core.planned(subject, near_mean()), core, subject, pd.DataFrame())
    table = outlook([noted], core.ledger.fits)
    assert table["mechanism"].tolist() == ["laplace"]
    assert table["half_width"].isna().all()
    assert session.share_used == 0


def test_a_later_look_sees_noisy_answers_alone() -> None:
    """What the first stage saw goes into noise and nowhere else: its parameter follows from the blurred answer."""
    _, frame = frame_of([25.0] * 100)
    core = core_for(frame)
    subject = core.subject(frame)
    first, stage = core.planned(subject, near_mean()).steps
    assert isinstance(stage, Stage)
    rows = subject.rows()
    for answer, parameter in ((-(10**9), 0), (10**9, 3)):
        told = (Noisy(np.array([[answer]], object), first.laws),)
        clamped = np.clip(25, 20 * parameter, 20 * (parameter + 1))
        assert stage.measure(rows, told).tolist() == [[100 * clamped]]


def test_a_rehearsal_looks_again_for_every_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Half of the first means say one quarter and half the next; the second stage follows."""
    _, frame = frame_of([20.0] * 100)
    core = core_for(frame)
    plan = core.planned(core.subject(frame), near_mean(cost=Pure(Fraction(1, 10))))
    run = import_module("pandas_dp.custodian.promises")  # its name is that of the function, too
    monkeypatch.setattr(run, "_exact", lambda *_: np.array([0.0]))
    stages: list[Any] = []
    monkeypatch.setattr(
        Stage, "measure", lambda stage, rows, earlier: stages.append(stage.parameter(earlier)) or np.array([[0]])
    )
    (errors,) = run.rehearsed(core, frame, plan, 60)
    assert errors.shape == (60, 1)
    assert len(stages) == 60
    assert {0, 1} <= set(stages)  # fails by luck with a chance of 2 in 2**60


# -- rounds


@dataclass(frozen=True)
class Wanting:
    """Asks for these shares one after the other, whatever is left."""

    shares: tuple[Fraction, ...]

    @property
    def rounds(self) -> int:
        return len(self.shares)

    def choose(self, earlier: tuple[Noisy, ...]) -> NextStage | None:
        return NextStage(Totals(AGE), self.shares[len(earlier)], {"round": len(earlier)})


class Folding:
    """Rows that count how often they are read."""

    def __init__(self, values: list[float]) -> None:
        frame = pdp.Session(epsilon=1).protect(pd.DataFrame({"x": values}))
        self.rows, self.read = core_for(frame).subject(frame).rows(), 0

    def fold(self, measurement: Any) -> Any:
        self.read += 1
        return self.rows.fold(measurement)


def told_by(shares: list[Any], price: Cost) -> tuple[list[Chosen], Folding]:
    rows, told = Folding([25.0] * 100), ()
    mechanism = ADDITIVE["laplace" if isinstance(price, Pure) else "gaussian"]
    for step in rounds_of(Wanting(tuple(map(Fraction, shares))), (), mechanism, ADJACENCY, price):
        told = (*told, step.add_noise(step.measure(rows, told), rows))  # type: ignore[arg-type]
    return list(told), rows


@pytest.mark.parametrize("price", [Pure(Fraction(2)), Concentrated(Fraction(1, 2))], ids=str)
@pytest.mark.parametrize(
    ("requested", "spent"),
    [
        (["1/2"] * 5, ["1/2", "1/2", 0, 0, 0]),
        (["3/4", "3/4", "1/4", "1/100"], ["3/4", 0, "1/4", 0]),
        (["1/3", "1/3", "1/3"], ["1/3", "1/3", "1/3"]),
        (["-1", 0, 5, 1], [0, 0, 0, 1]),
    ],
)
def test_rounds_spend_what_is_left_and_are_blank_where_it_is_too_little(
    price: Cost, requested: list[Any], spent: list[Any]
) -> None:
    told, rows = told_by(requested, price)
    assert [answer.spent for answer in told] == list(map(Fraction, spent))
    assert sum(answer.spent for answer in told) <= 1
    assert rows.read == sum(answer.spent > 0 for answer in told)
    assert all(answer.table.shape == ((1, 1) if answer.spent else (0, 0)) for answer in told)


@pytest.mark.parametrize("price", [Pure(Fraction(2)), Concentrated(Fraction(1, 2))], ids=str)
def test_the_noise_of_a_round_is_that_of_its_share(price: Cost) -> None:
    told, _ = told_by(["1/4", "1/2"], price)
    for answer, share in zip(told, (Fraction(1, 4), Fraction(1, 2)), strict=True):
        part = price.part(share)
        law = (
            ADDITIVE["laplace"].law(Fraction(1), Fraction(80), part)
            if isinstance(price, Pure)
            else ADDITIVE["gaussian"].law(Fraction(1), Fraction(80) ** 2, part)
        )
        assert answer.laws == (law,)


def test_a_round_that_was_made_says_so_and_another_says_nothing() -> None:
    steps = rounds_of(Wanting((Fraction(3, 4), Fraction(1, 2))), (), ADDITIVE["laplace"], ADJACENCY, Pure(Fraction(1)))
    one = Chosen(np.array([[7]], object), (), Fraction(3, 4))
    assert steps[0].said(()) == {"after": [], "parameter": {"round": 0}, "share": "3/4"}
    assert steps[1].said((one,)) is None
    assert isinstance(steps[1].blank(), Chosen)
    assert (steps[1].before, steps[1].laws) == ((0,), ())


def test_rounds_may_follow_what_was_asked_before_them() -> None:
    steps = rounds_of(
        Wanting((Fraction(1, 4),) * 3), (0, 2), ADDITIVE["laplace"], ADJACENCY, Pure(Fraction(1)), start=3
    )
    assert [step.before for step in steps] == [(0, 2), (0, 2, 3), (0, 2, 3, 4)]
    assert isinstance(steps[0], Round)
