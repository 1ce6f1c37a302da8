"""Laws of noise, which are all that anyone may know of it, and ways of adding it. Nothing here draws."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from fractions import Fraction
from math import isqrt
from numbers import Rational
from typing import Any, ClassVar, Protocol, Self

import numpy as np
import numpy.typing as npt

from ...errors import NotConcluded
from ..arrays import Floats, Table
from ..budget.cost import Approximate, Cost
from ..lazy_import import import_all
from ..measure.cells import Norm


def law_from_json(facts: Mapping[str, Any]) -> Law:
    """The law that `to_json` described; entries that are not the law's are left alone.

    Examples
    --------
    >>> law_from_json({"distribution": "discrete laplace", "scale": "7/2"})
    DiscreteLaplace(scale=Fraction(7, 2))
    """
    name = str(facts.get("distribution"))
    if name not in Law.known:
        import_all(__package__)
    if name in Law.known:
        return Law.known[name].from_json(facts)
    raise NotConcluded(
        f"this version of pandas-dp knows no noise called {facts.get('distribution')!r}; read the release with a newer "
        "version."
    )


TABLE = 64.0  # up to this standard deviation sums are taken term by term
FLOAT_ERROR = 1e-11  # a generous bound on the relative error of a tail in float64


class Law(ABC):
    """A symmetric law of whole numbers around zero."""

    distribution: ClassVar[str]
    known: ClassVar[dict[str, type[Law]]] = {}
    words: ClassVar[Mapping[str, str]] = {}  # what fields are called in labels, where that is not their name

    def __init_subclass__(cls) -> None:
        if "distribution" in cls.__dict__:
            Law.known[cls.distribution] = cls

    @property
    def falls(self) -> bool:
        """Whether noise is the less likely the larger it is. All laws but those made from somebody's losses do."""
        return True

    @property
    def log_concave(self) -> bool:
        """Whether the logarithm of its probabilities is concave: they fall, and faster and faster in proportion."""
        return True

    @property
    @abstractmethod
    def variance(self) -> float:
        """The variance of the whole number."""

    @property
    def sd(self) -> float:
        """The standard deviation of the whole number."""
        return math.sqrt(self.variance)

    @abstractmethod
    def pmf(self, k: npt.ArrayLike) -> Any:
        """P(X = k), for one whole number or an array of them."""

    @abstractmethod
    def _upper(self, k: Floats) -> Floats:
        """P(X > k) for k >= 0, with full relative accuracy."""

    @abstractmethod
    def _first(self, tail: Fraction) -> int:
        """The smallest k >= 0 with P(X > k) <= tail, exactly, for 0 < tail <= 1/2."""

    def sf(self, k: npt.ArrayLike) -> Any:
        """P(X > k), accurate also where it is tiny."""
        at = np.asarray(k, dtype=np.float64)
        below = self._upper(np.where(at < 0, -at - 1, at))
        return np.where(at < 0, 1 - below, below)[()]

    def cdf(self, k: npt.ArrayLike) -> Any:
        """P(X <= k), accurate also where it is tiny."""
        return self.sf(-np.asarray(k, dtype=np.float64) - 1)

    def log_moment(self, rates: Floats) -> Floats:
        """At least ln E exp(rate·X) for rates above 0; infinite where no bound is known."""
        return np.full(np.shape(rates), np.inf)

    def quantile(self, p: float | Fraction) -> int:
        """The smallest k with P(X <= k) >= p, exactly.

        Examples
        --------
        >>> from pandas_dp.core.noise.laplace import DiscreteLaplace
        >>> [DiscreteLaplace(Fraction(2)).quantile(p) for p in (0.025, 0.5, 0.975)]
        [-6, 0, 6]
        """
        level = open_unit(p, "p")
        return -self._first(level) if level <= Fraction(1, 2) else self._first(1 - level)

    def half_width(self, confidence: float | Fraction) -> int:
        """The smallest w with P(|X| <= w) >= confidence, exactly.

        Examples
        --------
        >>> from pandas_dp.core.noise.laplace import DiscreteLaplace
        >>> DiscreteLaplace(Fraction(2)).half_width(0.95)
        6
        """
        return self._first((1 - open_unit(confidence, "confidence")) / 2)

    def around(self, values: npt.ArrayLike, level: float) -> tuple[Floats, Floats]:
        """For each released number the ends of an interval that holds the true one with this probability."""
        centre, half = np.asarray(values, dtype=np.float64), self.half_width(level)
        return centre - half, centre + half

    @abstractmethod
    def cf(self, angle: npt.ArrayLike) -> Floats:
        """E cos(angle·X), the characteristic function, from which the laws of weighted sums follow."""

    @classmethod
    def from_json(cls, facts: Mapping[str, Any]) -> Self:
        """The law that `to_json` described."""
        law: Any = cls  # a dataclass of numbers
        written = [(facts[cls.words.get(each.name, each.name)], each.type) for each in fields(law)]
        return cls(*[int(fact) if kind == "int" else Fraction(fact) for fact, kind in written])

    def to_json(self) -> dict[str, str]:
        """The law as plain JSON, every number as exact text, from which `law_from_json` makes it again."""
        law: Any = self
        facts = {"distribution": self.distribution}
        for each in fields(law):
            facts[self.words.get(each.name, each.name)] = str(getattr(self, each.name))
        return facts


