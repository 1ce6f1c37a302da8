"""`choose`: which of a few public candidates has the largest total, as a private answer."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Unpack

import pandas as pd

from ..core.door.asking import Asking
from ..core.door.keywords import Keywords, with_keywords_named
from ..core.label.layout import Layout
from ..core.label.release import Release
from ..core.measure.cells import Variable
from ..core.plan.question import Asked
from ..core.schema.interval import Interval
from ..errors import BadArgument, NoBounds, UnsupportedArgument, UnsupportedType, type_of
from .ask_blocks import BlocksAccessor
from .statistic import ChosenName

MOST = 10_000  # candidates

HOW = 'choose takes candidates as a mapping from names to columns, e.g. choose({"young": "age_under_30", ...})'


def chosen(frame: pd.DataFrame, candidates: object, keywords: Keywords) -> Release:
    """The name of the candidate, from the totals of their columns."""
    columns = read_candidates(candidates)
    of = list(dict.fromkeys(columns.values()))
    asking = Asking(frame, "choose", keywords, columns=of)
    if asking.read.request.model != "dp":
        raise UnsupportedArgument(
            "choose is offered with model='dp' only, which keeps the weaker promises too.", statistic="choose"
        )
    if asking.read.numeric_only:
        raise UnsupportedArgument(
            "choose compares the columns that it is given, so numeric_only= has no effect; leave it out.",
            argument="numeric_only",
        )
    variables = on_one_grid([asking.variable(column) for column in of])
    known = dict(zip(of, variables, strict=True))
    part: Any = ChosenName(tuple(columns), tuple(known[column] for column in columns.values()))
    layout = Layout(pd.Index(["choice"]), pd.Index(["name"]), "estimates")
    return asking.release([Asked(None, part)], layout)


def read_candidates(given: object) -> dict[str, Hashable]:
    """The column of each name; refused where they are not at least two names of columns."""
    if not isinstance(given, Mapping):
        raise BadArgument(f"{HOW}, not {type_of(given)}.", argument="candidates")
    for name, column in given.items():
        if not isinstance(name, str):
            raise BadArgument(f"{HOW}; a name is a str, not {type_of(name)}.", argument="candidates")
        if isinstance(column, pd.Series | pd.DataFrame):
            raise BadArgument(
                f"{HOW}, not to tables; put the column beside the others first, frame = frame.assign(young=frame.age < "
                '30), and give its name, "young".',
                argument="candidates",
            )
        if not pd.api.types.is_hashable(column):
            raise BadArgument(f"{HOW}; a column is given by its name, not by {type_of(column)}.", argument="candidates")
    if not 2 <= len(given) <= MOST:
        were = "was" if len(given) == 1 else "were"
        raise BadArgument(
            f"choose needs from two to {MOST:,} candidates, and {len(given):,} {were} given.",
            argument="candidates",
        )
    if len(set(given.values())) < len(given):
        raise BadArgument("two candidates of choose are the same column; name each once.", argument="candidates")
    return dict(given)


def on_one_grid(variables: list[Variable]) -> list[Variable]:
    """The same columns in steps of one size, so that their totals can be compared; refused where ranges differ."""
    ranges = [each.interval for each in variables]
    first = ranges[0]
    for each, within in zip(variables, ranges, strict=True):
        if within.kind not in ("float", "integer"):
            raise UnsupportedType(f"column {each.column!r} holds times; choose compares totals of numbers.")
        if (within.lower, within.upper) != (first.lower, first.upper):
            raise NoBounds(
                f"columns {variables[0].column!r} and {each.column!r} have different declared ranges, and choose "
                "compares totals of numbers in one range; give it for all, bounds=(lower, upper).",
                column=each.column,
            )
    if all(replace(each, nullable=False) == replace(first, nullable=False) for each in ranges):
        return variables
    whole = all(each.kind == "integer" for each in ranges)
    common = Interval(first.lower, first.upper, "integer" if whole else "float")
    return [Variable(each.column, replace(common, nullable=each.nullable)) for each in variables]


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

    def blocks(self, k: int, *, bounds: Any = None, categories: Any = None) -> BlocksAccessor:
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
        return BlocksAccessor.of(self._frame, k, bounds, categories)
