"""Every refusal of a question: its class and builtin, its exact sentence, whatever the data, and at no cost."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp import errors
from tests.refusals import refused

INF, NAN = float("inf"), float("nan")


@dataclass
class Doors:
    """The same people in a session of each kind."""

    p: pd.DataFrame  # epsilon=10, delta=1e-6
    pure: pd.DataFrame  # epsilon=1
    rho: pd.DataFrame  # rho=1
    data: pd.DataFrame
    sessions: list[pdp.Session]

    @property
    def charges(self) -> int:
        return sum(len(session.ledger) for session in self.sessions)


@pytest.fixture(params=[1, 2])
def doors(request: Any, schema: Any, table: Callable[..., pd.DataFrame]) -> Iterator[Doors]:
    data = table(40 * request.param, seed=request.param)
    caps: list[dict[str, Any]] = [{"epsilon": 10, "delta": 1e-6}, {"epsilon": 1}, {"rho": 1}]
    sessions = [pdp.Session(schema=schema, **cap) for cap in caps]
    frames = [session.protect(data) for session in sessions]
    yield Doors(*frames, data=data, sessions=sessions)
    for session in sessions:
        session.close()


@dataclass
class Refusal:
    name: str
    ask: Callable[[Doors], Any]
    error: type[Exception]
    builtin: type[Exception]


def age(**keywords: Any) -> Callable[[Doors], Any]:
    return lambda d: d.p["age"].dp.mean(**keywords)


def unsupported(name: str, ask: Callable[[Doors], Any]) -> Refusal:
    return Refusal(name, ask, errors.UnsupportedArgument, TypeError)


def bad_value(name: str, ask: Callable[[Doors], Any]) -> Refusal:
    return Refusal(name, ask, errors.BadArgument, ValueError)


def bad_cost(name: str, ask: Callable[[Doors], Any]) -> Refusal:
    return Refusal(name, ask, errors.BadCost, ValueError)


COSTS = [
    bad_cost("both", age(epsilon=1, rho=0.1)),
    bad_cost(
        "delta alone",
        age(delta=1e-6),
    ),
    Refusal(
        "rho and delta",
        age(rho=1, delta=1e-6),
        errors.CostNotOffered,
        ValueError,
    ),
    *[
        bad_cost(f"{name} {value}", age(**{name: value}))
        for name in ("epsilon", "rho")
        for value in [
            True,
            "1",
            NAN,
            INF,
            0,
            -1,
            [1],
        ]
    ],
    bad_cost("a column", lambda d: d.p["age"].dp.mean(epsilon=d.p["age"])),
    bad_cost("epsilon tiny", age(epsilon=1e-200)),
    *[bad_cost(f"delta {value}", age(epsilon=1, delta=value)) for value in [1, -0.1, True, NAN, "0"]],
    bad_cost("width and cost", age(width=3, epsilon=1)),
    Refusal(
        "rho in a pure session",
        lambda d: d.pure["age"].dp.mean(rho=0.2),
        errors.CostNotOffered,
        ValueError,
    ),
    Refusal(
        "delta in a pure session",
        lambda d: d.pure["age"].dp.mean(epsilon=0.2, delta=1e-7),
        errors.CostNotOffered,
        ValueError,
    ),
    Refusal(
        "delta in a rho session",
        lambda d: d.rho["age"].dp.mean(epsilon=0.2, delta=1e-7),
        errors.CostNotOffered,
        ValueError,
    ),
    Refusal(
        "over a pure cap",
        lambda d: d.pure["age"].dp.mean(epsilon=2),
        errors.BudgetExceeded,
        ValueError,
    ),
    Refusal(
        "over a rho cap",
        lambda d: d.rho["age"].dp.mean(epsilon=2),
        errors.BudgetExceeded,
        ValueError,
    ),
    Refusal(
        "over an approximate cap",
        age(epsilon=11),
        errors.BudgetExceeded,
        ValueError,
    ),
]

MECHANISMS = [
    Refusal(
        "laplace for rho",
        age(rho=0.2, mechanism="laplace"),
        errors.CostNotOffered,
        ValueError,
    ),
    Refusal(
        "gaussian for epsilon",
        age(epsilon=0.2, mechanism="gaussian"),
        errors.CostNotOffered,
        ValueError,
    ),
    Refusal(
        "exponential for a mean",
        age(epsilon=0.2, mechanism="exponential"),
        errors.UnknownMechanism,
        ValueError,
    ),
    Refusal(
        "laplace for a median without delta",
        lambda d: d.p["age"].dp.median(mechanism="laplace", epsilon=1),
        errors.CostNotOffered,
        ValueError,
    ),
    Refusal(
        "cauchy with delta",
        lambda d: d.p["age"].dp.median(mechanism="cauchy", epsilon=1, delta=1e-8),
        errors.CostNotOffered,
        ValueError,
    ),
    Refusal(
        "smooth for next to nothing",
        lambda d: d.p["age"].dp.median(mechanism="smooth", epsilon=1e-7),
        errors.CostNotOffered,
        ValueError,
    ),
    Refusal(
        "gaussian for a median",
        lambda d: d.p["age"].dp.median(mechanism="gaussian"),
        errors.UnknownMechanism,
        ValueError,
    ),
    Refusal(
        "smooth for a mean",
        age(epsilon=0.2, mechanism="smooth"),
        errors.UnknownMechanism,
        ValueError,
    ),
    Refusal(
        "magic",
        age(mechanism="magic"),
        errors.UnknownMechanism,
        ValueError,
    ),
    bad_value("mechanism 3", age(mechanism=3)),
    bad_value("model list", age(model=["dp"])),
    Refusal(
        "idp",
        age(model="idp"),
        errors.UnknownModel,
        ValueError,
    ),
    Refusal(
        "unknown model",
        age(model="safe"),
        errors.UnknownModel,
        ValueError,
    ),
]

COLUMNS_AND_TYPES = [
    Refusal(
        "no bounds",
        lambda d: d.p["free"].dp.mean(),
        errors.NoBounds,
        ValueError,
    ),
    Refusal(
        "no categories",
        lambda d: d.p["note"].dp.value_counts(),
        errors.NoCategories,
        ValueError,
    ),
    Refusal(
        "unknown key",
        lambda d: d.p.dp.crosstab("sx", "region"),
        errors.UnknownColumn,
        KeyError,
    ),
    Refusal(
        "unknown variable",
        lambda d: d.p.dp.groupby("sex")["agee"].mean(),
        errors.UnknownColumn,
        KeyError,
    ),
    Refusal(
        "a mask as columns",
        lambda d: d.p.dp.groupby("sex")[d.p["age"] > 3].mean(),
        errors.UnknownColumn,
        KeyError,
    ),
    Refusal(
        "mean of strings",
        lambda d: d.p["note"].dp.mean(),
        errors.UnsupportedType,
        TypeError,
    ),
    Refusal(
        "sum of datetimes",
        lambda d: d.p["born"].dp.sum(),
        errors.UnsupportedType,
        TypeError,
    ),
    Refusal(
        "var of times",
        lambda d: d.p["wait"].dp.var(),
        errors.UnsupportedType,
        TypeError,
    ),
    Refusal(
        "histogram of times",
        lambda d: d.p["born"].dp.histogram("fortnightly"),
        errors.BadBounds,
        ValueError,
    ),
    Refusal(
        "corr of times",
        lambda d: d.p[["age", "born"]].dp.corr(),
        errors.UnsupportedType,
        TypeError,
    ),
    Refusal(
        "reversed bounds",
        lambda d: d.p["free"].dp.mean(bounds=(1, 0)),
        errors.BadBounds,
        ValueError,
    ),
    Refusal(
        "infinite bounds",
        lambda d: d.p["free"].dp.mean(bounds=(0, INF)),
        errors.BadBounds,
        ValueError,
    ),
    *[
        Refusal(
            f"{name} of {bounds}",
            lambda d, name=name, bounds=bounds: getattr(d.p["free"].dp, name)(bounds=bounds),
            errors.BadBounds,
            ValueError,
        )
        for name in ("mean", "var", "std")
        for bounds in [(-1e200, 1e200), (0, 1e-120)]
    ],
    Refusal(
        "cov of a range whose squares overflow",
        lambda d: d.p[["age", "free"]].dp.cov(bounds={"free": (-1e300, 1e300)}),
        errors.BadBounds,
        ValueError,
    ),
    Refusal(
        "bounds for another column",
        lambda d: d.p["free"].dp.mean(bounds={"age": (0, 1)}),
        errors.UnknownColumn,
        KeyError,
    ),
]

PANDAS = [
    unsupported(
        "axis",
        lambda d: d.p.dp.mean(axis=1),
    ),
    unsupported(
        "skipna",
        age(skipna=False),
    ),
    unsupported(
        "dropna",
        lambda d: d.p["sex"].dp.value_counts(dropna=False),
    ),
    unsupported(
        "cost of a grouping",
        lambda d: d.p.dp.groupby("sex", epsilon=1),
    ),
    unsupported("ddof of a matrix", lambda d: d.p[["age", "income"]].dp.cov(ddof=True)),
    unsupported("seed", age(seed=7)),
    unsupported(
        "random_state",
        age(random_state=[7]),
    ),
    bad_value("numeric_only", age(numeric_only=1)),
    unsupported(
        "level",
        lambda d: d.p.dp.groupby("sex", level=0),
    ),
    unsupported("eps", age(eps=1)),
    bad_value("rownames", lambda d: d.p.dp.crosstab("sex", "region", rownames=["a", "b"])),
    unsupported("resample without on", lambda d: d.p.dp.resample("MS")),
    Refusal("frequency", lambda d: d.p.dp.resample("2MS", on="born"), errors.NotFollowed, TypeError),
    unsupported("grouper of rows", lambda d: d.p.dp.groupby(pd.Grouper(key="born", freq="MS", closed="right"))),
    unsupported("margins of several", lambda d: d.p.dp.pivot_table(["age", "income"], "sex", margins=True)),
    unsupported(
        "spearman",
        lambda d: d.p[["age", "income"]].dp.corr(method="spearman"),
    ),
    *[
        bad_value(f"ddof {value!r}", lambda d, value=value: d.p["age"].dp.var(ddof=value))
        for value in [
            2,
            True,
            "1",
            [1],
            np.array([1, 1]),
        ]
    ],
    unsupported("cov ddof", lambda d: d.p[["age", "income"]].dp.cov(ddof=0)),
    bad_value("confidence", age(confidence=95)),
    bad_value(
        "a column as confidence",
        lambda d: d.p["age"].dp.mean(confidence=d.p["age"]),
    ),
    bad_value("other", lambda d: d.p["sex"].dp.value_counts(other="x")),
    unsupported("mean other", age(other=True)),
    unsupported(
        "mean categories",
        age(categories=[1, 2]),
    ),
    unsupported(
        "histogram categories",
        lambda d: d.p["age"].dp.histogram(categories=[1, 2]),
    ),
]

RANKS_AND_BINS = [
    *[
        bad_value(
            f"q={value!r}",
            lambda d, value=value: d.p["age"].dp.quantile(value),
        )
        for value in [
            2,
            -0.1,
            [0.5, 1.5],
            "half",
            None,
            NAN,
            True,
            {0.5},
        ]
    ],
    bad_value(
        "a column as q",
        lambda d: d.p["age"].dp.quantile(d.p["age"]),
    ),
    bad_value("no q", lambda d: d.p["age"].dp.quantile([])),
    *[
        Refusal(
            f"bins={value!r}",
            lambda d, value=value: d.p["age"].dp.histogram(value),
            errors.BadBounds,
            ValueError,
        )
        for value in [
            0,
            10**8,
            "auto",
            2.5,
            True,
            {"a": 1},
            [3, 2],
            [3],
            [3, 3],
            [3, NAN],
            [3, "x"],
        ]
    ],
]

KEYS_AND_STATISTICS = [
    unsupported("function key", lambda d: d.p.dp.groupby(lambda row: row)),
    Refusal("key not followed", lambda d: d.p.dp.groupby(d.p["age"].rank()), errors.NotFollowed, TypeError),
    unsupported("no key", lambda d: d.p.dp.groupby([])),
    unsupported("list in subset", lambda d: d.p.dp.value_counts([["sex"]])),
    unsupported(
        "key twice",
        lambda d: d.p.dp.groupby(["sex", "sex"]).size(),
    ),
    unsupported(
        "key in rows and columns",
        lambda d: d.p.dp.crosstab("sex", "sex"),
    ),
    unsupported(
        "column twice",
        lambda d: d.p.dp.groupby("sex")[["age", "age"]].mean(),
    ),
    unsupported(
        "nothing to measure",
        lambda d: d.p[["sex"]].dp.groupby("sex").mean(),
    ),
    unsupported("no columns", lambda d: d.p[[]].dp.mean()),
    unsupported(
        "list of categories for two keys",
        lambda d: d.p.dp.crosstab("sex", "region", categories=["f", "m"]),
    ),
    unsupported(
        "too many cells",
        lambda d: d.p.dp.crosstab("age", "visits", categories={"age": range(10_000), "visits": range(10_000)}),
    ),
    unsupported(
        "unknown statistic",
        lambda d: d.p["age"].dp.agg(["mean", "mode"]),
    ),
    *[
        unsupported(f"{accessor} agg {name}", ask)
        for (value, name) in [
            (np.ptp, "function"),
            ([np.ptp], "functions"),
            (None, "None"),
            (3, "number"),
            ({"mean"}, "set"),
            ([["mean"]], "nested"),
        ]
        for accessor, ask in [
            ("series", lambda d, value=value: d.p["age"].dp.agg(value)),
            ("frame", lambda d, value=value: d.p[["age"]].dp.agg(value)),
        ]
    ],
    *[
        unsupported(f"{accessor} agg of {name}", ask)
        for (value, name) in [
            ([], "nothing"),
            (["mean", "mean"], "the same twice"),
        ]
        for accessor, ask in [
            ("series", lambda d, value=value: d.p["age"].dp.agg(value)),
            ("frame", lambda d, value=value: d.p[["age"]].dp.agg(value)),
            ("groupby", lambda d, value=value: d.p.dp.groupby("sex")["age"].agg(value)),
        ]
    ],
    *[
        unsupported(
            f"groupby agg {name}",
            ask,
        )
        for name, ask in [
            ("without anything", lambda d: d.p.dp.groupby("sex").agg()),
            ("both ways", lambda d: d.p.dp.groupby("sex").agg("mean", x=("age", "mean"))),
        ]
    ],
    unsupported(
        "triple",
        lambda d: d.p.dp.groupby("sex").agg(x=("age", "mean", 1)),
    ),
    unsupported(
        "column as pair",
        lambda d: d.p.dp.groupby("sex").agg(x=(d.p["age"], "mean")),
    ),
    unsupported(
        "margins of medians",
        lambda d: d.p.dp.crosstab("sex", "region", values="age", aggfunc="median", margins=True),
    ),
    bad_value(
        "margins 1",
        lambda d: d.p.dp.crosstab("sex", "region", margins=1),
    ),
    unsupported(
        "values alone",
        lambda d: d.p.dp.crosstab("sex", "region", values="age"),
    ),
    unsupported(
        "aggfunc function",
        lambda d: d.p.dp.crosstab("sex", "region", values="age", aggfunc=np.ptp),
    ),
    unsupported("pivot without keys", lambda d: d.p.dp.pivot_table("age")),
    unsupported("cov of one", lambda d: d.p[["age"]].dp.cov()),
]

WIDTHS = [
    unsupported("width of a median", lambda d: d.p["age"].dp.median(width=3)),
    unsupported("width of a std", lambda d: d.p["age"].dp.std(width=3)),
    unsupported(
        "width of a derived mean",
        lambda d: d.p[d.p["age"] > -1]["age"].dp.mean(width=3),
    ),
    *[bad_value(f"width {value!r}", age(width=value)) for value in [0, -1, "3", INF, NAN, True]],
]

EVERY = [
    *COSTS,
    *MECHANISMS,
    *COLUMNS_AND_TYPES,
    *PANDAS,
    *RANKS_AND_BINS,
    *KEYS_AND_STATISTICS,
    *WIDTHS,
]


@pytest.mark.parametrize("refusal", EVERY, ids=[refusal.name for refusal in EVERY])
def test_a_refusal_says_what_is_wrong_in_the_same_words_whatever_the_data_and_charges_nothing(
    doors: Doors, refusal: Refusal
) -> None:
    with refused(pdp.PrivacyError, refusal.name) as caught:
        refusal.ask(doors)
    assert type(caught.value) is refusal.error
    assert isinstance(caught.value, refusal.builtin)
    assert doors.charges == 0


def test_an_attribute_that_no_face_has_is_an_attribute_error(doors: Doors) -> None:
    with refused(AttributeError):
        doors.p["age"].dp.head()


def test_a_refusal_by_the_budget_tells_its_facts_as_attributes(doors: Doors) -> None:
    with pytest.raises(pdp.PrivacyError) as caught:
        doors.pure["age"].dp.mean(epsilon=2)
    assert (caught.value.asked, caught.value.left, caught.value.cap) == (2.0, 1.0, 1.0)


def test_an_unknown_question_is_answered_with_those_that_are_offered(people: pd.DataFrame) -> None:
    with refused(AttributeError, ".dp of a Series has no 'head' (rows are never released); it offers"):
        people["age"].dp.head()
    with refused(AttributeError, ".dp.groupby of 'sex' has no 'cdf'; it offers size, .*."):
        people.dp.groupby("sex").cdf()
    assert not hasattr(people.dp, "head")


def test_a_grouping_by_an_unknown_column_is_refused_before_any_question(people: pd.DataFrame) -> None:
    with refused(errors.UnknownColumn):
        people.dp.groupby("sx")


def test_a_statistic_of_a_whole_table_says_how_to_leave_columns_out(people: pd.DataFrame) -> None:
    with refused(errors.PrivacyError):
        people.dp.mean()


def test_bounds_of_another_sort_than_the_declared_column_holds_are_refused(people: pd.DataFrame) -> None:
    pair = (pd.Timestamp("2020-01-01"), pd.Timestamp("2021-01-01"))
    with refused(errors.BadBounds, "is declared int64, and bounds of points in time do not fit"):
        people["age"].dp.mean(bounds=pair, epsilon=0.1)
    with refused(errors.BadBounds, "is declared str, and bounds of numbers do not fit it"):
        people["sex"].dp.mean(bounds=(0, 1), epsilon=0.1)
    assert len(people["sex"].str.len().dp.mean(bounds=(0, 9), epsilon=0.1)) == 1  # derived: another column now


def test_a_category_named_other_leaves_no_name_for_the_rest(people: pd.DataFrame) -> None:
    with refused(errors.BadBounds):
        people["region"].dp.value_counts(categories=["north", "other"], other=True, epsilon=0.1)


def test_what_belongs_to_brackets_is_said(people: pd.DataFrame) -> None:
    with refused(AttributeError, "pandas' own: write release.to_csv"):
        people["age"].dp.mean(epsilon=0.1).dp.to_csv("age.csv")


@pytest.mark.parametrize(
    "argument", ["models", "neighbours", "name", "ledger", "per_query", "epsilon", "delta", "unit", "custodian"]
)
@pytest.mark.parametrize("wrapped", [False, True])
def test_a_column_given_to_a_session_by_mistake_is_in_no_message_and_no_fact(argument: str, wrapped: bool) -> None:
    private = pd.Series(["canary", "canary"])
    cap = {} if argument == "epsilon" else {"epsilon": 1}
    with pytest.raises(errors.PrivacyError) as caught:
        pdp.Session(**{**cap, argument: [private] if wrapped else private})  # type: ignore[arg-type]
    assert "canary" not in str(caught.value) + repr(vars(caught.value))
    assert all(isinstance(fact, str | int | float | bool | None) for fact in vars(caught.value).values())


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("percentile", "use quantile"),
        ("meen", "did you mean 'mean'?"),
        ("guarantee", "it concludes from a release, and this table is none"),
    ],
)
def test_a_name_that_is_nearly_right_is_answered_with_a_hint(people: pd.DataFrame, name: str, hint: str) -> None:
    with refused(AttributeError, hint):
        getattr(people["age"].dp, name)


def test_a_plan_of_what_was_asked_already_or_asks_nothing_is_refused(
    session: pdp.Session, people: pd.DataFrame
) -> None:
    answer = people["age"].dp.mean(epsilon=1)
    with refused(errors.UnsupportedArgument, "was asked already, and paid for"):
        session.plan(answer)
    with refused(errors.UnsupportedArgument, "asks nothing of .dp"):
        session.plan(lambda: people["age"].mean())
