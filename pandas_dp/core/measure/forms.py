"""A measurement that is determined later, by earlier noisy answers of the same question."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Protocol, cast, runtime_checkable

from ...dataclass import dataclass
from ...synthetic.measure import TableRace
from ..neighbours import Adjacency
from .cells import Cells, Norm
from .measurement import Added, Measurement
from .noisy import Noisy

__all__ = [
    "Choosing",
    "Form",
    "NextStage",
    "form_of",
    "measurement_of",
]


@runtime_checkable
class Form(Protocol):
    """What a statistic asks for in a later stage: cells, weights and sensitivity are known before the first.

    It promises that `sensitivity` is kept *for every parameter*: `at` clamps what each row brings, whatever its
    parameter. It never sees rows. Proof of what such stages keep together: docs/proofs/core/stages.md.
    """

    @property
    def after(self) -> tuple[Measurement | Form, ...]:
        """What was asked earlier, from whose answers the parameter is made."""

    @property
    def cells(self) -> Cells: ...

    def weights(self, norm: Norm, adjacency: Adjacency) -> tuple[Fraction, ...]:
        """The weight of each coordinate, whatever the parameter."""

    def sensitivity(self, norm: Norm, adjacency: Adjacency) -> Fraction:
        """The sensitivity: how far apart neighbours are at most, in these weights, whatever the parameter."""

    def parameter(self, earlier: tuple[Noisy, ...]) -> Any:
        """The parameter, from the answers to `after` alone. Total: it clips and floors, and raises for no answer."""

    def at(self, parameter: Any) -> Added: ...

    def say(self, parameter: Any) -> Any:
        """The parameter as JSON, for the label."""


@dataclass(frozen=True)
class NextStage:
    """A stage that was chosen: what is asked of the rows, for which share of the price, and why, as JSON.

    Of a race what is told is the place of the table that won.
    """

    measurement: Added | TableRace
    share: Fraction
    parameter: Any = None


@runtime_checkable
class Choosing(Protocol):
    """What a statistic asks for in rounds: each measurement and its share of the price follow from all answers so far.

    Its noise is calibrated to the sensitivity of the very measurement that was chosen, so nothing has to hold
    beforehand.
    """

    @property
    def rounds(self) -> int:
        """The greatest number of stages."""

    def choose(self, earlier: tuple[Noisy, ...]) -> NextStage | None:
        """The next stage, from the answers to all looks before it; None to stop. Total: it raises for no answer."""


def form_of(measurement: Measurement | Form) -> Form | None:
    """The form, where it is one. Asked of the class, as every question asks: checking a protocol takes far longer."""
    return cast("Form", measurement) if hasattr(type(measurement), "parameter") else None


def measurement_of(measurement: Measurement | Form) -> Measurement:
    """The measurement, which is no form."""
    assert form_of(measurement) is None
    return cast("Measurement", measurement)
