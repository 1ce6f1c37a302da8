"""Tables that were published once, and whatever can be read off them: at no cost, and always the same."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from os import PathLike
from typing import Any

import numpy as np
import pandas as pd

from ..archive import as_folder, read_folder
from ..errors import NotConcluded, UnsupportedArgument, shown, wrong_value
from ..release import Release, guarantee, publish
from .evidence import checked_label, evidence_of
from .margin import Held, can_be_parted, is_key_list, read_where

Item = tuple[Any, str]


def open_tables(folder: str | PathLike[str]) -> PublishedTables:
    """The tables that `publish_tables` stored in a folder. The data are not needed, and nothing is spent.

    Raises
    ------
    TablesError
        The folder holds no published tables, or cannot be read.
    TablesDamaged
        A file was changed, removed or cut since it was published.
    """
    path = as_folder(folder)
    found = read_folder(path)
    if not all(can_be_parted(checked_label(release)) for release in found.values()):
        raise NotConcluded(f"{path} holds releases that are no tables of `marginals`.")
    return PublishedTables(found)


class PublishedTables:
    """Answers from stored releases alone: any table that they contain, and its parts, totals and cross tables.

    Every answer is a function of what was released, so it keeps the promise that was made then and costs nothing; the
    same question has the same answer. Where several stored tables can tell, the least noisy does.

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
    >>> session.used
    0.1
    """

    def __init__(self, releases: Mapping[str, Release]) -> None:
        self._held = {name: Held(release, checked_label(release)) for name, release in releases.items()}

    @property
    def releases(self) -> dict[str, pd.DataFrame]:
        """What is stored, by name."""
        return {name: held.frame for name, held in self._held.items()}

    @property
    def contents(self) -> pd.DataFrame:
        """A row for each stored table of each statistic: its keys, how many cells, and its standard error."""
        rows = [
            (name, held.name_of(kept), column, evidence.statistic, evidence.effects.cells(kept), evidence.sd_of(kept))
            for name, held in self._held.items()
            for (column, _), evidence in zip(held.items, held.evidence, strict=True)
            for kept in held.shown
        ]
        return pd.DataFrame(rows, columns=["name", "table", "column", "statistic", "cells", "std_error"])

    def table(
        self,
        keys: Sequence[Hashable],
        where: Mapping[Hashable, Any] | None = None,
        *,
        values: Hashable | None = None,
        aggfunc: str | None = None,
    ) -> Release:
        """The table over these keys, [] for the total, with its intervals.

        Parameters
        ----------
        keys : list of keys
            In the order in which the table is to have them.
        where : mapping from key to a category or a list of them, optional
            Only rows with these categories; a key that is not among `keys` is added up over them.
        values, aggfunc : optional
            Which column and statistic, where several were published.
        """
        if not is_key_list(keys):
            raise wrong_value("keys", "be a list of keys, each once, [] for the total", keys)
        chosen = read_where(where)
        held = self._holding(keys, chosen)
        only = self._only(held, values, aggfunc)
        found = [h.table(keys, chosen, only) for h in held if only <= set(h.items)]
        return min((each for each in found if each is not None), key=_noise)

    def crosstab(
        self,
        index: Hashable | Sequence[Hashable],
        columns: Hashable | Sequence[Hashable],
        where: Mapping[Hashable, Any] | None = None,
        *,
        values: Hashable | None = None,
        aggfunc: str | None = None,
    ) -> Release:
        """The same table as a rectangle of estimates; `.dp.confint()` has its intervals."""
        down, across = (list(keys) if isinstance(keys, list | tuple) else [keys] for keys in (index, columns))
        if not down or not across:
            raise UnsupportedArgument("crosstab needs a key for the rows and one for the columns.")
        long = self.table([*down, *across], where, values=values, aggfunc=aggfunc)
        label = checked_label(long)
        evidence = evidence_of(long)
        if len(evidence) > 1:
            raise UnsupportedArgument("crosstab shows one statistic; name it by values= and aggfunc=.")
        rows, cols = (_levels(long.index, at) for at in (range(len(down)), range(len(down), len(down) + len(across))))
        numbers = long.iloc[:, 0].to_numpy().reshape(len(rows), len(cols))
        return publish(pd.DataFrame(numbers, rows, cols), {**label, "rows": "cells", "shows": None})

    def __repr__(self) -> str:
        lines = [f"  {name}: {held.contents}" for name, held in self._held.items()]
        promises = dict.fromkeys(guarantee(held.label) for held in self._held.values())
        return "\n".join(["Published tables", *lines, *promises])

    def _holding(self, keys: Sequence[Hashable], where: Mapping[Hashable, Any]) -> list[Held]:
        able = [held for held in self._held.values() if held.can_tell([*keys, *where])]
        if not able:
            asked = ", ".join(repr(key) for key in dict.fromkeys([*keys, *where]))
            stored = "; ".join(held.contents for held in self._held.values())
            raise NotConcluded(f"no stored table has the keys {asked} together; stored are {stored}.")
        return able

    def _only(self, held: Sequence[Held], values: Hashable | None, aggfunc: str | None) -> set[Item]:
        """What is asked for: as named; else rows counted, where they are; else all, where it is the same everywhere."""
        if aggfunc is not None and not isinstance(aggfunc, str):
            raise wrong_value("aggfunc", "be the name of a statistic", aggfunc)
        items = list(dict.fromkeys(item for each in held for item in each.items))
        named = [i for i in items if (values is None or i[0] == values) and (aggfunc is None or i[1] == aggfunc)]
        if values is None and any(column is None for column, _ in named):
            named = [item for item in named if item[0] is None]
        there = ", ".join(f"values={column!r}, aggfunc={statistic!r}" for column, statistic in items)
        if not named:
            raise NotConcluded(
                f"no stored table of these keys has values={shown(values)} and aggfunc={shown(aggfunc)}; "
                f"there is {there}."
            )
        if not any(set(named) <= set(each.items) for each in held):
            raise UnsupportedArgument(f"several statistics were published apart; name one: {there}.", argument="values")
        return set(named)


def _noise(release: Release) -> float:
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


def _levels(index: pd.Index, at: range) -> pd.Index:
    levels = [index.get_level_values(level).unique() for level in at]
    return levels[0] if len(levels) == 1 else pd.MultiIndex.from_product(levels)
