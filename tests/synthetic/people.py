"""A table of people that was made, and its schema."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pandera.pandas as pa

import pandas_dp as pdp


class People(pa.DataFrameModel):
    age: int = pa.Field(ge=0, le=99)
    sex: pd.CategoricalDtype = pa.Field(dtype_kwargs={"categories": ["m", "f"], "ordered": True})
    work: str = pa.Field(isin=["full", "part", "none"])
    kids: int = pa.Field(isin=[0, 1, 2, 3])
    member: bool = pa.Field()


def people(rows: int = 3_000, seed: int = 1) -> pd.DataFrame:
    r = np.random.default_rng(seed)
    age = r.integers(0, 100, rows)
    sex = r.choice(["m", "f"], rows)
    busy = (age > 17) & (age < 66)
    work = np.where(busy, np.where(r.random(rows) < np.where(sex == "f", 0.4, 0.7), "full", "part"), "none")
    kids = np.where(age > 17, r.binomial(3, 0.4, rows), 0)
    return pd.DataFrame(
        {
            "age": age,
            "sex": pd.Categorical(sex, categories=["m", "f"], ordered=True),
            "work": work,
            "kids": kids,
            "member": r.random(rows) < np.where(work == "full", 0.6, 0.2),
        }
    )


def protected(rho: float = 1e9, rows: int = 3_000) -> pd.DataFrame:
    """Protected by a session of its own; by default there is so much to spend that there is no noise to see."""
    return pdp.Session(rho=rho, schema=People).protect(people(rows))


def shares(table: pd.DataFrame, keys: list[str]) -> pd.Series:
    return table.value_counts(keys, normalize=True, sort=False)


def apart(one: pd.Series, other: pd.Series) -> float:
    """Half the sum of the differences of shares."""
    return 0.5 * float(one.sub(other, fill_value=0.0).abs().sum())
