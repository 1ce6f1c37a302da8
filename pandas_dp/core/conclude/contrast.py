"""Differences, ratios and tests of released numbers: estimate, standard error, interval, statistic and p-value.

A p-value is the least level of error at which the interval leaves out what is tested.
Proofs: docs/proofs/core/intervals.md.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from ...errors import NotConcluded, UnsupportedArgument, wrong_value
from ..arguments import a_number, check_target, one_of
from ..arrays import Floats
from ..evidence.evidence import Evidence
from ..evidence.noise import Noise, critical, fieller, student_over_normal, sum_of_noises
from ..label.layout import Place, Released, in_unit, in_zone
from .numbers import (
    Numbers,
    ends_at,
    ends_of_difference,
    ends_of_ratio,
    error_at_most,
    known_noise,
    releases,
    summed_cost,
)
from .results import LEAST, Conclusion

Columns = dict[str, Floats]
NAMES = ["estimate", "std_error", "lower", "upper", "statistic", "p_value"]


@dataclass(frozen=True)
class How:
    """What is concluded, read once."""

    kind: str
    confidence: float
    target: str | None
    independent: bool = False  # whether nobody is in both samples

    @classmethod
    def read(cls, kind: object, confidence: object, target: object) -> How:
        confidence = a_number("confidence", confidence, 0, 1)
        check_target(target)
        return cls(one_of("kind", kind, ("difference", "ratio")), confidence, target)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Side:
    """Numbers of one item."""

    evidence: Evidence
    at: npt.NDArray[np.int64]

    @property
    def estimate(self) -> Floats:
        return np.asarray(self.evidence.estimate[self.at], dtype=float)


def contrast_within(frame: Released | pd.DataFrame, first: Any, second: Any, how: How) -> pd.DataFrame:
    """The contrast of two rows, column by column, or of two cells."""
    numbers = Numbers.of(frame)
    left, right = numbers.row_or_cell(first), numbers.row_or_cell(second)
    if left == right:
        raise UnsupportedArgument("a number was to be contrasted with itself; name another.")
    if len(left) != len(right):
        raise UnsupportedArgument("a row was to be contrasted with a cell; name two rows, or two cells.")
    sign = "/" if how.kind == "ratio" else "-"
    index = pd.Index([f"{_text(first)} {sign} {_text(second)}"])
    if len(left) > 1 and numbers.columns is not None:
        index = numbers.columns
    found = _contrasts(numbers, left, numbers, right, how)
    return _estimated(found, index, [numbers], how.kind, how)


def contrast_between(
    frame: Released | pd.DataFrame, other: Released | pd.DataFrame, how: How, samples: object
) -> pd.DataFrame:
    """The contrast of two releases, number by number."""
    one, two = Numbers.of(frame), Numbers.of(other)
    if samples is not None and not (isinstance(samples, str) and samples == "independent"):
        raise wrong_value("samples", "be 'independent' or left out", samples)
    releases([one.label, two.label])
    if len(one.all) != len(two.all) or (len(one.all) > 1 and not one.index.equals(two.index)):
        raise NotConcluded("these two releases have different rows or columns; contrast tables of one shape.")
    how = replace(how, independent=samples is not None)
    every = (*one.evidence, *two.evidence)
    defaults = {each.default_target for each in every}
    bounded = any(each.errors_add_up for each in every)  # by errors that add up, whoever is in both
    if "population" in (how.target or defaults) and samples is None and not bounded:
        raise NotConcluded(
            "labels do not say whether two releases are about the same people, whose sampling errors would not be "
            "independent; say samples='independent' if nobody is in both, or target='sample' for the rows in the data."
        )
    index = one.index
    if len(one.all) == 1 and not index.equals(two.index):
        index = pd.Index([f"{_text(index[0])} {'/' if how.kind == 'ratio' else '-'} {_text(two.index[0])}"])
    return _estimated(_contrasts(one, one.all, two, two.all, how), index, [one, two], how.kind, how)


def against(frame: Released | pd.DataFrame, value: Any, how: How) -> pd.DataFrame:
    """The contrast of each number with one that is given."""
    numbers = Numbers.of(frame)
    parts = []
    for place in numbers.all:
        side = Side(numbers.evidence[place[0]], np.array([place[1]]))
        target = how.target or side.evidence.default_target
        given = _number(value, numbers.kind(place), numbers.label.zone)
        parts.append(_in_unit(_tested(side, given, how.confidence, target), numbers.kind(place)))
    return _estimated(parts, numbers.index, [numbers], "test", how)


def _contrasts(
    one: Numbers, left: Sequence[Place], two: Numbers, right: Sequence[Place], how: How
) -> list[dict[str, Any]]:
    """Pairs of the same two items together."""
    items = [(a[0], b[0]) for a, b in zip(left, right, strict=True)]
    found: list[dict[str, Any]] = [{}] * len(items)
    some_have_intervals = any(one.evidence[a].has_intervals and two.evidence[b].has_intervals for a, b in items)
    for pair in dict.fromkeys(items):
        where = [place for place, item in enumerate(items) if item == pair]
        first = Side(one.evidence[pair[0]], np.array([left[place][1] for place in where]))
        second = Side(two.evidence[pair[1]], np.array([right[place][1] for place in where]))
        unit = _common_unit(one.kind(left[where[0]]), two.kind(right[where[0]]), how.kind)
        target = how.target or first.evidence.default_target
        same = one is two and pair[0] == pair[1]
        if one is two and not same:
            _check_apart(one, left[where[0]], right[where[0]], target)
        if some_have_intervals and not (first.evidence.has_intervals and second.evidence.has_intervals):
            columns = _untold(first, second, how)
        elif one is two and not same and _of_one_count(first, second):
            with np.errstate(all="ignore"):
                columns = _of_ends(first, second, how, target)
        else:
            columns = _contrasted(first, second, how, target, same)
        for row, place in enumerate(where):
            found[place] = _in_unit({name: each[row : row + 1] for name, each in columns.items()}, unit)
    return found


def _common_unit(first: str, second: str, kind: str) -> str:
    """The unit of the conclusion: a ratio is a plain number, and the difference of two points in time a length."""
    if first != second and {first, second} & {"datetime", "timedelta"}:
        raise NotConcluded("numbers of different units were to be contrasted; choose two of one unit.")
    if kind == "ratio" and first == "datetime":
        raise NotConcluded("points in time have no ratio; ask for kind='difference'.")
    return "float" if kind == "ratio" else "timedelta" if first == "datetime" else first


def _check_apart(numbers: Numbers, first: Place, second: Place, target: str) -> None:
    """Two items of one release have independent noise where they are sums, or means, of different columns."""
    statistics = {numbers.evidence[place[0]].statistic for place in (first, second)}
    different = numbers.column(first) != numbers.column(second)
    if not different or len(statistics) > 1 or not statistics <= {"sum", "mean"}:
        raise NotConcluded(
            "these two numbers of one release may share noise in a way that its label does not record; "
            "contrast cells of one statistic and column by groups, or two releases; for the distance of "
            "quartiles there is iqr."
        )
    hang_together = all(numbers.evidence[place[0]].errors_add_up for place in (first, second))
    if target == "population" and not hang_together:
        raise NotConcluded(
            "means of two columns over the same people have sampling errors that are not independent; ask for the mean "
            "of the difference of the columns, or for target='sample'."
        )


def _contrasted(first: Side, second: Side, how: How, target: str, same: bool) -> Columns:
    unsaid = first.evidence.unsaid_because() or second.evidence.unsaid_because()
    if unsaid is not None:
        raise NotConcluded(unsaid)
    with np.errstate(all="ignore"):
        noises = known_noise(first.evidence, target), known_noise(second.evidence, target)
        if noises[0] is not None and noises[1] is not None:
            return _of_noise(first, second, noises[0], noises[1], how, same)
        means = first.evidence.as_means, second.evidence.as_means
        if means[0] is not None and means[1] is not None:
            return _of_means(first, second, means[0], means[1], how, target)
        return _of_ends(first, second, how, target)


def _untold(first: Side, second: Side, how: How) -> Columns:
    """Beside others that have intervals: the estimate, and that nothing is said of its error."""
    with np.errstate(all="ignore"):
        estimate = first.estimate / second.estimate if how.kind == "ratio" else first.estimate - second.estimate
    return _columns(estimate, *[np.full(len(estimate), np.nan)] * 5)


def _of_ends(first: Side, second: Side, how: How, target: str) -> Columns:
    """Where errors hang together, or are no noise of a known law and no means: from the interval of each."""
    sides = (first.evidence, first.at), (second.evidence, second.at)
    a, b = first.estimate, second.estimate
    ends, spread, difference = ends_of_difference(*sides, target), error_at_most(*sides, target), a - b
    p = np.where(np.isnan(difference), np.nan, _p_value(ends, np.zeros(len(a))))
    if how.kind == "difference":
        low, high = ends(np.full(len(a), how.confidence))
        return _columns(difference, spread, low, high, difference / spread, p)
    low, high = ends_of_ratio(*sides, how.confidence, target)
    return _columns(a / b, np.full(len(a), np.nan), low, high, difference / spread, p)


def _of_noise(
    first: Side, second: Side, one: tuple[Noise, ...], two: tuple[Noise, ...], how: How, same: bool
) -> Columns:
    """Where noise of known laws is the only error: exact for differences, shared cells cancelling."""
    a, b = first.estimate, second.estimate
    cells = [_draws(first.evidence, i, second.evidence, j, same) for i, j in zip(first.at, second.at, strict=True)]
    difference = a - b
    half, p = np.zeros(len(a)), np.ones(len(a))
    for draws in set(cells):
        where = np.array([each == draws for each in cells])
        parts = [*((noise, draws[0]) for noise in one), *((noise, draws[1]) for noise in two)]
        parts = [(noise, times) for noise, times in parts if times]
        if parts:
            law = sum_of_noises(parts)
            half[where], p[where] = law.half_width(how.confidence), law.tail(np.abs(difference[where]))
        else:
            p[where] = difference[where] == 0
    only = np.array(cells, dtype=float).T
    var = [sum(noise.var for noise in noises) for noises in (one, two)]
    v1, v2, cov = (only[0] + only[2]) * var[0], (only[1] + only[2]) * var[1], only[2] * var[0]
    spread = np.sqrt(v1 + v2 - 2 * cov)
    if how.kind == "difference":
        return _columns(difference, spread, difference - half, difference + half, difference / spread, p)
    quantile = critical(how.confidence, (*one, *two), 1.0)
    low, high = fieller(a, b, v1, v2, cov, quantile)
    ratio = a / b
    error = np.sqrt(v1 - 2 * ratio * cov + ratio**2 * v2) / np.abs(b)
    if {first.evidence.statistic, second.evidence.statistic} == {"count"}:
        low, high = np.maximum(low, 0.0), np.maximum(high, 0.0)
    return _columns(ratio, error, low, high, difference / spread, p)


def _draws(first: Evidence, i: int, second: Evidence, j: int, same: bool) -> tuple[int, int, int]:
    """How many noisy cells only the first number adds up, only the second, and both."""
    mine, yours = first.cells(int(i)), second.cells(int(j))
    both = len(mine & yours) if same else 0
    return len(mine) - both, len(yours) - both, both


def _of_one_count(first: Side, second: Side) -> bool:
    """Whether the means of two columns may have been told from one noisy count, so that their errors hang together."""
    return first.evidence.divides_by_noise and second.evidence.divides_by_noise


def _of_means(first: Side, second: Side, one: Any, two: Any, how: How, target: str) -> Columns:
    """The interval from that of each: distances from the means are added as squares (Zou & Donner 2008).

    Of rows of people they are added as they are: the same people may be behind both, and no errors are farther off
    together than their sum.
    """
    i, j = first.at, second.at
    a, b = first.estimate, second.estimate
    bounded = target == "population" and not how.independent and (one.errors_add_up or two.errors_add_up)
    together: Callable[[Floats, Floats], Floats] = np.add if bounded else np.hypot
    v1, v2 = one.std_error(target)[i] ** 2, two.std_error(target)[j] ** 2
    spread, difference = together(np.sqrt(v1), np.sqrt(v2)), a - b

    def ends(level: Any) -> tuple[Floats, Floats]:
        centre1, low1, high1 = _around(one, i, level, target)
        centre2, low2, high2 = _around(two, j, level, target)
        centre = centre1 - centre2
        return centre - together(centre1 - low1, high2 - centre2), centre + together(high1 - centre1, centre2 - low2)

    p = _p_value(ends, np.zeros(len(a)))
    low, high = ends(np.full(len(a), how.confidence))
    least, most = one.sums.span[0] - two.sums.span[1], one.sums.span[1] - two.sums.span[0]
    p = np.where(np.isnan(difference), np.nan, p)
    if how.kind == "difference":
        low, high = np.nan_to_num(low, nan=least), np.nan_to_num(high, nan=most)
        return _columns(
            difference, spread, np.clip(low, least, most), np.clip(high, least, most), difference / spread, p
        )
    ratio = a / b
    share = (v1 * one.noise_share(target)[i] + ratio**2 * v2 * two.noise_share(target)[j]) / (v1 + ratio**2 * v2)
    quantile = critical(how.confidence, (*one.sums.noises, *two.sums.noises), np.nan_to_num(share, nan=1.0))
    if target == "population":
        freedom = (v1 + v2) ** 2 / (v1**2 / one.freedom()[i] + v2**2 / two.freedom()[j])
        quantile = quantile * student_over_normal(how.confidence, np.nan_to_num(freedom, nan=1.0))
    shared = np.sqrt(v1 * v2) if bounded else np.zeros(len(a))  # the greatest covariance, of either sign
    low, high = fieller(a, b, v1, v2, shared, quantile)
    if bounded:
        below, above = fieller(a, b, v1, v2, -shared, quantile)
        low, high = np.minimum(low, below), np.maximum(high, above)
    relative = together(np.sqrt(v1), np.abs(ratio) * np.sqrt(v2)) / np.abs(b)
    return _columns(ratio, relative, low, high, difference / spread, p)


def _around(means: Any, at: npt.NDArray[np.int64], level: Any, target: str) -> tuple[Floats, Floats, Floats]:
    """The centre of the interval of each mean, and its ends, in the column's unit."""
    levels = np.full(len(means.sums.total), 0.5)
    levels[at] = level
    low, high = means.ends(levels, target)
    centre = means.sums.centre
    return centre + means.sums.mean[at], centre + low[at], centre + high[at]


