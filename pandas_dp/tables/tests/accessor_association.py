"""How strong an association is: Cramér's V, and the odds ratio of a 2 × 2 table, each with an interval."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import chdtri

from ...core.arguments import a_number
from ...core.arrays import Floats
from ...core.conclude.results import EstimateResult
from ...core.door.hints import with_arguments_named
from ...core.label.layout import Released
from ...core.noise.mechanism import Law
from ...errors import NotConcluded
from ...views.titles import guaranteed
from .conclude_counted import Concluding, CountedCells, counted, read_replicates
from .conclude_likelihood import REPLICATES, ROUGHLY, fit, fitted_once, independence, simulate, wide
from .conclude_posterior import Masses, Posterior, saturated

TWO_WAYS = independence(2)
HALVINGS = 14
BEYOND = 3.0  # times the strength at which the first cell is empty
ROUNDS = 30  # of proportional fitting
LEAST_EXPECTED = 0.5
WIDEST_ODDS = 12.0  # of the logarithm of an odds ratio
SPEAKS_AGAINST = 12.0  # a deviance of margins: with three parameters, a chance of less than one in a hundred
SPEAKS_AGAINST_MARGIN = 0.01  # the chance of a margin so far off
HOPELESS = 60.0  # a deviance that no critical value reaches
TOO_NEAR = (
    "; no V fits this table better than 0, as it is nearer to independence than chance and noise usually leave tables, "
    "so the interval is 0 alone: no proof that V is 0"
)


def strength_of(
    counts: Floats, law: Law, confidence: float, replicates: int, rng: np.random.Generator
) -> tuple[float, float, float]:
    """Cramér's V and its interval.

    The statistic is Pearson's sum of squares of the noisy table, over what independence expects behind the noise. Its
    mean is V² and a constant that chance and noise add, whatever the shape of the association. Tables are simulated
    along the line from independence through the association that the release suggests; the estimate is where the
    statistic seen is the median, the interval where it is not in a tail.
    """
    masses = Masses(law)
    line = _Line.through(counts, masses)
    state = rng.bit_generator.state
    seen = float(line.distance(counts[np.newaxis])[0])

    def where(along: _Line, rank: int) -> float:
        """The strength at which the table of this rank shows less than was seen."""

        def shows_less(strength: float) -> bool:
            rng.bit_generator.state = state  # the same draws along the line, so that it is smooth
            means = np.broadcast_to(along.at(strength), (replicates, *counts.shape))
            return float(np.sort(line.distance(simulate(means, masses, rng)))[rank]) < seen

        return _crossing(shows_less, along.longest)

    aside = (1 - confidence) / 2 * (replicates + 1)  # ranks outwards, as of a p value that counts the table itself
    below, above = max(int(aside), 1) - 1, min(int(np.ceil(replicates + 1 - aside)), replicates) - 1
    middle, low, high = line.cramers_v(where(line, replicates // 2)), 1.0, 0.0
    for each in (line, *_other_lines(counts, masses)):
        low = min(low, each.cramers_v(where(each, above)))
        end = where(each, below)
        high = max(high, 1.0 if end >= each.longest else min(each.cramers_v(end), 1.0))
    return min(middle, high), min(low, high), high


def _other_lines(counts: Floats, masses: Masses) -> list[_Line]:
    """Through even margins and half way to them, where noise is wide and the table does not speak against them."""
    if not wide(counts[np.newaxis], masses.law):
        return []
    lines = [_Line.through(counts, masses, even) for even in (0.5, 1.0)]
    return [each for each in lines if not each.is_contradicted(counts, masses.law.variance)]


class _Line:
    """Tables with the fitted margins, from independence at 0 through the suggested association at 1 to its end."""

    def __init__(self, independent: Floats, direction: Floats) -> None:
        self.independent, self.direction = independent, direction
        self.weights = 1 / np.maximum(independent, LEAST_EXPECTED)
        falling = direction < -1e-12
        self.longest = (
            BEYOND * float(np.min(-independent[falling] / direction[falling], initial=1e6)) if falling.any() else 0.0
        )

    @classmethod
    def through(cls, counts: Floats, masses: Masses, even: float = 0.0) -> _Line:
        rows, columns = (np.maximum(counts.sum(axis=axis), LEAST_EXPECTED * counts.shape[axis]) for axis in (1, 0))
        total = np.sqrt(rows.sum() * columns.sum())
        rows, columns = (margin ** (1 - even) for margin in (rows, columns))
        independent = np.outer(rows / rows.sum(), columns / columns.sum()) * total
        trusted = independent / (independent + masses.law.variance)  # the share of a deviation that noise is not
        suggested = np.maximum(independent + trusted * (counts - independent), LEAST_EXPECTED / 10)
        for _ in range(ROUNDS):
            suggested = fitted_once(suggested[np.newaxis], independent[np.newaxis], TWO_WAYS)[0]
        return cls(independent, suggested - independent)

    def at(self, strength: float) -> Floats:
        return np.maximum(self.independent + strength * self.direction, 0.0)

    def is_contradicted(self, counts: Floats, noise: float) -> bool:
        """Whether a margin of the table is farther from this one than chance and noise leave it."""
        for axis in (0, 1):
            margin, many = self.independent.sum(axis=axis), counts.shape[axis]
            off = ((counts.sum(axis=axis) - margin) ** 2 / (margin + many * noise)).sum()
            if off > chdtri(len(margin), SPEAKS_AGAINST_MARGIN):
                return True
        return False

    def cramers_v(self, strength: float) -> float:
        if not strength:
            return 0.0
        means = self.at(strength)
        expected = np.outer(means.sum(axis=1), means.sum(axis=0)) / means.sum()
        squares = np.divide((means - expected) ** 2, expected, out=np.zeros_like(means), where=expected > 0)
        return float(np.sqrt(squares.sum() / (means.sum() * (min(means.shape) - 1))))

    def distance(self, tables: Floats) -> Floats:
        """Pearson's sum of squares over the fitted margins; negative numbers are left as they are."""
        rows, columns = tables.sum(axis=2, keepdims=True), tables.sum(axis=1, keepdims=True)
        total = np.maximum(rows.sum(axis=1, keepdims=True), 1.0)
        return np.asarray((self.weights * (tables - rows * columns / total) ** 2).sum(axis=(1, 2)))


