"""Log-linear models of Poisson counts behind noise, fitted by EM: many tables at once.

The E step replaces each released number by the average of the count behind it. The M step is one round of iterative
proportional fitting to those averages; for independence this is row · column / total. Both can only raise the
likelihood. Between steps the fit is extrapolated (Varadhan & Roland's SQUAREM), which is kept where it raised the
likelihood further.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, combinations

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from ...dataclass import dataclass
from .laplace_posterior import LaplacePosterior, suits
from .masses import Masses
from .posterior import LEAST_MEAN, Posterior

Floats = npt.NDArray[np.float64]
Margins = tuple[tuple[int, ...], ...]

GAIN = 1e-7  # of log likelihood in a cycle; less than that ends it
CYCLES = 500
CELLS_AT_ONCE = 4_096  # stay in the processor's cache
LARGEST_STEP = 64.0


@dataclass(frozen=True)
class Fit:
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
) -> Fit:
    """The most likely means in the model, table by table; `seed` fixes the interactions that no margin does.

    `near`, where given, are means in the model from which to start; a cycle that gains less than `gain` is the last.
    """
    each = int(np.prod(tables.shape[1:]))
    several = max(1, CELLS_AT_ONCE // each)
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
    return Fit(np.concatenate([p.mean for p in parts]), np.concatenate([p.likely for p in parts]))


def _fit(tables: Floats, masses: Masses, margins: Margins, mean: Floats, gain: float) -> Fit:
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
    return Fit(mean, likely)


def em_step(posterior: Posterior | LaplacePosterior, mean: Floats, margins: Margins) -> tuple[Floats, Floats]:
    """The next means, and the log likelihood of these."""
    counts, likely = posterior.at(mean)[:2]
    return fitted_once(mean, counts, margins), likely.sum(axis=tuple(range(1, mean.ndim)))


def fitted_once(mean: Floats, counts: Floats, margins: Margins) -> Floats:
    """The means scaled to have the counts' sums over each margin in turn."""
    for margin in margins:
        others = tuple(axis + 1 for axis in range(mean.ndim - 1) if axis not in margin)
        wanted, sums = counts.sum(axis=others, keepdims=True), mean.sum(axis=others, keepdims=True)
        mean = mean * np.divide(wanted, sums, out=np.zeros_like(sums), where=sums > 0)  # 0 where nothing can be
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
