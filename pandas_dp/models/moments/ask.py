"""`moments`: which terms a moment matrix has, from what was typed; and its release."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from fractions import Fraction
from functools import cached_property
from sys import float_info
from typing import Any, TypeVar, Unpack

import numpy as np
import pandas as pd

from ...core.arguments import is_number
from ...core.door.asking import Asking, TableQuestions
from ...core.door.keywords import Keywords
from ...core.label.label import cell_labels
from ...core.label.layout import Layout
from ...core.label.release import Release
from ...core.measure.cells import Cells, Variable
from ...core.plan.plan import Asked
from ...core.schema.schema import Domain
from ...errors import (
    BadBounds,
    CostNotOffered,
    NoBounds,
    NoCategories,
    UnknownColumn,
    UnsupportedArgument,
    shown,
    wrong_value,
)
from ...numeric.statistic_means import true_or_false
from ..measure import Levels, LinearBasis, Number, Product, Slopes, Term
from ..statistic import GramTable
from .measure_powers import Power

REGRESSIONS = ("ols", "logit", "poisson")
Bent = TypeVar("Bent", Power, Product)


def check_names(statistic: str, frame: pd.DataFrame, names: Iterable[Hashable]) -> None:
    """Refuse a word of a formula that is no column, and name it: it stands in the formula."""
    if statistic not in REGRESSIONS:
        return
    there = [str(column) for column in frame.columns]
    for name in names:
        if isinstance(name, str) and name not in frame.columns:
            near = get_close_matches(name, there, n=1)
            meant = f" (did you mean {near[0]!r}?)" if near else ""
            listed = ", ".join(map(repr, there[:12])) + (", …" if len(there) > 12 else "")
            raise UnknownColumn(f"{statistic} names {name!r}{meant}, which is no column; the table has {listed}.")


def check_bounds(statistic: str, bounds: object, numbers: list[Hashable]) -> None:
    """Refuse one pair for several columns: what explains would be clamped to the bounds of what is explained."""
    if statistic in REGRESSIONS and bounds is not None and not isinstance(bounds, Mapping) and len(numbers) > 1:
        raise BadBounds(
            f"bounds= of {statistic} names columns, e.g. bounds={{{numbers[0]!r}: (0, 40)}}; one pair would clamp all "
            f"{len(numbers)} of its columns of numbers.",
            argument="bounds",
        )


def number_or_sort(column: Hashable, refusal: NoBounds | NoCategories) -> NoBounds | NoCategories:
    """The refusal of a column of which nothing is declared: it may hold numbers or labels."""
    return type(refusal)(
        f"nothing is declared of column {column!r}; say bounds={{{column!r}: (0, 100)}} where it holds numbers, "
        f"categories={{{column!r}: [...]}} where it holds labels, and categories={{{column!r}: [False, True]}} where "
        "it is yes or no, or declare it in the schema.",
        **vars(refusal),
    )


def is_open(domain: Domain, column: Hashable) -> bool:
    """Whether nothing was said of a column, in a schema or in the question."""
    return domain.said_of(column) is None


def two_sorts(statistic: str, one: Hashable, other: Hashable) -> UnsupportedArgument:
    """The refusal of a product of two categoricals."""
    return UnsupportedArgument(
        f"{one!r} and {other!r} are both categories, and {statistic} multiplies numbers, or a number and a category; "
        f"group by one of them, df.dp.groupby({one!r}).{statistic}(...), or make a column of both before: "
        f"df.assign(both=df[{one!r}].astype(str) + ' ' + df[{other!r}].astype(str)), with declared categories."
    )


MOST_COLUMNS = 100
MOST_NUMBERS = MOST_COLUMNS * (MOST_COLUMNS + 1) // 2 * 10  # of all cells together: a label holds them
MOST_TIMES = 100  # by which importance may raise or lower a term


@dataclass(frozen=True)
class RequestedMoments:
    """What a moment matrix is asked of: columns, products of two of them, knots, and how much terms matter."""

    columns: Sequence[Hashable]
    terms: Sequence[Any] = ()
    splines: Mapping[Hashable, Sequence[float]] | None = None
    importance: Mapping[Hashable, float] | None = None
    powers: Mapping[Hashable, int] = field(default_factory=dict)  # of columns the highest
    yes_or_no: Hashable = None  # a column that the question itself takes so, where nothing else is declared


def release_gram(
    frame: pd.DataFrame, requested: RequestedMoments, keys: Sequence[Hashable], keywords: Keywords
) -> Release:
    """A square table over the columns of all terms, in each cell."""
    asking, names = asked(frame, requested, keys, keywords)
    cells = asking.cells(keys) if keys else Cells()
    made = table(asking, names, requested, cells)
    part = Asked(None, made)
    if not made.measurement(asking.public).boxed:
        foreseen: Any = asking.foreseen(part)
        if not all(run.noise.gaussian for run in foreseen.runs):  # Laplace noise would be so wide that it says nothing
            raise CostNotOffered(
                "moments with splines, with a categorical times a number, or with importance= take Gaussian noise; ask "
                "with rho=, or with epsilon=, delta= and mechanism='gaussian'."
            )
    return asking.release([part], layout_of(made))


def asked(
    frame: pd.DataFrame,
    requested: RequestedMoments,
    keys: Sequence[Hashable],
    keywords: Keywords,
    statistic: str = "moments",
) -> tuple[Asking, dict[Hashable, Hashable]]:
    """The question in the making, and the column of each name that was typed: `C(region)` is one of region."""
    names = _names(frame, requested.columns)
    check_names(statistic, frame, names.values())
    constant = next((column for column in names.values() if column in keys), None)
    if constant is not None:
        raise UnsupportedArgument(
            f"column {constant!r} is the same in all rows of a group; leave it out of {statistic}, or do not group by "
            "it.",
            column=constant,
        )
    sorting = keywords.get("categories")
    if keys and sorting is not None and not isinstance(sorting, Mapping):  # a list is of the keys
        keywords = {**keywords, "categories": dict.fromkeys(keys, sorting)}
        sorting = keywords["categories"]
    sorted_by = [column for column in names.values() if isinstance(sorting, Mapping) and column in sorting]
    asking = Asking(
        frame,
        statistic,
        keywords,
        columns=list(names.values()),
        keys=[*keys, *sorted_by] if keys else [],
        sorts_by=("categories", "other"),
    )
    plain = {column for name, column in names.items() if name == column and column not in sorted_by}
    numbers = [column for column in asking.columns if column in plain and not _is_sorted(asking, column)]
    check_bounds(statistic, asking.read.bounds, numbers)
    return asking, {name: column for name, column in names.items() if column in asking.columns}


def table(asking: Asking, names: Mapping[Hashable, Hashable], requested: RequestedMoments, cells: Cells) -> GramTable:
    """The estimator: also what other questions take as the first of several stages."""
    terms = MomentTerms(asking, names, requested).all
    named = ["Intercept", *(column.name for term in terms for column in term.columns)]
    columns = len(named)
    twice = next((name for at, name in enumerate(named) if name in named[:at]), None)
    if twice is not None:
        raise UnsupportedArgument(
            f"two columns of the matrix would be called {twice!r}; rename a column of the table.", name=twice
        )
    if columns > MOST_COLUMNS:
        raise UnsupportedArgument(
            f"moments would have {columns} columns, a constant and one for each number, level and knot, and at most "
            f"{MOST_COLUMNS} are possible; ask for fewer columns, or declare coarser categories.",
            columns=columns,
        )
    if cells.size * columns * (columns + 1) // 2 > MOST_NUMBERS:
        raise UnsupportedArgument(
            f"moments would have {cells.size:,} cells of {columns * (columns + 1) // 2:,} numbers each, and at most "
            f"{MOST_NUMBERS:,} numbers in all are possible; use fewer columns, keys or categories.",
            cells=cells.size,
        )
    return GramTable(tuple(terms), cells, _importance(terms, requested.importance))


def layout_of(asked: GramTable) -> Layout:
    """Square, one below the other for each cell."""
    return square(["Intercept", *(column.name for term in asked.terms for column in term.columns)], asked.cells)


def square(names: Sequence[Any], cells: Cells) -> Layout:
    """A table over these names for each cell, one below the other."""
    across = pd.Index(names)
    if not cells.keys:
        return Layout(across, across, "estimates")
    groups = cell_labels(cells)
    rows = [(*(group if isinstance(group, tuple) else (group,)), name) for group in groups for name in across]
    return Layout(pd.MultiIndex.from_tuples(rows, names=[*groups.names, None]), across, "estimates")


def _names(frame: pd.DataFrame, columns: Any) -> dict[Hashable, Hashable]:
    """Each name as it was typed, and the column it is of."""
    if not isinstance(columns, str | list | tuple | pd.Index):
        raise wrong_value("columns", "be a list of columns", columns)
    typed = [columns] if isinstance(columns, str) else list(columns)
    if not all(isinstance(name, Hashable) for name in typed):
        raise wrong_value("columns", "be a list of columns", columns)
    return {name: str(name)[2:-1].strip() if _is_categorical(name, frame) else name for name in typed}


def _is_categorical(name: object, frame: pd.DataFrame) -> bool:
    return isinstance(name, str) and name.startswith("C(") and name.endswith(")") and name not in frame.columns


def _is_sorted(asking: Asking, column: Hashable) -> bool:
    """Whether categories are declared of it, and no bounds, whatever bounds the question gives."""
    said = asking.subject.domain.said(column)
    return said.kind is None or (said.interval is None and said.categories is not None)


@dataclass(frozen=True)
class MomentTerms:
    """The terms that were asked for, refused one by one where they cannot be."""

    asking: Asking
    names: Mapping[Hashable, Hashable]
    requested: RequestedMoments

    @cached_property
    def all(self) -> list[Term]:
        powers = [power for column, degree in self.requested.powers.items() for power in self._powers(column, degree)]
        return [*self.single.values(), *powers, *(self._of_two(each) for each in self._pairs)]

    def _powers(self, column: Hashable, degree: int) -> list[Power]:
        """Of a number from the second to this one."""
        term = self.single[column]
        if not isinstance(term, Number):
            raise UnsupportedArgument(
                f"column {column!r} holds categories here, of which there are no powers; declare bounds of it."
            )
        return [_in_floats(Power(term.variable, each)) for each in range(2, degree + 1)]

    @cached_property
    def single(self) -> dict[Hashable, Term]:
        """The term of each column."""
        splines = _mapping("splines", self.requested.splines, "of columns to their knots, e.g. {'age': [18, 30, 66]}")
        columns = dict.fromkeys(self.names.values())
        other = next((name for name in splines if name not in columns), None)
        if other is not None:
            raise UnknownColumn(f"splines= names {other!r}, which is not among the columns of moments; name it there.")
        return {
            column: self._linear_basis(column, splines[column]) if column in splines else self._plain(column)
            for column in columns
        }

    def _plain(self, column: Hashable) -> Term:
        if column == self.requested.yes_or_no and self.asking.is_yes_or_no(column):
            return Number(true_or_false(column, self.asking.domain.may_lack(column)))
        given = self.asking.read.categories
        said = self.asking.domain.said(column)
        listed = column in given if isinstance(given, Mapping) else given is not None
        forced = column not in self.names or listed
        sorts = said.kind is None or (said.interval is None and said.categories is not None)
        try:
            return Levels(self.asking.key(column)) if forced or sorts else Number(self.asking.number(column))
        except (NoBounds, NoCategories) as refusal:
            if not is_open(self.asking.domain, column):
                raise
            raise refusal if forced else number_or_sort(column, refusal) from None

    def _linear_basis(self, column: Hashable, knots: Sequence[float]) -> Term:
        listed = list(knots) if isinstance(knots, Sequence | np.ndarray) and not isinstance(knots, str) else []
        numbers = [float(knot) for knot in listed if is_number(knot) and abs(knot) <= float_info.max]
        if len(numbers) < max(2, len(listed)) or sorted(set(numbers)) != numbers:
            raise BadBounds(
                f"splines= takes two knots or more of column {column!r}, rising, e.g. [18, 30, 45, 66].", column=column
            )
        return LinearBasis(self.asking.number(column), tuple(numbers))

    @property
    def _pairs(self) -> list[tuple[Hashable, Hashable]]:
        terms = self.requested.terms
        if not isinstance(terms, str | list | tuple):
            raise wrong_value("terms", "be a list of products, e.g. ['age:income']", terms)
        listed = [terms] if isinstance(terms, str) else list(terms)
        pairs = [self._pair(each) for each in listed]
        return list({frozenset(pair): pair for pair in reversed(pairs)}.values())[::-1]  # x:z is z:x

    def _pair(self, term: Any) -> tuple[Hashable, Hashable]:
        parts = term.split(":") if isinstance(term, str) else list(term) if isinstance(term, tuple) else []
        if len(parts) != 2:
            raise UnsupportedArgument(f"terms= takes products of two columns, e.g. 'age:income', not {shown(term)}.")
        bare = [self.names.get(part, part) for part in (p.strip() if isinstance(p, str) else p for p in parts)]
        missing = next((part for part in bare if part not in self.single), None)
        if missing is not None:
            raise UnknownColumn(
                f"terms= multiplies {missing!r}, which is not among the columns of moments; name it there too."
            )
        return bare[0], bare[1]

    def _of_two(self, pair: tuple[Hashable, Hashable]) -> Term:
        one, other = (self.single[column] for column in pair)
        if isinstance(one, Number) and isinstance(other, Number):
            return _in_floats(Product(one.variable, other.variable))
        if isinstance(one, Levels) and isinstance(other, Number):
            return Slopes(one.key, other.variable)
        if isinstance(one, Number) and isinstance(other, Levels):
            return Slopes(other.key, one.variable)
        if isinstance(one, Levels) and isinstance(other, Levels):
            if self.asking.statistic in REGRESSIONS:
                raise two_sorts(self.asking.statistic, *pair)
            raise UnsupportedArgument(
                f"terms= multiplies numbers, or a number and a categorical; for {pair[0]!r} and {pair[1]!r} group by "
                f"one of them: df.dp.groupby({pair[0]!r}).moments([...])."
            )
        raise UnsupportedArgument(
            f"terms= multiplies columns as they are, and {pair[0]!r} or {pair[1]!r} has knots; leave its knots out."
        )


def _in_floats(term: Bent) -> Bent:
    """Refused where its squares, however noisy, would be no float64s."""
    if not 1e-50 <= term.columns[0].half <= 1e50:  # as of a single column
        raise BadBounds(
            f"{term.name} would be too large or too small for sums of squares; rescale the column.",
            column=term.variables[0].column,
        )
    return term


def _mapping(argument: str, given: Any, of: str) -> dict[Any, Any]:
    if given is not None and not isinstance(given, Mapping):
        raise wrong_value(argument, f"be a mapping {of}", given)
    return dict(given or {})


def _importance(terms: Sequence[Term], given: Mapping[Hashable, float] | None) -> tuple[Fraction, ...]:
    given = _mapping("importance", given, "of terms to numbers, e.g. {'wage': 2}")
    if not given:
        return ()
    named: dict[Hashable, int] = {term.name: at for at, term in enumerate(terms)}
    for at, term in enumerate(terms):
        if len({*term.variables, *term.keys}) == 1:
            one: Variable | Any = next(iter((*term.variables, *term.keys)))
            named[one.column] = at
    scales = [Fraction(1)] * len(terms)
    for name, value in given.items():
        if name not in named:
            raise UnknownColumn(
                f"importance= names {name!r}, which is no term of this question; its terms are: "
                f"{', '.join(term.name for term in terms)}."
            )
        if not is_number(value) or not 1 / MOST_TIMES <= value <= MOST_TIMES:
            raise UnsupportedArgument(
                f"importance= takes numbers from {1 / MOST_TIMES:g} to {MOST_TIMES}; one is {shown(value)}.",
                argument="importance",
            )
        scales[named[name]] = Fraction(value).limit_denominator(1000)
    return tuple(scales)


class MomentQuestions(TableQuestions):
    """Sums of products of columns, of which regressions are made."""

    def moments(
        self,
        columns: Sequence[Hashable],
        *,
        terms: Sequence[Any] = (),
        splines: Mapping[Hashable, Sequence[float]] | None = None,
        importance: Mapping[Hashable, float] | None = None,
        **keywords: Unpack[Keywords],
    ) -> Release:
        """The sums of products of each two columns, the constant among them: one release, of which any regression,
        covariance or component of these columns can be concluded. In a grouping, for each cell, at the cost of one.

        Parameters
        ----------
        columns : list of columns
            Numbers with declared bounds; and categoricals, of which each declared category becomes a column. `C(x)` is
            a column of whole numbers taken as a categorical. A row counts where it has all of them.
        terms : list of str, optional
            Products of two of the columns: "age:income", or a number times a categorical, "region:income".
        splines : mapping, optional
            For a column its knots, which you choose, not the data: {"age": [18, 30, 45, 66]}. It then stands as
            piecewise linear functions, one for each knot.
        importance : mapping, optional
            How much a term matters beside others, which count 1: the variance of its sums is divided by about that.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(rho=1e16)  # so much that there is no noise to see
        >>> people = session.protect(pd.DataFrame({"age": [31, 54, 47] * 300, "sex": ["f", "m", "f"] * 300}))
        >>> declared = {"bounds": {"age": (0, 100)}, "categories": {"sex": ["f", "m"]}}
        >>> people.dp.moments(["age", "sex"], rho=1e15, **declared).round(-1).astype(int)
                   Intercept      age  C(sex)[f]  C(sex)[m]
        Intercept        900    39600        600        300
        age            39600  1825800      23400      16200
        C(sex)[f]        600    23400        600          0
        C(sex)[m]        300    16200          0        300
        """
        requested = RequestedMoments(columns, terms, splines, importance)
        both: Any = {**self._declared, **keywords}
        return release_gram(self._frame, requested, self._keys, both)
