"""Estimates and sets from released sums, by equations that are linear in them; nothing here knows of rows."""

from __future__ import annotations

from .grid_clusters import bins_for, clustered, middles, nearest
from .moment_matrix import Column, MomentMatrix, Noises

__all__ = ["Column", "MomentMatrix", "Noises", "bins_for", "clustered", "middles", "nearest"]
