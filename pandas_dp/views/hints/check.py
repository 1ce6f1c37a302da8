"""What looks wrong with a release, and what to do about it: from released numbers and public facts alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from ...core.conclude.results import Findings
from ...core.label.reading import Released
from . import finding, noise, rows, steps, unread  # noqa: F401 (each brings its hints)
from .finding import HINTS, Finding


def findings(table: Released | pd.DataFrame) -> list[Finding]:
    """Everything that stages wrong with a release, causes first; what a cause explains is left out."""
    released = Released.of(table, parts=True)
    reworked = released.label.is_reworked or released.label.releases or released.part is not None
    with np.errstate(all="ignore"):
        found = [each for rule in ([rows.unprotected] if reworked else HINTS) for each in rule(released)]
    causes = [each for each in found if each.cause]
    columns, places = {each.column for each in causes} - {None}, {each.where for each in causes}
    rest = [each for each in found if not each.cause and each.column not in columns and each.where not in places]
    said = {each.where for each in [*causes, *rest] if not each.last}
    return _together([each for each in [*causes, *rest] if not each.last or each.where not in said])


def _together(found: list[Finding]) -> list[Finding]:
    """What is said of several numbers of one column in the same words is said once, with all their names."""
    alike: dict[tuple[object, ...], Finding] = {}
    for each in found:
        key = each.finding, each.advice, each.column, each.cause
        before = alike.get(key)
        alike[key] = each if before is None else replace(before, where=f"{before.where}, {each.where}")
    return list(alike.values())


def check(table: Released | pd.DataFrame) -> Findings:
    """The same as a table; empty where nothing does."""
    told = [(each.finding, each.where, each.advice) for each in findings(table)]
    return Findings(told, columns=["finding", "where", "advice"], dtype=object)
