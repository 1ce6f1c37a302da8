"""Labels of coefficients, as readers of regressions know them."""

from __future__ import annotations

import pandas as pd

from ..evidence import TableModel


def coefficient_labels(model: TableModel) -> pd.Index:
    """The names of terms; where several outcomes are compared with the first, under each of them."""
    if len(model.outcomes[0]) == 1:
        return pd.Index(model.names)
    return pd.MultiIndex.from_product([model.answers[1:], model.names], names=[model.response, None])
