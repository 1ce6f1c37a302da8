"""Estimates and sets from released sums, by equations that are linear in them; nothing here knows of rows."""

from __future__ import annotations

from .additive import Fit, additive, discriminants, noise_level
from .components import Components, components
from .equations import Equations
from .grid_clusters import bins_for, clustered, middles, nearest
from .least_squares import LeastSquares
from .life import Exits, LogRank, log_rank
from .moment_matrix import Column, MomentMatrix, Noises
from .solution import Solution, Tested
from .table_scores import Hazards, TableScores
from .table_solution import TableSolution

__all__ = [
    "Column",
    "Components",
    "Equations",
    "Exits",
    "Fit",
    "Hazards",
    "LeastSquares",
    "LogRank",
    "MomentMatrix",
    "Noises",
    "Solution",
    "TableScores",
    "TableSolution",
    "Tested",
    "additive",
    "bins_for",
    "clustered",
    "components",
    "discriminants",
    "log_rank",
    "middles",
    "nearest",
    "noise_level",
]
