"""What the promises cost in accuracy, at these very data, for one question and one price."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ..core.arguments import a_number, read_by_signature, whole_number
from ..core.arrays import Array
from ..core.label.release import label_of
from ..core.measure.measurement import Noisy, Rows
from ..core.measure.statistic import Estimator
from ..core.plan.plan import Plan
from ..core.plan.steps import Round, Stage
from ..core.promise_registry import every_promise
from ..core.protect.tables import Data
from ..core.session.planning import planning
from ..core.session.session_core import SessionCore
from ..errors import CostNotOffered, NoBounds, PrivacyError, UnknownMechanism, UnsupportedArgument, shown, wrong_value
from ..quantiles.statistic import Quantile
from ..quantiles.statistic_ranked_values import RankedValue
from ..views.drawings import draw_dots
from ..weaker.promise import exact_of
from .compare import consenting_core, for_the_custodian

COLUMNS = ["mechanism", "cells", "half_width", "widest", "rmse", "gain"]
COSTS = {"epsilon", "delta", "rho", "width"}
LONG = 40  # characters of an argument


@read_by_signature
def promises(
    data: pd.DataFrame | pd.Series,
    question: str,
    *arguments: Any,
    confidence: float = 0.95,
    draws: int = 1000,
    **keywords: Any,
) -> pd.DataFrame:
    """The noise of one question under each promise of the session, at one cost. Nothing is released, nothing is spent.

    A promise that does not offer the question is left out. For quantiles dp appears twice: as `mechanism="auto"`
    answers, and with noise scaled to smooth sensitivity.

    Half widths and gains under the weaker promises are computed from the data and give their range, or their gaps,
    away: the table is for the custodian alone.

    Parameters
    ----------
    data : protected DataFrame or Series
    question : str
        The name of a method of `.dp`, with its arguments and keywords, the cost among them.
    confidence : float
        An answer is within its half width of the exact one with this probability.
    draws : int
        By so many draws of the noise the half widths are found.

    Returns
    -------
    DataFrame
        For each promise and statistic: half width (the median over cells, and the widest), root mean squared error, and
        the gain, the half width under dp over this one.

    Examples
    --------
    >>> import pandas_dp as pdp
    >>> session = pdp.Session(epsilon=1, models=["idp", "bdp"], custodian=True)
    >>> farms = session.protect(pdp.datasets.load_rice_farms())
    >>> table = pdp.custodian.promises(farms["noutput"], "median", epsilon=0.5, bounds=(0, 100_000))
    >>> table.index.get_level_values("model").tolist(), session.share_used
    (['dp', 'dp (smooth)', 'idp', 'bdp'], 0.0)
    >>> session.close()
    """
    core = consenting_core(data)
    a_number("confidence", confidence, 0, 1)
    whole_number("draws", draws, 10, 10**6)
    ask = getattr(data.dp, question, None) if isinstance(question, str) and not question.startswith("_") else None
    if ask is None or not callable(ask):
        raise UnsupportedArgument(f"question must name a question of .dp, e.g. 'mean', not {shown(question)}.")
    if "model" in keywords:
        raise UnsupportedArgument("promises compares all promises of the session; leave model= out.", argument="model")
    tables: list[tuple[Any, ...]] = []
    refusals: list[PrivacyError] = []
    for model, how in _ways(core.opening.models, "mechanism" in keywords):
        try:
            with planning(core.id) as noted:
                ask(*arguments, model=model.split()[0], **how, **keywords)
        except (UnsupportedArgument, CostNotOffered, UnknownMechanism, NoBounds) as refusal:
            refusals.append(refusal)
            continue  # this promise does not offer the question
        if len(noted) != 1:
            raise UnsupportedArgument("promises compares one question at a time, e.g. 'mean'.", question=question)
        plan = noted[0].plan
        if noted[0].subject.over_rows is not None:
            raise UnsupportedArgument(
                "promises compares what is promised of tables with one row of each person; over rows of people there "
                "is one promise, 'dp', and session.plan says how wide its intervals are.",
                question=question,
            )
        errors = rehearsed(core, data, plan, draws)
        for part, error in zip(plan.question.parts, errors, strict=True):
            half = _half_widths(error, confidence)
            row = (plan.mechanisms, error.shape[1], np.median(half), half.max(), np.sqrt(np.nanmean(error**2)))
            tables.append((model, _name(part.estimator), part.column, *row))
    if not tables:
        raise refusals[0]
    table = pd.DataFrame(tables, columns=["model", "statistic", "column", *COLUMNS[:-1]])
    under_dp = table[table["model"] == "dp"]["half_width"].to_numpy()
    if not len(under_dp):
        under_dp = np.full(int((table["model"] == table["model"].iloc[0]).sum()), np.nan)
    table["gain"] = np.tile(under_dp, len(table) // len(under_dp)) / table["half_width"]
    found = for_the_custodian(table.set_index(["model", "statistic", "column"]))
    found.attrs["dp"] |= {
        "question": question,
        "how": _said(arguments, keywords),
        "cost": str(plan.asked),
        "confidence": confidence,
    }
    return found


@read_by_signature
def draw_promises(table: pd.DataFrame, *, title: str | None = None) -> Any:
    """The half widths of a table that `promises` made: a panel for each number, on a logarithmic axis of its own.

    Of several cells the dot is the median one, and a thin line leads from it to the widest. `title` takes the place of
    the question and its cost.

    Returns
    -------
    matplotlib Figure

    Examples
    --------
    >>> import pandas_dp as pdp
    >>> session = pdp.Session(epsilon=1, models=["idp"], custodian=True)
    >>> farms = session.protect(pdp.datasets.load_rice_farms())
    >>> table = pdp.custodian.promises(farms["noutput"], "mean", epsilon=0.5, bounds=(0, 100_000), draws=100)
    >>> len(pdp.custodian.draw_promises(table).axes)
    1
    >>> session.close()
    """
    facts = (label_of(table) or {}) if isinstance(table, pd.DataFrame) else {}
    if facts.get("kind") != "custodian" or "question" not in facts:
        raise wrong_value("table", "be what promises returned", table)
    how = f"({facts['how']})" if facts["how"] else ""
    axis = f"{100 * facts['confidence']:g} % half width" + (
        ", median cell to widest" if (table["cells"] > 1).any() else ""
    )
    asked = f"{facts['question']}{how}, {facts['cost']}"
    return draw_dots(table, asked if title is None else title, axis, facts["notice"])


def _said(arguments: Sequence[Any], keywords: dict[str, Any]) -> str:
    """What was asked beside the cost, for a title: what is long is left out."""
    said = [*map(repr, arguments), *(f"{name}={value!r}" for name, value in keywords.items() if name not in COSTS)]
    return ", ".join(each if len(each) <= LONG else "…" for each in said)


def _name(estimator: Estimator) -> str:
    """With its rank, for one quantile of several."""
    if isinstance(estimator, Quantile | RankedValue) and estimator.statistic == "quantile":
        return f"quantile {float(estimator.quantile):g}"
    return estimator.statistic


def _ways(models: Sequence[str], chosen: bool) -> Iterator[tuple[str, Mapping[str, str]]]:
    """The promises of the session in their order, each also in its other ways unless a mechanism was chosen."""
    for promise in every_promise().values():
        if promise.name in models:
            yield promise.name, {}
            yield from (() if chosen else promise.besides.items())


def _half_widths(error: np.ndarray[Any, Any], confidence: float) -> np.ndarray[Any, Any]:
    """The half width of each cell; a missing answer is infinitely far off."""
    off = np.where(np.isnan(error), np.inf, np.abs(error))
    return np.asarray(np.quantile(off, confidence, axis=0, method="higher"))


def rehearsed(core: SessionCore, data: Data, plan: Plan, draws: int) -> list[Array]:
    """How far each part's answer is from the exact one, draw × cell, in the column's unit."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        rows = core.subject(data).rows()
        seen = [None if isinstance(step, Stage | Round) else step.measure(rows) for step in plan.steps]
        exact = [_exact(plan, place, rows) for place in range(len(plan.question.parts))]
        errors: list[list[Array]] = [[] for _ in exact]
        for _ in range(draws):
            answers: tuple[Noisy, ...] = ()
            for step, each in zip(plan.steps, seen, strict=True):
                again = isinstance(step, Stage | Round)
                answers = (*answers, step.add_noise(step.measure(rows, answers) if again else each, rows))
            for place, truth in enumerate(exact):
                errors[place].append(np.asarray(plan.conclude(place, answers).estimate, dtype=float) - truth)
        return [np.array(each) for each in errors]


def _exact(plan: Plan, place: int, rows: Rows) -> Array:
    return exact_of(plan.question.parts[place].estimator, plan.public, rows)
