"""What an answer costs: pure, approximate and concentrated differential privacy, and what leads from one to another."""

from .conversion import MARGIN, PRECISE, best_order, conversion
from .currencies import FREE, Approximate, Concentrated, Cost, Pure, parse, without
from .typed import exact, exact_delta, shown

__all__ = [
    "FREE",
    "MARGIN",
    "PRECISE",
    "Approximate",
    "Concentrated",
    "Cost",
    "Pure",
    "best_order",
    "conversion",
    "exact",
    "exact_delta",
    "parse",
    "shown",
    "without",
]
