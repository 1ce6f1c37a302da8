"""The laws that names of mechanisms stand for at each epsilon, and tables released by them; nothing is protected."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from ..conclusions import Masses
from ..cost import Approximate, Concentrated, Cost, Pure
from ..errors import BadArgument
from ..laws import DiscreteGaussian, DiscreteLaplace, HellingerLaw, Law
from ..mechanisms import COUNTING, AveragedLaplace, Moved, Perturbation, perturbation_for
from ..reading import a_number, is_number

Floats = npt.NDArray[np.float64]
Mechanism = str | Perturbation | Callable[[float], Law]

DEFAULT = ["laplace", "gaussian"]


def read_mechanisms(
    given: Any, epsilons: Sequence[float], moved: int, delta: float | None
) -> list[tuple[str, float, Law]]:
    """Each mechanism at each epsilon; one person moves so many counts by one."""
    if given is None:
        given = DEFAULT
    if isinstance(given, str | Perturbation):
        given = [given]
    if isinstance(given, list | tuple):
        given = {each if isinstance(each, str) else repr(each): each for each in given}
    if not isinstance(given, Mapping) or not given:
        raise BadArgument(
            "mechanisms must be names of mechanisms, or map names of your own to mechanisms or to functions of epsilon "
            "that give a law of noise."
        )
    for epsilon in epsilons:
        if not is_number(epsilon) or not 0 < epsilon < float("inf"):
            raise BadArgument("epsilons must be positive numbers, and one of those given is none.")
    if delta is not None:
        a_number("delta", delta, 0, 1)
    return [
        (str(name), float(epsilon), law_of(each, epsilon, moved, delta))
        for name, each in given.items()
        for epsilon in epsilons
    ]


def law_of(mechanism: Mechanism, epsilon: float, moved: int, delta: float | None) -> Law:
    """The noise on a count, as the library would add it for this cost."""
    exact = Fraction(str(epsilon))
    if mechanism == "laplace":
        return DiscreteLaplace(moved / exact)
    if mechanism == "gaussian":
        rho = exact**2 / 2 if delta is None else _rho(Approximate(exact, Fraction(str(delta))))
        return DiscreteGaussian(moved / (2 * rho))
    if mechanism == AveragedLaplace.name:
        return AveragedLaplace().law(Fraction(1), Fraction(moved), Pure(exact))
    perturbation = perturbation_for(mechanism)
    if perturbation is not None:
        named = isinstance(mechanism, str) and perturbation.additive  # one that was made has its range, and its price
        cost: Cost = Approximate(exact, Fraction(str(delta))) if named and delta is not None else Pure(exact)
        return perturbation.fit([Moved(moved, Fraction(1))], cost, True).laws[0]
    if callable(mechanism):
        return mechanism(epsilon)
    names = ", ".join(map(repr, [*DEFAULT, AveragedLaplace.name, *COUNTING]))
    raise BadArgument(
        f"mechanisms may be {names}, a mechanism, or a function of epsilon; one that was given is none of them."
    )


def _rho(cost: Approximate) -> Fraction:
    spent = cost.concentrated()
    assert isinstance(spent, Concentrated)
    return spent.rho


def released(counts: Floats, law: Law, repetitions: int, rng: np.random.Generator) -> Floats:
    """So many tables of these counts with noise."""
    many = np.broadcast_to(counts, (repetitions, *counts.shape))
    if isinstance(law, HellingerLaw):
        return law.simulated(many, rng)
    return many + Masses(law).draw(rng, many.shape)
