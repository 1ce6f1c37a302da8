"""Logit, multinomial and Poisson regressions on categories alone: a table of counts that is asked for one model."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, ClassVar

from ...core.evidence.noise import Noise
from ...core.measure.cells import Cells
from ...core.measure.noisy import Noisy
from ...core.measure.statistic import whole_numbers
from ...core.neighbours import PublicFacts
from ...core.reading import is_number, one_of
from ...core.schema.categories import said
from ...core.schema.interval import Kind
from ...dataclass import dataclass
from ...errors import UnsupportedArgument, shown
from ...numeric.measure_distinct import Counts
from ...numeric.measure_moments import Moments
from .evidence import TableFit, TableModel, outcomes_of

LINKS = {"logit": "logit", "multinomial": "logit", "poisson": "log"}
COV_TYPES = ("nonrobust", "HC")
MOST = 60  # coefficients
Axis = tuple[str, tuple[Any, ...]]  # a key and its categories


@dataclass(frozen=True)
class TableRegression:
    """The coefficients of a model of the table over `cells`, whose last key is the response."""

    statistic: str
    cells: Cells
    model: TableModel
    kind: ClassVar[Kind] = "float"

    def to_json(self) -> dict[str, Any]:
        """What was asked, as a fingerprint takes it."""
        return said(
            statistic=self.statistic,
            cells=self.cells.to_json(),
            formula=self.model.formula,
            robust=self.model.robust,
        )

    def measurements(self, public: PublicFacts, beside: Collection[Moments]) -> tuple[Counts, ...]:
        return (Counts(self.cells),)

    def conclude(self, answers: tuple[Noisy, ...], public: PublicFacts) -> TableFit:
        (answer,) = answers
        return TableFit.of(self.statistic, whole_numbers(answer.table[:, 0]), Noise(answer.laws[0]), self.model)


def model_of(
    statistic: str,
    keys: Sequence[Axis],
    response: Axis,
    terms: Sequence[Sequence[str]],
    cov_type: str | None = None,
    intercept: bool = True,
) -> TableModel:
    """What explains the response by the terms, which name keys; refused where it cannot be."""
    name, answers = response
    robust = one_of("cov_type", "nonrobust" if cov_type is None else cov_type, COV_TYPES) == "HC"
    _check_answers(statistic, name, answers)
    names = [key for key, _ in keys]
    places = tuple(tuple(names.index(key) for key in term) for term in terms)
    _check_terms(statistic, places, names)
    labels = tuple(tuple(map(str, values)) for _, values in keys)
    said = tuple(map(str, answers))
    outcomes = outcomes_of(statistic, answers)
    model = TableModel(LINKS[statistic], name, said, outcomes, tuple(names), labels, places, intercept, robust)
    if not 0 < model.many <= MOST:
        raise UnsupportedArgument(
            f"{statistic} was asked for {model.many} coefficients, and 1 to {MOST} are possible; name other terms."
        )
    return model


def _check_answers(statistic: str, name: str, answers: tuple[Any, ...]) -> None:
    if statistic == "poisson" and not all(is_number(each) and each >= 0 for each in answers):
        raise UnsupportedArgument(
            f"poisson explains a count, and the categories of {shown(name)} are not all numbers from 0 on; for "
            "categories there are logit and multinomial."
        )
    if statistic == "logit" and len(answers) != 2:
        raise UnsupportedArgument(
            f"logit explains a key with two categories, and {shown(name)} has {len(answers)}; multinomial explains "
            "more."
        )
    if statistic == "multinomial" and len(answers) < 2:
        raise UnsupportedArgument(f"multinomial explains a key with two categories or more; {shown(name)} has one.")


def _check_terms(statistic: str, places: Sequence[tuple[int, ...]], names: Sequence[str]) -> None:
    if len({tuple(sorted(term)) for term in places}) < len(places):
        raise UnsupportedArgument(f"{statistic} was given a term twice; name it once.")
    for term in places:
        if not 1 <= len(set(term)) == len(term) <= 2:
            raise UnsupportedArgument(f"{statistic} multiplies two different keys at most; name them in one term.")
        if len(term) == 2 and not all((each,) in places for each in term):
            one, other = (shown(names[each]) for each in term)
            raise UnsupportedArgument(f"{one} times {other} needs both keys as terms of their own, too.")
