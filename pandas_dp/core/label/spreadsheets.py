"""Texts that a spreadsheet would compute: names and notes may come from anybody."""

from __future__ import annotations

from typing import Any

import pandas as pd

FORMULAS = ("=", "+", "-", "@", "\t", "\r", "\n")
"""How they begin."""
LINKS = ("{=", "http://", "https://", "ftp://", "ftps://", "file://", "mailto:", "internal:", "external:")
"""What pandas' writer of workbooks takes for a formula as well, or for a link, of which it shows only a part."""


def inert(table: pd.DataFrame, begun: tuple[str, ...] = FORMULAS) -> pd.DataFrame:
    """The table, with an apostrophe before each text that a spreadsheet would take for a formula.

    Examples
    --------
    >>> inert(pd.DataFrame({"=1+1": [-1]}, index=["@SUM(A1)"])).to_csv()
    ",'=1+1\\n'@SUM(A1),-1\\n"
    """
    plain = pd.DataFrame(table)
    found = plain.set_axis(_labels(plain.index, begun), axis=0).set_axis(_labels(plain.columns, begun), axis=1)
    texts = [at for at, dtype in enumerate(found.dtypes) if dtype.kind not in "biufcmM"]
    if not texts:
        return found
    columns = [found.iloc[:, at] for at in range(found.shape[1])]
    columns = [each.map(lambda one: _text(one, begun)) if at in texts else each for at, each in enumerate(columns)]
    return pd.concat(columns, axis=1).set_axis(found.columns, axis=1)


def _labels(index: pd.Index, begun: tuple[str, ...]) -> pd.Index:
    """Labels that need none stay what they are."""
    names = [_text(name, begun) for name in index.names]
    if isinstance(index, pd.MultiIndex):
        return pd.MultiIndex.from_arrays(
            [_labels(index.get_level_values(at), begun) for at in range(index.nlevels)], names=names
        )
    labels: list[Any] = [_text(label, begun) for label in index]
    changed = any(isinstance(one, str) and one != other for one, other in zip(labels, index, strict=True))
    return pd.Index(labels, dtype=object, name=names[0]) if changed else index.rename(names[0])


def _text(value: Any, begun: tuple[str, ...]) -> Any:
    return f"'{value}" if isinstance(value, str) and value.startswith(begun) else value
