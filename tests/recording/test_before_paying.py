"""Whatever is asked, columns that nobody saw being made are refused before paying."""

from __future__ import annotations

import pytest

from pandas_dp import errors
from tests.contracts.questions import QUESTIONS, normal, open_session

OF_ROWS_ALONE = {"DataFrame.size"}


@pytest.mark.parametrize("name", sorted({*QUESTIONS} - OF_ROWS_ALONE))
def test_a_question_about_columns_that_are_not_followed_is_refused_before_paying(name: str) -> None:
    session = open_session(delta=1e-6, models=["dp", "idp"])
    frame = session.protect(normal(9))
    for column in list(frame.columns):
        frame[column] = frame[column].shift()
    with pytest.raises(errors.NotFollowed, match="was not made row by row: shift takes other rows"):
        QUESTIONS[name](frame)
    assert session.share_used == 0
    session.close()
