"""Each derivation that known-limits.md calls covered, or not, is run over neighbours and behaves as the page says."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pandas_dp as pdp

pytest.importorskip("pyarrow")
pytestmark = pytest.mark.filterwarnings("ignore")

PAGE = Path(__file__).parents[2] / "docs" / "known-limits.md"
Derive = Callable[[pd.DataFrame], Any]
LAST = 7  # the row that differs
BIG = 2**53 + 1

TABLE = {
    "x": [0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5],
    "y": [1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0, 5.0],
    "n": [1, 2, 3, 4, 5, 6, 7, 8],
    "k": ["a", "b", "a", "b", "a", "b", "a", "b"],
    "t": pd.to_datetime([f"2020-01-0{i}" for i in range(1, 9)]),
    "big": [BIG, BIG + 2, 3, 4, 5, 6, 7, 8],
}
PUBLIC = pd.DataFrame({"score": [1.0, 2.0]}, index=["a", "b"])


def lines(heading: str) -> list[str]:
    """The first cell of each line of the table that follows."""
    text = PAGE.read_text(encoding="utf-8")
    table = text[text.index(heading) :].partition("\n|")[2].split("\n\n")[0]
    return [line.split(" | ")[0].removeprefix("| ") for line in ("|" + table).splitlines()[2:]]


COVERED, NOT_COVERED = lines("These **are covered**"), lines("## Derivations that look at other rows\n\nA derived")


def named(cells: list[str]) -> list[str]:
    return [span for cell in cells for span in re.findall(r"`([^`]+)`", cell)]


def column(values: list[Any], dtype: Any = None) -> pd.DataFrame:
    return pd.DataFrame({"v": pd.Series(values, dtype=dtype)})


def outcome(derive: Derive, table: pd.DataFrame) -> Any:
    """What it raises; or the columns, and by row id what the first such row holds, and whether ids were kept."""
    frame = pdp.Session(epsilon=1).protect(table)
    try:
        found = derive(frame)
    except Exception as error:  # noqa: BLE001 - that it raises is what the page says
        return type(error)
    if isinstance(found, pd.Series):
        found = found.to_frame("v")
    if not isinstance(found, pd.DataFrame):
        return found
    rows: dict[Any, list[Any]] = {}
    for i, each in enumerate(found.index):
        rows.setdefault(each, found.iloc[i].astype(object).tolist())
    return list(map(str, found.columns)), found.index.name == frame.index.name, rows


def shows(derive: Derive, table: pd.DataFrame, other: pd.DataFrame, changed: int = LAST) -> bool:
    """Whether anything but the changed row differs between neighbours."""
    one, two = outcome(derive, table), outcome(derive, other)
    if not isinstance(one, tuple) or not isinstance(two, tuple):
        return bool(str(one) != str(two))
    rows, others = ({each: row for each, row in found[2].items() if each != changed} for found in (one, two))
    return one[:2] != two[:2] or rows.keys() != others.keys() or not all(map(alike, rows.values(), others.values()))


def alike(row: list[Any], other: list[Any]) -> bool:
    return all(
        one == two or (pd.api.types.is_scalar(one) and pd.isna(one) and pd.api.types.is_scalar(two) and pd.isna(two))
        for one, two in zip(row, other, strict=True)
    )


def changed(**values: Any) -> pd.DataFrame:
    """The table, with other values in the last row."""
    return pd.DataFrame({name: [*list(held)[:-1], values.get(name, list(held)[-1])] for name, held in TABLE.items()})


def last(values: list[Any], odd: Any, dtype: Any = None) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Eight rows of a column, and the same with an odd one in the last."""
    held = (values * 8)[:8]
    return column(held, dtype), column([*held[:-1], odd], dtype)


BASE = changed()
AWAY = changed(x=-100.0, y=-50.0, n=-3, k="c", t=pd.Timestamp("2031-01-01"))
INTO_FLOATS = last([BIG, 2], -1)

