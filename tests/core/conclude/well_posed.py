"""Fifty questions on public data with bounds, categories and costs as one would choose them who knows the data's kind.

None of them deserves a hint.
"""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd
import pandera.pandas as pa

import pandas_dp as pdp

Ask = Callable[[pd.DataFrame, pd.DataFrame], pd.DataFrame]


class Farms(pa.DataFrameModel):
    size: float = pa.Field(ge=0, le=5)
    status: str = pa.Field(isin=["mixed", "owner", "share"])
    varieties: str = pa.Field(isin=["high", "mixed", "trad"])
    bimas: str = pa.Field(isin=["mixed", "no", "yes"])
    region: str = pa.Field(isin=["ciwangi", "gunungwangi", "langan", "malausma", "sukaambit", "wargabinangun"])
    urea: int = pa.Field(ge=0, le=500)
    phosphate: int = pa.Field(ge=0, le=200)
    pseed: float = pa.Field(ge=0, le=400)
    purea: float = pa.Field(ge=50, le=100)
    pphosph: float = pa.Field(ge=50, le=120)
    hiredlabor: int = pa.Field(ge=0, le=1_500)
    famlabor: int = pa.Field(ge=0, le=700)
    totlabor: int = pa.Field(ge=0, le=2_000)
    wage: float = pa.Field(ge=0, le=200)
    goutput: int = pa.Field(ge=0, le=8_000)
    noutput: int = pa.Field(ge=0, le=8_000)
    price: float = pa.Field(ge=0, le=200)


class People(pa.DataFrameModel):
    age: int = pa.Field(ge=18, le=95)
    sex: int = pa.Field(isin=[0, 1])
    educ: int = pa.Field(ge=1, le=16)
    race: int = pa.Field(isin=[1, 2, 3, 4, 5, 6])
    income: float = pa.Field(ge=0, le=200_000)
    married: bool


def tables() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Farms and people, each protected by a session of its own."""
    farms = pdp.Session(epsilon=10**6, schema=Farms).protect(pdp.datasets.load_rice_farms())
    return farms, pdp.Session(epsilon=10**6, schema=People).protect(pdp.datasets.load_pums())


def _means(columns: list[str], of_people: bool) -> list[Ask]:
    return [lambda farms, people, c=c: (people if of_people else farms)[c].dp.mean(epsilon=1) for c in columns]


QUESTIONS: list[Ask] = [
    *_means(["size", "urea", "phosphate", "pseed", "purea", "wage", "price", "noutput", "goutput", "totlabor"], False),
    *_means(["age", "educ", "income"], True),
    lambda farms, people: people["married"].dp.share(epsilon=1),
    lambda farms, people: people["sex"].dp.share(epsilon=1),
    lambda farms, people: (people["income"] > 30_000).dp.share(epsilon=1),
    lambda farms, people: (people["age"] >= 65).dp.share(epsilon=1),
    lambda farms, people: (farms["size"] > 0.5).dp.share(epsilon=1),
    lambda farms, people: people[people["sex"] == 1]["income"].dp.mean(epsilon=2),
    lambda farms, people: people[people["age"] < 40]["educ"].dp.mean(epsilon=2),
    lambda farms, people: farms[farms["status"] == "owner"]["noutput"].dp.mean(epsilon=2),
    lambda farms, people: people["age"].dp.std(epsilon=1),
    lambda farms, people: people["educ"].dp.var(epsilon=1),
    lambda farms, people: farms["wage"].dp.std(epsilon=1),
    lambda farms, people: people["income"].dp.sum(epsilon=1),
    lambda farms, people: farms["noutput"].dp.sum(epsilon=1),
    lambda farms, people: people["age"].dp.median(epsilon=1),
    lambda farms, people: people["income"].dp.quantile([0.25, 0.5, 0.75], epsilon=2),
    lambda farms, people: farms["price"].dp.iqr(epsilon=1),
    lambda farms, people: people["age"].dp.between(30, 49, epsilon=1),
    lambda farms, people: people["age"].dp.histogram(8, epsilon=1),
    lambda farms, people: people["educ"].dp.histogram([1, 5, 9, 13, 16], epsilon=1),
    lambda farms, people: people["income"].dp.histogram(10, epsilon=1),
    lambda farms, people: farms["noutput"].dp.histogram(8, epsilon=1),
    lambda farms, people: farms["purea"].dp.histogram(5, epsilon=1),
    lambda farms, people: farms["status"].dp.value_counts(epsilon=1),
    lambda farms, people: farms["region"].dp.value_counts(normalize=True, epsilon=1),
    lambda farms, people: people["married"].dp.value_counts(epsilon=1, categories=[True, False]),
    lambda farms, people: farms.dp.crosstab("status", "varieties", epsilon=1),
    lambda farms, people: farms.dp.crosstab("region", "varieties", epsilon=1, margins=True),
    lambda farms, people: farms.dp.crosstab("region", "bimas", epsilon=1, margins="planned"),
    lambda farms, people: people.dp.crosstab("sex", "married", epsilon=1, categories={"married": [True, False]}),
    lambda farms, people: farms.dp.marginals([["status", "varieties"], ["region"], []], epsilon=1),
    lambda farms, people: farms.dp.groupby("status")["noutput"].mean(epsilon=4),
    lambda farms, people: farms.dp.groupby("varieties")["wage"].mean(epsilon=2),
    lambda farms, people: people.dp.groupby("sex")["age"].mean(epsilon=2),
    lambda farms, people: farms.dp.groupby("region").size(epsilon=1),
    lambda farms, people: people[["age", "educ"]].dp.mean(epsilon=2),
    lambda farms, people: people[["age", "educ", "income"]].dp.corr(epsilon=8),
    lambda farms, people: farms[["wage", "price"]].dp.cov(epsilon=4),
]
