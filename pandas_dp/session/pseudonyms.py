"""Pseudonyms: what stands in a session's tables in place of ids. Keyed, so that nothing outside can be joined to them.

A row without an id is nobody's.
"""

from __future__ import annotations

import secrets
from typing import Any, NoReturn

import numpy as np
import pandas as pd

from ..backends.ids import HashKey
from ..errors import NotProtected, PrivacyError

Array = np.ndarray[Any, Any]
NOBODY = -1
WHOLE_NUMBERS = "whole numbers"
SPARE = np.uint64(11)  # bits that an index of floats would lose


class Pseudonyms:
    """The key of one session. It is in no repr and in no pickle; two sessions give one id two pseudonyms.

    Examples
    --------
    >>> mine, other = Pseudonyms(), Pseudonyms()
    >>> ids = pd.Index([7, 8])
    >>> (mine.of(ids) == mine.of(ids)).all().item(), (mine.of(ids) == other.of(ids)).any().item()
    (True, False)
    """

    def __init__(self) -> None:
        self._key = HashKey(secrets.token_bytes(16), "".join(chr(byte & 127) for byte in secrets.token_bytes(16)))

    def of(self, ids: pd.Index[Any]) -> Array:
        """53 bits for each id, -1 for none; equal for equal ids alone but for chance, which makes two one person."""
        hashes, there = self._key.of(ids)
        found = (hashes >> SPARE).astype(np.int64)
        return found if there is None else np.where(there, found, NOBODY)

    def __reduce__(self) -> NoReturn:
        raise PrivacyError("the key of a session's pseudonyms stays in its process.")


def kind_of(dtype: Any) -> str | None:
    """What the ids of a column are, by its dtype alone: whole numbers, or text, which objects are taken for."""
    if isinstance(dtype, pd.CategoricalDtype):
        return kind_of(dtype.categories.dtype)
    if pd.api.types.is_integer_dtype(dtype):
        return WHOLE_NUMBERS
    return "text" if pd.api.types.is_object_dtype(dtype) or pd.api.types.is_string_dtype(dtype) else None


def check_ids(dtype: Any, column: Any, before: str | None) -> str:
    """The kind of the ids; refused where they are no ids, or others than those of the session's tables before."""
    kind = kind_of(dtype)
    if kind is None:
        floats = pd.api.types.is_float_dtype(dtype)
        why = ", as whole numbers become where one is missing" if floats else ""
        raise NotProtected(
            f"column {column!r}, which says whose a row is, has dtype {dtype}{why}; ids are whole numbers or text: "
            f"read it with dtype={{{column!r}: 'Int64'}} or 'string'.",
            column=column,
        )
    if before not in (None, kind):
        raise NotProtected(
            f"the ids in column {column!r} are {kind}, and those of the tables protected before are {before}; a person "
            "would not be found again. Read all of them as one dtype.",
            column=column,
        )
    return kind
