"""The keywords of a bootstrap, read once."""

from __future__ import annotations

from typing import Any

from ...core.reading import a_number, one_of, whole_number
from ...errors import UnsupportedArgument
from .evidence import CAUTIONS, RESAMPLINGS, Bootstrap

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
