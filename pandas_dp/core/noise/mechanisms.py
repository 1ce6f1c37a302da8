"""One file per way of adding noise: how it is calibrated to a sensitivity and a cost, and the noise itself."""

from __future__ import annotations

from dataclasses import MISSING, fields
from fractions import Fraction

from ...errors import CostNotOffered, UnknownMechanism, shown
from ..budget.cost import Approximate, Cost
from ..lazy_import import import_all
from .choice import Exponential
from .mechanism import Additive
from .perturbation import Perturbation
from .staircase import Staircase

import_all(__package__)
globals().update({kind.__name__: kind for kind in (*Additive.known.values(), *Perturbation.known.values())})


def _plain(kind: type) -> bool:
    """Whether it can be made without parameters, and so has a name that a question could take."""
    return all(each.default is not MISSING or each.default_factory is not MISSING for each in fields(kind))


ADDITIVE: dict[str, Additive] = {
    name: kind()
    for name, kind in sorted(Additive.known.items(), key=lambda each: (each[1].unasked is None, each[1].norm, each[0]))
}
UNASKED = {each.unasked: each for each in ADDITIVE.values() if each.unasked is not None}
CHOICE = Exponential()
SMOOTH = ("smooth", "cauchy", "student", "laplace")  # noise around a value of given rank; the first is the best of them
COUNTING: dict[str, Perturbation] = {name: kind() for name, kind in Perturbation.known.items() if _plain(kind)}
MADE = tuple(kind for kind in Perturbation.known.values() if not _plain(kind))
Named = str | Additive | Perturbation
"""What `mechanism=` takes: a name, or a mechanism that was made with its parameters."""


def name_of(asked: Named) -> str:
    return asked if isinstance(asked, str) else asked.name


def price_for(asked: Named, cost: Cost) -> Cost:
    """What the mechanism spends of a cost: Gaussian noise rho, averaged Laplace noise no delta."""
    found = ADDITIVE.get(asked) if isinstance(asked, str) else asked
    if isinstance(found, Additive):
        return found.price(cost)
    return cost.concentrated() if isinstance(cost, Approximate) else cost


def additive_for(asked: Named, cost: Cost, numbers: int | None = None) -> Additive:
    """The mechanism for so many numbers (None: any); `auto` is the one that spends this kind of cost."""
    if asked == "auto":
        return UNASKED[type(cost)]
    found = ADDITIVE.get(asked) if isinstance(asked, str) else asked
    if not isinstance(found, Additive):
        able_to = [each.name for each in ADDITIVE.values() if each.hides(numbers)]
        raise _unknown(name_of(asked), "this question", able_to, f"; counts also take {', '.join(map(repr, COUNTING))}")
    if not found.spends(cost):
        able = next(other.name for other in ADDITIVE.values() if other.spends(cost))
        raise CostNotOffered(
            f"mechanism {found.name!r} cannot spend {cost}; {able!r} can, and so can 'auto'.",
            mechanism=found.name,
            cost=str(cost),
        )
    if not found.hides(numbers):
        raise UnknownMechanism(
            f"mechanism {found.name!r} adds noise to one number, e.g. a sum of all rows under model='dp'; use "
            "'laplace' or 'auto'.",
            mechanism=found.name,
        )
    return found


def single_for(asked: Named, cost: Cost, weight: Fraction, sensitivity: Fraction) -> Additive | None:
    """What is better for one number of this sensitivity, where the question leaves it open; None where nothing is."""
    return Staircase() if asked == "auto" and Staircase().beats(weight, sensitivity, cost) else None


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


def choice_of_ends(name: str) -> Exponential:
    """The mechanism of that name for the ends of a range."""
    if name not in ("auto", CHOICE.name):
        raise _unknown(name, "choosing bounds", [CHOICE.name])
    return CHOICE


def _unknown(name: object, use: str, offered: list[str], also: str = "") -> UnknownMechanism:
    names = ", ".join(map(repr, ["auto", *offered]))
    return UnknownMechanism(
        f"mechanism {shown(name)} is not offered for {use}; use one of {names}{also}.", mechanism=name
    )


def __dir__() -> list[str]:
    """The names of `pdp.mechanisms` that a question can be given; the rest is internal."""
    return [each.__name__ for each in (*Additive.known.values(), *Perturbation.known.values())]
