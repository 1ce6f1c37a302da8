"""A statistic with the error that sampling gives it: from its moments, or from replicates on resampled rows."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from math import inf
from typing import Any, ClassVar, NamedTuple, Protocol, runtime_checkable

import numpy as np

from ..core.evidence.noise import Noise
from ..core.measure.cells import ONE_CELL, Cells, Variable
from ..core.measure.measurement import Noisy
from ..core.measure.statistic import Around, Estimator, names_of, not_offered
from ..core.neighbours import PublicFacts
from ..core.schema.values import Kind, said
from ..errors import UnsupportedArgument
from ..quantiles.statistic import Quantile, QuantileRange
from .evidence_means import Bootstrap, Replicates
from .measure import Design, Moments, Resamples

FEWEST = 4  # rows of which half have a variance


@runtime_checkable
class FromMoments(Protocol):
    """An estimator whose own sums tell how samples vary: `bootstrap=` by moments costs nothing more."""

    def sampled(self, how: Bootstrap, public: PublicFacts) -> Estimator:
        """The same question, answered for the population; refused where it cannot be."""


@runtime_checkable
class Resampled(Protocol):
    """An estimator that can be asked of resampled rows."""

    def resamples(self, design: Design, replicates: int, size: int) -> Resamples: ...

    def worth(self, measurement: Resamples) -> Worth: ...


class Worth(NamedTuple):
    """Of a whole number that a replicate counts: what a step is worth, what zero means, and the ends."""

    step: float
    offset: float = 0.0
    lower: float = 0.0
    upper: float = inf


def code_of(measurement: Resamples, variable: Variable) -> float:
    """What one rounded code is worth in the variable's unit."""
    return float(variable.grid.code_step) * measurement.coarse(variable)


def with_bootstrap(estimator: Estimator, how: Bootstrap, public: PublicFacts) -> Estimator:
    """The same question, answered with the error of sampling."""
    if isinstance(estimator, Quantile | QuantileRange):
        raise not_offered("bootstrap of ranks", estimator.statistic)
    if how.resample != "moments":
        return _from_replicates(estimator, how, public)
    if isinstance(estimator, FromMoments):
        return estimator.sampled(how, public)
    way = "bootstrap by moments alone" if isinstance(estimator, Resampled) else "bootstrap by moments"
    raise not_offered(way, estimator.statistic, takers=names_of(FromMoments))


def _from_replicates(estimator: Estimator, how: Bootstrap, public: PublicFacts) -> Estimator:
    if not isinstance(estimator, Resampled):
        raise no_bootstrap(estimator.statistic)
    if estimator.cells.keys:
        raise UnsupportedArgument(f"resample={how.resample!r} resamples whole columns, no groups.", argument="resample")
    made = Bootstrapped(estimator, how, 0)
    return replace(made, size=checked_size(how, public, made.variable))


def no_bootstrap(statistic: str) -> UnsupportedArgument:
    return not_offered("bootstrap", statistic, takers=names_of(Resampled))


def checked_size(how: Bootstrap, public: PublicFacts, *variables: Variable) -> int:
    """The number of rows to resample, where replicates can be made."""
    if public.size is None or public.adjacency.vanish or not public.counts_public(ONE_CELL, variables):
        raise UnsupportedArgument(
            f"resample={how.resample!r} resamples a public number of rows: whole columns declared complete, one "
            "row replaced; resample='moments' gives means their errors everywhere.",
            argument="resample",
        )
    if public.size < FEWEST:
        raise UnsupportedArgument(f"resample={how.resample!r} needs {FEWEST} rows at least.", argument="resample")
    if how.resample == "weights" and how.replicates % 2:
        raise UnsupportedArgument(
            "resample='weights' needs an even number of replicates, so that each row is in half of them.",
            argument="bootstrap",
        )
    return public.size


@dataclass(frozen=True)
class Bootstrapped(Around):
    """Replicates of a statistic, as many as were asked for."""

    inner: Any  # an estimator that is `Resampled`
    bootstrap: Bootstrap
    size: int
    words: ClassVar = {"size": "rows"}

    @property
    def measurement(self) -> Resamples:
        how = self.bootstrap
        assert how.resample != "moments"
        measurement: Resamples = self.inner.resamples(how.resample, how.replicates, self.size)
        return measurement

    def measurements(self, public: PublicFacts, beside: Collection[Moments]) -> tuple[Resamples, ...]:
        return (self.measurement,)

    def conclude(self, answers: tuple[Noisy, ...], public: PublicFacts) -> Replicates:
        (answer,) = answers
        return _replicates(self.statistic, self.measurement, answer, self.bootstrap, self.inner.worth(self.measurement))


@dataclass(frozen=True)
class BootstrappedPair:
    """Replicates of the covariance of two columns."""

    variable: Variable
    other: Variable
    bootstrap: Bootstrap
    size: int
    statistic: ClassVar[str] = "cov"
    kind: ClassVar[Kind] = "float"
    cells: ClassVar[Cells] = ONE_CELL

    @property
    def measurement(self) -> Resamples:
        how = self.bootstrap
        assert how.resample != "moments"
        return Resamples(self.variable, "covariance", how.resample, how.replicates, self.size, other=self.other)

    def to_json(self) -> dict[str, Any]:
        return said(statistic="cov", of=(self.variable, self.other), bootstrap=self.bootstrap, rows=self.size)

    def measurements(self, public: PublicFacts, beside: Collection[Moments]) -> tuple[Resamples, ...]:
        return (self.measurement,)

    def conclude(self, answers: tuple[Noisy, ...], public: PublicFacts) -> Replicates:
        (answer,) = answers
        measurement, m = self.measurement, self.measurement.drawn
        step = code_of(measurement, self.variable) * code_of(measurement, self.other) / (m * (m - 1))
        lower = 0.0 if self.variable == self.other else -inf
        return _replicates(self.statistic, measurement, answer, self.bootstrap, Worth(step, lower=lower))


def _replicates(statistic: str, measurement: Resamples, answer: Noisy, how: Bootstrap, worth: Worth) -> Replicates:
    step, offset, lower, upper = worth
    values = answer.table[0].astype(float) * step + offset
    n, m = measurement.size, measurement.drawn
    spread = {"half-sample": (n - m) / m, "multinomial": (n - 1) / n, "weights": 1.0}[measurement.design]
    balanced = measurement.design == "weights" and measurement.form == "sum"
    noise = Noise(answer.laws[0], step)
    return Replicates(statistic, np.asarray(values), noise, how, n, spread, balanced, lower, upper)
