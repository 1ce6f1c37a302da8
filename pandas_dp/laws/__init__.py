"""The laws of noise: what anyone may know about it. Nothing here draws a number or sees data.

Probabilities are floats with a relative error below 10^−12, also in the tails. `quantile` and `half_width`
are whole numbers and exact: they compare with as many digits as it takes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import NotConcluded
from .averaged import MOST_DRAWS, AveragedLaplace
from .bounded import Bounded, Gibbs, TruncatedGaussian, TruncatedLaplace
from .gaussian import DiscreteGaussian
from .hellinger import Hellinger
from .laplace import DiscreteLaplace
from .law import Law
from .staircase import Staircase, narrowest

LAWS: tuple[type[Law], ...] = (
    DiscreteLaplace,
    DiscreteGaussian,
    AveragedLaplace,
    TruncatedLaplace,
    TruncatedGaussian,
    Gibbs,
    Hellinger,
    Staircase,
)


def law_from_json(facts: Mapping[str, Any]) -> Law:
    """The law that `to_json` described; entries that are not the law's are left alone.

    Examples
    --------
    >>> law_from_json({"distribution": "discrete laplace", "scale": "7/2"})
    DiscreteLaplace(scale=Fraction(7, 2))
    """
    for kind in LAWS:
        if facts.get("distribution") == kind.distribution:
            return kind.from_json(facts)
    raise NotConcluded(
        f"this version of pandas-dp knows no noise called {facts.get('distribution')!r}; read the release with a newer "
        "version."
    )


__all__ = [
    "MOST_DRAWS",
    "AveragedLaplace",
    "Bounded",
    "DiscreteGaussian",
    "DiscreteLaplace",
    "Gibbs",
    "Hellinger",
    "Law",
    "Staircase",
    "TruncatedGaussian",
    "TruncatedLaplace",
    "law_from_json",
    "narrowest",
]
