"""Formulas of regressions: `"np.log(wage) ~ school + C(region)"` as values. Nothing in them is evaluated."""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from math import prod
from typing import Any

from ..errors import MissingExtra, UnknownColumn, UnsupportedArgument
from .conclude_calculations import Calculation, power_of
from .moments.solve import MatrixColumn
from .ols.solve_design import Block, RegressionDesign

NAME = r"[^\W\d]\w*|`[^`]+`"
CALLED = re.compile(rf"([\w.]+)\(\s*({NAME})\s*\)")
CALL = re.compile(r"([\w.]*)\s*\(")
POLY = re.compile(rf"poly\(\s*({NAME})\s*,\s*(?:degree\s*=\s*)?(\d+)\s*(?:,\s*raw\s*=\s*\w+\s*)?\)")
READS_DATA = frozenset({"center", "scale", "standardize", "poly", "bs", "cr", "cs", "cc", "te", "hashed", "ns", "rank"})
MOST = 10_000  # letters of a formula
MOST_TERMS = 50_000  # that products in it may stand for
MOST_DEGREE = 6


@dataclass(frozen=True)
class Factor:
    """A column, as a number, a power of it, or as the levels of a categorical, or its spline."""

    column: Hashable
    levels: bool = False  # C(column) was asked for
    spline: bool = False  # s(column)
    degree: int = 1  # I(column ** degree)

    def __str__(self) -> str:
        if self.degree > 1:
            return f"I({self.column} ** {self.degree})"
        return f"C({self.column})" if self.levels else f"s({self.column})" if self.spline else str(self.column)


Term = tuple[Factor, ...]


@dataclass(frozen=True)
class Formula:
    """What explains what: the response, terms of one factor or of several that are multiplied, and the constant.

    Of `endogenous` factors, which are terms too, `instruments` are used in place of themselves.
    """

    response: Hashable
    terms: tuple[Term, ...]
    intercept: bool = True
    endogenous: tuple[Factor, ...] = ()
    instruments: tuple[Term, ...] = ()

    @property
    def factors(self) -> tuple[Factor, ...]:
        """All of them, each once."""
        return tuple(dict.fromkeys(factor for term in (*self.terms, *self.instruments) for factor in term))

    @property
    def columns(self) -> tuple[Hashable, ...]:
        """All columns that are named, the response first."""
        return tuple(dict.fromkeys((self.response, *(factor.column for factor in self.factors))))

    @property
    def calculations(self) -> list[Calculation]:
        """The columns that it makes itself."""
        return [column for column in self.columns if isinstance(column, Calculation)]

    @property
    def powers(self) -> dict[Hashable, int]:
        """The highest of each column of which there is one."""
        found = sorted((factor for factor in self.factors if factor.degree > 1), key=lambda factor: factor.degree)
        return {factor.column: factor.degree for factor in found}

    @property
    def typed(self) -> dict[Hashable, Hashable]:
        """Each column that is named, and how it is typed."""
        levels = {factor.column for factor in self.factors if factor.levels}
        return {column: f"C({column})" if column in levels else column for column in self.columns}

    @property
    def products(self) -> list[tuple[Hashable, Hashable]]:
        return [(term[0].column, term[1].column) for term in self.terms if len(term) == 2]

    def __str__(self) -> str:
        plain = [term for term in self.terms if not (len(term) == 1 and term[0] in self.endogenous)]
        parts = [*(["1"] if not plain and self.intercept else []), *map(said, plain)]
        if self.endogenous:
            parts.append(f"[{' + '.join(map(str, self.endogenous))} ~ {' + '.join(map(said, self.instruments))}]")
        return f"{self.response} ~ {' + '.join(parts)}{'' if self.intercept else ' - 1'}"


def said(term: Term) -> str:
    """As it is typed."""
    return ":".join(map(str, term))


