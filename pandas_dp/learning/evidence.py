"""What is released of clusters, classifiers, additive models and components."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal, NoReturn, Self

import numpy as np
from numpy.typing import NDArray

from ..core.arrays import Array, Floats
from ..core.evidence.evidence import INTERVALS, Evidence, Seen
from ..core.evidence.noise import Noise
from ..errors import NotConcluded
from ..models.moments.solve import MatrixColumn
from .solve import ScoreFit, clustered, middles


@dataclass(frozen=True)
class Centres(Evidence):
    """How many rows each cluster has, by the noisy counts of its cells, and where its centre is.

    Nothing is said of how far a centre is off: it is a function of noisy counts that no theory follows.
    """

    values: Seen
    centres: np.ndarray[Any, np.dtype[np.float64]]  # one row a cluster, in the units of the columns
    columns: tuple[Any, ...]
    edges: tuple[tuple[float, ...], ...]
    grid: np.ndarray[Any, np.dtype[np.int64]]  # of each cell, the last column running fastest
    noise: Noise
    seed: int
    statistic: ClassVar[str] = "rows"
    kind: ClassVar[str] = "centres"
    accessor: ClassVar[str] = "learning.accessor_learned:ClustersAccessor"
    has_intervals: ClassVar[bool] = False
    noisy: ClassVar[int] = 0

    @classmethod
    def of(
        cls, names: tuple[Any, ...], edges: tuple[tuple[float, ...], ...], counts: Any, noise: Noise, k: int, seed: int
    ) -> Self:
        """The k clusters of cells with these counts; distances are in the ranges of the columns."""
        low, span = spans(edges)
        numbers = np.asarray(counts, dtype=float)
        centres, own = clustered(numbers, (middles(edges) - low) / span, noise.sd, k, seed)
        rows = np.bincount(own, weights=numbers, minlength=k)
        return cls(rows, low + centres * span, names, edges, np.asarray(counts, dtype=np.int64), noise, seed)

    @property
    def names(self) -> list[Any]:
        return [tuple(name) if isinstance(name, list) else name for name in self.columns]

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(len(edges) - 1 for edges in self.edges)

    def measures(self, confidence: float, target: str) -> dict[str, Array]:
        where = {f"centre of {name}": self.centres[:, at] for at, name in enumerate(self.names)}
        return {self.statistic: self.estimate, **where}

    def interval(self, confidence: float, target: str) -> NoReturn:
        raise NotConcluded(
            "nothing is known of how far the centre of a cluster is off; the noise of each cell is, see "
            "release.dp.grid().",
        )

    def unsaid_because(self) -> str | None:
        return None


def spans(edges: tuple[tuple[float, ...], ...]) -> tuple[Floats, Floats]:
    """Where each range starts, and how long it is."""
    low = np.array([each[0] for each in edges])
    return low, np.array([each[-1] for each in edges]) - low


PLAIN = (bool, int, float, str)


@dataclass(frozen=True)
class Feature:
    """A key of a table: its categories, in their order, or the edges of its bins; a last cell may hold all others."""

    name: Any
    values: tuple[Any, ...] = ()
    edges: tuple[float, ...] = ()
    other: bool = False

    @property
    def column(self) -> Any:
        """Its name in a table, which JSON has as a list where it is a tuple."""
        return tuple(self.name) if isinstance(self.name, list) else self.name

    @property
    def size(self) -> int:
        return max(len(self.values), len(self.edges) - 1) + self.other

    @property
    def labels(self) -> list[str]:
        """As a table shows them."""
        pairs = zip(self.edges, self.edges[1:], strict=False)
        bins = [f"[{low}, {high})" for low, high in pairs]
        return [*(map(str, self.values) if self.values else bins), *(["other"] if self.other else [])]

    def places(self, column: NDArray[Any]) -> NDArray[np.intp]:
        """The cell of each value, −1 for those in none; numbers beyond the bins are in the nearest."""
        outside = self.size - 1 if self.other else -1
        if not self.edges:
            known = {value: place for place, value in enumerate(self.values)}
            found = [_place(value, known, outside) for value in column.tolist()]
            return np.array(found, dtype=np.intp)
        numbers = as_numbers(column)
        there = ~np.isnan(numbers)
        clipped = np.clip(np.where(there, numbers, self.edges[0]), self.edges[0], self.edges[-1])
        cells = np.clip(np.searchsorted(self.edges, clipped, side="right") - 1, 0, len(self.edges) - 2)
        return np.where(there, cells, outside).astype(np.intp)


def _place(value: Any, known: dict[Any, int], outside: int) -> int:
    try:
        return known.get(value, outside)
    except TypeError:  # a list, a mapping
        return outside


def as_numbers(column: NDArray[Any]) -> NDArray[np.float64]:
    """The values as numbers, NaN for what is none."""
    if column.dtype.kind in "biuf":
        return column.astype(np.float64)
    return np.array([_number(value) for value in column.tolist()], dtype=np.float64)


def _number(value: Any) -> float:
    return float(value) if isinstance(value, int | float | np.number) else np.nan


@dataclass(frozen=True)
class NaiveBayes(Evidence):
    """One table of classes × categories for each feature, the tables one after the other, each with its noise.

    A classifier takes the features for independent in each class. Counts below zero are taken for none, and each cell
    gets half a standard deviation of its noise, at least half a row, more: so no class is ruled out by noise.
    """

    values: Seen
    target: Feature
    features: tuple[Feature, ...]
    noises: tuple[Noise, ...]
    statistic: ClassVar[str] = "count"
    kind: ClassVar[str] = "naive bayes"
    accessor: ClassVar[str] = "learning.accessor_learned:BayesAccessor"
    lower: ClassVar[float] = 0.0
    offers: ClassVar[frozenset[str]] = INTERVALS

    def std_error(self, target: str) -> Floats:
        return self._spread([noise.sd for noise in self.noises])

    def interval(self, confidence: float, target: str) -> tuple[Floats, Floats]:
        """For the rows in the data: the noise alone."""
        if target != "sample":
            raise NotConcluded("counts of classes describe the rows in the data; their intervals are for the sample.")
        half = self._spread([noise.half_width(confidence) for noise in self.noises])
        centre = np.asarray(self.values, dtype=float)
        return np.maximum(centre - half, 0.0), np.maximum(centre + half, 0.0)

    @property
    def noisy(self) -> int:
        return len(self.values)

    def half_width(self, confidence: float) -> float:
        return max(noise.half_width(confidence) for noise in self.noises)

    def _spread(self, each: list[float]) -> Floats:
        return np.repeat(each, [self.target.size * feature.size for feature in self.features])

    @cached_property
    def tables(self) -> list[Floats]:
        """Classes × categories of each feature."""
        cells = [self.target.size * feature.size for feature in self.features]
        parts = np.split(np.asarray(self.values, dtype=float), np.cumsum(cells)[:-1])
        return [part.reshape(self.target.size, -1) for part in parts]

    @property
    def log_priors(self) -> Floats:
        """Of each class, by the average of what the tables say of its size, weighed by their noise."""
        sizes = np.array([table.sum(axis=1) for table in self.tables])
        spread = np.array([f.size * n.var for f, n in zip(self.features, self.noises, strict=True)]) + 1e-9
        mean = (sizes / spread[:, None]).sum(axis=0) / (1 / spread).sum()
        least = max(0.5, 0.5 * float(np.sqrt(1 / (1 / spread).sum())))
        margin = np.maximum(mean, 0.0) + least
        return np.asarray(np.log(margin / margin.sum()))

    @property
    def log_likelihoods(self) -> list[Floats]:
        """Of each category in each class, feature by feature."""
        found = []
        for table, noise in zip(self.tables, self.noises, strict=True):
            margin = np.maximum(table, 0.0) + max(0.5, 0.5 * noise.sd)
            found.append(np.log(margin / margin.sum(axis=1, keepdims=True)))
        return found


YES_OR_NO = (0.5, 0.5)  # centre and half of a column of zeros and ones


@dataclass(frozen=True)
class Scores(Evidence):
    """Coefficients of the columns, the constant first; of a discriminant one set below the other, one a class.

    A number counts from the middle of its range, beyond the ends as the ends. `offset` and `slope` make
    log odds of the second class of the score of an additive classifier. Nothing is said of errors: what was shrunk has
    none that a theory follows.
    """

    of: Literal["gam", "gam_classifier", "discriminant"]
    values: Seen
    columns: tuple[MatrixColumn, ...]
    response: Any
    ridge: float
    target: Feature | None = None
    offset: float = 0.0
    slope: float = 0.0
    statistic: ClassVar[str] = "coef"
    kind: ClassVar[str] = "scores"
    accessor: ClassVar[str] = "learning.accessor_learned:ScoresAccessor"
    has_intervals: ClassVar[bool] = False
    noisy: ClassVar[int] = 0

    def interval(self, confidence: float, target: str) -> NoReturn:
        raise NotConcluded(
            f"coefficients of {self.of} are shrunk against noise, so no interval of theirs holds; moments(...).dp.ols "
            "has intervals.",
        )

    @property
    def coefficients(self) -> Floats:
        """One row a score, the constant first."""
        return np.asarray(self.values, dtype=float).reshape(-1, 1 + len(self.columns))


def design(columns: tuple[MatrixColumn, ...], given: dict[Any, NDArray[Any]]) -> Floats:
    """What rows have in each column, from the values of their terms.

    A missing number is in the middle of its range, or of its knots; what is no declared level is in none.
    """
    splines = {each.term for each in columns if each.sort == "hat"}
    linear_basis = {term: [one.level for one in columns if one.term == term] for term in splines}
    found = []
    for each in columns:
        values = given[each.term]
        if each.sort == "level":
            found.append(np.array([_is(value, each.level) for value in values.tolist()], dtype=float))
        elif each.sort == "hat":
            knots = np.array(linear_basis[each.term], dtype=float)
            numbers = as_numbers(values)
            numbers = np.where(np.isnan(numbers), (knots[0] + knots[-1]) / 2, numbers)
            found.append(np.interp(numbers, knots, (knots == each.level).astype(float)))
        else:
            steps = as_numbers(values) - each.centre
            found.append(np.clip(np.where(np.isnan(steps), 0.0, steps), -each.half, each.half))
    rows = len(next(iter(given.values()))) if given else 0
    return np.stack(found, axis=1) if found else np.zeros((rows, 0))


def _is(value: Any, level: Any) -> bool:
    same = value == level
    return isinstance(same, bool | np.bool_) and bool(same)


def scores_of(of: Any, fit: ScoreFit, columns: Sequence[MatrixColumn], places: Sequence[int], response: int) -> Scores:
    """The fit in the units of the columns."""
    used, own = tuple(columns[place] for place in places), columns[response]
    yes = is_yes_or_no(own)
    centre, half = (0.0, 1.0) if yes else (own.centre, own.half)
    values = np.concatenate([[centre + half * fit.constant], half * fit.coefficients / [each.half for each in used]])
    target = Feature(own.term, (False, True)) if yes else None
    return Scores(of, values, used, own.term, fit.ridge, target, fit.offset, fit.slope)


def is_yes_or_no(column: MatrixColumn) -> bool:
    return column.sort == "number" and (column.centre, column.half) == YES_OR_NO


@dataclass(frozen=True)
class Spectrum(Evidence):
    """Variances along components, in half-ranges² or of columns scaled to variance 1, and the components.

    `norms` are 201 evenly spaced quantiles of the norm of the error by noise.
    """

    values: Seen
    columns: tuple[MatrixColumn, ...]
    directions: Floats  # component × column
    gaps: Floats
    means: Floats
    spreads: Floats
    total: float
    norms: Floats
    scaled: bool
    statistic: ClassVar[str] = "variance"
    kind: ClassVar[str] = "spectrum"
    accessor: ClassVar[str] = "learning.accessor_learned:SpectrumAccessor"
    lower: ClassVar[float] = 0.0
    offers: ClassVar[frozenset[str]] = INTERVALS

    @property
    def upper(self) -> float:
        return float(len(self.columns))  # of so many columns, each within a half-range of its middle

    def norm(self, confidence: float) -> float:
        """The error of the matrix is no larger with this probability."""
        place = confidence * (len(self.norms) - 1)
        return float(self.norms[int(np.ceil(place))]) if place <= len(self.norms) - 2 else np.inf

    def interval(self, confidence: float, target: str) -> tuple[Floats, Floats]:
        """For the noise: all variances are off by no more than the norm of the error."""
        if target != "sample":
            raise NotConcluded("components describe the rows in the data; their intervals are for target='sample'.")
        off, found = self.norm(confidence), np.asarray(self.values, dtype=float)
        return np.clip(found - off, 0.0, self.upper), np.clip(found + off, 0.0, self.upper)

    def sines(self, confidence: float) -> Floats:
        """At most, the sine of the angle to the component without noise; 1 says nothing."""
        with np.errstate(all="ignore"):
            sines = 2 * self.norm(confidence) / np.maximum(self.gaps, 0.0)
        return np.asarray(np.minimum(np.nan_to_num(sines, nan=1.0), 1.0))

    def measures(self, confidence: float, target: str) -> dict[str, Array]:
        low, high = self.interval(confidence, target)
        share = np.clip(np.asarray(self.values, float) / max(self.total, 1e-300), 0.0, 1.0)
        sines = self.sines(confidence)
        said = {"variance": self.estimate, "lower": low, "upper": high, "share": share, "sine": sines}
        loadings = {f"loading of {each.name}": self.directions[:, at] for at, each in enumerate(self.columns)}
        return {**said, "separated": sines < 1.0, **loadings}

    @property
    def noisy(self) -> int:
        return len(self.values)
