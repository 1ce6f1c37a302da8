"""Individual DP: between the data at hand and each of its neighbours over the declared domain.

The noise is calibrated to how far neighbours of *these* data move the statistic. That is much weaker than it sounds:
the scale is a function of the data, and neighbours are answered on scales of their own. See docs/proofs/individual.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from ..cost import Cost, Pure
from ..errors import CostNotOffered, UnknownMechanism, UnsupportedArgument
from ..neighbours import Setting
from ..tally import Facts, Final, Norm, RankDistance, Variance
from ..tally.finals import nullable
from .local import extremes
from .model import Asked, Options, Surroundings


@dataclass(frozen=True)
class Individual:
    """Weaker than differential privacy: nobody in these data is given away more than epsilon says, if the scale of the
    noise were the same on all neighbours; it is not."""

    name: ClassVar[str] = "idp"
    scale_is_public: ClassVar[bool] = False

    def check(self, cost: Cost, mechanism: str, options: Options) -> None:
        if mechanism not in ("auto", "laplace"):
            raise UnknownMechanism(
                f"mechanism {mechanism!r} is not offered under 'idp', which adds Laplace noise; leave it out.",
                mechanism=mechanism,
            )
        if not isinstance(cost, Pure):
            raise CostNotOffered(
                f"model 'idp' adds Laplace noise and cannot spend {cost}; give epsilon= alone.", cost=str(cost)
            )
        for name in ("cells", "method", "population"):
            if name in options.to_json():
                raise UnsupportedArgument(f"{name}= is for model='bdp', not 'idp'; leave it out.", argument=name)

    def asks(self, final: Final, setting: Setting, mechanism: str, options: Options) -> tuple[Asked, ...]:
        if options.group > 1 and isinstance(final, Variance | RankDistance):
            raise UnsupportedArgument(
                "group= is offered for counts, sums, means and quantiles, not for var, std and iqr; leave it out.",
                argument="group",
            )
        return ((final, None),)

    def reaches(self, final: Final, cells: Sequence[Facts], around: Surroundings, norm: Norm) -> list[int | Fraction]:
        """Of people that leave or enter a cell, each brings its share of the loss; see the proof, theorem 1."""
        group, crossing = around.options.group, final.cells.size > 1
        absent = around.setting.moves.vanish or bool(final.cells.keys) or nullable(final.variables)

        def reach(facts: Facts) -> int | Fraction:
            now = final.number(facts)
            found: list[int | Fraction] = [0]
            for out, into in _changes(group, facts.rows, absent):
                least, greatest = extremes(final, facts, out, into)
                moved = max(greatest - now, now - least)
                found.append(Fraction(moved * 2 * group, out + into) if crossing else moved)
            return max(found)

        return [reach(facts) for facts in cells]


def _changes(group: int, rows: int, absent: bool) -> Iterator[tuple[int, int]]:
    """How many rows may leave a cell, and how many may enter it."""
    for out in range(min(group, rows) + 1):
        for into in range(group + 1) if absent else (out,):
            if out or into:
                yield out, into
