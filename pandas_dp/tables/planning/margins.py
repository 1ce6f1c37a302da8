"""Tables as sets of keys: which lie within which, and which of their categories go together.

When tables that agree can all be computed from one: docs/proofs/tables/tables.md.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from itertools import chain, combinations

from ...core.schema.values import Tie

Margin = tuple[int, ...]
"""A margin, by the places of the keys that it keeps, rising; () is the total."""


def subsets(margin: Iterable[int]) -> list[Margin]:
    """All that a margin contains, itself among them."""
    places = sorted(margin)
    return list(chain.from_iterable(combinations(places, size) for size in range(len(places) + 1)))


def source_of(margin: Margin, measured: Sequence[Margin]) -> Margin:
    """The measured table that a margin is read from, or added up from, where nothing is fitted: the smallest."""
    return min((outer for outer in measured if set(margin) <= set(outer)), key=len)


def with_common_parts(shown: Iterable[Margin]) -> list[Margin]:
    """The tables, the total, and whatever two of them have in common: small ones first."""
    found = {*shown, ()}
    while more := {meet(a, b) for a, b in combinations(found, 2)} - found:
        found |= more
    return sorted(found, key=lambda margin: (len(margin), margin))


def meet(first: Margin, second: Margin) -> Margin:
    """The keys that both have."""
    return tuple(place for place in first if place in second)


def join(first: Margin, second: Margin) -> Margin:
    """The keys that one of them has."""
    return tuple(sorted({*first, *second}))


def largest_within(margin: Margin, tables: Iterable[Margin]) -> list[Margin]:
    """The tables within this one, other than itself, that are within no other."""
    inside = [each for each in tables if set(each) < set(margin)]
    return [each for each in inside if not any(set(each) < set(other) for other in inside)]


def in_turn(tables: Collection[Margin]) -> list[Margin] | None:
    """An order in which each has in common with all before it no more than with a single one of them; or none.

    With such an order any tables that agree can be put together, also with whole numbers that are not negative. Without
    one, as for the three pairs of three keys, there may be no table with these margins.
    """
    left, last_first = list(tables), []
    while len(left) > 1:
        for each in left:
            others = [other for other in left if other != each]
            shared = set(each) & {place for other in others for place in other}
            if any(shared <= set(other) for other in others):
                last_first.append(each)
                left = others
                break
        else:
            return None
    return [*left, *reversed(last_first)]


def with_implied(margin: Collection[int], ties: Sequence[Tie]) -> Margin:
    """These keys and all that follow from them."""
    return tuple(sorted({*margin, *(place for tie in ties for place in tie.implied_by(margin))}))


def is_spare(margin: Margin, ties: Sequence[Tie]) -> int | None:
    """A key that the others determine."""
    return next((place for place in margin if place in with_implied([p for p in margin if p != place], ties)), None)


def finest(sizes: Sequence[int], ties: Sequence[Tie]) -> Margin:
    """Keys from which all others follow."""
    margin = tuple(range(len(sizes)))
    while is_spare(margin, ties) is not None:
        coarsest = min(
            (p for p in margin if p in with_implied([o for o in margin if o != p], ties)), key=lambda p: sizes[p]
        )
        margin = tuple(place for place in margin if place != coarsest)
    return margin


def nested_sizes(sizes: Sequence[int], ties: Sequence[Tie]) -> tuple[int, ...]:
    """Into how many parts each key splits a category of the coarser one, on average; to plan shares of the cost by."""
    found = list(sizes)
    for tie in ties:
        for place in tie.places:
            coarser = [sizes[other] for other in tie.implied_by([place]) if other != place]
            found[place] = max(1, round(sizes[place] / max(coarser, default=1)))
    return tuple(found)
