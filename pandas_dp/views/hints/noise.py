"""Hints about noise and bounds: values at a bound, answers that are mostly noise, bounds that look wide."""

from __future__ import annotations

from collections.abc import Hashable, Iterator

import numpy as np

from ...core.arrays import Array
from ...core.label.layout import Item, Released
from ...numeric.evidence_means import as_means
from ...numeric.evidence_spreads import Spreads
from ..titles import about, as_bound
from .finding import (
    GAPS,
    MOST,
    SMALL,
    SURE,
    Finding,
    as_shown,
    currency,
    ends_of,
    has_price,
    hint,
    means_of,
    more,
    own_values,
    shorter,
    sums_of,
)

NEAR = 1 / 1000  # of a range: an end of an interval that far from a bound is at it
CLOSE = 1 / 100  # of a range: a mean certain to be so close to a bound
FLAT_SPREAD = 0.4  # of half a range: a spread that may be so small at most, where noise is least


@hint
def all_at_a_bound(released: Released) -> Iterator[Finding]:
    """A mean at a bound without spread, or so close to it that few values are far: beyond a bound they count as it.

    Not at a bound of 0, which most columns have by nature: there the range is wide, and has a hint of its own.
    """
    for item, sums in sums_of(released):
        means = as_means(item.evidence)
        if means is None or means.statistic == "share":
            continue
        off = np.sqrt(sums.mean_noise_var)
        clear = (off <= sums.half * SMALL) & sums.enough
        spread = np.sqrt(np.maximum(sums.variance, 0) + SURE * sums.variance_noise_sd)
        flat = np.any(clear) and np.min(spread[clear]) <= sums.half * FLAT_SPREAD
        for side, way, bound in (("lower", -1, means.sums.span[0]), ("upper", 1, means.sums.span[1])):
            there = (way * sums.mean >= sums.half - SURE * off) & (sums.variance <= SURE * sums.variance_noise_sd)
            close = sums.half - way * sums.mean + SURE * off <= 2 * sums.half * CLOSE
            all_there = flat and np.all(there[clear])
            if bound != 0 and (all_there or np.any(close & clear)):
                seem = "everything seems" if all_there else "most values seem"
                yield Finding(
                    f"{seem} to lie at or beyond the {side} bound, {as_bound(bound, item)}",
                    about(released, item),
                    "Values beyond a bound count as the bound: declare wider bounds, or, if all values are close to "
                    "it, narrower ones.",
                    item.column,
                    cause=True,
                )


@hint
def quantiles_all_alike(released: Released) -> Iterator[Finding]:
    """A quarter, a half and three quarters at one number: a bound, where all is beyond it, or the middle, of text."""
    for column, ranked in _ranked(released).items():
        shares, values = [share for share, _ in ranked], np.array([item.evidence.estimate for _, item in ranked])
        if min(shares) <= 1 / 4 and max(shares) >= 3 / 4 and np.all(values == values.flat[0]):
            item = ranked[0][1]
            yield Finding(
                f"all quantiles are {as_bound(values.flat[0], item)}",
                about(released, item),
                "At a bound, most values seem to lie at or beyond it: declare wider bounds. In the middle of the "
                f"bounds, that is what a column says that holds no numbers: is it text? {GAPS}",
                column,
                cause=True,
            )


@hint
def quantiles_at_a_bound(released: Released) -> Iterator[Finding]:
    """What lies beyond a bound counts as the bound, in means and sums too; a share of values is known to lie there.

    Not at a bound of 0, which most columns have by nature. A quantile counts as there if all of its interval does.
    """
    for column, ranked in _ranked(released).items():
        for side, way, beyond in (("lower", -1, 0.0), ("upper", 1, 1.0)):
            there = [(abs(beyond - share), item) for share, item in ranked if 0 < share < 1 and _is_at(item, way)]
            if there:
                most, item = max(there, key=lambda each: each[0])
                bound = item.evidence.upper if way > 0 else item.evidence.lower
                yield Finding(
                    f"{most:.4g} of the values or more lie at or beyond the {side} bound, {as_bound(bound, item)}",
                    f"quantiles of {column}",
                    "Means, sums and deviations count them as the bound: declare wider bounds, or say beside such "
                    "numbers that values were clamped.",
                    column,
                )


