"""Values read from rows: what is computed of them is read, too, and else they are as the plain ones."""

from __future__ import annotations

import copy
import datetime as dt
import json
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp.language.refusals import NUMBERS
from pandas_dp.recording.seen import Seen, find_seen, has_read, plain, seen, was_read

OF = "the mean of x"
TIMES = pd.Series(pd.date_range("2020", periods=3, freq="36h"))
LABELS = pd.Series(["a", "b", "a"])
PLAIN: dict[str, Any] = {
    "s": pd.Series([1.0, 2.0, 4.0]),
    "m": np.float64(2.25),
    "n": np.int64(3),
    "p": 3.5,
    "i": 4,
    "t": TIMES.max(),
    "u": TIMES.min(),
    "d": TIMES.max() - TIMES.min(),
    "D": dt.date(2020, 1, 4),
    "k": "b",
    "l": [1.0, 2.0],
    "z": (1, (2, 3)),
    "h": {"a": 1, "b": {"c": 2}},
    "a": np.array([1.0, 2.0]),
    "o": LABELS.unique(),
    "c": LABELS.astype("category").unique(),
    "x": LABELS.value_counts().index,
    "r": pd.RangeIndex(3),
    "q": pd.Index(TIMES),
    "e": TIMES.unique(),
}
READ = {name: value if name == "s" else seen(value, OF) for name, value in PLAIN.items()}
NAMES = {"np": np, "pd": pd, "dt": dt, "copy": copy, "LABELS": LABELS, "TIMES": TIMES}