TEXT_TIMES = last(["2020-02-01"], "2020-02-01 00:00:00.123456789+01:00")
FAR = last(["1500-01-01 00:00:00.1"], "2020-01-01 00:00:00.123456789")


TWO = pd.CategoricalDtype(["a", "b"])


def root_of(frame: pd.DataFrame) -> pd.Series:
    return frame.v.map(lambda v: v**0.5)


def divided(value: Any, by: Any) -> Any:
    try:
        return value / by
    except (TypeError, ZeroDivisionError):
        return None


NOT: dict[str, list[tuple[Derive, pd.DataFrame, pd.DataFrame]]] = {}
ON_TABLE: dict[str, Derive] = {
    "d.x - d.x.mean()": lambda d: d.x - d.x.mean(),
    "rank": lambda d: d.x.rank(),
    "cumsum": lambda d: d.x[::-1].cumsum(),
    "shift": lambda d: d.x.shift(-1),
    "diff": lambda d: d.x.diff(-1),
    "rolling": lambda d: d.x[::-1].rolling(2).mean(),
    "interpolate": lambda d: d.x.where(d.n != 7).interpolate(),
    "fillna(d.x.mean())": lambda d: d.x.where(d.n != 7).fillna(d.x.mean()),
    "ffill": lambda d: d.x.where(d.n != 7)[::-1].ffill(),
    "groupby(...).transform": lambda d: d.groupby("k")["x"].transform("sum"),
    "pct_change": lambda d: d.x[::-1].pct_change(),
    "qcut": lambda d: pd.qcut(d.x, 2),
    "pd.cut(x, bins=5)": lambda d: pd.cut(d.x, bins=5),
    "get_dummies": lambda d: pd.get_dummies(d.k),
    "unstack": lambda d: d.set_index("k", append=True)["x"].unstack(),  # noqa: PD010 - which is the case
    "select_dtypes": lambda d: d.assign(v=d.n.map(lambda n: n if n > 0 else "x")).select_dtypes("number"),
    "dropna(axis=1)": lambda d: d.where(d.x > -1).dropna(axis=1),
    "x.cat.categories": lambda d: list(d.k.astype("category").cat.categories),
    "drop_duplicates": lambda d: d[::-1].drop_duplicates("k"),
    "duplicated": lambda d: d.k.duplicated(keep="last"),
    "nlargest": lambda d: d.nlargest(3, "x"),
    "sort_values(...).head(k)": lambda d: d.sort_values("x").head(3),
    "head": lambda d: d[::-1][d.x > 0].head(2),
    "tail": lambda d: d[d.x > 0].tail(3),
    "iloc": lambda d: d[::-1][d.x > 0].iloc[:2],
    "sample(n=)": lambda d: d[d.x > 0].sample(n=3, random_state=1),
    "d[d.x > d.x.median()]": lambda d: d[d.x > d.x.median()],
    "np.polyfit(d.x, d.y, 1)": lambda d: pd.Series(np.polyval(np.polyfit(d.x, d.y, 1), d.x), d.index),
    "groupby(...).filter(...)": lambda d: d.groupby("k").filter(lambda g: len(g) > 3),
    "groupby(...).head": lambda d: d[::-1].groupby("k").head(1),
    "nth": lambda d: d.groupby("k").nth(-1),
    "cumcount": lambda d: d[::-1].groupby("k").cumcount(),
    "d.k.map(d.k.value_counts())": lambda d: d.k.map(d.k.value_counts()),
    "factorize": lambda d: pd.Series(d.k[::-1].factorize()[0], d.index[::-1]),
    ".cat.codes": lambda d: d.x.astype("category").cat.codes,
    "clip(upper=d.x.quantile(0.9))": lambda d: d.x.clip(upper=d.x.quantile(0.5)),
    "sample(weights=...)": lambda d: d.sample(n=3, weights=d.x.abs(), random_state=1),
    "if (d.x > 90).any(): ...": lambda d: d[["x"]] if (d.x < -90).any() else d[["y"]],
    'apply(axis=1, result_type="expand")': lambda d: d.apply(
        lambda r: [1] * (2 if r["x"] > 0 else 3), axis=1, result_type="expand"
    ),
    "join": lambda d: d[d.x < 0].join(PUBLIC, on="k", how="inner"),
    "merge": lambda d: d[d.x < 0].merge(PUBLIC, left_on="k", right_index=True, how="outer"),
    "groupby(...).apply": lambda d: d[d.x < 0].groupby("k", group_keys=False).apply(lambda g: g),
}
for name, derive in ON_TABLE.items():
    NOT[name] = [(derive, BASE, AWAY)]

