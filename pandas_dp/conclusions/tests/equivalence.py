"""Whether a released number lies within given limits: two one-sided tests, by its interval. And whether the means of
several groups are equal."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ...errors import BadArgument, NotConcluded
from ...evidence import Evidence, Means, between
from ...reading import is_number
from ...release import Released
from ..confint import check_target
from ..guaranteed import guaranteed
from ..numbers import Numbers
from ..results import LEAST, TestResult
from ..titles import TESTS, WORDS

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
