"""The geometry of tables over keys and their margins: which lie within which, how they agree, what is worth measuring.

Pure numbers, and all of them public: sizes of keys, sets of keys, cells that cannot be. Proofs: docs/proofs/margins.md.
"""

from .effects import Effects
from .fitting import Fit, around_zeros
from .kept import Kept, in_turn, join, largest_within, meet, source_of, subsets, with_common_parts
from .levels import Tie, is_spare, with_told
from .possible import kinds, possible_cells
from .workload import Workload, exact_shares

__all__ = [
    "Effects",
    "Fit",
    "Kept",
    "Tie",
    "Workload",
    "around_zeros",
    "exact_shares",
    "in_turn",
    "is_spare",
    "join",
    "kinds",
    "largest_within",
    "meet",
    "possible_cells",
    "source_of",
    "subsets",
    "with_common_parts",
    "with_told",
]
