"""Differential privacy: between any two neighbours over the declared domain."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Any, ClassVar

from .budget.cost import Cost
from .evidence.evidence import Evidence
from .measure.cells import Norm
from .measure.measurement import Measurement, Noisy
from .measure.statistic import Estimator
from .neighbours import Adjacency, PublicFacts, Relation

NONE: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True)
class Option:
    """A keyword that some promises take and the others refuse.

    `read` makes of what was typed the value of the promise's field of that name, and refuses what it cannot be. Where
    it is not the usual value, the label has it and the guarantee says it in the words of `said`, or of `moves` in place
    of who is hidden. Of a table of rows both say only that there was one.
    """

    name: str
    usual: Any = None
    read: Callable[[Any], Any] = lambda given: given
    said: str = ""
    adjacency: str = ""
    is_rows: bool = False

    def differs(self, value: Any) -> bool:
        return value is not None and (self.is_rows or value != self.usual)


class Promise(ABC):
    """What is promised to the hidden person. Its options are its fields: a promise with its options is a value.

    A subclass with a name is known by that name as soon as its module is imported, and every module of this folder is.
    """

    name: ClassVar[str]
    weaker_than: ClassVar[str] = "dp"  # the next stronger one, which also hides what this one hides
    known: ClassVar[dict[str, type[Promise]]] = {}
    without_bounds: ClassVar[str | None] = None  # of what it needs no bounds where values have known steps, in words
    scale_is_public: ClassVar[bool]  # where it is not, labels and messages leave the noise out
    title: ClassVar[str]  # of one release
    keeps: ClassVar[str]  # what all releases of a session keep
    together: ClassVar[str] = ""  # and those of this promise with those of stronger ones that are not dp
    relations: ClassVar[tuple[Relation, ...]] = tuple(Relation)  # between neighbours
    options: ClassVar[tuple[Option, ...]] = ()
    carried: ClassVar[tuple[Option, ...]] = ()  # what only such promises offer, carried by the statistic
    asked: ClassVar[str | None] = None  # where its scale is private, by words: what it asks, its steps
    stepped: ClassVar[str]
    besides: ClassVar[Mapping[str, Mapping[str, str]]] = NONE  # further ways to ask under it that a custodian compares

    def __init_subclass__(cls) -> None:
        if "name" in cls.__dict__:
            Promise.known[cls.name] = cls

    @classmethod
    def stronger(cls) -> int:
        """How many promises stand before it, from the strongest on."""
        return 0 if cls.name == "dp" else 1 + Promise.known[cls.weaker_than].stronger()

    @abstractmethod
    def conclude(self, statistic: Estimator, answers: tuple[Noisy, ...], public: PublicFacts) -> Evidence:
        """What a statistic receives: the noisy answers of the steps that were made for it."""

    def check(self, cost: Cost, mechanism: str) -> None:  # noqa: B027  # most can do everything
        """Refuse what this promise cannot do; from the arguments alone."""

    def takes(self, option: str) -> bool:
        return any(option == each.name for each in (*self.options, *self.carried))

    @property
    def rows(self) -> Any:
        """A table that was given beside the data; None without one."""
        return next((getattr(self, each.name) for each in self.options if each.is_rows), None)

    def to_json(self) -> dict[str, Any]:
        """The options that are not the usual ones, as labels have them."""
        given = [(each, getattr(self, each.name)) for each in self.options]
        return {each.name: True if each.is_rows else value for each, value in given if each.differs(value)}

    def adjacency(self, options: Mapping[str, Any], neighbours: str = "replace") -> str | None:
        """Who is hidden, where an option of a label changes that."""
        how = {"replace": "replaced", "add_remove": "added or removed"}[neighbours]
        changing = [each for each in self.options if each.adjacency and each.name in options]
        found = [each.adjacency.format(options[each.name], how=how) for each in changing]
        return found[0] if found else None

    def said(self, options: Mapping[str, Any]) -> list[str]:
        """What a guarantee says of the options of a label."""
        words = {each.name: each.said for each in (*self.options, *self.carried)}
        return [words[name].format(value) for name, value in options.items() if words.get(name)]


@dataclass(frozen=True)
class Differential(Promise):
    """Whatever one person's values and the others' are, the distribution of the answers hardly changes."""

    name: ClassVar[str] = "dp"
    scale_is_public: ClassVar[bool] = True
    title: ClassVar[str] = "differentially private"
    keeps: ClassVar[str] = "differential privacy"
    asked: ClassVar[str | None] = None  # where its scale is private, by words: what it asks, its steps
    stepped: ClassVar[str]
    besides: ClassVar[Mapping[str, Mapping[str, str]]] = {"dp (smooth)": {"mechanism": "smooth"}}

    def sensitivity(self, measurement: Measurement, norm: Norm, adjacency: Adjacency) -> Fraction:
        """How far neighbours are apart; a promise with another public scale has another sensitivity."""
        return measurement.sensitivity(norm, adjacency)

    def conclude(self, statistic: Estimator, answers: tuple[Noisy, ...], public: PublicFacts) -> Evidence:
        return statistic.conclude(answers, public)
