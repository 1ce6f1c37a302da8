"""The keywords of a bootstrap, read once."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import UnsupportedArgument, wrong_value
from ..evidence import CAUTIONS, RESAMPLINGS, Bootstrap

MOST = 100_000  # replicates


def read_bootstrap(given: dict[str, Any]) -> Bootstrap | None:
    """Take out what belongs to a bootstrap; without `bootstrap=` nothing may."""
    count = given.pop("bootstrap", None)
    if count is None:
        for name in ("resample", "variance", "alpha"):
            if name in given:
                raise UnsupportedArgument(f"{name}= belongs to bootstrap=; give both.", argument=name)
        return None
    if isinstance(count, bool) or not isinstance(count, int | np.integer) or not 2 <= count <= MOST:
        raise wrong_value("bootstrap", f"be a number of replicates from 2 to {MOST:,}", count)
    resample = _one_of(RESAMPLINGS, "resample", given.pop("resample", "moments"))
    variance = _one_of(CAUTIONS, "variance", given.pop("variance", "unbiased"))
    if "alpha" in given and variance != "conservative":
        raise UnsupportedArgument("alpha= belongs to variance='conservative'; give both.", argument="alpha")
    alpha = given.pop("alpha", 0.05)
    if isinstance(alpha, bool) or not isinstance(alpha, int | float | np.number) or not 0 < alpha < 1:
        raise wrong_value("alpha", "lie between 0 and 1", alpha)
    return Bootstrap(int(count), resample, variance, float(alpha))


def _one_of(names: tuple[str, ...], argument: str, given: object) -> Any:
    if not isinstance(given, str) or given not in names:
        offered = ", ".join(map(repr, names))
        raise wrong_value(argument, f"be one of {offered}", given)
    return given
