"""The output law of found keys on all neighbours of tiny universes: no two are farther apart than the price says."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pandas_dp.core.budget.cost import Approximate, Concentrated
from pandas_dp.core.neighbours import Adjacency, Relation
from pandas_dp.core.noise.bounded import TruncatedLaplaceLaw
from pandas_dp.core.noise.gaussian import DiscreteGaussian
from pandas_dp.keys import measure as measurement_found
from pandas_dp.keys.measure import Occurred, Occurring
from pandas_dp.keys.mechanism import Showing, leaking, showing_for, threshold

from .laws import TEXTS, hockey_stick, neighbours, noise_of, seen, shown, weights_of

GOLDEN = json.loads(Path(__file__).with_name("golden.json").read_text("utf-8"))
VALUES: list[Any] = ["a", "b", None, 3.5]
WORLDS = [("replace", False), ("replace", True), ("add_remove", False)]
ONE = Occurring("k", TEXTS)
EXACT = 1e-9  # the error of probabilities in floats, added up


def several(most: int) -> Occurring:
    """Of people with so many keys."""
    return Occurring("k", TEXTS, (), most)


def adjacency_of(relation: str, derived: bool) -> Adjacency:
    return Relation(relation).adjacency(whole=not derived)


def farthest(showing: Showing, epsilon: float, world: tuple[str, bool], threshold: int | None = None) -> float:
    """The largest hockey stick between neighbours of at most four rows."""
    laws: dict[Any, Any] = {}

    def law(values: list[Any]) -> Any:
        table = seen(values)
        key = (tuple(sorted(weights_of(table).items())), table.rows)
        if key not in laws:
            laws[key] = shown(showing, table, ["a", "b"], threshold)
        return laws[key]

    pairs = {
        (tuple(sorted(map(repr, one))), tuple(sorted(map(repr, other)))): (one, other)
        for one, other in neighbours(VALUES, 3, *world)
    }
    return max(
        max(hockey_stick(law(one), law(other), epsilon), hockey_stick(law(other), law(one), epsilon))
        for one, other in pairs.values()
    )


@pytest.mark.parametrize("with_rows", [False, True], ids=["keys", "and rows"])
@pytest.mark.parametrize("world", WORLDS, ids=str)
def test_truncated_noise_keeps_its_price_on_all_neighbours(world: tuple[str, bool], with_rows: bool) -> None:
    cost = Approximate(Fraction(3, 2), Fraction(1, 20))
    showing = showing_for("auto", cost, adjacency_of(*world), ONE, with_rows)
    assert isinstance(showing.price, Approximate)
    found = farthest(showing, float(showing.price.epsilon), world)
    assert showing.price.delta / 3 < found <= float(showing.price.delta) + EXACT
    assert showing.price.delta <= cost.delta


@pytest.mark.parametrize("world", WORLDS, ids=str)
def test_a_threshold_one_lower_would_not(world: tuple[str, bool]) -> None:
    showing = showing_for("auto", Approximate(Fraction(3, 2), Fraction(1, 20)), adjacency_of(*world), ONE)
    found = farthest(showing, float(showing.price.at_infinity or 0), world, showing.threshold - 1)
    assert found > 1.5 * float(showing.price.aside)


@pytest.mark.parametrize("leak", [1e-2, 1e-4])
@pytest.mark.parametrize("with_rows", [False, True], ids=["keys", "and rows"])
@pytest.mark.parametrize("world", WORLDS, ids=str)
def test_gaussian_noise_keeps_its_price_on_all_neighbours(
    world: tuple[str, bool], with_rows: bool, leak: float
) -> None:
    """Rho with a leak keeps (epsilon, leak + delta) for every epsilon and delta that rho leads to."""
    cost = Concentrated(Fraction(3, 2), Fraction(1, 100))
    showing = showing_for("auto", cost, adjacency_of(*world), ONE, with_rows)
    epsilon = cost.concentrated().epsilon_at(leak)
    assert 0 < farthest(showing, epsilon, world) <= float(cost.delta) + leak + EXACT
    assert farthest(showing, epsilon, world, showing.threshold - 1) > float(cost.delta) + leak


@pytest.mark.parametrize("keys", [1, 2, 5, 12])
def test_all_keys_of_one_person_alone_come_with_probability_delta_at_most(
    keys: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many she has; and the threshold is the least, but for sharing delta equally."""
    monkeypatch.setattr(measurement_found, "FINE", 64)
    delta, unit, most = Fraction(1, 1000), 64, 12
    law, measurement = DiscreteGaussian(Fraction(unit**2, 2)), several(most)
    weight, least = measurement.weight_of_one, threshold(law, measurement, delta)
    alone = [1 - (1 - float(law.sf(least - weight(j)))) ** j for j in range(1, most + 1)]
    assert alone[keys - 1] <= float(delta)
    lower = [1 - (1 - float(law.sf(least - 1 - weight(j)))) ** j for j in range(1, most + 1)]
    assert max(lower) > 0.99 * float(delta)
    assert keys * weight(keys) ** 2 <= unit**2


