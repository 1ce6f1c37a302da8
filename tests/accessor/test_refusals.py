"""Every refusal of a question: its class and builtin, its exact sentence, whatever the data, and at no cost."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp import errors

INF, NAN = float("inf"), float("nan")
COLUMNS = "'sex', 'region', 'age', 'income', 'member', 'born', 'wait', 'visits', 'note', 'free'"
STATISTICS = "count, iqr, max, mean, median, min, nunique, quantile, share, size, std, sum, var"
KEYWORDS = (
    "epsilon, delta, rho, width, model, mechanism, draws, confidence, "
    "bootstrap, resample, variance, alpha, bounds, categories, other, numeric_only, group, floor, cells, "
    "scale, further_rows"
)
AGE_OF = "2e-100 and 2e+100 apart"


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
    sentence: str


def age(**keywords: Any) -> Callable[[Doors], Any]:
    return lambda d: d.p["age"].dp.mean(**keywords)


def cost(name: str, value: str, builtin: str = "positive finite number") -> str:
    return f"{name} must be a {builtin}, not {value}."


def unsupported(name: str, ask: Callable[[Doors], Any], sentence: str) -> Refusal:
    return Refusal(name, ask, errors.UnsupportedArgument, TypeError, sentence)


def bad_value(name: str, ask: Callable[[Doors], Any], sentence: str) -> Refusal:
    return Refusal(name, ask, errors.BadArgument, ValueError, sentence)


def bad_cost(name: str, ask: Callable[[Doors], Any], sentence: str) -> Refusal:
    return Refusal(name, ask, errors.BadCost, ValueError, sentence)


COSTS = [
    bad_cost("both", age(epsilon=1, rho=0.1), "epsilon and rho were both given; give one of them."),
    bad_cost(
        "delta alone",
        age(delta=1e-6),
        "delta was given without epsilon; give both, e.g. epsilon=1, delta=1e-6.",
    ),
    bad_cost(
        "rho and delta",
        age(rho=1, delta=1e-6),
        "delta was given without epsilon; give both, e.g. epsilon=1, delta=1e-6.",
    ),
    *[
        bad_cost(f"{name} {value}", age(**{name: value}), cost(name, shown))
        for name in ("epsilon", "rho")
        for value, shown in [
            (True, "True"),
            ("1", "a str"),
            (NAN, "nan"),
            (INF, "inf"),
            (0, "0"),
            (-1, "-1"),
            ([1], "a list"),
        ]
    ],
    bad_cost("a column", lambda d: d.p["age"].dp.mean(epsilon=d.p["age"]), cost("epsilon", "a ProtectedSeries")),
    bad_cost("epsilon tiny", age(epsilon=1e-200), "epsilon must lie between 1e-100 and 1e+100, not 1e-200."),
    *[
        bad_cost(f"delta {value}", age(epsilon=1, delta=value), cost("delta", shown, "number from 0 to below 1"))
        for value, shown in [(1, "1"), (-0.1, "-0.1"), (True, "True"), (NAN, "nan"), ("0", "a str")]
    ],
    bad_cost("width and cost", age(width=3, epsilon=1), "width and a cost were both given; give one of them."),
    Refusal(
        "rho in a pure session",
        lambda d: d.pure["age"].dp.mean(rho=0.2),
        errors.CostNotOffered,
        ValueError,
        "this session counts epsilon; rho=0.2 does not fit it. Give epsilon=.",
    ),
    Refusal(
        "delta in a pure session",
        lambda d: d.pure["age"].dp.mean(epsilon=0.2, delta=1e-7),
        errors.CostNotOffered,
        ValueError,
        "this session counts epsilon without delta; epsilon=0.2, delta=1e-07 does not fit it. "
        "Open it with epsilon and delta, or leave delta out.",
    ),
    Refusal(
        "delta in a rho session",
        lambda d: d.rho["age"].dp.mean(epsilon=0.2, delta=1e-7),
        errors.CostNotOffered,
        ValueError,
        "this session counts rho; epsilon=0.2, delta=1e-07 does not fit it. "
        "Open it with epsilon and delta, or leave delta out.",
    ),
    Refusal(
        "over a pure cap",
        lambda d: d.pure["age"].dp.mean(epsilon=2),
        errors.BudgetExceeded,
        ValueError,
        "asked for epsilon=2, but only epsilon=1 of epsilon=1 is left.",
    ),
    Refusal(
        "over a rho cap",
        lambda d: d.rho["age"].dp.mean(epsilon=2),
        errors.BudgetExceeded,
        ValueError,
        "asked for epsilon=2, which costs rho=2, but only rho=1 of rho=1 is left.",
    ),
    Refusal(
        "over an approximate cap",
        age(epsilon=11),
        errors.BudgetExceeded,
        ValueError,
        "asked for epsilon=11, but only epsilon=10 of epsilon=10, delta=1e-06 is left.",
    ),
]

MECHANISMS = [
    Refusal(
        "laplace for rho",
        age(rho=0.2, mechanism="laplace"),
        errors.CostNotOffered,
        ValueError,
        "mechanism 'laplace' cannot spend rho=0.2; 'gaussian' can, and so can 'auto'.",
    ),
    Refusal(
        "gaussian for epsilon",
        age(epsilon=0.2, mechanism="gaussian"),
        errors.CostNotOffered,
        ValueError,
        "mechanism 'gaussian' cannot spend epsilon=0.2; 'laplace' can, and so can 'auto'.",
    ),
    Refusal(
        "exponential for a mean",
        age(epsilon=0.2, mechanism="exponential"),
        errors.UnknownMechanism,
        ValueError,
        "mechanism 'exponential' is not offered for this question; use one of 'auto', 'laplace', 'gaussian', "
        "'averaged-laplace'; counts also take 'truncated-laplace', 'truncated-normal', 'hellinger'.",
    ),
    Refusal(
        "laplace for a median without delta",
        lambda d: d.p["age"].dp.median(mechanism="laplace", epsilon=1),
        errors.CostNotOffered,
        ValueError,
        "mechanism 'laplace' cannot spend epsilon=1 on quantiles: their smooth sensitivity needs a delta. "
        "Give epsilon with delta, or use 'cauchy' or 'student'.",
    ),
    Refusal(
        "cauchy with delta",
        lambda d: d.p["age"].dp.median(mechanism="cauchy", epsilon=1, delta=1e-8),
        errors.CostNotOffered,
        ValueError,
        "mechanism 'cauchy' cannot spend epsilon=1, delta=1e-08; leave delta out, or use 'laplace'.",
    ),
    Refusal(
        "smooth for next to nothing",
        lambda d: d.p["age"].dp.median(mechanism="smooth", epsilon=1e-7),
        errors.CostNotOffered,
        ValueError,
        "mechanism 'smooth' needs at least epsilon=1e-06 for each value, not epsilon=1e-07; give more, or use 'auto'.",
    ),
    Refusal(
        "gaussian for a median",
        lambda d: d.p["age"].dp.median(mechanism="gaussian"),
        errors.UnknownMechanism,
        ValueError,
        "mechanism 'gaussian' is not offered for quantiles; use one of 'auto', 'exponential', 'smooth', 'cauchy', "
        "'student', 'laplace'.",
    ),
    Refusal(
        "smooth for a mean",
        age(epsilon=0.2, mechanism="smooth"),
        errors.UnknownMechanism,
        ValueError,
        "mechanism 'smooth' is not offered for this question; use one of 'auto', 'laplace', 'gaussian', "
        "'averaged-laplace'; counts also take 'truncated-laplace', 'truncated-normal', 'hellinger'.",
    ),
    Refusal(
        "magic",
        age(mechanism="magic"),
        errors.UnknownMechanism,
        ValueError,
        "mechanism 'magic' is not offered for this question; use one of 'auto', 'laplace', 'gaussian', "
        "'averaged-laplace'; counts also take 'truncated-laplace', 'truncated-normal', 'hellinger'.",
    ),
    bad_value("mechanism 3", age(mechanism=3), "mechanism must be a name, not 3."),
    bad_value("model list", age(model=["dp"]), "model must be a name, not a list."),
    Refusal(
        "idp",
        age(model="idp"),
        errors.UnknownModel,
        ValueError,
        "this session promises 'dp', not 'idp'; open it with Session(..., models=['dp', 'idp']).",
    ),
    Refusal(
        "unknown model",
        age(model="safe"),
        errors.UnknownModel,
        ValueError,
        "model 'safe' is not offered; this version offers 'dp', 'idp', 'bdp'.",
    ),
]

COLUMNS_AND_TYPES = [
    Refusal(
        "no bounds",
        lambda d: d.p["free"].dp.mean(),
        errors.NoBounds,
        ValueError,
        "column 'free' has no declared bounds; declare them in the schema, e.g. Field(ge=0, le=500_000), "
        "or pass bounds=(0, 500_000).",
    ),
    Refusal(
        "no categories",
        lambda d: d.p["note"].dp.value_counts(),
        errors.NoCategories,
        ValueError,
        "column 'note' has no declared categories; declare them in the schema, e.g. "
        'Field(isin=["north", "south"]), or pass categories={\'note\': ["north", "south"]}.',
    ),
    Refusal(
        "unknown key",
        lambda d: d.p.dp.crosstab("sx", "region"),
        errors.UnknownColumn,
        KeyError,
        f"the table has no column of a name that was given; it has {COLUMNS}.",
    ),
    Refusal(
        "unknown variable",
        lambda d: d.p.dp.groupby("sex")["agee"].mean(),
        errors.UnknownColumn,
        KeyError,
        f"the table has no column of a name that was given; it has {COLUMNS}.",
    ),
    Refusal(
        "a mask as columns",
        lambda d: d.p.dp.groupby("sex")[d.p["age"] > 3].mean(),
        errors.UnknownColumn,
        KeyError,
        f"columns are chosen by name, not by a Series; the table has {COLUMNS}.",
    ),
    Refusal(
        "mean of strings",
        lambda d: d.p["note"].dp.mean(),
        errors.UnsupportedType,
        TypeError,
        "column 'note' is declared str; mean needs a number or a time with bounds.",
    ),
    Refusal(
        "sum of datetimes",
        lambda d: d.p["born"].dp.sum(),
        errors.UnsupportedType,
        TypeError,
        "column 'born' holds points in time, which have no sum.",
    ),
    Refusal(
        "var of times",
        lambda d: d.p["wait"].dp.var(),
        errors.UnsupportedType,
        TypeError,
        "column 'wait' holds times, whose variance has no unit in pandas; ask for std.",
    ),
    Refusal(
        "histogram of times",
        lambda d: d.p["born"].dp.histogram(),
        errors.UnsupportedType,
        TypeError,
        "column 'born' holds times; a histogram needs numbers.",
    ),
    Refusal(
        "corr of times",
        lambda d: d.p[["age", "born"]].dp.corr(),
        errors.UnsupportedType,
        TypeError,
        "column 'born' holds times; corr needs numbers.",
    ),
    Refusal(
        "reversed bounds",
        lambda d: d.p["free"].dp.mean(bounds=(1, 0)),
        errors.BadBounds,
        ValueError,
        "bounds of column 'free' must rise; give them as (lower, upper).",
    ),
    Refusal(
        "infinite bounds",
        lambda d: d.p["free"].dp.mean(bounds=(0, INF)),
        errors.BadBounds,
        ValueError,
        "bounds of column 'free' must be finite numbers.",
    ),
    *[
        Refusal(
            f"{name} of {bounds}",
            lambda d, name=name, bounds=bounds: getattr(d.p["free"].dp, name)(bounds=bounds),
            errors.BadBounds,
            ValueError,
            f"bounds of column 'free' must lie between {AGE_OF} for {name}, which adds up squares; rescale the column.",
        )
        for name in ("mean", "var", "std")
        for bounds in [(-1e200, 1e200), (0, 1e-120)]
    ],
    Refusal(
        "cov of a range whose squares overflow",
        lambda d: d.p[["age", "free"]].dp.cov(bounds={"free": (-1e300, 1e300)}),
        errors.BadBounds,
        ValueError,
        f"bounds of column 'free' must lie between {AGE_OF} for cov, which adds up squares; rescale the column.",
    ),
    Refusal(
        "bounds for another column",
        lambda d: d.p["free"].dp.mean(bounds={"age": (0, 1)}),
        errors.UnknownColumn,
        KeyError,
        "bounds= names a column that this question does not use; its columns are: 'free'.",
    ),
]

PANDAS = [
    unsupported(
        "axis",
        lambda d: d.p.dp.mean(axis=1),
        "mean cannot honour axis=1: statistics run down the columns, over people.",
    ),
    unsupported(
        "skipna",
        age(skipna=False),
        "mean cannot honour skipna=False: missing values are dropped, or count as the middle of a range that was "
        "declared without them.",
    ),
    unsupported(
        "dropna",
        lambda d: d.p["sex"].dp.value_counts(dropna=False),
        "value_counts cannot honour dropna=False: a row without a declared category is in no cell; other=True gives "
        "all such rows one.",
    ),
    unsupported(
        "cost of a grouping",
        lambda d: d.p.dp.groupby("sex", epsilon=1),
        "groupby takes categories=, other= and bounds=; epsilon= belongs to the question that follows, "
        "e.g. groupby(...).mean(epsilon=...).",
    ),
    unsupported(
        "ddof of a matrix", lambda d: d.p[["age", "income"]].dp.cov(ddof=True), "cov takes ddof=1 only, not True."
    ),
    unsupported("seed", age(seed=7), "mean cannot honour seed=7: noise comes from the operating system."),
    unsupported(
        "random_state",
        age(random_state=[7]),
        "mean cannot honour random_state= with a list: noise comes from the operating system.",
    ),
    bad_value("numeric_only", age(numeric_only=1), "numeric_only must be True or False, not 1."),
    unsupported(
        "sort",
        lambda d: d.p.dp.groupby("sex", sort=True),
        "groupby cannot honour sort=True: cells stand in their declared order.",
    ),
    unsupported(
        "level",
        lambda d: d.p.dp.groupby("sex", level=0),
        f"groupby has no argument 'level' (keys are columns; the level of an interval is confidence); "
        f"every question takes {KEYWORDS}.",
    ),
    unsupported(
        "eps", age(eps=1), f"mean has no argument 'eps' (did you mean 'epsilon'?); every question takes {KEYWORDS}."
    ),
    unsupported(
        "margins_name",
        lambda d: d.p.dp.crosstab("sex", "region", margins_name="Total"),
        "crosstab cannot honour margins_name='Total': rename the row and the column of the answer.",
    ),
    unsupported(
        "spearman",
        lambda d: d.p[["age", "income"]].dp.corr(method="spearman"),
        "corr cannot honour method='spearman': corr is Pearson's; how replicates are made is resample=, "
        "how a table under bdp is scaled is scale=.",
    ),
    *[
        bad_value(f"ddof {value!r}", lambda d, value=value: d.p["age"].dp.var(ddof=value), sentence)
        for value, sentence in [
            (2, "ddof must be 0 or 1, not 2."),
            (True, "ddof must be 0 or 1, not True."),
            ("1", "ddof must be 0 or 1, not '1'."),
            ([1], "ddof must be 0 or 1, not a list."),
            (np.array([1, 1]), "ddof must be 0 or 1, not an array."),
        ]
    ],
    unsupported("cov ddof", lambda d: d.p[["age", "income"]].dp.cov(ddof=0), "cov takes ddof=1 only, not 0."),
    bad_value("confidence", age(confidence=95), "confidence must lie between 0 and 1, not 95."),
    bad_value(
        "a column as confidence",
        lambda d: d.p["age"].dp.mean(confidence=d.p["age"]),
        "confidence must lie between 0 and 1, not a ProtectedSeries.",
    ),
    bad_value("other", lambda d: d.p["sex"].dp.value_counts(other="x"), "other must be True or False, not 'x'."),
    unsupported(
        "mean other", age(other=True), "mean sorts no rows into cells here, so it takes no other=; leave it out."
    ),
    unsupported(
        "mean categories",
        age(categories=[1, 2]),
        "mean sorts no rows into cells here, so it takes no categories=; leave it out.",
    ),
    unsupported(
        "histogram categories",
        lambda d: d.p["age"].dp.histogram(categories=[1, 2]),
        "histogram sorts no rows into cells here, so it takes no categories=; leave it out.",
    ),
]

RANKS_AND_BINS = [
    *[
        bad_value(
            f"q={value!r}",
            lambda d, value=value: d.p["age"].dp.quantile(value),
            f"q must be a number from 0 to 1, or a list of such, not {shown}.",
        )
        for value, shown in [
            (2, "2"),
            (-0.1, "-0.1"),
            ([0.5, 1.5], "a list"),
            ("half", "'half'"),
            (None, "None"),
            (NAN, "nan"),
            (True, "True"),
            ({0.5}, "a set"),
        ]
    ],
    bad_value(
        "a column as q",
        lambda d: d.p["age"].dp.quantile(d.p["age"]),
        "q must be a number from 0 to 1, or a list of such, not a ProtectedSeries.",
    ),
    bad_value("no q", lambda d: d.p["age"].dp.quantile([]), "q was given as an empty list; name one quantile or more."),
    *[
        Refusal(
            f"bins={value!r}",
            lambda d, value=value: d.p["age"].dp.histogram(value),
            errors.BadBounds,
            ValueError,
            sentence,
        )
        for value, sentence in [
            (0, "bins must be from 1 to 10,000,000, not 0."),
            (10**8, "bins must be from 1 to 10,000,000, not 100000000."),
            ("auto", "bins must be a whole number or a list of rising edges, not 'auto'."),
            (2.5, "bins must be a whole number or a list of rising edges, not 2.5."),
            (True, "bins must be a whole number or a list of rising edges, not True."),
            ({"a": 1}, "bins must be a whole number or a list of rising edges, not a dict."),
            ([3, 2], "edges of bins must be two or more finite numbers that rise."),
            ([3], "edges of bins must be two or more finite numbers that rise."),
            ([3, 3], "edges of bins must be two or more finite numbers that rise."),
            ([3, NAN], "edges of bins must be two or more finite numbers that rise."),
            ([3, "x"], "edges of bins must be two or more finite numbers that rise."),
        ]
    ],
]

NAMES = "takes names of columns as keys; make derived keys columns first."
AGG = "agg takes names of statistics, e.g. ['mean', 'count'], not"
KEYS_AND_STATISTICS = [
    unsupported("function key", lambda d: d.p.dp.groupby(lambda row: row), f"groupby {NAMES}"),
    unsupported("column as key", lambda d: d.p.dp.groupby(d.p["sex"]), f"groupby {NAMES}"),
    unsupported("no key", lambda d: d.p.dp.groupby([]), f"groupby {NAMES}"),
    unsupported("crosstab of columns", lambda d: d.p.dp.crosstab(d.p["sex"], d.p["region"]), f"crosstab {NAMES}"),
    unsupported("list in subset", lambda d: d.p.dp.value_counts([["sex"]]), f"value_counts {NAMES}"),
    unsupported(
        "key twice",
        lambda d: d.p.dp.groupby(["sex", "sex"]).size(),
        "size was given the key 'sex' twice; name it once.",
    ),
    unsupported(
        "key in rows and columns",
        lambda d: d.p.dp.crosstab("sex", "sex"),
        "crosstab was given the key 'sex' twice; name it once.",
    ),
    unsupported(
        "column twice",
        lambda d: d.p.dp.groupby("sex")[["age", "age"]].mean(),
        "mean was given the column 'age' twice; name it once.",
    ),
    unsupported(
        "nothing to measure",
        lambda d: d.p[["sex"]].dp.groupby("sex").mean(),
        "mean was asked of a table without columns to measure.",
    ),
    unsupported("no columns", lambda d: d.p[[]].dp.mean(), "mean was asked of a table without columns to measure."),
    unsupported(
        "list of categories for two keys",
        lambda d: d.p.dp.crosstab("sex", "region", categories=["f", "m"]),
        "categories= was given as one list, but this question has 2 keys; pass a mapping, categories={'sex': [...]}.",
    ),
    unsupported(
        "too many cells",
        lambda d: d.p.dp.crosstab("age", "visits", categories={"age": range(10_000), "visits": range(10_000)}),
        "crosstab would have 100,000,000 cells, and at most 10,000,000 are possible; use fewer keys or categories.",
    ),
    unsupported(
        "unknown statistic",
        lambda d: d.p["age"].dp.agg(["mean", "mode"]),
        f"a statistic that was named is not offered here; choose among {STATISTICS}.",
    ),
    *[
        unsupported(f"{face} agg {name}", ask, f"{AGG} {shown}.")
        for value, name, shown in [
            (np.mean, "function", "a function"),
            ([np.mean], "functions", "a function"),
            (None, "None", "None"),
            (3, "number", "an int"),
            ({"mean"}, "set", "a set"),
            ([["mean"]], "nested", "a list"),
        ]
        for face, ask in [
            ("series", lambda d, value=value: d.p["age"].dp.agg(value)),
            ("frame", lambda d, value=value: d.p[["age"]].dp.agg(value)),
        ]
    ],
    *[
        unsupported(f"{face} agg of {name}", ask, sentence)
        for value, name, sentence in [
            ([], "nothing", "agg was given no statistic; name one or more, e.g. ['mean', 'count']."),
            (["mean", "mean"], "the same twice", "agg was given a statistic twice; name each once."),
        ]
        for face, ask in [
            ("series", lambda d, value=value: d.p["age"].dp.agg(value)),
            ("frame", lambda d, value=value: d.p[["age"]].dp.agg(value)),
            ("groupby", lambda d, value=value: d.p.dp.groupby("sex")["age"].agg(value)),
        ]
    ],
    *[
        unsupported(
            f"groupby agg {name}",
            ask,
            "agg takes either statistics or pairs new=(column, statistic); give one of them.",
        )
        for name, ask in [
            ("of nothing", lambda d: d.p.dp.groupby("sex").agg()),
            ("both ways", lambda d: d.p.dp.groupby("sex").agg("mean", x=("age", "mean"))),
        ]
    ],
    unsupported(
        "triple",
        lambda d: d.p.dp.groupby("sex").agg(x=("age", "mean", 1)),
        "agg takes new=(column, statistic), e.g. average=('age', 'mean').",
    ),
    unsupported(
        "column as pair",
        lambda d: d.p.dp.groupby("sex").agg(x=(d.p["age"], "mean")),
        "agg takes new=(column, statistic), e.g. average=('age', 'mean').",
    ),
    unsupported(
        "margins of means",
        lambda d: d.p.dp.crosstab("sex", "region", values="age", aggfunc="mean", margins=True),
        "margins=True adds cells up, which a table of mean cannot; margins='planned' measures those of means too.",
    ),
    bad_value(
        "margins 1",
        lambda d: d.p.dp.crosstab("sex", "region", margins=1),
        "margins must be True, False, 'planned' or a mapping of shares of the cost, not 1.",
    ),
    unsupported(
        "values alone",
        lambda d: d.p.dp.crosstab("sex", "region", values="age"),
        "crosstab takes values and aggfunc together, or neither.",
    ),
    unsupported(
        "aggfunc function",
        lambda d: d.p.dp.crosstab("sex", "region", values="age", aggfunc=np.mean),
        f"a statistic that was named is not offered here; choose among {STATISTICS}.",
    ),
    unsupported(
        "pivot without values",
        lambda d: d.p.dp.pivot_table(index="sex"),
        "pivot_table needs values= to name one column.",
    ),
    unsupported("pivot without keys", lambda d: d.p.dp.pivot_table("age"), "pivot_table needs index= or columns=."),
    unsupported("cov of one", lambda d: d.p[["age"]].dp.cov(), "cov needs two columns or more."),
]

NOISE_PUBLIC = (
    "width= needs a statistic whose noise is known in advance: counts, sums, and means "
    "over all rows of a whole frame in a column declared without gaps; "
    "this {} is not one. Give epsilon= or rho=."
)
WIDTHS = [
    unsupported("width of a median", lambda d: d.p["age"].dp.median(width=3), NOISE_PUBLIC.format("median")),
    unsupported("width of a std", lambda d: d.p["age"].dp.std(width=3), NOISE_PUBLIC.format("std")),
    unsupported(
        "width of a derived mean",
        lambda d: d.p[d.p["age"] > -1]["age"].dp.mean(width=3),
        NOISE_PUBLIC.format("mean"),
    ),
    *[
        bad_value(f"width {value!r}", age(width=value), f"width must be a positive finite number, not {shown}.")
        for value, shown in [(0, "0"), (-1, "-1"), ("3", "'3'"), (INF, "inf"), (NAN, "nan"), (True, "True")]
    ],
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
    with pytest.raises(pdp.PrivacyError) as caught:
        refusal.ask(doors)
    assert type(caught.value) is refusal.error
    assert isinstance(caught.value, refusal.builtin)
    assert str(caught.value) == refusal.sentence
    assert doors.charges == 0


def test_an_attribute_that_no_face_has_is_an_attribute_error(doors: Doors) -> None:
    with pytest.raises(AttributeError, match="mode"):
        doors.p["age"].dp.mode()


def test_a_refusal_by_the_budget_tells_its_facts_as_attributes(doors: Doors) -> None:
    with pytest.raises(pdp.PrivacyError) as caught:
        doors.pure["age"].dp.mean(epsilon=2)
    assert (caught.value.asked, caught.value.left, caught.value.cap) == (2.0, 1.0, 1.0)


def test_an_unknown_question_is_answered_with_those_that_are_offered(people: pd.DataFrame) -> None:
    with pytest.raises(
        AttributeError, match=r"^\.dp of a Series has no 'mode' \(use value_counts\); it offers count, .*\.$"
    ):
        people["age"].dp.mode()
    with pytest.raises(AttributeError, match=r"^\.dp\.groupby of 'sex' has no 'describe'; it offers size, .*\.$"):
        people.dp.groupby("sex").describe()
    assert not hasattr(people.dp, "mode")


def test_a_grouping_by_an_unknown_column_is_refused_before_any_question(people: pd.DataFrame) -> None:
    with pytest.raises(errors.UnknownColumn, match="no column of a name"):
        people.dp.groupby("sx")


def test_a_statistic_of_a_whole_table_says_how_to_leave_columns_out(people: pd.DataFrame) -> None:
    with pytest.raises(errors.PrivacyError, match=r"Or choose columns, .* numeric_only=True\.$"):
        people.dp.mean()


def test_bounds_of_another_sort_than_the_declared_column_holds_are_refused(people: pd.DataFrame) -> None:
    pair = (pd.Timestamp("2020-01-01"), pd.Timestamp("2021-01-01"))
    with pytest.raises(errors.BadBounds, match="is declared int64, and bounds of points in time do not fit it"):
        people["age"].dp.mean(bounds=pair, epsilon=0.1)
    with pytest.raises(errors.BadBounds, match="is declared str, and bounds of numbers do not fit it"):
        people["sex"].dp.mean(bounds=(0, 1), epsilon=0.1)
    assert len(people["sex"].str.len().dp.mean(bounds=(0, 9), epsilon=0.1)) == 1  # derived: another column now


def test_a_category_named_other_leaves_no_name_for_the_rest(people: pd.DataFrame) -> None:
    with pytest.raises(errors.BadBounds, match="has a category 'other' already"):
        people["region"].dp.value_counts(categories=["north", "other"], other=True, epsilon=0.1)


def test_what_belongs_to_brackets_is_said(people: pd.DataFrame) -> None:
    with pytest.raises(errors.UnsupportedArgument, match=r"df\['age'\]\.dp"):
        people.dp["age"]
    with pytest.raises(AttributeError, match=r"groupby\(\.\.\.\)\['age'\]"):
        getattr(people.dp.groupby("sex"), "age")  # noqa: B009
    with pytest.raises(errors.BadArgument, match="one q"):
        people.dp.groupby("sex")["age"].quantile([0.1, 0.2])
    with pytest.raises(AttributeError, match=r"pandas' own: write release\.to_csv"):
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
        ("hist", "use histogram"),
        ("meen", "did you mean 'mean'?"),
        ("guarantee", "it concludes from a release, and this table is none"),
    ],
)
def test_a_name_that_is_nearly_right_is_answered_with_a_hint(people: pd.DataFrame, name: str, hint: str) -> None:
    with pytest.raises(AttributeError, match=re.escape(hint)):
        getattr(people["age"].dp, name)


def test_a_plan_of_what_was_asked_already_or_asks_nothing_is_refused(
    session: pdp.Session, people: pd.DataFrame
) -> None:
    answer = people["age"].dp.mean(epsilon=1)
    with pytest.raises(errors.UnsupportedArgument, match="has already been run and paid for"):
        session.plan(answer)
    with pytest.raises(errors.UnsupportedArgument, match=r"asks nothing of \.dp"):
        session.plan(lambda: people["age"].mean())
