"""`.dp` of a release: what its label says, its intervals, and ways to publish it. Nothing here costs anything."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from numbers import Integral
from os import PathLike
from typing import Any

import pandas as pd

from ..errors import MissingExtra, UnsupportedArgument, shown
from ..inference import How, against, checked_label, confint, contrast_between, contrast_within
from ..release import Label, Release, guarantee, publish
from .frame import FrameFace
from .series import SeriesFace
from .view import html

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
        return (
            "<.dp of a release: metadata, guarantee, confint, contrast, test, round, to_markdown, to_latex, to_html, "
            "to_excel>"
        )

    def __getattr__(self, name: str) -> Any:
        if not hasattr(FrameFace, name) and not hasattr(SeriesFace, name):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        raise UnsupportedArgument(
            "this table is a release: .dp offers metadata, guarantee, confint, contrast, test, round and exports of "
            f"it, not {name!r}.",
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

    def confint(self, level: float = 0.95, target: str | None = None, *, simultaneous: bool = False) -> pd.DataFrame:
        """Intervals that hold each true number with this probability.

        Parameters
        ----------
        level : float
        target : "population" or "sample", optional
            The population that the rows are a random sample of, or the rows at hand, for which only the noise
            counts. By default means speak of the population, everything else of the rows at hand.
        simultaneous : bool
            True: all intervals of the table together hold their true numbers with this probability.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> people = pdp.Session(epsilon=1).protect(pd.DataFrame({"sex": ["f", "m", "f"] * 100}))
        >>> release = people["sex"].dp.value_counts(epsilon=1, categories=["f", "m"])
        >>> (release.dp.confint().diff(axis=1) <= release.dp.confint(simultaneous=True).diff(axis=1)).iloc[:, 1].all()
        np.True_
        """
        return confint(self._frame, level, target, simultaneous)

    def contrast(
        self,
        first: Any,
        second: Any = None,
        *,
        kind: str = "difference",
        level: float = 0.95,
        target: str | None = None,
        samples: str | None = None,
    ) -> pd.DataFrame:
        """Difference or ratio of two released numbers: estimate, standard error, interval, statistic and p-value.

        The statistic and the p-value are of the hypothesis that the two true numbers are equal.

        Parameters
        ----------
        first, second
            Two rows of this release by their labels, or two cells as (row, column); or another release alone, which
            is taken number by number.
        kind : "difference" or "ratio"
            This release, or its first, minus or over the other.
        level, target
            As in `confint`.
        samples : "independent", optional
            Of two releases, for the population: nobody is in both.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> people = pdp.Session(epsilon=10).protect(pd.DataFrame({"sex": ["f", "m", "f"] * 100}))
        >>> release = people["sex"].dp.value_counts(epsilon=1, categories=["f", "m"])
        >>> release.dp.contrast("f", "m").columns.tolist()
        ['estimate', 'std_error', 'lower', 'upper', 'statistic', 'p_value']
        >>> release.dp.contrast("f", "m", kind="ratio").index.tolist()
        ['f / m']
        """
        how = How.read(kind, level, target)
        if isinstance(first, pd.DataFrame):
            if second is not None:
                raise UnsupportedArgument("contrast takes one other release, or two rows of this one.")
            return contrast_between(self._frame, first, how, samples)
        if samples is not None:
            raise UnsupportedArgument("samples= is for two releases; cells of one hold different people.")
        if second is None:
            raise UnsupportedArgument("contrast needs two rows of this release, or another release.")
        return contrast_within(self._frame, first, second, how)

    def test(self, value: Any, *, level: float = 0.95, target: str | None = None) -> pd.DataFrame:
        """Each number against a given one: its interval, the statistic, and the p-value, two-sided.

        Parameters
        ----------
        value
            In the unit of the release.
        level, target
            As in `confint`.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> people = pdp.Session(epsilon=10).protect(pd.DataFrame({"age": [31, 54, 47, 18] * 250}))
        >>> release = people["age"].dp.mean(epsilon=5, bounds=(0, 100))
        >>> bool(release.dp.test(60)["p_value"].item() < 0.001)
        True
        """
        return against(self._frame, value, How.read("difference", level, target))

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

    def to_markdown(self, path: Path | None = None, **options: Any) -> str:
        """A Markdown table, the guarantee as its last line."""
        with _needing("export"):
            table = self._plain.to_markdown(**options)
        return _written(f"{table}\n\n{self.guarantee}\n", path)

    def to_latex(self, path: Path | None = None, **options: Any) -> str:
        """A LaTeX table, the guarantee as its last line."""
        text = self.guarantee.replace("_", r"\_").replace("%", r"\%")
        with _needing("export"):
            table = self._plain.to_latex(**options)
        return _written(f"{table}\n\\par\\smallskip {text}\n", path)

    def to_html(self, path: Path | None = None, **options: Any) -> str:
        """An HTML table, the guarantee as its last line."""
        return _written(f"{self._plain.to_html(**options)}\n<p>{self.guarantee}</p>\n", path)

    def to_excel(self, path: Path, sheet_name: str = "release") -> None:
        """A sheet, the guarantee below the table."""
        table = self._plain
        with _needing("export"), pd.ExcelWriter(path) as writer:
            table.to_excel(writer, sheet_name=sheet_name)
            below = len(table) + table.columns.nlevels + 2
            line = pd.DataFrame([[self.guarantee]])
            line.to_excel(writer, sheet_name=sheet_name, startrow=below, header=False, index=False)

    def _repr_html_(self) -> str:
        return html(self._frame)

    @property
    def _plain(self) -> pd.DataFrame:
        return pd.DataFrame(self._frame)

    @property
    def _frame(self) -> pd.DataFrame:
        if isinstance(self._table, pd.Series):
            raise UnsupportedArgument("this is one column of a release; conclude from the whole table.")
        return self._table


@contextmanager
def _needing(extra: str) -> Iterator[None]:
    """Say by name which extra is missing, where pandas says which package."""
    try:
        yield
    except ImportError as error:
        raise MissingExtra(
            f'this way of publishing needs packages that are not installed; pip install "pandas-dp[{extra}]".',
            extra=extra,
        ) from error


def _written(text: str, path: Path | None) -> str:
    if path is not None:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    return text
