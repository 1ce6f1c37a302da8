"""Which picture shows a release: a heat map, a histogram, bars or points."""

from __future__ import annotations

from typing import Any

from ..conclusions import Picture
from ..plots import draw_bars, draw_heat_map, draw_histogram


def draw(picture: Picture, kind: str, ax: Any) -> Any:
    """`kind` is "auto", "heatmap" or "bars"; matplotlib axes come back."""
    if kind == "heatmap" or (kind == "auto" and len(picture.columns) > 1):
        return draw_heat_map(
            picture.values,
            picture.texts(),
            picture.rows,
            picture.columns,
            picture.names,
            picture.foot,
            picture.most,
            ax,
        )
    labels, values, ends = picture.as_one_column()
    if kind == "auto" and picture.edges is not None and picture.is_count:
        return draw_histogram(values, ends, picture.edges, picture.names[0], picture.statistic, picture.foot, ax)
    names = (", ".join(filter(None, picture.names)), picture.statistic)
    return draw_bars(values, ends, labels, names, picture.foot, picture.is_count, ax)
