"""What a filter of a budget has to say, and one for each kind of cap: those that add up, and Rényi sums."""

from __future__ import annotations

import json
import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Context, Decimal, localcontext
from fractions import Fraction
from functools import lru_cache
from typing import Generic, TypeVar

import numpy as np

from ...errors import BudgetExceeded, CostNotOffered
from .conversion import MARGIN, PRECISE, best_order, conversion
from .cost import Approximate, Concentrated, Cost, Pure, shown

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


SET_ASIDE = Fraction(1, 10)  # of delta, for releases with a delta of their own


class AdditiveFilter(Filter[Fraction]):
    """A sum that may reach the cap and not exceed it."""

    total: Fraction

    @abstractmethod
    def count(self, price: Cost) -> Fraction:
        """What a charge adds to the sum."""

    def start(self) -> Fraction:
        return Fraction(0)

    def after(self, state: Fraction, price: Cost) -> Fraction:
        return state + self.count(price)

    def admits(self, state: Fraction) -> bool:
        return state <= self.total

    def used(self, state: Fraction) -> float:
        return float(state / self.total)

    def write(self, state: Fraction) -> str:
        return str(state)

    def read(self, text: str) -> Fraction:
        return Fraction(text)


class PureFilter(AdditiveFilter):
    """Epsilons add: the answers together are epsilon-DP with the cap's epsilon."""

    def __init__(self, cap: Pure) -> None:
        self.cap = cap
        self.total = cap.epsilon

    def count(self, price: Cost) -> Fraction:
        if price.aside or price.at_infinity is None:
            raise CostNotOffered(
                f"a session with the cap {self.cap} takes epsilon alone, not {price}; "
                "ask with epsilon=, or open the session with epsilon and delta.",
                price=str(price),
            )
        return price.at_infinity

    def left(self, state: Fraction) -> Pure:
        return Pure(self.total - state)

    def refusal(self, state: Fraction, price: Cost) -> BudgetExceeded:
        asked = self.count(price)
        return too_much("epsilon", asked, self.total - state, self.total)

    def to_text(self) -> str:
        return "sum of epsilon"


class ConcentratedFilter(AdditiveFilter):
    """Rhos add, an epsilon counting as epsilon²/2: the answers together are rho-zCDP with the cap's rho."""

    def __init__(self, cap: Concentrated) -> None:
        self.cap = cap
        self.total = cap.rho

    def count(self, price: Cost) -> Fraction:
        if price.aside:
            raise CostNotOffered(
                f"a session with the cap {self.cap} takes rho, or epsilon alone, not {price}; "
                "ask with rho=, or open the session with a delta.",
                price=str(price),
            )
        return price.as_rho.rho

    def left(self, state: Fraction) -> Concentrated:
        return Concentrated(self.total - state)

    def refusal(self, state: Fraction, price: Cost) -> BudgetExceeded:
        asked = price.as_rho
        words = "" if price == asked else f"{price}, which costs {asked}"
        return too_much("rho", asked.rho, self.total - state, self.total, words=words)

    def to_text(self) -> str:
        return "sum of rho"


@dataclass(frozen=True)
class Leaked:
    """What was spent: rho, and the probability of a leak."""

    rho: Fraction
    delta: Fraction


class LeakingFilter(Filter[Leaked]):
    """The answers together are rho-zCDP with the cap's rho, outside of a leak of the cap's delta."""

    def __init__(self, cap: Concentrated) -> None:
        self.cap = cap

    def start(self) -> Leaked:
        return Leaked(Fraction(0), Fraction(0))

    def after(self, state: Leaked, price: Cost) -> Leaked:
        counted = price.as_rho
        return Leaked(state.rho + counted.rho, state.delta + counted.delta)

    def admits(self, state: Leaked) -> bool:
        return state.rho <= self.cap.rho and state.delta <= self.cap.delta

    def left(self, state: Leaked) -> Concentrated:
        return Concentrated(max(Fraction(0), self.cap.rho - state.rho), max(Fraction(0), self.cap.delta - state.delta))

    def used(self, state: Leaked) -> float:
        """The larger share: either can be what is spent first."""
        return min(1.0, float(max(state.rho / self.cap.rho, state.delta / self.cap.delta)))

    def refusal(self, state: Leaked, price: Cost) -> BudgetExceeded:
        asked, left = price.as_rho, self.left(state)
        if asked.rho > left.rho:
            words = "" if price == asked else f"{price}, which costs {asked}"
            return too_much("rho", asked.rho, left.rho, self.cap.rho, words=words)
        return too_much("delta", asked.delta, left.delta, self.cap.delta)

    def write(self, state: Leaked) -> str:
        return json.dumps([str(state.rho), str(state.delta)], separators=(",", ":"))

    def read(self, text: str) -> Leaked:
        rho, delta = json.loads(text)
        return Leaked(Fraction(rho), Fraction(delta))

    def to_text(self) -> str:
        return "sums of rho and of delta"


