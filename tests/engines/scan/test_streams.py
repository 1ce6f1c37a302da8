"""What a function opens: a stream, a table, a query, of which no more is asked than is wanted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

import pandas_dp as pdp
from pandas_dp import errors
from pandas_dp.audit import zero_noise

from .conftest import GENEROUS, Farms
from .libraries import Cursor, Lazy, Relation, Speaks
from .test_same_answers import QUESTIONS

Asked = list[Sequence[str]]


@pytest.fixture
def made(table: pd.DataFrame) -> pa.Table:
    return pa.Table.from_pandas(table.rename(columns={"gap": 'a "gap"'}), preserve_index=False)


def wanted(session: pdp.Session, source: Any) -> pd.DataFrame:
    farms = session.scan(source)
    assert farms["size"].dp.count().dp.metadata["epsilon"] == 0
    with zero_noise():
        found = farms[farms["goats"] > 50]['a "gap"'].dp.sum(bounds=(0, 8))
    assert isinstance(found, pd.DataFrame)
    return found


@pytest.mark.parametrize("of", [Lazy, Relation])
def test_a_query_computes_the_columns_that_are_wanted(of: Any, session: pdp.Session, made: pa.Table) -> None:
    computed: Asked = []
    found = wanted(session, lambda: of(made, computed))
    assert [sorted(each) for each in computed] == [["size"], ['a "gap"', "goats"]], "rows are counted by one column"
    pd.testing.assert_frame_equal(found, wanted(session, made))


@pytest.mark.parametrize("of", [Speaks, Cursor, pa.Table.to_reader, lambda table: table])
def test_a_function_that_takes_columns_is_told_which(of: Any, session: pdp.Session, made: pa.Table) -> None:
    told: list[Sequence[str] | None] = []

    def open_(columns: list[str] | None = None) -> Any:
        told.append(columns)
        return of(made if columns is None else made.select(columns))

    found = wanted(session, open_)
    assert [None if each is None else sorted(each) for each in told] == [None, ["size"], ['a "gap"', "goats"]]
    pd.testing.assert_frame_equal(found, wanted(session, made))


@pytest.mark.parametrize("name", QUESTIONS)
def test_every_question_names_the_columns_that_it_reads(name: str, session: pdp.Session, table: pd.DataFrame) -> None:
    rows = pa.Table.from_pandas(table, preserve_index=False)
    farms = session.scan(lambda *, columns: (rows if columns is None else rows.select(columns)).to_reader())
    assert QUESTIONS[name](farms) is not None


def test_what_takes_no_columns_is_not_told(session: pdp.Session, made: pa.Table) -> None:
    def by_place(columns: Any = None, /) -> Any:
        assert columns is None
        return made.to_reader()

    for open_ in (by_place, made.to_reader, lambda **options: made.to_reader(**options)):
        pd.testing.assert_frame_equal(wanted(session, open_), wanted(session, made))


def test_rows_without_a_column_that_is_wanted_lose_the_answer(session: pdp.Session, made: pa.Table) -> None:
    farms = session.scan(lambda columns: made.select(["size"] if columns else made.column_names).to_reader())
    with pytest.raises(errors.AnswerLost):
        farms["goats"].dp.mean()


class Fails:
    """A stream that fails after its first rows, and keeps whether it was closed."""

    def __init__(self, closed: list[int], fails: Callable[[], bool]) -> None:
        self.closed, self.fails = closed, fails

    def __call__(self, columns: Sequence[str] | None) -> pa.RecordBatchReader:
        def batches() -> Any:
            try:
                yield pa.record_batch({"size": [1.0] * 10})
                if self.fails():
                    raise ValueError("secret 777")
                yield pa.record_batch({"size": [2.0] * 10})
            finally:
                self.closed.append(1)

        return pa.RecordBatchReader.from_batches(pa.schema({"size": pa.float64()}), batches())


def test_a_stream_that_fails_in_the_middle_says_no_word_of_its_rows() -> None:
    ways: list[bool] = [False]
    with pdp.Session(schema=Farms, **GENEROUS) as session:
        farms = session.scan(Fails([], lambda: ways[0]))
        assert farms["size"].dp.sum()["sum"].item() == pytest.approx(30, abs=1e-6)
        ways[0] = True
        words = []
        for _ in range(2):
            with pytest.raises(errors.AnswerLost) as caught:
                farms["size"].dp.sum()
            words.append(str(caught.value))
            assert caught.value.__context__ is caught.value.__cause__ is None
        assert "secret" not in words[0]
        with pytest.raises(errors.NotProtected, match="failed as its rows were opened or counted") as refused:
            session.scan(Fails([], lambda: True))
        assert refused.value.__context__ is refused.value.__cause__ is None


def test_no_pandas_frame_is_opened_as_its_types_are_told_from_its_values(session: pdp.Session) -> None:
    with pytest.raises(errors.UnsupportedArgument, match="a function that gives a DataFrame"):
        session.scan(lambda: pd.DataFrame({"size": [1.0, "secret"]}))


def test_a_stream_that_can_be_read_once_is_protected_in_memory(session: pdp.Session, made: pa.Table) -> None:
    frame = session.protect(made.to_reader(), complete=["size"])
    assert list(frame.columns) == made.column_names
    with zero_noise():
        assert frame["size"].dp.sum()["sum"].item() == pytest.approx(made["size"].to_pandas().sum(), rel=1e-9)
