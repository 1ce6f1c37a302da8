"""The exit: a DataFrame and its label. What is here may leave the building."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ...errors import ChangedRelease, NotConcluded
from ..budget.cost import Concentrated, exact
from ..promise_registry import PUBLIC, every_promise
from .label import Label, label_name, label_read
from .one_number import OneNumber
from .part import BY_PLACE, ReleasePart, places_in, renamed
from .spreadsheets import FORMULAS, LINKS, inert

if TYPE_CHECKING:
    from ..door.released import ReleaseAccessor


RELEASED = ("release", "combined")
DERIVED = "derived"  # of a protected frame, and what is cut from it: what is known of columns made by what was released
STATED = Fraction(1, 10**6)
"""The delta at which a rho is told as an epsilon, too."""
MOST_LEVELS = 8  # of an index that is looked for among columns


class Table(pd.DataFrame):
    """What pandas makes of a release, before it is known whether it holds cells of it and nothing else."""

    @property
    def _constructor(self) -> type[pd.DataFrame]:
        return Table

    def __finalize__(self, other: Any, method: str | None = None, **named: Any) -> pd.DataFrame:
        """A release where every cell is one of the release it was made from, and a plain table else."""
        plain: pd.DataFrame = _finalized(pd.DataFrame(self), other, method, **named)
        if not isinstance(other, Release):
            return plain
        try:
            part = _part_of(plain, other, method)
        except NotConcluded:  # a damaged label, or one of a later version
            return plain
        return plain if part is None else part


_finalized: Any = getattr(pd.DataFrame, "__finalize__")  # noqa: B009  # stubs do not have it


class Release(OneNumber, Table):
    """A published table; `attrs["dp"]` holds the label, plain JSON.

    What pandas makes of it by sorting, selecting rows and columns, turning and renaming is a release too, with the
    same label; anything else that pandas makes of it is a plain DataFrame.

    Examples
    --------
    >>> import pandas as pd, pandas_dp as pdp
    >>> people = pdp.Session(epsilon=10).protect(pd.DataFrame({"age": [31, 54, 47]}))
    >>> release = people["age"].dp.sum(epsilon=1, bounds=(0, 100))
    >>> release.attrs["dp"]["kind"], type(release.T).__name__, type(release / 1000).__name__
    ('release', 'Release', 'DataFrame')
    """

    if TYPE_CHECKING:

        @property
        def dp(self) -> ReleaseAccessor: ...

    def set_axis(self, labels: Any, **named: Any) -> Any:
        """As in pandas; the cells stay where they are, so the table stays a release."""
        return Table(pd.DataFrame(self).set_axis(labels, **named)).__finalize__(self, method="set_axis")

    def rename_axis(self, *given: Any, **named: Any) -> Any:
        """As in pandas; the cells stay where they are, so the table stays a release."""
        if named.get("inplace"):
            return super().rename_axis(*given, **named)
        return Table(pd.DataFrame(self).rename_axis(*given, **named)).__finalize__(self, method="rename_axis")

    def nlargest(self, *given: Any, **named: Any) -> Any:
        """As in pandas; rows of a release are one."""
        return Table(pd.DataFrame(self).nlargest(*given, **named)).__finalize__(self)

    def nsmallest(self, *given: Any, **named: Any) -> Any:
        """As in pandas; rows of a release are one."""
        return Table(pd.DataFrame(self).nsmallest(*given, **named)).__finalize__(self)

    def assign(self, **columns: Any) -> Any:
        """As in pandas: a plain table."""
        return pd.DataFrame(self).assign(**columns)

    def reset_index(self, *given: Any, **named: Any) -> Any:
        """As in pandas: a plain table. With all of the index in front it keeps the label, as formats without an index
        need it, and `.dp` concludes from it as before."""
        if named.get("inplace"):
            return super().reset_index(*given, **named)
        plain = pd.DataFrame(self).reset_index(*given, **named)
        if not given and named.keys() <= {"allow_duplicates"}:
            plain.attrs = {"dp": label_of(self)}
        return plain

    @classmethod
    def with_label(cls, table: pd.DataFrame, label: Mapping[str, Any] | str) -> Release:
        """A table under the label that it was released with, which formats other than Parquet do not keep.

        Parameters
        ----------
        label
            What `release.dp.metadata` gave: plain JSON, or its text.

        Examples
        --------
        >>> import json
        >>> import pandas as pd, pandas_dp as pdp
        >>> people = pdp.Session(epsilon=10).protect(pd.DataFrame({"age": [31, 54, 47]}))
        >>> release = people["age"].dp.sum(epsilon=1, bounds=(0, 100))
        >>> text = json.dumps(release.dp.metadata)
        >>> again = pdp.Release.with_label(pd.DataFrame(release), text)
        >>> again.dp.guarantee == release.dp.guarantee
        True
        """
        said = _read_label(label)
        floats = table.astype(dict.fromkeys(table.columns[table.dtypes == "int64"], float))  # 0.0 is read as 0
        for frame in (table, *with_index(table), floats, *with_index(floats)):
            if digest(frame) == said.get("digest"):
                release = cls(frame)
                release.attrs = {"dp": dict(said)}
                return release
        raise ChangedRelease(
            "this label is of other numbers than the table holds; read the table with all digits and labels as they "
            "were written.",
            release=label_name(said),
        )

    def to_csv(self, *given: Any, **named: Any) -> Any:
        """As in pandas; a label that a spreadsheet would take for a formula has an apostrophe before it."""
        return inert(self).to_csv(*given, **named)

    def to_excel(self, *given: Any, **named: Any) -> None:  # type: ignore[misc]  # final to the stubs alone
        """As in pandas, likewise; `.dp.to_excel` writes a sheet to read."""
        inert(self, FORMULAS + LINKS).to_excel(*given, **named)

    def __repr__(self) -> str:  # the accessor knows digits, intervals and hints
        return str(self.dp._text()) if is_release(self) else repr(pd.DataFrame(self))

    def _repr_html_(self) -> str:  # likewise
        return str(self.dp._repr_html_() if is_release(self) else getattr(pd.DataFrame(self), "_repr_html_")())  # noqa: B009


def _part_of(table: pd.DataFrame, parent: Release, method: str | None) -> Release | None:
    """The table under the label of its parent, which says from now on which cells it holds."""
    before = pd.DataFrame(parent)
    said = label_of(parent)
    if said is None or not is_release(parent) or said.get("digest") != digest(before):
        return None
    places = places_in(table, before, method)
    if places is None:
        return None
    with label_read(label_name(said)):
        label = Label.from_json(said)
        part = ReleasePart.all_of(before) if label.selected is None else ReleasePart.from_json(label.selected)
        part = part.then(*places)
        relabelled = composed(label.relabelled or {}, renamed(table, before) if method in BY_PLACE else {})
    selected = None if part.is_all else part.to_json()
    return publish(pd.DataFrame(table), replace(label, selected=selected, relabelled=relabelled or None))


def composed(first: Mapping[str, str], then: Mapping[str, str]) -> dict[str, str]:
    """Labels as they were released, and what they are called now."""
    now = {old: then.get(new, new) for old, new in first.items()}
    more = {old: new for old, new in then.items() if old not in first and old not in first.values()}
    return {old: new for old, new in {**more, **now}.items() if old != new}


def publish(frame: pd.DataFrame, label: Label) -> Release:
    """The frame with its label, which from now on describes exactly these numbers."""
    return labelled(frame, label.to_json())


def labelled(frame: pd.DataFrame, said: Mapping[str, Any]) -> Release:
    """The frame with a label that is JSON already, sealed anew."""
    release = Release(frame)
    release.attrs = {"dp": {**said, "digest": digest(frame)}}
    return release


def _read_label(label: Mapping[str, Any] | str) -> Mapping[str, Any]:
    try:
        said = json.loads(label) if isinstance(label, str) else label
    except ValueError:
        said = None
    if not isinstance(said, Mapping) or said.get("kind") not in RELEASED:
        raise NotConcluded(
            "this is no label of a release; release.dp.metadata gives one, and json.dumps makes it text."
        )
    return said


def with_index(table: pd.DataFrame) -> Iterator[pd.DataFrame]:
    """The table with its first columns as the index, as before `reset_index`; pandas names those that had no name."""
    if list(table.index) != list(range(len(table))):
        return
    for many in range(1, min(len(table.columns), MOST_LEVELS + 1)):
        names = list(table.columns[:many])
        plain = pd.DataFrame(table).set_index(names)
        yield plain
        made = ["index"] if many == 1 else [f"level_{place}" for place in range(many)]
        if any(name == each for name, each in zip(names, made, strict=True)):
            yield plain.rename_axis([None if name == each else name for name, each in zip(names, made, strict=True)])


def label_of(data: pd.DataFrame | pd.Series) -> dict[str, Any] | None:
    """What a table carries as its label, protected or released, as plain JSON."""
    label = data.attrs.get("dp")
    return label if isinstance(label, dict) else None


def kind_of(data: pd.DataFrame | pd.Series) -> str | None:
    """What a table says that it is: "protected", "release", "combined", "synthetic", "custodian"; None of any other."""
    label = data.attrs.get("dp")
    kind = label.get("kind") if isinstance(label, dict) else None
    return kind if isinstance(kind, str) else None


def is_release(data: pd.DataFrame | pd.Series) -> bool:
    return kind_of(data) in RELEASED


def is_synthetic(data: pd.DataFrame | pd.Series) -> bool:
    """Whether rows say that they were drawn from a model."""
    return kind_of(data) == "synthetic"


def digest(frame: pd.DataFrame) -> str:
    """SHA-256 of all labels and values, the same after a Parquet round trip."""
    seal = hashlib.sha256()
    axes = (frame.index, frame.columns)
    seal.update(json.dumps([[_texts(axis), list(map(str, axis.names))] for axis in axes]).encode())
    bare = pd.DataFrame(frame)
    bare.attrs = {}  # pandas copies the label for every column that it takes out, and views the index
    bare = bare.set_axis(pd.RangeIndex(len(bare)))
    for _, column in bare.items():
        numbers = column.to_numpy()
        if numbers.dtype.kind in "iuf":
            plain = numbers.astype(np.float64) + 0.0 if numbers.dtype.kind == "f" else numbers.astype(np.int64)
            seal.update(plain.dtype.str.encode() + plain.tobytes())
        else:
            seal.update(json.dumps(_texts(pd.Index(column))).encode())
    return seal.hexdigest()


def _texts(index: pd.Index) -> list[str]:
    return [str(label) for label in index]


def guarantee(label: Label) -> str:
    """The label in one line, for the foot of a table.

    Examples
    --------
    >>> import pandas as pd, pandas_dp as pdp
    >>> people = pdp.Session(epsilon=1).protect(pd.DataFrame({"age": [31, 54, 47]}))
    >>> release = people["age"].dp.sum(bounds=(0, 100), epsilon=0.5)
    >>> guarantee(Label.from_json(release.attrs["dp"]))
    'differentially private: epsilon=0.5; one row replaced; laplace noise.'
    """
    with label_read(label.id):
        return _guarantee(label)


def _guarantee(label: Label) -> str:
    promise, options = PUBLIC.get(label.model) or every_promise()[label.model], label.options or {}
    moved = promise.adjacency(options, label.neighbours) or _NEIGHBOURS[label.neighbours].format(
        "row" if label.unit is None else "person"
    )
    moved += f" {UNPROTECTED}" if label.rows == "given" else ""
    moved += "" if label.unit is None else f", with all rows under one {label.unit!r}"
    parts = [f"{promise.title}: {cost_text(vars(label))}{_worth(label)}", moved]
    if label.mechanism:
        parts.append(f"{label.mechanism} noise")
    parts += [] if label.period is None else [f"charged to {label.period}"]
    parts += _rows(label)
    parts += _complete(label)
    parts += _bounds_of_a_person(label)
    parts += _of_a_survey(label)
    parts += [] if label.of_blocks is None else [f"of {label.of_blocks}"]
    parts += promise.said(options)
    parts += label.adjusted
    adding = " that add up" if label.moved else ""
    parts += [f"rounded to multiples of {base}{adding}" for base in label.bases]
    parts += [_rounding(decimals) for decimals in label.rounded]
    if label.releases:
        parts.append(f"combined from {len(label.releases)} releases")
    if label.insecure:
        parts.append("INSECURE: the noise was seeded for a test")
    return "; ".join(parts) + "."


def _worth(label: Label) -> str:
    """What a rho comes to as an epsilon with a small delta, rounded up: most people know no other currency."""
    if not label.rho or label.epsilon:
        return ""
    epsilon, delta = Concentrated(exact(label.rho, "rho")).epsilon_at(STATED), STATED + Fraction(label.delta or 0)
    if not epsilon:
        return ""  # less than a float can say
    digits = 2 - math.floor(math.log10(epsilon))
    return f" (epsilon={math.ceil(epsilon * 10**digits) / 10**digits:g} at delta={float(delta):.2g})"


def _bounds_of_a_person(label: Label) -> list[str]:
    """How much of one person's rows counts, where she may have many."""
    if label.max_rows is not None:
        return [f"rows of a person weigh as {label.max_rows} at most"]
    if label.per_person is not None:
        low, high = label.per_person
        return [f"the sum of a person clamped to {low:g} and {high:g}"]
    if label.max_keys is not None:
        several = f"{label.max_keys} different keys at most"
        return [f"a person counts by {'their first key alone' if label.max_keys == 1 else several}"]
    if label.count == "people" and label.by:
        return [f"a person counts in full in {label.max_cells} cell{'s' * (label.max_cells != 1)} at most"]
    return [] if label.max_values is None else [f"{label.max_values} values of a person at most"]


