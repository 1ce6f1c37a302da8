"""`session.together`: several questions in one pass, each a release of its own."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

import pandas_dp as pdp
from tests.refusals import refused

from .conftest import GENEROUS, Farms


@pytest.fixture
def counted(session: pdp.Session, table: pd.DataFrame) -> tuple[Any, list[int]]:
    """The farms as a function gives them, and its calls."""
    made, calls = pa.Table.from_pandas(table, preserve_index=False), list[int]()

    def open_() -> pa.RecordBatchReader:
        calls.append(1)
        return made.to_reader(200)

    farms = session.scan(open_)
    calls.clear()
    return farms, calls


def test_questions_together_read_the_rows_once(
    counted: tuple[Any, list[int]], session: pdp.Session, table: pd.DataFrame
) -> None:
    farms, calls = counted
    big = farms[farms["goats"] > 50]
    mean, crops, spread, shares = session.together(
        lambda: farms["size"].dp.mean(),
        lambda: big.dp.groupby("crop").size(),
        lambda: (farms["size"] * 2).dp.iqr(bounds=(0, 16), mechanism="exponential"),
        lambda: farms["crop"].dp.value_counts(normalize=True),
    )
    assert len(calls) == 1
    assert mean["mean"].item() == pytest.approx(table["size"].mean(), abs=1e-4)
    assert crops["size"].sum() == (table["goats"] > 50).sum()
    quartiles = 2 * table["size"].quantile([0.25, 0.75])
    assert spread["iqr"].item() == pytest.approx(quartiles.diff().iloc[1], abs=0.05)
    assert shares.iloc[:, 0].sum() == pytest.approx(1)
    labels = [each.dp.metadata for each in (mean, crops, spread, shares)]
    assert [label["entry"] for label in labels] == [1, 2, 3, 4]
    assert session.ledger["release"].tolist() == [label["id"] for label in labels]
    assert len(session.ledger) == 4


def test_frames_in_memory_are_asked_together_too(whole: pd.DataFrame) -> None:
    with pdp.Session(schema=Farms, **GENEROUS) as session:
        farms = session.protect(pd.DataFrame(whole).reset_index(drop=True))
        few, many = session.together(
            lambda: farms[farms["goats"] > 90].dp.groupby("crop").size(), lambda: farms.dp.groupby("crop").size()
        )
        assert few["size"].sum() < many["size"].sum() == 900
        assert len(session.ledger) == 2


def test_none_is_paid_where_not_all_fit(folder: Any) -> None:
    with pdp.Session(schema=Farms, epsilon=1) as session:
        farms = session.scan(folder)
        ask = lambda: farms["size"].dp.mean(epsilon=0.6)  # noqa: E731
        with refused(pdp.errors.BudgetExceeded):
            session.together(ask, ask)
        assert len(session.ledger) == 0
        session.together(ask)
        assert len(session.ledger) == 1


def test_all_are_paid_or_none_whatever_another_client_spends_meanwhile(folder: Path, tmp_path: Path) -> None:
    with (
        pdp.Session(schema=Farms, epsilon=1, ledger=tmp_path / "both.ledger") as session,
        pdp.Session(schema=Farms, epsilon=1, ledger=tmp_path / "both.ledger") as other,
    ):
        farms, theirs = session.scan(folder / "*.parquet"), other.scan(folder / "*.parquet")

        def ask() -> object:
            if not len(other.ledger):
                with ThreadPoolExecutor(1) as elsewhere:
                    elsewhere.submit(lambda: theirs["size"].dp.mean(epsilon=0.5)).result()
            return farms["size"].dp.mean(epsilon=0.4)

        with refused(pdp.errors.BudgetExceeded):
            session.together(ask, ask)
        assert session.ledger["epsilon"].tolist() == [0.5]


def test_a_refused_question_refuses_all(counted: tuple[Any, list[int]], session: pdp.Session) -> None:
    farms, calls = counted
    with pytest.raises(pdp.errors.UnsupportedArgument):
        session.together(lambda: farms["size"].dp.mean(), lambda: farms.dp.blocks(10))
    assert not calls
    assert len(session.ledger) == 0


def test_a_lost_pass_loses_what_was_paid_together(counted: tuple[Any, list[int]], session: pdp.Session) -> None:
    farms, _ = counted
    failing = farms.map(lambda d: d.loc[["nobody"]] if len(d) else d)
    with pytest.raises(pdp.errors.AnswerLost):
        session.together(lambda: farms["size"].dp.mean(), lambda: failing["size"].dp.mean())
    assert len(session.ledger) == 2


def test_a_question_that_asks_something_else_the_second_time_is_paid_for_itself(
    counted: tuple[Any, list[int]], session: pdp.Session, table: pd.DataFrame
) -> None:
    farms, _ = counted
    columns = iter(["size", "goats"])
    (found,) = session.together(lambda: farms[next(columns)].dp.sum())
    assert found["sum"].item() == pytest.approx(table["goats"].sum(), abs=0.1)
    assert len(session.ledger) == 2


def test_together_can_be_planned(counted: tuple[Any, list[int]], session: pdp.Session) -> None:
    farms, calls = counted
    plan = session.plan(lambda: session.together(lambda: farms["size"].dp.mean(), lambda: farms["size"].dp.sum()))
    assert plan["statistic"].tolist() == ["mean", "sum"]
    assert not calls
    assert len(session.ledger) == 0


def test_what_is_no_question_is_refused(counted: tuple[Any, list[int]], session: pdp.Session) -> None:
    farms, _ = counted
    with refused(pdp.errors.UnsupportedArgument, "no question"):
        session.together()
    with refused(pdp.errors.UnsupportedArgument, "an answer"):
        session.together(farms["size"].dp.mean())
    with refused(pdp.errors.UnsupportedArgument, "asks nothing"):
        session.together(lambda: 3)
