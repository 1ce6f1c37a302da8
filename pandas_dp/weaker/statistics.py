"""Which statistics promises with a private scale offer: each as a final number, and what is said of a noisy one.

A statistic that is not named here is offered under dp alone.
"""

from __future__ import annotations

from functools import singledispatch
from math import lcm

import numpy as np

from ..core.arrays import Table
from ..core.evidence.no_interval import Unsaid
from ..core.measure.statistic import Estimator, not_offered
from ..core.neighbours import PublicFacts
from ..core.noise.mechanism import GREATEST, whole_numbers
from ..errors import UnsupportedArgument, shown
from ..numeric.statistic_means import Mean, Spread
from ..numeric.statistic_sums import Count, Sum
from ..quantiles.statistic import Quantile, QuantileRange
from ..tables.statistic import Margins, TableOfMargins
from .exact import Average, Final, NumberOf, StepTotal, Variance, as_floats
from .ordered import Ordered, RankDistance


@singledispatch
def finals_of(statistic: Estimator, public: PublicFacts) -> tuple[Final, ...]:
    """The statistic itself, as numbers to add noise to; none where it is public."""
    raise not_offered("weaker promises", statistic.statistic)


@singledispatch
def estimate_of(statistic: Estimator, answers: tuple[Table, ...], public: PublicFacts) -> Unsaid:
    """What is said of it, from the noisy numbers of what a promise asked in place of its finals."""
    raise NotImplementedError(type(statistic).__name__)


@finals_of.register
def _planned(statistic: TableOfMargins, public: PublicFacts) -> tuple[Final, ...]:
    raise not_offered("weaker promises", "a table with planned margins or structural zeros")


@finals_of.register
def _count(statistic: Count, public: PublicFacts) -> tuple[Final, ...]:
    if not statistic.measurements(public, ()):
        return ()
    return (NumberOf(statistic.cells, statistic.present, statistic.truncated),)


@estimate_of.register
def _told_count(statistic: Count, answers: tuple[Table, ...], public: PublicFacts) -> Unsaid:
    return Unsaid("count", whole_numbers(answers[0]))


@finals_of.register
def _sum(statistic: Sum, public: PublicFacts) -> tuple[Final, ...]:
    """Refused where a sum might leave the 64 bits of a whole number: by bounds and size, which everyone knows. Without
    bounds, such a sum would be told as the greatest of these numbers."""
    grid = statistic.variable.grid
    greatest = (public.most or 0) * max(abs(grid.lower), abs(grid.upper))
    if statistic.kind != "float" and greatest > GREATEST and not statistic.variable.interval.unbounded:
        raise UnsupportedArgument(
            f"the sum of column {shown(statistic.variable.column)} could exceed 2**63 within its bounds; declare "
            "narrower ones, or ask for the mean.",
            column=statistic.variable.column,
        )
    return (StepTotal(statistic.variable, statistic.cells),)


@estimate_of.register
def _told_sum(statistic: Sum, answers: tuple[Table, ...], public: PublicFacts) -> Unsaid:
    final = StepTotal(statistic.variable, statistic.cells)
    return Unsaid("sum", _in_kind(statistic, final, answers[0]))


@finals_of.register
def _mean(statistic: Mean, public: PublicFacts) -> tuple[Final, ...]:
    return (Average(statistic.variable, statistic.cells),)


@estimate_of.register
def _told_mean(statistic: Mean, answers: tuple[Table, ...], public: PublicFacts) -> Unsaid:
    """A mean; or a noisy number of rows and a mean code, which says nothing beside one row or less."""
    if len(answers) == 1:
        return Unsaid(statistic.statistic, in_column_unit(Average(statistic.variable, statistic.cells), answers[0]))
    grid = statistic.variable.grid
    rows, codes = answers[0], np.clip(answers[1], -grid.half, grid.half)
    return Unsaid(statistic.statistic, np.where(rows > 1, float(grid.centre) + float(grid.code_step) * codes, np.nan))


@finals_of.register
def _spread(statistic: Spread, public: PublicFacts) -> tuple[Final, ...]:
    return (Variance(statistic.variable, statistic.cells, statistic.root, statistic.ddof),)


@estimate_of.register
def _told_spread(statistic: Spread, answers: tuple[Table, ...], public: PublicFacts) -> Unsaid:
    """A spread; or a noisy number of rows, a mean and a variance in codes, none of too few rows."""
    final = Variance(statistic.variable, statistic.cells, statistic.root, statistic.ddof)
    if len(answers) == 1:
        return Unsaid(statistic.statistic, np.maximum(in_column_unit(final, answers[0]).astype(float), 0.0))
    rows, _, variance = answers
    least = max(1, statistic.ddof)
    corrected = np.where(rows > least, variance * rows / np.where(rows > least, rows - statistic.ddof, 1), np.nan)
    grid = final.variable.grid
    found = float(grid.code_step) ** 2 * np.clip(corrected, 0.0, 2.0 * grid.half**2)  # no rows vary by more
    return Unsaid(statistic.statistic, np.sqrt(found) if statistic.root else found)


@finals_of.register
def _quantile(statistic: Quantile, public: PublicFacts) -> tuple[Final, ...]:
    return (Ordered(statistic.variable, statistic.cells, statistic.quantile, statistic.nth),)


@estimate_of.register
def _told_quantile(statistic: Quantile, answers: tuple[Table, ...], public: PublicFacts) -> Unsaid:
    final = Ordered(statistic.variable, statistic.cells, statistic.quantile, statistic.nth)
    inside = np.clip(answers[0], 0, final.top * final.parts)
    return Unsaid(statistic.statistic, _in_kind(statistic, final, inside))


@finals_of.register
def _quantile_range(statistic: QuantileRange, public: PublicFacts) -> tuple[Final, ...]:
    return (RankDistance(statistic.variable, statistic.cells, statistic.lower, statistic.upper),)


@estimate_of.register
def _told_range(statistic: QuantileRange, answers: tuple[Table, ...], public: PublicFacts) -> Unsaid:
    """A distance, or the two ends, which have parts of the same size as long as both are quartiles."""
    final = RankDistance(statistic.variable, statistic.cells, statistic.lower, statistic.upper)
    apart = answers[0] if len(answers) == 1 else answers[1] - answers[0]
    return Unsaid(statistic.statistic, in_column_unit(final, np.maximum(apart, 0)).astype(float))


@finals_of.register
def _margins(statistic: Margins, public: PublicFacts) -> tuple[Final, ...]:
    return finals_of(statistic.inner, public)


@estimate_of.register
def _told_margins(statistic: Margins, answers: tuple[Table, ...], public: PublicFacts) -> Unsaid:
    inner = estimate_of(statistic.inner, answers, public)
    return Unsaid(inner.statistic, statistic.added(inner.values))


def in_column_unit(final: Final, numbers: Table) -> Table:
    """Numbers of a final as floats, each rounded once."""
    parts = lcm(final.unit.denominator, final.origin.denominator)
    return as_floats(numbers * int(final.unit * parts) + int(final.origin * parts), parts)


def _in_kind(statistic: Estimator, final: Final, numbers: Table) -> Table:
    """Whole numbers where the column's are and the unit is one; else floats."""
    if statistic.kind != "float" and final.unit.denominator == 1 and final.origin.denominator == 1:
        return whole_numbers(numbers * int(final.unit) + int(final.origin))
    return in_column_unit(final, numbers)
