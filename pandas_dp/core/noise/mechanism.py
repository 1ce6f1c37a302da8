"""What a way of adding noise has to say for the corridor to use it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from fractions import Fraction
from math import isqrt
from typing import ClassVar, Protocol

import numpy as np

from ...numeric.measure_distinct import Table
from ..budget.cost import Approximate, Cost
from ..measure.cells import Norm
from .law import Law


class Blurring(Protocol):
    """Makes noisy whole numbers of exact ones."""

    @property
    def name(self) -> str: ...

    def add_noise(self, exact: Table, laws: tuple[Law, ...]) -> Table: ...


class Additive(ABC):
    """Adds independent whole numbers to exact whole numbers. A frozen value: what it is made with are its fields.

    A subclass with a name is known by that name as soon as its module is imported, and every module of this room is.
    """

    name: ClassVar[str]
    norm: ClassVar[Norm]  # in which it needs the sensitivity
    most: ClassVar[int | None] = None  # how many numbers it can hide together; None where any
    unasked: ClassVar[bool] = False  # whether 'auto' takes it wherever it can spend the cost
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
