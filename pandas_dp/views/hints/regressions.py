"""Hints about what is not determined: rows left out, coefficients without bound, tables with nobody in them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations

import numpy as np

from ...comparisons.evidence_differences import Difference
from ...comparisons.evidence_groups import ManyGroups
from ...core.arrays import Floats
from ...core.evidence.evidence import Evidence
from ...core.label.layout import Item, Released
from ...learning.evidence import Centres
from ...models.evidence import Fit, Generalized
from ...models.moments.evidence import GramSums
from ...models.ols.solve_design import Regression
from ...models.tables.evidence import TableFit
from ...numeric.evidence_location import Location, TrimmedMeanEstimate
from ...quantiles.evidence import Cdf, Quantiles
from ...survival.evidence import LEAST_LEFT, Exits, Life
from ..titles import about
from .finding import GAPS, SURE, Finding, currency, hint, public_rows

WIDE_SETS = 0.25  # of a range: spreads above are no reason
ALIKE = 0.6  # a correlation that is higher, for all that noise lets one see, explains a set without bounds
FEW = 0.8  # of the public number of rows
PILOT = 4.0  # of the noise of a score: the noise of how many rows a pilot counted, or less
PLAN = (
    "session.plan of the question at another price, or with other bounds=, has a half width where that would be "
    "enough for values spread evenly over them; this release itself does not tell what would."
)
NO_ROOT = 1e-3  # how badly equations fit at best that have no root


@hint
def rows_left_out(released: Released) -> Iterator[Finding]:
    """Rows with a value that is no number, no yes or no, or none of the categories, are in no sum."""
    for item, many in _of_few_rows(released, _counted_sets):
        yield Finding(
            f"{many} are in it",
            "the regression",
            "Rows are left out where a column has no value, or text in place of numbers, a yes or no is neither, "
            f"or a label is not declared to the letter. {GAPS}",
            item.column,
            cause=True,
        )


def _of_few_rows(released: Released, counted: Callable[[Evidence], tuple[float, float]]) -> Iterator[tuple[Item, str]]:
    """What was told of far fewer rows than there are, and of how many."""
    rows = public_rows(released)
    for item in released.items if rows is not None else []:
        found, slack = counted(item.evidence)
        if rows is not None and found + SURE * slack < FEW * rows:
            yield item, f"about {max(found, 0):,.0f} of {rows:,} rows"


def _counted_sets(evidence: Evidence) -> tuple[float, float]:
    """How many rows a regression is of, and the standard deviation of the noise of that, or a little more."""
    if isinstance(evidence, Generalized):
        return evidence.count, PILOT * evidence.noises[0].sd
    if isinstance(evidence, Fit):
        matrices = [each.matrix for each in evidence.regressions(evidence.default_target)]
        one = np.eye(len(matrices[0].matrix))[0]
        return sum(each.n for each in matrices), float(sum(each.covariance(one, [0])[0, 0] for each in matrices)) ** 0.5
    return np.inf, 0.0


@hint
def unbounded_coefficients(released: Released) -> Iterator[Finding]:
    """Noise is measured in declared ranges, so a column that varies little in a wide one is told least."""
    for item in released.items:
        fit = item.evidence
        if not isinstance(fit, Fit):
            continue
        regressions = fit.regressions(fit.default_target)
        endless = [np.isinf(each.sets(released.label.confidence)[1]) for each in regressions]
        if not np.any(endless):
            continue
        worst = regressions[int(np.argmax([each.sum() for each in endless]))]
        columns = worst.matrix.columns
        shares = {place: worst.spread(place) / columns[place].half / 2 for place in _numbers(fit)}
        narrow = min(shares, key=lambda place: shares[place], default=None)
        advice = f"Ask for fewer terms, or pay more {currency(released)}. {PLAN}"
        column, alike = None, _alike(worst, list(shares))
        if alike:
            advice = f"{alike} ask for one of them, or for their sum, or pay more {currency(released)}. {PLAN}"
        elif narrow is not None and shares[narrow] < WIDE_SETS:
            column = columns[narrow].term
            advice = (
                f"Column {columns[narrow].name!r} varies by about {shares[narrow]:.0%} of its declared range, or less: "
                f"declare narrower bounds if what is known of it allows them; plan_ols tells what they would bring. "
                f"{advice}"
            )
        many = int(np.sum(endless))
        what = "the interval of a coefficient has" if many == 1 else f"the intervals of {many} coefficients have"
        yield Finding(f"{what} no bounds: this release does not tell", "the regression", advice, column)


@hint
def rates_of_rare_cells(released: Released) -> Iterator[Finding]:
    """A Poisson regression of a table whose cells hardly stand out of the noise: its single sets are too small."""
    for item in released.items:
        fit = item.evidence
        if (
            isinstance(fit, TableFit)
            and fit.statistic == "poisson"
            and fit.regressions("population")[0].solution.misfit > NO_ROOT
        ):
            yield Finding(
                "no coefficients fit this table: its noise is wide for cells of so few",
                "the regression",
                f"Sets of single coefficients may be too small; declare fewer categories, or pay more "
                f"{currency(released)}.",
                None,
            )


@hint
def steps_too_long(released: Released) -> Iterator[Finding]:
    """Of a logit or a Poisson regression: sets without ends, and steps that leave out much."""
    for item in released.items:
        fit = item.evidence
        if not isinstance(fit, Generalized):
            continue
        advice = (
            f"Declare narrower bounds if what is known allows them, ask for fewer or other columns, or pay more "
            f"{currency(released)}. {PLAN}"
        )
        low, high = fit.interval(released.label.confidence, fit.default_target)
        endless = np.isinf(low) | np.isinf(high)
        if not fit.is_determined:
            what = "effects, or noise, are too strong for the steps: no coefficient has bounds"
            yield Finding(what, "the regression", advice)
        elif endless.any():
            names = ", ".join(name for name, each in zip(fit.design.names, endless, strict=True) if each)
            what = f"what rows say of {names} does not stand out of the noise: intervals without an end"
            why = "Are its columns nearly one and the same, or is one answer rare? "
            yield Finding(what, "the regression", f"{why}{advice}")
        elif fit.is_mostly_remainder:
            what = "the first stage was far from the second: most of the intervals is what the steps leave out"
            yield Finding(what, "the regression", advice)


def _alike(regression: Regression, places: list[int]) -> str:
    """Two columns that hang together closely, for all that noise lets one see; or nothing."""
    matrix, noise = regression.matrix, regression.problem.residual_noise.typical
    n, columns = max(matrix.n, 1.0), matrix.columns
    spreads = {place: regression.spread(place) / columns[place].half for place in places}
    found = []
    for one, other in combinations(places, 2):
        together = float(matrix.matrix[one, other] - matrix.matrix[0, one] * matrix.matrix[0, other] / n)
        scale = n * spreads[one] * spreads[other]
        least = (abs(together) - SURE * noise) / scale
        if least > ALIKE:
            found.append((least, columns[one].name, columns[other].name))
    if not found:
        return ""
    least, one_name, other_name = max(found)
    return f"Columns {one_name!r} and {other_name!r} hang together, with a correlation of {least:.2f} or more:"


def _numbers(fit: Fit) -> list[int]:
    """Regressors and instruments that are numbers; the response only scales."""
    places = dict.fromkeys([*fit.design.places, *fit.design.instruments])
    return [place for place in places if fit.gram.columns[place].sort == "number"]


NEARLY = 0.95  # of the rows
MIDDLE = 1e-3  # of a range: quantiles nearer to each other, and to the middle, are one
WIDE = 0.5  # of a standard error: what the width of bins may move survival by
FLAT = 0.01  # of a squared half-range: a variance that may be so small at most
ASK = f"That is what a column says that holds no numbers: is it text, or constant? {GAPS}"
LOST = (
    "Survival takes it that people are lost evenly over each bin. Ask for narrower bins, which cost no more; let edges "
    "be where follow-up ends; or say censoring='start' or 'end' if they were lost then."
)
MATCH = (
    "Do the labels of by= match those in the data, to the letter? Rows with another label are in no group, and neither "
    f"are those whose number is missing or text. {GAPS}"
)


@hint
def few_with_a_value(released: Released) -> Iterator[Finding]:
    """What has no value is dropped, and more is measured than a mean: how many rows are left."""
    for item, many in _of_few_rows(released, _counted):
        yield Finding(
            f"{many} are in the answer",
            about(released, item),
            f"The other rows have no value, or none that is a number: is a column text? {GAPS}",
            item.column,
            cause=True,
        )


def _counted(evidence: Evidence) -> tuple[float, float]:
    """How many rows there seem to be, and about the standard deviation of that by noise."""
    if isinstance(evidence, Quantiles):
        of_cells = sum(float(near.sd.max()) ** 2 for near in evidence.near)
        return sum(near.rows for near in evidence.near), of_cells**0.5
    if isinstance(evidence, Cdf) and evidence.size is None:
        return float(evidence.below[-1]), float(evidence.covariance[-1, -1]) ** 0.5
    if isinstance(evidence, GramSums):
        matrices, one = evidence.matrices(), _alone(evidence.matrices()[0], 0)
        return sum(each.n for each in matrices), sum(float(each.covariance(one, [0])[0, 0]) for each in matrices) ** 0.5
    if isinstance(evidence, Centres):
        return float(evidence.grid.sum()), evidence.noise.sd * evidence.grid.size**0.5
    return np.inf, 0.0


@hint
def nobody_in_groups(released: Released) -> Iterator[Finding]:
    """A test of two groups counts the rows that it compares."""
    rows = public_rows(released)
    for item in released.items:
        test = item.evidence
        if isinstance(test, Difference | ManyGroups):
            found, slack = _in_groups(test)
            if found + slack < FEW * rows if rows is not None else found <= slack:
                of_all = "" if rows is None else f" of {rows:,}"
                what = f"about {max(found, 0):,.0f}{of_all} rows are in the groups"
                yield Finding(what, about(released, item), MATCH, item.column, cause=True)


def _in_groups(test: Difference | ManyGroups) -> tuple[float, float]:
    """How many rows were compared, and how far noise may have moved that."""
    if isinstance(test, Difference):
        return float(test.released[0]), SURE * test.noises[0].sd
    counts, noise = test.sums.count, test.sums.count_noise
    if counts is None or noise is None:
        return np.inf, 0.0
    return float(counts.sum()), SURE * noise.sd * len(counts) ** 0.5


@hint
def all_values_alike_in_groups(released: Released) -> Iterator[Finding]:
    """Squares of scores, of which the ends of the range are -1 and 1, that add up to nothing beside the rows."""
    for item in released.items:
        test = item.evidence
        if isinstance(test, Difference) and test.tied is None:  # in equal ranks bins show it
            count, rest = float(test.released[0]), float(test.released[4])
            slack = SURE * float(np.hypot(test.noises[0].sd, test.noises[4].sd))
            if count > 0 and abs(count - rest) <= slack <= FLAT * count:
                yield _middle(released, item)


@hint
def quantiles_at_the_middle(released: Released) -> Iterator[Finding]:
    """A scale of nothing, or two quantiles that are one number."""
    for item in released.items:
        found = item.evidence
        if isinstance(found, Location):
            low, high = found.bounds
            if found.around[1] <= MIDDLE * (high - low) and (
                abs(found.around[0] - (low + high) / 2) <= MIDDLE * 10 * (high - low)
            ):
                yield _middle(released, item)
        elif isinstance(found, TrimmedMeanEstimate) and found.ends[1] - found.ends[0] <= MIDDLE * abs(found.ends[1]):
            yield Finding("the quantiles at both ends are one number", about(released, item), ASK, item.column, True)


@hint
def one_step_in_the_middle(released: Released) -> Iterator[Finding]:
    """A distribution function that rises at the middle of the range, and nowhere else."""
    for item in released.items:
        found = item.evidence
        if not isinstance(found, Cdf):
            continue
        low, high = np.asarray(found.low, dtype=float), np.asarray(found.high, dtype=float)
        low_end, high_end, shares = low.min(), high.max(), np.asarray(found.estimate, dtype=float)
        within = (low_end + high_end) / 2 + MIDDLE * 10 * (high_end - low_end) * np.array([-1, 1])
        before, after = shares[high < within[0]], shares[high > within[1]]
        if len(before) and len(after) and after[0] - before[-1] >= NEARLY:
            yield _middle(released, item)


@hint
def sums_of_nothing(released: Released) -> Iterator[Finding]:
    """A column of a moment matrix that is at the middle of its range, with a variance of nothing."""
    for item in released.items:
        gram = item.evidence.gram if isinstance(item.evidence, Fit) else item.evidence
        if not isinstance(gram, GramSums):
            continue
        for place, column in enumerate(gram.columns):
            if column.sort == "number" and all(_is_flat(matrix, place) for matrix in gram.matrices()):
                finding = f"column {column.name!r} is at the middle of its range, without spread"
                yield Finding(finding, about(released, item), ASK, column.term, cause=True)


def _is_flat(matrix: object, place: int) -> bool:
    """In half-ranges around the middle: its squares add up to nothing beside the rows."""
    squares, rows = matrix.matrix[place, place], matrix.n  # type: ignore[attr-defined]
    slack = SURE * float(np.sqrt(matrix.covariance(_alone(matrix, place), [place])[0, 0]))  # type: ignore[attr-defined]
    return bool(rows > 0 and abs(squares) <= slack <= FLAT * rows)


def _alone(matrix: object, place: int) -> np.ndarray:
    one = np.zeros(len(matrix.matrix))  # type: ignore[attr-defined]
    one[place] = 1
    return one


@hint
def nobody_in_the_life_table(released: Released) -> Iterator[Finding]:
    """Who is neither with the event nor without it is in no cell."""
    rows = public_rows(released)
    for item in released.items:
        life = item.evidence
        if isinstance(life, Life) and rows is not None:
            found, slack = float(life.released.sum()), SURE * life.noise.sd * np.sqrt(life.released.size)
            if found + slack < FEW * rows:
                yield Finding(
                    f"about {max(found, 0):,.0f} of {rows:,} rows are in the table",
                    about(released, item),
                    "Is the event true or false in the data? Text and other codes are neither, and such rows are left "
                    "out: make a column of yes or no before protect. Or do labels of groups not match the data?",
                    item.column,
                    cause=True,
                )


@hint
def lost_within_bins(released: Released) -> Iterator[Finding]:
    """A table by bins does not know when in a bin people were censored, where that decides what survival is."""
    for item in released.items:
        life = item.evidence
        if not isinstance(life, Life) or life.censoring != "even" or not life.has_intervals:
            continue
        error = np.sqrt(sum(life.log_variance("population")))
        if np.any(_off_by_width(life.exits) > WIDE * error[:, 1::2]):
            finding = "bins are so wide that it matters when in them people were lost"
            yield Finding(finding, about(released, item), LOST, item.column)
        many = int(np.sum(_rivalled(life) > error))
        if many:
            bins = f"{many} of {error.size} bins"
            yield Finding(
                f"in {bins} at least half of those who entered were lost", about(released, item), LOST, item.column
            )


def _off_by_width(exits: Exits) -> Floats:
    """How far the logarithm of survival may be off at every second edge: a third of what bins twice as wide change,
    as an error that grows with the square of their width is four times as large in those."""
    narrow, wide = exits.log_survival[:, 1::2], exits.in_pairs.log_survival[:, : exits.bins // 2]
    return np.where(exits.is_determined[:, 1::2], np.abs(wide - narrow) / 3, 0.0)


def _rivalled(life: Life) -> Floats:
    """Where those censored in a bin are half of those who entered it: what it changes in the logarithm of survival if
    they left at its end or at its start."""
    exits, noise = life.exits, SURE * life.noise.sd
    entered, events = exits.at_risk + exits.censored / 2, np.maximum(exits.events, 0.0)
    determined = exits.is_determined & (exits.censored - noise > entered / 2)
    lasting, gone = (np.maximum(each, events + LEAST_LEFT) for each in (entered, entered - exits.censored))
    return np.where(determined, np.log1p(-events / lasting) - np.log1p(-events / gone), 0.0)


def _middle(released: Released, item: object) -> Finding:
    finding = "the answer is the middle of the range, without spread"
    return Finding(finding, about(released, item), ASK, item.column, cause=True)  # type: ignore[attr-defined,arg-type]


@hint
def few_bins_of_clusters(released: Released) -> Iterator[Finding]:
    """Centres are no finer than the grid that they are of, and a column in one or two of its bins has none to show."""
    for item in released.items:
        found = item.evidence
        if not isinstance(found, Centres):
            continue
        shape = [len(edges) - 1 for edges in found.edges]
        grid = np.asarray(found.grid, dtype=float).reshape(shape)
        for axis, (name, edges) in enumerate(zip(found.names, found.edges, strict=True)):
            counts = grid.sum(axis=tuple(other for other in range(len(shape)) if other != axis))
            most = np.sort(counts)[-2:].sum()
            if shape[axis] >= 4 and most >= NEARLY * counts.sum() > 0:
                yield Finding(
                    f"nearly all of column {name!r} is in one or two bins of {edges[1] - edges[0]:.4g} each",
                    about(released, item),
                    "Rows count at the middle of their bins, by half of which a centre may be off: declare "
                    "narrower bounds if what is known of the column "
                    f"allows them, or ask for more bins. In the middle of the range: is it text, or constant? {GAPS}",
                    name,
                    cause=True,
                )
