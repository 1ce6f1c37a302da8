"""The laws of noise: what anyone may know about it. Nothing here draws a number or sees data.

Probabilities are floats with a relative error below 10^−12, also in the tails. `quantile` and `half_width`
are whole numbers and exact: they compare with as many digits as it takes.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import Any

from ...errors import NotConcluded
from .law import Law


def law_from_json(facts: Mapping[str, Any]) -> Law:
    """The law that `to_json` described; entries that are not the law's are left alone.

    Examples
    --------
    >>> law_from_json({"distribution": "discrete laplace", "scale": "7/2"})
    DiscreteLaplace(scale=Fraction(7, 2))
    """
    _import_all()
    kind = Law.known.get(str(facts.get("distribution")))
    if kind is not None:
        return kind.from_json(facts)
    raise NotConcluded(
        f"this version of pandas-dp knows no noise called {facts.get('distribution')!r}; read the release with a newer "
        "version."
    )


@cache
def _import_all() -> None:
    """Whoever adds a file gets its law known."""
    for module in pkgutil.iter_modules(import_module(__package__).__path__):
        import_module(f"{__package__}.{module.name}")
