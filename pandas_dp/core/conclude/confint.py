"""Intervals of a release, each by itself or all together, and the replicates of a bootstrap."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from ...errors import NotConcluded, UnsupportedArgument, shown
from ..arguments import a_flag, a_number, check_target
from ..arrays import Floats
from ..evidence.evidence import Evidence
from ..label.label import Label
from ..label.layout import Layout, Released, grown, in_unit, in_zone
from ..label.part import ReleasePart, renamed
from ..label.protected_rows import is_name_of_people, shows_protected_rows
from ..label.release import Release, composed, publish


def replicates(table: Released | pd.DataFrame) -> pd.DataFrame:
    """A row for each replicate, a column for each number of the release."""
    released = Released.of(table)
    label = released.label
    if label.bootstrap is None:
        raise NotConcluded("this release has no replicates; ask the question with bootstrap=.")
    rng = np.random.default_rng(int(label.digest, 16))  # public: what was released decides
    columns = []
    for item in released.items:
        columns += [in_unit(drawn, item.kind) for drawn in item.evidence.replicates(rng).T]
    found = pd.DataFrame(dict(enumerate(columns)))
    found.columns = _titles(released.layout, len(columns))
    found.index = pd.RangeIndex(1, len(found) + 1, name="replicate")
    return in_zone(found, label.zone)


def _titles(layout: Layout, columns: int) -> pd.Index:
    """The rows of the release, below the items where there are several of them in a row."""
    rows, outer = layout.rows, layout.columns
    if columns == len(rows):
        return rows
    assert outer is not None  # several items, a row for each cell
    pairs = [(*_tuple(item), *_tuple(row)) for item in outer for row in rows]
    return pd.MultiIndex.from_tuples(pairs, names=[*outer.names, *rows.names])


def _tuple(label: object) -> tuple[object, ...]:
    return label if isinstance(label, tuple) else (label,)


def relabelled(table: Released | pd.DataFrame, labels: Any) -> Release:
    """The table under other labels and names of keys; its own label remembers those that it was released with."""
    if not isinstance(labels, Mapping):
        raise UnsupportedArgument(
            'labels= is a mapping from labels to labels, e.g. {"f": "women", "m": "men"}.', argument="labels"
        )
    released = Released.of(table, parts=True)
    frame = released.shown
    known = {each for axis in (frame.index, frame.columns) for each in _all_of(axis)}
    texts = {str(each) for each in known}
    odd = next((old for old in labels if old not in known and str(old) not in texts), None)
    if odd is not None:
        raise UnsupportedArgument(f"this release has no label {shown(odd)}; see its index and its columns.", name=odd)
    index, columns = _mapped(frame.index, labels), _mapped(frame.columns, labels)
    for new, old in ((index, frame.index), (columns, frame.columns)):
        if old.is_unique and not new.is_unique:
            raise UnsupportedArgument("two cells would have the same label; give each a label of its own.")
    made = frame.set_axis(index, axis=0).set_axis(columns, axis=1)
    names = composed(released.label.relabelled or {}, renamed(made, frame))
    return publish(made, replace(released.label, relabelled=names or None))


def _all_of(axis: pd.Index) -> list[Hashable]:
    return [*axis.names, *(label for level in range(axis.nlevels) for label in axis.get_level_values(level))]


def _mapped(axis: pd.Index, labels: Mapping[Any, Any]) -> pd.Index:
    """An axis without any of the labels stays as it is."""
    if not any(each in labels or str(each) in labels for each in _all_of(axis)):
        return axis
    names = [_new(name, labels) for name in axis.names]
    levels = [[_new(label, labels) for label in axis.get_level_values(level)] for level in range(axis.nlevels)]
    if axis.nlevels > 1:
        return pd.MultiIndex.from_arrays(levels, names=names)
    return pd.Index(levels[0], name=names[0], tupleize_cols=False)


def _new(label: Any, labels: Mapping[Any, Any]) -> Any:
    if label is None:
        return None
    return labels.get(label, labels.get(str(label), label))


Ends = tuple[Floats, Floats]
ENDS = ["lower", "upper"]


def confint(
    table: Released | pd.DataFrame, confidence: float, target: str | None, simultaneous: bool = False
) -> pd.DataFrame:
    """Lower and upper ends in the shape of the table, its labels with one more level.

    A number without an interval of its own gets NaN where its neighbours have one; alone it is refused.
    """
    confidence = a_number("confidence", confidence, 0, 1)
    check_target(target)
    a_flag("simultaneous", simultaneous)
    released = Released.of(table, parts=True)
    label = released.label
    if target == "population" and label.is_unweighted:
        raise NotConcluded(
            "this was asked with weights=None, so it says nothing of the population that the design stands for; ask "
            "with the design, or take target='sample', the rows in the data."
        )
    evidence = released.evidence if label.before is None else released.before
    if label.adjusted and label.before is None:
        raise NotConcluded(
            f"this table was adjusted after its release ({'; '.join(label.adjusted)}); take the intervals of the "
            "release that it was made from."
        )
    with np.errstate(all="ignore"):
        levels = jointly(evidence, confidence, target) if simultaneous else [confidence] * len(evidence)
        ends = _all_ends(evidence, levels, target, label)
    ends = [_grown(each, low, high, label.rounded_by) for each, (low, high) in zip(evidence, ends, strict=True)]
    if label.before is not None:
        ends = [_printed(each, pair, label, target) for each, pair in zip(released.evidence, ends, strict=True)]
    pairs = zip(released.items, ends, strict=True)
    found = [[in_unit(end, item.kind) for end in both] for item, both in pairs]
    whole = in_zone(released.layout.spread(found, ENDS), label.zone)
    return whole if released.part is None else of_part(whole, released, released.part)


def of_part(whole: pd.DataFrame, released: Released, part: ReleasePart) -> pd.DataFrame:
    """Of the intervals of a release, those of the cells that a table holds, under its labels.

    A table of estimates has two columns for each of its own. Where measures stand beside estimates, each item that is
    still in the table has its ends, turned as the table is.
    """
    shown = released.shown.T if part.turned and not released.is_rectangle else released.shown
    low, high = (whole.iloc[:, side::2].to_numpy(dtype=object) for side in (0, 1))
    if released.is_rectangle:
        low, high = part.taken(low), part.taken(high)
        columns: pd.Index = grown(shown.columns, [ENDS] * shown.shape[1])
    else:
        items, firsts = items_of(part, released, low.shape[1])
        low, high = (each[np.ix_(part.rows, items)] for each in (low, high))
        one = shown.columns.nlevels == 1
        columns = pd.Index(ENDS) if one else grown(shown.columns[firsts].droplevel(-1), [ENDS] * len(items))  # type: ignore[arg-type]
    both = np.stack([low, high], axis=2).reshape(len(shown), -1)
    table = pd.DataFrame(both, index=shown.index, columns=columns).infer_objects()
    return table.T if part.turned and not released.is_rectangle else table


def items_of(part: ReleasePart, released: Released, width: int) -> tuple[list[int], list[int]]:
    """Which items have a column in the part, and the first column of each."""
    if width == 1:
        return [0], [0]
    shows = released.label.shows or ()
    owner = np.repeat(np.arange(len(shows)), shows)
    held = [int(owner[column]) for column in part.columns]
    items = list(dict.fromkeys(held))
    return items, [held.index(item) for item in items]


def _grown(evidence: Evidence, low: Floats, high: Floats, by: float) -> Ends:
    """Ends that allow for rounding, still cut at what is possible."""
    if not by:
        return low, high
    least, most = getattr(evidence, "lower", -np.inf), getattr(evidence, "upper", np.inf)
    return np.maximum(low - by, least), np.minimum(high + by, most)


def _printed(shown: Evidence, ends: Ends, label: Label, target: str | None) -> Ends:
    """Intervals around what was released, for numbers that were adjusted: wide enough to hold what is shown. A count
    of rows is whole, and so are the ends of its interval; what is expected of a population need not be."""
    low, high = ends
    if label.unit is None and label.weights is None and target != "population":
        low, high = np.ceil(low - WHOLE), np.floor(high + WHOLE)
    held = np.clip(shown.estimate, shown.lower, shown.upper)
    return np.minimum(low, held), np.maximum(high, held)


WHOLE = 1e-9  # as near to a whole number as floats are


def jointly(evidence: list[Evidence], level: float, target: str | None = None) -> list[float]:
    """For the numbers of each item, the level at which all intervals of the table together hold the level asked.

    The chance to miss is shared among items in proportion to their numbers (Bonferroni); within an item whose numbers
    have independent noise the k-th root of its level is exact (Šidák), elsewhere its share is divided by k.
    """
    drawn = [target == "population" and each.default_target == "sample" for each in evidence]  # cells of one sample
    many = [len(each.estimate) if alike else each.noisy for each, alike in zip(evidence, drawn, strict=True)]
    levels = []
    for each, alike, numbers in zip(evidence, drawn, many, strict=True):
        missed = (1 - level) * numbers / max(sum(many), 1)
        apart = each.apart and not alike
        one = -np.expm1(np.log1p(-missed) / max(numbers, 1)) if apart else missed / max(numbers, 1)
        levels.append(float(np.nextafter(1 - one, 1)) if 0 < one < 1 - level else level)
    return levels


def _ends(evidence: Evidence, level: float, target: str | None, label: Label) -> Ends:
    """Of rows that are persons, each a draw, counts of a population follow, too."""
    about = target or evidence.default_target
    if about == "sample" or label.unit is not None or label.weights is not None:
        return evidence.interval(level, about)
    rows = label.size if label.rows == "whole" and label.size is not None else np.inf
    return evidence.of_population(level, rows)


def _all_ends(evidence: list[Evidence], levels: list[float], target: str | None, label: Label) -> list[Ends]:
    ends: list[Ends | None] = []
    refusal: NotConcluded | None = None
    for each, level in zip(evidence, levels, strict=True):
        try:
            ends.append(_ends(each, level, target, label))
        except NotConcluded as error:
            refusal = error
            ends.append(None)
    if refusal is not None and all(pair is None for pair in ends):
        raise refusal
    nothing = [np.full(len(each.estimate), np.nan) for each in evidence]
    return [pair or (missing, missing) for pair, missing in zip(ends, nothing, strict=True)]


def refuse_protected(rows: Any) -> None:
    """Refuse a protected table, and what was made of one, also as columns of a mapping."""
    if shows_protected_rows(rows, is_name_of_people):
        raise UnsupportedArgument(
            "predict takes rows that are public, as a prediction for each protected row would show the row; make a "
            "table of the values that you want to compare."
        )


OUTWARD: dict[str, Any] = {"lower": np.floor, "upper": np.ceil, "std_error": np.ceil}


def to_decimals(frame: pd.DataFrame, decimals: int) -> Release:
    """Numbers are rounded, times stay as they are."""
    released = Released.of(frame)
    label, table = released.label, released.frame.copy()
    for place, name in enumerate(table.columns):
        if table.dtypes.iloc[place].kind in "iuf":
            measure = name[-1] if isinstance(name, tuple) else name
            table.isetitem(place, rounded(table.iloc[:, place], decimals, measure).array)
    return publish(table, replace(label, rounded=(*label.rounded, decimals)))


def rounded(numbers: pd.Series[Any], decimals: int, measure: Any) -> pd.Series[Any]:
    """An interval is rounded outward, so that it holds what it held; a standard error is never rounded down.

    Examples
    --------
    >>> rounded(pd.Series([3.52]), 0, "lower").item(), rounded(pd.Series([4.15]), 0, "mean").item()
    (3.0, 4.0)
    """
    if measure not in OUTWARD:
        return numbers.round(decimals) + 0  # no -0
    step = 10.0**-decimals
    return (OUTWARD[measure](numbers / step) * step).round(max(decimals, 0)) + 0
