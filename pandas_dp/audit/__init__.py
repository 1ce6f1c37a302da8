"""The contracts that a question, a mechanism, a model or a backend keeps: for us, and for whoever adds one.

An estimator is tried by its examples in `tests/contracts/cases.py`; a mechanism and a model by being registered.
"""

from .noise import chances, delta_spent, exact_release, plan_of, roughness, seeded_noise, spent, zero_noise
from .pairs import Pair, made_up
from .run import OWN, Audit, audit, audit_own
from .sensitivity import (
    CELLS,
    GRIDS,
    WORLDS,
    Case,
    Exact,
    Reached,
    Universe,
    World,
    distances,
    public_of,
    reached,
    universe,
    values_of,
    weights,
)
from .stages import Fixed, Narrowed, NearMean, spent_by_stages

__all__ = [
    "CELLS",
    "GRIDS",
    "OWN",
    "WORLDS",
    "Audit",
    "Case",
    "Exact",
    "Fixed",
    "Narrowed",
    "NearMean",
    "Pair",
    "Reached",
    "Universe",
    "World",
    "audit",
    "audit_own",
    "chances",
    "delta_spent",
    "distances",
    "exact_release",
    "made_up",
    "plan_of",
    "public_of",
    "reached",
    "roughness",
    "seeded_noise",
    "spent",
    "spent_by_stages",
    "universe",
    "values_of",
    "weights",
    "zero_noise",
]
