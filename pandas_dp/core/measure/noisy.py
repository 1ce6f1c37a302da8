"""A measurement's answer after noise: all that anything downstream ever sees of the rows."""

from __future__ import annotations

from ...dataclass import dataclass
from ...numeric.measure_distinct import Table
from ..noise.law import Law


@dataclass(frozen=True, eq=False)  # one answer is itself alone, so that what was solved of it is known by it
class Noisy:
    """Noisy coordinates, one row per cell, and the law of the noise on each; chosen grid positions have none."""

    table: Table
    laws: tuple[Law, ...] = ()