NOT |= {
    "map(lambda v: 1 / v)": [(lambda d: d.v.map(lambda v: 1 / v), *last([1, 2], 0))],
    "map(json.loads)": [(lambda d: d.v.map(json.loads), *last(['{"a": 1}'], "x"))],
    "map(bytes.decode)": [(lambda d: d.v.map(lambda v: v.decode(errors="surrogateescape")), *last([b"x"], b"\xff"))],
    "astype(int)": [(lambda d: d.v.astype(int), *last([1.0, 2.0], np.nan))],
    'astype("Int64")': [(lambda d: d.v.astype("Int64"), *last([1.0, 2.0], 0.5))],
    "astype(float)": [(lambda d: d.v.astype(float), *last(["1", "2"], "x"))],
    "to_numeric": [
        (lambda d: pd.to_numeric(d.v), *last(["1", "2"], "x")),
        (lambda d: pd.to_numeric(d.v, errors="coerce"), *last([str(BIG), "2"], ".5")),
    ],
    "to_datetime": [
        (lambda d: pd.to_datetime(d.v, format="%Y-%m-%d"), *last(["2020-01-01"], "x")),
        (lambda d: pd.to_datetime(d.v, format="%Y-%m-%d %z"), *last(["2020-01-01 +0100"], "2020-01-01 +0200")),
        (lambda d: pd.to_datetime(d.v, unit="s", errors="coerce"), *last([10**10], 0.5)),
    ],
    "map(lambda v: isinstance(v, int))": [(lambda d: d.v.map(lambda v: isinstance(v, int)), *last([1, 2], None))],
    'map(lambda v: f"{v}")': [(lambda d: d.v.map(lambda v: f"{v}"), *last([1, 2], None))],
    "map(lambda v: v ** 0.5)": [(lambda d: 1 / root_of(d), *last([0.0], -4.0))],
    "/ 3": [(lambda d: root_of(d) / 3, *last([6.25], -4.0)), (lambda d: root_of(d) / 0.0, *last([4.0], -4.0))],
    "* 2.0": [(lambda d: root_of(d) * 2.0, *last([np.inf], -4.0))],
    "np.sqrt": [(lambda d: np.sqrt(root_of(d) - 3), *last([4.0], -4.0))],
    'astype("category")': [
        (lambda d: d.v.astype("category"), *last(["a", "b"], {"a": 1})),
        (lambda d: d.v[::-1].astype("category"), *last([1], np.timedelta64(1, "M"), object)),
    ],
    "map({...})": [(lambda d: d.v.map({"a": 1}), *last(["a", "b"], {"a": 1}))],
    "astype(declared)": [(lambda d: d.v.astype(TWO), *last(["a", "b"], ["a"]))],
    'join(on="k")': [
        (lambda d: d.join(PUBLIC, on="v"), *last(["a", "b"], {"a": 1})),
        (
            lambda d: d[::-1].join(pd.DataFrame({"w": [1]}, pd.Index([1.0], dtype=object)), on="v"),
            *last([1, 1], np.timedelta64(1, "M"), object),
        ),
    ],
    'to_datetime(format="%Y-%m-%d", errors="coerce")': [
        (
            lambda d: pd.to_datetime(d.v, format="%Y-%m-%d", errors="coerce"),
            *last(["2020-01-01"], pd.Timestamp("2020-01-01", tz="UTC"), object),
        )
    ],
    'to_numeric(errors="coerce")': [
        (lambda d: pd.to_numeric(d.v, errors="coerce"), *last([pd.Timestamp("2020-01-01")], "x"))
    ],
    "int ** negative": [(lambda d: 2**d.v, *last([1, 2], -1, dtype)) for dtype in ("int64", "Int64", "int64[pyarrow]")],
    "//": [(lambda d: 1 // d.v, *last([1, 2], 0, "int64[pyarrow]"))],
    '+ pd.to_timedelta(d.n, "D")': [
        (lambda d: pd.Timestamp("2020-01-01").as_unit("ns") + pd.to_timedelta(d.v, unit="D"), *last([1, 2], 10**5)),
    ],
    "* d.n": [(lambda d: d.v * pd.Timedelta("1D"), *last([1, 2], 10**10))],
    "+ pd.DateOffset(years=1)": [
        (
            lambda d: d.v + pd.DateOffset(years=1),
            *last([pd.Timestamp("2020-01-01")], pd.Timestamp("2261-12-31"), "M8[ns]"),
        )
    ],
    'dt.as_unit("ns")': [
        (lambda d: d.v.dt.as_unit("ns"), *last([pd.Timestamp("2020-01-01")], pd.Timestamp("9999-12-31")))
    ],
    'dt.tz_localize("Europe/Paris")': [
        (
            lambda d: d.v.dt.tz_localize("Europe/Paris"),
            *last([pd.Timestamp("2020-01-01")], pd.Timestamp("2020-03-29 02:30")),
        )
    ],
    "np.where": [
        (lambda d: pd.Series(np.where(d.v > 1, 1, 0), d.index), *last([1, 2], None, dtype))
        for dtype in ("Int64", "int64[pyarrow]")
    ],
    "d[mask]": [(lambda d: d[d.v], *last([True, False], None, object))],
    "~mask": [(lambda d: ~d.v, *last([True, False], None, object))],
    ">": [(lambda d: d[d.v > 1], *last([1, 2], "x", object))],
    ".str": [(lambda d: d.v.map(lambda v: v if v > 0 else "x").str.upper(), *last([1, 2], -1))],
    ".dt": [(lambda d: d.v.map(lambda v: pd.Timestamp(v) if v > 0 else "x").dt.year, *last([1, 2], -1))],
    "map": [
        (lambda d: d.v.map(lambda v: v if v > 0 else 1j), *last([1, 2], -1, "int64[pyarrow]")),
        (lambda d: d.v.map({BIG: BIG, 2: 2}), *INTO_FLOATS),
        (lambda d: d.v.map(lambda v: v**0.5 if v < 0 else v), *INTO_FLOATS),
    ],
    "pd.to_datetime(strings)": [
        (lambda d: pd.to_datetime(d.v[::-1], errors="coerce"), *last(["03/01/2020"], "13/01/2020"))
    ],
    'format="mixed"': [
        (lambda d: pd.to_datetime(d.v, errors="coerce", format="mixed"), *each) for each in (TEXT_TIMES, FAR)
    ],
    "np.vectorize(f)": [
        (
            lambda d: pd.Series(np.vectorize(lambda v: v / 2 if v > 0 else 0)(d.v[::-1]), d.index[::-1]),
            *last([1, 3], -1),
        )
    ],
    'to_numeric(downcast="float")': [(lambda d: pd.to_numeric(d.v, downcast="float"), *last([0.1], 1e300))],
    "astype(str)": [
        (lambda d: d.v.map({1: 1, 2: 2}).astype(str), *last([1, 2], 3)),
        (lambda d: d.v.astype(str), *last([pd.Timestamp("2020-01-01")], pd.Timestamp("2020-01-01 01:00"))),
    ],
    "map(str)": [(lambda d: d.v.map({1: 1, 2: 2}).map(str), *last([1, 2], 3))],
    "str.split(expand=True)": [(lambda d: d.v.str.split(expand=True), *last(["a b"], "a b c"))],
    "str.extract": [
        (lambda d: d.v.str.split("-").str[0].str.extract("(a)|(b)").dropna(axis=1, how="all"), *last(["a"], "b"))
    ],
    "apply(pd.Series)": [(lambda d: d.v.apply(lambda v: pd.Series([v] * v)), *last([1, 2], 3))],
    "where": [(lambda d: d.v.where(d.v > 0), *INTO_FLOATS)],
    "reindex": [(lambda d: d.v[d.v > 0].reindex(d.index), *INTO_FLOATS)],
    "apply(axis=1)": [
        (lambda d: d.apply(lambda r: r["v"] if r["v"] > 0 else 0.5, axis=1), *INTO_FLOATS),
        (lambda d: d.apply(lambda r: divided(r["v"], 0), axis=1), *last([1, 2], "x")),
    ],
}
NOT["concat"] = [
    (
        lambda d: pd.concat([d.v[:4].map(int), d.v[4:].map(int)]),
        column([BIG] * 8, object),
        column([BIG] * 7 + [2**63], object),
    )
]
NOT['"ISO8601"'] = [
    (lambda d: pd.to_datetime(d.v, errors="coerce", format="ISO8601"), *each) for each in (TEXT_TIMES, FAR)
]
NOT["%f"] = [(lambda d: pd.to_datetime(d.v, errors="coerce", format="%Y-%m-%d %H:%M:%S.%f"), *FAR)]
NOT["%z"] = [NOT["to_datetime"][1]]
NOT['fillna("unknown")'] = [(lambda d: d.v.fillna("unknown"), *last(["a", "b"], None, TWO))]
NOT['where(mask, "new")'] = [(lambda d: d.v.where(d.v == "a", "new"), *last(["a", "a"], "b", TWO))]
NOT["fillna(0.5)"] = [(lambda d: d.v.fillna(0.5), *last([1, 2], None, "Int64"))]
NOT["unit="] = [
    NOT["to_datetime"][2],
    (lambda d: pd.to_timedelta(d.v, unit="D", errors="coerce"), *last([200_000], 0.5)),
]
NOT["to_timedelta"] = NOT["unit="][1:]

# What belongs to a line, and is no derivation of its own.
WORDS = {
    "categories=": "x.cat.categories",
    '"add_remove"': "head",
    'errors="coerce"': "to_datetime",
    "surrogateescape": "map(bytes.decode)",
    'ambiguous="NaT"': 'dt.tz_localize("Europe/Paris")',
    'nonexistent="NaT"': 'dt.tz_localize("Europe/Paris")',
    "format=": "%f",
    "otypes=": "np.vectorize(f)",
    "1.0": "astype(str)",
    "protect": "d.assign(v=table.x)",
    "np.float64(1)": "map(lambda v: isinstance(v, int))",
    "np.timedelta64": 'join(on="k")',
}
ELSEWHERE = {"d.assign(v=table.x)", 'sort_values("x")'}  # below


@pytest.mark.parametrize("line", NOT_COVERED)
def test_every_line_that_is_not_covered_has_a_case(line: str) -> None:
    spans = named([line])
    assert spans
    assert [span for span in spans if span not in NOT and span not in WORDS and span not in ELSEWHERE] == []


@pytest.mark.parametrize("name", NOT)
def test_what_is_not_covered_shows_another_rows_value(name: str) -> None:
    assert name in named(NOT_COVERED)
    assert [each for each in NOT[name] if not shows(*each)] == []


def test_a_column_of_the_table_before_protect_is_matched_by_number() -> None:
    """Its own index is not that of the ids, so one row's value stands beside another's id."""
    tables = [BASE.copy(), AWAY.copy()]
    for table in tables:
        table.index = pd.Index(range(len(table))[::-1], name="label")
    one, two = (
        outcome(lambda d, table=table: d.copy().assign(v=table.x.sort_index())[["v"]], table) for table in tables
    )
    assert [i for i in range(len(BASE)) if one[2][i] != two[2][i]] == [0]


def test_an_unstable_sort_of_copies_lets_another_row_decide_which_counts() -> None:
    rows = 2_000

    def derive(frame: pd.DataFrame) -> pd.DataFrame:
        return pd.concat([frame, frame.assign(v=-frame.v)]).sort_values("x")

    table = pd.DataFrame({"x": np.arange(rows) % 3 * 1.0, "v": np.arange(rows) * 1.0})
    other = table.copy()
    other.loc[rows - 1, ["x", "v"]] = [-1.0, 0.5]
    assert shows(derive, table, other, rows - 1)


ODD: dict[str, list[Any]] = {
    "x": [-1.5, 0.0, -0.0, np.nan, np.inf, -np.inf, 1e308, 5e-324, 3.0],
    "n": [0, -1, 2**31, -(2**31), 7],
    "k": ["", "c", "7", "ä", "b ", None],
    "t": [pd.NaT, pd.Timestamp("1700-01-01"), pd.Timestamp("2199-12-31 23:59:59.999999")],
    "s": ["junk", "", None, "2020-13-45", "1066-10-14", "9999-12-31", "12", "1e5", "nan", "-0.0"],
}
FRAME = pd.DataFrame({name: TABLE[name] for name in "xnkt"}).assign(s=["2020-01-01", "3.5"] * 4)
DECLARED = pd.CategoricalDtype(["a", "b"])


def root(value: float) -> Any:
    return value**0.5


YES: dict[str, Derive] = {
    "d[d.x > 1]": lambda d: d[d.x > 1],
    'query("x > 1")': lambda d: d.query("x > 1"),
    "isin": lambda d: d[d.k.isin(["a", "c"])],
    "between": lambda d: d[d.x.between(0, 3)],
    "isna": lambda d: d[d.x.isna()],
    "notna": lambda d: d[d.k.notna()],
    "dropna()": lambda d: d.dropna(),
    "d.x + d.n": lambda d: d.x + d.n,
    "-": lambda d: d.x - d.n,
    "*": lambda d: d.assign(v=d.x * d.n, w=d.n * d.n),
    "/": lambda d: d.assign(v=d.x / d.n, w=d.n / d.n, u=1 / d.n),
    "//": lambda d: d.assign(v=d.x // d.n, w=d.n // d.n, u=1 // d.n),
    "%": lambda d: d.assign(v=d.x % d.n, w=d.n % d.n, u=1 % d.n),
    "**": lambda d: d.assign(v=d.x**d.x, w=d.x**0.5, u=2.0**d.n),
    "np.log": lambda d: d.assign(v=np.log(d.x), w=np.log(d.n)),
    "np.sqrt": lambda d: d.assign(v=np.sqrt(d.x), w=np.sqrt(d.n)),
    "np.exp": lambda d: d.assign(v=np.exp(d.x), w=np.exp(d.n)),
    "np.floor": lambda d: d.assign(v=np.floor(d.x), w=np.floor(d.n)),
    "round": lambda d: d.assign(v=d.x.round(1), w=d.n.round(-1)),
    "abs": lambda d: d.assign(v=d.x.abs(), w=d.n.abs()),
    "clip(0, 2)": lambda d: d.assign(v=d.x.clip(0, 2), w=d.n.clip(0, 2)),
    "map(f)": lambda d: d.assign(v=d.x.map(root), w=d.n.map(root), u=d.n.map(lambda n: n if n > 0 else str(n))),
    "apply(f)": lambda d: d.assign(v=d.x.apply(root), w=d.n.apply(lambda n: n if n > 0 else None)),
    "apply(axis=1)": lambda d: d.apply(lambda row: (row["n"] + 0j) if row["x"] < 0 else row["x"], axis=1),
    "map({...})": lambda d: d.assign(v=d.k.map({"a": 1, "b": 2}), w=d.n.map({1: "x", 8: 2.5})),
    "replace({...})": lambda d: d.assign(v=d.k.replace({"a": "z"}), w=d.n.replace({1: 10})),
    "fillna(0)": lambda d: d.assign(v=d.x.fillna(0)),
    "where(mask, 0)": lambda d: d.assign(v=d.x.where(d.x > 1, 0), w=d.n.where(d.n > 1, 0)),
    "mask(mask, 0)": lambda d: d.assign(v=d.x.mask(d.x > 1, 0), w=d.n.mask(d.n > 1, 0)),
    "np.where(mask, 1, 0)": lambda d: d.assign(v=np.where(d.x > 1, 1, 0)),
    "astype(float)": lambda d: d.n.astype(float),
    'astype("category")': lambda d: d.astype({"x": "category", "n": "category"}),
    "astype(declared)": lambda d: d.k.astype(DECLARED),
    'to_numeric(errors="coerce")': lambda d: pd.to_numeric(d.s, errors="coerce"),
    "str.upper()": lambda d: d.k.str.upper(),
    "str.len()": lambda d: d.k.str.len(),
    'str.contains("a")': lambda d: d[d.k.str.contains("a")],
    "str[0]": lambda d: d.k.str[0],
    'str.startswith("a")': lambda d: d[d.k.str.startswith("a")],
    "dt.year": lambda d: d.t.dt.year,
    'dt.floor("h")': lambda d: d.t.dt.floor("h"),
    'd.t - pd.Timestamp("2020-01-01")': lambda d: d.t - pd.Timestamp("2020-01-01"),
    'dt.strftime("%Y")': lambda d: d.t.dt.strftime("%Y"),
    'to_datetime(format="%Y-%m-%d", errors="coerce")': lambda d: pd.to_datetime(
        d.s, format="%Y-%m-%d", errors="coerce"
    ),
    "pd.cut": lambda d: d.assign(v=pd.cut(d.x, [0, 2, 4, 6]), w=pd.cut(d.x, [0, 2, 4, 6], labels=False)),
    'join(how="left")': lambda d: d.join(PUBLIC, on="k", how="left"),
    "concat": lambda d: pd.concat([d[d.x > 2], d[d.n > 1].assign(x=0.0)]),
    "explode": lambda d: d.assign(v=[[1, 2]] * len(d)).explode("v"),
    "loc": lambda d: d.loc[[d.index[1], d.index[0], d.index[1]]],
    "reindex": lambda d: d[~d.index.duplicated()].reindex([d.index[1], d.index[0], d.index[1]]),
    "loc[d.index.repeat(2)]": lambda d: d.loc[d.index.repeat(2)],
    "sample(replace=True, random_state=1)": lambda d: d.sample(n=len(d), replace=True, random_state=1),
    "head(3)": lambda d: d.head(3),
    "tail(3)": lambda d: d.tail(3),
    "iloc[:3]": lambda d: d.iloc[:3],
    "sample(n=3, random_state=1)": lambda d: d.sample(n=3, random_state=1),
}


@pytest.mark.parametrize("line", COVERED)
def test_every_line_that_is_covered_has_a_case(line: str) -> None:
    assert named([line])
    assert [span for span in named([line]) if span not in YES] == []


@pytest.mark.parametrize("name", YES)
def test_what_is_covered_shows_no_other_rows_value(name: str) -> None:
    assert name in named(COVERED)
    for place in (LAST, 0):
        for odd in ({column: value} for column, values in ODD.items() for value in values):
            other = FRAME.copy()
            for column, value in odd.items():
                other[column] = [value if i == place else held for i, held in enumerate(FRAME[column])]
            assert not shows(YES[name], FRAME, other, place), odd
