"""Tests that look at rows: each a release of one row."""

from __future__ import annotations


class PaidTests:
    """Tests that look at rows: each a release of one row."""
