"""A column of a scanned table, or what is made of columns by expressions of the house: each row of itself alone."""

from __future__ import annotations

import operator
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any, NoReturn, Protocol, Self

import numpy as np
import pandas as pd

from ...core.arguments import is_number
from ...core.protect.mark import ProtectedSeries
from ...errors import NotProtected, UnsupportedArgument, type_of
from ..expressions import Applied, ColumnNode, Constant, Missing, Node, TextNode, TextOf, TimeOf
from .parts import Arithmetic, Calendar, Spelling, asked_of_dp, of_text, of_time
from .row_steps import Kind
from .scan import Scanned

if TYPE_CHECKING:
    from ...core.door.series import SeriesAccessor


class Owner(Protocol):
    """The table that a column was taken from."""

    @property
    def _scanned(self) -> Scanned: ...

    def _asked_of(self, column: ScannedColumn) -> ProtectedSeries: ...


OFFERED = "comparisons, & | ~, + - * / // % **, isin, between, isna, notna, abs, clip, round, fillna, .str and .dt"


@dataclass(frozen=True, eq=False)
class ScannedColumn(Arithmetic):
    """What `table["x"]` gives of a scanned table, and what expressions make of it. Nothing is read before it is asked.

    Examples
    --------
    >>> import pyarrow as pa, pyarrow.dataset as ds, pandas_dp as pdp
    >>> session = pdp.Session(epsilon=1e9)  # so much that there is no noise to see
    >>> farms = session.scan(ds.dataset(pa.table({"size": [1.0, 2.0, 3.0, 6.0] * 250})))
    >>> (farms["size"] * 2).dp.mean(bounds=(0, 20), epsilon=1e6)["mean"].round(2).item()
    6.0
    """

    _table: Owner
    name: Hashable
    _kind: Kind
    _node: Any  # Node, Texts or TimeOf
    _tz: Any = None

    @property
    def dp(self) -> SeriesAccessor:
        """Questions about the column, as of one of pandas.

        Examples
        --------
        >>> import pyarrow as pa, pyarrow.dataset as ds, pandas_dp as pdp
        >>> session = pdp.Session(epsilon=1e9)  # so much that there is no noise to see
        >>> farms = session.scan(ds.dataset(pa.table({"size": [1.0, 2.0, 3.0, 6.0] * 250})))
        >>> farms["size"].dp.sum(bounds=(0, 10), epsilon=1e6)["sum"].round(1).item()
        3000.0
        """
        return self._table._asked_of(self).dp

    def __repr__(self) -> str:
        what = "a column" if isinstance(self._node, ColumnNode | TextOf | TimeOf) else "an expression"
        return f"<{what} of a scanned table: {self.name!r}, {self._kind}; ask it by .dp>"

    # -- comparisons

    def __eq__(self, other: object) -> Self:  # type: ignore[override]
        return self._compared("==", other)

    def __ne__(self, other: object) -> Self:  # type: ignore[override]
        return self._compared("!=", other)

    def __lt__(self, other: object) -> Self:
        return self._compared("<", other)

    def __le__(self, other: object) -> Self:
        return self._compared("<=", other)

    def __gt__(self, other: object) -> Self:
        return self._compared(">", other)

    def __ge__(self, other: object) -> Self:
        return self._compared(">=", other)

    __hash__ = None  # type: ignore[assignment]

    def isin(self, values: Iterable[Any]) -> Self:
        """Whether a value is one of a list.

        Examples
        --------
        >>> import pyarrow as pa, pyarrow.dataset as ds, pandas_dp as pdp
        >>> session = pdp.Session(epsilon=1e9)  # so much that there is no noise to see
        >>> farms = session.scan(ds.dataset(pa.table({"size": [1.0, 2.0, 3.0, 6.0] * 250})))
        >>> farms["size"].isin([1, 6]).dp.share(epsilon=1e6)["share"].round(2).item()
        0.5
        """
        if isinstance(values, str) or not isinstance(values, list | tuple | set | frozenset | pd.Index | np.ndarray):
            raise UnsupportedArgument(f"isin takes a list of values, not {type_of(values)}.")
        none = self._made("condition", Applied("<", (Constant(0.0), Constant(0.0))))
        return reduce(operator.or_, [self == value for value in values], none)

    def between(self, left: Any, right: Any, inclusive: str = "both") -> Self:
        """Whether a value lies from one end to the other; `inclusive` is "both", "neither", "left" or "right".

        Examples
        --------
        >>> import pyarrow as pa, pyarrow.dataset as ds, pandas_dp as pdp
        >>> session = pdp.Session(epsilon=1e9)  # so much that there is no noise to see
        >>> farms = session.scan(ds.dataset(pa.table({"size": [1.0, 2.0, 3.0, 6.0] * 250})))
        >>> farms["size"].between(2, 3).dp.share(epsilon=1e6)["share"].round(2).item()
        0.5
        """
        if inclusive not in ("both", "neither", "left", "right"):
            raise UnsupportedArgument("inclusive must be 'both', 'neither', 'left' or 'right'.", argument="inclusive")
        low = self >= left if inclusive in ("both", "left") else self > left
        return low & (self <= right if inclusive in ("both", "right") else self < right)

    def isna(self) -> Self:
        """Whether a value is missing.

        Examples
        --------
        >>> import pyarrow as pa, pyarrow.dataset as ds, pandas_dp as pdp
        >>> session = pdp.Session(epsilon=1e9)  # so much that there is no noise to see
        >>> farms = session.scan(ds.dataset(pa.table({"size": [1.0, 2.0, None, 6.0] * 250})))
        >>> farms["size"].isna().dp.share(epsilon=1e6)["share"].round(2).item()
        0.25
        """
        inner = self._node
        while hasattr(inner, "inner") and hasattr(inner, "spelled"):
            inner = inner.inner  # a text that was changed is missing where it was
        if isinstance(inner, ColumnNode | TextOf | TimeOf):
            return self._made("condition", Missing(inner.column))
        return self._made("condition", Applied("!=", (inner, inner)))

    def notna(self) -> Self:
        """Whether there is a value.

        Examples
        --------
        >>> import pyarrow as pa, pyarrow.dataset as ds, pandas_dp as pdp
        >>> session = pdp.Session(epsilon=1e9)  # so much that there is no noise to see
        >>> farms = session.scan(ds.dataset(pa.table({"size": [1.0, 2.0, None, 6.0] * 250})))
        >>> farms["size"].notna().dp.share(epsilon=1e6)["share"].round(2).item()
        0.75
        """
        return ~self.isna()

    # -- conditions

    def __and__(self, other: object) -> Self:
        return self._joined("and", other)

    def __or__(self, other: object) -> Self:
        return self._joined("or", other)

    __rand__, __ror__ = __and__, __or__

    def __invert__(self) -> Self:
        return self._made("condition", Applied("not", (self._as_condition(),)))

    def __bool__(self) -> NoReturn:
        raise UnsupportedArgument(
            "a condition on a scanned table holds for each row by itself; join conditions by & and |, each in "
            "parentheses: farms[(farms['size'] > 2) & (farms['size'] < 5)]."
        )

    # -- texts and times

    @property
    def str(self) -> Spelling[Self]:
        """Of texts: len, lower, upper, strip, startswith, endswith, and contains with regex=False.

        Examples
        --------
        >>> import pyarrow as pa, pyarrow.dataset as ds, pandas_dp as pdp
        >>> session = pdp.Session(epsilon=1e9)  # so much that there is no noise to see
        >>> farms = session.scan(ds.dataset(pa.table({"crop": ["Rice", "rye"] * 500})))
        >>> farms["crop"].str.lower().str.startswith("ri").dp.share(epsilon=1e6)["share"].round(2).item()
        0.5
        """
        if self._kind != "text":
            raise UnsupportedArgument(f".str is of texts, and column {self.name!r} holds none.", column=self.name)
        return Spelling(self)

    @property
    def dt(self) -> Calendar[Self]:
        """Of times: year, month, quarter, day, day_of_year, day_of_week, hour, minute, second; of spans total_seconds.

        Examples
        --------
        >>> import pandas as pd, pyarrow as pa, pyarrow.dataset as ds, pandas_dp as pdp
        >>> days = pd.date_range("2026-01-01", periods=1000)
        >>> farms = pdp.Session(epsilon=1e9).scan(ds.dataset(pa.table({"sown": days})))  # no noise to see
        >>> (farms["sown"].dt.year == 2026).dp.share(epsilon=1e6)["share"].round(3).item()
        0.365
        """
        if self._kind not in ("time", "span"):
            raise UnsupportedArgument(f".dt is of times, and column {self.name!r} holds none.", column=self.name)
        return Calendar(self)

    # -- inside

    def __len__(self) -> NoReturn:
        raise UnsupportedArgument(
            "nobody has counted the rows of what was made of a scanned table; ask farms['size'].dp.count(), or as the "
            "keeper of the files count them with pyarrow."
        )

    def __iter__(self) -> NoReturn:
        raise UnsupportedArgument("a scanned column shows no rows; ask it by .dp.")

    def __array__(self, dtype: Any = None, copy: Any = None) -> NoReturn:
        raise UnsupportedArgument("a scanned column shows no rows; ask it by .dp, or write it as an expression.")

    if not TYPE_CHECKING:  # a name that there is not is an error to them

        def __getattr__(self, name: Any) -> Any:
            if name.startswith("_"):
                raise AttributeError(name)
            raise asked_of_dp(name, "farms['size']", f"a scanned column has {OFFERED}", self)

    def _made(self, kind: Kind, node: Node | TextNode, other: ScannedColumn | None = None) -> Self:
        named = self.name if other is None or other.name == self.name else None
        return type(self)(self._table, named, kind, node)

    def _compared(self, how: str_, other: object) -> Self:
        if isinstance(other, ScannedColumn):
            numbers = self._as_number(), self._same_rows(other)._as_number()
            return self._made("condition", Applied(how, numbers), other)
        if self._kind == "text":
            return self._made("condition", of_text(self._node, how, other))
        if self._kind in ("time", "span"):
            return self._made("condition", of_time(self._node, self._kind, self._tz, how, other))
        return self._made("condition", Applied(how, (self._as_number(), _constant(other))))

    def _joined(self, how: str_, other: object) -> Self:
        if not isinstance(other, ScannedColumn):
            raise UnsupportedArgument(
                f"a condition on a scanned table is joined with another one, not with {type_of(other)}; put each in "
                "parentheses: (farms['size'] > 2) & (farms['size'] < 5)."
            )
        both = self._as_condition(), self._same_rows(other)._as_condition()
        return self._made("condition", Applied(how, both), other)

    def _counted(self, how: str_, *given: object) -> Self:
        other = next((each for each in given if isinstance(each, ScannedColumn) and each is not self), None)
        nodes = tuple(
            self._same_rows(each)._as_number() if isinstance(each, ScannedColumn) else _constant(each) for each in given
        )
        return self._made("number", Applied(how, nodes), other)

    def _as_number(self) -> Node:
        if self._kind not in ("number", "condition"):
            raise UnsupportedArgument(
                f"column {self.name!r} holds no numbers, and this is done with numbers; use .str, .dt, or map.",
                column=self.name,
            )
        node: Node = self._node
        return node

    def _as_condition(self) -> Node:
        """A column of true and false is true where it is 1."""
        if self._kind != "condition":
            raise UnsupportedArgument(
                f"column {self.name!r} is no condition; compare it, e.g. farms['size'] > 2.", column=self.name
            )
        node: Node = self._node
        return Applied(">", (node, Constant(0.5))) if node.sort == "number" else node

    def _same_rows(self, other: ScannedColumn) -> ScannedColumn:
        if not (
            self._table._scanned.starts(other._table._scanned) and other._table._scanned.starts(self._table._scanned)
        ):
            raise NotProtected(
                "these columns were taken from different tables, so their rows do not go together; take both from one, "
                "e.g. big = farms[farms['size'] > 2], then big['x'] + big['y']."
            )
        return other


str_ = str  # the builtin, which the property hides inside the class


def _constant(value: Any) -> Constant:
    if isinstance(value, bool | np.bool_) or is_number(value):
        return Constant(float(value))
    raise UnsupportedArgument(f"a column of numbers goes with numbers and other columns, not with {type_of(value)}.")
