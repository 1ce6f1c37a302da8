"""Questions about what a function gave on blocks of rows, and `choose`: which candidate has the largest total."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, Unpack

import pandas as pd

from ..core.arguments import a_flag, a_number, all_read_by_signature, whole_number
from ..core.door.asking import Asking, TableQuestions
from ..core.door.keywords import Keywords
from ..core.door.series import CommonQuestions
from ..core.label.label import key_labels
from ..core.label.layout import Layout
from ..core.label.release import Release
from ..core.measure.cells import Variable
from ..core.measure.statistic import not_offered
from ..core.plan.plan import Asked
from ..core.protect.session_lookup import measured_columns
from ..core.protect.tables import Subject
from ..core.schema.bounds import Limits, read_bounds
from ..core.schema.declared import Declared
from ..core.schema.schema import Domain
from ..core.schema.values import Categories, Interval, read_categories
from ..core.session.session_core import core_for
from ..errors import (
    BadArgument,
    BadBounds,
    NoBounds,
    UnknownColumn,
    UnsupportedArgument,
    UnsupportedType,
    shown,
    type_of,
)
from ..numeric.statistic_sums import Count
from .fold import Call
from .run_blocks import Cut, packed
from .statistic import ChosenName, SmallPValues


class AppliedAccessor(CommonQuestions):
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

    _keys = ()

    def __init__(self, subject: Subject, cut: Cut, outputs: Mapping[Hashable, Declared]) -> None:
        self._subject, self._cut, self._outputs = subject, cut, outputs

    def __getitem__(self, name: Hashable) -> AppliedAccessor:
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
        return AppliedAccessor(self._subject, self._cut, {name: self._outputs[name]})

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
        return self._quantiles(q, keywords, together=False)

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
        asking = self._asking("value_counts", keywords, [], [name], counts_keys=True)
        cells = asking.cells([name])
        layout = Layout(key_labels(cells.keys[0]), pd.Index(["count"]), "estimates")
        part: Any = Count(cells)
        return asking.release([Asked(name, part)], layout)

    def _asking(self, statistic: str, keywords: Keywords, columns: Any = None, keys: Any = (), **takes: Any) -> Asking:
        numbers = [name for name, each in self._outputs.items() if each.listed is None]
        columns = numbers if columns is None else columns
        return asking_of(self._cut, self._subject, statistic, keywords, columns=columns, keys=keys, **takes)


def asking_of(cut: Cut, subject: Subject, statistic: str, keywords: Keywords, **takes: Any) -> Asking:
    """A question about what a function gave."""
    asking = Asking(subject.data, statistic, keywords, of=(cut.core, subject), **takes)
    if asking.read.request.model != "dp":
        raise not_offered("weaker promises", "a question of blocks")
    return asking


MOST_BLOCKS, LONGEST, LARGEST = 100_000, 24 * 3600, 2**40
SINGLE = "value"  # what a function gives that gives one value
P_VALUE = "p_value"
NUMBER = Declared("float", Limits(Fraction(0), Fraction(1)), complete=True)


@all_read_by_signature
class BlocksAccessor:
    """Rows of a table in random blocks, in which a row's place does not depend on other rows.

    Examples
    --------
    >>> import pandas as pd, pandas_dp as pdp
    >>> people = pdp.Session(epsilon=10).protect(pd.DataFrame({"age": [31, 54, 47, 18] * 250}))
    >>> people.dp.blocks(50, bounds=(0, 100))
    <50 blocks of 20 rows: apply, test_of_tests>
    """

    def __init__(self, cut: Cut) -> None:
        self._cut = cut

    @classmethod
    def of(cls, frame: pd.DataFrame, k: int, bounds: Any, categories: Any) -> BlocksAccessor:
        """Refused from public facts alone."""
        many = whole_number("k", k, 2, MOST_BLOCKS)

        def domain(subject: Subject) -> Domain:
            columns = measured_columns(frame)
            unsaid = [name for name in columns if subject.domain.said_of(name) is None]
            given = bounds if bounds is None or isinstance(bounds, Mapping) else dict.fromkeys(unsaid, bounds)
            return subject.domain.override(given, categories, columns=columns, whole=subject.whole)

        return cls(Cut.of(core_for(frame), frame, many, domain))

    def __repr__(self) -> str:
        return f"<{self._cut.many:,} blocks of {self._cut.each}: apply, test_of_tests>"

    def apply(
        self,
        f: Callable[[pd.DataFrame], Any],
        bounds: Any = None,
        *,
        categories: Mapping[str, Sequence[Any]] | None = None,
        jackknife: bool = False,
        isolate: bool = True,
        seconds: int = 10,
        memory: int = 2**31,
    ) -> AppliedAccessor:
        """What a function gives on each block: a table of k rows, about which questions can be asked.

        Nothing is run on data before a question is paid for; each question runs it anew. It gets the rows of a block
        as a plain DataFrame, every column in the form of its declaration: numbers as floats, texts and categories as
        objects. Where it fails, takes too long, or gives no finite number, the middle of the bounds stands.

        **What is estimated is what the function gives on average on so many rows as a block has**, not on all rows: a
        function that is biased on few rows stays so however many blocks there are.

        Parameters
        ----------
        f : function
            Of a DataFrame; gives a number, or a mapping, Series or table of one row with the names of `bounds`. It is
            called in a child of a clean process, so it has to be one that can be imported.
        bounds : (lower, upper), or a mapping from name to such a pair
            Between which its numbers are clamped.
        categories : mapping from name to a list, optional
            Of labels that it gives, for `value_counts`.
        jackknife : bool
            Take off the bias of first order: f is called once more for each row left out.
        isolate : bool
            False calls it in this process. Then it is the analyst's word that it keeps nothing from one block to the
            next: what does void the guarantee.
        seconds, memory : int
            How long it may use the processor on a block, and how many bytes more it may use.

        Examples
        --------
        >>> from operator import methodcaller
        >>> import pandas as pd, pandas_dp as pdp
        >>> people = pdp.Session(epsilon=1e9).protect(pd.DataFrame({"age": [31, 54, 47, 18] * 250}))  # no noise to see
        >>> medians = people.dp.blocks(20, bounds=(0, 100)).apply(methodcaller("median"), bounds={"age": (0, 100)})
        >>> 18 <= medians.mean(epsilon=1e6)["mean"].item() <= 54
        True
        """
        outputs = {**_numbers(bounds), **_labels(categories)}
        if not outputs:
            raise BadBounds("a function on blocks needs bounds= of what it gives, e.g. bounds=(0, 10).")
        if jackknife and categories:
            raise UnsupportedArgument("jackknife= is of numbers, and categories= of labels; leave one of them out.")
        call = _call(f, outputs, jackknife, isolate, seconds, memory)
        self._cut.tried(call)
        return AppliedAccessor(self._cut.called(call, outputs, _estimand(f, self._cut.each, call)), self._cut, outputs)

    def test_of_tests(
        self,
        p_value_of: Callable[[pd.DataFrame], Any],
        at: float | None = None,
        *,
        isolate: bool = True,
        seconds: int = 10,
        memory: int = 2**31,
        **keywords: Unpack[Keywords],
    ) -> Release:
        """Any test: whether more blocks than chance gives have a p value of `at` or less.

        Where the test keeps its level on each block, this does, exactly: the number of small p values is counted with
        noise, and compared with a binomial, noise included. It is the last resort, where no test of its own is there.

        Parameters
        ----------
        p_value_of : function
            Of a DataFrame; gives a p value. Called as by `apply`; a block on which it fails has no small one.
        at : float
            What is a small p value, e.g. 0.2; the power is often best between 0.1 and 0.4.
        isolate, seconds, memory
            As of `apply`.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> people = pdp.Session(epsilon=100).protect(pd.DataFrame({"age": [31, 54, 47, 18] * 250}))
        >>> def p_value(rows):
        ...     return 0.01 if rows["age"].mean() > 20 else 0.9
        >>> test = people.dp.blocks(40, bounds=(0, 100)).test_of_tests(p_value, at=0.2, isolate=False, epsilon=50)
        >>> bool(test["p_value"].item() < 1e-6)
        True
        """
        if at is None:
            raise BadArgument("test_of_tests needs what is a small p value, e.g. at=0.2.", argument="at")
        level = a_number("at", at, 0, 1)
        call = _call(p_value_of, {P_VALUE: NUMBER}, False, isolate, seconds, memory)
        self._cut.tried(call)
        estimand = f"share of p values up to {level:g}, {_estimand(p_value_of, self._cut.each, call)}"
        subject = self._cut.called(call, {P_VALUE: NUMBER}, estimand, level)
        asking = asking_of(self._cut, subject, "test_of_tests", keywords, columns=[P_VALUE])
        part: Any = SmallPValues(P_VALUE, self._cut.many, level)
        return asking.release([Asked(None, part)], Layout(pd.Index(["test_of_tests"]), None, "measures"))


def _numbers(bounds: Any) -> dict[Hashable, Declared]:
    """What is declared of each number that a function gives."""
    if bounds is None:
        return {}
    named = bounds if isinstance(bounds, Mapping) else {SINGLE: bounds}
    return {
        _name(name): Declared("float", read_bounds(each, "float", name), complete=True) for name, each in named.items()
    }


def _labels(categories: Any) -> dict[Hashable, Declared]:
    """What is declared of each label that it gives."""
    if categories is None:
        return {}
    if not isinstance(categories, Mapping):
        raise BadArgument(
            "categories of a function on blocks are a mapping from the name of a label to a list, e.g. "
            'categories={"winner": ["a", "b"]}.',
            argument="categories",
        )
    read = {_name(name): read_categories(each, name) for name, each in categories.items()}
    return {
        name: Declared(None, listed=Categories(each.values), nullable=True, dtype="category")
        for name, each in read.items()
    }


def _name(given: object) -> str:
    if not isinstance(given, str):
        raise BadArgument(f"what a function on blocks gives has a name that is a str, not {type_of(given)}.")
    return given


def _call(
    f: Any, outputs: Mapping[Hashable, Declared], jackknife: object, isolate: object, seconds: object, memory: object
) -> Call:
    """How it is called; refused where it can't be."""
    if not callable(f):
        raise BadArgument(f"blocks call a function of a DataFrame, not {type_of(f)}.", argument="f")
    requested = tuple((str(name), "number" if each.listed is None else "label") for name, each in outputs.items())
    most = whole_number("seconds", seconds, 1, LONGEST), whole_number("memory", memory, 2**20, LARGEST)
    if a_flag("isolate", isolate) and not hasattr(os, "fork"):
        raise UnsupportedArgument(
            "a function on blocks is called in a process of its own for each block, by a fork, which this system does "
            "not have; say isolate=False, where it is called in this process and it is for you to know that it keeps "
            "nothing from one block to the next.",
            argument="isolate",
        )
    return Call(f, requested, packed(f) if isolate else None, a_flag("jackknife", jackknife), *most)


