"""Ways of writing for every name of lazy columns and tables: each does with a frame of pandas what it does with a lazy
table. Of a pair the second is how pandas is asked."""
# ruff: noqa: B008, PD003, PD004 - each name is a case, and each case is a function of its own name

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from datetime import datetime, time, timedelta
from typing import Any

import numpy as np
import pandas as pd

from pandas_dp import pandas as ours

Way = Callable[[Any], Any]
Ways = list[Way | tuple[Way, Way]]

DAY = pd.Timestamp("2020-02-01 12:30:00")
HOUR = pd.Timedelta("1h")
PUBLIC = pd.DataFrame({"k": ["a", "b", "Ab c"], "region": ["N", "S", None], "weight": [1.0, 2.5, -3.0]})
BY_KEY = PUBLIC.set_index("k")
BY_NUMBER = pd.DataFrame({"n": [1, 2, 5], "since": pd.to_datetime(["2020-01-01", "2021-05-05", None])})
TWO_KEYS = pd.DataFrame({"k": ["a", "a", "b"], "n": [1, 2, 3], "v": [10.0, 20.0, 30.0]})
AB = pd.CategoricalDtype(["a", "b"])
SPELLED = (
    "lower upper title capitalize swapcase casefold isalnum isalpha isdigit isspace islower isupper istitle isnumeric "
    "isdecimal len"
)
FIELDS = (
    "year month quarter day dayofyear day_of_year dayofweek day_of_week weekday hour minute second microsecond "
    "nanosecond days_in_month daysinmonth is_month_start is_month_end is_quarter_start is_quarter_end is_year_start "
    "is_year_end is_leap_year"
)


def after(change: Callable[[Any], Any]) -> Way:
    """The table behind a change in place."""

    def way(d: Any) -> Any:
        made = d.copy()
        change(made)
        return made

    return way


def set_to(name: str, value: Any) -> Way:
    return after(lambda e: e.__setitem__(name, value(e) if callable(value) else value))


def _rename_columns(e: Any) -> None:
    e.columns = [f"{name}_" for name in e.columns]


def _added(e: Any) -> None:
    e["x"] += 1


def _halves(e: Any) -> None:
    e.loc[e.x > 0, "x"] = 0


def _two(e: Any) -> None:
    e.loc[e.y > 0, ["x", "y"]] = 0


def _new_by_mask(e: Any) -> None:
    e.loc[e.x > 0, "z"] = 1.0


def _all_of(e: Any) -> None:
    e.loc[:, "z"] = e.y * 2


def _some(e: Any) -> None:
    e[["p", "q"]] = e[["x", "y"]]


def _popped(e: Any) -> None:
    e["z"] = e.pop("x") * 2


def _inserted(e: Any) -> None:
    e.insert(1, "z", e.x + 1)


def _deleted(e: Any) -> None:
    del e["x"]


def _numbers(d: Any) -> Any:
    return d[["x", "y"]]


def _operators(signs: str, one: str = "x", other: str = "y") -> dict[str, Ways]:
    """Each with a column and with a constant, as an operator and by name."""
    doing = {
        "add": operator.add,
        "sub": operator.sub,
        "mul": operator.mul,
        "truediv": operator.truediv,
        "floordiv": operator.floordiv,
        "mod": operator.mod,
        "pow": operator.pow,
        "eq": operator.eq,
        "ne": operator.ne,
        "lt": operator.lt,
        "le": operator.le,
        "gt": operator.gt,
        "ge": operator.ge,
    }
    ways: dict[str, Ways] = {}
    for name in signs.split():
        do = doing[name]
        ways[f"column.__{name}__"] = [
            lambda d, do=do: do(d[one], d[other]),
            lambda d, do=do: do(d[one], 2),
            lambda d, do=do: do(d["n"], -1.5),
        ]
        ways[f"column.{name}"] = [
            lambda d, name=name: getattr(d[one], name)(d[other]),
            lambda d, name=name: getattr(d[one], name)(0.5),
        ]
        ways[f"table.__{name}__"] = [lambda d, do=do: do(_numbers(d), 2), lambda d, do=do: do(_numbers(d), _numbers(d))]
        ways[f"table.{name}"] = [
            lambda d, name=name: getattr(_numbers(d), name)(2),
            lambda d, name=name: getattr(_numbers(d), name)([2, 3]),
            lambda d, name=name: getattr(_numbers(d), name)(pd.Series({"x": 2.0, "y": -1.0})),
        ]
        if name in ("eq", "ne", "lt", "le", "gt", "ge"):
            continue
        ways[f"column.__r{name}__"] = [lambda d, do=do: do(2, d[one]), lambda d, do=do: do(-1.5, d["n"])]
        ways[f"column.r{name}"] = [lambda d, name=name: getattr(d[one], f"r{name}")(2)]
        ways[f"column.{name}"].append(lambda d, name=name: getattr(d[one], name)(d[other], fill_value=1))
        ways[f"table.__r{name}__"] = [lambda d, do=do: do(2, _numbers(d))]
        ways[f"table.r{name}"] = [lambda d, name=name: getattr(_numbers(d), f"r{name}")(2)]
        ways[f"table.{name}"].append(lambda d, name=name: getattr(_numbers(d), name)(d["y"], axis=0))
    return ways


