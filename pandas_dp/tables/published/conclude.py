"""Tables that were published once, and whatever can be read off them: for free, and always the same."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any

import numpy as np
import pandas as pd

from ...core.arguments import a_flag, all_read_by_signature, read_by_signature
from ...core.conclude.numbers import releases as paid_for
from ...core.conclude.numbers import summed_cost
from ...core.label.label import and_total
from ...core.label.layout import Released
from ...core.label.release import Release, cost_text, guarantee, publish
from ...errors import NotConcluded, UnsupportedArgument, shown, wrong_value
from ...numeric.evidence_sums import Amounts, with_totals
from ...synthetic.conclude_answers import answered, crossed
from ...synthetic.conclude_described import Described
from ...synthetic.conclude_stored import from_json
from .archive import as_folder, read_folder, read_models, undamaged
from .conclude_margin import HeldTables, can_be_parted, is_key_list, read_where


@dataclass(frozen=True)
class Sides:
    """The keys of the rows and of the columns, and which rows of the data count."""

    down: Sequence[Hashable]
    across: Sequence[Hashable]
    where: Mapping[Hashable, list[Any] | slice]

    def rectangle(self, long: Released, held: HeldTables, only: Collection[Any], margins: bool) -> Release:
        """The table over both, one cell below the other so far."""
        levels = range(len(self.down)), range(len(self.down), len(self.down) + len(self.across))
        rows, columns = (_levels(long.frame.index, at) for at in levels)
        placed = replace(long.label, layout="cells", shows=None)
        if not margins:
            numbers = long.frame.iloc[:, 0].to_numpy().reshape(len(rows), len(columns))
            return publish(pd.DataFrame(numbers, rows, columns), placed)
        whole = with_totals(self._parts(long, held, only), (len(rows), len(columns)))
        table = pd.DataFrame(whole.values.reshape(len(rows) + 1, -1), and_total(rows), and_total(columns))
        (facts,) = long.label.evidence
        said = {name: facts[name] for name in ("column", "type")}
        return publish(table, replace(placed, evidence=({**said, **whole.to_json()},)))

    def _parts(self, long: Released, held: HeldTables, only: Collection[Any]) -> list[Amounts]:
        """The cells, the totals of rows, those of columns, and that of all."""
        found = [long.evidence[0]]
        for keys in (self.down, self.across, ()):
            margin = held.table(keys, self.where, only)
            assert margin is not None  # what tells the cells tells what they add up to
            found.append(margin.evidence[0])
        parts = [part for part in found if isinstance(part, Amounts)]
        if not held.agrees or len(parts) < len(found):
            raise NotConcluded(
                "margins=True is for counts and sums of tables that agree, as those of marginals do unless it is asked "
                "with consistent=False; read the margins as tables of their own."
            )
        return parts


def _levels(index: pd.Index, at: range) -> pd.Index:
    levels = [index.get_level_values(level).unique() for level in at]
    return levels[0] if len(levels) == 1 else pd.MultiIndex.from_product(levels)


Item = tuple[Any, str]


@read_by_signature
def open_tables(folder: str | PathLike[str]) -> PublishedTables:
    """The tables that `publish_tables` stored in a folder. The data are not needed, and nothing is spent.

    Raises
    ------
    TablesError
        The folder holds no published tables, or cannot be read.
    TablesDamaged
        A file was changed, removed or cut since it was published.

    Examples
    --------
    >>> import tempfile, pandas as pd, pandas_dp as pdp
    >>> people = pdp.Session(epsilon=10).protect(pd.DataFrame({"sex": ["f", "m"] * 500}))
    >>> ask = lambda: people.dp.marginals([["sex"]], categories={"sex": ["f", "m"]}, epsilon=1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     published = pdp.publish_tables(folder, {"sexes": ask})
    ...     opened = pdp.open_tables(folder)
    >>> opened.table(["sex"]).equals(published.table(["sex"]))
    True
    """
    path = as_folder(folder)
    found = read_folder(path)
    with undamaged(path):
        if not all(can_be_parted(Released.of(release)) for release in found.values()):
            raise NotConcluded(f"{path} holds releases that are no tables of `marginals`.")
        return PublishedTables(found, {name: from_json(said) for name, said in read_models(path).items()})


@all_read_by_signature
class PublishedTables:
    """Answers from stored releases alone: any table that they contain, and its parts, totals and cross tables.

    Every answer is a function of what was released, so it keeps the promise that was made then and costs nothing; the
    same question has the same answer. Where several stored tables can answer, the least noisy does.

    Examples
    --------
    >>> import tempfile, pandas as pd, pandas_dp as pdp
    >>> session = pdp.Session(epsilon=10)
    >>> people = session.protect(pd.DataFrame({"sex": ["f", "m"] * 500, "vote": ["yes", "no"] * 500}))
    >>> declared = {"sex": ["f", "m"], "vote": ["yes", "no"]}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     tables = pdp.publish_tables(
    ...         folder, {"votes": lambda: people.dp.marginals([["sex", "vote"]], categories=declared, epsilon=1)}
    ...     )
    >>> tables.table(["vote"], where={"sex": "f"}).index.tolist(), tables.table([]).index.tolist()
    (['yes', 'no'], ['All'])
    >>> session.share_used
    0.1
    """

    def __init__(self, releases: Mapping[str, Release], models: Mapping[str, Described] | None = None) -> None:
        self._releases, self._models = releases, {} if models is None else models
        self._held = {name: HeldTables(Released.of(release), name) for name, release in releases.items()}

    @property
    def releases(self) -> dict[str, pd.DataFrame]:
        """What is stored, by name.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> people = pdp.Session(epsilon=10).protect(pd.DataFrame({"sex": ["f", "m"] * 500}))
        >>> release = people.dp.marginals([["sex"]], categories={"sex": ["f", "m"]}, epsilon=1)
        >>> list(PublishedTables({"sexes": release}).releases)
        ['sexes']
        """
        return dict(self._releases)

    @property
    def contents(self) -> pd.DataFrame:
        """A row for each stored table of each statistic: its keys, how many cells, and its standard error.

        `cost` is what the tables of one name cost together.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> people = pdp.Session(epsilon=10).protect(pd.DataFrame({"sex": ["f", "m"] * 500}))
        >>> release = people.dp.marginals([["sex"]], categories={"sex": ["f", "m"]}, epsilon=1)
        >>> PublishedTables({"sexes": release}).contents[["name", "table", "cost"]].iloc[0].tolist()
        ['sexes', 'sex', 'epsilon=1']
        """
        rows = [
            (
                name,
                held.name_of(places),
                column,
                evidence.statistic,
                evidence.lattice.cells(places),
                evidence.sd_of(places),
                held.cost,
            )
            for name, held in self._held.items()
            for (column, _), evidence in zip(held.items, held.evidence, strict=True)
            for places in held.shown
        ]
        return pd.DataFrame(rows, columns=["name", "table", "column", "statistic", "cells", "std_error", "cost"])

    @property
    def guarantee(self) -> str:
        """What was promised of each, a line for each promise, and what all of them cost together.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> people = pdp.Session(epsilon=10).protect(pd.DataFrame({"sex": ["f", "m"] * 500}))
        >>> release = people.dp.marginals([["sex"]], categories={"sex": ["f", "m"]}, epsilon=1)
        >>> PublishedTables({"sexes": release}).guarantee
        'differentially private: epsilon=1; one row replaced; laplace noise.'
        """
        labels = [held.label for held in self._held.values()]
        promises = list(dict.fromkeys(map(guarantee, labels)))
        if len(labels) == 1:
            return promises[0]
        whole = cost_text({**summed_cost(paid_for(labels)), "releases": True})
        return "\n".join([*promises, f"For all {len(labels)} questions together: {whole}."])

    def table(
        self,
        keys: Sequence[Hashable],
        where: Mapping[Hashable, Any] | None = None,
        *,
        values: Hashable | None = None,
        aggfunc: str | None = None,
    ) -> Release:
        """The table over these keys, [] for the total, with its intervals.

        Where no stored table has these keys together and the model of a stored synthesis does, it is what the model
        makes of it: its column `source` says "fitted", and no interval is known.

        Parameters
        ----------
        keys : list of keys
            In the order in which the table is to have them.
        where : mapping from key to a category or a list of them, optional
            Only rows with these categories; a key that is not among `keys` is added up over them.
        values, aggfunc : optional
            Which column and statistic; without both, rows are counted.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(epsilon=1e6)  # so much that there is no noise to see
        >>> rows = pd.DataFrame({"sex": ["f", "f", "f", "m"] * 250, "vote": ["yes", "yes", "no", "no"] * 250})
        >>> declared = {"sex": ["f", "m"], "vote": ["yes", "no"]}
        >>> release = session.protect(rows).dp.marginals([["sex", "vote"]], categories=declared, epsilon=1000)
        >>> stored = PublishedTables({"votes": release})
        >>> stored.table(["vote"], where={"sex": "f"})["count"].round(1).to_dict()
        {'yes': 500.0, 'no': 250.0}
        """
        if values is None and aggfunc is None and (model := self._model(keys, where)) is not None:
            return answered(model, model.read_keys(keys), model.read_where(where))
        return self._answer(keys, read_where(where), values, aggfunc)[0].published()

    def _model(self, keys: Any, where: Any) -> Described | None:
        """The first that has all these keys, where no table has them together."""
        if not is_key_list(keys):
            return None
        requested = [*keys, *(where if isinstance(where, Mapping) else ())]
        if any(held.can_determine(requested) for held in self._held.values()):
            return None
        return next((model for model in self._models.values() if set(requested) <= set(model.names)), None)

    def crosstab(
        self,
        index: Hashable | Sequence[Hashable],
        columns: Hashable | Sequence[Hashable],
        where: Mapping[Hashable, Any] | None = None,
        *,
        values: Hashable | None = None,
        aggfunc: str | None = None,
        margins: bool = False,
    ) -> Release:
        """The same table as a rectangle of estimates; `.dp.confint()` has its intervals. What the model of a stored
        synthesis makes of it says so in its label: `.dp.metadata["source"]` is "fitted".

        Counts can be adjusted, rounded and withheld as those of any release; with `margins`, for which a row and a
        column of totals are read too, `.dp.shares()` can be taken.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(epsilon=1e6)  # so much that there is no noise to see
        >>> rows = pd.DataFrame({"sex": ["f", "f", "m", "m"] * 250, "vote": ["yes", "yes", "yes", "no"] * 250})
        >>> declared = {"sex": ["f", "m"], "vote": ["yes", "no"]}
        >>> release = session.protect(rows).dp.marginals([["sex", "vote"]], categories=declared, epsilon=1000)
        >>> PublishedTables({"votes": release}).crosstab("sex", "vote").round(1).loc["m"].tolist()
        [250.0, 250.0]
        """
        a_flag("margins", margins)
        down, across = (list(keys) if isinstance(keys, list | tuple) else [keys] for keys in (index, columns))
        if not down or not across:
            raise UnsupportedArgument("crosstab needs a key for the rows and one for the columns.")
        if values is None and aggfunc is None and (model := self._model([*down, *across], where)) is not None:
            if margins:
                raise UnsupportedArgument(
                    "no stored table has these keys together, and a model tells no totals with intervals beside them; "
                    "leave margins= out, and ask table([key]) for totals.",
                    argument="margins",
                )
            return crossed(model, model.read_keys(down), model.read_keys(across), model.read_where(where))
        chosen = read_where(where)
        long, held, only = self._answer([*down, *across], chosen, values, aggfunc)
        if len(only) > 1:
            raise UnsupportedArgument("crosstab shows one statistic; name it by values= and aggfunc=.")
        return Sides(down, across, chosen).rectangle(long, held, only, margins)

    def __repr__(self) -> str:
        lines = [f"  {name}: {held.contents}" for name, held in self._held.items()]
        return "\n".join(["Published tables", *lines, self.guarantee])

    def _answer(
        self, keys: Sequence[Hashable], where: Mapping[Hashable, Any], values: Hashable | None, aggfunc: str | None
    ) -> tuple[Released, HeldTables, set[Item]]:
        """The least noisy of the stored answers, what it was read from, and which statistics."""
        if not is_key_list(keys):
            raise wrong_value("keys", "be a list of keys, each once, [] for the total", keys)
        able = self._holding(keys, where)
        only = self._only(able, values, aggfunc)
        found = [(held.table(keys, where, only), held) for held in able if only <= set(held.items)]
        release, held = min(((r, held) for r, held in found if r is not None), key=lambda pair: _noise(pair[0].frame))
        return release, held, only

    def _holding(self, keys: Sequence[Hashable], where: Mapping[Hashable, Any]) -> list[HeldTables]:
        able = [held for held in self._held.values() if held.can_determine([*keys, *where])]
        if not able:
            stored = "; ".join(held.contents for held in self._held.values())
            raise NotConcluded(f"no stored table has these keys together; stored are {stored}.")
        return able

    def _only(self, held: Sequence[HeldTables], values: Hashable | None, aggfunc: str | None) -> set[Item]:
        """What is asked for: as named; rows counted where nothing is."""
        if aggfunc is not None and not isinstance(aggfunc, str):
            raise wrong_value("aggfunc", "be the name of a statistic", aggfunc)
        if not pd.api.types.is_hashable(values):
            raise wrong_value("values", "be the name of a column", values)
        items = list(dict.fromkeys(item for each in held for item in each.items))
        if values is None and (aggfunc is None or (None, aggfunc) in items):
            named = [item for item in items if item[0] is None]
        else:
            named = [i for i in items if (values is None or i[0] == values) and (aggfunc is None or i[1] == aggfunc)]
        there = ", ".join(f"values={column!r}, aggfunc={statistic!r}" for column, statistic in items)
        if not named:
            asked = f"values={shown(values)} and aggfunc={shown(aggfunc)}"
            if values is None and aggfunc is None:
                asked = "counts of rows"
            raise NotConcluded(f"no stored table of these keys has {asked}; there is {there}.")
        if values is None and len({column for column, _ in named}) > 1:
            raise UnsupportedArgument(
                f"aggfunc={shown(aggfunc)} was published of several columns; name one by values=: {there}.",
                argument="values",
            )
        if not any(set(named) <= set(each.items) for each in held):
            raise UnsupportedArgument(f"several statistics were published apart; name one: {there}.", argument="values")
        return set(named)


def _noise(release: pd.DataFrame) -> float:
    """How far off its numbers are: the mean standard error of the first statistic."""
    errors = [
        at for at, name in enumerate(release.columns) if (name[-1] if isinstance(name, tuple) else name) == "std_error"
    ]
    if not errors:
        return np.inf
    with np.errstate(all="ignore"):
        numbers = pd.to_numeric(release.iloc[:, errors[0]], errors="coerce").to_numpy(dtype=float)
    numbers = numbers[np.isfinite(numbers)]
    return float(numbers.mean()) if len(numbers) else np.inf
