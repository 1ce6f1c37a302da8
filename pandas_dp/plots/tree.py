"""A tree of boxes with text, the first at the top, and a word on each line between two."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .canvas import COLOURS, FAINT, INK, axes
from .estimates import draw_foot

WIDTH, HEIGHT = 2.3, 1.5  # of a box and the room around it, in inches


def draw_tree(boxes: Sequence[str], parents: Sequence[int], lines: Sequence[str], foot: str, ax: Any = None) -> Any:
    """`parents` are earlier boxes, -1 of the first; `lines` the words on the line upwards; without, there is none."""
    places = _places(parents)
    across, down = 1 + max(x for x, _ in places), 1 + max(y for _, y in places)
    ax = axes(ax, max(4.0, WIDTH * across), max(2.4, HEIGHT * down))
    for (x, y), parent, word in zip(places, parents, lines, strict=True):
        if parent >= 0 and word:
            above = places[parent]
            ax.plot([above[0], x], [-above[1], -y], color=FAINT, linewidth=1.2, zorder=1)
            ax.text((above[0] + x) / 2, -(above[1] + y) / 2, word, color=INK, fontsize=8, ha="center", va="center")
    for (x, y), text in zip(places, boxes, strict=True):
        box = {"boxstyle": "round,pad=0.4", "facecolor": "white", "edgecolor": COLOURS[0]}
        ax.text(x, -y, text, color=INK, fontsize=9, ha="center", va="center", bbox=box, zorder=2)
    ax.set_xlim(-0.7, across - 0.3)
    ax.set_ylim(-down + 0.4, 0.6)
    ax.set_axis_off()
    draw_foot(ax, foot)
    return ax


def _places(parents: Sequence[int]) -> list[tuple[float, int]]:
    """Depth downwards; across, each over the middle of those below it."""
    below: dict[int, list[int]] = {at: [] for at in range(len(parents))}
    for at, parent in enumerate(parents):
        if parent >= 0:
            below[parent].append(at)
    found: dict[int, tuple[float, int]] = {}
    ends = 0

    def lay(at: int, depth: int) -> float:
        nonlocal ends
        each = [lay(other, depth + 1) for other in below[at]]
        ends += not each
        x = sum(each) / len(each) if each else ends - 1.0
        found[at] = (x, depth)
        return x

    lay(0, 0)
    return [found[at] for at in range(len(parents))]
