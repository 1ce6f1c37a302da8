"""What formulas are read as, and what is no formula of a regression."""

from __future__ import annotations

import sys

import pytest

from pandas_dp.errors import MissingExtra, UnsupportedArgument
from pandas_dp.models.ask import Factor, formula_of
from tests.refusals import refused


def terms(text: str) -> list[tuple[str, ...]]:
    return [tuple(map(str, term)) for term in formula_of("ols", text).terms]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("wage ~ school + age + C(region)", [("school",), ("age",), ("C(region)",)]),
        ("wage ~ school*union", [("school",), ("union",), ("school", "union")]),
        ("wage ~ (a + b + c)**2", [("a",), ("b",), ("c",), ("a", "b"), ("a", "c"), ("b", "c")]),
        ("wage ~ a:b + a", [("a",), ("a", "b")]),
        ("wage ~ a + b - b", [("a",)]),
        ("wage ~ `years of school` + C(`home town`)", [("years of school",), ("C(home town)",)]),
        ("wage ~ 1", []),
        ("wage ~ np.log(school) + I( school**2 )", [("np.log(school)",), ("I(school ** 2)",)]),
        ("wage ~ poly(school, 3, raw=True)", [("school",), ("I(school ** 2)",), ("I(school ** 3)",)]),
        ("wage ~ poly(school, 2) + school", [("school",), ("I(school ** 2)",)]),
        ("wage ~ I(np.log(school) ** 2) + {school / 10}", [("I(np.log(school) ** 2)",), ("school / 10",)]),
        ("wage ~ I(`years of school` ** 2)", [("I(years of school ** 2)",)]),
    ],
)
def test_a_formula_is_a_response_and_its_terms(text, found):
    assert terms(text) == found
    assert formula_of("ols", text).response == "wage"


@pytest.mark.parametrize(("text", "there"), [("y ~ x", True), ("y ~ x - 1", False), ("y ~ 0 + x", False)])
def test_the_constant_is_there_unless_it_is_taken_away(text, there):
    assert formula_of("ols", text).intercept is there


def test_instruments_stand_behind_what_they_explain():
    formula = formula_of("ols", "wage ~ age + [school ~ near + fee]")
    assert [tuple(map(str, term)) for term in formula.terms] == [("age",), ("school",)]
    assert formula.endogenous == (Factor("school"),)
    assert [tuple(map(str, term)) for term in formula.instruments] == [("near",), ("fee",)]
    assert str(formula) == "wage ~ age + [school ~ near + fee]"


def test_a_list_of_columns_needs_no_parser(monkeypatch):
    monkeypatch.setitem(sys.modules, "formulaic.parser", None)
    formula = formula_of("ols", "wage", ["school", 7])
    assert formula.columns == ("wage", "school", 7)
    with refused(MissingExtra):
        formula_of("ols", "wage ~ school")


@pytest.mark.parametrize(
    "text",
    [
        "wage ~ np.sin(school)",
        "wage ~ I(school**7)",
        "wage ~ poly(school, 9)",
        "wage ~ I(school**2):age",
        "I(wage**2) ~ school",
        "wage ~ I(school.sum())",
        "wage ~ center(school)",
        "wage ~ bs(age, df=4)",
        "wage ~ C(region, Treatment(reference='e'))",
        "wage",
        "wage ~ school +",
        "wage ~ .",
        "~ school",
        "wage + tips ~ school",
        "C(region) ~ school",
        "wage ~ school | age",
        "wage ~ wage + school",
        "wage ~ a:b:c",
        "wage ~ 0",
        "wage ~ [school + age ~ near]",
        "wage ~ __import__('os').getcwd()",
    ],
)
def test_what_a_formula_may_not_hold_is_refused(text):
    with refused(UnsupportedArgument, text):
        formula_of("ols", text)


def test_nothing_in_a_formula_is_evaluated():
    seen = []

    def record(value):
        seen.append(value)
        return value

    for text in ("wage ~ record(1)", "wage ~ C(record(1))", "wage ~ {record(1)}"):
        with pytest.raises(UnsupportedArgument):
            formula_of("ols", text)
    assert record(2) == 2
    assert seen == [2]


@pytest.mark.parametrize("regressors", ["school", 3, ["school", "school"], [["school"]], ["wage"]])
def test_a_list_of_regressors_names_columns_once(regressors):
    with refused(UnsupportedArgument, repr(regressors)):
        formula_of("ols", "wage", regressors)
