"""What a column of a scanned table offers as numbers: each operator of numbers of one row."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, Generic, Protocol, Self, TypeVar

import pandas as pd

from ...core.engine.values import instant, span
from ...errors import UnsupportedArgument, type_of
from ..expressions import (
    FIELDS,
    Applied,
    Changed,
    FieldOf,
    LengthOf,
    Node,
    Says,
    SecondsOf,
    TextNode,
    TimeComparison,
    TimeOf,
)
from .row_steps import Kind

UFUNCS = {"absolute": "abs", "log": "log", "log2": "log2", "log10": "log10", "log1p": "log1p", "exp": "exp"}
UFUNCS |= {name: name for name in ("expm1", "sqrt", "floor", "ceil", "sign")} | {"rint": "round"}


class Arithmetic(ABC):
    """Each method gives an expression of this one."""

    @abstractmethod
    def _counted(self, how: str, *given: object) -> Self:
        """An operator of the house on columns and numbers."""

    def __add__(self, other: object) -> Self:
        return self._counted("+", self, other)

    def __radd__(self, other: object) -> Self:
        return self._counted("+", other, self)

    def __sub__(self, other: object) -> Self:
        return self._counted("-", self, other)

    def __rsub__(self, other: object) -> Self:
        return self._counted("-", other, self)

    def __mul__(self, other: object) -> Self:
        return self._counted("*", self, other)

    def __rmul__(self, other: object) -> Self:
        return self._counted("*", other, self)

    def __truediv__(self, other: object) -> Self:
        return self._counted("/", self, other)

    def __rtruediv__(self, other: object) -> Self:
        return self._counted("/", other, self)

    def __floordiv__(self, other: object) -> Self:
        return self._counted("//", self, other)

    def __mod__(self, other: object) -> Self:
        return self._counted("%", self, other)

    def __pow__(self, other: object) -> Self:
        return self._counted("**", self, other)

    def __neg__(self) -> Self:
        return self._counted("neg", self)

    def __abs__(self) -> Self:
        return self._counted("abs", self)

    def abs(self) -> Self:
        """The size of a number.

        Examples
        --------
        >>> import pyarrow as pa, pyarrow.dataset as ds, pandas_dp as pdp
        >>> session = pdp.Session(epsilon=1e9)  # so much that there is no noise to see
        >>> farms = session.scan(ds.dataset(pa.table({"gain": [-1.0, 2.0, -3.0, 6.0] * 250})))
        >>> farms["gain"].abs().dp.mean(bounds=(0, 10), epsilon=1e6)["mean"].round(2).item()
        3.0
        """
        return self._counted("abs", self)

    def round(self) -> Self:
        """The nearest whole number.

        Examples
        --------
        >>> import pyarrow as pa, pyarrow.dataset as ds, pandas_dp as pdp
        >>> farms = pdp.Session(epsilon=1e9).scan(ds.dataset(pa.table({"size": [1.2, 2.8] * 500})))  # no noise to see
        >>> farms["size"].round().dp.sum(bounds=(0, 10), epsilon=1e6)["sum"].round(1).item()
        2000.0
        """
        return self._counted("round", self)

    def clip(self, lower: float, upper: float) -> Self:
        """A number, or the end of the range beyond which it lies.

        Examples
        --------
        >>> import pyarrow as pa, pyarrow.dataset as ds, pandas_dp as pdp
        >>> session = pdp.Session(epsilon=1e9)  # so much that there is no noise to see
        >>> farms = session.scan(ds.dataset(pa.table({"size": [1.0, 2.0, 3.0, 6.0] * 250})))
        >>> farms["size"].clip(2, 3).dp.mean(bounds=(0, 10), epsilon=1e6)["mean"].round(2).item()
        2.5
        """
        return self._counted("clip", self, lower, upper)

    def fillna(self, value: float) -> Self:
        """A number, and this one where there is none.

        Examples
        --------
        >>> import pyarrow as pa, pyarrow.dataset as ds, pandas_dp as pdp
        >>> session = pdp.Session(epsilon=1e9)  # so much that there is no noise to see
        >>> farms = session.scan(ds.dataset(pa.table({"size": [1.0, 2.0, None, 6.0] * 250})))
        >>> farms["size"].fillna(3).dp.mean(bounds=(0, 10), epsilon=1e6)["mean"].round(2).item()
        3.0
        """
        return self._counted("fill", self, value)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Self:
        """np.log and others that numpy applies value by value."""
        if method != "__call__" or options or len(inputs) != 1 or ufunc.__name__ not in UFUNCS:
            raise UnsupportedArgument(
                f"np.{ufunc.__name__} is none of the functions of a scanned column, which are "
                f"{', '.join(sorted(UFUNCS))}; others go by farms.map(f).",
                argument=ufunc.__name__,
            )
        return self._counted(UFUNCS[ufunc.__name__], self)


class Expression(Protocol):
    """A column of a scanned table, of which another one is made."""

    @property
    def name(self) -> Hashable: ...
    @property
    def _kind(self) -> Kind: ...
    @property
    def _node(self) -> Any: ...
    @property
    def _tz(self) -> Any: ...

    def _made(self, kind: Kind, node: Any, other: Any = None) -> Self: ...


Of = TypeVar("Of", bound=Expression)

STATISTICS = {"count", "sum", "mean", "var", "std", "sem", "min", "max", "median", "quantile", "iqr", "nunique"}
STATISTICS |= {
    "histogram",
    "value_counts",
    "describe",
    "agg",
    "size",
    "crosstab",
    "pivot_table",
    "corr",
    "cov",
    "groupby",
}
ROWS = {"head", "tail", "sample", "iloc", "iat", "at", "values", "to_numpy", "to_pandas", "to_list", "tolist"}
ROWS |= {"shape", "index", "items", "iterrows"}
INSTEAD = {
    **dict.fromkeys(["loc", "query"], "big = farms[farms['size'] > 2]"),
    **dict.fromkeys(["rename", "eval"], "farms.assign(acres=farms['size'] * 2.47)"),
    "drop": "farms[['size', 'crop']]",
    "dropna": "farms[farms['size'].notna()]",
    "isnull": "farms['size'].isna()",
    "notnull": "farms['size'].notna()",
}  # of pandas' names


def asked_of_dp(name: str, like: str, offered: str, asked: object) -> AttributeError:
    """Why a name of pandas is not there, and what to write."""
    if name in STATISTICS:
        said = f"a scanned table answers by .dp alone; write {like}.dp.{name}(...)."
    elif name in INSTEAD:
        said = f"a scanned table has no {name}; write {INSTEAD[name]}."
    elif name in ROWS:
        said = f"a scanned table shows no rows, so it has no {name}; the keeper of the files reads them with pyarrow."
    else:
        said = f"{offered}, and no {name!r}; what is done row by row goes by farms.map(f)."
    return AttributeError(said, name=name, obj=asked)


@dataclass(frozen=True)
class Spelling(Generic[Of]):
    """`.str` of a column of texts."""

    _of: Of

    def len(self) -> Of:
        """How many characters."""
        return self._of._made("number", LengthOf(self._of._node))

    def lower(self) -> Of:
        """In small letters."""
        return self._of._made("text", Changed("lower", self._of._node))

    def upper(self) -> Of:
        """In capitals."""
        return self._of._made("text", Changed("upper", self._of._node))

    def strip(self) -> Of:
        """Without blanks at the ends."""
        return self._of._made("text", Changed("strip", self._of._node))

    def startswith(self, pat: str | tuple[str, ...]) -> Of:
        """Whether it starts with this, or with one of these."""
        return self._says("startswith", pat)

    def endswith(self, pat: str | tuple[str, ...]) -> Of:
        """Whether it ends with this, or with one of these."""
        return self._says("endswith", pat)

    def contains(self, pat: str, *, regex: bool = True) -> Of:
        """Whether this is in it."""
        if regex:
            raise UnsupportedArgument(
                "contains takes a text to look for, and says so by regex=False: "
                "farms['crop'].str.contains('ri', regex=False).",
                argument="regex",
            )
        return self._says("contains", pat)

    def _says(self, trial: str, pat: object) -> Of:
        given = pat if isinstance(pat, tuple) else (pat,)
        odd = next((each for each in given if not isinstance(each, str)), None)
        if odd is not None:
            raise UnsupportedArgument(f"{trial} takes a text, not {type_of(odd)}.")
        return self._of._made("condition", Says(trial, self._of._node, given))


@dataclass(frozen=True)
class Calendar(Generic[Of]):
    """`.dt` of a column of times, or of lengths of time."""

    _of: Of

    def __getattr__(self, name: str) -> Of:
        if name.startswith("_"):
            raise AttributeError(name)
        if self._of._kind != "time" or name not in FIELDS:
            offered = "total_seconds" if self._of._kind == "span" else ", ".join(FIELDS)
            raise AttributeError(f".dt of this column has {offered}, and no {name!r}.", name=name, obj=self)
        if self._of._tz is not None:
            raise UnsupportedArgument(
                f"column {self._of.name!r} has the time zone {self._of._tz}, and .dt is for times without one; take "
                "the field in farms.map(f).",
                column=self._of.name,
            )
        return self._of._made("number", FieldOf(self._of._node, name))

    def __dir__(self) -> list[str]:
        return [*FIELDS, "total_seconds"]

    def total_seconds(self) -> Of:
        """A length of time in seconds."""
        if self._of._kind != "span":
            raise AttributeError("total_seconds is of lengths of time.", name="total_seconds", obj=self)
        return self._of._made("number", SecondsOf(self._of._node))


def of_text(node: TextNode, how: str, other: object) -> Node:
    if not isinstance(other, str) or how not in ("==", "!="):
        raise UnsupportedArgument(
            f"a column of texts is compared with a text by == or !=, not by {how} with {type_of(other)}."
        )
    same = Says("is", node, (other,))
    return same if how == "==" else Applied("not", (same,))


def of_time(node: TimeOf, kind: str, tz: Any, how: str, other: Any) -> Node:
    try:
        given: Any = pd.Timestamp(other) if kind == "time" else pd.Timedelta(other)
        if kind == "time" and tz is not None and given.tz is None:
            given = given.tz_localize(tz)
        found = instant(given) if kind == "time" else span(given)
    except (ValueError, TypeError, OverflowError):
        found = None
    if found is None or (kind == "time" and tz is None and given.tz is not None):
        requested = "a point in time, e.g. '2026-05-01'" if kind == "time" else "a length of time, e.g. '2h'"
        zone = "" if kind == "span" or tz is not None else ", without a time zone as the column"
        raise UnsupportedArgument(f"a column of times is compared with {requested}{zone}, not with {type_of(other)}.")
    return TimeComparison(node, how, found)