def _complete(label: Label) -> list[str]:
    """What stands for gaps where somebody said that there are none."""
    names = [*label.complete[:3], *([f"{len(label.complete) - 3} more"] * (len(label.complete) > 3))]
    if not names or label.statistic in ("value_counts", "crosstab", "size", "gaps"):
        return []  # what has no value is in no cell
    counts = "a value" if label.statistic == "count" else "the middle of its range"
    said = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
    return [f"a gap in {said}, declared complete, counts as {counts}"]


def _of_a_survey(label: Label) -> list[str]:
    weighted = None if label.weights is None else label.weights.get("column")
    said = [] if weighted is None else [f"weighted by {weighted}"]
    return said + ["calibrated to public totals"] * any(facts.get("kind") == "calibrated" for facts in label.evidence)


OF_ROWS = {
    "followed": "of rows cut from the table, their number private and paid for",
    "vouched": "of rows made of the table, their number private and paid for",
    "given": "its size private and paid for",
    "derived": "of a derived frame, each row once, its size private and paid for",
}


def _rows(label: Label) -> list[str]:
    """Of which rows, and on what the promise depends where they were made."""
    parts = [_number_of(label)] if label.size_is_private else []
    if label.rows in ("followed", "vouched") and label.read != "nothing":
        condition = "holds if no constant in it was read from the rows"
        parts = [f"{parts[0]}, and {condition}" if parts else f"it {condition}"]
    if label.functions:
        parts.append("it calls a function of the analyst for each row, and holds if that keeps nothing from row to row")
    if label.rows == "vouched":
        why = "" if label.because is None else f' ("{label.because}")'
        parts.append(
            f"of a frame for which the analyst vouched{why}: it holds if each of its rows was made of one protected row"
        )
    return parts


