"""What every ledger does, in memory, in a file and in a database, under each kind of cap."""

from __future__ import annotations

import copy
import os
import pickle
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path

import pytest

from pandas_dp.core.budget.cost import FREE, Concentrated, Cost, Pure, parse
from pandas_dp.core.budget.ledger import Ledger
from pandas_dp.core.budget.periods import Terms
from pandas_dp.core.session.opening import open_ledger
from pandas_dp.errors import BadCost, BudgetExceeded, CostNotOffered, LedgerError
from tests.refusals import refused

FACTS = {"statistic": "mean", "columns": ["income"], "model": "dp", "mechanism": "laplace", "derived": False}
SMALL = parse(epsilon=0.1)


Place = Path | str | None


@pytest.fixture(params=["memory", "file", "database"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    if request.param == "database":
        return str(request.getfixturevalue("address"))
    return tmp_path / "survey.ledger" if request.param == "file" else None


@pytest.fixture
def ledger(place: Place, terms: Terms) -> Iterator[Ledger]:
    opened = open_ledger(place, terms)
    yield opened
    opened.close()


def test_a_charge_becomes_an_entry(ledger: Ledger) -> None:
    entry = ledger.charge(SMALL, FACTS)
    assert (entry.number, entry.price, entry.facts) == (1, SMALL, FACTS)
    assert entry.time.endswith("+00:00")
    assert ledger.entries() == [entry]


def test_entries_are_numbered_chained_and_named_apart(ledger: Ledger) -> None:
    made = [ledger.charge(SMALL, FACTS) for _ in range(3)]
    assert [entry.number for entry in made] == [1, 2, 3]
    assert [entry.previous for entry in made[1:]] == [entry.hash for entry in made[:-1]]
    assert len({entry.release_id for entry in made}) == 3
    ledger.verify()


def test_several_charges_are_made_together_or_not_at_all(ledger: Ledger) -> None:
    before, left = len(ledger.entries()), ledger.left()
    halves = [(left.part(Fraction(1, 2)), {"model": "dp", "place": place}) for place in range(3)]
    with pytest.raises(BudgetExceeded):
        ledger.charge_all(halves)
    assert len(ledger.entries()) == before
    made = ledger.charge_all(halves[:2])
    assert [entry.facts["place"] for entry in made] == [0, 1]
    assert ledger.entries()[before:] == made
    assert ledger.charge_all([]) == []
    ledger.verify()


def test_a_refused_charge_leaves_the_ledger_as_it_was(ledger: Ledger) -> None:
    ledger.charge(SMALL, FACTS)
    before = ledger.entries(), ledger.left(), ledger.used()
    with pytest.raises(BudgetExceeded, match="asked for"):
        ledger.charge(parse(epsilon=50), FACTS)
    assert (ledger.entries(), ledger.left(), ledger.used()) == before
    assert ledger.charge(SMALL, FACTS).number == 2


def test_facts_that_are_not_json_are_refused_and_spend_nothing(ledger: Ledger) -> None:
    for facts in ({"model": object()}, {"size": float("nan")}):
        with pytest.raises((TypeError, ValueError)):
            ledger.charge(SMALL, facts)
    assert ledger.entries() == []
    assert ledger.charge(SMALL, FACTS).number == 1


def test_facts_that_change_later_do_not_change_the_entry(ledger: Ledger) -> None:
    facts = {"columns": ["a"]}
    ledger.charge(SMALL, facts)
    facts["columns"].append("b")
    assert ledger.entries()[0].facts == {"columns": ["a"]}
    ledger.verify()


def test_public_facts_are_recorded_at_no_cost(ledger: Ledger) -> None:
    before = ledger.left()
    ledger.charge(FREE, {"statistic": "size", "model": "dp"})
    assert ledger.left() == before
    assert ledger.used() == 0
    assert len(ledger.entries()) == 1


def test_totals_are_kept_by_model(place: Place, terms_for: Callable[..., Terms]) -> None:
    for cap, words in [
        (
            {"epsilon": 3, "delta": 1e-6},
            {"dp": "epsilon=0.2 + rho=0.001", "idp": "epsilon=0.1 + delta=1e-08"},
        ),
        ({"rho": 3}, {"dp": "rho=0.011", "idp": "rho=0.005"}),
    ]:
        name = "-".join(cap)
        ledger = open_ledger(
            place.with_name(name) if isinstance(place, Path) else place and place + name, terms_for(**cap)
        )
        ledger.charge(SMALL, {"model": "dp"})
        ledger.charge(SMALL, {"model": "dp"})
        ledger.charge(parse(rho=0.001), {"model": "dp"})
        ledger.charge(parse(epsilon=0.1, delta=1e-8) if "delta" in cap else SMALL, {"model": "idp"})
        assert {model: str(total) for model, total in ledger.totals().items()} == words
        assert ledger.totals()["dp"].to_json()["rho"] > 0
        ledger.close()


def test_a_cost_that_is_not_offered_spends_nothing(place: Place, terms_for: Callable[..., Terms]) -> None:
    ledger = open_ledger(place, terms_for(epsilon=3))
    with pytest.raises(CostNotOffered):
        ledger.charge(parse(rho=0.1), FACTS)
    assert ledger.entries() == []
    ledger.close()


def test_sixteen_threads_never_spend_more_than_the_cap(ledger: Ledger) -> None:
    price: Cost = parse(rho=0.007) if ledger.terms.cap.at_infinity is None else parse(epsilon=0.07)
    start = threading.Barrier(16)

    def spend(_: int) -> int:
        start.wait()
        made = 0
        for _ in range(40):
            try:
                ledger.charge(price, FACTS)
                made += 1
            except BudgetExceeded:
                pass
        return made

    with ThreadPoolExecutor(16) as pool:
        made = sum(pool.map(spend, range(16)))
    ledger.verify()
    assert made == len(ledger.entries())
    assert 0 < made < 640
    rule, state = ledger.chain.filter, ledger.chain.filter.start()
    for _ in range(made):
        state = rule.after(state, price)
    assert rule.admits(state)
    assert not rule.admits(rule.after(state, price))


def test_a_ledger_in_memory_refuses_to_be_copied(terms: Terms) -> None:
    ledger = open_ledger(None, terms)
    for travel in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(LedgerError, match="without a ledger file cannot be copied or pickled"):
            travel(ledger)


def test_a_ledger_in_memory_refuses_another_process(terms: Terms, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = open_ledger(None, terms)
    ledger.charge(SMALL, FACTS)
    here = os.getpid()
    monkeypatch.setattr(os, "getpid", lambda: here + 1)
    for act in (lambda: ledger.charge(SMALL, FACTS), ledger.entries, ledger.left, ledger.verify):
        with pytest.raises(LedgerError, match="cannot go on in another process"):
            act()
    monkeypatch.undo()
    assert len(ledger.entries()) == 1


# Digits: sums of fractions are exact, so without an end one reader could make a ledger unreadable for all


PRIMES = [Fraction(1, number) for number in (10**97 + 11 * 2 * k + 1 for k in range(60))]


@pytest.mark.parametrize("number", [Fraction(1, 10**100 + 1), Fraction(10**101 + 1, 10**100), Fraction(1, 3**500)])
@pytest.mark.parametrize("kind", [Pure, Concentrated])
def test_a_charge_of_too_many_digits_is_refused_and_spends_nothing(
    kind: type[Pure | Concentrated], number: Fraction, ledger: Ledger
) -> None:
    if kind is Concentrated and isinstance(ledger.terms.cap, Pure):
        kind = Pure
    ledger.charge(SMALL, FACTS)
    before = ledger.entries(), ledger.left()
    with refused(BadCost):
        ledger.charge(kind(number), FACTS)
    with refused(BadCost):
        ledger.fits([kind(number)])
    assert (ledger.entries(), ledger.left()) == before
    ledger.verify()


def test_charges_whose_sum_has_too_many_digits_are_refused_and_others_go_on(ledger: Ledger) -> None:
    with refused(BadCost):
        for price in PRIMES:
            ledger.charge(Pure(price), FACTS)
    made = len(ledger.entries())
    assert 3 < made < len(PRIMES)
    left = ledger.left()
    assert str(left).startswith(("epsilon=", "rho="))
    assert all(max(each.numerator, each.denominator) <= 10**100 for each in left.numbers)  # so that it can be asked for
    ledger.charge(Pure(Fraction(1, 10)), FACTS)
    ledger.verify()


def test_what_is_typed_has_an_end_to_its_digits() -> None:
    for name in ("epsilon", "rho"):
        with refused(BadCost, name):
            parse(**{name: Fraction(1, 10**99 + 10**100 // 2 * 3)})
        assert parse(**{name: Fraction(1, 10**100)}) is not None
    with refused(BadCost, "delta"):
        parse(epsilon=1, delta=Fraction(1, 10**100 + 1))
