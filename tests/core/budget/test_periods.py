"""Budgets by period in one ledger: each has its cap, all of them together have theirs, in memory and in a file."""

from __future__ import annotations

import json
import pickle
from contextlib import closing
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp.core.budget.chain import seal
from pandas_dp.core.budget.cost import Cost, parse
from pandas_dp.core.budget.ledger import Ledger
from pandas_dp.core.budget.periods import Terms, filter_for, length_of
from pandas_dp.core.session.opening import open_ledger
from pandas_dp.errors import BadArgument, BadCost, BudgetExceeded, LedgerCorrupt, LedgerMismatch, UnsupportedArgument
from tests.core.budget.test_file import tamper
from tests.refusals import refused

FACTS = {"statistic": "mean", "model": "dp", "period": None}
HALF = parse(epsilon=0.5)
KINDS = [
    ({"epsilon": 1}, {"epsilon": 2}, {"epsilon": 0.5}),
    ({"rho": 1}, {"rho": 2}, {"rho": 0.5}),
    ({"rho": 1, "delta": 1e-6}, {"rho": 2, "delta": 2e-6}, {"rho": 0.5, "delta": 1e-7}),
    ({"epsilon": 1, "delta": 1e-6}, {"epsilon": 2, "delta": 2e-6}, {"epsilon": 0.5}),
]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "survey.ledger"


def cost(keywords: dict[str, float]) -> Cost:
    found = parse(**keywords)
    assert found is not None
    return found


def spend(ledger: Ledger, price: Cost) -> int:
    """How many charges are granted until one is refused."""
    for granted in range(100):
        if not ledger.fits([price]):
            with pytest.raises(BudgetExceeded):
                ledger.charge(price, FACTS)
            return granted
        ledger.charge(price, FACTS)
    raise AssertionError("the cap has no end")


def monthly(kind: int = 0, overall: bool = True) -> Terms:
    cap, whole, _ = KINDS[kind]
    terms = Terms(cost(cap), "replace", ("dp",), period="month")
    return replace(terms, overall=cost(whole)) if overall else terms


@pytest.mark.parametrize("kind", range(len(KINDS)))
def test_each_period_has_its_cap_and_all_together_have_theirs(kind: int, path: Path) -> None:
    price = cost(KINDS[kind][2])
    granted = {}
    for month in ("2026-09", "2026-10", "2026-11", "2026-12"):
        with closing(open_ledger(path, monthly(kind), month)) as ledger:
            granted[month] = spend(ledger, price)
            ledger.verify()
            assert {entry.facts["period"] for entry in ledger.entries()} <= set(granted)
    alone = open_ledger(None, replace(monthly(kind), period=None, overall=None))
    assert granted["2026-09"] == granted["2026-10"] == spend(alone, price) == 2
    rule = filter_for(cost(KINDS[kind][1]))
    state = rule.start()
    for _ in range(sum(granted.values())):
        state = rule.after(state, price)
    assert rule.admits(state)
    assert not rule.admits(rule.after(state, price))


def test_without_a_cap_over_all_the_next_period_begins_anew(path: Path) -> None:
    for month in ("2026-09", "2026-10", "2026-11"):
        with closing(open_ledger(path, monthly(overall=False), month)) as ledger:
            assert str(ledger.left()) == "epsilon=1"
            assert ledger.used() == 0
            ledger.charge(HALF, FACTS)
            assert str(ledger.left()) == "epsilon=0.5"
            assert ledger.used() == 0.5
            assert not ledger.fits([HALF, HALF])


def test_what_is_left_is_what_period_and_whole_both_grant(path: Path) -> None:
    for month in ("2026-09", "2026-10", "2026-11"):
        with closing(open_ledger(path, monthly(), month)) as ledger:
            ledger.charge(HALF, FACTS)
    with closing(open_ledger(path, monthly(), "2026-12")) as ledger:
        assert str(ledger.left()) == "epsilon=0.5"
        assert ledger.used() == 0.75
        ledger.charge(ledger.left(), FACTS)


