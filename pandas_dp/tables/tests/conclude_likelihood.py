"""A Poisson count behind Laplace noise, by the distribution function of the Poisson law: no sums over counts.

With q = e^(−1/scale), P(x) = Σ P(a; mu) q^|x − a| (1 − q)/(1 + q). Below x the terms are those of a Poisson law of mean
mu/q, above x those of one of mean mu·q.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, combinations
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from scipy.special import chdtri, gammaincc, gammaln, pdtr, pdtrc, xlogy

from ...core.arrays import Floats
from ...core.noise.laplace import DiscreteLaplace
from ...core.noise.mechanism import Law
from .conclude_posterior import LEAST_MEAN, Masses, Posterior, saturated

LARGEST_MEAN = 1e5
APART = 25.0  # standard deviations from mu·q to mu/q at most: where one sum is too small for a float, the other has all
LEAST_SCALE = 1.0


class LaplacePosterior:
    """The `Posterior` for Laplace noise; cells with large means are left to that."""

    def __init__(self, x: Floats, masses: Masses) -> None:
        assert isinstance(masses.law, DiscreteLaplace)
        self.x, self.masses = x, masses
        self.log_q = -1 / float(masses.law.scale)
        self.factorial = gammaln(np.maximum(x, 0.0) + 1)

    def of(self, some: npt.NDArray[np.bool_]) -> LaplacePosterior:
        return LaplacePosterior(self.x[some], self.masses)

    def at(self, mean: Floats) -> tuple[Floats, Floats]:
        """If this is the mean: the average count, and the number's log likelihood."""
        mean = np.maximum(mean, LEAST_MEAN)
        q, there = np.exp(self.log_q), self.x >= 0
        most = _largest(self.log_q)
        large = mean > most
        near = np.minimum(mean, most)
        with np.errstate(divide="ignore", under="ignore"):
            below, above = near / q, near * q
            x = np.maximum(self.x, 0.0)
            left, right = pdtr(x, below) * there, np.where(there, pdtrc(x, above), 1.0)
            logs = np.log(near)
            here = np.where(there, x * logs - self.factorial - near, -np.inf)  # log P(x; mu)
            low, high = self.x * self.log_q + (below - near), (above - near) - self.x * self.log_q
            low, high = low + np.log(left), high + np.log(right)
            top = np.maximum(low, high)
            low, high, edge = np.exp(low - top), np.exp(high - top), np.exp(here - top)
        total = low + high
        fewer = np.maximum(low - edge, 0.0) / q + (high + edge) * q  # the same sum for x − 1
        average = near * fewer / total
        likely = top + np.log(total) + np.log(np.tanh(-self.log_q / 2))
        if large.any():
            average[large], likely[large] = Posterior(self.x[large], mean[large], self.masses).at(mean[large])[:2]
        return average, likely


def suits(masses: Masses, mean: Floats) -> bool:
    """Whether the noise is Laplace noise, and nearly all means within reach."""
    law = masses.law
    if not isinstance(law, DiscreteLaplace) or law.scale < LEAST_SCALE:
        return False
    return bool((mean > 0.8 * _largest(-1 / float(law.scale))).mean() < 0.02)


def _largest(log_q: float) -> float:
    return float(min(LARGEST_MEAN, (APART / (2 * np.sinh(-log_q))) ** 2))


Margins = tuple[tuple[int, ...], ...]

GAIN = 1e-7  # of log likelihood in a cycle; less than that ends it
CYCLES = 500
CELLS_AT_ONCE_OF_MODELS = 4_096  # stay in the processor's cache
LARGEST_STEP = 64.0


@dataclass(frozen=True)
class FittedTables:
    """For each table, the fitted means and their log likelihood."""

    mean: Floats
    likely: Floats


def independence(axes: int) -> Margins:
    """The model in which every key is independent of all others."""
    return tuple((axis,) for axis in range(axes))


def freedom(shape: Sequence[int], margins: Margins) -> int:
    """Cells less parameters of the hierarchical model with these margins."""
    terms = {term for margin in margins for term in chain(*(combinations(sorted(margin), n) for n in range(9)))} | {()}
    parameters = sum(int(np.prod([shape[axis] - 1 for axis in term])) for term in terms)
    return int(np.prod(shape)) - parameters


def freedom_within(possible: npt.NDArray[np.bool_], margins: Margins) -> int:
    """The same where only some cells can be: these less the rank of the model on them."""
    blocks = []
    for margin in margins:
        codes = np.zeros(possible.shape, dtype=np.intp)
        for axis in margin:
            shape = [size if place == axis else 1 for place, size in enumerate(possible.shape)]
            codes = codes * possible.shape[axis] + np.arange(possible.shape[axis]).reshape(shape)
        cells = int(np.prod([possible.shape[axis] for axis in margin]))
        blocks.append((codes[possible], cells))
    starts = np.cumsum([0, *(cells for _, cells in blocks)])
    columns = np.concatenate([codes + start for (codes, _), start in zip(blocks, starts[:-1], strict=True)])
    rows = np.tile(np.arange(int(possible.sum())), len(blocks))
    design = csr_array((np.ones(len(rows)), (rows, columns)), shape=(int(possible.sum()), int(starts[-1])))
    rank = np.linalg.matrix_rank((design.T @ design).toarray(), hermitian=True)
    return int(possible.sum()) - int(rank)


