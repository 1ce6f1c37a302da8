"""A module of an analyst, whose functions others call."""

from __future__ import annotations

TABLE = {"a": 1, "b": 2}
seen: list[object] = []


def clean(value: object) -> object:
    return TABLE.get(str(value).strip())


def numbered(value: object) -> int:
    seen.append(value)
    return len(seen)
