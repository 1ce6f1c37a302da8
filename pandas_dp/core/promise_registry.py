"""What is promised to the hidden person, from the strongest promise to the weakest: what one hides, those before it
hide too. A promise brings its words, its options and its scale; one with a private scale finds it when looking."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..errors import UnknownModel, UnsupportedArgument, shown
from ..weaker.promise import Weaker
from .lazy_import import import_all
from .promise import NONE, Differential, Option, Promise

import_all(Weaker.__module__.rpartition(".")[0])

_IN_ORDER = sorted(Promise.known.values(), key=lambda kind: (kind.stronger(), kind.name))
PUBLIC: dict[str, Differential] = {kind.name: kind() for kind in _IN_ORDER if issubclass(kind, Differential)}
PRIVATE: dict[str, Weaker] = {kind.name: kind() for kind in _IN_ORDER if issubclass(kind, Weaker)}
PROMISES: dict[str, Differential | Weaker] = {**PUBLIC, **PRIVATE}
OPTIONS: dict[str, Option] = {option.name: option for promise in PROMISES.values() for option in promise.options}


def promise_named(name: object, options: Mapping[str, Any] = NONE) -> Differential | Weaker:
    """The promise of that name, with options that it takes.

    Examples
    --------
    >>> promise_named("dp")
    Differential()
    >>> promise_named("idp", {"group": 2})
    Individual(floor=None, group=2)
    """
    if not isinstance(name, str) or not (name in PUBLIC or name in PRIVATE):
        offered = ", ".join(repr(promise) for promise in PROMISES)
        raise UnknownModel(f"model {shown(name)} is not offered; this version offers {offered}.", model=name)
    promise = PUBLIC[name] if name in PUBLIC else PRIVATE[name]
    for option in options:
        if not promise.takes(option):
            raise UnsupportedArgument(
                f"{option}= is for model={takers(option)}, not {name!r}; leave it out.", argument=option
            )
    return replace(promise, **options) if options else promise


def takers(option: str) -> str:
    """The promises that take an option.

    Examples
    --------
    >>> takers("floor")
    "'idp' or 'bdp'"
    """
    return " or ".join(repr(promise.name) for promise in PROMISES.values() if promise.takes(option))
