"""Any margin that a release of several tables contains, as a release: asked for as often as one likes, at no cost."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from ..errors import NotConcluded, wrong_value
from ..evidence import Kept, Tables
from ..release import Release, publish
from .evidence import checked_label, evidence_of

TOTAL = "All"


def margin(frame: pd.DataFrame, keys: Any) -> Release:
    """The table over these keys, [] for the total, added up from the smallest table shown that contains it."""
    label = checked_label(frame)
    by: list[Hashable] = label["by"]
    evidence = evidence_of(frame)[0]
    if not isinstance(evidence, Tables) or evidence.rectangle is not None or label["shows"] is None:
        raise NotConcluded("only a release of `marginals` has margins to take out, before it is adjusted.")
    if label.get("rounded"):
        raise NotConcluded("margins are taken out of the release as it was, before it is rounded.")
    listed = isinstance(keys, list | tuple) and len(set(map(str, keys))) == len(keys)
    if not listed or not all(key in by for key in keys):
        raise wrong_value("keys", f"be a list of keys of this release, of {', '.join(map(repr, by))}", keys)
    kept: Kept = tuple(sorted(by.index(key) for key in keys))
    holding = [shown for shown in evidence.shown if set(kept) <= set(shown)]
    if not holding:
        raise NotConcluded("this release shows no table that contains those keys together; publish one that does.")
    source = min(holding, key=len)
    dropped = tuple(axis for axis, place in enumerate(source) if place not in kept)
    values = np.asarray(evidence.parts(evidence.values)[source].sum(axis=dropped)).ravel()
    found = replace(evidence, values=values, shown=(kept,))
    measures = found.measures(label["confidence"], found.default_target)
    facts = {name: label["evidence"][0][name] for name in ("column", "unit")}
    place = {"rows": "cells", "shows": [len(measures)], "evidence": [{**facts, **found.to_json()}]}
    return publish(pd.DataFrame(measures, _labels(frame, evidence, source, kept)), {**label, **place})


def _labels(frame: pd.DataFrame, evidence: Tables, source: Kept, kept: Kept) -> pd.Index:
    """Of the source's cells in the first category of every key that is added up."""
    if not kept:
        return pd.Index([TOTAL])
    before = evidence.shown[: evidence.shown.index(source)]
    start = sum(evidence.effects.cells(shown) for shown in before)
    cells = start + np.arange(evidence.effects.cells(source)).reshape([evidence.sizes[place] for place in source])
    rows = frame.index[cells[tuple(slice(None) if place in kept else 0 for place in source)].ravel()]
    if not isinstance(rows, pd.MultiIndex):
        return rows
    return rows.droplevel([level for level in range(rows.nlevels) if level not in kept])