def test_a_refusal_says_which_cap_is_spent(path: Path) -> None:
    with closing(open_ledger(path, monthly(), "2026-09")) as ledger:
        ledger.charge(parse(epsilon=0.75), FACTS)
        with refused(BudgetExceeded, "the cap of a period is spent"):
            ledger.charge(HALF, FACTS)
    with closing(open_ledger(path, monthly(), "2026-10")) as ledger:
        ledger.charge(parse(epsilon=1), FACTS)
    with closing(open_ledger(path, monthly(), "2026-11")) as ledger:
        with refused(BudgetExceeded, "the cap over all periods is spent") as caught:
            ledger.charge(HALF, FACTS)
        assert caught.value.left == 0.25


def test_sessions_of_different_periods_share_a_file_at_the_same_time(path: Path) -> None:
    with (
        closing(open_ledger(path, monthly(), "2026-10")) as old,
        closing(open_ledger(path, monthly(), "2026-11")) as new,
        closing(open_ledger(path, monthly(), "2026-11")) as other,
    ):
        for ledger in (old, new, other, old):
            ledger.charge(HALF, FACTS)
        for ledger in (old, new, other):
            with pytest.raises(BudgetExceeded):
                ledger.charge(HALF, FACTS)
        assert [entry.facts["period"] for entry in old.entries()] == ["2026-10", "2026-11", "2026-11", "2026-10"]
        assert old.entries() == new.entries()


def test_a_ledger_of_periods_travels(path: Path) -> None:
    with closing(open_ledger(path, monthly(), "2026-10")) as ledger:
        ledger.charge(HALF, FACTS)
        with closing(pickle.loads(pickle.dumps(ledger))) as there:
            assert there.charge(HALF, FACTS).facts["period"] == "2026-10"
        with pytest.raises(BudgetExceeded):
            ledger.charge(HALF, FACTS)


@pytest.mark.parametrize(
    ("terms", "words"),
    [
        (replace(monthly(), period="day"), "a cap for each month, not each day;"),
        (replace(monthly(), period=None, overall=None), "a cap for each month, not all time and a cap over all"),
        (monthly(overall=False), "a cap over all periods of epsilon=2, not none;"),
    ],
)
def test_other_periods_and_another_whole_are_refused(terms: Terms, words: str, path: Path) -> None:
    open_ledger(path, monthly(), "2026-10").close()
    with pytest.raises(LedgerMismatch, match=words):
        open_ledger(path, terms, "2026-10" if terms.period == "month" else None)


def test_an_entry_moved_to_another_period_is_found(path: Path) -> None:
    with closing(open_ledger(path, monthly(), "2026-10")) as ledger:
        ledger.charge(HALF, FACTS)
        row = list(ledger.charge(HALF, FACTS).row)
    row[4] = row[4].replace("2026-10", "2026-11")
    assert isinstance(row[4], str)
    sealed = seal(tuple(row[:-1]))
    tamper(path, f"UPDATE entries SET facts = '{row[4]}', hash = '{sealed}' WHERE number = 2")
    tamper(path, f"UPDATE head SET hash = '{sealed}'")
    with pytest.raises(LedgerCorrupt, match="entry 2 of the ledger does not add up"):
        open_ledger(path, monthly(), "2026-11")


def test_what_another_process_rewrote_meanwhile_is_found_by_the_next_charge(path: Path) -> None:
    with closing(open_ledger(path, monthly(), "2026-10")) as ledger:
        ledger.charge(HALF, FACTS)
        with closing(open_ledger(path, monthly(), "2026-11")) as other:
            row = list(other.charge(HALF, FACTS).row)
        row[6] = "0" * 64
        sealed = seal(tuple(row[:-1]))
        tamper(path, f"UPDATE entries SET previous = '{row[6]}', hash = '{sealed}' WHERE number = 2")
        tamper(path, f"UPDATE head SET hash = '{sealed}'")
        with pytest.raises(LedgerCorrupt, match="entry 2 of the ledger follows another one"):
            ledger.charge(HALF, FACTS)


@pytest.mark.parametrize(
    ("period", "length"),
    [
        ("2026", "year"),
        ("2026Q4", "quarter"),
        ("2026-11", "month"),
        ("2026-W53", "week"),
        ("2025-W53", None),
        ("2026-11-19", "day"),
        ("2026-02-30", None),
        ("2026-13", None),
        ("2026-1", None),
        ("November", None),
        ("", None),
        ("2026-11\n", None),
        ("２０２６-11", None),
    ],
)
def test_a_period_has_one_spelling(period: str, length: str | None) -> None:
    assert length_of(period) == length


