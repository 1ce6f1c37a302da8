"""What a life table supports: curves with bands, quantiles of time, the log-rank test."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar, Literal, Self

import numpy as np
import pandas as pd
from scipy.special import chdtrc, ndtri

from ..core.arguments import a_flag, a_number, check_target, one_of
from ..core.arrays import Floats
from ..core.conclude.results import ConcludedAccessor, Conclusion, Summary, TestResult, framed, wrapped
from ..core.label.label import Label
from ..core.label.layout import Released
from ..core.label.release import guarantee
from ..core.noise.gaussian import DiscreteGaussian
from ..errors import NotConcluded, UnsupportedArgument, wrong_value
from ..models.conclude_words import NO_RATIO, READ, of_terms
from ..models.solve_sets import with_errors
from ..models.solve_solution import Solution
from ..tables.tests.conclude_posterior import Masses
from ..views.titles import guaranteed
from .evidence import Hazards, Life, log_rank

DRAWS, AT_ONCE = 20_000, 500
POPULATION = "population"


@dataclass(frozen=True)
class Lives:
    """A released life table: its numbers, the groups, and the edges of its bins."""

    life: Life
    label: Label
    groups: pd.Index | None  # None without any
    edges: pd.Index
    time: str

    @classmethod
    def of(cls, table: Released | pd.DataFrame) -> Lives:
        """Read a release of `survival`; one whose noise depends on what it hides supports nothing."""
        released = Released.of(table)
        (life,) = released.evidence
        assert isinstance(life, Life)
        if released.label.is_reworked:
            raise NotConcluded("this life table was rounded after its release; conclude from the table before.")
        if not life.has_intervals:
            raise NotConcluded(
                f"{life.noise.law.distribution} noise depends on the count it hides, which curves and tests do not "
                "allow for; ask for laplace or gaussian noise."
            )
        rows = released.frame.index
        bins = rows if rows.nlevels == 1 else rows.get_level_values(-1)
        bins = pd.IntervalIndex(list(bins[: life.bins]))
        groups = rows.droplevel(-1)[:: life.bins] if isinstance(rows, pd.MultiIndex) else None
        edges = bins.left.append(bins.right[-1:])
        return cls(life, released.label, groups, edges, str(rows.names[-1]))

    @property
    def many(self) -> int:
        return len(self.life.exits.cells)

    def labels(self, times: pd.Index) -> pd.Index:
        """Each group with each time."""
        times = times.rename(self.time)
        if self.groups is None:
            return times
        levels = [self.groups.get_level_values(at) for at in range(self.groups.nlevels)]
        repeated = [level.repeat(len(times)) for level in levels]
        return pd.MultiIndex.from_arrays([*repeated, np.tile(times, self.many)], names=[*self.groups.names, self.time])

    def edge(self, at: int) -> Any:
        """An edge of the bins; behind the last, none."""
        if at < len(self.edges):
            return self.edges[at]
        return pd.NaT if isinstance(self.edges, pd.TimedeltaIndex) else np.inf

    def names(self) -> list[str]:
        """The groups as a legend has them."""
        if self.groups is None:
            return [""]
        return [", ".join(map(str, each)) if isinstance(each, tuple) else str(each) for each in self.groups]

    def bands(self, confidence: float, target: str, simultaneous: bool) -> tuple[Floats, Floats]:
        """Ends at the end of each bin, a row for each group."""
        if not simultaneous:
            low, high = self.life.interval(confidence, target)
        else:
            many = largest(self.life, self.label, confidence, target)
            low, high = self.life.exits.ends(many, target == POPULATION)
        return low.reshape(self.many, -1), high.reshape(self.many, -1)


def curve(table: pd.DataFrame, confidence: float, simultaneous: bool, target: str | None) -> pd.DataFrame:
    """Survival at the edges of the bins, from one at the first on."""
    confidence = a_number("confidence", confidence, 0, 1)
    a_flag("simultaneous", simultaneous)
    check_target(target)
    lives, whom = Lives.of(table), target or POPULATION
    low, high = lives.bands(confidence, whom, simultaneous)
    shape = (lives.many, -1)
    measures = {
        "survival": (lives.life.estimate.reshape(shape), 1.0),
        "std_error": (lives.life.std_error(whom).reshape(shape), 0.0),
        "lower": (low, 1.0),
        "upper": (high, 1.0),
    }
    columns = {name: np.insert(rows, 0, first, axis=1).ravel() for name, (rows, first) in measures.items()}
    return Conclusion(columns, index=lives.labels(lives.edges))


def largest(life: Life, label: Label, confidence: float, target: str) -> float:
    """How many standard errors hold all curves at once: the largest of their errors, simulated.

    Unless asked otherwise from draws that depend on the release alone, so that the band can be repeated.
    """
    exits = life.exits
    rng = np.random.default_rng(int(label.digest[:16], 16))
    chance, noise = life.log_variance(target)
    error = np.sqrt(np.maximum(chance + noise, 1e-300))
    steps = np.sqrt(np.maximum(np.diff(chance, axis=1, prepend=0.0), 0.0))
    slopes, determined = exits.slopes, exits.is_determined
    if not determined.any():
        return float(ndtri((1 + confidence) / 2))
    if exits.total is not None:
        slopes = slopes - slopes.sum(axis=2, keepdims=True) / exits.cells.size  # of one group
    found = []
    for _ in range(DRAWS // AT_ONCE):
        moved = np.cumsum(steps * rng.standard_normal((AT_ONCE, *steps.shape)), axis=2)
        drawn = _drawn(life, rng, (AT_ONCE, len(slopes), slopes.shape[2]))
        moved += np.einsum("gjc,dgc->dgj", slopes, drawn, optimize=True)
        found.append(np.max(np.abs(moved / error) * determined, axis=(1, 2)))
    return float(np.quantile(np.concatenate(found), confidence))


def _drawn(life: Life, rng: np.random.Generator, shape: tuple[int, ...]) -> Floats:
    """Noise of cells, for simulation."""
    if life.noise.is_sum or isinstance(life.noise.law, DiscreteGaussian):
        return np.asarray(life.noise.sd * rng.standard_normal(shape))
    return np.asarray(life.noise.step * Masses(life.noise.law).draw(rng, shape))


def quantile(table: pd.DataFrame, q: float | Sequence[float], confidence: float, target: str | None) -> pd.DataFrame:
    """That of one share, or of several, which are the first level of the rows."""
    if isinstance(q, str) or not isinstance(q, Sequence | np.ndarray):
        return _quantile(table, q, confidence, target)
    shares = [a_number("q", each, 0, 1) for each in q]
    if not shares:
        raise wrong_value("q", "be a number from 0 to 1, or a list of such", [])
    parts = {share: _quantile(table, share, confidence, target) for share in shares}
    together = pd.concat(parts, names=["q"])
    return together if Lives.of(table).groups is not None else together.droplevel(1)


def _quantile(table: pd.DataFrame, q: Any, confidence: float, target: str | None) -> pd.DataFrame:
    """By which time so large a share has had an event, and its interval: all times at which the curve's holds it."""
    q, confidence = a_number("q", q, 0, 1), a_number("confidence", confidence, 0, 1)
    check_target(target)
    lives = Lives.of(table)
    low, high = lives.bands(confidence, target or POPULATION, False)
    survival, left = lives.life.estimate.reshape(lives.many, -1), 1 - q
    rows = [
        (
            lives.edge(_first(survival[group] <= left) + 1),
            lives.edge(_first(low[group] <= left)),
            lives.edge(_last(high[group] > left) + 2),
        )
        for group in range(lives.many)
    ]
    index = pd.Index(["all"]) if lives.groups is None else lives.groups
    return pd.DataFrame(rows, index=index, columns=["quantile", "lower", "upper"])