def _is_at(item: Item, way: int) -> bool:
    """In any cell, for certain; at a bound other than 0."""
    bound = item.evidence.upper if way > 0 else item.evidence.lower
    if bound == 0 or not np.isfinite(bound):
        return False
    ends = ends_of(item.evidence)
    near = np.asarray(item.evidence.estimate, dtype=float) if ends is None else ends[0 if way > 0 else 1]
    slack = NEAR * (item.evidence.upper - item.evidence.lower)
    return bool(np.any(way * (near - bound) >= -slack))


@hint
def quantiles_out_of_order(released: Released) -> Iterator[Finding]:
    """Each is chosen for itself, with noise of its own."""
    for column, ranked in _ranked(released).items():
        values = np.array([item.evidence.estimate for _, item in sorted(ranked, key=lambda each: each[0])])
        if len(values) > 1 and np.any(np.diff(values.astype(float), axis=0) < 0):
            yield Finding(
                "quantiles are out of order",
                f"quantiles of {column}",
                f"Noise moved a larger share's quantile below a smaller's: pay more {currency(released)}, or ask for "
                "fewer.",
                column,
            )


ENDS = {"min": 0.0, "median": 0.5, "max": 1.0}


def _ranked(released: Released) -> dict[Hashable, list[tuple[float, Item]]]:
    """Of each column the quantiles of which the labels say the shares."""
    found: dict[Hashable, list[tuple[float, Item]]] = {}
    quantiles: dict[Hashable, list[Item]] = {}
    for item in released.items:
        if item.statistic in ENDS:
            found.setdefault(item.column, []).append((ENDS[item.statistic], item))
        elif item.statistic == "quantile":
            quantiles.setdefault(item.column, []).append(item)
    labels = (released.layout.columns if released.label.by else released.layout.rows) if quantiles else ()
    shares = [share for each in (() if labels is None else labels) if (share := _share(each)) is not None]
    for column, items in quantiles.items():
        own = shares[: len(items)] if len(shares) >= len(items) and not len(shares) % len(items) else []
        found.setdefault(column, []).extend(zip(own, items, strict=False))
    return {column: ranked for column, ranked in found.items() if ranked}


def _share(label: object) -> float | None:
    """That of a quantile, as `quantile` and `describe` label it."""
    last = label[-1] if isinstance(label, tuple) and label else label
    if isinstance(last, str) and last.endswith("%"):
        last = float(last[:-1]) / 100 if last[:-1].replace(".", "", 1).isdigit() else None
    return float(last) if isinstance(last, float) and 0 <= last <= 1 else None


WORTH = 2 / 3  # of the width of an interval: it is worth asking otherwise
TAIL = 4.0  # standard deviations around a mean, beyond which hardly a value lies
LOOSE = 0.5  # of a correlation
NEARLY_ALL = 0.95  # of a range that was declared


@hint
def mostly_noise_beside_sampling(released: Released) -> Iterator[Finding]:
    """Of the interval of a mean for the population, how much is noise."""
    for item, means in means_of(released):
        share = means.noise_share("population")
        known = share[np.isfinite(means.estimate)]
        if not len(known) or np.mean(known > MOST) < MOST or not has_price(released):
            continue
        half = float(np.median(known))
        left = np.sqrt(1 - share + share * more(released) ** 2)
        gain = shorter(item.evidence, left, released.label.confidence)
        narrower = (
            ""
            if means.statistic == "share"
            else f"; halving the range of the bounds, {1 - np.sqrt(1 - half + half / 4):.0%}"
        )
        yield Finding(
            "noise is most of the interval",
            about(released, item),
            f"Doubling {currency(released)} would make it {gain}{narrower}.",
            item.column,
        )


