"""Ratios, summaries, gaps, and shares of a table of counts by pandas' word `normalize=`."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, Unpack

import pandas as pd

from ..core.door.asking import Asking, TableQuestions, estimator
from ..core.door.keywords import Keywords, with_keywords_named
from ..core.label.label import cell_labels
from ..core.label.layout import Layout
from ..core.label.release import Release
from ..core.measure.cells import Cells, Key
from ..core.measure.statistic import Estimator
from ..core.plan.plan import Asked
from ..core.schema.declared import States
from ..errors import UnsupportedArgument, wrong_value
from ..surveys.statistic import Survey
from .statistic_means import Mean, MeanBeside
from .statistic_sums import Count, Ratio

WORDS = {"all": "all", "index": "index", "columns": "columns"}
NUMBERS = {0: "index", 1: "columns"}


def read_normalize(statistic: str, given: object, keywords: Keywords) -> str | None:
    """Over what total, or None; whatever has no shares is refused before it is paid."""
    of = ("all" if given else None) if isinstance(given, bool) else _named(given)
    model = keywords.get("model", "dp")
    if of is not None and model != "dp":
        raise UnsupportedArgument(
            f"{statistic} takes normalize= with model='dp'; under {model!r} divide the released counts by their sum.",
            argument="normalize",
        )
    return of


def _named(given: object) -> str:
    found = WORDS.get(given) if isinstance(given, str) else NUMBERS.get(given) if isinstance(given, int) else None
    if found is None:
        raise wrong_value("normalize", "be True, False, 'all', 'index' or 'columns'", given)
    return found


def normalized(counts: Release, of: str | None) -> Release:
    """The shares of a release; what is only planned stays as it is."""
    if of is None or not isinstance(counts, Release):
        return counts
    from .conclude import shares  # late: all that a release supports takes a while to import

    return shares(counts, of)


def asked_together(asking: Asking, parts: Sequence[Asked]) -> list[Asked]:
    """The same parts with one count for all columns that are declared without missing values, if these are several."""
    plain = asking.read.request.model == "dp" and asking.over_rows is None
    kept = [part for part in parts if type(part.estimator) is Mean and not part.estimator.variable.nullable]
    together = tuple(dict.fromkeys(part.estimator.variable for part in kept))  # type: ignore[attr-defined]
    if not plain or len(kept) < len(parts) or len(together) < 2:
        return list(parts)
    return [replace(part, estimator=_beside(part.estimator, together)) for part in kept]  # type: ignore[arg-type]


def _beside(mean: Mean, together: tuple) -> MeanBeside:  # type: ignore[type-arg]
    return MeanBeside(mean.variable, mean.cells, mean.bootstrap, together)


@with_keywords_named
class AsksRatios(TableQuestions):
    """One question of two columns."""

    def ratio(self, y: Hashable, x: Hashable, **keywords: Unpack[Keywords]) -> Release:
        """The sum of one column over that of another, weighted where there are weights, with the error of the sample.

        Parameters
        ----------
        y, x : columns
            Of numbers, with declared bounds. Rows that lack either do not count.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(rho=1e9)  # so much that there is no noise to see
        >>> homes = session.protect(pd.DataFrame({"rent": [600, 900, 500] * 400, "rooms": [2, 3, 3] * 400}))
        >>> bounds = {"rent": (0, 2000), "rooms": (0, 10)}
        >>> homes.dp.ratio("rent", "rooms", bounds=bounds, rho=1e6)["ratio"].round(1).to_dict()
        {'rent / rooms': 250.0}
        """
        asking = self._asking("ratio", keywords, [y, x])
        cells = asking.cells(self._keys) if self._keys else Cells()
        part: Any = Ratio(asking.number(y).for_sums, asking.number(x).for_sums, asking.survey or Survey(), cells)
        rows = cell_labels(cells) if cells.keys else pd.Index([f"{y} / {x}"])
        return asking.release([Asked(f"{y} / {x}", part)], Layout(rows, None, "measures"))


SUMMARY = ["count", "mean", "std", "min", "25%", "50%", "75%", "max"]
RANKS = {"25%": Fraction(1, 4), "50%": Fraction(1, 2), "75%": Fraction(3, 4)}


def summary_line(asking: Asking, line: str, column: Hashable, cells: Cells) -> Estimator:
    """One line of it, in each cell."""
    if line in RANKS:
        return estimator(asking, "quantile", column, cells, tuple(RANKS.values()), q=RANKS[line])
    return estimator(asking, line, column, cells)


def gaps(asking: Asking) -> Release:
    """A row for each state, a column for each column of the table."""
    if asking.read.request.model != "dp":
        raise UnsupportedArgument(
            "gaps is offered with model='dp' only, which keeps the weaker promises too.", statistic="gaps"
        )
    domain = asking.domain
    declared = [name for name in asking.columns if domain.states(name) != States() or not domain.may_lack(name)]
    columns = declared or asking.columns  # the others would take a share of the cost and tell least
    parts = [Asked(column, Count(states_of(asking, column))) for column in columns]
    return asking.release(parts, Layout(pd.Index(States.values), pd.Index(columns), "estimates"))


def states_of(asking: Asking, column: Hashable) -> Cells:
    """A row is in one of the states of the column, or in none: it moves two of their counts by one at most."""
    return Cells((Key(column, asking.domain.states(column)),))
