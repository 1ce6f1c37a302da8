"""Released quantiles as boxes: from quartile to quartile around the median, with lines out to the outermost ranks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..core.arrays import Floats
from ..core.label.layout import Released
from ..core.label.release import guarantee
from ..errors import NotConcluded
from ..quantiles.evidence import Quantiles
from .lines import about_ends
from .picture import label_texts
from .plots import COLOURS, GRID, INK, axes, bare, draw_foot

QUARTILES = (0.25, 0.5, 0.75)
BOXED = (0.05, *QUARTILES, 0.95)
"""The ranks that a box plot asks for: what lies beyond are rows, and none is shown."""


def are_boxes(released: Released) -> bool:
    """Whether a release holds the quartiles and one rank to either side, of each of its columns, and nothing else."""
    found = [each for each in released.evidence if isinstance(each, Quantiles)]
    ranks = sorted({each.rank for each in found})
    columns = {facts["column"] for facts in released.label.evidence}
    numbers = all(facts["type"] in ("integer", "float") for facts in released.label.evidence)
    whole = released.part is None and len(found) == len(released.evidence) == 5 * len(columns)
    return whole and numbers and len(ranks) == 5 and tuple(ranks[1:4]) == QUARTILES


def draw_boxes(released: Released, confidence: float, ax: Any = None) -> Any:
    """A box for each column in each cell, the first at the top; the interval of the median lies on it."""
    if not are_boxes(released):
        raise NotConcluded(
            f"kind='box' draws quartiles and a rank to either side of them; ask for quantile({list(BOXED)}) of numbers."
        )
    boxes = list(_boxes(released, confidence))
    ax = axes(ax, 6.4, 1.3 + 0.5 * len(boxes))
    colour, lines = COLOURS[0], np.arange(len(boxes))
    for line, (_, (low, first, middle, third, high), (left, right)) in zip(lines, boxes, strict=True):
        ax.plot([low, first], [line, line], [third, high], [line, line], color=colour, linewidth=1.6)
        ax.barh(line, third - first, left=first, color=colour, alpha=0.35, height=0.55, linewidth=0)
        ax.plot([middle, middle], [line - 0.275, line + 0.275], color=colour, linewidth=2.4)
        ax.plot([left, right], [line, line], color=INK, linewidth=1.3, marker="|", markersize=6)
    ax.set_yticks(lines, [label for label, _, _ in boxes])
    ax.set_ylim(len(boxes) - 0.4, -0.6)
    columns = {facts["column"] for facts in released.label.evidence}
    ax.set_xlabel("value" if len(columns) > 1 else str(columns.pop() or "value"), color=INK)
    ax.grid(axis="x", color=GRID, linewidth=0.8)
    ax.set_axisbelow(True)
    bare(ax)
    ranks = sorted({each.rank for each in released.evidence if isinstance(each, Quantiles)})
    draw_foot(
        ax,
        f"Boxes: quartiles and median; lines: from the {100 * ranks[0]:g} % to the {100 * ranks[-1]:g} % quantile; "
        f"with ends: intervals of medians, {100 * confidence:g} %, {about_ends(released)}. {guarantee(released.label)}",
    )
    return ax


def _boxes(released: Released, confidence: float) -> Iterator[tuple[str, list[float], tuple[float, float]]]:
    """The label of each box, its five numbers, rising, and the ends of the interval of its median."""
    evidence: list[Any] = list(released.evidence)
    names = [facts["column"] for facts in released.label.evidence]
    grouped = len(evidence[0].estimate) > 1
    cells = label_texts(released.frame.index) if grouped else [""]
    columns = list(dict.fromkeys(names))
    for name in columns:
        mine = sorted((e for e, of in zip(evidence, names, strict=True) if of == name), key=lambda each: each.rank)
        numbers: Floats = np.sort(np.array([each.estimate for each in mine], dtype=float), axis=0)
        low, high = mine[2].interval(confidence, mine[2].default_target)
        for at, cell in enumerate(cells):
            label = ", ".join(filter(None, [cell, str(name or "") if len(columns) > 1 or not grouped else ""]))
            yield label, numbers[:, at].tolist(), (float(low[at]), float(high[at]))
