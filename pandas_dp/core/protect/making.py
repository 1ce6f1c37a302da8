"""How the rows of a question were made, as its label, the ledger and reports say it."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, Protocol

RowsWord = Literal["whole", "followed", "vouched", "given", "derived"]
"""All rows of a protected table as they are; rows and columns that expressions made, each of one row; a frame for which
the analyst vouched; a table of a session that protects none; whatever pandas made."""
Read = Literal["nothing", "shown", "values"]
"""What a program has got of protected rows when it asks: nothing, a picture, or values that may be in its constants."""
LEVELS: tuple[Read, ...] = ("nothing", "shown", "values")


def rows_of(facts: Mapping[str, Any]) -> str:
    """Which rows a label or an entry of a ledger says were asked; as it was written first, it says it otherwise."""
    if "derived" not in facts:
        return str(facts.get("rows", "whole"))
    return "given" if facts.get("unprotected") else "derived" if facts["derived"] else "whole"


class Words(Protocol):
    """What says how rows and columns were made."""

    def text(self, columns: Collection[Hashable] | None = None, masked: bool = False) -> str:
        """Conditions, and how these columns were made, or all; masked without constants that may be values of rows."""


@dataclass(frozen=True)
class Making:
    """How rows were made: what the session saw of it, and what the analyst said."""

    rows: RowsWord
    read: Read = "nothing"
    words: Words | None = None
    functions: tuple[str, ...] = ()
    because: str | None = None

    def made(self, columns: Collection[Hashable] | None = None) -> str:
        """How rows and columns were made, with all constants: for the program that wrote them."""
        return "" if self.words is None else self.words.text(columns)

    def to_json(self, columns: Collection[Hashable] | None) -> dict[str, Any]:
        """What ledger and label say: constants only where none can have been read from rows."""
        made = "" if self.words is None else self.words.text(columns, masked=self.read != "nothing")
        return {
            "rows": self.rows,
            "read": self.read,
            "made": made or None,
            "functions": list(self.functions),
            "because": self.because,
        }


WHOLE = Making("whole")
LONGEST_NAME, LONGEST_REASON = 40, 200  # characters


def name_of(function: Any) -> str:
    """What a function of the analyst is called, and the line at which it was written."""
    while isinstance(function, partial):
        function = function.func
    name = str(getattr(function, "__qualname__", type(function).__name__)).rpartition("<locals>.")[2]
    line = getattr(getattr(function, "__code__", None), "co_firstlineno", None)
    behind = "" if line is None else f", line {line}"
    return shortened(name, LONGEST_NAME - len(behind)) + behind


def shortened(text: str, most: int) -> str:
    """Its beginning, where it has more characters."""
    return text if len(text) <= most else f"{text[: most - 1]}…"
