"""What every kind of evidence can be asked, and the answers of those that say nothing else."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, is_dataclass, replace
from functools import cache, lru_cache
from math import inf, isfinite, isinf
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self, Union, get_args, get_origin, get_type_hints

import numpy as np

from ...errors import NotConcluded
from ..arrays import Array, Floats
from ..lazy_import import modules_of, named
from .noise import Factors, Linear, Noise, Noises
from .populations import counts_of_population

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

    A kind of evidence is a frozen dataclass in a file `evidence*` of its subject, and known by its word. It gives its
    estimate and intervals; everything else has an answer here, on the safe side.
    """

    kind: ClassVar[str]  # its word in labels, which never changes
    not_combined: ClassVar[str] = "releases of the {} are not combined; ask once with the whole cost."
    known: ClassVar[dict[str, type[Evidence]]] = {}
    accessor: ClassVar[str] = "core.door.released:ReleaseAccessor"  # of a release that holds this kind alone

    def __init_subclass__(cls) -> None:
        if "kind" in cls.__dict__:
            Evidence.known[cls.kind] = cls

    if TYPE_CHECKING:  # fields of some kinds, properties of others

        @property
        def statistic(self) -> str: ...

        @property
        def values(self) -> Array: ...

    @property
    def default_target(self) -> str:
        """Whom an interval is about by default: the population the rows come from, or the rows in the data."""
        return "sample"

    @property
    def estimate(self) -> Array:
        """What it holds as `values`, unless its kind says otherwise."""
        return self.values

    @abstractmethod
    def interval(self, level: float, target: str) -> tuple[Array, Array]: ...

    def std_error(self, target: str) -> Floats | None:
        """None where nothing is said of it."""
        return None

    def of_population(self, level: float, rows: float) -> tuple[Array, Array]:
        """The interval for the population that the rows were drawn from; `rows` is how many, infinite where private."""
        return self.interval(level, "population")

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

        What only this kind offers is in an accessor of its own, named by `accessor`.
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
    def limits(self) -> tuple[Any, Any]:
        """Below and above which no true value lies."""
        return -np.inf, np.inf

    @property
    def lower(self) -> Any:
        return self.limits[0]

    @property
    def upper(self) -> Any:
        return self.limits[1]

    def clipped(self, low: Any, high: Any) -> tuple[Array, Array]:
        """Ends of intervals, within these limits."""
        return np.clip(low, self.lower, self.upper), np.clip(high, self.lower, self.upper)

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

    @property
    def as_means(self) -> Any | None:
        """Itself, where its numbers are means whose intervals are told from `sums` and `ends`; None elsewhere."""
        return None

    @property
    def divides_by_noise(self) -> bool:
        """Whether its numbers are means that were divided by a noisy count."""
        return False

    @property
    def errors_add_up(self) -> bool:
        """Whether the same people may be behind several of its numbers, of any release."""
        return False

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
        raise NotConcluded(self.not_combined.format(self.statistic), statistic=self.statistic)

    def replicates(self, rng: np.random.Generator) -> Array:
        """A row for each replicate that was released, or that is drawn from what was."""
        raise NotConcluded("this release has no replicates; ask the question with bootstrap=.")

    @property
    def follows(self) -> Json:
        """What follows from its fields, and a reader of the label may want all the same."""
        return {}

    def to_json(self) -> Json:
        """What a label holds beside a table that shows its estimates."""
        return {"kind": self.kind, **facts_of(self, True), **self.follows}

    def alone_to_json(self) -> Json:
        """All that it holds, where no table shows its estimates."""
        return {"kind": self.kind, **facts_of(self, False)}

    @classmethod
    def concluded_by(cls, facts: Mapping[str, Any]) -> str:
        """What offers its conclusions, as `core.lazy_import` names it; nothing that a label says is trusted here."""
        return cls.accessor

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
    """Refuses what would take the noise of each number for its own, or the rows of one person for independent."""

    if TYPE_CHECKING:  # a field of some

        @property
        def independent(self) -> Independent: ...
    else:
        independent = "rows"

    not_combined: ClassVar[str] = (
        "tables with planned margins or structural zeros are not combined; combine tables without."
    )

    def check_target(self, target: str) -> None:
        if self.default_target == "sample" and target != "sample":
            raise NotConcluded(
                f"a {self.statistic} describes the rows in the data; its interval is for target='sample'.",
                statistic=self.statistic,
            )

    def noise_of_each(self) -> Noises | None:
        """The noise of each number; None where it is not known of all."""
        return None

    def of_population(self, level: float, rows: float) -> tuple[Floats, Floats]:
        """Of counts of rows that were drawn one by one, alike; those that cannot be are none of the population."""
        each = self.noise_of_each() if self.statistic == "count" and self.independent == "rows" else None
        if each is None or any(noise.depends for noise in each.noises):
            return self.interval(level, "population")
        found = np.zeros((2, len(each.which)))
        for at, noise in enumerate(each.noises):
            here = each.which == at
            found[:, here] = counts_of_population(np.asarray(self.estimate)[here], noise, level, rows)
        return found[0], found[1]

    def nearest(self, most: float) -> Self:
        """The same with each number moved to the nearest that there can be, none to `most`: no farther from the true
        one, where the noise does not depend on it."""
        possible: Self = replace(self, values=np.clip(self.values, 0, most))  # type: ignore[type-var]
        each = possible.noise_of_each()
        return self if each is None or any(noise.depends for noise in each.noises) else possible

    def own_noise(self, target: str) -> tuple[Noise, ...]:
        self.check_target(target)
        raise NotConcluded(
            "numbers of tables with planned margins or structural zeros share noise, which contrasts and tests do not "
            "model; take their intervals, or ask for the table without.",
            statistic=self.statistic,
        )

    def check_rows_apart(self) -> None:
        if self.independent == "people":
            raise NotConcluded(
                "rows of one person hang together, so this test would reject too often; ask for a table of people, one "
                "row each: people = table.groupby(unit).first(), then people.dp.crosstab(...).",
                statistic=self.statistic,
            )

    def no_intervals(self) -> NotConcluded:
        return NotConcluded(
            "a table so large over several levels of a key has no intervals of its own; ask with consistent=False, "
            "where each number has its own noise.",
            statistic=self.statistic,
        )


