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
    state = [np.full(len(numbers), word) for word in start]
    for message in (numbers, np.uint64(8 << 56)):  # the last block says how long the message was
        state[3] ^= message
        _round(state)
        _round(state)
        state[0] ^= message
    state[2] ^= np.uint64(0xFF)
    for _ in range(4):
        _round(state)
    return state[0] ^ state[1] ^ state[2] ^ state[3]


def _round(state: list[Words]) -> None:
    _mix(state, 0, 1, 13)
    _turn(state[0], 32)
    _mix(state, 2, 3, 16)
    _mix(state, 0, 3, 21)
    _mix(state, 2, 1, 17)
    _turn(state[2], 32)


def _mix(state: list[Words], one: int, other: int, bits: int) -> None:
    state[one] += state[other]
    _turn(state[other], bits)
    state[other] ^= state[one]


def _turn(words: Words, bits: int) -> None:
    over = words >> np.uint64(64 - bits)
    words <<= np.uint64(bits)
    words |= over
