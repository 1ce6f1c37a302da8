"""A refusal never quotes what is held by a list, an array, an index or a Series that was given as an argument."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp import Keywords
from tests.refusals import refused

from .questions import Schema, normal

TEXT, NUMBER = "Ms Marker of 7 Elm St", 424242.125
pytestmark = pytest.mark.filterwarnings("ignore")


def holders(value: Any) -> dict[str, Any]:
    """What holds a value and may have come from data."""
    return {
        "list": [value],
        "two": [value, value],
        "beside a column": ["k", value],
        "beside a number": [0.5, value],
        "tuple": (value,),
        "pair": (value, value),
        "set": {value},
        "Series": pd.Series([value]),
        "named Series": pd.Series([value], name=value),
        "Index": pd.Index([value]),
        "array": np.array([value]),
        "objects": np.array([value], dtype=object),
        "frame": pd.DataFrame({"k": [value], "x": [value]}),
        "frame of its own columns": pd.DataFrame({value: [value]}),
        "category": pd.CategoricalDtype([value]),
        "nested": [[value]],
        "tables": [["k", value]],
        "mapping": {value: 1},
        "mapping of lists": {"k": [value]},
        "mapping of pairs": {"x": (value, value)},
        "mapping of values": {"k": value, "x": value},
        "mapping of one value": {"x": value},
        "mapping of one key": {"k": value},
        "mappings": [{"k": value}],
        "mappings from": [{value: "a"}],
        "mapping of mappings": {"k": {"a": value}},
        "mapping of levels": {"k": {"level": {"a": value, "b": value, "c": value}}},
        "mapping of pairs to": {("k", value): 1},
        "pairs": [("k", value)],
    }


QUESTIONS: dict[str, tuple[Callable[[pd.DataFrame], Any], dict[str, Any]]] = {
    "Series.count": (lambda d: d["x"].dp.count, {}),
    "Series.mean": (lambda d: d["x"].dp.mean, {}),
    "Series.sum": (lambda d: d["x"].dp.sum, {}),
    "Series.var": (lambda d: d["x"].dp.var, {}),
    "Series.min": (lambda d: d["x"].dp.min, {}),
    "Series.median": (lambda d: d["x"].dp.median, {}),
    "Series.quantile": (lambda d: d["x"].dp.quantile, {}),
    "Series.describe": (lambda d: d["x"].dp.describe, {}),
    "Series.agg": (lambda d: d["x"].dp.agg, {"func": ["mean"]}),
    "Series.between": (lambda d: d["x"].dp.between, {"left": 1, "right": 2}),
    "Series.histogram": (lambda d: d["x"].dp.histogram, {}),
    "Series.value_counts": (lambda d: d["k"].dp.value_counts, {}),
    "Series.nunique": (lambda d: d["k"].dp.nunique, {}),
    "Series of times": (lambda d: d["when"].dp.mean, {}),
    "DataFrame.mean": (lambda d: d[["x", "z"]].dp.mean, {}),
    "DataFrame.agg": (lambda d: d[["x", "z"]].dp.agg, {"func": {"x": "mean"}}),
    "DataFrame.quantile": (lambda d: d[["x", "z"]].dp.quantile, {}),
    "DataFrame.value_counts": (lambda d: d.dp.value_counts, {"subset": ["k"]}),
    "DataFrame.crosstab": (lambda d: d.dp.crosstab, {"index": "k", "columns": "j"}),
    "DataFrame.planned": (lambda d: d.dp.crosstab, {"index": "k", "columns": "j", "margins": "planned"}),
    "DataFrame.marginals": (lambda d: d.dp.marginals, {"tables": [["k"], ["j"]]}),
    "DataFrame.plan_marginals": (lambda d: d.dp.plan_marginals, {"tables": [["k"], ["j"]]}),
    "DataFrame.pivot_table": (lambda d: d.dp.pivot_table, {"values": "x", "index": "k"}),
    "DataFrame.cov": (lambda d: d[["x", "z"]].dp.cov, {}),
    "DataFrame.groupby": (lambda d: d.dp.groupby, {"by": "k"}),
    "DataFrame.gaps": (lambda d: d[["k", "x"]].dp.gaps, {}),
    "DataFrame.share": (lambda d: d["x"].dp.share, {}),
    "groupby.mean": (lambda d: d.dp.groupby("k")["x"].mean, {}),
    "groupby.quantile": (lambda d: d.dp.groupby("k")["x"].quantile, {}),
    "groupby.agg": (lambda d: d.dp.groupby("k").agg, {"func": {"x": "mean"}}),
    "groupby.size": (lambda d: d.dp.groupby("k").size, {}),
    "groupby columns": (lambda d: d.dp.groupby("k").__getitem__, {"name": "x"}),
}
PANDAS = {
    "axis",
    "dropna",
    "fill_value",
    "margins_name",
    "weights",
    "method",
    "aggfunc",
    "values",
    "observed",
    "nonsense",
}


def arguments(question: Callable[..., Any]) -> list[str]:
    there = [name for name, each in inspect.signature(question).parameters.items() if each.kind not in (2, 4)]
    return list(dict.fromkeys([*there, *Keywords.__annotations__, *PANDAS]))


def told(error: BaseException | None) -> Iterator[str]:
    """All that an error says, and those that it came from."""
    while error is not None:
        yield from (str(error), repr(error), repr(error.args), repr(vars(error)))
        if error.__cause__ is not None:
            yield from told(error.__cause__)
        error = error.__context__


@pytest.mark.parametrize("value", [TEXT, NUMBER, Fraction(848485, 2), pd.Timestamp("1966-06-06 06:06:06")], ids=str)
@pytest.mark.parametrize("name", QUESTIONS)
def test_no_refusal_quotes_what_an_argument_holds(name: str, value: Any) -> None:
    marks = [str(value), repr(value), "424242", "Marker", "1966", "848485"]
    ask, given = QUESTIONS[name]
    session = pdp.Session(epsilon=10**9, schema=Schema, models=["dp", "idp", "bdp"])
    frame = session.protect(normal())
    quoted, refused = set(), 0
    for argument in arguments(ask(frame)):
        for holder, held in holders(value).items():
            try:
                ask(frame)(**{"epsilon": 1, **given, argument: held})
            except Exception as error:  # noqa: BLE001 - refusals of any type
                refused += 1
                if any(mark in text for text in told(error) for mark in marks):
                    quoted.add((argument, holder, type(error).__name__, str(error)[:110]))
    assert sorted(quoted) == []
    assert refused > 100


def released(frame: pd.DataFrame) -> pdp.Release:
    return frame.dp.crosstab("k", "j", epsilon=1)


def stored(frame: pd.DataFrame) -> pdp.PublishedTables:
    return pdp.PublishedTables({"t": frame.dp.marginals([["k", "j"]], epsilon=1)})


CONCLUSIONS: dict[str, tuple[Callable[[pd.DataFrame], Any], dict[str, Any]]] = {
    "confint": (lambda d: released(d).dp.confint, {}),
    "contrast": (lambda d: released(d).dp.contrast, {"first": "a", "second": "b"}),
    "test": (lambda d: released(d).dp.test, {"value": 1}),
    "margin": (lambda d: d.dp.marginals([["k", "j"], ["k"]], epsilon=1).dp.margin, {"keys": ["k"]}),
    "shares": (lambda d: released(d).dp.shares, {}),
    "round": (lambda d: released(d).dp.round, {}),
    "round_to": (lambda d: released(d).dp.round_to, {"base": 5}),
    "suppress": (lambda d: released(d).dp.suppress, {"below": 5}),
    "nonnegative": (lambda d: released(d).dp.nonnegative, {}),
    "independence_test": (lambda d: released(d).dp.independence_test, {}),
    "log_linear_test": (lambda d: released(d).dp.log_linear_test, {"margins": ["k"]}),
    "goodness_of_fit": (lambda d: d["k"].dp.value_counts(epsilon=1).dp.goodness_of_fit, {"expected": [0.5, 0.5]}),
    "cramers_v": (lambda d: released(d).dp.cramers_v, {}),
    "stored table": (lambda d: stored(d).table, {"keys": ["k"]}),
    "stored crosstab": (lambda d: stored(d).crosstab, {"index": "k", "columns": "j"}),
}


@pytest.mark.parametrize("value", [TEXT, NUMBER], ids=str)
@pytest.mark.parametrize("name", CONCLUSIONS)
def test_no_refusal_of_a_conclusion_quotes_what_an_argument_holds(name: str, value: Any) -> None:
    """And each is the library's own, by the name of the argument; text alone is shown as it was written."""
    conclude, given = CONCLUSIONS[name]
    frame = pdp.Session(epsilon=10**9, schema=Schema).protect(normal())
    asked = conclude(frame)
    wrong, times = set(), 0
    for argument in inspect.signature(asked).parameters:
        for holder, held in holders(value).items():
            try:
                asked(**{**given, argument: held})
            except Exception as error:  # noqa: BLE001 - refusals of any type
                times += 1
                quotes = any(mark in text for text in told(error) for mark in ("424242", "Marker"))
                if quotes or not isinstance(error, pdp.errors.PrivacyError):
                    wrong.add((argument, holder, type(error).__name__, str(error)[:110]))
    assert sorted(wrong) == []
    assert times > 10


TABLES = {"marginals": {"tables": [{"k": "a"}]}, "plan_marginals": {"tables": [{"k": "a"}]}}


@pytest.mark.parametrize("name", TABLES)
def test_tables_of_mappings_are_refused_by_name(name: str) -> None:
    frame = pdp.Session(epsilon=1, schema=Schema).protect(normal())
    with refused(pdp.errors.UnsupportedArgument):
        getattr(frame.dp, name)(**TABLES[name], epsilon=1)


def test_a_column_of_values_as_aggfunc_is_refused_by_name() -> None:
    frame = pdp.Session(epsilon=1, schema=Schema).protect(normal())
    with refused(pdp.errors.UnsupportedArgument):
        frame.dp.marginals([["k"]], aggfunc=pd.Series(["sum", "mean"]), epsilon=1)
