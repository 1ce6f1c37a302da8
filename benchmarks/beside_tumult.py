"""The questions of `benchmarks.beside`, asked of Tumult Analytics in an environment of its own.

`make rivals` runs it; it needs Java, and takes seconds a question, most of which is Spark's.
"""

from __future__ import annotations

import os
import sys
from importlib.metadata import version
from typing import Any

import numpy as np
import pandas as pd

os.environ.setdefault("PYSPARK_PYTHON", sys.executable)

from pyspark.sql import SparkSession
from tmlt.analytics import AddOneRow, BinningSpec, KeySet, PureDPBudget, QueryBuilder, Session

from .asked_alike import BINS, EPSILON, JOBS, QUANTILES, REGIONS, TOP, Answers, Asked, compare, sizes

SETTINGS = {
    "spark.sql.shuffle.partitions": "2",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
}


class Tumult:
    name = f"Tumult {version('tmlt.analytics')}"

    def __init__(self, data: pd.DataFrame) -> None:
        building = SparkSession.builder.master("local[2]")
        for name, value in SETTINGS.items():
            building = building.config(name, value)
        spark = building.getOrCreate()
        spark.sparkContext.setLogLevel("ERROR")
        rows = {"source_id": "people", "dataframe": spark.createDataFrame(data), "protected_change": AddOneRow()}
        self.session = Session.from_dataframe(PureDPBudget(EPSILON * 10**6), **rows)

    def told(self, query: Any) -> pd.DataFrame:
        found: pd.DataFrame = self.session.evaluate(query, PureDPBudget(EPSILON)).toPandas()
        return found

    def asked(self) -> Asked:
        def people() -> Any:
            return QueryBuilder("people")

        cells = KeySet.from_dict({"region": REGIONS, "job": JOBS})
        spec = BinningSpec([float(each) for each in BINS])

        def quantiles() -> Answers:
            several = [
                self.session.evaluate(people().quantile("income", q, 0, TOP), PureDPBudget(EPSILON / len(QUANTILES)))
                for q in QUANTILES
            ]
            return np.array([each.toPandas().iloc[0, 0] for each in several], float)

        def counts() -> Answers:
            found = self.derived(people().groupby(cells).count()).sort_values(["region", "job"])
            return found["count"].to_numpy(float)

        def bins() -> Answers:
            found = self.derived(people().histogram("income", spec)).set_index("income_binned")["count"]
            return found.reindex(spec.bins()).to_numpy(float)

        return {
            "mean": lambda: self.derived(people().average("income", 0, TOP)).to_numpy(float)[0],
            "median": lambda: self.derived(people().median("income", 0, TOP)).to_numpy(float)[0],
            "nine quantiles": quantiles,
            "histogram": bins,
            "crosstab": counts,
        }


if __name__ == "__main__":
    compare([Tumult], *sizes((10_000, 10)))
