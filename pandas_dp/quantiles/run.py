"""How ranks are answered: a grid point is chosen, or a value has noise as wide as its smooth sensitivity asks for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import numpy as np

from ..comparisons.measure import LearnedRanks
from ..core.budget.cost import Cost, Pure
from ..core.measure.cells import Norm
from ..core.measure.measurement import Blurred, Rows
from ..core.neighbours import Moves
from ..core.noise.mechanism import Law
from ..core.noise.mechanisms import CHOICE, SMOOTH, choice_for
from ..core.noise.smooth import Smooth, beats_choice, smooth_for
from ..core.plan.steps import NOTHING, Calibration
from ..core.promise import Differential
from ..dataclass import dataclass
from ..errors import UnknownMechanism
from .measure import EVERY_RANK, Ladder, Ranks


@dataclass(frozen=True)
class Choice:
    """A rank at which a grid point is chosen."""

    tally: Ranks
    rate: Fraction
    mechanism_name: str = CHOICE.name
    laws: tuple[Law, ...] = ()

    def look(self, rows: Rows, told: tuple[Blurred, ...] = ()) -> list[Ladder]:
        return rows.ladders(self.tally, CHOICE.depth(self.tally, self.rate))

    def blur(self, seen: list[Ladder], rows: Rows) -> Blurred:
        chosen = [CHOICE.choose(self.tally, self.rate, near, self._all(rows, at)) for at, near in enumerate(seen)]
        return Blurred(np.array(chosen, dtype=np.int64).reshape(-1, 1))

    def blank(self) -> Blurred:
        return Blurred(np.zeros((self.tally.cells.size, 1), dtype=object))

    def spent(self, model: Differential, moves: Moves, price: Cost) -> Fraction:
        norm: Norm = 1 if isinstance(price, Pure) else 2
        return CHOICE.spent(self.rate, model.reach(self.tally, norm, moves), norm)

    def _all(self, rows: Rows, place: int) -> Callable[[], Ladder]:
        return lambda: rows.ladders(self.tally, EVERY_RANK)[place]


@dataclass(frozen=True)
class Value:
    """A value of given rank, with noise as wide as its smooth sensitivity asks for: there is no law to publish."""

    tally: Ranks
    mechanism: Smooth
    laws: tuple[Law, ...] = ()

    @property
    def mechanism_name(self) -> str:
        return f"smooth {self.mechanism.name}"

    def look(self, rows: Rows, told: tuple[Blurred, ...] = ()) -> list[Ladder]:
        return rows.ladders(self.tally, self.mechanism.depth(self.tally))

    def blur(self, seen: list[Ladder], rows: Rows) -> Blurred:
        drawn = [self.mechanism.draw(self.tally, ladder) for ladder in seen]
        return Blurred(np.array(drawn, dtype=np.int64).reshape(-1, 1))

    def blank(self) -> Blurred:
        return Blurred(np.zeros((self.tally.cells.size, 1), dtype=object))

    def spent(self, model: Differential, moves: Moves, price: Cost) -> Fraction:
        """Nothing that is looked at: its proof is not of one law a coordinate."""
        return NOTHING


def planned(tally: Ranks, how: Calibration) -> Choice | Value:
    """Where what is compared is learnt from ranks, the mechanism that was asked is for that."""
    mechanism = "auto" if any(isinstance(each, LearnedRanks) for each in how.beside) else how.name
    value = _value(tally, mechanism, how)
    if value is not None:
        return value
    choice = choice_for(mechanism)
    rate = how.rate(tally, choice)
    return Choice(choice.aimed(tally, rate), rate)


def _value(tally: Ranks, mechanism: str, how: Calibration) -> Value | None:
    """The cost is shared among the cells that one person can change; costs of independent noise add up."""
    if tally.most is not None:
        if mechanism in SMOOTH:
            raise UnknownMechanism(
                f"mechanism {mechanism!r} takes tables with one row of each person; over rows of people leave it out.",
                mechanism=mechanism,
            )
        return None
    setting, model = how.setting, how.model
    within = how.cost.part(Fraction(1, tally.cells_moved(setting.moves)))
    size = setting.size if setting.counts_public(tally.cells, [tally.variable]) else None
    is_dp = type(model) is Differential  # another public scale brings its own proof
    if mechanism == "auto" and is_dp and beats_choice(within, tally, size):
        mechanism = "smooth"
    if mechanism not in SMOOTH:
        return None
    if not is_dp:
        raise UnknownMechanism(f"mechanism {mechanism!r} is for model 'dp', not {model.name!r}; leave one of them out.")
    return Value(replace(tally, inset=0), smooth_for(mechanism, within, tally, size))
