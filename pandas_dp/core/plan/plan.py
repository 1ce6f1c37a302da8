"""The plan of one answer: which measurements, which noise, at what price. Made from public facts alone, before
paying."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from math import isqrt
from typing import Any

from ...comparisons.measure_contrasts import LearnedRanks
from ...dataclass import dataclass
from ...errors import CostNotOffered, UnknownMechanism, shown
from ...numeric.bootstrap.measure import Resamples
from ...numeric.location.measure import Candidates
from ...numeric.measure_distinct import Counts
from ...numeric.measure_moments import Moments
from ...quantiles.measure_ranks import Ranks
from ...tables.measure import MarginOf
from ...tools.measure import Contest
from ..budget.cost import FREE, Approximate, Cost, Pure
from ..evidence.evidence import Evidence
from ..measure.cells import Norm
from ..measure.forms import Form, form_of, measurement_of
from ..measure.measurement import Measurement
from ..measure.noisy import Noisy
from ..measure.statistic import Estimator, is_planned, is_undecided
from ..neighbours import PublicFacts
from ..noise.choice import Exponential, picks_for
from ..noise.gaussian import DiscreteGaussian
from ..noise.law import Law
from ..noise.mechanisms import (
    ADDITIVE,
    CHOICE,
    SMOOTH,
    Named,
    additive_for,
    choice_for,
    choice_of_ends,
    name_of,
    perturbation_for,
    price_for,
    single_for,
)
from ..noise.perturbation import Moved, Perturbation
from ..noise.smooth import beats_choice, smooth_for
from ..promise import Differential, Promise
from .question import Question, Request
from .stages import Stage, rounds_of
from .steps import Choice, EndOfRange, Step, Sum, Value, Winner


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
    wanted: tuple[tuple[int, ...], ...]  # for each part of the question, the steps that answer it

    def half_widths(self) -> list[float | None]:
        """The half width of each part's interval for the rows in the data; None where it is not public."""
        blanks = [step.blank() for step in self.steps]
        level = self.question.request.confidence
        return [self.conclude(place, blanks).half_width(level) for place in range(len(self.question.parts))]

    @property
    def mechanisms(self) -> str | None:
        names = list(dict.fromkeys(step.mechanism_name for step in self.steps))
        return ", ".join(names) or None

    def conclude(self, place: int, answers: Sequence[Noisy]) -> Evidence:
        """What a part of the question receives, from the answers of all steps."""
        mine = tuple(answers[at] for at in self.wanted[place])
        return self.model.conclude(self.question.parts[place].estimator, mine, self.public)


def make_plan(question: Question, public: PublicFacts, model: Differential, whole: bool, cost: Cost) -> Plan:
    """Share the cost among the measurements that the question needs, and calibrate the noise of each."""
    question = decided(question, public, cost)
    if _in_rounds(question):
        return _rounds(question, public, model, whole, cost)
    measurements, wanted = needed(question, public)
    if not measurements:
        return Plan(question, public, model, whole, FREE, FREE, (), wanted)
    request = question.request
    shares = shared(question, public, len(measurements), wanted, squares=not isinstance(cost, Pure))
    perturbation = perturbation_for(request.mechanism)
    if perturbation is not None:
        price, steps = _perturbed(measurements, shares, perturbation, question, public, model, cost)
        return Plan(question, public, model, whole, price, price, steps, wanted)
    price = _price(measurements, request.mechanism, cost)
    named = zip(measurements, shares, strict=True)
    steps = tuple(
        _step(measurement, measurements, request, model, public, price.part(share)) for measurement, share in named
    )
    if isinstance(cost, Approximate) and isinstance(price, Pure):
        rival = replace(question, request=replace(request, mechanism="gaussian"))
        laws, gaussian = map(_laws, (steps, make_plan(rival, public, model, whole, cost).steps))
        additive_for(request.mechanism, price).worth(laws, gaussian, cost)
        cost = price  # a delta was named to compare with, and is not spent
    return Plan(question, public, model, whole, cost, price, steps, wanted)