def formula_of(statistic: str, formula: object, regressors: object = None) -> Formula:
    """A formula as text, or a response and a list of columns.

    Examples
    --------
    >>> formula_of("ols", "wage", ["school", "region"]).columns
    ('wage', 'school', 'region')
    """
    if isinstance(formula, Formula) and regressors is None:
        return _checked(statistic, formula)
    if regressors is not None:
        if isinstance(regressors, str) or not isinstance(regressors, Sequence):
            raise UnsupportedArgument(f"{statistic} takes regressors as a list of columns: ['school', 'region'].")
        listed = [_label(each, statistic) for each in regressors]
        return _checked(statistic, Formula(_label(formula, statistic), tuple((Factor(each),) for each in listed)))
    if not isinstance(formula, str) or "~" not in formula:
        raise UnsupportedArgument(
            f"{statistic} takes a formula, {statistic}('wage ~ school + C(region)'), or a response and a list of "
            f"columns, {statistic}('wage', ['school', 'region'])."
        )
    return _checked(statistic, _parsed(formula, statistic))


def with_instruments(formula: object) -> Formula:
    """Of a column that is instrumented."""
    read = formula_of("iv", formula)
    if not read.endogenous:
        raise UnsupportedArgument(
            "iv needs a column that is instrumented and its instruments, in brackets: 'wage ~ age + [school ~ near]'."
        )
    return read


def _label(given: Any, statistic: str) -> Hashable:
    try:
        hash(given)
    except TypeError:
        raise UnsupportedArgument(f"{statistic} names columns by their labels in the table.") from None
    label: Hashable = given
    return label


def _parsed(text: str, statistic: str) -> Formula:
    """By formulaic's parser, which reads the text and nothing else: no data, no variables of the caller."""
    try:
        from formulaic.errors import FormulaicError
        from formulaic.parser import DefaultFormulaParser
    except ImportError as error:
        raise MissingExtra(
            f'formulas need a package that is not installed; pip install "pandas-dp[formula]", or name columns: '
            f"{statistic}('wage', ['school', 'region']).",
            extra="formula",
        ) from error
    parser = DefaultFormulaParser(feature_flags=DefaultFormulaParser.FeatureFlags.ALL)
    try:
        if _terms_at_most(parser.get_ast(text[:MOST])) > MOST_TERMS:
            raise UnsupportedArgument(
                f"{statistic} was given a formula with products of more than {MOST_TERMS:,} terms, and multiplies two "
                "columns at most; write those products out, or ( )**2 of a few columns."
            )
        found = parser.get_terms(text[:MOST])
    except (FormulaicError, SyntaxError, RecursionError):
        raise _unread(statistic) from None
    left, right = getattr(found, "lhs", ()), getattr(found, "rhs", None)
    root, stages = getattr(right, "root", right), getattr(right, "deps", ())
    if root is None or not hasattr(root, "__iter__") or isinstance(root, tuple) or len(stages) > 1:
        raise _unread(statistic)
    responses = list(left)
    if len(responses) != 1 or len(responses[0].factors) != 1:
        raise UnsupportedArgument(f"{statistic} explains one column: 'wage ~ school + age'.")
    left_of = _factors(responses[0].factors[0], statistic)
    response = left_of[0]
    if len(left_of) > 1 or response.levels or response.spline or response.degree > 1:
        raise UnsupportedArgument(
            f"{statistic} explains a number, which stands before ~ by its name alone, or as a logarithm, np.log(wage)."
        )
    terms, constant = _terms(root, statistic)
    endogenous: tuple[Factor, ...] = ()
    instruments: tuple[Term, ...] = ()
    for stage in stages:
        explained, _ = _terms(stage.lhs, statistic)
        endogenous = tuple(term[0] for term in explained if len(term) == 1)
        instruments, _ = _terms(stage.rhs, statistic)
        if len(endogenous) < len(explained):
            raise _unread(statistic)
        predicted = {f"{factor}_hat" for factor in endogenous}
        terms = tuple(term for term in terms if said(term) not in predicted) + tuple((factor,) for factor in endogenous)
    return Formula(response.column, terms, constant, endogenous, instruments)


