"""SipHash-2-4 of many whole numbers at once: 64 bits that say nothing of a number to whoever lacks the key.

Aumasson and Bernstein, SipHash: a fast short-input PRF (2012).
"""

from __future__ import annotations

from typing import Any

import numpy as np

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
