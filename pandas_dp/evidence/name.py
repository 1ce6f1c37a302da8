"""A name that was chosen among public ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, NoReturn

from ..dataclass import dataclass
from ..errors import NotConcluded
from .base import Array, Evidence
from .codec import Seen


@dataclass(frozen=True)
class Name(Evidence):
    """The candidate that was chosen, and among which: no number, so nothing is said of how far off one may be."""

    statistic: str
    values: Seen
    among: tuple[str, ...]
    kind: ClassVar[str] = "name"
    has_intervals: ClassVar[bool] = False
    noisy: ClassVar[int] = 0

    @property
    def estimate(self) -> Array:
        return self.values

    def unsaid_because(self) -> str:
        return (
            f"what {self.statistic} released is a name, and no number, so it has no interval; ask for the total of the "
            "column that it stands for."
        )

    def interval(self, level: float, target: str) -> NoReturn:
        raise NotConcluded(self.unsaid_because(), statistic=self.statistic)

    def not_adjusted_because(self) -> str:
        return f"what {self.statistic} released is a name, and no number, so there is nothing to adjust."

    def pooled(self, others: Sequence[Evidence]) -> NoReturn:
        raise NotConcluded(
            f"names are not averaged; ask for {self.statistic} once with the whole cost.", statistic=self.statistic
        )