def _tested(side: Side, value: float, level: float, target: str) -> Columns:
    evidence = side.evidence
    with np.errstate(all="ignore"):
        low, high = evidence.interval(level, target)
        estimate = side.estimate
        noises = known_noise(evidence, target)
        off = estimate - value
        if noises is not None:
            draws = np.array([len(evidence.cells(int(i))) for i in side.at])
            spread = np.sqrt(draws * sum(noise.var for noise in noises))
            p = (off == 0).astype(float)
            if noises:
                laws = [sum_of_noises([(noise, int(many)) for noise in noises]) for many in draws]
                p = np.array([law.tail(abs(each)) for law, each in zip(laws, off, strict=True)], dtype=float)
        elif (means := evidence.as_means) is not None:
            spread = means.std_error(target)[side.at]
            p = _p_value(lambda levels: _around(means, side.at, levels, target)[1:], np.full(len(off), value))
            p = np.where(np.isnan(off), np.nan, p)
        else:
            error = evidence.std_error(target)
            spread = np.full(len(side.at), np.nan) if error is None else np.asarray(error, dtype=float)[side.at]
            p = _p_value(lambda levels: ends_at(evidence, side.at, levels, target), np.full(len(off), value))
            p = np.where(np.isnan(off), np.nan, p)
        return _columns(estimate, spread, low[side.at], high[side.at], off / spread, p)


