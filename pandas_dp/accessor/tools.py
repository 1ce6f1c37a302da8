"""Choosing among candidates, and any function on blocks of rows."""

from __future__ import annotations


class Tools:
    """Choosing among candidates, and any function on blocks of rows."""
