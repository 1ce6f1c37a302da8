"""`.dp` of a release: what its label says, its intervals, and ways to publish it. Nothing here costs anything."""

from __future__ import annotations

import copy
from numbers import Integral, Real
from os import PathLike
from typing import Any

import pandas as pd

from ..errors import UnsupportedArgument, shown
from ..inference import checked_label, confint, nonnegative, rounded_to, suppressed
from ..release import Label, Release, guarantee, publish
from .frame import FrameFace
from .series import SeriesFace

Path = str | PathLike[str]
MOST_DECIMALS = 30


class ReleasedFace:
    """Conclusions from a released table. A table that was changed since its release is refused.

    Examples
    --------
    >>> import pandas as pd, pandas_dp as pdp
    >>> session = pdp.Session(epsilon=10)
    >>> people = session.protect(pd.DataFrame({"age": [31, 54, 47, 18] * 250}))
    >>> release = people["age"].dp.mean(epsilon=1, bounds=(0, 100))
    >>> release.dp.metadata["epsilon"], release.dp.metadata["size"]
    (1.0, 1000)
    >>> release.dp.confint(0.9, target="sample").columns.tolist()
    ['lower', 'upper']
    """

    def __init__(self, table: pd.DataFrame | pd.Series) -> None:
        self._table = table

    def __repr__(self) -> str:
        return "<.dp of a release: metadata, guarantee, confint, round, to_markdown, to_latex, to_html, to_excel>"

    def __getattr__(self, name: str) -> Any:
        if not hasattr(FrameFace, name) and not hasattr(SeriesFace, name):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        raise UnsupportedArgument(
            f"this table is a release: .dp offers metadata, guarantee, confint, round and exports of it, not {name!r}.",
            argument=name,
        )

    @property
    def metadata(self) -> Label:
        """The label, plain JSON."""
        return copy.deepcopy(checked_label(self._frame))

    @property
    def guarantee(self) -> str:
        """The promise in one line."""
        return guarantee(checked_label(self._frame))

    def confint(self, level: float = 0.95, target: str | None = None) -> pd.DataFrame:
        """Intervals that hold each true number with this probability.

        Parameters
        ----------
        level : float
        target : "population" or "sample", optional
            The population that the rows are a random sample of, or the rows at hand, for which only the noise
            counts. By default means speak of the population, everything else of the rows at hand.
        """
        return confint(self._frame, level, target)

    def round(self, decimals: int = 0) -> Release:
        """The table rounded, its times as they are; the intervals of its label allow for the rounding."""
        if isinstance(decimals, bool) or not isinstance(decimals, Integral) or abs(decimals) > MOST_DECIMALS:
            raise UnsupportedArgument(
                f"decimals must be a whole number from -{MOST_DECIMALS} to {MOST_DECIMALS}, not {shown(decimals)}.",
                decimals=decimals,
            )
        label = checked_label(self._frame)
        table = self._plain.apply(lambda column: column.round(decimals) if column.dtype.kind in "iuf" else column)
        return publish(table, {**label, "rounded": [*label.get("rounded", ()), int(decimals)]})

    def nonnegative(self, integer: bool = False) -> Release:
        """A table of counts without negative cells: the nearest one with the same total, its margins added up.

        With `integer` also whole numbers. Single cells gain a bias by it, and intervals are those of the release that
        it was made from.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(epsilon=10)
        >>> people = session.protect(pd.DataFrame({"sex": ["f", "m"] * 5, "vote": ["yes", "no"] * 5}))
        >>> table = people.dp.crosstab("sex", "vote", epsilon=0.1, margins="planned",
        ...                            categories={"sex": ["f", "m"], "vote": ["yes", "no"]})
        >>> bool((table.dp.nonnegative(integer=True) >= 0).all(axis=None))
        True
        """
        if not isinstance(integer, bool):
            raise UnsupportedArgument(f"integer must be True or False, not {shown(integer)}.", argument="integer")
        return nonnegative(self._frame, integer)

    def round_to(self, base: int) -> Release:
        """Counts as multiples of a base; the intervals of its label allow for the rounding."""
        if isinstance(base, bool) or not isinstance(base, Integral) or not 1 <= base <= 10**9:
            raise UnsupportedArgument(f"base must be a whole number from 1 to 1e9, not {shown(base)}.", base=base)
        return rounded_to(self._frame, int(base))

    def suppress(self, below: float | None = None, sparse: float | None = None) -> Release:
        """Counts with released numbers below a limit withheld as NaN, and all of a table whose mean cell is below one.

        Parameters
        ----------
        below : float, optional
            The least number to show.
        sparse : float, optional
            The least mean of the cells, as released, of a table to show.
        """
        limits = {"below": below, "sparse": sparse}
        for name, limit in limits.items():
            if limit is not None and (isinstance(limit, bool) or not isinstance(limit, Real) or not -1e9 < limit < 1e9):
                raise UnsupportedArgument(f"{name} must be a number, not {shown(limit)}.", argument=name)
        if below is None and sparse is None:
            raise UnsupportedArgument("suppress needs below= or sparse=.")
        return suppressed(self._frame, below, sparse)

    def to_markdown(self, path: Path | None = None, **options: Any) -> str:
        """A Markdown table, the guarantee as its last line."""
        return _written(f"{self._plain.to_markdown(**options)}\n\n{self.guarantee}\n", path)

    def to_latex(self, path: Path | None = None, **options: Any) -> str:
        """A LaTeX table, the guarantee as its last line."""
        text = self.guarantee.replace("_", r"\_").replace("%", r"\%")
        return _written(f"{self._plain.to_latex(**options)}\n\\par\\smallskip {text}\n", path)

    def to_html(self, path: Path | None = None, **options: Any) -> str:
        """An HTML table, the guarantee as its last line."""
        return _written(f"{self._plain.to_html(**options)}\n<p>{self.guarantee}</p>\n", path)

    def to_excel(self, path: Path, sheet_name: str = "release") -> None:
        """A sheet, the guarantee below the table."""
        table = self._plain
        with pd.ExcelWriter(path) as writer:
            table.to_excel(writer, sheet_name=sheet_name)
            below = len(table) + table.columns.nlevels + 2
            line = pd.DataFrame([[self.guarantee]])
            line.to_excel(writer, sheet_name=sheet_name, startrow=below, header=False, index=False)

    @property
    def _plain(self) -> pd.DataFrame:
        return pd.DataFrame(self._frame)

    @property
    def _frame(self) -> pd.DataFrame:
        if isinstance(self._table, pd.Series):
            raise UnsupportedArgument("this is one column of a release; conclude from the whole table.")
        return self._table


def _written(text: str, path: Path | None) -> str:
    if path is not None:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    return text