def _ufuncs() -> dict[str, Ways]:
    ones = "absolute fabs sqrt exp exp2 log log2 log10 log1p expm1 floor ceil trunc sign square cbrt reciprocal rint "
    ones += "sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arccosh arctanh deg2rad rad2deg degrees radians "
    ones += "negative isnan isfinite isinf signbit"
    twos = "add subtract multiply divide true_divide floor_divide remainder mod power float_power less less_equal "
    twos += (
        "greater greater_equal equal not_equal minimum maximum fmin fmax hypot arctan2 copysign logaddexp logaddexp2"
    )
    both = "logical_and logical_or logical_xor bitwise_and bitwise_or bitwise_xor"
    found: dict[str, Ways] = {
        name: [lambda d, f=getattr(np, name): f(d["x"]), lambda d, f=getattr(np, name): f(d["y"])]
        for name in ones.split()
    }
    for name in twos.split():
        f = getattr(np, name)
        found[name] = [
            lambda d, f=f: f(d["x"], d["y"]),
            lambda d, f=f: f(d["y"], 2.0),
            lambda d, f=f: f(0.5, d["y"]),
        ]
    for name in both.split():
        found[name] = [lambda d, f=getattr(np, name): f(d["x"] > 0, d["y"] > 0)]
    for name in ("logical_not", "invert"):
        found[name] = [lambda d, f=getattr(np, name): f(d["x"] > 0)]
    return {f"ufunc.{getattr(np, name).__name__}": ways for name, ways in found.items()}


def _of_module() -> dict[str, Ways]:
    """Functions of the module: the house's own of a lazy table, pandas' of a frame."""

    def both(way: Callable[[Any, Any], Any]) -> tuple[Way, Way]:
        return lambda d: way(ours, d), lambda d: way(pd, d)

    ways: dict[str, list[Callable[[Any, Any], Any]]] = {
        "cut": [
            lambda p, d: p.cut(d.x, [-9, 0, 9], labels=["lo", "hi"]),
            lambda p, d: p.cut(d.n, bins=[0, 3, 9], labels=False, include_lowest=True),
        ],
        "to_numeric": [lambda p, d: p.to_numeric(d.m, errors="coerce")],
        "to_datetime": [
            lambda p, d: p.to_datetime(d.s, format="%Y-%m-%d", errors="coerce"),
            lambda p, d: p.to_datetime(d.n, unit="D"),
            lambda p, d: p.to_datetime(d.n * 1e6, unit="s"),
            lambda p, d: p.to_datetime({"year": d.n + 2020, "month": d.n + 1, "day": 28}),
            lambda p, d: p.to_datetime(
                d.assign(year=2021, month=d.n % 12 + 1, day=d.n + 1, hour=d.n)[["year", "month", "day", "hour"]]
            ),
        ],
        "to_timedelta": [
            lambda p, d: p.to_timedelta(d.y, unit="h"),
            lambda p, d: p.to_timedelta(d.n, unit="D"),
            lambda p, d: p.to_timedelta(d.m + "h", errors="coerce"),
        ],
        **{name: [lambda p, d, name=name: getattr(p, name)(d.x)] for name in ("isna", "isnull", "notna", "notnull")},
        "merge": [lambda p, d: p.merge(d, PUBLIC, on="k", how="left")],
        "concat": [
            lambda p, d: p.concat([d.x, d.y * 2], axis=1),
            lambda p, d: p.concat([d[["x", "n"]], d.k.rename("z")], axis=1),
            lambda p, d: p.concat([d.x.rename(None), d.y.rename(None)], axis=1),
            lambda p, d: p.concat([d[d.x > 1], d[d.x <= 1]]).sort_index(),
            lambda p, d: p.concat([d[d.k == "a"], d[d.k.isin(["b", " d"])]]).sort_index(),
            lambda p, d: p.concat([d[d.b].assign(z=d.x), d[~d.b].assign(z=d.y)]).sort_index(),
            lambda p, d: p.concat([d[(d.n == 1) & (d.x > 0)], d[(d.n == 2) & (d.x > 0)], d[d.n > 5]]).sort_index(),
            lambda p, d: (lambda e: p.concat([e[e.n < 3], e[e.n > 5]]))(d[d.x > 0]).sort_index(),
        ],
        "get_dummies": [
            lambda p, d: p.get_dummies(d.k.astype(AB)),
            lambda p, d: p.get_dummies(d.k.astype(AB), prefix="k", drop_first=True, dtype=int),
            lambda p, d: p.get_dummies(d.assign(k=d.k.astype(AB))[["x", "k"]], columns=["k"]),
        ],
        "Categorical": [lambda p, d: p.Categorical(d.k, categories=["a", "b"])],
        "DataFrame": [lambda p, d: p.DataFrame({"p": d.x + d.y, "q": d.k}), lambda p, d: p.DataFrame(d)],
    }
    return {f"pd.{name}": [both(way) for way in some] for name, some in ways.items()}


