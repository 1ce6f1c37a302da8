"""Room for what is computed on the way, kept by each thread: memory that is given back and asked for anew costs more
than most of what is done in it."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from .columns import Array

LONGEST = 2**20  # beyond, nothing is kept


class Rooms(threading.local):
    """Each by a name; what is in one is valid until the same thread asks for it again."""

    def __init__(self) -> None:
        self.held: dict[str, Array] = {}

    def room(self, name: str, rows: int, dtype: Any = np.float64) -> Array:
        """An array of so many places, with anything in them."""
        held = self.held.get(name)
        if held is None or len(held) < rows:
            held = np.empty(rows, dtype)
            if rows <= LONGEST:
                self.held[name] = held
        return held[:rows]
