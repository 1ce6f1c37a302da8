"""What looks wrong with a release, and what to do about it: from released numbers and public facts alone.

A hint reads a released table and its label, nothing else, so it costs nothing and tells nothing new. Each is a function
with `@hint`; a further one is a function more. A good release gets none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..errors import NotConcluded
from ..evidence import Evidence, Means
from ..release import PROTECT, Item, Released

Array = np.ndarray[Any, Any]
LEVEL = 0.95
SMALL = 1 / 20  # of a range: noise below lets a number say something
MOST = 0.5  # of a variance, of cells, of rows
FAR_FEWER = 0.8  # of the public number of rows
WORTH = 2 / 3  # of the width of an interval: it is worth asking otherwise
TAIL = 4.0  # standard deviations around a mean, beyond which hardly a value lies
SURE = 3.0  # standard deviations of noise
LOOK = "df.dp.gaps() counts such values."
LOOSE = 0.5  # of a correlation
SPIKE, FLAT, HEAVY = 2.0, 1.5, 0.05  # of the last bin to its neighbour, of that to the next, of all rows


@dataclass(frozen=True)
class Finding:
    """What looks wrong, of which number, and what to do another time."""

    finding: str
    where: str
    advice: str


Look = Callable[[Released], Iterator[Finding]]
HINTS: list[Look] = []


def hint(look: Look) -> Look:
    HINTS.append(look)
    return look


def findings(table: Released | pd.DataFrame) -> list[Finding]:
    """Everything that looks wrong with a release."""
    released = Released.of(table)
    looks = [unprotected] if released.label.is_reworked or released.label.releases else HINTS
    with np.errstate(all="ignore"):
        return [finding for look in looks for finding in look(released)]


def check(table: Released | pd.DataFrame) -> pd.DataFrame:
    """The same as a table; empty where nothing does."""
    rows = [(each.finding, each.where, each.advice) for each in findings(table)]
    return pd.DataFrame(rows, columns=["finding", "where", "advice"], dtype=object)


@hint
def unprotected(released: Released) -> Iterator[Finding]:
    """One row of the table that was asked is hidden, and that table was not the protected one."""
    if released.label.unprotected:
        yield Finding("the table was not protected", "the whole release", PROTECT)


@hint
def nothing_measured(released: Released) -> Iterator[Finding]:
    """The middle of the range without spread is what a column of text answers that was declared without gaps."""
    for where, means in _means(released):
        sums = means.sums
        if sums.count is not None:
            continue
        spread = np.sqrt(np.maximum(sums.variance, 0) + SURE * sums.variance_noise_sd)
        near = np.abs(sums.mean) <= SURE * np.sqrt(sums.mean_noise_var)
        if np.any(near & (spread <= 2 * sums.half * SMALL) & (np.sqrt(sums.mean_noise_var) <= sums.half * SMALL)):
            yield Finding(
                "the answer is the middle of the range, without spread",
                where,
                f"That is what a column says that holds no numbers: is it text, or missing throughout? {LOOK}",
            )


@hint
def few_values(released: Released) -> Iterator[Finding]:
    """Of a whole frame everyone knows how many rows there are, and the noisy count says how many have a value."""
    rows = _public_rows(released)
    if rows is None:
        return
    for where, means in _means(released):
        count, noise = means.sums.count, means.sums.count_noise
        if count is None or noise is None:
            continue
        slack = SURE * noise.sd * np.sqrt(len(count))
        if count.sum() + slack < FAR_FEWER * rows:
            yield _lost(count.sum(), rows, where, bool(released.label.by))


@hint
def few_in_cells(released: Released) -> Iterator[Finding]:
    """Rows whose key is none of the declared categories are in no cell."""
    rows = _public_rows(released)
    for item in released.items if rows is not None and released.label.statistic != "gaps" else []:
        try:
            cells = item.evidence.own_cells()
        except NotConcluded:
            continue
        if cells is None or rows is None or len(cells.values) < 2:
            continue
        slack = SURE * cells.noise.sd * np.sqrt(len(cells.values))
        if cells.values.sum() + slack < FAR_FEWER * rows:
            yield _lost(cells.values.sum(), rows, _where(released, item), True)


@hint
def mostly_noise_beside_sampling(released: Released) -> Iterator[Finding]:
    """Of the interval of a mean for the population, how much is noise."""
    for where, means in _means(released):
        share = means.noise_share("population")
        known = share[np.isfinite(means.estimate)]
        if not len(known) or np.mean(known > MOST) < MOST or not _has_price(released):
            continue
        half = float(np.median(known))
        shorter = 1 - np.sqrt(1 - half + half * _more(released) ** 2)
        narrower = 1 - np.sqrt(1 - half + half / 4)
        yield Finding(
            "noise is most of the interval",
            where,
            f"Twice the {_currency(released)} would make it about {shorter:.0%} shorter, bounds half as wide "
            f"{narrower:.0%}.",
        )


@hint
def mostly_noise(released: Released) -> Iterator[Finding]:
    """A number that cannot be negative and is smaller than what it may be off by says little."""
    for item in released.items if released.label.statistic != "gaps" else []:  # no gaps are no news
        if item.evidence.as_means() is not None or not np.all(np.asarray(item.evidence.lower) >= 0):
            continue
        ends = _ends(item.evidence)
        if ends is None or item.evidence.noisy == 0 or not _has_price(released):
            continue
        low, high = ends
        estimate = np.asarray(item.evidence.estimate, dtype=float)
        drowned = np.maximum(estimate - low, high - estimate) >= np.abs(estimate)
        if np.mean(drowned) > MOST:
            shorter = 1 - _more(released)
            fewer = "; fewer or larger cells would stand out more" if len(estimate) > 1 else ""
            yield Finding(
                "the numbers are smaller than their noise" if len(estimate) > 1 else "noise is most of the number",
                _where(released, item),
                f"Twice the {_currency(released)} would make intervals about {shorter:.0%} shorter{fewer}.",
            )


@hint
def wide_bounds(released: Released) -> Iterator[Finding]:
    """Noise grows with the range, so bounds far beyond all values are paid for."""
    for where, means in _means(released):
        sums, (low, high) = means.sums, means.span
        if means.statistic == "share":
            continue
        reach = TAIL * np.sqrt(sums.variance + 2 * sums.variance_noise_sd) + SURE * np.sqrt(sums.mean_noise_var)
        near, far = np.maximum(means.estimate - reach, low), np.minimum(means.estimate + reach, high)
        tight = np.nanmax(far, initial=low) - np.nanmin(near, initial=high)
        if not 0 < tight < high - low:
            continue
        share = means.noise_share("population")
        width = np.sqrt(1 - share + share * (tight / (high - low)) ** 2)
        if np.median(width) <= WORTH:
            yield Finding(
                "the bounds look wide",
                where,
                f"Bounds {tight / (high - low):.0%} as wide would make the interval about {1 - np.median(width):.0%} "
                "shorter, if what is known of the column allows them.",
            )


@hint
def mass_at_a_bound(released: Released) -> Iterator[Finding]:
    """Values beyond the bounds are counted in the last bin."""
    if released.label.statistic != "histogram":
        return
    for item in released.items:
        ends = _ends(item.evidence)
        if ends is None or len(item.evidence.estimate) < 4:
            continue
        numbers = [np.asarray(each, dtype=float) for each in (ends[0], item.evidence.estimate, ends[1])]
        for side, step in (("lower", 1), ("upper", -1)):
            low, middle, high = (each[::step] for each in numbers)
            heavy = low[0] > HEAVY * middle.sum()
            if heavy and low[0] > SPIKE * high[1] and middle[1] <= FLAT * high[2]:
                yield Finding(
                    f"much of the column is at its {side} bound",
                    _where(released, item),
                    "Values beyond the bounds count there; are the bounds too narrow, or is it a code for missing "
                    "values?",
                )


@hint
def loose_correlations(released: Released) -> Iterator[Finding]:
    """An interval that holds half of all correlations says next to nothing."""
    if released.label.statistic not in ("corr", "cov"):
        return
    for item in released.items:
        ends = _ends(item.evidence)
        size = round(np.sqrt(len(item.evidence.estimate)))
        if ends is None or size < 2 or size**2 != len(item.evidence.estimate):
            continue
        table, half = (np.reshape(each, (size, size)) for each in (item.evidence.estimate, (ends[1] - ends[0]) / 2))
        spread = np.sqrt(np.maximum(np.diag(table), 0))
        scaled = half / np.outer(spread, spread) if item.statistic == "cov" else half
        apart = ~np.eye(size, dtype=bool)
        if np.mean(~(scaled[apart] <= LOOSE)) > MOST:
            yield Finding(
                "noise hides most correlations",
                _where(released, item),
                f"Ask of fewer columns, with narrower bounds, or pay more {_currency(released)}.",
            )


@hint
def looks_like_a_share(released: Released) -> Iterator[Finding]:
    """A comparison keeps its column's name, and so the bounds declared for it."""
    if not released.label.derived:
        return
    for where, means in _means(released):
        sums, (low, high) = means.sums, means.span
        if means.statistic != "mean" or high - low < 10 or not (low <= 0 and high >= 1):
            continue
        off = SURE * np.sqrt(sums.mean_noise_var)
        inside = (means.estimate + off >= 0) & (means.estimate - off <= 1) & (off <= (high - low) * SMALL)
        narrow = sums.variance - SURE * sums.variance_noise_sd <= 0.25
        if np.any(inside) and np.all((inside & narrow) | np.isnan(means.estimate)):
            yield Finding(
                f"a mean near 0 to 1 was answered within {low:.6g} to {high:.6g}",
                where,
                "If the column is a comparison, ask .dp.share(), whose bounds are 0 and 1.",
            )


