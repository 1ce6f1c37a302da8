"""A statistic says what it is in its own file; faces, sentences and contracts follow from that."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from pandas_dp.core.door.frame import FrameAccessor
from pandas_dp.core.door.grouped import GroupedAccessor
from pandas_dp.core.door.hints import offered_by
from pandas_dp.core.door.keywords import Keywords
from pandas_dp.core.door.released import ReleaseAccessor
from pandas_dp.core.door.series import CommonQuestions, SeriesAccessor
from pandas_dp.core.measure.statistic import names_of, offered
from pandas_dp.numeric.bootstrap.statistic import FromMoments, Resampled
from tests.contracts.cases import EXAMPLES
from tests.contracts.questions import ACCESSORS

ACCESSOR = {"Series": SeriesAccessor, "DataFrame": FrameAccessor, "groupby": GroupedAccessor}


def own_arguments(function: Any, skipped: int) -> set[str]:
    parameters = list(inspect.signature(function).parameters.values())[skipped:]
    return {each.name for each in parameters if each.kind is not each.VAR_KEYWORD} - set(Keywords.__annotations__)


@pytest.mark.parametrize("name", offered())
def test_a_statistic_has_a_method_with_its_own_arguments_on_every_face(name: str) -> None:
    where = [GroupedAccessor] if name == "size" else [SeriesAccessor, FrameAccessor, GroupedAccessor]
    for accessor in where:
        taken = own_arguments(getattr(accessor, name), 1)
        assert taken <= own_arguments(offered()[name].make, 3)
        assert taken == own_arguments(getattr(where[0], name), 1)


def test_every_statistic_in_common_declares_itself() -> None:
    methods = [name for name, each in vars(CommonQuestions).items() if inspect.isfunction(each) and name[0] != "_"]
    assert set(methods) <= set(offered())


@pytest.mark.parametrize("name", offered())
def test_the_contracts_ask_for_every_statistic(name: str) -> None:
    assert offered()[name].makes in EXAMPLES
    assert all(name in asked for accessor, asked in ACCESSORS.items() if name in offered_by(ACCESSOR[accessor]))


@pytest.mark.parametrize("accessor", [*ACCESSOR.values(), ReleaseAccessor])
def test_what_a_face_offers_is_what_can_be_called(accessor: type) -> None:
    names = offered_by(accessor)
    assert len(set(names)) == len(names)
    assert set(names) == {name for name in dir(accessor) if not name.startswith("_") and name != "own"}


def test_who_takes_a_bootstrap_follows_from_the_estimators() -> None:
    assert names_of(FromMoments) == "mean, share, std, sum and var"
    assert names_of(Resampled) == "mean, share, std, sum and var"
