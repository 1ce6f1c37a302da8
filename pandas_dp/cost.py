"""What an answer costs: pure, approximate and concentrated differential privacy as frozen, exact values."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from decimal import MAX_EMAX, MIN_EMIN, ROUND_FLOOR, Context, Decimal, localcontext
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import BadCost

# Fifty digits: exp and ln are correctly rounded by specification, so every machine computes the same.
PRECISE = Context(prec=50, Emax=MAX_EMAX, Emin=MIN_EMIN)
MARGIN = Decimal("1e-30")  # relative: far above the rounding of PRECISE where alpha - 1 > 1e-16
TINY = Decimal("1e-48")  # absolute: the same for the logarithm of a number next to one
SMALLEST, LARGEST = Fraction(1, 10**100), Fraction(10**100)  # squares and parts still fit into floats
CURVE_MARGIN = 1e-12  # the relative excess of a curve in floats; its rounding errors are below 1e-14


class Cost(ABC):
    """A bound on how far one person can move the distribution of an answer.

    Attributes
    ----------
    aside
        The probability that no Rényi curve covers: the delta of ``Approximate``, 0 for the others.
    at_infinity
        The largest log-ratio between neighbours, outside of that probability; None where it has no bound.
    """

    @property
    def aside(self) -> Fraction:
        return Fraction(0)

    @property
    @abstractmethod
    def at_infinity(self) -> Fraction | None: ...

    @abstractmethod
    def part(self, share: Fraction) -> Cost:
        """The cost of a part with this share; parts whose shares sum to one cost the whole together."""

    @abstractmethod
    def concentrated(self) -> Concentrated:
        """The rho at which Gaussian noise keeps this cost."""

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
        object.__setattr__(self, "epsilon", _exact_or_zero(self.epsilon, "epsilon"))

    @property
    def at_infinity(self) -> Fraction:
        return self.epsilon

    def part(self, share: Fraction) -> Pure:
        return Pure(self.epsilon * share)

    def concentrated(self) -> Concentrated:
        """epsilon-DP is epsilon²/2-zCDP (Bun & Steinke 2016, proposition 1.4)."""
        return Concentrated(self.epsilon**2 / 2)

    def curve(self, orders: ArrayLike) -> NDArray[np.float64]:
        """The curve of randomised response, which is the largest that epsilon-DP allows."""
        epsilon = _float_up(self.epsilon)
        return _with_infinity(orders, lambda finite: _randomised_response(finite, epsilon), epsilon)

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
        object.__setattr__(self, "epsilon", _exact_or_zero(self.epsilon, "epsilon"))
        object.__setattr__(self, "delta", exact_delta(self.delta))
        if not self.delta:
            raise BadCost("delta=0 is pure: write Pure(epsilon).")

    @property
    def aside(self) -> Fraction:
        return self.delta

    @property
    def at_infinity(self) -> Fraction:
        return self.epsilon

    def part(self, share: Fraction) -> Approximate:
        """By basic composition: epsilons add and deltas add. Gaussian sums do better in parts of rho."""
        return Approximate(self.epsilon * share, self.delta * share)

    def concentrated(self) -> Concentrated:
        """The largest rho, down to nine digits, for which rho-zCDP implies this (epsilon, delta)-DP.

        Examples
        --------
        >>> print(Approximate(Fraction(1), Fraction(1, 1_000_000)).concentrated())
        rho=0.0243559692
        """
        rho = _largest_rho(self.epsilon, self.delta)
        if not rho:
            raise BadCost(f"{self} leaves no room for Gaussian noise; give more.")
        return Concentrated(rho)

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

    Examples
    --------
    >>> print(Concentrated(Fraction(1, 20)))
    rho=0.05
    """

    rho: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "rho", _exact_or_zero(self.rho, "rho"))

    @property
    def at_infinity(self) -> Fraction | None:
        return None if self.rho else Fraction(0)

    def part(self, share: Fraction) -> Concentrated:
        return Concentrated(self.rho * share)

    def concentrated(self) -> Concentrated:
        return self

    def epsilon_at(self, delta: float | Fraction) -> float:
        """An epsilon, rounded up, for which rho-zCDP implies (epsilon, delta)-DP. For information.

        Examples
        --------
        >>> round(Concentrated(Fraction(1, 20)).epsilon_at(1e-6), 3)
        1.472
        """
        probability = exact_delta(delta)
        if not probability:
            return math.inf if self.rho else 0.0
        return _smallest_epsilon(self.rho, probability)

    def curve(self, orders: ArrayLike) -> NDArray[np.float64]:
        if not self.rho:
            return np.zeros(np.shape(orders))
        rho = _float_up(self.rho)
        return _with_infinity(orders, lambda finite: np.nextafter(finite * rho, np.inf), math.inf)

    def to_text(self) -> str:
        return f"concentrated {self.rho}"

    def to_json(self) -> dict[str, float | None]:
        return {"epsilon": None, "delta": None, "rho": float(self.rho)}

    def __str__(self) -> str:
        return f"rho={shown(self.rho)}"