def _crossing(below: Callable[[float], bool], longest: float) -> float:
    """The strength up to which it is below."""
    if not below(0.0):
        return 0.0
    if below(longest):
        return longest
    low, high = 0.0, longest
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if below(middle) else (low, middle)
    return (low + high) / 2


def odds_of(
    counts: Floats, law: Law, confidence: float, replicates: int, rng: np.random.Generator
) -> tuple[float, float, float]:
    """The odds ratio, and every value that a likelihood ratio test calibrated for that very value does not reject."""
    odds = OddsRatio(counts, Masses(law), confidence, replicates)
    state = rng.bit_generator.state
    centre = _log_odds(np.maximum(odds.best, 0.5))

    def keeps(log_odds: float) -> bool:
        rng.bit_generator.state = state  # the same draws everywhere, so that the ends are sharp
        return odds.keeps(log_odds, rng)

    def end(side: int) -> float:
        inside, outside = centre, side * WIDEST_ODDS
        if keeps(outside):
            return side * np.inf
        for _ in range(HALVINGS):
            middle = (inside + outside) / 2
            inside, outside = (middle, outside) if keeps(middle) else (inside, middle)
        return (inside + outside) / 2

    with np.errstate(divide="ignore", invalid="ignore"):
        estimate = odds.best[0, 0] * odds.best[1, 1] / (odds.best[0, 1] * odds.best[1, 0])
    return float(estimate), float(np.exp(end(-1))), float(np.exp(end(1)))


class OddsRatio:
    """The likelihood ratio test of one odds ratio of a 2 × 2 table.

    Its critical value depends on the margins, which the noise blurs. So it is the largest of those at the margins that
    fit best, at even ones, and between, as far as the table does not speak against them; never less than chi-square's.
    """

    def __init__(self, counts: Floats, masses: Masses, confidence: float, replicates: int) -> None:
        self.tables, self.masses, self.replicates = counts[np.newaxis], masses, replicates
        best, likely = saturated(self.tables, masses)
        self.best, self.likely = best[0], float(likely.sum())
        self.least = float(chdtri(1, 1 - confidence))
        self.rank = min(int(np.ceil(confidence * (replicates + 1))), replicates) - 1

    def keeps(self, log_odds: float, rng: np.random.Generator) -> bool:
        """Whether the test does not reject."""
        seed = _with_odds(log_odds)
        found = fit(self.tables, self.masses, TWO_WAYS, seed)
        fitted, likely = found.mean[0], float(found.likely[0])
        deviance = 2 * (self.likely - likely)
        if deviance <= self.least or deviance > HOPELESS:
            return deviance <= self.least
        even = seed * fitted.sum() / seed.sum()
        for share in (0.0, 0.5, 1.0):
            means = fitted ** (1 - share) * even**share
            means *= fitted.sum() / means.sum()
            against = likely - float(Posterior(self.tables, means[np.newaxis], self.masses).at(means)[1].sum())
            if 2 * against <= SPEAKS_AGAINST and deviance <= self._critical(means, seed, rng):
                return True
        return False

    def _critical(self, means: Floats, seed: Floats, rng: np.random.Generator) -> float:
        every = np.broadcast_to(means, (self.replicates, 2, 2))
        tables = simulate(every, self.masses, rng)
        best = saturated(tables, self.masses)[1].sum(axis=(1, 2))
        deviances = 2 * (best - fit(tables, self.masses, TWO_WAYS, seed, every, ROUGHLY).likely)
        return float(np.sort(deviances)[self.rank])


