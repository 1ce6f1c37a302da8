"""A table that was changed since its release is noticed, whatever the change; files keep what they can."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp import errors
from tests.refusals import refused

from .questions import EVERY, PLAIN


def means(people: pd.DataFrame) -> pdp.Release:
    return people.dp.groupby("sex")[["age", "income"]].mean()


def with_value(release: pdp.Release, row: int, column: int, value: Any) -> pd.DataFrame:
    table = pd.DataFrame(release).copy()
    table.iloc[row, column] = value
    return table


def relabelled(table: pd.DataFrame) -> pd.DataFrame:
    changed = table.copy()
    changed.index = pd.Index(["m", "f"], name="sex")
    return changed


CHANGES: dict[str, Callable[[pdp.Release], pd.DataFrame]] = {
    "last bit": lambda r: with_value(r, 0, 0, np.nextafter(r.iloc[0, 0], np.inf)),
    "a measure": lambda r: with_value(r, 1, 3, 7.0),
    "missing": lambda r: with_value(r, 0, 0, np.nan),
    "a row label": relabelled,
    "a row's order": lambda r: r.iloc[::-1],
    "a row less": lambda r: r.head(1),
    "a row more": lambda r: pd.concat([r, r]),
    "a column label": lambda r: r.rename(columns={"age": "size"}),
    "columns' order": lambda r: r[r.columns[::-1]],
    "a column less": lambda r: r.iloc[:, :-1],
    "a column more": lambda r: pd.concat([r, r.iloc[:, :1]], axis=1),
    "the index's name": lambda r: r.rename_axis("gender"),
    "the columns' names": lambda r: r.rename_axis(["v", "m"], axis=1),
    "transposed": lambda r: r.T,
    "arithmetic": lambda r: r * 1.01,
    "rounded by pandas": lambda r: r.round(1),
}


@pytest.mark.parametrize("change", CHANGES)
def test_any_change_is_noticed(change: str, people: pd.DataFrame) -> None:
    release = means(people)
    changed = CHANGES[change](release)
    changed.attrs = release.attrs
    with refused(errors.ChangedRelease) as caught:
        changed.dp.confint()
    assert caught.value.release == release.attrs["dp"]["id"]


@pytest.mark.parametrize("what", ["metadata", "guarantee"])
def test_a_changed_table_tells_no_guarantee(what: str, people: pd.DataFrame) -> None:
    changed = means(people) + 1
    with pytest.raises(errors.ChangedRelease):
        getattr(changed.dp, what)


@pytest.mark.parametrize("act", ["round", "to_markdown", "to_latex", "to_html"])
def test_a_changed_table_is_not_published(act: str, people: pd.DataFrame) -> None:
    changed = means(people) + 1
    with pytest.raises(errors.ChangedRelease):
        getattr(changed.dp, act)()


def test_a_count_changed_by_one_is_noticed(people: pd.DataFrame) -> None:
    release = people.dp.crosstab("sex", "region")
    changed = release + 1
    changed.attrs = release.attrs
    with pytest.raises(errors.ChangedRelease):
        changed.dp.confint()


def test_a_time_changed_by_a_nanosecond_is_noticed(people: pd.DataFrame) -> None:
    release = people["born"].dp.median()
    changed = release + pd.Timedelta(1, "ns")
    changed.attrs = release.attrs
    with pytest.raises(errors.ChangedRelease):
        _ = changed.dp.metadata


@pytest.mark.parametrize("name", EVERY)
def test_a_copy_is_the_release_still(name: str, people: pd.DataFrame) -> None:
    release = EVERY[name](people)
    assert release.copy().dp.metadata == release.attrs["dp"]


@pytest.mark.parametrize("name", PLAIN)
def test_parquet_keeps_table_label_and_digest(name: str, people: pd.DataFrame, tmp_path: Path) -> None:
    release = PLAIN[name](people)
    release.to_parquet(tmp_path / "release.parquet")
    again = pd.read_parquet(tmp_path / "release.parquet")
    pd.testing.assert_frame_equal(again, pd.DataFrame(release))
    assert again.dp.metadata == release.attrs["dp"]


def test_intervals_are_the_same_after_parquet(people: pd.DataFrame, tmp_path: Path) -> None:
    release = means(people)
    release.to_parquet(tmp_path / "release.parquet")
    again = pd.read_parquet(tmp_path / "release.parquet")
    pd.testing.assert_frame_equal(again.dp.confint(0.9, "sample"), release.dp.confint(0.9, "sample"))


def test_csv_loses_the_label_and_so_the_table_is_asked_for_a_session(people: pd.DataFrame, tmp_path: Path) -> None:
    means(people).to_csv(tmp_path / "release.csv")
    again = pd.read_csv(tmp_path / "release.csv", index_col=0, header=[0, 1])
    assert again.attrs == {}
    assert not hasattr(again.dp, "confint")
    with pytest.raises(errors.NoSession):
        again.dp.mean()


def test_a_label_copied_onto_a_private_frame_concludes_nothing(people: pd.DataFrame) -> None:
    release = people["age"].dp.mean()
    private = pd.DataFrame({"mean": [73_519.0], "std_error": [1.0], "lower": [0.0], "upper": [2.0]}, index=["age"])
    private.attrs = release.attrs
    for conclude in (lambda: private.dp.confint(), lambda: private.dp.guarantee, lambda: private.dp.to_markdown()):
        with pytest.raises(errors.ChangedRelease) as caught:
            conclude()
        assert "73519" not in str(caught.value).replace(",", "")


def test_a_protected_frame_that_takes_over_a_label_concludes_nothing(
    session: pdp.Session, people: pd.DataFrame
) -> None:
    release = people["age"].dp.mean()
    spent = len(session.ledger)
    people.attrs = release.attrs
    with pytest.raises(errors.ChangedRelease):
        people.dp.confint()
    with pytest.raises(errors.UnsupportedArgument):
        people.dp.mean()
    assert len(session.ledger) == spent
