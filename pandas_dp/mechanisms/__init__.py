"""One file per way of adding noise: how it is calibrated to a reach and a cost, and the noise itself."""

from __future__ import annotations

from ..cost import Cost
from ..errors import CostNotOffered, UnknownMechanism, shown
from .exponential import Exponential
from .gaussian import Gaussian
from .laplace import Laplace
from .mechanism import Additive

ADDITIVE: dict[str, Additive] = {mechanism.name: mechanism for mechanism in (Laplace(), Gaussian())}
CHOICE = Exponential()


def additive_for(name: str, cost: Cost) -> Additive:
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
    return ADDITIVE[name]


def choice_for(name: str) -> Exponential:
    """The mechanism of that name for choices by rank."""
    if name not in ("auto", CHOICE.name):
        raise _unknown(name, "quantiles", [CHOICE.name])
    return CHOICE


def _unknown(name: object, use: str, offered: list[str]) -> UnknownMechanism:
    names = ", ".join(map(repr, ["auto", *offered]))
    return UnknownMechanism(f"mechanism {shown(name)} is not offered for {use}; use one of {names}.", mechanism=name)


__all__ = ["ADDITIVE", "CHOICE", "Additive", "Exponential", "Gaussian", "Laplace", "additive_for", "choice_for"]
