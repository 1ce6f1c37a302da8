"""A table over keys that are in no table of a tree together: factors are multiplied, and keys summed out of them."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from string import ascii_letters

import numpy as np

from ..dataclass import dataclass
from .beliefs import added, along
from .effects import Floats
from .kept import Kept


@dataclass(frozen=True)
class Step:
    """Which factors are multiplied, over which keys their product is, and the key that is summed out; at last none."""

    factors: tuple[int, ...]
    keys: Kept
    gone: int | None


def steps_to(kept: Kept, factors: Sequence[Kept], sizes: Sequence[int]) -> list[Step]:
    """From factors to the table over these keys, by the smallest product each time; what is left goes in front."""
    there, found = [set(each) for each in factors], []
    while others := sorted(set().union(*there) - set(kept)):
        joints = {place: set().union(*(each for each in there if place in each)) for place in others}
        gone = min(others, key=lambda place: (prod(sizes[other] for other in joints[place]), place))
        mine = tuple(at for at, each in enumerate(there) if gone in each)
        found.append(Step(mine, tuple(sorted(joints[gone])), gone))
        there = [*(each for at, each in enumerate(there) if at not in mine), joints[gone] - {gone}]
    found.append(Step(tuple(range(len(there))), tuple(sorted(set().union(*there))), None))
    return found


def table_from(factors: Sequence[tuple[Kept, Floats]], kept: Kept, sizes: Sequence[int]) -> Floats:
    """The product of the factors, added up to these keys."""
    there = list(factors)
    for step in steps_to(kept, [keys for keys, _ in factors], sizes):
        parts = [there[at] for at in step.factors]
        there = [*(each for at, each in enumerate(there) if at not in step.factors), _joined(parts, step)]
    ((_, table),) = there
    return table


def _joined(parts: Sequence[tuple[Kept, Floats]], step: Step) -> tuple[Kept, Floats]:
    """The product, with a key summed out; of two factors without the product in full."""
    rest = tuple(place for place in step.keys if place != step.gone)
    if len(parts) == 2 and len(step.keys) <= len(ascii_letters):
        letters = {place: ascii_letters[at] for at, place in enumerate(step.keys)}
        (one, first), (two, second) = parts
        spelt = ["".join(letters[place] for place in keys) for keys in (one, two, rest)]
        return rest, np.asarray(np.einsum(f"{spelt[0]},{spelt[1]}->{spelt[2]}", first, second))
    product: Floats = np.ones([1] * len(step.keys))
    for keys, table in parts:
        product = product * along(table, keys, step.keys)
    return rest, added(product, step.keys, rest)