def parse(*, epsilon: object = None, delta: object = None, rho: object = None) -> Cost | None:
    """The cost that a user's keywords say; None where they say none. A delta of 0 means pure.

    Examples
    --------
    >>> parse(epsilon=0.1), parse(rho=0.05), parse()
    (Pure(epsilon=Fraction(1, 10)), Concentrated(rho=Fraction(1, 20)), None)
    """
    probability = Fraction(0) if delta is None else exact_delta(delta)
    if epsilon is not None and rho is not None:
        raise BadCost("epsilon and rho were both given; give one of them.")
    if probability and epsilon is None:
        raise BadCost("delta was given without epsilon; give both, e.g. epsilon=1, delta=1e-6.")
    if rho is not None:
        return Concentrated(exact(rho, "rho"))
    if epsilon is None:
        return None
    amount = exact(epsilon, "epsilon")
    return Approximate(amount, probability) if probability else Pure(amount)


def exact(value: object, name: str = "epsilon") -> Fraction:
    """The positive number that was typed, exactly: the float 0.1 means 1/10.

    Examples
    --------
    >>> exact(0.1), exact(3)
    (Fraction(1, 10), Fraction(3, 1))
    """
    number = _typed(value)
    if number is None or number <= 0:
        raise BadCost(f"{name} must be a positive finite number, not {_named(value)}.")
    if not SMALLEST <= number <= LARGEST:
        raise BadCost(f"{name} must lie between 1e-100 and 1e+100, not {_named(value)}.")
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


def conversion(order: Fraction, delta: Fraction) -> Decimal:
    """What order alpha adds on the way to delta, rounded up: K(alpha) implies (K(alpha) + this, delta)-DP.

    It is (ln(1/delta) + ln c) / (alpha - 1) with c = (1/alpha)(1 - 1/alpha)^(alpha - 1), the supremum over
    L of (1 - e^(epsilon - L))₊ / e^((alpha - 1)(L - epsilon)). Proof: ``docs/proofs/filters.md``.
    """
    with localcontext(PRECISE):
        above_one = _decimal(order) - 1
        terms = _conversion_terms(above_one, _decimal(delta))
        return sum(terms) + sum(map(abs, terms)) * MARGIN + TINY


def best_order(epsilon: Fraction, delta: Fraction) -> Fraction:
    """The order, to four digits of alpha - 1, at which (epsilon, delta) leaves room for the largest rho."""
    with localcontext(PRECISE):
        above_one = _best_above_one(lambda u: _rho_at(u, _decimal(epsilon), _decimal(delta)), epsilon)
        return 1 + Fraction(Context(prec=4).plus(above_one))


def _conversion_terms(above_one: Decimal, delta: Decimal) -> tuple[Decimal, Decimal, Decimal]:
    order = above_one + 1
    return -delta.ln() / above_one, -order.ln() / above_one, (above_one / order).ln()


def _rho_at(above_one: Decimal, epsilon: Decimal, delta: Decimal) -> Decimal:
    return (epsilon - sum(_conversion_terms(above_one, delta))) / (above_one + 1)


@lru_cache(maxsize=1024)
def _largest_rho(epsilon: Fraction, delta: Fraction) -> Fraction:
    """Any order gives a valid rho, so the search may be rough; the last step must be on the safe side."""
    with localcontext(PRECISE):
        order = best_order(epsilon, delta)
        rho = (epsilon - Fraction(conversion(order, delta))) / order
        return max(Fraction(0), Fraction(Context(prec=9, rounding=ROUND_FLOOR).plus(_decimal(rho))))


