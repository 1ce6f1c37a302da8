"""Individual DP: between the actual data and each of their neighbours over the declared domain.

The noise is calibrated to how far neighbours of *these* data move the statistic. That is much weaker than it sounds:
the scale is a function of the data, and neighbours are answered on scales of their own. See docs/proofs/individual.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np

from ...cost import Cost, Pure
from ...dataclass import dataclass
from ...domain.naming import called
from ...errors import CostNotOffered, NoBounds, UnknownMechanism
from ...evidence.unsaid import By
from ...neighbours import Relation, Setting
from ...reading import whole_number
from ...statistics import Estimator, Margins, Mean, Sum
from ...tally import Norm
from ..promise import Option
from ..weaker import NTH, Asked, Column, Facts, Final, Surroundings, Weaker
from ..weaker.finals import Measured, nullable
from ..weaker.ordered import Ordered, RankDistance
from .local import extremes

MOST_TOGETHER = 100  # rows in a group; the scale of a larger one would take long to find


def read_group(group: Any) -> int:
    return whole_number("group", group, 1, MOST_TOGETHER)


GROUP = Option("group", 1, read_group, moves="{} rows {how} together")
TRUNCATED = Option("truncated", False, said="TRUNCATED to within one of the truth, which gives rows away")


@dataclass(frozen=True)
class Individual(Weaker):
    """Weaker than differential privacy: nobody in these data is given away more than epsilon says, if the scale of the
    noise were the same on all neighbours; it is not."""

    group: int = 1  # rows that are hidden together
    name: ClassVar[str] = "idp"
    title: ClassVar[str] = "individual DP, which is weaker than DP"
    keeps: ClassVar[str] = "individual DP, which is weaker"
    without_bounds: ClassVar[str] = " for quantiles"
    together: ClassVar[str] = "hides a row of these very data, if the scale of the noise is not counted"
    options: ClassVar[tuple[Option, ...]] = (GROUP, *Weaker.options)
    carried: ClassVar[tuple[Option, ...]] = (NTH, TRUNCATED)
    relations: ClassVar[tuple[Relation, ...]] = tuple(Relation)

    @property
    def hidden(self) -> int:
        return self.group

    def check(self, cost: Cost, mechanism: str) -> None:
        if mechanism not in ("auto", "laplace"):
            raise UnknownMechanism(
                f"mechanism {mechanism!r} is not offered under 'idp', which adds Laplace noise; leave it out.",
                mechanism=mechanism,
            )
        if not isinstance(cost, Pure):
            raise CostNotOffered(
                f"model 'idp' adds Laplace noise and cannot spend {cost}; give epsilon= alone.", cost=str(cost)
            )

    def least_of(self, statistic: Estimator, setting: Setting) -> tuple[float | None, By | None]:
        """A row may become the farther end of the range: sums and means move by half of it, whatever the rows are."""
        inner = statistic.inner if isinstance(statistic, Margins) else statistic
        if isinstance(inner, Mean) and not setting.moves.swap:  # a row that comes moves it by a little less
            return super().least_of(statistic, setting)
        if not isinstance(inner, Sum | Mean) or inner.variable.interval.kind not in ("float", "integer"):
            return super().least_of(statistic, setting)
        grid = inner.variable.grid
        return float(grid.upper - grid.lower) / 2, "range"

    def asks(self, final: Final, setting: Setting, mechanism: str) -> tuple[Asked, ...]:
        if isinstance(final, Measured) and final.variable.interval.unbounded:
            self._check_inner(final, setting)
        return ((final, None),)

    def _check_inner(self, final: Measured, setting: Setting) -> None:
        """Without bounds only values of ranks that no end of the range can reach, whatever rows are replaced: so it is
        known how many there are."""
        column = final.variable.column
        if not isinstance(final, Ordered | RankDistance):
            raise NoBounds(
                f"{called(column)} has no declared bounds. Under 'idp' a row may become any value, so the noise of "
                "what is added up is as wide as they are; pass bounds=, or ask with model='bdp', which needs none.",
                column=column,
                missing="both",
            )
        size = setting.size if setting.counts_public(final.cells, final.variables) else None
        ends = final.ends if isinstance(final, RankDistance) else (final,)
        if size is None or not all(end.is_inner(size, self.group) for end in ends):
            private = "it is private how many values there are"
            why = private if size is None else f"this one is too near the end of {size:,} values"
            raise NoBounds(
                f"{called(column)} has no declared bounds. Under 'idp' only quantiles of a public number of values, "
                f"with others on either side, need none, and here {why}; pass bounds=, or ask with model='bdp'.",
                column=column,
                missing="both",
            )

    def reaches(self, final: Final, facts: Facts, around: Surroundings, norm: Norm) -> Column:
        """The reach of each cell; people that leave or enter it bring a share each: see the proof, theorem 1."""
        group, crossing, swap = self.group, final.cells.size > 1, around.setting.moves.swap
        absent = around.setting.moves.vanish or bool(final.cells.keys) or nullable(final.variables)
        now, found = final.numbers(facts), np.zeros_like(facts.rows)
        changes = _changes(group, group if crossing else min(group, facts.rows[0]), absent, crossing)
        for out, into in changes if swap else _comings_and_goings(group):
            least, greatest = extremes(final, facts, out, into)
            moved = np.maximum(greatest - now, now - least)
            if crossing:
                moved = -(-moved * (2 if swap else 1) * group // (out + into))
            found = np.where(facts.rows >= out, np.maximum(found, moved), found)
        return found


def _changes(group: int, most: int, absent: bool, crossing: bool) -> Iterator[tuple[int, int]]:
    """How many rows may leave a cell, `most` at most, and how many may enter it; in one cell only those changes that do
    not come of another when a row is replaced by its like."""
    for out in range(most + 1):
        for into in range(group + 1) if absent else (out,):
            if (out or into) and (crossing or out == most or (absent and into == group)):
                yield out, into


def _comings_and_goings(group: int) -> Iterator[tuple[int, int]]:
    """The same where no row is replaced: so many come or go in all."""
    for out in range(group + 1):
        for into in range(group + 1 - out):
            if out or into:
                yield out, into
