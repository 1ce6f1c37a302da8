"""Losses and conclusions over epsilon, as boxplots side by side, one colour for each mechanism."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from .canvas import COLOURS, INK, bare, pyplot

TITLES = {
    "l1": "$\\ell_1$: sum of |error|",
    "l2": "$\\ell_2$: sum of squared errors",
    "l3": "$\\ell_3$: sum of |error of the root|",
    "cramers_v": "Cramér's $V$",
    "pvalue": "$p$ value, independence",
}
INCHES = 1.7  # of a name in the legend
LOGARITHMIC = {"l1", "l2"}
FAR_APART = 50.0


def draw_curves(
    draws: pd.DataFrame,
    truth: Mapping[str, float],
    measures: Sequence[str],
    notice: str | None,
    title: str | None = None,
) -> Any:
    """A panel for each measure; the dashed line is the value in the table itself."""
    across = min(len(measures), 3 if len(measures) != 4 else 2)
    down = -(-len(measures) // across)
    figure, panels = pyplot().subplots(
        down, across, figsize=(3.6 * across, 2.8 * down + 0.5), layout="constrained", squeeze=False
    )
    mechanisms, epsilons = list(dict.fromkeys(draws["mechanism"])), sorted(set(draws["epsilon"]))
    for panel, measure in zip(panels.flat, measures, strict=False):
        for place, mechanism in enumerate(mechanisms):
            _boxes(panel, draws[draws["mechanism"] == mechanism], measure, place, len(mechanisms), epsilons)
        if measure in truth:
            panel.axhline(truth[measure], color=INK, linewidth=1, linestyle=(0, (4, 3)), zorder=0)
        medians = draws.groupby(["mechanism", "epsilon"])[measure].median()
        if draws[measure].min() > 0 and (measure in LOGARITHMIC or (measure == "l3" and _far_apart(medians))):
            panel.set_yscale("log")
        elif measure == "pvalue":
            panel.set_ylim(-0.02, 1.02)
        elif measure == "l3":
            panel.set_ylim(bottom=0)
        panel.set_xticks(range(len(epsilons)), [f"{epsilon:g}" for epsilon in epsilons])
        panel.set_xlim(-0.6, len(epsilons) - 0.4)
        panel.set_xlabel("epsilon", color=INK, fontsize=9)
        panel.set_title(TITLES.get(measure, measure), fontsize=10, color=INK, loc="left")
        bare(panel)
    for panel in panels.flat[len(measures) :]:
        panel.set_visible(False)
    _legend(figure, mechanisms, title)
    if notice:
        figure.supxlabel(notice, fontsize=8, color=COLOURS[4])
    return figure


def _far_apart(medians: pd.Series[float]) -> bool:
    return bool(medians.max() > FAR_APART * medians.min())


def _boxes(panel: Any, draws: pd.DataFrame, measure: str, place: int, several: int, epsilons: Sequence[float]) -> None:
    colour = COLOURS[place % len(COLOURS)]
    width = 0.7 / several
    panel.boxplot(
        [draws.loc[draws["epsilon"] == epsilon, measure].to_numpy() for epsilon in epsilons],
        positions=[at + (place - (several - 1) / 2) * width for at in range(len(epsilons))],
        widths=0.8 * width,
        manage_ticks=False,
        patch_artist=True,
        boxprops={"facecolor": colour, "alpha": 0.45, "edgecolor": colour},
        medianprops={"color": colour, "linewidth": 1.6},
        whiskerprops={"color": colour},
        capprops={"color": colour},
        flierprops={"marker": ".", "markersize": 3, "markerfacecolor": colour, "markeredgecolor": "none", "alpha": 0.6},
    )


def _legend(figure: Any, mechanisms: Sequence[str], title: str | None) -> None:
    """The mechanisms in a line; above it the title of the whole."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    signs: list[Any] = [
        Patch(facecolor=COLOURS[place % len(COLOURS)], alpha=0.45, label=mechanism)
        for place, mechanism in enumerate(mechanisms)
    ]
    signs.append(Line2D([], [], color=INK, linewidth=1, linestyle=(0, (4, 3)), label="the table itself"))
    beside = max(1, min(len(signs), int(figure.get_figwidth() / INCHES)))
    look = {"frameon": False, "fontsize": 9, "labelcolor": INK, "title": title, "title_fontsize": 11}
    figure.legend(handles=signs, loc="outside upper center", ncols=beside, **look)
