"""The plan of one answer: which measurements, which noise, at what price. Made from public facts alone, before
paying."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from math import isqrt
from typing import Any, Protocol, TypeGuard

from ...errors import CostNotOffered, UnknownMechanism
from ..budget.cost import FREE, Approximate, Cost, Pure
from ..evidence.evidence import Evidence
from ..label.layout import Layout
from ..measure.cells import Norm, Variable
from ..measure.measurement import Form, Measurement, Noisy
from ..measure.statistic import Estimator
from ..neighbours import PublicFacts
from ..noise.mechanism import Law
from ..noise.mechanisms import (
    SMOOTH,
    Named,
    additive_for,
    name_of,
    perturbation_for,
    price_for,
)
from ..noise.perturbation import Moved, Perturbation
from ..promise import Differential, Promise
from ..schema.declared import States
from .steps import Calibration, NoisySum, Step, rounds_of, step_for


@dataclass(frozen=True)
class Request:
    """How the answer is to be paid for, and how sure its intervals should be."""

    cost: Cost | None = None  # None: the session's share per query
    width: float | None = None  # in place of a cost: the noise's interval is to be this wide
    model: str = "dp"
    mechanism: Named = "auto"
    confidence: float = 0.95
    bootstrap: Any = None
    options: Mapping[str, Any] = field(default_factory=dict, hash=False)  # of the promise, where not usual
    note: str | None = None  # what the asker wants to be remembered
    remarks: tuple[str, ...] = ()  # what a reader of the answer is told of how the question was read


@dataclass(frozen=True)
class Asked:
    """One statistic of one column, or of several together.

    `importance` is by how much less its variance is to be than that of another part of the question, about.
    """

    column: Any
    estimator: Estimator
    together: tuple[Any, ...] = ()
    importance: Fraction = Fraction(1)


@dataclass(frozen=True)
class Question:
    """All that one release answers, and the table it fills."""

    statistic: str
    parts: tuple[Asked, ...]
    layout: Layout
    request: Request

    @cached_property
    def columns(self) -> list[Any]:
        named: dict[Any, None] = {}
        for part in self.parts:
            named |= dict.fromkeys(part.together if part.column is None else (part.column,))
        named.pop(None, None)
        return list(named)

    @cached_property
    def finds_keys(self) -> bool:
        """Whether its cells are an answer, and not known beforehand."""
        return True in [getattr(type(part.estimator), "finds_keys", False) for part in self.parts]

    @property
    def needs_delta(self) -> bool:
        """Whether an epsilon alone does not buy it."""
        return any(getattr(part.estimator, "needs_delta", False) for part in self.parts)

    @cached_property
    def zone(self) -> str | None:
        """The time zone of its points in time, where they have one; UTC where they have several."""
        variables = [
            getattr(part.estimator, "variable", None) for part in self.parts if part.estimator.kind == "datetime"
        ]
        zones = {variable.interval.tz for variable in variables if isinstance(variable, Variable)} - {None}
        return zones.pop() if len(zones) == 1 else "UTC" if zones else None

    @property
    def needed(self) -> list[Any]:
        """Every column that is read."""
        return [*self.columns, *(key.column for part in self.parts for key in part.estimator.cells.keys)]

    @property
    def by(self) -> list[Any]:
        """What sorts rows into cells, declared or found; the states of a column are what is asked of it."""
        if self.finds_keys:
            return self.columns
        keys = self.parts[0].estimator.cells.keys
        return [key.name for key in keys if not isinstance(key.labels, States)]


@dataclass(frozen=True)
class Plan:
    """What will be done, and what it costs. Nothing in it comes from data."""

    question: Question
    public: PublicFacts
    model: Promise
    whole: bool
    asked: Cost  # as the label says it
    price: Cost  # as the ledger is charged
    steps: tuple[Step, ...]
    requested: tuple[tuple[int, ...], ...]  # for each part of the question, the steps that answer it

    def half_widths(self) -> list[float | None]:
        """The half width of each part's interval for the rows in the data; None where it is not public."""
        blanks = [step.blank() for step in self.steps]
        level = self.question.request.confidence
        return [self.conclude(place, blanks).half_width(level) for place in range(len(self.question.parts))]

    @property
    def mechanisms(self) -> str | None:
        names = list(dict.fromkeys([step.mechanism_name for step in self.steps]))
        return ", ".join(names) or None

    def conclude(self, place: int, answers: Sequence[Noisy]) -> Evidence:
        """What a part of the question receives, from the answers of all steps."""
        mine = tuple(answers[at] for at in self.requested[place])
        return self.model.conclude(self.question.parts[place].estimator, mine, self.public)


