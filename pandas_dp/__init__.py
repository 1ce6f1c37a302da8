"""Differentially private statistics where analysts already work: a `.dp` accessor on pandas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import datasets, errors
from .core.door.hints import advise_where_groups_are_asked
from .core.door.session import Session
from .core.label.release import Release
from .core.noise import mechanisms
from .errors import PrivacyError
from .version import VERSION

if TYPE_CHECKING:
    from . import custodian
    from .core.budget.postgres import create_ledger
    from .core.conclude.combine import combine
    from .core.door.frame import FrameAccessor
    from .core.door.grouped import GroupedAccessor
    from .core.door.keywords import Keywords
    from .core.door.released import ReleaseAccessor
    from .core.door.series import SeriesAccessor
    from .models.ask_models_table import models_table
    from .surveys.schema import Design
    from .synthetic.ask_synthesis import Synthesis, read_synthesis
    from .tables.published.conclude import PublishedTables, open_tables
    from .tables.published.run import publish_tables
    from .views.workbook import to_excel

advise_where_groups_are_asked()

__version__ = VERSION

__all__ = [
    "Design",
    "FrameAccessor",
    "GroupedAccessor",
    "Keywords",
    "PrivacyError",
    "PublishedTables",
    "Release",
    "ReleaseAccessor",
    "SeriesAccessor",
    "Session",
    "Synthesis",
    "combine",
    "create_ledger",
    "custodian",
    "datasets",
    "errors",
    "mechanisms",
    "models_table",
    "open_tables",
    "publish_tables",
    "read_synthesis",
    "to_excel",
]


LATE = {
    "custodian": ".custodian",
    "Design": ".surveys.schema",
    "FrameAccessor": ".core.door.frame",
    "GroupedAccessor": ".core.door.grouped",
    "Keywords": ".core.door.keywords",
    "ReleaseAccessor": ".core.door.released",
    "SeriesAccessor": ".core.door.series",
    "Synthesis": ".synthetic.ask_synthesis",
    "read_synthesis": ".synthetic.ask_synthesis",
    "combine": ".core.conclude.combine",
    "models_table": ".models.ask_models_table",
    "PublishedTables": ".tables.published.conclude",
    "open_tables": ".tables.published.conclude",
    "create_ledger": ".core.budget.postgres",
    "publish_tables": ".tables.published.run",
    "to_excel": ".views.workbook",
}


MEANT = {
    "protect": "protect is a session's: df = pdp.Session(epsilon=1, schema=...).protect(df)",
    **dict.fromkeys(("summary_col", "stargazer"), "regressions stand side by side in pdp.models_table([fit, ...])"),
    **dict.fromkeys(
        ("cox", "coxph", "CoxPHFitter"),
        "hazard ratios as of Cox's regression are df.dp.survival(...).dp.hazard(link='cloglog')",
    ),
    **dict.fromkeys(
        (
            "mean",
            "sum",
            "count",
            "std",
            "var",
            "median",
            "quantile",
            "histogram",
            "crosstab",
            "groupby",
            "ols",
            "logit",
        ),
        "questions are asked of a table: df['x'].dp.mean()",
    ),
}


def __dir__() -> list[str]:
    return [*__all__, "__version__"]  # also what is imported late, and no imports of its own


def __getattr__(name: str) -> Any:
    """What not everybody needs takes a while to import, so it is imported when it is asked for."""
    if name not in LATE:
        hint = f"; {MEANT[name]}" if name in MEANT else ""
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}{hint}.")
    import importlib

    module = importlib.import_module(LATE[name], __name__)
    return getattr(module, name, module)
