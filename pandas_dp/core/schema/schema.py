"""What a table may hold, read from a pandera schema; from the schema alone, never from data."""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any

from ...errors import BadSchema, UnknownColumn, UnsupportedArgument, with_article
from .column import read_column
from .declared import OPEN, UNDECLARED, Declared, States
from .values import Categories, Interval


@dataclass(frozen=True)
class Domain:
    """The values that each column of a table may take, known before the data is seen.

    Nothing here depends on data: two tables under one schema have one domain.

    Examples
    --------
    >>> import pandera.pandas as pa
    >>> class People(pa.DataFrameModel):
    ...     income: float = pa.Field(ge=0, le=500_000)
    ...     region: str = pa.Field(isin=["north", "south"])
    >>> domain = Domain.read(People)
    >>> domain.columns
    ('income', 'region')
    >>> float(domain.interval("income").upper)
    500000.0
    >>> domain.categories("region").values
    ('north', 'south')
    >>> domain.interval("region")
    Traceback (most recent call last):
    ...
    pandas_dp.errors.UnsupportedType: column 'region' is declared str; this question needs a number \
or a time with bounds.
    """

    declared: Mapping[Hashable, Declared] = field(default_factory=dict)
    patterns: Mapping[Hashable, Declared] = field(default_factory=dict)  # pandera's regex columns
    complete: frozenset[Hashable] = frozenset()  # columns of which a table says so, whatever a schema says of them
    whole: bool = True  # else rows were made of the table's, by whatever may leave gaps

    @classmethod
    def read(cls, schema: Any, unit: Hashable | None = None) -> Domain:
        """The domain that a schema declares, or several, one for each table.

        Parameters
        ----------
        schema : pandera DataFrameSchema, pandera DataFrameModel class, a list of them, or None
            None declares nothing; bounds and categories then come with each question.
        unit : hashable, optional
            The column that says whose a row is, of which a domain says nothing.

        Returns
        -------
        Domain

        Examples
        --------
        >>> Domain.read(None).declares("income")
        False
        """
        if schema is None:
            return cls()
        if isinstance(schema, list | tuple):
            return reduce(_together, [cls.read(each, unit) for each in schema], cls())
        schema = _as_schema(schema)
        whole = {name: read_column(column, name, schema.dtype) for name, column in schema.columns.items()}
        patterns = {name for name, column in schema.columns.items() if column.regex}
        named = {name: said for name, said in whole.items() if name not in patterns}
        declared = {name: said for name, said in {**_index(schema.index), **named}.items() if name != unit}
        return cls(declared, {name: whole[name] for name in whole if name in patterns})

    @property
    def columns(self) -> tuple[Hashable, ...]:
        """The declared names, those of the index first; patterns are not names."""
        return tuple(self.declared)

    def declares(self, column: Hashable) -> bool:
        """Whether the schema says anything of this column."""
        return self._find(column) is not None

    def said_of(self, column: Hashable) -> Declared | None:
        """What was declared of a column, if anything was."""
        return self.said(column) if self.declares(column) else None

    def may_lack(self, column: Hashable) -> bool:
        """Whether a row may have no value here: always, unless somebody said that none has not."""
        return not self.said(column).complete

    def is_measured(self, column: Hashable) -> bool:
        """Whether the column has a declared range."""
        return (self._find(column) or UNDECLARED).interval is not None

    def is_numeric(self, column: Hashable) -> bool:
        """Whether the column has a declared range of numbers."""
        interval = (self._find(column) or UNDECLARED).interval
        return interval is not None and interval.kind in ("float", "integer")

    def may_be_numeric(self, column: Hashable) -> bool:
        """Whether nothing declared says that the column holds no numbers."""
        said = self._find(column) or UNDECLARED
        return said.kind in ("float", "integer") or (said.kind is None and said.dtype in OPEN)

    def states(self, column: Hashable) -> States:
        """What may be wrong with a value of the column."""
        return States.of(self.said_of(column))

    def is_condition(self, column: Hashable) -> bool:
        """Whether the column's declared values are zeros and ones, which true and false are."""
        interval = (self._find(column) or UNDECLARED).interval
        numbers = interval is not None and interval.kind in ("float", "integer")
        return numbers and interval is not None and interval.lower >= 0 and interval.upper <= 1

    def is_listed(self, column: Hashable) -> bool:
        """Whether the column's values are declared one by one, and not only by a range."""
        return (self._find(column) or UNDECLARED).listed is not None

    def interval(self, column: Hashable, what: str = "this question") -> Interval:
        """The declared range of a column.

        Parameters
        ----------
        column : hashable
            Its name.
        what : str
            The statistic, for the message of a refusal.

        Returns
        -------
        Interval

        Examples
        --------
        >>> Domain().interval("income")
        Traceback (most recent call last):
        ...
        pandas_dp.errors.NoBounds: column 'income' has no declared bounds; declare them in the schema, \
e.g. Field(ge=0, le=500_000), or pass bounds=(0, 500_000), of times as pd.Timestamp or pd.Timedelta.
        """
        said = self.said(column)
        return said.measured(column, what) if said.kind is None or said.interval is None else said.interval

    def categories(self, column: Hashable) -> Categories:
        """The declared categories of a column.

        Examples
        --------
        >>> Domain().override(categories=["yes", "no"], columns=["answer"]).categories("answer").values
        ('yes', 'no')
        """
        return (self._find(column) or UNDECLARED).sorted_into(column)

    def override(
        self,
        bounds: Any = None,
        categories: Any = None,
        columns: Sequence[Hashable] = (),
        keys: Sequence[Hashable] | None = None,
        whole: bool = False,
        resolution: Any = None,
    ) -> Domain:
        """The domain of one question that brings its own bounds or categories.

        What is said of gaps stands. Bounds that are numbers measure numbers, also where the schema declares integers
        and the column is not whole: a derived one may have kept the name.

        Parameters
        ----------
        bounds : (lower, upper), or a mapping from column to such a pair, optional
            A pair applies to all of `columns`.
        categories : list, or a mapping from column to a list, optional
            A list applies where there is one key.
        columns : sequence of hashable
            The columns that the question measures.
        keys : sequence of hashable, optional
            The columns that sort rows; `columns` if not given.
        whole : bool
            Whether the columns are the declared ones themselves; then bounds of another sort are refused.
        resolution : number or duration, or a mapping from column to such, optional
            In which steps values are read.

        Returns
        -------
        Domain

        Examples
        --------
        >>> Domain().override(bounds=(0, 0.1), columns=["share"]).interval("share").upper
        Fraction(1, 10)
        """
        named_bounds = _by_column(bounds, "bounds", columns)
        named_categories = _by_column(categories, "categories", columns if keys is None else keys)
        named_steps = _by_column(resolution, "resolution", columns)
        declared = dict(self.declared)
        for column, pair in named_bounds.items():
            declared[column] = self.said(column).with_bounds(pair, column, whole)
        for column, step in named_steps.items():
            known = declared.get(column) or self.said(column)
            declared[column] = known.with_resolution(step, column)
        for column, values in named_categories.items():
            known = declared.get(column) or self.said(column)
            declared[column] = known.with_categories(values, column)
        return replace(self, declared=declared) if named_bounds or named_categories or named_steps else self

    def said(self, column: Hashable) -> Declared:
        """All that was said of a column, and may be relied on for these rows.

        Examples
        --------
        >>> Domain().said("cost").nullable
        True
        """
        said = self._find(column) or UNDECLARED
        complete = self.whole and (said.complete or column in self.complete)
        return said if said.complete == complete else replace(said, complete=complete)

    def of_people(self) -> Domain:
        """The same where a row is a person, and what a column holds was made of her rows: a sum of bounded numbers has
        other bounds, so numbers and times have none; what they are, and categories, stand as they were declared.

        Examples
        --------
        >>> Domain().override(bounds=(0, 1), columns=["cost"]).of_people().is_measured("cost")
        False
        """
        declared = {name: said.of_a_person() for name, said in self.declared.items()}
        return Domain(declared, {name: said.of_a_person() for name, said in self.patterns.items()})

    def of_rows(self, whole: bool, complete: frozenset[Hashable] = frozenset()) -> Domain:
        """The same of all rows of a table that says which columns of it are complete, or of what was made of it.

        Who took rows may have left gaps behind: pandas' `where`, `reindex` and `replace` do, under the old name.

        Examples
        --------
        >>> Domain().of_rows(True, frozenset({"cost"})).may_lack("cost")
        False
        >>> Domain().of_rows(False, frozenset({"cost"})).may_lack("cost")
        True
        """
        return replace(self, complete=complete, whole=whole)

    def declaring(self, more: Mapping[Hashable, Declared]) -> Domain:
        """The same with what is known of some columns in place of what was declared."""
        return replace(self, declared={**self.declared, **more})

    def _find(self, column: Hashable) -> Declared | None:
        if column in self.declared:
            return self.declared[column]
        if column is None:  # a Series without a name is no column
            return None
        return next((said for pattern, said in self.patterns.items() if _matches(pattern, column)), None)


