"""Classifiers and their kin, from released sums."""

from __future__ import annotations


class Learning:
    """Classifiers and their kin, from released sums."""
