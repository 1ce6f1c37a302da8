"""Estimates and sets from released sums, by equations that are linear in them; nothing here knows of rows."""

from __future__ import annotations

from .life import Exits, LogRank, log_rank
from .moment_matrix import Column, MomentMatrix, Noises

__all__ = ["Column", "Exits", "LogRank", "MomentMatrix", "Noises", "log_rank"]
