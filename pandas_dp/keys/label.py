"""The shape of a release whose rows are an answer: its labels are the keys that are shown, their dtype is declared."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import pandas as pd

from ..core.label.label import OTHER
from ..core.label.layout import Layout
from ..core.measure.measurement import Noisy
from ..dataclass import dataclass
from .measure import Found, FoundKey
from .schema import Unknown


@dataclass(frozen=True)
class FoundLayout(Layout):
    """Without rows, until the answer is there that names them."""

    key: Unknown
    other: bool
    declared: pd.Index | None = None  # of which keys are places, where they were declared

    @classmethod
    def of(cls, name: Hashable, key: Unknown, other: bool, column: str) -> FoundLayout:
        return cls(found_labels(name, key, (), False), pd.Index([column]), "estimates", key, other)

    def after(self, answers: Sequence[Noisy]) -> Layout:
        (answer,) = (each for each in answers if isinstance(each, Found))
        if self.declared is not None:
            return Layout(self.declared[[int(key) for key in answer.keys]], self.columns, self.style)
        return Layout(found_labels(self.rows.name, self.key, answer.keys, self.other), self.columns, self.style)


def found_labels(name: Hashable, key: Unknown, keys: Sequence[FoundKey], other: bool) -> pd.Index:
    """Keys as an index of the dtype of their kind, of which there may be none; any labels where `other` comes last."""
    labels = _labels(key, keys).rename(name)
    if not other:
        return labels
    same = key.kind == "string"
    return pd.Index([*labels, OTHER], name=name, dtype=labels.dtype if same else object, tupleize_cols=False)


def _labels(key: Unknown, keys: Sequence[FoundKey]) -> pd.Index:
    if key.kind == "date":
        points: Any = pd.DatetimeIndex(pd.array(list(keys), dtype="int64").to_numpy(dtype="int64").view("M8[ns]"))
        return points if key.tz is None else points.tz_localize("UTC").tz_convert(key.tz)
    dtypes = {"string": pd.Index([""]).dtype, "integer": "int64", "bool": "bool"}
    return pd.Index(list(keys), dtype=dtypes[key.kind])
