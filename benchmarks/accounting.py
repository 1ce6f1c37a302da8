"""How long the search for the least noise of replicates takes, beside one composition in dp-accounting.

`python benchmarks/accounting.py`
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from time import perf_counter

from dp_accounting.pld import privacy_loss_distribution as pld

from pandas_dp.core.budget.cost import Approximate
from pandas_dp.numeric.bootstrap.accounting import Sample, _losses, least_variance, resample, subset

COSTS = [Approximate(Fraction(epsilon), Fraction(1, 10**9)) for epsilon in ("0.5", "3", "8")]
SAMPLES = {"half-sample": subset(500, 1000), "a tenth": subset(100, 1000), "resample": resample(1000)}
TIMES = (1, 10, 50, 200, 1000)


def seconds(work: Callable[[], object], runs: int) -> float:
    """The best of some runs."""
    best = float("inf")
    for _ in range(runs):
        start = perf_counter()
        work()
        best = min(best, perf_counter() - start)
    return best


def search(cost: Approximate, replicates: int, sample: Sample) -> None:
    least_variance.cache_clear()
    _losses.cache_clear()
    least_variance(cost, replicates, sample, sensitivity=2**20)


def theirs(cost: Approximate, replicates: int, sample: Sample) -> None:
    """One evaluation, where a search takes several; add/remove, not replace."""
    noise = (replicates / float(cost.concentrated().rho) / 2) ** 0.5 * sample.mean
    one = pld.from_gaussian_mechanism(noise, sampling_prob=sample.inside)
    one.self_compose(replicates).get_delta_for_epsilon(float(cost.epsilon))


def main() -> None:
    print(f"{'sample':12}{'epsilon':>8}{'k':>6}{'search, ms':>12}{'one of theirs, ms':>19}{'ratio':>8}")
    for name, sample in SAMPLES.items():
        for cost in COSTS:
            for replicates in TIMES:
                ours = seconds(lambda c=cost, k=replicates, s=sample: search(c, k, s), 3)
                other = seconds(lambda c=cost, k=replicates, s=sample: theirs(c, k, s), 1)
                line = f"{name:12}{float(cost.epsilon):8}{replicates:6}{ours * 1e3:12.0f}{other * 1e3:19.0f}"
                print(f"{line}{ours / other:8.2f}")


if __name__ == "__main__":
    main()