UNIT = 2**60  # sums at finite orders are integers in units of 2^-60, so they add exactly and in any order
AT_BEST_ORDER = Fraction(4, 5)  # of the delta that remains
HIGHER_ORDERS = 6  # share the rest; alpha - 1 doubles from one to the next


@dataclass(frozen=True)
class Spent:
    """Rényi sums: exact at infinity (None once Gaussian noise has no bound there), in units elsewhere."""

    at_infinity: Fraction | None
    aside: Fraction
    orders: tuple[int, ...]


class RenyiFilter(Filter[Spent]):
    """The answers together are (epsilon, delta)-DP with the cap's epsilon and delta.

    A charge is granted if afterwards some order's sum is within that order's budget, and the deltas of
    releases that have one fit into the part of delta set aside for them.
    """

    def __init__(self, cap: Approximate, aside: Fraction = SET_ASIDE) -> None:
        self.cap = cap
        self.aside = cap.delta * aside
        shares = delta_shares(cap.epsilon, cap.delta - self.aside)
        budgets = {
            order: math.floor((cap.epsilon - Fraction(conversion(order, share))) * UNIT)
            for order, share in shares.items()
        }
        self.budgets = {order: budget for order, budget in budgets.items() if budget > 0}
        self.orders = tuple(self.budgets)
        self._curves = lru_cache(maxsize=1024)(self._curve)  # most charges cost what others cost

    def start(self) -> Spent:
        return Spent(Fraction(0), Fraction(0), (0,) * len(self.orders))

    def after(self, state: Spent, price: Cost) -> Spent:
        at_infinity = None
        if state.at_infinity is not None and price.at_infinity is not None:
            at_infinity = state.at_infinity + price.at_infinity
        orders = tuple(sum(pair) for pair in zip(state.orders, self._curves(price), strict=True))
        return Spent(at_infinity, state.aside + price.aside, orders)

    def admits(self, state: Spent) -> bool:
        return state.aside <= self.aside and (
            (state.at_infinity is not None and state.at_infinity <= self.cap.epsilon)
            or any(spent <= budget for spent, budget in self._pairs(state))
        )

    def left(self, state: Spent) -> Pure:
        """The largest pure epsilon, to six digits where only a finite order has room."""
        if not self.admits(state):
            return Pure(Fraction(0))
        exact = Fraction(0) if state.at_infinity is None else self.cap.epsilon - state.at_infinity
        return Pure(max(exact, self._left_at_finite_orders(state)))

    def used(self, state: Spent) -> float:
        shares = [spent / budget for spent, budget in self._pairs(state)]
        if state.at_infinity is not None:
            shares.append(float(state.at_infinity / self.cap.epsilon))
        return min(1.0, *shares)

    def refusal(self, state: Spent, price: Cost) -> BudgetExceeded:
        if state.aside + price.aside > self.aside:
            of = f"the {shown(self.aside)} set aside for releases with a delta of their own"
            return too_much("delta", price.aside, self.aside - state.aside, self.aside, of)
        if price.at_infinity is None:
            asked = price.as_rho.rho
            return too_much("rho", asked, self._rho_left(state), self.cap.epsilon, str(self.cap))
        return too_much("epsilon", price.at_infinity, self.left(state).epsilon, self.cap.epsilon, str(self.cap))

    def write(self, state: Spent) -> str:
        at_infinity = None if state.at_infinity is None else str(state.at_infinity)
        return json.dumps([at_infinity, str(state.aside), list(state.orders)], separators=(",", ":"))

    def read(self, text: str) -> Spent:
        at_infinity, aside, orders = json.loads(text)
        return Spent(None if at_infinity is None else Fraction(at_infinity), Fraction(aside), tuple(map(int, orders)))

    def to_text(self) -> str:
        budgets = {str(order): budget for order, budget in self.budgets.items()}
        return f"sums of Rényi curves {json.dumps(budgets, separators=(',', ':'))}, aside {self.aside}"

    def _pairs(self, state: Spent) -> list[tuple[int, int]]:
        return list(zip(state.orders, self.budgets.values(), strict=True))

    def _curve(self, price: Cost) -> tuple[int, ...]:
        """A charge at each finite order, in units, rounded up."""
        if price.at_infinity is None:
            rho = price.as_rho.rho
            return tuple(math.ceil(order * rho * UNIT) for order in self.orders)
        return randomised_response(price.at_infinity, self.orders)

    def _rho_left(self, state: Spent) -> Fraction:
        rooms = [
            Fraction(budget - spent, UNIT) / order
            for order, (spent, budget) in zip(self.orders, self._pairs(state), strict=True)
        ]
        return round_down(max([Fraction(0), *rooms]), 6)

    def _left_at_finite_orders(self, state: Spent) -> Fraction:
        """Bisection in floats, then down to six digits; what it returns is granted."""
        orders = np.array(self.orders, dtype=np.float64)
        room = np.array([budget - spent for spent, budget in self._pairs(state)], dtype=np.float64) / UNIT
        if not np.any(room > 0):
            return Fraction(0)
        low, high = 0.0, float(np.max(room + 0.7 / (orders - 1)))  # a curve is above epsilon - ln 2 / (α - 1)
        for _ in range(60):
            middle = (low + high) / 2
            fits = bool(np.any(Pure(Fraction(middle)).curve(orders) <= room))
            low, high = (middle, high) if fits else (low, middle)
        found = round_down(Fraction(low), 6)
        while found and not self.admits(self.after(state, Pure(found))):
            found = round_down(found * Fraction(999_999, 1_000_000), 6)
        return found


