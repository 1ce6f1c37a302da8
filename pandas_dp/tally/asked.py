"""Whatever can be asked of rows, and what can answer it: the house above `backends` knows rows by this alone."""

from __future__ import annotations

from typing import Protocol

from .candidates import Candidates
from .cells import Cells, Variable
from .contest import Contest
from .contrasts import Scored
from .cumulative import Cumulative, CumulativeInCells
from .distances import Distances
from .distinct import Distinct
from .effects import EffectTable
from .found import Occurred, Occurring
from .gram import Gram
from .locations import Pulls, Winsorised
from .margins import Margin
from .moments import ExactMoments, Moments
from .moments_together import MomentsTogether
from .newton import NewtonSums
from .paths import TopOfPath
from .people import OfPeople, PeopleCounts, PersonTotals, ValuesOfPeople
from .products import Products
from .race import TableRace
from .ranks import Ladder, Ranks
from .ratio_sums import RatioSums
from .resamples import Resamples
from .row_means import RowMeans
from .runs import RunTable
from .some_tables import SomeTables
from .sums import Counts, Table, Totals
from .weighed import WeighedCounts, WeighedMeans

Sums = Counts | Totals | Moments | MomentsTogether | Products
ByPerson = OfPeople | PersonTotals | PeopleCounts | RowMeans | ValuesOfPeople
Weighed = WeighedMeans | WeighedCounts | RatioSums
Placed = Pulls | Winsorised
Termed = Gram | NewtonSums
Binned = Cumulative | CumulativeInCells
OfTables = Distances | SomeTables | Margin | EffectTable | RunTable
Additive = Sums | Termed | Binned | Distinct | Resamples | ByPerson | Weighed | Placed | Scored | TopOfPath | OfTables
Tally = Additive | Ranks | Candidates | Contest


class Rows(Protocol):
    """Rows that can be tallied. Nothing here raises, warns or branches visibly because of what they hold."""

    def fold(self, tally: Additive | ExactMoments | TableRace) -> Table:
        """The tally's exact integers, one row per cell, one column per coordinate."""
        ...

    def ladders(self, tally: Ranks, depth: int) -> list[Ladder]:
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

    def occurring(self, tally: Occurring) -> Occurred:
        """The keys that occur, and how many rows there are in all."""
        ...