def _in_rounds(question: Question) -> bool:
    """Whether what is asked is chosen as it comes."""
    return any(hasattr(type(part.estimator), "choosing") for part in question.parts)


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
    if mechanism in SMOOTH and all(isinstance(measurement, Ranks) for measurement in measurements):
        return cost
    secret = next(
        (measurement for measurement in measurements if isinstance(measurement, Resamples) and measurement.is_secret),
        None,
    )
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
    if not any(is_undecided(part.estimator) for part in question.parts):
        return question
    norm: Norm = 1  # perturbations share out epsilon, as Laplace noise does
    if perturbation_for(mechanism) is None:
        norm = additive_for(mechanism, price_for(mechanism, cost)).norm
    parts = tuple(
        replace(part, estimator=part.estimator.decided(public, norm)) if is_undecided(part.estimator) else part
        for part in question.parts
    )
    return replace(question, parts=parts)


def needed(question: Question, public: PublicFacts) -> tuple[list[Measurement | Form], tuple[tuple[int, ...], ...]]:
    """Every measurement once, and which of them each part of the question is answered from."""
    alone = [part.estimator.measurements(public, ()) for part in question.parts]
    beside = [measurement for measurements in alone for measurement in measurements if isinstance(measurement, Moments)]
    shared = [part.estimator.measurements(public, beside) for part in question.parts]
    measurements = list(dict.fromkeys(measurement for each in shared for measurement in each))
    wanted = tuple(tuple(measurements.index(measurement) for measurement in each) for each in shared)
    told = [
        [part.estimator for part, at in zip(question.parts, wanted, strict=True) if i in at]
        for i in range(len(measurements))
    ]
    forms = [(measurement, form) for measurement in measurements if (form := form_of(measurement)) is not None]
    kept = {each for measurement, form in forms for each in (measurement, *form.after)}
    asked = zip(measurements, told, strict=True)
    return [
        measurement if measurement in kept else _of_their_own(measurement, each) for measurement, each in asked
    ], wanted


def _of_their_own(measurement: Measurement | Form, told: Sequence[Estimator]) -> Measurement | Form:
    """The measurement as all estimators that use it would have it, or as anyone can use it."""
    own = measurement_of(measurement)
    wishes = {each.alone(own) if hasattr(each, "alone") else own for each in told}  # a `Particular`, told fast
    return wishes.pop() if len(wishes) == 1 else own


def shared(
    question: Question,
    public: PublicFacts,
    measurements: int,
    wanted: Sequence[tuple[int, ...]],
    *,
    squares: bool = True,
) -> list[Fraction]:
    """Each measurement's share of the price: by the importance of what it answers, of several the greatest; a planned
    part counts as one, or as the statistics that it stands for, and divides its share itself. `squares`: the variance
    falls with the price, else with its square."""
    plans: dict[tuple[tuple[int, Fraction], ...], Fraction] = {}  # parts told from the same measurements share one
    alone: dict[int, Fraction] = {}
    for part, each in zip(question.parts, wanted, strict=True):
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


def _step(
    asked: Measurement | Form,
    measurements: Sequence[Measurement | Form],
    request: Request,
    model: Differential,
    public: PublicFacts,
    cost: Cost,
) -> Step:
    mechanism = request.mechanism
    form = form_of(asked)
    if form is not None:
        return _stage(form, measurements, mechanism, public, cost)
    measurement = measurement_of(asked)
    if isinstance(measurement, Candidates):
        return _end(measurement, name_of(mechanism), model, public, cost)
    if isinstance(measurement, Contest):
        return _winner(measurement, name_of(mechanism), model, public, cost)
    if isinstance(measurement, Ranks):
        learns = any(isinstance(each, LearnedRanks) for each in measurements)  # the mechanism is for what is compared
        how = ("auto" if learns else name_of(mechanism), model, public, cost)
        return _value(measurement, *how) or _choice(measurement, *how)
    if isinstance(measurement, Resamples) and measurement.is_secret:
        assert isinstance(cost, Approximate)
        return _secret_step(measurement, name_of(mechanism), cost)
    numbers = measurement.cells.size * len(measurement.weights(1, public.adjacency))
    noise = additive_for(mechanism, cost, numbers)
    sensitivity = model.sensitivity(measurement, noise.norm, public.adjacency)
    weights = measurement.weights(noise.norm, public.adjacency)
    if numbers == 1:
        noise = single_for(mechanism, cost, weights[0], sensitivity) or noise
    law = {weight: noise.law(weight, sensitivity, cost) for weight in dict.fromkeys(weights)}
    return Sum(measurement, noise, tuple(law[weight] for weight in weights))


