"""`map`: a function of the rows, batch by batch, of whose rows each counts once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.dataset as datasets
import pytest

import pandas_dp as pdp
from tests.refusals import refused


def rows_of(farms: Any) -> int:
    return int(farms.dp.groupby("crop").size()["size"].sum())


KEPT: dict[str, tuple[Callable[[pd.DataFrame], pd.DataFrame], Callable[[pd.DataFrame], pd.DataFrame]]] = {
    "repeated": (lambda d: pd.concat([d] * 3), lambda d: d),
    "interleaved": (lambda d: pd.concat([d, d]).sort_index(), lambda d: d),
    "some": (lambda d: d[d["size"] > 3], lambda d: d[d["size"] > 3]),
    "none": (lambda d: d[:0], lambda d: d[:0]),
    "in another order": (lambda d: d.sort_values("goats"), lambda d: d),
    "strangers": (
        lambda d: pd.concat([d, d.set_axis(pd.RangeIndex(10**6, 10**6 + len(d), name=d.index.name))]),
        lambda d: d,
    ),
    "floats": (lambda d: d.set_axis(d.index.astype(float)), lambda d: d),
}


@pytest.mark.parametrize("name", KEPT)
def test_each_row_counts_once_whatever_a_function_does(name: str, scanned: Any, table: pd.DataFrame) -> None:
    f, same = KEPT[name]
    found = scanned.map(f)
    assert rows_of(found) == len(same(table))
    assert found["size"].dp.sum()["sum"].item() == pytest.approx(same(table)["size"].sum(), abs=1e-3)


def test_the_first_of_several_rows_of_one_counts(scanned: Any, table: pd.DataFrame) -> None:
    found = scanned.map(lambda d: pd.concat([d.assign(size=d["size"] / 2), d]))
    assert found["size"].dp.sum()["sum"].item() == pytest.approx(table["size"].sum() / 2, abs=1e-3)


def test_columns_of_a_function_are_asked_and_compared(scanned: Any, table: pd.DataFrame) -> None:
    made = scanned[scanned["goats"] > 10].map(
        lambda d: pd.DataFrame({"per": d["size"] / d["goats"], "crop": d["crop"], "late": d["sown"].dt.year > 2024})
    )
    want = table[table["goats"] > 10]
    assert made.columns.tolist() == ["per", "crop", "late"]
    assert made["per"].dp.mean(bounds=(0, 1))["mean"].item() == pytest.approx(
        (want["size"] / want["goats"]).mean(), abs=1e-5
    )
    assert rows_of(made[made["late"] & (made["crop"] == "rice")]) == int(
        ((want["sown"].dt.year > 2024) & (want["crop"] == "rice")).sum()
    )


def test_a_function_that_gives_no_columns_leaves_none_to_ask(session: pdp.Session) -> None:
    farms = session.scan(datasets.dataset(pa.table({"size": [1.0, 2.0]})))
    assert farms.map(lambda rows: rows[[]]).columns.tolist() == []


def test_a_function_gets_the_rows_that_were_kept_and_dtypes_of_types(session: pdp.Session) -> None:
    seen: list[pd.DataFrame] = []
    schema = pa.schema(
        {"n": pa.int64(), "b": pa.bool_(), "t": pa.string(), "when": pa.timestamp("ms"), "l": pa.list_(pa.int8())}
    )
    rows = [
        {"n": 1, "b": True, "t": "a", "when": 0, "l": [1]},
        {"n": None, "b": None, "t": None, "when": None, "l": None},
    ]
    farms = session.scan(datasets.dataset(pa.Table.from_pylist(rows, schema)))
    made = farms[farms["b"].isna()].map(lambda d: (seen.append(d), d)[1])
    made["n"].dp.count()
    assert [str(d) for d in seen[0].dtypes] == [str(d) for d in seen[-1].dtypes]
    assert seen[-1].dtypes.astype(str).to_dict() == {
        "n": "float64",
        "b": "boolean",
        "t": "object",
        "when": "datetime64[ms]",
    }
    assert len(seen[-1]) == 1
    assert seen[-1].isna().all(axis=None)


LOST: dict[str, Callable[[pd.DataFrame], Any]] = {
    "raises": lambda d: d.assign(y=1 / 0) if len(d) else d,
    "loses the index": lambda d: d.reset_index(drop=True) if len(d) else d,
    "other columns": lambda d: d.assign(y=1.0) if len(d) else d,
    "no frame": lambda d: d["size"] if len(d) else d,
    "levels": lambda d: d.set_index("crop", append=True, drop=False) if len(d) else d,
    "leaves": lambda d: (_ for _ in ()).throw(KeyboardInterrupt) if False else d.loc[["x"]] if len(d) else d,
}


@pytest.mark.parametrize("name", LOST)
def test_a_function_that_fails_on_rows_loses_the_answer_without_words(
    name: str, scanned: Any, session: pdp.Session
) -> None:
    made, spent = scanned.map(LOST[name]), len(session.ledger)
    with refused(pdp.errors.AnswerLost, "test_a_function_that_fails_on_rows_loses_the_answer_without_words") as caught:
        made["size"].dp.mean()
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None
    assert len(session.ledger) == spent + 1
    scanned["size"].dp.mean()  # the files are as they were, and the table is asked on


REFUSED: dict[str, Any] = {
    "no function": 3,
    "fails on no rows": lambda d: d.assign(y=d["size"].iloc[0]),
    "loses the index": lambda d: d.reset_index(drop=True),
    "no frame": lambda d: d["size"],
    "two of a name": lambda d: pd.concat([d, d], axis=1),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_a_function_of_rows_must_be_is_told_before_it_is_paid(name: str, scanned: Any) -> None:
    with refused((pdp.errors.UnsupportedArgument, pdp.errors.NotRowwise)):
        scanned.map(REFUSED[name])


def test_a_function_is_not_called_by_two_threads_at_once(scanned: Any) -> None:
    inside: list[int] = []
    most: list[int] = []

    def f(d: pd.DataFrame) -> pd.DataFrame:
        inside.append(1)
        np.sort(np.arange(200_000)[::-1])
        most.append(len(inside))
        inside.pop()
        return d

    scanned.map(f)["size"].dp.sum()
    assert max(most) == 1
