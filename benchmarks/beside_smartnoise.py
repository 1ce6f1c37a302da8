"""The questions of `benchmarks.beside`, asked of SmartNoise SQL in an environment of its own; `make rivals` runs it.

Its epsilon is for each column that a query needs, so that of a question is divided among them: by what the library
itself says that the question costs.
"""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

import numpy as np
import pandas as pd
import snsql

from .asked_alike import BINS, EPSILON, JOBS, REGIONS, TOP, Answers, Asked, compare, sizes


class SmartNoise:
    name = f"SmartNoise SQL {version('smartnoise-sql')}"

    def __init__(self, data: pd.DataFrame) -> None:
        self.data = data.assign(
            bin=np.clip(np.searchsorted(BINS, data["income"], side="right") - 1, 0, len(BINS) - 2).astype(int)
        )
        facts: dict[str, Any] = {
            "income": {"type": "float", "lower": 0.0, "upper": float(TOP)},
            "region": {"type": "string"},
            "job": {"type": "string"},
            "bin": {"type": "int", "lower": 0, "upper": len(BINS) - 2},
        }
        table = {"row_privacy": True, "censor_dims": False, "rows": len(data), **facts}
        self.known = {"": {"db": {"people": table}}}

    def reader(self, epsilon: float) -> Any:
        privacy = snsql.Privacy(epsilon=epsilon, delta=1e-9)
        return snsql.from_df(self.data, privacy=privacy, metadata=self.known)

    def told(self, query: str) -> pd.DataFrame:
        cost, _ = self.reader(EPSILON).get_privacy_cost(query)
        found = self.reader(EPSILON**2 / cost).execute(query)
        return pd.DataFrame(found[1:], columns=found[0])

    def asked(self) -> Asked:
        keys = pd.MultiIndex.from_product([REGIONS, JOBS])

        def cells() -> Answers:
            found = self.derived("SELECT region, job, COUNT(*) AS n FROM db.people GROUP BY region, job")
            return found.set_index(["region", "job"])["n"].reindex(keys).to_numpy(float)

        def bins() -> Answers:
            found = self.derived("SELECT bin, COUNT(*) AS n FROM db.people GROUP BY bin").set_index("bin")["n"]
            return found.reindex(range(len(BINS) - 1)).fillna(0).to_numpy(float)

        return {
            "mean": lambda: self.derived("SELECT AVG(income) AS m FROM db.people").to_numpy(float)[0],
            "histogram": bins,
            "crosstab": cells,
        }


if __name__ == "__main__":
    compare([SmartNoise], *sizes((10_000, 50)))
