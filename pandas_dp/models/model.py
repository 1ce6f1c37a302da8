"""What a promise has to say for the corridor to keep it."""

from __future__ import annotations

from fractions import Fraction
from typing import Protocol

from ..neighbours import Moves
from ..tally import Norm, Tally


class Model(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def scale_is_public(self) -> bool:
        """Whether the reach follows from public facts; where it does not, labels and messages leave the noise out."""

    def reach(self, tally: Tally, norm: Norm, moves: Moves) -> Fraction: ...
