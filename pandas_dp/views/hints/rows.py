"""Hints that an answer is about other rows or values than was meant, or smaller than the steps of their reading."""

from __future__ import annotations

from collections.abc import Hashable, Iterator

import numpy as np
import pandas as pd

from ...comparisons.evidence_groups import ManyGroups, Path
from ...core.evidence.no_interval import Unsaid
from ...core.label.layout import Item, Released
from ...core.label.release import PROTECT
from ...core.schema.declared import States
from ...numeric.evidence_means import Means
from ...numeric.evidence_moments import MomentSums
from ...numeric.evidence_ratios import Ratios, SharesOfCounts
from ...numeric.evidence_spreads import Spreads
from ...people.evidence import RowMean
from ...quantiles.evidence import Quantiles, QuantilesApart
from ...surveys.evidence import Surveyed, SurveyedCounts, SurveyedMargins, SurveyedShares
from ...tables.evidence_table_means import TableMeans
from ..titles import about
from .finding import GAPS, SMALL, SURE, Finding, currency, ends_of, has_price, hint, own_values, public_rows, sums_of

DIVIDED = (Means, Path, RowMean, Spreads, Ratios, SharesOfCounts, Surveyed, SurveyedMargins, SurveyedShares, TableMeans)
FAR_FEWER = 0.8  # of the public number of rows
NO_SPREAD = 0.25  # of half a range: a spread that may be so small at most
NEARLY_ALL = 0.9  # of the rows
HIDES, HARDLY = 0.05, 0.1  # of the rows; of the people
SPIKE, FLAT, HEAVY = 2.0, 1.5, 0.05  # of the last bin to its neighbour, of that to the next, of all rows
STEP = 1.5  # of the last bin to its neighbour, where that is no more than the next: numbers fell, and rise at the end
LETTER = (
    "Do many rows have no value? Do the declared categories match the labels in the data, to the letter? Pass "
    "other=True to count the rest."
)


@hint
def unprotected(released: Released) -> Iterator[Finding]:
    """One row of the table that was asked is hidden, and that table was not the protected one."""
    if released.label.rows == "given":
        yield Finding("the table was not protected", "the whole release", PROTECT)


@hint
def nothing_measured(released: Released) -> Iterator[Finding]:
    """The middle of the range without spread is what a column of text answers that was declared complete."""
    for item, sums in _first_of_each_column(released):
        off = np.sqrt(sums.mean_noise_var)
        clear = (off <= sums.half * SMALL) & (sums.n > 1)
        middle = (np.abs(sums.mean) <= SURE * off) & (sums.variance <= SURE * sums.variance_noise_sd)
        spread = np.sqrt(np.maximum(sums.variance, 0) + SURE * sums.variance_noise_sd)
        if np.any(clear) and np.all((middle & (spread <= sums.half * NO_SPREAD))[clear]):
            yield Finding(
                "the answer is the middle of the range, without spread",
                about(released, item),
                f"That is what a column says that holds no numbers: is it text, or missing throughout? {GAPS}",
                item.column,
                cause=True,
            )


@hint
def all_in_the_middle(released: Released) -> Iterator[Finding]:
    """The same of a histogram."""
    rows = released.layout.rows
    if released.label.statistic != "histogram" or not isinstance(rows, pd.IntervalIndex) or len(rows) < 4:
        return
    middle = rows.left.min() + (rows.right.max() - rows.left.min()) / 2
    for item in released.items:
        ends, counts = ends_of(item.evidence), np.asarray(item.evidence.estimate, dtype=float)
        if ends is None:
            continue
        if ends[0][np.asarray((rows.left <= middle) & (middle < rows.right))].sum() > NEARLY_ALL * counts.sum() > 0:
            yield Finding(
                "nearly all of the column is in the bin in the middle",
                about(released, item),
                f"That is what a column says that holds no numbers: is it text? {GAPS} If it is none, the bounds are "
                "wide.",
                item.column,
                cause=True,
            )


