"""Questions about what a function gave on blocks of rows."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Unpack

import pandas as pd

from ..domain import Declared
from ..errors import UnknownColumn, UnsupportedArgument, shown
from ..release import Layout, Release, key_labels
from ..session import Asked, Cut, Subject
from ..statistics import Count
from ..tally import Cells
from .asking import Asking
from .common import CommonQuestions
from .keywords import Keywords, with_keywords_named
from .statistics import estimator, shares


@with_keywords_named
class AppliedFace(CommonQuestions):
    """Questions about what a function gave on each of k blocks: a table of k rows, whose number is public.

    Examples
    --------
    >>> from operator import methodcaller
    >>> import pandas as pd, pandas_dp as pdp
    >>> people = pdp.Session(epsilon=10).protect(pd.DataFrame({"age": [31, 54, 47, 18] * 250}))
    >>> spread = people.dp.blocks(20, bounds=(0, 100)).apply(methodcaller("std"), bounds={"age": (0, 50)})
    >>> spread.median(epsilon=5).columns.tolist()
    ['median', 'lower', 'upper']
    """

    def __init__(self, subject: Subject, cut: Cut, outputs: Mapping[Hashable, Declared]) -> None:
        self._subject, self._cut, self._outputs = subject, cut, outputs

    def __getitem__(self, name: Hashable) -> AppliedFace:
        """Questions about one of the numbers that the function gave.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> people = pdp.Session(epsilon=100).protect(pd.DataFrame({"age": [31, 54, 47, 18] * 250}))
        >>> def ends(rows):
        ...     return {"least": rows["age"].min(), "most": rows["age"].max()}
        >>> blocks, bounds = people.dp.blocks(20, bounds=(0, 100)), {"least": (0, 100), "most": (0, 100)}
        >>> found = blocks.apply(ends, bounds=bounds, isolate=False)
        >>> found["least"].median(epsilon=50).index.tolist()
        ['least']
        """
        if name not in self._outputs:
            names = ", ".join(map(repr, self._outputs))
            raise UnknownColumn(f"the function on blocks gives {names}, and no {shown(name)}.", column=name)
        return AppliedFace(self._subject, self._cut, {name: self._outputs[name]})

    @property
    def _what(self) -> str:
        return ".dp of a function on blocks"

    def quantile(self, q: float | Sequence[float] = 0.5, **keywords: Unpack[Keywords]) -> Release:
        """One quantile of what the function gave, or several.

        Examples
        --------
        >>> from operator import methodcaller
        >>> import pandas as pd, pandas_dp as pdp
        >>> people = pdp.Session(epsilon=100).protect(pd.DataFrame({"age": [31, 54, 47, 18] * 250}))
        >>> found = people.dp.blocks(20, bounds=(0, 100)).apply(methodcaller("mean"), bounds={"age": (0, 100)})
        >>> found.quantile([0.25, 0.75], epsilon=50).shape
        (2, 1)
        """
        if not pd.api.types.is_list_like(q):
            return self._each("quantile", keywords, q=q)
        asking, ranks = self._asking("quantile", keywords), shares(q)
        parts = [Asked(c, estimator(asking, "quantile", c, Cells(), q=rank)) for rank in ranks for c in asking.columns]
        layout = Layout(pd.Index([float(rank) for rank in ranks]), pd.Index(asking.columns), "estimates")
        return asking.release(parts, layout)

    def value_counts(self, column: Hashable = None, **keywords: Unpack[Keywords]) -> Release:
        """How many blocks gave each of the labels that `categories=` of `apply` lists: a vote.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> people = pdp.Session(epsilon=100).protect(pd.DataFrame({"age": [31, 54, 47, 18] * 250}))
        >>> def most(rows):
        ...     return "old" if (rows["age"] > 40).mean() > 0.2 else "young"
        >>> blocks, labels = people.dp.blocks(20, bounds=(0, 100)), {"who": ["old", "young"]}
        >>> vote = blocks.apply(most, categories=labels, isolate=False)
        >>> vote.value_counts(epsilon=50)["count"].to_dict()
        {'old': 20, 'young': 0}
        """
        listed = [name for name, each in self._outputs.items() if each.listed is not None]
        name = (listed[0] if len(listed) == 1 else None) if column is None else column
        if name is None or name not in listed:
            raise UnsupportedArgument(
                "value_counts counts labels of one name; say which, and list them in categories= of apply."
            )
        how = {"columns": [], "keys": [name], "counts_keys": True}
        asking = asking_of(self._cut, self._subject, "value_counts", keywords, **how)
        cells = asking.cells([name])
        layout = Layout(key_labels(cells.keys[0]), pd.Index(["count"]), "estimates")
        part: Any = Count(cells)
        return asking.release([Asked(name, part)], layout)

    def _each(self, statistic: str, keywords: Keywords, **how: Any) -> Release:
        asking = self._asking(statistic, keywords)
        parts = [Asked(c, estimator(asking, statistic, c, Cells(), **how)) for c in asking.columns]
        return asking.release(parts, Layout(pd.Index(asking.columns), None, "measures"))

    def _asking(self, statistic: str, keywords: Keywords) -> Asking:
        numbers = [name for name, each in self._outputs.items() if each.listed is None]
        return asking_of(self._cut, self._subject, statistic, keywords, columns=numbers)


def asking_of(cut: Cut, subject: Subject, statistic: str, keywords: Keywords, **takes: Any) -> Asking:
    """A question about what a function gave."""
    asking = Asking(subject.data, statistic, keywords, of=(cut.desk, subject), **takes)
    if asking.read.request.model != "dp":
        raise UnsupportedArgument(
            "blocks are offered with model='dp' only, which keeps the weaker promises too.", argument="model"
        )
    return asking
