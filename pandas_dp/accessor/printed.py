"""A release as a table of texts for a page: numbers to their digits, and headers of one line where a format has only
that."""

from __future__ import annotations

from collections.abc import Hashable
from re import sub
from typing import Any

import pandas as pd

from ..conclusions import SAID, Digits, short_labels, texts
from ..release import Released

OWN_NUMBERS = frozenset({"floatfmt", "intfmt", "float_format", "formatters", "decimal"})
"""Options with which someone formats numbers: then they are given all digits."""
ESCAPED = ("pipe", "github")
"""Formats of Markdown; others have no such signs."""
LATEX = {letter: f"\\{letter}" for letter in "&%$#_{}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}


def printed(frame: pd.DataFrame, options: dict[str, Any]) -> pd.DataFrame:
    """Every number to the digits that its interval supports; all digits where an option formats them."""
    if OWN_NUMBERS & set(options):
        return pd.DataFrame(frame)
    released = Released.of(frame, parts=True)
    shown = texts(released.shown, Digits.of(released), None if released.is_rectangle else SAID, whole=True)
    return shown.set_axis(short_labels(shown.index), axis=0)


def markdown(frame: pd.DataFrame, options: dict[str, Any]) -> str:
    """A table in Markdown, whose header is one line and whose keys are columns."""
    with_keys = options.get("index", True)
    shown = on_one_line(printed(frame, options), with_keys)
    sides = ["left"] * (frame.index.nlevels if with_keys else 0) + ["right"] * frame.shape[1]
    own = {"disable_numparse": not OWN_NUMBERS & set(options), "colalign": sides}
    if options.get("tablefmt", "pipe") in ESCAPED:
        shown = shown.set_axis(pd.Index(list(map(in_markdown, shown.columns)), dtype=object), axis=1).map(in_markdown)
    text: Any = shown.to_markdown(**{**own, **options, "index": False})
    return str(text)


def in_markdown(value: Any) -> Any:
    r"""A text that stays one in a table of Markdown: no other cell, line, code, link or tag begins in it.

    Examples
    --------
    >>> in_markdown("a|b"), in_markdown("<b>"), in_markdown("p < 0.1"), in_markdown("[0.0, 5.0)")
    ('a\\|b', '&lt;b>', 'p < 0.1', '[0.0, 5.0)')
    """
    if not isinstance(value, str):
        return value
    plain = sub(r"([\\`*|~])", r"\\\1", value).replace("](", "]\\(")
    plain = sub(r"<(?=[\w/!?])", "&lt;", sub(r"&(?=[#\w])", "&amp;", plain))
    return "<br>".join(plain.splitlines())


def in_latex(text: str) -> str:
    """A text of a line below a table."""
    return "".join(LATEX.get(letter, letter) for letter in text)


def latex(frame: pd.DataFrame, options: dict[str, Any]) -> str:
    """A table in LaTeX; names may have underscores."""
    sides = "l" * (frame.index.nlevels if options.get("index", True) else 0) + "r" * frame.shape[1]
    own: dict[str, Any] = {"escape": True, "column_format": sides}
    text: Any = printed(frame, options).to_latex(**{**own, **options})
    return str(text).replace(" < ", " $<$ ")


def on_one_line(frame: pd.DataFrame, with_keys: bool = True) -> pd.DataFrame:
    """Keys of rows as columns, and each column under one text that names the keys which it stands for."""
    columns, keys = frame.columns, frame.index
    labels_of: list[Any] = list(columns) if columns.nlevels > 1 else [(label,) for label in columns]
    names = [_header(columns.names, each) for each in labels_of]
    labels = {name: keys.get_level_values(place).astype(str) for place, name in enumerate(_named(keys))}
    body = frame.set_axis(pd.Index(names, dtype=object), axis=1)
    return pd.concat([pd.DataFrame(labels, index=keys), body], axis=1) if with_keys else body


def _named(keys: pd.Index) -> list[str]:
    """Blank headers differ in their length, as columns must."""
    return [" " * place if name is None else str(name) for place, name in enumerate(keys.names)]


def _header(names: list[Hashable], labels: tuple[Hashable, ...]) -> str:
    told = [str(label) if name is None else f"{name}: {label}" for name, label in zip(names, labels, strict=True)]
    return ", ".join(dict.fromkeys(told))
