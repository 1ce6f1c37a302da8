"""What ways to spend one cost would give, side by side: a plain DataFrame but for how it is shown."""

from __future__ import annotations

import pandas as pd


class Compared(pd.DataFrame):
    """Standard deviations: three digits of each, no column left out, and `not offered` where a way does not exist."""

    @property
    def _constructor(self) -> type[pd.DataFrame]:
        return pd.DataFrame

    def __repr__(self) -> str:
        plain = pd.DataFrame(self)
        if not all(pd.api.types.is_float_dtype(dtype) for dtype in plain.dtypes):
            return plain.to_string()
        return plain.to_string(float_format=lambda value: f"{value:.3g}", na_rep="not offered", line_width=160)