def _number_of(label: Label) -> str:
    if label.unit is None:
        return OF_ROWS[label.rows]
    first = "of each person the first row, " if label.counted == "first of each person" else ""
    return f"{first}how many people is private and paid for"


def _rounding(decimals: int) -> str:
    if decimals < 0:
        return f"rounded to multiples of {10**-decimals}"
    return "rounded to whole numbers" if not decimals else f"rounded to {decimals} decimal{'s' * (decimals > 1)}"


def cost_text(cost: Mapping[str, Any]) -> str:
    """The cost as a user would write it; a rho that leaks with a probability has its delta behind it.

    Examples
    --------
    >>> cost_text({"epsilon": 1.0, "delta": 1e-06, "rho": None})
    'epsilon=1, delta=1e-06'
    >>> cost_text({"epsilon": None, "delta": 1e-06, "rho": 0.05})
    'rho=0.05, delta=1e-06'
    """
    if cost["epsilon"] == 0 and not cost["rho"]:
        return "public, free of charge"
    said = {name: f"{name}={cost[name]:.6g}" for name in ("epsilon", "rho", "delta") if cost[name]}
    rho = said.pop("rho", None)
    if rho is not None and "epsilon" not in said:
        return ", ".join([rho, *said.values()])
    asked = ", ".join(said.values())  # also where it was paid as a rho
    return f"{asked} and {rho}" if cost.get("releases") and rho else asked


UNPROTECTED = "of this table, which was not protected"
PROTECT = (
    "Protect a table before it is merged, df = session.protect(df): rows that a merge repeated count as different rows."
)
_NEIGHBOURS = {"replace": "one {} replaced", "add_remove": "one {} added or removed"}
