"""Keys that nobody declared one by one: of what kind they are, and how a text is spelt. The data add nothing to it."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from datetime import date
from typing import ClassVar, Literal, get_args

import pandas as pd

from ..core.schema.declared import UNDECLARED, Declared
from ..core.schema.values import ByFields, Spelling, called, spelt
from ..errors import BadArgument, UnsupportedType, type_of, wrong_value


def read_spelling(given: object) -> Spelling | None:
    """How texts are made alike before they are compared; None leaves them as they are."""
    if given is not None and given not in get_args(Spelling):
        raise wrong_value("spelling", "be 'NFC', 'casefold' or None", given)
    return given  # type: ignore[return-value]


KeyKind = Literal["string", "integer", "date", "bool"]


@dataclass(frozen=True)
class Unknown(ByFields):
    """What is declared of keys that are to be found: their kind; of points in time their zone, of texts their spelling.

    Values of another kind are no keys, and neither are missing ones, the empty text, and texts that UTF-8 cannot write.
    """

    kind: KeyKind
    tz: str | None = None
    spelling: Spelling | None = None
    words: ClassVar = {"kind": "unknown"}

    @classmethod
    def of(cls, declared: Declared | None, column: Hashable, spelling: Spelling | None) -> Unknown:
        """The kind that a schema declares of a column; refused where it leaves it open."""
        declared = declared or UNDECLARED
        kind = _kind_of(declared)
        if kind is None:
            raise UnsupportedType(
                f"{called(column)} is declared {declared.dtype}, and keys that are to be found take their kind from "
                "the schema; declare it as text, whole numbers, dates or true and false there, e.g. pa.Column(str).",
                column=column,
            )
        if spelling is not None and kind != "string":
            raise UnsupportedType(
                f"spelling= is for texts, and {called(column)} is declared {declared.dtype}; leave it out.",
                column=column,
            )
        return cls(kind, declared.tz, spelling)

    def read(self, value: object, argument: str) -> str | int | bool:
        """A key that somebody typed, as rows of this kind have it; refused where it is of another kind."""
        kinds: dict[KeyKind, tuple[type, ...]] = {
            "string": (str,),
            "integer": (int,),
            "bool": (bool,),
            "date": (date,),
        }
        if not isinstance(value, kinds[self.kind]) or (isinstance(value, bool) and self.kind == "integer"):
            raise BadArgument(
                f"{argument}= takes keys of the declared kind, {self.kind}, and {type_of(value)} is among those given.",
                argument=argument,
            )
        if isinstance(value, str):
            return spelt(value, self.spelling)
        return int(pd.Timestamp(value).as_unit("ns").value) if isinstance(value, date) else value  # type: ignore[return-value]


def _kind_of(declared: Declared) -> KeyKind | None:
    if declared.dtype.lower().startswith("bool"):
        return "bool"
    if declared.dtype == "str":
        return "string"
    kinds: dict[str | None, KeyKind] = {"integer": "integer", "datetime": "date"}
    return kinds.get(declared.kind)