def make_plan(question: Question, public: PublicFacts, model: Differential, whole: bool, cost: Cost) -> Plan:
    """Share the cost among the measurements that the question needs, and calibrate the noise of each."""
    for part in question.parts:  # asked of the class: to check a protocol takes ten times as long
        if hasattr(type(part.estimator), "decided"):
            question = decided(question, public, cost)
            break
    for part in question.parts:
        if hasattr(type(part.estimator), "choosing"):  # what is asked is chosen as it comes
            return _rounds(question, public, model, whole, cost)
    measurements, requested = needed(question, public)
    if not measurements:
        return Plan(question, public, model, whole, FREE, FREE, (), requested)
    request = question.request
    shares = shared(question, public, len(measurements), requested, squares=not isinstance(cost, Pure))
    perturbation = None if request.mechanism == "auto" else perturbation_for(request.mechanism)
    if perturbation is not None:
        price, steps = _perturbed(measurements, shares, perturbation, question, public, model, cost)
        return Plan(question, public, model, whole, price, price, steps, requested)
    price = _price(measurements, request.mechanism, cost)
    how = Calibration(request.mechanism, model, public, price, measurements)
    each = zip(measurements, shares, strict=True)
    steps = tuple(
        [
            step_for(measurement, how if share == 1 else replace(how, cost=price.part(share)))
            for measurement, share in each
        ]
    )
    if isinstance(cost, Approximate) and isinstance(price, Pure):
        rival = replace(question, request=replace(request, mechanism="gaussian"))
        laws, gaussian = map(_laws, (steps, make_plan(rival, public, model, whole, cost).steps))
        additive_for(request.mechanism, price).worth(laws, gaussian, cost)
        cost = price  # a delta was named to compare with, and is not spent
    return Plan(question, public, model, whole, cost, price, steps, requested)


def _rounds(question: Question, public: PublicFacts, model: Differential, whole: bool, cost: Cost) -> Plan:
    """Looks that are chosen as they come: the price is that of all together, whatever is spent of it."""
    (part,) = question.parts
    estimator: Any = part.estimator
    price = price_for(question.request.mechanism, cost)
    noise = additive_for(question.request.mechanism, price)
    estimator.check_price(price, name_of(question.request.mechanism))
    steps = rounds_of(estimator.choosing(public), (), noise, public.adjacency, price)
    return Plan(question, public, model, whole, cost, price, steps, (tuple(range(len(steps))),))


def _price(measurements: Sequence[Measurement | Form], mechanism: Named, cost: Cost) -> Cost:
    """What the ledger is charged: rho for Gaussian noise; for what spends a delta as it is, what was asked."""
    if mechanism in SMOOTH and all(hasattr(measurement, "cells_moved") for measurement in measurements):  # of ranks
        return cost
    secret: Any = None
    for measurement in measurements:
        secret = measurement if getattr(measurement, "is_secret", False) else secret
    if secret is None:
        return price_for(mechanism, cost)
    if not isinstance(cost, Approximate):
        raise CostNotOffered(
            f"resample={secret.design!r} draws secret samples, which cannot satisfy {cost}: with small probability "
            "a sample exposes a person. Give epsilon= with delta=, or use resample='moments'.",
            resample=secret.design,
            cost=str(cost),
        )
    return cost


def decided(question: Question, public: PublicFacts, cost: Cost) -> Question:
    """With the measurements of each part decided, where they depend on the norm of the noise that the cost buys."""
    mechanism = question.request.mechanism
    norm: Norm = 1  # perturbations share out epsilon, as Laplace noise does
    if perturbation_for(mechanism) is None:
        norm = additive_for(mechanism, price_for(mechanism, cost)).norm
    parts = tuple(
        replace(part, estimator=part.estimator.decided(public, norm)) if depends_on_norm(part.estimator) else part
        for part in question.parts
    )
    return replace(question, parts=parts)


def needed(question: Question, public: PublicFacts) -> tuple[list[Measurement | Form], tuple[tuple[int, ...], ...]]:
    """Every measurement once, and which of them each part of the question is answered from."""
    asked = [part.estimator.measurements(public, ()) for part in question.parts]
    if len(asked) > 1:  # some are told from what others ask for
        beside: Any = [
            measurement
            for measurements in asked
            for measurement in measurements
            if getattr(measurement, "is_common", False)
        ]
        asked = [part.estimator.measurements(public, beside) for part in question.parts]
    measurements = list(dict.fromkeys([measurement for each in asked for measurement in each]))
    requested = tuple([tuple(map(measurements.index, each)) for each in asked])
    particular = [part.estimator for part in question.parts if hasattr(part.estimator, "alone")]
    if not particular:
        return measurements, requested
    forms: list[Any] = [measurement for measurement in measurements if hasattr(measurement, "parameter")]
    kept = {each for form in forms for each in (form, *form.after)}
    differential = [
        [part.estimator for part, at in zip(question.parts, requested, strict=True) if i in at]
        for i in range(len(measurements))
    ]
    own = zip(measurements, differential, strict=True)
    return [
        measurement if measurement in kept else _of_their_own(measurement, each) for measurement, each in own
    ], requested