@hint
def few_values(released: Released) -> Iterator[Finding]:
    """Of a whole frame everyone knows how many rows there are, and the noisy count says how many have a value."""
    for item, sums in sums_of(released):
        if sums.count is not None and sums.count_noise is not None and not isinstance(item.evidence, ManyGroups):
            yield from _too_few(released, item, sums.count, sums.count_noise.sd, bool(released.label.by))


@hint
def few_in_cells(released: Released) -> Iterator[Finding]:
    """Rows whose key is none of the declared categories are in no cell."""
    for item in released.items if released.label.statistic != "gaps" else []:
        weighted = _weighted_counts(item.evidence)
        cells = own_values(item.evidence) if weighted is None else (weighted.estimate, float(weighted.noise.sd))
        if cells is not None and len(cells[0]) > 1:
            yield from _too_few(released, item, cells[0], cells[1], True)


def _weighted_counts(evidence: object) -> SurveyedCounts | None:
    """Those below margins or shares, too."""
    counts = getattr(evidence, "inner", getattr(evidence, "counts", evidence))
    return counts if isinstance(counts, SurveyedCounts) else None


def _too_few(released: Released, item: Item, counts: np.ndarray, sd: float, keyed: bool) -> Iterator[Finding]:
    """Of rows whose number is private, and of people that rows stand for, only whether there seem to be any."""
    rows, found, slack = public_rows(released), float(counts.sum()), SURE * sd * np.sqrt(len(counts))
    rows = rows if _weighted_counts(item.evidence) is None else None
    name = about(released, item)
    lost = "The other rows have no value, or none that is a number: is the column text?"
    advice = f"{LETTER} {GAPS}" if keyed else f"{lost} {GAPS}"
    if rows is not None and found + slack < FAR_FEWER * rows:
        yield Finding(f"about {max(found, 0):,.0f} of {rows:,} rows are in the answer", name, advice, item.column, True)
    elif rows is None and found <= slack and has_price(released):
        doubt = LETTER if keyed else f"Is the column text, or missing throughout? {GAPS}"
        yield Finding(
            "there may be no rows in the answer at all",
            name,
            f"Their number cannot be told from none. Does a filter leave any? {doubt}",
            item.column,
            True,
        )


@hint
def not_determined(released: Released) -> Iterator[Finding]:
    """A number that is divided by one that noise does not tell from none is left out."""
    for item in released.items:
        if not isinstance(item.evidence, DIVIDED) or not has_price(released):
            continue
        undetermined = np.isnan(np.asarray(item.evidence.estimate, dtype=float))
        if undetermined.any():
            many, cells, money = int(undetermined.sum()), len(undetermined), currency(released)
            yield Finding(
                f"{many} of {cells} numbers are not told" if cells > 1 else "the number is not told",
                about(released, item),
                "What is divided by, a number of rows or a total, cannot be told from none beside its noise. More "
                f"{money}{' or larger cells' if cells > 1 else ''} would tell.",
                item.column,
            )


def _first_of_each_column(released: Released) -> Iterator[tuple[Item, MomentSums]]:
    """What explains a mean explains the standard deviation beside it."""
    seen = set()
    for item, sums in sums_of(released):
        if item.column not in seen:
            seen.add(item.column)
            yield item, sums


@hint
def mass_at_a_bound(released: Released) -> Iterator[Finding]:
    """Values beyond the bounds are counted in the last bin."""
    if released.label.statistic != "histogram":
        return
    for item in released.items:
        ends = ends_of(item.evidence)
        if ends is None or len(item.evidence.estimate) < 4:
            continue
        numbers = [np.asarray(each, dtype=float) for each in (ends[0], item.evidence.estimate, ends[1])]
        for side, step in (("lower", 1), ("upper", -1)):
            low, middle, high = (each[::step] for each in numbers)
            heavy = low[0] > HEAVY * middle.sum()
            spike = low[0] > SPIKE * high[1] and middle[1] <= FLAT * high[2]
            step = low[0] > STEP * high[1] and middle[1] <= high[2]
            if heavy and (spike or step):
                yield Finding(
                    f"much of the column is at its {side} bound",
                    about(released, item),
                    "Values beyond the bounds count there; are the bounds too narrow, or so wide that most values are "
                    "in one bin, or is it a code for missing values?",
                )


