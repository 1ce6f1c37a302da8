"""Life tables: how long until an event."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Unpack

import pandas as pd

from ..core.arguments import key_names, one_of
from ..core.door.asking import TableQuestions
from ..core.door.keywords import Keywords, edges_of
from ..core.label.label import cell_labels
from ..core.label.layout import Layout
from ..core.label.release import Release
from ..core.measure.cells import Cells, Key
from ..core.plan.plan import Asked
from ..core.schema.schema import Domain
from ..core.schema.values import Breaks, Categories, Interval
from ..errors import BadBounds, UnsupportedArgument, UnsupportedType
from .evidence import AT_RISK, Censoring
from .statistic import life_table

TRUTH = {False, True}


def true_or_false(domain: Domain, event: Hashable) -> tuple[Categories, bool]:
    """No and yes, and whether a row may have neither; where nothing was declared the question itself says so."""
    gaps = domain.may_lack(event)
    if not domain.declares(event):
        return Categories((False, True)), gaps
    if not _is_truth(domain, event):
        raise UnsupportedType(
            f"column {event!r} is not declared true or false; survival needs to know whether the time ended by an "
            "event: make such a column before protect.",
            column=event,
        )
    return Categories((False, True)), gaps


def check_order(domain: Domain, time: Hashable, event: Hashable) -> None:
    """A time of which no more than yes or no is declared is none, and may have been meant as the event."""
    if not _is_truth(domain, time):
        return
    why, listed = f"column {time!r} is declared true or false, which is no time", domain.is_listed(time)
    measured = domain.is_measured(event) and not _is_truth(domain, event)
    if measured or (listed and not domain.declares(event)):
        raise _swapped(time, event, why)
    if listed:
        raise UnsupportedType(f"{why}; survival needs how long each row was followed.", column=time)


def check_bounded(time: Hashable, event: Hashable, bounds: Any) -> None:
    """Bounds that a question brings are those of the time."""
    if isinstance(bounds, Mapping) and list(bounds) == [event]:
        raise _swapped(time, event, f"bounds= was given for column {event!r}, which is the second")


def _is_truth(domain: Domain, column: Hashable) -> bool:
    """Whether its declared values are false and true, or 0 and 1."""
    listed = domain.is_listed(column) and set(domain.categories(column).values) == TRUTH
    return listed or domain.is_condition(column)


def _swapped(time: Hashable, event: Hashable, why: str) -> UnsupportedType:
    return UnsupportedType(
        f"survival takes the time first and the event second, and {why}; are the two swapped? Then ask "
        f"survival({event!r}, {time!r}).",
        column=time,
    )


MOST_BINS, MOST_CELLS = 500, 10_000  # of a table that is held in its label


class Survivals(TableQuestions):
    """Life tables: how long until an event."""

    def survival(
        self,
        time: Hashable,
        event: Hashable,
        by: Hashable | Sequence[Hashable] | None = None,
        bins: int | Sequence[float] = 10,
        *,
        censoring: Censoring = "even",
        **keywords: Unpack[Keywords],
    ) -> Release:
        """A life table: the share without an event at the end of each bin of time, in each group, with its interval.

        All from one table of counts. `release.dp.curve`, `log_rank_test`, `hazard`, `quantile` and `plot` follow from
        it for free.

        Parameters
        ----------
        time : column
            How long each row was followed, a number or a length of time with declared bounds.
        event : column
            Whether it ended by the event; else it was censored then.
        by : column or list of columns, optional
            Groups.
        bins : int or list of edges
            As of `histogram`. Who is at the last edge without an event, or behind it, has survived all bins; who left
            before the first edge is left out.
        censoring : "even", "start" or "end"
            When in a bin people are censored. "even": over all of it, as with staggered entry; they count for the part
            of the bin in which they were at risk, one half where events are rare. "start": before its events, so they
            are not at risk in it. "end": behind its events, so they are at risk in all of it, as Kaplan and Meier have
            it where times are whole numbers and a bin holds one of them.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> rows = pd.DataFrame({"left": [2, 5, 9, 12] * 100, "event": [True, True, False, False] * 100})
        >>> staff = pdp.Session(rho=1e9).protect(rows)  # so much that there is no noise to see
        >>> life = staff.dp.survival("left", "event", bins=[0, 4, 8, 12], bounds=(0, 12), rho=1e6)
        >>> life["survival"].round(2).tolist(), life["at_risk"].tolist()
        ([0.75, 0.5, 0.5], [400, 300, 150])
        """
        groups = [] if by is None else key_names("survival", by)
        check_bounded(time, event, keywords.get("bounds"))
        asking = self._asking("survival", keywords, [time], [*groups, event], counts_keys=True)
        asking.not_with("many rows")
        check_order(asking.domain, time, event)
        bounds = asking.domain.interval(time, "survival")
        if bounds.kind == "datetime":
            raise UnsupportedType(
                f"column {time!r} holds points in time; survival needs how long each row was followed, e.g. their "
                "difference from a start, made before protect.",
                column=time,
            )
        breaks = Breaks(edges_of(asking.domain, time, bins))
        _check_bins(time, breaks, bounds)
        cells = Cells(tuple(asking.key(column) for column in groups))
        _check_size(len(breaks.edges) - 1, cells.size)
        truth, gaps = true_or_false(asking.domain, event)
        part = life_table(
            cells, (time, bounds, breaks), (event, truth, gaps), one_of("censoring", censoring, tuple(AT_RISK))
        )
        rows = cell_labels(Cells((*cells.keys, Key(time, breaks, clamp=bounds))))
        return asking.release([Asked(time, part)], Layout(rows, None, "measures"))


def _check_size(bins: int, groups: int) -> None:
    if bins > MOST_BINS or 2 * (bins + 2) * groups > MOST_CELLS:
        raise UnsupportedArgument(
            f"survival was asked in {bins:,} bins of {groups:,} group{'s' * (groups != 1)}; at most {MOST_BINS} bins "
            f"and {MOST_CELLS // 2:,} bins of all groups together are possible; use wider bins.",
            argument="bins",
        )


def _check_bins(time: Hashable, bins: Breaks, bounds: Interval) -> None:
    """Somebody can be in each of them."""
    low, high = float(bounds.lower), float(bounds.upper)
    beyond = sum(right <= low for right in bins.edges[1:]) + sum(left > high for left in bins.edges[:-1])
    if beyond:
        ends = [str(pd.Timedelta(int(end))) if bounds.kind == "timedelta" else f"{end:g}" for end in (low, high)]
        number = "is" if beyond == 1 else "are"
        raise BadBounds(
            f"{beyond} of {len(bins.edges) - 1} bins of survival {number} outside the bounds of column {time!r}, "
            f"{' to '.join(ends)}, where nobody can be: a value beyond its bounds counts as their "
            "end. Give edges within the bounds, or declare wider ones.",
            column=time,
        )
