"""Whoever asks for help on a public name sees an example; `--doctest-modules` runs them all."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from functools import cached_property
from types import ModuleType
from typing import Any

import pytest

import pandas_dp as pdp
from pandas_dp import audit, custodian, datasets
from pandas_dp.core.conclude.results import EstimateResult, TestResult
from pandas_dp.core.noise import mechanisms
from pandas_dp.numeric.bootstrap import accounting as resampling

ACCESSORS = (
    pdp.SeriesAccessor,
    pdp.FrameAccessor,
    pdp.GroupedAccessor,
    pdp.ReleaseAccessor,
    pdp.Session,
    pdp.PublishedTables,
)
RESULTS = (TestResult, EstimateResult, custodian.RiskUtility)
SEEN = (property, cached_property, classmethod, staticmethod)  # members that are neither functions nor classes


def offered(module: ModuleType) -> list[str]:
    """The names that a module offers: `dir` of some says fewer than `__all__`."""
    names = set(dir(module)) & set(getattr(module, "__all__", dir(module)))
    return sorted(name for name in names if not name.startswith("_"))


def members(owner: type) -> Iterator[tuple[str, Any]]:
    for name in dir(owner):
        member = inspect.getattr_static(owner, name)
        if not name.startswith("_") and (inspect.isfunction(member) or isinstance(member, SEEN)):
            yield name, member


def without_example(owner: type | ModuleType) -> list[str]:
    """The public members of a class, or functions and classes of a module, whose help shows no example."""
    if isinstance(owner, type):
        named = [(owner.__name__, owner), *members(owner)]
    else:
        named = [(name, getattr(owner, name)) for name in offered(owner)]
        made = [(name, each) for name, each in named if inspect.isfunction(each) or inspect.isclass(each)]
        named = [(name, each) for name, each in made if each.__module__.startswith(pdp.__name__)]
    return [name for name, each in named if ">>> " not in (each.__doc__ or "").partition("Examples\n")[2]]


@pytest.mark.parametrize("accessor", [*ACCESSORS, *RESULTS], ids=lambda accessor: accessor.__name__)
def test_every_public_member_of_a_class_has_an_example(accessor: type) -> None:
    assert without_example(accessor) == []


@pytest.mark.parametrize(
    "module", [pdp, custodian, datasets, mechanisms, audit, resampling], ids=lambda module: module.__name__
)
def test_every_public_function_and_class_has_an_example(module: ModuleType) -> None:
    assert without_example(module) == []