def _first(holds: Any) -> int:
    return int(np.argmax(holds)) if holds.any() else len(holds)


def _last(holds: Any) -> int:
    return len(holds) - 1 - int(np.argmax(holds[::-1])) if holds.any() else -1


@guaranteed
def log_rank_test(table: pd.DataFrame) -> TestResult:
    """Whether all groups have one law of survival."""
    lives = Lives.of(table)
    if lives.many < 2:
        raise NotConcluded("log_rank_test compares groups, and this life table has one; ask for survival(..., by=...).")
    found = log_rank(lives.life.exits)
    expected = _expected(lives)
    bins, df = len(lives.edges) - 1, lives.many - 1
    with np.errstate(all="ignore"):
        pvalue = float(chdtrc(df, found.statistic))
    said = "observed less expected events, their variance by chance and by noise, the chi-square law"
    if not found.bins:
        said = "nothing is concluded, and p is 1: those at risk are not told from the noise"
    elif found.bins < bins:
        said += f"; the first {found.bins} of {bins} bins, behind which those at risk are not told from the noise"
    law = lives.life.noise.law
    noise = f"{law.distribution} with standard deviation {lives.life.noise.sd:.4g}, taken into account"
    by = ", ".join(map(str, lives.groups.names)) if lives.groups is not None else ""
    return TestResult(found.statistic, pvalue, df, f"survival is the same by {by}", said, noise, expected)


