"""Programs by which values of rows once left without being seen: each raises what was read, or is refused."""

from __future__ import annotations

import contextlib
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pandas_dp as pdp
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
}


@pytest.mark.parametrize("name", ATTACKS)
def test_no_value_of_a_row_leaves_unseen(name: str) -> None:
    session = pdp.Session(epsilon=1)
    d = session.protect(table())
    with warnings.catch_warnings(), contextlib.suppress(Exception):
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
