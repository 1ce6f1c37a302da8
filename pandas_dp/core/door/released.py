"""`.dp` of a release: what its label says, its intervals, and ways to publish it. Nothing here costs anything."""

from __future__ import annotations

import copy
from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import pandas as pd

from ...errors import NotConcluded, PrivacyError, UnsupportedArgument
from ...learning.accessor_moment_learning import TableLearning
from ...models.tables.accessor import TableModels
from ...synthetic.ask_synthesis import TableSynthesis
from ...tables.accessor_adjusted import Adjustments
from ...tables.published.conclude_margin import margin
from ...tables.tests.accessor_association import AssociationTests
from ...tables.tests.accessor_goodness import MeanTests, TableTests
from ...tables.tests.accessor_risks import ShareTests
from ...views.drawings import Drawing, draw_release
from ...views.exports import Exports, html, refuse_damaged, text
from ...views.lines import check
from ..arguments import whole_number
from ..conclude.confint import confint, relabelled, replicates, to_decimals
from ..conclude.contrast import How, against, contrast_between, contrast_within
from ..conclude.results import Conclusion
from ..label.label import DAMAGED
from ..label.layout import Released
from ..label.release import Release, guarantee
from .frame import FrameAccessor
from .hints import ALWAYS, OF_PARTS, about_conclusion, offered_by, with_arguments_named
from .other_words import RESULTS
from .series import SeriesAccessor

MOST_DECIMALS = 30