STAY = """
m + 1 | 1 + m | m - 1 | 1 - m | m * 2 | 2 * m | m / 2 | 2 / m | m // 2 | 7 // m | m % 2 | 7 % m | m ** 2 | 2 ** m | -m
+m | abs(m) | round(m, 1) | round(m) | divmod(m, 2) | divmod(m, 2)[0] | m.round(1) | m.item() | m.astype(int)
m.clip(0, 1) | np.sqrt(m) | np.round(m, 1) | np.clip(m, 0, 1) | np.add(m, n) | m + n | n + m | n + 1 | 1 - n | n / 2
sum([m, m]) | max([m, 1.0]) | np.linspace(0, m, 3) | np.array([1.0, 2.0]) * m | m * np.array([1.0, 2.0])
np.arange(3) - n | p + 1 | p * p | i - 1 | i // 2 | np.float64(2) * m | t.year | t.date() | t.date().year
t.normalize() | t.floor("D") | t.round("D") | t.month_name() | t.strftime("%Y") | t.isoformat() | t.timestamp()
t.replace(year=2000) | pd.Timestamp(t) | pd.to_datetime(t) | t.to_pydatetime() | t - u | t + pd.Timedelta("1D")
pd.Timedelta("1D") + t | t - pd.Timestamp("2020") | pd.Timestamp("2021") - t | D.year
t.to_pydatetime() - dt.datetime(2020, 1, 1) | (t - u).days // 7 | D - dt.date(2020, 1, 1)
(D - dt.date(2019, 1, 1)).days | d.days | d.total_seconds() | d / 2 | d / pd.Timedelta("1D") | pd.Timedelta("1D") / d
2 * d | -d | d // pd.Timedelta("1h") | k.upper() | k + "_" | "_" + k | k[0] | k[:1] | k.split(",") | k.split(",")[0]
k * 2 | k.replace("a", "b") | [*k][0] | l[0] | l[:1] | [*l][0] | [v for v in l][0] | max(l) | sorted(l)[0] | l + [1]
(l + [1])[0] | l.copy() | l.index(1.0) | z[0] | z[1] | z[1][0] | [v for v in z][0] | h["a"] | h.get("a")
[*h.values()][0] | [*h.items()][0][1] | [*h][0] | [*h.keys()][0] | {**h}["a"] | h["b"]["c"] | list(zip(z, l))[0][1]
a[0] | a[:1] | a.mean() | a - 1 | 1 - a | a / a | a @ a | a.max() | np.sqrt(a) | np.mean(a) | np.sort(a)
np.unique(a) | np.unique(a, return_counts=True)[1][0] | np.histogram(a)[1] | np.percentile(a, 5)
np.where(a > 1, a, 0) | a.tolist() | a.tolist()[0] | [*a][0] | np.concatenate([a, a]) | a.T | a.astype(int) | a.dot(a)
a.reshape(-1) | a.std() | a.sum() | o[0] | o[:1] | [*o][0] | c[0] | [*c][0] | x[0] | x[:1] | x.max() | [*x][0]
x.tolist()[0] | r[0] | [*r][0] | r.max() | q[0] | q[0].year | q.max() | [*q][0] | e[0] | np.where(s > m, m, 0)
copy.copy(m) | copy.deepcopy(m) | copy.deepcopy(l) | copy.copy(t) | copy.deepcopy(h)
"""
BECOME_PLAIN = """
s - m | m - s | s > m | m < s | s * a[0] | s + n | np.add(s, m) | np.add(m, s) | s.clip(0, m) | s.isin([m])
s.isin(a) | s.isin(o) | s.fillna(m) | s[s > m] | s.between(0, m) | s.where(s > m, m) | s.map(h) | s.round(n)
s.head(n) | s.shift(n) | s.rolling(n).mean() | s.reindex(r) | s.loc[r] | pd.Series([m]) | pd.Series([t])
pd.Series(a) | pd.Series(x) | s.sub(m) | pd.cut(s, [0, m, 9]) | s.to_frame("x").assign(z=m)
s.to_frame("x").assign(z=t).z.dt.year | pd.date_range(u, t) | range(n) | pd.Series([1, 2], index=x)
pd.Series(a).rank() | pd.Series(a).groupby(a).sum() | pd.DataFrame({"x": a, "y": m}) | pd.Series(a).sort_values()
pd.Series(a).describe() | pd.concat([s, pd.Series(a)]) | float(m) | int(n) | bool(m) | str(m) | f"{m:.2f}" | f"{k}"
np.asarray([m]) | np.array(l) | m > 2 | k == "b" | t < u | pd.Series(a).astype(str) | s.quantile(p / 7)
"""
WITHIN = """
pd.Series([1, 2], x) | pd.Series([1, 2], x)["a"] | pd.Series([1, 2], x).loc[["b"]] | "a" in x | x.get_loc("b")
pd.DataFrame({"v": [1, 2]}, x).join(pd.DataFrame({"w": [3, 4]}, ["a", "c"]), how="outer")
pd.DataFrame([[1, 2]], columns=x)["a"] | pd.DataFrame([[1, 2]], columns=x)[["b"]] | x.get_indexer(["b", "c"])
pd.Series([1, 2], x).groupby(level=0).sum() | pd.Series([1, 2], x) + pd.Series([1, 2], ["b", "a"]) | x.union(x)
x.intersection(["a"]) | x.isin(["a"]) | x.append(x) | x.sort_values() | x.drop("a") | x.insert(0, "q")
x.map(str.upper) | pd.concat([pd.Series([1, 2], x), pd.Series([1], ["z"])])
pd.concat([pd.Series([1, 2], x), pd.Series([1, 2], x)], axis=1) | pd.Series([1, 2], x).reindex(["b", "c"])
pd.Series([1, 2], x).sort_index() | pd.Series([1, 2], x).to_frame().T | pd.Series([1, 2, 3], q)["2020-01-02":]
pd.Series([1, 2, 3], q).resample("D").sum() | q.year | q + pd.Timedelta("1D") | pd.Series([1, 2, 3], r).loc[1]
pd.Series([1, 2, 3], r).reset_index() | r.equals(pd.RangeIndex(3)) | r.union([7])
pd.merge(pd.DataFrame({"k": x}), pd.DataFrame({"k": ["a"], "w": [1]})) | pd.DataFrame({"k": x}).groupby("k").size()
pd.Series(o).str.upper() | pd.concat([pd.Series(o), LABELS]) | pd.Series(o) == "a" | pd.Series(o).map({"a": 1})
pd.Series(o) | pd.Series(o).sort_values() | pd.Series(o).value_counts() | pd.Series(o).fillna("?")
pd.DataFrame({"k": o}).groupby("k").size() | pd.merge(pd.DataFrame({"k": o}), pd.DataFrame({"k": LABELS}))
pd.Series(c).cat.codes | pd.Series(c).value_counts() | pd.concat([pd.Series(c), pd.Series(c)])
pd.Series(c).astype(object) | pd.Series(e).dt.year | pd.Series(e) - TIMES | pd.concat([pd.Series(e), TIMES])
pd.Series(e).max() | TIMES.isin(e) | LABELS.isin(o) | LABELS.isin(x) | pd.Series(e).diff() | pd.Index(o).union(x)
pd.Categorical(LABELS, categories=x) | pd.Categorical(LABELS, categories=o) | pd.CategoricalDtype(o)
"""
"""What pandas does with an index or an array inside."""


def statements(text: str) -> list[str]:
    return [each.strip() for line in text.strip().split("\n") for each in line.replace(" | ", "\0").split("\0")]


def done(statement: str, values: dict[str, Any]) -> Any:
    return eval(statement, NAMES | values)


def same(one: Any, other: Any) -> bool:
    if isinstance(one, pd.Series | pd.DataFrame | pd.Index):
        one, other = (each.to_series() if isinstance(each, pd.Index) else each for each in (one, other))
        return bool(one.to_csv() == other.to_csv())
    return bool(np.all(one == other))


@pytest.mark.parametrize("statement", statements(STAY))
def test_what_is_computed_of_it_was_read(statement: str) -> None:
    found = done(statement, READ)
    assert isinstance(found, Seen)
    assert found.of == OF
    assert same(plain(found), done(statement, PLAIN))


@pytest.mark.parametrize("statement", statements(BECOME_PLAIN))
def test_what_is_lost_is_what_it_would_be_of_plain_values(statement: str) -> None:
    found = done(statement, READ)
    assert not isinstance(found, Seen)
    assert same(found, done(statement, PLAIN))