def _stage(
    form: Form, measurements: Sequence[Measurement | Form], mechanism: Named, public: PublicFacts, cost: Cost
) -> Stage:
    """A later stage: its laws are those of the farthest that any parameter lets neighbours be apart."""
    noise = additive_for(mechanism, cost)
    sensitivity = form.sensitivity(noise.norm, public.adjacency)
    laws = tuple(noise.law(weight, sensitivity, cost) for weight in form.weights(noise.norm, public.adjacency))
    return Stage(form, tuple(map(measurements.index, form.after)), noise, laws)


def _choice(measurement: Ranks, mechanism: str, model: Differential, public: PublicFacts, cost: Cost) -> Choice:
    choice, rate = _rated(measurement, choice_for(mechanism), model, public, cost)
    return Choice(choice.aimed(measurement, rate), rate)


def _end(measurement: Candidates, mechanism: str, model: Differential, public: PublicFacts, cost: Cost) -> EndOfRange:
    choice, rate = _rated(measurement, choice_of_ends(mechanism), model, public, cost)
    return EndOfRange(choice.left_outside(measurement, rate, cost), rate)


def _winner(measurement: Contest, mechanism: str, model: Differential, public: PublicFacts, cost: Cost) -> Winner:
    how = picks_for(mechanism, cost)
    return Winner(
        measurement, CHOICE.rate(model.sensitivity(measurement, CHOICE.norm(cost), public.adjacency), cost), how
    )


def _rated(
    measurement: Ranks | Candidates, choice: Exponential, model: Differential, public: PublicFacts, cost: Cost
) -> tuple[Exponential, Fraction]:
    if not choice.spends(cost):
        raise CostNotOffered(f"mechanism {choice.name!r} cannot spend {cost}.", mechanism=choice.name)
    return choice, choice.rate(model.sensitivity(measurement, choice.norm(cost), public.adjacency), cost)


def _value(measurement: Ranks, mechanism: str, model: Differential, public: PublicFacts, cost: Cost) -> Value | None:
    """The cost is shared among the cells that one person can change; costs of independent noise add up."""
    if measurement.most is not None:
        if mechanism in SMOOTH:
            raise UnknownMechanism(
                f"mechanism {mechanism!r} takes tables with one row of each person; over rows of people leave it out.",
                mechanism=mechanism,
            )
        return None
    within = cost.part(Fraction(1, measurement.cells_moved(public.adjacency)))
    size = public.size if public.counts_public(measurement.cells, [measurement.variable]) else None
    is_dp = type(model) is Differential  # another public scale brings its own proof
    if mechanism == "auto" and is_dp and beats_choice(within, measurement, size):
        mechanism = "smooth"
    if mechanism not in SMOOTH:
        return None
    if not is_dp:
        raise UnknownMechanism(f"mechanism {mechanism!r} is for model 'dp', not {model.name!r}; leave one of them out.")
    return Value(replace(measurement, inset=0), smooth_for(mechanism, within, measurement, size))


def _secret_step(measurement: Resamples, mechanism: str, cost: Approximate) -> Step:
    """Noise by the loss of all replicates together. Proof: docs/proofs/numeric/resampling.md."""
    if mechanism not in ("auto", "gaussian"):
        raise CostNotOffered(
            f"mechanism {shown(mechanism)} makes no replicates of secret samples; use 'gaussian' or 'auto'.",
            mechanism=mechanism,
        )
    from ...numeric.bootstrap.accounting import least_variance, resample, subset  # late: seldom needed

    sample = (
        subset(measurement.drawn, measurement.size)
        if measurement.design == "half-sample"
        else resample(measurement.size)
    )
    variance = least_variance(cost, measurement.replicates, sample, measurement.swing)
    return Sum(measurement, ADDITIVE["gaussian"], (DiscreteGaussian(variance),) * measurement.replicates)


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
    counts = [t for t in measurements if isinstance(t, Counts) or (isinstance(t, MarginOf) and t.counts)]
    if len(counts) < len(measurements):
        raise UnknownMechanism(
            f"mechanism {perturbation.name!r} perturbs counts under model='dp'; for this {question.statistic} "
            "use 'auto'.",
            mechanism=perturbation.name,
        )
    if not perturbation.additive and any(isinstance(measurement, MarginOf) for measurement in counts):
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
    steps = (Sum(measurement, perturbation, (law,)) for measurement, law in zip(counts, fitted.laws, strict=True))
    return fitted.price, tuple(steps)
