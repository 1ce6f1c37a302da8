"""Each public name of pandas is in one class, and what it gives is of that class."""

from __future__ import annotations

from typing import get_args

import pytest

from pandas_dp.core.door.frame import FrameAccessor
from pandas_dp.core.door.series import SeriesAccessor
from pandas_dp.recording.names import COUNTED, DECLARED, FACTS, RELEASED, VALUES, Kind, class_of, reason_of


@pytest.mark.parametrize("kind", get_args(Kind))
def test_no_name_is_written_in_two_classes(kind: Kind) -> None:
    values = VALUES[kind] | (COUNTED | DECLARED if kind in ("table", "column") else set())
    assert values & FACTS[kind] == set()


@pytest.mark.parametrize("name", sorted(RELEASED))
def test_what_a_reason_says_to_ask_can_be_asked(name: str) -> None:
    assert f"farms.dp.{name}(" in reason_of(name)
    assert hasattr(FrameAccessor, name) or hasattr(SeriesAccessor, name)


def test_a_name_that_pandas_adds_is_not_followed() -> None:
    assert class_of("frobnicate", "table") == "mixing"
    assert class_of("__frobnicate__", "column") == "values"