def _means(released: Released) -> Iterator[tuple[str, Means]]:
    for item in released.items:
        means = item.evidence.as_means()
        if means is not None and item.kind in ("float", "integer"):
            yield _where(released, item), means


def _where(released: Released, item: Item) -> str:
    by = f" by {', '.join(map(str, released.label.by))}" if released.label.by else ""
    return f"{item.statistic}{'' if item.column is None else f' of {item.column}'}{by}"


def _public_rows(released: Released) -> int | None:
    """The number of rows asked, where everyone knows it."""
    label = released.label
    return None if label.derived or not label.size else label.size


def _lost(found: float, rows: int, where: str, keyed: bool) -> Finding:
    advice = (
        "Do the declared categories match the labels in the data, to the letter? Pass other=True to count the rest. "
        + LOOK
        if keyed
        else f"The other rows have no value that is a number: is the column text? {LOOK}"
    )
    return Finding(f"about {max(found, 0):,.0f} of {rows:,} rows are in the answer", where, advice)


def _ends(evidence: Evidence) -> tuple[Array, Array] | None:
    """Intervals for the rows in the data; None where there are none."""
    if not evidence.has_intervals:
        return None
    try:
        return evidence.interval(LEVEL, "sample")
    except NotConcluded:
        return None


def _currency(released: Released) -> str:
    return "epsilon" if released.label.epsilon else "rho"


def _has_price(released: Released) -> bool:
    return bool(released.label.epsilon or released.label.rho)


def _more(released: Released) -> float:
    """What is left of the noise at twice the price."""
    return 0.5 if released.label.epsilon else 0.5**0.5