CASES: dict[str, Ways] = {
    **_of_module(),
    "cat.codes": [lambda d: d.k.astype(AB).cat.codes, lambda d: d.n.astype(pd.CategoricalDtype([3, 1])).cat.codes],
    "cat.categories": [lambda d: d.assign(z=len(d.k.astype(AB).cat.categories)).z],
    "cat.ordered": [lambda d: d.assign(z=d.k.astype(AB).cat.ordered).z],
    "cat.rename_categories": [
        lambda d: d.k.astype(AB).cat.rename_categories(["A", "B"]),
        lambda d: d.k.astype(AB).cat.rename_categories({"a": "x"}),
        lambda d: d.k.astype("category").cat.rename_categories({"a": "x", "b": "y"}),
        lambda d: d.k.astype(AB).cat.rename_categories(str.upper).cat.codes,
    ],
    "cat.set_categories": [lambda d: d.k.astype(AB).cat.set_categories(["b", "c"]).cat.codes],
    "cat.reorder_categories": [
        lambda d: d.k.astype(AB).cat.reorder_categories(["b", "a"], ordered=True) > "b",
        lambda d: d.k.astype(AB).cat.reorder_categories(["b", "a"]).cat.codes,
    ],
    "cat.add_categories": [lambda d: d.k.astype(AB).cat.add_categories(["c"]).cat.codes],
    "cat.remove_categories": [lambda d: d.k.astype(AB).cat.remove_categories("a").cat.codes],
    "cat.as_ordered": [lambda d: d.k.astype(AB).cat.as_ordered() >= "b"],
    "cat.as_unordered": [lambda d: d.k.astype(AB).cat.as_unordered().cat.codes],
    **_operators("add sub mul truediv floordiv mod pow eq ne lt le gt ge"),
    **_ufuncs(),
    # -- operators of columns
    "column.__neg__": [lambda d: -d.x, lambda d: -(d.t - DAY), lambda d: -d.w, lambda d: -(d.u - DAY)],
    "column.__pos__": [lambda d: +d.x],
    "column.__abs__": [lambda d: abs(d.x)],
    "column.__invert__": [lambda d: ~(d.x > 0), lambda d: ~d.b],
    "column.__and__": [lambda d: d.b & (d.x > 0), lambda d: (d.x > 0) & True],
    "column.__rand__": [lambda d: True & (d.x > 0)],
    "column.__or__": [lambda d: d.b | (d.x > 0)],
    "column.__ror__": [lambda d: False | (d.x > 0)],
    "column.__xor__": [lambda d: d.b ^ (d.x > 0)],
    "column.__rxor__": [lambda d: True ^ (d.x > 0)],
    "column.__divmod__": [lambda d: divmod(d.n, 3)[0], lambda d: divmod(d.n, 3)[1]],
    "column.__getitem__": [lambda d: d.x[d.n > 2], lambda d: d.x[lambda s: s > 0], lambda d: d.x[d.x > 0][d.n > 2]],
    "column.div": [lambda d: d.x.div(2)],
    "column.divide": [lambda d: d.x.divide(d.y)],
    "column.rdiv": [lambda d: d.x.rdiv(2)],
    "column.subtract": [lambda d: d.x.subtract(1)],
    "column.multiply": [lambda d: d.x.multiply(d.y)],
    # -- what operators make of texts and times
    "texts": [
        lambda d: d.k + "_" + d.k,
        lambda d: "p" + d.k,
        lambda d: d.k < "b",
        lambda d: d.k >= "Ab",
        lambda d: d.k == "a",
        lambda d: d.k != "a",
        lambda d: d.k == d.s,
        lambda d: d.k < d.s,
        lambda d: d.k.between("a", "b"),
        lambda d: d.c == "u",
    ],
    "times": [
        lambda d: d.t > "2020-02-01",
        lambda d: d.t <= DAY,
        lambda d: d.t == DAY,
        lambda d: d.t != DAY,
        lambda d: d.t > datetime(2020, 2, 1),
        lambda d: d.t < d.u,
        lambda d: d.t == d.u,
        lambda d: d.t - DAY,
        lambda d: DAY - d.t,
        lambda d: datetime(2021, 1, 1) - d.t,
        lambda d: d.t - d.u,
        lambda d: d.t + HOUR,
        lambda d: HOUR + d.t,
        lambda d: d.t - timedelta(days=3),
        lambda d: d.t + d.w,
        lambda d: d.w + d.t,
        lambda d: d.t - d.w,
        lambda d: d.w + d.w,
        lambda d: d.w - HOUR,
        lambda d: HOUR - d.w,
        lambda d: (d.t - DAY) / HOUR,
        lambda d: (d.t - DAY) // HOUR,
        lambda d: (d.t - DAY) / (d.u - DAY),
        lambda d: (d.t - DAY) * 2,
        lambda d: (d.u - DAY) * -3,
        lambda d: 0.5 * (d.t - DAY),
        lambda d: (d.t - DAY) / 4,
        lambda d: (d.t - DAY) > "3D",
        lambda d: (d.t - DAY) > HOUR,
        lambda d: d.w == HOUR,
        lambda d: (d.t - d.u).abs(),
        lambda d: d.t.between("2020-01-05", "2020-06-01"),
        lambda d: d.t.between(DAY, d.u, inclusive="neither"),
        lambda d: d.t + pd.DateOffset(months=1),
        lambda d: d.u - pd.DateOffset(years=1, months=2, days=3, hours=4),
        lambda d: pd.DateOffset(weeks=2) + d.t,
        lambda d: d.t + pd.DateOffset(2),
        lambda d: d.u + pd.offsets.MonthEnd(0),
        lambda d: d.u + pd.offsets.MonthEnd(2),
        lambda d: d.t - pd.offsets.MonthEnd(),
        lambda d: d.u + pd.offsets.MonthBegin(0),
        lambda d: d.t + pd.offsets.MonthBegin(2),
        lambda d: d.u - pd.offsets.MonthBegin(),
        lambda d: d.u + pd.offsets.Hour(5) - pd.offsets.Day(1),
    ],
    # -- methods of columns
    "column.abs": [lambda d: d.x.abs(), lambda d: d.w.abs(), lambda d: np.abs(d.w), lambda d: np.negative(d.w)],
    "column.apply": [lambda d: d.y.abs().apply(np.log)],
    "column.transform": [lambda d: d.y.transform(np.exp)],
    "column.astype": [
        lambda d: d.n.astype(float),
        lambda d: d.b.astype(int),
        lambda d: (d.x > 0).astype("int64"),
        lambda d: d.y.astype(int),
        lambda d: d.b.astype(str),
        lambda d: d.n.astype(int).astype(str),
        lambda d: d.k.astype("category"),
        lambda d: d.k.astype(AB),
        lambda d: d.n.astype(bool),
        lambda d: d.n.astype(int).astype(str).astype(float),
        lambda d: d.t.astype("datetime64[ns]"),
        lambda d: d.k.astype(object),
        lambda d: d.x.astype("Float64"),
    ],
    "column.between": [
        lambda d: d.x.between(0, 1),
        lambda d: d.n.between(2, 4, inclusive="left"),
        lambda d: d.x.between(d.y, 2, inclusive="right"),
        lambda d: d.x.between(-1, d.y, inclusive="neither"),
    ],
    "column.case_when": [
        lambda d: d.x.case_when([(d.x > 1, 5), (d.x > 0, d.y)]),
        lambda d: d.k.case_when([(d.k == "a", "A"), (d.x > 0, "plus")]),
    ],
    "column.cat": [lambda d: d.k.astype(AB).cat.codes],
    "column.clip": [
        lambda d: d.x.clip(0, 1),
        lambda d: d.x.clip(lower=0),
        lambda d: d.x.clip(upper=1.5),
        lambda d: d.x.clip(lower=d.y),
        lambda d: d.x.clip(d.y, d.n),
        lambda d: d.x.clip(1, 0),
    ],
    "column.combine_first": [lambda d: d.x.combine_first(d.y)],
    "column.convert_dtypes": [lambda d: d.x.convert_dtypes()],
    "column.copy": [lambda d: d.x.copy()],
    "column.cut": [
        (lambda d: d.x.cut([-9, 0, 9]), lambda d: pd.cut(d.x, [-9, 0, 9]).cat.rename_categories(str)),
        (lambda d: d.x.cut([-9, 1 / 3, 9], right=False), lambda d: pd.cut(d.x, [-9, 1 / 3, 9], right=False)),
        (lambda d: d.x.cut([-9, 0, 9], labels=["lo", "hi"]), lambda d: pd.cut(d.x, [-9, 0, 9], labels=["lo", "hi"])),
        (lambda d: d.n.cut([0, 3, 9], labels=False), lambda d: pd.cut(d.n, [0, 3, 9], labels=False)),
        (lambda d: d.n.cut([0, 3, 9], labels=[1, 2]), lambda d: pd.cut(d.n, [0, 3, 9], labels=[1, 2])),
        (lambda d: d.n.cut([1, 3, 9], include_lowest=True), lambda d: pd.cut(d.n, [1, 3, 9], include_lowest=True)),
        (
            lambda d: d.x.cut([-np.inf, 0, np.inf], labels=["-", "+"]) > "-",
            lambda d: pd.cut(d.x, [-np.inf, 0, np.inf], labels=["-", "+"]) > "-",
        ),
    ],
    "column.dropna": [lambda d: d.x.dropna(), lambda d: d.k.dropna()],
    "column.dt": [lambda d: d.t.dt.year == 2020],
    "column.fillna": [
        lambda d: d.x.fillna(0),
        lambda d: d.x.fillna(d.y),
        lambda d: d.k.fillna("?"),
        lambda d: d.t.fillna(DAY),
        lambda d: (d.x + d.y).fillna(d.n),
    ],
    "column.rename_axis": [lambda d: d.x.rename_axis("row")],
    "column.infer_objects": [lambda d: d.x.infer_objects()],
    "column.isin": [
        lambda d: d.n.isin([1, 2]),
        lambda d: d.n.isin({1, 2}),
        lambda d: d.n.isin(range(3)),
        lambda d: d.n.isin(np.array([1, 2])),
        lambda d: d.k.isin(["a", "b"]),
        lambda d: d.k.isin(pd.Series(["a", "Ab c"])),
        lambda d: d.x.isin([1.0, np.nan]),
        lambda d: d.t.isin([DAY, pd.Timestamp("2020-01-01")]),
        lambda d: d.k.isin([]),
    ],
    "column.isna": [lambda d: d.x.isna(), lambda d: (d.x + d.y).isna(), lambda d: d.k.str.upper().isna()],
    "column.isnull": [lambda d: d.t.isnull(), lambda d: (d.t - DAY).isnull()],
    "column.notna": [lambda d: d.k.notna()],
    "column.notnull": [lambda d: d.x.notnull()],
    "column.loc": [lambda d: d.x.loc[d.n > 2]],
    "column.map": [
        lambda d: d.n.map({1: 10, 2: 20}),
        lambda d: d.k.map({"a": 1, "b": 2}),
        lambda d: d.k.map({"a": "A", "Ab c": "?"}),
        lambda d: d.n.map({0: "zero", 1: "one"}),
        lambda d: d.b.map({True: "yes", False: "no"}),
        lambda d: d.k.map(BY_KEY.weight),
        lambda d: d.c.map({"u": 1, "v": 2, "w": 3}),
        lambda d: d.y.map(np.exp),
        lambda d: d.k.map({}),
        lambda d: d.x.map({np.nan: -1.0, 0.5: 2.0}),
    ],
    "column.mask": [lambda d: d.x.mask(d.x > 0, d.y), lambda d: d.x.mask(d.x > 0), lambda d: d.k.mask(d.b, "other")],
    "column.where": [
        lambda d: d.x.where(d.x > 0, 0),
        lambda d: d.x.where(d.x > 0),
        lambda d: d.k.where(d.k.isin(["a", "b"]), "other"),
        lambda d: d.x.where(lambda s: s > 0, 0),
        lambda d: d.t.where(d.b),
        lambda d: d.t.where(d.b, d.u),
        lambda d: d.w.where(d.b, HOUR),
        lambda d: d.b.where(d.x > 0, d.y > 0),
    ],
    "column.pipe": [lambda d: d.x.pipe(lambda s: s * 2)],
    "column.rename": [lambda d: d.x.rename("z")],
    "column.replace": [
        lambda d: d.k.replace({"a": "z", "z": "a"}),
        lambda d: d.n.replace(0, 99),
        lambda d: d.n.replace([0, 1], 5),
        lambda d: d.n.replace([0, 1], [1, 0]),
        lambda d: d.x.replace(np.nan, 0),
        lambda d: d.n.replace(0, np.nan),
        lambda d: d.k.replace("a", "o", regex=True),
    ],
    "column.reset_index": [lambda d: d.x.reset_index(drop=True)],
    "column.round": [
        lambda d: round(d.x, 1),
        lambda d: round(d.y),
        lambda d: d.x.round(),
        lambda d: d.x.round(1),
        lambda d: d.y.round(-1),
    ],
    "column.sort_index": [lambda d: d.x.sort_index()],
    "column.sort_values": [lambda d: d.n.sort_values() + d.x],
    "column.str": [lambda d: d.k.str.strip().str.lower().str[:1] == "a"],
    "column.to_datetime": [
        (lambda d: d.s.to_datetime("%Y-%m-%d"), lambda d: pd.to_datetime(d.s, format="%Y-%m-%d", errors="coerce")),
        (lambda d: d.s.to_datetime("ISO8601"), lambda d: pd.to_datetime(d.s, format="ISO8601", errors="coerce")),
    ],
    "column.to_timedelta": [
        (lambda d: (d.m + "h").to_timedelta(), lambda d: pd.to_timedelta(d.m + "h", errors="coerce"))
    ],
    "column.to_numeric": [(lambda d: d.m.to_numeric(), lambda d: pd.to_numeric(d.m, errors="coerce"))],
    "column.to_frame": [
        lambda d: d.x.to_frame(),
        lambda d: (d.x + d.y).rename("z").to_frame(),
        lambda d: d.x.to_frame("z").z,
    ],
    # -- texts
    **{
        f"str.{name}": [lambda d, name=name: getattr(d.k.str, name)(), lambda d, name=name: getattr(d.m.str, name)()]
        for name in SPELLED.split()
    },
    "str.__getitem__": [lambda d: d.k.str[0], lambda d: d.k.str[:2], lambda d: d.k.str[-1], lambda d: d.k.str[::-1]],
    "str.cat": [
        lambda d: d.k.str.cat(d.s, sep="-"),
        lambda d: d.k.str.cat([d.s, d.m], sep="/"),
        lambda d: d.k.str.cat(d.s, sep="-", na_rep="?"),
    ],
    "str.center": [lambda d: d.k.str.center(6, "*")],
    "str.contains": [
        lambda d: d.k.str.contains("a"),
        lambda d: d.k.str.contains("A", case=False),
        lambda d: d.k.str.contains("^a|b$"),
        lambda d: d.k.str.contains("a", na=True),
        lambda d: d.k.str.contains(".", regex=False),
        lambda d: d.k.str.contains(re.compile("A", re.IGNORECASE)),
    ],
    "str.count": [lambda d: d.k.str.count("[ab]")],
    "str.endswith": [lambda d: d.k.str.endswith("b"), lambda d: d.k.str.endswith(("b", "c"))],
    "str.extract": [
        lambda d: d.s.str.extract(r"(\d+)", expand=False),
        lambda d: d.s.str.extract(r"-(\d+)?", expand=False),
        lambda d: d.s.str.extract(r"(\d+)"),
        lambda d: d.s.str.extract(r"(?P<year>\d+)-(\d+)?", expand=False),
        set_to("z", lambda e: e.s.str.extract(r"-(\d+)")),
        after(lambda e: e.__setitem__(["p", "q"], e.s.str.extract(r"(\d+)-(\d+)"))),
    ],
    "str.find": [lambda d: d.k.str.find("b"), lambda d: d.s.str.find("0", 1, 6)],
    "str.fullmatch": [lambda d: d.s.str.fullmatch(r"\d+-\d+-\d+")],
    "str.get": [lambda d: d.k.str.get(1)],
    "str.isna": [(lambda d: d.k.str.isna(), lambda d: d.k.isna())],
    "str.ljust": [lambda d: d.k.str.ljust(5)],
    "str.lstrip": [lambda d: d.k.str.lstrip()],
    "str.match": [lambda d: d.k.str.match("a"), lambda d: d.k.str.match("A", case=False)],
    "str.pad": [lambda d: d.k.str.pad(5, "both", "-"), lambda d: d.k.str.pad(3)],
    "str.partition": [lambda d: d.s.str.partition("-")[0], lambda d: d.s.str.partition("-")],
    "str.rpartition": [lambda d: d.s.str.rpartition("-")[2], lambda d: d.s.str.rpartition("-")],
    "str.removeprefix": [lambda d: d.k.str.removeprefix("a")],
    "str.removesuffix": [lambda d: d.k.str.removesuffix("b")],
    "str.repeat": [lambda d: d.k.str.repeat(3), lambda d: d.k.str.repeat(0)],
    "str.replace": [
        lambda d: d.k.str.replace("a", "o"),
        lambda d: d.s.str.replace("-", "", n=1),
        lambda d: d.k.str.replace(r"\s+", "", regex=True),
        lambda d: d.s.str.replace(r"(\d+)-(\d+)", r"\2/\1", regex=True),
        lambda d: d.k.str.replace("A", "o", case=False, regex=True),
    ],
    "str.rfind": [lambda d: d.s.str.rfind("-")],
    "str.rjust": [lambda d: d.k.str.rjust(5, "0")],
    "str.rsplit": [lambda d: d.s.str.rsplit("-", n=1).str[0], lambda d: d.s.str.rsplit("-").str[-1]],
    "str.rstrip": [lambda d: d.k.str.rstrip("b")],
    "str.slice": [lambda d: d.k.str.slice(0, 1), lambda d: d.k.str.slice(step=2)],
    "str.split": [
        lambda d: d.s.str.split("-").str[0],
        lambda d: d.k.str.split().str.get(1),
        lambda d: d.s.str.split("-").str.len(),
        lambda d: d.s.str.split("-", n=1).str[1],
        lambda d: d.s.str.split("-", n=1, expand=True),
        lambda d: d.s.str.split("-", expand=True)[1],
        lambda d: d.s.str.split("-", expand=True).fillna("?")[2],
        after(lambda e: e.__setitem__(["p", "q", "r"], e.s.str.split("-", expand=True))),
        (
            lambda d: d.s.str.split("-", expand=True).astype(float)[0],
            lambda d: pd.to_numeric(d.s.str.split("-", expand=True)[0], errors="coerce"),
        ),
    ],
    "str.startswith": [lambda d: d.k.str.startswith("a"), lambda d: d.k.str.startswith(("a", "b"), na=False)],
    "str.strip": [lambda d: d.k.str.strip(), lambda d: d.k.str.strip("ab")],
    "str.zfill": [lambda d: d.m.str.zfill(5)],
    # -- times
    **{
        f"dt.{name}": [lambda d, name=name: getattr(d.t.dt, name), lambda d, name=name: getattr(d.u.dt, name)]
        for name in FIELDS.split()
    },
    **{f"dt.{name}": [lambda d, name=name: getattr(d.w.dt, name)] for name in ("days", "seconds", "microseconds")},
    "dt.total_seconds": [lambda d: d.w.dt.total_seconds(), lambda d: (d.t - d.u).dt.total_seconds()],
    "dt.date": [(lambda d: d.t.dt.date, lambda d: d.t.dt.normalize())],
    "dt.time": [(lambda d: d.t.dt.time, lambda d: d.t - d.t.dt.normalize()), lambda d: d.u.dt.time > time(12, 30)],
    "dt.floor": [lambda d: d.t.dt.floor("D"), lambda d: d.u.dt.floor("15min"), lambda d: d.w.dt.floor("h")],
    "dt.ceil": [lambda d: d.t.dt.ceil("h"), lambda d: d.u.dt.ceil("7s"), lambda d: d.w.dt.ceil("D")],
    "dt.round": [lambda d: d.t.dt.round("D"), lambda d: d.u.dt.round("2h"), lambda d: d.u.dt.round("ms")],
    "dt.normalize": [lambda d: d.t.dt.normalize()],
    "dt.strftime": [lambda d: d.t.dt.strftime("%Y-%m"), lambda d: d.u.dt.strftime("%d.%m.%y %H:%M:%S.%f")],
    "dt.day_name": [lambda d: d.t.dt.day_name()],
    "dt.month_name": [lambda d: d.t.dt.month_name()],
    "dt.to_period": [
        lambda d: d.t.dt.to_period("M"),
        lambda d: d.t.dt.to_period("Q"),
        lambda d: d.t.dt.to_period("W"),
        lambda d: d.t.dt.to_period("Y"),
        lambda d: d.t.dt.to_period("D"),
    ],
    "dt.to_timestamp": [(lambda d: d.t.dt.to_timestamp(), lambda d: d.t)],
    "dt.tz_localize": [
        (lambda d: d.t.dt.tz_localize("UTC").dt.hour, lambda d: d.t.dt.hour),
        lambda d: d.t.dt.tz_localize("UTC").dt.tz_localize(None),
        lambda d: d.u.dt.tz_localize("Europe/Berlin", ambiguous="NaT", nonexistent="NaT").dt.tz_convert("UTC").dt.hour,
        lambda d: d.u.dt.tz_localize("Asia/Kolkata").dt.tz_convert(None),
    ],
    "dt.tz_convert": [
        lambda d: d.t.dt.tz_localize("UTC").dt.tz_convert("Europe/Berlin").dt.hour,
        lambda d: d.u.dt.tz_localize("UTC").dt.tz_convert("America/New_York").dt.strftime("%Y-%m-%d %H:%M"),
        lambda d: d.u.dt.tz_localize("UTC").dt.tz_convert("Asia/Kolkata").dt.floor("D").dt.tz_localize(None),
        lambda d: d.u.dt.tz_localize("UTC").dt.tz_convert("Asia/Kolkata").dt.tz_convert(None),
    ],
    "dt.isocalendar": [lambda d: d.t.dt.isocalendar().week],
    "week.__getitem__": [lambda d: d.u.dt.isocalendar()["week"]],
    "week.year": [lambda d: d.u.dt.isocalendar().year],
    "week.week": [lambda d: d.u.dt.isocalendar().week],
    "week.day": [lambda d: d.u.dt.isocalendar().day],
    # -- functions of numpy
    "np.where": [
        lambda d: np.where(d.x > 0, 1, 0),
        lambda d: np.where(d.b, d.x, d.y),
        lambda d: np.where(d.x > 0, "hi", "lo"),
        lambda d: np.where(d.x > 0, d.k, "lo"),
        lambda d: np.where(d.x > 0, d.t, d.u),
        lambda d: np.where(d.x > 0, d.x, np.nan),
    ],
    "np.select": [
        lambda d: np.select([d.x > 1, d.x > 0], [2, 1], default=0),
        lambda d: np.select([d.x > 1, d.x > 0], ["A", "B"], "C"),
        lambda d: np.select([d.x > 1, d.b], [d.y, d.n], default=np.nan),
    ],
    "np.clip": [
        lambda d: np.clip(d.x, 0, 1),
        lambda d: np.clip(d.x, None, 1),
        lambda d: np.clip(d.x, min=0, max=1),
    ],
    "np.round": [lambda d: np.round(d.x, 1)],
    "np.around": [lambda d: np.around(d.x)],
    "np.isin": [lambda d: np.isin(d.n, [1, 2])],
    "np.nan_to_num": [lambda d: np.nan_to_num(d.x), lambda d: np.nan_to_num(d.x, nan=5.0, posinf=9.0)],
    "np.abs of a table": [lambda d: np.abs(_numbers(d)), lambda d: np.maximum(_numbers(d), 0)],
    "np.interp": [
        lambda d: np.interp(d.y, [-2, 0, 1], [5, 7, 6]),
        lambda d: np.interp(d.x, [0, 1], [0, 1], left=-1, right=9),
    ],
    **{f"np.{name}": [lambda d, name=name: getattr(np, name)(_numbers(d) > 0, axis=1)] for name in ("any", "all")},
    **{
        f"np.{name}": [
            (
                lambda d, name=name: getattr(np, name)(_numbers(d), axis=1),
                lambda d, name=name: getattr(_numbers(d), name)(axis=1),
            )
        ]
        for name in ("sum", "mean", "median", "min", "max", "std", "var", "prod")
    },
    "np.digitize": [
        lambda d: np.digitize(d.x, [-1, 0, 1]),
        lambda d: np.digitize(d.x, [-1, 0, 1], right=True),
    ],
    "np.searchsorted": [
        lambda d: np.searchsorted([-1, 0, 1], d.x),
        lambda d: np.searchsorted(np.array([-1, 0, 1]), d.x, side="right"),
    ],
    # -- operators of tables
    "table.__neg__": [lambda d: -_numbers(d)],
    "table.__abs__": [lambda d: abs(_numbers(d))],
    "table.__invert__": [lambda d: ~(_numbers(d) > 0)],
    "table.__and__": [lambda d: (_numbers(d) > 0) & (_numbers(d) < 1)],
    "table.__rand__": [lambda d: True & (_numbers(d) > 0)],
    "table.__or__": [lambda d: (_numbers(d) > 1) | (_numbers(d) < 0)],
    "table.__ror__": [lambda d: False | (_numbers(d) > 0)],
    "table.__xor__": [lambda d: (_numbers(d) > 1) ^ (_numbers(d) > 0)],
    "table.__rxor__": [lambda d: True ^ (_numbers(d) > 0)],
    "table.__matmul__": [lambda d: d[["y", "n"]] @ pd.Series({"y": 2.0, "n": 0.5})],
    "table.div": [lambda d: _numbers(d).div(d.n, axis=0)],
    "table.divide": [lambda d: _numbers(d).divide(2)],
    "table.rdiv": [lambda d: _numbers(d).rdiv(2)],
    "table.subtract": [lambda d: _numbers(d).subtract([1, 2])],
    "table.multiply": [lambda d: _numbers(d).multiply({"x": 1, "y": 2})],
    # -- rows and columns by key
    "table.__getitem__": [
        lambda d: d["x"],
        lambda d: d.x,
        lambda d: d[["x", "n"]],
        lambda d: d[d.x > 1],
        lambda d: d[lambda e: e.x > 0],
        lambda d: d[(d.k == "a") & d.x.notna() & ~d.b],
        lambda d: d[d.x > 0][d.n > 2],
    ],
    "table.__setitem__": [
        after(lambda e: setattr(e, "x", e.x * 2)),
        after(lambda e: e.__setitem__(["x", "y"], e[["y", "x"]])),
        after(lambda e: e.__setitem__(["p", "q"], [1, 2])),
        set_to("z", lambda e: e[e.x > 0].y),
        set_to("y2", lambda e: e.x * 2),
        set_to("x", 7),
        set_to("x", lambda e: e.x.fillna(0)),
        after(_added),
        after(_some),
    ],
    "table.__delitem__": [after(_deleted)],
    "table.__iter__": [lambda d: d[[name for name in d if name != "x"]]],
    "table.__contains__": [lambda d: d.x if "x" in d else d.y],
    "table.get": [lambda d: d.get("x"), lambda d: d.get("nothing", d.y)],
    "table.pop": [after(_popped)],
    "table.insert": [after(_inserted)],
    "table.columns": [lambda d: d[d.columns[:2]], after(_rename_columns)],
    "table.keys": [lambda d: d[list(d.keys())[:2]]],
    "table.shape": [],  # of rows that a session answers for
    "table.dtypes": [lambda d: d[d.dtypes.index[:2]]],
    "table.items": [lambda d: next(column for name, column in d.items() if name == "y")],
    "table.loc": [
        lambda d: d.loc[d.x > 0],
        lambda d: d.loc[d.x > 0, ["n", "k"]],
        lambda d: d.loc[d.x > 0, "n"],
        lambda d: d.loc[:, ["n"]],
        lambda d: d.loc[:, "x":"n"],
        lambda d: d.loc[lambda e: e.x > 0, "x"],
    ],
    "loc.__getitem__": [lambda d: d.loc[d.b, "x":"y"]],
    "loc.__setitem__": [after(_halves), after(_two), after(_new_by_mask), after(_all_of)],
    "table.iloc": [lambda d: d.iloc[:, :2]],
    "iloc.__getitem__": [lambda d: d.iloc[:, 0], lambda d: d.iloc[:, [1, 0]]],
    # -- methods of tables
    "table.abs": [lambda d: _numbers(d).abs()],
    "table.add_prefix": [lambda d: d.add_prefix("p_")],
    "table.add_suffix": [lambda d: d.add_suffix("_s")],
    "table.agg": [lambda d: _numbers(d).agg("sum", axis=1), lambda d: _numbers(d).agg(["sum", "max"], axis=1)],
    "table.apply": [
        lambda d: _numbers(d).apply(lambda x: x * 2 + 1),
        lambda d: _numbers(d).apply(np.sum, axis=1),
        lambda d: _numbers(d).apply("abs"),
        (
            lambda d: d[["m"]].apply(ours.to_numeric, errors="coerce"),
            lambda d: d[["m"]].apply(pd.to_numeric, errors="coerce"),
        ),
    ],
    "table.transform": [lambda d: _numbers(d).transform(np.exp)],
    "table.median": [
        lambda d: d[["x", "y", "n"]].median(axis=1),
        lambda d: _numbers(d).median(axis=1),
        lambda d: _numbers(d).median(axis=1, skipna=False),
    ],
    "table.nunique": [
        lambda d: d[["x", "y", "n"]].nunique(axis=1),
        lambda d: d.assign(n=d.x)[["n", "x"]].nunique(axis=1),
    ],
    "table.index": [
        lambda d: d.drop(d[d.x > 0].index),
        lambda d: d.loc[d[d.x > 0].index],
        lambda d: d.drop(index=d[(d.x > 0) & d.b].index),
    ],
    "table.all": [lambda d: (_numbers(d) > 0).all(axis=1), lambda d: _numbers(d).all(axis=1)],
    "table.any": [lambda d: (_numbers(d) > 0).any(axis=1), lambda d: _numbers(d).any(axis=1)],
    "table.assign": [
        lambda d: d.assign(z=d.x * 2),
        lambda d: d.assign(z=lambda f: f.x + 1, w=lambda f: f.z * 2),
        lambda d: d.assign(one=1),
    ],
    "table.astype": [lambda d: d[["n", "y"]].astype({"n": float}), lambda d: d[["n", "y"]].astype(float)],
    "table.clip": [lambda d: _numbers(d).clip(0, 1)],
    "table.convert_dtypes": [lambda d: _numbers(d).convert_dtypes()],
    "table.copy": [lambda d: d.copy()],
    "table.count": [lambda d: d[["x", "k", "t"]].count(axis=1)],
    "table.dot": [lambda d: d[["y", "n"]].dot(pd.Series({"y": 2.0, "n": 0.5}))],
    "table.drop": [
        lambda d: d.drop(columns="x"),
        lambda d: d.drop(["x", "n"], axis=1),
        after(lambda e: e.drop(columns=["x"], inplace=True)),
    ],
    "table.dropna": [
        lambda d: d.dropna(),
        lambda d: d.dropna(subset=["x"]),
        lambda d: d.dropna(how="all", subset=["x", "k"]),
        lambda d: d.dropna(thresh=2, subset=["x", "k", "t"]),
    ],
    "table.eval": [lambda d: d.eval("x + n"), lambda d: d.eval("z = x + n"), lambda d: d.eval("z = x + n\nv = z * 2")],
    "table.fillna": [lambda d: d.fillna({"x": 0, "k": "?"}), lambda d: _numbers(d).fillna(0)],
    "table.filter": [lambda d: d.filter(["x"]), lambda d: d.filter(like="x"), lambda d: d.filter(regex="^[xy]$")],
    "table.idxmax": [lambda d: d[["y", "n"]].idxmax(axis=1)],
    "table.idxmin": [lambda d: d[["y", "n"]].idxmin(axis=1)],
    "table.rename_axis": [lambda d: d.rename_axis("row"), lambda d: d.rename_axis(columns="what")],
    "table.infer_objects": [lambda d: d.infer_objects()],
    "table.isin": [lambda d: d[["n", "k"]].isin([1, "a"]), lambda d: d[["n", "k"]].isin({"n": [1]})],
    "table.isna": [lambda d: d.isna()],
    "table.isnull": [lambda d: d[["x", "k"]].isnull()],
    "table.join": [
        lambda d: d.join(BY_KEY, on="k"),
        lambda d: d.join(BY_KEY, on="k", how="inner"),
        lambda d: d.join(BY_KEY.weight, on="k"),
    ],
    "table.mask": [lambda d: _numbers(d).mask(_numbers(d) > 0), lambda d: _numbers(d).mask(d.b, 0)],
    "table.max": [lambda d: _numbers(d).max(axis=1), lambda d: _numbers(d).max(axis=1, skipna=False)],
    "table.mean": [lambda d: _numbers(d).mean(axis=1)],
    "table.merge": [
        lambda d: d.merge(PUBLIC, on="k", how="left"),
        lambda d: d.merge(PUBLIC, on="k"),
        lambda d: d.merge(BY_NUMBER, on="n", how="left"),
        lambda d: d.merge(TWO_KEYS, on=["k", "n"], how="left"),
        lambda d: d.merge(PUBLIC.rename(columns={"k": "key"}), left_on="k", right_on="key", how="left"),
        lambda d: d.merge(PUBLIC.rename(columns={"weight": "x"}), on="k", how="left"),
    ],
    "table.min": [lambda d: _numbers(d).min(axis=1)],
    "table.notna": [lambda d: d.notna()],
    "table.notnull": [lambda d: d[["x", "k"]].notnull()],
    "table.pipe": [lambda d: d.pipe(lambda f: f[f.x > 0])],
    "table.prod": [lambda d: _numbers(d).prod(axis=1)],
    "table.query": [
        lambda d: d.query("x > 1 and n < 3"),
        lambda d: d.query("k in ['a', 'b']"),
        lambda d: d.query("k == 'a'"),
        lambda d: d.query("x > 0 & n > 2"),
        lambda d: d.query("not (x > 0)"),
        lambda d: d.query("k.str.contains('a', na=False)"),
    ],
    "table.reindex": [lambda d: d.reindex(columns=["y", "x"])],
    "table.rename": [
        lambda d: d.rename(columns={"x": "xx"}),
        lambda d: d.rename(columns=str.upper),
        lambda d: d.rename({"x": "xx"}, axis=1),
    ],
    "table.replace": [
        lambda d: d.replace({"k": {"a": "z"}}),
        lambda d: d[["n", "x"]].replace(0, 9),
    ],
    "table.reset_index": [lambda d: d[d.x > 0].reset_index(drop=True)],
    "table.round": [lambda d: _numbers(d).round(1), lambda d: _numbers(d).round({"x": 1})],
    "table.select_dtypes": [],  # of declared columns alone, below
    "table.set_axis": [lambda d: _numbers(d).set_axis(["a", "b"], axis=1)],
    "table.set_index": [lambda d: d.set_index("k"), lambda d: d.set_index(["k", "n"], drop=False)[lambda e: e.x > 0]],
    "table.sort_index": [lambda d: d.sort_index()],
    "table.sort_values": [
        lambda d: d.sort_values("n")["x"] + d.x,
        (lambda d: d.sort_values("n")[lambda e: e.n > 2], lambda d: d[d.n > 2]),
    ],
    "table.squeeze": [lambda d: d[["x"]].squeeze(axis=1)],
    "table.std": [lambda d: _numbers(d).std(axis=1)],
    "table.sum": [
        lambda d: _numbers(d).sum(axis=1),
        lambda d: d[["x", "k"]].isna().sum(axis=1),
        lambda d: _numbers(d).sum(axis=1, skipna=False),
    ],
    "table.var": [lambda d: d[["y", "n"]].var(axis=1), lambda d: d[["y", "n"]].var(axis=1, ddof=0)],
    "table.where": [lambda d: _numbers(d).where(_numbers(d) > 0), lambda d: _numbers(d).where(_numbers(d) > 0, 0)],
}
DECLARED: dict[str, Ways] = {
    "table.select_dtypes": [lambda d: d.select_dtypes("number"), lambda d: d.select_dtypes(["datetime", "bool"])],
}
"""What is done with declared kinds alone."""
