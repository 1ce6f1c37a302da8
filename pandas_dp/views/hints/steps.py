"""Hints that what was told is smaller than the steps in which values are read, or than the least noise there can be."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...core.evidence.noises import Unsaid
from ...core.label.layout import Item
from ...core.label.reading import Released
from ...quantiles.evidence import Quantiles, QuantilesApart
from ..titles import about
from .finding import Finding, hint, sums_of

FEW = 20.0  # steps, or standard deviations of the least noise
SAME = "unless so many values are one and the same, such as zeros"
FINER = f"Give resolution=, how fine values are, or closer bounds, {SAME}."
SCALE = 2**0.5  # standard deviations of Laplace noise in its scale


@hint
def told_in_few_steps(released: Released) -> Iterator[Finding]:
    """Ranks of floats have some 2**20 steps over the bounds: of a range declared far too wide only a few hold values.

    Not of the least value, nor of one quantile beside a greater one: most columns begin at 0.
    """
    ranked: dict[object, list[tuple[Item, float, float]]] = {}
    for item in released.items:
        evidence = item.evidence
        step = _step_of_ranks(evidence)
        if step is not None and item.statistic != "min":
            ranked.setdefault(item.column, []).append((item, step, _greatest(evidence.estimate)))
    for column, told in ranked.items():
        item, step, _ = told[0]
        if max(value for *_, value in told) < FEW * step:
            yield Finding(
                f"values seem to lie within a few of the steps in which they are read, of {in_words(step)} each",
                about(released, item),
                FINER,
                column,
                cause=True,
            )


def _step_of_ranks(evidence: object) -> float | None:
    if isinstance(evidence, QuantilesApart):
        evidence = evidence.first
    if isinstance(evidence, Quantiles):
        return evidence.told_in
    ranked = ("median", "quantile", "iqr", "max")
    if not isinstance(evidence, Unsaid) or evidence.by != "bounds" or evidence.statistic not in ranked:
        return None
    return evidence.step


@hint
def less_than_the_least_noise(released: Released) -> Iterator[Finding]:
    """Of noise that is private it is public that one row, moved by so much, has less effect."""
    label = released.label
    for item in released.items:
        evidence = item.evidence
        if not isinstance(evidence, Unsaid) or evidence.step is None or not label.size or not label.epsilon:
            continue
        least = _least_noise(evidence.statistic, evidence.step, label.size, label.epsilon)
        told = _greatest(evidence.estimate) ** (2 if evidence.statistic == "std" else 1)
        if evidence.by == "resolution" or least is None or told >= FEW * least:
            continue
        yield Finding(
            f"the number may be noise, which is never less than {of_a_row(evidence.statistic, evidence.step)} brings",
            about(released, item),
            "Closer bounds have less in proportion, or ask with model='dp'." if evidence.by == "range" else FINER,
            item.column,
            cause=True,
        )


def _least_noise(statistic: str, step: float, size: int, epsilon: float) -> float | None:
    """A standard deviation that no noise falls below, as no more rows count than are public; of a root that of its
    square."""
    powers = {"sum": (1, 0), "mean": (1, 1), "var": (2, 1), "std": (2, 1)}
    if statistic not in powers:
        return None
    power, rows = powers[statistic]
    return SCALE * step**power / (size**rows * epsilon)


def of_a_row(statistic: str, step: float) -> str:
    """What the least noise is like."""
    if statistic in ("sum", "mean"):
        return f"one row moved by {in_words(step)}"
    return f"values as far apart as {in_words(step)}"


def in_words(step: float) -> str:
    """A step as it is read."""
    return f"{step:,.10g}" if step >= 1 else f"{step:.3g}"


@hint
def steps_wider_than_noise(released: Released) -> Iterator[Finding]:
    """A declared resolution that is wider than the noise of a mean and the spread of values: what lies between two
    steps is lost."""
    for item, sums in sums_of(released):
        step, noise = sums.total_noise.step, np.sqrt(sums.mean_noise_var)
        lost = (step > noise) & (sums.variance < (step / 2) ** 2) & sums.enough
        if item.kind == "float" and item.statistic in ("mean", "std", "var", "sem") and np.any(lost):
            yield Finding(
                f"values are read in steps of {in_words(step)}, and lie within one or two of them",
                about(released, item),
                f"The noise of the mean is {float(np.min(noise[lost])):.3g}: what lies between steps is lost. Declare "
                "a finer resolution, unless values have no finer one.",
                item.column,
            )


def _greatest(estimate: object) -> float:
    """How far off nothing the farthest cell is; of none that is told, any may be."""
    numbers = np.abs(np.asarray(estimate, dtype=float))
    return float(np.nanmax(numbers)) if np.isfinite(numbers).any() else float("inf")
