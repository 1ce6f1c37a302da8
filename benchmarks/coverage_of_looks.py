"""How often intervals of later looks hold what they estimate, with the library's own noise.

`python -m benchmarks.coverage_of_looks location 1000` prints a line for each population, size and price.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd

import pandas_dp as pdp

Array = np.ndarray[Any, Any]
Drawing = Callable[[np.random.Generator, int], Array]
POPULATION = 200_000

VALUES: dict[str, tuple[Drawing, float]] = {
    "normal": (lambda r, n: r.normal(size=n), 700.0),
    "t with 3 degrees": (lambda r, n: r.standard_t(3, n), 100.0),
    "lognormal": (lambda r, n: np.exp(r.normal(size=n)), 1000.0),
    "rounded to 5": (lambda r, n: np.round(r.normal(40, 12, n) / 5) * 5, 200.0),
    "60 % zeros": (lambda r, n: np.where(r.random(n) < 0.6, 0.0, np.exp(r.normal(size=n))), 100.0),
}
SETTINGS = ((300, 0.05), (300, 0.5), (1000, 0.05), (1000, 0.5))


class Population:
    """Sorted values, of which the location at any scale is found fast."""

    def __init__(self, values: Array) -> None:
        self.values = np.sort(values)
        self.sums = np.concatenate([[0.0], np.cumsum(self.values)])

    def location(self, width: float) -> float:
        low, high = self.values[0], self.values[-1]
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if self._pull(middle, width) > 0 else (low, middle)
        return float((low + high) / 2)

    def between(self, first: float, last: float) -> float:
        a, b = np.searchsorted(self.values, [first, last * (1 + 1e-12)], side="left")
        return float((self.sums[b] - self.sums[a]) / max(b - a, 1))

    def _pull(self, middle: float, width: float) -> float:
        a, b = np.searchsorted(self.values, [middle - width, middle + width])
        inside = self.sums[b] - self.sums[a] - (b - a) * middle
        return float(inside + width * (len(self.values) - b - a))


def locations(rounds: int) -> Iterator[str]:
    r = np.random.default_rng(11)
    for name, (draw, end) in VALUES.items():
        people = Population(draw(r, POPULATION))
        for n, rho in SETTINGS:
            hits, widths, trimmed = [], [], []
            for _ in range(rounds):
                column = pdp.Session(rho=100).protect(pd.DataFrame({"x": draw(r, n)}))["x"]
                shown = column.dp.location(rho=rho, bounds=(-end, end))
                scale = shown.attrs["dp"]["looks"][-1]["parameter"]["scale"]
                low, high = shown["lower"].item(), shown["upper"].item()
                hits.append(low <= people.location(1.5 * scale) <= high)
                widths.append(high - low)
                shown = column.dp.trimmed_mean(0.1, rho=rho, bounds=(-end, end))
                ends = shown.attrs["dp"]["looks"][-1]["parameter"]
                truth = people.between(ends["from"], ends["to"])
                trimmed.append(shown["lower"].item() <= truth <= shown["upper"].item())
            yield (
                f"| {name} | {n} | {rho} | {np.mean(hits):.3f} | {np.median(widths) / 2:.3g} | {np.mean(trimmed):.3f} |"
            )


KINDS = {"location": locations}

if __name__ == "__main__":
    for line in KINDS[sys.argv[1]](int(sys.argv[2])):
        print(line, flush=True)
