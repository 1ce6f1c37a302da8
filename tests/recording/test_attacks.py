"""Programs by which values of rows once left without being seen: each raises what was read, or is refused."""

from __future__ import annotations

import builtins
import contextlib
import decimal
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pandera.pandas as pa
import pytest

import pandas_dp as pdp
from pandas_dp import pandas as ours
from pandas_dp.errors import NotFollowed

from .running import table

ROWS: list[Any] = []


class Spy:
    """An object whose methods are handed what stands beside it."""

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, value: Any = None) -> None:
        ROWS.append(value)

    def __call__(self, value: Any) -> Any:
        ROWS.append(value)
        return value

    def __eq__(self, other: object) -> bool:
        ROWS.append(other)
        return False

    def __radd__(self, other: Any) -> Any:
        ROWS.append(other)
        return 0.0

    def __getitem__(self, key: Any) -> Any:
        ROWS.append(key)
        raise LookupError


class Uncounted(Spy):
    """One that says it is none of numpy's."""

    __array_ufunc__ = None


class Lookup(dict[Any, Any]):
    """A dict that hears of each key that it lacks."""

    def __missing__(self, key: Any) -> Any:
        ROWS.append(key)
        return 0


class Same(str):
    """A text that hears what it is compared with."""

    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        ROWS.append(other)
        return False


@pd.api.extensions.register_series_accessor("heard")
class Heard:
    """What pandas makes of a column by its name."""

    def __init__(self, column: Any) -> None:
        self.column = column

    def __call__(self) -> Any:
        ROWS.append(self.column)
        return self.column


def _written_by_a_query(d: Any) -> Any:
    room: set[Any] = set()
    return d.query("y == @room.update(y)"), room


def _overlapping(d: Any) -> Any:
    return pd.concat([d[d.y > 0], d[d.y > 1]], verify_integrity=True)


def _written(d: Any) -> Any:
    room = pd.Series(np.zeros(60))
    np.add(d.y, 0, out=room)
    return room.max()


def _through_a_generator(d: Any) -> Any:
    def given() -> Any:
        ROWS.extend(pd.Series.tolist(d.y))
        yield d.y

    return pd.concat(given())


def _interrupting(v: Any) -> Any:
    raise KeyboardInterrupt


ATTACKS: dict[str, Any] = {
    "rows as a key": lambda d: d[d.k],
    "rows as names": lambda d: d.drop(columns=d.k),
    "a row that is not there": lambda d: d.set_index("k").drop("zz"),
    "a row number": lambda d: d[d.y > 2].drop(index=3),
    "concat with a plain column first": lambda d: float(pd.concat([pd.Series([1.0]), d.y]).max()),
    "concat that checks": _overlapping,
    "what numpy writes into": _written,
    "a method behind a method": lambda d: d.k.str.upper.__wrapped__(),
    "a class": lambda d: d.y.map(Spy),
    "an object": lambda d: d.y.map(Uncounted()),
    "a function of numpy's kind": lambda d: np.frompyfunc(ROWS.append, 1, 1)(d.y),
    "an object in a query": lambda d: d.query("@spy(y)", local_dict={"spy": Spy()}),
    "names of rows": lambda d: d.set_index("y").rename(index=lambda v: ROWS.append(v) or v),
    "a lookup that hears": lambda d: d.k.map(Lookup()),
    "an object beside": lambda d: d.y + Spy(),
    "an array of objects": lambda d: d.y + np.array([Spy()] * 60, dtype=object),
    "a text that hears": lambda d: d.k.isin([Same("a")]),
    "a table of letters": lambda d: d.k.str.translate(Spy()),
    "a generator": _through_a_generator,
    "what a row is called": lambda d: d.set_index("k").iloc[0].name,
    "whether one row is left": lambda d: d[d.y > 4].squeeze(),
    "how many rows have a name": lambda d: d.set_index("k").loc["a"],
    "a function under a name": lambda d: d.groupby("k").agg(z=pd.NamedAgg("y", Spy())),
    "a function in numpy's clothes": lambda d: d.y.transform(np.vectorize(Spy())),
    "a function of pivot_table": lambda d: ours.pivot_table(d, values="y", index="k", aggfunc=lambda v: Spy(v) and 0),
    "a set that hears": lambda d: d.k.isin({Same("a")}),
    "keys that hear": lambda d: d.k.isin({Same("a"): 1}.keys()),
    "an index that hears": lambda d: d.k.map(pd.Series([1], pd.Index([Same("a")], dtype=object))),
    "categories that hear": lambda d: d.k.astype(pd.CategoricalDtype(pd.Index([Same("a")], dtype=object))),
    "a masked array that hears": lambda d: d.k.isin(np.ma.array([Same("a")], dtype=object)),
    "numpy's isin": lambda d: np.isin(d.k, [Same("a")]),
    "a name that hears": lambda d: d.set_index("k").loc[[Same("a")]],
    "Categorical that hears": lambda d: ours.Categorical(d.k, categories=[Same("a")]),
    "a query that writes": _written_by_a_query,
    "names of columns that are values": lambda d: d.set_index("k").T.rename(columns=lambda name: ROWS.append(name)),
    "an accessor by its name": lambda d: d.y.agg("heard"),
    "a function that interrupts": lambda d: d.y.map(_interrupting),
}


