"""Keys that were found: the shape of a release whose rows are an answer, and such a release as declared categories."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from ..core.label.label import OTHER
from ..core.label.layout import Layout, Released
from ..core.label.release import is_release
from ..core.measure.measurement import Noisy
from ..core.schema.values import Categories, read_categories
from ..errors import NoCategories, UnsupportedArgument
from .evidence import KeyNumbers
from .measure import FoundKey, ShownKeys
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
        (answer,) = (each for each in answers if isinstance(each, ShownKeys))
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


UNKNOWN = "unknown"


def is_unknown(categories: object, key: Hashable) -> bool:
    """Whether `categories="unknown"` was said of this key."""
    said = categories.get(key) if isinstance(categories, Mapping) else categories
    return isinstance(said, str) and said == UNKNOWN


def found_in(release: pd.DataFrame) -> Categories:
    """The keys that a release found, as declared categories: they are public now. `other` is none of them."""
    if not is_release(release) or (released := Released.of(release)).label.keys != "found":
        raise UnsupportedArgument(
            "the table given as categories holds no keys that were found; give a release of find_categories or of "
            "value_counts(categories='unknown'), or a list.",
            argument="categories",
        )
    (evidence,) = released.evidence
    found = evidence if isinstance(evidence, KeyNumbers) else None  # else an order of keys
    labels = list(release.index[: len(release) - (found is not None and found.other)])
    if not labels:
        raise NoCategories("no key was shown in the release given as categories, so there is no cell to ask about.")
    return replace(read_categories(labels, release.index.name), spelling=None if found is None else found.spelling)


def listed(categories: object) -> object:
    """What was given as categories, releases of found keys read."""
    if isinstance(categories, Mapping):
        return {key: listed(each) for key, each in categories.items()}
    return found_in(categories) if isinstance(categories, pd.DataFrame) else categories
