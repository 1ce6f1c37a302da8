"""Choosing among candidates, and any function on blocks of rows."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import TYPE_CHECKING, Any, Unpack

import pandas as pd

from ..release import Release
from .blocks import BlocksFace
from .contests import chosen
from .keywords import Keywords, with_keywords_named


@with_keywords_named
class Tools:
    """Choosing among candidates, and any function on blocks of rows."""

    if TYPE_CHECKING:
        _frame: pd.DataFrame

    def choose(self, candidates: Mapping[str, Hashable], **keywords: Unpack[Keywords]) -> Release:
        """Which of a few public candidates has the largest total: the name of one of the best.

        It reveals a name, and no number. A candidate whose total is less than the best by `d` is chosen with a chance
        of exp(-d·epsilon / (2·width)) at most, for bounds of that width, and of its square where rows only come and go.
        In epsilon the mechanism is permute-and-flip, in rho the exponential one.

        Parameters
        ----------
        candidates : mapping from name to column
            The names are public, and so is which there are: nobody read them off the data. The columns hold numbers, or
            True and False, in one range: what the schema says of all of them, or `bounds=(lower, upper)` for all.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(epsilon=10)
        >>> answers = {"park": [True, True, False] * 200, "pool": [False, True, False] * 200}
        >>> votes = session.protect(pd.DataFrame(answers))
        >>> best = votes.dp.choose({"a park": "park", "a pool": "pool"}, bounds=(0, 1), epsilon=1)
        >>> best["name"].item()
        'a park'
        """
        return chosen(self._frame, candidates, keywords)

    def blocks(self, k: int, *, bounds: Any = None, categories: Any = None) -> BlocksFace:
        """The rows in k random blocks, for any function: `blocks(k).apply(f, bounds)`, `.test_of_tests(f, at)`.

        One person is in one block, so what the function gives on each is a table of k public rows, of which one person
        moves one. All questions about columns can be asked of it.

        Parameters
        ----------
        k : int
            How many blocks: more have less noise, and fewer rows each; at most half the public number of rows.
        bounds, categories
            Of columns of which the schema says nothing, as in any question: a function gets declared columns alone.

        Examples
        --------
        >>> from operator import methodcaller
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(epsilon=1e9)  # so much that there is no noise to see
        >>> people = session.protect(pd.DataFrame({"age": [31, 54, 47, 18] * 250}))
        >>> blocks = people[["age"]].dp.blocks(20, bounds=(0, 100))
        >>> spread = blocks.apply(methodcaller("std"), bounds={"age": (0, 50)})
        >>> 10 < spread.mean(epsilon=1e6)["mean"].item() < 20
        True
        """
        return BlocksFace.of(self._frame, k, bounds, categories)
