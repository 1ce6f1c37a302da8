"""Coverage and width of intervals of surveys, through the library's own noise.

`python benchmarks/surveys.py [repetitions]`.

Samples are drawn anew each time from a population with lognormal values and unequal weights, so an interval is for the
population. The width is compared with that of an oracle, who knows the standard deviation of all these estimates.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pandera.pandas as pa

import pandas_dp as pdp

REPETITIONS = 1_000


@dataclass(frozen=True)
class PublicFacts:
    """Strata of so many people each, of different means, with weights between 1 and 4 that go with the values."""

    strata: tuple[int, ...]
    rho: float
    stratified: bool = False

    def sample(self, r: np.random.Generator) -> pd.DataFrame:
        n, stratum = sum(self.strata), np.repeat(np.arange(len(self.strata)), self.strata)
        w = r.uniform(1, 4, n)
        y = np.clip(np.exp(r.normal(3.2 + 0.15 * w + 0.2 * stratum / len(self.strata), 0.4)), 0, 100)
        return pd.DataFrame({"w": w, "y": y, "x": np.clip(y / 20 + r.uniform(0, 2, n), 0, 10), "h": stratum})

    def design(self) -> pdp.Design:
        sizes = {"h": dict(enumerate(self.strata))}
        return pdp.Design(weights="w", strata=sizes if self.stratified else None)

    def population(self) -> pd.DataFrame:
        many = tuple(size * 4_000_000 // sum(self.strata) for size in self.strata)
        return PublicFacts(many, self.rho).sample(np.random.default_rng(99))


@dataclass(frozen=True)
class Clustered(PublicFacts):
    """Sampling units of about so many people each, whose levels are drawn anew."""

    def sample(self, r: np.random.Generator) -> pd.DataFrame:
        sizes = [r.integers(size // 2, size * 3 // 2 + 1) for size in self.strata]
        n, unit = sum(sizes), np.repeat(np.arange(len(sizes)), sizes)
        w, level = r.uniform(1, 4, n), r.normal(0, 0.12, len(sizes))[unit]
        y = np.clip(np.exp(r.normal(3.2 + 0.15 * w + level, 0.4)), 0, 100)
        return pd.DataFrame({"w": w, "y": y, "x": np.clip(y / 20 + r.uniform(0, 2, n), 0, 10), "h": unit})

    def design(self) -> pdp.Design:
        return pdp.Design(weights="w", clusters={"h": range(len(self.strata))})

    def population(self) -> pd.DataFrame:
        return Clustered((self.strata[0],) * (4_000_000 // self.strata[0]), self.rho).sample(np.random.default_rng(99))


Ask = Callable[[Any, float], pd.DataFrame]


def proportion(large: Any, rho: float) -> pd.DataFrame:
    """From weighted counts: the share of large values, an empty column, and its interval."""
    shares = large.dp.value_counts(normalize=True, sort=False, categories=[True, False], rho=rho)
    return pd.concat([shares, shares, shares.dp.confint()], axis=1).iloc[:1]


QUESTIONS: dict[str, Ask] = {
    "mean": lambda p, rho: p["y"].dp.mean(rho=rho),
    "share": lambda p, rho: (p["y"] > 60).dp.share(rho=rho),
    "sum": lambda p, rho: p["y"].dp.sum(rho=rho),
    "domain": lambda p, rho: p[p["x"] > 3]["y"].dp.mean(rho=rho),
    "ratio": lambda p, rho: p.dp.ratio("y", "x", rho=rho),
    "proportion": lambda p, rho: proportion((p["y"] > 60).rename("k"), rho),
}
SETTINGS = {
    "1000 people, rho=1": PublicFacts((1_000,), 1.0),
    "1000 people, rho=.05": PublicFacts((1_000,), 0.05),
    "300 people, rho=.5": PublicFacts((300,), 0.5),
    "5 strata of 200, rho=.5": PublicFacts((200,) * 5, 0.5, True),
    "8 strata of 60, rho=2": PublicFacts((60,) * 8, 2.0, True),
    "20 strata of 20, rho=2": PublicFacts((20,) * 20, 2.0, True),
    "50 units of 20, rho=2": Clustered((20,) * 50, 2.0),
    "50 units of 20, rho=.5": Clustered((20,) * 50, 0.5),
    "20 units of 50, rho=.5": Clustered((50,) * 20, 0.5),
    "12 units of 100, rho=.5": Clustered((100,) * 12, 0.5),
    "100 units of 10, rho=.2": Clustered((10,) * 100, 0.2),
}


def schema(public: PublicFacts) -> pa.DataFrameSchema:
    return pa.DataFrameSchema(
        {
            "w": pa.Column(float, pa.Check.in_range(1, 4)),
            "y": pa.Column(float, pa.Check.in_range(0, 100)),
            "x": pa.Column(float, pa.Check.in_range(0, 10)),
            "h": pa.Column(int, pa.Check.isin(list(range(len(public.strata))))),
        }
    )


def answers(public: PublicFacts, ask: Ask, repetitions: int, seed: int) -> Iterator[np.ndarray[Any, Any]]:
    r, declared, design = np.random.default_rng(seed), schema(public), public.design()
    for _ in range(repetitions):
        with pdp.Session(rho=10**6, schema=declared) as session:
            people = session.protect(public.sample(r), design=design)
            yield ask(people, public.rho).iloc[0, [0, 2, 3]].to_numpy(dtype=float)


def truth(public: PublicFacts, name: str) -> float:
    """Of the population, from a sample of some millions."""
    large = public.population()
    inside = large[large["x"] > 3] if name == "domain" else large
    w, y = inside["w"], inside["y"]
    if name in ("share", "proportion"):
        return float(np.average(y > 60, weights=w))
    if name == "sum":
        return float((w * y).sum()) * sum(public.strata) / len(large)
    return float((w * y).sum() / (w * inside["x"]).sum()) if name == "ratio" else float(np.average(y, weights=w))


def main(repetitions: int) -> None:
    print(f"{'':28}{'question':10}coverage  half width / oracle")
    for title, public in SETTINGS.items():
        for name, ask in QUESTIONS.items():
            if public.stratified and name not in ("mean", "sum", "proportion"):
                continue
            found = np.array(list(answers(public, ask, repetitions, 7)))
            value, low, high = found.T
            true = truth(public, name)
            held, oracle = np.mean((low <= true) & (true <= high)), 1.96 * value.std()
            print(f"{title:28}{name:10}{held:.3f}     {np.mean(high - low) / 2 / oracle:.3f}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else REPETITIONS)
