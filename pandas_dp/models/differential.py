"""Differential privacy: between any two neighbours over the declared domain."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from ..neighbours import Moves
from ..tally import Norm, Tally


@dataclass(frozen=True)
class Differential:
    """Whatever one person's values and the others' are, the distribution of the answers hardly changes."""

    name: ClassVar[str] = "dp"
    scale_is_public: ClassVar[bool] = True

    def reach(self, tally: Tally, norm: Norm, moves: Moves) -> Fraction:
        return tally.reach(norm, moves)
