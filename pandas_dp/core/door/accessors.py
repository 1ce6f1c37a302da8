"""Which accessor a release has: that which its kind of evidence brings, or the one that all others share."""

from __future__ import annotations

from typing import Any

import pandas as pd

from ...comparisons.accessor import PaidTestAccessor
from ...learning.accessor_learned import BayesAccessor, ClustersAccessor, ScoresAccessor, SpectrumAccessor
from ...models.accessor import FitAccessor, GeneralizedAccessor, TableFitAccessor, TwoStageAccessor
from ...models.moments.accessor import GramAccessor, PairsAccessor
from ...quantiles.accessor import CdfAccessor
from ...survival.accessor import LifeAccessor
from ...tables.accessor import RunsAccessor
from ..label.release import label_of
from .released import ReleaseAccessor

ACCESSORS: dict[str, type[ReleaseAccessor]] = {
    "cdf": CdfAccessor,
    "centres": ClustersAccessor,
    "covariances": PairsAccessor,
    "gram": GramAccessor,
    "life": LifeAccessor,
    "table fit": TableFitAccessor,
    "naive bayes": BayesAccessor,
    "fit": FitAccessor,
    "fit of two stages": TwoStageAccessor,
    "generalized": GeneralizedAccessor,
    "scores": ScoresAccessor,
    "spectrum": SpectrumAccessor,
    "tables by blocks": RunsAccessor,
    "tables by runs": RunsAccessor,
    "against": PaidTestAccessor,
    "difference": PaidTestAccessor,
    "groups": PaidTestAccessor,
    "path": PaidTestAccessor,
}
"""By the word of a kind of evidence, for kinds with conclusions of their own. An accessor names them in `own`."""


def accessor_of(table: pd.DataFrame | pd.Series) -> ReleaseAccessor:
    """What all kinds in a release have in common."""
    evidence = (label_of(table) or {}).get("evidence")
    parts = evidence if isinstance(evidence, list | tuple) else []  # the accessor says what is wrong
    kinds = {_word_of(facts) if isinstance(facts, dict) else "" for facts in parts}
    accessor = ACCESSORS.get(kinds.pop(), ReleaseAccessor) if len(kinds) == 1 else ReleaseAccessor
    return accessor(table)


def _word_of(facts: dict[str, Any]) -> str:
    """Its kind, and of tables what was measured."""
    return " by ".join(str(facts[each]) for each in ("kind", "by") if each in facts)
