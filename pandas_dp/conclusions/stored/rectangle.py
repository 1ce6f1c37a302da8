"""A table read off stored ones as a rectangle of estimates, with its totals where they are asked for."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from ...dataclass import dataclass
from ...errors import NotConcluded
from ...evidence import Amounts, with_totals
from ...release import Release, Released, and_total, publish
from .margin import Held


@dataclass(frozen=True)
class Sides:
    """The keys of the rows and of the columns, and which rows of the data count."""

    down: Sequence[Hashable]
    across: Sequence[Hashable]
    where: Mapping[Hashable, list[Any] | slice]

    def rectangle(self, long: Released, held: Held, only: Collection[Any], margins: bool) -> Release:
        """The table over both, one cell below the other so far."""
        levels = range(len(self.down)), range(len(self.down), len(self.down) + len(self.across))
        rows, columns = (_levels(long.frame.index, at) for at in levels)
        placed = replace(long.label, rows="cells", shows=None)
        if not margins:
            numbers = long.frame.iloc[:, 0].to_numpy().reshape(len(rows), len(columns))
            return publish(pd.DataFrame(numbers, rows, columns), placed)
        whole = with_totals(self._parts(long, held, only), (len(rows), len(columns)))
        table = pd.DataFrame(whole.values.reshape(len(rows) + 1, -1), and_total(rows), and_total(columns))
        (facts,) = long.label.evidence
        said = {name: facts[name] for name in ("column", "type")}
        return publish(table, replace(placed, evidence=({**said, **whole.to_json()},)))

    def _parts(self, long: Released, held: Held, only: Collection[Any]) -> list[Amounts]:
        """The cells, the totals of rows, those of columns, and that of all."""
        found = [long.evidence[0]]
        for keys in (self.down, self.across, ()):
            margin = held.table(keys, self.where, only)
            assert margin is not None  # what tells the cells tells what they add up to
            found.append(margin.evidence[0])
        parts = [part for part in found if isinstance(part, Amounts)]
        if not held.agrees or len(parts) < len(found):
            raise NotConcluded(
                "margins=True is for counts and sums of tables that agree, as those of marginals do unless it is asked "
                "with consistent=False; read the margins as tables of their own."
            )
        return parts


def _levels(index: pd.Index, at: range) -> pd.Index:
    levels = [index.get_level_values(level).unique() for level in at]
    return levels[0] if len(levels) == 1 else pd.MultiIndex.from_product(levels)
