"""Life tables: how long until an event."""

from __future__ import annotations


class Survivals:
    """Life tables: how long until an event."""
