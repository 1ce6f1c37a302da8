"""The tables of a synthesis as `distance` compares them with data: its keys as columns are read, its rows rounded."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from ..dataclass import dataclass
from ..domain import Breaks, Categories
from ..errors import UnsupportedArgument
from ..release import OTHER
from ..tally import CountedTables, Key, Reading
from .asking import Asking


@dataclass(frozen=True, eq=False)
class ComparedModel:
    """A synthesis, of which nothing is known here but what it describes."""

    described: Any

    @property
    def names(self) -> list[Hashable]:
        """The columns of its rows; coarser levels of them are none."""
        return [key.name for key in self.described.shown]

    @property
    def digest(self) -> str:
        return str(self.described.digest)

    def reading(self, asking: Asking, name: Hashable) -> Reading:
        """The column as the model has it."""
        from ..conclusions.synthesis.columns import bin_ends  # late: there is a release by now

        column = next(each for each in self.described.columns if each.name == name)
        labels = list(column.labels)
        if OTHER in labels and not (asking.domain.is_listed(name) and OTHER in asking.domain.categories(name).values):
            raise UnsupportedArgument(
                f"the tables of this synthesis count other values of {name!r} under {OTHER!r}, which distance does "
                "not; make it of tables without other=True.",
                argument="of",
            )
        read = labels if column.bins is not None else [bin_ends(label) for label in labels]
        ends = [each for each in read if each is not None]
        if len(ends) == len(labels) and asking.domain.is_measured(name) and not asking.domain.is_listed(name):
            edges = (*(low for low, _ in ends), ends[-1][1])
            return Reading(
                Key(name, Breaks(tuple(map(float, edges))), clamp=asking.domain.interval(name)), column.missing
            )
        return Reading(Key(name, Categories(tuple(labels))), column.missing)

    def counts(self, names: Sequence[Hashable], counted: CountedTables) -> Any:
        """Whole numbers of rows, table by table."""
        of, found = self.described, []
        for table in counted.tables:
            keys = [of.key(names[place]) for place in table]
            found.append(np.rint(of.counts(keys)).astype(np.int64).ravel())
        return np.concatenate(found)
