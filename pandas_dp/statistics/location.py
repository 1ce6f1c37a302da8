"""Where the middle of a column is, whatever its tails: looks around quantiles that the same question chose first."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

from ..dataclass import dataclass
from ..domain import Kind
from ..domain.fingerprint import said
from ..errors import CostNotOffered
from ..evidence import Location, Noise
from ..evidence import TrimmedMean as Trimmed
from ..neighbours import Setting
from ..tally import ONE_CELL, Blurred, Cells, Form, Moments, Norm, Pulling, Ranks, Tally, Trimming, Variable
from ..tally.location_looks import CLIP
from ..tally.locations import WHOLE
from .clamped import clamped

FIRST = Fraction(1, 4)  # of the price of a location, for quantiles
QUANTILES = Fraction(1, 2)  # of the price of a trimmed mean
QUARTER = Fraction(1, 4)


class LooksAgain:
    """An estimator whose later looks have Gaussian noise, whose parts are paid in rho and add up."""

    kind: ClassVar[Kind] = "float"

    if TYPE_CHECKING:  # a field of some, a property of others

        @property
        def statistic(self) -> str: ...

    def decided(self, setting: Setting, norm: Norm) -> Any:
        if norm == 1:
            raise CostNotOffered(
                f"{self.statistic} looks at rows again after its own first answers, with Gaussian noise, which epsilon "
                "alone does not buy; ask with rho=, or with epsilon= and delta=, in a session that has a delta or "
                "counts rho.",
                statistic=self.statistic,
            )
        return self

    def spends(self, parts: Sequence[Fraction], setting: Setting) -> Fraction:
        """By theorem S of docs/proofs/looks.md."""
        return sum(parts, Fraction(0))


@dataclass(frozen=True)
class HuberLocation(LooksAgain):
    """The m at which clip((x - m)/s, -1.5, 1.5) is zero on average, s a released scale: two steps from a median."""

    variable: Variable
    cells: ClassVar[Cells] = ONE_CELL
    statistic: ClassVar[str] = "location"

    def to_json(self) -> dict[str, Any]:
        """What was asked, as a fingerprint takes it."""
        return said(statistic="location", of=self.variable.to_json())

    def tallies(self, setting: Setting, beside: Collection[Moments]) -> tuple[Tally | Form, ...]:
        lower, median, upper = (Ranks(self.variable, quarter * QUARTER) for quarter in (1, 2, 3))
        first = Pulling((lower, median, upper))
        return lower, median, upper, first, Pulling(first.ranks, first)

    def shares(self, setting: Setting) -> tuple[Fraction, ...]:
        return FIRST / 3, FIRST / 3, FIRST / 3, Fraction(1, 4), Fraction(1, 2)

    def conclude(self, answers: tuple[Blurred, ...], setting: Setting) -> Location:
        form, grid = self.tallies(setting, ())[-1], self.variable.grid
        assert isinstance(form, Pulling)
        centre, width = form.parameter(answers[:-1])
        pull, squares, inside = (float(each) for each in answers[-1].table[0])
        pull_noise, square_noise, inside_noise = answers[-1].laws
        return Location(
            around=(
                float(grid.centre + centre * grid.code_step),
                float(width * grid.code_step / CLIP),
                float(width * grid.code_step),
            ),
            released=(pull / WHOLE, squares / WHOLE**2, inside),
            noises=(Noise(pull_noise, 1 / WHOLE), Noise(square_noise, 1 / WHOLE**2), Noise(inside_noise)),
            bounds=(float(grid.lower), float(grid.upper)),
        )


@dataclass(frozen=True)
class TrimmedMean(LooksAgain):
    """The mean without a `proportion` of the values at either end, of values clamped to two released quantiles."""

    variable: Variable
    proportion: Fraction
    cells: ClassVar[Cells] = ONE_CELL
    statistic: ClassVar[str] = "trimmed_mean"

    def to_json(self) -> dict[str, Any]:
        """What was asked, as a fingerprint takes it."""
        return said(statistic="trimmed_mean", of=self.variable.to_json(), proportion=str(self.proportion))

    def tallies(self, setting: Setting, beside: Collection[Moments]) -> tuple[Tally | Form, ...]:
        ends = Ranks(self.variable, self.proportion), Ranks(self.variable, 1 - self.proportion)
        return (*ends, Trimming(ends))

    def shares(self, setting: Setting) -> tuple[Fraction, ...]:
        return QUANTILES / 2, QUANTILES / 2, 1 - QUANTILES

    def conclude(self, answers: tuple[Blurred, ...], setting: Setting) -> Trimmed:
        *_, form = self.tallies(setting, ())
        assert isinstance(form, Trimming)
        ends, released, noises = clamped(self.variable, form.parameter(answers[:-1]), answers[-1])
        return Trimmed(ends, float(self.proportion), released, noises, step=float(self.variable.grid.step))
