"""Other regressions of the sums that were released: free, and chosen by whoever looks."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pandas as pd

from ...equations.design import Design
from ...errors import NotConcluded
from ...evidence import Fit, FitOfRows, Gram, GramOfRows
from ...release import Item, Layout, Release, Released, publish
from .fitted import Fitted

CHOSEN = "chosen by whoever fitted it; intervals do not know of the choice"


def refit(table: Released | pd.DataFrame, design: Design) -> Release:
    """A regression by another design of the columns that a regression was released with."""
    fitted = Fitted.of(table)
    return _published(fitted.released, replace(fitted.fit, design=design), fitted.groups)


def fitted_to(table: Released | pd.DataFrame, design: Design, together: bool) -> Release:
    """A regression by a design of a released moment matrix, in each of its groups or in all of them together."""
    released, gram = gram_of(table)
    rows = released.layout.rows
    width = len(gram.columns)
    groups = [None] if rows.nlevels == 1 or together else [tuple(label)[:-1] for label in rows[::width]]
    if isinstance(gram, GramOfRows):
        return _published(released, FitOfRows(gram, design, together), groups)
    return _published(released, Fit(gram, design, together), groups)


def gram_of(table: Released | pd.DataFrame) -> tuple[Released, Gram]:
    """A released moment matrix read back."""
    released = Released.of(table)
    gram = released.evidence[0] if len(released.evidence) == 1 else None
    if not isinstance(gram, Gram) or released.label.is_reworked:
        raise NotConcluded("this is concluded from a moment matrix as it was released; ask for one by moments.")
    return released, gram


def _published(released: Released, fit: Fit, groups: list[Any]) -> Release:
    label, names = released.label, fit.design.names
    if label.is_reworked:
        raise NotConcluded("regressions follow from a release as it was published, before it is rounded.")
    rows = pd.Index(names)
    if groups != [None]:
        keys = released.layout.rows.names[:-1]
        split = [group if isinstance(group, tuple) else (group,) for group in groups]
        labels = [(*group, name) for group in split for name in names]
        rows = pd.MultiIndex.from_tuples(labels, names=[*keys, None])
    frame, place = Layout(rows, None, "measures").frame([Item(None, "coef", "float", fit)], label.confidence)
    (facts,) = label.evidence
    said: dict[str, Any] = {name: facts[name] for name in ("column", "asked") if name in facts}
    told: dict[str, Any] = {**said, "type": "float", **fit.to_json()}
    chosen = {"of": label.id, "formula": fit.design.formula, "said": CHOSEN}
    changed: dict[str, Any] = {"statistic": "ols", "evidence": (told,), "chosen": chosen, "estimand": fit.estimand}
    return publish(frame, replace(label, selected=None, **changed, **place))
