"""A released table read back: its label, what was released, and where each number is.

It is read once a conclusion, and whoever concludes is handed what was read.
"""

from __future__ import annotations

from dataclasses import field
from functools import cached_property
from typing import Self

import pandas as pd

from ...dataclass import dataclass
from ...errors import ChangedRelease, NotConcluded
from ..evidence.evidence import WHOLE, Evidence, evidence_from_json
from .label import Label, label_name, label_read, refuse_sizes
from .layout import Item, Layout
from .part import ReleasePart
from .release import Release, digest, is_release, label_of, publish, with_index


@dataclass(frozen=True)
class Released:
    """A table that holds the very numbers it was released with."""

    frame: pd.DataFrame  # without its label, which pandas would copy for every column that it takes out
    label: Label
    part: ReleasePart | None = None  # which of its cells the table holds, where they are not all in their places
    shown: pd.DataFrame = field(default_factory=pd.DataFrame, compare=False)  # the table as it is held

    @classmethod
    def of(cls, table: Released | pd.DataFrame, parts: bool = False) -> Self | Released:
        """Read a table; refused where it carries no label, or one that no longer describes its numbers.

        With `parts` also one that holds some cells of a release, or all in other places: then `frame` is the release.
        """
        if isinstance(table, Released):
            return table._checked(parts)
        said = label_of(table)
        if said is None or not is_release(table):
            raise NotConcluded("this table carries no label of a release.")
        if said.get("digest") != digest(table):
            found = next((each for each in with_index(table) if said.get("digest") == digest(each)), None)
            if found is None:
                raise ChangedRelease(
                    "this table was changed since its release, so its label no longer describes the numbers; "
                    "conclude from the release itself and change the conclusion.",
                    release=label_name(said),
                )
            table = found
        frame = pd.DataFrame(table)
        frame.attrs = {}
        with label_read(label_name(said)):
            label = Label.from_json(said)
            if label.selected is None:
                return cls(frame, label, None, frame)
            part = ReleasePart.from_json(label.selected)
            whole = part.whole()
        return cls(whole, label, part, frame)._checked(parts)

    def _checked(self, parts: bool) -> Self:
        if self.part is not None and not parts:
            raise NotConcluded(
                "this table was sorted, selected or turned since its release; its guarantee, intervals, contrasts, "
                "pictures and exports stay, all else is concluded from the release itself.",
                release=self.label.id,
            )
        return self

    @cached_property
    def layout(self) -> Layout:
        """How its numbers are laid out."""
        with label_read(self.label.id):
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
        with label_read(self.label.id):
            refuse_sizes(facts, self.frame.size)
            estimates = self.layout.estimates(self.frame, self.label.shows, len(facts))
            return [evidence_from_json(each, values) for each, values in zip(facts, estimates, strict=True)]

    @cached_property
    def items(self) -> list[Item]:
        """Each with its column and the type of its numbers."""
        pairs = zip(self.label.evidence, self.evidence, strict=True)
        with label_read(self.label.id):
            return [Item(facts["column"], each.statistic, facts["type"], each) for facts, each in pairs]

    @property
    def offers(self) -> frozenset[str]:
        """The conclusions that may be drawn from it: of several statistics, what each takes for itself."""
        with label_read(self.label.id):
            each = [one.offers for one in self.evidence]
            return frozenset().union(*each) - (frozenset() if len(each) == 1 else WHOLE)

    @property
    def estimates(self) -> pd.DataFrame:
        """The estimates alone, as the table shows them."""
        with label_read(self.label.id):
            return self.layout.grid(self.frame, self.label.shows)
