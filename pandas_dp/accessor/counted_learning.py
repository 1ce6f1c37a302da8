"""`naive_bayes` and `kmeans`: tables of counts, asked for what is made of them."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import pandas as pd

from ..domain import Breaks
from ..equations import bins_for
from ..errors import UnsupportedArgument, UnsupportedType, wrong_value
from ..evidence import Amounts, Noise
from ..reading import is_whole, whole_number
from ..release import Layout, Release
from ..session import Asked, measured_columns
from ..statistics import Count, GridClusters, TablesOfClasses, feature_of
from ..tally import Cells, Key
from .asking import Asking
from .bins import edges_of, read_bins
from .grouped import key_names
from .keywords import Keywords

MOST_CELLS = 10_000  # that a label may hold
MOST_AXES, MOST_CLUSTERS = 3, 100
TIMES = ("datetime", "timedelta")


def naive_bayes(frame: pd.DataFrame, target: Hashable, features: Any, bins: Any, keywords: Keywords) -> Release:
    """Tables of classes by each feature."""
    given = [name for name in measured_columns(frame) if name != target] if features is None else features
    names = key_names("naive_bayes", given)
    if not names:
        raise UnsupportedArgument("naive_bayes needs a feature beside the classes.", argument="features")
    if target in names:
        raise UnsupportedArgument("naive_bayes was given the classes as a feature too; leave them out.")
    asking = Asking(frame, "naive_bayes", keywords, columns=names, keys=[target, *names], counts_keys=True)
    check_plain(asking)
    how = {} if is_whole(bins) else read_bins("naive_bayes", bins, names)
    keys = [_feature(asking, name, how.get(name, bins if is_whole(bins) else 8), name in how) for name in names]
    part = TablesOfClasses(asking.key(target), tuple(keys))
    if part.target.size < 2:
        raise UnsupportedArgument(
            f"naive_bayes needs two classes or more; column {target!r} has one declared category."
        )
    if part.target.size * sum(key.size for key in keys) > MOST_CELLS:
        raise UnsupportedArgument(
            f"naive_bayes counts at most {MOST_CELLS:,} cells, classes times categories of all features; use fewer "
            "bins."
        )
    return asking.release([Asked(None, part)], Layout(_labels(part), None, "measures"))


def _feature(asking: Asking, name: Hashable, bins: Any, binned: bool) -> Key:
    """A column by its declared categories, or in bins of its range."""
    if not binned and (asking.domain.is_listed(name) or not asking.domain.is_numeric(name)):
        key = asking.key(name)
        if not all(isinstance(value, bool | int | float | str) for value in feature_of(key).values):
            raise UnsupportedType(
                f"the categories of {name!r} are no numbers and no text, which naive_bayes does not take.", column=name
            )
        return key
    return _binned(asking, name, bins)


def _binned(asking: Asking, name: Hashable, bins: Any) -> Key:
    variable = asking.variable(name)
    if variable.interval.kind in TIMES:
        raise UnsupportedType(f"column {name!r} holds times; {asking.statistic} needs numbers.", column=name)
    return asking.bins(name, Breaks(edges_of(asking, name, bins)))


def _labels(part: TablesOfClasses) -> pd.MultiIndex:
    classes = list(feature_of(part.target).labels)
    rows = [
        (str(key.name), group, category)
        for key in part.features
        for group in classes
        for category in feature_of(key).labels
    ]
    return pd.MultiIndex.from_tuples(rows, names=["feature", str(part.target.name), "category"])


def kmeans(frame: pd.DataFrame, columns: Any, k: Any, bins: Any, seed: Any, keywords: Keywords) -> Release:
    """Clusters of the cells of a grid."""
    names = key_names("kmeans", columns)
    if not 1 <= len(names) <= MOST_AXES:
        raise UnsupportedArgument(
            f"kmeans counts a grid over one to {MOST_AXES} columns, not {len(names)}, as its cells grow with their "
            "number; take the first components of moments(...).dp.pca(2), or choose columns."
        )
    k, seed = whole_number("k", k, 1, MOST_CLUSTERS), whole_number("seed", seed, 0, 2**32 - 1)
    asking = Asking(frame, "kmeans", keywords, columns=names, keys=names, counts_keys=True)
    check_plain(asking)
    how = _how_many(asking, names, bins)
    cells = Cells(tuple(_binned(asking, name, how[name]) for name in names))
    if cells.size > MOST_CELLS:
        raise UnsupportedArgument(
            f"kmeans counts a grid of at most {MOST_CELLS:,} cells, not {cells.size:,}; use fewer bins."
        )
    if k > cells.size:
        raise wrong_value("k", f"be at most the number of cells, {cells.size}", k)
    rows = pd.RangeIndex(k, name="cluster")
    return asking.release([Asked(None, GridClusters(cells, k, seed))], Layout(rows, None, "measures"))


def _how_many(asking: Asking, names: Sequence[Hashable], bins: Any) -> dict[Hashable, Any]:
    """The bins of each column, as they were given or as public facts suggest."""
    if bins is not None and not isinstance(bins, Mapping):
        if not is_whole(bins):
            raise wrong_value("bins", "be a whole number or map columns to numbers or edges", bins)
        return dict.fromkeys(names, bins)
    given = {} if bins is None else read_bins("kmeans", bins, names)
    if len(given) == len(names):
        return given
    size = asking.setting.size
    if size is None:
        raise UnsupportedArgument(
            "kmeans plans its bins from the number of rows, which is private here; say them, e.g. bins=10.",
            argument="bins",
        )
    two = asking.foreseen(Asked(None, Count(Cells((_binned(asking, names[0], 2),)))))
    assert isinstance(two, Amounts)
    sd = two.noise.sd if isinstance(two.noise, Noise) else 1.0
    return {name: given.get(name, bins_for(size, sd, len(names))) for name in names}


def check_plain(asking: Asking) -> None:
    """What counts rows alone, each once."""
    if asking.read.request.model != "dp":
        raise UnsupportedArgument(f"{asking.statistic} is asked with model='dp'.", argument="model")
    if asking.survey is not None:
        raise UnsupportedArgument(
            f"{asking.statistic} counts rows, each once, and takes no weights; leave them out.", argument="weights"
        )
    if asking.over_rows is not None:
        raise UnsupportedArgument(
            f"{asking.statistic} counts rows, and here a person may have many; ask it of people, e.g. of a table with "
            "one row a person."
        )
    if asking.read.request.bootstrap is not None:
        raise UnsupportedArgument(f"{asking.statistic} takes no bootstrap=; leave it out.", argument="bootstrap")
