"""Pseudonyms: what stands in a session's tables in place of ids. Keyed, so that nothing outside can be joined to them.

An id is a whole number, a text, bytes or a UUID, taken as it is stored. Whatever else stands in a column of ids is
none, and the row is nobody's.
"""

from __future__ import annotations

import secrets
from typing import Any, NoReturn
from uuid import UUID

import numpy as np
import pandas as pd

from ..backends.siphash import siphash
from ..errors import NotProtected, PrivacyError

Array = np.ndarray[Any, Any]
NOBODY = -1
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
        self._number = secrets.token_bytes(16)
        self._text = "".join(chr(byte & 127) for byte in secrets.token_bytes(16))  # pandas takes 16 letters of ASCII

    def of(self, ids: pd.Index[Any]) -> Array:
        """53 bits for each id, -1 for none; equal for equal ids alone but for chance, which makes two one person."""
        if ids.dtype == object or kind_of(ids.dtype) == "text":
            return self._of_objects(ids.to_numpy(dtype=object))
        return self._shortened(siphash(_words(ids), self._number))

    def _of_objects(self, ids: Array) -> Array:
        if pd.api.types.infer_dtype(ids, skipna=False) == "string":
            try:
                return self._of_said(ids)
            except UnicodeEncodeError:  # half a character somewhere
                pass
        said = np.empty(len(ids), dtype=object)
        said[:] = [_said(each) for each in ids.tolist()]
        there = np.array([each is not None for each in said.tolist()], dtype=bool)
        found = np.full(len(ids), NOBODY, np.int64)
        found[there] = self._of_said(said[there])
        return found

    def _of_said(self, said: Array) -> Array:
        return self._shortened(pd.util.hash_array(said, hash_key=self._text, categorize=False))

    def _shortened(self, hashes: Array) -> Array:
        return (hashes >> SPARE).astype(np.int64)

    def __reduce__(self) -> NoReturn:
        raise PrivacyError("the key of a session's pseudonyms stays in its process.")


def plain(ids: pd.Series[Any]) -> pd.Series[Any]:
    """The column with nothing but ids and None in it: 1, 1.0 and True are equal, and not all can be hashed."""
    if ids.dtype != object or pd.api.types.infer_dtype(ids, skipna=True) in ("string", "empty"):
        return ids
    return pd.Series([None if _said(each) is None else each for each in ids.tolist()], index=ids.index, dtype=object)


def _words(ids: pd.Index[Any]) -> Array:
    numbers = ids.to_numpy()
    if numbers.dtype.kind not in "iu":  # of a nullable or an Arrow dtype, of which nothing is missing here
        numbers = np.asarray(ids.array, dtype=object).astype(np.uint64 if str(ids.dtype).startswith("u") else np.int64)
    wide: Array = numbers.astype(np.uint64 if numbers.dtype.kind == "u" else np.int64, copy=False)
    return wide.view(np.uint64)


def _said(value: Any) -> bytes | None:
    """A text in UTF-8; others as bytes that no text is stored as."""
    if isinstance(value, str):
        return value.encode("utf-8", "surrogatepass")
    if isinstance(value, int | np.integer) and not isinstance(value, bool):
        return b"\xff#%d" % int(value)
    if isinstance(value, UUID):
        return b"\xff@" + value.bytes
    if isinstance(value, bytes):
        return b"\xff:" + bytes(value)
    return None


def kind_of(dtype: Any) -> str | None:
    """What the ids of a column are, by its dtype alone: whole numbers, or text, which objects are taken for."""
    if isinstance(dtype, pd.CategoricalDtype):
        return kind_of(dtype.categories.dtype)
    if pd.api.types.is_integer_dtype(dtype):
        return "whole numbers"
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
