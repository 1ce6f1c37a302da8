"""Which face a release has: that which its kind of evidence brings, or the one that all others share."""

from __future__ import annotations

from typing import Any

import pandas as pd

from ...comparisons.face import PaidTestFace
from ...learning.face_learned import BayesFace, ClustersFace, ScoresFace, SpectrumFace
from ...models.face import FitFace, GeneralizedFace, TwoLooksFace
from ...models.moments.face import GramFace, PairsFace
from ...models.tables.face_table_fits import TableFitFace
from ...quantiles.face import CdfFace
from ...survival.face import LifeFace
from ...tables.face import RunsFace
from ..label.release import label_of
from .released import ReleasedFace

FACES: dict[str, type[ReleasedFace]] = {
    "cdf": CdfFace,
    "centres": ClustersFace,
    "covariances": PairsFace,
    "gram": GramFace,
    "gram of rows": GramFace,
    "life": LifeFace,
    "table fit": TableFitFace,
    "naive bayes": BayesFace,
    "fit": FitFace,
    "fit of rows": FitFace,
    "fit of two looks": TwoLooksFace,
    "generalized": GeneralizedFace,
    "generalized by person": GeneralizedFace,
    "pairs": PairsFace,
    "scores": ScoresFace,
    "spectrum": SpectrumFace,
    "tables by blocks": RunsFace,
    "tables by runs": RunsFace,
    "against": PaidTestFace,
    "difference": PaidTestFace,
    "groups": PaidTestFace,
    "path": PaidTestFace,
}
"""By the word of a kind of evidence, for kinds with conclusions of their own. A face names them in `own`."""


def face_of(table: pd.DataFrame | pd.Series) -> ReleasedFace:
    """What all kinds in a release have in common."""
    evidence = (label_of(table) or {}).get("evidence")
    told = evidence if isinstance(evidence, list | tuple) else []  # the face says what is wrong
    kinds = {_word_of(facts) if isinstance(facts, dict) else "" for facts in told}
    face = FACES.get(kinds.pop(), ReleasedFace) if len(kinds) == 1 else ReleasedFace
    return face(table)


def _word_of(facts: dict[str, Any]) -> str:
    """Its kind, and of tables what was measured."""
    return " by ".join(str(facts[each]) for each in ("kind", "by") if each in facts)