def delta_shares(epsilon: Fraction, delta: Fraction) -> dict[Fraction, Fraction]:
    """The orders and their parts of delta: most of it where the most Gaussian noise fits, the rest above.

    Nothing below: a curve divided by its order never grows, so where a lower order has room this one has too.
    """
    best = best_order(epsilon, delta * AT_BEST_ORDER)
    rest = delta * (1 - AT_BEST_ORDER) / HIGHER_ORDERS
    higher = {1 + (best - 1) * 2**step: rest for step in range(1, HIGHER_ORDERS + 1)}
    return {best: delta * AT_BEST_ORDER, **higher}


@lru_cache(maxsize=1024)
def randomised_response(epsilon: Fraction, orders: tuple[Fraction, ...]) -> tuple[int, ...]:
    """The curve of epsilon-DP at finite orders, in units, rounded up; the same on every machine."""
    if not epsilon:
        return (0,) * len(orders)
    return tuple(math.ceil(_randomised_response(epsilon, order) * UNIT) for order in orders)


def _randomised_response(epsilon: Fraction, order: Fraction) -> Fraction:
    """ln((e^(αε) + e^((1-α)ε)) / (1 + e^ε)) / (α - 1), or αε²/2 where αε is small and the two agree."""
    if order * epsilon < Fraction(1, 10**6):
        return order * epsilon**2 / 2
    with localcontext(PRECISE) as context:
        size = context.divide(epsilon.numerator, epsilon.denominator)
        alpha = context.divide(order.numerator, order.denominator)
        ratio = (1 + (-(2 * alpha - 1) * size).exp()).ln() - (1 + (-size).exp()).ln()
        value = size + ratio / (alpha - 1)
        return min(epsilon, Fraction(value + (1 + size) * MARGIN))