@hint
def wrong_values(released: Released) -> Iterator[Finding]:
    """What `gaps` is asked for: values that no other question counts as they are."""
    if released.label.statistic != "gaps":
        return
    risk = 0.001 / max(1, released.frame.size)
    for item in released.items:
        ends = ends_of(item.evidence, 1 - risk)
        for at, state in enumerate(States.values):
            expected = state == "missing" and str(item.column) in released.label.nullable
            if ends is not None and ends[0][at] > 0 and not expected:
                number = float(np.asarray(item.evidence.estimate)[at])
                complete = str(item.column) in released.label.complete and state != "outside"
                advice = STANDS if complete else WRONG[state]
                yield Finding(f"about {number:,.0f} values are {state}", str(item.column), advice, item.column)


@hint
def noisy_gaps(released: Released) -> Iterator[Finding]:
    """Of columns that share a cost: noise that could hide that many of a public number of rows are wrong."""
    rows = public_rows(released)
    if released.label.statistic != "gaps" or rows is None:
        return
    known = [(item, ends) for item in released.items if (ends := ends_of(item.evidence)) is not None]
    off = [float(np.max(ends[1] - np.asarray(item.evidence.estimate))) for item, ends in known]
    if off and min(off) > rows * HIDES and has_price(released):
        yield Finding(
            "noise is most of the numbers",
            "values missing or wrong",
            f"They may be off by {min(off):,.0f}, of {rows:,} rows. Ask about fewer columns, which share the cost, or "
            f"pay more {currency(released)}.",
        )


@hint
def nobody_of_the_roster(released: Released) -> Iterator[Finding]:
    """The public number of people against hardly a row of theirs: whoever is not on the roster counts nowhere."""
    people = released.label.people
    if not people or released.label.statistic == "gaps":
        return
    for item in released.items:
        ends = ends_of(item.evidence) if item.statistic in ("count", "size") else None
        if ends is not None and item.evidence.noisy and ends[0].sum() <= 0 and ends[1].sum() < people * HARDLY:
            yield Finding(
                f"hardly any of {people:,} people on the roster are in the answer",
                about(released, item),
                "Are the ids of the roster and of this table written alike? Who is not on the roster is in no answer. "
                "Or does a filter leave hardly any?",
                item.column,
                cause=True,
            )


TOTALS = ("count", "size", "sum")


@hint
def bounded_people(released: Released) -> Iterator[Finding]:
    """What is cut off of a person is cut off of every total, and no interval knows how much that is."""
    label = released.label
    if label.max_rows is not None:
        most = f"{label.max_rows:,} row"
        many, worth = (most, f"{most}'s") if label.max_rows == 1 else (f"{most}s", f"{most}s'")
        much = f"of a person with more than {many}, {worth} worth counts"
    elif label.per_person is not None:
        low, high = (f"{end:,.10g}" for end in label.per_person)
        much = f"what a person adds up to is clamped to {low} … {high}"
    else:
        return
    for item in released.items:
        if item.statistic in TOTALS:
            yield Finding(much, about(released, item), "Totals are too low where people have more.", item.column)


STANDS = (
    "The column is declared complete, so each of them counts as the middle of its range: take complete back, and they "
    "drop out."
)
WRONG: dict[Hashable, str] = {
    "missing": "They drop out, so numbers of the column are about the rows that have a value.",
    "unreadable": "They count as missing everywhere: is the column text? Convert it before protect.",
    "outside": "Beyond bounds they count as the nearest bound, and outside of categories they are in no cell.",
}


FEW = 20.0  # steps, or standard deviations of the least noise
SAME = "unless so many values are one and the same, such as zeros"
FINER = f"Give resolution=, how fine values are, or closer bounds, {SAME}."
SCALE = 2**0.5  # standard deviations of Laplace noise in its scale


