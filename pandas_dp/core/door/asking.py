"""A question in the making: the data it is about, its session, what is declared of its columns, and its statistic."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, Literal

import pandas as pd

from ...errors import (
    BadBounds,
    NoBounds,
    NoCategories,
    UnknownColumn,
    UnsupportedArgument,
    UnsupportedType,
    type_of,
)
from ...keys.label import is_unknown
from ...numeric.ask_keywords import check_declared, check_private
from ...numeric.statistic_bootstrap import no_bootstrap, with_bootstrap
from ...numeric.statistic_location import MeanInChosenBounds
from ...numeric.statistic_means import Mean, true_or_false
from ...numeric.statistic_sums import Count
from ...people.ask import Asks, over_keys, over_rows
from ...quantiles.statistic import Quantile, QuantileRange
from ...quantiles.statistic_ranked_values import with_interval
from ...surveys.ask import check_clustered, design_of, sampling_of, surveyed
from ...surveys.statistic import Survey, SurveyCount
from ..evidence.evidence import Evidence
from ..label.label import OTHER, UNWEIGHTED
from ..label.layout import Layout
from ..label.release import Release
from ..lazy_import import named
from ..measure.cells import Cells, Key, Presence, Variable
from ..measure.statistic import Estimator, not_offered, offered
from ..neighbours import PerPerson, PublicFacts
from ..plan.plan import Asked, Plan, Question
from ..promise_registry import PUBLIC, promise_named, takers
from ..protect.session_lookup import measured_columns
from ..protect.tables import WEIGHED, Subject
from ..schema.schema import Domain
from ..schema.values import Breaks, Interval
from ..session.session_core import SessionCore, core_for
from .keywords import UNSAID, Keywords, Questions, read

Data = pd.DataFrame | pd.Series
OF_ANY_KIND = frozenset({"count", "nunique", "size"})
"""Statistics of columns of whatever kind."""
NO_TIMES = {"sum": ("datetime",), **dict.fromkeys(("cov", "corr"), ("datetime", "timedelta"))}
"""Those that times have not, as in pandas."""
LEAST = {"cov": 2, "corr": 2}
MOST_NAMED = 12
MOST_CELLS, MOST_KEYS = 10**7, 30  # a numpy array has at most 32 axes, or 64 since its second version


class Asking:
    """Reads the keywords and finds the session when it is made; `release` plans, pays and answers."""

    def __init__(
        self,
        data: Data,
        statistic: str,
        keywords: Keywords,
        *,
        columns: Sequence[Hashable],
        keys: Sequence[Hashable] = (),
        sorts_by: Sequence[str] = (),
        counts_keys: bool = False,
        counts_rows: bool = False,
        finds: bool = False,
        max_keys: object = None,
        of: tuple[SessionCore, Subject] | None = None,
        leaves_out: bool = False,
    ) -> None:
        """What a question takes beside what its statistic declares: `sorts_by` names keywords about categories that
        belong to it without keys; with `counts_keys` it needs no column beside keys, with `counts_rows` none; `finds`
        keys itself where they are unknown, and counts `max_keys` of a person; `of` is a subject that was found before;
        `leaves_out` columns that are declared to hold no numbers, as all of a table were asked about."""
        self.data = data
        self.statistic = statistic
        self.core = core_for(data) if of is None else of[0]
        for column in (*columns, *keys):
            check_column(data, column)
        for role, names in (("key", keys), ("column", columns)):
            if len(set(names)) < len(names):
                twice = next(name for place, name in enumerate(names) if name in names[:place])
                raise UnsupportedArgument(
                    f"{statistic} was given the {role} {twice!r} twice; name it once.", column=twice
                )
        self.read, declared = read(statistic, keywords), offered().get(statistic)
        self.subject = self.core.subject(data) if of is None else of[1]
        if leaves_out:
            columns = self._of_numbers(columns)
        self.subject.check_followed((*columns, *keys))
        given, self.sampling = self.read.weights, None
        if given is not UNSAID or self.core.samples.are_designed:
            self.sampling = sampling_of(statistic, given, given is UNSAID, self.core, self.subject)
            if given is None and design_of(self.core, self.subject)[1] is not None:
                self.remark(UNWEIGHTED)
        if self.sampling is not None and (self.subject.counted == WEIGHED or self.read.people is not None):
            raise UnsupportedArgument(
                "weights are for tables with one row a person: protect it with one_row=True, or ask about people, "
                "table.groupby(unit).agg(...), with a column of their weights.",
                argument="weights",
            )
        measured = [] if self.sampling is None else self.sampling.columns
        if measured and len(columns) > 1:
            columns = [name for name in columns if name not in measured]
        sorts = self.read.categories is not None
        if not keys and (sorts or self.read.other):
            self._refuse_unsorted((*sorts_by, *(declared.sorts_by if declared else ())))
        sorted_by = list(keys) or list(columns)
        self.unknown = [key for key in sorted_by if is_unknown(self.read.categories, key)] if sorts else []
        if self.unknown and not (finds and len(sorted_by) == 1):
            raise self._cells_unknown()
        finds = finds and (bool(self.unknown) or statistic in ("find_categories", "top_values"))
        self.over_rows: PerPerson | None = None
        if finds:
            self.over_rows = self._over_keys(statistic, max_keys)
        elif self.subject.public.unit is not None or self.read.people is not None:
            self.over_rows = self._over_rows(Asks(statistic, tuple(columns), tuple(keys)))
        self.domain: Domain = self.subject.domain
        if sorts or self.read.bounds is not None or self.read.resolution is not None:
            self.domain = self.domain.override(
                self.read.bounds,
                None if self.unknown else self.read.categories,
                columns=[*columns, *(measured if isinstance(self.read.bounds, Mapping) else [])],
                keys=[*(keys or columns), *(measured if isinstance(self.read.categories, Mapping) else [])],
                whole=self.subject.whole,
                resolution=self.read.resolution,
            )
        if self.read.numeric_only:
            columns = [column for column in columns if self.domain.is_numeric(column)]
        if not columns and not (counts_rows or (keys and (counts_keys or (declared and declared.counts_keys)))):
            raise UnsupportedArgument(f"{statistic} was asked of a table without columns to measure.")
        self.columns = list(columns)
        if self.read.private:
            self._check_private(of_column=not keys and isinstance(data, pd.Series))
        self.survey: Survey | None = None
        if self.sampling is not None:
            self._check_weighted()
            self.survey = self.sampling.survey(self.domain)
            self.subject = self.sampling.subject(self.subject)

    def _of_numbers(self, columns: Sequence[Hashable]) -> list[Hashable]:
        """Those that may hold numbers or times; of the others the answer says that they were left out."""
        bounds = self.read.bounds if isinstance(self.read.bounds, Mapping) else {}
        out = (None, *NO_TIMES.get(self.statistic, ()))
        kept = [name for name in columns if name in bounds or self.subject.domain.said(name).kind not in out]
        gone = [str(name) for name in columns if name not in kept]
        if len(kept) < LEAST.get(self.statistic, 1) or not gone:
            return list(columns)
        more = f" and {len(gone) - MOST_NAMED} more" * (len(gone) > MOST_NAMED)
        self.remark(f"Left out, as they are declared to hold no numbers: {', '.join(gone[:MOST_NAMED])}{more}.")
        return kept

    def remark(self, *sentences: str) -> None:
        """What a reader of the answer is told of how the question was read, once."""
        request = self.read.request
        remarks = tuple(dict.fromkeys([*request.remarks, *sentences]))
        self.read = replace(self.read, request=replace(request, remarks=remarks))

    def _over_rows(self, asks: Asks) -> PerPerson | None:
        """How much of a person counts, where she may have many rows: then the subject is all of them."""
        how = over_rows(self.subject, self.read.people, asks, self.counts_everybody(asks.statistic, *asks.columns))
        if how is None:
            return None
        if self.read.request.bootstrap is not None:
            raise UnsupportedArgument(
                f"{asks.statistic} takes bootstrap= where each person has one row, as people are what was sampled; ask "
                f"about people: table.groupby({self.public.unit!r})[column].mean().dp.mean(bounds=..., "
                "bootstrap=...).",
                argument="bootstrap",
            )
        self.subject = self.core.over_rows(self.subject, how)
        if how.total is not None and self.read.bounds is None:
            bare = [column for column in asks.columns if not self.subject.domain.is_measured(column)]
            ends = (min(how.total[0], 0), max(how.total[1], 0))
            self.read = replace(self.read, bounds=dict.fromkeys(bare, ends) or None)
        return how

    def _over_keys(self, statistic: str, max_keys: object) -> PerPerson | None:
        """How many keys of a person count, where she may have many rows: then the subject is all of them."""
        unknown = bool(self.unknown) or statistic == "find_categories"
        how = over_keys(self.subject, self.read.people, max_keys, statistic, unknown)
        if how is not None:
            self.subject = self.core.over_rows(self.subject, how)
        return how

    def counts_everybody(self, statistic: str, *columns: Hashable) -> bool:
        """Whether the different values of the column that says whose a row is are asked for: people."""
        several = self.subject.public.unit is not None and not self.subject.has_one_row
        return several and statistic == "nunique" and len(columns) == 1 and self.core.tables.is_unit(columns[0])

    @property
    def public(self) -> PublicFacts:
        return self.subject.public

    def takers_of(self, option: str) -> str | None:
        """The promises that offer it, where this question's does not."""
        return None if promise_named(self.read.request.model).takes(option) else takers(option)

    def variable(self, column: Hashable) -> Variable:
        try:
            return Variable(column, self._interval(column))
        except (NoBounds, UnsupportedType) as refusal:
            if isinstance(self.data, pd.Series) or len(self.columns) < 2:
                raise
            raise type(refusal)(
                f"{refusal} Or choose columns, or leave out those without a range by numeric_only=True.",
                **vars(refusal),
            ) from None

    def _interval(self, column: Hashable) -> Interval:
        """The declared range; a promise whose noise follows the values may need none."""
        model = self.read.request.model
        promise = PUBLIC.get(model) or promise_named(model)
        if promise.without_bounds is None:
            return self.domain.interval(column, self.statistic)
        said, where = self.domain.said(column), promise.without_bounds
        return said.unbounded(column, self.statistic, self.subject.whole, promise.name, where)

    def number(self, column: Hashable) -> Variable:
        """A variable that can be multiplied by others."""
        variable = self.variable(column)
        if variable.interval.kind in ("datetime", "timedelta"):
            raise UnsupportedType(f"column {column!r} holds times; {self.statistic} needs numbers.", column=column)
        return variable

    def condition(self, column: Hashable) -> Variable:
        """A variable that is true or false; a column that is declared to be neither is refused where it is whole."""
        bounds = self.read.bounds
        if bounds is not None and not (isinstance(bounds, Mapping) and column not in bounds):
            raise UnsupportedArgument(
                "share has bounds (0, 1) by the question itself; leave bounds= out.", argument="bounds"
            )
        declared = self.domain.declares(column) and self.subject.whole
        if declared and not self.domain.is_condition(column):
            compared = ">" if self.domain.is_measured(column) else "=="
            raise UnsupportedType(
                f"column {column!r} is not declared true or false; share needs a condition, e.g. "
                f"(df[{column!r}] {compared} value).dp.share().",
                column=column,
            )
        return true_or_false(column, self.domain.may_lack(column))

    def is_yes_or_no(self, column: Hashable) -> bool:
        """Whether a column can be taken for true or false, as nothing else is declared of it or asked."""
        said = self.domain.said(column)
        if said.categories is not None:
            return set(said.categories.values) <= {False, True}
        return said.interval is None and not self.domain.declares(column)

    def presence(self, column: Hashable) -> Variable | Presence | None:
        """What determines whether a row has a value here; None where every row has one."""
        if not self.domain.may_lack(column) and self.over_rows is None:
            return None
        return self.variable(column) if self.domain.is_measured(column) else Presence(column)

    def key(self, column: Hashable) -> Key:
        if self.read.other and OTHER in self.domain.categories(column).values:
            raise BadBounds(
                f"column {column!r} already has a category {OTHER!r}, which other=True would add; rename it.",
                column=column,
            )
        categories = self.domain.categories(column)
        if not self.read.other and self.statistic != "synthesize":  # whose rows are no cells
            self.remark(*named("core.door.keys:about_times")(self.data, column, categories))
        return Key(column, categories, self.read.other)

    def bins(self, column: Hashable, edges: Breaks) -> Key:
        interval = self.domain.interval(column, self.statistic)
        if self.statistic in COUNTED_IN_BINS:
            self.remark(*about_bounds(interval, column, edges.edges))
        return Key(column, edges, self.read.other, interval)

    def cells(self, keys: Sequence[Hashable]) -> Cells:
        return self.in_reason(Cells(tuple(self.key(column) for column in keys)))

    def in_reason(self, cells: Cells) -> Cells:
        """The cells, unless they are too many for a table."""
        if len(cells.keys) > MOST_KEYS:
            raise UnsupportedArgument(
                f"{self.statistic} was given {len(cells.keys)} keys, and at most {MOST_KEYS} are possible.",
                keys=len(cells.keys),
            )
        if cells.size > MOST_CELLS:
            raise UnsupportedArgument(
                f"{self.statistic} would have {cells.size:,} cells, and at most {MOST_CELLS:,} are possible; "
                "use fewer keys or categories.",
                cells=cells.size,
            )
        return cells

    def not_with(self, *ways: Literal["weaker promises", "many rows"]) -> None:
        """Refuse to be asked in ways in which this statistic is not offered, where no measurement refuses them."""
        asked = {"weaker promises": self.read.request.model != "dp", "many rows": self.over_rows is not None}
        for way in ways:
            if asked[way]:
                raise not_offered(way, self.statistic)

    def release(self, parts: Sequence[Asked], layout: Layout) -> Release:
        if self.read.request.bootstrap is not None and not all(hasattr(p.estimator, "bootstrap") for p in parts):
            raise no_bootstrap(self.statistic)
        together = tuple(self.columns)
        named = tuple([part if part.column is not None else replace(part, together=together) for part in parts])
        if self.over_rows is not None:
            named = tuple(map(self._of_people, named))
        return self.core.answer(self.subject, Question(self.statistic, named, layout, self.read.request))

    def foreseen(self, part: Asked) -> Evidence:
        """What the answer would say of its noise; nothing is looked at, nothing spent."""
        plan = self.planned(part)
        return plan.conclude(0, [step.blank() for step in plan.steps])

    def planned(self, part: Asked) -> Plan:
        """How the part would be answered alone."""
        layout = Layout(pd.RangeIndex(1), None, "estimates")
        question = Question(self.statistic, (self._of_people(part),), layout, self.read.request)
        return self.core.planned(self.subject, question)

    def counted(self, cells: Cells) -> Estimator:
        """How many rows are in each cell, or how many people they stand for."""
        if self.survey is not None:
            check_clustered(self.statistic, self.survey)
        if self.survey is None or self.survey.weight is None:
            return Count(cells)
        return SurveyCount(self.survey, cells)

    def _check_private(self, of_column: bool) -> None:
        request = self.read.request
        changed = request.model != "dp" or request.bootstrap is not None
        as_usual = not changed and self.sampling is None and self.over_rows is None
        check_private(self.statistic, of_column, as_usual, request.mechanism)
        check_declared(self.columns[0], self.domain)

    def _check_weighted(self) -> None:
        """What has errors of its own design has no others, and a scale that is public."""
        request = self.read.request
        if self.unknown:
            raise UnsupportedArgument(
                "keys that nobody declared are found by counting people, not weights; find them first, and ask with "
                "categories=found.",
                argument="weights",
            )
        if request.model != "dp":
            raise UnsupportedArgument(
                f"weights are for model='dp', not {request.model!r}; leave one of them out.", argument="weights"
            )
        if request.bootstrap is not None:
            raise UnsupportedArgument(
                "weighted numbers have the error of the design already; leave bootstrap= out.", argument="bootstrap"
            )

    def _of_people(self, part: Asked) -> Asked:
        """The part as it is asked of rows of people, where there may be many."""
        if self.over_rows is None or hasattr(part.estimator, "is_of_people"):
            return part
        of_people = named("people.statistic:of_people")
        return replace(part, estimator=of_people(part.estimator, self.over_rows, self.statistic, self.public.unit))

    def _cells_unknown(self) -> NoCategories:
        """The refusal of a table whose cells would be an answer, and something else another."""
        key = self.unknown[0]
        where = "column.to_frame()" if isinstance(self.data, pd.Series) else "df"
        return NoCategories(
            f"{self.statistic} needs to know its cells before it is asked; find the keys first, found = "
            f"{where}.dp.find_categories({key!r}, epsilon=..., delta=...), and ask with categories={{{key!r}: found}}.",
            column=key,
        )

    def _refuse_unsorted(self, sorts_by: Sequence[str]) -> None:
        design = None if self.sampling is None else self.sampling.design
        strata = None if design is None else design.stratum if design.cluster is None else design.cluster
        categories = self.read.categories
        of_strata = strata is not None and isinstance(categories, Mapping) and set(categories) == {strata}
        given = {"categories": categories is not None and not of_strata, "other": self.read.other}
        for name, there in given.items():
            if there and name not in sorts_by:
                raise UnsupportedArgument(
                    f"{self.statistic} does not group rows here, so {name}= has no effect; leave it out.",
                    argument=name,
                )


