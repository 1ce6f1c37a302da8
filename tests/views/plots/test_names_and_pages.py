"""Words in pictures: none over another, and all of them legible on a page that is dark."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib import colors
from matplotlib import pyplot as plt
from matplotlib.text import Text

import pandas_dp as pdp
from pandas_dp.views.drawings import draw_lines, draw_steps, draw_tree

mpl.use("Agg")


@pytest.fixture(autouse=True)
def _no_figure_stays_open() -> Iterator[None]:
    yield
    plt.close("all")


def apart(texts: list[Any]) -> bool:
    """Whether no text, with its box, lies over another as drawn."""
    canvas = texts[0].figure.canvas
    canvas.draw()
    boxes = [each.get_bbox_patch() for each in texts]
    places = [
        Text.get_window_extent(each) if box is None else box.get_window_extent()
        for each, box in zip(texts, boxes, strict=True)
    ]
    return not any(one.overlaps(other) for one, other in combinations(places, 2))


TREES = {
    "seven columns": (
        [
            "a × b × c ± 1\na ± 1\nb ± 2",
            "b × d ± 3",
            "c × e ± 3",
            "e × a long name of a column ± 4\ne ± 5",
            "f ± 2",
            "g ± 2",
        ],
        [-1, 0, 0, 2, 0, 0],
        ["", "b", "c", "e", "", ""],
    ),
    "all in one": (["\n".join(f"c{i} × c{j} ± 1" for i in range(7) for j in range(i))], [-1], [""]),
    "a wide one over two": (["a name " * 12, "b ± 1", "c ± 1\nd ± 1"], [-1, 0, 0], ["", "b", "c"]),
}


@pytest.mark.parametrize("tree", TREES.values(), ids=TREES)
def test_no_box_of_a_tree_lies_over_another(tree: Any) -> None:
    ax = draw_tree(*tree, "foot")
    assert apart([text for text in ax.texts if text.get_text() != "foot"])
    assert ax.figure.get_figwidth() < 12


def test_columns_that_nothing_joins_share_a_box() -> None:
    ax = draw_tree(*TREES["seven columns"], "foot")
    assert "each by itself:\nf ± 2\ng ± 2" in [text.get_text() for text in ax.texts]
    assert len(ax.lines) == 3


def test_a_synthesis_of_seven_columns_is_a_picture_of_boxes_apart() -> None:
    rng = np.random.default_rng(0)
    rows = pd.DataFrame({name: rng.integers(0, 3, 500) for name in "abcdefg"})
    people: Any = pdp.Session(rho=10).protect(rows)
    ax = people.dp.synthesize(rho=1, categories={name: [0, 1, 2] for name in "abcdefg"}).plot()
    assert apart(ax.texts[:-1])


NAMES = ["Fair", "Good", "Very Good", "Premium", "Ideal"]


@pytest.mark.parametrize(
    "ends", [[0.5] * 5, [0.0, 0.2, 0.4, 0.6, 0.8], [0.9, 0.91, 0.0, 0.01, 0.92], [0.0] * 5], ids=str
)
def test_each_curve_has_its_name_at_its_end_in_its_colour(ends: list[float]) -> None:
    middle = [np.append(np.linspace(0.3, end, 8), end) for end in ends]
    curves = [(each, each - 0.1, each + 0.1) for each in middle]
    for ax in (
        draw_lines(np.arange(9.0), curves, NAMES, ("day", "mean", "cut"), "foot", False),
        draw_steps(np.arange(9.0), curves, NAMES, ("day", "survival"), "foot"),
    ):
        names = [text for text in ax.texts if text.get_text() in NAMES]
        assert [text.get_text() for text in names] == NAMES
        assert apart(names)
        lines = ax.lines[: len(NAMES)]
        assert [colors.to_hex(text.get_color()) for text in names] == [
            colors.to_hex(line.get_color()) for line in lines
        ]
        assert ax.get_legend() is None
        heights = [text.xyann[1] for text in names]
        assert np.argsort(ends, kind="stable").tolist() == np.argsort(heights).tolist()


def brightness(colour: Any) -> float:
    return float(np.dot(colors.to_rgb(colour), (0.299, 0.587, 0.114)))


@pytest.mark.parametrize("style", ["default", "dark_background"])
def test_words_and_lines_differ_from_their_page(style: str) -> None:
    people: Any = pdp.Session(rho=1e3).protect(pd.DataFrame({"k": list("abcd") * 300, "x": np.arange(1200.0)}))
    declared = {"k": list("abcd")}
    with plt.style.context(style):
        pictures = [
            people["k"].dp.value_counts(categories=declared["k"], rho=1).dp.plot(title="Title"),
            people["x"].dp.histogram(5, bounds=(0, 1200), rho=1).dp.plot(title="Title"),
            people.dp.groupby("k", categories=declared)["x"].mean(bounds=(0, 1200), rho=1).dp.plot(title="Title"),
        ]
    for ax in pictures:
        page = brightness(ax.figure.get_facecolor())
        words = [
            *ax.texts,
            ax.xaxis.label,
            ax.yaxis.label,
            ax._left_title,
            *ax.get_xticklabels(),
            *ax.get_yticklabels(),
        ]
        lines = [colour for each in ax.collections for colour in each.get_edgecolor()]
        seen = [brightness(word.get_color()) for word in words if word.get_text()] + [*map(brightness, lines)]
        assert min(abs(each - page) for each in seen) > 0.4


def test_words_in_coloured_cells_stay_as_they_are_on_a_dark_page() -> None:
    people: Any = pdp.Session(rho=1e3).protect(pd.DataFrame({"k": list("abcd") * 300, "j": list("uuvw") * 300}))
    keys, found = {"k": list("abcd"), "j": list("uvw")}, []
    table = people.dp.crosstab("k", "j", categories=keys, rho=1)
    for style in ("default", "dark_background"):
        with plt.style.context(style):
            found.append([colors.to_hex(text.get_color()) for text in table.dp.plot().texts[:-1]])
    assert found[0] == found[1]


def test_large_numbers_at_an_axis_are_read_in_thousands_and_millions() -> None:
    people: Any = pdp.Session(rho=1e3).protect(pd.DataFrame({"k": ["a", "b"] * 300, "x": np.arange(600.0) * 1e4}))
    grouped = people.dp.groupby("k", categories={"k": ["a", "b"]})["x"]
    ax = grouped.sum(bounds=(0, 6e6), rho=100).dp.plot()
    ax.figure.canvas.draw()
    assert all(text.get_text().endswith("illion") or text.get_text() == "0" for text in ax.get_xticklabels())
    counts = people["x"].dp.histogram(2, bounds=(0, 6e6), rho=1).dp.plot()
    counts.figure.canvas.draw()
    assert "2 million" in [text.get_text() for text in counts.get_xticklabels()]