def _terms_at_most(part: Any) -> int:
    """How many terms it could have when products are written out, which they are only where these are few."""
    arguments = [_terms_at_most(each) for each in getattr(part, "args", ())]
    if not arguments:
        return 1
    many, sign = sum(arguments), str(part.operator.symbol)
    if sign in ("**", "^"):
        power = getattr(part.args[-1], "token", "")
        many = arguments[0] ** int(power) if power.isdecimal() and len(power) == 1 else MOST_TERMS + 1
    elif sign in ("*", ":", "/", "%in%"):
        many += prod(arguments)
    return min(many, MOST_TERMS + 1)


def _terms(found: Any, statistic: str) -> tuple[tuple[Term, ...], bool]:
    """The terms, those of fewer factors first, and whether the constant is one of them."""
    terms: list[Term] = []
    constant = False
    for each in found:
        factors = [_factors(factor, statistic) for factor in each.factors if factor.expr != "1"]
        terms += product(*factors) if factors else []
        constant |= not factors
    return tuple(sorted(dict.fromkeys(terms), key=len)), constant


def _factors(found: Any, statistic: str) -> list[Factor]:
    """What it stands for: of `poly(x, 2)` the number and its square."""
    method = found.eval_method.value
    if method == "lookup":
        return [Factor(found.expr)]
    called = CALLED.fullmatch(found.expr) if method == "python" else None
    if called is not None and called[1] in ("C", "s"):
        return [Factor(called[2].strip("`"), called[1] == "C", called[1] == "s")]
    poly = POLY.fullmatch(found.expr) if method == "python" else None
    if poly is not None:
        return [_power(poly[1].strip("`"), degree + 1, statistic) for degree in range(int(poly[2][:2]))]
    call = CALL.match(found.expr)
    if method != "python" or (call and call[1].rsplit(".", 1)[-1] in READS_DATA | {"C", "s"}):
        raise _not_offered(found.expr, statistic)
    column, degree = power_of(found.expr)
    if isinstance(column, Calculation):
        column.columns  # noqa: B018  refuses what is none
    return [_power(column, degree, statistic)]


def _power(column: Hashable, degree: int, statistic: str) -> Factor:
    if not 1 <= degree <= MOST_DEGREE:
        raise UnsupportedArgument(
            f"{statistic} takes powers of a column up to the {MOST_DEGREE}th; piecewise linear functions follow a "
            "curve that bends more often, moments(..., splines={'age': [18, 40, 66]}).dp.learn.additive(...)."
        )
    return Factor(column, degree=degree)


def _not_offered(expression: str, statistic: str) -> UnsupportedArgument:
    """Why it is not, and what to write in its place."""
    call = CALL.match(expression)
    name = call[1].rsplit(".", 1)[-1] if call else ""
    if name == "C":
        return UnsupportedArgument(
            "C(column) takes a column and nothing else: its levels are the declared categories, the first of which is "
            "the reference; declare them in the order that you want."
        )
    if name in READS_DATA:
        return UnsupportedArgument(
            f"{name}() would be made from the rows, and columns that mix rows are not what the guarantee covers; "
            "slopes do not depend on the centre, fit.dp.standardized() gives them by standard deviations at no cost, "
            "and splines have declared knots, moments(..., splines={'age': [18, 40, 66]})."
        )
    return UnsupportedArgument(
        f"formulas of {statistic} have columns, C(column), calculations such as np.log(wage) and I(age ** 2), :, *, + "
        "and - in them; write a number that is multiplied within I( )."
    )


def _unread(statistic: str) -> UnsupportedArgument:
    return UnsupportedArgument(
        f"this is no formula that {statistic} reads; it has one ~ with a column before it, and columns, C(column), :, "
        "*, +, -, ( )**2 behind it, and for instruments [school ~ distance]."
    )


