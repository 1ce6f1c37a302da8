"""One file per way of adding noise: how it is calibrated to a reach and a cost, and the noise itself."""

from __future__ import annotations

from ..cost import Approximate, Cost, Pure
from ..errors import CostNotOffered, UnknownMechanism, shown
from .averaged import Averaged, check_worth
from .exponential import Exponential
from .gaussian import Gaussian
from .laplace import Laplace
from .mechanism import Additive
from .smooth import Smooth, beats_choice, smooth_for

ADDITIVE: dict[str, Additive] = {mechanism.name: mechanism for mechanism in (Laplace(), Gaussian(), Averaged())}
CHOICE = Exponential()
SMOOTH = ("smooth", "cauchy", "student", "laplace")  # noise around a value of given rank; the first is the best of them


def price_for(name: str, cost: Cost) -> Cost:
    """What the mechanism of that name spends of a cost: Gaussian noise rho, averaged Laplace noise no delta."""
    if not isinstance(cost, Approximate):
        return cost
    return Pure(cost.epsilon) if name == Averaged.name else cost.concentrated()


def additive_for(name: str, cost: Cost, draws: int | None = None) -> Additive:
    """The mechanism of that name for sums; `auto` is the one that spends this kind of cost."""
    if name == "auto":
        return next(mechanism for mechanism in ADDITIVE.values() if mechanism.spends(cost))
    if name not in ADDITIVE:
        raise _unknown(name, "sums and counts", list(ADDITIVE))
    if not ADDITIVE[name].spends(cost):
        able = next(other.name for other in ADDITIVE.values() if other.spends(cost))
        raise CostNotOffered(
            f"mechanism {name!r} cannot spend {cost}; {able!r} can, and so can 'auto'.", mechanism=name, cost=str(cost)
        )
    return ADDITIVE[name] if draws is None else Averaged(draws)


def choice_for(name: str) -> Exponential:
    """The mechanism of that name for choices by rank."""
    if name not in ("auto", CHOICE.name):
        raise _unknown(name, "quantiles", [CHOICE.name, *SMOOTH])
    return CHOICE


def _unknown(name: object, use: str, offered: list[str]) -> UnknownMechanism:
    names = ", ".join(map(repr, ["auto", *offered]))
    return UnknownMechanism(f"mechanism {shown(name)} is not offered for {use}; use one of {names}.", mechanism=name)


__all__ = [
    "ADDITIVE",
    "CHOICE",
    "SMOOTH",
    "Additive",
    "Averaged",
    "Exponential",
    "Gaussian",
    "Laplace",
    "Smooth",
    "additive_for",
    "beats_choice",
    "check_worth",
    "choice_for",
    "price_for",
    "smooth_for",
]
