"""How the rows of a table were sampled, as the person who knows it says: public, but for the columns that it names."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from sys import float_info
from typing import Any

from ..core.arguments import is_number, is_whole, one_of
from ..errors import BadArgument, UnsupportedArgument, shown, type_of

LARGEST = float_info.max
LONELY = ("adjust", "certainty")
REPLICATES = (
    "replicate weights are as many sums as there are replicates, each with noise of its own; linearised errors come "
    "free: give one column of weights, and strata= and clusters= of a Design"
)


@dataclass(frozen=True)
class Design:
    """How a survey was sampled, for `session.protect(table, design=...)`: questions about the table follow it.

    Errors are those of with-replacement sampling, linearised, as R's survey package and Stata give them.

    Parameters
    ----------
    weights : column, optional
        Sampling weights; their bounds are declared like those of any column, and neither is negative.
    strata : column, or mapping from it to the sizes of its strata, optional
        `strata="region"` measures how many people each stratum has, `strata={"region": {"north": 250, "south": 400}}`
        says how many were sampled by design.
    clusters : column, or mapping from it to its units, optional
        Primary sampling units above people: those that were drawn, as they are declared in the schema or by
        `categories=`, or `clusters={"school": ["s1", "s2", ...]}`. With strata
        `clusters={"school": {"north": ["s1", "s2"], "south": ["s3", "s4"]}}`, in place of `strata=`. People are
        hidden, not units; where the unit is to be hidden its errors cost nothing: open the session with that unit.
    fpc : number, or mapping from stratum to number, optional
        How many people the sample was drawn from.
    total_weight : number, optional
        The sum of all weights, where it is public: weights that were calibrated to a known population.
    lonely : "adjust" or "certainty", optional
        A stratum of one person, or of one sampling unit, says nothing of its variance: take its distance from the
        whole, or take it for all of its stratum, without variance.

    Examples
    --------
    >>> import pandas as pd, pandas_dp as pdp
    >>> people = pdp.Session(rho=1).protect(
    ...     pd.DataFrame({"w": [1, 2, 5, 2] * 250, "age": [31, 54, 47, 18] * 250}), design=pdp.Design(weights="w")
    ... )
    >>> release = people["age"].dp.mean(bounds={"age": (0, 100), "w": (1, 5)}, rho=0.5)
    >>> release.columns.tolist()
    ['mean', 'std_error', 'lower', 'upper']
    """

    weights: Hashable = None
    strata: Any = None
    clusters: Any = None
    fpc: Any = None
    total_weight: float | None = None
    lonely: str | None = None

    def __post_init__(self) -> None:
        if isinstance(self.clusters, Mapping):
            _check_units(self.clusters)
        check_name("weights", self.weights)
        check_name("clusters", self.cluster)
        if isinstance(self.strata, Mapping):
            _check_sizes(self.strata)
        check_name("strata", self.stratum)
        if self.total_weight is not None:
            _positive("total_weight", self.total_weight)
            if self.weights is None:
                raise UnsupportedArgument("total_weight= is the sum of weights=; name their column.")
        if self.lonely is not None:
            one_of("lonely", self.lonely, LONELY)
        if self.cluster is not None:
            self._check_clusters()
        self._check_population()
        if not self.columns:
            raise UnsupportedArgument("a Design names weights=, strata= or clusters=, one of them at least.")
        if len(set(self.columns)) < len(self.columns):
            raise UnsupportedArgument("a Design was given a column twice; weights, strata and clusters are different.")

    @property
    def stratum(self) -> Hashable:
        """The column of strata."""
        column: Hashable = next(iter(self.strata)) if isinstance(self.strata, Mapping) else self.strata
        return column

    @property
    def sizes(self) -> dict[Hashable, int] | None:
        """How many people were sampled in each stratum, where that is public."""
        return dict(self.strata[self.stratum]) if isinstance(self.strata, Mapping) else None

    @property
    def cluster(self) -> Hashable:
        """The column of primary sampling units."""
        column: Hashable = next(iter(self.clusters)) if isinstance(self.clusters, Mapping) else self.clusters
        return column

    @property
    def units(self) -> list[list[Hashable]] | None:
        """Those units, stratum by stratum, where they were named."""
        if not isinstance(self.clusters, Mapping):
            return None
        named = self.clusters[self.cluster]
        return [list(each) for each in named.values()] if isinstance(named, Mapping) else [list(named)]

    @property
    def columns(self) -> list[Hashable]:
        """Those that it names."""
        return [name for name in (self.weights, self.stratum, self.cluster) if name is not None]

    def check_people(self, people: int | None) -> None:
        """Refused where the public number of people sampled does not go with what else was said."""
        sizes = self.sizes
        if sizes is not None and people is not None and sum(sizes.values()) != people:
            raise BadArgument(
                "the sizes of strata do not add up to the number of rows of the table, which is public; give the "
                "number sampled in each.",
                argument="strata",
            )
        if self.fpc is None or isinstance(self.fpc, Mapping):
            return
        if people is None:
            raise UnsupportedArgument(
                "fpc= compares with how many people were sampled, which is private here; open the session with "
                "neighbours='replace', or leave fpc= out.",
                argument="fpc",
            )
        if self.fpc < people:
            raise BadArgument("fpc= is how many people the sample was drawn from, no fewer than it has.")

    def _check_clusters(self) -> None:
        if self.strata is not None:
            raise UnsupportedArgument(
                "a sampling unit belongs to one stratum, which is public: say the units of each, "
                "clusters={'school': {'north': ['s1', 's2'], 'south': ['s3', 's4']}}, and leave strata= out.",
                argument="strata",
            )
        if self.fpc is not None:
            raise UnsupportedArgument(
                "fpc= with clusters= would need the numbers of all stages of sampling; leave it out, which takes the "
                "error as no smaller than it is.",
                argument="fpc",
            )
        if self.units is not None:
            check_units([len(each) for each in self.units], self.lonely)

    def _check_population(self) -> None:
        if self.fpc is None:
            return
        if not isinstance(self.fpc, Mapping):
            _positive("fpc", self.fpc)
            if self.fpc <= 1:
                raise BadArgument("fpc= is the number of people the sample was drawn from, not the fraction drawn.")
            if self.stratum is not None:
                raise BadArgument("fpc= with strata= is a mapping from each stratum to its number of people.")
            return
        if self.stratum is None:
            raise UnsupportedArgument("fpc= as a mapping needs strata=.", argument="fpc")
        for number in self.fpc.values():
            _positive("fpc", number)
        sizes = self.sizes
        if sizes is None:
            raise UnsupportedArgument(
                "fpc= of strata compares with how many were sampled of each, which a filter or a group does not tell; "
                "say them, strata={'region': {'north': 900, 'south': 1100}}.",
                argument="strata",
            )
        if set(self.fpc) != set(sizes):
            raise BadArgument("fpc= and the sizes of strata name different strata; name the same in both.")
        if any(self.fpc[name] < size for name, size in sizes.items()):
            raise BadArgument("fpc= is how many people each stratum has, no fewer than were sampled of it.")


def check_name(argument: str, name: Any) -> None:
    """A column is named; several columns of weights are replicates."""
    if isinstance(name, list | tuple | set):
        if argument == "weights":
            raise UnsupportedArgument(f"weights= is one column; {REPLICATES}.", argument=argument)
        raise UnsupportedArgument(f"{argument}= of a Design is one column; join its columns before protect.")
    if name is not None and (isinstance(name, bool) or not isinstance(name, str | int)):
        raise BadArgument(f"{argument} must be the name of a column, not {type_of(name)}.", argument=argument)


def _check_sizes(strata: Mapping[Any, Any]) -> None:
    if len(strata) != 1 or not isinstance(next(iter(strata.values())), Mapping):
        raise UnsupportedArgument(
            "strata= is a column, or a mapping from it to the number of people sampled in each stratum, "
            "strata={'region': {'north': 250, 'south': 400}}."
        )
    (sizes,) = strata.values()
    if not sizes or not all(is_whole(size) and size >= 1 for size in sizes.values()):
        raise BadArgument("the sizes of strata are whole numbers of people, 1 or more.", argument="strata")


def _check_units(clusters: Mapping[Any, Any]) -> None:
    form = (
        "clusters= is a column, or a mapping from it to a list of its units or to lists by stratum, "
        "clusters={'school': {'north': ['s1', 's2'], 'south': ['s3', 's4']}}."
    )
    if len(clusters) != 1:
        raise UnsupportedArgument(form)
    (named,) = clusters.values()
    lists = list(named.values()) if isinstance(named, Mapping) else [named]
    if not lists or not all(isinstance(each, list | tuple | range) and each for each in lists):
        raise UnsupportedArgument(form)
    units = [unit for each in lists for unit in each]
    if not all(isinstance(unit, str) or is_whole(unit) for unit in units):
        raise BadArgument("the units of clusters= are named by texts or whole numbers.", argument="clusters")
    if len(set(units)) < len(units):
        raise BadArgument("clusters= names a unit twice; each is in one stratum, once.", argument="clusters")


def check_units(sizes: Sequence[int], lonely: str | None) -> None:
    """Refused where numbers of units by stratum tell no variance."""
    if max(sizes) == 1:
        raise UnsupportedArgument(
            "clusters= needs a stratum of two units or more, as the error is told from how they differ.",
            argument="clusters",
        )
    if min(sizes) == 1 and lonely is None:
        raise UnsupportedArgument(
            "a stratum of one sampling unit says nothing of its variance; say lonely='adjust' to take the distance "
            "from the mean of all units, or lonely='certainty' to take none.",
            argument="lonely",
        )


def _positive(name: str, value: Any) -> None:
    if not is_number(value) or not 0 < value <= LARGEST:
        raise BadArgument(f"{name} must be a positive number, not {shown(value)}.", argument=name)
