"""Values as plain JSON and back, field by field.

The names of fields are words of format 1, which is kept for ever. A field that comes later has a default
for labels written before it; what is there and not known is not read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import lru_cache
from math import isfinite, isinf
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np

Json = dict[str, Any]


SEEN = "in the table"
Seen = Annotated[np.ndarray[Any, Any], SEEN]
"""The value of a field that a label leaves out, as the table shows it."""


def facts_of(value: Any, beside_a_table: bool) -> Json:
    """Its fields as JSON; those that the table shows, where there is one, stay out."""
    facts: Json = {}
    for name, default in _written(value.__class__, beside_a_table):
        held = getattr(value, name)
        unsaid = isinstance(held, float) and isinf(held) and held == default  # no end at all, by default, is null
        facts[name] = held if held is None or isinstance(held, str | int) else None if unsaid else as_json(held)
    return facts


@lru_cache(maxsize=128)
def _written(cls: Any, beside_a_table: bool) -> tuple[tuple[str, Any], ...]:
    """The fields that are written, with their defaults."""
    hints = _hints(cls)
    kept = [each for each in fields(cls) if not (beside_a_table and _is_seen(hints[each.name]))]
    return tuple((each.name, each.default) for each in kept)


def as_json(value: Any) -> Any:
    """What is not finite, which JSON does not have, is text."""
    if isinstance(value, np.ndarray):
        plain = value.dtype.kind in "iub" or (value.dtype.kind == "f" and np.isfinite(value).all())
        return value.tolist() if plain else as_json(value.tolist())
    if isinstance(value, tuple | list):
        return [as_json(each) for each in value]
    if isinstance(value, np.generic):
        return as_json(value.item())
    if isinstance(value, float):
        return value if isfinite(value) else str(value)
    written = getattr(value, "alone_to_json", None) or getattr(value, "to_json", None)
    if written is not None:
        return written()
    return facts_of(value, False) if is_dataclass(value) else value


def from_facts(cls: Any, facts: Mapping[str, Any], values: Any = None) -> Any:
    """The value with these fields; what a table shows is taken from there, where there is one."""
    hints, read = _hints(cls), {}
    for each in fields(cls):
        if values is not None and _is_seen(hints[each.name]):
            read[each.name] = values
        elif facts.get(each.name) is not None or each.default is MISSING:
            read[each.name] = as_value(hints[each.name], facts[each.name])
    return cls(**read)


def as_value(hint: Any, fact: Any) -> Any:
    """What a field of this type was written as."""
    hint = spelled_out(get_args(hint)[0] if _is_seen(hint) else hint)
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        kinds = [each for each in arguments if each is not NoneType]
        return None if fact is None else as_value(_meant(kinds, fact), fact)
    if origin is np.ndarray:
        return np.array(fact, dtype=_dtype(arguments))
    if origin is tuple:
        each = arguments[:1] * len(fact) if arguments[1:] == (...,) else arguments
        return tuple(as_value(one, part) for one, part in zip(each, fact, strict=True))
    if hasattr(hint, "from_json"):
        return hint.from_json(fact)
    if is_dataclass(hint):
        return from_facts(hint, fact)
    return fact if origin is Literal or hint is Any else hint(fact)


def spelled_out(hint: Any) -> Any:
    """What an alias stands for; NumPy's `NDArray` is one by itself from version 2.5 on."""
    stands_for, arguments = getattr(get_origin(hint) or hint, "__value__", None), get_args(hint)
    if stands_for is None:
        return hint
    return stands_for[arguments] if arguments else stands_for


@lru_cache(maxsize=64)
def _hints(cls: Any) -> dict[str, Any]:
    return get_type_hints(cls, include_extras=True)


def _is_seen(hint: Any) -> bool:
    return get_origin(hint) is Annotated and SEEN in get_args(hint)


def _meant(kinds: list[Any], fact: Any) -> Any:
    """The one of several types that says that it reads this."""
    return next((each for each in kinds if getattr(each, "reads", lambda _: False)(fact)), kinds[0])


def _dtype(arguments: tuple[Any, ...]) -> Any:
    number = get_args(arguments[1])
    return number[0] if number and isinstance(number[0], type) and issubclass(number[0], np.generic) else None
