"""Small public tables, each with its source and licence."""

from __future__ import annotations

from importlib.resources import files
from io import StringIO

import numpy as np
import pandas as pd

from ..core.arguments import whole_number

__all__ = [
    "load_pums",
    "load_rice_farms",
    "load_uk_census",
    "make_population",
    "make_survey",
]


REGIONS = {"north": 60_000, "south": 35_000, "islands": 5_000}
SAMPLED = {"north": 800, "south": 800, "islands": 400}
PAY = {"north": 7.9, "south": 7.7, "islands": 7.4}


def make_population(seed: int = 1) -> pd.DataFrame:
    """100,000 adults: region, sex, age, hours of work a week, and pay a month.

    Source: nobody. Sizes of regions are fixed; sex is a coin, age uniform from 18 to 84; who is older than 66 works
    no hours, others 20 to 45; the logarithm of pay is normal about a mean of the region, 0.15 less for women, with
    standard deviation 0.5, times the hours over 40, and 1,100 for who works none; it is cut at 15,000.

    Examples
    --------
    >>> make_population().shape
    (100000, 5)
    """
    r = np.random.default_rng(whole_number("seed", seed, 0, 2**63))
    region = np.repeat(list(REGIONS), list(REGIONS.values()))
    size = len(region)
    sex, age = r.choice(["f", "m"], size), r.integers(18, 85, size)
    hours = np.where(age > 66, 0, r.integers(20, 46, size))
    level = np.repeat(list(PAY.values()), list(REGIONS.values())) - 0.15 * (sex == "f")
    pay = np.where(hours > 0, np.exp(r.normal(level, 0.5)) * hours / 40, 1_100)
    columns = {"region": region, "sex": sex, "age": age, "hours": hours, "pay": np.minimum(pay, 15_000).round(0)}
    return pd.DataFrame(columns)


def make_survey(seed: int = 1) -> pd.DataFrame:
    """A sample of 2,000 of them, stratified by region: 800, 800 and 400 people, with their weights.

    Source: nobody. In each region people are drawn with equal chances, without replacement; two in ten of the young,
    below 35, do not answer, and weights, the size of the region over the number that answered, say nothing of it.

    Examples
    --------
    >>> sample = make_survey()
    >>> sample.columns.tolist(), round(sample["weight"].sum())
    (['region', 'sex', 'age', 'hours', 'pay', 'weight'], 100000)
    """
    people, r = make_population(seed), np.random.default_rng([seed, 2])
    found = []
    for region, size in SAMPLED.items():
        drawn = people[people["region"] == region].sample(size, random_state=r)
        answered = drawn[(drawn["age"] >= 35) | (r.random(size) >= 0.2)]
        found.append(answered.assign(weight=REGIONS[region] / len(answered)))
    return pd.concat(found, ignore_index=True)


def load_rice_farms() -> pd.DataFrame:
    """1,026 observations of 171 rice farms in Indonesia, 20 variables.

    Source: data set RiceFarms of the R package plm (GPL >= 2); Feng & Horrace (2012), "Alternative technical efficiency
    measures: skew, bias and scale", Journal of Applied Econometrics 27(2). The numbers themselves are facts.

    Examples
    --------
    >>> load_rice_farms().shape
    (1026, 20)
    """
    return _read("rice_farms.csv")


def load_uk_census() -> pd.DataFrame:
    """Age by occupation of a UK census sample of 2001, a public table of counts, ages as the index.

    Source: table 1 of Rinott, O'Keefe, Shlomo & Skinner (2018), "Confidentiality and differential privacy in the
    dissemination of frequency tables", Statistical Science 33(3).

    Examples
    --------
    >>> load_uk_census().shape
    (12, 11)
    """
    return _read("uk_census_2001_age_by_occupation.csv").set_index("age")


def load_pums() -> pd.DataFrame:
    """1,000 persons of California from a public sample of the US Census of 2000, six variables.

    Source: US Census Bureau, Public Use Microdata Sample, in the public domain.

    Examples
    --------
    >>> list(load_pums().columns)
    ['age', 'sex', 'educ', 'race', 'income', 'married']
    """
    return _read("pums_california_1000.csv")


def _read(name: str) -> pd.DataFrame:
    return pd.read_csv(StringIO(files(__package__).joinpath(name).read_text(encoding="utf-8")))
