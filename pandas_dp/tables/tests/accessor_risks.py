"""Shares of a yes in several groups, from noisy counts: difference, ratio and trend, by forms that are bilinear in the
released numbers. Proofs: docs/proofs/comparisons/tests.md.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import gammaln

from ...comparisons.evidence_groups import error_of
from ...core.arguments import a_number, is_number
from ...core.arrays import Floats
from ...core.conclude.results import LEAST, EstimateResult, TestResult
from ...core.door.hints import with_arguments_named
from ...core.evidence.noise import Noise, critical
from ...core.label.layout import Released
from ...core.noise.mechanism import Law
from ...errors import BadArgument, NotConcluded, shown
from ...numeric.evidence_means import Proportions
from ...views.titles import guaranteed
from .conclude_counted import Concluding, counted, levels

POINTS = 161  # at which a set is looked for before its ends are found to a part in 10^9
NORMAL = 1e9  # degrees of freedom of a normal law


@dataclass(frozen=True)
class Risks:
    """For each group how many rows say yes and how many there are, both noisy, and the covariance of the noise of the
    two: independent between groups."""

    yes: Floats
    rows: Floats
    covariance: Floats  # 2 × 2
    groups: tuple[Hashable, ...]
    what: str
    noises: tuple[Noise, ...]
    said: str

    @cached_property
    def z(self) -> Floats:
        """All released numbers."""
        return np.concatenate([self.yes, self.rows])

    @cached_property
    def spread(self) -> Floats:
        """The covariance of their noise."""
        return np.asarray(np.kron(self.covariance, np.eye(len(self.groups))))

    def noise_of(self, form: Floats) -> float:
        """The variance that the noise gives z'·form·z, without what the noise adds to the estimate of it."""
        moved = form @ self.spread
        second = 2 * float(np.trace(moved @ moved))
        first = 4 * float(self.z @ moved @ form @ self.z)
        return max(first - second, second)

    @property
    def enough(self) -> Floats:
        """Numbers of rows, at least one."""
        return np.maximum(self.rows, 1.0)


def risks(found: Released, success: Any) -> Risks:
    """Read off a table of counts with two columns, or off grouped shares."""
    released = Released.of(found)
    evidence = released.evidence[0] if len(released.evidence) == 1 else None
    if isinstance(evidence, Proportions):
        return _of_shares(released, evidence, success)
    if released.label.statistic == "mean":
        raise NotConcluded(
            "this needs shares or counts, and this release holds a mean; of a column of yes and no ask for "
            "groupby(key)[column].share."
        )
    table = counted(released)
    if table.counts.ndim != 2 or table.counts.shape[1] != 2 or table.possible is not None:
        raise NotConcluded(
            "this needs counts of two groups or more by yes and no: a crosstab with two columns, or groupby(key)"
            "[column].share."
        )
    places = levels(table.rows, table.columns)
    at = _success(places[-1], success)
    noise = Noise(table.law)
    return Risks(
        table.counts[:, at],
        table.counts.sum(axis=1),
        noise.var * np.array([[1.0, 1.0], [1.0, 2.0]]),
        tuple(places[0]),
        f"{table.keys[-1]} = {places[-1][at]}",
        (noise,),
        table.noise,
    )


def _of_shares(released: Released, evidence: Proportions, success: Any) -> Risks:
    sums = evidence.sums
    if sums.count is None or sums.count_noise is None or len(sums.total) < 2:
        raise NotConcluded("this needs shares of two groups or more; ask groupby(key)[column].share.")
    if success is not None:
        raise BadArgument("success= names a column of a table of counts, and this release holds shares; leave it out.")
    count, half = sums.count_noise.var, 0.5 * sums.count_noise.var
    spread = np.array([[sums.total_noise.var + half / 2, half], [half, count]])
    (item,) = released.items
    said = f"{sums.total_noise.law.distribution} noise on both sums of each group, taken into account"
    rows = np.asarray(sums.count, dtype=float)
    groups = tuple(released.frame.index)
    return Risks(
        sums.total + rows / 2, rows, spread, groups, str(item.column), (sums.count_noise, sums.total_noise), said
    )


def _success(columns: Sequence[Hashable], success: Any) -> int:
    if success is None:
        return 1
    if success not in list(columns):
        raise BadArgument(f"success= must be one of {columns[0]!r} and {columns[1]!r}, not {shown(success)}.")
    return list(columns).index(success)


def _two(found: Risks) -> Risks:
    if len(found.groups) != 2:
        raise NotConcluded(
            f"this compares two groups, and this release has {len(found.groups)}; ask with categories= of two of them, "
            "or take trend_test."
        )
    return found


def _symmetric(terms: Sequence[tuple[int, int, int, float]]) -> Floats:
    """The form of terms (yes or rows of a group) × (yes or rows of a group): z is (x₁, x₂, n₁, n₂)."""
    form = np.zeros((4, 4))
    for first, second, kind, factor in terms:
        i, j = (first, 2 + second) if kind == 2 else (first, second)
        form[i, j] += factor / 2
        form[j, i] += factor / 2
    return form


