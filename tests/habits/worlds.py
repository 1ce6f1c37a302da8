"""Tables that look like those that seven professions know, and a session in which noise moves no digit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pandera.pandas as pa

import pandas_dp as pdp

GENEROUS = {"epsilon": 10**13, "delta": 1e-6, "per_query": 0.0005}
ROWS = 3_000


def of(*labels: Any) -> pa.Column:
    return pa.Column(str, pa.Check.isin(list(labels)))


def between(low: Any, high: Any, kind: Any = float, **how: Any) -> pa.Column:
    return pa.Column(kind, pa.Check.in_range(low, high), **how)


YEAR = between(pd.Timestamp("2025-01-01"), pd.Timestamp("2025-12-31 23:59:59"), "datetime64[ns]")

TABLES = {
    "physician": "patients",
    "official statistician": "households",
    "economist": "wages",
    "product analyst": "events",
    "data scientist": "diamonds",
    "data engineer": "flights",
    "teacher": "penguins",
}
"""What is on the desk of whom."""

SCHEMAS = {
    "patients": {
        "age": between(0, 100, int),
        "sex": of("f", "m"),
        "smoker": pa.Column(bool),
        "bmi": between(10, 60),
        "systolic": between(80, 220),
        "diagnosis": of("asthma", "diabetes", "fracture", "stroke"),
        "ward": of("A", "B", "C"),
        "admitted": YEAR,
        "days": between(0, 60, int),
        "died": pa.Column(bool),
        "sugar": between(2, 20, nullable=True),
        "months": between(0, 60),
    },
    "households": {
        "region": of("north", "south", "islands"),
        "tenure": of("owner", "tenant"),
        "income": between(0, 20_000),
        "size": between(1, 8, int),
        "employed": pa.Column(bool),
        "weight": between(1, 100),
    },
    "wages": {
        "wage": between(1, 60),
        "educ": between(6, 20, int),
        "exper": between(0, 50, int),
        "motheduc": between(0, 20, int),
        "female": pa.Column(bool),
        "union": pa.Column(bool),
        "kids": between(0, 6, int),
        "region": of("east", "north", "south"),
        "year": pa.Column(int, pa.Check.isin([2020, 2021, 2022])),
        "weight": between(1, 10),
    },
    "events": {
        "user": pa.Column(int),
        "country": of("DE", "ES", "FR"),
        "device": of("Desktop", "Phone", "Tablet"),
        "page": pa.Column(str),
        "amount": between(0, 100),
        "paid": pa.Column(bool),
        "date": YEAR,
    },
    "diamonds": {
        "carat": between(0, 5),
        "cut": of("Fair", "Good", "Ideal"),
        "color": of("D", "E", "F"),
        "price": between(0, 20_000, int),
        "depth": between(40, 80),
    },
    "flights": {
        "origin": of("EWR", "JFK", "LGA"),
        "carrier": of("AA", "DL", "UA"),
        "dep_delay": between(-30, 300),
        "arr_delay": between(-60, 300, nullable=True),
        "distance": between(0, 5_000),
        "time": YEAR,
    },
    "penguins": {
        "species": of("Adelie", "Chinstrap", "Gentoo"),
        "island": of("Biscoe", "Dream", "Torgersen"),
        "sex": of("female", "male"),
        "bill": between(30, 60),
        "flipper": between(170, 235),
        "mass": between(2_000, 7_000),
    },
}


def rows_of(name: str) -> pd.DataFrame:
    """Rows of the declared kinds within the declared ranges, with the relations that the questions are about."""
    r = np.random.default_rng(len(name))
    frame = pd.DataFrame({column: _values(declared, r) for column, declared in SCHEMAS[name].items()})
    return MADE[name](frame, r) if name in MADE else frame


def _values(declared: pa.Column, r: np.random.Generator) -> Any:
    if not declared.checks:
        return r.random(ROWS) < 0.4
    facts = declared.checks[0].statistics
    if "allowed_values" in facts:
        return r.choice(list(facts["allowed_values"]), ROWS)
    low, high = facts["min_value"], facts["max_value"]
    share = r.beta(2, 4, ROWS)
    if isinstance(low, pd.Timestamp):
        return low + (high - low) * share
    values = low + (high - low) * share
    values = values.round() if str(declared.dtype) == "int64" else values
    return np.where(r.random(ROWS) < 0.1, np.nan, values) if declared.nullable else values


def _wages(frame: pd.DataFrame, r: np.random.Generator) -> pd.DataFrame:
    educ = frame["educ"] + 0.0
    return frame.assign(
        motheduc=(educ + r.normal(-2, 2, ROWS)).clip(0, 20).round().astype(int),
        wage=np.exp(1.3 + 0.08 * educ + 0.01 * frame["exper"] + r.normal(0, 0.3, ROWS)).clip(1, 60),
    )


def _events(frame: pd.DataFrame, r: np.random.Generator) -> pd.DataFrame:
    pages = np.array(["/shop/hat", "/shop/bag", "/help/pay", "/home/"])
    return frame.assign(user=r.integers(0, 800, ROWS), page=r.choice(pages, ROWS))


def _penguins(frame: pd.DataFrame, r: np.random.Generator) -> pd.DataFrame:
    return frame.assign(mass=(50 * frame["flipper"] - 5_800 + r.normal(0, 300, ROWS)).clip(2_000, 7_000))


MADE: dict[str, Callable[[pd.DataFrame, np.random.Generator], pd.DataFrame]] = {
    "wages": _wages,
    "events": _events,
    "penguins": _penguins,
}


def session_of(name: str) -> pdp.Session:
    unit = {"unit": "user"} if name == "events" else {}
    return pdp.Session(**GENEROUS, **unit, schema=pa.DataFrameSchema(SCHEMAS[name]))


def words_of(name: str, folder: Any) -> dict[str, Any]:
    """What a call of this profession may name."""
    rows, session = rows_of(name), session_of(name)
    words = {"pd": pd, "np": np, "pdp": pdp, "folder": folder, "session": session, "rows": rows}
    if name != "flights":
        return words | {name: session.protect(rows, **({"max_rows": 30} if name == "events" else {}))}
    import pyarrow as arrow  # noqa: ICN001  # pa is pandera

    from ..engines.scan.libraries import Relation, Speaks  # neither polars nor DuckDB is installed here

    airlines = pd.DataFrame({"carrier": ["AA", "DL", "UA"], "name": ["American", "Delta", "United"]})
    table = arrow.Table.from_pandas(rows)
    words |= {"airlines": airlines, "flights": session.scan(rows), "arrow_flights": table}
    return words | {"polars_flights": Speaks(table), "duckdb_flights": Relation(table)}
