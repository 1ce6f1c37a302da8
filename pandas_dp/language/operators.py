"""The operators that columns and tables have, and pandas' names for them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Self

ARITHMETIC = {"add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**"}
COMPARISONS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
SYNONYMS = {"div": "truediv", "divide": "truediv", "subtract": "sub", "multiply": "mul", "rdiv": "rtruediv"}


class Operators(ABC):
    """Each is done with another column or table of the same rows, or with a constant."""

    @abstractmethod
    def _operated(self, how: str, other: Any, reflected: bool = False) -> Self:
        """An operator of arithmetic; reflected, what stands on its left is the other."""

    @abstractmethod
    def _compared(self, how: str, other: Any) -> Self:
        """A comparison."""

    @abstractmethod
    def _joined(self, how: str, other: Any) -> Self:
        """Two conditions as one."""

    def __add__(self, other: Any) -> Self:
        return self._operated("+", other)

    def __radd__(self, other: Any) -> Self:
        return self._operated("+", other, reflected=True)

    def __sub__(self, other: Any) -> Self:
        return self._operated("-", other)

    def __rsub__(self, other: Any) -> Self:
        return self._operated("-", other, reflected=True)

    def __mul__(self, other: Any) -> Self:
        return self._operated("*", other)

    def __rmul__(self, other: Any) -> Self:
        return self._operated("*", other, reflected=True)

    def __truediv__(self, other: Any) -> Self:
        return self._operated("/", other)

    def __rtruediv__(self, other: Any) -> Self:
        return self._operated("/", other, reflected=True)

    def __floordiv__(self, other: Any) -> Self:
        return self._operated("//", other)

    def __rfloordiv__(self, other: Any) -> Self:
        return self._operated("//", other, reflected=True)

    def __mod__(self, other: Any) -> Self:
        return self._operated("%", other)

    def __rmod__(self, other: Any) -> Self:
        return self._operated("%", other, reflected=True)

    def __pow__(self, other: Any) -> Self:
        return self._operated("**", other)

    def __rpow__(self, other: Any) -> Self:
        return self._operated("**", other, reflected=True)

    def __eq__(self, other: Any) -> Self:  # type: ignore[override]
        return self._compared("==", other)

    def __ne__(self, other: Any) -> Self:  # type: ignore[override]
        return self._compared("!=", other)

    def __lt__(self, other: Any) -> Self:
        return self._compared("<", other)

    def __le__(self, other: Any) -> Self:
        return self._compared("<=", other)

    def __gt__(self, other: Any) -> Self:
        return self._compared(">", other)

    def __ge__(self, other: Any) -> Self:
        return self._compared(">=", other)

    def __and__(self, other: Any) -> Self:
        return self._joined("and", other)

    def __or__(self, other: Any) -> Self:
        return self._joined("or", other)

    def __xor__(self, other: Any) -> Self:
        return self._joined("xor", other)

    __rand__, __ror__, __rxor__ = __and__, __or__, __xor__
    __hash__ = None  # type: ignore[assignment]
