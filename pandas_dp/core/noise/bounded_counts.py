"""Perturbations of bounded range: truncated Laplace and normal, maximum entropy, and any additive loss."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from math import floor, frexp
from typing import Any, ClassVar

import numpy as np

from ...errors import BadCost, CostNotOffered, UnsupportedArgument, shown
from ..budget.cost import Approximate, Cost
from .bounded import Bounded, Gibbs, TruncatedGaussian, TruncatedLaplaceLaw
from .perturbation import BoundedPerturbation, Fitted, Moved, joint_delta


@dataclass(frozen=True)
class TruncatedLaplace(BoundedPerturbation):
    """Discrete Laplace noise cut at ±m: no count is ever farther off.

    Parameters
    ----------
    m : int, optional
        The range. Without it, the least range whose delta is within the `delta=` of the question.

    Examples
    --------
    >>> from pandas_dp.core.budget.cost import Pure
    >>> fitted = TruncatedLaplace(m=7).fit([Moved(1, Fraction(1))], Pure(Fraction(1, 2)), True)
    >>> round(float(fitted.price.delta), 6)
    0.007568
    """

    m: int | None = None
    name: ClassVar[str] = "truncated-laplace"

    def law(self, epsilon: Fraction, m: int) -> Bounded:
        return TruncatedLaplaceLaw(1 / epsilon, m)


@dataclass(frozen=True)
class TruncatedNormal(BoundedPerturbation):
    """Discrete Gaussian noise cut at ±m. Squares of `|k| <= m` differ by at most 2m − 1 where both neighbours can be.

    Parameters
    ----------
    m : int, optional
        The range. Without it, the least range whose delta is within the `delta=` of the question.

    Examples
    --------
    >>> from pandas_dp.core.budget.cost import Pure
    >>> fitted = TruncatedNormal(m=10).fit([Moved(1, Fraction(1))], Pure(Fraction(1)), True)
    >>> round(float(fitted.price.delta), 8)
    0.00067075
    """

    m: int | None = None
    name: ClassVar[str] = "truncated-normal"

    def law(self, epsilon: Fraction, m: int) -> Bounded:
        return TruncatedGaussian((2 * m - 1) / (2 * epsilon), m)


@dataclass(frozen=True)
class MaximumEntropy(BoundedPerturbation):
    """The noise of largest entropy on −m … m with this variance. What it costs follows, epsilon too.

    Leave the cost out to pay what it takes, or give `epsilon=` (and `delta=`) as the most you would pay.

    Parameters
    ----------
    m : int
        The range.
    variance : float
        Of the noise on each count; below m(m + 1)/3, that of a uniform law.

    Examples
    --------
    >>> from pandas_dp.core.budget.cost import Pure
    >>> fitted = MaximumEntropy(m=10, variance=10.361594290479182).fit([Moved(1, Fraction(1))], Pure(Fraction(2)), True)
    >>> round(float(fitted.price.epsilon), 9)  # 19/21: the paper's normal law has this for its 1
    0.904761905
    """

    m: int
    variance: float
    name: ClassVar[str] = "maximum-entropy"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.m is None or isinstance(self.variance, bool) or not isinstance(self.variance, int | float | np.number):
            raise UnsupportedArgument(
                "MaximumEntropy needs a range and a variance, e.g. MaximumEntropy(m=10, variance=5)."
            )
        if not 0 < self.variance < self.m * (self.m + 1) / 3:
            raise UnsupportedArgument(
                f"the variance of noise within ±{self.m} must lie between 0 and {self.m * (self.m + 1) / 3:.6g}, "
                f"which is that of equal probabilities, not {shown(self.variance)}.",
                variance=self.variance,
            )

    @cached_property
    def _rate(self) -> Fraction:
        """The rate in exp(−rate·k²), rounded down to 40 binary digits: never less noise, never more epsilon."""
        squares = np.arange(-self.m, self.m + 1.0) ** 2
        low, high = 0.0, 800.0

        def variance(rate: float) -> float:
            weights = np.exp(-rate * squares)
            return float((squares * weights).sum() / weights.sum())

        for _ in range(100):
            middle = (low + high) / 2
            low, high = (middle, high) if variance(middle) >= self.variance else (low, middle)
        shift = 40 - frexp(low)[1]
        return Fraction(floor(Fraction(low) * Fraction(2) ** shift)) / Fraction(2) ** shift

    def fit(self, tables: Sequence[Moved], cost: Cost, given: bool) -> Fitted:
        if not self._rate:
            raise UnsupportedArgument(
                "so large a variance leaves equal probabilities; ask for less.", variance=self.variance
            )
        law = self.law(Fraction(0), self.m)
        epsilon = sum((self._rate * (2 * self.m - 1) * table.counts for table in tables), Fraction(0))
        price = Approximate(epsilon, joint_delta(tables, [law] * len(tables)))
        if given and not _covers(cost, price):
            raise CostNotOffered(
                f"mechanism {self!r} costs {price}, more than the {cost} asked for; ask for more variance, or leave "
                "the cost out to pay it.",
                mechanism=self.name,
            )
        return Fitted((law,) * len(tables), price)

    def law(self, epsilon: Fraction, m: int) -> Bounded:
        """The same for every epsilon."""
        return TruncatedGaussian(1 / (2 * self._rate), m)


@dataclass(frozen=True)
class AdditiveUtility(BoundedPerturbation):
    """The exponential mechanism whose utility is minus a loss of how far a count is moved, within ±m.

    Parameters
    ----------
    loss : function
        Of 0, 1, … m, to numbers. It is called when the mechanism is made, and never sees a count. Tests of released
        tables need a loss that never falls; that of a single count one whose steps never do either.
    m : int
        The range.

    Examples
    --------
    >>> from pandas_dp.core.budget.cost import Pure
    >>> gentle = AdditiveUtility(lambda k: k**1.5, m=12)
    >>> fitted = gentle.fit([Moved(1, Fraction(1))], Pure(Fraction(1)), True)
    >>> str(fitted.price.epsilon), round(float(fitted.price.delta), 6)
    ('1', 5.3e-05)
    """

    loss: Callable[[int], Any] = field(repr=False)
    m: int
    name: ClassVar[str] = "additive-utility"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.m is None or not callable(self.loss):
            raise UnsupportedArgument(
                "AdditiveUtility needs a loss function and a range, e.g. AdditiveUtility(loss, m=10)."
            )
        if not self._steepest:
            raise UnsupportedArgument("the loss is the same everywhere, so it prefers no answer; give one that grows.")

    @cached_property
    def losses(self) -> tuple[Fraction, ...]:
        """The losses of 0 … m, as they were written: the float 0.1 means 1/10."""
        return tuple(_number(self.loss(k), k) for k in range(self.m + 1))

    @cached_property
    def _steepest(self) -> Fraction:
        """The largest change of the loss when a count changes by one and both outcomes can occur."""
        return max(abs(b - a) for a, b in pairwise(self.losses))

    def law(self, epsilon: Fraction, m: int) -> Bounded:
        return Gibbs(epsilon / self._steepest, self.losses)


def _number(value: object, k: int) -> Fraction:
    try:
        plain = value.item() if isinstance(value, np.generic) else value
        if isinstance(plain, int | float | Fraction) and not isinstance(plain, bool):
            return Fraction(repr(plain)) if isinstance(plain, float) else Fraction(plain)
    except (ValueError, OverflowError):
        pass
    raise UnsupportedArgument(f"the loss of {k} must be a finite number, not {shown(value)}.", k=k)


def _covers(cost: Cost, price: Approximate) -> bool:
    most = cost.at_infinity
    if most is None:
        raise BadCost(f"this mechanism has no rho; give epsilon= in place of {cost}, or leave the cost out.")
    return price.epsilon <= most and (not cost.aside or price.delta <= cost.aside)
