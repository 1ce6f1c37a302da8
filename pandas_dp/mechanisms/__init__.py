"""One file per way of adding noise: how it is calibrated to a reach and a cost, and the noise itself."""

from __future__ import annotations

from fractions import Fraction

from ..cost import Approximate, Cost, Pure
from ..errors import CostNotOffered, UnknownMechanism, shown
from .averaged import Averaged, check_worth
from .bounded import AdditiveUtility, MaximumEntropy, TruncatedLaplace, TruncatedNormal
from .exponential import Exponential
from .gaussian import Gaussian
from .hellinger import Hellinger
from .laplace import Laplace
from .mechanism import Additive, Blurring
from .perturbation import Fitted, Moved, Perturbation
from .smooth import Smooth, beats_choice, smooth_for
from .staircase import StaircaseNoise

STAIRCASE = StaircaseNoise()
ADDITIVE: dict[str, Additive] = {
    mechanism.name: mechanism for mechanism in (Laplace(), Gaussian(), Averaged(), STAIRCASE)
}
CHOICE = Exponential()
SMOOTH = ("smooth", "cauchy", "student", "laplace")  # noise around a value of given rank; the first is the best of them
COUNTING: dict[str, Perturbation] = {each.name: each for each in (TruncatedLaplace(), TruncatedNormal(), Hellinger())}
MADE = (MaximumEntropy, AdditiveUtility)  # need parameters, so they have no name that a question could take


def price_for(name: str, cost: Cost) -> Cost:
    """What the mechanism of that name spends of a cost: Gaussian noise rho, averaged Laplace noise no delta."""
    if not isinstance(cost, Approximate):
        return cost
    return Pure(cost.epsilon) if name == Averaged.name else cost.concentrated()


def additive_for(name: str, cost: Cost, draws: int | None = None, numbers: int | None = None) -> Additive:
    """The mechanism of that name for so many numbers (None: any); `auto` is the one that spends this kind of cost."""
    if name == "auto":
        return next(mechanism for mechanism in ADDITIVE.values() if mechanism.spends(cost))
    if name not in ADDITIVE:
        raise _unknown(name, "this question", list(ADDITIVE), f"; counts also take {', '.join(map(repr, COUNTING))}")
    if not ADDITIVE[name].spends(cost):
        able = next(other.name for other in ADDITIVE.values() if other.spends(cost))
        raise CostNotOffered(
            f"mechanism {name!r} cannot spend {cost}; {able!r} can, and so can 'auto'.", mechanism=name, cost=str(cost)
        )
    found = ADDITIVE[name] if draws is None else Averaged(draws)
    if found.most is not None and (numbers is None or numbers > found.most):
        raise UnknownMechanism(
            f"mechanism {name!r} adds noise to one number, e.g. a sum of all rows under model='dp'; use 'laplace' or "
            "'auto'.",
            mechanism=name,
        )
    return found


def single_for(name: str, cost: Cost, weight: Fraction, reach: Fraction) -> Additive | None:
    """What is better for one number of this reach, where the question leaves it open; None where nothing is."""
    return STAIRCASE if name == "auto" and STAIRCASE.beats(weight, reach, cost) else None


def perturbation_for(name: object) -> Perturbation | None:
    """The perturbation of counts of that name, or the one that was made; None where it is another mechanism."""
    if isinstance(name, Perturbation):
        return name
    made = next((each for each in MADE if each.name == name), None)
    if made is not None:
        raise UnknownMechanism(
            f"mechanism {name!r} needs parameters; pass mechanism=pdp.mechanisms.{made.__name__}(...).", mechanism=name
        )
    return COUNTING.get(name) if isinstance(name, str) else None


def choice_for(name: str) -> Exponential:
    """The mechanism of that name for choices by rank."""
    if name not in ("auto", CHOICE.name):
        raise _unknown(name, "quantiles", [CHOICE.name, *SMOOTH])
    return CHOICE


def _unknown(name: object, use: str, offered: list[str], also: str = "") -> UnknownMechanism:
    names = ", ".join(map(repr, ["auto", *offered]))
    return UnknownMechanism(
        f"mechanism {shown(name)} is not offered for {use}; use one of {names}{also}.", mechanism=name
    )


def __dir__() -> list[str]:
    """The names of `pdp.mechanisms` that a question can be given; the rest is internal."""
    return [each.__name__ for each in (*MADE, *map(type, COUNTING.values()))]


__all__ = [
    "ADDITIVE",
    "CHOICE",
    "COUNTING",
    "SMOOTH",
    "Additive",
    "AdditiveUtility",
    "Averaged",
    "Blurring",
    "Exponential",
    "Fitted",
    "Gaussian",
    "Hellinger",
    "Laplace",
    "MaximumEntropy",
    "Moved",
    "Perturbation",
    "Smooth",
    "StaircaseNoise",
    "TruncatedLaplace",
    "TruncatedNormal",
    "additive_for",
    "beats_choice",
    "check_worth",
    "choice_for",
    "perturbation_for",
    "price_for",
    "single_for",
    "smooth_for",
]
