"""The keywords that only some promises take, read once; which of them takes what, each says itself."""

from __future__ import annotations

from typing import Any

import pandas as pd

from ..errors import wrong_value
from ..promises import OPTIONS, Option


def read_options(given: dict[str, Any]) -> dict[str, Any]:
    """Takes them out of the keywords that were given; those that say what is usual anyway are as good as not given."""
    read = {name: _read(option, given.pop(name)) for name, option in OPTIONS.items() if name in given}
    return {name: value for name, value in read.items() if OPTIONS[name].differs(value)}


def _read(option: Option, value: Any) -> Any:
    if option.is_rows and value is not None and not isinstance(value, pd.DataFrame | pd.Series):
        raise wrong_value(option.name, "be a DataFrame of further rows", value)
    return option.read(value)
