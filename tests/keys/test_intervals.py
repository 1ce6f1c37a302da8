"""Intervals of numbers that are known because they were shown: they hold at every true number, given that."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pandas_dp.core.evidence.noise import Noise
from pandas_dp.core.noise.bounded import Bounded, TruncatedLaplaceLaw
from pandas_dp.core.noise.gaussian import DiscreteGaussian
from pandas_dp.core.noise.laplace import DiscreteLaplace
from pandas_dp.core.noise.mechanism import Law
from pandas_dp.keys.evidence import Found

GOLDEN = json.loads(Path(__file__).with_name("golden.json").read_text("utf-8"))
LAWS: list[tuple[Law, int, int]] = [
    (TruncatedLaplaceLaw(Fraction(1), 11), 11, 1),
    (TruncatedLaplaceLaw(Fraction(2), 31), 31, 1),
    (TruncatedLaplaceLaw(Fraction(1, 5), 2), 2, 1),
    (DiscreteGaussian(Fraction(5)), 12, 1),
    (DiscreteGaussian(Fraction(1, 9)), 2, 1),
    (DiscreteGaussian(Fraction(5 * 16**2)), 190, 4),  # parts of a person
]


def evidence(values: Any, law: Law, threshold: int, least: int, **more: Any) -> Found:
    return Found("count", np.asarray(values), Noise(law), threshold, least, **more)


def shown_at(law: Law, threshold: int, true: int) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """The numbers that may be shown, and their probabilities given that one is."""
    far = law.m if isinstance(law, Bounded) else int(14 * law.sd) + 2
    numbers = np.arange(max(threshold + 1, true - far), max(threshold + 1, true) + far + 1)
    p = np.asarray(law.pmf(numbers - true), dtype=float)
    return numbers, p / p.sum()


def coverage(law: Law, threshold: int, least: int, true: int, level: float = 0.95) -> float:
    numbers, p = shown_at(law, threshold, true)
    low, high = evidence(numbers, law, threshold, least).interval(level, "sample")
    return float(p[(low <= true) & (true <= high)].sum())


@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
@pytest.mark.parametrize(("law", "threshold", "least"), LAWS, ids=[str(law) for law, *_ in LAWS])
def test_they_hold_at_every_true_number(law: Law, threshold: int, least: int, level: float) -> None:
    sensitivity = threshold + (law.m if isinstance(law, Bounded) else int(6 * law.sd)) + 3
    step = max(1, sensitivity // 150)
    worst = min(coverage(law, threshold, least, true, level) for true in range(least, sensitivity, step))
    assert worst >= level - 1e-9


@pytest.mark.parametrize("true", [2, 8, 12, 16, 30])
def test_reference_values_of_what_is_shown(true: int) -> None:
    law, threshold = TruncatedLaplaceLaw(Fraction(1), 11), 11
    numbers, p = shown_at(law, threshold, true)
    found = {
        "bias": float(p @ numbers) - true,
        "naive": float(p[abs(numbers - true) <= 3].sum()),
        "conditional": coverage(law, threshold, 1, true),
    }
    for name, value in found.items():
        known = GOLDEN.get(f"shown.eps1.m11.n{true}.{name}")
        assert known is None or value == pytest.approx(known, rel=1e-9, abs=1e-12), name


def test_far_from_the_threshold_they_are_those_of_the_noise() -> None:
    law = TruncatedLaplaceLaw(Fraction(2), 31)
    low, high = evidence([500], law, 31, 1).interval(0.95, "sample")
    assert (low[0], high[0]) == (500 - law.half_width(0.95), 500 + law.half_width(0.95))


def test_next_to_the_threshold_they_reach_down_to_one() -> None:
    low, high = evidence([12, 13], TruncatedLaplaceLaw(Fraction(1), 11), 11, 1).interval(0.95, "sample")
    assert low[0] == 1
    assert high[0] < high[1]


@pytest.mark.parametrize("rows", [None, DiscreteLaplace(Fraction(2, 3))])
def test_other_rows_are_within_what_is_left_of_all(rows: Law | None) -> None:
    """Over all outcomes of two keys, one far above the threshold and one near it, and of the number of rows."""
    law, threshold, true, size = TruncatedLaplaceLaw(Fraction(1), 3), 3, (7, 4), 40
    noise = dict.fromkeys([0], 1.0) if rows is None else {k: float(rows.pmf(k)) for k in range(-16, 17)}
    held = asked = 0.0
    first, second = (shown_at(law, threshold, n) for n in true)
    for y, p in zip(*first, strict=True):
        for z, q in zip(*second, strict=True):
            for by, r in noise.items():
                values = np.array([y, z, size + by - y - z])
                found = evidence(values, law, threshold, 1, other=True, rows=None if rows is None else Noise(rows))
                low, high = found.interval(0.9, "sample")
                held += p * q * r * (low[-1] <= size - sum(true) <= high[-1])
                asked += p * q * r
    assert asked == pytest.approx(1, abs=1e-9)
    assert held >= 0.9 - 1e-9


def test_nothing_shown_has_no_intervals_and_all_rows_are_other() -> None:
    law = TruncatedLaplaceLaw(Fraction(1), 4)
    low, high = evidence(np.zeros(0), law, 4, 1).interval(0.95, "sample")
    assert len(low) == len(high) == 0
    low, high = evidence([40], law, 4, 1, other=True).interval(0.95, "sample")
    assert (low[0], high[0]) == (40, 40)