def _estimand(f: Any, each: str, call: Call) -> str:
    """What a row is, as the label says it."""
    name = getattr(f, "__name__", type(f).__name__)
    jackknifed = ", jackknifed" if call.jackknife else ""
    return f"{name} of blocks of {each}{jackknifed}{'' if call.packed else ', called in the process of the session'}"


MOST_CANDIDATES = 10_000  # candidates

HOW = 'choose takes candidates as a mapping from names to columns, e.g. choose({"young": "age_under_30", ...})'


def chosen(frame: pd.DataFrame, candidates: object, keywords: Keywords) -> Release:
    """The name of the candidate, from the totals of their columns."""
    columns = read_candidates(candidates)
    of = list(dict.fromkeys(columns.values()))
    asking = Asking(frame, "choose", keywords, columns=of)
    asking.not_with("weaker promises")
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
    if not 2 <= len(given) <= MOST_CANDIDATES:
        were = "was" if len(given) == 1 else "were"
        raise BadArgument(
            f"choose needs from two to {MOST_CANDIDATES:,} candidates, and {len(given):,} {were} given.",
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


class Tools(TableQuestions):
    """Choosing among candidates, and any function on blocks of rows."""

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
        >>> answers = {"park": [True, True, False] * 200, "pool": [False, True, False] * 200}
        >>> votes = pdp.Session(epsilon=10).protect(pd.DataFrame(answers))
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
        >>> people = pdp.Session(epsilon=1e9).protect(pd.DataFrame({"age": [31, 54, 47, 18] * 250}))  # no noise to see
        >>> blocks = people[["age"]].dp.blocks(20, bounds=(0, 100))
        >>> spread = blocks.apply(methodcaller("std"), bounds={"age": (0, 50)})
        >>> 10 < spread.mean(epsilon=1e6)["mean"].item() < 20
        True
        """
        return BlocksAccessor.of(self._frame, k, bounds, categories)