@pytest.mark.parametrize("statement", statements(WITHIN))
def test_pandas_does_with_it_what_it_does_with_the_plain_one(statement: str) -> None:
    assert same(plain(done(statement, READ)), done(statement, PLAIN))


@pytest.mark.parametrize("name", sorted(PLAIN.keys() - {"s"}))
def test_it_prints_compares_and_is_hashed_and_pickled_as_the_plain_value(name: str) -> None:
    value, read = PLAIN[name], READ[name]
    assert isinstance(read, Seen)
    assert isinstance(read, float if name in "mp" else int if name in "ni" else type(value))
    assert (repr(read), str(read)) == (repr(value), str(value))
    assert same(read, value)
    for again in (pickle.loads(pickle.dumps(read)), plain(read)):
        assert type(again) is type(value)
        assert same(again, value)
    if getattr(value, "__hash__", None) is not None and name not in "zxrq":
        assert hash(read) == hash(value)


def test_json_has_the_plain_values() -> None:
    assert json.loads(json.dumps([READ[name] for name in "mnpklzh"])) == [
        2.25,
        3,
        3.5,
        "b",
        [1.0, 2.0],
        [1, [2, 3]],
        {"a": 1, "b": {"c": 2}},
    ]


def test_truths_and_what_is_missing_stay_as_they_are() -> None:
    assert seen(True, OF) is True
    assert seen(pd.NaT, OF) is pd.NaT
    assert seen(None, OF) is None
    assert type(seen(np.bool_(True), OF)) is np.bool_


def test_what_is_iterated_over_was_read() -> None:
    assert [each.of for each in seen(iter([1, 2]), OF)] == [OF, OF]


@pytest.mark.parametrize(
    "hidden",
    [
        lambda m: m,
        lambda m: [0, (1, m)],
        lambda m: {"a": {m}},
        lambda m: {m: 0},
        lambda m: slice(0, m),
        lambda m: np.array([m], object),
        lambda m: pd.Series([1]).rename_axis(str(m) and READ["k"]),
    ],
)
def test_it_is_found_in_an_argument(hidden: Callable[[Any], Any]) -> None:
    found = find_seen(hidden(READ["m"]))
    assert found is not None
    assert found.of == OF


def test_nothing_is_found_where_nothing_was_read() -> None:
    assert find_seen([0, (1, "a"), {"b": {2}}, slice(0, 1), np.array([1], object), pd.Series([1]), None]) is None


class Protected(pd.Series):
    """As protected columns are: a subclass that says itself what an operator gives."""

    def __sub__(self, other: Any) -> Any:
        return "column", type(other).__name__, other.of

    __rsub__ = __sub__  # type: ignore[assignment]

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        return "ufunc", [each.of for each in inputs if isinstance(each, Seen)]

    def __array_function__(self, *given: Any) -> Any:
        return "function"


@pytest.mark.parametrize("name", ["m", "n", "p", "i", "t", "d"])
def test_an_operator_is_the_protected_columns_own(name: str) -> None:
    column = Protected([1.0, 2.0])
    for found in (column - READ[name], READ[name] - column):
        assert found == ("column", type(READ[name]).__name__, OF)


def test_a_function_of_numpy_is_the_protected_columns_own() -> None:
    column = Protected([1.0, 2.0])
    assert np.subtract(READ["m"], column) == np.subtract(column, READ["m"]) == ("ufunc", [OF])
    assert READ["a"] - column == ("column", "ndarray", OF)
    assert np.subtract(READ["a"], column) == ("ufunc", [OF])
    assert np.where(column, READ["m"], READ["a"]) == "function"


FRAME = pd.DataFrame({"x": [1.0, 2.0, 3.0, 6.0] * 250, "k": ["a", "b"] * 500})


@pytest.mark.parametrize("statistic", sorted(NUMBERS))
def test_the_remedy_for_a_value_in_an_expression_can_be_written(statistic: str) -> None:
    said = was_read(seen(2.0, f"the {statistic} of x"))
    release = said.split("Release it, ")[1].split(", and write")[0]
    given = "" if statistic == "count" else "bounds=(0, 10), "
    asked = release.replace("(...)", f"({'.5, ' if statistic == 'quantile' else ''}{given}epsilon=1e6)")
    names: dict[str, Any] = {"df": pdp.Session(epsilon=1e9).protect(FRAME)}
    exec(asked, names)
    assert isinstance(names["m"], int | float)


def test_what_a_refusal_says() -> None:
    mean = seen(3.0, "the mean of x")
    assert was_read(mean) == (
        'the mean of x was read from the rows. Release it, m = df["x"].dp.mean(...)["mean"].item(), and write m in '
        "its place."
    )
    assert str(has_read(seen(9.0, "the max of x"), "bounds", "x", "mean")) == (
        "bounds= has the max of x, which was read from the rows; bounds are what anybody knows beforehand, or "
        'df["x"].dp.mean(bounds="private").'
    )
    assert "released" in was_read(seen("a", "a label of k"))
