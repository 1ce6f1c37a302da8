"""A statistic with the error that sampling gives it: from its moments, or from replicates on resampled rows."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from math import inf, sqrt
from typing import Any, ClassVar

import numpy as np

from ..domain import Kind
from ..errors import UnsupportedArgument
from ..evidence import Bootstrap, Means, Noise, PopulationSums, Replicates
from ..neighbours import Setting
from ..tally import ONE_CELL, Blurred, Cells, Moments, Resamples, Variable
from ..tally.resamples import ROOT_SCALE, Form
from .estimator import Around, Estimator
from .means import Mean
from .moments import in_units, moments
from .quantiles import Quantile
from .spreads import Spread
from .sums import Sum

FEWEST = 4  # rows of which half have a variance


def with_bootstrap(estimator: Estimator, how: Bootstrap, setting: Setting) -> Estimator:
    """The same question, answered with the error of sampling."""
    if how.resample == "moments":
        return _from_moments(estimator, how, setting)
    return _from_replicates(estimator, how, setting)


def _from_moments(estimator: Estimator, how: Bootstrap, setting: Setting) -> Estimator:
    if isinstance(estimator, Mean):
        return replace(estimator, bootstrap=how)
    if isinstance(estimator, Spread):
        if how.variance != "unbiased":
            raise UnsupportedArgument(
                f"the interval of a {estimator.statistic} for the population is an upper bound already; "
                "leave variance= out.",
                argument="variance",
            )
        return replace(estimator, bootstrap=how)
    if isinstance(estimator, Sum):
        if setting.size is None or estimator.cells.keys or estimator.variable.nullable:
            raise UnsupportedArgument(
                "sum takes bootstrap= where the number of rows is public: for whole columns declared without gaps; "
                "ask for the mean instead.",
                argument="bootstrap",
            )
        return PopulationSum(estimator.variable, how)
    raise UnsupportedArgument(
        f"{estimator.statistic} takes no bootstrap= by moments, which give means, sums, var and std their errors"
        + ("; resample='weights' can, with noise as wide as the range." if isinstance(estimator, Quantile) else "."),
        argument="bootstrap",
    )


def _from_replicates(estimator: Estimator, how: Bootstrap, setting: Setting) -> Estimator:
    if not isinstance(estimator, Mean | Sum | Spread | Quantile):
        raise UnsupportedArgument(
            f"{estimator.statistic} takes no bootstrap=; mean, sum, var, std, median and quantile do.",
            argument="bootstrap",
        )
    if estimator.cells.keys:
        raise UnsupportedArgument(f"resample={how.resample!r} resamples whole columns, no groups.", argument="resample")
    return Bootstrapped(estimator, how, checked_size(how, setting, estimator.variable))


def checked_size(how: Bootstrap, setting: Setting, *variables: Variable) -> int:
    """The number of rows to resample, where replicates can be made."""
    if setting.size is None or setting.moves.vanish or any(variable.nullable for variable in variables):
        raise UnsupportedArgument(
            f"resample={how.resample!r} resamples a public number of rows: whole columns declared without gaps, one "
            "row replaced; resample='moments' gives means their errors everywhere.",
            argument="resample",
        )
    if setting.size < FEWEST:
        raise UnsupportedArgument(f"resample={how.resample!r} needs {FEWEST} rows at least.", argument="resample")
    if how.resample == "weights" and how.replicates % 2:
        raise UnsupportedArgument(
            "resample='weights' needs an even number of replicates, so that each row is in half of them.",
            argument="bootstrap",
        )
    return setting.size


@dataclass(frozen=True)
class PopulationSum:
    """The sum, from the moments around the middle of the range."""

    variable: Variable
    bootstrap: Bootstrap
    cells: ClassVar[Cells] = ONE_CELL
    statistic: ClassVar[str] = "sum"

    @property
    def kind(self) -> Kind:
        return self.variable.interval.kind

    def to_json(self) -> dict[str, Any]:
        """What was asked, as a fingerprint takes it."""
        return {"statistic": "sum", "of": self.variable.to_json(), "bootstrap": self.bootstrap.to_json()}

    def tallies(self, setting: Setting, beside: Collection[Moments]) -> tuple[Moments, ...]:
        return (moments(self.variable, self.cells, setting),)

    def conclude(self, answers: tuple[Blurred, ...], setting: Setting) -> PopulationSums:
        (answer,) = answers
        sums = in_units(moments(self.variable, self.cells, setting), answer, setting)
        return PopulationSums(Means(sums, bootstrap=self.bootstrap), setting.size or 0)


@dataclass(frozen=True)
class Bootstrapped(Around):
    """Replicates of a statistic, as many as were asked for."""

    inner: Mean | Sum | Spread | Quantile
    bootstrap: Bootstrap
    size: int

    @property
    def variable(self) -> Variable:
        return self.inner.variable

    @property
    def tally(self) -> Resamples:
        how = self.bootstrap
        assert how.resample != "moments"
        tally = Resamples(self.variable, self._form, how.resample, how.replicates, self.size)
        return replace(tally, quantile=self.inner.quantile) if isinstance(self.inner, Quantile) else tally

    @property
    def _form(self) -> Form:
        if isinstance(self.inner, Spread):
            return "deviation" if self.inner.root else "variance"
        return "rank" if isinstance(self.inner, Quantile) else "sum"

    def to_json(self) -> dict[str, Any]:
        """What was asked, as a fingerprint takes it."""
        return {**self.inner.to_json(), "bootstrap": self.bootstrap.to_json(), "rows": self.size}

    def tallies(self, setting: Setting, beside: Collection[Moments]) -> tuple[Resamples, ...]:
        return (self.tally,)

    def conclude(self, answers: tuple[Blurred, ...], setting: Setting) -> Replicates:
        (answer,) = answers
        return _replicates(self.statistic, self.tally, answer, self.bootstrap, *self._unit)

    @property
    def _unit(self) -> tuple[float, float, float, float]:
        """What one step is worth in the unit of the statistic, what stands at zero, and the ends of its range."""
        tally, grid = self.tally, self.variable.grid
        code, m = code_of(tally, self.variable), tally.drawn
        lower, upper, centre = float(grid.lower), float(grid.upper), float(grid.centre)
        if isinstance(self.inner, Mean):
            return code / m, centre, lower, upper
        if isinstance(self.inner, Sum):
            return code * self.size / m, centre * self.size, lower * self.size, upper * self.size
        if isinstance(self.inner, Quantile):
            return code, centre, lower, upper
        ddof = self.inner.ddof
        if self.inner.root:
            return code / ROOT_SCALE / sqrt(m * (m - ddof)), 0.0, 0.0, inf
        return code**2 / (m * (m - ddof)), 0.0, 0.0, inf


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
    def tally(self) -> Resamples:
        how = self.bootstrap
        assert how.resample != "moments"
        return Resamples(self.variable, "covariance", how.resample, how.replicates, self.size, other=self.other)

    def to_json(self) -> dict[str, Any]:
        """What was asked, as a fingerprint takes it."""
        both = [self.variable.to_json(), self.other.to_json()]
        return {"statistic": "cov", "of": both, "bootstrap": self.bootstrap.to_json(), "rows": self.size}

    def tallies(self, setting: Setting, beside: Collection[Moments]) -> tuple[Resamples, ...]:
        return (self.tally,)

    def conclude(self, answers: tuple[Blurred, ...], setting: Setting) -> Replicates:
        (answer,) = answers
        tally, m = self.tally, self.tally.drawn
        step = code_of(tally, self.variable) * code_of(tally, self.other) / (m * (m - 1))
        lower = 0.0 if self.variable == self.other else -inf
        return _replicates(self.statistic, tally, answer, self.bootstrap, step, 0.0, lower, inf)


def code_of(tally: Resamples, variable: Variable) -> float:
    """What one rounded code is worth in the variable's unit."""
    return float(variable.grid.code_step) * tally.coarse(variable)


def _replicates(
    statistic: str,
    tally: Resamples,
    answer: Blurred,
    how: Bootstrap,
    step: float,
    offset: float,
    lower: float,
    upper: float,
) -> Replicates:
    values = answer.table[0].astype(float) * step + offset
    n, m = tally.size, tally.drawn
    spread = {"half-sample": (n - m) / m, "multinomial": (n - 1) / n, "weights": 1.0}[tally.design]
    balanced = tally.design == "weights" and tally.form == "sum"
    noise = Noise(answer.laws[0], step)
    return Replicates(statistic, np.asarray(values), noise, how, n, spread, balanced, lower, upper)