@lru_cache(maxsize=1024)
def _smallest_epsilon(rho: Fraction, delta: Fraction) -> float:
    with localcontext(PRECISE):
        at = _decimal(rho)
        above_one = _best_above_one(lambda u: -(u + 1) * at - sum(_conversion_terms(u, _decimal(delta))), rho)
        order = 1 + Fraction(above_one)
        value = Fraction(conversion(order, delta)) + order * rho
        return _float_up(max(Fraction(0), value))


def _best_above_one(objective: Callable[[Decimal], Decimal], scale: Fraction) -> Decimal:
    """Golden section over ln(alpha - 1), where the objectives of this file have one peak."""
    step = (Decimal(5).sqrt() - 1) / 2
    reach = abs(_decimal(scale).ln()) if scale else Decimal(0)
    low, high = Decimal(-35), 20 + reach  # nearer to one, fifty digits would not do
    left, right = high - step * (high - low), low + step * (high - low)
    at_left, at_right = objective(left.exp()), objective(right.exp())
    while high - low > Decimal("1e-6"):
        if at_left < at_right:
            low, left, at_left = left, right, at_right
            right = low + step * (high - low)
            at_right = objective(right.exp())
        else:
            high, right, at_right = right, left, at_left
            left = high - step * (high - low)
            at_left = objective(left.exp())
    return ((low + high) / 2).exp()


def _decimal(value: Fraction) -> Decimal:
    """To fifty digits; MARGIN covers the rest."""
    return PRECISE.divide(Decimal(value.numerator), Decimal(value.denominator))


def _randomised_response(orders: NDArray[np.float64], epsilon: float) -> NDArray[np.float64]:
    """ln(p^α q^(1-α) + q^α p^(1-α)) / (α - 1) with p = e^ε / (1 + e^ε), in two forms without cancellation."""
    exponent = (orders - 1) * epsilon
    small = np.log1p(np.expm1(np.minimum(exponent, 1)) * -np.expm1(-orders * epsilon) / (1 + math.exp(-epsilon)))
    large = exponent + np.log1p(np.exp(-(2 * orders - 1) * epsilon)) - math.log1p(math.exp(-epsilon))
    curve = np.where(exponent < 1, small, large) / (orders - 1)
    return np.minimum(curve * (1 + CURVE_MARGIN), epsilon)


def _with_infinity(
    orders: ArrayLike, finite: Callable[[NDArray[np.float64]], NDArray[np.float64]], at_infinity: float
) -> NDArray[np.float64]:
    given = np.asarray(orders, dtype=np.float64)
    if not np.all(given > 1):
        raise ValueError("orders must be above 1.")
    endless = np.isinf(given)
    return np.where(endless, at_infinity, finite(np.where(endless, 2.0, given)))


def _float_up(value: Fraction) -> float:
    nearest = float(value)
    return nearest if Fraction(nearest) >= value else math.nextafter(nearest, math.inf)


def _exact_or_zero(value: object, name: str) -> Fraction:
    """A field of a cost: parts and squares of what was typed may be smaller or larger than it."""
    if isinstance(value, Fraction) and value >= 0:
        return value
    return Fraction(0) if _typed(value) == 0 else exact(value, name)


def _typed(value: object) -> Fraction | None:
    """The number as it was typed, by its shortest decimal; None for what is no finite number."""
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
    if isinstance(value, float):
        return Fraction(float.__repr__(value))
    return Fraction(str(value) if isinstance(value, np.floating) else value)


def _named(value: object) -> str:
    """A short number as it is, anything else by its type: an argument may hold a column by mistake."""
    if not (value is None or isinstance(value, bool | int | float | Decimal | Fraction | np.number | np.bool_)):
        return f"a {type(value).__name__}"
    try:
        text = str(value)
    except ValueError:  # an int of thousands of digits
        text = ""
    return text if 0 < len(text) < 40 else f"so long a {type(value).__name__}"


FREE = Pure(Fraction(0))  # what public facts cost