def open_unit(p: float | Fraction, name: str) -> Fraction:
    if not 0 < p < 1:
        raise ValueError(f"{name} must lie strictly between 0 and 1, not {p}.")
    return Fraction(p)


def positive(value: Fraction, name: str) -> Fraction:
    if not isinstance(value, Rational) or value <= 0:
        raise ValueError(f"the {name} of a law of noise must be a positive rational, not {value!r}.")
    return Fraction(int(value.numerator), int(value.denominator))


def first_within(exceeds: Callable[[int], bool], guess: int) -> int:
    """The first number from 0 on that does not exceed, looked for as near as floats tell, then twice as far."""
    near = step = 1 + (guess >> 48)
    while guess - step >= 0 and not exceeds(guess - step):
        step *= 2
    low = max(guess - step, -1)
    step = near
    while exceeds(high := guess + step - 1):
        low, step = high, 2 * step
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if exceeds(middle) else (low, middle)
    return high


class AddsNoise(Protocol):
    """Makes noisy whole numbers of exact ones."""

    @property
    def name(self) -> str: ...

    def add_noise(self, exact: Table, laws: tuple[Law, ...]) -> Table: ...


class Additive(ABC):
    """Adds independent whole numbers to exact whole numbers. A frozen value: what it is made with are its fields.

    A subclass with a name is known by that name as soon as its module is imported, and every module of this folder is.
    """

    name: ClassVar[str]
    norm: ClassVar[Norm]  # in which it needs the sensitivity
    most: ClassVar[int | None] = None  # how many numbers it can hide together; None where any
    unasked: ClassVar[type[Cost] | None] = None  # for which kind of cost 'auto' takes it
    known: ClassVar[dict[str, type[Additive]]] = {}

    def __init_subclass__(cls) -> None:
        if "name" in cls.__dict__:
            Additive.known[cls.name] = cls

    @abstractmethod
    def spends(self, cost: Cost) -> bool:
        """Whether it can be calibrated to this kind of cost."""

    def hides(self, numbers: int | None) -> bool:
        """Whether it can hide so many numbers together; None is any."""
        return self.most is None or (numbers is not None and numbers <= self.most)

    def price(self, cost: Cost) -> Cost:
        """What the ledger is charged where this was asked: of epsilon with delta, the rho that they imply."""
        return cost.concentrated() if isinstance(cost, Approximate) else cost

    @abstractmethod
    def law(self, weight: Fraction, sensitivity: Fraction, cost: Cost) -> Law:
        """The noise on a coordinate of this weight that keeps the cost, when the weighted sensitivity is this."""

    @abstractmethod
    def spent(self, laws: tuple[Law, ...], weights: tuple[Fraction, ...], sensitivity: Fraction) -> Fraction:
        """What such noise spends, in epsilon or rho, computed from the laws: the inverse of `law`."""

    def worth(self, laws: Sequence[Law], gaussian: Sequence[Law], cost: Approximate) -> None:
        """Refuse where Gaussian noise of that epsilon and delta is the better choice. Public facts alone."""
        return

    @abstractmethod
    def add_noise(self, exact: Table, laws: tuple[Law, ...]) -> Table:
        """The exact numbers with noise of these laws, a law a column."""


def noisy(exact: Table, laws: tuple[Law, ...], draw: Callable[[Law, int], Table]) -> Table:
    """Exact whole numbers, each with a draw of its own from the law of its column, in Python's own integers."""
    assert len(laws) == exact.shape[1], "each coordinate has noise of its own"
    noise = np.empty(exact.shape, dtype=object)
    for law in dict.fromkeys(laws):  # columns of one law are drawn together
        columns = [place for place, other in enumerate(laws) if other == law]
        noise[:, columns] = draw(law, len(exact) * len(columns)).reshape(len(exact), -1)
    return exact.astype(object) + noise


def rounded_up(scale: Fraction) -> Fraction:
    """A scale with a denominator that samplers handle fast, never smaller."""
    if scale.denominator <= 2**24:
        return scale
    bits = max(0, 64 - scale.numerator.bit_length() + scale.denominator.bit_length())
    return Fraction(-((-scale.numerator << bits) // scale.denominator), 1 << bits)


def root_down(x: Fraction) -> Fraction:
    """The square root, rounded down to thirty binary digits."""
    scale = 1 << max(30, 30 + (x.denominator.bit_length() - x.numerator.bit_length()))
    return Fraction(isqrt(x.numerator * scale**2 // x.denominator), scale)


GREATEST = 2**63 - 1  # released whole numbers are clipped here, so that their type is int64 whatever the noise


def whole_numbers(table: Table) -> Table:
    """Noisy integers as int64."""
    return np.clip(table, -GREATEST, GREATEST).astype(np.int64)
