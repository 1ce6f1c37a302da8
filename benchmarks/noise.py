"""How long a draw takes, here and in OpenDP, in one run: `python benchmarks/noise.py`."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable
from fractions import Fraction

import numpy as np

from pandas_dp.core.noise.samplers.discrete import discrete_gaussian, discrete_laplace
from pandas_dp.core.noise.samplers.race import exponential_race

DRAWS, REFERENCE_DRAWS = 10**6, 10**5


def microseconds(work: Callable[[], object], repeat: int) -> float:
    """The best of several runs, in microseconds; a busy machine only adds time."""
    best = float("inf")
    for _ in range(repeat):
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best * 1e6


def opendp_draws() -> dict[str, Callable[[float], object]]:
    import opendp.prelude as dp

    dp.enable_features("contrib")
    zeros, domain = [0] * REFERENCE_DRAWS, dp.vector_domain(dp.atom_domain(T=int))
    return {
        "laplace": lambda scale: dp.m.make_laplace(domain, dp.l1_distance(T=int), scale)(zeros),
        "gaussian": lambda scale: dp.m.make_gaussian(domain, dp.l2_distance(T=float), scale)(zeros),
    }


def compare() -> None:
    theirs = opendp_draws()
    ours = {"laplace": discrete_laplace, "gaussian": lambda scale, size: discrete_gaussian(scale**2, size)}
    print(f"{'law':10}{'scale':>10}{'ours, µs':>12}{'OpenDP, µs':>12}{'ratio':>8}")
    for law, sampler in ours.items():
        for scale in (Fraction(7, 2), Fraction(1000), Fraction(2**20), Fraction(2**40)):
            own = microseconds(lambda s=sampler, b=scale: s(b, DRAWS), 5) / DRAWS
            other = microseconds(lambda d=theirs[law], b=scale: d(float(b)), 3) / REFERENCE_DRAWS
            print(f"{law:10}{float(scale):10.3g}{own:12.4f}{other:12.3f}{other / own:8.0f}")


def small() -> None:
    """What a single answer costs."""
    counts, utilities = np.ones(2000, dtype=np.int64), -(np.arange(2000) ** 2)
    cases = {
        "one Laplace draw": lambda: discrete_laplace(Fraction(7, 2), 1),
        "one Gaussian draw": lambda: discrete_gaussian(Fraction(7, 2), 1),
        "1 000 Laplace draws": lambda: discrete_laplace(Fraction(7, 2), 1000),
        "1 000 draws at 2^60": lambda: discrete_laplace(Fraction(2**60), 1000),
        "race of 2 000": lambda: exponential_race(counts, utilities, Fraction(1, 1000)),
    }
    for name, work in cases.items():
        print(f"{name:22}{microseconds(work, 500):10.1f} µs")


def memory() -> None:
    tracemalloc.start()
    draws = discrete_gaussian(Fraction(10**6), DRAWS)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    print(f"memory beside the answer{(peak - draws.nbytes) / 2**20:8.1f} MiB for {DRAWS} draws")


if __name__ == "__main__":
    compare()
    small()
    memory()
