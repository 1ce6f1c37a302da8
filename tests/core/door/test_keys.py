"""Keys as pandas users write them: columns of the same rows, Groupers, what declared columns become."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pandera.pandas as pa
import pytest

import pandas_dp as pdp
from pandas_dp import errors
from pandas_dp import pandas as followed

FIRST, LAST = pd.Timestamp("2025-11-20"), pd.Timestamp("2026-03-10 23:59")


class Flights(pa.DataFrameModel):
    origin: str = pa.Field(isin=["EWR", "JFK", "LGA"])
    carrier: str = pa.Field(isin=["DL", "UA", "UB"])
    delay: float = pa.Field(ge=-60, le=600)
    distance: int = pa.Field(ge=0, le=5_000)
    day: pd.Timestamp = pa.Field(ge=FIRST, le=LAST)


def flights(rows: int = 600) -> pd.DataFrame:
    """No flight leaves LGA, and none in January."""
    rng = np.random.default_rng(3)
    days = FIRST + pd.to_timedelta(rng.integers(0, 110 * 24 * 60, rows), unit="min")
    return pd.DataFrame(
        {
            "origin": rng.choice(["EWR", "JFK"], rows),
            "carrier": rng.choice(["UA", "UB", "DL"], rows),
            "delay": rng.integers(-60, 601, rows) * 1.0,
            "distance": rng.integers(0, 5_001, rows),
            "day": days.where(days.month != 1, FIRST).as_unit("ns"),
        }
    )


DATA = flights()
SESSION = {"epsilon": 10**13, "delta": 1e-6, "per_query": 0.0001, "schema": Flights}  # no noise to see


@pytest.fixture(params=["protected", "scanned"])
def df(request: pytest.FixtureRequest) -> Any:
    session = pdp.Session(**SESSION)
    return session.protect(DATA) if request.param == "protected" else session.scan(DATA)


def plain(release: Any) -> Any:
    return pd.DataFrame(release)


def estimates(release: Any) -> Any:
    """The first column of each title."""
    return plain(release).T.groupby(level=0).first().T


BOTH = {"delay": ["mean"], "distance": "sum"}
SAME: dict[str, tuple[Callable[[Any], Any], Callable[[pd.DataFrame], Any]]] = {
    "a comparison": (
        lambda d: d.dp.groupby(d["delay"] > 30)["delay"].mean()["mean"],
        lambda d: d.groupby(d["delay"] > 30)["delay"].mean(),
    ),
    "a column and a name": (
        lambda d: d.dp.groupby(["carrier", d["delay"] > 30]).size()["size"],
        lambda d: d.groupby(["carrier", d["delay"] > 30]).size(),
    ),
    "a month": (
        lambda d: d.dp.groupby(d["day"].dt.quarter).size()["size"],
        lambda d: d.groupby(d["day"].dt.quarter).size(),
    ),
    "crossed columns": (
        lambda d: plain(d.dp.crosstab(d.carrier, d.delay > 30)),
        lambda d: pd.crosstab(d.carrier, d.delay > 30),
    ),
    "crossed with itself": (
        lambda d: plain(d.dp.crosstab(d.delay > 0, d.delay > 30)),
        lambda d: pd.crosstab(d.delay > 0, d.delay > 30),
    ),
    "crossed with names": (
        lambda d: plain(d.dp.crosstab("carrier", d.delay > 30, rownames=["by"], colnames=["late"])),
        lambda d: pd.crosstab(d.carrier, d.delay > 30, rownames=["by"], colnames=["late"]),
    ),
    "values as a column": (
        lambda d: plain(d.dp.crosstab(d.carrier, d.delay > 30, values=d.distance, aggfunc="sum")),
        lambda d: pd.crosstab(d.carrier, d.delay > 30, values=d.distance, aggfunc="sum"),
    ),
    "margins under a name": (
        lambda d: plain(d.dp.crosstab(d.carrier, d.delay > 30, margins=True, margins_name="Total")),
        lambda d: pd.crosstab(d.carrier, d.delay > 30, margins=True, margins_name="Total"),
    ),
    "margins of means": (
        lambda d: plain(d.assign(late=d.delay > 30).dp.pivot_table("distance", "carrier", "late", margins=True)),
        lambda d: d.assign(late=d.delay > 30).pivot_table("distance", "carrier", "late", margins=True),
    ),
    "several values": (
        lambda d: plain(d.dp.pivot_table(["delay", "distance"], "carrier")),
        lambda d: d.pivot_table(["delay", "distance"], "carrier"),
    ),
    "several functions": (
        lambda d: plain(d.dp.pivot_table("delay", "carrier", aggfunc=[np.mean, "count"])),
        lambda d: d.pivot_table("delay", "carrier", aggfunc=["mean", "count"]),
    ),
    "functions of each": (
        lambda d: plain(
            d.dp.pivot_table(["delay", "distance"], "carrier", aggfunc={"delay": ["mean"], "distance": "sum"})
        ),
        lambda d: d.pivot_table(["delay", "distance"], "carrier", aggfunc={"delay": ["mean"], "distance": "sum"}),
    ),
    "values down": (
        lambda d: plain(d.dp.pivot_table(["delay", "distance"], columns="carrier")),
        lambda d: d.pivot_table(["delay", "distance"], columns="carrier"),
    ),
    "several across": (
        lambda d: plain(d.dp.pivot_table(["delay", "distance"], "carrier", d.delay > 30, aggfunc=["sum", "mean"])),
        lambda d: d.pivot_table(["delay", "distance"], "carrier", d.delay > 30, aggfunc=["sum", "mean"]),
    ),
    "new names": (
        lambda d: (
            d.dp.groupby("carrier")
            .agg(m=pd.NamedAgg("delay", "mean"), n=("distance", "sum"))[[("m", "mean"), ("n", "sum")]]
            .set_axis(["m", "n"], axis=1)
        ),
        lambda d: d.groupby("carrier").agg(m=("delay", "mean"), n=("distance", "sum")),
    ),
    "new names of one": (
        lambda d: d["delay"].dp.agg(m="mean", s=np.std)["estimate"],
        lambda d: d["delay"].agg(m="mean", s="std"),
    ),
    "a dict of one": (
        lambda d: d["delay"].dp.agg({"m": "mean", "s": "sum"})["estimate"],
        lambda d: d["delay"].agg({"m": "mean", "s": "sum"}),
    ),
    "keys as columns": (
        lambda d: plain(d.dp.groupby("carrier", as_index=False).size()),
        lambda d: d.groupby("carrier", as_index=False).size(),
    ),
    "bins": (
        lambda d: d["delay"].dp.value_counts(bins=[-60, 0, 30, 600])["count"],
        lambda d: d["delay"].value_counts(bins=[-60, 0, 30, 600], sort=False),
    ),
    "in order": (
        lambda d: d["carrier"].dp.value_counts(ascending=True)["count"],
        lambda d: d["carrier"].value_counts(ascending=True),
    ),
    "most first": (
        lambda d: d.dp.value_counts(["carrier"], sort=True)["count"],
        lambda d: d["carrier"].value_counts(),
    ),
    **{
        f"stretches {freq}": (
            lambda d, freq=freq: d.dp.resample(freq, on="day").size()["size"],
            lambda d, freq=freq: d.set_index("day").resample(freq).size(),
        )
        for freq in ("MS", "ME", "W", "QS", "QE", "YS", "YE", "D", "12h")
    },
    "a Grouper": (
        lambda d: d.dp.groupby([pd.Grouper(key="day", freq="QS"), "carrier"])["delay"].mean()["mean"],
        lambda d: d.groupby([pd.Grouper(key="day", freq="QS"), "carrier"])["delay"].mean(),
    ),
    "weekdays": (
        lambda d: d["day"].dt.day_name().dp.value_counts()["count"],
        lambda d: d["day"].dt.day_name().value_counts(),
    ),
    "parts of texts": (
        lambda d: d["carrier"].str[:1].dp.value_counts()["count"],
        lambda d: d["carrier"].str[:1].value_counts(),
    ),
    "a full dict of numbers": (
        lambda d: d["carrier"].map({"UA": 1, "UB": 1, "DL": 2}).dp.value_counts()["count"],
        lambda d: d["carrier"].map({"UA": 1, "UB": 1, "DL": 2}).value_counts(),
    ),
    "numbered bands": (
        lambda d: followed.cut(d["delay"], [-61, 0, 30, 600], labels=False).dp.value_counts()["count"],
        lambda d: pd.cut(d["delay"], [-61, 0, 30, 600], labels=False).value_counts(),
    ),
}


def alike(ours: Any, theirs: Any) -> None:
    """The same numbers under the same labels, in whatever order rows and columns stand."""
    ours, theirs = (cells(pd.DataFrame(each)) for each in (ours, theirs))
    for key in {**ours, **theirs}:
        one, other = ours.get(key, 0), theirs.get(key, 0)  # stretches beyond the data are shown
        assert one == other if isinstance(other, str) else one == pytest.approx(float(other), rel=1e-3, abs=1e-3), key


def cells(table: pd.DataFrame) -> dict[str, Any]:
    """Each number by its labels."""
    rows, columns = map(list, (table.index, table.columns))
    values = table.to_numpy(dtype=object)
    return {label((one, other)): values[i, j] for i, one in enumerate(rows) for j, other in enumerate(columns)}


def label(key: tuple[Any, ...]) -> str:
    """A row and a column."""
    flat = [part for each in key for part in (each if isinstance(each, tuple) else (each,))]
    return " ".join(str(each.item() if isinstance(each, np.generic) else each) for each in flat)


@pytest.mark.parametrize("name", SAME)
def test_what_pandas_answers_is_answered(name: str, df: Any) -> None:
    ours, theirs = SAME[name]
    alike(*(each.rename("value") if isinstance(each, pd.Series) else each for each in (ours(df), theirs(DATA))))


def test_names_of_keys_are_those_of_pandas(df: Any) -> None:
    late = df["delay"] > 30
    assert df.dp.groupby(late)["delay"].mean().index.name == "delay"
    table = df.dp.crosstab(late, df["delay"] > 0)
    assert (table.index.name, table.columns.name) == ("delay", "delay")
    assert df.dp.groupby(late, as_index=False)["delay"].mean().columns.tolist()[:2] == ["delay", "mean"]
    assert df.dp.groupby(late)["delay"].mean().dp.contrast(False, True).shape == (1, 6)


@pytest.mark.parametrize(
    ("period", "first", "many"), [("M", "2025-11", 5), ("Q", "2025Q4", 2), ("D", "2025-11-20", 111)]
)
def test_stretches_without_rows_are_shown(period: str, first: str, many: int, df: Any) -> None:
    counts = df["day"].dt.to_period(period).dp.value_counts()
    assert (counts.index[0], len(counts), counts["count"].sum()) == (first, many, len(DATA))
    assert df["day"].dt.year.dp.value_counts().index.tolist() == [2025, 2026]
    days = df["day"].dt.normalize().dp.value_counts()
    assert (days.index[0], len(days)) == (FIRST.normalize(), 111)


def test_months_and_comparisons_are_known_also_after_rows_were_read() -> None:
    df = pdp.Session(**SESSION).protect(DATA)
    df["delay"].max()
    assert df["day"].dt.to_period("M").dp.value_counts().index[0] == "2025-11"
    assert df.dp.groupby(df["delay"] > 30).size().index.tolist() == [False, True]
    assert len(df.dp.resample("MS", on="day").size()) == 5
    with pytest.raises(errors.NoCategories):
        followed.cut(df["delay"], [-60, 30, 600]).dp.value_counts()
    with pytest.raises(errors.NoCategories):
        df["carrier"].map({"UA": 1, "UB": 1, "DL": 2}).dp.value_counts()
    assert len(df["delay"].dp.value_counts(bins=[-60, 30, 600])) == 2


def test_a_year_that_ends_before_the_next_has_no_month_of_it() -> None:
    ends = pa.Column("M8[ns]", [pa.Check.ge("2025-01-01"), pa.Check.lt("2026-01-01")])
    df = pdp.Session(epsilon=1e6, schema=pa.DataFrameSchema({"day": ends})).protect(
        pd.DataFrame({"day": pd.date_range("2025-01-01", "2025-12-31")})
    )
    months = df.dp.resample("MS", on="day").size(epsilon=1e3).index
    assert (len(months), months[-1]) == (12, pd.Timestamp("2025-12-01"))
    assert df["day"].dt.to_period("M").dp.value_counts(epsilon=1e3).index[-1] == "2025-12"
    assert df["day"].dt.year.dp.value_counts(epsilon=1e3).index.tolist() == [2025]
    assert len(df["day"].dp.histogram(bins="MS", epsilon=1e3)) == 12


@pytest.mark.parametrize("door", ["protect", "scan"])
@pytest.mark.parametrize(
    ("asked", "ends"),
    [
        (lambda d: d.dp.resample("ME", on="day").size(), "2025-01-01 … 2025-12-31"),
        (lambda d: d.dp.resample("W", on="day").size(), "2024-12-30 … 2026-01-04"),
        (lambda d: d.dp.groupby(pd.Grouper(key="day", freq="12h"))["day"].count(), "2025-01-01 … 2025-12-31"),
        (lambda d: d["day"].dt.to_period("Q").dp.value_counts(), "2025-01-01 … 2025-12-31"),
        (lambda d: d.assign(year=d["day"].dt.year).dp.groupby("year").size(), "2025-01-01 … 2025-12-31"),
        (lambda d: d.dp.groupby(d["day"].dt.year, other=True).size(), None),
        (lambda d: d["day"].dt.month.dp.value_counts(), None),
    ],
)
def test_times_that_are_in_no_row_of_a_table_are_told(door: str, asked: Callable[..., Any], ends: str | None) -> None:
    schema = pa.DataFrameSchema({"day": pa.Column("M8[ns]", pa.Check.in_range("2025-01-01", "2025-12-31 13:00"))})
    data = pd.DataFrame({"day": pd.date_range("2024-01-01", "2027-01-01")})
    found = asked(getattr(pdp.Session(epsilon=1e6, schema=schema, per_query=1e-3), door)(data))
    told = [f"Rows with a time outside of {ends} are in no row of the table."]
    assert found.attrs["dp"]["remarks"] == (None if ends is None else told)
    counts = found.iloc[:, 0].sum()
    within = data["day"].between(*(ends or "2020 … 2030").split(" … "))
    assert counts == within.sum()


LOW, HIGH = "Values of age below 18 count as 18", "Values of age above 65 count as 65"
BOTH = f"{LOW}, and above 65 as 65"


@pytest.mark.parametrize(
    ("asked", "told", "count"),
    [
        (lambda age: age.between(18, 29), LOW, 300),
        (lambda age: age.between(30, 65), HIGH, 700),
        (lambda age: age.between(0, 200), BOTH, 1000),
        (lambda age: age.between(30, 39), None, 100),
        (lambda age: age.histogram([0, 18, 30, 65, 110]), BOTH, 1000),
        (lambda age: age.value_counts(bins=[0, 18, 30, 65, 110]), BOTH, 1000),
        (lambda age: age.value_counts(bins=[30, 39, 49]), None, 200),
    ],
)
def test_numbers_beyond_bounds_that_count_in_a_bin_are_told(
    asked: Callable[..., Any], told: str | None, count: int
) -> None:
    schema = pa.DataFrameSchema({"age": pa.Column(int, pa.Check.in_range(18, 65))})
    df = pdp.Session(epsilon=1e6, schema=schema, per_query=1e-3).protect(pd.DataFrame({"age": [*range(100)] * 10}))
    found = asked(df["age"].dp)
    assert found.attrs["dp"]["remarks"] == (None if told is None else [f"{told}."])
    assert told is None or told in repr(found)
    assert found["count"].sum() == count


@pytest.mark.parametrize("observed", [True, False])
def test_observed_shows_every_declared_cell_and_says_so(observed: bool, df: Any) -> None:
    release = df.dp.groupby("origin", observed=observed, sort=True).size()
    assert release["size"].tolist()[-1] == 0
    assert release.index.tolist() == ["EWR", "JFK", "LGA"]
    assert ("observed= leaves no cell out" in repr(release)) is observed


def test_columns_of_a_table_are_asked_by_their_names(df: Any) -> None:
    assert df.dp.delay.mean()["mean"].item() == pytest.approx(DATA["delay"].mean(), rel=1e-3)
    assert df.dp["carrier"].value_counts().index.tolist() == ["DL", "UA", "UB"]
    assert df.dp[["delay", "distance"]].mean().index.tolist() == ["delay", "distance"]
    assert df.dp.groupby("carrier").delay.mean().index.tolist() == ["DL", "UA", "UB"]


@pytest.mark.parametrize(
    "ask",
    [
        lambda d: d.mean(),
        lambda d: d.describe(),
        lambda d: d.agg(["mean", "std"]),
        lambda d: d.groupby("origin").median(),
    ],
)
def test_columns_of_texts_are_left_out_and_named(ask: Callable[[Any], Any], df: Any) -> None:
    release = ask(df.dp)
    gone = "carrier" if release.index.name == "origin" else "origin, carrier"
    assert release.attrs["dp"]["remarks"] == [f"Left out, as they are declared to hold no numbers: {gone}."]
    assert f"no numbers: {gone}." in repr(release)
    assert "carrier" not in release.attrs["dp"]["columns"]
    assert df.dp.sum().attrs["dp"]["columns"] == ["delay", "distance"]
    assert df.dp[["delay"]].mean().attrs["dp"]["remarks"] is None


def test_a_column_of_other_rows_is_no_key(df: Any) -> None:
    other = pdp.Session(**SESSION).scan(DATA)
    with pytest.raises(errors.PrivacyError):
        df.dp.groupby(other["origin"]).size()
    with pytest.raises(errors.PrivacyError):
        df.dp.groupby(DATA["origin"]).size()


def test_a_key_of_a_cut_is_missing_elsewhere() -> None:
    df = pdp.Session(**SESSION).protect(DATA)
    few = df[df["delay"] > 0]
    assert few.dp.groupby(df["carrier"]).size()["size"].sum() == (DATA["delay"] > 0).sum()
    assert df.dp.groupby(few["carrier"].str.lower()).size()["size"].sum() == (DATA["delay"] > 0).sum()


def test_categories_are_described_by_their_counts(df: Any) -> None:
    release = df["carrier"].dp.describe()
    alike(release["count"].rename("value"), DATA["carrier"].value_counts().rename("value"))
    assert release.index.tolist() == DATA["carrier"].value_counts().index.tolist()
    assert "top and freq is the first row" in repr(release)


def test_bounds_of_groups_that_were_read_are_refused() -> None:
    df = pdp.Session(**SESSION).protect(DATA)
    with pytest.raises(errors.NotFollowed, match="read from the rows"):
        df.dp.groupby("carrier", bounds=(0, df["delay"].max()))
