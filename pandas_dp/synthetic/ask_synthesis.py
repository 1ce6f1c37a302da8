"""A synthesis: a model of released tables, which answers for tables that were not released and draws rows of nobody."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Mapping, Sequence
from os import PathLike
from typing import Any, Literal, NoReturn

import numpy as np
import pandas as pd

from ..core.arguments import a_number, one_of, read_by_signature, whole_number
from ..core.conclude.results import EstimateResult
from ..core.door.hints import with_arguments_named
from ..core.label.release import Release, guarantee
from ..errors import SyntheticRows, UnsupportedArgument, wrong_value
from ..views.drawings import draw_tree
from ..views.plots import entitled
from .conclude_answers import MOST_ROWS, SENTENCE, answered, answered_of, crossed, drawn_rows, sources_of
from .conclude_described import Described, again, described, estimated, read_tables, tree_of
from .conclude_stored import read, written

MOST_REPLICATES = 10_000


@with_arguments_named
class Synthesis:
    """A model of tables that were released, tables read off it, and rows drawn from it. Nothing here costs anything.

    **Rows of nobody.** Tables in `measured` are kept, up to the noise; anything else is what the model makes of them:
    it may be wrong, and nothing in the rows shows it. Standard errors, tests and intervals that are computed from the
    rows as if they were data are wrong. Ask `table` and `estimate`. More rows give no more information.

    Examples
    --------
    >>> import pandas as pd, pandas_dp as pdp
    >>> rows = pd.DataFrame({"sex": ["f", "m", "m"] * 400, "vote": ["yes", "no", "no"] * 400})
    >>> people = pdp.Session(rho=1e9).protect(rows)  # so much that there is no noise to see
    >>> declared = {"sex": ["f", "m"], "vote": ["yes", "no"]}
    >>> tables = people.dp.marginals([["sex", "vote"]], categories=declared, rho=1e6)
    >>> tables.dp.synthesize().sample(6, seed=1).value_counts(["sex", "vote"]).to_dict()
    {('m', 'no'): 4, ('f', 'yes'): 2}
    """

    def __init__(self, described: Described) -> None:
        self._described = described

    def __repr__(self) -> str:
        of = self._described
        columns = ", ".join(str(column.name) for column in of.columns)
        sources = "".join(f"{source.capitalize()}: {tables}.\n" for source, tables in sources_of(of).items())
        return (
            f"Synthesis of {columns}: {of.model.rows:,.0f} rows by its estimate.\n{sources}"
            f"{guarantee(of.label)}\n{SENTENCE}"
        )

    @property
    def measured(self) -> list[Release]:
        """The releases that the model was fitted to.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> people = pdp.Session(epsilon=10).protect(pd.DataFrame({"sex": ["f", "m"] * 500}))
        >>> release = people["sex"].dp.value_counts(epsilon=1, categories=["f", "m"])
        >>> [each.dp.metadata["statistic"] for each in release.dp.synthesize().measured]
        ['value_counts']
        """
        return list(self._described.releases)

    def with_distance(self, release: Release) -> Synthesis:
        """The same, with what the data said of its tables: numbers read off them are "bounded", with `lower` and
        `upper`, which hold for all tables of the release together.

        Parameters
        ----------
        release : Release
            Of `frame.dp.distance(synthesis, ...)`, for this synthesis and not for rows of it.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> rows = pd.DataFrame({"a": [1, 2] * 400, "b": [1, 2] * 400, "c": [1, 2] * 400})
        >>> people = pdp.Session(rho=1e9).protect(rows)  # so much that there is no noise to see
        >>> declared = {"a": [1, 2], "b": [1, 2], "c": [1, 2]}
        >>> synthesis = people.dp.marginals([["a", "b"], ["b", "c"]], categories=declared, rho=1e6).dp.synthesize()
        >>> distance = people.dp.distance(synthesis, [["a", "c"]], rho=1e6)
        >>> synthesis.with_distance(distance).table(["a", "c"])["source"].tolist()[:2]
        ['bounded', 'bounded']
        """
        from .conclude_answers import with_distance

        return Synthesis(with_distance(self._described, release))

    @property
    def guarantee(self) -> str:
        """The promise of what was measured, which all of this keeps.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> people = pdp.Session(epsilon=10).protect(pd.DataFrame({"sex": ["f", "m"] * 500}))
        >>> people["sex"].dp.value_counts(epsilon=1, categories=["f", "m"]).dp.synthesize().guarantee
        'differentially private: epsilon=1; one row replaced; laplace noise.'
        """
        return guarantee(self._described.label)

    def table(
        self,
        keys: Sequence[Hashable],
        where: Mapping[Hashable, Any] | None = None,
        *,
        values: Hashable | None = None,
        aggfunc: str | None = None,
    ) -> Release:
        """The table over these keys, [] for the total, with a column `source` that says what it is worth.

        "measured": the released numbers with their intervals. "bounded": what the model says, within a bound that was
        paid for. "fitted": what the model makes of other tables; no interval is known.

        Parameters
        ----------
        keys : list of keys
            In the order in which the table is to have them.
        where : mapping from key to a category, a list of them, or a slice of an ordered key, optional
            Only rows with these categories; both ends of a slice are in.
        values : key, optional
            A column of numbers; then `aggfunc` is "mean" (by default) or "sum" of it by the model, of bins by their
            middles.
        aggfunc : "count", "sum" or "mean", optional

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> rows = pd.DataFrame({"a": [1, 2] * 400, "b": [1, 2] * 400, "c": [1, 2] * 400})
        >>> people = pdp.Session(rho=1e9).protect(rows)  # so much that there is no noise to see
        >>> declared = {"a": [1, 2], "b": [1, 2], "c": [1, 2]}
        >>> synthesis = people.dp.marginals([["a", "b"], ["b", "c"]], categories=declared, rho=1e6).dp.synthesize()
        >>> synthesis.table(["a"])["source"].tolist(), synthesis.table(["a", "c"])["source"].tolist()[:2]
        (['measured', 'measured'], ['fitted', 'fitted'])
        """
        of = self._described
        asked, chosen = of.read_keys(keys), of.read_where(where)
        how = "count" if values is None else "mean"
        requested = one_of("aggfunc", how if aggfunc is None else aggfunc, ("count", "sum", "mean"))
        if (requested == "count") != (values is None):
            raise UnsupportedArgument(
                'table counts rows without values=, and gives the "sum" or the "mean" of a column with it.',
                argument="aggfunc",
            )
        if values is None:
            return answered(of, asked, chosen)
        (column,) = of.read_keys([values])
        return answered_of(of, asked, chosen, column, requested)

    def crosstab(self, index: Any, columns: Any, where: Mapping[Hashable, Any] | None = None) -> Release:
        """The counts as a rectangle, keys of the rows by keys of the columns; `source` is in the label.

        Parameters
        ----------
        index, columns : key or list of keys
        where : mapping from key to a category or a list of them, optional

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> rows = pd.DataFrame({"a": [1, 2] * 400, "b": [1, 2] * 400, "c": [1, 2] * 400})
        >>> people = pdp.Session(rho=1e9).protect(rows)  # so much that there is no noise to see
        >>> declared = {"a": [1, 2], "b": [1, 2], "c": [1, 2]}
        >>> synthesis = people.dp.marginals([["a", "b"], ["b", "c"]], categories=declared, rho=1e6).dp.synthesize()
        >>> synthesis.crosstab("a", "c").dp.metadata["source"]
        'fitted'
        """
        of = self._described
        down, across = ([names] if not isinstance(names, list) else names for names in (index, columns))
        of.read_keys([*down, *across])
        return crossed(of, of.read_keys(down), of.read_keys(across), of.read_where(where))

    def sample(
        self,
        n: int | None = None,
        *,
        where: Mapping[Hashable, Any] | None = None,
        seed: int | np.random.Generator | None = None,
        drawn: Literal["even", "random"] = "even",
    ) -> pd.DataFrame:
        """Rows of nobody, as a plain DataFrame with the columns, order and dtypes that were declared.

        Parameters
        ----------
        n : int, optional
            By default as many as the model holds.
        where : mapping from key to a category, a list of them, or a slice of an ordered key, optional
            Only rows with these categories; both ends of a slice are in.
        seed : int or numpy Generator, optional
            The same seed gives the same rows. The noise of what was released has none.
        drawn : "even" or "random"
            "even": every cell of the model gets its share of the rows, up to rounding, so tables of the rows are nearer
            to those of the model. "random": rows that are independent draws.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> rows = pd.DataFrame({"sex": ["f", "m", "m"] * 400, "vote": ["yes", "no", "no"] * 400})
        >>> people = pdp.Session(rho=1e9).protect(rows)  # so much that there is no noise to see
        >>> declared = {"sex": ["f", "m"], "vote": ["yes", "no"]}
        >>> synthesis = people.dp.marginals([["sex", "vote"]], categories=declared, rho=1e6).dp.synthesize()
        >>> rows = synthesis.sample(4, where={"sex": "m"}, seed=1)
        >>> rows["vote"].tolist(), rows.attrs["dp"]["kind"]
        (['no', 'no', 'no', 'no'], 'synthetic')
        """
        many = None if n is None else whole_number("n", n, 0, MOST_ROWS)
        chosen = self._described.read_where(where)
        return drawn_rows(self._described, many, chosen, _rng(seed), one_of("drawn", drawn, ("even", "random")))

    def samples(self, m: int, seed: int | np.random.Generator | None = None) -> list[pd.DataFrame]:
        """Frames of rows, each of the whole process run again on the model: for those who need files.

        A statistic q of each frame has the mean q̄, and about the error of √((1 + 1/m)·v) with m − 1 degrees of freedom,
        v the variance of q between the frames, where the tables that it needs were measured. Pooling the frames as so
        many times the data is wrong.

        Parameters
        ----------
        m : int
            How many, at least 2.
        seed : int or numpy Generator, optional

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> people = pdp.Session(epsilon=10).protect(pd.DataFrame({"sex": ["f", "m"] * 500}))
        >>> release = people["sex"].dp.value_counts(epsilon=1, categories=["f", "m"])
        >>> len(release.dp.synthesize().samples(5, seed=1))
        5
        """
        from dataclasses import replace

        rng, of = _rng(seed), self._described
        models = again(of, whole_number("m", m, 2, MOST_REPLICATES), rng)
        return [drawn_rows(replace(of, model=model), None, {}, rng, "even") for model in models]

    def estimate(
        self,
        f: Callable[..., Any],
        of: Sequence[Sequence[Hashable]],
        *,
        replicates: int = 50,
        confidence: float = 0.95,
        seed: int | np.random.Generator | None = None,
    ) -> EstimateResult:
        """A number that follows from some tables, with an interval for the population if they were measured.

        The interval comes from the whole process run again: rows drawn from the model, measured by the same laws,
        fitted again. Where a table in `of` was not measured no interval is honest, and there is none.

        Parameters
        ----------
        f : callable
            Takes the model's tables over the keys in `of`, each a Series of counts under its categories, and gives one
            number.
        of : list of lists of keys
        replicates : int
            How often the process is run again.
        confidence : float
        seed : int or numpy Generator, optional
            By default one that the released numbers decide: the same answer every time.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> rows = pd.DataFrame({"sex": ["f", "m", "m"] * 400, "vote": ["yes", "yes", "no"] * 400})
        >>> people = pdp.Session(rho=1e9).protect(rows)  # so much that there is no noise to see
        >>> declared = {"sex": ["f", "m"], "vote": ["yes", "no"]}
        >>> synthesis = people.dp.marginals([["sex", "vote"]], categories=declared, rho=1e6).dp.synthesize()
        >>> found = synthesis.estimate(lambda votes: votes["m", "yes"] / votes["m"].sum(), of=[["sex", "vote"]])
        >>> round(found.estimate, 2), found.lower < 0.5 < found.upper
        (0.5, True)
        """
        described = self._described
        many = whole_number("replicates", replicates, 10, MOST_REPLICATES)
        confidence = a_number("confidence", confidence, 0, 1)
        if not callable(f):
            raise wrong_value("f", "be a function of the tables that of= names", f)
        rng = _rng(int(described.digest[:16], 16) if seed is None else seed)
        return estimated(described, f, read_tables(described, of), many, confidence, rng)

    def plot(self, ax: Any = None, *, title: str | None = None) -> Any:
        """The model as a tree: keys that it keeps together, with the tables that were measured and their intervals;
        matplotlib axes. On a line stand the keys through which all else depends on each other.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> rows = pd.DataFrame({"a": [1, 2] * 400, "b": [1, 2] * 400, "c": [1, 2] * 400})
        >>> people = pdp.Session(rho=1e9).protect(rows)
        >>> declared = {"a": [1, 2], "b": [1, 2], "c": [1, 2]}
        >>> synthesis = people.dp.marginals([["a", "b"], ["b", "c"]], categories=declared, rho=1).dp.synthesize()
        >>> len(synthesis.plot().lines)
        1
        """
        tree = tree_of(self._described)
        return entitled(draw_tree(tree.boxes, tree.parents, tree.shared, tree.foot, ax), title)

    def write(self, path: str | PathLike[str]) -> None:
        """Store it in a JSON file: the model to the last bit, so that a seed gives the same rows, and the releases.

        Examples
        --------
        >>> import tempfile, pandas as pd, pandas_dp as pdp
        >>> people = pdp.Session(epsilon=10).protect(pd.DataFrame({"sex": ["f", "m"] * 500}))
        >>> synthesis = people["sex"].dp.value_counts(epsilon=1, categories=["f", "m"]).dp.synthesize()
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     synthesis.write(f"{folder}/synthesis.json")
        ...     again = pdp.read_synthesis(f"{folder}/synthesis.json")
        >>> again.sample(10, seed=1).equals(synthesis.sample(10, seed=1))
        True
        """
        written(self._described, path)


@read_by_signature
def read_synthesis(path: str | PathLike[str], schema: Any = None) -> Synthesis:
    """A synthesis that was written to a file. The data are not needed, and nothing is spent.

    Parameters
    ----------
    path : path of the file
    schema : pandera DataFrameSchema or DataFrameModel, optional
        Whose checks rows meet; dtypes are in the file.

    Raises
    ------
    TablesDamaged
        The file was changed, or holds something else.

    Examples
    --------
    >>> import pandas_dp as pdp
    >>> pdp.read_synthesis("nowhere.json")
    Traceback (most recent call last):
    ...
    pandas_dp.errors.TablesError: nowhere.json cannot be read: No such file or directory.
    """
    return Synthesis(read(path, schema))


def _rng(seed: Any) -> np.random.Generator:
    if isinstance(seed, np.random.Generator):
        return seed
    if seed is None:
        return np.random.default_rng()
    return np.random.default_rng(whole_number("seed", seed, 0, 2**64))


@with_arguments_named
class TableSynthesis(ABC):
    """A model of a released table, or of several."""

    @property
    @abstractmethod
    def _frame(self) -> pd.DataFrame:
        """The released table."""

    def synthesize(self, schema: Any = None) -> Synthesis:
        """A model that agrees with the released tables, as even as can be elsewhere; tables and rows come from it.

        It is made of released numbers alone and costs nothing. See `pdp.Synthesis` for what it is worth.

        Parameters
        ----------
        schema : pandera DataFrameSchema or DataFrameModel, optional
            Rows then have its dtypes and its order, keys in bins become numbers on the declared grid, and all of them
            meet its checks. Without, they have the labels of the tables.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> rows = pd.DataFrame({"sex": ["f", "m", "m"] * 400, "vote": ["yes", "no", "no"] * 400})
        >>> people = pdp.Session(rho=1e9).protect(rows)  # so much that there is no noise to see
        >>> declared = {"sex": ["f", "m"], "vote": ["yes", "no"]}
        >>> table = people.dp.crosstab("sex", "vote", categories=declared, rho=1e6)
        >>> table.dp.synthesize().sample(3, seed=1).value_counts().to_dict()
        {('m', 'no'): 2, ('f', 'yes'): 1}
        """
        return Synthesis(described(self._frame, schema))


class SyntheticAccessor:
    """`.dp` of rows that were drawn from a model: they are neither data nor a release."""

    def __init__(self, data: pd.DataFrame | pd.Series[Any]) -> None:
        self._data = data

    def __repr__(self) -> str:
        return "<.dp of synthetic rows, which has no answers: ask the synthesis>"

    def __dir__(self) -> list[str]:
        return []

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("_"):
            raise AttributeError(name)
        raise SyntheticRows(REFUSED)


REFUSED = (
    "these rows were drawn from a model: they are neither data nor a release, and nothing is concluded from them; ask "
    "the synthesis, by table, estimate and measured."
)
