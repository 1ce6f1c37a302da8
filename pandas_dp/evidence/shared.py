"""What numbers have in common that share noise with their neighbours: intervals, and no more than that."""

from __future__ import annotations

from typing import Any

from ..errors import NotConcluded
from .base import Evidence
from .noise import Noise


class SharesNoise(Evidence):
    """Refuses what would take the noise of each number for its own."""

    def check_target(self, target: str) -> None:
        if self.default_target == "sample" and target != "sample":
            raise NotConcluded(
                f"a {self.statistic} describes the rows in the data; its interval is for target='sample'.",
                statistic=self.statistic,
            )

    def own_noise(self, target: str) -> tuple[Noise, ...]:
        self.check_target(target)
        raise NotConcluded(
            "numbers of tables with planned margins or structural zeros share noise, which contrasts and tests do not "
            "model; take their intervals, or ask for the table without.",
            statistic=self.statistic,
        )

    def pooled(self, others: Any) -> Any:
        raise NotConcluded(
            "tables with planned margins or structural zeros are not combined; combine tables without.",
            statistic=self.statistic,
        )

    def no_intervals(self) -> NotConcluded:
        return NotConcluded(
            "a table so large over several levels of a key has no intervals of its own; ask with consistent=False, "
            "where each number has its own noise.",
            statistic=self.statistic,
        )