@hint
def mostly_noise(released: Released) -> Iterator[Finding]:
    """A number that cannot be negative and is smaller than what it may be off by says little.

    An empty cell beside full ones does: cells are held against their mean.
    """
    for item in released.items if released.label.statistic != "gaps" else []:  # no gaps are no news
        if as_means(item.evidence) is not None or not np.all(np.asarray(item.evidence.lower) >= 0):
            continue
        ends = ends_of(item.evidence)
        if ends is None or item.evidence.noisy == 0 or not has_price(released):
            continue
        estimate = np.asarray(item.evidence.estimate, dtype=float)
        off = np.fmax(estimate - ends[0], ends[1] - estimate)
        if np.mean(~(off < np.maximum(np.abs(estimate), _typical(item, estimate)))) > MOST:
            fewer = "; fewer or larger cells would stand out more" if len(estimate) > 1 else ""
            yield Finding(
                "the numbers are smaller than their noise" if len(estimate) > 1 else "noise is most of the number",
                about(released, item),
                f"Doubling {currency(released)} would make intervals {_shorter(released, item)}{fewer}.",
                item.column,
            )


def _typical(item: Item, estimate: Array) -> float:
    """The mean cell of a table of counts; of other numbers nothing is typical."""
    cells = own_values(item.evidence)
    if item.evidence.kind == "shares":
        return float(np.nan_to_num(np.nanmean(estimate))) if np.isfinite(estimate).any() else 0.0
    return 0.0 if cells is None or len(cells[0]) < 2 else max(float(cells[0].mean()), 0.0)


def _shorter(released: Released, item: Item) -> str:
    """By how much twice the price and half the range would shorten an interval that is all noise."""
    evidence, level = item.evidence, released.label.confidence
    if isinstance(evidence, Spreads):  # the noise of a variance grows with the square of the range
        root = 0.5 if evidence.root else 1.0
        return (
            f"{shorter(evidence, more(released) ** root, level)}; halving the range of the bounds, {1 - 0.25**root:.0%}"
        )
    narrower = "; halving the range of the bounds, 50%" if item.statistic == "sum" else ""
    return shorter(evidence, more(released), level) + narrower


@hint
def nothing_determined(released: Released) -> Iterator[Finding]:
    """An interval that holds all that was declared: whatever the data hold, the number beside it may be anywhere."""
    for item in released.items:
        evidence = item.evidence
        ends = as_shown(evidence, released.label.confidence) if evidence.has_intervals and has_price(released) else None
        if ends is None:
            continue
        with np.errstate(all="ignore"):
            held = (ends[1] - ends[0]) / (np.asarray(evidence.upper, dtype=float) - evidence.lower)
        if np.mean(held >= NEARLY_ALL) > MOST:  # a range without an end is never held
            cells = "; fewer or larger cells" if len(held) > 1 else ""
            yield Finding(
                "an interval holds all that is possible"
                if len(held) == 1
                else "most intervals hold all that is possible",
                about(released, item),
                f"The number says next to nothing: hardly any rows have a value, or noise hides them. {GAPS} More "
                f"{currency(released)}{cells} would tell more.",
                item.column,
                last=True,
            )


@hint
def wide_bounds(released: Released) -> Iterator[Finding]:
    """Noise grows with the range, so bounds far beyond all values are paid for."""
    for item, means in means_of(released):
        sums, (low, high) = means.sums, means.sums.span
        if means.statistic == "share":
            continue
        sensitivity = TAIL * np.sqrt(sums.variance + 2 * sums.variance_noise_sd) + SURE * np.sqrt(sums.mean_noise_var)
        near, far = np.maximum(means.estimate - sensitivity, low), np.minimum(means.estimate + sensitivity, high)
        tight = np.nanmax(far, initial=low) - np.nanmin(near, initial=high)
        if not 0 < tight < high - low:
            continue
        share = means.noise_share("population")
        width = np.sqrt(1 - share + share * (tight / (high - low)) ** 2)
        if np.median(width) <= WORTH:
            yield Finding(
                "the bounds look wide",
                about(released, item),
                f"Bounds {tight / (high - low):.0%} as wide would make the interval about {1 - np.median(width):.0%} "
                "shorter, if what is known of the column allows them.",
                item.column,
            )


@hint
def loose_correlations(released: Released) -> Iterator[Finding]:
    """An interval that holds half of all correlations says next to nothing."""
    if released.label.statistic not in ("corr", "cov"):
        return
    for item in released.items:
        ends = ends_of(item.evidence)
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
                about(released, item),
                f"Ask of fewer columns, with narrower bounds, or pay more {currency(released)}.",
            )
