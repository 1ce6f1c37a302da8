"""Pictures as pandas names them: each asks the question that it shows, pays for it, and draws what was released."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Unpack

import pandas as pd

from ..core.arguments import one_of, read_title
from ..core.door.asking import Asking, ColumnQuestions
from ..core.door.keywords import Keywords, Questions
from ..core.label.release import Release
from .boxes import BOXED
from .drawings import Drawing, draw_release
from .plots import axes, pyplot

KINDS = ("auto", "hist", "box", "bar")


class BoxPlots(Questions):
    """Boxes of a column, of columns, or of groups."""

    if TYPE_CHECKING:  # as of columns, tables and groups
        _asking: Callable[..., Asking]

        def quantile(self, q: float | Sequence[float] = 0.5, **keywords: Unpack[Keywords]) -> Release: ...

    def boxplot(self, *, title: str | None = None, ax: Any = None, **keywords: Unpack[Keywords]) -> Any:
        """A box plot of five released quantiles, .05, .25, .5, .75 and .95, with the interval of the median.

        matplotlib axes come back; their `release` is what was paid for, and `release.dp.plot()` draws it again. Lines
        end at quantiles, not at the farthest row: no row is shown.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> people = pdp.Session(epsilon=10).protect(pd.DataFrame({"sex": ["f", "m"] * 500, "age": [31, 54] * 500}))
        >>> axes = people.dp.groupby("sex", categories=["f", "m"])["age"].boxplot(epsilon=5, bounds=(0, 100))
        >>> [label.get_text() for label in axes.get_yticklabels()], axes.release.shape
        (['f', 'm'], (2, 5))
        """
        check_drawable(title, ax)
        asking = self._asking("quantile", keywords)
        for column in asking.columns:
            asking.number(column)  # times are refused before paying
        return drawn(self.quantile(list(BOXED), **keywords), title, ax)


class TablePictures(BoxPlots):
    """Pictures of a table."""

    if TYPE_CHECKING:
        _frame: pd.DataFrame

        def groupby(self, by: Any) -> Any: ...

    def boxplot(
        self,
        column: Any = None,
        by: Any = None,
        *,
        title: str | None = None,
        ax: Any = None,
        **keywords: Unpack[Keywords],
    ) -> Any:
        """A box plot of five released quantiles of each column, or with `by` of a column in each group.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> people = pdp.Session(epsilon=10).protect(pd.DataFrame({"sex": ["f", "m"] * 500, "age": [31, 54] * 500}))
        >>> axes = people.dp.boxplot("age", by="sex", epsilon=5, bounds=(0, 100), categories=["f", "m"])
        >>> axes.release.shape
        (2, 5)
        """
        if by is not None:
            grouped = self.groupby(by)
            return (grouped if column is None else grouped[column]).boxplot(title=title, ax=ax, **keywords)
        if column is not None:
            chosen: Any = self._frame[column if isinstance(column, list) else [column]]
            return chosen.dp.boxplot(title=title, ax=ax, **keywords)
        return super().boxplot(title=title, ax=ax, **keywords)


class GroupedPictures(BoxPlots):
    """Pictures of groups."""

    if TYPE_CHECKING:

        def histogram(self, bins: Any = 10, **keywords: Unpack[Keywords]) -> Release: ...

    def hist(self, bins: Any = 10, *, title: str | None = None, ax: Any = None, **keywords: Unpack[Keywords]) -> Any:
        """A picture of `histogram`: bars of each group, one group after another.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> people = pdp.Session(epsilon=10).protect(pd.DataFrame({"sex": ["f", "m"] * 500, "age": [31, 54] * 500}))
        >>> by_sex = people.dp.groupby("sex", categories=["f", "m"])
        >>> by_sex["age"].hist([0, 40, 100], epsilon=1, bounds=(0, 100)).release.shape
        (4, 1)
        """
        check_drawable(title, ax)
        return drawn(self.histogram(bins, **keywords), title, ax)


class PlotsByName:
    """`plot` of a column, which is called, and by pandas' names: `plot.hist()`, `plot.box()`, `plot.bar()`."""

    def __init__(self, plot: Callable[..., Any]) -> None:
        self.plot = plot

    def __get__(self, asked: Any, _: object = None) -> Any:
        return self.plot if asked is None else PlotOf(self.plot, asked)