def _chance(two: Risks, first: float, second: float, weigh_first: float, weigh_second: float = 1.0) -> float:
    """The sampling variance of weigh_second·x₂n₁ - weigh_first·x₁n₂."""
    n1, n2 = two.enough
    spread = weigh_second**2 * n1**2 * n2 * second * (1 - second)
    return float(spread + weigh_first**2 * n2**2 * n1 * first * (1 - first))


def _set(
    two: Risks, form: Callable[[float], Floats], chance: Callable[[float], float], confidence: float, at: Floats
) -> tuple[float, float]:
    """The ends of all values that are not rejected; all there can be where a group may be empty."""

    def holds(value: float) -> bool:
        matrix = form(value)
        noise, sampling = two.noise_of(matrix), chance(value)
        sensitivity = critical(confidence, two.noises, noise / max(noise + sampling, 1e-300))
        return bool(float(two.z @ matrix @ two.z) ** 2 <= float(sensitivity) ** 2 * (noise + sampling))

    inside = [place for place, value in enumerate(at) if holds(float(value))]
    if not inside or (two.rows <= 0).any():
        return float(at[0]), float(at[-1])
    ends = []
    for edge, step in ((inside[0], -1), (inside[-1], 1)):
        beyond = edge + step
        if not 0 <= beyond < len(at):
            ends.append(float(at[edge]))
            continue
        near, far = float(at[edge]), float(at[beyond])
        for _ in range(40):
            middle = (near + far) / 2
            near, far = (middle, far) if holds(middle) else (near, middle)
        ends.append(near)
    return ends[0], ends[1]


def _scores(given: Any, found: Risks) -> Floats:
    k = len(found.groups)
    scores = range(k) if given is None else given
    numbers = list(scores) if isinstance(scores, list | tuple | range | np.ndarray | pd.Series) else []
    if len(numbers) != k or not all(is_number(each) and np.isfinite(float(each)) for each in numbers):
        raise BadArgument(f"scores= takes a finite number for each of the {k} groups, in their order.")
    w = np.array(numbers, dtype=float)
    if np.ptp(w) == 0:
        raise BadArgument("scores= must differ somewhere.")
    return np.asarray((w - w.mean()) / np.ptp(w))


