"""Whether released counts agree with given probabilities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from scipy.optimize import minimize_scalar
from scipy.special import gammaln, logsumexp, xlog1py, xlogy

from ...comparisons.evidence_differences import Difference
from ...comparisons.evidence_groups import Against, ManyGroups, Path, between
from ...core.arrays import Floats
from ...core.conclude.confint import check_target
from ...core.conclude.numbers import Numbers
from ...core.conclude.results import LEAST, SAID, Facts, Summary, TestResult, framed, rows_of, wrapped
from ...core.evidence.evidence import Evidence
from ...core.label.reading import Released
from ...core.label.release import guarantee
from ...core.noise.law import Law
from ...core.reading import is_number, is_whole, one_of
from ...dataclass import dataclass
from ...errors import BadArgument, NotConcluded, shown
from ...numeric.evidence_means import Means
from ...views.titles import TESTS, WORDS, guaranteed, title_of
from .conclude_counted import Counted, Seed, counted, read_pvalue, read_replicates
from .conclude_likelihood import REPLICATES, model_tests
from .conclude_posterior import Masses

__all__ = [
    "REPLICATES",
    "Expected",
    "goodness_of_fit",
]


FALL = 50.0  # noise that is less likely than its most likely value by this much, in logarithms, is left out
DEVIATIONS = 12.0
SAME = 1e-8  # statistics nearer than this are the same


@dataclass(frozen=True)
class Binomial:
    """x = a + noise with a binomial of `total` trials; the hypothesis is that their probability is `probability`."""

    total: int
    probability: float
    law: Law

    @cached_property
    def _masses(self) -> Masses:
        return Masses(self.law)

    @cached_property
    def _wide(self) -> float:
        return float(min(self._masses.limit(FALL), DEVIATIONS * np.sqrt(self.total) / 2 + FALL))

    @property
    def _middle(self) -> int:
        return round(self.total * self.probability)

    def statistic(self, x: float) -> float:
        """Twice the log likelihood ratio of the best probability against the hypothesis."""
        best = minimize_scalar(lambda p: -self._likely(x, p), bounds=(0.0, 1.0), options={"xatol": 1e-10})
        highest = max(-float(best.fun), self._likely(x, 0.0), self._likely(x, 1.0))
        return max(2 * (highest - self._likely(x, self.probability)), 0.0)

    def pvalue(self, x: float) -> float:
        """The probability, under the hypothesis, of a statistic as large: exact.

        The logarithm of the noise's probabilities must be concave (`Law.log_concave`). Then the statistic never falls
        as x moves away from its middle, so all that is needed is where, on each side, it becomes as large.
        """
        seen = self.statistic(x)
        if seen <= self.statistic(self._middle) + SAME:
            return 1.0
        return min(sum(self._tail(edge, side) for side in (-1, 1) for edge in self._edge(side, seen)), 1.0)

    def beyond(self, x: float, side: int) -> float:
        """The probability, under the hypothesis, of a noisy count as large, or for side -1 as small: exact."""
        return min(self._tail(x, side), 1.0)

    def _edge(self, side: int, seen: float) -> list[int]:
        """The number nearest to the middle with so large a statistic; none if the statistic stays smaller."""
        noise = int(self._masses.limit(FALL))
        near = self._middle
        far = max(self.total + noise, near) if side == 1 else min(-noise, near)
        if self.statistic(far) < seen - SAME:
            return []
        while abs(far - near) > 1:
            between = (near + far) // 2
            near, far = (near, between) if self.statistic(between) >= seen - SAME else (between, far)
        return [far]

    def _likely(self, x: float, probability: float) -> float:
        """log P(x)."""
        ends = (x, self.total * probability)
        low = max(0.0, np.floor(min(ends) - self._wide))
        high = min(float(self.total), np.ceil(max(ends) + self._wide))
        counts = np.arange(min(low, self.total), max(high, 0.0) + 1)
        return float(logsumexp(self._log_binomial(counts, probability) + self._masses.log(x - counts)))

    def _log_binomial(self, counts: Floats, probability: float) -> Floats:
        ways = gammaln(self.total + 1) - gammaln(counts + 1) - gammaln(self.total - counts + 1)
        return np.asarray(ways + xlogy(counts, probability) + xlog1py(self.total - counts, -probability))

    def _tail(self, x: float, side: int) -> float:
        """P(X >= x), or P(X <= x) for the other side."""
        spread = DEVIATIONS * np.sqrt(self.total * self.probability * (1 - self.probability)) + FALL
        middle = self.total * self.probability
        counts = np.arange(max(0.0, np.floor(middle - spread)), min(float(self.total), np.ceil(middle + spread)) + 1)
        beyond = self.law.sf(side * (x - counts) - 1)
        return float((np.exp(self._log_binomial(counts, self.probability)) * beyond).sum())


Expected = float | Mapping[Any, float] | Sequence[float] | pd.Series
ONE = 1e-8  # probabilities may miss 1 by this much
MOST_ROWS = 10**8
SIDES = {"two-sided": ("", 0), "greater": ("at most ", 1), "less": ("at least ", -1)}


@guaranteed
def goodness_of_fit(
    frame: pd.DataFrame,
    expected: Expected,
    total: int | None,
    alternative: str,
    pvalue: str,
    replicates: int,
    seed: Seed,
) -> TestResult:
    """Several cells against their probabilities, or one count against the probability of a binomial."""
    table = counted(frame)
    bootstrap = read_pvalue(pvalue)
    read_replicates(replicates)
    one_of("alternative", alternative, tuple(SIDES))
    if table.counts.size == 1:
        return _one_count(table, expected, total, alternative, pvalue)
    if alternative != "two-sided":
        raise BadArgument("alternative= is for a single count; several cells are off in many directions; leave it out.")
    if total is not None:
        raise BadArgument("total= is for a single count; the total of several cells is estimated.")
    shares = _shares(table, expected)
    found = model_tests(
        table.counts[np.newaxis],
        table.law,
        ((),),
        seed=shares,
        bootstrap=bootstrap,
        replicates=replicates,
        rng=table.rng(seed),
        possible=table.possible,
    )
    calibration = f"a parametric bootstrap of {replicates} tables" if found.bootstrapped else "the chi-square law"
    return TestResult(
        float(found.statistic[0]),
        float(found.pvalue[0]),
        found.df,
        "the cells have the given probabilities",
        f"likelihood ratio of Poisson counts behind noise; p value from {calibration}",
        table.noise,
        table.as_table(found.expected[0]),
    )


def _one_count(table: Counted, expected: Expected, total: int | None, alternative: str, pvalue: str) -> TestResult:
    rows = table.label.size if total is None else total
    if pvalue != "auto":
        raise BadArgument("a single count is tested exactly; leave pvalue= out.")
    if not table.law.log_concave:
        raise NotConcluded(
            "a single count is tested under noise whose loss grows evenly or ever faster with the error, and that of "
            "this release does not; take its interval."
        )
    if rows is None or not is_whole(rows) or not 1 <= rows <= MOST_ROWS:
        raise BadArgument(
            "total must be the public number of rows that were counted over, "
            f"from 1 to {MOST_ROWS:,}, not {shown(rows)}."
        )
    probability = float(expected) if is_number(expected) else -1.0  # type: ignore[arg-type]
    if not 0 < probability < 1:
        raise BadArgument(f"the probability of a single count lies between 0 and 1, not {shown(expected)}.")
    count = float(table.counts.item())
    if count > rows + table.law.half_width(1 - 1e-12) + 1:
        raise NotConcluded("the released count is larger than total rows and this noise can make it.")
    test = Binomial(int(rows), probability, table.law)
    than, side = SIDES[alternative]
    what = "likelihood ratio of" if not side else "the size of"
    return TestResult(
        test.statistic(count) if not side else count,
        test.pvalue(count) if not side else test.beyond(count, side),
        None,
        f"the probability of a row to be counted is {than}{probability:g}",
        f"{what} a binomial count behind noise; exact p value",
        table.noise,
        table.as_table(np.array([rows * probability])),
    )


def _shares(table: Counted, expected: Expected) -> Floats:
    """Probabilities cell by cell, whatever they were given as."""
    cells = table.rows if len(table.columns) == 1 else None
    if isinstance(expected, Mapping | pd.Series):
        if cells is None:
            raise BadArgument("give the probabilities of a two-way table as rows of numbers.")
        given = pd.Series(dict(expected) if isinstance(expected, Mapping) else expected)
        if not given.index.is_unique or set(given.index) != set(cells):
            raise BadArgument("the probabilities must name each cell of the table once.")
        expected = given.reindex(cells).tolist()
    try:
        shares = np.asarray(expected, dtype=np.float64)
    except (TypeError, ValueError):
        shares = None
    each = f"give a probability for each of the {table.counts.size} cells"
    if shares is None or not shares.ndim:
        raise BadArgument(f"{each}, as a list of numbers or by name.")
    if shares.size != table.counts.size:
        raise BadArgument(f"{each}; those given are {'more' if shares.size > table.counts.size else 'fewer'}.")
    shares = shares.reshape(table.counts.shape)
    possible = np.ones(shares.shape, dtype=bool) if table.possible is None else table.possible
    if not np.all(shares[possible] > 0) or abs(shares.sum() - 1) > ONE:
        raise BadArgument("the probabilities must be positive and add up to 1.")
    if np.any(shares[~possible]):
        raise BadArgument("the probabilities of structural zeros must be 0.")
    return shares


HALVINGS = 50


@guaranteed
def equivalence_test(frame: pd.DataFrame, limits: Any, target: str | None) -> TestResult:
    """The least error at which the interval for twice of it lies inside."""
    low, high = _limits(limits)
    check_target(target)
    evidence, at = _one_number(Numbers.of(frame))
    target = target or evidence.default_target
    p = max(_beyond(evidence, at, low, 1, target), _beyond(evidence, at, high, -1, target))
    estimate = float(np.asarray(evidence.estimate, dtype=float)[at])
    return TestResult(
        estimate,
        max(p, LEAST),
        None,
        f"the {_name(evidence.statistic)} lies outside {low:g} to {high:g}",
        "two one-sided tests; a small p value says that it lies inside",
        "in the interval, taken into account",
    )


def _name(statistic: str) -> str:
    return f"estimate of the {WORDS[statistic]}" if statistic in TESTS else WORDS.get(statistic, statistic)


def _limits(limits: Any) -> tuple[float, float]:
    pair = list(limits) if isinstance(limits, tuple | list) else []
    if len(pair) != 2 or not all(is_number(each) and np.isfinite(float(each)) for each in pair) or pair[0] >= pair[1]:
        raise BadArgument("limits are two finite numbers, the smaller first, e.g. (-1, 1).")
    return float(pair[0]), float(pair[1])


def _one_number(numbers: Numbers) -> tuple[Evidence, int]:
    if len(numbers.all) != 1:
        raise NotConcluded(
            "one number is tested against limits, and this release has several; take one row of it first, "
            "release.loc[[row]], or compare both ends of confint(1 - 2 * alpha) with the limits."
        )
    (place,) = numbers.all
    if numbers.kind(place) in ("datetime", "timedelta"):
        raise NotConcluded("limits of times are not tested; compare both ends of confint(1 - 2 * alpha) with them.")
    return numbers.evidence[place[0]], place[1]


def _beyond(evidence: Evidence, at: int, limit: float, side: int, target: str) -> float:
    """The p value of the number being on the wrong side of a limit, by where the end of an interval crosses it."""
    estimate = float(np.asarray(evidence.estimate, dtype=float)[at])
    if np.isnan(estimate):
        return 1.0
    inside = side * (estimate - limit) > 0
    end = (0 if side == 1 else 1) if inside else (1 if side == 1 else 0)
    low, high = np.log(LEAST), np.log(0.5)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        reached = float(evidence.interval(1 - 2 * float(np.exp(middle)), target)[end][at])
        clear = side * (reached - limit) > 0 if inside else side * (reached - limit) < 0
        low, high = (low, middle) if clear else (middle, high)
    return float(np.exp(high)) if inside else 1 - float(np.exp(high))


@guaranteed
def anova_test(frame: pd.DataFrame) -> TestResult:
    """Whether groups differ in their means by more than chance and noise."""
    released = Released.of(frame)
    evidence = released.evidence[0] if len(released.evidence) == 1 else None
    if not isinstance(evidence, Means) or evidence.rows is not None or len(evidence.sums.total) < 2:
        raise NotConcluded("this needs the means of several groups of one column; ask groupby(key)[column].mean.")
    if released.label.is_reworked:
        raise NotConcluded("this release was rounded or adjusted; test the release that it was made from.")
    if evidence.bootstrap is not None:
        raise NotConcluded("means with replicates are not compared in this way; contrast them two by two.")
    found = between(evidence.sums)
    gaussian = all(noise.gaussian for noise in evidence.sums.noises)
    law = "the F law" if gaussian else "draws of normal error beside Laplace noise"
    return TestResult(
        found.statistic,
        found.p_value,
        found.freedom,
        f"the {len(evidence.sums.total)} groups have one mean",
        f"quadratic form of the groups' sums, whose spread is taken to be equal; p value from {law}",
        f"{evidence.sums.total_noise.law.distribution} on both sums of each group, taken into account",
    )


Words = tuple[str, str, str]
WORDS_OF_TESTS: dict[tuple[str, str], Words] = {
    ("t_test", "difference"): ("two means", "both groups have the same mean", "t"),
    ("t_test", "against"): ("one mean", "the mean is {value:g}", "t"),
    ("rank_test", "difference"): (
        "Wilcoxon, Mann and Whitney",
        "a value of one group is as often greater than one of the other as less",
        "z",
    ),
    ("rank_test", "groups"): ("Kruskal and Wallis", "all groups have the same distribution", "chi2"),
    ("rank_test", "against"): ("signed ranks", "differences are as often and as far above 0 as below", "t"),
    ("ks_test", "path"): ("Kolmogorov and Smirnov", "both groups have the same distribution", "K"),
}
"""Of each test by its statistic and kind: the method, the hypothesis, and the letter of what is compared."""


def summary(table: Released | pd.DataFrame) -> Summary:
    """What was compared, the numbers, the hypothesis that the p value is of, and what covers them."""
    released = Released.of(table)
    (evidence,), label = released.evidence, released.label
    method, hypothesis, letter = WORDS_OF_TESTS[label.statistic, evidence.kind]
    names = {"estimate": "estimate", "std_error": "std err", "statistic": letter, "df": "df", "p_value": _p(letter)}
    numbers = rows_of(released.frame.rename_axis(None), label.confidence, names, SAID)
    told = framed(title_of(released), _facts(evidence, method), numbers)
    value = getattr(evidence, "value", 0.0)
    sentences = [f"Hypothesis: {hypothesis.format(value=value)}; the noise is part of the error."]
    sentences += [f"Estimate: {evidence.estimand}."] if evidence.estimand else []
    return Summary("\n".join([told, wrapped(*sentences), guarantee(label)]))


def _p(letter: str) -> str:
    return f"P>|{letter}|" if letter in "tz" else f"P>{letter}"


def _facts(evidence: Evidence, method: str) -> Facts:
    facts = [("Test", method, "Rows", _rows(evidence))]
    if isinstance(evidence, Difference) and not evidence.ranks:
        facts.append(("Variances", "equal" if evidence.spread == "equal" else "of each group (Welch)", "", ""))
    return facts


def _rows(evidence: Evidence) -> str:
    if isinstance(evidence, Path):
        return "private" if evidence.size is None else f"{evidence.size:,}"
    if isinstance(evidence, Difference):
        return f"about {evidence.released[0]:,.0f}"
    assert isinstance(evidence, Against | ManyGroups)
    rows = f"{evidence.sums.n.sum():,.0f}"
    return rows if evidence.sums.count is None else f"about {rows}"
