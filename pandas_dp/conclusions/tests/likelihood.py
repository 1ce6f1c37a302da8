"""Likelihood ratio tests of log-linear models on tables of noisy counts, many tables at once.

`tables` is an array whose first axis numbers the tables; `law` is the noise on every cell. Nothing here knows labels.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy.special import chdtri, gammaincc, xlogy

from ...dataclass import dataclass
from ...laws import Law
from .loglinear import GAIN, Margins, fit, fitted_once, freedom, freedom_within, independence
from .masses import Masses
from .posterior import LEAST_MEAN, Posterior
from .saturated import saturated

Floats = npt.NDArray[np.float64]
Likelihood = Literal["noisy", "naive"]

REPLICATES = 499
FEW_CELLS = 200
CELLS_AT_ONCE = 500_000
ROUGHLY = 1e-5  # of log likelihood, to which simulated tables are fitted
SAME = 1e-6  # statistics nearer than this are the same
WIDE_NOISE = 0.5  # its variance over the average count, from which on other margins are looked at
DOUBTFUL = 0.1  # a p value above is not looked at again
SPEAKS_AGAINST = 0.0075  # the chance of margins that fit so much less well than the best
LITTLE_NOISE = 0.25  # its variance over the average count, up to which chi-square holds for many cells


@dataclass(frozen=True)
class Tested:
    """For each table the statistic, its p value, and the means fitted under the hypothesis; `df` is theirs all."""

    statistic: Floats
    pvalue: Floats
    df: int
    expected: Floats
    bootstrapped: bool


def independence_tests(
    tables: Floats,
    law: Law,
    *,
    likelihood: Likelihood = "noisy",
    bootstrap: bool | None = None,
    replicates: int = REPLICATES,
    rng: np.random.Generator | None = None,
) -> Tested:
    """Whether all keys are independent of one another.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from pandas_dp.laws import DiscreteLaplace
    >>> tables = np.array([[[60, 38], [41, 62]], [[50, 52], [49, 48]]])
    >>> found = independence_tests(tables, DiscreteLaplace(Fraction(2)), bootstrap=False)
    >>> found.statistic.round(2), found.df
    (array([8.16, 0.04]), 1)
    """
    return model_tests(
        tables,
        law,
        independence(tables.ndim - 1),
        likelihood=likelihood,
        bootstrap=bootstrap,
        replicates=replicates,
        rng=rng,
    )


def model_tests(
    tables: Floats,
    law: Law,
    margins: Margins,
    *,
    seed: Floats | float = 1.0,
    likelihood: Likelihood = "noisy",
    bootstrap: bool | None = None,
    replicates: int = REPLICATES,
    rng: np.random.Generator | None = None,
    possible: npt.NDArray[np.bool_] | None = None,
) -> Tested:
    """Whether the hierarchical log-linear model with these margins holds, against any other table.

    `seed` fixes the interactions that no margin does: with no margin but the total, the shares of the cells. Cells that
    are not `possible` hold 0 without noise and are no part of the model (quasi-independence).
    `bootstrap` calibrates by tables simulated from the fitted model and the law of the noise; None leaves it to
    `wants_bootstrap`. The naive likelihood takes the released numbers for counts.
    """
    tables, masses = np.asarray(tables, dtype=np.float64), Masses(law)
    there = np.ones(tables.shape[1:], dtype=bool) if possible is None else possible
    seed = seed if possible is None else np.asarray(seed * there)
    statistic, expected = _statistic(tables, masses, margins, likelihood, seed)
    df = freedom(tables.shape[1:], margins) if possible is None else freedom_within(there, margins)
    if bootstrap is None:
        bootstrap = likelihood == "noisy" and wants_bootstrap(tables[:, there], law)
    if bootstrap:
        if likelihood == "naive":  # the means behind the noise are needed to simulate from
            expected = fit(tables, masses, margins, seed).mean
        rng = rng or np.random.default_rng()
        calibrate = partial(_bootstrapped, masses=masses, margins=margins, likelihood=likelihood, seed=seed)
        pvalue = calibrate(statistic, expected * there, replicates=replicates, rng=rng)
        if likelihood == "noisy" and wide(tables[:, there], law):
            parameters = int(there.sum()) - df
            pvalue = _at_other_margins(
                tables,
                expected,
                pvalue,
                statistic,
                there,
                seed,
                masses,
                parameters,
                partial(calibrate, replicates=replicates, rng=rng),
            )
    else:
        pvalue = chi_square_tail(statistic, df)
    return Tested(statistic, pvalue, df, expected * there, bootstrap)


def wants_bootstrap(tables: Floats, law: Law) -> bool:
    """Chi-square is trusted only for many cells, in which the noise is small beside the chance in the counts."""
    cells = int(np.prod(tables.shape[1:]))
    return cells <= FEW_CELLS or law.variance > LITTLE_NOISE * max(float(tables.mean()), 1e-9)


def wide(tables: Floats, law: Law) -> bool:
    """Whether noise, more than the chance in the counts, decides how far margins are off."""
    return law.variance > WIDE_NOISE * max(float(tables.mean()), 1e-9)


def _at_other_margins(
    tables: Floats,
    expected: Floats,
    pvalue: Floats,
    statistic: Floats,
    there: npt.NDArray[np.bool_],
    seed: Floats | float,
    masses: Masses,
    parameters: int,
    calibrate: Callable[[Floats, Floats], Floats],
) -> Floats:
    """The largest p value of those at the fitted margins, at even ones and half way between.

    Noise makes margins look less even than they are, and the statistic is larger where they are even. Margins that the
    table speaks against do not count; p values that are large already stay.
    """
    pvalue, cells = pvalue.copy(), tuple(range(1, tables.ndim))
    seeds = np.broadcast_to(np.asarray(seed, dtype=np.float64) * there, tables.shape[1:])
    most = chdtri(parameters, SPEAKS_AGAINST)
    for share in (0.5, 1.0):
        open_ones = np.flatnonzero(pvalue <= DOUBTFUL)
        if not len(open_ones):
            break
        fitted = np.maximum(expected[open_ones], LEAST_MEAN)
        total = (fitted * there).sum(axis=cells, keepdims=True)
        means = np.where(there, fitted ** (1 - share) * (seeds * total / seeds.sum()) ** share, LEAST_MEAN)
        means *= total / (means * there).sum(axis=cells, keepdims=True)
        likely = [
            (Posterior(tables[open_ones], each, masses).at(each)[1] * there).sum(axis=cells) for each in (fitted, means)
        ]
        stands = 2 * (likely[0] - likely[1]) <= most
        some = open_ones[stands]
        if len(some):
            pvalue[some] = np.maximum(pvalue[some], calibrate(statistic[some], means[stands] * there))
    return pvalue


def chi_square_tail(statistic: Floats, df: int) -> Floats:
    """P(chi-square > statistic)."""
    return np.asarray(gammaincc(df / 2, statistic / 2) if df else np.ones_like(statistic))


def _statistic(
    tables: Floats,
    masses: Masses,
    margins: Margins,
    likelihood: Likelihood,
    seed: Floats | float,
    near: Floats | None = None,
) -> tuple[Floats, Floats]:
    """The statistics and fitted means; of tables simulated `near` known means, a little less exactly."""
    if likelihood == "naive":
        return naive_statistic(tables, margins, seed)
    fitted = fit(tables, masses, margins, seed, near, GAIN if near is None else ROUGHLY)
    best = saturated(tables, masses)[1].sum(axis=tuple(range(1, tables.ndim)))
    return np.maximum(2 * (best - fitted.likely), 0.0), fitted.mean


def naive_statistic(tables: Floats, margins: Margins, seed: Floats | float = 1.0) -> tuple[Floats, Floats]:
    """The likelihood ratio of counts without noise, negative numbers read as zero."""
    counts = np.maximum(tables, 0.0)
    expected = np.broadcast_to(np.asarray(seed, dtype=np.float64), counts.shape)
    direct = np.ndim(seed) == 0 and all(len(margin) == 1 for margin in margins)
    with np.errstate(divide="ignore", invalid="ignore"):
        for _ in range(1 if direct else 100):
            expected = np.nan_to_num(fitted_once(expected, counts, margins))
        terms = xlogy(counts, np.where(counts > 0, counts / expected, 1.0))
    return np.maximum(2 * terms.sum(axis=tuple(range(1, counts.ndim))), 0.0), expected


def _bootstrapped(
    statistic: Floats,
    mean: Floats,
    masses: Masses,
    margins: Margins,
    likelihood: Likelihood,
    seed: Floats | float,
    replicates: int,
    rng: np.random.Generator,
) -> Floats:
    """(1 + tables simulated under the hypothesis that are as extreme) / (1 + tables simulated)."""
    beyond = []
    at_once = max(1, CELLS_AT_ONCE // (replicates * mean[0].size))
    for at in range(0, len(mean), at_once):
        part = slice(at, at + at_once)
        means = np.repeat(mean[part], replicates, axis=0)
        drawn = simulate(means, masses, rng)
        drawn[means == 0] = 0.0  # cells that cannot be: means of others are above
        others = _statistic(drawn, masses, margins, likelihood, seed, np.maximum(means, LEAST_MEAN))[0]
        others = others.reshape(-1, replicates)
        beyond.append((others >= statistic[part, np.newaxis] - SAME).sum(axis=1))
    return np.asarray((1 + np.concatenate(beyond)) / (1 + replicates))


def simulate(mean: Floats, masses: Masses, rng: np.random.Generator) -> Floats:
    """Poisson counts of these means, with noise."""
    return rng.poisson(np.minimum(mean, 1e18)) + masses.draw(rng, mean.shape)
