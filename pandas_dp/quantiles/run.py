"""How ranks are answered: a grid point is chosen, or a value has noise as wide as its smooth sensitivity asks for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from ..comparisons.measure import LearnedRanks
from ..core.budget.cost import Cost, Pure
from ..core.measure.cells import Norm
from ..core.measure.measurement import Noisy, Rows
from ..core.neighbours import Adjacency
from ..core.noise.choice import NearRank
from ..core.noise.mechanism import Law
from ..core.noise.mechanisms import CHOICE, SMOOTH, choice_for
from ..core.plan.steps import NOTHING, Calibration
from ..core.promise import Differential
from ..errors import UnknownMechanism
from .measure import EVERY_RANK, Ranks
from .mechanism import Smooth, beats_choice, smooth_for


@dataclass(frozen=True)
class Choice:
    """A rank at which a grid point is chosen."""

    measurement: Ranks
    rate: Fraction
    mechanism_name: str = CHOICE.name
    laws: tuple[Law, ...] = ()

    def measure(self, rows: Rows, earlier: tuple[Noisy, ...] = ()) -> list[NearRank]:
        return rows.near_ranks(self.measurement, CHOICE.depth(self.measurement, self.rate))

    def add_noise(self, seen: list[NearRank], rows: Rows) -> Noisy:
        chosen = [CHOICE.choose(self.measurement, self.rate, near, self._all(rows, at)) for at, near in enumerate(seen)]
        return Noisy(np.array(chosen, dtype=np.int64).reshape(-1, 1))

    def blank(self) -> Noisy:
        return Noisy(np.zeros((self.measurement.cells.size, 1), dtype=object))

    def spent(self, model: Differential, adjacency: Adjacency, price: Cost) -> Fraction:
        norm: Norm = 1 if isinstance(price, Pure) else 2
        return CHOICE.spent(self.rate, model.sensitivity(self.measurement, norm, adjacency), norm)

    def _all(self, rows: Rows, place: int) -> Callable[[], NearRank]:
        return lambda: rows.near_ranks(self.measurement, EVERY_RANK)[place]


@dataclass(frozen=True)
class Value:
    """A value of given rank, with noise as wide as its smooth sensitivity asks for: there is no law to publish."""

    measurement: Ranks
    mechanism: Smooth
    laws: tuple[Law, ...] = ()

    @property
    def mechanism_name(self) -> str:
        return f"smooth {self.mechanism.name}"

    def measure(self, rows: Rows, earlier: tuple[Noisy, ...] = ()) -> list[NearRank]:
        return rows.near_ranks(self.measurement, self.mechanism.depth(self.measurement))

    def add_noise(self, seen: list[NearRank], rows: Rows) -> Noisy:
        drawn = [self.mechanism.draw(self.measurement, near_rank) for near_rank in seen]
        return Noisy(np.array(drawn, dtype=np.int64).reshape(-1, 1))

    def blank(self) -> Noisy:
        return Noisy(np.zeros((self.measurement.cells.size, 1), dtype=object))

    def spent(self, model: Differential, adjacency: Adjacency, price: Cost) -> Fraction:
        """Nothing that is looked at: its proof is not of one law a coordinate."""
        return NOTHING


def planned(measurement: Ranks, how: Calibration) -> Choice | Value:
    """Where what is compared is learnt from ranks, the mechanism that was asked is for that."""
    mechanism = "auto" if any(isinstance(each, LearnedRanks) for each in how.beside) else how.name
    value = _value(measurement, mechanism, how)
    if value is not None:
        return value
    choice = choice_for(mechanism)
    rate = how.rate(measurement, choice)
    return Choice(choice.aimed(measurement, rate), rate)


def _value(measurement: Ranks, mechanism: str, how: Calibration) -> Value | None:
    """The cost is shared among the cells that one person can change; costs of independent noise add up."""
    if measurement.most is not None:
        if mechanism in SMOOTH:
            raise UnknownMechanism(
                f"mechanism {mechanism!r} takes tables with one row of each person; over rows of people leave it out.",
                mechanism=mechanism,
            )
        return None
    public, model = how.public, how.model
    within = how.cost.part(Fraction(1, measurement.cells_moved(public.adjacency)))
    size = public.size if public.counts_public(measurement.cells, [measurement.variable]) else None
    is_dp = type(model) is Differential  # another public scale brings its own proof
    if mechanism == "auto" and is_dp and isinstance(within, Pure) and beats_choice(within, measurement, size):
        mechanism = "smooth"
    if mechanism not in SMOOTH:
        return None
    if not is_dp:
        raise UnknownMechanism(f"mechanism {mechanism!r} is for model 'dp', not {model.name!r}; leave one of them out.")
    return Value(replace(measurement, inset=0), smooth_for(mechanism, within, measurement, size))
