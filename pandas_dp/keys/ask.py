"""Keys that nobody declared: how a question names them, and the questions that find them."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
import pandas as pd

from ..core.arguments import whole_number
from ..core.door.asking import Asking, ColumnQuestions, TableQuestions
from ..core.door.keywords import Keywords
from ..core.label.label import OTHER, key_labels
from ..core.label.release import Release, is_release
from ..core.measure.statistic import not_offered
from ..core.plan.plan import Asked
from ..core.protect.session_lookup import measured_columns
from ..core.schema.values import read_categories
from ..errors import UnsupportedArgument
from ..numeric import ask as gap_counts
from ..numeric.measure import Counts
from ..people.measure import PeopleCounts
from .label import FoundLayout, found_in, is_unknown
from .measure import FoundKey, Occurring
from .schema import Unknown, read_spelling
from .statistic import FoundCounts, TopValues

FIRST_KEY = "people_by_first_key"


def known_keys(given: object, key: Unknown, argument: str) -> tuple[FoundKey, ...]:
    """Keys that are known already, as rows of that kind have them."""
    if given is None:
        return ()
    if isinstance(given, pd.DataFrame) and is_release(given) and not len(given):
        return ()
    values = found_in(given) if isinstance(given, pd.DataFrame) else read_categories(given, argument)
    return tuple(sorted({key.read(value, argument) for value in values.values}))


def find(asking: Asking, column: Hashable, *, without: object, spelling: object) -> Release:
    """The keys of a column that are shown, and how many rows have each, or what people share out over them."""
    most = None if asking.over_rows is None else asking.over_rows.keys
    if most is not None and most > 1 and asking.read.other:
        raise UnsupportedArgument(
            "other=True counts all whose key is not shown, and people who share themselves out over several keys are "
            "partly among them: leave it out, or ask with max_keys=1.",
            argument="other",
        )
    key = Unknown.of(asking.domain.said_of(column), column, read_spelling(spelling))
    known = known_keys(without, key, "without")
    if asking.read.other and key.kind == "string":
        known = tuple(sorted({*known, key.read(OTHER, "other")}))  # so that no key is called as all others together
    part = FoundCounts(Occurring(column, key, known, most), asking.read.other)
    name = FIRST_KEY if most == 1 else part.statistic  # who has several keys is in one row of the table
    layout = FoundLayout.of(column, key, asking.read.other, name)
    return asking.release([Asked(column, part)], layout)


def counts_of_found(asking: Asking, column: Hashable, of: str | None, spelling: object) -> Release:
    """What `value_counts` answers of keys that are to be found."""
    if of is not None:
        raise UnsupportedArgument(
            "value_counts cannot honour normalize= with categories='unknown': shares of keys that were found are not "
            "offered; divide the released counts by their sum.",
            argument="normalize",
        )
    return find(asking, column, without=None, spelling=spelling)


def top_values(asking: Asking, column: Hashable, k: object) -> Release:
    """The most frequent values, of those declared or of those that occur."""
    picks = whole_number("k", k, 1, MOST_PICKS)
    if asking.unknown:
        key = Unknown.of(asking.domain.said_of(column), column, None)
        most = None if asking.over_rows is None else asking.over_rows.keys
        found = TopValues(Occurring(column, key, (), most, whole=most is not None), picks)
        return asking.release([Asked(column, found)], FoundLayout.of(column, key, False, "rank"))
    cells = asking.cells([column])
    if picks > cells.size:
        raise UnsupportedArgument(
            f"top_values was asked for {picks} values of {cells.size} that are declared; ask for at most so many.",
            k=picks,
        )
    labels = key_labels(cells.keys[0])
    layout = FoundLayout(labels[:0], pd.Index(["rank"]), "estimates", Unknown("string"), False, labels)
    measurement = Counts(cells) if asking.over_rows is None else PeopleCounts(cells, cells.size, 1)
    return asking.release([Asked(column, TopValues(measurement, picks))], layout)


def refuse_found_only(**given: object) -> None:
    """Arguments that say how keys are found, where they were declared."""
    name = next((name for name, value in given.items() if value is not None), None)
    if name is not None:
        raise UnsupportedArgument(
            f"{name}= says how keys are found, and here they are declared; leave it out, or ask with "
            "categories='unknown'.",
            argument=name,
        )


MOST_PICKS = 1_000


class FindsKeys(TableQuestions):
    """Questions about keys that nobody declared, of a table, and about values that are not as was declared."""

    def gaps(self, **keywords: Unpack[Keywords]) -> Release:
        """How many values of each column are missing, unreadable or outside, all columns at one cost.

        Ask it first: what is found here is what would spoil every later answer in silence. *Missing* is no value.
        *Unreadable* is not of the declared kind, such as text in a column of numbers; it counts as missing elsewhere.
        *Outside* is beyond the declared bounds, and is clamped elsewhere, or none of the declared categories, and is in
        no cell elsewhere. Columns of which nothing was declared are left out beside others, as they would take a share
        of the cost. Asked alone, their values can only be missing; what cannot be is counted all the same, and off by
        its noise.

        Examples
        --------
        >>> import pandas as pd, pandera.pandas as pa, pandas_dp as pdp
        >>> schema = pa.DataFrameSchema({"age": pa.Column(int, pa.Check.in_range(0, 120)),
        ...                              "sex": pa.Column(str, pa.Check.isin(["f", "m"]))})
        >>> people = pdp.Session(epsilon=10, schema=schema).protect(
        ...     pd.DataFrame({"age": ["31", "54"] * 500, "sex": ["f", "M"] * 500}))
        >>> found = people.dp.gaps(epsilon=2)
        >>> found.index.tolist(), bool(found.loc["unreadable", "age"] > 900), bool(found.loc["outside", "sex"] > 400)
        (['missing', 'unreadable', 'outside'], True, True)
        """
        columns = measured_columns(self._frame)
        return gap_counts.gaps(Asking(self._frame, "gaps", keywords, columns=columns, sorts_by=("categories",)))

    def find_categories(
        self,
        key: Hashable,
        max_keys: int | None = None,
        without: Any = None,
        spelling: str | None = None,
        **keywords: Unpack[Keywords],
    ) -> Release:
        """The keys of a column that nobody declared, those of many rows, with a noisy number of rows each.

        The release goes into `categories=` of further questions as it is. What one row alone has is shown with a
        probability of at most delta, so the question needs one: `epsilon=` with `delta=`, or `rho=` with `delta=`.

        Parameters
        ----------
        key : label
            A column that the schema declares as text, whole numbers, dates or true and false.
        max_keys : int, optional
            The most keys of one person, where a person may have many rows: those of whoever has more are the first so
            many in the order of her rows. The number of each key is then the sum of what people share out over theirs.
        without : release or list, optional
            Keys that are known already.
        spelling : "NFC" or "casefold", optional
            Texts that are spelt alike in this sense are one key.

        Examples
        --------
        >>> import pandas as pd, pandera.pandas as pa, pandas_dp as pdp
        >>> schema = pa.DataFrameSchema({"drug": pa.Column(str)})
        >>> session = pdp.Session(rho=1, delta=1e-6, schema=schema, neighbours="add_remove")
        >>> people = session.protect(pd.DataFrame({"drug": ["aspirin"] * 600 + ["ibuprofen"] * 300 + ["a rare one"]}))
        >>> found = people.dp.find_categories("drug", rho=0.5, delta=1e-7)
        >>> found.index.tolist()
        ['aspirin', 'ibuprofen']
        >>> people["drug"].dp.value_counts(categories=found, rho=0.5).index.tolist()
        ['aspirin', 'ibuprofen']
        """
        asking = Asking(self._frame, "find_categories", keywords, columns=[key], finds=True, max_keys=max_keys)
        return find(asking, key, without=without, spelling=spelling)


class ColumnKeys(ColumnQuestions):
    """The most frequent values of a column."""

    if TYPE_CHECKING:

        def value_counts(self, normalize: bool = False, **keywords: Unpack[Keywords]) -> Release: ...

    def mode(self, **keywords: Unpack[Keywords]) -> Release:
        """The most frequent of the declared categories, in the first row with its count; below it those that noise may
        have kept from that place: the mode of the rows is among all of them, in 95 of 100 cases at the least.

        It is taken off `value_counts`, at the same cost: counts of all categories have no more noise than the name of
        the most frequent one would.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> people = pdp.Session(epsilon=10).protect(pd.DataFrame({"sex": ["f", "f", "m"] * 250 + ["x"] * 5}))
        >>> people["sex"].dp.mode(categories=["x", "m", "f"], epsilon=4).index.tolist()
        ['f']
        """
        if keywords.get("model", "dp") != "dp":
            raise not_offered("weaker promises", "mode")
        if is_unknown(keywords.get("categories"), self._series.name):
            raise UnsupportedArgument(
                "mode is of declared categories; ask top_values(1, categories='unknown', ...) where nobody knows them.",
                argument="categories",
            )
        counts = self.value_counts(**keywords)
        return may_be_the_mode(counts) if is_release(counts) else counts

    def top_values(self, k: int = 10, max_keys: int | None = None, **keywords: Unpack[Keywords]) -> Release:
        """The k most frequent values in order, without their numbers; with `categories="unknown"` of any values.

        Each is chosen by an exponential mechanism, a k-th of epsilon each. The release goes into `categories=`. Values
        that nobody declared cost a delta, and fewer than k may come out. Where people may have many rows, values are
        ordered by how many people have each; of values that nobody declared the first `max_keys` of a person count.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> people = pdp.Session(epsilon=10).protect(pd.DataFrame({"sex": ["f", "f", "m"] * 250 + ["x"] * 5}))
        >>> people["sex"].dp.top_values(2, categories=["x", "m", "f"], epsilon=4).index.tolist()
        ['f', 'm']
        """
        asking = self._asking("top_values", keywords, sorts_by=("categories",), finds=True, max_keys=max_keys)
        return top_values(asking, self._series.name, k)


def may_be_the_mode(counts: Release) -> Release:
    """The rows of the largest counts, as far as intervals that hold together leave it open which is the largest."""
    ends = counts.dp.confint(simultaneous=True).to_numpy(dtype=float)
    numbers = counts.iloc[:, 0].to_numpy(dtype=float)
    falling = np.argsort(-numbers, kind="stable")
    kept = [at for at in falling if ends[at, 1] >= ends[:, 0].max()]
    found: Release = counts.iloc[kept]
    return found
