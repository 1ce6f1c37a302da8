"""A protected frame is known by its mark: renaming its index neither changes it nor makes it another one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp import errors

DECLARED = {"categories": ["a", "b"], "epsilon": 1}


def people(first: str) -> pd.DataFrame:
    return pd.DataFrame({"k": [first] * 150 + ["a", "b"] * 25, "age": [31.0, 54.0] * 100})


def named(frame: pd.DataFrame, name: Any = "person") -> pd.DataFrame:
    """The same object, its index renamed in place."""
    frame.index.name = name
    return frame


def asked_mean(frame: pd.DataFrame) -> pdp.Release:
    return frame["age"].dp.mean(bounds=(0, 100), epsilon=1)


@pytest.fixture
def two() -> tuple[pdp.Session, pd.DataFrame, pd.DataFrame]:
    session = pdp.Session(epsilon=100)
    return session, named(session.protect(people("a"))), named(session.protect(people("b")))


@pytest.mark.parametrize("name", ["person", None, 3, "dp_row_00000000"])
@pytest.mark.parametrize("attrs", [True, False])
def test_a_renamed_frame_is_the_frame_that_was_protected(name: Any, attrs: bool) -> None:
    session = pdp.Session(epsilon=100)
    frame = session.protect(people("a"))
    before = asked_mean(frame).dp.metadata
    named(frame, name)
    if not attrs:
        frame.attrs = {}
    after = asked_mean(frame).dp.metadata
    facts = ("session", "frame", "rows", "size", "noise")
    assert [after[fact] for fact in facts] == [before[fact] for fact in facts]
    assert after["frame"].startswith("dp_row_")
    assert session.protect(frame) is frame


def test_two_frames_that_were_renamed_alike_are_two(two: tuple[pdp.Session, pd.DataFrame, pd.DataFrame]) -> None:
    _, one, other = two
    assert one.index.name == other.index.name
    releases = [asked_mean(frame) for frame in (one, other, one)]
    names = [release.dp.metadata["frame"] for release in releases]
    assert names[0] == names[2] != names[1]
    with pytest.raises(errors.NotConcluded, match="do not share one protected frame"):
        pdp.combine(releases[:2])
    assert pdp.combine([releases[0], releases[2]]).dp.metadata["frame"] == names[0]


def test_stored_tables_of_one_are_not_served_as_the_others(
    two: tuple[pdp.Session, pd.DataFrame, pd.DataFrame], tmp_path: Path
) -> None:
    session, one, other = two
    stored = pdp.publish_tables(tmp_path / "t", {"t": lambda: one.dp.marginals([["k"]], **DECLARED)})
    with pytest.raises(errors.TablesMismatch, match="cannot be verified to be this one"):
        pdp.publish_tables(tmp_path / "t", {"t": lambda: other.dp.marginals([["k"]], **DECLARED)})
    again = pdp.publish_tables(tmp_path / "t", {"t": lambda: one.dp.marginals([["k"]], **DECLARED)})
    assert again.table(["k"]).equals(stored.table(["k"]))
    assert len(session.ledger) == 1


def test_a_frame_with_another_frames_name_is_answered_and_paid_for_by_its_own_session() -> None:
    own, others = pdp.Session(epsilon=1), pdp.Session(epsilon=1)
    frame = named(own.protect(people("a")), others.protect(people("b")).index.name)
    for data in (frame, frame["age"]):
        data.attrs = {}
    asked_mean(frame)
    assert (len(own.ledger), len(others.ledger)) == (1, 0)


@pytest.mark.parametrize("cut", [lambda p: p[p["age"] > 1], lambda p: p.assign(y=1), lambda p: p.rename_axis("person")])
def test_what_is_cut_from_it_is_known_by_the_name_of_its_row_ids(cut: Callable[[Any], Any]) -> None:
    """A fact about the program: a frame that has lost the name is refused, whatever it holds."""
    session = pdp.Session(epsilon=1)
    frame = session.protect(people("a"))
    if cut(frame).index.name != "person":
        asked_mean(cut(frame))
        named(frame)
    used = session.share_used
    with pytest.raises(errors.NotProtected, match="has lost the row ids"):
        asked_mean(cut(frame))
    assert session.share_used == used
