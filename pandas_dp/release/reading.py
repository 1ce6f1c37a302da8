"""A released table read back: its label, what was released, and where each number is.

It is read once a conclusion, and whoever concludes is handed what was read.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Self

import pandas as pd

from ..errors import ChangedRelease, NotConcluded
from ..evidence import WHOLE, Evidence, evidence_from_json
from .label import Label
from .layout import Item, Layout
from .release import Release, digest, is_release, label_of, publish


@dataclass(frozen=True)
class Released:
    """A table that holds the very numbers it was released with."""

    frame: pd.DataFrame  # without its label, which pandas would copy for every column that it takes out
    label: Label

    @classmethod
    def of(cls, table: Released | pd.DataFrame) -> Self | Released:
        """Read a table; refused where it carries no label, or one that no longer describes its numbers."""
        if isinstance(table, Released):
            return table
        said = label_of(table)
        if said is None or not is_release(table):
            raise NotConcluded("this table carries no label of a release.")
        if said.get("digest") != digest(table):
            raise ChangedRelease(
                "this table was changed since its release, so its label no longer describes the numbers; "
                "conclude from the release itself and change the conclusion.",
                release=said.get("id"),
            )
        frame = pd.DataFrame(table)
        frame.attrs = {}
        return cls(frame, Label.from_json(said))

    @cached_property
    def layout(self) -> Layout:
        """How its numbers are laid out."""
        return Layout.read(self.frame, self.label.shows, self.label.rows == "items")

    def published(self) -> Release:
        """The table with its label."""
        return publish(self.frame, self.label)

    @property
    def is_rectangle(self) -> bool:
        """Whether it shows estimates alone."""
        return self.label.shows is None

    @cached_property
    def evidence(self) -> list[Evidence]:
        """Item by item, in the order in which the table shows them."""
        facts = self.label.evidence
        estimates = self.layout.estimates(self.frame, self.label.shows, len(facts))
        return [evidence_from_json(each, values) for each, values in zip(facts, estimates, strict=True)]

    @cached_property
    def items(self) -> list[Item]:
        """Each with its column and the type of its numbers."""
        pairs = zip(self.label.evidence, self.evidence, strict=True)
        return [Item(facts["column"], each.statistic, facts["type"], each) for facts, each in pairs]

    @property
    def offers(self) -> frozenset[str]:
        """The conclusions that may be drawn from it: of several statistics, what each takes for itself."""
        each = [one.offers for one in self.evidence]
        return frozenset().union(*each) - (frozenset() if len(each) == 1 else WHOLE)

    @property
    def estimates(self) -> pd.DataFrame:
        """The estimates alone, as the table shows them."""
        return self.layout.grid(self.frame, self.label.shows)
