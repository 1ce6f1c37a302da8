"""Hints that noise hides what was asked, and what another price or other bounds would bring."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...evidence import Spreads, as_means
from ...release import Item, Released
from ..titles import about
from .finding import (
    LOOK,
    MOST,
    SURE,
    Array,
    Finding,
    currency,
    ends_of,
    has_price,
    hint,
    means_of,
    more,
    own_values,
)
from .shorter import as_shown, shorter

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
        narrower = "" if means.statistic == "share" else f", bounds half as wide {1 - np.sqrt(1 - half + half / 4):.0%}"
        yield Finding(
            "noise is most of the interval",
            about(released, item),
            f"Twice the {currency(released)} would make it {gain}{narrower}.",
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
                f"Twice the {currency(released)} would make intervals {_shorter(released, item)}{fewer}.",
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
        return f"{shorter(evidence, more(released) ** root, level)}, bounds half as wide {1 - 0.25**root:.0%}"
    narrower = ", bounds half as wide 50%" if item.statistic == "sum" else ""
    return shorter(evidence, more(released), level) + narrower


@hint
def nothing_told(released: Released) -> Iterator[Finding]:
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
                f"The number says next to nothing: hardly any rows have a value, or noise hides them. {LOOK} More "
                f"{currency(released)}{cells} would tell more.",
                item.column,
                last=True,
            )


@hint
def wide_bounds(released: Released) -> Iterator[Finding]:
    """Noise grows with the range, so bounds far beyond all values are paid for."""
    for item, means in means_of(released):
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
