"""How much more noise replicates need than a Gaussian release, as the errata of the bootstrap paper tabulate it.

A factor c says: with the variance c·k·(p·sensitivity)²/(2ρ) a replicate, k replicates keep every (epsilon, delta) that
√(2ρ)-Gaussian privacy keeps for delta from 1e-12 to 1e-3, and with less they do not.
"""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

from pandas_dp.numeric.accounting_bootstrap import Sample, _losses, delta_of, resample, subset

from .pairs import GOLDEN, SENSITIVITY, noise, normal_epsilon, resampled_range_end

ROWS = 1000
TIMES = (1, 5, 10, 20, 50, 100, 200, 1000)
HALF = {  # errata G.1, "half (G.3, proved)"
    0.05: (2.368, 1.382, 1.202, 1.107, 1.050, 1.030, 1.020, 1.008),
    0.1: (2.676, 1.523, 1.283, 1.152, 1.071, 1.043, 1.028, 1.012),
    0.5: (3.298, 2.012, 1.593, 1.334, 1.159, 1.096, 1.062, 1.026),
    1.0: (3.486, 2.287, 1.790, 1.460, 1.224, 1.136, 1.087, 1.036),
}
RESAMPLE = {  # errata G.1, "bb multinomial"
    0.05: (28.717, 7.117, 4.118, 2.592, 1.749, 1.503, 1.386, 1.292),
    0.1: (32.381, 7.949, 4.554, 2.805, 1.816, 1.533, 1.401, 1.297),
    0.5: (41.852, 10.139, 5.750, 3.460, 2.077, 1.654, 1.462, 1.314),
    1.0: (46.487, 11.208, 6.342, 3.802, 2.243, 1.741, 1.507, 1.328),
}
DELTAS = (1e-12, 1e-9, 1e-6, 1e-3)


def excess(c: float, rho: float, k: int, sample: Sample) -> float:
    """The largest ratio of the replicates' delta to the Gaussian's."""
    law = noise(c * k * sample.mean**2 / (2 * rho))
    return max(
        delta_of(law, k, sample, SENSITIVITY, normal_epsilon(math.sqrt(2 * rho), delta)) / delta for delta in DELTAS
    )


def confirm(c: float, rho: float, k: int, sample: Sample) -> None:
    assert excess(1.003 * c, rho, k, sample) <= 1 < excess(0.997 * c, rho, k, sample)


def named(start: str) -> list[str]:
    return [name for name in GOLDEN if name.startswith(start)]


def parsed(name: str) -> tuple[float, ...]:
    """The numbers in a name such as `….rho0.5.k10.delta1e-06`."""
    return tuple(float(number) for number in re.findall(r"(?:p|rho|k|delta)(\d[\de.-]*\d|\d)(?=\.|$)", name))


def table(rows: dict[float, tuple[float, ...]]) -> list[tuple[float, int, float]]:
    return [(rho, k, c) for rho, row in rows.items() for k, c in zip(TIMES, row, strict=True)]


@pytest.mark.parametrize(("rho", "k", "c"), table(HALF))
def test_half_samples_need_the_tabulated_noise(rho: float, k: int, c: float) -> None:
    confirm(c, rho, k, subset(ROWS // 2, ROWS))
    assert excess(1.0, rho, k, subset(ROWS // 2, ROWS)) > 1.001


@pytest.mark.slow
@pytest.mark.parametrize(("rho", "k", "c"), table(RESAMPLE))
def test_resamples_need_the_tabulated_noise(rho: float, k: int, c: float) -> None:
    confirm(c, rho, k, resample(ROWS))


@pytest.mark.parametrize("name", named("004.subsample."))
def test_smaller_subsets_need_the_noise_of_the_reference(name: str) -> None:
    share, rho, k = parsed(name)
    confirm(GOLDEN[name], rho, round(k), subset(round(share * ROWS), ROWS))


def test_the_paper_promises_more_than_it_keeps() -> None:
    """At the epsilon that rho-zCDP implies: the delta of k resamples with its noise, all others at an end."""
    broken = 0
    for name in named("004.violation."):
        rho, k, claimed = parsed(name)
        epsilon, true = GOLDEN[name]
        found = resampled_range_end(ROWS, math.sqrt(2 * rho / k)).delta(epsilon, round(k))
        assert true * (1 - 1e-4) <= found <= true * 1.01
        bound = delta_of(noise(k / (2 * rho)), round(k), resample(ROWS), SENSITIVITY, epsilon)
        assert bound >= true * (1 - 1e-4)
        broken += true > claimed
    assert broken == 10


@pytest.mark.parametrize("name", named("004.eps.bootstrap."))
def test_the_epsilon_of_the_papers_release(name: str) -> None:
    rho, k, delta = parsed(name)
    losses = resampled_range_end(ROWS, math.sqrt(2 * rho / k))
    assert losses.delta(GOLDEN[name] * 1.002, round(k)) <= delta <= losses.delta(GOLDEN[name] * 0.998, round(k))


@pytest.mark.parametrize("alpha", [2, 4, 8, 16])
def test_a_secret_sample_does_not_divide_rho(alpha: int) -> None:
    """The divergence over its order grows to rho = 1/2 whatever the share p; the paper says p²·rho."""
    share = 1 - math.exp(-1)
    x = np.linspace(-40, 80, 400_001)
    exact = alpha * np.logaddexp(math.log(1 - share), math.log(share) + x - 0.5) - x**2 / 2
    true = (np.logaddexp.reduce(exact) + math.log((x[1] - x[0]) / math.sqrt(2 * math.pi))) / (alpha - 1)
    assert true / alpha == pytest.approx(GOLDEN[f"004.subsampled.D_over_alpha.alpha{alpha}"], abs=1e-6)
    assert share**2 / 2 < true / alpha < 1 / 2
    losses = _losses(noise(1.0), Sample(share, ((1, share),)), SENSITIVITY)
    held = np.flatnonzero(losses.masses)
    exponents = (alpha - 1) * losses.step * (losses.first + held) + np.log(losses.masses[held])
    ours = np.logaddexp.reduce(exponents) / (alpha - 1)
    assert ours >= true or alpha > 4  # at high orders all of it lies where ours counts losses as infinite
