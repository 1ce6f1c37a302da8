"""The rule of one cap: which charges it grants, and what is left. Proofs: ``docs/proofs/filters.md``."""

from __future__ import annotations

from abc import ABC, abstractmethod
from decimal import ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import Generic, TypeVar

from ..cost import Cost, shown
from ..errors import BudgetExceeded

S = TypeVar("S")


class Filter(ABC, Generic[S]):
    """A rule fixed by the cap alone: the answers to the charges it grants keep the cap, whoever chose them.

    A state is what was spent so far. It is exact, so it does not depend on the order of the charges, and its
    text is the same on every machine.
    """

    @abstractmethod
    def start(self) -> S:
        """Nothing was spent."""

    def resume(self, own: S | None, last: S | None) -> S:
        """The state that the next charge meets, after the last one of its own period and the last of all."""
        return self.start() if last is None else last

    @abstractmethod
    def after(self, state: S, price: Cost) -> S:
        """The state with one more charge, granted or not; CostNotOffered for a kind this cap cannot count."""

    @abstractmethod
    def admits(self, state: S) -> bool:
        """Whether the cap covers this state."""

    @abstractmethod
    def left(self, state: S) -> Cost:
        """The largest charge in the cap's own currency that would still be granted."""

    @abstractmethod
    def used(self, state: S) -> float:
        """The share of the cap that was spent, from 0 to 1."""

    @abstractmethod
    def refusal(self, state: S, price: Cost) -> BudgetExceeded:
        """The advice to someone whose charge does not fit."""

    @abstractmethod
    def write(self, state: S) -> str: ...

    @abstractmethod
    def read(self, text: str) -> S: ...

    @abstractmethod
    def to_text(self) -> str:
        """Everything that was fixed at opening; a ledger file keeps it."""


def too_much(
    name: str, asked: Fraction, left: Fraction, cap: Fraction, of: str = "", words: str = ""
) -> BudgetExceeded:
    """The refusal of a charge. What is left is shown as it can be typed: rounded down, so that it is granted."""
    room = round_down(left, 12)
    remainder = f"only {name}={shown(room)}" if room else "nothing"
    return BudgetExceeded(
        f"asked for {words or f'{name}={shown(asked)}'}, but {remainder} of {of or f'{name}={shown(cap)}'} is left.",
        asked=float(asked),
        left=float(room),
        cap=float(cap),
    )


def round_down(value: Fraction, digits: int) -> Fraction:
    """The largest decimal of that many digits that does not exceed the value."""
    context = Context(prec=digits, rounding=ROUND_FLOOR)
    return Fraction(context.divide(Decimal(value.numerator), Decimal(value.denominator)))