@pytest.mark.parametrize(
    ("period", "name"),
    [
        (pd.Period("2026", "Y"), "2026"),
        (pd.Period("2026Q4", "Q"), "2026Q4"),
        (pd.Period("2026-11", "M"), "2026-11"),
        (pd.Period("2026-11-19", "D"), "2026-11-19"),
        (pd.Period("2026-11-19", "W"), "2026-W47"),
        (pd.Period("2027-01-01", "W"), "2026-W53"),
        (pd.Period("2024-12-30", "W-SUN"), "2025-W01"),
    ],
)
def test_a_period_of_pandas_has_the_same_spelling(period: pd.Period, name: str, path: Path) -> None:
    with pdp.Session(epsilon=1, ledger=path, period=period) as session:
        assert f"in {name}" in repr(session)


@pytest.mark.parametrize("freq", ["Q-MAR", "Y-MAR", "2M", "W-SAT", "2W"])
def test_a_period_of_another_calendar_does_not_borrow_a_name(freq: str, path: Path) -> None:
    with refused(BadArgument):
        pdp.Session(epsilon=1, ledger=path, period=pd.Period("2026-11", freq=freq))


def test_a_session_of_a_period_says_so_in_label_ledger_and_promise(path: Path) -> None:
    people = pd.DataFrame({"age": [31.0, 54.0] * 50})
    for month in ("2026-10", pd.Period("2026-11")):
        with pdp.Session(epsilon=1, ledger=path, period=month, overall=2, name="panel") as session:
            release = session.protect(people)["age"].dp.mean(epsilon=0.25, bounds=(0, 100))
            assert release.dp.metadata["period"] == str(month)
            assert f"charged to {month}" in release.dp.guarantee
            assert (session.share_used, str(session.left)) == (0.25, "epsilon=0.75")
    assert session.ledger["period"].tolist() == ["2026-10", "2026-11"]
    assert session.promise == (
        "In 2026-11: Everything released so far, epsilon=0.25 in all, keeps differential privacy when one row is "
        "replaced, within epsilon=1. What all periods release about the same people adds up: epsilon=0.5 under 'dp' so "
        "far, within epsilon=2."
    )
    assert "cap epsilon=1 in 2026-11" in repr(session)
    assert json.loads(json.dumps(release.attrs["dp"]))["period"] == "2026-11"


def test_an_alarm_is_charged_to_its_period(path: Path) -> None:
    with pdp.Session(epsilon=1, ledger=path, period="2026-11") as session:
        session.protect(pd.DataFrame({"age": [31.0, 54.0] * 50}))
        with session.watch(above=10, epsilon=0.5):
            pass
        assert session.ledger["period"].tolist() == ["2026-11"]
        assert session.share_used == 0.5


def test_what_cannot_be_a_budget_by_period_is_refused(path: Path) -> None:
    with refused(ValueError, "a period by another name"):
        pdp.Session(epsilon=1, ledger=path, period="November")
    with refused(UnsupportedArgument, "a period without a ledger"):
        pdp.Session(epsilon=1, period="2026-11")
    with refused(UnsupportedArgument, "a cap over all periods without a period"):
        pdp.Session(epsilon=1, ledger=path, overall=2)
    with refused(BadCost, "a cap over all periods that is less than one's"):
        pdp.Session(epsilon=1, ledger=path, period="2026-11", overall=0.5)
    with refused(ValueError, "a cap over all periods of another kind"):
        pdp.Session(epsilon=1, delta=1e-6, ledger=path, period="2026-11", overall=12)
    assert not path.exists()


def test_a_cap_over_all_periods_is_exact(path: Path) -> None:
    terms = Terms(cost({"epsilon": 0.1}), "replace", ("dp",), period="day", overall=cost({"epsilon": 0.3}))
    for day in range(1, 5):
        with closing(open_ledger(path, terms, f"2026-11-0{day}")) as ledger:
            if day == 4:
                with pytest.raises(BudgetExceeded):
                    ledger.charge(parse(epsilon=0.1), FACTS)
            else:
                ledger.charge(parse(epsilon=0.1), FACTS)
    assert sum(Fraction(entry.price.to_text().split()[1]) for entry in ledger.entries()) == Fraction(3, 10)
