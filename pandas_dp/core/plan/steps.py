"""What is done for one measurement: look at the rows, then blur what was seen. One class per way of blurring."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, Protocol

import numpy as np

from ...dataclass import dataclass
from ...keys.measure import Occurring
from ...numeric.location.measure import Candidates
from ...numeric.measure_distinct import Table
from ...quantiles.measure_ranks import EVERY_RANK, Ladder, Ranks
from ...tools.measure import Contest
from ...weaker.exact import Final
from ..measure.forms import Choosing, Form
from ..measure.measurement import Added as Additions
from ..measure.measurement import Measurement, Rows
from ..measure.noisy import Noisy
from ..noise.choice import Picks
from ..noise.law import Law
from ..noise.mechanism import Blurring
from ..noise.mechanisms import CHOICE
from ..noise.smooth import Smooth


class Step(Protocol):
    """A part of a plan. What it holds comes from public facts; what `measure` returns only `add_noise` may see."""

    @property
    def measurement(self) -> Measurement | Form | Choosing | Final | Occurring: ...

    @property
    def mechanism_name(self) -> str: ...

    @property
    def laws(self) -> tuple[Law, ...]:
        """The noise of each coordinate; empty where none is known in advance."""

    def measure(self, rows: Rows, earlier: tuple[Noisy, ...] = ()) -> Any:
        """The exact answer; `told` are those that earlier steps gave, noise and all, which few steps use."""

    def add_noise(self, seen: Any, rows: Rows) -> Noisy:
        """The noisy answer; the exact one goes no further."""

    def blank(self) -> Noisy:
        """An answer that says nothing, to plan with."""


@dataclass(frozen=True)
class Sum:
    """A measurement whose sums are blurred."""

    measurement: Additions
    mechanism: Blurring
    laws: tuple[Law, ...]

    @property
    def mechanism_name(self) -> str:
        return self.mechanism.name

    def measure(self, rows: Rows, earlier: tuple[Noisy, ...] = ()) -> Table:
        return rows.fold(self.measurement)

    def add_noise(self, seen: Table, rows: Rows) -> Noisy:
        return Noisy(self.mechanism.add_noise(seen, self.laws), self.laws)

    def blank(self) -> Noisy:
        return Noisy(np.zeros((self.measurement.cells.size, len(self.laws)), dtype=object), self.laws)


@dataclass(frozen=True)
class Choice:
    """A rank at which a grid point is chosen."""

    measurement: Ranks
    rate: Fraction
    mechanism_name: str = CHOICE.name
    laws: tuple[Law, ...] = ()

    def measure(self, rows: Rows, earlier: tuple[Noisy, ...] = ()) -> list[Ladder]:
        return rows.ladders(self.measurement, CHOICE.depth(self.measurement, self.rate))

    def add_noise(self, seen: list[Ladder], rows: Rows) -> Noisy:
        chosen = [CHOICE.choose(self.measurement, self.rate, near, self._all(rows, at)) for at, near in enumerate(seen)]
        return Noisy(np.array(chosen, dtype=np.int64).reshape(-1, 1))

    def blank(self) -> Noisy:
        return Noisy(np.zeros((self.measurement.cells.size, 1), dtype=object))

    def _all(self, rows: Rows, place: int) -> Callable[[], Ladder]:
        return lambda: rows.ladders(self.measurement, EVERY_RANK)[place]


@dataclass(frozen=True)
class EndOfRange:
    """One of a few public numbers is chosen."""

    measurement: Candidates
    rate: Fraction
    mechanism_name: str = CHOICE.name
    laws: tuple[Law, ...] = ()

    def measure(self, rows: Rows, earlier: tuple[Noisy, ...] = ()) -> Table:
        return rows.fold(self.measurement.counts)

    def add_noise(self, seen: Table, rows: Rows) -> Noisy:
        return Noisy(np.array([[CHOICE.pick(self.measurement, self.rate, seen)]], dtype=np.int64))

    def blank(self) -> Noisy:
        return Noisy(np.zeros((1, 1), dtype=object))


@dataclass(frozen=True)
class Winner:
    """One of several candidates is chosen by the total of its column."""

    measurement: Contest
    rate: Fraction
    how: Picks
    laws: tuple[Law, ...] = ()

    @property
    def mechanism_name(self) -> str:
        return self.how.name

    def measure(self, rows: Rows, earlier: tuple[Noisy, ...] = ()) -> list[int]:
        return [int(rows.fold(total)[0, 0]) for total in self.measurement.totals]

    def add_noise(self, seen: list[int], rows: Rows) -> Noisy:
        return Noisy(np.array([[self.how.pick(seen, self.rate)]], dtype=np.int64))

    def blank(self) -> Noisy:
        return Noisy(np.zeros((1, 1), dtype=object))


@dataclass(frozen=True)
class Value:
    """A value of given rank, with noise as wide as its smooth sensitivity asks for: there is no law to publish."""

    measurement: Ranks
    mechanism: Smooth
    laws: tuple[Law, ...] = ()

    @property
    def mechanism_name(self) -> str:
        return f"smooth {self.mechanism.name}"

    def measure(self, rows: Rows, earlier: tuple[Noisy, ...] = ()) -> list[Ladder]:
        return rows.ladders(self.measurement, self.mechanism.depth(self.measurement))

    def add_noise(self, seen: list[Ladder], rows: Rows) -> Noisy:
        drawn = [self.mechanism.draw(self.measurement, ladder) for ladder in seen]
        return Noisy(np.array(drawn, dtype=np.int64).reshape(-1, 1))

    def blank(self) -> Noisy:
        return Noisy(np.zeros((self.measurement.cells.size, 1), dtype=object))
