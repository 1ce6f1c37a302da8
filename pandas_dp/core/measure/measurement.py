"""Whatever can be asked of rows, and what can answer it: whatever is above the engine knows rows by this alone."""

from __future__ import annotations

from typing import Protocol

from ...comparisons.measure_contrasts import Scored
from ...comparisons.measure_paths import TopOfPath
from ...keys.measure import Occurred, Occurring
from ...models.glm.measure_newton import NewtonSums
from ...models.measure import Gram
from ...numeric.bootstrap.measure import Resamples
from ...numeric.location.measure import Candidates, Pulls, Winsorised
from ...numeric.measure_distinct import Counts, Distinct, Table, Totals
from ...numeric.measure_moments import ExactMoments, Moments, MomentsTogether
from ...numeric.measure_sums import RatioSums
from ...people.measure import OfPeople, PeopleCounts, PersonTotals, RowMeans, ValuesOfPeople
from ...quantiles.measure_cumulative import Cumulative, CumulativeInCells
from ...quantiles.measure_ranks import Ladder, Ranks
from ...surveys.measure import WeighedCounts, WeighedMeans
from ...synthetic.measure import Distances, SomeTables, TableRace
from ...tables.measure import EffectTable, MarginOf, RunTable
from ...tools.measure import Contest
from .cells import Cells, Variable

Sums = Counts | Totals | Moments | MomentsTogether
ByPerson = OfPeople | PersonTotals | PeopleCounts | RowMeans | ValuesOfPeople
Weighed = WeighedMeans | WeighedCounts | RatioSums
Placed = Pulls | Winsorised
Termed = Gram | NewtonSums
Binned = Cumulative | CumulativeInCells
OfTables = Distances | SomeTables | MarginOf | EffectTable | RunTable
Added = Sums | Termed | Binned | Distinct | Resamples | ByPerson | Weighed | Placed | Scored | TopOfPath | OfTables
Measurement = Added | Ranks | Candidates | Contest


class Rows(Protocol):
    """Rows that can be tallied. Nothing here raises, warns or branches visibly because of what they hold."""

    def fold(self, measurement: Added | ExactMoments | TableRace) -> Table:
        """The measurement's exact integers, one row per cell, one column per coordinate."""
        ...

    def ladders(self, measurement: Ranks, depth: int) -> list[Ladder]:
        """For each cell, the rows whose ranks are within `depth` of the wanted one, in order."""
        ...

    def ends(self, variable: Variable, cells: Cells, many: int) -> tuple[Table, Table]:
        """cell × many: the least codes of each cell, rising, and the greatest, falling; 0 where there are not so many
        rows."""
        ...

    def middle(self, variable: Variable, cells: Cells, many: int, low: Table, high: Table) -> tuple[Table, Table]:
        """The codes of each cell from `low` to `high`, and so many next to them on either side, rising, those of cell c
        from starts[c] to starts[c + 1]. Of equal ones no more are kept than so many."""
        ...

    def occurring(self, measurement: Occurring) -> Occurred:
        """The keys that occur, and how many rows there are in all."""
        ...
