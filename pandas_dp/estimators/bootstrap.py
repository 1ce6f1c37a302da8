"""A statistic with the error that sampling gives it: from its moments, or from replicates on resampled rows."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from math import inf, sqrt
from typing import ClassVar

import numpy as np

from ..domain import Kind
from ..errors import UnsupportedArgument
from ..evidence import Bootstrap, Means, Noise, PopulationSums, Replicates
from ..neighbours import Setting
from ..tally import ONE_CELL, Blurred, Cells, Moments, Resamples, Variable
from ..tally.resamples import ROOT_SCALE, Form
from .estimator import Estimator
from .means import Mean
from .moments import in_units, moments
from .quantiles import Quantile
from .spreads import Spread
from .sums import Sum

FEWEST = 4  # rows of which half have a variance


def with_bootstrap(estimator: Estimator, how: Bootstrap, setting: Setting) -> Estimator:
    """The same question, answered with the error of sampling."""
    if how.method == "moments":
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
        + (f"; {_OTHERS} can." if isinstance(estimator, Quantile) else "."),
        argument="bootstrap",
    )


_OTHERS = "method='weights' or 'half-sample'"


def _from_replicates(estimator: Estimator, how: Bootstrap, setting: Setting) -> Estimator:
    if not isinstance(estimator, Mean | Sum | Spread | Quantile):
        raise UnsupportedArgument(
            f"{estimator.statistic} takes no bootstrap=; mean, sum, var, std, median and quantile do.",
            argument="bootstrap",
        )
    if setting.size is None or setting.moves.vanish or estimator.cells.keys or estimator.variable.nullable:
        raise UnsupportedArgument(
            f"method={how.method!r} resamples a public number of rows: whole columns declared without gaps, one row "
            "replaced, no groups; method='moments' gives means their errors everywhere.",
            argument="method",
        )
    if setting.size < FEWEST:
        raise UnsupportedArgument(f"method={how.method!r} needs {FEWEST} rows at least.", argument="method")
    if how.method == "weights" and how.replicates % 2:
        raise UnsupportedArgument(
            "method='weights' needs an even number of replicates, so that each row is in half of them.",
            argument="bootstrap",
        )
    return Bootstrapped(estimator, how, setting.size)


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

    def tallies(self, setting: Setting, beside: Collection[Moments]) -> tuple[Moments, ...]:
        return (moments(self.variable, self.cells, setting),)

    def conclude(self, answers: tuple[Blurred, ...], setting: Setting) -> PopulationSums:
        (answer,) = answers
        sums = in_units(moments(self.variable, self.cells, setting), answer, setting)
        return PopulationSums(Means(sums, bootstrap=self.bootstrap), setting.size or 0)


@dataclass(frozen=True)
class Bootstrapped:
    """Replicates of a statistic, as many as were asked for."""

    inner: Mean | Sum | Spread | Quantile
    bootstrap: Bootstrap
    size: int

    @property
    def variable(self) -> Variable:
        return self.inner.variable

    @property
    def statistic(self) -> str:
        return self.inner.statistic

    @property
    def cells(self) -> Cells:
        return self.inner.cells

    @property
    def kind(self) -> Kind:
        return self.inner.kind

    @property
    def tally(self) -> Resamples:
        how = self.bootstrap
        assert how.method != "moments"
        q = {"quantile": self.inner.quantile} if isinstance(self.inner, Quantile) else {}
        return Resamples(self.variable, self._form, how.method, how.replicates, self.size, **q)

    @property
    def _form(self) -> Form:
        if isinstance(self.inner, Spread):
            return "deviation" if self.inner.root else "variance"
        return "rank" if isinstance(self.inner, Quantile) else "sum"

    def tallies(self, setting: Setting, beside: Collection[Moments]) -> tuple[Resamples, ...]:
        return (self.tally,)

    def conclude(self, answers: tuple[Blurred, ...], setting: Setting) -> Replicates:
        (answer,) = answers
        tally, how = self.tally, self.bootstrap
        step, offset, lower, upper = self._unit
        values = answer.table[0].astype(float) * step + offset
        n, m = self.size, tally.drawn
        spread = {"half-sample": (n - m) / m, "resample": (n - 1) / n, "weights": 1.0}[tally.design]
        balanced = tally.design == "weights" and tally.form == "sum"
        noise = Noise(answer.laws[0], step)
        return Replicates(self.statistic, np.asarray(values), noise, how, n, spread, balanced, lower, upper)

    @property
    def _unit(self) -> tuple[float, float, float, float]:
        """What one step is worth in the unit of the statistic, what stands at zero, and the ends of its range."""
        tally, grid = self.tally, self.variable.grid
        code, m = float(grid.code_step) * tally.coarse, tally.drawn
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