def _p_value(ends: Callable[[Floats], tuple[Floats, Floats]], value: Floats) -> Floats:
    """The greatest error at which the interval still holds the value, by bisection of its logarithm."""
    low, high = np.full(len(value), np.log(LEAST)), np.full(len(value), np.log(1 - 1e-9))
    for _ in range(45):
        middle = (low + high) / 2
        below, above = ends(-np.expm1(middle))
        holds = ~(below > value) & ~(above < value)
        low, high = np.where(holds, middle, low), np.where(holds, high, middle)
    return np.where(low == np.log(LEAST), LEAST, np.exp(high))


def _columns(*numbers: Floats) -> Columns:
    return dict(zip(NAMES, (np.asarray(each, dtype=float) for each in numbers), strict=True))


def _in_unit(columns: Columns, unit: Any) -> dict[str, Any]:
    return {name: in_unit(each, unit, name) if name in NAMES[:4] else each for name, each in columns.items()}


def _estimated(
    parts: Sequence[dict[str, Any]], index: pd.Index, numbers: Sequence[Numbers], what: str, how: How
) -> pd.DataFrame:
    zone = numbers[0].label.zone if what == "test" else None
    found = in_zone(pd.concat([pd.DataFrame(part) for part in parts], ignore_index=True), zone)
    table = Conclusion(found.set_axis(index, axis=0))
    paid = releases([each.label for each in numbers])
    table.attrs = {
        "dp": {
            "kind": "conclusion",
            "conclusion": what,
            "confidence": how.confidence,
            "target": how.target,
            "releases": paid,
            **summed_cost(paid),
        }
    }
    return table


def _number(value: Any, kind: str, zone: str | None) -> float:
    """What is tested against, in the numbers of the house."""
    try:
        if kind == "datetime":
            point = pd.Timestamp(value)
            local = point.tz_localize(zone) if zone is not None and point.tzinfo is None else point
            return float(local.as_unit("ns").value)
        if kind == "timedelta":
            return float(pd.Timedelta(value).as_unit("ns").value)
        number = float(value)
    except (TypeError, ValueError):
        number = np.nan
    if isinstance(value, bool | str) or not np.isfinite(number):
        raise wrong_value("value", "be a finite number in the unit of the release", value)
    return number


def _text(label: Any) -> str:
    return ", ".join(map(str, label)) if isinstance(label, tuple) else str(label)
