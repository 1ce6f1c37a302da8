"""Hints that values lie beyond the bounds of the question, or were no numbers at all."""

from __future__ import annotations

from collections.abc import Hashable, Iterator

import numpy as np

from ...evidence import as_means
from ...release import Item, Released
from ..titles import about, as_bound
from .finding import LOOK, SMALL, SURE, Finding, currency, ends_of, hint, sums_of

NEAR = 1 / 1000  # of a range: an end of an interval that far from a bound is at it
FLAT_SPREAD = 0.4  # of half a range: a spread that may be so small at most, where noise is least


@hint
def all_at_a_bound(released: Released) -> Iterator[Finding]:
    """A mean at a bound without spread: what lies beyond a bound counts as the bound.

    Not at a bound of 0, which most columns have by nature: there the range is wide, and has a hint of its own.
    """
    for item, sums in sums_of(released):
        means = as_means(item.evidence)
        if means is None or means.statistic == "share":
            continue
        off = np.sqrt(sums.mean_noise_var)
        told = (off <= sums.half * SMALL) & sums.enough
        spread = np.sqrt(np.maximum(sums.variance, 0) + SURE * sums.variance_noise_sd)
        if not np.any(told) or np.min(spread[told]) > sums.half * FLAT_SPREAD:
            continue
        for side, way, bound in (("lower", -1, means.span[0]), ("upper", 1, means.span[1])):
            there = (way * sums.mean >= sums.half - SURE * off) & (sums.variance <= SURE * sums.variance_noise_sd)
            if bound != 0 and np.all(there[told]):
                yield Finding(
                    f"everything seems to lie at or beyond the {side} bound, {as_bound(bound, item)}",
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
                f"bounds, that is what a column says that holds no numbers: is it text? {LOOK}",
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
