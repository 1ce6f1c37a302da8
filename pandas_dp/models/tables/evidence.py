"""Regressions from a released table of counts: coefficients, and sets that hold them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from math import prod
from typing import Any, ClassVar

import numpy as np

from ...core.arrays import Array, Floats
from ...core.evidence.evidence import Seen
from ...core.evidence.noise import Noise
from ..evidence import RegressionEvidence
from ..solve_solution import Coefficients
from .solve import TableScores

Places = tuple[int, ...]


@dataclass(frozen=True)
class TableModel:
    """What explains which key of a table: `terms` name places of the other keys, one or two that are multiplied.

    `outcomes` are the numbers that stand for each category of the response: 0 and 1 of yes and no, an indicator for
    each category but the first, or the categories themselves where they are counted.
    """

    link: str  # "logit" or "log"
    response: str
    answers: tuple[str, ...]
    outcomes: tuple[tuple[float, ...], ...]
    keys: tuple[str, ...]
    labels: tuple[tuple[str, ...], ...]
    terms: tuple[Places, ...]
    intercept: bool = True
    robust: bool = False

    @property
    def sizes(self) -> tuple[int, ...]:
        return tuple(map(len, self.labels))

    @cached_property
    def blocks(self) -> list[tuple[str, list[str], Floats]]:
        """Of each term its name, those of its columns, and the columns themselves over the cells of the keys."""
        cells = np.array(list(product(*map(range, self.sizes))), dtype=np.intp).reshape(prod(self.sizes), -1)
        blocks = [("Intercept", ["Intercept"], np.ones((len(cells), 1)))] if self.intercept else []
        whole = not self.intercept
        for term in self.terms:
            first = 0 if whole and len(term) == 1 else 1
            whole &= len(term) > 1
            names = [[f"C({self.keys[at]})[{'T.' * first}{each}]" for each in self.labels[at][first:]] for at in term]
            levels = [[cells[:, at] == each for each in range(first, self.sizes[at])] for at in term]
            columns = [np.prod(each, axis=0) for each in product(*levels)]
            said = ":".join(f"C({self.keys[at]})" for at in term)
            stacked = np.array(columns, dtype=float).reshape(-1, len(cells)).T
            blocks.append((said, [":".join(each) for each in product(*names)], stacked))
        return blocks

    @cached_property
    def design(self) -> Floats:
        return np.concatenate([columns for _, _, columns in self.blocks], axis=1)

    @cached_property
    def names(self) -> list[str]:
        """Of the coefficients of one outcome."""
        return [name for _, names, _ in self.blocks for name in names]

    @property
    def places(self) -> dict[str, list[int]]:
        """The coefficients of each term but the constant, those of all outcomes."""
        found, first, many = {}, 0, len(self.names)
        for name, names, _ in self.blocks:
            found[name] = [
                many * at + first + each for at in range(len(self.outcomes[0])) for each in range(len(names))
            ]
            first += len(names)
        return {name: places for name, places in found.items() if name != "Intercept"}

    @property
    def many(self) -> int:
        """How many coefficients there are."""
        return len(self.outcomes[0]) * sum(len(names) for _, names, _ in self.blocks)

    @property
    def formula(self) -> str:
        terms = [name for name, _, _ in self.blocks if name != "Intercept"]
        return f"{self.response} ~ {' + '.join(terms) or '1'}{'' if self.intercept else ' - 1'}"


@dataclass(frozen=True)
class TableFit(RegressionEvidence):
    """Coefficients of a model of a table, whose cells stand in `released`, those of the response running fastest.

    The equations are linear in the cells, so their noise has mean zero; sets hold all coefficients with which they
    fit. Proof: docs/proofs/models/table-regressions.md.
    """

    values: Seen
    statistic: str
    released: np.ndarray[tuple[int, ...], np.dtype[np.int64]]
    noise: Noise
    model: TableModel
    zeros: tuple[int, ...] = ()  # cells that cannot be
    kind: ClassVar[str] = "table fit"
    accessor: ClassVar[str] = "models.accessor:TableFitAccessor"
    has_groups: ClassVar[bool] = False
    procedure: ClassVar[str] = "how badly the equations of the model fit if it holds, the chi-square law"

    @classmethod
    def of(cls, statistic: str, released: Array, noise: Noise, model: TableModel, zeros: Places = ()) -> TableFit:
        made = cls(np.zeros(model.many), statistic, np.asarray(released), noise, model, zeros)
        return replace(made, values=made.regressions("population")[0].coef)

    def _made(self, sampling: bool) -> list[Coefficients]:
        model = self.model
        counts = np.asarray(self.released, dtype=np.float64).reshape(-1, len(model.answers))
        possible = np.ones(counts.size)
        possible[list(self.zeros)] = 0.0
        scores = TableScores(
            counts,
            np.array(model.outcomes, dtype=float),
            model.design,
            self.noise.var,
            model.link,
            possible.reshape(counts.shape),
            sampling,
            model.robust,
            not self.noise.gaussian,
        )
        return [Coefficients(scores, np.eye(model.many), np.zeros(model.many))]

    @property
    def terms(self) -> dict[str, list[int]]:
        return self.model.places

    @property
    def noise_said(self) -> str:
        return f"{self.noise.law.distribution} with standard deviation {self.noise.sd:.4g} a cell, taken into account"

    @property
    def follows(self) -> dict[str, Any]:
        return {"formula": self.model.formula}


def outcomes_of(statistic: str, answers: tuple[Any, ...]) -> tuple[tuple[float, ...], ...]:
    """What stands for each category of the response."""
    if statistic == "poisson":
        return tuple((float(each),) for each in answers)
    return tuple(tuple(float(at == other) for other in range(1, len(answers))) for at in range(len(answers)))
