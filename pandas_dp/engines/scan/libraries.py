"""Tables of other libraries, known without importing these."""

from __future__ import annotations

import pandas as pd


def package_of(source: object) -> str:
    """Which library made it."""
    return type(source).__module__.partition(".")[0].lstrip("_")


def is_lazy(source: object) -> bool:
    """A table of polars that is still to be computed."""
    return package_of(source) == "polars" and hasattr(source, "collect")


def speaks_arrow(source: object, once: bool = False) -> bool:
    """A table of another library that memory can hold; also what can be read `once`, where it is said."""
    readable = once or not (hasattr(source, "__next__") or hasattr(source, "read_next_batch"))
    return readable and not isinstance(source, pd.Series) and (is_lazy(source) or hasattr(source, "__arrow_c_stream__"))
