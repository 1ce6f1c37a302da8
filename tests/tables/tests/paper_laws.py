"""Laplace noise cut off at m, as in (5.2) of Rinott et al. (2018), written from the formula."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from pandas_dp.core.noise.mechanism import Law


@dataclass(frozen=True)
class CutLaplace(Law):
    epsilon: float
    m: int
    distribution: ClassVar[str] = "laplace cut off, of the tests"

    @property
    def _weights(self) -> np.ndarray[Any, Any]:
        return np.exp(-self.epsilon * np.abs(np.arange(-self.m, self.m + 1)))

    @property
    def variance(self) -> float:
        return float((np.arange(-self.m, self.m + 1) ** 2 * self._weights).sum() / self._weights.sum())

    def pmf(self, k: Any) -> Any:
        size = np.abs(np.asarray(k, dtype=float))
        return np.where(size <= self.m, np.exp(-self.epsilon * size) / self._weights.sum(), 0.0)[()]

    def cf(self, angle: Any) -> Any:
        at = np.multiply.outer(np.asarray(angle, dtype=float), np.arange(-self.m, self.m + 1))
        return (np.cos(at) * self._weights).sum(axis=-1) / self._weights.sum()

    def _upper(self, k: Any) -> Any:
        tails = np.append(np.cumsum(self._weights[: self.m : -1])[::-1], 0.0) / self._weights.sum()
        return tails[np.minimum(np.asarray(k), self.m).astype(int)]

    def _first(self, tail: Fraction) -> int:
        return int(np.argmax(self._upper(np.arange(self.m + 1)) <= float(tail)))

    def to_json(self) -> dict[str, str]:
        raise NotImplementedError

    @classmethod
    def from_json(cls, facts: Any) -> CutLaplace:
        raise NotImplementedError