@pytest.mark.parametrize("name", ATTACKS)
def test_no_value_of_a_row_leaves_unseen(name: str) -> None:
    session = pdp.Session(epsilon=1)
    d = session.protect(table())
    with warnings.catch_warnings(), contextlib.suppress(Exception, KeyboardInterrupt):
        warnings.simplefilter("ignore")
        ATTACKS[name](d)
    assert name == "a method behind a method" or session._core.tables.read == "values"


def test_a_method_leads_to_no_plain_one() -> None:
    d = pdp.Session(epsilon=1).protect(table())
    for method in (d.k.str.upper, d.t.dt.strftime, d.groupby("k").y.mean):
        assert not hasattr(method, "__wrapped__")


def test_numpy_warns_of_no_row() -> None:
    d = pdp.Session(epsilon=1).protect(table())
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        np.log(d.y), d.y / d.n, np.sqrt(d.x)
    assert heard == []


def test_what_is_written_into_an_array_reaches_no_row() -> None:
    session = pdp.Session(epsilon=1e9)
    d = session.protect(table())
    for array in (np.asarray(d.y), d.y.to_numpy(), d.y.values, d.to_numpy()):
        array.setflags(write=True)
        array[:] = 0
    assert d.y.dp.sum(bounds=(-5, 9), epsilon=1e6)["sum"].item() == pytest.approx(table()["y"].sum(), abs=0.01)


def test_functions_of_numpy_that_lose_the_name_are_answered() -> None:
    d = pdp.Session(epsilon=1e9).protect(table())
    for found in (np.digitize(d.y, [0, 1]), np.searchsorted([0, 1], d.y), np.interp(d.y, [0, 1], [5, 6])):  # type: ignore[call-overload]
        assert np.isfinite(found.dp.sum(bounds=(0, 9), epsilon=1e4)["sum"].item())


def test_conditions_of_numbers_are_those_of_numpy() -> None:
    d, raw = pdp.Session(epsilon=1e9).protect(table()), table()
    for made, plain in (
        (np.logical_not(d.y), np.logical_not(raw["y"])),
        (np.logical_and(d.n, d.y), np.logical_and(raw["n"], raw["y"])),
    ):
        assert made.dp.share(epsilon=1e6)["share"].item() == pytest.approx(plain.mean(), abs=1e-3)


def test_functions_that_import_what_can_be_written_into_are_not_followed() -> None:
    def by_another_name(v: Any) -> Any:

        math.zz = v
        return v

    def in_a_list(v: Any) -> Any:
        import calendar

        calendar.mdays.append(v)
        return len(calendar.mdays)

    import math

    d = pdp.Session(epsilon=1).protect(table())
    for f in (by_another_name, in_a_list):
        with pytest.raises(NotFollowed, match="keeps state"):
            d._dp_made["y"].map(f)


class Labels(pa.DataFrameModel):
    k: str = pa.Field(isin=["a", "ab", "b", "ba", "new"], nullable=True)
    n: int


def _heard(text: str, other: str = "new", n: int = 99) -> list[Any]:
    """What a program is told, on a table and on one that differs in one row, each with what it had read by then."""
    found = []
    for label, number in (("a", 3), (other, n)):
        session = pdp.Session(epsilon=1, schema=Labels)
        d = session.protect(table()[["k", "n"]].assign(k=[label, *table().k[1:]], n=[number, *table().n[1:]]))
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            try:
                said = eval(text, {"d": d, "ours": ours, "pd": pd})
            except (KeyError, NotFollowed) as error:
                said = type(error)
        found.append((session._core.tables.read, str(said), list(map(str, heard))))
    return found


