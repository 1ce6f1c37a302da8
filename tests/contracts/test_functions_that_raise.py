"""Whatever a function of the analyst's raises on rows, of whichever class, no word and no context of it leaves."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import dask
import dask.dataframe as dd
import pandas as pd
import pyarrow as pa
import pyarrow.dataset as ds
import pytest
from pandera.pandas import DataFrameModel

import pandas_dp as pdp
from pandas_dp.core.protect.session_lookup import withheld

SECRET = 48_151.623
Asked = Callable[[pdp.Session, Callable[[], Any]], Any]


class Odd(BaseException):
    """No Exception, as those of trio and of pytest are."""


class Refusing(pdp.errors.UnsupportedArgument):
    """As the library's own."""


class Table(DataFrameModel):
    x: float


RAISED = (SystemExit, GeneratorExit, KeyboardInterrupt, Odd, Refusing, ValueError, MemoryError)
TABLE = pd.DataFrame({"x": [1.0, 2.0, SECRET, 4.0] * 5, "who": list("abcd") * 5})


def _rows(raises: Callable[[], Any]) -> Callable[[pd.DataFrame], pd.DataFrame]:
    def f(rows: pd.DataFrame) -> pd.DataFrame:
        if (rows["x"] == SECRET).any():
            raises()
        return rows

    return f


def mapped(session: pdp.Session, raises: Callable[[], Any]) -> Any:
    table = session.scan(ds.dataset(pa.Table.from_pandas(TABLE)))
    return table.map(_rows(raises))["x"].dp.mean(bounds=(0, 5))


def opened(session: pdp.Session, raises: Callable[[], Any]) -> Any:
    """Rows are opened anew for each question; the types alone are read before."""
    table, times = pa.Table.from_pandas(TABLE), list[None]()

    def batches() -> Iterator[pa.RecordBatch]:
        if len(times) > 1:
            raises()
        yield from table.to_batches()

    def reader() -> pa.RecordBatchReader:
        times.append(None)
        return pa.RecordBatchReader.from_batches(table.schema, batches())

    return session.scan(reader, rows=len(TABLE))["x"].dp.mean(bounds=(0, 5))


def of_dask(scheduler: str) -> Asked:
    def asked(session: pdp.Session, raises: Callable[[], Any]) -> Any:
        with dask.config.set(scheduler=scheduler):
            ddf = session.protect(dd.from_pandas(TABLE, npartitions=2))
            return ddf.map(_rows(raises))["x"].dp.mean(bounds=(0, 5))

    return asked


def of_a_value(session: pdp.Session, raises: Callable[[], Any]) -> Any:
    """What a row holds is an object with a will of its own."""

    class Value:
        def __hash__(self) -> int:
            return raises()

    data = pd.DataFrame({"k": ["a", "b", Value(), "a"]}, dtype=object)
    return session.protect(data)["k"].dp.value_counts(categories=["a", "b"])


ASKED: dict[str, Asked] = {
    "map": mapped,
    "an opener": opened,
    "dask here": of_dask("synchronous"),
    "dask in threads": of_dask("threads"),
    "a value": of_a_value,
}
HERE = ("dask here", "a value")  # in the main thread, where it may be whoever sits there


def _raising(kind: type[BaseException]) -> Callable[[], Any]:
    def raises() -> Any:
        try:
            float(f"no number: {SECRET}")
        except ValueError:
            raise kind(SECRET)  # noqa: B904 - with its context, which says the value, too

    return raises


@pytest.mark.parametrize("name", ASKED)
@pytest.mark.parametrize("kind", RAISED)
def test_what_a_function_raises_on_rows_stays_inside(
    kind: type[BaseException], name: str, capfd: pytest.CaptureFixture[str]
) -> None:
    """A custom exception, an exit and an interrupt are lost answers as all others are, and the charge stands."""
    with pdp.Session(epsilon=1, schema=Table) as session:
        caught = None
        try:
            ASKED[name](session, _raising(kind))
        except BaseException as error:  # noqa: BLE001 - which one is what is asked
            caught = error
        assert len(session.ledger) == 1, "it was paid"
    interrupted = kind is KeyboardInterrupt and name in HERE
    if name == "a value" and not interrupted:
        assert caught is None, "a value that is none of those that were declared counts for nothing"
    else:
        assert type(caught) is (KeyboardInterrupt if interrupted else pdp.errors.AnswerLost)
        assert caught.__cause__ is caught.__context__ is None
        assert str(SECRET) not in f"{caught!r}{vars(caught)}"
    assert str(SECRET) not in "".join(capfd.readouterr())


@pytest.mark.parametrize("kind", [kind for kind in RAISED if kind is not Refusing])
def test_what_reads_rows_before_anything_is_paid_says_no_word_either(kind: type[BaseException]) -> None:
    with pdp.Session(epsilon=1) as session, pytest.raises(BaseException) as caught:  # noqa: PT011 - which one is asked
        withheld(session._core, _raising(kind), "could not be read; nothing is paid.")
    requested = KeyboardInterrupt if kind is KeyboardInterrupt else pdp.errors.NotProtected
    assert caught.type is requested
    assert caught.value.__cause__ is caught.value.__context__ is None
    assert str(SECRET) not in str(caught.value)


@pytest.mark.parametrize("kind", RAISED)
def test_a_function_of_a_person_that_raises_says_no_word(kind: type[BaseException]) -> None:
    raises = _raising(kind)

    def f(rows: pd.DataFrame) -> float:
        if (rows["x"] == SECRET).any():
            raises()
        return 1.0

    with pdp.Session(epsilon=1, unit="who", schema=Table) as session:
        frame = session.protect(TABLE)
        caught = None
        try:
            made = session.derive(f, frame, each="person")
        except BaseException as error:  # noqa: BLE001 - which one is what is asked
            caught = error
    if kind is KeyboardInterrupt:
        assert type(caught) is KeyboardInterrupt
        assert caught.args == ()
        assert caught.__cause__ is caught.__context__ is None
    else:
        assert caught is None
        assert len(made) == 3
