"""The geometry of tables over keys and their margins: which lie within which, how they agree, what is worth measuring.

Pure numbers, and all of them public: sizes of keys, sets of keys, cells that cannot be. Proofs: docs/proofs/margins.md.
"""

from .effects import Apart, Effects
from .fitting import Fit, around_zeros
from .kept import Kept, in_turn, join, largest_within, meet, source_of, subsets, with_common_parts
from .lattice import Lattice, added_up
from .levels import Tie, finest, is_spare, nested_sizes, ties_of, with_told
from .optimum import Optimum, optimum
from .planning import ByEffects, Importance, Measured, Planning
from .possible import kinds, possible_cells
from .prefixes import MOST_BINS, Prefixes
from .swaps import COUNTS, SWAPPED_COUNTS, Lengths, cost_of
from .workload import Workload

__all__ = [
    "COUNTS",
    "MOST_BINS",
    "SWAPPED_COUNTS",
    "Apart",
    "ByEffects",
    "Effects",
    "Fit",
    "Importance",
    "Kept",
    "Lattice",
    "Lengths",
    "Measured",
    "Optimum",
    "Planning",
    "Prefixes",
    "Tie",
    "Workload",
    "added_up",
    "around_zeros",
    "cost_of",
    "finest",
    "in_turn",
    "is_spare",
    "join",
    "kinds",
    "largest_within",
    "meet",
    "nested_sizes",
    "optimum",
    "possible_cells",
    "source_of",
    "subsets",
    "ties_of",
    "with_common_parts",
    "with_told",
]