@hint
def in_few_steps(released: Released) -> Iterator[Finding]:
    """Ranks of floats have some 2**20 steps over the bounds: of a range declared far too wide only a few hold values.

    Not of the least value, nor of one quantile beside a greater one: most columns begin at 0.
    """
    ranked: dict[object, list[tuple[Item, float, float]]] = {}
    for item in released.items:
        evidence = item.evidence
        step = _step_of_ranks(evidence)
        if step is not None and item.statistic != "min":
            ranked.setdefault(item.column, []).append((item, step, _greatest(evidence.estimate)))
    for column, ranks in ranked.items():
        item, step, _ = ranks[0]
        if max(value for *_, value in ranks) < FEW * step:
            yield Finding(
                f"values seem to lie within a few of the steps in which they are read, of {in_words(step)} each",
                about(released, item),
                FINER,
                column,
                cause=True,
            )


def _step_of_ranks(evidence: object) -> float | None:
    if isinstance(evidence, QuantilesApart):
        evidence = evidence.first
    if isinstance(evidence, Quantiles):
        return evidence.grid_step
    ranked = ("median", "quantile", "iqr", "max")
    if not isinstance(evidence, Unsaid) or evidence.by != "bounds" or evidence.statistic not in ranked:
        return None
    return evidence.step


@hint
def less_than_the_least_noise(released: Released) -> Iterator[Finding]:
    """Of noise that is private it is public that one row, moved by so much, has less effect."""
    label = released.label
    for item in released.items:
        evidence = item.evidence
        if not isinstance(evidence, Unsaid) or evidence.step is None or not label.size or not label.epsilon:
            continue
        least = _least_noise(evidence.statistic, evidence.step, label.size, label.epsilon)
        size = _greatest(evidence.estimate) ** (2 if evidence.statistic == "std" else 1)
        if evidence.by == "resolution" or least is None or size >= FEW * least:
            continue
        yield Finding(
            f"the number may be noise, which is never less than {of_a_row(evidence.statistic, evidence.step)} brings",
            about(released, item),
            "Closer bounds have less in proportion, or ask with model='dp'." if evidence.by == "range" else FINER,
            item.column,
            cause=True,
        )


def _least_noise(statistic: str, step: float, size: int, epsilon: float) -> float | None:
    """A standard deviation that no noise falls below, as no more rows count than are public; of a root that of its
    square."""
    powers = {"sum": (1, 0), "mean": (1, 1), "var": (2, 1), "std": (2, 1)}
    if statistic not in powers:
        return None
    power, rows = powers[statistic]
    return SCALE * step**power / (size**rows * epsilon)


def of_a_row(statistic: str, step: float) -> str:
    """What the least noise is like."""
    if statistic in ("sum", "mean"):
        return f"one row moved by {in_words(step)}"
    return f"values as far apart as {in_words(step)}"


def in_words(step: float) -> str:
    """A step as it is read."""
    return f"{step:,.10g}" if step >= 1 else f"{step:.3g}"


@hint
def steps_wider_than_noise(released: Released) -> Iterator[Finding]:
    """A declared resolution that is wider than the noise of a mean and the spread of values: what lies between two
    steps is lost."""
    for item, sums in sums_of(released):
        step, noise = sums.total_noise.step, np.sqrt(sums.mean_noise_var)
        lost = (step > noise) & (sums.variance < (step / 2) ** 2) & sums.enough
        if item.kind == "float" and item.statistic in ("mean", "std", "var", "sem") and np.any(lost):
            yield Finding(
                f"values are read in steps of {in_words(step)}, and lie within one or two of them",
                about(released, item),
                f"The noise of the mean is {float(np.min(noise[lost])):.3g}: what lies between steps is lost. Declare "
                "a finer resolution, unless values have no finer one.",
                item.column,
            )


def _greatest(estimate: object) -> float:
    """How far off nothing the farthest cell is; of none that is told, any may be."""
    numbers = np.abs(np.asarray(estimate, dtype=float))
    return float(np.nanmax(numbers)) if np.isfinite(numbers).any() else float("inf")
