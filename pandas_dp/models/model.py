"""What a promise has to say for the corridor to keep it."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Protocol, runtime_checkable

from ..cost import Cost
from ..neighbours import Moves, Setting
from ..tally import Column, Facts, Final, Norm, Portions, Ranks, Stretch, Tally


@dataclass(frozen=True)
class Options:
    """What only promises with a private scale can be asked for."""

    group: int = 1  # rows that are hidden together
    floored: bool = True
    cells: str = "private"  # whether everyone knows in which cell a row is
    scale: str = "auto"  # how the scales of a table of sums are found
    further_rows: Any = field(default=None, compare=False)  # further rows that may take the place of a row

    def to_json(self) -> dict[str, Any]:
        """Those that change the promise, where they are not the usual ones."""
        said = {"group": self.group, "floor": 0, "cells": self.cells, "scale": self.scale, "further_rows": True}
        usual = {
            "group": self.group == 1,
            "floor": self.floored,
            "cells": self.cells == "private",
            "scale": self.scale == "auto",
            "further_rows": self.further_rows is None,
        }
        return {name: value for name, value in said.items() if not usual[name]}


Asked = tuple[Final, Ranks | None]
"""A number to blur; or, with ranks, a value to choose."""


class Model(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def scale_is_public(self) -> bool:
        """Whether the reach follows from public facts; where it does not, labels and messages leave the noise out."""


class PublicModel(Model, Protocol):
    """Calibrates to the reach of a tally, which public facts tell."""

    def reach(self, tally: Tally, norm: Norm, moves: Moves) -> Fraction: ...


@dataclass(frozen=True)
class Surroundings:
    """Beside the cell's own facts, what a scale depends on."""

    setting: Setting
    options: Options
    strays: int = 0  # rows that are in no cell
    others: Facts | None = None  # of the further rows
    other_strays: int = 0


@runtime_checkable
class PrivateModel(Model, Protocol):
    """Adds noise to the statistic itself, on a scale that is found by looking at the data."""

    def check(self, cost: Cost, mechanism: str, options: Options) -> None:
        """Refuse what this promise cannot do; from the arguments alone."""

    def asks(self, final: Final, setting: Setting, mechanism: str, options: Options) -> tuple[Asked, ...]:
        """What is asked of the rows for a statistic."""

    def reaches(self, final: Final, facts: Facts, around: Surroundings, norm: Norm) -> Column:
        """For each cell a reach, such that noise of that scale over epsilon in each cell keeps epsilon in all; in norm
        2 its square, for a variance of so much over twice rho."""


@runtime_checkable
class JointModel(PrivateModel, Protocol):
    """Can also add noise to the number of rows and to what they bring, together."""

    def stretch(self, final: Portions, facts: Facts, around: Surroundings) -> Stretch:
        """Between which codes the rows of each cell lie, also those that may take their place."""
