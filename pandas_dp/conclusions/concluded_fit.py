"""A regression that was concluded from a release: a table of coefficients that can be printed as programs do."""

from __future__ import annotations

from typing import ClassVar, Self

from .concluded import ConcludedFace
from .results import Conclusion
from .summaries import Summary


class ConcludedFitFace(ConcludedFace):
    """What a regression that is no release of its own offers."""

    def __init__(self, told: Summary) -> None:
        self._told = told

    def __dir__(self) -> list[str]:
        return ["summary"]

    def summary(self) -> Summary:
        """The regression as statistics programs print it; `print(table.dp.summary())`.

        Examples
        --------
        >>> ConcludedFitFace(Summary("coef  std err")).summary()
        coef  std err
        """
        return self._told


class ConcludedFit(Conclusion):
    """Coefficients with their sets, a row each; what pandas makes of it is a plain table."""

    _metadata: ClassVar[list[str]] = ["_told"]
    _told: Summary

    def told(self, summary: Summary) -> Self:
        """Itself, with how it is printed."""
        self._told = summary
        return self

    @property
    def dp(self) -> ConcludedFace:
        """`summary()` prints it.

        Examples
        --------
        >>> ConcludedFit({"coef": [1.5]}).told(Summary("coef  std err")).dp.summary()
        coef  std err
        """
        return ConcludedFitFace(self._told)
