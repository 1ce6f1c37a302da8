"""What a refusal says to write instead is itself followed, or answered."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.dataset as datasets
import pytest

import pandas_dp as pdp
from pandas_dp import pandas as ours
from pandas_dp.errors import NotFollowed, UnsupportedArgument
from pandas_dp.language.column import LazyColumn
from pandas_dp.language.table import LazyTable

Way = Callable[[Any], Any]
CROPS = pd.CategoricalDtype(["rice", "rye"])
FRAME = pd.DataFrame(
    {
        "size": [1.0, 2.0, 3.0, 6.0] * 250,
        "goats": [0, 1, 2, 3] * 250,
        "crop": ["rice", "rye"] * 500,
        "sown": ["2026-01-31", "2025-12-01"] * 500,
    }
)
SURE: dict[str, Any] = {"bounds": (0, 10), "epsilon": 1e6}


def _changed(change: Way) -> Way:
    def way(d: Any) -> Any:
        made = d.copy()
        change(made)
        return made

    return way


def _of_a_file() -> LazyTable:
    return pdp.Session(epsilon=1).scan(datasets.dataset(pa.Table.from_pandas(FRAME)))


def _big(d: Any) -> Any:
    return d[d["size"] > 2]


def _big_ones(d: Any) -> None:
    d.loc[d["size"] > 2, "size"] = 2


REMEDIES: dict[str, tuple[Way, str, Way]] = {
    **{
        name: (lambda d, name=name: getattr(d, name)(2), "choose them by a condition", _big)
        for name in ("head", "tail", "take")
    },
    "sample": (
        lambda d: d.sample(frac=0.1),
        "before the table is protected or scanned",
        lambda d: pdp.Session(epsilon=1).scan(FRAME.sample(frac=0.1, random_state=0)),
    ),
    "iloc": (lambda d: d.iloc[:3], "by a condition", _big),
    "iloc written to": (_changed(lambda d: d.iloc.__setitem__((0, 1), 5)), "by a condition", _changed(_big_ones)),
    "loc by a date": (lambda d: d.loc["2021-01"], "between", lambda d: d[d["size"].between(1, 2)]),
    "a slice": (lambda d: d[:3], "by a condition", _big),
    "nlargest": (lambda d: d.nlargest(3, "size"), "by a condition", _big),
    "drop_duplicates": (lambda d: d.drop_duplicates(), "by a condition", _big),
    "drop rows": (lambda d: d.drop([1, 2]), "by a condition", _big),
    "index": (lambda d: d[d.index.isin([1])], "by a condition", _big),
    "dropna(axis=1)": (lambda d: d.dropna(axis=1), "name the columns", lambda d: d[["size"]]),
    "select_dtypes": (lambda d: d.select_dtypes("complex"), "name the columns", lambda d: d[["size"]]),
    "ffill": (lambda d: d["size"].ffill(), "fillna(0)", lambda d: d["size"].fillna(0)),
    "interpolate": (lambda d: d["size"].interpolate(), "fillna(0)", lambda d: d["size"].fillna(0)),
    "factorize": (lambda d: d.crop.factorize(), "map({", lambda d: d.crop.map({"rice": 1, "rye": 2})),
    "pd.factorize": (lambda d: ours.factorize(d.crop), ".map({", lambda d: d.crop.map({"rice": 1, "rye": 2})),
    "codes": (
        lambda d: d.crop.astype("category").cat.codes,
        "CategoricalDtype",
        lambda d: d.crop.astype(CROPS).cat.codes,
    ),
    "get_dummies": (
        lambda d: ours.get_dummies(d.crop),
        "CategoricalDtype",
        lambda d: ours.get_dummies(d.crop.astype(CROPS)),
    ),
    "str.get_dummies": (lambda d: d.crop.str.get_dummies(","), ".str.contains", lambda d: d.crop.str.contains("rice")),
    "Categorical": (
        lambda d: ours.Categorical(d.crop),
        "categories=",
        lambda d: ours.Categorical(d.crop, categories=["rice", "rye"]),
    ),
    "cut": (lambda d: ours.cut(d["size"], 5), "give the edges", lambda d: ours.cut(d["size"], [0, 5, 9])),
    "to_datetime": (
        lambda d: ours.to_datetime(d.sown),
        "format='%Y-%m-%d'",
        lambda d: ours.to_datetime(d.sown, format="%Y-%m-%d"),
    ),
    "dayfirst": (
        lambda d: ours.to_datetime(d.sown, dayfirst=True),
        "format='%d/%m/%Y'",
        lambda d: ours.to_datetime(d.sown, format="%d/%m/%Y"),
    ),
    "values": (lambda d: d["size"].values * 2, "leave .values out", lambda d: d["size"] * 2),
    "to_numpy": (lambda d: np.log(d["size"].to_numpy()), "leave .to_numpy out", lambda d: np.log(d["size"])),
    "a loop": (lambda d: [x * 2 for x in d["size"]], "df['size'] * 2", lambda d: d["size"] * 2),
    "np.vectorize": (lambda d: np.vectorize(abs)(d["size"]), "as an expression", lambda d: d["size"].abs()),
    "np.any": (
        lambda d: np.any([d["size"] > 2, d.goats > 1], axis=0),
        "as an expression",
        lambda d: (d["size"] > 2) | (d.goats > 1),
    ),
    "a function": (
        lambda d: d["size"].map(lambda x: x + 1),
        "np.where(df['size'] > 2, 1, 0)",
        lambda d: np.where(d["size"] > 2, 1, 0),
    ),
    "a function of rows, mapped": (
        lambda d: d.apply(lambda row: row["size"] + row["goats"], axis=1),
        "df.map(f)",
        lambda d: _of_a_file().map(lambda rows: rows.assign(both=rows["size"] + rows["goats"])),
    ),
    "a function of rows": (
        lambda d: d.apply(lambda row: row["size"] + row["goats"], axis=1),
        "df['x'] + df['y']",
        lambda d: d["size"] + d["goats"],
    ),
    "replace by a function": (
        lambda d: d.crop.str.replace("r", lambda m: m.group().upper(), regex=True),
        r"r'\2 \1'",
        lambda d: d.crop.str.replace("(r)(.)", r"\2 \1", regex=True),
    ),
    "many parts": (
        lambda d: d.assign(z=d.sown.str.split("-")),
        ".str[0]",
        lambda d: d.assign(z=d.sown.str.split("-").str[0]),
    ),
    "parts side by side": (
        lambda d: d.sown.str.split("-", expand=True).columns,
        "expand=True)[0]",
        lambda d: d.sown.str.split("-", expand=True)[0],
    ),
    "parts by names": (
        lambda d: d.sown.str.split("-", expand=True).rename({0: "x"}),
        "df[['x', 'y']] = …",
        _changed(lambda d: d.__setitem__(["x", "y"], d.sown.str.split("-", expand=True))),
    ),
    "so many parts": (
        lambda d: d.sown.str.split("-", expand=True).shape,
        "give n=",
        lambda d: d.sown.str.split("-", n=2, expand=True),
    ),
    "extractall": (lambda d: d.sown.str.extractall(r"(\d)"), "extract gives", lambda d: d.sown.str.extract(r"(\d)")),
    "in place": (
        lambda d: d["size"].fillna(0, inplace=True),
        "df['size'] = df['size'].fillna(...)",
        _changed(lambda d: d.__setitem__("size", d["size"].fillna(0))),
    ),
    "chained": (
        lambda d: d["size"].__setitem__(d["size"] > 2, 2),
        "df.loc[df['size'] > 2, 'size'] = 2",
        _changed(_big_ones),
    ),
    "concat": (
        lambda d: ours.concat([d[d.goats > 1], d[d["size"] > 2]]),
        "df[a | b]",
        lambda d: d[(d.goats > 1) | (d["size"] > 2)],
    ),
    "Series.cat": (lambda d: d.crop.str.cat(sep=","), "others=", lambda d: d.crop.str.cat(d.sown, sep=",")),
    "reset_index": (lambda d: d.reset_index(), "drop=True", lambda d: d.reset_index(drop=True)),
    "two masks": (lambda d: d[d["size"] > 2 and d.goats > 1], "& and |", lambda d: d[(d["size"] > 2) & (d.goats > 1)]),
    "not these rows": (
        lambda d: d["size"] + d[d.goats > 1].goats,
        "then big['x'] + big['y']",
        lambda d: (lambda big: big["size"] + big.goats)(d[d.goats > 1]),
    ),
    "a table less a column": (
        lambda d: d[["size", "goats"]] - d.goats,
        "axis=0",
        lambda d: d[["size", "goats"]].sub(d.goats, axis=0),
    ),
    "a statistic of a row": (
        lambda d: d[["size", "goats"]].mean(),
        "mean(axis=1)",
        lambda d: d[["size", "goats"]].mean(axis=1),
    ),
}
"""What is refused, part of what is said, and what is written instead: a column or a table again."""
ANSWERED: dict[str, tuple[Way, str, Way]] = {
    **{
        name: (lambda d, name=name: getattr(d["size"], name)(), f"df['size'].dp.{name}(", asked)
        for name, asked in {
            "mean": lambda d: d["size"] - d["size"].dp.mean(**SURE)["mean"].item(),
            "sum": lambda d: d["size"] / d["size"].dp.sum(**SURE)["sum"].item(),
            "std": lambda d: d["size"] / d["size"].dp.std(**SURE)["std"].item(),
            "median": lambda d: d["size"].fillna(d["size"].dp.median(**SURE)["median"].item()),
            "max": lambda d: d["size"] / d["size"].dp.max(**SURE)["max"].item(),
        }.items()
    },
    "idxmax": (lambda d: d["size"].idxmax(), "df['size'].dp.max(", lambda d: d["size"].dp.max(**SURE)),
    "value_counts": (
        lambda d: d.crop.value_counts(),
        "df['size'].dp.value_counts(",
        lambda d: d.crop.dp.value_counts(categories=["rice", "rye"], epsilon=1e6),
    ),
    "groupby": (
        lambda d: d.groupby("crop").size(),
        "df.dp.groupby(",
        lambda d: d.dp.groupby("crop", categories={"crop": ["rice", "rye"]}).size(epsilon=1e6),
    ),
    "describe": (lambda d: d["size"].describe(), ".dp.describe(", lambda d: d["size"].dp.describe(**SURE)),
    "crosstab": (
        lambda d: ours.crosstab(d.crop, d.goats),
        "df.dp.crosstab('crop', 'region')",
        lambda d: d.dp.crosstab(
            "crop", "goats", categories={"crop": ["rice", "rye"], "goats": [0, 1, 2, 3]}, epsilon=1e6
        ),
    ),
}
"""The same, whose answer is a release, or made with a number of one."""


@pytest.fixture(scope="module")
def farms() -> LazyTable:
    return pdp.Session(epsilon=1e9).scan(FRAME)


@pytest.mark.parametrize("name", [*REMEDIES, *ANSWERED])
def test_what_is_refused_says_what_to_write(name: str, farms: LazyTable) -> None:
    refused, part, _ = (REMEDIES | ANSWERED)[name]
    with pytest.raises((NotFollowed, UnsupportedArgument, AttributeError)) as caught:
        refused(farms)
    assert part in str(caught.value)


@pytest.mark.parametrize("name", REMEDIES)
def test_what_is_written_instead_is_followed(name: str, farms: LazyTable) -> None:
    assert isinstance(REMEDIES[name][2](farms), LazyColumn | LazyTable)


@pytest.mark.parametrize("name", ANSWERED)
def test_what_is_asked_instead_is_answered(name: str, farms: LazyTable) -> None:
    found = ANSWERED[name][2](farms)
    assert isinstance(found, LazyColumn | pd.DataFrame | pd.Series)