def _together(one: Domain, other: Domain) -> Domain:
    """What two schemas declare of the columns of two tables, which a merge may bring together."""
    for column, said in (*other.declared.items(), *other.patterns.items()):
        if {**one.declared, **one.patterns}.get(column, said) != said:
            raise BadSchema(
                f"column {column!r} is declared in two schemas, and not alike; a table that was merged would have "
                "either. Declare it alike, or rename one."
            )
    return Domain({**one.declared, **other.declared}, {**one.patterns, **other.patterns})


def _as_schema(schema: Any) -> Any:
    import pandera.pandas as pa

    if isinstance(schema, type) and issubclass(schema, pa.DataFrameModel):
        return schema.to_schema()
    if isinstance(schema, pa.DataFrameSchema):
        return schema
    given = f"the class {schema.__name__}" if isinstance(schema, type) else with_article(type(schema).__name__)
    raise BadSchema(
        "schema must be a pandera DataFrameSchema or a DataFrameModel class for pandas, "
        f"but {given} was given; see `import pandera.pandas as pa`."
    )


def _index(index: Any) -> dict[Hashable, Declared]:
    """The named levels of a declared index, which become columns of the protected frame."""
    levels = getattr(index, "indexes", [] if index is None else [index])
    return {level.name: read_column(level, level.name) for level in levels if level.name is not None}


