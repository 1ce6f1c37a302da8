"""Keywords of a bootstrap, and bounds that a share of the cost chooses, read once."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import pandas as pd

from ..core.arguments import a_number, one_of, whole_number
from ..core.label.release import is_release, label_of
from ..core.schema.schema import Domain
from ..errors import BadBounds, NoBounds, UnsupportedArgument
from .evidence_means import CAUTIONS, RESAMPLINGS, Bootstrap

MOST = 100_000  # replicates
OF_A_BOOTSTRAP = frozenset({"bootstrap", "resample", "variance", "alpha"})


def read_bootstrap(given: dict[str, Any]) -> Bootstrap | None:
    """Take out what belongs to a bootstrap; without `bootstrap=` nothing may."""
    count = given.pop("bootstrap", None)
    if count is None:
        for name in ("resample", "variance", "alpha"):
            if name in given:
                raise UnsupportedArgument(f"{name}= belongs to bootstrap=; give both.", argument=name)
        return None
    count = whole_number("bootstrap", count, 2, MOST)
    resample = one_of("resample", given.pop("resample", "moments"), RESAMPLINGS)
    variance = one_of("variance", given.pop("variance", "unbiased"), CAUTIONS)
    if "alpha" in given and variance != "conservative":
        raise UnsupportedArgument("alpha= belongs to variance='conservative'; give both.", argument="alpha")
    return Bootstrap(count, resample, variance, a_number("alpha", given.pop("alpha", 0.05), 0, 1))


def check_private(statistic: str, of_column: bool, as_usual: bool, mechanism: object) -> None:
    """Refuses what cannot be asked within bounds that are chosen on the way; `as_usual` is of rows of a person each,
    not weighted nor replicated, under dp."""
    if statistic != "mean":
        raise _not_so(
            f"bounds='private' is for mean; ask {statistic} within bounds that are released first, by giving what "
            "column.dp.choose_bounds(among=...) releases as bounds=."
        )
    if not of_column:
        raise _not_so(
            "bounds='private' is for the mean of one column, df[column].dp.mean(bounds='private'); elsewhere give what "
            "column.dp.choose_bounds(among=...) releases as bounds=."
        )
    if not as_usual:
        raise _not_so(
            "bounds='private' is offered with model='dp', for one row of each person, without weights= and bootstrap=; "
            "elsewhere say which bounds, bounds=(lower, upper)."
        )
    if mechanism != "auto":
        raise _not_so("bounds='private' takes several mechanisms, which it chooses itself; leave mechanism= out.")


def check_declared(column: Hashable, domain: Domain) -> None:
    """Refuses a column that has no range, in which bounds could be chosen."""
    if not domain.is_measured(column):
        raise NoBounds(
            f"column {column!r} has no declared bounds, inside of which bounds='private' could choose; declare some in "
            "the schema, as wide as need be, or give what column.dp.choose_bounds(among=...) releases as bounds=.",
            column=column,
        )


def _not_so(sentence: str) -> UnsupportedArgument:
    return UnsupportedArgument(sentence, argument="bounds")


COLUMNS = {"choose_bound": ["bound"], "choose_bounds": ["lower", "upper"]}


def is_private(bounds: Any) -> bool:
    """Whether a share of the cost chooses them."""
    return isinstance(bounds, str) and bounds == "private"


def as_typed(bounds: Any) -> Any:
    """Bounds as they are typed, where what was released by a choice of bounds stands for them."""
    if isinstance(bounds, Mapping):
        return {column: _as_pair(each) for column, each in bounds.items()}
    return _as_pair(bounds)


def _as_pair(given: Any) -> Any:
    if not isinstance(given, pd.DataFrame) or not is_release(given):
        return given
    statistic = (label_of(given) or {}).get("statistic")
    if list(given.columns) != COLUMNS.get(str(statistic)) or len(given) != 1:
        raise BadBounds(
            f"bounds= takes a pair (lower, upper), or what choose_bound or choose_bounds released, not a release of "
            f"{statistic!r}."
        )
    ends = [float(end) for end in given.iloc[0]]
    return (0.0, *ends) if len(ends) == 1 else tuple(ends)