def _of_their_own(measurement: Any, estimators: Sequence[Estimator]) -> Any:
    """The measurement as all estimators that use it would have it, or as anyone can use it."""
    wishes = {
        each.alone(measurement) if hasattr(each, "alone") else measurement for each in estimators
    }  # a `ReweightsAlone`, told fast
    return wishes.pop() if len(wishes) == 1 else measurement


def shared(
    question: Question,
    public: PublicFacts,
    measurements: int,
    requested: Sequence[tuple[int, ...]],
    *,
    squares: bool = True,
) -> list[Fraction]:
    """Each measurement's share of the price: by the importance of what it answers, of several the greatest; a planned
    part counts as one, or as the statistics that it stands for, and divides its share itself. `squares`: the variance
    falls with the price, else with its square."""
    if len(question.parts) == 1 and not hasattr(question.parts[0].estimator, "spends"):
        return [Fraction(1, measurements)] * measurements
    plans: dict[tuple[tuple[int, Fraction], ...], Fraction] = {}  # parts told from the same measurements share one
    alone: dict[int, Fraction] = {}
    for part, each in zip(question.parts, requested, strict=True):
        worth = part.importance if squares else _root(part.importance)
        if is_planned(part.estimator):
            plan = tuple(zip(each, part.estimator.shares(public), strict=True))
            several = getattr(part.estimator, "parts", 1) * worth
            plans[plan] = max(plans.get(plan, Fraction(0)), several)
        else:
            alone.update({at: max(alone.get(at, Fraction(0)), worth) for at in each})
    whole = sum(alone.values()) + sum(plans.values())
    of_plans = [{at: share * worth for at, share in plan} for plan, worth in plans.items()]
    return [
        max([alone.get(at, Fraction(0)), *(each.get(at, Fraction(0)) for each in of_plans)]) / whole
        for at in range(measurements)
    ]


def _root(number: Fraction) -> Fraction:
    """The square root, to twenty binary digits; that of 1 is 1."""
    return Fraction(isqrt((number.numerator << 40) // number.denominator), 1 << 20)


def _laws(steps: tuple[Step, ...]) -> list[Law]:
    return [law for step in steps for law in step.laws]


def _perturbed(
    measurements: list[Measurement | Form],
    shares: list[Fraction],
    perturbation: Perturbation,
    question: Question,
    public: PublicFacts,
    model: Differential,
    cost: Cost,
) -> tuple[Cost, tuple[Step, ...]]:
    """Steps for counts alone; what they cost together follows from their laws."""
    counts: list[Any] = [measurement for measurement in measurements if getattr(measurement, "counts_rows", False)]
    if len(counts) < len(measurements):
        raise UnknownMechanism(
            f"mechanism {perturbation.name!r} perturbs counts under model='dp'; for this {question.statistic} "
            "use 'auto'.",
            mechanism=perturbation.name,
        )
    if not perturbation.additive and any(getattr(measurement, "is_shared", False) for measurement in counts):
        raise UnknownMechanism(
            f"mechanism {perturbation.name!r} hides counts by noise that depends on them, so tables that share a plan "
            "cannot be fitted or added up; use another, or ask for one table without planned margins.",
            mechanism=perturbation.name,
        )
    moved = [
        Moved(int(model.sensitivity(measurement, 1, public.adjacency)), share)
        for measurement, share in zip(counts, shares, strict=True)
    ]
    fitted = perturbation.fit(moved, cost, question.request.cost is not None)
    steps = (NoisySum(measurement, perturbation, (law,)) for measurement, law in zip(counts, fitted.laws, strict=True))
    return fitted.price, tuple(steps)


class Planned(Protocol):
    """An estimator whose measurements share their cost unequally."""

    def shares(self, public: PublicFacts) -> tuple[Fraction, ...]:
        """The share of the cost for each measurement: together they cost no more than one, by a proof of the
        estimator."""

    def spends(self, parts: Sequence[Fraction], public: PublicFacts) -> Fraction:
        """What measurements that spend so much each spend together, by that proof."""


class DependsOnNorm(Protocol):
    """An estimator whose measurements depend on the noise that will be used."""

    def decided(self, public: PublicFacts, norm: Norm) -> Estimator:
        """The same question, with its measurements decided by public facts."""


def is_planned(estimator: object) -> TypeGuard[Planned]:
    """Asked of the class, as every question asks it: a check of a protocol takes ten times as long."""
    return hasattr(type(estimator), "shares") and hasattr(type(estimator), "spends")


def depends_on_norm(estimator: object) -> TypeGuard[DependsOnNorm]:
    return hasattr(type(estimator), "decided")
