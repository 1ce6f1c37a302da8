"""Names for the types of arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Array = np.ndarray[Any, Any]
Floats = npt.NDArray[np.float64]
