"""A table of texts in HTML: a caption, and every label a header that says what it is the header of."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from .tags import Html, element, together

Texts = Sequence[Sequence[str]]
LONG = 40  # rows; on a screen a longer table has a box of its own, on paper it is whole


def table(rows: pd.Index, columns: pd.Index, body: Texts, caption: str, kind: str = "numbers") -> Html:
    """The caption, column labels level by level, and a line a row; outer labels once."""
    head = element("thead", together(_heads(rows, columns), ""))
    outer = [_runs(rows, level) for level in range(rows.nlevels)]
    lines = [
        element("tr", *_labels(outer, row), *(element("td", each) for each in cells)) for row, cells in enumerate(body)
    ]
    inside = [element("caption", caption), head, element("tbody", together(lines, ""))]
    whole = element("table", *inside, class_=kind)
    box = "wide long" if len(body) > LONG else "wide"
    return element("div", whole, class_=box, role="region", aria_label=caption, tabindex="0")


def _heads(rows: pd.Index, columns: pd.Index) -> list[Html]:
    """A line for each level of the columns; the names of the rows' levels stand in the last."""
    lines = []
    levels, labels = columns.nlevels, rows.nlevels
    named = any(name is not None for name in columns.names)
    own_line = named and any(name is not None for name in rows.names)
    for level in range(levels):
        last = level == levels - 1
        if named:
            corner = [_head(columns.names[level], "row", labels)]
        elif last:
            corner = [_head(name, "col", 1) for name in rows.names]
        else:
            corner = [element("td", colspan=labels)]
        runs = [(said, 1) for said in _level(columns, level)] if last else _runs(columns, level)
        scope = "col" if last else "colgroup"
        lines.append(element("tr", *corner, *(_head(said, scope, many) for said, many in runs if many)))
    if own_line:
        names = [_head(name, "col", 1) for name in rows.names]
        lines.append(element("tr", *names, *([element("td", colspan=len(columns))] if len(columns) else [])))
    return lines


def _head(said: object, scope: str, many: int) -> Html:
    across = many if many > 1 else None
    if said is None or said == "":
        return element("td", colspan=across)
    return element("th", str(said), scope=scope, colspan=across)


def _labels(outer: list[list[tuple[str, int]]], row: int) -> list[Html]:
    found = []
    for level, runs in enumerate(outer):
        said, many = runs[row]
        if level == len(outer) - 1:
            found.append(element("th", said, scope="row"))
        elif many:
            found.append(element("th", said, scope="rowgroup", rowspan=many))
    return found


def _level(index: pd.Index, level: int) -> list[str]:
    return [str(label[level]) if isinstance(label, tuple) else str(label) for label in index]


def _runs(index: pd.Index, level: int) -> list[tuple[str, int]]:
    """Of each place its label, and how many places it is the label of; 0 where it repeats the one before."""
    above = [tuple(label[: level + 1]) if isinstance(label, tuple) else (label,) for label in index]
    starts = [at for at, label in enumerate(above) if not at or label != above[at - 1]]
    many = dict(zip(starts, (end - at for at, end in zip(starts, [*starts[1:], len(above)], strict=True)), strict=True))
    return [(str(label[-1]), many.get(at, 0)) for at, label in enumerate(above)]
