"""Arguments that no type takes are refused in words, not with an error of Python's."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp.errors import UnsupportedArgument

ASKED: dict[str, Any] = {
    "width": lambda table: table["x"].dp.count(width=10**400),
    "columns": lambda table: table.dp.moments([["x"], ["x"]], rho=1),
}


@pytest.mark.parametrize("ask", ASKED.values(), ids=list(ASKED))
def test_what_no_type_takes_is_refused_in_words(ask: Any) -> None:
    table = pdp.Session(rho=10).protect(pd.DataFrame({"x": [1.0, 2.0]}))
    with pytest.raises(UnsupportedArgument, match="must be"):
        ask(table)