Json = dict[str, Any]
SEEN = "in the table"
Seen = Annotated[np.ndarray[Any, Any], SEEN]
"""The value of a field that a label leaves out, as the table shows it."""
USUAL = "where it is not as usual"
Independent = Annotated[Literal["rows", "people"], USUAL]
"""What was sampled one by one. Where it is people, some of whom may have several rows, a label says so."""


def facts_of(value: Any, beside_a_table: bool) -> Json:
    """Its fields as JSON; those that the table shows, where there is one, stay out, and so does what is as usual."""
    facts: Json = {}
    for name, default, usual in _written(value.__class__, beside_a_table):
        held = getattr(value, name)
        if usual and held == default:
            continue
        unsaid = isinstance(held, float) and isinf(held) and held == default  # no end at all, by default, is null
        facts[name] = held if held is None or isinstance(held, str | int) else None if unsaid else as_json(held)
    return facts


@lru_cache(maxsize=128)
def _written(cls: Any, beside_a_table: bool) -> tuple[tuple[str, Any, bool], ...]:
    """The fields that are written, with their defaults, and whether these are left out."""
    hints = _hints(cls)
    kept = [each for each in fields(cls) if not (beside_a_table and _says(hints[each.name], SEEN))]
    return tuple((each.name, each.default, _says(hints[each.name], USUAL)) for each in kept)


def as_json(value: Any) -> Any:
    """What is not finite, which JSON does not have, is text."""
    if isinstance(value, np.ndarray):
        plain = value.dtype.kind in "iub" or (value.dtype.kind == "f" and np.isfinite(value).all())
        return value.tolist() if plain else as_json(value.tolist())
    if isinstance(value, tuple | list):
        return [as_json(each) for each in value]
    if isinstance(value, np.generic):
        return as_json(value.item())
    if isinstance(value, float):
        return value if isfinite(value) else str(value)
    written = getattr(value, "alone_to_json", None) or getattr(value, "to_json", None)
    if written is not None:
        return written()
    return facts_of(value, False) if is_dataclass(value) else value


def from_facts(cls: Any, facts: Mapping[str, Any], values: Any = None) -> Any:
    """The value with these fields; what a table shows is taken from there, where there is one."""
    hints, read = _hints(cls), {}
    for each in fields(cls):
        if values is not None and _says(hints[each.name], SEEN):
            read[each.name] = values
        elif facts.get(each.name) is not None or each.default is MISSING:
            read[each.name] = as_value(hints[each.name], facts[each.name])
    return cls(**read)


def as_value(hint: Any, fact: Any) -> Any:
    """What a field of this type was written as."""
    hint = spelled_out(get_args(hint)[0] if get_origin(hint) is Annotated else hint)
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        kinds = [each for each in arguments if each is not NoneType]
        return None if fact is None else as_value(_meant(kinds, fact), fact)
    if origin is np.ndarray:
        return np.array(fact, dtype=_dtype(arguments))
    if origin is tuple:
        each = arguments[:1] * len(fact) if arguments[1:] == (...,) else arguments
        return tuple(as_value(one, part) for one, part in zip(each, fact, strict=True))
    if hasattr(hint, "from_json"):
        return hint.from_json(fact)
    if is_dataclass(hint):
        return from_facts(hint, fact)
    return fact if origin is Literal or hint is Any else hint(fact)


def spelled_out(hint: Any) -> Any:
    """What an alias stands for; NumPy's `NDArray` is one by itself from version 2.5 on."""
    stands_for, arguments = getattr(get_origin(hint) or hint, "__value__", None), get_args(hint)
    if stands_for is None:
        return hint
    return stands_for[arguments] if arguments else stands_for


@lru_cache(maxsize=64)
def _hints(cls: Any) -> dict[str, Any]:
    return get_type_hints(cls, include_extras=True)


def _says(hint: Any, word: str) -> bool:
    return get_origin(hint) is Annotated and word in get_args(hint)


def _meant(kinds: list[Any], fact: Any) -> Any:
    """The one of several types that says that it reads this."""
    return next((each for each in kinds if getattr(each, "reads", lambda _: False)(fact)), kinds[0])


def _dtype(arguments: tuple[Any, ...]) -> Any:
    number = get_args(arguments[1])
    return number[0] if number and isinstance(number[0], type) and issubclass(number[0], np.generic) else None


def evidence_from_json(facts: Mapping[str, Any], values: np.ndarray[Any, Any]) -> Evidence:
    """Read what `to_json` wrote; `values` are the estimates as the table shows them."""
    word = facts["kind"]
    kind = kind_of_evidence(word)
    if kind is None:
        raise NotConcluded(
            f"this release holds {word!r}, of which this version of pandas-dp knows nothing; read it with a newer "
            "version."
        )
    return kind.from_json(facts, values)


def kind_of_evidence(word: str) -> type[Evidence] | None:
    """The kind of that word, if this version knows it."""
    return Evidence.known.get(word) or every_kind().get(word)


@cache
def every_kind() -> Mapping[str, type[Evidence]]:
    """By their words, those of all subjects."""
    named("core.evidence.no_interval:Unsaid")
    for _ in modules_of("evidence"):
        pass
    return Evidence.known
