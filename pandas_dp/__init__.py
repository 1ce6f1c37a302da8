"""Differentially private statistics where analysts already work: a `.dp` accessor on pandas."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from . import datasets, errors, mechanisms
from .accessor import FrameFace, GroupedFace, Keywords, SeriesFace
from .domain import Design
from .errors import PrivacyError
from .release import Release
from .session import Session
from .version import VERSION

if TYPE_CHECKING:
    from . import custodian
    from .accessor.released import ReleasedFace
    from .accessor.synthesis import Synthesis, read_synthesis
    from .accessor.workbook import to_excel
    from .conclusions import PublishedTables, combine, open_tables
    from .ledger.postgres import create_ledger
    from .publishing import publish_tables

if "dask.dataframe" in sys.modules:  # else `protect` does it, as importing Dask takes a while
    from .session.collections import register

    register()

__version__ = VERSION

__all__ = [
    "Design",
    "FrameFace",
    "GroupedFace",
    "Keywords",
    "PrivacyError",
    "PublishedTables",
    "Release",
    "ReleasedFace",
    "SeriesFace",
    "Session",
    "Synthesis",
    "combine",
    "create_ledger",
    "custodian",
    "datasets",
    "errors",
    "mechanisms",
    "open_tables",
    "publish_tables",
    "read_synthesis",
    "to_excel",
]


LATE = {
    "custodian": ".custodian",
    "ReleasedFace": ".accessor.released",
    "Synthesis": ".accessor.synthesis",
    "read_synthesis": ".accessor.synthesis",
    "combine": ".conclusions",
    "PublishedTables": ".conclusions",
    "open_tables": ".conclusions",
    "create_ledger": ".ledger.postgres",
    "publish_tables": ".publishing",
    "to_excel": ".accessor.workbook",
}


MEANT = {
    "protect": "protect is a session's: df = pdp.Session(epsilon=1, schema=...).protect(df)",
    **dict.fromkeys(
        ("mean", "sum", "count", "median", "crosstab", "groupby"), "questions are asked of a table: df['x'].dp.mean()"
    ),
}


def __dir__() -> list[str]:
    return [*__all__, "__version__"]  # also what is imported late, and no imports of its own


def __getattr__(name: str) -> Any:
    """What is needed only after a release takes a while to import, so it is imported when it is asked for."""
    if name not in LATE:
        hint = f"; {MEANT[name]}" if name in MEANT else ""
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}{hint}")
    import importlib

    module = importlib.import_module(LATE[name], __name__)
    return getattr(module, name, module)
