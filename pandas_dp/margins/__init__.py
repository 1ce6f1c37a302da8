"""The geometry of tables over keys and their margins: which lie within which, how they agree, what is worth measuring.

Pure numbers, and all of them public: sizes of keys, sets of keys, cells that cannot be. Proofs: docs/proofs/margins.md.
"""

from .beliefs import added
from .curves import Binned, Curve, curve_of
from .cuts import ends_around, ends_around_and_even, ends_between, even_ends, steps_holding
from .drawn import Drawn
from .dual import EVENNESS, Dual, Zeros, fit_model
from .effects import Apart, Effects
from .exact import Exact
from .fitting import Fit
from .graph import Graph
from .kept import Kept, in_turn, join, largest_within, meet, source_of, subsets, with_common_parts
from .lattice import Lattice, added_up
from .levels import Tie, finest, is_spare, nested_sizes, ties_of, with_told
from .metrics import WANTED, Metric, Wanted
from .model import Model
from .nested import Digits, Nested, planned_levels, table_from, weights_of
from .optimum import Optimum, optimum
from .parts import Parts, even_bins, parts_of
from .planning import ByEffects, Importance, Measured, Planning
from .possible import kinds, possible_cells
from .prefixes import MOST_BINS, Prefixes
from .runs import Moved, Runs, RunsWanted, cost_of_runs
from .swaps import COUNTS, SWAPPED_COUNTS, Lengths, cost_of
from .told import Told, centred
from .workload import Workload
from .worth import OFF, as_shares, downward, matters, product_of, worthwhile

__all__ = [
    "COUNTS",
    "EVENNESS",
    "MOST_BINS",
    "OFF",
    "SWAPPED_COUNTS",
    "WANTED",
    "Apart",
    "Binned",
    "ByEffects",
    "Curve",
    "Digits",
    "Drawn",
    "Dual",
    "Effects",
    "Exact",
    "Fit",
    "Graph",
    "Importance",
    "Kept",
    "Lattice",
    "Lengths",
    "Measured",
    "Metric",
    "Model",
    "Moved",
    "Nested",
    "Optimum",
    "Parts",
    "Planning",
    "Prefixes",
    "Runs",
    "RunsWanted",
    "Tie",
    "Told",
    "Wanted",
    "Workload",
    "Zeros",
    "added",
    "added_up",
    "as_shares",
    "centred",
    "cost_of",
    "cost_of_runs",
    "curve_of",
    "downward",
    "ends_around",
    "ends_around_and_even",
    "ends_between",
    "even_bins",
    "even_ends",
    "finest",
    "fit_model",
    "in_turn",
    "is_spare",
    "join",
    "kinds",
    "largest_within",
    "matters",
    "meet",
    "nested_sizes",
    "optimum",
    "parts_of",
    "planned_levels",
    "possible_cells",
    "product_of",
    "source_of",
    "steps_holding",
    "subsets",
    "table_from",
    "ties_of",
    "weights_of",
    "with_common_parts",
    "with_told",
    "worthwhile",
]
