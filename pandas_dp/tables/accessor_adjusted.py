"""What is made of a released table of counts: shares, counts that are possible, rounded or withheld ones.

Post-processing of what was released: it costs nothing and takes nothing from the guarantee. What it does to the numbers
is in the label; intervals that it would falsify are refused.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from typing import Any

import numpy as np
import pandas as pd

from ..core.arguments import a_flag, a_number, whole_number
from ..core.arrays import Array
from ..core.conclude.digits import WITHHELD
from ..core.door.hints import with_arguments_named
from ..core.label.layout import Released
from ..core.label.release import Release, publish
from ..errors import NotConcluded, UnsupportedArgument
from ..numeric.conclude import shares
from ..numeric.evidence_sums import Amounts
from ..surveys.conclude import calibrate
from .conclude_whole import Nearest, added_up, counts_of, onto_simplex, whole_tables
from .evidence import Tables
from .planning.margins import Margin, in_turn, largest_within, with_common_parts, with_implied


@with_arguments_named
class Adjustments(ABC):
    """Each is a release of its own, at no cost."""

    @property
    @abstractmethod
    def _frame(self) -> pd.DataFrame:
        """The released table."""

    def shares(self, of: str = "all") -> Release:
        """The cells of a table of counts over the total of all, of their row ("index") or of their column ("columns").

        What `normalize=` of a question shows. Its `confint` allows for the noise of the cell and of the total, at half
        the risk each.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> people = pdp.Session(epsilon=10).protect(pd.DataFrame({"sex": ["f", "m"] * 500}))
        >>> counts = people["sex"].dp.value_counts(categories=["f", "m"], epsilon=5)
        >>> counts.dp.shares().round(1)["proportion"].tolist()
        [0.5, 0.5]
        """
        return shares(self._frame, of)

    def calibrate(self, totals: Mapping[Hashable, Mapping[Hashable, float]]) -> Release:
        """A table of counts or of sums that adds up to public totals, with smaller errors.

        Of one key this is post-stratification, of several the linear calibration of a survey; it costs nothing, as only
        released numbers and public ones enter. A number that the noise has pushed below zero may stay there.

        Parameters
        ----------
        totals : mapping from key to a mapping from each of its categories to its public total

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(epsilon=10)
        >>> people = session.protect(pd.DataFrame({"sex": ["f", "m"] * 500, "vote": ["yes", "no"] * 500}))
        >>> table = people.dp.crosstab("sex", "vote", epsilon=1,
        ...                            categories={"sex": ["f", "m"], "vote": ["yes", "no"]})
        >>> known = table.dp.calibrate({"sex": {"f": 500, "m": 500}})
        >>> known.sum(axis=1).round(6).to_dict()
        {'f': 500.0, 'm': 500.0}
        """
        return calibrate(self._frame, totals)

    def nonnegative(self, integer: bool = False) -> Release:
        """A table of counts without negative numbers that still adds up, the nearest to the release.

        The total and margins stay as they are where they are not negative: what is small is adjusted to what is large.
        With `integer` also whole numbers; in a crosstab each is the one below or above. Single cells gain a bias by
        it; intervals stay those of the counts as they were released, and hold what is shown.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> people = pdp.Session(epsilon=10).protect(pd.DataFrame({"sex": ["f", "m"] * 5, "vote": ["yes", "no"] * 5}))
        >>> table = people.dp.crosstab("sex", "vote", epsilon=0.1, margins="planned",
        ...                            categories={"sex": ["f", "m"], "vote": ["yes", "no"]})
        >>> shown = table.dp.nonnegative(integer=True)
        >>> least = shown.dp.confint().iloc[:, ::2].to_numpy()
        >>> bool((shown >= 0).all(axis=None)), bool((least <= shown).all(axis=None))
        (True, True)
        """
        a_flag("integer", integer)
        released = Released.of(self._frame)
        shown = Shown(counts_of(released))
        tables, how = without_negatives(shown)
        done = [how]
        if integer:
            found = whole_tables(tables, shown.possible, 0.0) or shown.added_up(
                whole_cells(shown.over_all_keys(tables))
            )
            tables = {margin: table.astype(np.int64) for margin, table in found.items()}
            done = [*done, "rounded to whole numbers that add up"]
        return _published(released, shown.back(tables), adjusted=(*released.label.adjusted, *done))

    def round_to(self, base: int, *, additive: bool = False, random: bool = False) -> Release:
        """Counts as multiples of a base; intervals stay those of the counts as they were released.

        Parameters
        ----------
        base : int
        additive : bool
            False: each number becomes the nearest multiple. True: a multiple near it, so that cells still add up to
            their margins, and to the total rounded (controlled rounding). In a crosstab no number moves by the base
            or more.
        random : bool
            True: the multiple below or above, drawn so that each number is what it was on average (random rounding).
            The draws are public and the same in every call, and margins no longer add up.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(epsilon=10)
        >>> people = session.protect(pd.DataFrame({"sex": ["f", "m"] * 500, "vote": ["yes", "no"] * 500}))
        >>> table = people.dp.crosstab("sex", "vote", epsilon=1, margins=True,
        ...                            categories={"sex": ["f", "m"], "vote": ["yes", "no"]})
        >>> fives = table.dp.round_to(5, additive=True)
        >>> bool((fives[["yes", "no"]].sum(axis=1) == fives["All"]).all())
        True
        """
        base, additive = whole_number("base", base, 1, 10**9), a_flag("additive", additive)
        if a_flag("random", random) and additive:
            raise UnsupportedArgument(
                "numbers rounded at random do not add up; leave out additive= or random=.", argument="random"
            )
        released = Released.of(self._frame)
        label, counts = released.label, counts_of(released)
        shown, before = Shown(counts), counts.estimate.astype(float)
        if random:
            drawn = np.random.default_rng(int(label.digest, 16)).random(len(before))  # what was released decides
            values = base * np.floor(before / base + drawn).astype(np.int64)
            return _published(released, values, adjusted=(*label.adjusted, f"rounded at random to multiples of {base}"))
        values = base * (shown.back(_whole(shown, base)) if additive else np.rint(before / base))
        values = values.astype(np.int64) if np.all(np.abs(values) < 2**62) else values
        farther = label.moved
        if additive:
            moved = float(np.abs(values - before).max(initial=0.0))
            farther = (*farther, max(moved - base / 2, 0.0))
        return _published(released, values, bases=(*label.bases, base), moved=farther)

    def suppress(self, below: float | None = None, sparse: float | None = None) -> Release:
        """Counts with released numbers below a limit withheld as NaN, and all of a table whose mean cell is below one.

        Where margins are shown, suppressed cells can be recovered from them by subtraction. That harms nobody's
        privacy, which the noise protects; it only means that suppression hides less than it seems to.

        Parameters
        ----------
        below : float, optional
            The least number to show.
        sparse : float, optional
            The least mean of the cells, as released, of a table to show.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(epsilon=1e6)  # so much that there is no noise to see
        >>> people = session.protect(pd.DataFrame({"sex": ["f"] * 990 + ["m"] * 10}))
        >>> counts = people["sex"].dp.value_counts(categories=["f", "m"], epsilon=1000)
        >>> counts.dp.suppress(below=30)["count"].tolist()
        [990.0, nan]
        """
        limits = {"below": below, "sparse": sparse}
        for name, limit in limits.items():
            if limit is not None:
                a_number(name, limit, -1e9, 1e9)
        if below is None and sparse is None:
            raise UnsupportedArgument("suppress needs below= or sparse=.")
        released = Released.of(self._frame)
        evidence = counts_of(released)
        values = evidence.estimate.astype(float)
        done = []
        if below is not None:
            values = np.where(values < below, np.nan, values)
            done.append(f"numbers below {below:g} withheld")
        if sparse is not None:
            shown = Shown(evidence)
            mean = float(shown.cells.sum() / shown.possible.sum())
            values = np.full(len(values), np.nan) if mean < sparse else values
            done.append(f"withheld as a whole if its mean cell is below {sparse:g}")
        return _published(released, values, False, adjusted=(*released.label.adjusted, *done))


MOST_CELLS = 2 * 10**7


@dataclass(frozen=True)
class Shown:
    """What a release of counts shows, table by table over its keys, and how to put changed tables back.

    With levels of a key, a table means the one over its keys and all that follow from them: a table of districts
    for that of districts by areas, in which most cells cannot be. So the table of areas is a margin of it.
    """

    evidence: Amounts | Tables

    @property
    def sizes(self) -> tuple[int, ...]:
        if isinstance(self.evidence, Tables):
            return self.evidence.lattice.sizes
        return self.evidence.margins or (len(self.evidence.values),)

    @cached_property
    def tables(self) -> dict[Margin, Array]:
        """The tables as released; those with their own noise that do not agree yet are made to, by least squares."""
        evidence = self.evidence
        if isinstance(evidence, Tables):
            lattice = evidence.lattice
            found = lattice.parts(np.asarray(evidence.values, dtype=float))
            if len(found) > 1 and not evidence.fitted and set(evidence.measured) <= set(found):
                found = lattice.fit(evidence.effects).solve(found, lattice.shown)
            return {self._wide(margin): self._widened(table, margin) for margin, table in found.items()}
        values = evidence.values.astype(float)
        if evidence.margins is None:
            return {(0,): values}
        rows, columns = evidence.margins
        wide = values.reshape(rows + 1, columns + 1)
        return {(0, 1): wide[:-1, :-1], (0,): wide[:-1, -1], (1,): wide[-1, :-1], (): wide[-1, -1]}

    def _wide(self, margin: Margin) -> Margin:
        """These keys and all that follow from them."""
        return with_implied(margin, self.evidence.lattice.ties) if isinstance(self.evidence, Tables) else margin

    def _widened(self, table: Array, margin: Margin) -> Array:
        wide = self._wide(margin)
        if wide == margin:
            return table
        shape = [self.sizes[place] if place in margin else 1 for place in wide]
        return np.asarray(table.reshape(shape) * (added_up(self.possible.astype(float), wide) > 0))

    @property
    def cells(self) -> Array:
        """The table over all keys."""
        return self.over_all_keys(self.tables)

    def over_all_keys(self, tables: Mapping[Margin, Array]) -> Array:
        """That table of these; refused where the release has none."""
        every = tuple(range(len(self.sizes)))
        if every not in tables:
            raise NotConcluded(
                "this release does not show the table over all its keys, from which margins that agree could be "
                "added up; ask for it too."
            )
        return tables[every]

    @cached_property
    def possible(self) -> Array:
        """Which cells of the table over all keys can be."""
        if not isinstance(self.evidence, Tables):
            return np.ones(self.sizes, dtype=bool)
        if prod(self.sizes) > MOST_CELLS:
            raise NotConcluded(
                f"adjusting goes through all combinations of keys and levels, here more than {MOST_CELLS:,}; "
                "ask for tables of fewer keys or levels, or adjust by pandas' own means."
            )
        return self.evidence.lattice.possible

    @property
    def slacks(self) -> dict[Margin, float]:
        """The variance of each measured margin over that of the cells."""
        if not isinstance(self.evidence, Tables):
            return {}
        variances = {self._wide(margin): variance for margin, variance in self.evidence.variances.items()}
        cells = variances.pop(tuple(range(len(self.sizes))), 1e6 * max(variances.values(), default=1.0))
        return {margin: variance / cells for margin, variance in variances.items()}

    def back(self, tables: Mapping[Margin, Array]) -> Array:
        """The numbers as they are in the release."""
        if isinstance(self.evidence, Tables):
            lattice = self.evidence.lattice
            return lattice.in_order([self._narrowed(tables, margin) for margin in lattice.shown])
        if self.evidence.margins is None:
            return tables[(0,)]
        return np.block([[tables[0, 1], tables[(0,)][:, None]], [tables[(1,)][None, :], tables[()]]]).ravel()

    def _narrowed(self, tables: Mapping[Margin, Array], margin: Margin) -> Array:
        wide = self._wide(margin)
        return added_up(tables[wide], tuple(wide.index(place) for place in margin))

    def added_up(self, cells: Array) -> dict[Margin, Array]:
        """All shown tables from the one over all keys, small ones first."""
        return {margin: added_up(cells, margin) for margin in with_common_parts(self.tables)}

    @property
    def has_margins(self) -> bool:
        return len(self.tables) > 1


def without_negatives(shown: Shown) -> tuple[dict[Margin, Array], str]:
    """The tables, small ones first, with the total and what tables have in common; and what was done.

    First the total, then each table is the nearest that has the smaller ones as its margins: margins without negative
    numbers stay as they are. Where no table can have all of them, the nearest to everything that was measured is taken,
    in weighted squares, and margins are added up from it.
    """
    found: dict[Margin, Array] = {(): np.asarray(max(0.0, float(_read(shown, ()))))}
    for margin in with_common_parts(shown.tables)[1:]:
        margins = {inner: (found[inner], 0.0) for inner in largest_within(margin, found)}
        table = None if in_turn(list(margins)) is None else _nearest(shown, margin, margins)
        if table is None:
            return _nearest_to_all(shown, found[()]), "negative cells removed, the total kept, margins added up"
        found[margin] = table
    how = (
        "negative numbers removed, the total and other margins kept"
        if shown.has_margins
        else ("negative cells removed, the total kept")
    )
    return found, how


def _nearest(shown: Shown, margin: Margin, margins: Mapping[Margin, tuple[Array, float]]) -> Array | None:
    """The nearest table over some keys with these margins, which are named by their places among all keys."""
    inside = {tuple(margin.index(place) for place in inner): each for inner, each in margins.items()}
    possible = added_up(shown.possible.astype(float), margin) > 0
    return Nearest(_read(shown, margin), possible, inside).solve()


def _nearest_to_all(shown: Shown, total: Array) -> dict[Margin, Array]:
    margins = {margin: (added_up(shown.cells, margin), slack) for margin, slack in shown.slacks.items() if margin}
    table = Nearest(shown.cells, shown.possible, {**margins, (): (total, 0.0)}).solve()
    if table is None:  # weights too far apart for floats: the nearest in plain squares
        table = np.zeros(shown.possible.shape)
        table[shown.possible] = onto_simplex(shown.cells[shown.possible], float(total))
    return shown.added_up(table)


def _read(shown: Shown, margin: Margin) -> Array:
    """A table that is shown, or added up from the smallest that contains it."""
    source = min((each for each in shown.tables if set(margin) <= set(each)), key=len)
    return added_up(shown.tables[source], tuple(source.index(place) for place in margin))


def _whole(shown: Shown, base: int) -> dict[Margin, Array]:
    tables = {margin: _read(shown, margin) / base for margin in with_common_parts(shown.tables)}
    return whole_tables(tables, shown.possible) or shown.added_up(whole_cells(shown.cells / base))


def whole_cells(table: Array) -> Array:
    """Whole numbers that add up to the whole total, each within one of its cell, for margins to be added up from.

    Key by key: what the keys so far have got is shared out among the categories of the next, by their whole parts and
    one more for those with the largest rests. So sums over the last keys stay within one too.
    """
    given = np.array([np.rint(table.sum())])
    for axis in range(table.ndim):
        parts = table.sum(axis=tuple(range(axis + 1, table.ndim))).reshape(-1, table.shape[axis])
        least = np.floor(parts + 1e-9)
        rank = np.argsort(np.argsort(least - parts, axis=1, kind="stable"), axis=1, kind="stable")
        given = (least + (rank < (given - least.sum(axis=1))[:, None])).ravel()
    return given.reshape(table.shape)


def _published(released: Released, values: Array, told: bool = True, **done: Any) -> Release:
    """The numbers, with those from which their intervals follow, unless they were withheld."""
    frame, label = released.frame, released.label
    first = label.before or tuple(released.evidence[0].estimate.astype(float).tolist())
    withheld = any(WITHHELD in each for each in label.adjusted)
    if released.is_rectangle:
        table = pd.DataFrame(values.reshape(frame.shape), index=frame.index, columns=frame.columns)
    else:  # its standard errors and ends describe the numbers before
        table = pd.DataFrame({frame.columns[0]: values}, index=frame.index)
    before = first if told and not withheld else None
    return publish(table, replace(label, layout="cells", shows=None, before=before, **done))
