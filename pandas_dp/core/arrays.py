"""Names for the types of arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Array = np.ndarray[Any, Any]
Floats = npt.NDArray[np.float64]
Monomial = tuple[int, ...]
"""Which variables' codes are multiplied: () counts rows, (0,) adds the first variable, (0, 1) adds products."""

Table = np.ndarray[Any, Any]
"""One row per cell, one column per coordinate; exact integers, int64 or Python's own."""
