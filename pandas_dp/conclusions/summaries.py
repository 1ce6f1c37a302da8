"""The layout in which statistics programs print what they found: a title, facts, a table, and what covers it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from textwrap import wrap

import pandas as pd

from .digits import of_columns, texts

WIDTH = 78
LINE = "=" * WIDTH
Facts = Sequence[tuple[str, str, str, str]]


class Summary(str):
    """Text that a prompt and a notebook show as it is printed.

    Examples
    --------
    >>> Summary("coef  std err")
    coef  std err
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"


def framed(title: str, facts: Facts, *parts: str) -> str:
    """Facts below a title, two and two beside each other, then other parts, with lines between.

    Examples
    --------
    >>> print(framed("t test", [("Rows", "400", "", "")], "nothing else"))  # doctest: +ELLIPSIS
                                        t test
    ====...
    Rows:       400
    ====...
    nothing else
    ====...
    """
    told = [f"{_before(one):<12}{value:<30}{_before(other):<14}{said:>22}" for one, value, other, said in facts]
    lines = [title.center(WIDTH).rstrip(), LINE, *(line.rstrip() for line in told), LINE]
    return "\n".join([*lines, *(line for part in parts for line in (part, LINE))])


def _before(name: str) -> str:
    return f"{name}:" if name else ""


def wrapped(*sentences: str) -> str:
    """Each on lines of its own, none longer than the frame."""
    return "\n".join(line for each in sentences for line in wrap(each, WIDTH))


def rows_of(table: pd.DataFrame, confidence: float, names: Mapping[str, str], say: Mapping[str, object]) -> str:
    """Numbers to the digits that their intervals support, ends last, under the names that people know."""
    tail = (1 - confidence) / 2
    named = {**names, "lower": f"[{tail:.4g}", "upper": f"{1 - tail:.4g}]"}
    shown = texts(table, of_columns(table), say)  # type: ignore[arg-type]
    ordered = shown[[name for name in named if name in shown.columns]].rename(columns=named)
    return ordered.to_string(line_width=10**6, index=True, max_rows=None)
