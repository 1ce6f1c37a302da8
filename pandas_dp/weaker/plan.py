"""What is done under a promise with a private scale: each statistic is asked for itself, for a part of the cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from ..core.budget.cost import Cost
from ..core.measure.measurement import Rows
from ..core.measure.statistic import Estimator
from ..core.neighbours import PublicFacts
from ..core.noise.mechanisms import ADDITIVE, CHOICE, SMOOTH, Named, additive_for, name_of, perturbation_for
from ..errors import UnknownMechanism, shown
from .ordered import Ordered, Portions
from .promise import Asked, Weaker
from .statistics import finals_of
from .steps import Calibrated, ChoiceAmongOccurring

Steps = tuple[Calibrated | ChoiceAmongOccurring, ...]


def asked_of(
    promise: Weaker, statistics: Sequence[Estimator], public: PublicFacts, mechanism: Named
) -> tuple[list[Asked], tuple[tuple[int, ...], ...]]:
    """Everything once, and which of it each statistic is computed from. Public facts alone decide."""
    name = _named(mechanism)
    asked = _together(
        [
            tuple(each for final in finals_of(statistic, public) for each in promise.asks(final, public, name))
            for statistic in statistics
        ]
    )
    distinct = list(dict.fromkeys(each for several in asked for each in several))
    return distinct, tuple(tuple(distinct.index(each) for each in several) for several in asked)


def steps_of(
    promise: Weaker,
    asked: Sequence[Asked],
    public: PublicFacts,
    mechanism: Named,
    price: Cost,
    further_rows: Rows | None,
) -> Steps:
    """The scales are found when looking, so nothing here depends on them."""
    part = price.part(Fraction(1, len(asked)))
    return tuple(_step(each, promise, public, _named(mechanism), part, further_rows) for each in asked)


def _step(
    asked: Asked, promise: Weaker, public: PublicFacts, mechanism: str, cost: Cost, further_rows: Rows | None
) -> Calibrated | ChoiceAmongOccurring:
    final, ranks = asked
    if ranks is not None:
        assert isinstance(final, Ordered)
        rate = CHOICE.rate(ranks.sensitivity(CHOICE.norm(cost), public.adjacency), cost)
        return ChoiceAmongOccurring(final, ranks, rate, further_rows, promise.floored)
    return Calibrated(promise, public, additive_for(mechanism, cost), cost, further_rows, measurement=final)


def _together(asked: list[tuple[Asked, ...]]) -> list[tuple[Asked, ...]]:
    """A mean uses the sums that a variance needs, where both are asked and the number of rows is private."""
    wide = {each for several in asked for each in several if isinstance(each[0], Portions) and each[0].squared}

    def widened(each: Asked) -> Asked:
        final, _ = each
        wider = (replace(final, squared=True), None) if isinstance(final, Portions) else each
        return wider if wider in wide else each

    return [tuple(widened(each) for each in several) for several in asked]


def _named(mechanism: Named) -> str:
    """Perturbations of counts are for noise whose law is public."""
    if perturbation_for(mechanism) is not None:
        raise UnknownMechanism(
            f"mechanism {shown(mechanism)} perturbs counts under model='dp'; under the weaker promises leave it out.",
            mechanism=mechanism if isinstance(mechanism, str) else type(mechanism).__name__,
        )
    if mechanism in SMOOTH and mechanism not in ADDITIVE:
        raise UnknownMechanism(
            f"mechanism {shown(mechanism)} is for model='dp'; under the weaker promises leave it out.",
            mechanism=name_of(mechanism),
        )
    return name_of(mechanism)
