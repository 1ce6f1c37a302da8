"""The label of a release: all that may be said of it, as a frozen value and as plain JSON.

Format 1 is kept for ever. A label that was written once is read by every later version: keys may be added and are never
renamed, taken away or given another meaning. A reader ignores keys that it does not know; a label of a newer format is
refused. Where nothing is said, a key is there: null, or an empty list.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, fields
from typing import Any, Self

from ..dataclass import dataclass
from ..errors import NotConcluded

FORMAT = 1
BLOCKS = " of blocks of "  # in an estimand, behind the name of a function
Json = dict[str, Any]


@dataclass(frozen=True)
class Label:
    """What a released table says of itself. Everything in it is public; nothing in it may be changed.

    Attributes
    ----------
    kind
        "release", or "combined" of several.
    id, entry, session
        Its name, the number of its entry in the ledger, and the name of the session that paid.
    frame, size, derived, unprotected
        The protected frame, its number of rows where that is public, whether the question was about rows cut from it,
        and whether there was none.
    statistic, columns, by, where, stored
        What was asked; `where` and `stored` name the part and the stored table it was read from.
    model, neighbours, unit, roster, people
        What is hidden: the promise, between which tables, whose rows (null: a row is a person), by which public list
        of how many people.
    counted, max_rows, max_cells, max_keys, max_values, per_person, count, weights
        How the rows of one person count.
    epsilon, delta, rho, mechanism, noise, options
        What it cost, and the laws of its noise, null where they are private: for each tally that was asked runs of
        `law` and `numbers`, of how many numbers in a row it is the law.
    complete, nullable
        Columns of which somebody said that every row has a value, so that a row that lacks one counts as the middle of
        the range, and columns that were declared to have gaps, or not at all. A gap in any other drops out, too.
    looks, chosen, given_shown, keys, source, drawn, measure, estimand
        How the answer came about: looks at rows one after another, what was chosen from earlier answers, keys that
        were declared or found, and what a number estimates.
    rows, shows
        Where its estimates are: "cells" or "items" are its rows, and how many columns each item has (null: estimates
        alone).
    evidence
        Of each item, its column, the type of its numbers, a fingerprint of what was asked, and what intervals follow
        from.
    rounded, bases, moved, adjusted, relabelled, selected, releases
        What was done to it afterwards, at no cost: `relabelled` has the public labels that took the place of others,
        `selected` the cells of which releases it holds.
    """

    statistic: str
    columns: tuple[Any, ...]
    by: tuple[Any, ...]
    model: str
    neighbours: str
    derived: bool
    confidence: float
    rows: str
    shows: tuple[int, ...] | None
    evidence: tuple[Json, ...]
    version: str
    format: int = FORMAT
    kind: str = "release"
    id: str | None = None
    entry: int | None = None
    session: str | None = None
    frame: str | None = None
    size: int | None = None
    unprotected: bool = False
    zone: str | None = None
    epsilon: float | None = None
    delta: float | None = None
    rho: float | None = None
    mechanism: str | None = None
    noise: Any = None
    options: Json | None = None
    bootstrap: Json | None = None
    looks: Any = None
    estimand: Any = None
    unit: str | None = None
    roster: Any = None
    people: int | None = None
    counted: str | None = None
    max_rows: int | None = None
    max_cells: int | None = None
    max_keys: int | None = None
    max_values: int | None = None
    per_person: Any = None
    count: str | None = None
    weights: Any = None
    keys: str | None = None
    complete: tuple[str, ...] = ()
    nullable: tuple[str, ...] = ()
    given_shown: Any = None
    chosen: Any = None
    source: Any = None
    drawn: str | None = None
    measure: str | None = None
    note: str | None = None
    period: str | None = None
    where: Json | None = None
    stored: str | None = None
    rounded: tuple[int, ...] = ()
    bases: tuple[int, ...] = ()
    moved: tuple[float, ...] = ()
    adjusted: tuple[str, ...] = ()
    relabelled: Any = None
    selected: Any = None
    releases: tuple[Json, ...] = ()
    insecure: bool = False
    digest: str = field(default="", compare=False)

    @property
    def of_blocks(self) -> str | None:
        """What a function gave on blocks of rows, where the numbers are of that."""
        return self.estimand if isinstance(self.estimand, str) and BLOCKS in self.estimand else None

    @property
    def is_reworked(self) -> bool:
        """Whether its numbers were rounded or adjusted after they were released."""
        return bool(self.rounded or self.bases or self.adjusted)

    @property
    def rounded_by(self) -> float:
        """How far rounding after the release may have moved a number."""
        decimals = sum(0.5 * 10.0**-decimals for decimals in self.rounded)
        return decimals + sum(base / 2 for base in self.bases) + sum(self.moved)

    def to_json(self) -> Json:
        """All keys of the format; null where nothing is said."""
        return {each.name: _as_json(getattr(self, each.name)) for each in fields(self)}

    @classmethod
    def from_json(cls, said: Mapping[str, Any]) -> Self:
        """Read what `to_json` of this or an earlier version wrote.

        Raises
        ------
        NotConcluded
            The label has a newer format, or lacks what every label has.
        """
        written = said.get("format")
        if isinstance(written, int) and written > FORMAT:
            raise NotConcluded(
                f"this release has a label of format {written}, and this version of pandas-dp reads format {FORMAT}; "
                "read it with a newer version."
            )
        known = {each.name for each in fields(cls)}
        try:
            return cls.saying({name: fact for name, fact in said.items() if name in known})
        except TypeError:
            raise NotConcluded(
                "this table carries a label that lacks what every release says of itself; conclude from the release "
                "as it was published."
            ) from None

    @classmethod
    def saying(cls, facts: Mapping[str, Any]) -> Self:
        """The label of these facts as JSON has them, all of them keys of the format; null says nothing."""
        told: Json = {name: tuple(fact) if isinstance(fact, list) else fact for name, fact in facts.items()}
        said = {name: fact for name, fact in told.items() if fact is not None}
        return cls(**{"shows": None, **said})


def _as_json(fact: Any) -> Any:
    return list(fact) if isinstance(fact, tuple) else fact
