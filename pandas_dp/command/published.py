"""`published list|show`: what a folder of published tables holds."""

from __future__ import annotations

import argparse
import json
from typing import Any

import numpy as np
import pandas as pd

from ..core.label.release import label_of
from ..errors import TablesError
from ..tables.published.conclude import PublishedTables, open_tables


def add_to(topics: Any) -> None:
    """Declare the commands."""
    topic = topics.add_parser("published", help="a folder of published tables")
    actions = topic.add_subparsers(required=True, metavar="ACTION")
    for name, (answer, words) in ACTIONS.items():
        action = actions.add_parser(name, help=words, description=words)
        action.add_argument("folder", metavar="FOLDER", help="where publish_tables stored them")
        if name == "show":
            action.add_argument("name", metavar="NAME", nargs="?", help="of one question; all without it")
        action.add_argument("--json", action="store_true", help="JSON in place of text")
        action.set_defaults(answer=answer)


def contents(chosen: argparse.Namespace) -> str:
    """A line a table, and the promise of all together."""
    tables = open_tables(chosen.folder)
    found = tables.contents
    if chosen.json:
        return _as_json({"tables": _rows(found), "guarantee": tables.guarantee})
    return f"{found.dropna(axis='columns', how='all').to_string(index=False)}\n\n{tables.guarantee}"


def show(chosen: argparse.Namespace) -> str:
    """The numbers as they were published, with the promise of each."""
    tables = open_tables(chosen.folder)
    names = list(tables.releases) if chosen.name is None else [_known(tables, chosen.name)]
    if chosen.json:
        return _as_json({name: _described(tables.releases[name]) for name in names})
    return "\n\n".join(f"{name}\n{tables.releases[name]}" for name in names)


ACTIONS = {
    "list": (contents, "a line a table, with its standard error and cost"),
    "show": (show, "the numbers that were published, of all questions or of one"),
}


def _known(tables: PublishedTables, name: str) -> str:
    if name not in tables.releases:
        known = ", ".join(map(repr, tables.releases))
        raise TablesError(f"the folder holds nothing by the name {name!r}; it holds {known}.")
    return name


def _described(release: pd.DataFrame) -> dict[str, Any]:
    """Label and numbers; the keys as columns, a gap as null."""
    return {"label": label_of(release), "numbers": _rows(release.reset_index())}


def _rows(table: pd.DataFrame) -> list[dict[str, Any]]:
    rows = pd.DataFrame(table).astype(object).to_dict("records")
    return [{str(name): None if pd.isna(value) else value for name, value in row.items()} for row in rows]


def _as_json(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False, default=_plain)


def _plain(value: Any) -> Any:
    """A number of numpy's as Python's own, anything else as its text."""
    return value.item() if isinstance(value, np.generic) else str(value)