COUNTED_IN_BINS = ("between", "histogram", "value_counts")


def about_bounds(interval: Interval, column: Hashable, edges: Sequence[float]) -> list[str]:
    """What becomes of numbers beyond their bounds, where bins hold a bound.

    Examples
    --------
    >>> about_bounds(Interval(Fraction(18), Fraction(65)), "age", (0, 30, 65))
    ['Values of age below 18 count as 18, and above 65 as 65.']
    >>> about_bounds(Interval(Fraction(18), Fraction(65)), "age", (18, 29))
    ['Values of age below 18 count as 18.']
    """
    if interval.unbounded or interval.kind not in ("float", "integer"):
        return []
    ends = {"below": float(interval.lower), "above": float(interval.upper)}
    said = [(side, f"{end:,.10g}") for side, end in ends.items() if edges[0] <= end <= edges[-1]]
    if not said:
        return []
    of = "" if column is None else f" of {column}"
    (side, end), *more = said
    return [f"Values{of} {side} {end} count as {end}" + "".join(f", and {s} {e} as {e}" for s, e in more) + "."]


class TableQuestions(Questions):
    """What the accessor of a table, or of groups of its rows, has for the questions of each subject."""

    _frame: pd.DataFrame
    _keys: Sequence[Hashable] = ()  # of a table there are none
    _declared: Mapping[str, Any] = {}

    @property
    def _columns(self) -> list[Hashable]:
        return measured_columns(self._frame)

    def _asking(
        self,
        statistic: str,
        keywords: Keywords,
        columns: Sequence[Hashable] | None = None,
        keys: Sequence[Hashable] | None = None,
        **takes: Any,
    ) -> Asking:
        both: Any = {**self._declared, **keywords}
        takes = {"leaves_out": columns is None and statistic not in OF_ANY_KIND, **takes}
        columns, keys = self._columns if columns is None else columns, self._keys if keys is None else keys
        return Asking(self._frame, statistic, both, columns=columns, keys=keys, **takes)


