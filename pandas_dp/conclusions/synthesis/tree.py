"""A model as a tree: which keys it keeps together, which of that was measured, and how wide the intervals are."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...dataclass import dataclass
from ...evidence import Evidence, Tables
from ...release import Released, guarantee
from .described import Described
from .measured import stacked


@dataclass(frozen=True)
class Tree:
    """A text for each set of keys, the one that it hangs from (-1: none), and the keys that the two share."""

    boxes: list[str]
    parents: list[int]
    shared: list[str]
    foot: str


def tree_of(of: Described) -> Tree:
    """Each set with the measured tables within it, each with the largest half width of an interval of a cell."""
    graph, widths = of.model.graph, list(_widths(of))
    boxes = []
    for kept in graph.cliques:
        inside = [f"{_named(of, keys)} ± {width:.3g}" for keys, width in widths if _places(of, keys) <= set(kept)]
        names = {key.name: None for key in of.keys.each if key.place in kept and key.level is None}
        names |= {key.name: None for key in of.shown if key.place in kept}
        boxes.append("\n".join(inside or [" × ".join(map(str, names)) + ", not measured together"]))
    shared = [", ".join(str(key.name) for key in of.shown if key.place in separator) for separator in graph.separators]
    level = 100 * of.label.confidence
    foot = f"Measured tables, ± half an interval of {level:g} %. {guarantee(of.label)}"
    return Tree(boxes, list(graph.parents), shared, foot)


def _widths(of: Described) -> Iterator[tuple[tuple[int, ...], float]]:
    for release in of.releases:
        evidence: Evidence = Released.of(release).evidence[0]
        tables = stacked(evidence, [key.size for key in of.keys.each])
        assert isinstance(tables, Tables)
        for kept in tables.shown:
            halves = tables.laws(kept).half_widths(of.label.confidence) if tables.has_intervals else np.array([np.nan])
            yield kept, float(np.max(halves))


def _places(of: Described, kept: tuple[int, ...]) -> set[int]:
    return {of.keys.each[at].place for at in kept}


def _named(of: Described, kept: tuple[int, ...]) -> str:
    return " × ".join(str(of.names[at]) for at in kept) or "all"