def test_epsilon_with_delta_becomes_rho_with_half_of_delta_as_its_leak() -> None:
    cost = Approximate(Fraction(1), Fraction(1, 10**6))
    price = leaking(cost)
    assert price.delta == cost.delta / 2
    assert 0.999 < price.epsilon_at(cost.delta) <= 1


# -- reference values


def key_of(*counts: int) -> Occurred:
    there = {name: many for name, many in zip("ab", counts, strict=False) if many}
    return Occurred(tuple(there), np.array(list(there.values()), np.int64), sum(counts))


@pytest.mark.parametrize("m", [2, 4])
def test_reference_values_of_truncated_noise(m: int) -> None:
    """Noise of ratio 1/2 a step, a key replaced by another, and one shown at m in place of above it."""
    law = TruncatedLaplaceLaw(Fraction(10**15, round(10**15 * np.log(2))), m)
    showing = Showing("", law, m, 1, Concentrated(Fraction(1)))
    p = float(law.pmf(m))

    def largest(epsilon: float, pairs: list[tuple[Occurred, Occurred]], above: int) -> float:
        laws = [(shown(showing, a, ["a", "b"], above), shown(showing, b, ["a", "b"], above)) for a, b in pairs]
        return max(max(hockey_stick(a, b, epsilon), hockey_stick(b, a, epsilon)) for a, b in laws)

    one_more = [(key_of(n), key_of(n + 1)) for n in range(2 * m + 3)]
    replaced = [(key_of(a + 1, b), key_of(a, b + 1)) for a in range(2 * m + 2) for b in range(2 * m + 2)]
    assert largest(np.log(2), one_more, m) == pytest.approx(p, rel=1e-9)
    assert largest(np.log(2), one_more, m - 1) == pytest.approx(GOLDEN[f"truncated.q1/2.m{m}.off_by_one"], rel=1e-9)
    found = largest(2 * np.log(2), replaced, m)
    assert found == pytest.approx(GOLDEN[f"truncated.q1/2.m{m}.replace_delta"], rel=1e-9)
    assert found == pytest.approx(GOLDEN[f"truncated.q1/2.m{m}.replace_bound"], rel=1e-9)


RANGES = [
    ("add_remove", 1, 1e-5, 11),
    ("add_remove", 1, 1e-6, 14),
    ("add_remove", 1, 1e-7, 16),
    ("replace", 1, 1e-5, 22),
    ("replace", 1, 1e-6, GOLDEN["truncated.replace.eps1.0.delta1e-06.m"]),
    ("replace", 1, 1e-7, 31),
    ("replace", 0.5, 1e-6, GOLDEN["truncated.replace.eps0.5.delta1e-06.m"]),
]


@pytest.mark.parametrize(("relation", "epsilon", "delta", "m"), RANGES)
def test_reference_ranges(relation: str, epsilon: float, delta: float, m: int) -> None:
    cost = Approximate(Fraction(str(epsilon)), Fraction(f"{delta:.0e}"))
    assert showing_for("auto", cost, adjacency_of(relation, False), ONE).threshold == m