class ColumnQuestions(Questions):
    """What the accessor of a column has for them."""

    _series: pd.Series
    _keys: Sequence[Hashable] = ()

    @property
    def _columns(self) -> list[Hashable]:
        return [self._series.name]

    def _asking(
        self, statistic: str, keywords: Keywords, columns: Sequence[Hashable] | None = None, **takes: Any
    ) -> Asking:
        takes.pop("leaves_out", None)
        return Asking(self._series, statistic, keywords, columns=self._columns if columns is None else columns, **takes)

    def _title(self, otherwise: str) -> Any:
        return otherwise if self._series.name is None else self._series.name


def check_column(data: Data, column: Any) -> None:
    """A name that the table does not have is refused."""
    if isinstance(data, pd.Series) or (pd.api.types.is_hashable(column) and column in data.columns):
        return
    there = _names(data.columns)
    if not isinstance(column, str | int | float | tuple):
        raise UnknownColumn(f"columns are chosen by name, not by {type_of(column)}; the table has {there}.")
    raise UnknownColumn(f"the table has no column of a name that was given; it has {there}.")


def _names(columns: pd.Index) -> str:
    shown = [repr(column) for column in columns[:12]]
    return ", ".join(shown) + (", …" if len(columns) > 12 else "")


def estimator(
    asking: Asking, statistic: str, column: Hashable, cells: Cells, among: Sequence[Fraction] = (), **how: Any
) -> Estimator:
    """The question of that name about that column; `among` are quantiles that are told together with it."""
    known = offered()
    if not isinstance(statistic, str) or statistic not in known:
        raise UnsupportedArgument(
            f"a statistic that was named is not offered here; choose among {', '.join(sorted(known))}.",
            argument="statistic",
        )
    if asking.survey is not None:
        if statistic == "size":
            return asking.counted(cells)
        return surveyed(asking, asking.survey, statistic, column, cells, **how)
    if statistic == "nunique" and asking.counts_everybody(statistic, column):
        assert asking.over_rows is not None
        assert asking.over_rows.cells is not None
        people: Estimator = named("people.statistic:People")(cells, asking.over_rows.cells, statistic="nunique")
        return people
    made = known[statistic].make(asking, column, cells, **how)
    bootstrap = asking.read.request.bootstrap
    if bootstrap is not None:
        return with_bootstrap(made, bootstrap, asking.public)
    if asking.read.private and isinstance(made, Mean):
        return MeanInChosenBounds(made.variable)
    if isinstance(made, Quantile | QuantileRange) and asking.read.request.model == "dp":
        return with_interval(made, among, asking.read.request.mechanism == "auto")
    return made
