"""Stages of tables that follow from answers: the sensitivity of each, and that all together keep the price."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from pandas_dp.audit import WORLDS, Exact, reached, universe
from pandas_dp.core.measure.cells import Key
from pandas_dp.core.neighbours import Adjacency
from pandas_dp.core.noise.gaussian import DiscreteGaussian
from pandas_dp.core.plan.steps import Chosen
from pandas_dp.core.schema.values import Categories
from pandas_dp.synthetic.measure import CountedTables, Distances, KeyReading, SomeTables, TableRace
from pandas_dp.synthetic.model.graph import Graph, as_shares, downward, worthwhile
from pandas_dp.synthetic.statistic_adaptive_stages import AdaptiveStages, ThreeStages
from pandas_dp.synthetic.statistic_table_stages import SynthesisFacts
from tests.contracts.cases import TABLES, VALUES

SCALES = {"equal": (Fraction(1),) * 4, "unequal": (Fraction(1), Fraction(1, 3), Fraction(1, 2), Fraction(1))}


def over(counted: CountedTables) -> Any:
    columns = {str(each.key.column): VALUES[str(each.key.column)] for each in counted.readings}
    return universe(columns, 2 if len(columns) < 3 else 1)


@pytest.mark.parametrize("scales", SCALES)
@pytest.mark.parametrize("name", TABLES)
def test_the_reach_of_a_look_at_tables_is_kept_and_attained(name: str, scales: str) -> None:
    counted = TABLES[name]
    which = tuple(range(len(counted.tables)))
    measurement = SomeTables(counted, which, SCALES[scales][: len(which)])
    exact = Exact(measurement, over(counted))
    for world in WORLDS:
        for norm in (1, 2):
            reached(exact, world, norm).check(tight=1.0)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", TABLES)
def test_the_reach_of_a_race_is_kept_and_attained(name: str) -> None:
    """Half the range of what neighbours do to the utilities; the table that matters most moves by all of it."""
    counted, rows = TABLES[name], over(TABLES[name])
    against = np.zeros(counted.starts[-1], np.int64)
    against[np.array(counted.starts[1:]) - 1] = 2
    which = tuple(range(len(counted.tables)))
    worths = tuple(3 if at == 0 else 2 for at in which)
    race = TableRace(Distances(counted, against.tobytes(), which), worths, (1,) * len(which))
    for world in WORLDS:
        found = np.array([race.utilities(rows.read(table, world.whole).fold(race)) for table in rows.tables])
        pairs = rows.pairs(world)
        moved = (found[pairs[:, 0]] - found[pairs[:, 1]]).astype(float)
        half = (moved.max(axis=1) - moved.min(axis=1)) / 2
        largest = np.abs(moved).max()
        sensitivity = float(race.sensitivity(1, world.relation.adjacency(world.whole)))
        assert half.max() <= sensitivity
        assert largest <= sensitivity
        assert largest == sensitivity  # of one table
        assert race.sensitivity(2, world.relation.adjacency(world.whole)) == Fraction(sensitivity) ** 2


def facts(keys: int = 3, norm: Any = 2, most: int = 500, size: int | None = None) -> SynthesisFacts:
    readings = tuple(KeyReading(Key(f"k{at}", Categories(tuple(range(2 + at))))) for at in range(keys))
    pairs = [(one, other) for one in range(keys) for other in range(one + 1, keys)]
    tables = downward([*((at,) for at in range(keys)), *pairs])
    counted = CountedTables(readings, tables)
    return SynthesisFacts(
        counted, tuple(pairs) or ((0,),), (1.0,) * max(1, len(pairs)), most, size, Adjacency(True, False), norm
    )


HUGE = [0, 1, -1, 2**62, -(2**62), 10**30]


def answered(stages: Any, r: np.random.Generator, sort: str) -> list[Fraction]:
    """The shares of the stages that are made when answers are as bad as can be."""
    estimates: tuple[Chosen, ...] = ()
    shares = []
    for _ in range(stages.rounds):
        stage = stages.choose(estimates)
        if stage is None:
            break
        shares.append(stage.share)
        if isinstance(stage.measurement, TableRace):
            place = int(r.integers(len(stage.measurement.worths)))
            estimates = (*estimates, Chosen(np.array([[place]], object), (), stage.share))
            continue
        numbers = len(stage.measurement.weights(2, Adjacency(True, False)))
        drawn = r.choice(HUGE, numbers) if sort == "huge" else np.full(numbers, int(sort), dtype=object)
        estimates = (
            *estimates,
            Chosen(drawn.astype(object).reshape(1, -1), (DiscreteGaussian(Fraction(9)),) * numbers, stage.share),
        )
    assert stages.choose(estimates) is None or len(estimates) == stages.rounds
    return shares


@pytest.mark.parametrize("norm", [1, 2])
@pytest.mark.parametrize("keys", [1, 2, 3])
@pytest.mark.parametrize("sort", ["huge", "0", "100", str(-(10**12))])
@pytest.mark.parametrize("made", [ThreeStages, AdaptiveStages])
def test_shares_add_up_to_one_at_most_whatever_is_answered(made: Any, sort: str, keys: int, norm: int) -> None:
    stages = made(facts(keys, norm))
    shares = answered(stages, np.random.default_rng(1), sort)
    assert all(share > 0 for share in shares)
    assert sum(shares) == 1
    assert len(shares) <= stages.rounds


def test_the_same_answers_lead_to_the_same_looks() -> None:
    stages = AdaptiveStages(facts())
    first = answered(stages, np.random.default_rng(2), "100")
    again = answered(AdaptiveStages(facts()), np.random.default_rng(2), "100")
    other = answered(stages, np.random.default_rng(3), "huge")
    assert first == again
    assert sum(other) == 1


def test_looks_that_were_not_made_end_it() -> None:
    stages = ThreeStages(facts())
    blank = Chosen(np.zeros((0, 0), dtype=object))
    assert stages.choose((blank,)) is None
    assert stages.state((blank, blank, blank)).measured.tables == ()


def test_only_tables_that_are_worth_their_noise_are_taken_within_the_size_of_the_model() -> None:
    sizes, tables = (10, 10, 10, 2), [(0, 1), (0, 2), (1, 2), (0, 3)]

    def spread(many: int) -> float:
        return 2.0 * many**0.5

    weights = [1.0] * 4
    assert worthwhile(sizes, tables, [0.0] * 4, weights, spread, 10_000) == ()
    assert worthwhile(sizes, tables, [1000.0, 0, 0, 500.0], weights, spread, 10_000) == (0, 3)
    assert worthwhile(sizes, tables, [1000.0, 1000.0, 1000.0, 0], weights, spread, 10_000) == (0, 1, 2)
    two = worthwhile(sizes, tables, [1000.0, 900.0, 1000.0, 0], weights, spread, 500)
    assert two == (0, 2)
    assert Graph.of(sizes, [tables[at] for at in two]).cells <= 500
    assert worthwhile(sizes, tables, [10.0**300] * 4, weights, spread, 1) == ()


def test_shares_of_nothing_are_even() -> None:
    assert as_shares(np.array([-1.0, -2.0])).tolist() == [0.5, 0.5]
    assert as_shares(np.array([3.0, -2.0])).tolist() == [1.0, 0.0]
