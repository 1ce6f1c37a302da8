"""Logit, multinomial and Poisson regressions from a released table of counts, and what follows from them."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from ...core.evidence.noise import Noise
from ...core.label.label import coefficient_labels
from ...core.label.layout import Item, Layout
from ...core.label.reading import Released
from ...core.label.release import Release, publish
from ...errors import NotConcluded, UnsupportedArgument, shown
from ...tables.tests.conclude_counted import Counted, counted
from .evidence import TableFit
from .statistic import model_of

Terms = Sequence[Sequence[str]]


def table_regression(
    table: Released | pd.DataFrame,
    statistic: str,
    response: Hashable,
    terms: Terms | None,
    cov_type: str | None,
    intercept: bool = True,
) -> Release:
    """The regression as a release of its own, at no cost; its label is that of the table. Without terms, all others."""
    released = Released.of(table)
    label = released.label
    if label.count == "people" or label.max_rows is not None:
        raise NotConcluded(
            f"in this table a person may be in several cells, or count by part, which {statistic} does not model; "
            "release a table with one row a person."
        )
    one = counted(released)
    axes = _axes(one)
    names = [name for name, _ in axes]
    if response not in names:
        raise UnsupportedArgument(f"this table has no key of that name to explain; it has {_listed(names)}.")
    place = names.index(str(response))
    others = [axis for axis in axes if axis[0] != response]
    told = [[name] for name, _ in others] if terms is None else terms
    odd = next((key for term in told for key in term if key not in names), None)
    if odd is not None:
        raise UnsupportedArgument(f"this table has no key {shown(odd)}; it has {_listed(names)}.")
    model = model_of(statistic, others, axes[place], told, cov_type, intercept)
    cells = np.moveaxis(one.counts, place, -1)
    zeros: tuple[int, ...] = ()
    if one.possible is not None:
        zeros = tuple(np.flatnonzero(~np.moveaxis(one.possible, place, -1).ravel()).tolist())
    fit = TableFit.of(statistic, np.rint(cells).astype(np.int64).ravel(), Noise(one.law), model, zeros)
    return _published(released, statistic, fit)


def _published(released: Released, statistic: str, fit: TableFit) -> Release:
    label = released.label
    layout = Layout(coefficient_labels(fit.model), None, "measures")
    shown, place = layout.frame([Item(fit.model.response, statistic, "float", fit)], label.confidence)
    (facts,) = label.evidence
    asked = {name: facts[name] for name in ("asked",) if name in facts}
    evidence = {"column": fit.model.response, **asked, "type": "float", **fit.to_json()}
    said = replace(label, evidence=(evidence,), **place, columns=(fit.model.response,), relabelled=None)
    return publish(shown, said)


def _axes(table: Counted) -> list[tuple[str, tuple[Any, ...]]]:
    """Each key with more than one category, and its categories in their order."""
    found = []
    for axis in (table.rows, table.columns):
        for level in range(axis.nlevels):
            values = tuple(axis.get_level_values(level).unique())
            if len(values) > 1:
                found.append((str(axis.names[level]), values))
    return found


def _listed(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names)) or "none"
