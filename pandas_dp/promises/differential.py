"""Differential privacy: between any two neighbours over the declared domain."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import ClassVar

from ..dataclass import dataclass
from ..evidence import Evidence
from ..neighbours import Moves, Setting
from ..statistics import Estimator
from ..tally import Blurred, Norm, Tally
from .promise import Promise


@dataclass(frozen=True)
class Differential(Promise):
    """Whatever one person's values and the others' are, the distribution of the answers hardly changes."""

    name: ClassVar[str] = "dp"
    scale_is_public: ClassVar[bool] = True
    title: ClassVar[str] = "differentially private"
    keeps: ClassVar[str] = "differential privacy"
    besides: ClassVar[Mapping[str, Mapping[str, str]]] = {"dp (smooth)": {"mechanism": "smooth"}}

    def reach(self, tally: Tally, norm: Norm, moves: Moves) -> Fraction:
        """How far neighbours are apart; a promise with another public scale has another reach."""
        return tally.reach(norm, moves)

    def tell(self, statistic: Estimator, answers: tuple[Blurred, ...], setting: Setting) -> Evidence:
        return statistic.conclude(answers, setting)