def test_reference_values_of_leaks() -> None:
    """Rho 1/2 with noise of variance 2 on the number of people of each key, shown from 5 on."""
    showing = Showing("", DiscreteGaussian(Fraction(2)), 4, 1, Concentrated(Fraction(1, 2)))
    tail = sum(p for by, p in noise_of(showing.law).items() if by > 3)
    rho = Concentrated(Fraction(1, 2))
    for name, value in GOLDEN.items():
        if not name.startswith("approx_zcdp"):
            continue
        pair, delta = name.removeprefix("approx_zcdp.").removeprefix("replace.").split(".delta")
        one, other = (key_of(*map(int, each.strip("()").split(","))) for each in pair.split("->"))
        laws = [shown(showing, each, ["a", "b"]) for each in (one, other)]
        epsilon = rho.epsilon_at(float(delta))
        found = max(hockey_stick(*laws, epsilon), hockey_stick(*laws[::-1], epsilon))
        assert found == pytest.approx(value, abs=2e-6), name
    assert tail == pytest.approx(GOLDEN["approx_zcdp.replace.(1, 0)->(0, 1).delta0.0001"], rel=1e-9)


@pytest.mark.parametrize(("rho", "most"), [("0.02", 10), ("0.02", 50), ("0.1", 1), ("0.1", 10)])
def test_reference_thresholds(rho: str, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those enclose tails from above; ours are exact, and a step lower at most."""
    unit, delta = 1024, Fraction(1, 10**6)
    monkeypatch.setattr(measurement_found, "FINE", unit)
    monkeypatch.setattr(Occurring, "unit", unit)
    law = DiscreteGaussian(Fraction(unit**2) / (2 * Fraction(rho)))
    name = f"threshold.rho{rho}.delta1e-06.k{most}."
    kinds = ("people_one_key", "weighted") if most > 1 else ("people_one_key",)
    for kind in kinds:
        if name + kind in GOLDEN:
            assert GOLDEN[name + kind] - threshold(law, several(most), delta) / unit in (0, 1 / unit)
    if most == 1:
        monkeypatch.undo()
        counted = DiscreteGaussian(1 / (2 * Fraction(rho)))
        assert threshold(counted, ONE, delta) == GOLDEN[name + "counts"]


@pytest.mark.parametrize(("epsilon", "delta"), [("0.1", "1e-06"), ("1", "1e-05"), ("1", "1e-06"), ("1.099", "0.01")])
def test_nothing_shows_a_key_of_so_many_rows_more_often(epsilon: str, delta: str) -> None:
    """With the optimum of Desfontaines et al. (2022), at the delta that is spent; and what it is at the delta asked."""
    name = f"select.eps{epsilon}.delta{delta}"
    rate = np.log(3) if epsilon == "1.099" else float(epsilon)
    cost = Approximate(Fraction(rate), Fraction(delta))
    showing = showing_for("auto", cost, Relation("add_remove").adjacency(whole=False), ONE)
    spent = float(showing.price.aside)
    assert spent == pytest.approx(GOLDEN[f"{name}.delta_spent"], rel=1e-6)
    assert GOLDEN.get(f"{name}.m", showing.threshold) == showing.threshold
    rows = np.arange(400)
    ours = np.asarray(showing.law.sf(showing.threshold - rows), dtype=float)
    np.testing.assert_allclose(ours, optimal(rate, spent, len(rows)), atol=1e-10)
    asked = optimal(rate, float(delta), len(rows))
    for share, word in ((0.5, "half"), (0.99, "99")):
        if f"{name}.{word}" in GOLDEN:
            assert int(np.argmax(asked >= share)) == GOLDEN[f"{name}.{word}"]
            assert int(np.argmax(ours >= share)) <= GOLDEN[f"{name}.{word}"] + 1


def optimal(epsilon: float, delta: float, rows: int) -> Any:
    """The largest probability to be shown that (epsilon, delta) allows, of 0, 1, … rows."""
    found = [0.0]
    while len(found) < rows:
        last = found[-1]
        found.append(min(np.exp(epsilon) * last + delta, 1 - np.exp(-epsilon) * (1 - last - delta), 1.0))
    return np.array(found)