def fit(
    tables: Floats,
    masses: Masses,
    margins: Margins,
    seed: Floats | float = 1.0,
    near: Floats | None = None,
    gain: float = GAIN,
) -> FittedTables:
    """The most likely means in the model, table by table; `seed` fixes the interactions that no margin does.

    `near`, where given, are means in the model from which to start; a cycle that gains less than `gain` is the last.
    """
    each = int(np.prod(tables.shape[1:]))
    several = max(1, CELLS_AT_ONCE_OF_MODELS // each)
    seeds = np.broadcast_to(np.asarray(seed, dtype=np.float64), tables.shape)
    slices = [slice(at, at + several) for at in range(0, len(tables), several)]
    parts = [
        _fit(
            tables[part],
            masses,
            margins,
            start(tables[part], margins, seeds[part]) if near is None else near[part],
            gain,
        )
        for part in slices
    ]
    return FittedTables(np.concatenate([p.mean for p in parts]), np.concatenate([p.likely for p in parts]))


def _fit(tables: Floats, masses: Masses, margins: Margins, mean: Floats, gain: float) -> FittedTables:
    mean, likely = mean.copy(), np.full(len(tables), -np.inf)
    open_ones = np.arange(len(tables))
    posterior: Posterior | LaplacePosterior
    posterior = LaplacePosterior(tables, masses) if suits(masses, mean) else Posterior(tables, mean, masses)
    for _ in range(CYCLES):
        before = mean[open_ones]
        once, was = em_step(posterior, before, margins)
        twice, then = em_step(posterior, once, margins)
        leapt, now = em_step(posterior, _extrapolated(before, once, twice), margins)
        better = now >= then
        mean[open_ones] = np.where(_as_tables(better, leapt), leapt, twice)
        likely[open_ones] = np.where(better, now, then)
        going = likely[open_ones] - was > gain
        if not going.any():
            break
        if going.mean() < 0.75:
            open_ones = open_ones[going]
            posterior = posterior.of(going)
    return FittedTables(mean, likely)


def em_step(posterior: Posterior | LaplacePosterior, mean: Floats, margins: Margins) -> tuple[Floats, Floats]:
    """The next means, and the log likelihood of these."""
    counts, likely = posterior.at(mean)[:2]
    return fitted_once(mean, counts, margins), likely.sum(axis=tuple(range(1, mean.ndim)))


def fitted_once(mean: Floats, counts: Floats, margins: Margins) -> Floats:
    """The means scaled to have the counts' sums over each margin in turn."""
    for margin in margins:
        others = tuple(axis + 1 for axis in range(mean.ndim - 1) if axis not in margin)
        requested, sums = counts.sum(axis=others, keepdims=True), mean.sum(axis=others, keepdims=True)
        mean = mean * np.divide(requested, sums, out=np.zeros_like(sums), where=sums > 0)  # 0 where nothing can be
    return np.maximum(mean, LEAST_MEAN)


def start(tables: Floats, margins: Margins, seed: Floats) -> Floats:
    """A member of the model near the released numbers."""
    counts = np.maximum(tables, 0.1)
    mean = seed
    for _ in range(3):
        mean = fitted_once(mean, counts, margins)
    return mean


def _extrapolated(before: Floats, once: Floats, twice: Floats) -> Floats:
    """Along the curve of the last two steps, in logarithms, in which the model is flat."""
    first = np.log(once / before)
    bend = np.log(twice / once) - first
    cells = tuple(range(1, before.ndim))
    speed = np.sqrt((once * first**2).sum(axis=cells) / np.maximum((once * bend**2).sum(axis=cells), 1e-300))
    step = _as_tables(np.clip(speed, 1.0, LARGEST_STEP), before)
    return np.asarray(before * np.exp(np.clip(2 * step * first + step**2 * bend, -20.0, 20.0)))


def _as_tables(values: Floats | npt.NDArray[np.bool_], tables: Floats) -> npt.NDArray[np.generic]:
    return values.reshape(-1, *[1] * (tables.ndim - 1))


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
class ModelTests:
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
) -> ModelTests:
    """Whether all keys are independent of one another.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from pandas_dp.core.noise.laplace import DiscreteLaplace
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
) -> ModelTests:
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
    return ModelTests(statistic, pvalue, df, expected * there, bootstrap)


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
