"""A formula laid on the columns of a moment matrix: which of them are the regressors, and what they are called."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cached_property

from ..dataclass import dataclass
from ..equations.design import Block, Design
from ..equations.moment_matrix import Column
from ..errors import UnknownColumn, UnsupportedArgument
from .formula import Factor, Formula, Term, said

INTERCEPT = Block("Intercept", (0,), ("Intercept",))


def design_of(formula: Formula, columns: Sequence[Column], statistic: str) -> Design:
    """The first declared level of each categorical is the reference; without a constant the first of them has none."""
    return Laid(formula, tuple(columns), statistic).design


@dataclass(frozen=True)
class Laid:
    """A formula and the columns that there are."""

    formula: Formula
    columns: tuple[Column, ...]
    statistic: str

    @property
    def design(self) -> Design:
        blocks = [INTERCEPT] if self.formula.intercept else []
        whole = not self.formula.intercept  # whether all levels of the next categorical are regressors
        for term in self.formula.terms:
            levels = len(term) == 1 and self._is_levels(term[0])
            blocks.append(self._block(term, whole and levels))
            whole &= not levels
        instruments = [self._block(term, False) for term in self.formula.instruments]
        return Design(
            self._number(self.formula.response),
            tuple(block for block in blocks if block.places),
            tuple(dict.fromkeys(place for block in instruments for place in block.places)),
            str(self.formula),
        )

    def _block(self, term: Term, whole: bool) -> Block:
        endogenous = len(term) == 1 and term[0] in self.formula.endogenous
        if len(term) == 2:
            return self._product(term)
        (factor,) = term
        if factor.spline:
            raise UnsupportedArgument(
                f"s({factor.column}) is a smooth function, of which {self.statistic} has no coefficients; leave it "
                "out, or take the column as it is."
            )
        if not self._is_levels(factor):
            at = self._number(factor.column)
            return Block(str(factor.column), (at,), (self.columns[at].name,), endogenous)
        return self._leveled(f"C({factor.column})", self._levels[factor.column], whole, endogenous)

    def _leveled(
        self, name: str, places: Sequence[int], whole: bool, endogenous: bool = False, after: str = ""
    ) -> Block:
        """Of all levels, or of those beside the first."""
        mark = "" if whole else "T."
        names = [f"{name}[{mark}{self.columns[at].level}]{after}" for at in places]
        first = 0 if whole else 1
        return Block(name + after, tuple(places[first:]), tuple(names[first:]), endogenous)

    def _product(self, term: Term) -> Block:
        one, other = (factor.column for factor in term)
        found = self._products.get(frozenset((one, other)))
        if found is not None and not any(factor.levels for factor in term):
            return Block(said(term), (found,), (f"{one}:{other}",))
        for key, number in ((one, other), (other, one)):
            places = self._slopes.get((key, number))
            if places is not None:
                alone = (Factor(number),) not in self.formula.terms
                return self._leveled(f"C({key})", places, alone, after=f":{number}")
        raise UnsupportedArgument(
            f"{said(term)} needs sums of three columns, which this release does not hold; ask "
            f"moments(..., terms=['{one}:{other}']), or, where one of them is a categorical, group by it: "
            f"df.dp.groupby({one!r}).{self.statistic}(...)."
        )

    def _is_levels(self, factor: Factor) -> bool:
        return factor.column in self._levels and (factor.levels or factor.column not in self._numbers)

    def _number(self, column: Hashable) -> int:
        if column in self._numbers:
            return self._numbers[column]
        if column in self._levels:
            raise UnsupportedArgument(
                f"column {column!r} is held as categories in this release, and {self.statistic} needs a number here; "
                "for a category, ask about df[column] == category, a column of its own that is yes or no."
            )
        raise UnknownColumn(
            f"this release holds no column {column!r}; it holds {', '.join(self._held)}. Ask for it among the columns "
            "of moments."
        )

    @property
    def _held(self) -> list[str]:
        return [str(name) for name in dict.fromkeys([*self._numbers, *(f"C({name})" for name in self._levels)])]

    @cached_property
    def _numbers(self) -> dict[Hashable, int]:
        return {column.term: at for at, column in enumerate(self.columns) if column.sort == "number"}

    @cached_property
    def _levels(self) -> dict[Hashable, list[int]]:
        return self._gathered("level")

    @cached_property
    def _slopes(self) -> dict[Hashable, list[int]]:
        return self._gathered("slope")

    @cached_property
    def _products(self) -> dict[frozenset[Hashable], int]:
        pairs = enumerate(self.columns)
        return {frozenset(c.term): at for at, c in pairs if c.sort == "product" and isinstance(c.term, tuple)}

    def _gathered(self, sort: str) -> dict[Hashable, list[int]]:
        found: dict[Hashable, list[int]] = {}
        for at, column in enumerate(self.columns):
            if column.sort == sort:
                found.setdefault(column.term, []).append(at)
        return found
