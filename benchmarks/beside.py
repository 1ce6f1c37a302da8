"""Questions about one table, a row a person, asked of pandas-dp, OpenDP and diffprivlib in one run: error and time.

`make rivals` runs it; `python -m benchmarks.beside [ROWS [REPETITIONS]]` otherwise. Every question costs epsilon 1 of
its own; one row comes or goes (diffprivlib takes the number of rows as public in means and quantiles). Bounds are the
same and tuned to nobody. Each is asked as its own documentation asks.
"""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

import diffprivlib
import numpy as np
import opendp.prelude as dp
import pandas as pd
import polars as pl

import pandas_dp as pdp

from .asked_alike import BINS, EPSILON, JOBS, QUANTILES, REGIONS, TOP, Answers, Asked, compare, sizes


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
            "regression": lambda: _first(self.rows.dp.ols("income", ["school"], stages=1, **both))[1:],
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
            margins=[dp.polars.MarginOf(max_length=10**7)],
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


if __name__ == "__main__":
    compare([PandasDP, OpenDP, Diffprivlib], *sizes((10_000, 50)))
