"""Pairs of a yes or no before and after: whether as many change in one direction as in the other (McNemar)."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.special import gammaln

from ...comparisons.evidence_groups import error_of
from ...core.arrays import Floats
from ...core.conclude.results import LEAST, TestResult
from ...core.evidence.evidence import OwnCells
from ...core.evidence.noise import Noise
from ...core.label.label import Label
from ...core.label.reading import Released
from ...core.noise.law import Law
from ...core.reading import is_whole, one_of, whole_number
from ...dataclass import dataclass
from ...errors import BadArgument, NotConcluded, wrong_value
from ...views.titles import guaranteed
from .conclude_likelihood import (
    REPLICATES,
    Likelihood,
    Margins,
    Tested,
    freedom,
    freedom_within,
    independence,
    model_tests,
)
from .conclude_posterior import Masses

__all__ = [
    "REPLICATES",
    "Seed",
    "independence_test",
    "log_linear_test",
    "read_pvalue",
    "read_replicates",
]


Flags = npt.NDArray[np.bool_]

LARGEST = 2.0**50  # whole numbers well within what a float64 holds exactly


@dataclass(frozen=True)
class Counted:
    """Noisy counts, an axis for each key; keys with one category have none."""

    counts: Floats
    keys: tuple[str, ...]
    law: Law
    label: Label
    rows: pd.Index
    columns: pd.Index
    possible: Flags | None = None  # where cells were declared impossible

    def as_table(self, numbers: Floats) -> pd.DataFrame:
        """The counts in the shape of the release, its margins left out."""
        return pd.DataFrame(numbers.reshape(len(self.rows), len(self.columns)), index=self.rows, columns=self.columns)

    @property
    def noise(self) -> str:
        return f"{self.law.distribution} with standard deviation {self.law.sd:.4g}, taken into account"

    def rng(self, seed: int | np.random.Generator | None) -> np.random.Generator:
        """Unless asked otherwise, one that depends on the released table alone: same table, same p value."""
        if isinstance(seed, np.random.Generator):
            return seed
        if not (seed is None or (is_whole(seed) and seed >= 0)):
            raise wrong_value("seed", "be a whole number from 0, a numpy Generator or None", seed)
        return np.random.default_rng(int(self.label.digest[:16], 16) if seed is None else seed)


def counted(table: Released | pd.DataFrame) -> Counted:
    """Read a release; only counts whose noise is public can be tested."""
    released = Released.of(table)
    label, cells = released.label, _cells(released)
    values, noise = cells.values, cells.noise
    rows, columns = _cut(released.frame.index, cells.down), _cut(released.frame.columns, cells.across)
    if not released.is_rectangle or not _keyed(columns):
        columns = columns[:1]
    shape, keys = _axes(rows, columns)
    if int(np.prod(shape)) != len(values):
        raise NotConcluded("the cells of this table are not all combinations of its keys.")
    if noise.step != 1 or label.bases or any(decimals < 0 for decimals in label.rounded):
        raise NotConcluded(
            "the counts were rounded, which no test allows for; conclude from the table before rounding."
        )
    law = noise.law
    if not law.falls:
        raise NotConcluded(
            "the noise of this table was made from a loss that does not grow with the error, which these tests do not "
            "model; use a loss that grows."
        )
    if not np.isfinite(law.variance):
        raise NotConcluded(
            f"{law.distribution} noise depends on the count it hides, which the tests do not model; "
            "ask for laplace, gaussian or truncated noise."
        )
    if not np.all(np.abs(values) <= LARGEST) or np.any(np.isneginf(Masses(law).log(np.minimum(values, 0.0)))):
        raise NotConcluded("a number in this table is larger, or lower, than counts with this noise can be.")
    there = None if cells.possible is None else cells.possible.reshape(shape)
    return Counted(values.reshape(shape), keys, law, label, rows, columns, there)


def _cells(released: Released) -> OwnCells:
    """The one count that the release holds for each cell."""
    label = released.label
    if label.adjusted:
        raise NotConcluded("this table was adjusted after its release; conclude from the table before.")
    cells = released.evidence[0].own_cells() if len(label.evidence) == 1 else None
    if cells is None:
        odds = "; odds ratios of a logit are release.dp.ratios()" if label.statistic == "logit" else ""
        raise NotConcluded(
            f"this needs one table of counts, and this release holds {_what(released)}; ask for crosstab without "
            f"values=, value_counts, histogram or groupby(...).size{odds}."
        )
    if label.releases:
        raise NotConcluded(
            "this table combines several releases, whose averaged noise no test of tables models; "
            "ask once with the whole cost, or conclude from one of them."
        )
    return cells


def _what(released: Released) -> str:
    """What a release holds in place of one table of counts."""
    (first, *others) = released.items
    if others:
        return "several statistics, or columns"
    return f"the {first.statistic}" + ("" if first.column is None else f" of {first.column!r}")


def _keyed(columns: pd.Index) -> bool:
    return any(name is not None for name in columns.names)


def _cut(labels: pd.Index, to: slice) -> pd.Index:
    if to == slice(None):
        return labels
    inner = labels[to]
    return inner.remove_unused_levels() if isinstance(inner, pd.MultiIndex) else inner


def _axes(rows: pd.Index, columns: pd.Index) -> tuple[tuple[int, ...], tuple[str, ...]]:
    found: list[tuple[int, Any]] = []
    for axis in (rows, columns):
        for level in range(axis.nlevels):
            found.append((axis.get_level_values(level).nunique(dropna=False), axis.names[level]))
    places = [(size, str(name)) for size, name in found if size > 1]
    return tuple(size for size, _ in places) or (1,), tuple(name for _, name in places)


def levels(rows: pd.Index, columns: pd.Index) -> list[list[Hashable]]:
    """The categories of each key that has more than one, rows first."""
    found = []
    for axis in (rows, columns):
        for level in range(axis.nlevels):
            values = list(dict.fromkeys(axis.get_level_values(level)))
            if len(values) > 1:
                found.append(values)
    return found


NORMAL = 1e9  # degrees of freedom of a normal law
MOST_PAIRS, MOST_NOISE = 300, 100.0  # pairs, and variance of the noise, from which on laws are as good as normal
RARE = 1e-9  # the chance of noise beyond what is summed


@guaranteed
def mcnemar_test(frame: pd.DataFrame) -> TestResult:
    """Whether as many pairs change in one direction as in the other."""
    table = counted(frame)
    if table.counts.shape != (2, 2) or table.possible is not None:
        raise NotConcluded("pairs of yes and no are a crosstab of two columns with two categories each.")
    there, back = float(table.counts[0, 1]), float(table.counts[1, 0])
    noise = Noise(table.law)
    variance = max(there + back, 0.0) + 2 * noise.var
    statistic = (there - back) / np.sqrt(variance)
    few = max(there + back, there, back) <= MOST_PAIRS and noise.var <= MOST_NOISE
    normal = error_of(float(statistic), (noise,), 2 * noise.var / variance, NORMAL)
    names = [" and ".join(map(str, pair)) for pair in zip(*_off_diagonal(table.rows, table.columns), strict=True)]
    return TestResult(
        float(statistic),
        max(chance_of_few(int(there), int(back), table.law), LEAST) if few else normal,
        None,
        f"as many pairs are ({names[0]}) as ({names[1]})",
        f"{'binomial law behind noise' if few else 'normal law'} of the difference of the two counts",
        table.noise,
    )


def chance_of_few(there: int, back: int, law: Law) -> float:
    """The chance of so large a difference, or half that of just this one, where as many pairs change there as back, of
    the releases that have the sum of the two which was seen; true numbers of pairs that change are all taken alike."""
    total, limit = there + back, law.half_width(1 - RARE)
    low = min(0, total, there, back) - limit
    seen = np.arange(low, total - low + 1)  # pairs there; total - seen are back
    true = np.arange(total - low + limit + 1)
    masses = _masses(seen, true, law)
    chances = np.einsum("sk,kl,sl->s", masses, _ways(true), masses[::-1], optimize=True)
    apart, own = np.abs(2 * seen - total), abs(there - back)
    return float((chances[apart > own].sum() + chances[apart == own].sum() / 2) / chances.sum())


def _masses(seen: Any, true: Any, law: Law) -> Floats:
    """Of each number seen where another is true."""
    off = np.arange(seen[0] - true[-1], seen[-1] - true[0] + 1)
    return np.asarray(np.asarray(law.pmf(off), dtype=float)[seen[:, None] - true - off[0]])


def _ways(true: Any) -> Floats:
    """The chance that of k + l pairs k change there, by k and l."""
    together = true[:, None] + true
    logs = gammaln(together + 1.0) - gammaln(true[:, None] + 1.0) - gammaln(true + 1.0) - together * np.log(2)
    return np.asarray(np.exp(logs))


def _off_diagonal(rows: pd.Index, columns: pd.Index) -> tuple[list[Any], list[Any]]:
    first, second = levels(rows, columns)
    return [first[0], first[1]], [second[1], second[0]]


Seed = int | np.random.Generator | None
MOST_REPLICATES = 100_000


@guaranteed
def independence_test(frame: pd.DataFrame, likelihood: str, pvalue: str, replicates: int, seed: Seed) -> TestResult:
    """Whether the keys of the table are independent of one another."""
    table = counted(frame)
    _needs_two_keys(table)
    hypothesis = " and ".join(table.keys) + " are independent"
    if table.possible is not None:
        hypothesis += " where both can be"
        if not degrees(table, independence(len(table.keys))):
            raise NotConcluded("so few cells can be that independence of the keys fits every table.")
    return _tested(table, independence(len(table.keys)), hypothesis, likelihood, pvalue, replicates, seed)


@guaranteed
def log_linear_test(
    frame: pd.DataFrame, margins: Sequence[str | Sequence[str]], pvalue: str, replicates: int, seed: Seed
) -> TestResult:
    """Whether no interaction is needed but those within the given margins."""
    table = counted(frame)
    _needs_two_keys(table)
    read = _read_margins(table, margins)
    if not degrees(table, read):
        raise NotConcluded("these margins leave nothing to test: the model fits every table.")
    hypothesis = "log-linear model " + ", ".join("×".join(table.keys[axis] for axis in margin) for margin in read)
    return _tested(table, read, hypothesis, "noisy", pvalue, replicates, seed)


def degrees(table: Counted, margins: Margins) -> int:
    """The degrees of freedom, with regard to impossible cells."""
    if table.possible is None:
        return freedom(table.counts.shape, margins)
    return freedom_within(table.possible, margins)


def _tested(
    table: Counted, margins: Margins, hypothesis: str, likelihood: str, pvalue: str, replicates: int, seed: Seed
) -> TestResult:
    one_of("likelihood", likelihood, ("noisy", "naive"))
    bootstrap = read_pvalue(pvalue)
    read_replicates(replicates)
    found = model_tests(
        table.counts[np.newaxis],
        table.law,
        margins,
        likelihood=cast(Likelihood, likelihood),
        bootstrap=bootstrap,
        replicates=replicates,
        rng=table.rng(seed),
        possible=table.possible,
    )
    return TestResult(
        float(found.statistic[0]),
        float(found.pvalue[0]),
        found.df,
        hypothesis,
        f"{_NAMES[likelihood]}; p value from {_calibration(found, replicates)}",
        _noise(table, likelihood, found),
        table.as_table(found.expected[0]),
    )


_NAMES = {"noisy": "likelihood ratio of Poisson counts behind noise", "naive": "likelihood ratio as if without noise"}


def _calibration(found: Tested, replicates: int) -> str:
    return f"a parametric bootstrap of {replicates} tables" if found.bootstrapped else "the chi-square law"


def _noise(table: Counted, likelihood: str, found: Tested) -> str:
    if likelihood == "noisy":
        return table.noise
    return f"ignored by the statistic, {table.noise} by the p value" if found.bootstrapped else "IGNORED"


def _needs_two_keys(table: Counted) -> None:
    if len(table.keys) < 2:
        raise NotConcluded(
            "a test of independence needs a table of two keys or more, each with two categories or more; "
            "ask for crosstab(index, columns), or test one key with goodness_of_fit."
        )


def _read_margins(table: Counted, margins: Sequence[str | Sequence[str]]) -> Margins:
    if isinstance(margins, str) or not isinstance(margins, Sequence) or not margins:
        raise wrong_value("margins", "be a list of keys or of pairs of keys", margins)
    named = [list(margin) if isinstance(margin, list | tuple) else [margin] for margin in margins]
    if not all(names and all(name in table.keys for name in names) for names in named):
        keys = ", ".join(map(repr, table.keys))
        raise BadArgument(f"margins name what is no key of this table; its keys are: {keys}.")
    return tuple(tuple(sorted({table.keys.index(name) for name in names})) for names in named)


def read_pvalue(pvalue: str) -> bool | None:
    """Whether to bootstrap; None leaves it to the table."""
    one_of("pvalue", pvalue, ("auto", "bootstrap", "asymptotic"))
    return {"auto": None, "bootstrap": True, "asymptotic": False}[pvalue]


def read_replicates(replicates: object) -> None:
    whole_number("replicates", replicates, 19, MOST_REPLICATES)
