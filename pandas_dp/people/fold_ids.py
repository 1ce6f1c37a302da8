"""SipHash-2-4 of many whole numbers at once: 64 bits that say nothing of a number to whoever lacks the key.

Aumasson and Bernstein, SipHash: a fast short-input PRF (2012).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

import numpy as np
import pandas as pd

from ..core.arrays import Array, Mask

Words = np.ndarray[Any, np.dtype[np.uint64]]
START = (0x736F6D6570736575, 0x646F72616E646F6D, 0x6C7967656E657261, 0x7465646279746573)
BLOCK = 8192  # numbers whose state fits the cache


def siphash(numbers: Words, key: bytes) -> Words:
    """Of each number, as a message of eight bytes, the hash under a key of sixteen.

    Examples
    --------
    >>> message = np.frombuffer(bytes(range(8)), np.dtype("<u8")).astype(np.uint64)
    >>> hex(siphash(message, bytes(range(16))).item())
    '0x93f5f5799a932462'
    """
    halves = np.frombuffer(key, np.dtype("<u8")).astype(np.uint64)
    start = [np.uint64(word) ^ halves[place % 2] for place, word in enumerate(START)]
    found = np.empty(len(numbers), np.uint64)
    for first in range(0, len(numbers), BLOCK):
        found[first : first + BLOCK] = _block(numbers[first : first + BLOCK], start)
    return found


def _block(numbers: Words, start: list[np.uint64]) -> Words:
    a, b, c, d = (np.full(len(numbers), word) for word in start)
    spare = np.empty_like(a)
    for message in (numbers, np.uint64(8 << 56)):  # the last block says how long the message was
        d ^= message
        for _ in range(2):
            _round(a, b, c, d, spare)
        a ^= message
    c ^= np.uint64(0xFF)
    for _ in range(4):
        _round(a, b, c, d, spare)
    return a ^ b ^ c ^ d


def _round(a: Words, b: Words, c: Words, d: Words, spare: Words) -> None:
    _mix(a, b, 13, spare)
    _turn(a, 32, spare)
    _mix(c, d, 16, spare)
    _mix(a, d, 21, spare)
    _mix(c, b, 17, spare)
    _turn(c, 32, spare)


def _mix(one: Words, other: Words, bits: int, spare: Words) -> None:
    one += other
    _turn(other, bits, spare)
    other ^= one


def _turn(words: Words, bits: int, spare: Words) -> None:
    np.right_shift(words, np.uint64(64 - bits), out=spare)
    np.left_shift(words, np.uint64(bits), out=words)
    np.bitwise_or(words, spare, out=words)


@dataclass(frozen=True, repr=False)
class HashKey:
    """Of whole numbers, and of texts, of which pandas takes 16 letters of ASCII."""

    of_numbers: bytes
    of_texts: str

    def of(self, ids: pd.Index[Any]) -> tuple[Array, Mask | None]:
        """64 bits for each id, equal for equal ids alone but for chance; and which are ids, None that all are."""
        if isinstance(ids.dtype, pd.CategoricalDtype):
            ids = ids.astype(ids.dtype.categories.dtype)
        if ids.dtype == object or pd.api.types.is_string_dtype(ids.dtype):
            return self._of_objects(ids.to_numpy(dtype=object))
        return siphash(_words(ids), self.of_numbers), None

    def by_row(self, ids: pd.Series[Any], numbers: bool) -> tuple[Array, Array]:
        """A number for each row, -1 without an id, and 64 bits for each number: of a whole number, or of a text, always
        the same, in whatever dtype it is stored."""
        codes, different = pd.factorize(_of_kind(ids, numbers), use_na_sentinel=True)
        hashes, there = self.of(pd.Index(different))
        return (codes if there is None else np.where(np.append(there, False)[codes], codes, -1)), hashes

    def _of_objects(self, ids: Array) -> tuple[Array, Mask | None]:
        if pd.api.types.infer_dtype(ids, skipna=False) == "string":
            try:
                return self._of_said(ids), None
            except UnicodeEncodeError:  # half a character somewhere
                pass
        words = np.empty(len(ids), dtype=object)
        words[:] = [said(each) for each in ids.tolist()]
        there = np.array([each is not None for each in words.tolist()], dtype=bool)
        found = np.zeros(len(ids), np.uint64)
        found[there] = self._of_said(words[there])
        return found, there

    def _of_said(self, words: Array) -> Array:
        return pd.util.hash_array(words, hash_key=self.of_texts, categorize=False)


EVERYBODYS = HashKey(b"pandas-dp parts.", "pandas-dp parts.")
"""A key that is no secret: whoever puts rows into parts and whoever reads them agree."""


def plain(ids: pd.Series[Any]) -> pd.Series[Any]:
    """The column with nothing but ids and None in it: 1, 1.0 and True are equal, and not all can be hashed."""
    if ids.dtype != object or pd.api.types.infer_dtype(ids, skipna=True) in ("string", "empty"):
        return ids
    return _ids_alone(ids)


def _of_kind(ids: pd.Series[Any], numbers: bool) -> pd.Series[Any]:
    """The column as ids of this kind; None for what is none of them."""
    dtype = ids.dtype.categories.dtype if isinstance(ids.dtype, pd.CategoricalDtype) else ids.dtype
    if not numbers and ids.dtype == object:
        ids = _whole(ids)
    if not numbers and (pd.api.types.is_object_dtype(dtype) or pd.api.types.is_string_dtype(dtype)):
        return plain(ids)
    if pd.api.types.is_integer_dtype(dtype) and numbers:
        return ids
    if numbers:
        words = [_word(value) for value in ids.tolist()]
        wide = np.array([word or 0 for word in words], np.uint64)  # a list of them pandas takes through floats
        return pd.Series(pd.arrays.IntegerArray(wide, np.array([word is None for word in words], bool)), ids.index)
    return _ids_alone(_whole(ids))


def _ids_alone(ids: pd.Series[Any]) -> pd.Series[Any]:
    return pd.Series([None if said(each) is None else each for each in ids.tolist()], index=ids.index, dtype=object)


def _whole(ids: pd.Series[Any]) -> pd.Series[Any]:
    """As objects, floats that are whole numbers as these: a missing id made them so, where no text stood beside it."""
    if ids.dtype == object and pd.api.types.infer_dtype(ids, skipna=True) in ("string", "empty"):
        return ids
    whole = [int(each) if _is_whole(each) else each for each in ids.tolist()]
    return pd.Series(whole, index=ids.index, dtype=object)


def _is_whole(value: Any) -> bool:
    """Whether it is a float that is a whole number, to which no others are rounded."""
    return isinstance(value, float) and value.is_integer() and abs(value) < 2**53


def _word(value: Any) -> int | None:
    """The 64 bits of a whole number, also where it is stored as a float, none that other numbers are rounded to."""
    if _is_whole(value):
        value = int(value)
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    return int(value) % 2**64 if whole and -(2**63) <= value < 2**64 else None


def said(value: Any) -> bytes | None:
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


def _words(ids: pd.Index[Any]) -> Array:
    numbers = ids.to_numpy()
    if numbers.dtype.kind not in "iu":  # of a nullable or an Arrow dtype, of which nothing is missing here
        numbers = np.asarray(ids.array, dtype=object).astype(np.uint64 if str(ids.dtype).startswith("u") else np.int64)
    wide: Array = numbers.astype(np.uint64 if numbers.dtype.kind == "u" else np.int64, copy=False)
    return wide.view(np.uint64)