def _matches(pattern: Hashable, column: Hashable) -> bool:
    """Pandera's rule: a pattern matches from the start of a name; a tuple of patterns, level by level."""
    if not isinstance(pattern, tuple):
        return not isinstance(column, tuple) and re.match(str(pattern), str(column)) is not None
    levels = column if isinstance(column, tuple) and len(column) == len(pattern) else None
    return levels is not None and all(re.match(str(p), str(c)) for p, c in zip(pattern, levels, strict=True))


def _by_column(given: Any, argument: str, columns: Sequence[Hashable]) -> Mapping[Hashable, Any]:
    """What an argument gives to each column: by name, or the same to all of them."""
    if given is None:
        return {}
    if isinstance(given, Mapping):
        _refuse_unknown(given, argument, columns)
        return given
    if argument == "categories" and len(columns) > 1:
        raise UnsupportedArgument(
            f"categories= was given as one list, but this question has {len(columns)} keys; pass a mapping, "
            f"categories={{{columns[0]!r}: [...]}}.",
            argument=argument,
        )
    if not columns:
        raise UnsupportedArgument(f"{argument}= was given, but this question has no column for it.", argument=argument)
    return dict.fromkeys(columns, given)


def _refuse_unknown(given: Mapping[Hashable, Any], argument: str, columns: Sequence[Hashable]) -> None:
    for column in given:
        if column not in columns:
            asked = ", ".join(repr(name) for name in columns) or "none"
            raise UnknownColumn(
                f"{argument}= names a column that this question does not use; its columns are: {asked}.",
                argument=argument,
            )
