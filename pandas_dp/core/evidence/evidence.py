"""What every kind of evidence can be asked, and the answers of those that say nothing else."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from math import inf
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from ...dataclass import dataclass
from ...errors import NotConcluded
from ..arrays import Array, Floats
from .codec import Json, facts_of, from_facts
from .maps import Factors, Linear
from .noise import Noise

INTERVALS = frozenset({"confint"})
COMPARED = frozenset({"contrast", "test", "equivalence_test"})
OF_SHARES = frozenset({"risk_difference", "relative_risk", "trend_test"})
OF_GROUPS = frozenset({"anova_test"})
TESTED = frozenset({"independence_test", "log_linear_test", "goodness_of_fit", "cramers_v", "odds_ratio"})
TESTED |= frozenset({"logit", "multinomial", "poisson"})
TESTED |= OF_SHARES | {"mcnemar_test"}
ADJUSTED = frozenset({"shares", "nonnegative", "round_to", "suppress"})
REPLICATED = frozenset({"replicates"})
PARTED = frozenset({"margin"})
CALIBRATED = frozenset({"calibrate"})
LEARNED = frozenset({"naive_bayes", "rules"})
SYNTHETIC = frozenset({"synthesize"})
WHOLE = TESTED | OF_GROUPS | ADJUSTED | CALIBRATED | LEARNED | SYNTHETIC  # of one statistic alone
CONCLUDED = INTERVALS | COMPARED | REPLICATED | PARTED | WHOLE  # of any kind


@dataclass(frozen=True)
class OwnCells:
    """Counts each with noise of its own, and which rows and columns of the table they are."""

    values: Array
    noise: Noise
    down: slice
    across: slice
    possible: Array | None = None  # where some cells cannot be


@dataclass(frozen=True)
class Errors:
    """Of several numbers together: noise, independent and of one law, and the variances that sampling gives to what is
    made of them, told from so many degrees of freedom."""

    noise: Noise
    sampling: Callable[[Linear], Floats]
    freedom: float = inf

    @classmethod
    def of(cls, noise: Noise, own: Floats, shared: Floats) -> Errors:
        """Where the covariance of the sample is diag(own) - shared·sharedᵀ."""
        return cls(noise, lambda by: by.squares(own) - by.sums(shared) ** 2)

    def mapped(self, by: Any) -> tuple[Floats, Floats]:
        """The variances of a linear map of the numbers: that of the noise, and that of the sample."""
        noise = self.noise.var * (by**2).sum(axis=1)
        return noise, np.maximum(self.sampling(Factors(by)), 0.0)


class Evidence(ABC):
    """What one statistic of one column released, a number for each cell, and how far the numbers may be off.

    A kind of evidence is a frozen dataclass in a file of its own, named in `evidence.KINDS`. It gives its estimate and
    intervals; everything else has an answer here, on the safe side.
    """

    kind: ClassVar[str]  # its word in labels, which never changes

    if TYPE_CHECKING:  # fields of some kinds, properties of others

        @property
        def statistic(self) -> str: ...

    @property
    def default_target(self) -> str:
        """Whom an interval is about by default: the population the rows come from, or the rows in the data."""
        return "sample"

    @property
    @abstractmethod
    def estimate(self) -> Array: ...

    @abstractmethod
    def interval(self, level: float, target: str) -> tuple[Array, Array]: ...

    def std_error(self, target: str) -> Floats | None:
        """None where nothing is said of it."""
        return None

    @property
    def clamp(self) -> tuple[float, float] | None:
        """Between which ends values were brought before they counted, where its numbers are of such."""
        return None

    @property
    def estimand(self) -> str | None:
        """What its numbers estimate, in words, where the name of the statistic does not say it."""
        return None

    @property
    def measure(self) -> str | None:
        """What was measured of tables, where it is not tables."""
        return None

    @property
    def has_intervals(self) -> bool:
        return True

    @property
    def offers(self) -> frozenset[str]:
        """The conclusions that may be drawn of it, by the names that users type; all others are refused.

        What only this kind offers is in an accessor of its own, see `core.door.accessors`.
        """
        return INTERVALS | COMPARED if self.has_intervals else frozenset()

    def measures(self, level: float, target: str) -> dict[str, Array]:
        """What a table shows of it, the estimate first."""
        if not self.has_intervals:
            return {self.statistic: self.estimate}
        low, high = self.interval(level, target)
        error = self.std_error(target)
        errors = {} if error is None else {"std_error": error}
        return {self.statistic: self.estimate, **errors, "lower": low, "upper": high}

    @property
    def lower(self) -> Any:
        """No true value lies below."""
        return -np.inf

    @property
    def upper(self) -> Any:
        """Nor above."""
        return np.inf

    @property
    def apart(self) -> bool:
        """Whether each number has noise of its own, independent of its neighbours'."""
        return False

    @property
    def noisy(self) -> int:
        """How many numbers have an interval that can miss."""
        return len(self.estimate)

    def own_noise(self, target: str) -> tuple[Noise, ...] | None:
        """What a number is off by, where that is noise of a known law and nothing else; none where it is exact."""
        return None

    def cells(self, number: int) -> frozenset[int]:
        """Which cells with noise of their own a number adds up."""
        return frozenset({number})

    def half_width(self, level: float) -> float | None:
        """How far the noise may move the estimate, where that follows from public facts alone; else None."""
        return None

    def unsaid_because(self) -> str | None:
        """Why nothing may be concluded of how far it is off; None where it may."""
        return None

    def own_cells(self) -> OwnCells | None:
        """The counts that a test of a table starts from; None where it holds none, refused where they do not do."""
        return None

    def errors(self) -> Errors | None:
        """Those of its numbers together, where each has noise of its own and they add up; None elsewhere."""
        return None

    def not_adjusted_because(self) -> str | None:
        """Why its numbers, even if they are counts, cannot be adjusted; None where they can."""
        return None

    @property
    def is_stack(self) -> bool:
        """Whether it is several tables, one below the other."""
        return False

    @property
    def has_totals(self) -> tuple[bool, bool]:
        """Whether its table ends in a row of totals, and in a column of them."""
        return False, False

    def pooled(self, others: Sequence[Any]) -> Evidence:
        """The best average of several measurements of the same numbers with independent noise."""
        raise NotConcluded(
            f"releases of the {self.statistic} are not combined; ask once with the whole cost.",
            statistic=self.statistic,
        )

    def replicates(self, rng: np.random.Generator) -> Array:
        """A row for each replicate that was released, or that is drawn from what was."""
        raise NotConcluded("this release has no replicates; ask the question with bootstrap=.")

    @property
    def told(self) -> Json:
        """What follows from its fields, and a reader of the label may want all the same."""
        return {}

    def to_json(self) -> Json:
        """What a label holds beside a table that shows its estimates."""
        return {"kind": self.kind, **facts_of(self, True), **self.told}

    def alone_to_json(self) -> Json:
        """All that it holds, where no table shows its estimates."""
        return {"kind": self.kind, **facts_of(self, False)}

    @classmethod
    def from_json(cls, facts: Mapping[str, Any], values: Array | None = None) -> Self:
        """Read what either of these wrote; `values` are the estimates as a table shows them."""
        read: Self = from_facts(cls, facts, values)
        return read

    @classmethod
    def reads(cls, facts: Any) -> bool:
        """Whether this kind wrote it."""
        return isinstance(facts, Mapping) and facts.get("kind") == cls.kind


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
