"""What a column of a scanned table offers as numbers: each operator of numbers of one row."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Self

from ..errors import UnsupportedArgument

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
        >>> session = pdp.Session(epsilon=1e9)  # so much that there is no noise to see
        >>> farms = session.scan(ds.dataset(pa.table({"size": [1.2, 2.8] * 500})))
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
