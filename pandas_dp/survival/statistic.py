"""Life tables: how many leave in each bin of time, with an event and without."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from math import inf, nextafter
from typing import Any, ClassVar

from ..core.evidence.noise import Noise
from ..core.measure.cells import Cells, Key
from ..core.measure.measurement import Noisy
from ..core.neighbours import PublicFacts
from ..core.noise.mechanism import whole_numbers
from ..core.schema.values import Breaks, ByFields, Categories, Interval, Kind
from ..numeric.measure import Counts, Moments
from .evidence import Censoring, Life


@dataclass(frozen=True)
class Survival(ByFields):
    """The share without an event, from how many rows leave in each of so many `bins`, by groups if there are any.

    The last two keys of `cells` are the time and whether there was an event; all before are groups. `covered` says
    that each row is in a cell whatever its values are.
    """

    cells: Cells
    bins: int
    covered: bool = False
    censoring: Censoring = "even"
    statistic: ClassVar[str] = "survival"
    kind: ClassVar[Kind] = "float"
    words: ClassVar = {"covered": None}

    def measurements(self, public: PublicFacts, beside: Collection[Moments]) -> tuple[Counts, ...]:
        return (Counts(self.cells),)

    def conclude(self, answers: tuple[Noisy, ...], public: PublicFacts) -> Life:
        (answer,) = answers
        counts = whole_numbers(answer.table[:, 0]).reshape(-1, *self.cells.shape[-2:])
        if self.cells.keys[-1].other:  # an event first, anything else behind it
            counts = counts[:, :, ::-1]
        total = public.size if self.covered else None
        return Life.of(counts, self.bins, Noise(answer.laws[0]), total, self.censoring)


def life_table(
    groups: Cells, time: tuple[Any, Interval, Breaks], event: tuple[Any, Categories, bool], censoring: Censoring
) -> Survival:
    """The question: a time with its range and bins; a column that is true or false, and whether rows may lack it.

    A row whose event is declared complete has one where it is true, and none else. Who is at the last edge without
    an event, or behind it, has survived all bins.
    """
    column, interval, bins = time
    name, truth, gaps = event
    happened = Key(name, truth) if gaps else Key(name, Categories((True,)), other=True)
    lasting = Key(column, with_ends(bins, interval), clamp=interval)
    covered = not groups.keys and not gaps and not interval.nullable and bins.edges[0] <= float(interval.lower)
    return Survival(Cells((*groups.keys, lasting, happened)), len(bins.edges) - 1, covered, censoring)


def with_ends(bins: Breaks, interval: Interval) -> Breaks:
    """The bins, a class for the last edge itself and one for all behind it, where values can be there."""
    edges, top = bins.edges, float(interval.upper)
    last = edges[-1]
    if top < last:
        return bins
    if top == last:  # as wide as the one before, so that equal bins stay equal
        return Breaks((*edges, last + (last - edges[-2])))
    behind = nextafter(last, inf)
    return Breaks((*edges, behind, max(top, nextafter(behind, inf))))
