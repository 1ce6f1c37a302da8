"""A function called on each person by herself: by construction nobody else's rows matter, whatever it does."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp import errors
from tests.contracts.questions import Hostile
from tests.refusals import refused

from .rows import Visits, visits


def each(f: Any, data: pd.DataFrame | None = None) -> tuple[pdp.Session, pd.DataFrame, pd.DataFrame]:
    session = pdp.Session(epsilon=10**9, schema=Visits, unit="pid")
    frame = session.protect(visits() if data is None else data)
    return session, frame, session.derive(f, frame, each="person")


def test_what_f_gives_of_each_person_is_a_table_of_people_that_can_be_asked() -> None:
    _, frame, made = each(lambda rows: {"total": rows.n.sum(), "latest": rows.sort_values("t").k.iloc[-1]})
    expected = pd.DataFrame(frame).groupby("pid")["n"].sum()
    assert made["total"].to_dict() == expected.to_dict()
    assert made.index.name == "pid"
    mean = made["total"].dp.mean(bounds=(0, 500), epsilon=10**6)["mean"].item()
    assert mean == pytest.approx(expected.mean(), abs=0.01)
    assert made.dp.value_counts(subset=["latest"], categories=["a", "b", "c"], epsilon=1).shape == (3, 1)


def test_even_what_mixes_its_rows_mixes_nobody_elses() -> None:
    """One person's rows changed: all others' answers are the same to the bit."""

    def f(rows: pd.DataFrame) -> pd.DataFrame:
        return rows.assign(z=(rows.x - rows.x.mean()) / rows.x.std(), r=rows.x.rank())[["z", "r"]]

    data = visits(200)
    changed = data.assign(x=data["x"].where(data["pid"] != 4, 99.0), n=data["n"].where(data["pid"] != 4, 0))
    people = []
    for table in (data, changed, data[data["pid"] != 4]):
        session = pdp.Session(epsilon=1, schema=Visits, unit="pid")
        frame = session.protect(table)
        made = session.derive(f, frame, each="person")
        whose = dict(zip(frame["pid"], table["pid"], strict=True))
        people.append({whose[name]: rows.to_numpy().tobytes() for name, rows in made.groupby(level=0)})
    for person in set(range(9)) - {4}:
        assert people[0][person] == people[1][person] == people[2][person]


def test_columns_and_dtypes_are_those_of_made_up_people_whoever_there_is() -> None:
    made = []
    for data in (visits(), visits().assign(k="a"), visits().assign(k="zzz", x=np.nan, s=None), visits(0)):
        _, _, table = each(lambda rows: pd.get_dummies(rows.k), data)
        made.append((table.columns.tolist(), table.dtypes.astype(str).tolist(), table.index.name))
    assert made.count(made[0]) == 4
    assert set(made[0][0]) == {"a", "b", "c"}


def test_values_and_dtypes_that_f_sees_do_not_depend_on_other_people() -> None:
    """One odd value makes a column one of objects, or floats of whole numbers; here each column is as declared."""
    seen: dict[str, list[Any]] = {}

    def f(rows: pd.DataFrame) -> dict[str, Any]:
        seen.setdefault(name, []).append((rows.dtypes.astype(str).tolist(), rows.n.tolist(), rows.k.tolist()))
        return {"n": rows.n.sum()}

    for name, data in {"plain": visits(), "odd": visits().astype(object)}.items():
        odd = pd.concat(
            [data, pd.DataFrame({"pid": [77], "x": ["text"], "n": [None], "k": [3], "t": ["no"], "s": [1]})]
        )
        each(f, data if name == "plain" else odd.astype({"pid": "int64"}))
    plain = {str(values) for dtypes, *values in seen["plain"]}
    assert plain <= {str(values) for dtypes, *values in seen["odd"]}
    assert len({str(dtypes) for found in seen.values() for dtypes, *_ in found}) == 1


class Odd(BaseException):
    """No Exception, as those of trio and of pytest are."""


def test_who_makes_f_fail_has_no_rows_and_nobody_hears_of_it(capsys: pytest.CaptureFixture[str]) -> None:
    def f(rows: pd.DataFrame) -> Any:
        print(rows)
        print(rows, file=sys.stderr)
        most = rows.n.max()
        if most > 18:
            raise {20: SystemExit, 19: Odd}.get(most, ValueError)("secret")
        return None if most == 18 else "text" if most == 17 else most

    data = visits(60)
    most = data.groupby("pid")["n"].max()
    _, _, made = each(f, data)
    assert sorted(made["value"]) == sorted(most[most < 17])
    assert capsys.readouterr() == ("", "")


def test_what_a_person_lacks_is_missing_and_what_she_has_beyond_is_dropped() -> None:
    def f(rows: pd.DataFrame) -> dict[str, Any]:
        rare = {"rare": 1} if len(rows) > 6 else {}  # made-up people have fewer rows
        return {"n": rows.n.max(), **rare} if rows.k.iloc[0] != "c" else {"s": "c"}

    _, frame, made = each(f, visits(300))
    assert sorted(made.columns) == ["n", "s"]
    assert made["n"].dtype == np.float64
    assert made["s"].dropna().eq("c").all()
    assert len(made) == frame["pid"].nunique()


def test_several_rows_of_a_person_stay_hers() -> None:
    _, frame, made = each(lambda rows: rows[rows.n > 10][["n", "t"]])
    assert made.groupby(level=0).size().to_dict() == frame[frame["n"] > 10].groupby("pid").size().to_dict()


def test_whatever_odd_objects_f_gives_on_real_rows_nothing_raises() -> None:
    odd: list[Any] = [
        pd.DataFrame({"n": [[1, 2], [3, 4]], "s": [{}, Hostile()]}),
        {"n": Hostile(), "s": [1, 2]},
        {"n": 10**400, "s": np.zeros(3)},
        pd.DataFrame({"n": pd.arrays.SparseArray([1.0, np.nan]), "s": pd.period_range("2020", periods=2)}),
        pd.DataFrame({"n": [1 + 2j], "s": [b"x"]}),
        pd.DataFrame([[1, 2]], columns=["n", "n"]),
        pd.DataFrame([[1, 2]], columns=pd.interval_range(0, 2)),
        pd.Series({"n": "text", 5: 6}),
        pd.DataFrame(),
        np.zeros((2, 2)),
    ]
    calls = iter(odd)

    def f(rows: pd.DataFrame) -> Any:
        made_up = len(rows) < 6
        return {"n": 1, "s": "a"} if made_up else next(calls, None)

    _, _, made = each(f, visits(100).assign(pid=np.arange(100) // 10))
    assert made["n"].dtype == np.float64
    assert made["s"].dtype == object
    assert made["n"].dropna().isin([1.0, np.inf]).all()


def test_f_that_gives_no_table_of_anybody_is_refused() -> None:
    session = pdp.Session(epsilon=1, schema=Visits, unit="pid")
    frame = session.protect(visits())
    for name, f in {"raises": lambda rows: rows.nowhere, "nonsense": lambda rows: [1, 2]}.items():
        with refused(errors.NotRowwise, name):
            session.derive(f, frame, each="person")


def test_empty_tables_and_constant_ones_give_tables() -> None:
    for data in (visits(0), visits(5).assign(pid=3), visits(5).assign(pid=pd.array([pd.NA] * 5, dtype="Int64"))):
        _, _, made = each(lambda rows: rows.n.sum(), data)
        assert made.columns.tolist() == ["value"]


def test_what_f_says_of_whose_a_row_is_is_not_heard() -> None:
    _, frame, made = each(lambda rows: rows.assign(pid=7)[["pid", "n"]])
    assert made.columns.tolist() == ["n"]
    assert set(made.index) == set(frame["pid"])
    with refused(errors.NotRowwise):
        each(lambda rows: {"pid": 7})
