"""How many keys that nobody declared are found, by one key of each person, by several, and in two rounds.

`python benchmarks/found_keys.py [repetitions]`.

20,000 people hold keys of a Zipf law over 20,000 keys: one each, or draws whose number is one more than a Poisson
variable, of which the different ones count. Everything costs (1, 10⁻⁵), one person added or removed.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pandera.pandas as pa

import pandas_dp as pdp

PEOPLE = KEYS = 20_000
RHO, LEAK = 0.0283966, 5e-6  # what (1, 10⁻⁵) buys, half of delta being the leak
REPETITIONS = 8
SCHEMA = pa.DataFrameSchema({"key": pa.Column(int)})


@dataclass(frozen=True)
class Population:
    """So many draws of a person on average, of a Zipf law with this exponent."""

    draws: float
    exponent: float

    def sample(self, r: np.random.Generator) -> pd.DataFrame:
        many = 1 + r.poisson(self.draws - 1, PEOPLE) if self.draws > 1 else np.ones(PEOPLE, int)
        shares = np.arange(1, KEYS + 1) ** -self.exponent
        keys = r.choice(KEYS, int(many.sum()), p=shares / shares.sum())
        return pd.DataFrame({"person": np.repeat(np.arange(PEOPLE), many), "key": keys})


Find = Callable[[pd.DataFrame, int], int]


def opened(**cost: Any) -> pdp.Session:
    return pdp.Session(schema=SCHEMA, unit="person", neighbours="add_remove", **cost)


def one_round(data: pd.DataFrame, most: int) -> int:
    with opened(rho=1, delta=1e-3) as session:
        return len(session.protect(data).dp.find_categories("key", max_keys=most, rho=RHO, delta=LEAK))


def two_rounds(data: pd.DataFrame, most: int) -> int:
    """A fifth first; what was found is nobody's any more when the rest is spent."""
    with opened(rho=1, delta=1e-3) as session:
        visits = session.protect(data)
        first = visits.dp.find_categories("key", max_keys=most, rho=RHO / 5, delta=LEAK / 5)
        rest = {"max_keys": most, "rho": RHO * 4 / 5, "delta": LEAK * 4 / 5}
        return len(first) + len(visits.dp.find_categories("key", without=first, **rest))


def one_key(data: pd.DataFrame, most: int) -> int:
    """The first of each person, with truncated noise."""
    with opened(epsilon=100, delta=1e-2) as session:
        how = {"categories": "unknown", "count": "people", "max_keys": 1, "epsilon": 1, "delta": 1e-5}
        return len(session.protect(data)["key"].dp.value_counts(**how))


POPULATIONS = {"one": Population(1, 1.1), "few": Population(4, 1.1), "many": Population(20, 1.05)}
ASKED: dict[str, tuple[Find, tuple[int, ...]]] = {
    "one key a person": (one_key, (1,)),
    "one round": (one_round, (1, 3, 10, 30, 100)),
    "two rounds": (two_rounds, (1, 3, 10, 30, 100)),
}


def main(repetitions: int) -> None:
    for title, population in POPULATIONS.items():
        samples = [population.sample(np.random.default_rng(seed)) for seed in range(repetitions)]
        present = np.mean([data["key"].nunique() for data in samples])
        held = np.mean([data.drop_duplicates().groupby("person").size().mean() for data in samples])
        print(f"{title}: {present:,.0f} keys are there, {held:.2f} of a person")
        for name, (find, bounds) in ASKED.items():
            for most in bounds[: 1 if title == "one" else None]:
                found = [find(data, most) for data in samples]
                error = np.std(found) / np.sqrt(repetitions)
                print(f"  {name:18}max_keys={most:<4}{np.mean(found):7.1f} ± {error:.1f}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else REPETITIONS)
