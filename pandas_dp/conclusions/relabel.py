"""Other labels for the public keys of a release: the numbers, and what may be concluded from them, stay."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import replace
from typing import Any

import pandas as pd

from ..errors import UnsupportedArgument, shown
from ..release import Release, Released, composed, publish, renamed


def relabelled(table: Released | pd.DataFrame, labels: Any) -> Release:
    """The table under other labels and names of keys; its own label remembers those that it was released with."""
    if not isinstance(labels, Mapping):
        raise UnsupportedArgument(
            'labels= is a mapping from labels to labels, e.g. {"f": "women", "m": "men"}.', argument="labels"
        )
    released = Released.of(table, parts=True)
    frame = released.shown
    known = {each for axis in (frame.index, frame.columns) for each in _all_of(axis)}
    texts = {str(each) for each in known}
    odd = next((old for old in labels if old not in known and str(old) not in texts), None)
    if odd is not None:
        raise UnsupportedArgument(f"this release has no label {shown(odd)}; see its index and its columns.", name=odd)
    index, columns = _mapped(frame.index, labels), _mapped(frame.columns, labels)
    for new, old in ((index, frame.index), (columns, frame.columns)):
        if old.is_unique and not new.is_unique:
            raise UnsupportedArgument("two cells would have the same label; give each a label of its own.")
    made = frame.set_axis(index, axis=0).set_axis(columns, axis=1)
    names = composed(released.label.relabelled or {}, renamed(made, frame))
    return publish(made, replace(released.label, relabelled=names or None))


def _all_of(axis: pd.Index) -> list[Hashable]:
    return [*axis.names, *(label for level in range(axis.nlevels) for label in axis.get_level_values(level))]


def _mapped(axis: pd.Index, labels: Mapping[Any, Any]) -> pd.Index:
    """An axis without any of the labels stays as it is."""
    if not any(each in labels or str(each) in labels for each in _all_of(axis)):
        return axis
    names = [_new(name, labels) for name in axis.names]
    levels = [[_new(label, labels) for label in axis.get_level_values(level)] for level in range(axis.nlevels)]
    if axis.nlevels > 1:
        return pd.MultiIndex.from_arrays(levels, names=names)
    return pd.Index(levels[0], name=names[0], tupleize_cols=False)


def _new(label: Any, labels: Mapping[Any, Any]) -> Any:
    if label is None:
        return None
    return labels.get(label, labels.get(str(label), label))
