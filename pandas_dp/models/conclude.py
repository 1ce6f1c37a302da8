"""A released regression read back, predictions for public rows, and regressions that follow from other releases."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from ..core.arguments import check_target
from ..core.arrays import Floats
from ..core.conclude.confint import refuse_protected
from ..core.conclude.numbers import releases, summed_cost
from ..core.conclude.results import LEAST, Conclusion, TestResult
from ..core.evidence.noise import Noise
from ..core.label.label import Label
from ..core.label.layout import Item, Layout, Released
from ..core.label.release import Release, guarantee, publish
from ..errors import NotConcluded, UnknownColumn, UnsupportedArgument, shown
from ..tables.tests.conclude_counted import CountedCells, counted
from .conclude_calculations import Calculation
from .evidence import Fit, RegressionEvidence
from .moments.evidence import GramSums
from .moments.solve import MatrixColumn
from .ols.solve_design import Regression, RegressionDesign
from .solve_sets import with_errors
from .solve_solution import Coefficients, JointTest
from .statistic import model_of
from .tables.evidence import TableFit, TableModel


def coefficient_labels(model: TableModel) -> pd.Index:
    """The names of terms; where several outcomes are compared with the first, under each of them."""
    if len(model.outcomes[0]) == 1:
        return pd.Index(model.names)
    return pd.MultiIndex.from_product([model.answers[1:], model.names], names=[model.response, None])


@dataclass(frozen=True)
class FittedRelease:
    """A release of coefficients."""

    released: Released
    fit: Any  # of least squares, by steps of Newton, or of a table

    @classmethod
    def of(cls, table: Released | pd.DataFrame) -> FittedRelease:
        released = Released.of(table, parts=True)
        fit = released.evidence[0] if len(released.evidence) == 1 else None
        if not isinstance(fit, RegressionEvidence):
            raise NotConcluded("this is concluded from a regression; ask for one by ols, logit or poisson.")
        return cls(released, fit)

    @property
    def rows(self) -> pd.Index:
        """The labels of all coefficients."""
        return self.released.layout.rows

    @property
    def groups(self) -> list[Hashable]:
        """The labels of the groups; None alone where there are none."""
        if not self.fit.has_groups or (len(self.fit.matrices) == 1 and self.rows.nlevels == 1):
            return [None]
        labels = [tuple(label)[:-1] for label in self.rows[:: len(self.fit.design.names)]]
        return [label[0] if len(label) == 1 else label for label in labels]

    @property
    def many(self) -> int:
        """How many coefficients a group has."""
        return len(self.rows) // len(self.groups)

    def target(self, target: str | None) -> str:
        check_target(target)
        return target or self.fit.default_target

    def regressions(self, target: str | None) -> Sequence[Any]:
        return self.fit.regressions(self.target(target))

    def regression(self, group: Hashable, target: str | None) -> Any:
        """That of one group, or the only one."""
        groups = self.groups
        if group is None and len(groups) == 1:
            return self.regressions(target)[0]
        if group is None or group not in groups:
            named = ", ".join(map(repr, groups[:12])) if groups != [None] else ""
            raise UnsupportedArgument(
                f"this regression has a fit for each group; name one by group=: {named}."
                if named
                else "this regression has no groups; leave group= out."
            )
        return self.regressions(target)[groups.index(group)]

    def place(self, name: Any) -> tuple[int, int]:
        """Of a coefficient by the label of its row, its group and its place there."""
        found = [at for at, label in enumerate(self.rows) if label == name]
        if not found:
            raise UnsupportedArgument(
                f"this regression has no such coefficient; it has {', '.join(map(str, self.rows[:20]))}."
            )
        return divmod(found[0], self.many)

    def concluded(self, table: pd.DataFrame, what: str, **said: Any) -> Conclusion:
        """The table, with what it was concluded from."""
        paid = releases([self.released.label])
        found = Conclusion(table)
        found.attrs = {"dp": {"kind": "conclusion", "conclusion": what, **said, "releases": paid, **summed_cost(paid)}}
        return found

    def by_group(self, names: list[str], columns: dict[str, list[Any]], name: str | None = None) -> pd.DataFrame:
        """A row for each name in each group."""
        groups = self.groups
        if groups == [None]:
            return pd.DataFrame(columns, index=pd.Index(names, name=name))
        keys = self.rows.names[:-1]
        rows = [(*(group if isinstance(group, tuple) else (group,)), each) for group in groups for each in names]
        return pd.DataFrame(columns, index=pd.MultiIndex.from_tuples(rows, names=[*keys, name]))

    def said(self, columns: dict[str, Any], index: pd.Index, what: str, level: float, target: str | None) -> Conclusion:
        """Numbers with sets beside them, and what they were concluded from."""
        table = pd.DataFrame(with_errors(columns), index)
        return self.concluded(table, what, confidence=level, target=self.target(target))

    def tested(self, found: JointTest, hypothesis: str) -> TestResult:
        """A hypothesis of several coefficients, with the guarantee of the release."""
        facts = found.statistic, found.pvalue, found.df, hypothesis, self.fit.procedure, self.noise, None
        return TestResult(*facts, guarantee(self.released.label))

    @property
    def noise(self) -> str:
        """What was taken into account, in words."""
        own: str | None = self.fit.noise_said
        return own or f"{self.released.label.mechanism}, allowed for: the equations are linear in the released sums"


def label_text(label: Any) -> str:
    return ", ".join(map(str, label)) if isinstance(label, tuple) else str(label)


@dataclass(frozen=True, eq=False)
class CoefficientsApart:
    """Coefficients of two groups, which have different rows and noise of their own."""

    sides: tuple[tuple[Coefficients, Floats], ...]  # of each those of its group, and the row over them that is meant

    @cached_property
    def coefs(self) -> list[float]:
        return [float((row @ each.coef)[0]) for each, row in self.sides]

    @property
    def std_error(self) -> float:
        return float(np.hypot(*(each.std_error(row)[0] for each, row in self.sides)))

    def ends(self, level: float) -> tuple[float, float]:
        """From the ends of both, as far as independent errors go together (MOVER)."""
        one, other = self.coefs
        (low1, high1), (low2, high2) = ([float(end[0]) for end in each.sets(level, row)] for each, row in self.sides)
        return one - other - np.hypot(one - low1, high2 - other), one - other + np.hypot(high1 - one, other - low2)

    def pvalue(self) -> float:
        """The greatest error at which the interval still holds zero, by bisection of its logarithm."""
        low, high = np.log(LEAST), np.log(1 - 1e-9)
        for _ in range(30):
            middle = (low + high) / 2
            below, above = self.ends(float(-np.expm1(middle)))
            low, high = (middle, high) if below <= 0 <= above else (low, middle)
        return LEAST if low == np.log(LEAST) else float(np.exp(high))


AT_ONCE = 200  # rows whose sets are found together


def ends_of(regression: Coefficients, rows: Floats, level: float) -> tuple[Floats, Floats]:
    """Of combinations of coefficients, however many."""
    parts = [regression.sets(level, rows[at : at + AT_ONCE]) for at in range(0, len(rows), AT_ONCE)]
    if not parts:
        return np.zeros(0), np.zeros(0)
    return np.concatenate([low for low, _ in parts]), np.concatenate([high for _, high in parts])


def standardized(regression: Regression, level: float) -> dict[str, list[float]]:
    """The released standard deviations are public numbers, so slopes by them have the intervals of slopes."""
    numbers = numbers_of(regression)
    rows = np.eye(len(regression.design.names))[numbers]
    response = regression.spread(regression.design.response)
    by = np.array([regression.spread(regression.design.places[at]) for at in numbers]) / response
    low, high = regression.sets(level, rows)
    columns = {"estimate": rows @ regression.coef, "std_error": regression.std_error(rows), "lower": low, "upper": high}
    return {name: (values * by).tolist() for name, values in with_errors(columns).items()}


def numbers_of(regression: Regression) -> list[int]:
    columns, places = regression.matrix.columns, regression.design.places
    return [at for at, place in enumerate(places) if columns[place].sort == "number"]


def public_rows(newdata: Any) -> pd.DataFrame:
    """A table of regressors that holds nobody."""
    refuse_protected(newdata)
    if isinstance(newdata, pd.DataFrame):
        return pd.DataFrame(newdata)
    try:
        return pd.DataFrame(newdata)
    except (TypeError, ValueError):
        raise UnsupportedArgument(
            "predict takes a DataFrame of public rows, or a mapping of columns to lists, e.g. {'age': [30, 60]}."
        ) from None


def values_of(frame: pd.DataFrame, column: MatrixColumn) -> Floats:
    """A column of the expansion, of public rows."""
    if column.sort == "constant":
        return np.ones(len(frame))
    if column.sort == "number":
        return _number(frame, column.term)
    if column.sort == "level":
        return _is_level(frame, column.term, column.level)
    if column.sort == "power" and isinstance(column.level, int):
        return _number(frame, column.term) ** column.level
    pair = column.term if isinstance(column.term, tuple) else (None, None)
    if column.sort == "slope":
        return _is_level(frame, pair[0], column.level) * _number(frame, pair[1])
    return _number(frame, pair[0]) * _number(frame, pair[1])


def _number(frame: pd.DataFrame, name: Any) -> Floats:
    values = pd.to_numeric(_column(frame, name), errors="coerce").to_numpy(dtype=float, na_value=np.nan)
    if not np.isfinite(values).all():
        raise UnsupportedArgument(f"predict needs a finite number in every row of {name!r}.")
    return values


def _is_level(frame: pd.DataFrame, name: Any, level: Any) -> Floats:
    values = _column(frame, name)
    if values.isna().any():
        raise UnsupportedArgument(f"predict needs a category in every row of {name!r}.")
    return np.array([value == level or str(value) == str(level) for value in values], dtype=float)


def check_categories(frame: pd.DataFrame, columns: Sequence[MatrixColumn], used: Sequence[MatrixColumn]) -> None:
    """A category that was not declared would count as the reference."""
    terms = [each.term[0] if each.sort == "slope" and isinstance(each.term, tuple) else each.term for each in used]
    for name in dict.fromkeys(term for term, each in zip(terms, used, strict=True) if each.sort in ("level", "slope")):
        levels = {str(each.level) for each in columns if each.sort == "level" and each.term == name}
        if levels and not set(map(str, _column(frame, name).dropna())) <= levels:
            raise UnsupportedArgument(f"predict was given a category of {name!r} that was not declared.")


def _column(frame: pd.DataFrame, name: Any) -> pd.Series[Any]:
    calculation = Calculation(name) if isinstance(name, str) and name not in frame.columns else None
    if calculation is not None and calculation.tree is not None and not calculation.is_name:
        made = calculation.of(lambda each: _column(frame, each))
        return pd.Series(made, frame.index)
    if name not in frame.columns:
        raise UnknownColumn(f"predict needs the column {name!r} in the rows that it is given.")
    found: pd.Series[Any] = frame[name]
    return found


CHOSEN = "chosen by whoever fitted it; intervals do not know of the choice"


def refit(fitted: FittedRelease, design: RegressionDesign) -> Release:
    """A regression by another design of the columns that a regression was released with."""
    return _published(fitted.released, replace(fitted.fit, design=design), fitted.groups)


def fitted_to(table: Released | pd.DataFrame, design: RegressionDesign, together: bool) -> Release:
    """A regression by a design of a released moment matrix, in each of its groups or in all of them together."""
    released, gram = gram_of(table)
    rows = released.layout.rows
    width = len(gram.columns)
    groups = [None] if rows.nlevels == 1 or together else [tuple(label)[:-1] for label in rows[::width]]
    return _published(released, Fit.of(gram, design, together), groups)


def gram_of(table: Released | pd.DataFrame) -> tuple[Released, GramSums]:
    """A released moment matrix read back."""
    released = Released.of(table)
    gram = released.evidence[0] if len(released.evidence) == 1 else None
    if not isinstance(gram, GramSums):
        raise NotConcluded("this release holds no moment matrix; ask for moments([...]).")
    if released.label.is_reworked:
        raise NotConcluded("this matrix was changed after its release; conclude from the release that it was made of.")
    return released, gram


def _published(released: Released, fit: Fit, groups: list[Any]) -> Release:
    label, names = released.label, fit.design.names
    if label.is_reworked:
        raise NotConcluded("regressions follow from a release as it was published, before it is rounded.")
    rows = pd.Index(names)
    if groups != [None]:
        keys = released.layout.rows.names[:-1]
        split = [group if isinstance(group, tuple) else (group,) for group in groups]
        labels = [(*group, name) for group in split for name in names]
        rows = pd.MultiIndex.from_tuples(labels, names=[*keys, None])
    chosen = {"of": label.id, "formula": fit.design.formula, "said": CHOSEN}
    changed: dict[str, Any] = {"statistic": "ols", "chosen": chosen, "estimand": fit.estimand, "selected": None}
    return _with_fit(label, rows, Item(None, "coef", "float", fit), changed)


def _with_fit(label: Label, rows: pd.Index, item: Item, changed: dict[str, Any]) -> Release:
    """Coefficients in place of what they were concluded from."""
    frame, place = Layout(rows, None, "measures").frame([item], label.confidence)
    (facts,) = label.evidence
    said: dict[str, Any] = {name: facts[name] for name in ("column", "asked") if name in facts}
    own = {} if item.column is None else {"column": item.column}
    evidence = {**said, **own, "type": "float", **item.evidence.to_json()}
    return publish(frame, replace(label, evidence=(evidence,), **changed, **place))


def table_regression(
    table: Released | pd.DataFrame,
    statistic: str,
    response: Hashable,
    terms: Sequence[Sequence[str]] | None,
    cov_type: str | None,
    intercept: bool = True,
) -> Release:
    """The regression as a release of its own, at no cost; its label is that of the table. Without terms, all others."""
    released = Released.of(table)
    label = released.label
    if label.count == "people" or label.max_rows is not None:
        raise NotConcluded(
            f"in this table a person may be in several cells, or count by part, which {statistic} does not model; "
            "release a table with one row a person."
        )
    one = counted(released)
    axes = _axes(one)
    names = [name for name, _ in axes]
    if response not in names:
        raise UnsupportedArgument(f"this table has no key of that name to explain; it has {_listed(names)}.")
    place = names.index(str(response))
    others = [axis for axis in axes if axis[0] != response]
    grouped = [[name] for name, _ in others] if terms is None else terms
    odd = next((key for term in grouped for key in term if key not in names), None)
    if odd is not None:
        raise UnsupportedArgument(f"this table has no key {shown(odd)}; it has {_listed(names)}.")
    model = model_of(statistic, others, axes[place], grouped, cov_type, intercept)
    cells = np.moveaxis(one.counts, place, -1)
    zeros: tuple[int, ...] = ()
    if one.possible is not None:
        zeros = tuple(np.flatnonzero(~np.moveaxis(one.possible, place, -1).ravel()).tolist())
    fit = TableFit.of(statistic, np.rint(cells).astype(np.int64).ravel(), Noise(one.law), model, zeros)
    changed = {"columns": (fit.model.response,), "relabelled": None}
    return _with_fit(label, coefficient_labels(fit.model), Item(fit.model.response, statistic, "float", fit), changed)


def _axes(table: CountedCells) -> list[tuple[str, tuple[Any, ...]]]:
    """Each key with more than one category, and its categories in their order."""
    found = []
    for axis in (table.rows, table.columns):
        for level in range(axis.nlevels):
            values = tuple(axis.get_level_values(level).unique())
            if len(values) > 1:
                found.append((str(axis.names[level]), values))
    return found


def _listed(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names)) or "none"
