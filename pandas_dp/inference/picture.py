"""Which numbers of a release a picture shows, and their intervals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from ..errors import NotConcluded
from ..release import guarantee
from .confint import confint
from .evidence import checked_label, evidence_of

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Picture:
    """Estimates as rows × columns, their ends as rows × columns × 2 where they have any, and the words around them."""

    values: Floats
    ends: Floats | None
    rows: list[str]
    columns: list[str]
    names: tuple[str, str]
    statistic: str
    foot: str

    @property
    def half_widths(self) -> Floats | None:
        """The larger half of each interval."""
        if self.ends is None:
            return None
        return np.asarray(np.abs(self.ends - self.values[..., np.newaxis]).max(axis=-1))

    def as_one_column(self) -> tuple[list[str], Floats, Floats | None]:
        """Labels, values and ends, row by row."""
        labels = self.rows
        if len(self.columns) > 1:
            labels = [f"{row}, {column}" for row in self.rows for column in self.columns]
        return labels, self.values.ravel(), None if self.ends is None else self.ends.reshape(-1, 2)

    @property
    def is_count(self) -> bool:
        return self.statistic in ("count", "size")


def picture_of(frame: pd.DataFrame, level: float) -> Picture:
    """The numbers of one statistic, margins left out."""
    label = checked_label(frame)
    evidence = evidence_of(frame)
    if len({each.statistic for each in evidence}) > 1 or any(
        f["unit"] not in ("integer", "float") for f in label["evidence"]
    ):
        raise NotConcluded("plot draws the numbers of one statistic; this release holds several, or times.")
    rows, columns, statistic = frame.index, frame.columns, evidence[0].statistic
    rectangle = label["shows"] is None
    try:
        ends = confint(frame, level, None).to_numpy(dtype=np.float64).reshape(len(rows), -1, 2)
    except NotConcluded:
        ends = None
    if rectangle:
        values = frame.to_numpy(dtype=np.float64)
    elif label["rows"] == "items" or len(evidence) == 1:
        values, columns = frame.iloc[:, [0]].to_numpy(dtype=np.float64), frame.columns[:1]
    else:
        firsts = np.cumsum([0, *label["shows"][:-1]])
        values, columns = frame.iloc[:, firsts].to_numpy(dtype=np.float64), frame.columns[firsts].droplevel(-1)  # type: ignore[arg-type]  # the stubs know flat labels only
    if _has_margins(label["evidence"][0]):
        values, ends = values[:-1, :-1], None if ends is None else ends[:-1, :-1]
        rows, columns = rows[:-1], columns[:-1]
    interval = "" if ends is None else f" Intervals: {100 * level:g} %."
    return Picture(
        values,
        ends,
        _texts(rows),
        _texts(columns),
        (_name(rows), _name(columns)),
        statistic,
        guarantee(label) + interval,
    )


def _has_margins(facts: Mapping[str, Any]) -> bool:
    """Of one table with sums at its ends, released with them or planned together."""
    return bool(facts.get("margins") or (facts.get("rectangle") and len(facts["shown"]) > 1))


def _texts(labels: pd.Index) -> list[str]:
    return [", ".join(map(_text, label)) if isinstance(label, tuple) else _text(label) for label in labels]


def _text(label: object) -> str:
    if isinstance(label, pd.Interval):
        return f"{label.left:,g} – {label.right:,g}"
    return str(label)


def _name(labels: pd.Index) -> str:
    return ", ".join(str(name) for name in labels.names if name is not None)
