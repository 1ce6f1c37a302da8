"""From a released table and its label back to what was released; refused where the two no longer agree."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ..errors import ChangedRelease, NotConcluded
from ..evidence import Evidence, evidence_from_json
from ..release import Label, digest, in_numbers, is_release, label_of


def checked_label(frame: pd.DataFrame) -> Label:
    """The label of a table that holds the very numbers it was released with."""
    label = label_of(frame)
    if label is None or not is_release(frame):
        raise NotConcluded("this table carries no label of a release.")
    if label["digest"] != digest(frame):
        raise ChangedRelease(
            "this table was changed since its release, so its label no longer describes the numbers; "
            "conclude from the release itself and change the conclusion.",
            release=label.get("id"),
        )
    return label


def evidence_of(frame: pd.DataFrame) -> list[Evidence]:
    """Item by item, in the order in which the table shows them."""
    label = checked_label(frame)
    facts = label["evidence"]
    return [evidence_from_json(each, values) for each, values in zip(facts, _estimates(frame, label), strict=True)]


def _estimates(frame: pd.DataFrame, label: Label) -> list[np.ndarray[Any, Any]]:
    """The numbers of each item, read back from where the layout put them."""
    items, shows = len(label["evidence"]), label["shows"]
    frame = pd.DataFrame(frame)
    frame.attrs = {}  # pandas copies the label for every column that it takes out
    if shows is None:
        columns = [in_numbers(frame.iloc[:, place].to_numpy()) for place in range(frame.shape[1])]
        cells = np.column_stack(columns).reshape(-1, items)
        return [cells[:, place] for place in range(items)]
    if label["rows"] == "items":
        return [in_numbers(frame.iloc[[place], 0].to_numpy()) for place in range(items)]
    firsts = np.cumsum([0, *shows[:-1]])
    return [in_numbers(frame.iloc[:, place].to_numpy()) for place in firsts]