@with_arguments_named
class ReleaseAccessor(
    Adjustments,
    TableTests,
    AssociationTests,
    MeanTests,
    ShareTests,
    TableModels,
    TableLearning,
    TableSynthesis,
    Exports,
):
    """Conclusions from a released table. A table that was changed since its release is refused.

    Examples
    --------
    >>> import pandas as pd, pandas_dp as pdp
    >>> people = pdp.Session(epsilon=10).protect(pd.DataFrame({"age": [31, 54, 47, 18] * 250}))
    >>> release = people["age"].dp.mean(epsilon=1, bounds=(0, 100))
    >>> release.dp.metadata["epsilon"], release.dp.metadata["size"]
    (1.0, 1000)
    >>> release.dp.confint(0.9, target="sample").columns.tolist()
    ['lower', 'upper']
    """

    own: ClassVar[tuple[str, ...]] = ()  # what a kind of evidence brings beside what all have

    def __init__(self, table: pd.DataFrame | pd.Series) -> None:
        self._table = table

    def __repr__(self) -> str:
        return f"<.dp of a release: {', '.join(self._offered)}>"

    def __dir__(self) -> list[str]:
        return self._offered

    @property
    def _offered(self) -> list[str]:
        """What its evidence offers; where the table was changed, all, as each says what is wrong."""
        every = offered_by(ReleaseAccessor)
        try:
            released = Released.of(self._frame, parts=True)
            able = {*ALWAYS, *released.offers}
            if released.part is not None:
                able &= OF_PARTS
        except PrivacyError:
            able = set(every)
        return [name for name in (*every, *self.own) if name in able or name in self.own]

    if not TYPE_CHECKING:  # a name that there is not is an error to them

        def __getattr__(self, name: str) -> Any:
            if hasattr(pd.DataFrame, name) and not hasattr(FrameAccessor, name) and not name.startswith("_"):
                raise AttributeError(
                    f"{name!r} is pandas' own: write release.{name}, without .dp.", name=name, obj=self
                )
            if not hasattr(FrameAccessor, name) and not hasattr(SeriesAccessor, name):
                hint, offered = about_conclusion(name, self._offered), ", ".join(self._offered)
                raise AttributeError(
                    f".dp of a release has no {name!r}{hint}; it offers {offered}.", name=name, obj=self
                )
            raise UnsupportedArgument(
                f"this table is a release: .dp offers {', '.join(self._offered)} of it, not {name!r}.",
                argument=name,
            )

    @property
    def metadata(self) -> dict[str, Any]:
        """The label, plain JSON.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> people = pdp.Session(epsilon=10).protect(pd.DataFrame({"sex": ["f", "m"] * 500}))
        >>> label = people["sex"].dp.value_counts(epsilon=1, categories=["f", "m"]).dp.metadata
        >>> label["statistic"], label["epsilon"], label["mechanism"]
        ('value_counts', 1.0, 'laplace')
        """
        Released.of(self._frame, parts=True)
        return copy.deepcopy(self._frame.attrs["dp"])

    @property
    def guarantee(self) -> str:
        """The promise in one line.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> people = pdp.Session(epsilon=10).protect(pd.DataFrame({"sex": ["f", "m"] * 500}))
        >>> people["sex"].dp.value_counts(epsilon=1, categories=["f", "m"]).dp.guarantee
        'differentially private: epsilon=1; one row replaced; laplace noise.'
        """
        return guarantee(Released.of(self._frame, parts=True).label)

    def check(self) -> pd.DataFrame:
        """What looks wrong with the release: a row for each finding, with what to do; empty where nothing does.

        Read off released numbers and public facts alone, so it costs nothing. A view of the release shows the same.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> people = pdp.Session(epsilon=10).protect(pd.DataFrame({"sex": ["F", "M"] * 500}))
        >>> table = people["sex"].dp.value_counts(epsilon=1, categories=["f", "m"])  # no label is spelled like this
        >>> "do the declared categories match" in table.dp.check()["advice"].iloc[0].lower()
        True
        """
        return check(self._frame)

    def confint(
        self, confidence: float = 0.95, target: str | None = None, *, simultaneous: bool = False
    ) -> pd.DataFrame:
        """Intervals that hold each true number with this probability.

        Parameters
        ----------
        confidence : float
        target : "population" or "sample", optional
            The population that the rows are a random sample of, or the rows in the data, for which only the noise
            counts. By default intervals of means are for the population, all others for the rows in the data.
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
        return Conclusion(confint(self._frame, confidence, target, simultaneous))

    def contrast(
        self,
        first: Any,
        second: Any = None,
        *,
        kind: str = "difference",
        confidence: float = 0.95,
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
        confidence, target
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
        how = How.read(kind, confidence, target)
        if isinstance(first, pd.DataFrame):
            if second is not None:
                raise UnsupportedArgument("contrast takes one other release, or two rows of this one.")
            return contrast_between(self._frame, first, how, samples)
        if samples is not None:
            raise UnsupportedArgument("samples= is for two releases; cells of one hold different people.")
        if second is None:
            raise UnsupportedArgument("contrast needs two rows of this release, or another release.")
        return contrast_within(self._frame, first, second, how)

    def test(self, value: Any, *, confidence: float = 0.95, target: str | None = None) -> pd.DataFrame:
        """Each number against a given one: its interval, the statistic, and the p-value, two-sided.

        Parameters
        ----------
        value
            In the unit of the release.
        confidence, target
            As in `confint`.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> people = pdp.Session(epsilon=10).protect(pd.DataFrame({"age": [31, 54, 47, 18] * 250}))
        >>> release = people["age"].dp.mean(epsilon=5, bounds=(0, 100))
        >>> bool(release.dp.test(60)["p_value"].item() < 0.001)
        True
        """
        return against(self._frame, value, How.read("difference", confidence, target))

    def replicates(self) -> pd.DataFrame:
        """The replicates of a release that was asked for with `bootstrap=`, a row each.

        Replicates by moments are drawn from the released numbers, the same ones at every call; others were released.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> people = pdp.Session(epsilon=10).protect(pd.DataFrame({"age": [31, 54, 47, 18] * 250}))
        >>> people["age"].dp.mean(epsilon=1, bounds=(0, 100), bootstrap=100).dp.replicates().shape
        (100, 1)
        """
        return replicates(self._frame)

    def plot(
        self,
        kind: str = "auto",
        *,
        sort: str | None = None,
        top: int | None = None,
        title: str | None = None,
        confidence: float = 0.95,
        ax: Any = None,
    ) -> Any:
        """The release as a picture with its intervals; matplotlib axes.

        Parameters
        ----------
        kind : "auto", "heatmap", "bars", "line" or "box"
            Rows that are dates or periods as lines over time with their bands; quartiles and a rank to either side of
            them as boxes; a table of several columns as a heat map, a histogram as one; a single column else as bars if
            it counts, or as points.
        sort : "descending" or "ascending", optional
            Bars from the largest, or from the smallest; in the order of the release without it.
        top : int, optional
            So many bars, of the largest numbers; the foot says of how many. What was chosen for being large was likely
            made larger by its noise: intervals of the chosen hold together by `confint(simultaneous=True)`.
        title : str, optional
        confidence : float
            Of the intervals.
        ax : matplotlib Axes, optional

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> people = pdp.Session(epsilon=10).protect(pd.DataFrame({"sex": ["f", "m"] * 500}))
        >>> release = people["sex"].dp.value_counts(epsilon=1, categories=["f", "m"])
        >>> release.dp.plot("bars", sort="descending", title="Members").get_ylabel()
        'sex'
        """
        how = Drawing.read(kind, sort, top, title)
        return draw_release(self._frame, how, confidence, ax)

    def round(self, decimals: int = 0) -> Release:
        """The table rounded, its times as they are; intervals allow for the rounding, in the table and in `confint`.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> people = pdp.Session(epsilon=1e6).protect(pd.DataFrame({"age": [31, 54, 47, 20] * 250}))
        >>> release = people["age"].dp.mean(epsilon=1e5, bounds=(0, 100))  # so much that there is no noise to see
        >>> release.dp.round()["mean"].item()
        38.0
        """
        decimals = whole_number("decimals", decimals, -MOST_DECIMALS, MOST_DECIMALS)
        return to_decimals(self._frame, decimals)

    def relabel(self, labels: Mapping[Any, Any]) -> Release:
        """The table under other labels; guarantee, intervals and all conclusions stay.

        A release that pandas sorts, selects, turns or renames stays one too. Its label remembers the labels that it was
        released with, which `where` and `margin` go by.

        Parameters
        ----------
        labels : mapping from labels of rows, of columns, or names of keys, to those that take their place

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> people = pdp.Session(epsilon=10).protect(pd.DataFrame({"sex": ["f", "m"] * 500}))
        >>> release = people["sex"].dp.value_counts(epsilon=1, categories=["f", "m"])
        >>> shown = release.dp.relabel({"f": "women", "m": "men", "sex": "Sex"})
        >>> shown.index.tolist(), shown.index.name, shown.dp.confint().index.tolist()
        (['women', 'men'], 'Sex', ['women', 'men'])
        """
        return relabelled(self._frame, labels)

    def margin(self, keys: Sequence[Hashable], where: Mapping[Hashable, Any] | None = None) -> Release:
        """The table over some of the keys of a release of `marginals`, `[]` for the total, as a release of its own.

        Asked again, the answer is the same. `pdp.publish_tables` stores such releases for all later questions.

        Parameters
        ----------
        keys : list of keys
            In the order in which the table is to have them.
        where : mapping from key to a category or a list of them, optional
            Only rows with these categories; a key that is not among `keys` is added up over them.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(epsilon=10)
        >>> people = session.protect(pd.DataFrame({"sex": ["f", "m"] * 500, "vote": ["yes", "no"] * 500}))
        >>> tables = people.dp.marginals([["sex", "vote"]], epsilon=1,
        ...                              categories={"sex": ["f", "m"], "vote": ["yes", "no"]})
        >>> tables.dp.margin(["sex"], where={"vote": "yes"}).index.tolist()
        ['f', 'm']
        """
        return margin(self._frame, keys, where)

    def _repr_html_(self) -> str:
        return html(self._frame)

    def _refuse_damaged(self, error: Exception, asked: bool) -> None:
        """After an error that is no refusal: what a conclusion without arguments cannot read is the label."""
        if not asked:
            raise NotConcluded(DAMAGED) from error
        refuse_damaged(self._frame)

    def _text(self) -> str:
        return text(self._frame)

    def _result(self, name: str) -> Any:
        """What a name of a release is that pandas does not have: of statsmodels' results, or a conclusion."""
        if RESULTS.get(name) in self._frame.columns:
            return self._frame[RESULTS[name]]
        concluded = {"conf_int": "confint", "rsquared": "r_squared"}.get(name, name)
        if concluded in dir(self):
            found = getattr(self, concluded)
            return found() if name == "rsquared" else found
        hint = about_conclusion(name, dir(self))
        raise AttributeError(f"a release has no {name!r}{hint}; its .dp offers {', '.join(dir(self))}.")

    @property
    def _frame(self) -> pd.DataFrame:
        if isinstance(self._table, pd.Series):
            raise UnsupportedArgument("this is one column of a release; conclude from the whole table.")
        return self._table
