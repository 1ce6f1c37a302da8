"""`weights=` of a question, and the design of the table that it is about: read, found beside the rows, declared."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import pandas as pd

from ..core.measure.cells import Cells, Key
from ..core.measure.statistic import Columns, Estimator, not_offered, offered
from ..core.protect.mark import as_asked, source_of
from ..core.schema.schema import Domain
from ..core.schema.values import Categories
from ..errors import BadArgument, BadBounds, NoBounds, NotProtected, UnknownColumn, UnsupportedArgument, UnsupportedType
from ..language.graph import Node, source_column
from .measure import Weight
from .rows import Sampled
from .schema import Design, check_name, check_units
from .statistic import Survey, SurveyCount, SurveyEstimate

if TYPE_CHECKING:
    from ..core.protect.tables import Subject
    from ..core.session.session_core import SessionCore


TAKERS = (
    "mean",
    "sum",
    "share",
    "count",
    "size",
    "value_counts",
    "histogram",
    "crosstab",
    "pivot_table",
    "agg",
    "ratio",
)


@dataclass(frozen=True)
class Sampling:
    """A design, under which names its columns are read, and those that are put beside the rows to be read."""

    design: Design
    labels: Mapping[Hashable, Hashable]
    beside: Mapping[Hashable, Node] = field(default_factory=dict, repr=False)

    @property
    def columns(self) -> list[Hashable]:
        """As they are declared."""
        return self.design.columns

    def subject(self, subject: Subject) -> Subject:
        return subject.with_columns(self.beside) if self.beside else subject

    def survey(self, domain: Domain) -> Survey:
        """What a statistic needs of it; refused where something is not declared."""
        design = self.design
        weight = None if design.weights is None else self._weight(domain)
        strata = None if design.stratum is None else self._strata(domain)
        sizes: tuple[int, ...] | None = None
        population: float | tuple[float, ...] | None = None
        if strata is not None:
            names = strata.labels.values  # type: ignore[union-attr]
            sizes = None if design.sizes is None else tuple(design.sizes[name] for name in names)
            if design.fpc is not None and set(design.fpc) != set(names):
                raise BadArgument("fpc= and the declared strata are different; name each stratum once.")
            population = None if design.fpc is None else tuple(float(design.fpc[name]) for name in names)
            if sizes is not None and min(sizes) == 1 and design.lonely is None:
                raise UnsupportedArgument(
                    "a stratum of one person says nothing of its variance; say lonely='adjust' to take the distance "
                    "from the whole, or lonely='certainty' to take none.",
                    argument="lonely",
                )
        elif design.fpc is not None:
            population = float(design.fpc)
        total = None if design.total_weight is None else float(design.total_weight)
        clusters = None if design.cluster is None else self._clusters(domain)
        nested: tuple[int, ...] | None = None
        if clusters is not None:
            declared = len(clusters.labels.values)  # type: ignore[union-attr]
            nested = (declared,) if design.units is None else tuple(len(each) for each in design.units)
            check_units(nested, design.lonely)
        lonely: Any = design.lonely
        return Survey(weight, strata, sizes, population, total, lonely, clusters, nested)

    def _weight(self, domain: Domain) -> Weight:
        name = self.design.weights
        try:
            bounds = domain.interval(name, "weights")
        except NoBounds as refusal:
            raise NoBounds(
                f"weights {name!r} have no declared bounds, and the widest weight sets the noise; declare them in the "
                f"schema, or pass bounds={{{name!r}: (0, 10)}} with the bounds of all columns.",
                **vars(refusal),
            ) from None
        if bounds.kind not in ("float", "integer"):
            raise UnsupportedType(f"column {name!r} holds times; weights are numbers.", column=name)
        if bounds.lower < 0:
            raise BadBounds(
                f"weights {name!r} may be negative as declared; weights are 0 or more: declare bounds that are.",
                column=name,
            )
        return Weight.of(self.labels[name], bounds)

    def _strata(self, domain: Domain) -> Key:
        name = self.design.stratum
        sizes = self.design.sizes
        categories = domain.categories(name) if sizes is None else Categories(tuple(sizes))
        return Key(self.labels[name], categories)

    def _clusters(self, domain: Domain) -> Key:
        name, units = self.design.cluster, self.design.units
        if units is None:
            return Key(self.labels[name], domain.categories(name))
        return Key(self.labels[name], Categories(tuple(unit for each in units for unit in each)))


def design_of(core: SessionCore, subject: Subject) -> tuple[Sampled | None, Design | None]:
    """The protected table that a question is about, where it is one, and how its rows were sampled."""
    sampled = core.samples.get(subject.frame or subject.data.index.name)
    return sampled, None if sampled is None else sampled.design


def sampling_of(statistic: str, given: Any, unsaid: bool, core: SessionCore, subject: Subject) -> Sampling | None:
    """What a question says of weights, or the design of its table; None where it is about the rows as they are."""
    sampled, design = design_of(core, subject)
    if unsaid:
        given = None
    elif given is None:
        return None
    if not unsaid and not isinstance(given, pd.Series):
        check_weights(statistic, given)
    if given is None and design is None:
        return None
    if statistic not in TAKERS:
        takers = ", ".join(each for each in TAKERS[:-1] if each != "agg")
        raise not_offered("a design" if unsaid else "a weight", statistic, takers=f"{takers} and {TAKERS[-1]}")
    found: dict[Hashable, Hashable] = {}
    columns: dict[Hashable, Node] = {}
    taken = set(subject.data.columns if isinstance(subject.data, pd.DataFrame) else [subject.data.name])
    if given is not None:
        name = given.name if isinstance(given, pd.Series) else given
        check_name("weights", name)
        design = Design(weights=name) if design is None else replace(design, weights=name, total_weight=None)
        if isinstance(given, pd.Series):
            found[name] = _label(name, taken)
            columns[found[name]] = _beside(given, subject)
        elif isinstance(subject.data, pd.DataFrame) and name in taken:
            subject.check_followed([name])
            found[name] = name
        elif sampled is None:
            raise UnknownColumn("weights= names a column that the table does not have.", argument="weights")
        else:
            found[name] = _label(name, taken)
            sampled.check(name, subject)
            columns[found[name]] = source_column(name)
    assert design is not None
    for name in [name for name in design.columns if name not in found]:
        assert sampled is not None
        sampled.check(name, subject)
        found[name] = _label(name, taken)
        columns[found[name]] = source_column(name)
    return Sampling(design, found, columns)


def surveyed(columns: Columns, survey: Survey, statistic: str, column: Hashable, cells: Cells, **how: Any) -> Estimator:
    """The question about the population that the rows were sampled from."""
    if statistic in ("mean", "sum"):
        variable = columns.variable(column).for_sums
        if statistic == "sum" and variable.interval.kind == "datetime":
            raise UnsupportedType(f"column {column!r} holds points in time, which have no sum.", column=column)
        return SurveyEstimate(variable, survey, statistic, cells)  # type: ignore[arg-type]
    if statistic == "share":
        return SurveyEstimate(columns.condition(column), survey, "share", cells)
    if statistic == "count" and survey.weight is not None:
        return SurveyCount(survey, cells, columns.presence(column))
    if statistic == "count":
        check_clustered(statistic, survey)
        return offered()[statistic].make(columns, column, cells, **how)
    raise not_offered("weights", statistic)


def check_clustered(statistic: str, survey: Survey) -> None:
    """Refused where the error by cluster is not known: that by person would be too small."""
    if survey.clusters is not None and survey.weight is None:
        raise UnsupportedArgument(
            f"{statistic} without weights counts the rows of the sample, and clusters tell the error of what is "
            "estimated; name weights= too, or ask with weights=None about the rows as they are.",
            argument="clusters",
        )


def check_weights(statistic: str, given: Any) -> None:
    """The name of one column; numbers are no column of the table."""
    if statistic == "marginals" and isinstance(given, list | tuple):
        raise UnsupportedArgument(
            "marginals cannot honour weights= with a list: how it divides its cost is cost_shares=.", argument="weights"
        )
    check_name("weights", given)


def _beside(given: Any, subject: Subject) -> Node:
    """A Series of weights is made of the same protected table; in rows that it does not have it is missing."""
    source, asked = source_of(given), as_asked(given)
    if source is None or source.scanned is not subject.rows_of_table or asked.index.name != subject.data.index.name:
        raise NotProtected(
            "weights= was given a Series that was not cut from the same protected table; give df['w'] of that table, "
            "or the name of a column.",
        )
    made = given._dp_made
    if made.rows.conditions:
        made = made.where(made.made(made.rows.condition))
    node: Node = made.read()
    return node


def _label(name: Hashable, taken: set[Any]) -> Hashable:
    """A column of the protected table beside those of the same name that a question may have made since."""
    label = name
    while label in taken:
        label = f"{label} as protected"
    taken.add(label)
    return label
