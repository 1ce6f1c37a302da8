"""Whatever is answered makes each row of that row alone, and every kind of node of Dask was looked at."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp.engines.dask import refusals, rules, tasks
from pandas_dp.engines.dask.program import FrameShape, Program
from pandas_dp.engines.dask.refusals import lineage, nodes
from pandas_dp.tools.fold import quiet

from .conftest import dask, dd

ROWS: list[dict[str, Any]] = [
    {"x": 1.5, "n": 3, "small": 100, "flag": True, "text": "rice", "day": "2024-02-29", "whole": 7},
    {"x": np.nan, "n": -(2**53) - 1, "small": -128, "flag": False, "text": None, "day": "no day", "whole": None},
    {"x": -np.inf, "n": 2**53 + 1, "small": 127, "flag": True, "text": "", "day": None, "whole": 2**53 + 1},
    {"x": -0.0, "n": 0, "small": 0, "flag": False, "text": "7", "day": "0001-01-01", "whole": 0},
    {"x": 1e300, "n": 2**62, "small": 1, "flag": True, "text": " Öats-7 ", "day": "2262-05-01", "whole": -1},
    {"x": 2.0, "n": None, "small": 50, "flag": None, "text": "a,b,c", "day": "2024-03-01", "whole": 3},
]
DAYS = [pd.Timestamp("2024-02-29 23:59:59"), pd.NaT, pd.Timestamp("1700-01-01"), pd.Timestamp("2200-12-31")]
META = pd.DataFrame(
    {
        "x": pd.Series([], dtype="float64"),
        "n": pd.Series([], dtype="int64"),
        "small": pd.Series([], dtype="int8"),
        "flag": pd.Series([], dtype="bool"),
        "text": pd.Series([], dtype=pd.StringDtype(na_value=np.nan)),
        "day": pd.Series([], dtype=object),
        "whole": pd.Series([], dtype="Int64"),
        "when": pd.Series([], dtype="M8[us]"),
    }
)


def table(places: tuple[int, ...]) -> pd.DataFrame:
    """With the dtypes that these rows alone would have."""
    made = pd.DataFrame([ROWS[place] for place in places])
    made["when"] = [DAYS[place % len(DAYS)] for place in places]
    return made


def unread(_: int) -> pd.DataFrame:
    raise AssertionError("nothing is read")


Made = Callable[[Any], Any]
CASES: dict[str, list[Made]] = {
    "Abs": [lambda d: d.x.abs(), lambda d: d[["x", "small"]].abs()],
    "Add": [lambda d: d.x + d.small, lambda d: d.n + 1, lambda d: d.text + "!", lambda d: d[["x"]] + d[["small"]]],
    "AddPrefix": [lambda d: d[["x", "n"]].add_prefix("a_")],
    "AddSuffix": [lambda d: d[["x", "n"]].add_suffix("_a")],
    "And": [lambda d: d.flag & (d.x > 1), lambda d: d.flag.where(d.x > 1) & d.flag],
    "Apply": [
        lambda d: d.x.apply(lambda v: v * 2, meta=("x", "f8")),
        lambda d: d[["x", "n"]].apply(lambda r: r.x + r.n, axis=1, meta=(None, "f8")),
        lambda d: d.apply(lambda r: str(r.text) + str(r.x), axis=1, meta=(None, "object")),
        lambda d: d.apply(lambda r: isinstance(r.name, int) and float(r.name), axis=1, meta=(None, "f8")),
        lambda d: d.apply(lambda r: 1 if r.x > 1 else 2.5, axis=1, meta=(None, object)).astype(str),
    ],
    "AsType": [lambda d: d.small.astype(float), lambda d: d.flag.astype(float), lambda d: d.n.astype(str)],
    "Assign": [lambda d: d.assign(y=d.x * 2, z=3), lambda d: d[d.x > 1].assign(y=d.small * d.small)],
    "Between": [lambda d: d.x.between(0, 2), lambda d: d.whole.between(0, 3, inclusive="left")],
    "Clip": [lambda d: d.small.clip(0, 60), lambda d: d.x.clip(lower=0)],
    "ColumnsSetter": [lambda d: renamed(d[["x", "n"]], ["a", "b"])],
    "Div": [
        lambda d: d.x / d.small,
        lambda d: 1 / d.n,
        lambda d: d.whole / 0,
        lambda d: 1 / d.x.map(lambda v: 0 if v > 1 else 2, meta=("x", object)),
    ],
    "Drop": [lambda d: d.drop(columns=["x", "n"])],
    "DropnaFrame": [lambda d: d.dropna(), lambda d: d.dropna(subset=["text", "x"], how="all")],
    "DropnaSeries": [lambda d: d.text.dropna(), lambda d: d.x.where(d.flag).dropna()],
    "EQ": [lambda d: d.text == "7", lambda d: d.x == d.small, lambda d: d.n == 2**53 + 1],
    "EQFrame": [lambda d: d[["x", "n"]].eq(3)],
    "EQSeries": [lambda d: d.n.eq(3), lambda d: d.x.eq(d.small, fill_value=1)],
    "Fillna": [
        lambda d: d.x.fillna(1),
        lambda d: d.fillna({"x": 1, "text": "none"}),
        lambda d: d.x.fillna(d.small),
        lambda d: d.flag.fillna(3),
    ],
    "Filter": [lambda d: d[d.x > 1], lambda d: d.x[d.flag & (d.n > 0)], lambda d: d[~d.text.str.contains("a")]],
    "FloorDiv": [lambda d: d.small // 7, lambda d: d.n // d.small, lambda d: d.whole // 0],
    "FunctionMap": [
        lambda d: d.text.str.upper(),
        lambda d: ~d.text.str.contains("a"),
        lambda d: d.text.str.len(),
        lambda d: d.text.str.split(",").str.len(),
        lambda d: d.text.str.split(",").str.get(1),
        lambda d: d.text.str.replace("7", "seven"),
        lambda d: d.text.str[1:3],
        lambda d: d.day.str.slice(0, 4),
        lambda d: d.when.dt.floor("D"),
        lambda d: d.when.dt.day_name(),
        lambda d: d.when.dt.strftime("%Y-%m"),
        lambda d: d.when.dt.normalize(),
    ],
    "GE": [lambda d: d.x >= d.n],
    "GEFrame": [lambda d: d[["x", "n"]].ge(3)],
    "GESeries": [lambda d: d.n.ge(3)],
    "GT": [lambda d: d.n > 2**53, lambda d: ~(d.x.where(d.flag) > 1)],
    "GTFrame": [lambda d: d[["x", "n"]].gt(3)],
    "GTSeries": [lambda d: d.n.gt(3)],
    "Invert": [
        lambda d: ~d.flag,
        lambda d: ~(d.x > 1).where(d.n > 0),
        lambda d: ~d.text.str.contains("7").where(d.flag),
    ],
    "IsNa": [lambda d: d.isna(), lambda d: d.text.isna()],
    "Isin": [lambda d: d.text.isin(["7", "rice"]), lambda d: d.n.isin([3, 2**53 + 1]), lambda d: d.x.isin({1.5, 2})],
    "LE": [lambda d: d.small <= 50],
    "LEFrame": [lambda d: d[["x", "n"]].le(3)],
    "LESeries": [lambda d: d.n.le(3)],
    "LT": [lambda d: d.x < d.small, lambda d: d.when < pd.Timestamp("2024-01-01")],
    "LTFrame": [lambda d: d[["x", "n"]].lt(3)],
    "LTSeries": [lambda d: d.n.lt(3)],
    "Map": [
        lambda d: d.text.map({"7": 1, "rice": 2}, meta=("text", "f8")),
        lambda d: d.text.map({"7": "seven"}, meta=("text", "object")),
        lambda d: d.n.map(lambda v: v % 7, meta=("n", "f8")),
        lambda d: d.x.map(lambda v: "big" if v > 1 else None, meta=("x", "object")),
        lambda d: d.x.map(lambda v: 1 if v > 1 else 2.5, meta=("x", object)).astype(str),
        lambda d: d.x.map(lambda v: 1 if v > 1 else None, meta=("x", object)).astype(str),
        lambda d: d.x.map(lambda v: 1 if v > 1 else 2j, meta=("x", object)).astype(str),
        lambda d: d.x.map(lambda v: 1 if v > 1 else 2.5, meta=("x", "str")),
        lambda d: d.text.map({"7": 1, "rice": pd.Timestamp("2024-01-01")}, meta=("text", object)).astype(str),
        lambda d: d.x.map(lambda v: "rice" if v > 1 else b"rice", meta=("x", object)).str.upper(),
    ],
    "Mask": [lambda d: d.small.mask(d.x > 1) * 100, lambda d: d[["x", "n"]].mask(d[["x", "n"]] > 1, 0)],
    "MethodOperator": [lambda d: d.x.add(d.small, fill_value=0), lambda d: d.small.mul(3), lambda d: d.n.rsub(1)],
    "Mod": [lambda d: d.small % 7, lambda d: d.n % 0, lambda d: d.x % d.small],
    "Mul": [
        lambda d: d.small * d.small,
        lambda d: d.n * 4,
        lambda d: d.small.where(d.flag) * 100,
        lambda d: (d.when - pd.Timestamp("2024-01-01")) * d.n,
    ],
    "NE": [lambda d: d.text != "7", lambda d: d.n != 3],
    "NEFrame": [lambda d: d[["x", "n"]].ne(3)],
    "NESeries": [lambda d: d.n.ne(3)],
    "Neg": [lambda d: -d.small, lambda d: -d[["x", "n"]]],
    "NotNull": [lambda d: d.text.notnull()],  # noqa: PD004 - Dask has no other
    "Or": [lambda d: d.flag | (d.x > 1)],
    "Pos": [lambda d: +d.x],
    "Pow": [lambda d: d.small**2, lambda d: d.n**0.5, lambda d: 2**d.whole],
    "Projection": [lambda d: d.x, lambda d: d[["text", "n"]]],
    "PropertyMap": [lambda d: d.when.dt.year, lambda d: d.when.dt.is_month_end, lambda d: d.when.dt.day_of_week],
    "Query": [lambda d: d.query("x > 1 and small < 60"), lambda d: d.query("text == '7' or n in [3, 0]")],
    "RenameFrame": [lambda d: d.rename(columns={"x": "z"})],
    "RenameSeries": [lambda d: d.x.rename("z")],
    "Replace": [
        lambda d: d.small.replace(127, 0),
        lambda d: d.text.replace({"7": "8"}),
        lambda d: d.x.replace([1.5, 2], 0),
        lambda d: d.flag.replace(True, 8),
    ],
    "Round": [lambda d: d.x.round(1), lambda d: d[["x", "small"]].round({"x": 1})],
    "Sub": [lambda d: d.small - 100, lambda d: 1 - d.x, lambda d: d.when - pd.Timestamp("2024-01-01")],
    "ToDatetime": [lambda d: dd.to_datetime(d.day, errors="coerce", format="%Y-%m-%d")],
    "ToFrame": [lambda d: d.x.to_frame(), lambda d: d.x.to_frame("z")],
    "ToNumeric": [lambda d: dd.to_numeric(d.text, errors="coerce"), lambda d: dd.to_numeric(d.n, errors="coerce")],
    "UFuncElemwise": [lambda d: np.log(d.x), lambda d: np.sqrt(d.small), lambda d: np.add(d.x, d.small)],
    "Where": [
        lambda d: d.small.where(d.x > 1) * 100,
        lambda d: d.text.where(d.flag, "none"),
        lambda d: d.n.where(d.flag, d.x),
        lambda d: d.x.where(d.flag, d.text),
    ],
    "XOr": [lambda d: d.flag ^ (d.x > 1)],
}
EVERY = [(name, place) for name, made in CASES.items() for place in range(len(made))]


def renamed(frame: Any, names: list[str]) -> Any:
    frame.columns = names
    return frame


@pytest.fixture
def farms() -> Any:
    """Rows that are never read."""
    root = dd.from_map(unread, [0, 1], meta=META)
    return dd.dask_expr.new_collection(tasks.Protected(root.expr, "dp_row_1"))


def outcome(program: Program, places: tuple[int, ...]) -> list[Any]:
    """What is made of each row, in words; None where nothing is. A list of one text where all of them are lost."""
    try:
        with quiet(), np.errstate(all="ignore"):
            made, kept = program.on(table(places))
    except Exception as error:  # noqa: BLE001 - whatever it is, it is an answer that is lost
        return [f"lost: {type(error).__name__}"] * len(places)
    assert kept is None or kept.all()
    frame = made.to_frame() if isinstance(made, pd.Series) else made
    assert frame.index.is_unique
    found = {
        label: [said(value) for value in row] for label, row in zip(frame.index, frame.to_numpy(object), strict=True)
    }
    return [found.get(place) for place in range(len(places))]


def said(value: Any) -> str:
    """Values that count alike in one word."""
    if isinstance(value, list):
        return repr(value)
    return (
        "missing"
        if pd.isna(value)
        else repr(float(value))
        if isinstance(value, int | float | np.number)
        else repr(value)
    )


@pytest.mark.parametrize(("name", "place"), EVERY)
def test_a_row_has_what_it_has_alone_whatever_the_others_are(name: str, place: int, farms: Any) -> None:
    made = CASES[name][place](farms)
    assert any(type(node).__name__ == name for node in nodes(made.expr)), "the case is about this kind of node"
    lineage(made.expr)
    program = Program.of(made.expr.simplify(), "dp_row_1")
    alone = [outcome(program, (row,))[0] for row in range(len(ROWS))]
    assert not any(isinstance(each, str) for each in alone), "no row raises"
    for rows in [*product(range(len(ROWS)), repeat=2), *TRIPLES]:
        assert outcome(program, rows) == [alone[row] for row in rows]


TRIPLES = [(a, b, (a + 2 * b + 1) % len(ROWS)) for a in range(len(ROWS)) for b in range(0, len(ROWS), 2)]


def test_each_kind_of_node_that_is_answered_has_a_case() -> None:
    answered = {name.rsplit(".", 1)[-1] for name in rules.ROW_WISE}
    assert answered == set(CASES)


def kinds() -> Iterator[type]:
    """Every kind of node of the installed Dask."""
    import dask.dataframe.dask_expr as home
    from dask._expr import Expr

    importlib.import_module("dask.dataframe.tseries.resample")
    for module in pkgutil.walk_packages(home.__path__, home.__name__ + "."):
        if ".tests" not in module.name:
            importlib.import_module(module.name)
    waiting = [Expr]
    while waiting:
        kind = waiting.pop()
        waiting += kind.__subclasses__()
        yield kind


def test_every_kind_of_node_is_row_by_row_or_refused_by_name() -> None:
    found = {kind for kind in kinds() if not kind.__module__.startswith(("pandas_dp", "tests"))}
    unknown = {
        f"{kind.__module__}.{kind.__name__}"
        for kind in found
        if rules.rule_for(kind) is None and refusals.why_refused(kind) is None
    }
    assert not unknown
    assert len(found) > 300


def test_a_kind_of_node_that_nobody_knows_is_refused() -> None:
    assert "does not know" in refusals.refusal(type("Someday", (), {"__module__": "dask.dataframe.dask_expr._new"}))


def test_without_one_dtype_a_column_a_neighbour_would_decide() -> None:
    """What the program prevents: pandas makes -2 of a True beside a missing value."""
    beside, alone = pd.Series([True, False]), pd.Series([True])
    with quiet():
        assert (~beside.where([True, False], 0))[0] == -2
        assert (~alone.where([True], 0))[0] == False  # noqa: E712 - numpy's


ODD = [1, "t", 2.5, None, True, np.nan, b"b", "", 2**70, "%d", "7", complex(1, 2), 0]
OPERATIONS: dict[str, Made] = {
    "number": lambda d: d.o + 1,
    "text": lambda d: "a" + d.o,
    "times": lambda d: d.o * 2,
    "divided": lambda d: d.o / d.x,
    "whole parts": lambda d: 7 // d.o,
    "compared": lambda d: d.o > 1,
    "columns": lambda d: d.o - d.p,
    "not by types": lambda d: d.o % 5,
    "with a day": lambda d: d.o < pd.Timestamp("2020-01-01"),
}


def odd_rows(places: list[int]) -> pd.DataFrame:
    values = [ODD[place % len(ODD)] for place in places]
    others = [ODD[place // len(ODD) % len(ODD)] for place in places]
    made = pd.DataFrame({"x": [float(place % 3) for place in places]})
    for name, given in (("o", values), ("p", others)):
        made[name] = pd.Series([*given, None], dtype=object)[: len(places)]
    return made


def odd_program(operation: Made) -> Program:
    meta = odd_rows([0])[:0]
    with (
        pdp.Session(epsilon=1, neighbours="add_remove") as session,
        dask.config.set({"dataframe.convert-string": False}),
    ):
        ddf = session.protect(dd.from_map(unread, [0], meta=meta))
        expr = operation(ddf).expr
        return Program.of(expr.simplify(), lineage(expr).name)


@pytest.mark.parametrize("name", OPERATIONS)
def test_rows_for_which_an_operator_has_no_meaning_are_those_that_fail_alone(name: str) -> None:
    program, places = odd_program(OPERATIONS[name]), [*range(len(ODD) ** 2)]

    def made(some: list[int]) -> list[str]:
        with quiet():
            found, _ = program.on(odd_rows(some)[list(program.columns.names)])
        assert found.index.tolist() == [*range(len(some))]
        return [repr(value) if pd.notna(value) else "missing" for value in found.astype(object)]

    assert made(places) == [value for place in places for value in made([place])]
    assert made(places[::-1]) == made(places)[::-1]


@pytest.mark.parametrize("name", ["number", "compared", "columns"])
def test_rows_that_fail_by_their_types_are_tried_by_kinds(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As many trials as there are kinds, and not as there are rows."""
    program, settled, tried = odd_program(OPERATIONS[name]), FrameShape.settled, list[int]()
    monkeypatch.setattr(FrameShape, "settled", lambda self, data: tried.append(1) or settled(self, data))
    odd = [place for place in range(len(ODD) ** 2) if complex(1, 2) not in (ODD[place % 13], ODD[place // 13])]
    with quiet():
        program.on(odd_rows(odd * 40)[list(program.columns.names)])
    assert len(tried) < 90