def _expected(lives: Lives) -> pd.DataFrame:
    """Events in each group if one law held for all, over the bins that are counted."""
    exits = lives.life.exits
    counted = exits.are_determined_together
    at_risk, events = np.where(counted, exits.at_risk, 1.0), np.where(counted, exits.events, 0.0)
    expected = (events.sum(axis=0) * at_risk / at_risk.sum(axis=0)).sum(axis=1)
    return pd.DataFrame({"observed": events.sum(axis=1), "expected": expected}, index=lives.groups)


@dataclass(frozen=True)
class CurveSteps:
    """Curves to draw: the edges as numbers, survival and its ends at each, and the words around them."""

    edges: Floats
    survival: list[Floats]
    low: list[Floats]
    high: list[Floats]
    names: list[str]
    time: str
    foot: str


def steps_of(table: pd.DataFrame, confidence: float, simultaneous: bool) -> CurveSteps:
    """The curves of a life table and their bands."""
    lives = Lives.of(table)
    shown = curve(table, confidence, simultaneous, None)
    columns = [shown[name].to_numpy().reshape(lives.many, -1) for name in ("survival", "lower", "upper")]
    survival, low, high = (list(each) for each in columns)
    edges, unit = _numbers(lives.edges)
    said = "together" if simultaneous else "each"
    foot = f"{guarantee(lives.label)} Bands: {100 * confidence:g} % {said}, for the population."
    return CurveSteps(edges, survival, low, high, lives.names(), f"{lives.time}{unit}", foot)


def _numbers(edges: pd.Index) -> tuple[Floats, str]:
    """Times in days where they are lengths of time."""
    if isinstance(edges, pd.TimedeltaIndex):
        return np.asarray(edges / pd.Timedelta("1D"), dtype=np.float64), " (days)"
    return np.asarray(edges, dtype=np.float64), ""


MOST = 60  # coefficients


class ConcludedFitAccessor(ConcludedAccessor):
    """What a regression that is no release of its own offers."""

    def __init__(self, summary: Summary) -> None:
        self._printed = summary

    def __dir__(self) -> list[str]:
        return ["summary"]

    def summary(self) -> Summary:
        """The regression as statistics programs print it; `print(table.dp.summary())`.

        Examples
        --------
        >>> ConcludedFitAccessor(Summary("coef  std err")).summary()
        coef  std err
        """
        return self._printed


class ConcludedFit(Conclusion):
    """Coefficients with their sets, a row each; what pandas makes of it is a plain table."""

    _metadata: ClassVar[list[str]] = ["_printed"]
    _printed: Summary

    def with_summary(self, summary: Summary) -> Self:
        """Itself, with how it is printed."""
        self._printed = summary
        return self

    @property
    def dp(self) -> ConcludedAccessor:
        """`summary()` prints it.

        Examples
        --------
        >>> ConcludedFit({"coef": [1.5]}).with_summary(Summary("coef  std err")).dp.summary()
        coef  std err
        """
        return ConcludedFitAccessor(self._printed)


Link = Literal["logit", "cloglog"]
LINKS = {"logit": "logit of the hazard", "cloglog": "log hazard, by cloglog"}