def _with_odds(log_odds: float) -> Floats:
    """A table with this odds ratio and even margins."""
    aside = np.exp(log_odds / 4)
    return np.array([[aside, 1 / aside], [1 / aside, aside]])


def _log_odds(table: Floats) -> float:
    return float(np.log(table[0, 0]) + np.log(table[1, 1]) - np.log(table[0, 1]) - np.log(table[1, 0]))


def _two_way(released: Released) -> CountedCells:
    table = counted(released)
    if table.counts.ndim != 2:
        raise NotConcluded(
            "this needs a table of two keys, each with two categories or more; ask for crosstab(index, columns)."
        )
    if table.possible is not None:
        raise NotConcluded(
            "strength of association has no meaning where some combinations cannot be; "
            "independence_test tests whether the keys are independent where both can."
        )
    return table


@with_arguments_named
class AssociationTests(Concluding):
    """How strong the association of the keys of a released table is."""

    @guaranteed
    def cramers_v(
        self, confidence: float = 0.95, *, replicates: int = REPLICATES, seed: int | np.random.Generator | None = None
    ) -> EstimateResult:
        """Cramér's V of the population and its interval, the noise taken into account.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> rows = pd.DataFrame({"sex": ["f", "m"] * 500, "vote": ["yes", "no"] * 500})
        >>> people = pdp.Session(epsilon=1e6).protect(rows)  # so much that there is no noise to see
        >>> declared = {"sex": ["f", "m"], "vote": ["yes", "no"]}
        >>> table = people.dp.crosstab("sex", "vote", categories=declared, epsilon=1000)
        >>> round(table.dp.cramers_v().estimate, 2)
        1.0
        """
        table = _two_way(self._released)
        confidence = a_number("confidence", confidence, 0, 1)
        read_replicates(replicates)
        estimate, low, high = strength_of(table.counts, table.law, confidence, replicates, table.rng(seed))
        return EstimateResult(
            estimate,
            low,
            high,
            confidence,
            "Cramér's V of " + " and ".join(table.keys),
            f"test inversion by {replicates} simulated tables for each end" + ("" if high else TOO_NEAR),
            table.noise,
        )

    @guaranteed
    def odds_ratio(
        self, confidence: float = 0.95, *, replicates: int = REPLICATES, seed: int | np.random.Generator | None = None
    ) -> EstimateResult:
        """The odds ratio of a 2 × 2 table of the population and its interval, the noise taken into account.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> rows = pd.DataFrame({"sex": ["f", "f", "f", "m"] * 250, "vote": ["yes", "yes", "no", "no"] * 250})
        >>> people = pdp.Session(epsilon=1e6).protect(rows)  # so much that there is no noise to see
        >>> declared = {"sex": ["f", "m"], "vote": ["yes", "no"]}
        >>> table = people.dp.crosstab("sex", "vote", categories=declared, epsilon=1000)
        >>> result = table.dp.odds_ratio()
        >>> result.statistic, result.lower > 10
        ('odds ratio of sex and vote', True)
        """
        table = _two_way(self._released)
        confidence = a_number("confidence", confidence, 0, 1)
        read_replicates(replicates)
        if table.counts.shape != (2, 2):
            raise NotConcluded("an odds ratio needs a table of 2 × 2 cells; for larger ones there is cramers_v.")
        return EstimateResult(
            *odds_of(table.counts, table.law, confidence, replicates, table.rng(seed)),
            confidence,
            "odds ratio of " + " and ".join(table.keys),
            f"profile likelihood of Poisson counts behind noise, calibrated at each value by {replicates} simulated "
            "tables",
            table.noise,
        )
