"""What is concluded from a release has the release's guarantee."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from ..release import Released, guarantee
from .results import EstimateResult, TestResult

P = ParamSpec("P")
Result = TypeVar("Result", TestResult, EstimateResult)


def guaranteed(
    concluded: Callable[Concatenate[Any, P], Result],
) -> Callable[Concatenate[Any, P], Result]:
    """The same conclusion with the guarantee of the table, which it takes first."""

    @wraps(concluded)
    def told(table: Any, /, *given: P.args, **named: P.kwargs) -> Result:
        released = Released.of(table, parts=True)  # once: reading it hashes the whole table
        return replace(concluded(released, *given, **named), guarantee=guarantee(released.label))

    return told
