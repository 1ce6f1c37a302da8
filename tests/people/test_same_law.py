"""A roster of one row a person answers as a session without a unit: every question of `.dp`, by the same law.

From one seed both give the same numbers, and the same label but for what names the session and its people. Of half of
the questions, which their names choose, it is a cut of the roster by a mask, beside the same cut of the plain table.
"""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp.audit import seeded_noise
from tests.contracts.questions import COLUMNS, QUESTIONS, normal, open_session
from tests.same_each_run import chosen

NAMES = {"id", "session", "frame", "digest", "unit", "roster", "people", "counted", "entry"}


@pytest.fixture(scope="module")
def frames() -> Iterator[tuple[pd.DataFrame, pd.DataFrame]]:
    """The same people in the same order: in a session with a unit, which sorts by pseudonym, and in one without."""
    rows = normal(40)
    with open_session(delta=1e-6, unit="who") as people, open_session(delta=1e-6) as plain:
        roster = people.protect(rows.assign(who=range(40)), roster=True, one_row=True)
        key = people._core.tables.people._pseudonyms  # type: ignore[union-attr]
        order = pd.Series(key.of(pd.RangeIndex(40))).sort_values().index
        yield roster, plain.protect(rows.iloc[order].reset_index(drop=True))


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_roster_of_one_row_a_person_answers_by_the_law_of_rows(
    name: str, frames: tuple[pd.DataFrame, pd.DataFrame]
) -> None:
    (cut,) = chosen([False, True], name)
    releases: list[pdp.Release] = []
    for frame in frames:
        asked = frame[frame["x"] > 3][[*COLUMNS]] if cut else frame[[*COLUMNS]]
        with seeded_noise(8):
            releases.append(QUESTIONS[name](asked))  # type: ignore[arg-type]
    pd.testing.assert_frame_equal(*(pd.DataFrame(release) for release in releases), check_flags=False)
    labels = [{key: fact for key, fact in each.attrs["dp"].items() if key not in NAMES} for each in releases]
    assert labels[0] == labels[1]
