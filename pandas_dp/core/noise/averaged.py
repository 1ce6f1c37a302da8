"""The law of the average of several discrete Laplace draws."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import accumulate
from math import floor
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from ...errors import CostNotOffered, wrong_value
from ..arguments import is_whole
from ..arrays import Floats, Table
from ..budget.cost import Approximate, Cost, Pure
from ..measure.cells import Norm
from .laplace import DiscreteLaplace
from .mechanism import FLOAT_ERROR, TABLE, Additive, Law, first_within, positive, rounded_up
from .samplers.discrete import discrete_laplace
from .samplers.enclose import Ends, Outward, exceeds

MOST_DRAWS = 99  # that are averaged


@dataclass(frozen=True)
class AveragedLaplaceLaw(Law):
    """The average of an odd number of discrete Laplace draws, rounded to whole numbers; there are no ties.

    Examples
    --------
    >>> law = AveragedLaplaceLaw(Fraction(20), 5)
    >>> round(law.sd, 2), law.half_width(0.95)
    (12.65, 25)
    """

    scale: Fraction
    draws: int
    distribution: ClassVar[str] = "averaged laplace"

    def __post_init__(self) -> None:
        object.__setattr__(self, "scale", positive(self.scale, "scale"))
        if self.draws % 2 == 0 or not 1 <= self.draws <= MOST_DRAWS:
            raise ValueError(f"the number of draws must be odd and at most {MOST_DRAWS}, not {self.draws!r}.")

    @property
    def variance(self) -> float:
        """Σx²·P(x); beyond a table, the sum's remainder modulo `draws` is uniform to 10^−13."""
        one, k = DiscreteLaplace(self.scale).variance, self.draws
        if one > k * TABLE**2:
            return one / k + (k**2 - 1) / (12 * k**2)
        x = np.arange(60 * math.sqrt(one / k + 1), dtype=np.float64)
        return float(2 * ((2 * x + 1) * self._upper(x)).sum())

    def pmf(self, k: npt.ArrayLike) -> Any:
        """P(X = k): the sum is within draws/2 of draws·k."""
        middle, side = np.abs(np.asarray(k, dtype=np.float64)) * self.draws, self.draws // 2
        sums = np.abs(middle[..., None] + np.arange(-side, side + 1))
        return self._terms(sums, sums + self.draws - 1, False).sum(axis=-1)[()]

    def _upper(self, k: Floats) -> Floats:
        sums = self.draws * k + self.draws // 2
        return self._terms(sums + 1, sums + self.draws, True)

    def _terms(self, s: Floats, top: Floats, tail: bool) -> Floats:
        """P(S = s), or P(S >= s), of the sum S, by finite sums of positive terms:
        docs/proofs/core/averaged-laplace.md."""
        step, k = float(1 / self.scale), self.draws
        far = 2000 / step + 2000
        ratio, tanh = math.exp(-step), math.tanh(step / 2)
        top = np.minimum(top, far)
        binomial, inner, parts = np.ones_like(s), np.zeros_like(s), []
        for i in range(k):  # C(top, i)·tanh^i, and for a tail what all larger sums have together
            binomial = binomial * (top - i + 1) / i * tanh if i else binomial
            inner = (ratio * inner + binomial) / (1 + ratio) if tail else binomial * tanh
            parts.append(inner)
        outer = accumulate(range(1, k), lambda c, j: c * (k - 1 + j) / j * (ratio / (1 + ratio)) ** 2, initial=1.0)
        low = np.minimum(s * step, 700.0)  # exp(−s·step) may be too small for a float where its product is not
        total = sum(c * part for c, part in zip(outer, reversed(parts), strict=True))
        return np.asarray(np.exp(-low) * total * np.exp(low - s * step))

    def log_moment(self, rates: Floats) -> Floats:
        """Rounding adds at most a half."""
        return rates / 2 + self.draws * DiscreteLaplace(self.scale).log_moment(rates / self.draws)

    def cf(self, angle: npt.ArrayLike) -> Floats:
        """The sum's remainders modulo `draws`, each computed from the draws' own function at as many turned angles.

        With S the sum and R its remainder in −k//2 … k//2, X = (S − R)/k and 1{R = r} = Σ_j exp(2πij(S − r)/k)/k,
        so that E exp(itX) = Σ_j φ(θ_j)^k·Σ_r exp(−irθ_j)/k, θ_j = (t + 2πj)/k.
        """
        k, one = self.draws, DiscreteLaplace(self.scale)
        turned = np.remainder(np.asarray(angle, dtype=np.float64) + math.pi, 2 * math.pi) - math.pi
        total = np.zeros(turned.shape)
        for j in range(-(k // 2), k // 2 + 1):
            at = (turned + 2 * math.pi * j) / k
            half = np.sin(at / 2)
            kernel = np.divide(np.sin(k * at / 2), k * half, out=np.ones_like(at), where=half != 0)
            total += one.cf(at) ** k * kernel
        return total

    def _first(self, tail: Fraction) -> int:
        def upper(k: int) -> float:
            return float(self._upper(np.array(float(k))))

        low, high, about = -1, 1, max(float(tail), 1e-300)  # floats are searched as far as they have all their digits
        while upper(high) > about:
            low, high = high, 2 * high
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if upper(middle) > about else (low, middle)
        sure = upper(high) < tail * (1 - FLOAT_ERROR)
        if sure and (high == 0 or upper(high - 1) > tail * (1 + FLOAT_ERROR)):
            return high
        return first_within(self._tail_test(tail), high)

    def _tail_test(self, tail: Fraction) -> Callable[[int], bool]:
        """Whether P(X > x) exceeds the tail: never equal to it, as a is transcendental, so some digits tell."""
        digits = 20 + 2 * (math.ceil(self.scale).bit_length() // 3)
        return lambda x: exceeds(partial(self._upper_ends, x), tail, digits)

    def _upper_ends(self, x: int, digits: int) -> Ends:
        """Ends between which P(X > x) lies, near each other in proportion, by the sums of `_terms`."""
        outward, k, s = Outward(digits), self.draws, self.draws * x + self.draws // 2
        one, ratio = outward.of(1), outward.exp(1 / self.scale)
        more = outward.plus(one, ratio)
        tanh, odds = outward.over(outward.minus(one, ratio), more), outward.over(ratio, more)
        binomial, power, inner, parts = 1, one, outward.of(0), []
        for i in range(k):
            term = outward.times(outward.of(binomial), power)
            inner = outward.over(outward.plus(outward.times(ratio, inner), term), more)
            parts.append(inner)
            binomial, power = binomial * (s + k - i) // (i + 1), outward.times(power, tanh)
        power, whole, squeezed = one, outward.of(0), outward.times(odds, odds)
        for j in range(k):
            term = outward.times(outward.of(math.comb(k - 1 + j, j)), power)
            whole = outward.plus(whole, outward.times(term, parts[k - 1 - j]))
            power = outward.times(power, squeezed)
        return outward.times(outward.exp((s + 1) / self.scale), whole)


DRAWS = 5  # unless the question says otherwise


@dataclass(frozen=True)
class AveragedLaplace(Additive):
    """Each draw has scale weight_j·sensitivity·draws/epsilon, so it is epsilon/draws-DP and all of them together are
    epsilon-DP. Published is their average with the answer, rounded: the answer is whole, so the noise alone is rounded.

    Proof, and why a delta would buy nothing: docs/proofs/core/averaged-laplace.md.

    Parameters
    ----------
    draws : int
        How many are averaged, an odd number: the more, the nearer to normal, and the more noise.

    Examples
    --------
    >>> from fractions import Fraction
    >>> AveragedLaplace(draws=9).law(Fraction(1), Fraction(2), Pure(Fraction(1))).half_width(0.95)
    17
    """

    draws: int = DRAWS
    name: ClassVar[str] = "averaged-laplace"
    norm: ClassVar[Norm] = 1

    def __post_init__(self) -> None:
        if not is_whole(self.draws) or self.draws not in range(3, MOST_DRAWS + 1, 2):
            raise wrong_value("draws", f"be an odd number from 3 to {MOST_DRAWS}", self.draws)
        object.__setattr__(self, "draws", int(self.draws))

    def spends(self, cost: Cost) -> bool:
        return isinstance(cost, Pure)

    def law(self, weight: Fraction, sensitivity: Fraction, cost: Cost) -> AveragedLaplaceLaw:
        assert isinstance(cost, Pure)
        return AveragedLaplaceLaw(rounded_up(weight * sensitivity * self.draws / cost.epsilon), self.draws)

    def spent(self, laws: tuple[Law, ...], weights: tuple[Fraction, ...], sensitivity: Fraction) -> Fraction:
        """Each draw costs what Laplace noise of its scale does; all of them are taken to be seen."""
        pairs = zip(weights, laws, strict=True)
        return sensitivity * max(law.draws * weight / law.scale for weight, law in pairs)  # type: ignore[attr-defined]

    def price(self, cost: Cost) -> Cost:
        """Pure: a delta only says which Gaussian noise it has to beat."""
        return Pure(cost.epsilon) if isinstance(cost, Approximate) else cost

    def worth(self, laws: Sequence[Law], gaussian: Sequence[Law], cost: Approximate) -> None:
        """Refused where Gaussian noise of the same epsilon and delta is smaller; both laws are public."""
        for law, rival in zip(laws, gaussian, strict=True):
            assert isinstance(law, AveragedLaplaceLaw)
            if law.variance > rival.variance:
                most = floor(rival.variance / law.variance * law.draws)
                most -= 1 - most % 2
                fewer = f"draws={most}" if most >= 3 else "mechanism='laplace' with epsilon= alone"
                raise CostNotOffered(
                    f"at {cost} the average of {law.draws} Laplace draws has more noise than the Gaussian mechanism; "
                    f"use mechanism='gaussian', or {fewer}.",
                    mechanism=self.name,
                    draws=law.draws,
                )

    def add_noise(self, exact: Table, laws: tuple[Law, ...]) -> Table:
        noise = [self._noise(law, len(exact)) for law in laws if isinstance(law, AveragedLaplaceLaw)]
        return exact.astype(object) + np.column_stack(noise)

    def _noise(self, law: AveragedLaplaceLaw, size: int) -> Table:
        each = [discrete_laplace(law.scale, size).astype(object) for _ in range(law.draws)]
        return (2 * np.sum(each, axis=0) + law.draws) // (2 * law.draws)
