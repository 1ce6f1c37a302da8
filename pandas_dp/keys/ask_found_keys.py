"""Categories that were found: a release of keys as declared categories, and the word for those to be found."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import replace

import pandas as pd

from ..core.label.reading import Released
from ..core.label.release import is_release
from ..core.schema.categories import Categories, read_categories
from ..errors import NoCategories, UnsupportedArgument
from .evidence import Found

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
    found = evidence if isinstance(evidence, Found) else None  # else an order of keys
    labels = list(release.index[: len(release) - (found is not None and found.other)])
    if not labels:
        raise NoCategories("no key was shown in the release given as categories, so there is no cell to ask about.")
    return replace(read_categories(labels, release.index.name), spelling=None if found is None else found.spelling)


def listed(categories: object) -> object:
    """What was given as categories, releases of found keys read."""
    if isinstance(categories, Mapping):
        return {key: listed(each) for key, each in categories.items()}
    return found_in(categories) if isinstance(categories, pd.DataFrame) else categories