class PlotOf:
    """Pictures of one column."""

    def __init__(self, plot: Callable[..., Any], asked: Any) -> None:
        self._plot, self._asked = plot, asked

    def __call__(self, *given: Any, **named: Any) -> Any:
        return self._plot(self._asked, *given, **named)

    def hist(self, bins: Any = 10, **named: Any) -> Any:
        return self._asked.hist(bins, **named)

    def box(self, **named: Any) -> Any:
        return self("box", **named)

    def bar(self, **named: Any) -> Any:
        return self("bar", **named)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        raise AttributeError(
            f"plot of a column has no {name!r}; it has hist, box and bar, and other pictures are of a release: "
            "release.dp.plot()."
        )


class ColumnPictures(BoxPlots, ColumnQuestions):
    """Pictures of a column."""

    if TYPE_CHECKING:

        def histogram(self, bins: Any = 10, **keywords: Unpack[Keywords]) -> Release: ...

        def value_counts(self, normalize: bool = False, **keywords: Unpack[Keywords]) -> Release: ...

    def hist(
        self,
        bins: int | Sequence[float] = 10,
        *,
        title: str | None = None,
        ax: Any = None,
        **keywords: Unpack[Keywords],
    ) -> Any:
        """A picture of `histogram`, with intervals; matplotlib axes, whose `release` is what was paid for.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> people = pdp.Session(epsilon=10).protect(pd.DataFrame({"age": [31, 54, 47] * 333}))
        >>> axes = people["age"].dp.hist([0, 40, 50, 100], epsilon=1, bounds=(0, 100))
        >>> axes.get_xlabel(), axes.release.columns.tolist()
        ('age', ['count'])
        """
        check_drawable(title, ax)
        return drawn(self.histogram(bins, **keywords), title, ax)

    @PlotsByName
    def plot(
        self, kind: str = "auto", *, title: str | None = None, ax: Any = None, **keywords: Unpack[Keywords]
    ) -> Any:
        """A picture of the column: bars of its declared categories, or the histogram of a column of numbers.

        A line through its rows, as pandas draws, is never shown.

        Parameters
        ----------
        kind : "hist", "box" or "bar", optional

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> people = pdp.Session(epsilon=10).protect(pd.DataFrame({"sex": ["f", "m"] * 500}))
        >>> axes = people["sex"].dp.plot(epsilon=1, categories=["f", "m"])
        >>> axes.get_ylabel(), axes.release.shape
        ('sex', (2, 1))
        """
        wanted = one_of("kind", kind, KINDS)
        said = self._asking("value_counts", keywords, sorts_by=("categories", "other")).domain.said(self._series.name)
        if wanted == "auto":
            wanted = "bar" if said.categories is not None and said.interval is None else "hist"
        if wanted == "box":
            return self.boxplot(title=title, ax=ax, **keywords)
        if wanted == "hist":
            return self.hist(title=title, ax=ax, **keywords)
        check_drawable(title, ax)
        return drawn(self.value_counts(**keywords), title, ax)


def check_drawable(title: object, ax: Any) -> None:
    """Whatever cannot be drawn is refused before it is paid."""
    read_title(title)
    pyplot()
    if ax is not None:
        axes(ax, 1, 1)


def drawn(release: pd.DataFrame, title: str | None, ax: Any) -> Any:
    """The picture of a release, which goes with it; what is only planned stays as it is."""
    if not isinstance(release, Release):
        return release
    found = draw_release(release, Drawing.read("auto", None, None, title), 0.95, ax)
    found.release = release
    return found
