"""Numbers as they were meant, exactly: the float 0.1 is 1/10, and 0.1 + 0.2 is 3/10.

A float is read to twelve significant digits. What is read is what noise is calibrated to and what is charged.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import Context, Decimal
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import BadCost
from .conversion import float_up, largest_rho, randomised_response, smallest_epsilon, with_infinity

TWELVE = Context(prec=12)  # significant digits of a float; decimals, fractions and whole numbers are taken as they are
SMALLEST, LARGEST = Fraction(1, 10**100), Fraction(10**100)  # squares and parts still fit into floats


def exact(value: object, name: str = "epsilon") -> Fraction:
    """The positive number that was meant, exactly: the float 0.1 is 1/10.

    Examples
    --------
    >>> exact(0.1 + 0.2), exact(3)
    (Fraction(3, 10), Fraction(3, 1))
    """
    number = _typed(value)
    if number is None or number <= 0:
        raise BadCost(f"{name} must be a positive finite number, not {_named(value)}.")
    if not SMALLEST <= number <= LARGEST:
        raise BadCost(f"{name} must lie between 1e-100 and 1e+100, not {_named(value)}.")
    return short(number, name)


def short(number: Fraction, name: str) -> Fraction:
    """The number, if a ledger can hold it: sums of fractions are exact, so their digits add up."""
    if max(number.numerator, number.denominator) > LARGEST:
        raise BadCost(
            f"{name} must be written with at most 100 digits; give a rounder number, e.g. {float(number):.3g}."
        )
    return number


def exact_delta(value: object) -> Fraction:
    """The probability that was typed, exactly; 0 or more and less than 1."""
    number = _typed(value)
    if number is None or not 0 <= number < 1:
        raise BadCost(f"delta must be a number from 0 to below 1, not {_named(value)}.")
    return number


def shown(value: Fraction) -> str:
    """A number for people: at most twelve digits, no trailing zeros.

    Examples
    --------
    >>> shown(Fraction(1, 10)), shown(Fraction(3)), shown(Fraction(1, 10**6))
    ('0.1', '3', '1e-06')
    """
    return f"{float(value):.12g}"


def exact_or_zero(value: object, name: str) -> Fraction:
    """A field of a cost: parts and squares of what was typed may be smaller or larger than it."""
    if isinstance(value, Fraction) and value >= 0:
        return value
    return Fraction(0) if _typed(value) == 0 else exact(value, name)


def _typed(value: object) -> Fraction | None:
    """The number as it was typed, a float to twelve digits; None for what is not a finite number."""
    if isinstance(value, bool | np.bool_) or not isinstance(
        value, int | float | Decimal | Fraction | np.integer | np.floating
    ):
        return None
    try:
        size = float(value)
    except (OverflowError, ValueError):
        return None
    if not math.isfinite(size) or (size == 0 and value != 0):
        return None
    if isinstance(value, int | np.integer):
        return Fraction(int(value))
    if isinstance(value, float | np.floating):
        shortest = float.__repr__(value) if isinstance(value, float) else str(value)
        return Fraction(TWELVE.create_decimal(shortest))
    return Fraction(value)


def _named(value: object) -> str:
    """A short number as it is, anything else by its type: an argument may hold a column by mistake."""
    if not (value is None or isinstance(value, bool | int | float | Decimal | Fraction | np.number | np.bool_)):
        return f"a {type(value).__name__}"
    try:
        text = str(value)
    except ValueError:  # an int of thousands of digits
        text = ""
    return text if 0 < len(text) < 40 else f"so long a {type(value).__name__}"


class Cost(ABC):
    """A bound on how far one person can move the distribution of an answer.

    Attributes
    ----------
    aside
        The probability that no Rényi curve covers: the delta of ``Approximate`` and of ``Concentrated``, else 0.
    at_infinity
        The largest log-ratio between neighbours, outside of that probability; None where it has no bound.
    """

    @property
    def aside(self) -> Fraction:
        return Fraction(0)

    @property
    @abstractmethod
    def at_infinity(self) -> Fraction | None: ...

    @property
    @abstractmethod
    def numbers(self) -> tuple[Fraction, ...]:
        """All that it is made of."""

    @abstractmethod
    def part(self, share: Fraction) -> Cost:
        """The cost of a part with this share; parts whose shares sum to one cost the whole together."""

    @abstractmethod
    def concentrated(self) -> Concentrated:
        """The rho at which Gaussian noise keeps this cost."""

    @property
    @abstractmethod
    def as_rho(self) -> Concentrated:
        """What it counts where rho is counted: an epsilon as its square over 2, a delta beside it."""

    @abstractmethod
    def curve(self, orders: ArrayLike) -> NDArray[np.float64]:
        """The Rényi divergence between neighbours at each order above 1, infinity included; rounded up."""

    @abstractmethod
    def to_text(self) -> str:
        """The exact value, e.g. ``pure 1/10``; ``Cost.from_text`` reads it back."""

    @abstractmethod
    def to_json(self) -> dict[str, float | None]:
        """The value in floats for a label; None where a parameter does not apply."""

    @staticmethod
    def from_text(text: str) -> Cost:
        """Read what ``to_text`` wrote.

        Examples
        --------
        >>> Cost.from_text("approximate 1 1/1000000")
        Approximate(epsilon=Fraction(1, 1), delta=Fraction(1, 1000000))
        """
        kind, *values = text.split()
        kinds: dict[str, Callable[..., Cost]] = {
            "pure": Pure,
            "approximate": Approximate,
            "concentrated": Concentrated,
        }
        return kinds[kind](*map(Fraction, values))


@dataclass(frozen=True)
class Pure(Cost):
    """epsilon-DP: the probability of any answer changes by at most a factor e^epsilon.

    Examples
    --------
    >>> print(Pure(Fraction(1, 2)))
    epsilon=0.5
    """

    epsilon: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", exact_or_zero(self.epsilon, "epsilon"))

    @property
    def at_infinity(self) -> Fraction:
        return self.epsilon

    @property
    def numbers(self) -> tuple[Fraction, ...]:
        return (self.epsilon,)

    def part(self, share: Fraction) -> Pure:
        return Pure(self.epsilon * share)

    def concentrated(self) -> Concentrated:
        """epsilon-DP is epsilon²/2-zCDP (Bun & Steinke 2016, proposition 1.4)."""
        return Concentrated(self.epsilon**2 / 2)

    @property
    def as_rho(self) -> Concentrated:
        return self.concentrated()

    def curve(self, orders: ArrayLike) -> NDArray[np.float64]:
        """The curve of randomised response, which is the largest that epsilon-DP allows."""
        epsilon = float_up(self.epsilon)
        return with_infinity(orders, lambda finite: randomised_response(finite, epsilon), epsilon)

    def to_text(self) -> str:
        return f"pure {self.epsilon}"

    def to_json(self) -> dict[str, float | None]:
        return {"epsilon": float(self.epsilon), "delta": 0.0, "rho": None}

    def __str__(self) -> str:
        return f"epsilon={shown(self.epsilon)}"


@dataclass(frozen=True)
class Approximate(Cost):
    """(epsilon, delta)-DP: as epsilon-DP, except for a probability delta.

    Examples
    --------
    >>> print(Approximate(Fraction(1), Fraction(1, 1_000_000)))
    epsilon=1, delta=1e-06
    """

    epsilon: Fraction
    delta: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", exact_or_zero(self.epsilon, "epsilon"))
        object.__setattr__(self, "delta", exact_delta(self.delta))
        if not self.delta:
            raise BadCost("delta=0 is pure: write Pure(epsilon).")

    @property
    def aside(self) -> Fraction:
        return self.delta

    @property
    def at_infinity(self) -> Fraction:
        return self.epsilon

    @property
    def numbers(self) -> tuple[Fraction, ...]:
        return (self.epsilon, self.delta)

    def part(self, share: Fraction) -> Approximate:
        """The sum by basic composition: epsilons add and deltas add. Gaussian sums do better in parts of rho."""
        return Approximate(self.epsilon * share, self.delta * share)

    def concentrated(self) -> Concentrated:
        """The largest rho, down to nine digits, for which rho-zCDP implies this (epsilon, delta)-DP.

        Examples
        --------
        >>> print(Approximate(Fraction(1), Fraction(1, 1_000_000)).concentrated())
        rho=0.0243559692
        """
        rho = largest_rho(self.epsilon, self.delta)
        if not rho:
            raise BadCost(f"{self} leaves no room for Gaussian noise; give more.")
        return Concentrated(rho)

    @property
    def as_rho(self) -> Concentrated:
        """Outside of a leak of probability delta it is epsilon-DP. Proof: docs/proofs/core/filters.md."""
        return Concentrated(self.epsilon**2 / 2, self.delta)

    def curve(self, orders: ArrayLike) -> NDArray[np.float64]:
        raise BadCost(f"{self} has no Rényi curve: a probability of delta is outside of every bound.")

    def to_text(self) -> str:
        return f"approximate {self.epsilon} {self.delta}"

    def to_json(self) -> dict[str, float | None]:
        return {"epsilon": float(self.epsilon), "delta": float(self.delta), "rho": None}

    def __str__(self) -> str:
        return f"epsilon={shown(self.epsilon)}, delta={shown(self.delta)}"


@dataclass(frozen=True)
class Concentrated(Cost):
    """rho-zCDP: the Rényi divergence of any order alpha > 1 between neighbours is at most alpha·rho.

    With a delta it holds outside of a leak of that probability: neighbours are (1 − delta)·P + delta·anything and
    (1 − delta)·Q + delta·anything, and the divergences are those of P and Q.

    Examples
    --------
    >>> print(Concentrated(Fraction(1, 20)))
    rho=0.05
    >>> print(Concentrated(Fraction(1, 20), Fraction(1, 10**6)))
    rho=0.05, delta=1e-06
    """

    rho: Fraction
    delta: Fraction = Fraction(0)

    def __post_init__(self) -> None:
        object.__setattr__(self, "rho", exact_or_zero(self.rho, "rho"))
        object.__setattr__(self, "delta", exact_delta(self.delta))

    @property
    def aside(self) -> Fraction:
        return self.delta

    @property
    def at_infinity(self) -> Fraction | None:
        return None if self.rho else Fraction(0)

    @property
    def numbers(self) -> tuple[Fraction, ...]:
        return (self.rho, self.delta)

    def part(self, share: Fraction) -> Concentrated:
        return Concentrated(self.rho * share, self.delta * share)

    def concentrated(self) -> Concentrated:
        return replace(self, delta=Fraction(0))

    @property
    def as_rho(self) -> Concentrated:
        return self

    def epsilon_at(self, delta: float | Fraction) -> float:
        """An epsilon, rounded up, for which rho-zCDP implies (epsilon, delta)-DP. For information.

        A leak takes its part of the delta: what is rho-zCDP outside of it keeps (epsilon, delta + leak).

        Examples
        --------
        >>> round(Concentrated(Fraction(1, 20)).epsilon_at(1e-6), 3)
        1.472
        """
        probability = exact_delta(delta) - self.delta
        if probability <= 0:
            return math.inf if self.rho or probability else 0.0
        return smallest_epsilon(self.rho, probability)

    def curve(self, orders: ArrayLike) -> NDArray[np.float64]:
        if self.delta:
            raise BadCost(f"{self} has no Rényi curve: a probability of delta is outside of every bound.")
        if not self.rho:
            return np.zeros(np.shape(orders))
        rho = float_up(self.rho)
        return with_infinity(orders, lambda finite: np.nextafter(finite * rho, np.inf), math.inf)

    def to_text(self) -> str:
        return f"concentrated {self.rho} {self.delta}" if self.delta else f"concentrated {self.rho}"

    def to_json(self) -> dict[str, float | None]:
        return {"epsilon": None, "delta": float(self.delta) or None, "rho": float(self.rho)}

    def __str__(self) -> str:
        return f"rho={shown(self.rho)}" + (f", delta={shown(self.delta)}" if self.delta else "")


def parse(*, epsilon: object = None, delta: object = None, rho: object = None) -> Cost | None:
    """The cost that a user's keywords say; None where they say none. A delta of 0 means none.

    A cost may be given in place of its number: `epsilon=session.left`.

    Examples
    --------
    >>> parse(epsilon=0.1), parse()
    (Pure(epsilon=Fraction(1, 10)), None)
    >>> print(parse(rho=0.05), parse(rho=0.05, delta=1e-6), sep="; ")
    rho=0.05; rho=0.05, delta=1e-06
    >>> parse(rho=Concentrated(Fraction(1, 3))).rho
    Fraction(1, 3)
    """
    epsilon, rho = _number(epsilon, Pure, "epsilon"), _number(rho, Concentrated, "rho")
    probability = Fraction(0) if delta is None else short(exact_delta(delta), "delta")
    if epsilon is not None and rho is not None:
        raise BadCost("epsilon and rho were both given; give one of them.")
    if probability and epsilon is None and rho is None:
        raise BadCost("delta was given without epsilon or rho; give both, e.g. epsilon=1, delta=1e-6.")
    if rho is not None:
        return Concentrated(exact(rho, "rho"), probability)
    if epsilon is None:
        return None
    amount = exact(epsilon, "epsilon")
    return Approximate(amount, probability) if probability else Pure(amount)


def _number(value: object, kind: type[Pure | Concentrated], name: str) -> object:
    """What is typed, or what a cost of that kind holds."""
    if not isinstance(value, Cost):
        return value
    if not isinstance(value, kind):
        raise BadCost(f"{name}= takes a number or what is left of {name}, not {value}.")
    return getattr(value, name)


FREE = Pure(Fraction(0))  # what public facts cost


def without(cap: Cost, left: Cost) -> Cost:
    """What is gone of a cap of which so much is left, in the currency of what is left.

    Examples
    --------
    >>> print(without(Concentrated(Fraction(1), Fraction(1, 10**6)), Concentrated(Fraction(1, 4))))
    rho=0.75, delta=1e-06
    """
    if isinstance(left, Concentrated):
        assert isinstance(cap, Concentrated)
        return Concentrated(cap.rho - left.rho, cap.delta - left.delta)
    assert isinstance(left, Pure)
    assert isinstance(cap, Pure | Approximate)
    return Pure(cap.epsilon - left.epsilon)
