"""Small public tables, each with its source and licence."""

from __future__ import annotations

from importlib.resources import files
from io import StringIO

import pandas as pd

from .survey import make_population, make_survey

__all__ = ["load_pums", "load_rice_farms", "load_uk_census", "make_population", "make_survey"]


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
