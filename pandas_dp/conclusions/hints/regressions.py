"""Hints that a regression cannot tell: sets without bound, and the column whose declared range is widest."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from ...equations.design import Regression
from ...evidence import Evidence, Fit, Generalized, TableFit
from ...release import Released
from .finding import LOOK, SURE, Finding, currency, hint, public_rows

WIDE = 0.25  # of a range: spreads above are no reason
ALIKE = 0.6  # a correlation that is higher, for all that noise lets one see, explains a set without bounds
FEW = 0.8  # of the public number of rows
PILOT = 4.0  # of the noise of a score: the noise of how many rows a pilot counted, or less
NO_ROOT = 1e-3  # how badly equations fit at best that have no root


@hint
def rows_left_out(released: Released) -> Iterator[Finding]:
    """Rows with a value that is no number, no yes or no, or none of the categories, are in no sum."""
    rows = public_rows(released)
    for item in released.items if rows is not None else []:
        found, slack = _counted(item.evidence)
        if rows is not None and found + SURE * slack < FEW * rows:
            yield Finding(
                f"about {max(found, 0):,.0f} of {rows:,} rows are in it",
                "the regression",
                "Rows are left out where a column has no value, or text in place of numbers, a yes or no is neither, "
                f"or a label is not declared to the letter. {LOOK}",
                item.column,
                cause=True,
            )


def _counted(evidence: Evidence) -> tuple[float, float]:
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
        advice = f"Ask for fewer terms, or pay more {currency(released)}."
        column, alike = None, _alike(worst, list(shares))
        if alike:
            advice = f"{alike} ask for one of them, or for their sum, or pay more {currency(released)}."
        elif narrow is not None and shares[narrow] < WIDE:
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
        if isinstance(fit, TableFit) and fit.statistic == "poisson" and fit.solution("population").misfit > NO_ROOT:
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
            f"{currency(released)}."
        )
        low, high = fit.interval(released.label.confidence, fit.default_target)
        endless = np.isinf(low) | np.isinf(high)
        if not fit.is_told:
            what = "effects, or noise, are too strong for the steps: no coefficient has bounds"
            yield Finding(what, "the regression", advice)
        elif endless.any():
            names = ", ".join(name for name, each in zip(fit.design.names, endless, strict=True) if each)
            what = f"what rows say of {names} does not stand out of the noise: intervals without an end"
            why = "Are its columns nearly one and the same, or is one answer rare? "
            yield Finding(what, "the regression", f"{why}{advice}")
        elif fit.is_mostly_remainder:
            what = "the first look was far from the second: most of the intervals is what the steps leave out"
            yield Finding(what, "the regression", advice)


def _alike(regression: Regression, places: list[int]) -> str:
    """Two columns that hang together closely, for all that noise lets one see; or nothing."""
    matrix, noise = regression.matrix, regression.problem.wobble.typical
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
