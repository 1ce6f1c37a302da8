"""Values of arguments: whatever Python or numpy calls a number is one, True and False are not, nor is text."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pandas_dp.core.arguments import a_flag, a_number, one_of, whole_number
from pandas_dp.errors import BadArgument, wrong_value

ODD = [True, False, np.True_, None, "1", b"1", [1], (1,), {1}, float("nan"), pd.NA, pd.Series([1]), np.array([1])]


@pytest.mark.parametrize("value", [2, 2.0, np.int8(2), np.float32(2), np.float64(2), Fraction(2)])
def test_a_number_is_read_as_a_float(value: Any) -> None:
    read = a_number("x", value, 1, 3)
    assert (read, type(read)) == (2.0, float)


@pytest.mark.parametrize("value", [*ODD, 1, 3, 0.999, 10**400, float("inf"), 2j, Decimal(2)], ids=repr)
def test_what_is_no_number_between_the_ends_is_refused(value: Any) -> None:
    with pytest.raises(BadArgument, match=r"^x must lie between 1 and 3, not .*\.$"):
        a_number("x", value, 1, 3)


@pytest.mark.parametrize("value", [1, 3, np.int64(2), np.uint8(3)])
def test_a_whole_number_is_read_with_its_ends(value: Any) -> None:
    read = whole_number("x", value, 1, 3)
    assert (read, type(read)) == (value, int)


@pytest.mark.parametrize("value", [*ODD, 0, 4, 2.0, np.float64(2), Fraction(2), 10**400], ids=repr)
def test_what_is_no_whole_number_is_refused(value: Any) -> None:
    with pytest.raises(BadArgument, match=r"^x must be a whole number from 1 to 3, not .*\.$"):
        whole_number("x", value, 1, 3)


@pytest.mark.parametrize(
    ("read", "value", "sentence"),
    [
        (lambda value: a_flag("x", value), 1, "x must be True or False, not 1."),
        (lambda value: a_flag("x", value), np.True_, "x must be True or False, not a bool."),
        (lambda value: one_of("x", value, ("a", "b", "c")), "d", "x must be 'a', 'b' or 'c', not 'd'."),
        (lambda value: one_of("x", value, ("a", "b")), ["a"], "x must be 'a' or 'b', not a list."),
    ],
)
def test_flags_and_names_are_taken_as_they_are(read: Callable[[Any], Any], value: Any, sentence: str) -> None:
    with pytest.raises(BadArgument) as caught:
        read(value)
    assert str(caught.value) == sentence
    assert a_flag("x", False) is False
    assert one_of("x", "b", ("a", "b")) == "b"


def test_a_list_with_wrong_elements_is_not_refused_for_being_a_list() -> None:
    said = str(wrong_value("q", "be a number from 0 to 1, or a list of such", [10, 50]))
    assert said == "q must be a number from 0 to 1, or a list of such; the list that was given holds others."
