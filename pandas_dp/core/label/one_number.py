"""A release as people of pandas and statsmodels read it: one number is a number, rows are found by their labels."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pandas as pd

from ...errors import BadArgument, UnknownColumn, UnsupportedType
from ..lazy_import import named


def _operated(operate: Callable[[Any, Any], Any], with_plain: bool) -> Any:
    """Two releases of one number each go together as numbers; with `with_plain` also one and a number."""
    name = f"__{operate.__name__}__"
    of_tables: Any = getattr(pd.DataFrame, name)

    def operated(self: OneNumber, other: Any) -> Any:
        if not (isinstance(other, OneNumber) or (with_plain and pd.api.types.is_scalar(other))):
            return of_tables(self, other)
        pair = [self._number(), other._number() if isinstance(other, OneNumber) else [other]]
        return operate(*(each[0] for each in pair)) if all(pair) else of_tables(self, other)

    operated.__name__ = name
    return operated


class OneNumber(pd.DataFrame):
    """What a release with one number is beside a table."""

    def item(self) -> Any:
        """The number, where the release has one; its interval and noise stand beside it, and are left out.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> people = pdp.Session(epsilon=1e6).protect(pd.DataFrame({"age": [31, 54, 47, 20] * 250}))
        >>> mean = people["age"].dp.mean(epsilon=1e5, bounds=(0, 100))  # so much that there is no noise to see
        >>> round(mean.item(), 1), f"{mean:.1f}", mean > 40
        (38.0, '38.0', False)
        """
        return self._one("item", BadArgument)

    def __float__(self) -> float:
        return float(self._one("float"))

    def __int__(self) -> int:
        return int(self._one("int"))

    def __round__(self, decimals: int = 0) -> Any:  # type: ignore[misc]  # final to the stubs alone
        """The number rounded; of several, the table, as in pandas."""
        number = self._number()
        return round(number[0], decimals) if number else self.round(decimals)

    def __format__(self, requested: str) -> str:
        """As text without a format; a format is for a number."""
        return format(self._one("format"), requested) if requested else repr(self)

    __lt__, __le__ = _operated(operator.lt, True), _operated(operator.le, True)
    __gt__, __ge__ = _operated(operator.gt, True), _operated(operator.ge, True)
    __add__, __sub__ = _operated(operator.add, False), _operated(operator.sub, False)
    __mul__, __truediv__ = _operated(operator.mul, False), _operated(operator.truediv, False)

    def __getitem__(self, key: Any) -> Any:
        """A column; where there is none, the number of the row of this label, as of a Series of pandas."""
        try:
            return super().__getitem__(key)
        except KeyError:
            found = self._row(key)
            if found is None:
                raise
            return found

    if not TYPE_CHECKING:  # a name that there is not is an error to them

        def __getattr__(self, name: str) -> Any:
            try:
                return super().__getattr__(name)
            except AttributeError:
                if name.startswith("_") or "dp" not in self.attrs:
                    raise
                return self.dp._result(name)

    def _row(self, key: Any) -> Any:
        """What stands in a row: its number, or for the first of several keys its rows; None where there is no row."""
        try:
            place = self.index.get_loc(key)
        except (KeyError, TypeError, ValueError):
            return None
        if not isinstance(place, int):
            return self.loc[key]
        numbers = self._estimates().iloc[place]
        if len(numbers) == 1:
            return numbers.iloc[0]
        raise UnknownColumn(
            f"{key!r} is a row of this release and no column, and has {len(numbers)} numbers; take "
            f"release.loc[{key!r}].",
            column=key,
        )

    def _estimates(self) -> pd.DataFrame:
        released: Any = named("core.label.layout:Released")
        found: pd.DataFrame = released.of(self, parts=True).held
        return found

    def _number(self) -> list[Any]:
        """The number alone; none of several, and of what is no release any more."""
        if self.empty or "dp" not in self.attrs:
            return []
        found = pd.DataFrame(self) if self.size == 1 else self._estimates()
        return found.iloc[:, 0].tolist() if found.size == 1 else []

    def _one(self, act: str, refusal: Callable[[str], Exception] = UnsupportedType) -> Any:
        number = self._number()
        if number:
            return number[0]
        many, row = self._estimates().size, self.index[0] if len(self) else "row"
        raise refusal(
            f"{act}() needs one number, and this release has {many}; take one of them, e.g. "
            f"release.loc[{row!r}, {self.columns[0] if len(self.columns) else 'column'!r}]."
        )
