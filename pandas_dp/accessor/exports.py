"""Ways to publish a release outside of Python, each with the guarantee below the table."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from typing import Any

import pandas as pd

from ..errors import MissingExtra

Path = str | PathLike[str]


def to_markdown(table: pd.DataFrame, guarantee: str, path: Path | None, **options: Any) -> str:
    with _needing("export"):
        text = table.to_markdown(**options)
    return _written(f"{text}\n\n{guarantee}\n", path)


def to_latex(table: pd.DataFrame, guarantee: str, path: Path | None, **options: Any) -> str:
    line = guarantee.replace("_", r"\_").replace("%", r"\%")
    with _needing("export"):
        text = table.to_latex(**options)
    return _written(f"{text}\n\\par\\smallskip {line}\n", path)


def to_html(table: pd.DataFrame, guarantee: str, path: Path | None, **options: Any) -> str:
    return _written(f"{table.to_html(**options)}\n<p>{guarantee}</p>\n", path)


def to_excel(table: pd.DataFrame, guarantee: str, path: Path, sheet_name: str) -> None:
    with _needing("export"), pd.ExcelWriter(path) as writer:
        table.to_excel(writer, sheet_name=sheet_name)
        below = len(table) + table.columns.nlevels + 2
        line = pd.DataFrame([[guarantee]])
        line.to_excel(writer, sheet_name=sheet_name, startrow=below, header=False, index=False)


@contextmanager
def _needing(extra: str) -> Iterator[None]:
    """Say by name which extra is missing, where pandas says which package."""
    try:
        yield
    except ImportError as error:
        raise MissingExtra(
            f'this way of publishing needs packages that are not installed; pip install "pandas-dp[{extra}]".',
            extra=extra,
        ) from error


def _written(text: str, path: Path | None) -> str:
    if path is not None:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    return text
