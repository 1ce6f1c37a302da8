"""What is promised to the hidden person, from the strongest promise to the weakest: what one hides, those before it
hide too. A promise brings its words, its options and its scale; one with a private scale finds it when looking."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from ..errors import UnknownModel, UnsupportedArgument, shown
from .lazy_import import import_all
from .promise import NONE, Differential, Option, Promise

PUBLIC: dict[str, Differential] = {Differential.name: Differential()}


@cache
def every_promise() -> dict[str, Promise]:
    """All of them by name, those with a public scale first; the weaker ones are imported for it."""
    import_all(f"{__name__.partition('.')[0]}.weaker")
    in_order = sorted(Promise.known.values(), key=lambda kind: (kind.stronger(), kind.name))
    public = [kind for kind in in_order if issubclass(kind, Differential)]
    return {kind.name: kind() for kind in (*public, *(each for each in in_order if each not in public))}


@cache
def every_option() -> dict[str, Option]:
    """Every keyword that a promise takes."""
    return {option.name: option for promise in every_promise().values() for option in promise.options}


def promise_named(name: object, options: Mapping[str, Any] = NONE) -> Promise:
    """The promise of that name, with options that it takes.

    Examples
    --------
    >>> promise_named("dp")
    Differential()
    >>> promise_named("idp", {"group": 2})
    Individual(floor=None, group=2)
    """
    known: Mapping[str, Promise] = PUBLIC if isinstance(name, str) and name in PUBLIC else every_promise()
    if not isinstance(name, str) or name not in known:
        offered = ", ".join(repr(promise) for promise in every_promise())
        raise UnknownModel(f"model {shown(name)} is not offered; this version offers {offered}.", model=name)
    promise = known[name]
    for option in options:
        if not promise.takes(option):
            raise UnsupportedArgument(
                f"{option}= is for model={takers(option)}, not {name!r}; leave it out.", argument=option
            )
    changed: Promise = replace(promise, **options) if options else promise  # type: ignore[type-var]  # it is a dataclass
    return changed


def takers(option: str) -> str:
    """The promises that take an option.

    Examples
    --------
    >>> takers("floor")
    "'idp' or 'bdp'"
    """
    return " or ".join(repr(promise.name) for promise in every_promise().values() if promise.takes(option))