@with_arguments_named
class ShareTests(Concluding):
    """What can be tested of groups whose shares or counts were released."""

    @guaranteed
    def risk_difference(self, success: Hashable | None = None, *, confidence: float = 0.95) -> EstimateResult:
        """The difference of a share between two groups, the second less the first, and its interval.

        Parameters
        ----------
        success : label, optional
            Of a crosstab, which of its two columns is the yes; the last one unless given. Grouped shares have one.
        confidence : float

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> rows = pd.DataFrame({"sex": ["f", "f", "f", "m"] * 250, "vote": ["yes", "yes", "no", "no"] * 250})
        >>> people = pdp.Session(epsilon=1e6).protect(rows)  # so much that there is no noise to see
        >>> declared = {"sex": ["f", "m"], "vote": ["no", "yes"]}
        >>> result = people.dp.crosstab("sex", "vote", categories=declared, epsilon=1000).dp.risk_difference()
        >>> round(result.estimate, 2), result.statistic
        (-0.67, 'difference of the shares of vote = yes, m - f')
        """
        # All differences d for which x₂n₁ - x₁n₂ - d·n₁n₂ is within reach of zero.
        two, confidence = _two(risks(self._released, success)), a_number("confidence", confidence, 0, 1)

        def form(d: float) -> Floats:
            return _symmetric([(1, 0, 2, 1), (0, 1, 2, -1), (2, 3, 1, -d)])

        def chance(d: float) -> float:
            n1, n2 = two.enough
            first = float(np.clip((two.yes.sum() - n2 * d) / (n1 + n2), 0, 1))
            return _chance(two, first, float(np.clip(first + d, 0, 1)), 1.0)

        shares = np.clip(two.yes / two.enough, 0, 1)
        low, high = _set(two, form, chance, confidence, np.linspace(-1, 1, POINTS))
        return EstimateResult(
            float(shares[1] - shares[0]),
            low,
            high,
            confidence,
            f"difference of the shares of {two.what}, {two.groups[1]} - {two.groups[0]}",
            "all differences that a score test does not reject",
            two.said,
        )

    @guaranteed
    def relative_risk(self, success: Hashable | None = None, *, confidence: float = 0.95) -> EstimateResult:
        """The ratio of a share between two groups, the second over the first, and its interval.

        Parameters
        ----------
        success, confidence
            As in `risk_difference`.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> rows = pd.DataFrame({"sex": ["f", "m", "f", "m"] * 250, "ill": [True, True, False, True] * 250})
        >>> people = pdp.Session(epsilon=1e6).protect(rows)  # so much that there is no noise to see
        >>> shares = people.dp.groupby("sex", categories=["f", "m"])["ill"].share(epsilon=1000)
        >>> round(shares.dp.relative_risk().estimate, 2)
        2.0
        """
        # All ratios r for which x₂n₁ - r·x₁n₂ is within reach of zero.
        two, confidence = _two(risks(self._released, success)), a_number("confidence", confidence, 0, 1)

        def form(angle: float) -> Floats:
            return _symmetric([(1, 0, 2, np.cos(angle)), (0, 1, 2, -np.sin(angle))])

        def chance(angle: float) -> float:
            n1, n2 = two.enough
            c, s = np.cos(angle), np.sin(angle)  # both shares as multiples, so that no ratio is infinite
            scale = float(two.yes.sum() / max(n1 * c + n2 * s, 1e-12))
            first, second = (float(np.clip(scale * each, 0, 1)) for each in (c, s))
            return _chance(two, first, second, s, c)

        shares = np.clip(two.yes / two.enough, 0, 1)
        low, high = _set(two, form, chance, confidence, np.linspace(0, np.pi / 2, POINTS))
        ends = [np.inf if angle >= np.pi / 2 else float(np.tan(angle)) for angle in (low, high)]
        with np.errstate(all="ignore"):
            ratio = float(shares[1] / shares[0])
        return EstimateResult(
            ratio,
            ends[0],
            ends[1],
            confidence,
            f"ratio of the shares of {two.what}, {two.groups[1]} / {two.groups[0]}",
            "all ratios that a score test does not reject",
            two.said,
        )

    @guaranteed
    def trend_test(self, scores: Sequence[float] | None = None, *, success: Hashable | None = None) -> TestResult:
        """Whether a share rises or falls over groups in an order (Cochran and Armitage).

        Parameters
        ----------
        scores : list of numbers, optional
            One for each group in its order; 0, 1, 2, … unless given.
        success
            As in `risk_difference`.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> ill = [False, False, True, False, True, True]
        >>> rows = pd.DataFrame({"dose": [0, 1, 2, 0, 1, 2] * 200, "ill": ill * 200})
        >>> people = pdp.Session(epsilon=100).protect(rows)
        >>> shares = people.dp.groupby("dose", categories=[0, 1, 2])["ill"].share(epsilon=50)
        >>> shares.dp.trend_test().pvalue < 0.001
        True
        """
        # Cochran's and Armitage's: Σw·x·Σn - Σw·n·Σx is zero but for chance and noise, where the shares are equal.
        found = risks(self._released, success)
        w = _scores(scores, found)
        k = len(w)
        form = np.zeros((2 * k, 2 * k))
        form[:k, k:] = (w[:, None] - w[None, :]) / 2
        form = form + form.T
        total = max(float(found.rows.sum()), 1.0)
        share = float(np.clip(found.yes.sum() / total, 0, 1))
        rows = np.maximum(found.rows, 0.0)
        spread = max(float((w**2 * rows).sum() - (w * rows).sum() ** 2 / max(rows.sum(), 1.0)), 0.0)
        noise, sampling = found.noise_of(form), total**2 * share * (1 - share) * spread
        statistic = float(found.z @ form @ found.z) / np.sqrt(noise + sampling)
        return TestResult(
            float(statistic),
            error_of(float(statistic), found.noises, noise / (noise + sampling), NORMAL),
            None,
            f"the share of {found.what} has no trend over {k} groups",
            "normal law of the trend in proportions, positive where the share rises",
            found.said,
        )

    @guaranteed
    def mcnemar_test(self) -> TestResult:
        """Whether as many pairs change in one direction as in the other, from a crosstab of two yes/no columns.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> rows = pd.DataFrame({"before": [True, False, False, False] * 200, "after": [True, True, False, True] * 200})
        >>> people = pdp.Session(epsilon=100).protect(rows)
        >>> declared = {"before": [False, True], "after": [False, True]}
        >>> people.dp.crosstab("before", "after", categories=declared, epsilon=50).dp.mcnemar_test().pvalue < 0.001
        True
        """
        table = counted(self._released)
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


MOST_NOISE = 100.0
MOST_PAIRS = 300  # from which on, with so much variance of the noise, laws are as good as normal
RARE = 1e-9  # the chance of noise beyond what is summed


def chance_of_few(there: int, back: int, law: Law) -> float:
    """The chance of so large a difference, or half that of just this one, where as many pairs change there as back, of
    the releases that have the sum of the two which was seen; true numbers of pairs that change are all taken alike."""
    total, sensitivity = there + back, law.half_width(1 - RARE)
    low = min(0, total, there, back) - sensitivity
    seen = np.arange(low, total - low + 1)  # pairs there; total - seen are back
    true = np.arange(total - low + sensitivity + 1)
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
