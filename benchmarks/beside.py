"""Questions about one table, a row a person, asked of pandas-dp, OpenDP and diffprivlib in one run: error and time.

`make rivals` runs it; `python -m benchmarks.beside [ROWS [REPETITIONS]]` otherwise. Every question costs epsilon 1 of
its own; one row comes or goes (diffprivlib takes the number of rows as public in means and quantiles). Bounds are the
same and tuned to nobody. Each is asked as its own documentation asks.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

import diffprivlib
import numpy as np
import opendp.prelude as dp
import pandas as pd
import polars as pl

import pandas_dp as pdp

EPSILON = 1.0
TOP = 200_000
REGIONS, JOBS = list("abcdef"), list("uvwxyz")
QUANTILES = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]
BINS = np.linspace(0, TOP, 41)
QUESTIONS = ("mean", "median", "nine quantiles", "histogram", "crosstab", "regression")

Answers = np.ndarray[Any, np.dtype[np.float64]]
Asked = dict[str, Callable[[], Answers]]


def table(rows: int) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    school = rng.integers(6, 21, rows).astype(float)
    income = np.minimum(np.rint(np.exp(rng.normal(9.3 + 0.08 * school, 0.6, rows))), TOP)
    keys = {"region": np.array(REGIONS)[rng.integers(0, 6, rows)], "job": np.array(JOBS)[rng.integers(0, 6, rows)]}
    return pd.DataFrame({"school": school, "income": income, **keys})


def truth(data: pd.DataFrame) -> dict[str, Answers]:
    x = np.column_stack([np.ones(len(data)), data["school"]])
    found = {
        "mean": [data["income"].mean()],
        "median": [data["income"].median()],
        "nine quantiles": data["income"].quantile(QUANTILES),
        "histogram": np.histogram(data["income"], BINS)[0],
        "crosstab": pd.crosstab(data["region"], data["job"]).to_numpy().ravel(),
        "regression": np.linalg.lstsq(x, data["income"], rcond=None)[0][1:],
    }
    return {name: np.asarray(values, float) for name, values in found.items()}


class PandasDP:
    name = f"pandas-dp {version('pandas-dp')}"

    def __init__(self, data: pd.DataFrame) -> None:
        self.rows = pdp.Session(epsilon=EPSILON * 10**6, neighbours="add_remove").protect(data)

    def asked(self) -> Asked:
        income, price = self.rows["income"].dp, {"epsilon": EPSILON}
        bounds: Any = {"bounds": (0, TOP), **price}
        both: Any = {"bounds": {"income": (0, TOP), "school": (6, 20)}, **price}
        keys = {"region": REGIONS, "job": JOBS}
        return {
            "mean": lambda: _first(income.mean(**bounds)),
            "median": lambda: _first(income.median(**bounds)),
            "nine quantiles": lambda: _first(income.quantile(QUANTILES, **bounds)),
            "histogram": lambda: _first(income.histogram(BINS, **bounds)),
            "crosstab": lambda: (
                self.rows.dp.crosstab("region", "job", categories=keys, **price).to_numpy(float).ravel()
            ),
            "regression": lambda: _first(self.rows.dp.ols("income", ["school"], **both))[1:],
        }


class OpenDP:
    name = f"OpenDP {version('opendp')}"

    def __init__(self, data: pd.DataFrame) -> None:
        dp.enable_features("contrib")
        self.data = pl.from_pandas(data).lazy()

    @property
    def context(self) -> Any:
        """A budget for one answer: many answers of one budget cost a search each time."""
        return dp.Context.compositor(
            data=self.data,
            privacy_unit=dp.unit_of(contributions=1),
            privacy_loss=dp.loss_of(epsilon=EPSILON),
            split_evenly_over=1,
            margins=[dp.polars.Margin(max_length=10**7)],
        )

    def asked(self) -> Asked:
        income = pl.col("income")
        keys = pl.LazyFrame({"region": np.repeat(REGIONS, 6), "job": JOBS * 6})
        grid = np.linspace(0, TOP, 20_001).tolist()

        def selected(expression: Any) -> Answers:
            return np.asarray(self.context.query().select(expression).release().collect().row(0), float)

        def cells() -> Answers:
            query = self.context.query().group_by(["region", "job"]).agg(dp.len()).with_keys(keys)
            return query.release().collect().sort(["region", "job"])["len"].to_numpy().astype(float)

        def bins() -> Answers:
            labels = [f"{place:02d}" for place in range(40)]
            query = self.context.query().with_columns(income.cut(BINS[1:-1].tolist(), labels=labels).alias("bin"))
            query = (
                query.group_by("bin")
                .agg(dp.len())
                .with_keys(pl.LazyFrame({"bin": labels}, schema={"bin": pl.Categorical}))
            )
            found = query.release().collect()
            return found.sort(pl.col("bin").cast(pl.String))["len"].to_numpy().astype(float)

        def quantiles() -> Answers:
            several = [income.fill_null(0.0).dp.quantile(q, grid).alias(str(q)) for q in QUANTILES]
            return selected(several)

        return {
            "mean": lambda: selected(income.fill_null(0.0).fill_nan(0.0).dp.mean((0.0, float(TOP)))),
            "median": lambda: selected(income.fill_null(0.0).fill_nan(0.0).dp.median(grid)),
            "nine quantiles": quantiles,
            "histogram": bins,
            "crosstab": cells,
        }


class Diffprivlib:
    name = f"diffprivlib {version('diffprivlib')}"

    def __init__(self, data: pd.DataFrame) -> None:
        self.data, self.income = data, data["income"].to_numpy()
        self.school = data[["school"]].to_numpy()
        self.codes = [pd.Categorical(data[key]).codes.astype(float) for key in ("region", "job")]

    def asked(self) -> Asked:
        tools, bounds = diffprivlib.tools, {"bounds": (0, TOP), "epsilon": EPSILON}

        def slope() -> Answers:
            model = diffprivlib.models.LinearRegression(epsilon=EPSILON, bounds_X=(6, 20), bounds_y=(0, TOP))
            return np.asarray(model.fit(self.school, self.income).coef_, float)

        def cells() -> Answers:
            found = tools.histogram2d(*self.codes, epsilon=EPSILON, bins=6, range=[(-0.5, 5.5)] * 2)
            return np.asarray(found[0], float).ravel()

        return {
            "mean": lambda: np.array([tools.mean(self.income, **bounds)]),
            "median": lambda: np.array([tools.median(self.income, **bounds)]),
            "nine quantiles": lambda: np.asarray(tools.quantile(self.income, QUANTILES, **bounds), float),
            "histogram": lambda: np.asarray(tools.histogram(self.income, EPSILON, bins=BINS)[0], float),
            "crosstab": cells,
            "regression": slope,
        }


def _first(release: Any) -> Answers:
    return release.iloc[:, 0].to_numpy(float)


def main(rows: int, repetitions: int) -> None:
    warnings.simplefilter("ignore")
    data = table(rows)
    true = truth(data)
    found: dict[tuple[str, str], tuple[float, float]] = {}
    sides = [side(data) for side in (PandasDP, OpenDP, Diffprivlib)]
    for side in sides:
        for question, ask in side.asked().items():
            answers, start = [], time.process_time()
            for _ in range(repetitions):
                answers.append(ask())
            spent = (time.process_time() - start) / repetitions
            error = np.sqrt(np.mean((np.array(answers) - true[question]) ** 2))
            found[question, side.name] = error, spent
    print(
        f"{rows:,} rows, epsilon 1 a question, {repetitions} answers each: root mean square error, milliseconds of CPU"
    )
    for question in QUESTIONS:
        for side in sides:
            error, spent = found.get((question, side.name), (np.nan, np.nan))
            told = "not offered" if np.isnan(error) else f"{error:12,.4g} {1e3 * spent:9.2f} ms"
            print(f"{question:16} {side.name:22} {told}")


if __name__ == "__main__":
    given = [int(float(text)) for text in sys.argv[1:]]
    main(*(given + [10_000, 50][len(given) :]))
