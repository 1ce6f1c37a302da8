"""Above threshold: whether counts, asked one after another, are more than a number. Proof: docs/proofs/tools.md."""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

from ..dataclass import dataclass
from ..laws import DiscreteLaplace
from .mechanism import rounded_up

PARTS = 2**20  # in which epsilon is divided


@dataclass(frozen=True)
class AboveThreshold:
    """Noise on the threshold, drawn once, and noise on every count; a `hits`-th yes is the last answer.

    However many counts are asked, whatever they are and whoever chooses them after seeing earlier answers, all answers
    together are epsilon-DP. One person moves a count by one at most; `one_way`: never one up and another down.
    """

    epsilon: Fraction
    hits: int
    one_way: bool
    name: ClassVar[str] = "above-threshold"

    @property
    def share(self) -> Fraction:
        """The part of epsilon that the threshold gets: 1 to (moves·hits)^(2/3), about the best."""
        return Fraction(round(PARTS / (1 + float(self._moves * self.hits) ** (2 / 3))) or 1, PARTS)

    @property
    def threshold(self) -> DiscreteLaplace:
        return DiscreteLaplace(rounded_up(1 / (self.epsilon * self.share)))

    @property
    def question(self) -> DiscreteLaplace:
        return DiscreteLaplace(rounded_up(self._moves * self.hits / (self.epsilon * (1 - self.share))))

    @property
    def spent(self) -> Fraction:
        """What these laws spend, in epsilon."""
        return 1 / self.threshold.scale + self._moves * self.hits / self.question.scale

    @property
    def _moves(self) -> int:
        """How far a count and the threshold move apart, where the answer was yes."""
        return 1 if self.one_way else 2