def _checked(statistic: str, formula: Formula) -> Formula:
    columns = [factor.column for term in formula.terms for factor in term]
    if formula.response in columns or formula.response in [f.column for term in formula.instruments for f in term]:
        raise UnsupportedArgument(f"{statistic} was asked to explain a column by itself; leave it out behind ~.")
    if len(set(formula.terms)) < len(formula.terms):
        raise UnsupportedArgument(f"{statistic} was given a column twice; name it once.")
    if not formula.terms and not formula.intercept:
        raise UnsupportedArgument(f"{statistic} needs something to explain the response by: name a column behind ~.")
    long = next((term for term in formula.terms if len(term) > 2), None)
    if long is not None:
        raise UnsupportedArgument(
            f"{said(long)} multiplies {len(long)} columns; {statistic} multiplies two at most. Ask by group, "
            f"df.dp.groupby({long[0].column!r}).{statistic}(...), for what differs between groups."
        )
    bent = next((term for term in formula.terms if len(term) > 1 and any(f.degree > 1 for f in term)), None)
    if bent is not None:
        raise UnsupportedArgument(
            f"{said(bent)} multiplies a power by a column, which {statistic} does not; ask by group, "
            f"df.dp.groupby(...).{statistic}(...), or multiply the column itself."
        )
    if formula.endogenous and len(formula.instruments) < len(formula.endogenous):
        raise UnsupportedArgument(f"{statistic} needs an instrument at least for each column that is instrumented.")
    return replace(formula, terms=tuple(sorted(formula.terms, key=len)))


INTERCEPT = Block("Intercept", (0,), ("Intercept",))


def design_of(formula: Formula, columns: Sequence[MatrixColumn], statistic: str) -> RegressionDesign:
    """The first declared level of each categorical is the reference; without a constant the first of them has none."""
    return Laid(formula, tuple(columns), statistic).design


@dataclass(frozen=True)
class Laid:
    """A formula and the columns that there are."""

    formula: Formula
    columns: tuple[MatrixColumn, ...]
    statistic: str

    @property
    def design(self) -> RegressionDesign:
        blocks = [INTERCEPT] if self.formula.intercept else []
        whole = not self.formula.intercept  # whether all levels of the next categorical are regressors
        for term in self.formula.terms:
            levels = len(term) == 1 and self._is_levels(term[0])
            blocks.append(self._block(term, whole and levels))
            whole &= not levels
        instruments = [self._block(term, False) for term in self.formula.instruments]
        return RegressionDesign(
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
            at = self._number(factor.column) if factor.degree == 1 else self._power(factor)
            return Block(str(factor), (at,), (self.columns[at].name,), endogenous)
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

    def _power(self, factor: Factor) -> int:
        for at, column in enumerate(self.columns):
            if (column.sort, column.term, column.level) == ("power", factor.column, factor.degree):
                return at
        raise UnknownColumn(f"this release holds no {factor}; ask the rows for it, ols('wage ~ age + {factor}', ...).")

    def _is_levels(self, factor: Factor) -> bool:
        return (
            factor.degree == 1
            and factor.column in self._levels
            and (factor.levels or factor.column not in self._numbers)
        )

    def _number(self, column: Hashable) -> int:
        if column in self._numbers:
            return self._numbers[column]
        if column in self._levels:
            raise UnsupportedArgument(
                f"column {column!r} is held as categories in this release, and {self.statistic} needs a number here; "
                "for a category, ask about df[column] == category, a column of its own that is yes or no."
            )
        held = dict.fromkeys([*map(str, self._numbers), *(f"C({name})" for name in self._levels)])
        raise UnknownColumn(
            f"this release holds no column {column!r}; it holds {', '.join(held)}. Ask for it among the columns "
            "of moments."
        )

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