@pytest.mark.parametrize(
    "text",
    [
        "d.k.astype('category').dtype.categories.tolist()",
        "d.n.dtype",
        "d[d.n > 50].k.str.partition('e').dp.made",
        "d.n.where(d.n < 50).dtype",
        "ours.get_dummies(d.k).dp.made",
        "d.k.str.split('w', n=1, expand=True).dp.made",
        "d[d.n > 50].assign(m=1.0).cov(numeric_only=True) is None",
        "dir(d.pivot(columns='k', values='n').groupby(level=0))",
    ],
)
def test_nothing_that_a_program_is_told_follows_from_rows_unless_it_counts_as_read(text: str) -> None:
    once, now = _heard(text)
    assert once == now or {once[0], now[0]} == {"values"}


def test_columns_of_a_kind_are_those_that_are_declared_so() -> None:
    d = pdp.Session(epsilon=1, schema=Labels).protect(table()[["k", "n"]].astype({"n": object}))
    assert list(d.select_dtypes("number")) == ["n"]


def test_what_numpy_writes_into_a_column_is_its_answer() -> None:
    d = pdp.Session(epsilon=1e9).protect(table())
    column = d.y.copy()
    np.add(column, 1, out=column)
    assert column.dp.made == "y: y + 1"
    some = d.y.copy()
    np.add.at(some, [0], 5)
    with pytest.raises(NotFollowed):
        some.dp.sum(bounds=(-9, 9), epsilon=1)
    total = column.dp.sum(bounds=(-9, 9), epsilon=1e6)["sum"].item()
    assert total == pytest.approx((table()["y"] + 1).sum(), abs=0.01)
    assert d.y.dp.sum(bounds=(-9, 9), epsilon=1e6)["sum"].item() == pytest.approx(table()["y"].sum(), abs=0.01)


def test_texts_are_padded() -> None:
    d = pdp.Session(epsilon=1e9).protect(table())
    assert d.k.str.pad(9).str.len().dp.max(bounds=(0, 20), epsilon=1e6)["max"].item() == pytest.approx(9, abs=0.1)


def test_a_row_that_is_not_there_is_read_also_where_columns_are_dropped() -> None:
    assert _heard("d.set_index('k').drop(index='zz', columns='n')")[0][0] == "values"


def test_columns_that_no_row_has_are_shown_and_asked() -> None:
    d = pdp.Session(epsilon=1e9).protect(table())
    parts = d.k.str.split("w", n=1, expand=True)
    assert list(parts) == [0, 1]
    assert parts[0].dp.value_counts(categories=["a"], epsilon=1e4)["count"].item() == 19
    made = ours.get_dummies(d.k.astype(pd.CategoricalDtype(["a", "new"])))
    assert made.dtypes.tolist() == [bool, bool]
    assert made["new"].dp.share(epsilon=1e6)["share"].item() == pytest.approx(0, abs=1e-3)


def test_what_functions_say_nobody_hears(capsys: pytest.CaptureFixture[str]) -> None:
    d = pdp.Session(epsilon=1).protect(table())
    decimal.getcontext().clear_flags()
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        made = d.y.map(lambda v: print(v) or np.mean([]) + float(decimal.Decimal(1) / 3))  # type: ignore[func-returns-value]
        d.apply(lambda row: print(row.y), axis=1)
    assert made.dp.made.startswith("y: ")
    assert capsys.readouterr() == ("", "")
    assert heard == []
    assert not decimal.getcontext().flags[decimal.Inexact]


def test_no_function_reaches_what_python_has_for_everybody() -> None:
    d = pdp.Session(epsilon=1).protect(table())
    for f in (lambda v: builtins.vars(v), lambda v: pd.api.extensions.register_series_accessor(v)(Heard)):
        with pytest.raises(NotFollowed, match="keeps state"):
            d._dp_made["y"].map(f)


def test_a_function_that_is_handed_rows_as_it_stands_reads_them() -> None:
    session = pdp.Session(epsilon=1e9, schema=Labels, unit="n")
    session.derive(lambda rows: {"many": ROWS.append(rows) or 1.0}, session.protect(table()[["k", "n"]]), each="person")
    assert session._core.tables.read == "values"
    session = pdp.Session(epsilon=1e9)
    blocks = session.protect(table()[["y"]]).dp.blocks(5, bounds=(0, 9))
    found = blocks.apply(lambda rows: ROWS.append(rows) or 1.0, bounds=(0, 2), isolate=False)
    assert found.mean(epsilon=1).attrs["dp"]["read"] == "values"