def hazard(
    table: pd.DataFrame, regressors: Any, confidence: float, target: str | None, link: Link = "logit"
) -> pd.DataFrame:
    """Each bin's hazard in the first group by its link, and what each group adds, whatever the bin."""
    one_of("link", link, tuple(LINKS))
    confidence = a_number("confidence", confidence, 0, 1)
    check_target(target)
    lives = Lives.of(table)
    names, design = _design(lives, _keys(lives, regressors))
    kept = lives.life.exits.are_determined_apart
    if link == "cloglog":
        names, design = _of_bins(names, design, kept)
    if len(names) > MOST:
        raise UnsupportedArgument(
            f"hazard would have {len(names)} coefficients, one for each bin and each group but the first, and at "
            f"most {MOST} are possible; ask survival for wider bins."
        )
    sampling = (target or POPULATION) == POPULATION
    solution = Solution(Hazards(lives.life.exits, design, sampling, not lives.life.noise.gaussian, link))
    units = np.eye(len(names))
    low, high = solution.sets(units, confidence)
    bad, pvalues = solution.statistics(units, np.zeros(len(names)))
    signed = np.sign(solution.estimate) * np.sqrt(bad)
    columns = {"coef": solution.estimate, "std_error": solution.std_error(units), "lower": low, "upper": high}
    found = {**with_errors(columns), "statistic": signed, "p_value": pvalues}
    table = ConcludedFit(found, index=pd.Index(names))
    off = "noise and chance" if sampling else "noise"
    bins = int(kept.sum()) if link == "cloglog" else len(kept)
    return table.with_summary(_summary(lives, table, confidence, off, link, bins))


def _summary(lives: Lives, table: pd.DataFrame, confidence: float, off: str, link: Link, bins: int) -> Summary:
    """As statistics programs print a regression."""
    exits = lives.life.exits
    event = str((lives.label.by or ("event",))[-1])
    groups = [name.split("[")[0] for name in table.index if name.startswith("C(")]
    facts = [
        ("Response", f"{event}, in each bin", "At risk", f"about {exits.at_risk[:, 0].sum():,.0f}"),
        ("Model", LINKS[link], "Events", f"about {exits.events.sum():,.0f}"),
    ]
    if link == "cloglog":
        facts.append(("Bins", f"{bins} of {exits.bins}", "", ""))
    title = f"Hazard: {event} ~ {' + '.join([f'bins of {lives.time}', *dict.fromkeys(groups)])}"
    how = wrapped(READ.format("counts", off, "z", NO_RATIO).replace("\n", " "))
    return Summary("\n".join([framed(title, facts, of_terms(table, confidence)), how, guarantee(lives.label)]))


def _keys(lives: Lives, regressors: Any) -> list[str]:
    groups = [] if lives.groups is None else list(map(str, lives.groups.names))
    if regressors is None:
        return groups
    if isinstance(regressors, str) or not isinstance(regressors, Sequence):
        raise UnsupportedArgument("hazard takes regressors as a list of the keys that made groups: ['union'].")
    odd = next((each for each in regressors if each not in groups), None)
    if odd is not None:
        named = ", ".join(map(repr, groups)) or "none"
        raise UnsupportedArgument(f"this life table has no groups by a key of that name; it has {named}.")
    return list(regressors)


def _of_bins(names: list[str], design: Floats, kept: Any) -> tuple[list[str], Floats]:
    """Of the first bins alone: where noise hides who is left, so steep a link leads anywhere."""
    if not kept.any():
        raise NotConcluded(
            "in no bin those at risk of each group stand out of the noise, so that their hazards are not compared; ask "
            "survival with more of the budget, or of wider groups."
        )
    design = design * np.tile(kept, len(design) // len(kept))[:, None]
    told = [at for at in range(len(names)) if design[:, at].any()]
    return [names[at] for at in told], design[:, told]


def _design(lives: Lives, keys: Sequence[str]) -> tuple[list[str], Any]:
    """An intercept for each bin, and each category of each key but the first."""
    bins, groups = lives.life.bins, lives.many
    edges = list(lives.edges)
    names = [f"{lives.time}[{low}, {high})" for low, high in pairwise(edges)]
    columns = [np.tile(np.arange(bins) == at, groups) for at in range(bins)]
    for key in keys:
        assert lives.groups is not None
        values = lives.groups.get_level_values(key)
        for category in values.unique()[1:]:
            names.append(f"C({key})[T.{category}]")
            columns.append(np.repeat(np.asarray(values == category), bins))
    return names, np.array(columns, dtype=float).T
