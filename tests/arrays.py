"""Covering arrays: in place of all combinations, so few that each pair of options still meets."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations, product
from typing import Any


def pairwise(*factors: Iterable[Any]) -> list[tuple[Any, ...]]:
    """Combinations in which any two options of two factors are together at least once; always the same ones."""
    options: Sequence[Sequence[Any]] = [list(each) for each in factors]
    rows = list(product(*(range(len(each)) for each in options)))
    missing, found = set().union(*map(_pairs, rows)), []
    while missing:
        best = max(rows, key=lambda row: len(_pairs(row) & missing))
        missing -= _pairs(best)
        found.append(tuple(each[at] for each, at in zip(options, best, strict=True)))
    return found


def _pairs(row: tuple[int, ...]) -> set[tuple[tuple[int, int], ...]]:
    return set(combinations(enumerate(row), 2))
