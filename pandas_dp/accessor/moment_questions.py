"""Sums of products of columns, of which regressions are made."""

from __future__ import annotations


class MomentQuestions:
    """Sums of products of columns, of which regressions are made."""
