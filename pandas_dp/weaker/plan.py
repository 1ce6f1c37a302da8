"""The plan of a question under a promise with a private scale, and its steps, whose scale is found when looking."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np

from ..core.budget.cost import Cost
from ..core.measure.cells import Variable
from ..core.measure.measurement import Noisy, Rows
from ..core.measure.statistic import Estimator
from ..core.neighbours import PublicFacts
from ..core.noise.choice import NearRank
from ..core.noise.mechanism import Additive, Law
from ..core.noise.mechanisms import ADDITIVE, CHOICE, SMOOTH, Named, additive_for, name_of, perturbation_for
from ..core.schema.values import Interval
from ..errors import UnknownMechanism, shown
from ..quantiles.measure import EVERY_RANK, Ranks
from .exact import Column, ExactFacts, Final, ScaledSums
from .ordered import Ordered, Portions, column_of
from .promise import Asked, Surroundings, Weaker, facts_of, number_of
from .statistics import finals_of

MANY = 256  # tables of more cells have scales that are rounded up to
BITS = 7  # so many leading digits: noise of one scale is drawn together


@dataclass(frozen=True)
class OwnScales:
    """Statistics to which noise is added, each number of each cell on a scale of its own."""

    promise: Weaker
    public: PublicFacts
    mechanism: Additive
    cost: Cost
    further_rows: Rows | None = None
    laws: tuple[Law, ...] = ()
    measurement: Final = field(kw_only=True)

    @property
    def mechanism_name(self) -> str:
        return self.mechanism.name

    def measure(self, rows: Rows, earlier: tuple[Noisy, ...] = ()) -> ScaledSums:
        facts = facts_of(rows, self.measurement, self.promise.hidden)
        found = self.promise.scaled(self.measurement, facts, self.around(rows, facts), self.mechanism.norm)
        return replace(found, sensitivities=rounded_up(found.sensitivities))

    def add_noise(self, seen: ScaledSums, rows: Rows) -> Noisy:
        return Noisy(self.measurement.released(self.noisy(seen), seen))

    def blank(self) -> Noisy:
        """One whole number, as the noise leaves it, or several floats, as they are concluded from it."""
        whole = self.measurement.columns_released == 1
        return Noisy(
            np.zeros((self.measurement.cells.size, self.measurement.columns_released), dtype=object if whole else float)
        )

    def law(self, sensitivity: int | Fraction) -> Law:
        """The noise on a number with this sensitivity."""
        return self.mechanism.law(Fraction(1), Fraction(sensitivity), self.cost)

    def noisy(self, seen: ScaledSums) -> Column:
        """Numbers on one scale at a time; a sensitivity of 0 is answered exactly."""
        numbers, sensitivities = seen.numbers.ravel(), seen.sensitivities.ravel()
        found = numbers.copy()
        places: dict[int | Fraction, list[int]] = {}
        for place, sensitivity in enumerate(sensitivities.tolist()):
            places.setdefault(sensitivity, []).append(place)
        for sensitivity, here in places.items():
            if sensitivity:
                found[here] = self.mechanism.add_noise(numbers[here].reshape(-1, 1), (self.law(sensitivity),))[:, 0]
        return found.reshape(seen.numbers.shape)

    def around(self, rows: Rows, facts: ExactFacts) -> Surroundings:
        strays = number_of(rows) - int(facts.rows.sum())
        if self.further_rows is None:
            return Surroundings(self.public, strays)
        others = facts_of(self.further_rows, self.measurement, 1)
        return Surroundings(self.public, strays, others, number_of(self.further_rows) - int(others.rows.sum()))


def rounded_up(sensitivities: Column) -> Column:
    """The reaches, in tables of many cells to few digits, and never smaller."""
    if len(sensitivities) <= MANY:
        return sensitivities
    rounded = [
        -(-sensitivity >> (shift := max(0, sensitivity.bit_length() - BITS))) << shift
        for sensitivity in sensitivities.ravel().tolist()
    ]
    return column_of(rounded).reshape(sensitivities.shape)


@dataclass(frozen=True)
class NarrowedPart:
    """What looking finds: the part of the grid over which the rows spread, and the rows near the wanted rank."""

    start: int
    ranks: Ranks  # over as many points as that part has
    near_ranks: list[NearRank]


@dataclass(frozen=True)
class ChoiceAmongOccurring:
    """A grid point between the least row and the greatest, or next to them, chosen by its rank. Without a floor only
    one between them, among two points at least."""

    measurement: Ordered
    ranks: Ranks
    rate: Fraction
    further_rows: Rows | None = None
    floored: bool = True
    mechanism_name: str = CHOICE.name
    laws: tuple[Law, ...] = ()

    def measure(self, rows: Rows, earlier: tuple[Noisy, ...] = ()) -> NarrowedPart:
        start, stop = self._location_scale(rows)
        points = Interval(Fraction(0), Fraction(stop - start), "integer", resolution=Fraction(1))
        ranks = CHOICE.aimed(replace(self.ranks, variable=Variable(None, points)), self.rate)
        near = self.near_ranks(rows, ranks, start, CHOICE.depth(ranks, self.rate))
        return NarrowedPart(start, ranks, near)

    def add_noise(self, seen: NarrowedPart, rows: Rows) -> Noisy:
        def everyone(place: int) -> Callable[[], NearRank]:
            return lambda: self.near_ranks(rows, seen.ranks, seen.start, EVERY_RANK)[place]

        chosen = [
            CHOICE.choose(seen.ranks, self.rate, near, everyone(place)) for place, near in enumerate(seen.near_ranks)
        ]
        return self.at([seen.start + position for position in chosen])

    def at(self, positions: list[int]) -> Noisy:
        """Positions on the whole grid, in the parts that the statistic counts."""
        return Noisy(np.array([p * self.measurement.parts for p in positions], dtype=object).reshape(-1, 1))

    def blank(self) -> Noisy:
        return Noisy(np.zeros((self.measurement.cells.size, 1), dtype=object))

    def near_ranks(self, rows: Rows, ranks: Ranks, start: int, depth: int) -> list[NearRank]:
        """The ladders of the rows on the whole grid, counted from `start`."""
        points = ranks.variable.grid.high + 1
        return [
            replace(
                near_rank,
                values=near_rank.values - start,
                start=min(max(near_rank.start - start, 0), points),
                stop=min(max(near_rank.stop - start, 0), points),
            )
            for near_rank in rows.near_ranks(replace(ranks, variable=self.measurement.variable), depth)
        ]

    def _location_scale(self, rows: Rows) -> tuple[int, int]:
        """The range from the least position that occurs in any cell to the greatest, and a step more at either end:
        else rows of one value would be answered with it, always."""
        grid = self.measurement.variable.grid
        found = [facts_of(source, self.measurement, 1) for source in (rows, self.further_rows) if source]
        low = min((min(each.lowest[each.occupied, 0]) for each in found if each.occupied.any()), default=0)
        high = max((max(each.highest[each.occupied, 0]) for each in found if each.occupied.any()), default=0)
        start, stop = ((code + grid.half) // grid.factor for code in (low, high))
        if self.floored:
            return max(start - 1, 0), min(stop + 1, self.measurement.top)
        if start < stop:
            return start, stop
        return (start, start + 1) if start < self.measurement.top else (start - 1, start)


Steps = tuple[OwnScales | ChoiceAmongOccurring, ...]


def asked_of(
    promise: Weaker, statistics: Sequence[Estimator], public: PublicFacts, mechanism: Named
) -> tuple[list[Asked], tuple[tuple[int, ...], ...]]:
    """Everything once, and which of it each statistic is computed from. Public facts alone decide."""
    name = _named(mechanism)
    asked = _together(
        [
            tuple(each for final in finals_of(statistic, public) for each in promise.asks(final, public, name))
            for statistic in statistics
        ]
    )
    distinct = list(dict.fromkeys(each for several in asked for each in several))
    return distinct, tuple(tuple(distinct.index(each) for each in several) for several in asked)


def steps_of(
    promise: Weaker,
    asked: Sequence[Asked],
    public: PublicFacts,
    mechanism: Named,
    price: Cost,
    further_rows: Rows | None,
) -> Steps:
    """The scales are found when looking, so nothing here depends on them."""
    part = price.part(Fraction(1, len(asked)))
    return tuple(_step(each, promise, public, _named(mechanism), part, further_rows) for each in asked)


def _step(
    asked: Asked, promise: Weaker, public: PublicFacts, mechanism: str, cost: Cost, further_rows: Rows | None
) -> OwnScales | ChoiceAmongOccurring:
    final, ranks = asked
    if ranks is not None:
        assert isinstance(final, Ordered)
        rate = CHOICE.rate(ranks.sensitivity(CHOICE.norm(cost), public.adjacency), cost)
        return ChoiceAmongOccurring(final, ranks, rate, further_rows, promise.floored)
    return OwnScales(promise, public, additive_for(mechanism, cost), cost, further_rows, measurement=final)


def _together(asked: list[tuple[Asked, ...]]) -> list[tuple[Asked, ...]]:
    """A mean uses the sums that a variance needs, where both are asked and the number of rows is private."""
    wide = {each for several in asked for each in several if isinstance(each[0], Portions) and each[0].squared}

    def widened(each: Asked) -> Asked:
        final, _ = each
        wider = (replace(final, squared=True), None) if isinstance(final, Portions) else each
        return wider if wider in wide else each

    return [tuple(widened(each) for each in several) for several in asked]


def _named(mechanism: Named) -> str:
    """Perturbations of counts are for noise whose law is public."""
    if perturbation_for(mechanism) is not None:
        raise UnknownMechanism(
            f"mechanism {shown(mechanism)} perturbs counts under model='dp'; under the weaker promises leave it out.",
            mechanism=mechanism if isinstance(mechanism, str) else type(mechanism).__name__,
        )
    if mechanism in SMOOTH and mechanism not in ADDITIVE:
        raise UnknownMechanism(
            f"mechanism {shown(mechanism)} is for model='dp'; under the weaker promises leave it out.",
            mechanism=name_of(mechanism),
        )
    return name_of(mechanism)
